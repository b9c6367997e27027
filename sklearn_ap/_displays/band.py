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
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .._uncertainty.influence import n_equal, sums_of_units

_N_LEVELS = 101  # levels of recall that have ends
_LEAST_DIVISOR = 1e-300  # instead of 0, so that no quotient is NaN
# The slope of a curve is taken over this much recall at most, on either side.
_WIDEST = 0.1

Pair = tuple[FloatArray, FloatArray]
# Recalls, the lower and the upper ends of precision, and an entry of a legend.
Band = tuple[FloatArray, FloatArray, FloatArray, str]


def _weight_in_units(checked: CheckedRows, points: OperatingPoints) -> FloatArray:
    """Return the weight of each row in the unit of its curve, at its prevalence."""
    positive, weight = checked.positive, checked.weight
    weight = np.ones(positive.size) if weight is None else weight.copy()
    totals = points.tp[:1], (points.retrieved - points.tp)[:1]
    for of_class, total in zip((positive, ~positive), totals, strict=True):
        weight[of_class] *= ratio(total, weight[of_class].sum(keepdims=True), 1.0)
    return weight


class _Levels(NamedTuple):
    """Rising levels of recall, and the thresholds of a curve that reach them."""

    tp: FloatArray  # of the curve, best first
    fp: FloatArray
    total: float  # of positives, with those that were missed
    recall: FloatArray
    place: IntArray  # of the thresholds

    @classmethod
    def of(cls, points: OperatingPoints, total: float) -> _Levels:
        tp = points.tp[::-1]
        fp = points.retrieved[::-1] - tp
        recall = np.linspace(0, tp[-1] / total, _N_LEVELS)
        return cls(tp, fp, total, recall, _first_reaching(tp, recall * total))

    @property
    def negatives(self) -> float:
        """The weight of all negatives."""
        return max(float(self.fp[-1]), _LEAST_DIVISOR)

    @property
    def inside(self) -> BoolArray:
        """Whether a negative is above each level; else there are no odds."""
        return np.asarray(self.fp[self.place] > 0)

    @property
    def per_negative(self) -> FloatArray:
        """What a negative above each level adds to the logarithm of all of them."""
        return np.asarray(1 / np.where(self.inside, self.fp[self.place], 1.0))

    @property
    def precision(self) -> FloatArray:
        """The precision of each level."""
        return np.asarray(self.tp[self.place] / (self.tp + self.fp)[self.place])


class _Cells(NamedTuple):
    """Rows of one class between two levels, which have the same influence: first those
    of negatives, in shares of their weight, then those of positives, worst first.
    """

    squares: FloatArray  # sum of the squared weights of each cell
    # the sum over units of the products of their weights in every two cells
    of_units: FloatArray | None
    is_above: BoolArray  # of the levels: (cell of a class, level)

    @classmethod
    def of(
        cls,
        checked: CheckedRows,
        thresholds: AnyArray,
        weight: FloatArray,
        unit: IntArray | None,
    ) -> _Cells:
        place = np.searchsorted(thresholds[::-1], checked.score, side="right")
        cell = checked.positive * (_N_LEVELS + 1) + place
        n_cells = 2 * (_N_LEVELS + 1)
        is_above = np.arange(_N_LEVELS + 1)[:, np.newaxis] > np.arange(_N_LEVELS)[::-1]
        squares = np.bincount(cell, weight**2, n_cells).astype(np.float64)
        of_units = None
        if unit is not None:
            shape = int(unit.max()) + 1, n_cells
            in_cells = csr_array((weight, (unit, cell)), shape=shape)
            of_units = (in_cells.T @ in_cells).toarray()
        return cls(squares, of_units, is_above)

    def design_effect(self, levels: _Levels) -> FloatArray:
        """Return how much larger the variance of the precision at each threshold is
        over units than over rows, by linearisation; at least 1.
        """
        if self.of_units is None:
            return np.ones(_N_LEVELS)
        odds = levels.tp[levels.place] * levels.negatives * levels.per_negative
        moved = np.concatenate([-odds * self.is_above, self.is_above])
        moved /= odds.clip(1.0)  # so that squares are finite
        of_rows = self.squares @ moved**2
        of_units = (moved * (self.of_units @ moved)).sum(axis=0)
        # Weights at a tiny prevalence may have squares of 0.
        effect = np.ones(_N_LEVELS)
        np.divide(of_units, of_rows, out=effect, where=of_rows > 0)
        return effect.clip(1.0)


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
    weight = _weight_in_units(checked, points)
    levels = _Levels.of(points, total)
    mean_weight = float(weight[checked.positive].mean())
    n_positives = n_equal(weight[checked.positive])
    n_units = n_equal(sums_of_units(weight * checked.positive, unit))
    # At a tiny prevalence the square of a weight may overflow, but not that of its
    # share of all negatives.
    weight[~checked.positive] /= levels.negatives
    thresholds = points.threshold[::-1][levels.place]
    cells = _Cells.of(checked, thresholds, weight, unit)
    # Missed positives lie below all levels, and vary as the others do.
    cells.squares[_N_LEVELS + 1] += (total - float(levels.tp[-1])) * mean_weight
    effect = cells.design_effect(levels)
    n_effective = n_positives / effect
    n_negatives = max(int(np.count_nonzero(~checked.positive)), 1)
    slopes = _slopes(levels, n_effective, n_negatives / effect)
    influences = _influences(levels, cells.is_above, slopes, at_prevalence)
    of_cells = np.sqrt(cells.squares)[:, np.newaxis] * influences
    error = np.sqrt(effect * np.square(of_cells).sum(axis=0))
    df = np.maximum(np.minimum(n_effective, n_units) - 1, 1)
    width = levels.inside * stdtrit(df, 0.5 + level / 2) * error
    # A precision of 1 has no odds: its ends are those of Clopper and Pearson.
    odds = logit(np.where(levels.inside, levels.precision, 0.5))
    low, high = (
        np.where(levels.inside, expit(odds + sign * width), 1) for sign in (-1, 1)
    )
    ends = beyond_rows(
        (low, high),
        levels.precision,
        n_effective,
        odds=levels.negatives / n_negatives / mean_weight if levels.fp[-1] else 1.0,
        prevalence=float(levels.tp[-1] / (levels.tp[-1] + levels.fp[-1])),
        tail=0.5 - level / 2,
    )
    return levels.recall, *ends, f"{round(100 * level, 6):g} % band"


def _influences(
    levels: _Levels, is_above: BoolArray, slopes: FloatArray, at_prevalence: bool
) -> FloatArray:
    """Return the influences of the cells on the logarithm of the odds at each level."""
    of_negative, of_positive = 1 / levels.negatives, 0.0
    if not at_prevalence:
        of_negative, of_positive = 0.0, 1 / levels.total
    negatives = levels.negatives * (of_negative - is_above * levels.per_negative)
    positives = of_positive + slopes * (is_above - levels.recall)
    return np.concatenate([negatives, positives])


def _slopes(
    levels: _Levels, n_positives: FloatArray, n_negatives: FloatArray
) -> FloatArray:
    """Return the slopes of the logarithm of false positives by the hits, at each level.

    Next to a single negative, a quotient of differences would be as large as all that
    come in reach of it. Half a negative avoids log(0).
    """
    tp, fp = levels.tp, levels.fp
    hits = levels.recall * levels.total
    reach = float(tp[-1]) * np.minimum(_WIDEST, n_positives ** (-1 / 3))
    worse, better = (_first_reaching(tp, hits + shift) for shift in (reach, -reach))
    half = float(fp[-1]) / n_negatives / 2 + _LEAST_DIVISOR
    growth = np.log((fp[worse] + half) / (fp[better] + half))
    per_hit = growth / np.maximum(tp[worse] - tp[better], _LEAST_DIVISOR)
    return np.asarray(levels.inside * per_hit)


def _first_reaching(tp: FloatArray, hits: FloatArray) -> IntArray:
    """Return the first threshold, best first, that finds so many positives; at least
    one.
    """
    return np.searchsorted(tp, hits.clip(EQUAL * tp[-1], tp[-1]) * (1 - EQUAL))


def beyond_rows(
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
    lowest, highest = (
        np.where(precision > 0, widest, 0.0) for widest in (lowest, highest)
    )
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
