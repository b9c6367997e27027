"""The curve of a report: the drawing, its band, and the thresholds of the slider."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from .._core.ranking.rankings import ratio
from .._core.reading.per_ranking import read_total
from .._core.registry import K
from .._core.typing import FloatArray, IntArray
from .._decisions.conditions import CandidatePoints
from .._shown.numbers import (
    count_text,
    opposite,
    plural,
    short_share,
    short_threshold,
)
from .._shown.sources import html_name
from .._uncertainty.bands import band_by_influence
from .._uncertainty.sample import unit_numbers
from .fields import FirstAnswer
from .scored_rows import ScoredRows
from .sentences import capitalized

# Width and height of the chart in its own coordinates. The page stretches the chart.
_WIDTH, _HEIGHT = 1000, 750
# The precision axis ends at one of these values: below 1 if all precisions are low.
_TOPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
# The axis may cut off precisions at recalls below this value, because few rows
# determine these precisions.
_BEYOND_FIRST = 0.05
# If there are more than `_MAX_THRESHOLDS`, the slider has a threshold for each number
# of rows up to `_N_EACH`, and then for numbers of rows in larger and larger steps.
_N_EACH = 100
_MAX_THRESHOLDS = 500
# The page has styles for this number of curves.
_N_STYLES = 8
# If fewer queries are drawn than this number, the band is wide.
_FEW_DRAWN = 20
# Parts of the page by the names of the gaps in a template that they fill.
Parts = dict[str, str]


class _Tile(NamedTuple):
    """A number that the page shows for each threshold, with a note below it."""

    title: str
    texts: list[str]
    note: str = ""


def curve_parts(rows: ScoredRows, answer: FirstAnswer) -> Parts:
    """Return the chart, the thresholds next to it, and the numbers for the script."""
    total = read_total(rows.counts.all_positives)
    names = [*rows.scores][:_N_STYLES]
    curves = [
        CandidatePoints(
            rows.of_models[name].as_one_ranking.checked, answer.prevalence, total
        )
        for name in names
    ]
    first_curve = curves[0]
    return {
        **_band_parts(rows, curves),
        **_threshold_parts(rows, first_curve, answer),
        "basis": html_name(answer.basis.clause),
        # The first point has the lowest threshold, which retrieves all rows.
        "chance": _chance_words(answer, float(first_curve.precision[0])),
        "ranking": _ranking_words(rows, answer),
        # If there are several models, the thresholds are those of the first model.
        "of-model": html_name(f" of {answer.model}") if answer.comparisons else "",
        "keys": _legend(names, [*rows.scores][_N_STYLES:]),
    }


def _ranking_words(rows: ScoredRows, answer: FirstAnswer) -> str:
    """Return the sentences that the curve takes the rows of all queries as one ranking,
    and why its band is wide if it draws few queries; empty without queries.
    """
    if rows.query_id is None:
        return ""
    name = rows.counts.query_name
    text = "The curve takes all rows as one ranking. A threshold is not a budget "
    text += f"per {name}."
    n_drawn = (rows.counts.queries or 0) - rows.counts.queries_without_rows
    if rows.unit_id is None and n_drawn < _FEW_DRAWN:
        queries = plural(name)
        advice = answer._words("pass unit_id, a column of customers or other units")
        text += (
            f" The band is wide because it draws whole {queries}, and there are only "
            f"{n_drawn}. If every sample has the same {queries}, {advice}: the band "
            "then draws these."
        )
    return html_name(text)


def _legend(names: Sequence[str], without: Sequence[str]) -> str:
    """Return the legend: the line and the name of each curve, and the names of models
    without a curve.
    """
    items = [
        f'<li><span data-curve="m{place}"><svg aria-hidden="true">'
        f"{_model_path(place, 'M0 5H26')}</svg>{html_name(name)}</span></li>"
        for place, name in enumerate(names)
    ]
    if without:
        items.append(f"<li>without a curve: {html_name(', '.join(without))}</li>")
    return "".join(items)


def _threshold_parts(
    rows: ScoredRows, points: CandidatePoints, answer: FirstAnswer
) -> Parts:
    """Return the thresholds of the slider: their tiles, and the data of the script."""
    # The page first shows the threshold that retrieves the first of these numbers of
    # rows: those of the budgets, else of the first condition, else K rows per query.
    n_rows = [hits.rows for hits in answer.cuts]
    n_rows += [
        chosen.threshold.n_retrieved for chosen in answer.thresholds if chosen.threshold
    ]
    n_rows.append(K * (answer.counts.queries or 1))
    places, start = _shown_thresholds(points, n_rows)
    tiles = [*_tiles_of(points, places, rows, answer)]
    data: dict[str, Any] = {
        name: getattr(points, name)[places].astype(float).tolist()
        for name in ("threshold", "rows", "precision", "recall")
    }
    data |= {
        "texts": [tile.texts for tile in tiles],
        "sign": rows.counts.sign,
        "start": start,
        "isPart": len(places) < points.threshold.size,
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return {
        "spot": "".join(
            f"--{name}:{data[name][start]};" for name in ("recall", "precision")
        ),
        # The script replaces the text of each element that has `data-text`.
        "tiles": "".join(
            f"<div><dt>{html_name(tile.title)}<dd><b data-text>{tile.texts[start]}</b>"
            f"<small>{html_name(tile.note)}</small></div>"
            for tile in tiles
        ),
        # Without `<`, no text in the data can end the element that contains it.
        "data": text.replace("<", "\\u003c"),
    }


def _chance_words(answer: FirstAnswer, in_rows: float) -> str:
    """Return a clause that explains why the chance level differs from the precision of
    all rows; empty if both have the same text, or if the chance level is unknown.
    """
    chance = short_share(answer.chance)
    if chance in ("nan", short_share(in_rows)):
        return ""
    return (
        f"; random orders have another mean AP, {chance}, because AP averages the "
        "precision at positives only"
    )


def _band_parts(
    rows: ScoredRows,
    curves: list[CandidatePoints],
) -> Parts:
    """Return the curve of each model, the band of the first model, and the axis."""
    points = curves[0]
    # The band adds up the influences of rows that are sampled together: the rows of a
    # unit or, without units, the rows of a query.
    rows = rows.as_one_ranking
    recall, low, high, _ = band_by_influence(
        rows.checked,
        points.points,
        points.n_positives,
        unit_numbers(rows.unit_id, rows.checked),
    )
    # The lowest threshold retrieves all rows.
    in_rows = float(points.precision[0])
    drawn = [(recall, high), *((curve.recall, curve.precision) for curve in curves)]
    highest = max(in_rows, *(y[x >= _BEYOND_FIRST].max(initial=0) for x, y in drawn))
    top = next((top for top in _TOPS if top > highest), 1.0)
    # A path must begin with a move, so "M0 " replaces the V of the first height.
    lines = [
        _model_path(place, f"M0 {_steps(*_drawn_points(curve), top)[1:]}")
        for place, curve in enumerate(curves)
    ]
    # The band has steps, as the curve has: the limits at a recall also apply to lower
    # recalls, down to the next lower recall of the curve. The path of the lower limit
    # goes forward, so each step ends at its recall. The path of the upper limit goes
    # back, so each step ends at the next lower recall.
    next_lower = np.append(0, recall)[:-1]
    back = _steps(next_lower[::-1], high[::-1], top)
    return {
        "top": f"{top:g}",
        # SVG draws later paths over earlier paths, so the path of the first model is
        # the last.
        "curves": "".join(reversed(lines)),
        "band": _steps(recall, low, top) + back,
        "prevalence": short_share(in_rows),
        "level": f"{_HEIGHT * (1 - in_rows / top):.1f}",
        **{f"tick-{i}": f"{top * i / 5:.3g}" for i in range(1, 6)},
    }


def _model_path(place: int, path: str) -> str:
    """Return the SVG path of a model, with the class that sets its colour and dashes."""
    return f'<path class="m{place}" d="{path}"/>'


def _steps(recall: FloatArray, precision: FloatArray, top: float) -> str:
    """Return the path of a curve in steps: for each point, first vertical to its
    precision, then horizontal to its recall. AP is the area below this path.
    """
    points = zip(_WIDTH * recall, _HEIGHT * (1 - precision / top), strict=True)
    return "".join([f"V{y:.1f}H{x:.1f}" for x, y in points])


def _drawn_points(points: CandidatePoints) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision of the points to draw: the first and the last point
    in each thousandth of recall, because the chart cannot show more points.
    """
    recall = points.recall[::-1]
    thousandth = (recall * _WIDTH).astype(np.int64)
    is_first = np.diff(thousandth, prepend=-1) != 0
    is_last = np.diff(thousandth, append=-1) != 0
    drawn = np.flatnonzero(is_first | is_last)
    return recall[drawn], points.precision[::-1][drawn]


def _shown_thresholds(
    points: CandidatePoints, asked: Sequence[int]
) -> tuple[IntArray, int]:
    """Return the places in `points` of at most about 500 thresholds, highest first, and
    the index of the threshold for the first number of rows in `asked`.

    If `points` has more than 500 thresholds, the places are those of the best threshold
    for each 1 % of recall and of precision, for each number of rows in `asked`, for
    each number of rows up to 100, and for larger numbers in steps of a constant ratio.
    """
    n_rows = points.rows[::-1]
    # The numbers of rows up to 100, the levels of recall and the levels of precision
    # take up to 100 places each.
    n_larger = _MAX_THRESHOLDS - 3 * _N_EACH
    larger = np.geomspace(_N_EACH, n_rows[-1], n_larger)
    wanted = np.concatenate([asked, np.arange(1, _N_EACH), larger])
    # Equal scores are retrieved together, so the threshold for a number of rows may
    # retrieve fewer rows.
    of_rows = (np.searchsorted(n_rows, wanted, side="right") - 1).clip(0)
    if n_rows.size <= _MAX_THRESHOLDS:
        shown = np.arange(n_rows.size)
    else:
        levels = np.arange(1, _N_EACH + 1) / _N_EACH
        of_levels = n_rows.size - 1 - points.best_of_levels(levels)
        shown = np.union1d(of_rows, of_levels)
    start = int(np.searchsorted(shown, of_rows[0]))
    # The points have the lowest threshold first.
    return n_rows.size - 1 - shown, start


def _tiles_of(
    points: CandidatePoints, places: IntArray, scored: ScoredRows, answer: FirstAnswer
) -> Iterator[_Tile]:
    """Yield the numbers that the page shows for the thresholds at `places`."""
    counts = answer.counts
    rows = points.rows[places]
    thresholds = points.threshold.tolist()
    # A threshold with fewer digits must be above the next lower score, to retrieve the
    # same rows.
    lower = [-inf, *thresholds]
    short = [
        short_threshold(thresholds[place], lower[place], points.threshold.dtype)
        for place in places
    ]
    limit = "least"
    if counts.lower_is_better:
        short = list(map(opposite, short))
        limit = "most"
    yield _Tile(f"Retrieve rows that score at {limit}", short)
    yield _Tile("Rows", _texts_of(rows, count_text), f"of {counts.rows:,}")
    if counts.queries:
        per_query = [f"{count:,.1f}" for count in rows / counts.queries]
        yield _Tile(f"Rows per {counts.query_name}", per_query, "on average")
    for title, shares, whole in _shares_of(points, answer):
        texts = _texts_of(shares[places], short_share)
        yield _Tile(title, texts, f"share of {whole}")
    for name, sums, in_all in _sums_found(points, scored):
        title = capitalized(f"{name}positives found")
        texts = _texts_of(sums[places], count_text)
        yield _Tile(title, texts, f"of {count_text(in_all)}")


def _texts_of(values: FloatArray, text_of: Callable[[float], str]) -> list[str]:
    """Return the text of each number, and "-" for NaN. Equal numbers, such as the
    recalls between two positives, are written once.
    """
    distinct, place = np.unique(values, return_inverse=True)
    texts = ["-" if isnan(value) else text_of(value) for value in distinct.tolist()]
    return [texts[i] for i in place]


def _shares_of(
    points: CandidatePoints, answer: FirstAnswer
) -> Iterator[tuple[str, FloatArray, str]]:
    """Yield precision, recall and specificity of all thresholds: the name, the values,
    and the words that complete the note "share of ...".

    The output of a detector has no true negatives, so it has no specificity.
    """
    counts = answer.counts
    # Only precision depends on the prevalence.
    of_class = counts.basis.clause
    of_both = answer.basis.clause
    yield "Precision", points.precision, f"the rows retrieved that is positive{of_both}"
    yield "Recall", points.recall, f"all positives that is found{of_class}"
    if counts.are_emitted:
        return
    not_retrieved = points.n_negatives - points.fp
    negatives = np.full(not_retrieved.size, points.n_negatives)
    shares = ratio(not_retrieved, negatives, nan)
    yield "Specificity", shares, f"all negatives that is not retrieved{of_class}"


def _sums_found(
    points: CandidatePoints, scored: ScoredRows
) -> Iterator[tuple[str, FloatArray, float]]:
    """Yield the number or the weight of the positives that each threshold finds, and
    then their amount if rows have amounts.

    Each item has the beginning of the title, the values of all thresholds, and the
    total.
    """
    counts = scored.counts
    of_what = f"{counts.weight_name} of " if counts.weight else ""
    yield of_what, points.tp, counts.total
    amount = scored.weighted_amount
    if amount is not None and counts.amount:
        place = np.searchsorted(points.threshold, scored.y_score)
        of_place = np.bincount(place, amount * scored.y_true, points.threshold.size)
        at_or_above = of_place[::-1].cumsum()[::-1]
        yield f"{counts.amount_name} of ", at_or_above, counts.amount.positives
