"""Interpolated average precision: the best precision at or beyond each recall, or
recall level.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from .._ranking._levels import Rounding, levels_reached, rounding_of_recall
from .._ranking._rankings import Rankings, Steps, ratio
from .._rounding import EQUAL, rounding_of_sums
from .._typing import FloatArray, Levels
from ._area import Area, CurvePoints, Path
from ._step import step_slopes

# numpy takes as long to read a number of Python as to add a hundred
_UNIT = np.array(1.0)
_FEW_LEVELS = 1001  # take less time to search than to compute


def interpolated(rankings: Rankings) -> FloatArray:
    """Sum of the rise of the envelope at each step, times the recall there."""
    return ratio(
        rankings.total(_rise_times_recall, enveloped=True), rankings.n_positives
    )


def _gain(steps: Steps) -> FloatArray:
    """Return the same products for a single ranking in one block."""
    return _rise(steps) * steps.tp


def _gain_at_levels(n_levels: int, steps: Steps) -> FloatArray:
    """Return the rise times the number of levels reached, for a single ranking of
    counts in one block.
    """
    return _rise(steps) * _levels_reached_exactly(steps.tp, steps.tp[0], n_levels)


def _rise(steps: Steps) -> FloatArray:
    best = np.maximum.accumulate(steps.tp / steps.retrieved)
    rise: FloatArray = best.copy()
    rise[1:] -= best[:-1]
    return rise


def _rise_times_recall(steps: Steps, best: FloatArray, below: FloatArray) -> FloatArray:
    rise = best - below
    rise *= steps.tp
    return rise


def interpolated_to_recall(rankings: Rankings, max_recall: float) -> FloatArray:
    """Sum of the rise of the envelope at each step, times the share of the recalls up
    to one reached.
    """
    end = rankings.n_positives * max_recall  # in positives
    return ratio(rankings.total(partial(_rise_to, end), enveloped=True), end)


def interpolated_at_levels(rankings: Rankings, levels: Levels) -> FloatArray:
    """Sum of the rise of the envelope at each step, times the share of the sorted
    levels reached.
    """
    n_levels = levels if isinstance(levels, int) else levels.size
    n_positives, rounding = rankings.n_positives, rounding_of_recall(rankings)
    # np.maximum.reduce is much faster than max() for a single ranking.
    most = np.maximum.reduce(n_positives) * n_levels
    is_exact = (
        rounding is None and most <= 2**52 and not np.count_nonzero(n_positives % _UNIT)
    )
    if isinstance(levels, int) and not is_exact and levels <= _FEW_LEVELS:
        levels = np.arange(levels) / (levels - 1)
    levels_of = _Levels(levels, n_positives, rounding, is_exact=is_exact)
    return (
        rankings.total(partial(_rise_at_levels, levels_of), enveloped=True) / n_levels
    )


def _rise_to(
    end: FloatArray, steps: Steps, best: FloatArray, below: FloatArray
) -> FloatArray:
    return (best - below) * np.minimum(steps.tp, steps.per_step(end))


class _Levels(NamedTuple):
    """Recall levels, and the totals of the rankings in which they are reached."""

    levels: Levels
    n_positives: FloatArray
    rounding: Rounding | None  # of their recalls
    is_exact: bool  # whether products of levels and counts are, too


def _rise_at_levels(
    levels: _Levels, steps: Steps, best: FloatArray, below: FloatArray
) -> FloatArray:
    rise = best - below
    rise *= _levels_reached(levels, steps)
    return rise


def _levels_reached(totals: _Levels, steps: Steps) -> FloatArray:
    """Return how many levels the recall of each step reaches, by `levels_reached`."""
    levels: Levels = totals.levels
    tp, n_positives = steps.tp, steps.per_step(totals.n_positives)
    if totals.is_exact and isinstance(levels, int):
        return _levels_reached_exactly(tp, n_positives, levels)
    count = partial(_levels_up_to, levels)
    return levels_reached(count, tp, n_positives, totals.rounding, steps.per_step)


def _levels_up_to(levels: Levels, recall: FloatArray) -> FloatArray:
    """Return how many levels there are up to each recall."""
    if not isinstance(levels, int):
        return np.searchsorted(levels, recall, side="right").astype(np.float64)
    last = levels - 1
    reached: FloatArray = np.floor(recall * last)
    # A product may be rounded to the next integer, or away from it.
    reached += (reached + 1) / last <= recall
    reached -= reached / last > recall
    return np.asarray(np.minimum(reached + 1, levels))


def _levels_reached_exactly(
    tp: FloatArray, n_positives: FloatArray, n_levels: int
) -> FloatArray:
    """Return the same for counts: a quotient of integers below 2**52 is never rounded
    up to the next one.
    """
    reached: FloatArray = tp * np.array(float(n_levels - 1))
    reached /= n_positives
    np.floor(reached, out=reached)
    reached += _UNIT
    return reached


def _path(points: CurvePoints, grid: Levels | None) -> Path:
    """Return the envelope without the closing point; levels of a grid are points with
    dots.
    """
    best = np.maximum.accumulate(points.precision[:-1])
    recall = points.recall[:-1]
    if not isinstance(grid, int):
        return Path(points.recall, np.append(best, best[-1]), drawstyle="steps-post")
    levels = np.arange(grid - 1, -1, -1) / (grid - 1)
    # As in the score, a level within the rounding of the weights counts as reached. The
    # number of rows is unknown here, so the number of points stands for it, within
    # bounds.
    rounding = min(max(rounding_of_sums(float(recall.size)), EQUAL), 1e-10)
    place = np.array([np.count_nonzero(recall >= level - rounding) for level in levels])
    height = np.append(0.0, best)[place]
    dots = tuple((place + np.arange(levels.size)).tolist())
    return Path(
        np.insert(recall, place, levels),
        np.insert(best, place, height),
        dots,
        "steps-post",
    )


INTERPOLATED = Area(
    name="interpolated",
    noun="AP",
    description="best precision at each recall or beyond",
    score_full=interpolated,
    score_at_levels=interpolated_at_levels,
    score_to_recall=interpolated_to_recall,
    step_gain=_gain,
    step_gain_at_levels=_gain_at_levels,
    slopes=step_slopes,
    has_vertices=True,
    path=_path,
)
