r"""Influence of each row on the mean of the best precisions at several recall levels,
such as eleven-point AP.

The best precision at the level r or beyond is the precision TP / B of a step, the
vertex of the level. A row changes it in two ways:

1. The threshold of the vertex is fixed, and the row is at or above it. The precision
   changes by :math:`(y - p) / B`, where y is 1 for a positive, else 0, and p is the
   precision. The choice of the vertex has no effect: the envelope theorem (P. Milgrom,
   I. Segal, Econometrica 70, 2002).
2. A positive changes the recall at each threshold, so the level is reached elsewhere.
   The best precision changes by its slope with respect to the recall, times
   :math:`(r - a) / P`, where a is 1 at or above the level, else 0, and P is the number
   of positives.

The mean over levels is taken row by row, so levels that share rows need no covariance.
All sums are over weights.

*Few rows.* The vertex of level 0 has a few rows, however many rows there are. A vertex
of one row, with the precision 1, would have no variance, since y = p. So p is that of
the vertex and of `_ADDED` of a row that has the precision q of the first ten rows. If
the first rows are independent, and positive with the probability q, the best precision
of a sample has a known variance. The mean square of these influences is equal to this
variance if 1.6 rows are added at q = .2, .9 at .5, .7 at .6 and .4 at .8: about
:math:`.87 \sqrt{(1 - q) / q}`. So 3/4 of a row is right where about six of the first
ten rows are positive. Where two of ten are, the standard error of level 0 is too small
by a factor of 1.2, and where eight are, it is too large by 1.35. A number that depends
on q would be right in both cases, but finds fewer differences between models with few
hits at the top. The page *Intervals* shows how often tests reject and intervals cover.

*The slope* is measured over the next two standard errors of the recall, where other
samples reach the level.
"""

from typing import NamedTuple, Self

import numpy as np

from .._core.definition import Definition
from .._core.ranking.rankings import Steps
from .._core.rounding import EQUAL
from .._core.typing import FloatArray, IntArray, Levels
from .cells import of_steps, steps_of_cells
from .influence import Influences, RankedCells, influence_of_rows

# Number of rows that are added to each vertex, and of the first rows that have their
# precision.
_ADDED = 0.75
_FIRST_ROWS = 10


class _BestPrecision(NamedTuple):
    """The best precision at each step or a worse one, worst step first."""

    tp: FloatArray
    at_step: FloatArray
    # The place of the vertex of each step: of equal precisions, the first one that
    # reaches the level. 1 of 1 and 3 of 3 have the same precision, and 1 of 1 shows
    # less about it.
    vertex: IntArray

    @classmethod
    def of(cls, steps: Steps) -> Self:
        precision = steps.tp / steps.retrieved
        best = np.maximum.accumulate(precision)
        is_vertex = precision >= best * (1 - EQUAL)
        places = np.where(is_vertex, np.arange(best.size), 0)
        return cls(steps.tp, best, np.maximum.accumulate(places))

    def step_of(self, hits: FloatArray) -> IntArray:
        """Return the place of the best step with at least these hits, -1 if there is
        none. Any step has enough hits for the recall 0.
        """
        needed = np.maximum(hits, self.tp[-1]) * (1 - EQUAL)
        # Hits decrease from the worst step to the best step.
        return np.asarray((-self.tp).searchsorted(-needed, side="right") - 1)

    def at(self, step: IntArray) -> FloatArray:
        """Return the best precision at these places; 0 at -1."""
        return np.where(step >= 0, self.at_step[step], 0.0)


def levels_of(grid: Levels) -> FloatArray:
    """Return the levels of a grid."""
    return np.linspace(0, 1, grid) if isinstance(grid, int) else grid


def share_of_first(grid: Levels, ranking: RankedCells) -> float:
    """Return the share of the recall levels that the first positive reaches, or the
    first unit that contains positives; 0 if no row is positive.
    """
    if not ranking.positive.any():
        return 0.0
    n_positives = ranking.n_effective + ranking.n_missed
    return float(np.mean(levels_of(grid) * n_positives <= 1 + EQUAL))


def influence_at_levels(
    definition: Definition, ranking: RankedCells, grid: Levels
) -> Influences:
    """Return the influence of each row of a single ranking on the mean of the best
    precisions at the levels of `grid` or beyond, per weight of the row.

    `definition` is that of the same area at every recall. Its other numbers, such as
    the effect of missing negatives on the interval, are those of the levels, too.
    """
    part = influence_of_rows(definition, ranking)
    cells, n_positives = ranking.cells, ranking.n_positives
    if not cells.n_steps:
        return part
    steps = steps_of_cells(cells.sums(ranking.weights))
    best = _BestPrecision.of(steps)
    levels = levels_of(grid)
    step = best.step_of(levels * n_positives)
    slope = _slopes(best, levels, ranking) / (levels.size * n_positives)
    is_reached = step >= 0
    step, vertex = step[is_reached], best.vertex[step[is_reached]]
    per_row = 1 / (steps.retrieved[vertex] * levels.size)
    precision = _precision_with_added(steps, vertex, ranking)

    def at_or_below(places: IntArray, values: FloatArray) -> FloatArray:
        """Return, for each step, the sum of the values at it and at worse steps."""
        return np.add.accumulate(np.bincount(places, values, cells.n_steps))

    of_negatives = -at_or_below(vertex, precision * per_row)
    # `of_missed` is the effect of a positive below all levels.
    of_missed = float(slope @ levels)
    moved = of_missed - at_or_below(step, slope[is_reached])
    of_cells = np.zeros(1 + 3 * cells.n_steps)
    of_step = of_steps(of_cells)
    of_step.tied[:] = of_step.above[:] = of_negatives
    of_step.positive[:] = of_negatives + at_or_below(vertex, per_row) + moved
    score = float(best.at(step).sum()) / levels.size
    return part._replace(
        of_units=of_cells[cells.cell],
        of_missed=of_missed,
        inputs=part.inputs._replace(score=score),
    )


def _slopes(
    best: _BestPrecision, levels: FloatArray, ranking: RankedCells
) -> FloatArray:
    """Return the slope of the best precision over the next two standard errors of the
    recall at each level; 0 at the levels 0 and 1, which no sample misses.
    """
    n_effective = ranking.n_effective + ranking.n_missed
    errors = np.sqrt(levels * (1 - levels) / n_effective)
    beyond = np.minimum(levels + 2 * errors, 1.0)
    here, there = (
        best.at(best.step_of(recall * ranking.n_positives))
        for recall in (levels, beyond)
    )
    # `beyond` is equal to the level if the error is 0, or less than rounding.
    width = beyond - levels
    slopes = np.zeros(levels.size)
    np.divide(there - here, width, out=slopes, where=width > 0)
    return slopes


def _precision_with_added(
    steps: Steps, vertex: IntArray, ranking: RankedCells
) -> FloatArray:
    """Return the precision at each vertex, with `_ADDED` of a row that has the
    precision of the first ten rows.
    """
    # The weight of a row: that of a typical unit of positives.
    row = (ranking.n_positives - ranking.n_missed) / ranking.n_effective
    # Positives that are found in the first rows. If the last of these rows is in a tied
    # group, the positives of the group count by the share of it among the first rows.
    depth = np.column_stack((steps.above, steps.retrieved))[::-1].ravel()
    tp = np.column_stack((steps.tp_above, steps.tp))[::-1].ravel()
    found = np.interp(_FIRST_ROWS * row, depth, tp)
    # Half a positive of one more row, so that the precision is never 0.
    precision = (found + row / 2) / ((_FIRST_ROWS + 1) * row)
    added = _ADDED * row
    of_vertex = steps.tp[vertex] + added * precision
    return np.asarray(of_vertex / (steps.retrieved[vertex] + added))
