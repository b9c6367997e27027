"""The band of a precision-recall curve: at each level of recall, the interval of the
precision there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from .._core.evaluate import points_in
from .._core.ranking.rankings import OperatingPoints, ratio
from .._core.reading.read import CheckedRows
from .._core.reading.values import on_host
from .._core.rounding import EQUAL
from .._core.typing import AnyArray, ArrayLikeOrMapping, FloatArray, IntArray
from .ends import Curve, Facts
from .influence import n_equal, sums_of_units
from .one_more_event import weights_of_units
from .results import read_confidence_level
from .sample import unit_numbers
from .standard_errors import FEW_DRAWN, warn_of_few

_N_LEVELS = 101  # levels of recall that have ends
_STEP = 10  # levels between two of those at which an event is counted
_N_CELLS = _N_LEVELS + 1  # of the rows of a class, below and above these
_LEAST_DIVISOR = 1e-300  # instead of 0, so that no quotient is NaN

# Recalls, the lower and the upper ends of precision, and an entry of a legend.
Band = tuple[FloatArray, FloatArray, FloatArray, str]


class _Levels(NamedTuple):
    """Rising levels of recall, and the thresholds of a curve that reach them."""

    tp: FloatArray  # of the curve, best first
    fp: FloatArray
    recall: FloatArray
    threshold: AnyArray
    hits: FloatArray  # above each level, of positives and of negatives
    misses: FloatArray

    @classmethod
    def of(cls, points: OperatingPoints, total: float) -> _Levels:
        tp = points.tp[::-1]
        fp = points.fp[::-1]
        recall = np.linspace(0, tp[-1] / total, _N_LEVELS)
        place = _first_reaching(tp, recall * total)
        threshold = points.threshold[::-1][place]
        return cls(tp, fp, recall, threshold, tp[place], fp[place])


def band_of_rows(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    *,
    confidence_level: float,
    unit_id: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> Band:
    """Return the band of the precision of a curve, and warn if few units have a
    positive.

    `unit_id` and `sample_weight` are those of all rows, as the caller passed them, since
    `checked` does not contain the rows of weight 0.
    """
    level = read_confidence_level(confidence_level)
    positive, unit, noun = checked.positive, None, "positives"
    if unit_id is not None:
        n_rows = positive.size
        if sample_weight is not None:
            n_rows = np.size(on_host("sample_weight", sample_weight))
        unit = unit_numbers(unit_id, n_rows, sample_weight)
        noun = "units that contain a positive"
    weight = np.ones(positive.size) if checked.weight is None else checked.weight
    of_units = sums_of_units(weight * positive, unit)
    n_units = np.count_nonzero(of_units)
    if n_units < 2:
        raise ValueError(
            f"plot_band=True requires at least two {noun}, since a single one has "
            f"no spread; got {n_units}."
        )
    warn_of_few(n_equal(of_units), noun, FEW_DRAWN)
    ranking, points = points_in(checked, n_positives)
    total = ranking.n_positives.item()
    return band_by_influence(checked, points, total, unit, level=level)


def band_by_influence(
    checked: CheckedRows,
    points: OperatingPoints,
    total: float,  # of positives, with those that were missed
    unit: IntArray | None,
    *,
    level: float = 0.95,
) -> Band:
    """Return a pointwise band of precision at rising recalls.

    Its ends at a recall are those of the precision there (`Curve`). With units, they
    are those of as many rows as are as precise, by the design effect of each precision.
    The rows above a threshold count for no more than the events of false alarms that
    they would be (`one_more_event`).
    """
    positive = checked.positive
    levels = _Levels.of(points, total)
    weight = np.ones(positive.size) if checked.weight is None else checked.weight
    n_positives = n_equal(weight[positive])
    effect = event = np.ones(_N_LEVELS)
    if unit is not None:
        effect = _design_effect(checked, weight, unit, total, levels)
        event = _rows_of_events(checked, weight, unit, points, levels)
    precision = levels.hits / (levels.hits + levels.misses)
    # Few misses count by the weight of a negative, and few hits by that of a positive.
    of_hit, of_miss = (
        levels.tp[-1] / n_positives,
        levels.fp[-1] / n_equal(weight[~positive]),
    )
    rows_above = (levels.hits + levels.misses) / (
        of_hit * (1 - precision) + (of_miss or of_hit) * precision
    )
    rows_above *= effect / effect.clip(event)
    hits, misses = levels.tp / total, levels.fp / total
    if levels.tp[-1] < total * (1 - EQUAL):
        misses[-1] = np.inf  # a recall that no row reaches
    ends = []
    for recall, score, each, n_rows in zip(
        levels.recall, precision, effect, rows_above, strict=True
    ):
        counts = n_positives * total / levels.tp[-1], max(n_rows, 1.0)
        facts = Facts(score, n_positives=n_positives / each)
        ends.append(Curve(recall, hits, misses, *counts).ends(facts, level))
    low, high = np.transpose(ends)
    return levels.recall, low, high, f"{round(100 * level, 6):g} % band, pointwise"


def _design_effect(
    checked: CheckedRows,
    weight: FloatArray,
    unit: IntArray,
    total: float,
    levels: _Levels,
) -> FloatArray:
    """Return how much larger the variance of the precision at each threshold is over
    units than over rows, by linearisation; at least 1.

    All rows of one class between two levels have the same influence, so two times 102
    cells replace the rows: negatives, then positives, worst first.
    """
    # Positives weigh what the curve counts. Negatives are shares: squares of weights at
    # a tiny prevalence may overflow.
    positive, weight = checked.positive, weight.astype(np.float64)
    weight[positive] *= levels.tp[-1] / weight[positive].sum()
    weight[~positive] /= max(weight[~positive].sum(), _LEAST_DIVISOR)
    cell = np.searchsorted(levels.threshold[::-1], checked.score, side="right")
    cell += positive * _N_CELLS
    is_above = np.arange(_N_CELLS)[:, np.newaxis] > np.arange(_N_LEVELS)[::-1]
    squares = np.bincount(cell, weight**2, 2 * _N_CELLS).astype(np.float64)
    # Missed positives lie below all levels, and vary as the others do.
    squares[_N_CELLS] += (total - levels.tp[-1]) * weight[positive].mean()
    shape = int(unit.max()) + 1, squares.size
    in_cells = csr_array((weight, (unit, cell)), shape=shape)
    # all negatives for each one above the level; 0 where none is, and no odds are
    parts = ratio(np.full(_N_LEVELS, levels.fp[-1]), levels.misses, 0.0)
    odds = levels.hits * parts
    moved = np.concatenate([-odds * is_above, is_above])
    moved /= odds.clip(1.0)  # so that squares are finite
    products = (in_cells.T @ in_cells).toarray()  # of weights, over units
    of_units = (moved * (products @ moved)).sum(axis=0)
    # Weights at a tiny prevalence may have squares of 0.
    return ratio(of_units, squares @ moved**2, 1.0).clip(1.0)


def _rows_of_events(
    checked: CheckedRows,
    weight: FloatArray,
    unit: IntArray,
    points: OperatingPoints,
    levels: _Levels,
) -> FloatArray:
    """Return how many negatives of equal weight one more event of false alarms has at
    each level.

    Few rows above a high threshold show how alike the false alarms of a unit are. The
    event there is the geometric mean of what these rows show, or all rows of a unit if
    they show nothing, and of the event at the threshold above which half of the
    negatives are.
    """
    positive, negatives = checked.positive, weight[~checked.positive]
    # As shares of their class, since squares of weights at a tiny prevalence may
    # overflow.
    of_negatives = max(negatives.sum(), _LEAST_DIVISOR)
    shares = weight / np.where(positive, weight[positive].sum(), of_negatives)
    half = points.threshold[::-1][levels.fp.searchsorted(levels.fp[-1] / 2)]
    some = slice(None, None, _STEP)
    cells = (
        positive + 2 * (checked.score >= least)
        for least in (half, *levels.threshold[some])
    )
    events = np.array([weights_of_units(cell, unit, shares)[1][2] for cell in cells])
    events *= n_equal(negatives)
    means = np.sqrt(events[0] * events[1:])
    return np.asarray(np.interp(levels.recall, levels.recall[some], means))


def _first_reaching(tp: FloatArray, hits: FloatArray) -> IntArray:
    """Return the first threshold, best first, that finds so many positives; at least
    one.
    """
    return np.searchsorted(tp, hits.clip(EQUAL * tp[-1], tp[-1]) * (1 - EQUAL))
