"""The areas of records: those of public scores, with levels and ends of packages, and
areas of packages.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
from scipy.special import digamma

from .._core.areas.area import Area, Cut
from .._core.areas.hits import found_weight
from .._core.areas.interpolated import interpolated
from .._core.areas.joined import linear_gain
from .._core.ranking.rankings import Rankings, Steps, ratio, share_of_positives
from .._core.reading.options import check_option, read_recall_levels
from .._core.registry import NUMBERS
from .._core.typing import BoolArray, FloatArray

MetBy = Literal[
    "recall", "greater recall", "rounded documents", "documents", "nearest positives"
]
LevelWeights = Literal["equal", "trapezoid", "differences"]
_SLOTS = 41  # of KITTI, whose recalls are j / 40
_ENDS = ("(0, 1)", "none")  # the first and the last point of most curves


@dataclass(frozen=True)
class Grid:
    """Recall levels at which a curve is read off, or levels of precision for area
    ``'recall at precision'``.

    Attributes
    ----------
    name : str
        The levels in words.
    levels : int or tuple of float
        An integer N of at least 2 stands for the levels j / (N - 1).
    met_by : str
        What meets a level r of R positives. ``'recall'`` is a recall (or a precision)
        of at least r, and ``'greater recall'`` one above r; ``'rounded documents'`` and
        ``'documents'`` are round(r R) and floor(r R + 0.9) positives. By ``'nearest
        positives'``, only the positives nearest to j / 40 count, for the levels nearest
        to these.
    weights : {'equal', 'trapezoid', 'differences'}
        Weight of each level: ``'trapezoid'`` halves it at both ends of even levels;
        ``'differences'`` is the distance to the level before, and 0 for the first
        level.
    floor : float
        A precision up to this value counts 0 at a level, one above it (precision -
        floor) / (1 - floor).
    """

    name: str
    levels: int | tuple[float, ...]
    met_by: MetBy = "recall"
    weights: LevelWeights = "equal"
    floor: float = 0.0

    def __post_init__(self) -> None:
        """Sort the levels; refuse what no grid has."""
        levels = read_recall_levels(self.levels)
        rules, weights = get_args(MetBy), get_args(LevelWeights)
        if isinstance(levels, np.ndarray):
            object.__setattr__(self, "levels", tuple(levels.tolist()))
            if levels.size == 1:  # a single level has no trapezoid
                weights = "equal", "differences"
        check_option("met_by", self.met_by, rules)
        check_option("weights", self.weights, weights)
        if not 0 <= self.floor < 1:
            raise ValueError(f"floor must be in [0, 1); got {self.floor!r}.")

    def __str__(self) -> str:
        """Return the levels in words."""
        return self.name

    @property
    def levels_of_scores(self) -> int | FloatArray | None:
        """The levels as our scores take them, or None if no score meets or weighs them
        like this.
        """
        if (self.met_by, self.weights, self.floor) != ("recall", "equal", 0.0):
            return None
        if isinstance(self.levels, int):
            return self.levels
        return np.array(self.levels)

    def weighted_levels(self) -> list[tuple[float, float]]:
        """Return each listed level and its weight in the sum."""
        if isinstance(self.levels, int):
            levels = np.arange(self.levels) / (self.levels - 1)
        else:
            levels = np.array(self.levels)
        weights = np.full(levels.size, 1 / levels.size)
        if self.weights == "differences":
            weights = np.diff(levels, prepend=levels[0])
        elif self.weights == "trapezoid":
            weights = np.full(levels.size, 1 / (levels.size - 1))
            weights[[0, -1]] /= 2
        return list(zip(levels.tolist(), weights.tolist(), strict=True))

    def over(self, height: FloatArray) -> FloatArray:
        """Return how far heights exceed the floor, as a share of what they may."""
        return np.asarray(np.maximum(height - self.floor, 0.0) / (1 - self.floor))


def linear_from(rankings: Rankings, first_point: str) -> FloatArray:
    """Trapezoids from a first point with a precision other than 1, or without a first
    point.
    """

    def missing(steps: Steps) -> FloatArray:
        """Return by how much the first trapezoid is smaller than one that starts at
        precision 1.
        """
        precision = steps.tp / steps.retrieved
        sign = 1 if first_point == "none" else -1
        height = (1 + sign * precision) / 2
        return np.where(steps.rows_above > 0, 0.0, steps.gained) * height

    return share_of_positives(linear_gain, rankings) - ratio(
        rankings.total(missing), rankings.n_positives
    )


def linear_at_grid(rankings: Rankings, grid: Grid) -> FloatArray:
    """Sum of the heights of the joined points over the levels of a grid.

    The line starts level, at the first precision. If several thresholds have the recall
    of a level, the lowest one counts. Levels beyond the last recall have height 0.
    """

    def heights(steps: Steps) -> FloatArray:
        """Sum the heights of each step's line at the levels in [recall above the step,
        its own recall).
        """
        n_positives = steps.per_step(rankings.n_positives)
        precision = steps.tp / steps.retrieved
        left = steps.tp_above / n_positives
        right = steps.tp / n_positives
        start = np.where(steps.above > 0, ratio(steps.tp_above, steps.above), precision)
        slope = (precision - start) / (right - left)
        area = np.zeros_like(precision)
        for level, weight in grid.weighted_levels():
            inside = (left <= level) & (level < right)
            height = grid.over(start + slope * (level - left))
            area += weight * np.where(inside, height, 0.0)
        return area

    hits = found_weight(rankings)
    last = ratio(hits, rankings.n_positives)
    lowest = ratio(hits, rankings.total_weight)
    # The steps leave out a level at their own recall, which the next step covers: the
    # last one has no next.
    at_last = sum(weight * (last == level) for level, weight in grid.weighted_levels())
    return np.asarray(rankings.total(heights) + at_last * grid.over(lowest))


def linear_envelope(rankings: Rankings) -> FloatArray:
    """Trapezoids below the best precision at each threshold or a lower one, starting at
    precision 1.
    """

    def below(steps: Steps, best: FloatArray, _: FloatArray) -> FloatArray:
        # The best precision at the threshold above each step, or at a lower one.
        above = np.where(
            steps.rows_above > 0,
            np.maximum(best, ratio(steps.tp_above, steps.above)),
            1.0,
        )
        return steps.gained * (best + above) / 2

    return ratio(rankings.total(below, enveloped=True), rankings.n_positives)


def precisions_within(cut: Cut, _: str, steps: Steps) -> FloatArray:
    """Return what the positives of each step add to the mean of the precisions at every
    row before the cut, hit or not; a tied group spreads its hits evenly.

    A positive at row r adds 1/n to the precision at each row n from r on. A positive of
    a tied group adds the mean of this over the rows of the group, which is a difference
    of harmonic numbers.
    """
    depth = steps.per_step(cut.depth)
    # Rows inside the group add a growing share of its positives; rows below it add all
    # of them.
    within = np.minimum(depth, steps.retrieved)
    inside = (within - steps.above) - steps.above * (
        _harmonic(within) - _harmonic(steps.above)
    )
    sums = steps.gained * (
        inside / steps.group_rows + _harmonic(depth) - _harmonic(within)
    )
    return np.where(depth > steps.above, sums / depth, 0.0)


def _harmonic(n: FloatArray) -> FloatArray:
    """Return 1 + 1/2 + ... + 1/n, less Euler's constant, which cancels in
    differences.
    """
    return np.asarray(digamma(n + 1))


def reciprocal_of_mean_rank(rankings: Rankings) -> FloatArray:
    """One over the mean of the best and the worst rank of a positive among the
    negatives that share its score; of the first positive, if there are several.
    """

    def at_first(steps: Steps) -> FloatArray:
        tied_negatives = steps.group_rows - steps.gained
        mean_rank = steps.rows_above + tied_negatives / 2 + 1
        return np.where(steps.tp_above == 0, 1 / mean_rank, 0.0)

    return rankings.total(at_first)


def unit_steps(rankings: Rankings) -> FloatArray:
    """Trapezoids at every positive, along Davis and Goadrich's curve between
    thresholds.
    """
    return ratio(rankings.total(_unit_steps), rankings.n_positives)


def fewest_retrieved(ranking: Rankings, *, by_recall: bool = False) -> FloatArray:
    """Trapezoids between the highest thresholds of each recall of a single ranking,
    starting at precision 1.

    A tied group of more than two positives is divided at every positive. `by_recall`,
    each trapezoid ends at the lowest threshold of its recall instead, as if the points
    had been sorted by recall. All steps are in memory at once, since a step needs the
    step above it, which may be in the next block.
    """
    # Steps stand worst score first, so the step above is the next entry.
    blocks = list(ranking.kernel.blocks())
    tp = np.concatenate([[], *(steps.tp for steps in blocks)])
    retrieved = np.concatenate([[], *(steps.retrieved for steps in blocks)])
    tp_above = np.append(tp[1:], 0.0)
    gained = tp - tp_above
    precision = ends = tp / retrieved
    if by_recall:
        # The lowest threshold of a recall retrieves all rows above the step below.
        beyond = [ranking.total_weight, *(steps.above for steps in blocks)]
        ends = tp / np.concatenate(beyond)[: tp.size]
    area = gained * (ends + np.append(precision[1:], 1.0)) / 2
    many = (gained > 2) & (not by_recall)  # as in ROCR
    above = np.append(retrieved[1:], 0.0)[many]
    area[many] = _unit_steps(
        Steps(tp[many], tp_above[many], retrieved[many], lambda: above), first=1.0
    )
    return ratio(area.sum(keepdims=True), ranking.n_positives)


def _unit_steps(steps: Steps, first: float | None = None) -> FloatArray:
    """Sum the trapezoids of each segment; a first segment starts at `first` or at its
    own precision.
    """
    if not steps.tp.size:
        return steps.tp
    # A segment gains `gap` positives. Its points are one positive apart, and the
    # retrieved rows grow evenly.
    gap, above = steps.gained, steps.above
    counts = gap.astype(np.int64) + 1  # points of each segment, both ends included
    start = np.cumsum(counts) - counts
    segment = np.repeat(np.arange(gap.size), counts)
    step = np.arange(segment.size) - start[segment]
    size = above[segment] + step * ((steps.retrieved - above) / gap)[segment]
    precision = ratio(steps.tp_above[segment] + step, size)
    from_nothing = above == 0
    precision[start[from_nothing]] = (
        (steps.tp / steps.retrieved)[from_nothing] if first is None else first
    )
    precision[start] /= 2  # by the trapezoidal rule, both ends of a segment count half
    precision[start + counts - 1] /= 2
    return np.asarray(np.add.reduceat(precision, start))


def interpolated_at_grid(rankings: Rankings, grid: Grid) -> FloatArray:
    """Sum, over the levels of a grid, of the best precision at the point that meets the
    level, or beyond.
    """
    if grid.met_by == "nearest positives":
        return _at_nearest_positives(rankings, grid)

    # A level takes the best precision of the steps that meet it. Each step adds, to all
    # levels that it meets, by how much its precision exceeds the best one of all lower
    # thresholds.
    def height(steps: Steps, best: FloatArray, below: FloatArray) -> FloatArray:
        rise = grid.over(best) - grid.over(below)
        return rise * _levels_met(rankings, steps, steps.tp, grid)

    return rankings.total(height, enveloped=True)


def step_at_grid(rankings: Rankings, grid: Grid) -> FloatArray:
    """Sum, over the levels of a grid, of the precision at the first step that meets the
    level.
    """

    def precision_met(steps: Steps) -> FloatArray:
        # A level counts at the first step that meets it: what the step meets, less what
        # was met above it.
        met_above = _levels_met(rankings, steps, steps.tp_above, grid)
        met = _levels_met(rankings, steps, steps.tp, grid) - np.where(
            steps.tp_above > 0, met_above, 0.0
        )
        return grid.over(steps.tp / steps.retrieved) * met

    return rankings.total(precision_met)


def _levels_met(
    rankings: Rankings, steps: Steps, tp: FloatArray, grid: Grid
) -> FloatArray:
    """Return the total weight of the levels that `tp` positives meet."""
    n_positives = steps.per_step(rankings.n_positives)
    met = np.zeros_like(tp)
    for level, weight in grid.weighted_levels():
        met += weight * _MEETS[grid.met_by](tp, n_positives, level)
    return met


def with_descent(rankings: Rankings, grid: Grid | None = None) -> FloatArray:
    """Interpolated area, and that below the line from the last point to recall 1 and
    precision 0.
    """
    hits = found_weight(rankings)
    recall = ratio(hits, rankings.n_positives)
    precision = ratio(hits, rankings.total_weight)
    if grid is None:
        return interpolated(rankings) + precision * (1 - recall) / 2
    area = np.zeros_like(recall)
    for level, weight in grid.weighted_levels():
        height = precision * ratio(np.full_like(recall, 1 - level), 1 - recall)
        is_met = _MEETS[grid.met_by](recall, 1.0, level)
        area += weight * np.where(is_met, 0.0, grid.over(height))
    return interpolated_at_grid(rankings, grid) + area


def _at_nearest_positives(rankings: Rankings, grid: Grid) -> FloatArray:
    """Sum, over levels j / 40, of the best precision at or beyond the positive of
    nearest recall.
    """
    n_found = found_weight(rankings).astype(np.int64).tolist()
    n_positives = rankings.n_positives.tolist()
    positives = np.array(list(map(_nearest_positives, n_found, n_positives)))
    precision = np.zeros(positives.shape)
    # Each slot takes the precision of the one step with its positive; all others add 0.
    for steps in rankings.kernel.blocks():
        for slot in range(_SLOTS):
            nth = steps.per_step(positives[:, slot])
            at_positive = (steps.tp_above < nth) & (nth <= steps.tp)
            heights = np.where(at_positive, steps.tp / steps.retrieved, 0.0)
            precision[steps.ranking, slot] += np.add.reduceat(heights, steps.start)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    levels, weights = np.array(grid.weighted_levels()).T
    slots = np.round((_SLOTS - 1) * levels).astype(np.int64)
    return np.asarray(grid.over(best[:, slots]) @ weights)


def _nearest_positives(n_found: int, n_positives: float) -> list[int]:
    """Return the positive, from 1, nearest to each j / 40, each taken once, as in
    KITTI's loop; or 0.
    """
    taken, recall = [0] * _SLOTS, 0.0
    positives = iter(range(1, n_found + 1))
    for slot in range(_SLOTS):
        # KITTI waits for the next positive as long as that one is nearer to the recall
        # of the slot.
        for positive in positives:
            nearer = (
                positive + 1
            ) / n_positives - recall < recall - positive / n_positives
            if positive == n_found or not nearer:
                taken[slot] = positive
                break
        recall += 1 / (_SLOTS - 1)
    return taken


# Whether `tp` of `n` positives meet a level, by each rule.
_MEETS: dict[str, Callable[[FloatArray, FloatArray | float, float], BoolArray]] = {
    "recall": lambda tp, n, level: tp / n >= level,
    "greater recall": lambda tp, n, level: tp / n > level,
    "documents": lambda tp, n, level: tp >= np.floor(level * n + 0.9),
    "rounded documents": lambda tp, n, level: (
        tp >= np.floor(level * n) + (level * n % 1 >= 0.5)
    ),
}


_Curve = tuple[str, str, str]  # an area, its first and its last point
_WITH_ENDS: dict[_Curve, Callable[[Rankings], FloatArray]] = {
    ("linear", "(0, p1)", "none"): partial(linear_from, first_point="(0, p1)"),
    ("linear", "none", "none"): partial(linear_from, first_point="none"),
    ("interpolated", "(0, 1)", "(1, 0)"): with_descent,
}
# The curves that are read at a grid, and what may meet a level there.
_AT_GRID: dict[_Curve, tuple[Callable[..., FloatArray], tuple[str, ...]]] = {
    ("step", *_ENDS): (step_at_grid, tuple(_MEETS)),
    ("interpolated", *_ENDS): (interpolated_at_grid, get_args(MetBy)),
    ("interpolated", "(0, 1)", "(1, 0)"): (with_descent, ("recall", "greater recall")),
    ("linear", "(0, p1)", "none"): (linear_at_grid, ("recall",)),
}
_AREAS_OF_PACKAGES: dict[str, tuple[str, Callable[[Rankings], FloatArray]]] = {
    "davis-goadrich, unit steps": (
        "Davis-Goadrich points at each positive, joined by lines",
        unit_steps,
    ),
    "linear, fewest retrieved": (
        "lines between the first thresholds of each recall",
        fewest_retrieved,
    ),
    "linear, sorted by recall": (
        "lines from the first threshold of each recall to the last of the next",
        partial(fewest_retrieved, by_recall=True),
    ),
    "linear, interpolated": (
        "lines between the best precisions at each threshold or below",
        linear_envelope,
    ),
    "reciprocal of the mean rank": (
        "one over the mean of the first positive's best and worst rank",
        reciprocal_of_mean_rank,
    ),
    # Divided by k rows, or by all of them, it is always a sum to a cut.
    "precisions": ("mean of the precisions at each row", found_weight),
}
# Of these, a row counts 1: weights that differ are refused.
_COUNT_ROWS = {
    "davis-goadrich, unit steps",
    "linear, fewest retrieved",
    "reciprocal of the mean rank",
    "precisions",
}
# By the names that records use.
AREAS = {number.definition.area.name: number.definition.area for number in NUMBERS} | {
    name: Area(
        name=name,
        noun="AP",
        description=description,
        score_full=score_full,
        counts_weight=name not in _COUNT_ROWS,
    )
    for name, (description, score_full) in _AREAS_OF_PACKAGES.items()
}
AREAS["precisions"] = replace(
    AREAS["precisions"], score_full=None, gain_to_cut=precisions_within
)


def find_area(name: str, grid: Grid | None, first_point: str, last_point: str) -> Area:
    """Return an area by its name, at levels that no score takes, with the ends of its
    curve; refuse levels and ends that it does not have.
    """
    area, curve = AREAS[name], (name, first_point, last_point)
    if grid is None and curve[1:] == _ENDS:
        return area
    curves = _WITH_ENDS if grid is None else _AT_GRID
    if curve not in curves:
        raise ValueError(
            f"area, first_point and last_point must be among {[*curves]} with grid "
            f"{grid}; got {curve}."
        )
    if grid is None:
        score_full = _WITH_ENDS[curve]
    else:
        score_at_grid, rules = _AT_GRID[curve]
        check_option("met_by", grid.met_by, rules)
        score_full = partial(score_at_grid, grid=grid)
    # A new area, since nothing else of the first one is read like this.
    return Area(
        name=name,
        noun=area.noun,
        description=area.description,
        score_full=score_full,
        counts_weight=grid is None or grid.met_by != "nearest positives",
    )
