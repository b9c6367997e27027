r"""A score of one ranking as a sum over its tied groups, and its derivatives.

The sum depends on two running sums over the groups, best first: the weight of the
positives, A, and the weight of all rows, B. A row changes both at its own group and at
all groups below. So the derivative by the weight of a row is the sum, over the groups
from its own on, of the derivatives by A and by B.

A score that ends at a cut (k rows, as many rows as positives, or a recall) changes in a
second way: a row moves the cut. This effect is the number of rows, or of positives, by
which the row moves the cut, times the slope of the score there. The slope is a
difference over the cuts of other samples, which reach two standard deviations of a
count on both sides.
"""

from math import ceil, sqrt
from typing import Any, NamedTuple, Self

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

# The areas whose derivatives this module has.
KNOWN_AREAS = STEP, INTERPOLATED, LINEAR, HITS
# The fields of a `Definition` that the derivatives account for.
KNOWN_FIELDS = {"area", "grid", "cut", "ties", "normalizer", "prevalence"}
# Standard deviations of a count that the cuts of other samples reach.
_REACH = 2.0
# A best precision of few rows shows little of its variation. So this part of a row is
# added, with the precision of this number of first rows.
_ADDED, _FIRST_ROWS = 0.75, 10.0

Numbers = FloatArray | float


class Groups(NamedTuple):
    """The tied groups of one ranking, best first."""

    # Weight of the positives, weight of all rows, and number of rows of each group.
    positives: FloatArray
    weights: FloatArray
    rows: FloatArray
    # Weight and effective number of all positives, and number of missed positives.
    n_positives: float
    n_effective: float
    n_missed: float
    # Weight of each positive that was found.
    each: FloatArray
    # Weight that a positive does not count in the precision at its own place. If it is
    # not 0, no best precision is chosen either.
    own: float = 0.0

    def with_event(self, place: int, weight: float, rows: float, *, hit: bool) -> Self:
        """Return the groups with one more event, of positives if `hit`, as a group in
        front of that at `place`.
        """

        def with_value(values: FloatArray, value: float) -> FloatArray:
            return np.concatenate((values[:place], [value], values[place:]))

        return self._replace(
            positives=with_value(self.positives, hit * weight),
            weights=with_value(self.weights, weight),
            rows=with_value(self.rows, rows),
            n_positives=self.n_positives + hit * weight,
            each=np.append(self.each, weight) if hit else self.each,
        )

    def precision_at_positives(
        self, tp: FloatArray, retrieved: FloatArray
    ) -> FloatArray:
        """Return the precision of the rows at each group or above, without the weight
        `own` of a positive. A positive that is alone there is kept.
        """
        has_others = retrieved > self.own * (1 + EQUAL)
        own = np.where(has_others, self.own, 0.0)
        return ratio((tp - own).clip(0), retrieved - own)

    def weight_of_best(self, k: float) -> float:
        """Return the weight of the k heaviest positives. Missed positives weigh 1."""
        n_ones = min(ceil(self.n_missed), int(k))
        weights = np.append(self.each, np.ones(n_ones))
        if k < weights.size:
            weights = np.partition(weights, weights.size - int(k))[-int(k) :]
        return float(weights.sum())


class Sum(NamedTuple):
    """A sum over groups, and its derivatives.

    `positive` and `negative` are the derivatives by the weight of a positive and of a
    negative of each group, and `missed` is that by the number of missed positives.
    """

    gains: FloatArray
    positive: Numbers = 0.0
    negative: Numbers = 0.0
    missed: float = 0.0
    # Part of the sum that a row at the cut has: in rows or, for R-precision, in weight.
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
        slopes: Any = (
            (own - quotient * theirs) / divisor
            for own, theirs in zip(self[1:], other[1:], strict=True)
        )
        return Sum(self.gains / divisor, *slopes)

    def place_of(self, share: float) -> int:
        """Return the group at which this share of the total is reached."""
        reached = np.cumsum(self.gains)
        # A sum that is below the share only by rounding reaches it.
        return int(reached.searchsorted(share * reached[-1] * (1 - EQUAL)))


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
    if definition.is_whole and definition.tie_order is None:
        number = _area(groups, definition.area, excess, slopes=slopes)
    elif definition.cut == "n_positives":
        number = _hits_of_r_precision(groups, slopes=slopes)
    else:
        number, divisor = _at_cut(
            definition, groups, positives, excess, k, slopes=slopes
        )
    return number.over(divisor), divisor


def sums_of(values: FloatArray, place: IntArray, n_places: int = 0) -> FloatArray:
    """Return the sum of the values of each group or unit; `place` is its number, from
    0.
    """
    return np.bincount(place, values, n_places).astype(np.float64, copy=False)


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
    precision = ratio(groups.positives.cumsum(), groups.weights.cumsum() + alarm)
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
    gained = groups.positives
    tp, retrieved = gained.cumsum(), groups.weights.cumsum()
    height = precision = ratio(tp, retrieved)
    if area is INTERPOLATED:
        height = _best(precision)
    if groups.own:
        height = groups.precision_at_positives(tp, retrieved)
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
    positive = height + from_each_on(per_weight - loss)
    if excess:
        # Without negatives, the weight retrieved is that of the positives.
        left = np.maximum(retrieved - excess, tp)
        loss = ratio(by_precision * precision, left)
    return Sum(gained * height, positive, -from_each_on(loss))


def _at_levels(levels: FloatArray, groups: Groups, *, slopes: bool) -> Sum:
    """Return the mean of the best precisions at several recalls or beyond.

    A row at or above the vertex of a level, which has the best precision, changes the
    precision there. A positive also changes the recall at each group, so the level is
    reached elsewhere. The slope by the recall is that between two standard errors
    before the level and two beyond it.
    """
    tp, retrieved = groups.positives.cumsum(), groups.weights.cumsum()
    total, size = groups.n_positives, tp.size
    best, vertices = vertices_of(groups)
    if groups.own:
        best = groups.precision_at_positives(tp, retrieved)
    least = groups.positives[groups.positives > 0].min(initial=total)

    def group_of(recall: FloatArray) -> IntArray:
        reached = np.maximum(recall * total, least) * (1 - EQUAL)
        return np.asarray(tp.searchsorted(reached))

    here = group_of(levels)
    is_reached = here < size
    here = here[is_reached]
    gains = best[here] / levels.size
    if not slopes:
        return Sum(gains)
    errors = np.sqrt(levels * (1 - levels) / groups.n_effective)
    before = (levels - _REACH * errors).clip(0)
    beyond = (levels + _REACH * errors).clip(max=1)
    heights = np.append(best, 0.0)
    fall = heights[group_of(beyond)] - heights[group_of(before)]
    slope = ratio(fall, beyond - before) / (total * levels.size)
    missed = float(slope @ levels)
    at = vertices[here]
    per_weight = 1 / (retrieved[at] * levels.size)
    shown = _precision_of_vertices(at, tp, retrieved, total / groups.n_effective)
    negative = -from_each_on(sums_of(shown * per_weight, at, size))
    moved = sums_of(per_weight, at, size) - sums_of(slope[is_reached], here, size)
    positive = negative + from_each_on(moved) + missed
    gains = sums_of(gains, at, size)
    return Sum(gains, positive, negative, missed=missed)


def _precision_of_vertices(
    at: IntArray, tp: FloatArray, retrieved: FloatArray, row: float
) -> FloatArray:
    """Return the precision of each vertex, with a part of a row added that has the
    precision of the first rows. `row` is the weight of a typical row.

    The number is at most 1, and less than 1 also for a vertex of a single positive.
    """
    found = np.interp(_FIRST_ROWS * row, np.append(0.0, retrieved), np.append(0.0, tp))
    # One of two more rows is positive, so this precision is neither 0 nor 1.
    precision = (found / row + 0.5) / (_FIRST_ROWS + 1)
    shown = (tp[at] + _ADDED * row * precision) / (retrieved[at] + _ADDED * row)
    return np.asarray(shown)


def share_inside(sizes: FloatArray, depth: float) -> FloatArray:
    """Return the share of each group that is above a depth."""
    return ((depth - (np.cumsum(sizes) - sizes)) / sizes).clip(0, 1)


def _share_near(groups: Groups, depth: float) -> FloatArray:
    """Return the share of each group near a depth, divided by the rows there.

    The half width is that of the interval of a Poisson count by the score test.
    """
    reach = _REACH + _REACH * sqrt(depth + 1)
    near = share_inside(groups.rows, depth + reach)
    near -= share_inside(groups.rows, depth - reach)
    return near / (near @ groups.rows)


def _hits_of_r_precision(groups: Groups, *, slopes: bool) -> Sum:
    """Return the positives among the first rows that weigh as much as all positives."""
    inside = share_inside(groups.weights, groups.n_positives)
    hits = Sum(inside * groups.positives, positive=inside)
    # If the positives weigh as much as all rows, the cut cannot move.
    if not slopes or groups.n_positives >= groups.weights.sum():
        return hits
    near = _share_near(groups, float(inside @ groups.rows))
    at_cut = float(ratio(near @ groups.positives, near @ groups.weights))
    return hits._replace(at_cut=at_cut)


def rows_of_cut(definition: Definition, n_rows: float) -> float:
    """Return the number of rows that the cut of a score selects; all if it has none."""
    return float(cut_depth(np.array([n_rows], dtype=float), definition.k).item())


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
    cut = groups._replace(
        positives=inside * groups.positives, weights=inside * groups.weights
    )
    n_hits, weight = float(cut.positives.sum()), float(cut.weights.sum())
    hits_near = weight_near = 0.0
    # A cut after all rows cannot move.
    if slopes and not is_fixed and depth < n_rows:
        near = _share_near(groups, depth)
        hits_near = float(near @ groups.positives)
        weight_near = float(near @ groups.weights)
    hits = Sum(cut.positives, positive=inside, at_cut=hits_near)
    number = hits
    if definition.area is not HITS:
        area = _area(cut, definition.area, excess, slopes=slopes)
        # A hit at the cut has the precision there.
        at_cut = hits_near * n_hits / weight
        number = Sum(
            area.gains, inside * area.positive, inside * area.negative, at_cut=at_cut
        )
    match definition.normalizer:
        case "k":
            # If the ranking has fewer than k rows, the divisor is k nevertheless.
            per_weight = k / depth
        case "min" if k < groups.each.size + groups.n_missed:
            # The weight of the k best positives grows with the rows above the cut.
            per_weight = groups.weight_of_best(k) / weight
        case "hits":
            return number, hits
        case _:
            return number, positives
    part = per_weight * inside
    rows = Sum(part * groups.weights, part, part, at_cut=per_weight * weight_near)
    return number, rows
