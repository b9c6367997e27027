"""The band of a precision-recall curve: the interval of the precision at each level of
recall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from .._core.evaluate import points_in
from .._core.ranking.rankings import OperatingPoints, ratio
from .._core.reading.read import CheckedRows
from .._core.rounding import EQUAL
from .._core.typing import AnyArray, ArrayLikeOrMapping, FloatArray, IntArray
from .cells import sums_of_units
from .endpoints import Curve
from .influence import n_equal
from .one_more_event import NEGATIVES_ABOVE, weights_of_units
from .results import read_confidence_level
from .sample import unit_numbers
from .standard_errors import FEW_DRAWN, warn_of_few

# Number of recall levels at which the band has endpoints.
_N_LEVELS = 101
# The size of one more event (`one_more_event`) is computed at every tenth level, and
# interpolated at the levels between.
_STEP = 10
# Number of cells per class: one between each two neighbouring levels, one below all
# levels, and one above all levels.
_N_CELLS = _N_LEVELS + 1
# Replaces a divisor of 0, so that no quotient is NaN.
_LEAST_DIVISOR = 1e-300

# Recalls, the lower and the upper endpoints of precision, and the entry of the legend.
Band = tuple[FloatArray, FloatArray, FloatArray, str]


class _Levels(NamedTuple):
    """Rising levels of recall, and the threshold of a curve that reaches each level."""

    # True and false positives at all thresholds of the curve, highest first.
    tp: FloatArray
    fp: FloatArray
    recall: FloatArray
    threshold: AnyArray
    # True and false positives at the threshold of each level.
    tp_at_level: FloatArray
    fp_at_level: FloatArray

    @classmethod
    def of(cls, points: OperatingPoints, total: float) -> _Levels:
        """Return the levels of a curve. `total` is the weight of all positives, found
        or missed.
        """
        tp, fp = points.tp[::-1], points.fp[::-1]
        recall = np.linspace(0, tp[-1] / total, _N_LEVELS)
        # `place` has, for each level, the place of the highest threshold that reaches
        # the level and finds at least one positive. A sum that is below `hits` only by
        # rounding reaches it.
        hits = (recall * total).clip(EQUAL * tp[-1], tp[-1])
        place = tp.searchsorted(hits * (1 - EQUAL))
        threshold = points.threshold[::-1][place]
        return cls(tp, fp, recall, threshold, tp[place], fp[place])


def band_of_rows(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    *,
    confidence_level: float,
    unit_id: ArrayLike | None,
) -> Band:
    """Return the band of a curve, from the arguments of the caller; warn if there are
    few positives, or few units that contain a positive.
    """
    confidence_level = read_confidence_level(confidence_level)
    positive, unit = checked.positive, unit_numbers(unit_id, checked)
    noun = "positives" if unit is None else "units that contain a positive"
    weight = 1.0 if checked.weight is None else checked.weight
    of_units = sums_of_units(np.where(positive, weight, 0.0), unit)
    n_units = np.count_nonzero(of_units)
    if n_units < 2:
        raise ValueError(
            f"plot_band=True requires at least two {noun}, because a single one does "
            f"not show the variation between samples; got {n_units}. Add some, or omit "
            "plot_band."
        )
    warn_of_few(n_equal(of_units), noun, FEW_DRAWN)
    return _band_by_influence(checked, n_positives, unit, confidence_level)


def _band_by_influence(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    unit: IntArray | None,
    confidence_level: float,
) -> Band:
    """Return a pointwise band of precision at rising recalls.

    `Curve` returns the endpoints at each recall. With units, `Curve` divides the number
    of rows at or above a threshold by the design effect of the precision there. The
    quotient is the number of independent rows that would be as precise. The number is
    divided by the size of one more event of false positives (`one_more_event`) instead,
    if this size is larger than the design effect.
    """
    positive = checked.positive
    ranking, points = points_in(checked, n_positives)
    # Weight of the positives, found or missed.
    total = ranking.n_positives.item()
    levels = _Levels.of(points, total)
    weight = np.ones(positive.size) if checked.weight is None else checked.weight
    n_found = n_equal(weight[positive])
    effect = event = np.ones(_N_LEVELS)
    if unit is not None:
        effect = _design_effect(checked, weight, unit, levels)
        event = _rows_of_events(checked, weight, unit, points, levels)
    above = levels.tp_at_level + levels.fp_at_level
    precision = levels.tp_at_level / above
    # The number of rows above a threshold is their weight divided by the weight of a
    # typical row. If most rows are true positives, most of the variance is due to the
    # few false positives, so the typical row is a negative; else it is a positive.
    of_positive = levels.tp[-1] / n_found
    of_negative = levels.fp[-1] / n_equal(weight[~positive])
    rows_above = above / (
        of_positive * (1 - precision) + (of_negative or of_positive) * precision
    )
    # `Curve` divides this number by the design effect. If the size of one more event is
    # larger, this factor makes it the divisor instead.
    rows_above *= effect / effect.clip(event)
    tp, fp = levels.tp / total, levels.fp / total
    # If positives were missed, no threshold reaches a recall of 1. Infinitely many
    # false positives at the last threshold make the precision at this recall 0.
    if levels.tp[-1] < total * (1 - EQUAL):
        fp[-1] = np.inf
    # Effective number of all positives, found or missed. `n_found` is the effective
    # number of the positives that were found.
    n_in_total = n_found * total / levels.tp[-1]
    endpoints = []
    for recall, score, design_effect, n_rows in zip(
        levels.recall, precision, effect, rows_above, strict=True
    ):
        curve = Curve(recall, tp, fp, n_in_total, max(n_rows, 1.0))
        n_units = n_found / design_effect
        endpoints.append(curve.endpoints(score, n_units, confidence_level))
    low, high = np.transpose(endpoints)
    # The text shows at most six digits.
    percent = round(100 * confidence_level, 6)
    return levels.recall, low, high, f"{percent:g} % band, pointwise"


def _design_effect(
    checked: CheckedRows,
    weight: FloatArray,
    unit: IntArray,
    levels: _Levels,
) -> FloatArray:
    """Return the design effect of the precision at each level: its variance if units
    are drawn, divided by its variance if rows are drawn; at least 1.

    Both variances are sums of squared influences. Missed positives have no influence,
    since they are below all thresholds. All rows of a class between two levels have the
    same influence, so the sums are over 102 cells per class in place of the rows: first
    the cells of negatives, then those of positives, worst first.
    """
    # The weights of positives are scaled so that their sum is the last value of
    # `levels.tp`. The weights of negatives are divided by their sum, since their
    # squares may overflow at a tiny prevalence.
    positive, scaled = checked.positive, weight.astype(np.float64)
    scaled[positive] *= levels.tp[-1] / scaled[positive].sum()
    scaled[~positive] /= max(scaled[~positive].sum(), _LEAST_DIVISOR)
    cell = np.searchsorted(levels.threshold[::-1], checked.score, side="right")
    cell += positive * _N_CELLS
    is_above = np.arange(_N_CELLS)[:, np.newaxis] > np.arange(_N_LEVELS)[::-1]
    squares = sums_of_units(scaled**2, cell, 2 * _N_CELLS)
    shape = int(unit.max()) + 1, squares.size
    in_cells = csr_array((scaled, (unit, cell)), shape=shape)
    # Weight of all negatives, divided by the weight of the negatives above each level;
    # 0 if there is no negative above the level.
    parts = ratio(np.full(_N_LEVELS, levels.fp[-1]), levels.fp_at_level, 0.0)
    odds = levels.tp_at_level * parts
    influence = np.concatenate([-odds * is_above, is_above])
    # A common factor of all influences has no effect on the quotient of both variances.
    # This factor keeps the squares finite.
    influence /= odds.clip(1.0)
    # For each two cells, the product of their weights in a unit, summed over units.
    products = (in_cells.T @ in_cells).toarray()
    of_units = (influence * (products @ influence)).sum(axis=0)
    # At a tiny prevalence, the squares of weights may be 0. Then the effect is 1.
    return ratio(of_units, squares @ influence**2, 1.0).clip(1.0)


def _rows_of_events(
    checked: CheckedRows,
    weight: FloatArray,
    unit: IntArray,
    points: OperatingPoints,
    levels: _Levels,
) -> FloatArray:
    """Return the size of one more event of false positives at each level, as a number
    of negatives of equal weight.

    The few rows above a high threshold are not sufficient to estimate how many
    negatives of a unit are false positives together: if no negatives are above it, the
    estimated size is a whole unit. So the size is the geometric mean of the
    sizes at two thresholds: the threshold of the level, and the threshold above which
    half of the negatives are.
    """
    positive, negatives = checked.positive, weight[~checked.positive]
    # Weights are divided by the sum over their class, since their squares may overflow
    # at a tiny prevalence.
    of_negatives = max(negatives.sum(), _LEAST_DIVISOR)
    shares = weight / np.where(positive, weight[positive].sum(), of_negatives)
    half = points.threshold[::-1][levels.fp.searchsorted(levels.fp[-1] / 2)]
    some = slice(None, None, _STEP)
    cells = (
        positive + 2 * (checked.score >= least)
        for least in (half, *levels.threshold[some])
    )
    # Negatives above a threshold are its false positives.
    events = [
        weights_of_units(cell, unit, shares).events[NEGATIVES_ABOVE] for cell in cells
    ]
    of_half, *of_levels = np.array(events) * n_equal(negatives)
    means = np.sqrt(of_half * np.array(of_levels))
    return np.asarray(np.interp(levels.recall, levels.recall[some], means))
