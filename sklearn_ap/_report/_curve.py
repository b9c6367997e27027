"""The curve of a report: points to draw, and thresholds to move over."""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf, isnan, nan
from typing import Any

import numpy as np

from .._answer._fields import Counts, FirstAnswer, JsonObject
from .._answer._sentences import capitalized, short_share
from .._points._conditions import CandidatePoints
from .._ranking._rankings import ratio
from .._registry import K
from .._rounding import EQUAL, opposite, part_of, short_threshold
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._uncertainty._sample import unit_numbers

_MAX_THRESHOLDS = 400
# the recalls and precisions that a page of more thresholds is searched for
SEARCHED = np.arange(101) / 100
# What the page writes about each threshold, by title: a number, and a note, which may
# be the same for all.
Tiles = dict[str, tuple[list[str], list[str] | str]]
_N_COLUMNS = 600  # of a drawing, so that no point lies further than 1/600 from it


def drawn_points(points: CandidatePoints) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision of the first, last, lowest and highest point of each
    column.
    """
    recall = points.recall[::-1]
    precision = points.precision[::-1]
    column = (recall * _N_COLUMNS).astype(np.int64)
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


def _thresholds_to_show(points: CandidatePoints, required: IntArray) -> IntArray:
    """Return the places of at most 400 thresholds, lowest first.

    They are the best threshold of each recall and of each precision in steps of .01,
    which a search names, thresholds in even steps of recall, and thresholds in steps of
    a constant ratio of rows.
    """
    n_points = points.threshold.size
    if n_points <= _MAX_THRESHOLDS:
        return np.arange(n_points)
    # lowest threshold first
    best, falling = (
        np.maximum.accumulate(points.precision),
        -points.recall,
    )
    # thresholds that have each recall
    n_reaching = np.searchsorted(falling, -SEARCHED, side="right")
    of_recall = np.searchsorted(best, best[n_reaching[n_reaching > 0] - 1])
    of_precision = np.searchsorted(best, SEARCHED[best[-1] >= SEARCHED])
    # Of the thresholds with one recall, the highest retrieves the fewest rows.
    of_precision = np.searchsorted(falling, falling[of_precision], side="right") - 1
    even = (
        np.searchsorted(
            falling, -SEARCHED[::2] * points.recall[0] * (1 - EQUAL), side="right"
        )
        - 1
    )
    kept = np.unique(
        np.concatenate([[0, n_points - 1], required, of_recall, of_precision, even])
    )
    n_steps, filled = 2, kept
    # many of the steps are thresholds that are there
    while filled.size <= _MAX_THRESHOLDS:
        places, n_steps = filled, n_steps + 10
        rows = np.geomspace(points.rows[-1], points.rows[0], n_steps) * (1 + EQUAL)
        filled = np.union1d(
            kept, n_points - np.searchsorted(points.rows[::-1], rows, side="right")
        )
    return places


def threshold_columns(
    points: CandidatePoints,
    positive: BoolArray,
    arrays: Mapping[str, AnyArray],
    answer: FirstAnswer,
) -> tuple[JsonObject, Tiles]:
    """Return the numbers of each threshold to show, highest first, and their tiles."""
    counts, cut = answer.counts, answer.cut
    # The page opens at the budget, of all queries together.
    budget = K * (counts.queries or 1) if cut is None else (cut.totals or cut).rows or 0
    values = [
        counts.sign * chosen.threshold.value
        for chosen in answer.thresholds
        if chosen.threshold
    ]
    start = points.rows.size - max(
        int(np.searchsorted(points.rows[::-1], budget, side="right")), 1
    )
    required = np.append(np.flatnonzero(np.isin(points.threshold, values)), start)
    places = _thresholds_to_show(points, required)[::-1]
    columns = {
        name: getattr(points, name)[places]
        for name in ("threshold", "rows", "precision", "recall")
    }
    columns |= _words_of_thresholds(columns["threshold"], arrays["y_score"])
    if counts.lower_is_better:
        columns["short"] = list(map(opposite, columns["short"]))
    shown = {**columns, "weight": points.tp[places]}
    true_negatives = points.n_negatives - (points.retrieved - points.tp)[places]
    below = true_negatives + points.n_positives - points.tp[places]
    shown["specificity"] = true_negatives / (points.n_negatives or 1.0)
    shown["negative_predictive_value"] = ratio(true_negatives, below, nan)
    tiles = _tiles_of(shown, positive, arrays, counts)
    numbers = {
        name: np.asarray(column).tolist()
        for name, column in columns.items()
        if name != "short"
    }
    return {
        **numbers,
        "sign": counts.sign,
        "start": places.tolist().index(start),
        "total": counts.rows,
    }, tiles


def _tiles_of(
    columns: Mapping[str, Any],
    positive: BoolArray,
    arrays: Mapping[str, AnyArray],
    counts: Counts,
) -> Tiles:
    """Return what the page writes about each threshold: a number, and a note below
    it.
    """
    # The number of the first threshold, highest first, at or above which each row lies.
    rows: FloatArray = columns["rows"]
    first = rows.size - np.searchsorted(
        columns["threshold"][::-1], arrays["y_score"], side="right"
    )

    def parts(values: AnyArray, total: Any) -> tuple[list[str], list[str]]:
        shares = [f"{100 * value / (total or 1):.3g} %" for value in values]
        return [part_of(value, total) for value in values], shares

    def total_above(weight: AnyArray | float) -> FloatArray:
        return np.cumsum(np.bincount(first, positive * weight, rows.size + 1)[:-1])

    limit = "most" if counts.lower_is_better else "least"
    tiles: Tiles = {f"Retrieve rows that score at {limit}": (columns["short"], "")}
    tiles["Rows"] = parts(rows, counts.rows)
    if counts.queries:
        most = [
            f"at most {count:,.0f} in one"
            for count in _most_rows(first, rows.size, arrays["query_id"])
        ]
        per_query = [f"{count:,.1f}" for count in rows / counts.queries]
        tiles[f"Rows per {counts.query_name}, on average"] = per_query, most
    missed = counts.all_positives
    weight = counts.weight
    weight_name = counts.weight_name
    weighted = f", weighted by {weight_name}" * (weight is not None)
    for name, of in (
        ("precision", "these rows that is positive"),
        ("recall", "all positives that is found"),
        ("specificity", "all negatives that is left out"),
        ("negative_predictive_value", "the rows left out that is negative"),
    ):
        texts = ["-" if isnan(x) else short_share(x) for x in columns[name].tolist()]
        title = capitalized(name.replace("_", " "))
        tiles[title] = texts, f"share of {of}{weighted}"
    found, _ = parts(total_above(1.0), (None if weight else missed) or counts.positives)
    tiles["Positives found"] = found, ""
    if weight:
        tiles[capitalized(f"{weight_name} of positives found")] = parts(
            columns["weight"], missed or weight.positives
        )
    if counts.amount is not None:
        amount = arrays["amount"] * arrays.get("sample_weight", 1.0)
        tiles[capitalized(f"{counts.amount_name} of positives found")] = parts(
            total_above(amount), counts.amount.positives
        )
    return tiles


def _words_of_thresholds(thresholds: AnyArray, scores: AnyArray) -> JsonObject:
    """Return thresholds as numbers, as short texts that retrieve the same rows, and the
    next scores below.
    """
    distinct = np.unique(scores)
    place = np.searchsorted(distinct, thresholds)
    below = [distinct[i - 1].item() if i else -np.inf for i in place]
    pairs = zip(thresholds.tolist(), below, strict=True)
    short = [short_threshold(value, under, distinct.dtype) for value, under in pairs]
    lower = [None if isinf(value) else float(value) for value in below]
    return {"threshold": thresholds.astype(np.float64), "short": short, "below": lower}


def _most_rows(first: IntArray, n_thresholds: int, ids: AnyArray) -> FloatArray:
    """Return the most rows that a query has at or above each threshold, highest
    first.
    """
    query = unit_numbers("query_id", ids, first.size)
    width = n_thresholds + 1
    # Cells of a query and a threshold, in order: what a query has so far lies at or
    # above the threshold.
    cell, size = np.unique(query.astype(np.int64) * width + first, return_counts=True)
    begins = np.searchsorted(cell, cell - cell % width)
    total = np.cumsum(size)
    n_rows = np.zeros(width)
    np.maximum.at(n_rows, cell % width, total - (total - size)[begins])
    return np.maximum.accumulate(n_rows[:-1])
