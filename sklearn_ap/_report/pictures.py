"""Pictures of a report: the scores and the amounts of classes or queries, as dots on
lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from math import ceil, floor, isnan, log10, nan
from typing import Any, NamedTuple

import numpy as np

from .._decisions.wording import budget_in_words
from .._shown.numbers import count_words, part_of, short_share
from .._shown.orders import order_of
from .._shown.sources import html_name, html_text
from .fields import FirstAnswer
from .sentences import MAX_LINES, model_clause

# An upright picture has at most this number of labels below it.
_MAX_TICKS = 6
# The lines of an upright picture have places on a scale, unless this needs more than
# this number of places per line.
_MAX_PLACES = 4
# Labels of months are one of these numbers of months apart.
_MONTHS = (1, 2, 3, 6, *(12 * n * 10**m for m in range(4) for n in (1, 2, 5)))


def pictures_of(answer: FirstAnswer) -> Iterator[tuple[str, str]]:
    """Yield the title and the HTML of each picture of classes or queries; none if no
    class or query has an answer of its own.
    """
    parts: list[Any] = [part for part in answer.classes if part.score]
    if not parts:
        return
    of_model = model_clause(answer)
    counts = answer.counts
    title = f"AP{of_model} per {counts.query_name}{answer.basis.clause}, with its 95 %"
    dots = [_dot_of_score(part) for part in parts]
    mean = answer.score.value if answer.score and len(parts) > MAX_LINES else nan
    and_mean = "" if isnan(mean) else ", and MAP (line)"
    yield f"{title} interval{and_mean}", _picture(dots, mean)
    if answer.cut and counts.amount:
        title = (
            f"Positives per {counts.query_name}, by {counts.amount_name}"
            f"{counts.basis.clause}: in all (lines) and found in "
            f"{budget_in_words(answer.cut.k)}{of_model} (dots)"
        )
        yield title, _picture([_dot_of_amount(part) for part in parts if part.cut])


class _Dot(NamedTuple):
    """A dot on the line of a picture."""

    name: str
    # The values at the start and the end of the line, and at the dot.
    low: float
    high: float
    at: float
    # The value at the dot, in words.
    text: str


def _dot_of_score(part: Any) -> _Dot:
    """Return the score of a class or query on its interval."""
    score = part.score
    positives = count_words("positive", part.counts.positives)
    text = f"{short_share(score.value)}, {positives}"
    return _Dot(part.name, score.low, score.high, score.value, text)


def _dot_of_amount(part: Any) -> _Dot:
    """Return the amount of the positives of a class or query, and the amount that the
    budget finds.
    """
    found, in_all = part.cut.amount_found, part.counts.amount.positives
    return _Dot(part.name, 0, in_all, found, part_of(found, in_all))


def _picture(dots: Sequence[_Dot], mean: float = nan) -> str:
    """Return a picture with a line for each name, and a dot on each line.

    If there are more than `MAX_LINES` lines, they are upright, side by side, with a
    line at `mean`. Then no table has all values, so a list below the picture has them.
    """
    # Endpoints may be NaN. No number is less than NaN, so `max`, which begins with 1,
    # never returns NaN.
    most = max([1, *(dot.high for dot in dots)])
    places = [
        f"--low:{dot.low / most};--high:{dot.high / most};--at:{dot.at / most}"
        for dot in dots
    ]
    if len(dots) > MAX_LINES:
        return _upright_picture(dots, places, most, mean / most)
    items = [
        f'<li title="{html_text(f"{dot.name}: {dot.text}")}">'
        f"<span>{html_name(dot.name)}<small>: {dot.text}</small></span>"
        f'<i style="{place}"><b></b></i></li>'
        for dot, place in zip(dots, places, strict=True)
    ]
    # A table has the same values.
    kind = 'class="dots" aria-hidden="true"'
    return f'<ul {kind} data-most="{most:,.4g}">{"".join(items)}</ul>'


def _upright_picture(
    dots: Sequence[_Dot], places: Sequence[str], most: float, mean: float
) -> str:
    """Return a picture of upright lines, with ticks below it, and a list of its values.

    `places` has the style of each line, and `mean` the height of the line at the mean.
    """
    axis = _axis_of([dot.name for dot in dots])
    items = [
        f'<li title="{html_text(f"{dot.name}: {dot.text}")}" style="--x:{x:.5f}">'
        f'<i style="{place}"><b></b></i></li>'
        for dot, place, x in zip(dots, places, axis.places, strict=True)
    ]
    items += [
        f'<li class="tick" style="--x:{x:.5f}">{html_text(label)}</li>'
        for x, label in axis.ticks
    ]
    style = f"--w:{axis.width:.5f}"
    if not isnan(mean):
        style += f";--mean:{mean}"
    listed = "".join(
        f"<li>{html_name(dot.name)}: {html_text(dot.text)}</li>" for dot in dots
    )
    return (
        f'<ul class="dots many" role="presentation" data-most="{most:,.4g}" '
        f'style="{style}">{"".join(items)}</ul>'
        f'<details><summary>All values</summary><ul class="values">{listed}</ul>'
        "</details>"
    )


class _Axis(NamedTuple):
    """The places of upright lines, as shares of the width of the picture."""

    # The left end of each line, and the width of all.
    places: list[float]
    width: float
    # Places of labels, and the labels.
    ticks: list[tuple[float, str]]


def _axis_of(names: Sequence[str]) -> _Axis:
    """Return the axis of names: a scale of days or of numbers, with a gap where some are
    missing. Other names, and a scale that would mostly consist of gaps, have one place
    after the other.
    """
    key = order_of(names)
    values = [key(name) for name in names]
    days = [value for value in values if isinstance(value, datetime)]
    numbers = [float(value.toordinal()) for value in days]
    numbers += [value for value in values if isinstance(value, float)]
    step = float(min(np.diff(numbers), default=0))
    n_places = 1 + round((numbers[-1] - numbers[0]) / step) if step > 0 else 0
    ticks = []
    if not 0 < n_places <= _MAX_PLACES * len(names):
        numbers, step, n_places = [float(i) for i in range(len(names))], 1.0, len(names)
    elif days:
        ticks = _starts_of_months(days[0], days[-1])
    else:
        ticks = _round_numbers(numbers[0], numbers[-1])
    if len(ticks) < 2:
        ticks = [(numbers[0], names[0]), (numbers[-1], names[-1])]

    def place_of(number: float) -> float:
        return float((number - numbers[0]) / (step * n_places))

    return _Axis(
        list(map(place_of, numbers)),
        1 / n_places,
        [(place_of(number), label) for number, label in ticks],
    )


def _starts_of_months(first: datetime, last: datetime) -> list[tuple[float, str]]:
    """Return the first days of months, as numbers, and the months: at most
    `_MAX_TICKS` after `first`, in steps that divide or multiply a year.
    """
    of_first, of_last = (12 * day.year + day.month - 1 for day in (first, last))
    n_months = of_last - of_first
    step = next(step for step in _MONTHS if n_months <= step * _MAX_TICKS)
    months = range(of_first + 1, of_last + 1)
    starts = [datetime(n // 12, n % 12 + 1, 1) for n in months if n % step == 0]
    return [(start.toordinal(), f"{start:%Y-%m}") for start in starts]


def _round_numbers(first: float, last: float) -> list[tuple[float, str]]:
    """Return at most `_MAX_TICKS` + 1 round numbers between two numbers, as texts, too."""
    power = 10.0 ** floor(log10((last - first) / _MAX_TICKS))
    [step, *_] = [
        power * factor
        for factor in (1, 2, 5, 10)
        if last - first <= power * factor * _MAX_TICKS
    ]
    multiples = range(ceil(first / step), floor(last / step) + 1)
    return [(step * n, f"{step * n:.10g}") for n in multiples]
