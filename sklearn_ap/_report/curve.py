"""The curve of a report: the drawing, its band, and thresholds to move over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isinf, isnan, nan
from typing import Any

import numpy as np

from .._core.ranking.rankings import OperatingPoints, ratio
from .._core.reading.per_ranking import read_total
from .._core.reading.read import read
from .._core.registry import K
from .._core.rounding import EQUAL
from .._core.typing import AnyArray, FloatArray, IntArray, PassedRows
from .._decisions.conditions import CandidatePoints
from .._decisions.operating_points import points_of
from .._displays.band import band_by_influence
from .._shown.numbers import opposite, part_of, short_threshold
from .._shown.sources import html_text
from .._uncertainty.sample import unit_numbers
from .answer import Question, ScoredRows
from .fields import FirstAnswer, JsonObject
from .sentences import capitalized, prevalence_words, short_share

_WIDTH, _HEIGHT = 1000, 750  # of the chart, which the page stretches
# of precision, where all of it is low
_TOPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
_BEYOND_FIRST = 0.05  # only precisions at this recall or a higher one shrink the axis
Parts = dict[str, str]  # of the page, by the names of its gaps
_N_SMALL_COLUMNS = 60  # of a curve in a table
_MAX_THRESHOLDS = 500
_N_STEPS = 290  # of rows, between the thresholds of each recall and precision
# the recalls and precisions that a page of more thresholds is searched for
_SEARCHED = np.arange(101) / 100
# What the page writes about each threshold, by title, and a note.
Tiles = dict[str, tuple[list[str], str]]


def curve_parts(rows: ScoredRows, question: Question, answer: FirstAnswer) -> Parts:
    """Return the chart next to the thresholds, and the numbers that the script
    shows.
    """
    inputs = PassedRows(rows.y_true, rows.y_score, sample_weight=rows.sample_weight)
    checked = read(inputs, caller="report", as_curve=True)
    total = read_total(rows.counts.all_positives)
    points = points_of(checked, question.prevalence, total)
    # Rows of a query vary together, as those of a unit do, so their influences are
    # added up.
    ids = rows.query_id if rows.unit_id is None else rows.unit_id
    unit = None if ids is None else unit_numbers(ids, checked.score.size)
    recall, low, high, _ = band_by_influence(
        checked,
        OperatingPoints(points.threshold, points.tp, points.retrieved),
        points.n_positives,
        unit,
        at_prevalence=question.prevalence is not None,
    )
    # At the lowest threshold all rows are retrieved: their precision is the prevalence,
    # of the positives that have a row.
    in_rows = float(points.precision[0] * points.recall[0])
    highest = max(float(high[recall >= _BEYOND_FIRST].max(initial=0)), in_rows)
    # the highest precision on the axis
    top = next((top for top in _TOPS if top > highest), 1.0)
    values, tiles = _threshold_columns(points, rows, answer)
    budget = f"A threshold is not a budget per {html_text(rows.counts.query_name)}."
    values |= {"top": top, "texts": [texts for texts, _ in tiles.values()]}
    data = json.dumps(values, allow_nan=False, separators=(",", ":"))
    parts = {
        "at": prevalence_words(question.prevalence),
        "ranking": f"The curve takes all rows as one ranking. {budget}"
        * (rows.query_id is not None),
        "of-model": html_text(of_model(answer)),
        # Steps as those of the curve: what holds at a recall holds down to the recall
        # before.
        "band": _steps(recall, low, top)
        + _steps(np.append(0, recall)[-2::-1], high[::-1], top),
        "prevalence": short_share(in_rows),
        "level": f"{_HEIGHT * (1 - in_rows / top):.1f}",
        **{f"tick-{i}": f"{top * i / 5:.3g}" for i in range(1, 6)},
        # The script replaces what is marked.
        "tiles": "".join(
            f"<div><dt>{html_text(title)}<dd><b data-text>{texts[values['start']]}</b>"
            f"<small>{html_text(note)}</small></div>"
            for title, (texts, note) in tiles.items()
        ),
        # no text in it can end the element, which the script reads
        "data": data.replace("<", "\\u003c"),
    }
    curves = [points]
    for name in rows.others:
        others = checked._replace(score=rows.scores[name])
        curves.append(points_of(others, question.prevalence, total))
    parts["keys"] = "".join(
        f'<li><svg aria-hidden="true">{_model_path(place, "M0 5H26")}</svg>{html_text(name)}</li>'
        for place, name in enumerate(rows.scores)
    )
    # The first curve lies above the others.
    for place, curve in reversed(list(enumerate(curves))):
        line = f"M0 {_steps(*drawn_points(curve), top)[1:]}"
        small = f"M0 {_steps(*drawn_points(curve, _N_SMALL_COLUMNS), 1.0)[1:]}"
        for name, path in {"curves": line, "small-curves": small}.items():
            parts[name] = parts.get(name, "") + _model_path(place, path)
    return parts


def _model_path(place: int, path: str) -> str:
    """Return a curve of a model; from the third one on, each has another colour and
    longer dashes.
    """
    style = ""
    if place > 1:
        # Hues a golden angle apart are all different.
        hue = (25 + 137.5 * (place - 1)) % 360
        dash = 6 * place
        style = f' style="stroke:hsl({hue:g} 65% 45%);stroke-dasharray:{dash} 4"'
    return f'<path class="{"second" if place else "first"}" d="{path}"{style}/>'


def of_model(answer: FirstAnswer) -> str:
    """Return whose numbers these are, if there are those of another model."""
    return f" of {answer.model}" * bool(answer.comparisons)


def _steps(recall: FloatArray, precision: FloatArray, top: float) -> str:
    """Return the path of a curve, whose steps average precision adds up."""
    points = zip(_WIDTH * recall, _HEIGHT * (1 - precision / top), strict=True)
    return "".join(f"V{y:.1f}H{x:.1f}" for x, y in points)


def drawn_points(
    points: CandidatePoints, n_columns: int = 600
) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision of the first, last, lowest and highest point of each
    column, so that no point lies further than a column from the drawing.
    """
    recall = points.recall[::-1]
    precision = points.precision[::-1]
    column = (recall * n_columns).astype(np.int64)
    begins = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    # The place in the low bits says where the least and the greatest precision of a
    # column are.
    key = (precision * 2.0**30).astype(np.int64) << 32 | np.arange(precision.size)
    extremes = [
        reduce(key, begins) & (2**32 - 1)
        for reduce in (np.minimum.reduceat, np.maximum.reduceat)
    ]
    drawn = np.unique(
        np.concatenate([begins, begins[1:] - 1, [precision.size - 1], *extremes])
    )
    return recall[drawn], precision[drawn]


def _thresholds_to_show(points: CandidatePoints, start: int) -> IntArray:
    """Return the places of at most 500 thresholds, lowest first.

    They are the first to show, the best threshold of each recall and of each precision
    in steps of .01, which a search names, and some in steps of a constant ratio of rows.
    """
    n_points = points.threshold.size
    if n_points <= _MAX_THRESHOLDS:
        return np.arange(n_points)
    best = np.maximum.accumulate(points.precision)
    falling = -points.recall
    # thresholds that have each recall
    n_reaching = np.searchsorted(falling, -_SEARCHED, side="right")
    of_recall = np.searchsorted(best, best[n_reaching[n_reaching > 0] - 1])
    of_precision = np.searchsorted(best, _SEARCHED[best[-1] >= _SEARCHED])
    # Of the thresholds with one recall, the highest retrieves the fewest rows.
    of_precision = np.searchsorted(falling, falling[of_precision], side="right") - 1
    rows = np.geomspace(points.rows[-1], points.rows[0], _N_STEPS) * (1 + EQUAL)
    steps = n_points - np.searchsorted(points.rows[::-1], rows, side="right")
    return np.unique(np.concatenate([[start], of_recall, of_precision, steps]))


def _threshold_columns(
    points: CandidatePoints, rows: ScoredRows, answer: FirstAnswer
) -> tuple[JsonObject, Tiles]:
    """Return the numbers of each threshold to show, highest first, and their tiles."""
    counts = answer.counts
    cut = answer.cut
    # The page opens at the budget, of all queries together.
    budget = K * (counts.queries or 1)
    if cut:
        budget = cut.totals.n_retrieved if cut.totals else cut.rows or 0
    start = points.rows.size - max(
        int(np.searchsorted(points.rows[::-1], budget, side="right")), 1
    )
    places = _thresholds_to_show(points, start)[::-1]
    names = "threshold", "rows", "precision", "recall"
    columns = {name: getattr(points, name)[places] for name in names}
    short, below = _words_of_thresholds(columns["threshold"], rows.y_score)
    if counts.lower_is_better:
        short = list(map(opposite, short))
    n_negatives = np.full(places.size, points.n_negatives)
    true_negatives = n_negatives - points.alarms[places]
    shares = {
        "specificity": ratio(true_negatives, n_negatives, nan),
        "negative_predictive_value": ratio(
            true_negatives, true_negatives + points.n_positives - points.tp[places], nan
        ),
    }
    tiles = _tiles_of({**columns, **shares, "short": short}, rows, answer)
    numbers = {name: column.astype(float).tolist() for name, column in columns.items()}
    return {
        **numbers,
        "below": below,
        "sign": counts.sign,
        "start": places.tolist().index(start),
        "total": counts.rows,
    }, tiles


def _tiles_of(
    columns: Mapping[str, Any], scored: ScoredRows, answer: FirstAnswer
) -> Tiles:
    """Return what the page writes about each threshold: a number, and a note below
    it.
    """
    # The number of the first threshold, highest first, at or above which each row lies.
    counts = answer.counts
    rows = columns["rows"]
    first = rows.size - np.searchsorted(
        columns["threshold"][::-1], scored.y_score, side="right"
    )
    limit = "most" if counts.lower_is_better else "least"
    tiles: Tiles = {f"Retrieve rows that score at {limit}": (columns["short"], "")}
    tiles["Rows"] = [part_of(n_rows) for n_rows in rows], f"of {counts.rows:,}"
    if counts.queries:
        per_query = [f"{count:,.1f}" for count in rows / counts.queries]
        tiles[f"Rows per {counts.query_name}"] = per_query, "on average"
    weighted = counts.basis
    both_classes = weighted._replace(prevalence=answer.prevalence)
    for name, of, basis in (
        ("precision", "the rows retrieved that is positive", both_classes),
        ("recall", "all positives that is found", weighted),
        ("specificity", "all negatives that is left out", weighted),
        (
            "negative_predictive_value",
            "the rows left out that is negative",
            both_classes,
        ),
    ):
        texts = ["-" if isnan(x) else short_share(x) for x in columns[name].tolist()]
        title = capitalized(name.replace("_", " "))
        tiles[title] = texts, f"share of {of}{basis.clause}"
    weight: Any = 1.0 if scored.sample_weight is None else scored.sample_weight
    found: dict[str, tuple[Any, float]] = {"Positives found": (1.0, counts.total)}
    if counts.weight:
        found["Positives found"] = 1.0, counts.positives
        found[f"{counts.weight_name} of positives found"] = weight, counts.total
    if counts.amount and scored.amount is not None:
        amount = scored.amount * weight, counts.amount.positives
        found[f"{counts.amount_name} of positives found"] = amount
    for title, (of_row, whole) in found.items():
        sums = np.cumsum(np.bincount(first, scored.y_true * of_row, rows.size + 1))
        texts = [part_of(value) for value in sums[:-1]]
        tiles[capitalized(title)] = texts, f"of {part_of(whole)}"
    return tiles


def _words_of_thresholds(
    thresholds: AnyArray, scores: AnyArray
) -> tuple[list[str], list[float | None]]:
    """Return thresholds as short texts that retrieve the same rows, and the next scores
    below.
    """
    distinct = np.unique(scores)
    place = np.searchsorted(distinct, thresholds)
    below = [distinct[i - 1].item() if i else -np.inf for i in place]
    pairs = zip(thresholds.tolist(), below, strict=True)
    short = [short_threshold(value, under, distinct.dtype) for value, under in pairs]
    return short, [None if isinf(value) else float(value) for value in below]
