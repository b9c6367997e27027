"""Interpolated average precision: the mean of the best precision at each recall or
beyond, over all recalls or over recall levels.
"""

from functools import partial

import numpy as np

from ..ranking.levels import largest_quotients, rounding_of_recall
from ..ranking.rankings import Rankings, Steps
from ..typing import FloatArray, Levels
from .area import Area, mean_over_positives


def _interpolated_gain(steps: Steps, best: FloatArray, _: FloatArray) -> FloatArray:
    """Return the best precision at each step or below it, times the positives gained at
    the step.
    """
    return best * steps.gained


def interpolated_at_levels(rankings: Rankings, levels: Levels) -> FloatArray:
    """Return the mean of the best precision at each level or beyond.

    The rise of a step is the best precision at its recall or beyond, minus the best
    precision of the step below. The mean over levels is the sum of the rises of all
    steps, each times the share of the (sorted) levels that the recall of the step
    reaches (`Envelope`).
    """
    # A quotient of counts is rounded to the nearest float, as a level is. So it reaches
    # the same levels as the exact quotient, if the product of the numbers of levels and
    # of positives is below 2**52.
    if isinstance(levels, int):
        levels = np.arange(levels) / (levels - 1)
    count_reached = partial(levels.searchsorted, side="right")
    n_positives, rounding = rankings.n_positives, rounding_of_recall(rankings)

    def gain(steps: Steps, best: FloatArray, below: FloatArray) -> FloatArray:
        whole = steps.per_step(n_positives)
        recall = largest_quotients(steps.tp, whole, rounding, steps.per_step)
        return (best - below) * count_reached(recall)

    return rankings.kernel.sum_over_steps(gain, enveloped=True) / levels.size


INTERPOLATED = Area(
    name="interpolated",
    noun="AP",
    description="best precision at each recall or beyond",
    score_full=partial(mean_over_positives, _interpolated_gain, enveloped=True),
    score_at_levels=interpolated_at_levels,
)
