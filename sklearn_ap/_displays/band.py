"""The band of a precision-recall curve, from influences.

A bootstrap of a million rows takes seconds. At a recall, the logarithm of the odds of a
precision has an influence per row in closed form, so a band takes one sum of squares
per recall.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaincinv, expit, logit, stdtrit

from .._core.ranking.rankings import OperatingPoints, ratio
from .._core.reading.read import CheckedRows
from .._core.rounding import EQUAL
from .._core.typing import FloatArray, IntArray

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


def effective_number(
    checked: CheckedRows, weight: FloatArray, unit: IntArray | None
) -> float:
    """Return how many positives of equal weight, or units that contain as many, have
    the same variance.
    """
    positive = checked.positive
    sizes = weight[positive] if unit is None else np.bincount(unit, weight * positive)
    return float(sizes.sum() ** 2 / np.square(sizes).sum())


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
    the curve. At a prevalence, the share of the classes is fixed.
    """
    weight = _weight_in_units(checked, points)
    tp = points.tp[::-1]
    fp = points.retrieved[::-1] - tp
    negatives = max(float(fp[-1]), _LEAST_DIVISOR)
    n_effective = effective_number(checked, weight, unit)
    recall = np.linspace(0, tp[-1] / total, _N_LEVELS)
    at = _first_reaching(tp, recall * total)
    inside = fp[at] > 0
    # Where no negative is above, F is 0 and there is no slope.
    per_negative = 1 / np.where(inside, fp[at], 1.0)
    negative = np.flatnonzero(~checked.positive)
    n_negatives = np.unique(negative if unit is None else unit[negative]).size
    slope = inside * _slopes(tp, fp, recall * total, n_effective, n_negatives)
    of_negative, of_positive = (
        (1 / negatives, 0.0) if at_prevalence else (0.0, 1 / total)
    )
    # All rows of one class between two levels have the same influence, so two times 102
    # cells replace the rows.
    place = np.searchsorted(
        points.threshold[::-1][at][::-1], checked.score, side="right"
    )
    is_above = np.arange(_N_LEVELS + 1)[:, np.newaxis] > np.arange(_N_LEVELS)[::-1]
    parts = (
        negatives * (of_negative - is_above * per_negative),
        of_positive + slope * (is_above - recall),
    )
    influences = np.concatenate(parts)
    cell = checked.positive * (_N_LEVELS + 1) + place
    n_cells = len(influences)
    # The sum over units of the products of their weights in every two cells. At a tiny
    # prevalence the square of a weight may overflow, but not that of its share of all
    # negatives.
    weight[negative] /= negatives
    squares = np.diag(np.bincount(cell, weight**2, n_cells))
    if unit is not None:
        shape = int(unit.max()) + 1, n_cells
        in_cells = csr_array((weight, (unit, cell)), shape=shape)
        squares = (in_cells.T @ in_cells).toarray()
    # Missed positives lie below all levels, and vary as the others do.
    mean_weight = float(weight[checked.positive].mean())
    squares[_N_LEVELS + 1, _N_LEVELS + 1] += (total - float(tp[-1])) * mean_weight
    # Units that balance each other have sums of 0, which rounding makes negative.
    sums = (influences * (squares @ influences)).sum(axis=0)
    error = np.sqrt(np.maximum(sums, 0.0))
    width = float(stdtrit(max(n_effective - 1, 1), 0.5 + level / 2)) * error
    precision = tp[at] / (tp + fp)[at]
    odds_of_rows = negatives / negative.size / mean_weight if negative.size else 1.0
    share = float(tp[-1] / (tp[-1] + fp[-1]))
    # A precision of 1 has no odds: its ends are those of Clopper and Pearson.
    odds = logit(np.where(inside, precision, 0.5))
    low, high = (
        np.where(inside, expit(odds + sign * np.where(inside, width, 0)), 1)
        for sign in (-1, 1)
    )
    tail = 0.5 - level / 2
    ends = beyond_rows(
        (low, high),
        precision,
        n_effective,
        odds=odds_of_rows,
        prevalence=share,
        tail=tail,
    )
    return recall, *ends, f"{round(100 * level, 6):g} % band"


def _slopes(
    tp: FloatArray,
    fp: FloatArray,
    hits: FloatArray,
    n_effective: float,
    n_negatives: int,
) -> FloatArray:
    """Return the slopes of the logarithm of false positives by the hits.

    Next to a single negative, a quotient of differences would be as large as all that
    come in reach of it. Half a negative, or half of a unit of them, avoids log(0).
    """
    reach = float(tp[-1]) * min(_WIDEST, n_effective ** (-1 / 3))
    worse, better = (_first_reaching(tp, hits + shift) for shift in (reach, -reach))
    half = float(fp[-1]) / max(n_negatives, 1) / 2 + _LEAST_DIVISOR
    growth = np.log((fp[worse] + half) / (fp[better] + half))
    return np.asarray(growth / np.maximum(tp[worse] - tp[better], _LEAST_DIVISOR))


def _first_reaching(tp: FloatArray, hits: FloatArray) -> IntArray:
    """Return the first threshold, best first, that finds so many positives; at least
    one.
    """
    return np.searchsorted(tp, hits.clip(EQUAL * tp[-1], tp[-1]) * (1 - EQUAL))


def beyond_rows(
    ends: Pair,
    precision: FloatArray,
    n_positives: float,
    *,
    odds: float,
    prevalence: float,
    tail: float,
) -> Pair:
    """Widen a band to the precisions that the sample does not exclude, since its rows
    have no other influences.

    A precision is a share of the retrieved rows, so it has the ends of Clopper and
    Pearson: without a negative among 15 positives, the share of negatives may still be
    a fifth. With probability (1 - r)^P, none of P positives is above the recall r, and
    the precision there may be 1. With probability r^P, all of them are above it, and
    the precision may be that of all rows. `odds` are the mean weight of a negative
    divided by that of a positive.
    """
    recall = np.linspace(0, 1, precision.size)
    tp = np.append(np.maximum(recall * n_positives, 1.0), n_positives)
    fp = (
        tp
        * (1 / np.maximum(np.append(precision, prevalence), _LEAST_DIVISOR) - 1)
        / odds
    )
    best = np.where(
        fp > 0, betaincinv(tp + 1, np.maximum(fp, _LEAST_DIVISOR), 1 - tail), 1
    )
    lowest, highest = (
        end / (end + odds * (1 - end)) for end in (betaincinv(tp, fp + 1, tail), best)
    )
    lowest[:-1] = np.where(
        recall**n_positives >= tail, np.minimum(lowest[:-1], lowest[-1]), lowest[:-1]
    )
    highest[:-1][(1 - recall) ** n_positives >= tail] = 1.0
    lowest, highest = (
        np.where(precision > 0, widest[:-1], 0.0) for widest in (lowest, highest)
    )
    return np.minimum(ends[0], lowest), np.maximum(ends[1], highest)
