"""The band of a precision-recall curve, from influences.

A bootstrap of a million rows takes seconds. At a recall, the logarithm of the odds of a
precision has an influence per row in closed form, so a band takes one sum of squares
per recall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaincinv, expit, logit, stdtrit

from .._core.ranking.rankings import OperatingPoints, ratio
from .._core.reading.read import CheckedRows
from .._core.rounding import EQUAL
from .._core.typing import BoolArray, FloatArray, IntArray
from .._uncertainty.influence import n_equal, sums_of_units

_N_LEVELS = 101  # levels of recall that have ends
_N_CELLS = _N_LEVELS + 1  # of the rows of a class, below and above these
_LEAST_DIVISOR = 1e-300  # instead of 0, so that no quotient is NaN
# The slope of a curve is taken over this much recall at most, on either side.
_WIDEST = 0.1

Pair = tuple[FloatArray, FloatArray]
# Recalls, the lower and the upper ends of precision, and an entry of a legend.
Band = tuple[FloatArray, FloatArray, FloatArray, str]


class _Levels(NamedTuple):
    """Rising levels of recall, and the thresholds of a curve that reach them."""

    tp: FloatArray  # of the curve, best first
    fp: FloatArray
    recall: FloatArray
    place: IntArray  # of the thresholds
    hits: FloatArray  # above each level, of positives and of negatives
    misses: FloatArray
    # all negatives for each one above the level; 0 where none is, and no odds are
    parts: FloatArray

    @classmethod
    def of(cls, points: OperatingPoints, total: float) -> _Levels:
        tp = points.tp[::-1]
        fp = points.retrieved[::-1] - tp
        recall = np.linspace(0, tp[-1] / total, _N_LEVELS)
        place = _first_reaching(tp, recall * total)
        misses = fp[place]
        parts = ratio(np.full(_N_LEVELS, fp[-1]), misses, 0.0)
        return cls(tp, fp, recall, place, tp[place], misses, parts)


def band_by_influence(
    checked: CheckedRows,
    points: OperatingPoints,
    total: float,  # of positives, with those that were missed
    unit: IntArray | None,
    *,
    at_prevalence: bool = False,
    level: float = 0.95,
) -> Band:
    r"""Return a pointwise band of precision at rising recalls, from influences.

    At the recall r, the odds of precision are :math:`r P / F`, where F is the weight of
    the negatives above the threshold of this recall. A negative above it adds its
    weight to F. A positive moves the threshold, and F by the slope :math:`dF / dT` of
    the curve. At a prevalence, the share of the classes is fixed. With units, the band
    is that of as many rows as are as sure, by the design effect of each precision.
    """
    positive = checked.positive
    levels = _Levels.of(points, total)
    # Positives weigh what the curve counts. Negatives are shares: at a tiny prevalence
    # the square of a weight may overflow.
    weight = np.ones(positive.size) if checked.weight is None else checked.weight.copy()
    weight[positive] *= levels.tp[-1] / weight[positive].sum()
    weight[~positive] /= max(weight[~positive].sum(), _LEAST_DIVISOR)
    mean_weight = weight[positive].mean()
    n_units = n_equal(sums_of_units(weight * positive, unit))
    n_negatives = max(int((~positive).sum()), 1)
    n_positives = n_equal(weight[positive])
    # All rows of one class between two levels have the same influence, so two times 102
    # cells replace the rows: negatives, then positives, worst first.
    thresholds = points.threshold[::-1][levels.place][::-1]
    cell = np.searchsorted(thresholds, checked.score, side="right")
    cell += positive * _N_CELLS
    is_above = np.arange(_N_CELLS)[:, np.newaxis] > np.arange(_N_LEVELS)[::-1]
    squares = np.bincount(cell, weight**2, 2 * _N_CELLS).astype(np.float64)
    # Missed positives lie below all levels, and vary as the others do.
    squares[_N_CELLS] += (total - levels.tp[-1]) * mean_weight
    effect = np.ones(_N_LEVELS)
    if unit is not None:
        shape = int(unit.max()) + 1, squares.size
        in_cells = csr_array((weight, (unit, cell)), shape=shape)
        effect = _design_effect(in_cells, squares, is_above, levels)
    n_effective = n_positives / effect
    slopes = _slopes(levels, total, n_effective, n_negatives / effect)
    of_negatives = float(at_prevalence) - is_above * levels.parts
    of_positives = (not at_prevalence) / total + slopes * (is_above - levels.recall)
    influences = np.concatenate([of_negatives, of_positives])
    of_cells = np.sqrt(squares)[:, np.newaxis] * influences
    error = np.sqrt(effect * np.square(of_cells).sum(axis=0))
    df = np.maximum(np.minimum(n_effective, n_units) - 1, 1)
    width = stdtrit(df, 0.5 + level / 2) * error
    precision = levels.hits / (levels.hits + levels.misses)
    odds = logit(precision)  # infinite without a negative
    ends = _beyond_rows(
        (expit(odds - width), expit(odds + width)),
        precision,
        n_effective,
        odds=levels.fp[-1] / n_negatives / mean_weight or 1.0,
        prevalence=levels.tp[-1] / (levels.tp[-1] + levels.fp[-1]),
        tail=0.5 - level / 2,
    )
    return levels.recall, *ends, f"{round(100 * level, 6):g} % band"


def _design_effect(
    in_cells: csr_array, squares: FloatArray, is_above: BoolArray, levels: _Levels
) -> FloatArray:
    """Return how much larger the variance of the precision at each threshold is over
    units than over rows, by linearisation; at least 1.
    """
    odds = levels.hits * levels.parts
    moved = np.concatenate([-odds * is_above, is_above])
    moved /= odds.clip(1.0)  # so that squares are finite
    products = (in_cells.T @ in_cells).toarray()  # of weights, over units
    of_units = (moved * (products @ moved)).sum(axis=0)
    # Weights at a tiny prevalence may have squares of 0.
    return ratio(of_units, squares @ moved**2, 1.0).clip(1.0)


def _slopes(
    levels: _Levels, total: float, n_positives: FloatArray, n_negatives: FloatArray
) -> FloatArray:
    """Return the slopes of the logarithm of false positives by the hits, at each level.

    Next to a single negative, a quotient of differences would be as large as all that
    come in reach of it. Half a negative avoids log(0).
    """
    tp, fp = levels.tp, levels.fp
    hits = levels.recall * total
    reach = tp[-1] * np.minimum(_WIDEST, n_positives ** (-1 / 3))
    worse, better = (_first_reaching(tp, hits + shift) for shift in (reach, -reach))
    half = fp[-1] / n_negatives / 2 + _LEAST_DIVISOR
    growth = np.log((fp[worse] + half) / (fp[better] + half))
    per_hit = growth / np.maximum(tp[worse] - tp[better], _LEAST_DIVISOR)
    return np.asarray((levels.misses > 0) * per_hit)


def _first_reaching(tp: FloatArray, hits: FloatArray) -> IntArray:
    """Return the first threshold, best first, that finds so many positives; at least
    one.
    """
    return np.searchsorted(tp, hits.clip(EQUAL * tp[-1], tp[-1]) * (1 - EQUAL))


def _beyond_rows(
    ends: Pair,
    precision: FloatArray,
    n_positives: FloatArray,
    *,
    odds: float,
    prevalence: float,
    tail: float,
) -> Pair:
    """Widen a band to the precisions that the sample does not exclude, since its rows
    have no other influences.

    With probability (1 - r)^P, none of P positives is above the recall r, and the
    precision there may be 1. With probability r^P, all of them are above it, and the
    precision may be that of all rows. `odds` are the mean weight of a negative divided
    by that of a positive.
    """
    recall = np.linspace(0, 1, precision.size)
    hits = np.maximum(recall * n_positives, 1.0)
    lowest, highest = _clopper_pearson(precision, hits, odds, tail)
    of_all, _ = _clopper_pearson(prevalence, n_positives, odds, tail)
    may_be_all = recall**n_positives >= tail
    lowest = np.where(may_be_all, np.minimum(lowest, of_all), lowest)
    highest[(1 - recall) ** n_positives >= tail] = 1.0
    return np.minimum(ends[0], lowest), np.maximum(ends[1], highest)


def _clopper_pearson(
    precision: FloatArray | float, hits: FloatArray, odds: float, tail: float
) -> Pair:
    """Return the ends of precisions, which are shares of retrieved rows: without a
    negative among 15 positives, the share of negatives may still be a fifth.
    """
    misses = hits * (1 / np.maximum(precision, _LEAST_DIVISOR) - 1) / odds
    best = betaincinv(hits + 1, np.maximum(misses, _LEAST_DIVISOR), 1 - tail)
    ends = betaincinv(hits, misses + 1, tail), np.where(misses > 0, best, 1.0)
    low, high = (end / (end + odds * (1 - end)) for end in ends)
    return low, high
