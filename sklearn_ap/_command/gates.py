"""Gates: parts that pass or fail a build.

A gate is an interval. The upper endpoint of a 90 % interval is that of a one-sided test
at .05, so a gate fails if the whole interval lies below the limit.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from math import isnan
from typing import Any

from .._report.answer import Part
from .._shown.numbers import text_apart

_CONFIDENCE_LEVEL = 0.9


def gate_parts(parts: Iterable[Part], options: Namespace) -> Iterator[Part]:
    """Yield a part for each gate, with its verdict. Without positives, no gate has an
    answer.
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
        low, high = results["score"].confidence_interval(_CONFIDENCE_LEVEL)
        yield _gate("AP", low, high, options.fail_below)
    if options.fail_if_lower is not None:
        many = results["comparison"]
        endpoints = many.confidence_interval(_CONFIDENCE_LEVEL)
        for (model, other), low, high in zip(many.pairs, *endpoints, strict=True):
            name = f"AP of {model} minus {other}"
            yield _gate(name, low, high, 0 - options.fail_if_lower)


def _gate(name: str, low: float, high: float, limit: float) -> Part:
    """Return the part about one gate. Without an interval, it has no answer."""
    passes: bool | None = bool(high >= limit)
    verdict = "Passes" if passes else "Fails"
    text = (
        f"the 90 % interval of {name} is {low:.4g} to {text_apart(high, limit)}; the "
        f"limit is {limit:.12g}"
    )
    if isnan(high):
        passes, verdict, text = None, "No answer", f"{name} has no interval"
    numbers = {
        "passes": passes,
        "low": low,
        "high": high,
        "limit": limit,
        "confidence_level": _CONFIDENCE_LEVEL,
    }
    return Part("gate", f"{verdict}: {text}.", numbers)
