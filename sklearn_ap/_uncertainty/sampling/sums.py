r"""A score of one ranking as a sum over its tied groups, and its derivatives.

The sum depends on two running sums over the groups, best first: the weight of the
positives, A, and the weight of all rows, B. A row changes both at its own group and at
all groups below. So the derivative by the weight of a row is the sum, over the groups
from its own on, of the derivatives by A and by B.

A score that ends at a cut (k rows, rows of as much weight as all positives, or a
recall) changes in a second way: a row *moves* the cut. A threshold of the population
cuts each sample after another number of rows. So this effect is the number of rows (of
R-precision: the weight) by which the row moves the cut, times what a row at the cut
adds to the score. The cuts of other samples are some two standard errors away on both
sides. So for rows, `Sum.at_cut` is the mean over the rows between them, and for a
recall, `_slopes_by_recall` is the slope between them.

Five rows have the labels 1, 0, 1, 0 and 1, best first, and rows 3 and 4 are tied. Step
average precision is the sum of a p / 3, with the precision p = A / B of each group and
the positives a that it gains. A row changes p at its own group and at all below, by
what "and below" adds up, and a positive also gains p, and adds to the divisor 3
(`Sum.over`)::

    rows                       1         2      3 and 4      5
    a                          1         0         1         1
    A                          1         1         2         3
    B                          1         2         4         5
    p                          1        1/2       1/2       3/5
    a p / 3                   1/3        0        1/6       1/5     sum: 7/10
    a (1 - p) / B              0         0        1/8       2/25
    and below, q             .205      .205      .205       .08
    a p / B                    1         0        1/8       3/25
    and below, n             1.245     .245      .245       .12
    positive                 .505/3    .005/3    .005/3    -.02/3   (p + q - 7/10) / 3
    negative                -1.245/3  -.245/3   -.245/3    -.12/3   -n / 3

The derivatives by the weights of all five rows add up to 0, since the scale of weights
has no effect.
"""

from dataclasses import replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ..._core.areas.hits import HITS
from ..._core.areas.interpolated import INTERPOLATED
from ..._core.areas.joined import LINEAR
from ..._core.areas.step import STEP
from ..._core.definition import Definition
from ..._core.ranking.cut import cut_depth
from ..._core.ranking.rankings import ratio
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .. import rules
from .by_unit import Numbers, sums_of
from .ranking import Groups, Ranking

# The areas whose derivatives this module has.
KNOWN_AREAS = STEP, INTERPOLATED, LINEAR, HITS


class Sum(NamedTuple):
    """A sum over groups, and its derivatives.

    `positive` and `negative` are the derivatives by the weight of a positive and of a
    negative of each group, and `missed` is that by the number of missed positives.
    """

    gains: FloatArray
    positive: Numbers = 0.0
    negative: Numbers = 0.0
    missed: float = 0.0
    # What a row at the cut adds, per row; for R-precision, per weight.
    at_cut: float = 0.0

    @property
    def total(self) -> float:
        """The sum over all groups."""
        return float(self.gains.sum())

    def over(self, other: "Sum") -> "Sum":
        """Return the quotient of both totals as a sum (the quotient rule); 0 if the
        divisor is 0.
        """
        divisor = other.total or 1.0
        quotient = self.total / divisor

        def slope_of(own: Any, theirs: Any) -> Any:
            slope = own / divisor
            slope -= quotient / divisor * theirs
            return slope

        return Sum(self.gains / divisor, *map(slope_of, self[1:], other[1:]))

    def places_of(self, *shares: float) -> IntArray:
        """Return the groups at which these shares of the total are reached."""
        reached = np.cumsum(self.gains)
        # A sum that is below the share only by rounding reaches it.
        sums = np.array(shares) * reached[-1] * (1 - EQUAL)
        return np.asarray(reached.searchsorted(sums))


def levels_of(definition: Definition) -> FloatArray | None:
    """Return the recall levels of a score; None for other scores."""
    grid = definition.grid
    return np.linspace(0, 1, grid) if isinstance(grid, int) else grid


def score_of(
    definition: Definition,
    groups: Groups,
    excess: float = 0.0,
    *,
    k: float | None = None,
    slopes: bool = True,
) -> tuple[Sum, Sum]:
    """Return the score of a ranking as a sum, and its divisor.

    With `k`, it is that of this number of first rows, and the threshold is fixed.
    With `excess`, `Sum.negative` is the change, per weight, if this weight of a
    negative is removed.
    Without `slopes`, derivatives are not computed.
    """
    positives = Sum(np.array(groups.n_positives), positive=1.0, missed=1.0)
    levels = levels_of(definition)
    if levels is not None:
        return _at_levels(levels, groups, slopes=slopes), positives
    divisor = positives
    if definition.is_whole and definition.area is not HITS:
        number = _area(groups, definition.area, excess, slopes=slopes)
    elif definition.cut == "n_positives":
        number = _hits_of_r_precision(groups, slopes=slopes)
    else:
        number, divisor = _at_cut(
            definition, groups, positives, excess, k, slopes=slopes
        )
    return number.over(divisor), divisor


def from_each_on(values: FloatArray) -> FloatArray:
    """Return, for each value, the sum of this value and all later values."""
    return values[::-1].cumsum()[::-1]


def _best(precision: FloatArray) -> FloatArray:
    """Return the best precision at each group or below."""
    return np.maximum.accumulate(precision[::-1])[::-1]


def vertices_of(groups: Groups, alarm: float = 0.0) -> tuple[FloatArray, IntArray]:
    """Return the best precision at each group or below, and the first group that has
    it: the vertex of the group. With `alarm`, a negative of this weight ranks first.
    """
    precision = ratio(groups.tp, groups.retrieved + alarm)
    best = _best(precision)
    is_vertex = precision >= best * (1 - EQUAL)
    places = np.where(is_vertex, np.arange(best.size), best.size)
    return best, np.minimum.accumulate(places[::-1])[::-1]


def _area(groups: Groups, area: object, excess: float, *, slopes: bool) -> Sum:
    r"""Return the sum over groups of the positives gained, a, times a height.

    The height is the precision p = A / B of the group, the best one at the group or
    below or, for straight lines, the mean of p and that of the group above. So the sum
    changes by the height per weight of a positive of the group and, for each group from
    its own on, by the derivative of p: (1 - p) / B for a positive and -p / B for a
    negative, times the positives that have this p as their height.
    """
    gained, tp, retrieved = groups.positives, groups.tp, groups.retrieved
    height = precision = ratio(tp, retrieved)
    if groups.own:
        height = groups.precision_of_others()
    elif area is INTERPOLATED:
        height = _best(precision)
    if area is LINEAR:
        height = (height + np.append(1.0, precision[:-1])) / 2
    if not slopes:
        return Sum(gained * height)
    by_precision = gained
    if area is INTERPOLATED:
        # The best precision is that of a vertex, which is above that of all groups
        # below it. A small change keeps the vertex.
        below = np.append(height[1:], 0.0)
        vertices = np.flatnonzero(precision > below * (1 + EQUAL))
        by_precision = np.zeros(tp.size)
        by_precision[vertices] = np.diff(tp[vertices], prepend=0.0)
    elif area is LINEAR:
        by_precision = (gained + np.append(gained[1:], 0.0)) / 2
    per_weight = ratio(by_precision, retrieved)
    loss = per_weight * precision
    positive = from_each_on(per_weight - loss)
    positive += height
    if excess:
        # Without negatives, the weight retrieved is that of the positives.
        left = np.maximum(retrieved - excess, tp)
        loss = ratio(by_precision * precision, left)
    return Sum(gained * height, positive, -from_each_on(loss))


def _at_levels(levels: FloatArray, groups: Groups, *, slopes: bool) -> Sum:
    """Return the mean of the best precisions at several recalls or beyond.

    A row at or above the vertex of a level, which has the best precision, changes the
    precision there. A positive also changes the recall at each group, so the level is
    reached elsewhere.
    """
    best, vertices = vertices_of(groups)
    if groups.own:
        best = groups.precision_of_others()
    reached, size = _groups_at(levels, groups), best.size
    here = reached[reached < size]
    gains = best[here] / levels.size
    if not slopes:
        return Sum(gains)
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


def _groups_at(recall: FloatArray, groups: Groups) -> IntArray:
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
    """
    errors = np.sqrt(levels * (1 - levels) / groups.n_effective)
    before = (levels - rules.REACH * errors).clip(0)
    beyond = (levels + rules.REACH * errors).clip(max=1)
    heights, ends = np.append(best, 0.0), _groups_at(beyond, groups)
    fall = heights[ends] - heights[_groups_at(before, groups)]
    # If positives were missed, the curve falls to 0 at the last one that was found. A
    # single level near this fall is reached in some samples only. So it counts as
    # `rules.REACH` levels: its error is half of the fall, as if half of the samples
    # reached it.
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
    # Typical weight of a positive.
    row = groups.n_positives / groups.n_effective
    tp, retrieved = np.append(0.0, groups.tp), np.append(0.0, groups.retrieved)
    found = np.interp(rules.FIRST_ROWS * row, retrieved, tp)
    # With one more row, which is half a positive, the precision is neither 0 nor 1.
    precision = (found / row + 0.5) / (rules.FIRST_ROWS + 1)
    added = rules.ADDED_ROW * row
    shown = (groups.tp[at] + added * precision) / (groups.retrieved[at] + added)
    return np.asarray(shown)


# --- scores that end at a cut ---------------------------------------------------------


def rows_of_cut(definition: Definition, n_rows: float) -> float:
    """Return the number of rows that the cut of a score selects; all if it has none."""
    return float(cut_depth(np.array([n_rows], dtype=float), definition.k).item())


def share_inside(sizes: FloatArray, depth: float) -> FloatArray:
    """Return the share of each group among the first `depth` rows or weights."""
    return ((depth - (np.cumsum(sizes) - sizes)) / sizes).clip(0, 1)


def _per_row_near(groups: Groups, depth: float) -> tuple[float, float]:
    r"""Return the weight of the positives near a depth, and of all rows, per row there.

    It reaches as far as the upper endpoint of the interval of a Poisson count x by the
    score test: :math:`x + z^2 / 2 + z \sqrt{x + z^2 / 4}`, where z is `rules.REACH`.
    """
    z = rules.REACH
    reach = z**2 / 2 + z * sqrt(depth + z**2 / 4)
    near = share_inside(groups.rows, depth + reach)
    near -= share_inside(groups.rows, depth - reach)
    near /= float((near * groups.rows).sum())
    return float((near * groups.positives).sum()), float((near * groups.weights).sum())


def _hits_of_r_precision(groups: Groups, *, slopes: bool) -> Sum:
    """Return the positives among the first rows that weigh as much as all positives."""
    inside = share_inside(groups.weights, groups.n_positives)
    hits = Sum(inside * groups.positives, positive=inside)
    # If the positives weigh as much as all rows, the cut cannot move.
    if not slopes or groups.n_positives >= groups.weights.sum():
        return hits
    hits_near, weight = _per_row_near(groups, float((inside * groups.rows).sum()))
    return hits._replace(at_cut=hits_near / (weight or 1.0))


def _at_cut(
    definition: Definition,
    groups: Groups,
    positives: Sum,
    excess: float,
    k: float | None,
    *,
    slopes: bool,
) -> tuple[Sum, Sum]:
    """Return a sum over the first k rows, and its divisor."""
    n_rows, is_fixed = float(groups.rows.sum()), k is not None
    if k is None:
        k = rows_of_cut(definition, n_rows)
    depth = min(k, n_rows)
    inside = share_inside(groups.rows, depth)
    cut = replace(
        groups, positives=inside * groups.positives, weights=inside * groups.weights
    )
    weight = float(cut.weights.sum())
    hits_near = weight_near = 0.0
    # A cut after all rows cannot move.
    if slopes and not is_fixed and depth < n_rows:
        hits_near, weight_near = _per_row_near(groups, depth)
    hits = Sum(cut.positives, positive=inside, at_cut=hits_near)
    number = hits
    if definition.area is not HITS:
        area = _area(cut, definition.area, excess, slopes=slopes)
        # A hit at the cut has the precision there.
        at_cut = hits_near * hits.total / weight
        number = Sum(
            area.gains, inside * area.positive, inside * area.negative, at_cut=at_cut
        )
    match definition.normalizer:
        case "k":
            # If the ranking has fewer than k rows, the divisor is k nevertheless.
            per_weight = k / depth
        case "min" if k < groups.of_found.size + groups.n_missed:
            # The weight of the k heaviest positives grows with the rows above the cut.
            per_weight = groups.weight_of_heaviest(k) / weight
        case "hits":
            return number, hits
        case _:
            return number, positives
    part = per_weight * inside
    rows = Sum(part * groups.weights, part, part, at_cut=per_weight * weight_near)
    return number, rows


def moved_by_rows(
    definition: Definition, ranking: Ranking, k: float
) -> tuple[FloatArray, float]:
    """Return the number of rows by which each row moves a cut after k rows, and that of
    a missed positive.
    """
    n_rows = float(ranking.groups.rows.sum())
    if not isinstance(definition.k, int):
        return np.full(ranking.weight.size, k / n_rows) * ranking.copies, 0.0
    # If k is a number of rows, missed positives are drawn like rows. If units are
    # drawn, samples have the same number of units, and not of rows. So each unit has
    # the same part of the cut, whatever its size.
    share = k / (n_rows + ranking.n_missed)
    if ranking.by_rows:
        return np.full(ranking.weight.size, share) * ranking.copies, share
    in_unit = np.bincount(ranking.unit)
    of_unit = share * n_rows / in_unit.size
    return of_unit / in_unit[ranking.unit], share


def ahead_of_cut(definition: Definition, ranking: Ranking) -> tuple[FloatArray, float]:
    """Return, for each row, its rows above the fixed threshold of the cut minus the
    rows by which it moves the cut; and the same for a missed positive. For R-precision,
    both are weights. If the number is above 0, other rows leave the cut.
    """
    groups = ranking.groups
    if definition.cut == "n_positives":
        inside = share_inside(groups.weights, ranking.n_positives)
        return ranking.weight * ranking.to_rows(inside) - ranking.found, -1.0
    k = rows_of_cut(definition, ranking.positive.size)
    moved, moved_by_missed = moved_by_rows(definition, ranking, k)
    inside = ranking.to_rows(share_inside(groups.rows, k)) * ranking.copies
    return inside - moved, -moved_by_missed
