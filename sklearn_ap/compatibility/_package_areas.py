"""The areas of conventions: the areas of public scores, which packages may read at
other levels or between other end points, and areas that only other packages compute.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import digamma

from .._core.areas.area import Area, Cuts
from .._core.areas.interpolated import best_below
from .._core.ranking.levels import levels_in
from .._core.ranking.rankings import Rankings, Steps, ratio
from .._core.reading.options import check_option
from .._core.registry import NUMBERS
from .._core.typing import FloatArray, IntArray

MetBy = Literal[
    "recall", "greater recall", "rounded documents", "documents", "nearest positives"
]
_MET_BY_POSITIVES = "recall", "greater recall", "documents", "rounded documents"
LevelWeights = Literal["equal", "trapezoid", "differences", "gaps"]
# KITTI reads curves at this many recalls: j / 40 for j from 0 to 40.
_SLOTS = 41
# Most curves have this first point, and "none" as the last point.
USUAL_POINTS = ("(0, 1)", "none")


@dataclass(frozen=True)
class Grid:
    """Recall levels at which a curve is read; for the area ``'recall at precision'``,
    levels of precision.

    Attributes
    ----------
    name : str
        The levels in words.
    levels : int or tuple of float
        The levels, in ascending order. An integer N of at least 2 means the levels j /
        (N - 1).
    met_by : str
        The condition under which a point reaches level r, with R positives in total:
        ``'recall'``, a recall (or a precision) of at least r; ``'greater recall'``, a
        recall above r; ``'rounded documents'``, at least round(r R) positives;
        ``'documents'``, at least floor(r R + 0.9) positives. With ``'nearest
        positives'``, only the positives whose recalls are nearest to j / 40 are used,
        and each level is rounded to j / 40.
    weights : {'equal', 'trapezoid', 'differences', 'gaps'}
        Weight of each level in the sum. ``'trapezoid'`` halves the weight of the first
        and the last level; levels must be equally spaced. ``'differences'`` is the
        distance to the level before, and 0 for the first level. ``'gaps'`` divides the
        sum by the number of levels minus 1, so a perfect ranking has more than 1.
    floor : float
        A precision p adds (p - floor) / (1 - floor) at a level, or 0 if p is below the
        floor.
    """

    name: str
    levels: int | tuple[float, ...]
    met_by: MetBy = "recall"
    weights: LevelWeights = "equal"
    floor: float = 0.0

    def __str__(self) -> str:
        """Return the levels in words."""
        return self.name

    @property
    def levels_of_scores(self) -> FloatArray | None:
        """The levels as an argument of this package's scores, or None if no score of
        this package has this condition, these weights or this floor.
        """
        if (self.met_by, self.weights, self.floor) != ("recall", "equal", 0.0):
            return None
        return self.values

    @property
    def scale(self) -> float:
        """The weighted sum of precisions of 1, as a perfect ranking has."""
        if self.weights != "gaps":
            return 1.0
        n_levels = self.values.size
        return n_levels / (n_levels - 1)

    @cached_property
    def values(self) -> FloatArray:
        """The levels, as an array."""
        return levels_in(self.levels)

    @cached_property
    def _weight_of_levels(self) -> FloatArray:
        """The weight of each level in the sum."""
        levels = self.values
        if self.weights == "differences":
            return np.diff(levels, prepend=levels[0])
        if self.weights != "trapezoid":
            return np.full(levels.size, 1 / levels.size)
        weights = np.full(levels.size, 1 / (levels.size - 1))
        weights[[0, -1]] /= 2
        return weights

    def weighted_sum(self, precision: FloatArray) -> float:
        """Return the weighted sum of the precisions at all levels."""
        height = np.maximum(precision - self.floor, 0.0) / (1 - self.floor)
        return float(self._weight_of_levels @ height) * self.scale


class RankedPoints(NamedTuple):
    """The thresholds of one ranking at the scores of positives. The highest threshold
    comes first.

    Its curve has two points per threshold, the one above it and the one at it, in this
    order; and a last point, which is that of all rows.
    """

    tp: FloatArray
    # The weight at or above each threshold.
    retrieved: FloatArray
    # The weight above each threshold.
    above: FloatArray
    n_positives: float
    # The weight of all rows.
    total_weight: float

    def recall(self) -> FloatArray:
        """Return the recall of each point of the curve."""
        return self._found() / self.n_positives

    def last_point(self) -> tuple[Any, Any]:
        """Return the recall and the precision of all rows."""
        found = self.tp[-1]
        return found / self.n_positives, found / self.total_weight

    def precision(self, first: float) -> FloatArray:
        """Return the precision of each point of the curve. If no row is above the first
        threshold, the precision there is `first`.
        """
        retrieved = np.append(
            np.column_stack([self.above, self.retrieved]), self.total_weight
        )
        return ratio(self._found(), retrieved, first)

    def _found(self) -> FloatArray:
        """Return the number of positives found at each point of the curve."""
        return np.repeat(np.append(0.0, self.tp), 2)[1:]


def of_curves(
    number: Callable[..., float], rankings: Rankings, **choices: Any
) -> FloatArray:
    """Return a number for each ranking, computed from its points. A ranking without
    positives has the number 0.
    """
    parts = [list[FloatArray]() for _ in rankings.n_rows]
    for steps in rankings.kernel.blocks():
        sums = np.array([steps.tp, steps.retrieved, steps.above])
        of_rankings = np.split(sums, steps.start[1:], axis=1)
        for ranking, of_ranking in zip(steps.ranking, of_rankings, strict=True):
            parts[ranking].append(of_ranking)
    totals = rankings.n_positives.tolist(), rankings.total_weight.tolist()
    numbers = np.zeros(len(parts))
    for i, (blocks, *own_totals) in enumerate(zip(parts, *totals, strict=True)):
        # A ranking without positives has no block, and a long one has several.
        if blocks:
            # Steps begin with the worst score, and points with the best.
            points = np.concatenate(blocks, axis=1)[:, ::-1]
            numbers[i] = number(RankedPoints(*points, *own_totals), **choices)
    return numbers


def linear_from(curve: RankedPoints, first_point: str) -> float:
    """Return the area of the trapezoids between the points. If no row is above the
    first threshold, the first trapezoid begins at recall 0 with the precision of this
    threshold; if `first_point` is "none", there is no such trapezoid.
    """
    height_at_0 = curve.tp[0] / curve.retrieved[0]
    # Between the heights -p and p, the area of the first trapezoid is 0.
    if first_point == "none":
        height_at_0 = -height_at_0
    return float(np.trapezoid(curve.precision(height_at_0), curve.recall()))


def linear_at_grid(curve: RankedPoints, grid: Grid) -> float:
    """Return the weighted sum, over the levels of a grid, of the precision on the lines
    that join the points.

    The first line is horizontal, at the precision of the first threshold. If several
    thresholds have the recall of a level, the lowest of them is used. Beyond the last
    recall, the precision is 0.
    """
    precision = curve.precision(curve.tp[0] / curve.retrieved[0])
    # If several points have the same recall, `interp` takes the last one.
    return grid.weighted_sum(
        np.interp(grid.values, curve.recall(), precision, right=0.0)
    )


def linear_envelope(curve: RankedPoints) -> float:
    """Return the area of the trapezoids below the best precision at each threshold or a
    lower one. The curve begins at precision 1.
    """
    return float(np.trapezoid(best_below(curve.precision(1.0)), curve.recall()))


def precisions_within(cuts: Cuts, _: str, steps: Steps) -> FloatArray:
    """Return the contribution of each step to the mean of the precisions at all rows
    above the cut, positive or not. Positives of a tied group are spread evenly over its
    rows.

    A positive at row r adds 1/n to the precision at each row n >= r. So it adds the sum
    of 1/n over these rows. A positive of a tied group adds the mean of such sums over
    the rows r of the group, which is computed by differences of harmonic numbers.
    """
    depth = steps.per_step(cuts.end)
    # `inside` is the sum of (n - above) / n over the rows n of the group that are above
    # the cut. At each row below the group, all positives of the group are retrieved.
    within = np.minimum(depth, steps.retrieved)
    inside = (within - steps.above) - steps.above * (
        _harmonic(within) - _harmonic(steps.above)
    )
    sums = steps.gained * (
        inside / steps.group_rows + _harmonic(depth) - _harmonic(within)
    )
    return np.where(depth > steps.above, sums / depth, 0.0)


def _harmonic(n: FloatArray) -> FloatArray:
    """Return 1 + ... + 1/n minus Euler's constant, which cancels in differences."""
    return np.asarray(digamma(n + 1))


def reciprocal_of_mean_rank(rankings: Rankings) -> FloatArray:
    """Return 1 / (mean of the best and the worst rank of the first positive). This rank
    depends on the order of the negatives with the same score.
    """

    def at_first(steps: Steps) -> FloatArray:
        tied_negatives = steps.group_rows - steps.gained
        mean_rank = steps.rows_above + tied_negatives / 2 + 1
        return np.where(steps.tp_above == 0, 1 / mean_rank, 0.0)

    return rankings.kernel.sum_over_steps(at_first)


def unit_steps(curve: RankedPoints) -> float:
    """Return the area of trapezoids. Each of them ends at one positive. The positives
    of a tied group are spread evenly over its rows, as on Davis and Goadrich's curve.

    All rows must have the weight 1, so that `curve.tp` are numbers of positives.
    """
    positive = np.arange(1, curve.tp[-1] + 1)
    # The threshold that retrieves each positive, and the positives and rows above it.
    threshold = curve.tp.searchsorted(positive)
    tp, retrieved = curve.tp[threshold], curve.retrieved[threshold]
    tp_above, above = np.append(0.0, curve.tp)[threshold], curve.above[threshold]
    rows_per_positive = (retrieved - above) / (tp - tp_above)
    # The rows where each trapezoid begins and ends. A trapezoid's beginning is counted
    # down from the first row of the tied group, and its end up from the last row, so
    # that neither is rounded at the limits of the group.
    begin = above + rows_per_positive * (positive - 1 - tp_above)
    end = retrieved - rows_per_positive * (tp - positive)
    # Without rows above the first threshold, the curve begins at its precision.
    first_precision = curve.tp[0] / curve.retrieved[0]
    heights = ratio(positive - 1, begin, first_precision) + positive / end
    return float(heights.sum()) / 2 / curve.n_positives


def fewest_retrieved(curve: RankedPoints) -> float:
    """Return the area of the trapezoids between the highest thresholds of each recall.
    The curve begins at precision 1.

    A tied group of more than two positives is divided at each positive.
    """
    tp, retrieved = np.append(0.0, curve.tp), np.append(0.0, curve.retrieved)
    positives = np.arange(tp[-1] + 1)
    # As in ROCR, points are added in groups of more than two positives.
    is_many = (np.diff(tp) > 2)[curve.tp.searchsorted(positives)]
    points = np.union1d(tp, positives[is_many])
    precision = ratio(points, np.interp(points, tp, retrieved), 1.0)
    return float(np.trapezoid(precision, points)) / curve.n_positives


def sorted_by_recall(curve: RankedPoints) -> float:
    """Return the area of trapezoids that begin at the highest threshold of a recall,
    and end at the lowest threshold of the next recall. The curve begins at precision 1.
    """
    tp, retrieved = np.append(0.0, curve.tp), np.append(0.0, curve.retrieved)
    # The lowest threshold of a recall retrieves all rows above the next recall.
    last_precision = curve.tp / np.append(curve.above[1:], curve.total_weight)
    heights = ratio(tp, retrieved, 1.0)[:-1] + last_precision
    return float(np.diff(tp) @ heights) / 2 / curve.n_positives


def interpolated_at_grid(curve: RankedPoints, grid: Grid) -> float:
    """Return the weighted sum, over the levels of a grid, of the best precision at the
    first point that reaches the level or at a later one.
    """
    precision = curve.tp / curve.retrieved
    if grid.met_by != "nearest positives":
        return _at_levels(best_below(precision), curve, grid)
    nearest = np.array(_nearest_positives(int(curve.tp[-1]), curve.n_positives))
    heights = np.where(nearest, precision[curve.tp.searchsorted(nearest)], 0.0)
    slots = np.round((_SLOTS - 1) * grid.values).astype(np.int64)
    return grid.weighted_sum(best_below(heights)[slots])


def step_at_grid(curve: RankedPoints, grid: Grid) -> float:
    """Return the weighted sum, over the levels of a grid, of the precision at the first
    step that reaches the level.
    """
    return _at_levels(curve.tp / curve.retrieved, curve, grid)


def _at_levels(heights: FloatArray, curve: RankedPoints, grid: Grid) -> float:
    """Return the weighted sum of the heights at the first thresholds that reach the
    levels. The height of a level that no threshold reaches is 0.
    """
    return grid.weighted_sum(np.append(heights, 0.0)[_first_at_levels(curve, grid)])


def _first_at_levels(curve: RankedPoints, grid: Grid) -> IntArray:
    """Return the place of the first threshold that reaches each level, or the number of
    thresholds if none does.
    """
    # Both numbers of positives and recalls rise from each threshold to the next.
    recall, of_level = curve.tp / curve.n_positives, grid.values * curve.n_positives
    match grid.met_by:
        case "recall":
            return recall.searchsorted(grid.values)
        case "greater recall":
            return recall.searchsorted(grid.values, side="right")
        case "documents":
            return curve.tp.searchsorted(np.floor(of_level + 0.9))
        case _:
            rounded = np.floor(of_level) + (of_level % 1 >= 0.5)
            return curve.tp.searchsorted(rounded)


def with_descent(curve: RankedPoints) -> float:
    """Return the interpolated area, plus the area below the line from the last point to
    the point with recall 1 and precision 0.
    """
    recall, precision = curve.last_point()
    best = best_below(curve.tp / curve.retrieved)
    area = best @ np.diff(curve.tp, prepend=0.0) / curve.n_positives
    return float(area + precision * (1 - recall) / 2)


def with_descent_at_grid(curve: RankedPoints, grid: Grid) -> float:
    """Return the number of `interpolated_at_grid`. For each level that the last point
    does not reach, add the weighted height of the line from the last point down to
    recall 1 and precision 0.
    """
    recall, precision = curve.last_point()
    levels = grid.values
    is_met = _first_at_levels(curve, grid) < curve.tp.size
    height = precision * ratio(1 - levels, np.full(levels.size, 1 - recall))
    descent = grid.weighted_sum(np.where(is_met, 0.0, height))
    return interpolated_at_grid(curve, grid) + descent


def _nearest_positives(n_found: int, n_positives: float) -> list[int]:
    """Return, for each recall j / 40, the number of the positive whose recall is
    nearest, or 0. As in the loop of KITTI, each positive is taken at most once.
    """
    taken, recall = [0] * _SLOTS, 0.0
    positives = iter(range(1, n_found + 1))
    for slot in range(_SLOTS):
        # KITTI skips a positive if the next one is nearer to the recall of the slot.
        # The search for the next slot continues after the positive of this slot.
        for positive in positives:
            distance = recall - positive / n_positives
            distance_of_next = (positive + 1) / n_positives - recall
            if positive == n_found or not distance_of_next < distance:
                taken[slot] = positive
                break
        recall += 1 / (_SLOTS - 1)
    return taken


# The name of an area, its first point and its last point.
_Curve = tuple[str, str, str]
_WITH_OTHER_POINTS: dict[_Curve, Callable[..., float]] = {
    ("linear", "(0, p1)", "none"): partial(linear_from, first_point="(0, p1)"),
    ("linear", "none", "none"): partial(linear_from, first_point="none"),
    ("interpolated", "(0, 1)", "(1, 0)"): with_descent,
}
# The curves that can be read at a grid, and the rules (`met_by`) that each of them
# supports.
_AT_GRID: dict[_Curve, tuple[Callable[..., float], tuple[str, ...]]] = {
    ("step", *USUAL_POINTS): (step_at_grid, _MET_BY_POSITIVES),
    ("interpolated", *USUAL_POINTS): (interpolated_at_grid, get_args(MetBy)),
    ("interpolated", "(0, 1)", "(1, 0)"): (
        with_descent_at_grid,
        ("recall", "greater recall"),
    ),
    ("linear", "(0, p1)", "none"): (linear_at_grid, ("recall",)),
}
# The areas that only packages compute. Some of them count rows, so weights that differ
# raise an error.
_AREAS_OF_PACKAGES = (
    Area(
        name="davis-goadrich, unit steps",
        description="Davis-Goadrich points at each positive, joined by lines",
        score_full=partial(of_curves, unit_steps),
        counts_weight=False,
    ),
    Area(
        name="linear, fewest retrieved",
        description="lines between the first thresholds of each recall",
        score_full=partial(of_curves, fewest_retrieved),
        counts_weight=False,
    ),
    Area(
        name="linear, sorted by recall",
        description="lines from the first threshold of each recall to the last of the "
        "next",
        score_full=partial(of_curves, sorted_by_recall),
    ),
    Area(
        name="linear, interpolated",
        description="lines between the best precisions at each threshold or below",
        score_full=partial(of_curves, linear_envelope),
    ),
    Area(
        name="reciprocal of the mean rank",
        description="one over the mean of the first positive's best and worst rank",
        score_full=reciprocal_of_mean_rank,
        counts_weight=False,
    ),
    # It is divided by the number of rows above the cut or, without a cut, of all rows.
    # So it is always computed as a sum up to a cut.
    Area(
        name="precisions",
        description="mean of the precisions at each row",
        gain_to_cut=precisions_within,
        counts_weight=False,
    ),
)
# All areas by the names that conventions use.
AREAS = {number.definition.area.name: number.definition.area for number in NUMBERS}
AREAS |= {area.name: area for area in _AREAS_OF_PACKAGES}


def find_area(area: Area, grid: Grid | None, points: tuple[str, str]) -> Area:
    """Return an area that is read at the levels of a grid, and whose curve has these
    first and last points. Raise ValueError if the area does not support them.
    """
    curve = area.name, *points
    if grid is None and points == USUAL_POINTS:
        return area
    curves: Collection[_Curve] = _WITH_OTHER_POINTS if grid is None else _AT_GRID
    if curve not in curves:
        raise ValueError(
            f"area, first_point and last_point must be among {[*curves]} with grid "
            f"{grid}; got {curve}."
        )
    # Other curves have neither levels of scores nor a cut.
    area = replace(area, score_at_levels=None, gain_to_cut=None)
    if grid is None:
        number = _WITH_OTHER_POINTS[curve]
        return replace(area, score_full=partial(of_curves, number))
    number, rules = _AT_GRID[curve]
    check_option("met_by", grid.met_by, rules)
    return replace(
        area,
        score_full=partial(of_curves, number, grid=grid),
        highest=grid.scale,
        counts_weight=grid.met_by in ("recall", "greater recall"),
    )
