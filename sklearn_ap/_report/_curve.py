"""The curve of a report: points to draw, thresholds to move over, and a band from
influences.

A bootstrap of a million rows takes seconds. At a recall, the logarithm of the odds of a
precision has an influence per row in closed form, so a band takes one sum of squares
per recall.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit, stdtrit

from .._answer._fields import Counts, FirstAnswer, JsonObject
from .._answer._sentences import capitalized, short_share
from .._displays._rows import beyond_rows, effective_number
from .._points._budgets import part_of
from .._points._operating_points import CandidatePoints
from .._registry import K
from .._rounding import EQUAL, opposite, short_threshold
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._uncertainty._sample import unit_numbers

_MAX_THRESHOLDS = 400
# the recalls and precisions that a page of more thresholds is searched for
SEARCHED = np.arange(101) / 100
# What the page writes about each threshold, by title: a number, and a note, which may
# be the same for all.
Tiles = dict[str, tuple[list[str], list[str] | str]]
_N_COLUMNS = 600  # of a drawing, so that no point lies further than 1/600 from it
_N_LEVELS = 101  # of recall, in a band
_LEAST_DIVISOR = 1e-300
_WIDEST = 0.1  # recall over which the slope of a curve is taken, on either side


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
    tiles = _tiles_of(
        {**columns, "weight": points.tp[places]}, positive, arrays, counts
    )
    growth = (columns["rows"][1:] / columns["rows"][:-1])[np.diff(places) < -1].max(
        initial=1.0
    ) - 1
    sizes = f"{places.size:,} of {points.rows.size:,}"
    steps = (
        f"steps of 0.01 of recall and precision, and of {100 * growth:.0f} % of rows"
    )
    numbers = {
        name: np.asarray(column).tolist()
        for name, column in columns.items()
        if name != "short"
    }
    numbers["spacing"] = f"Searches {sizes} thresholds: {steps}." * (
        places.size < points.rows.size
    )
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
    precision, recall = (
        list(map(short_share, columns[name].tolist()))
        for name in ("precision", "recall")
    )
    missed = counts.all_positives
    weight = counts.weight
    weight_name = counts.weight_name
    weighted = f", weighted by {weight_name}" * (weight is not None)
    tiles["Precision"] = precision, f"share of these rows that is positive{weighted}"
    tiles["Recall"] = recall, f"share of all positives that is found{weighted}"
    tiles["Positives found"] = parts(
        total_above(1.0), (None if weight else missed) or counts.positives
    )
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


def band_by_influence(
    points: CandidatePoints,
    unit: IntArray | None,
    *,
    at_prevalence: bool,
    level: float = 0.95,
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    r"""Return a pointwise band of precision at each recall, from influences.

    At the recall r, the odds of precision are :math:`r P / F`, where F is the weight of
    the negatives above the threshold of this recall. A negative above it adds its
    weight to F. A positive moves the threshold, and F by the slope :math:`dF / dT` of
    the curve. At a prevalence, the share of the classes is fixed.
    """
    checked = points.checked
    assert checked is not None, "rows"
    weight = points.weight
    tp = points.tp[::-1]
    fp = (points.retrieved - points.tp)[::-1]
    total, negatives = points.n_positives, max(float(fp[-1]), _LEAST_DIVISOR)
    n_effective = effective_number(checked, weight, unit)
    recall = np.linspace(0, tp[-1] / total, _N_LEVELS)
    at = _first_reaching(tp, recall * total)
    reach = float(tp[-1]) * min(_WIDEST, n_effective ** (-1 / 3))
    worse, better = (
        _first_reaching(tp, recall * total + shift) for shift in (reach, -reach)
    )
    inside = fp[at] > 0
    # where no negative is above, there is no slope
    per_negative = 1 / np.where(inside, fp[at], 1.0)
    slope = (
        (fp[worse] - fp[better])
        / np.maximum(tp[worse] - tp[better], _LEAST_DIVISOR)
        * per_negative
    )
    of_negative, of_positive = (
        (1 / negatives, 0.0) if at_prevalence else (0.0, 1 / total)
    )
    # Rows of one class between two levels have one influence: two times 102 cells have
    # all of them.
    place = np.searchsorted(
        points.threshold[::-1][at][::-1], checked.score, side="right"
    )
    is_above = np.arange(_N_LEVELS + 1)[:, np.newaxis] > np.arange(_N_LEVELS)[::-1]
    parts = (
        of_negative - is_above * per_negative,
        of_positive + slope * (is_above - recall),
    )
    influences = np.concatenate(parts)
    squares = _products(
        checked.positive * (_N_LEVELS + 1) + place, weight, unit, len(influences)
    )
    # also of missed positives, below all levels
    mean_weight = float(weight[checked.positive].mean())
    squares[_N_LEVELS + 1, _N_LEVELS + 1] += (total - float(tp[-1])) * mean_weight
    error = np.sqrt((influences * (squares @ influences)).sum(axis=0))
    width = float(stdtrit(max(n_effective - 1, 1), 0.5 + level / 2)) * error
    precision = points.precision[::-1][at]
    ratio = negatives / max(int((~checked.positive).sum()), 1) / mean_weight
    share = float(tp[-1] / (tp[-1] + fp[-1]))
    # a precision of 1 has the ends of Clopper and Pearson
    odds = logit(np.where(inside, precision, 0.5))
    low, high = (
        np.where(inside, expit(odds + sign * np.where(inside, width, 0)), 1)
        for sign in (-1, 1)
    )
    tail = 0.5 - level / 2
    ends = beyond_rows(
        (low, high), precision, n_effective, odds=ratio, prevalence=share, tail=tail
    )
    return recall, *ends, level


def _first_reaching(tp: FloatArray, hits: FloatArray) -> IntArray:
    """Return the first threshold, best first, that finds so many positives; at least
    one.
    """
    return np.searchsorted(tp, hits.clip(EQUAL * tp[-1], tp[-1]) * (1 - EQUAL))


def _products(
    cell: IntArray, weight: FloatArray, unit: IntArray | None, n_cells: int
) -> FloatArray:
    """Return the sum over units of the products of what they weigh in every two
    cells.
    """
    if unit is None:
        return np.diag(np.bincount(cell, weight**2, n_cells))
    in_cells = csr_array((weight, (unit, cell)), shape=(int(unit.max()) + 1, n_cells))
    return np.asarray((in_cells.T @ in_cells).toarray())
