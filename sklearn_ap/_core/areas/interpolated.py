"""Interpolated average precision: the mean of the best precision at each recall or
beyond, over all recalls or over recall levels.
"""

import numpy as np

from ..ranking.levels import largest_quotients, levels_in, rounding_of_recall
from ..ranking.rankings import Rankings, Steps
from ..ranking.runs import running
from ..typing import FloatArray, Levels
from .area import Area, mean_over_positives


def best_below(precision: FloatArray) -> FloatArray:
    """Return the best precision at each point or a later one, the best score first."""
    return np.maximum.accumulate(precision[::-1])[::-1]


class _Envelope:
    r"""The best precision so far, over the blocks of a ranking. A long ranking has
    several blocks, so the best precision continues from one block to the next.

    The *rise* of a step is its best precision minus the best precision of the step
    below. :math:`p_{interp}(r)` is the sum of the rises of all steps with recall at
    least `r`. So the mean of this precision over recall levels is a sum over steps: the
    rise of each step times the share of the levels that its recall reaches.
    """

    def __init__(self) -> None:
        # The last ranking of the previous block, and its best precision so far.
        self._ranking, self._best = 0, 0.0

    def over(self, steps: Steps) -> tuple[FloatArray, FloatArray]:
        """Return the best precision at the recall of each step or beyond, and the best
        precision of the step below.
        """
        precision = steps.precision()
        # A ranking that continues from the previous block begins with the best
        # precision of that block.
        below_first = 0.0
        if steps.ranking[0] == self._ranking:
            below_first = self._best
            precision[0] = max(precision[0], below_first)
        best = running(np.maximum, precision, steps.length)
        below = np.empty(best.size)
        below[1:] = best[:-1]
        # No step is below the first step of a ranking. But the first ranking of the
        # block may have begun in the block before.
        below[steps.start] = 0.0
        below[0] = below_first
        self._ranking = steps.ranking[-1]
        self._best = best[-1]
        return best, below


def interpolated(rankings: Rankings) -> FloatArray:
    """Return the mean over positives of the best precision at the recall of each
    positive or beyond.
    """
    envelope = _Envelope()

    def gain(steps: Steps) -> FloatArray:
        best, _ = envelope.over(steps)
        return best * steps.gained

    return mean_over_positives(gain, rankings)


def interpolated_at_levels(rankings: Rankings, levels: Levels) -> FloatArray:
    """Return the mean of the best precision at each level or beyond.

    This is the sum of the rises of all steps (`_Envelope`), each times the share of the
    levels that the recall of the step reaches. The levels are sorted.
    """
    # A level j / (N - 1) and a recall of counts, tp / P, are quotients that are rounded
    # to the nearest float. Equal quotients become equal floats. Others differ by 1 / (P
    # (N - 1)) or more, and keep their order if P (N - 1) is below 2**52. So a recall
    # reaches the same levels as the exact quotient.
    sorted_levels = levels_in(levels)
    n_positives, rounding = rankings.n_positives, rounding_of_recall(rankings)

    envelope = _Envelope()

    def gain(steps: Steps) -> FloatArray:
        best, below = envelope.over(steps)
        whole = steps.per_step(n_positives)
        recall = largest_quotients(steps.tp, whole, rounding, steps.per_step)
        return (best - below) * sorted_levels.searchsorted(recall, side="right")

    return rankings.kernel.sum_over_steps(gain) / sorted_levels.size


INTERPOLATED = Area(
    name="interpolated",
    description="best precision at each recall or beyond",
    score_full=interpolated,
    score_at_levels=interpolated_at_levels,
)
