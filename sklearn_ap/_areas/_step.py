"""Step average precision: the mean of the precision over the positives."""

import numpy as np

from .._ranking import Rankings, Steps, added, ratio, steps_of_few, total
from .._typing import AnyArray, BoolArray, FloatArray
from ._area import Area
from ._path import CurvePoints, Path
from ._step_at_k import mean_over_hits, within_cut

__all__ = ["STEP"]

_START = np.zeros(1, dtype=np.int64)  # a lone ranking begins at its first step


def step_average_precision(rankings: Rankings) -> FloatArray:
    """Sum of the precision at each step, times the recall gained there."""
    precision = ((s, _gain(s)) for s in rankings.blocks())
    return ratio(total(rankings, precision), rankings.n_positives)


def _gain(steps: Steps) -> FloatArray:
    return steps.gained * (steps.tp / steps.retrieved)


def step_of_few(
    positive: BoolArray, score: AnyArray, weight: FloatArray, prevalence: float | None = None
) -> float | None:
    """Return the same number to the last bit, in half the time for 100 weighted rows; None if in doubt."""
    steps = steps_of_few(positive, score, weight, prevalence)
    if steps is None or not steps[1].size:
        return None
    tp, retrieved = steps
    precision = (tp[:-1] - tp[1:]) * (tp[:-1] / retrieved)
    return float((added(precision, _START) / tp[0]).item())


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
    of_few=step_of_few,
    path=_path,
)
