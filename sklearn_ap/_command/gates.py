"""Gates: parts that pass or fail a build.

Each endpoint of a 90 % interval is that of a one-sided test at .05. So the gate of a
score fails if the whole interval lies below the limit, and that of a difference from
the first model if it lies above the limit.
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
    if options.fail_below is None and options.fail_if_lower is None:
        return
    results: dict[str, Any] = {part.name: part.result for part in parts}
    if results["score"] is None:
        text = "No answer: without positives, AP has no interval."
        yield Part("gate", text, {"passes": None})
        return
    if options.fail_below is not None:
        estimate = results["score"]
        interval = estimate.confidence_interval(_CONFIDENCE_LEVEL)
        score = WithInterval(estimate.score, *interval)
        yield _gate("fail_below", [model], options.fail_below, score)
    if options.fail_if_lower is not None:
        many = results["comparison"]
        interval = many.confidence_interval(_CONFIDENCE_LEVEL)
        rows = zip(many.pairs, many.difference, *interval, strict=True)
        for pair, value, low, high in rows:
            difference = WithInterval(value, low, high, is_difference=True)
            yield _gate("fail_if_lower", pair, options.fail_if_lower, difference)


def _gate(gate: str, models: Sequence[str], limit: float, number: WithInterval) -> Part:
    """Return the part about one gate: of the AP of a model, or of the difference of
    another model from it. Without an interval, it has no answer.
    """
    title, side, passes = "AP", "below", number.high >= limit
    if number.is_difference:
        title, side = "AP of {} minus {}".format(*models), "above"
        passes = number.low <= limit
    has_answer = not isnan(number.high)
    text = f"No answer: {title} has no interval."
    if has_answer:
        verdict, relation = "Fails", "significantly"
        if passes:
            verdict, relation = "Passes", "not significantly"
        # All digits that show on which side of the limit a number is.
        shown, *endpoints = texts_apart(
            (number.value, number.low, number.high), limit, decimals=number.decimals
        )
        text = (
            f"{verdict}: {title} is {shown}, 90 % interval {' to '.join(endpoints)}, "
            f"{relation} {side} {limit:.12g} (one-sided test at 0.05)."
        )
    numbers = {
        "gate": gate,
        "models": models,
        "passes": bool(passes) if has_answer else None,
        "value": number.value,
        "low": number.low,
        "high": number.high,
        "limit": limit,
        "confidence_level": _CONFIDENCE_LEVEL,
    }
    return Part("gate", text, numbers)
