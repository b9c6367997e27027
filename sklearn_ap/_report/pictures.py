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

# Labels below an upright picture are apart by this share of its width, at least.
_LEAST_DISTANCE = 0.2
# The lines of an upright picture have places on a scale, unless this needs more than
# this number of places per line.
_MAX_PLACES = 4


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
        f'<li class="tick" style="--x:{x + axis.width / 2:.5f}">{html_text(label)}</li>'
        for x, label in axis.ticks
    ]
    if not axis.ticks:
        ends = dots[0].name, dots[-1].name
        items += [f'<li class="end">{html_text(name)}</li>' for name in ends]
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
    # Places of the lines that have a label, and the labels.
    ticks: list[tuple[float, str]]


def _axis_of(names: Sequence[str]) -> _Axis:
    """Return the axis of names: a scale of days or of numbers, with a gap where some
    are missing. Other names, and a scale that would mostly consist of gaps, have one place
    after the other, without labels.
    """
    key = order_of(names)
    values = [key(name) for name in names]
    days = [value for value in values if isinstance(value, datetime)]
    numbers = [float(day.toordinal()) for day in days]
    numbers += [value for value in values if isinstance(value, float)]
    step = float(min(np.diff(numbers), default=0))
    n_places = 1 + round((numbers[-1] - numbers[0]) / step) if step > 0 else 0
    if not 0 < n_places <= _MAX_PLACES * len(names):
        width = 1 / len(names)
        return _Axis([place * width for place in range(len(names))], width, [])
    labels = _months(days) if days else _round_numbers(numbers[0], numbers[-1])
    # So many labels that they do not touch, from the last one back: the first one may
    # be that of a part of a month.
    span = step * n_places
    every = ceil(
        _LEAST_DISTANCE * span * (len(labels) - 1) / (numbers[-1] - numbers[0])
    )
    ticks = labels[:: -max(every, 1)]
    if len(ticks) > 1 and ticks[-2][0] - ticks[-1][0] < _LEAST_DISTANCE * span:
        del ticks[-1]
    return _Axis(
        [(number - numbers[0]) / span for number in numbers],
        1 / n_places,
        [((number - numbers[0]) / span, label) for number, label in ticks],
    )


def _months(days: Sequence[datetime]) -> list[tuple[float, str]]:
    """Return the first of the days in each month, as a number, and the month."""
    firsts = dict[str, float]()
    for day in days:
        firsts.setdefault(f"{day:%Y-%m}", float(day.toordinal()))
    return [(number, month) for month, number in firsts.items()]


def _round_numbers(first: float, last: float) -> list[tuple[float, str]]:
    """Return the multiples of a power of ten between two numbers, at least two."""
    power = 10.0 ** floor(log10((last - first) / 2))
    multiples = range(ceil(first / power), floor(last / power) + 1)
    return [(n * power, f"{n * power:.10g}") for n in multiples]
