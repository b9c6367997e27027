"""Gates: parts that pass or fail a build.

A gate is an interval. The upper endpoint of a 90 % interval is that of a one-sided test
at .05, so a gate fails if the whole interval lies below the limit.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import Any

from .._report.answer import Part
from .._shown.numbers import WithInterval, texts_apart

_CONFIDENCE_LEVEL = 0.9


def gate_parts(parts: Iterable[Part], options: Namespace, model: str) -> Iterator[Part]:
    """Yield a part for each gate, with its verdict. Without positives, no gate has an
    answer. `model` is the name of the first model.
    """
    results: dict[str, Any] = {part.name: part.result for part in parts}
    if results["score"] is None:
        if options.fail_below is not None or options.fail_if_lower is not None:
            yield Part(
                "gate",
                "No answer: without positives, AP has no interval.",
                {"passes": None},
            )
        return
    if options.fail_below is not None:
        estimate = results["score"]
        row = [estimate.score, *estimate.confidence_interval(_CONFIDENCE_LEVEL)]
        yield _gate("fail_below", [model], options.fail_below, row)
    if options.fail_if_lower is not None:
        many = results["comparison"]
        low, high = many.confidence_interval(_CONFIDENCE_LEVEL)
        # The comparison subtracts the first model from the others.
        columns = many.pairs, 0 - many.difference, 0 - high, 0 - low
        for (other, _), *row in zip(*columns, strict=True):
            limit = 0 - options.fail_if_lower
            yield _gate("fail_if_lower", [model, other], limit, row)


def _gate(gate: str, models: Sequence[str], limit: float, row: Sequence[float]) -> Part:
    """Return the part about one gate: of the AP of a model, or of the difference of
    two. `row` has the value and its interval, without which the gate has no answer.
    """
    value, low, high = row
    title, is_difference = "AP", len(models) > 1
    if is_difference:
        title = "AP of {} minus {}".format(*models)
    passes: bool | None = bool(high >= limit)
    verdict, relation = "Fails", "significantly"
    if passes:
        verdict, relation = "Passes", "not significantly"
    # All digits that show on which side of the limit a number is.
    decimals = WithInterval(value, low, high, is_difference).decimals
    shown, *endpoints = texts_apart(row, limit, decimals=decimals)
    text = (
        f"{title} is {shown}, {relation} below {limit:.12g} (one-sided test at 0.05, "
        f"so by the 90 % interval {' to '.join(endpoints)}; 95 % intervals are "
        "two-sided)"
    )
    if isnan(high):
        passes, verdict, text = None, "No answer", f"{title} has no interval"
    numbers = {
        "gate": gate,
        "models": models,
        "passes": passes,
        "value": value,
        "low": low,
        "high": high,
        "limit": limit,
        "confidence_level": _CONFIDENCE_LEVEL,
    }
    return Part("gate", f"{verdict}: {text}.", numbers)
