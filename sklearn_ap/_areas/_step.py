"""Step average precision: the mean of the precision over the positives."""

import numpy as np

from .._ranking import Rankings, Steps, ratio, total
from .._typing import FloatArray
from ._area import Area
from ._path import CurvePoints, Path
from ._slopes import Slopes
from ._step_at_k import mean_over_hits, within_cut


def step_average_precision(rankings: Rankings) -> FloatArray:
    """Sum of the precision at each step, times the recall gained there."""
    return ratio(total(rankings, ((s, _gain(s)) for s in rankings.blocks())), rankings.n_positives)


def _gain(steps: Steps) -> FloatArray:
    return steps.gained * (steps.tp / steps.retrieved)


def step_slopes(steps: Steps) -> Slopes:
    r"""Return the slopes of :math:`a A / B`, with `A` and `B` as the counts at or above the score."""
    precision, gained = steps.tp / steps.retrieved, steps.gained
    share = gained / steps.retrieved
    gain, negative = gained * precision, share * precision
    above = share - negative
    precision += above
    return Slopes(gain, precision, None, above, np.negative(negative, out=negative))


def _curvature(steps: Steps, slopes: Slopes, squares: Steps) -> FloatArray:
    """Return half the second derivatives of each step for all rows, times the squares of their weights.

    All rows at or above the score move `A` and `B`; the positives of this score also move `a`. `squares` are
    the same steps with squared weights, or `steps` themselves without weights, which shortens the sum.
    """
    if squares is steps:
        return slopes.positive_above
    negatives = squares.retrieved - squares.tp
    moved = slopes.positive_above * squares.tp + slopes.negative_above * negatives
    return ((1 - steps.tp / steps.retrieved) * squares.gained - moved) / steps.retrieved


def _path(points: CurvePoints, _: object) -> Path:
    return Path(points.recall, points.precision, drawstyle="steps-post")


STEP = Area(
    name="step",
    noun="AP",
    words="precision at each threshold, times the recall gained",
    whole=step_average_precision,
    gain=_gain,
    within=within_cut,
    mean_over_hits=mean_over_hits,
    slopes=step_slopes,
    curvature=_curvature,
    path=_path,
)
