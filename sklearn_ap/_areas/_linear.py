"""The area under straight lines between operating points."""

from functools import partial

import numpy as np

from .._ranking._rankings import share_of_positives
from .._ranking._steps import Steps, ratio
from .._typing import FloatArray
from ._area import Area, CurvePoints, Path, Slopes, flat_path


def _gain(steps: Steps) -> FloatArray:
    """Return the mean of two neighbouring precisions, times the positives gained between them."""
    return steps.gained * ((steps.tp / steps.retrieved + _precision_above(steps)) / 2)


def _precision_above(steps: Steps) -> FloatArray:
    """Return the precision of the rows above each step; 1 by convention if there are none."""
    none: FloatArray = (steps.rows_above == 0).astype(np.float64)  # then 0 / 0 becomes 1 / 1
    return (steps.tp_above + none) / (steps.above + none)


def _slopes(steps: Steps) -> Slopes:
    """Return half the slopes of the precision at and above each step; where nothing is above, it is 1."""
    precision, before, gained = steps.tp / steps.retrieved, _precision_above(steps), steps.gained
    share = gained / steps.retrieved
    share_above = ratio(gained, steps.above)
    negative, negative_before = share * precision, share_above * before
    return Slopes(
        gained * ((precision + before) / 2),
        (precision + before + share - negative) / 2,
        -negative / 2,
        ((share - negative) + (share_above - negative_before)) / 2,  # the latter may be far larger
        -(negative + negative_before) / 2,
    )


def _path(points: CurvePoints, _: object) -> Path:
    return Path(points.recall, points.precision) if points.precision[:-1].any() else flat_path(points)


LINEAR = Area(
    name="linear",
    noun="PR AUC",
    description="points joined by straight lines",
    score_full=partial(share_of_positives, _gain),
    step_gain=_gain,
    slopes=_slopes,
    path=_path,
    counts_missed=False,
)
