"""Interpolated average precision: the best precision at or beyond each recall, or
recall level.
"""

from functools import partial
from typing import Any

import numpy as np

from ..ranking.levels import levels_reached, rounding_of_recall
from ..ranking.rankings import Rankings, Steps, ratio
from ..rounding import EQUAL, ROUNDING_PER_ROW
from ..typing import FloatArray, Levels
from .area import Area, DrawnPath
from .step import step_slopes


def interpolated(rankings: Rankings) -> FloatArray:
    """Sum of the best precision at each step or beyond, times the recall gained."""

    def gain(steps: Steps, best: FloatArray, _: FloatArray) -> FloatArray:
        return best * steps.gained

    return ratio(rankings.kernel.total(gain, enveloped=True), rankings.n_positives)


def interpolated_at_levels(rankings: Rankings, levels: Levels) -> FloatArray:
    """Sum of the rise of the envelope at each step, times the share of the sorted
    levels reached.
    """
    n_levels = levels if isinstance(levels, int) else levels.size
    n_positives, rounding = rankings.n_positives, rounding_of_recall(rankings)
    # Products of counts and levels are exact below 2**53, so recalls and levels are
    # compared as fractions are. Sums of weights, and a total that is not whole, have
    # no such products, and their quotients are compared.
    if isinstance(levels, int) and rounding is not None:
        levels = np.arange(levels) / (levels - 1)
    count: Any = partial(np.searchsorted, levels, side="right")

    def gain(steps: Steps, best: FloatArray, below: FloatArray) -> FloatArray:
        tp, whole = steps.tp, steps.per_step(n_positives)
        if isinstance(levels, int):
            reached = _levels_reached_exactly(tp, whole, levels)
        else:
            reached = levels_reached(count, tp, whole, rounding, steps.per_step)
        return (best - below) * reached

    return rankings.kernel.total(gain, enveloped=True) / n_levels


def _levels_reached_exactly(
    tp: FloatArray, n_positives: FloatArray, n_levels: int
) -> FloatArray:
    """Return how many levels there are up to each recall of counts: a quotient of
    integers below 2**52 is never rounded up to the next one.
    """
    reached: FloatArray = tp * (n_levels - 1)
    reached /= n_positives
    np.floor(reached, out=reached)
    reached += 1
    return reached


def _path(points: DrawnPath, grid: Levels | None) -> DrawnPath:
    """Return the envelope without the closing point; levels of a grid are points with
    dots.
    """
    best = np.maximum.accumulate(points.precision[:-1])
    recall = points.recall[:-1]
    if not isinstance(grid, int):
        return DrawnPath(
            np.append(best, best[-1]), points.recall, drawstyle="steps-post"
        )
    levels = np.arange(grid - 1, -1, -1) / (grid - 1)
    # As in the score, a level within the rounding of the weights counts as reached. The
    # number of rows is unknown here, so the number of points stands for it, within
    # bounds.
    rounding = min(max(ROUNDING_PER_ROW * recall.size, EQUAL), 1e-10)
    place = np.array([np.count_nonzero(recall >= level - rounding) for level in levels])
    height = np.append(0.0, best)[place]
    dots = tuple((place + np.arange(levels.size)).tolist())
    return DrawnPath(
        np.insert(best, place, height),
        np.insert(recall, place, levels),
        dots=dots,
        drawstyle="steps-post",
    )


INTERPOLATED = Area(
    name="interpolated",
    noun="AP",
    description="best precision at each recall or beyond",
    score_full=interpolated,
    score_at_levels=interpolated_at_levels,
    slopes=step_slopes,
    has_vertices=True,
    path=_path,
)
