"""The areas of records: those of public scores with more grids and ends, and areas of other packages."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.special import digamma

from .._areas._area import Area, Cut
from .._areas._hits import found_weight
from .._areas._interpolated import INTERPOLATED, interpolated_at_levels, interpolated_to_recall
from .._areas._joined import LINEAR
from .._areas._step import step_to_recall
from .._ranking._rankings import Rankings
from .._ranking._steps import Steps, ratio
from .._registry import NUMBERS
from .._typing import BoolArray, FloatArray
from ._choices import FirstPoint, Grid, LastPoint

_SLOTS = 41  # of KITTI, whose recalls are j / 40


def linear_from(rankings: Rankings, first_point: FirstPoint) -> FloatArray:
    """Trapezoids from a first point with a precision other than 1, or without a first point."""
    missing = rankings.total(lambda steps: _missing_at_first(steps, first_point))
    return LINEAR.score_full(rankings) - ratio(missing, rankings.n_positives)


def _missing_at_first(steps: Steps, first_point: FirstPoint) -> FloatArray:
    """Return by how much the first trapezoid is smaller than one that starts at precision 1."""
    precision = steps.tp / steps.retrieved
    height = (1 + precision) / 2 if first_point == "none" else (1 - precision) / 2
    return np.where(steps.rows_above > 0, 0.0, steps.gained) * height


def linear_at_grid(rankings: Rankings, grid: Grid, first_point: FirstPoint = "(0, 1)") -> FloatArray:
    """Sum of the heights of the joined points over the levels of a grid, as far as they exceed the floor.

    If several thresholds have the recall of a level, the lowest one counts. Levels beyond the last recall
    have height 0.
    """
    heights = rankings.total(lambda steps: _heights_below(rankings, steps, grid, first_point))
    hits = found_weight(rankings)
    last, lowest = ratio(hits, rankings.n_positives), ratio(hits, rankings.total_weight)
    # The steps leave out a level at their own recall, which the next step covers: the last one has no next.
    at_last = sum(weight * (last == level) for level, weight in _levels(grid))
    return np.asarray(heights + at_last * _over(grid.floor, lowest))


def _heights_below(rankings: Rankings, steps: Steps, grid: Grid, first_point: FirstPoint) -> FloatArray:
    """Sum the heights of each step's line at the levels in [recall above the step, its own recall)."""
    n_positives, precision = steps.per_step(rankings.n_positives), steps.tp / steps.retrieved
    left, right = steps.tp_above / n_positives, steps.tp / n_positives
    # Above the first step there is no precision: its line starts at 1, or level at its own precision.
    first = np.ones_like(precision) if first_point == "(0, 1)" else precision
    start = np.where(steps.above > 0, ratio(steps.tp_above, steps.above), first)
    slope = (precision - start) / (right - left)
    area = np.zeros_like(precision)
    for level, weight in _levels(grid):
        inside = (left <= level) & (level < right)
        area += weight * np.where(inside, _over(grid.floor, start + slope * (level - left)), 0.0)
    return area if first_point != "none" else np.where(steps.above > 0, area, 0.0)


def _over(floor: float, height: FloatArray) -> FloatArray:
    return np.maximum(height - floor, 0.0) / (1 - floor)


def linear_envelope(rankings: Rankings) -> FloatArray:
    """Trapezoids below the best precision at each threshold or a lower one, starting at precision 1."""
    return ratio(rankings.total(_below_envelope, enveloped=True), rankings.n_positives)


def _below_envelope(steps: Steps, best: FloatArray, _: FloatArray) -> FloatArray:
    # The best precision at the threshold above each step, or at a lower one.
    above = np.where(steps.rows_above > 0, np.maximum(best, ratio(steps.tp_above, steps.above)), 1.0)
    return steps.gained * (best + above) / 2


def precisions_within(rankings: Rankings, cut: Cut, _: str = "proportional") -> FloatArray:
    """Sum of the precisions at every row before the cut, hit or not; a tied group spreads its hits evenly.

    A positive at row r adds 1/n to the precision at each row n from r on. A positive of a tied group adds the
    mean of this over the rows of the group, which is a difference of harmonic numbers.
    """
    return rankings.total(lambda steps: _precision_gained(steps, steps.per_step(cut.depth)))


def mean_precision(rankings: Rankings) -> FloatArray:
    """Mean of the precisions at every row."""
    return ratio(precisions_within(rankings, Cut(rankings.n_rows)), rankings.n_rows)


def _precision_gained(steps: Steps, depth: FloatArray) -> FloatArray:
    # Rows inside the group add a growing share of its positives; rows below it add all of them.
    within = np.minimum(depth, steps.retrieved)
    inside = (within - steps.above) - steps.above * (_harmonic(within) - _harmonic(steps.above))
    gained = steps.gained * (inside / steps.group_rows + _harmonic(depth) - _harmonic(within))
    return np.where(depth > steps.above, gained, 0.0)


def _harmonic(n: FloatArray) -> FloatArray:
    """Return 1 + 1/2 + ... + 1/n, less Euler's constant, which cancels in differences."""
    return np.asarray(digamma(n + 1))


def unit_steps(rankings: Rankings) -> FloatArray:
    """Trapezoids at every positive, along Davis and Goadrich's curve between thresholds."""
    areas = rankings.total(lambda s: _unit_steps(s.tp_above, s.above, s.tp, s.retrieved))
    return ratio(areas, rankings.n_positives)


def fewest_retrieved(rankings: Rankings) -> FloatArray:
    """Trapezoids between the highest thresholds of each recall, starting at precision 1.

    A tied group of more than two positives is divided at every positive. All steps are in memory at once,
    since a step needs the step above it, which may be in the next block.
    """
    blocks = list(rankings.blocks())  # worst score first, so the step above is the next entry
    if not blocks:
        return np.zeros(rankings.n_positives.size)
    tp, retrieved = (np.concatenate([getattr(s, name) for s in blocks]) for name in ("tp", "retrieved"))
    ranking = np.concatenate([np.repeat(s.ranking, s.length) for s in blocks])
    same = np.append(ranking[1:] == ranking[:-1], False)  # the next entry may be of another ranking
    tp_before, before = (np.where(same, np.roll(values, -1), 0.0) for values in (tp, retrieved))
    gained, precision = tp - tp_before, tp / retrieved
    area = gained * (precision + np.where(same, np.roll(precision, -1), 1.0)) / 2
    divided = gained > 2  # as in ROCR, which alone has this area
    area[divided] = _unit_steps(
        tp_before[divided], before[divided], tp[divided], retrieved[divided], first=1.0
    )
    sums = np.bincount(ranking, area, rankings.n_positives.size).astype(np.float64)
    return ratio(sums, rankings.n_positives)


def _unit_steps(
    tp_above: FloatArray,
    above: FloatArray,
    tp: FloatArray,
    retrieved: FloatArray,
    *,
    first: float | None = None,
) -> FloatArray:
    """Sum the trapezoids of each segment; a first segment starts at `first` or at its own precision."""
    if not tp.size:
        return tp
    # A segment gains `gap` positives. Its points are one positive apart, and the retrieved rows grow evenly.
    gap = tp - tp_above
    counts = gap.astype(np.int64) + 1  # points of each segment, both ends included
    start = np.cumsum(counts) - counts
    segment = np.repeat(np.arange(gap.size), counts)
    step = np.arange(segment.size) - start[segment]
    size = above[segment] + step * ((retrieved - above) / gap)[segment]
    precision = np.divide(tp_above[segment] + step, size, out=np.zeros_like(size), where=size > 0)
    from_nothing = above == 0
    precision[start[from_nothing]] = (tp / retrieved)[from_nothing] if first is None else first
    precision[start] /= 2  # by the trapezoidal rule, both ends of a segment count half
    precision[start + counts - 1] /= 2
    return np.asarray(np.add.reduceat(precision, start))


def interpolated_at_grid(rankings: Rankings, grid: Grid) -> FloatArray:
    """Sum, over the levels of a grid, of the best precision at the point that meets the level, or beyond."""
    if grid.met_by == "nearest positives":
        return _at_nearest_positives(rankings, grid)
    if (grid.met_by, grid.weights) == ("recall", "equal"):
        if isinstance(grid.levels, float):
            return interpolated_to_recall(rankings, grid.levels)
        levels = np.array(grid.levels) if isinstance(grid.levels, tuple) else grid.levels
        return interpolated_at_levels(rankings, levels)

    # A level takes the best precision of the steps that meet it. Each step adds, to all
    # levels that it meets, by how much its precision exceeds the best one of all lower thresholds.
    def height(steps: Steps, best: FloatArray, below: FloatArray) -> FloatArray:
        return (best - below) * _levels_met(rankings, steps, steps.tp, grid)

    return rankings.total(height, enveloped=True)


def step_at_grid(rankings: Rankings, grid: Grid) -> FloatArray:
    """Sum, over the levels of a grid, of the precision at the first step that meets the level."""
    if isinstance(grid.levels, float):
        return step_to_recall(rankings, grid.levels)
    return rankings.total(lambda steps: _precision_met(rankings, steps, grid))


def _precision_met(rankings: Rankings, steps: Steps, grid: Grid) -> FloatArray:
    # A level counts at the first step that meets it: what the step meets, less what was met above it.
    met_above = _levels_met(rankings, steps, steps.tp_above, grid)
    met_here = _levels_met(rankings, steps, steps.tp, grid) - np.where(steps.tp_above > 0, met_above, 0.0)
    return steps.tp / steps.retrieved * met_here


def score_at_grid(area: Area, rankings: Rankings, grid: Grid) -> FloatArray:
    """Sum, over the levels of a grid, of what the area itself is at each level."""
    assert area.score_at_levels is not None, area  # the table of areas asks for a grid only where it has one
    at_levels = area.score_at_levels
    return np.asarray(sum(w * at_levels(rankings, np.array([level])) for level, w in _levels(grid)))


def _levels_met(rankings: Rankings, steps: Steps, tp: FloatArray, grid: Grid) -> FloatArray:
    """Return the total weight of the levels that `tp` positives meet."""
    n_positives = steps.per_step(rankings.n_positives)
    met = np.zeros_like(tp)
    for level, weight in _levels(grid):
        met += weight * _MEETS[grid.met_by](tp, n_positives, level)
    return met


def _levels(grid: Grid) -> Iterator[tuple[float, float]]:
    """Yield each level and its weight in the sum."""
    levels = grid.levels
    assert not isinstance(levels, float), grid  # every recall up to one has no levels
    if isinstance(levels, int):
        levels = tuple(j / (levels - 1) for j in range(levels))
    weights = [1 / len(levels)] * len(levels)
    if grid.weights == "differences":
        weights = [0.0, *(level - before for before, level in pairwise(levels))]
    elif grid.weights == "trapezoid":  # levels are evenly spaced from 0 to 1
        weights = [1 / (len(levels) - 1)] * len(levels)
        weights[0] = weights[-1] = weights[0] / 2
    return zip(levels, weights, strict=True)


def with_descent(rankings: Rankings, grid: Grid | None = None) -> FloatArray:
    """Interpolated area, and that below the line from the last point to recall 1 and precision 0."""
    hits = found_weight(rankings)
    recall, precision = ratio(hits, rankings.n_positives), ratio(hits, rankings.total_weight)
    if grid is None:
        return INTERPOLATED.score_full(rankings) + precision * (1 - recall) / 2
    area = np.zeros_like(recall)
    for level, weight in _levels(grid):
        height = precision * ratio(np.full_like(recall, 1 - level), 1 - recall)
        area += weight * np.where(level >= recall, height, 0.0)
    return interpolated_at_grid(rankings, grid) + area


def _at_nearest_positives(rankings: Rankings, grid: Grid) -> FloatArray:
    """Mean, over levels j / 40, of the best precision at or beyond the positive of nearest recall."""
    counts = zip(found_weight(rankings).tolist(), rankings.n_positives.tolist(), strict=True)
    positives = np.array([_nearest_positives(int(n_hits), n_positives) for n_hits, n_positives in counts])
    precision = np.zeros(positives.shape)
    # Each slot takes the precision of the one step with its positive; all others add 0.
    for steps in rankings.blocks():
        for slot in range(_SLOTS):
            nth = steps.per_step(positives[:, slot])
            at_positive = (steps.tp_above < nth) & (nth <= steps.tp)
            heights = np.where(at_positive, steps.tp / steps.retrieved, 0.0)
            precision[steps.ranking, slot] += np.add.reduceat(heights, steps.start)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    slots = [round((_SLOTS - 1) * level) for level, _ in _levels(grid)]
    return np.asarray(best[:, slots].mean(axis=1))


def _nearest_positives(n_found: int, n_positives: float) -> FloatArray:
    """Return the positive, from 1, nearest to each j / 40, each taken once, as in KITTI's loop; or 0."""
    nearest, recall = np.zeros(_SLOTS), 0.0
    slot = 0
    # KITTI waits for the next positive as long as that one is nearer to the recall of the slot.
    for positive in range(1, n_found + 1):
        its_recall, next_recall = positive / n_positives, (positive + 1) / n_positives
        if positive < n_found and next_recall - recall < recall - its_recall:
            continue
        nearest[slot] = positive
        slot, recall = slot + 1, recall + 1 / (_SLOTS - 1)
        if slot == _SLOTS:
            break
    return nearest


# Whether `tp` of `n` positives meet a level, by each rule.
_MEETS: dict[str, Callable[[FloatArray, FloatArray, float], BoolArray]] = {
    "recall": lambda tp, n, level: tp / n >= level,
    "greater recall": lambda tp, n, level: tp / n > level,
    "documents": lambda tp, n, level: tp >= np.floor(level * n + 0.9),
    "rounded documents": lambda tp, n, level: tp >= np.floor(level * n) + (level * n % 1 >= 0.5),
}


_AT_GRID = {"step": step_at_grid, "interpolated": interpolated_at_grid, "linear": linear_at_grid}
_AREAS_OF_SCORES = {number.definition.area.name: number.definition.area for number in NUMBERS}
_AREAS_OF_PACKAGES = (
    Area(
        name="davis-goadrich, unit steps",
        noun="PR AUC",
        description="Davis-Goadrich points at each positive, joined by straight lines",
        score_full=unit_steps,
    ),
    Area(
        name="linear, fewest retrieved",
        noun="PR AUC",
        description="lines between the first thresholds of each recall",
        score_full=fewest_retrieved,
    ),
    Area(
        name="linear, interpolated",
        noun="PR AUC",
        description="best precisions at each threshold or below, joined by straight lines",
        score_full=linear_envelope,
    ),
    Area(
        name="precisions",
        noun="AP",
        description="mean of the precisions at each row",
        score_full=mean_precision,
        sum_to_cut=precisions_within,
    ),
)


def _with_grids(area: Area) -> Area:
    """Return an area of a score with the grids of records.

    They meet levels, and give them weights, in more ways than public scores do.
    """
    own = None if area.score_at_levels is None else partial(score_at_grid, area)
    return replace(area, score_at_levels=_AT_GRID.get(area.name, own))


# By the names that records use.
AREAS = {area.name: area for area in (*map(_with_grids, _AREAS_OF_SCORES.values()), *_AREAS_OF_PACKAGES)}


def find_area(name: str, *, first_point: FirstPoint, last_point: LastPoint) -> Area:
    """Return an area by its name, with the first and the last point of a record's curve."""
    # Records allow another first point for 'linear' alone, and another last point for 'interpolated' alone.
    if first_point != "(0, 1)":
        score_full, at_grid = (
            partial(area, first_point=first_point) for area in (linear_from, linear_at_grid)
        )
        return replace(AREAS[name], score_full=score_full, score_at_levels=at_grid)
    if last_point != "none":
        return replace(AREAS[name], score_full=with_descent, score_at_levels=with_descent)
    return AREAS[name]
