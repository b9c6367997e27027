"""Step average precision: the mean of the precision over the positives."""

from .._ranking import Rankings, Steps, ratio, total
from .._typing import FloatArray
from ._area import Area
from ._path import CurvePoints, Path
from ._step_at_k import mean_over_hits, within_cut

__all__ = ["STEP"]


def step_average_precision(rankings: Rankings) -> FloatArray:
    """Sum of the precision at each step, times the recall gained there."""
    return ratio(total(rankings, ((s, _gain(s)) for s in rankings.blocks())), rankings.n_positives)


def _gain(steps: Steps) -> FloatArray:
    return steps.gained * (steps.tp / steps.retrieved)


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
    path=_path,
)
