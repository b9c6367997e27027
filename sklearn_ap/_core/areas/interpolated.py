"""Interpolated average precision: the mean of the best precision at each recall or
beyond, over all recalls or over recall levels.
"""

import numpy as np

from ..ranking.levels import largest_quotients, rounding_of_recall
from ..ranking.rankings import Rankings, Steps, ratio
from ..typing import AnyArray, FloatArray, Levels
from .area import Area


def interpolated(rankings: Rankings) -> FloatArray:
    """Return the sum over steps of the best precision at the step or below it, times
    the recall gained.
    """

    def gain(steps: Steps, best: FloatArray, _: FloatArray) -> FloatArray:
        return best * steps.gained

    return ratio(
        rankings.kernel.sum_over_steps(gain, enveloped=True), rankings.n_positives
    )


def interpolated_at_levels(rankings: Rankings, levels: Levels) -> FloatArray:
    """Return the mean of the best precision at each level or beyond.

    The rise of a step is the best precision at its recall or beyond, minus the best
    precision of the step below. The mean over levels is the sum of the rises of all
    steps, each times the share of the (sorted) levels that the recall of the step
    reaches (`Envelope`).
    """
    n_levels = levels if isinstance(levels, int) else levels.size
    n_positives, rounding = rankings.n_positives, rounding_of_recall(rankings)
    # Products of counts and levels are exact below 2**53, so that recalls and levels
    # can be compared as fractions. For sums of weights, or a total that is not a whole
    # number, such products are rounded, so the rounded recalls are compared with the
    # levels.
    if isinstance(levels, int) and rounding is not None:
        levels = np.arange(levels) / (levels - 1)

    def gain(steps: Steps, best: FloatArray, below: FloatArray) -> FloatArray:
        tp, whole = steps.tp, steps.per_step(n_positives)
        reached: AnyArray
        if isinstance(levels, int):
            reached = _levels_reached_exactly(tp, whole, levels)
        else:
            recall = largest_quotients(tp, whole, rounding, steps.per_step)
            reached = levels.searchsorted(recall, side="right")
        return (best - below) * reached

    return rankings.kernel.sum_over_steps(gain, enveloped=True) / n_levels


def _levels_reached_exactly(
    tp: FloatArray, n_positives: FloatArray, n_levels: int
) -> FloatArray:
    """Return the number of equally spaced levels that each recall reaches: floor(tp *
    (n_levels - 1) / n_positives) + 1.

    `tp` and `n_positives` are counts. A quotient of integers below 2**52 is never
    rounded up to the next integer, so the result is exact.
    """
    reached: FloatArray = tp * (n_levels - 1)
    reached /= n_positives
    np.floor(reached, out=reached)
    reached += 1
    return reached


INTERPOLATED = Area(
    name="interpolated",
    noun="AP",
    description="best precision at each recall or beyond",
    score_full=interpolated,
    score_at_levels=interpolated_at_levels,
)
