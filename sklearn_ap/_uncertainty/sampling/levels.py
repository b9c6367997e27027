r"""Scores at recall levels as sums, and their derivatives.

A score is the mean, over the levels, of the best precision at a level or beyond. A row
at or above the vertex of a level, the group that has this precision, changes it. A
positive also changes the recall of each group, so the level is reached elsewhere: it
*moves* the place of the level, by the slope of the best precision there. The places of
other samples are some two standard errors away on both sides, so the slope is that
between them.

In the example of the module `sums`, the levels 0, 1/2 and 1 are reached at rows 1, 3
and 5 (rows 3 and 4 are tied). The precision p of a vertex is what
`_precision_of_vertices` shows. A negative changes p / 3 of each level whose vertex is
at its own group or below. A positive also adds 1 / 3B to each of them and, as it raises
the recall of its group and of all below, the negative slope of each level that is
reached there. As one more positive of the ranking, it lowers all recalls, which adds
the slopes times the levels (`missed`, -.022)::

    row                    1         2      3 and 4      5
    best precision         1        .6        .6        .6     mean: (1 + .6 + .6) / 3
    vertex               row 1    row 5     row 5     row 5
    level reached          0        -        1/2        1
    slope / 3              0        -      -.0444       0
    vertex of levels       0        -         -     1/2 and 1
    p                    .708       -         -       .563
    1 / 3B               .333       0         0       .133     of these levels
    p / 3B               .236       0         0       .075
    negative            -.311    -.075     -.075     -.075     -(p / 3B and below)
    positive             .178     .080      .080      .036
"""

import numpy as np

from ..._core.definition import Definition
from ..._core.ranking.rankings import ratio
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .. import rules
from .by_unit import sums_of
from .ranking import Groups
from .sums import Sum, from_each_on, vertices_of


def levels_of(definition: Definition) -> FloatArray | None:
    """Return the recall levels of a score; None for other scores."""
    grid = definition.grid
    return np.linspace(0, 1, grid) if isinstance(grid, int) else grid


def mean_at_levels(levels: FloatArray, groups: Groups) -> Sum:
    """Return the mean of the best precisions at several recalls or beyond, with its
    derivatives.
    """
    best, vertices = vertices_of(groups)
    if groups.own_weight:
        best = groups.precision_of_others()
    reached, size = groups_at(levels, groups), best.size
    here = reached[reached < size]
    gains = best[here] / levels.size
    slope = _slopes_by_recall(levels, groups, best) / levels.size
    # A level r is reached at the weight r P of the positives. Each positive raises P,
    # and so this weight by r. One above the level is among them, so it moves by r - 1.
    missed = float((slope * levels).sum())
    at = vertices[here]
    per_weight = 1 / (groups.retrieved[at] * levels.size)
    shown = _precision_of_vertices(at, groups)
    negative = -from_each_on(sums_of(shown * per_weight, at, size))
    # All found positives are above a level that no row reaches.
    slopes_below = sums_of(slope, reached.clip(max=size - 1), size)
    moved = sums_of(per_weight, at, size) - slopes_below
    positive = negative + from_each_on(moved) + missed
    gains = sums_of(gains, at, size)
    return Sum(gains, positive, negative, missed=missed)


def groups_at(recall: FloatArray, groups: Groups) -> IntArray:
    """Return the first group that reaches each recall, or the number of groups."""
    total = groups.n_positives
    # At recall 0, too, there is a positive.
    least = groups.positives[groups.positives > 0].min(initial=total)
    reached = np.maximum(recall * total, least) * (1 - EQUAL)
    return np.asarray(groups.tp.searchsorted(reached))


def _slopes_by_recall(
    levels: FloatArray, groups: Groups, best: FloatArray
) -> FloatArray:
    """Return the slope of the best precision by the weight of positives, at each level:
    between two standard errors before the level and two beyond it. It is at most 0.

    If the five rows of the module `sums` lack a positive, no row reaches recall 1,
    where the curve is 0. So these levels are near the fall from .6, the precision of
    the last positive, to 0. If only one level is near it, its fall has .6 once more::

        level    before    beyond    curve       fall     slope    fall, if single
        1/2      0         1         1 to 0      -1       -.25     -1.6     -.4
        3/4      .317      1         .6 to 0     -.6      -.220    -1.2     -.439
    """
    errors = np.sqrt(levels * (1 - levels) / groups.n_effective)
    before = (levels - rules.REACH * errors).clip(0)
    beyond = (levels + rules.REACH * errors).clip(max=1)
    heights, ends = np.append(best, 0.0), groups_at(beyond, groups)
    fall = heights[ends] - heights[groups_at(before, groups)]
    # If positives were missed, the curve falls to 0 at the last one that was found. A
    # single level near this fall should have half of the fall as its error, as if half
    # of the samples reached it. But between REACH = 2 errors before the level and 2
    # beyond it, the slope is a quarter of the fall per error. So the levels near this
    # fall count it at least REACH times together: a single level once more, and several
    # levels no more than once each.
    is_near = (ends == best.size) & (fall < 0)
    more = max(rules.REACH - np.count_nonzero(is_near), 0)
    fall[is_near] -= more * best[groups.tp.argmax()]
    return ratio(fall, beyond - before) / groups.n_positives


def _precision_of_vertices(at: IntArray, groups: Groups) -> FloatArray:
    """Return the precision of each vertex, after a part of a row is added that has the
    precision of the first rows.

    It is below 1 also for a vertex of a single positive. Otherwise, this vertex would
    show no variation.
    """
    # The typical weight of a positive is that of one row.
    typical = groups.n_positives / groups.n_effective
    tp, retrieved = np.append(0.0, groups.tp), np.append(0.0, groups.retrieved)
    found = np.interp(rules.FIRST_ROWS * typical, retrieved, tp)
    # With one more row, which is half a positive, the precision is neither 0 nor 1.
    precision = (found / typical + 0.5) / (rules.FIRST_ROWS + 1)
    added = rules.ADDED_ROW * typical
    shown = (groups.tp[at] + added * precision) / (groups.retrieved[at] + added)
    return np.asarray(shown)
