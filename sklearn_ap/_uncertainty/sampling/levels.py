r"""Scores at recall levels as sums, and their derivatives.

A score is the mean, over the levels, of the best precision at a level or beyond. The
first group that has this precision is the *vertex* of the level, and a row at the
vertex or above changes it. A positive also changes the recall of each group, so the
level is reached at another place, and the best precision there differs by the *slope*.
Other samples reach a level up to some two standard errors away on both sides, so the
slope is that between these places.

In the example of the module `sums`, the levels 0, 1/2 and 1 are reached at rows 1, 3
and 5 (rows 3 and 4 are tied). The precision p of a vertex is that of
`_damped_precision`. A negative adds -p / 3B for each level whose vertex is at its own
group or below. A positive also adds 1 / 3B for each of them and, as it raises the
recall of its group and of all below, minus the slope of each level that is reached
there. As one more positive of the ranking, it lowers all recalls, which adds the slopes
times the levels (`missed`, -.022)::

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
from ..._core.ranking.levels import levels_in
from ..._core.ranking.rankings import ratio
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .. import rules
from .by_unit import sums_of
from .ranking import Groups
from .sums import Sum, from_each_on, vertices_of


def levels_of(definition: Definition) -> FloatArray | None:
    """Return the recall levels of a score; None for other scores."""
    levels = definition.levels
    return None if levels is None else levels_in(levels)


def mean_at_levels(levels: FloatArray, groups: Groups) -> Sum:
    """Return the mean over the levels as a sum over their vertices, with its
    derivatives.

    A vertex has the precision p = A / B. A negative at the vertex or above changes it
    by -p / B, and a positive by (1 - p) / B, which is 1 / B more.

    Of all P positives, a level r is reached at the weight r P. One more positive raises
    this weight by r. If it is found at this place or above, it is among them, so the
    place moves by r - 1 only: a positive adds the slope times r, and minus the slope.
    """
    best, vertices = vertices_of(groups)
    if groups.weight_left_out:
        # Only the sum with these precisions is used, and not its derivatives.
        best = groups.precision_of_others()
    n_groups, reached = best.size, groups_at(levels, groups)
    groups_of_reached_levels = reached[reached < n_groups]
    vertex = vertices[groups_of_reached_levels]
    gains = sums_of(best[groups_of_reached_levels] / levels.size, vertex, n_groups)
    per_weight = 1 / (groups.retrieved[vertex] * levels.size)
    damped_loss = _damped_precision(vertex, groups) * per_weight
    negative = -from_each_on(sums_of(damped_loss, vertex, n_groups))
    slope = _slopes_by_recall(levels, groups, best) / levels.size
    missed = float((slope * levels).sum())
    # A level that no row reaches counts as reached by the last group: all found
    # positives are above it.
    slope_at_group = sums_of(slope, reached.clip(max=n_groups - 1), n_groups)
    added = sums_of(per_weight, vertex, n_groups)
    positive = negative + from_each_on(added - slope_at_group) + missed
    return Sum(gains, positive, negative, missed=missed)


def groups_at(recall: FloatArray, groups: Groups) -> IntArray:
    """Return the first group that reaches each recall, or the number of groups."""
    total = groups.n_positives
    # Recall 0, too, is reached at a positive.
    least = groups.positives[groups.positives > 0].min(initial=total)
    needed = np.maximum(recall * total, least) * (1 - EQUAL)
    return np.asarray(groups.tp.searchsorted(needed))


def _slopes_by_recall(
    levels: FloatArray, groups: Groups, best: FloatArray
) -> FloatArray:
    """Return the slope of the best precision by the weight of positives, at each level:
    between two standard errors before the level and two beyond it. It is at most 0.

    If positives were missed, the curve falls from some height h to 0 at the last one
    that was found. Half of the samples reach a level there, and have the best precision
    h, and the others 0: a standard error of h / 2. But a fall of h between places that
    are four standard errors apart is a slope of h / 4 per standard error. So if a
    single level is there, h is added to its fall once more. Two levels have h / 4 +
    h / 4.

    For example, the five rows of the module `sums` lack a positive. So no row reaches
    recall 1, where the curve is 0, and it falls from h = .6, the precision of the last
    positive. Each of these levels has its place beyond at recall 1. The last two
    columns are for a score with this level alone::

        level   before   beyond   curve      fall   slope   single: fall   slope
        1/2     0        1        1 to 0     -1     -.25            -1.6    -.4
        3/4     .317     1        .6 to 0    -.6    -.220           -1.2    -.439
    """
    errors = np.sqrt(levels * (1 - levels) / groups.n_effective_of_all)
    before = (levels - rules.REACH_OF_SLOPE * errors).clip(0)
    beyond = (levels + rules.REACH_OF_SLOPE * errors).clip(max=1)
    # Beyond the last positive that was found, the best precision is 0.
    heights = np.append(best, 0.0)
    group_beyond = groups_at(beyond, groups)
    fall = heights[group_beyond] - heights[groups_at(before, groups)]
    at_last_fall = np.flatnonzero((group_beyond == best.size) & (fall < 0))
    if at_last_fall.size == 1:
        # Falls are negative. The height h is the precision of the last positive.
        fall[at_last_fall] -= groups.last_precision
    return ratio(fall, beyond - before) / groups.n_positives


def _damped_precision(vertex: IntArray, groups: Groups) -> FloatArray:
    """Return the precision of each vertex, after a part of a row is added that has the
    precision of the first rows.

    It is below 1 also for a vertex of a single positive. Otherwise, this vertex would
    show no variation.
    """
    # One row has the typical weight of a positive.
    weight_of_row = groups.n_positives / groups.n_effective_of_all
    tp, retrieved = np.append(0.0, groups.tp), np.append(0.0, groups.retrieved)
    found = np.interp(rules.FIRST_ROWS * weight_of_row, retrieved, tp)
    # With one more row, which is half a positive, the precision is neither 0 nor 1.
    precision = (found / weight_of_row + 0.5) / (rules.FIRST_ROWS + 1)
    added = rules.ADDED_ROW * weight_of_row
    tp_with_part = groups.tp[vertex] + added * precision
    return np.asarray(tp_with_part / (groups.retrieved[vertex] + added))
