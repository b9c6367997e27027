"""The lines that a plot draws above the areas: their paths through the operating points
of a ranking.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from .._core.areas.interpolated import INTERPOLATED
from .._core.areas.joined import DAVIS_GOADRICH, LINEAR
from .._core.areas.step import STEP
from .._core.definition import define
from .._core.ranking.levels import levels_in
from .._core.ranking.rankings import ratio
from .._core.rounding import EQUAL, ROUNDING_PER_ROW
from .._core.typing import FloatArray
from .styles import Style

# Points are joined by straight lines; or by steps, which have the precision of the
# point with the higher recall.
_LINES: Style = {"drawstyle": "default"}
_STEPS: Style = {"drawstyle": "steps-post"}


class CurvePoints(NamedTuple):
    """The operating points of one ranking, as
    :func:`sklearn.metrics.precision_recall_curve` returns them: in the order of
    decreasing recall, with a closing point of recall 0 and precision 1.
    """

    precision: FloatArray
    recall: FloatArray
    # Weight at or above each threshold, divided by the weight of all samples; empty if
    # it is unknown.
    share_retrieved: FloatArray = np.empty(0)


class DrawnPath(NamedTuple):
    """The line to draw for one ranking, in the order of decreasing recall."""

    precision: FloatArray
    recall: FloatArray
    # Arguments of matplotlib's `plot`.
    style: Style = _LINES


def _flat_path(points: CurvePoints) -> DrawnPath:
    """Return a line of precision 0 with the recalls of these points.

    Without positives the area is 0. The closing point of scikit-learn's curve, with
    precision 1, would add to the area below straight lines.
    """
    return DrawnPath(np.zeros_like(points.precision), points.recall)


def _step_path(points: CurvePoints) -> DrawnPath:
    return DrawnPath(points.precision, points.recall, _STEPS)


def _interpolated_path(points: CurvePoints, n_levels: int = 0) -> DrawnPath:
    """Return the envelope of the points, without scikit-learn's closing point. Evenly
    spaced levels of recall become points with dots.
    """
    best = np.maximum.accumulate(points.precision[:-1])
    recall = points.recall[:-1]
    # Without levels, the envelope is continued at its last height to recall 0.
    if not n_levels:
        return DrawnPath(np.append(best, best[-1]), points.recall, style=_STEPS)
    levels = np.flip(levels_in(n_levels))
    # A recall reaches a level that exceeds it by no more than the rounding of sums of
    # weights. The score has a tolerance only if weights differ, and it grows with the
    # number of rows. Weights and rows are unknown here, so the tolerance is that of as
    # many rows as there are points, within bounds.
    rounding = min(max(ROUNDING_PER_ROW * recall.size, EQUAL), 1e-10)
    # Recall decreases, so each level is inserted after the points that reach it. The
    # height of a level is the height of the last point that reaches it, or 0 if no
    # point does.
    # The negated recalls are in rising order.
    n_reaching = (-recall).searchsorted(rounding - levels, side="right")
    height = np.append(0.0, best)[n_reaching]
    # Each level that is inserted moves the later levels by one place.
    dots = (n_reaching + np.arange(levels.size)).tolist()
    return DrawnPath(
        np.insert(best, n_reaching, height),
        np.insert(recall, n_reaching, levels),
        style={**_STEPS, "marker": "o", "markevery": dots},
    )


def _linear_path(points: CurvePoints) -> DrawnPath:
    """Return the points, which a plot joins by straight lines; without positives,
    return a flat line.
    """
    if points.precision[:-1].any():
        return DrawnPath(points.precision, points.recall)
    return _flat_path(points)


def _curved_path(points: CurvePoints) -> DrawnPath:
    """Return points of Davis and Goadrich's curve, dense enough to look smooth.

    Between two operating points, precision is linear in 1 / retrieved. If `retrieved`
    grows by a constant factor from point to point, the points are dense where the curve
    bends, so that a few hundred points suffice for all segments together.
    """
    if not points.precision[:-1].any():
        return _flat_path(points)
    # From here on, arrays begin where no row is retrieved. `retrieved` is the weight at
    # or above each threshold, divided by the weight of the positives. At the lowest
    # threshold, where all positives are retrieved, it is recall / precision.
    recall, share = np.flip(points.recall), np.flip(points.share_retrieved)
    retrieved = share * (points.recall[0] / points.precision[0] / share[-1])
    least, most = retrieved[1], retrieved[-1]
    # From each point to the next one, `retrieved` grows by 2 % at most.
    n_between = int((np.log(most) - np.log(least)) / 0.02) + 2
    between = np.union1d(retrieved, np.geomspace(least, most, n_between))
    tp = np.interp(between, retrieved, recall)
    height = ratio(tp, between)
    # The first segment is horizontal: its points have the precision of the first
    # operating point.
    height[0] = height[1]
    return DrawnPath(height[::-1], tp[::-1])


# The definition of each value of the argument `area`, and the function that returns the
# path to draw.
DRAWN_AREAS = {
    "step": define(STEP),
    "interpolated": define(INTERPOLATED),
    "eleven-point": define(INTERPOLATED, levels=11),
    "linear": define(LINEAR),
    "davis-goadrich": define(DAVIS_GOADRICH),
}
PATHS: dict[str, Callable[[CurvePoints], DrawnPath]] = {
    "step": _step_path,
    "interpolated": _interpolated_path,
    "eleven-point": partial(_interpolated_path, n_levels=11),
    "linear": _linear_path,
    "davis-goadrich": _curved_path,
}
