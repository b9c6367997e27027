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
    """Yield a part for each gate, with its verdict."""
    results: dict[str, Any] = {part.name: part.result for part in parts}
    estimate, many = results["score"], results.get("comparison")
    if options.fail_below is not None:
        interval = None
        if estimate is not None:
            interval = estimate.confidence_interval(_CONFIDENCE_LEVEL)
        yield _gate("AP", interval, options.fail_below)
    if options.fail_if_lower is None:
        return
    limit = -options.fail_if_lower
    if many is None:
        yield _gate("The difference", None, limit)
        return
    lows, highs = many.confidence_interval(_CONFIDENCE_LEVEL)
    for (other, model), low, high in zip(many.pairs, lows, highs, strict=True):
        # The differences are those of the other model minus this one.
        yield _gate(f"AP of {model} minus {other}", (-high, -low), limit)


def _gate(name: str, interval: tuple[float, float] | None, limit: float) -> Part:
    """Return the part about one gate. Without an interval, it has no answer."""
    # Adding 0.0 changes -0.0 to 0.0.
    numbers = {"limit": limit + 0.0, "confidence_level": _CONFIDENCE_LEVEL}
    if interval is None or isnan(interval[1]):
        text = f"No answer: {name} has no interval."
        return Part("gate", text, {"verdict": "No answer"} | numbers)
    low, high = map(float, interval)
    verdict = "Fails" if high < limit else "Passes"
    text = (
        f"{verdict}: the 90 % interval of {name} is {low:.4g} to "
        f"{text_apart(high, limit)}; the limit is {numbers['limit']:.12g}."
    )
    return Part("gate", text, {"verdict": verdict, "low": low, "high": high} | numbers)
