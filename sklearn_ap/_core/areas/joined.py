"""The areas under operating points that are joined: by straight lines, or as Davis and
Goadrich do.

On Davis and Goadrich's curve, true and false positives grow in proportion between two
points.
"""

import numpy as np
from scipy.special import hyp1f1

from ..ranking.rankings import Steps, ratio
from ..typing import FloatArray
from .area import Area, DrawnPath, Slopes, flat_path

# Heights below this share of what a step gains are computed by a series: their
# difference from 1 has lost six bits or more.
_SHORT_HEIGHT = 2.0**-6


def linear_gain(steps: Steps) -> FloatArray:
    """Return the mean of two neighbouring precisions, times the positives gained
    between them.
    """
    return steps.gained * ((steps.tp / steps.retrieved + _precision_above(steps)) / 2)


def _precision_above(steps: Steps) -> FloatArray:
    """Return the precision of the rows above each step; 1 by convention if there are
    none.
    """
    # Add 1 to both counts where no row is above: 0 / 0 becomes 1 / 1 without a mask.
    is_top: FloatArray = (steps.rows_above == 0).astype(np.float64)
    return (steps.tp_above + is_top) / (steps.above + is_top)


def _linear_slopes(steps: Steps) -> Slopes:
    """Return half the slopes of the precision at and above each step; where nothing is
    above, it is 1.
    """
    precision = steps.tp / steps.retrieved
    before = _precision_above(steps)
    gained = steps.gained
    share = gained / steps.retrieved
    share_above = ratio(gained, steps.above)
    negative = share * precision
    negative_before = share_above * before
    # Each difference on its own: the second one may be of far larger numbers that are
    # nearly equal, and a sum from left to right would lose the digits of the first.
    positive_above = (share - negative) + (share_above - negative_before)
    return Slopes(
        gain=gained * ((precision + before) / 2),
        positive=(precision + before + share - negative) / 2,
        tied=-negative / 2,
        positive_above=positive_above / 2,
        negative_above=-(negative + negative_before) / 2,
    )


def _linear_path(points: DrawnPath, _: object) -> DrawnPath:
    if points.precision[:-1].any():
        return points
    return flat_path(points)


LINEAR = Area(
    name="linear",
    noun="PR AUC",
    description="points joined by straight lines",
    gain=linear_gain,
    slopes=_linear_slopes,
    path=_linear_path,
    counts_missed=False,
)


def _curved_gain(steps: Steps) -> FloatArray:
    """Return the area of each segment, on which true positives are a fixed share, times
    the positives.
    """
    gained, added = steps.gained, steps.group_weight
    growth, slope = _growth(steps, added)
    return gained / added * _height(steps, gained, growth, slope)


def _height(
    steps: Steps, gained: FloatArray, growth: FloatArray, slope: FloatArray
) -> FloatArray:
    r"""Return the mean precision of each segment, times the weight added there.

    Of a height far below `gained`, 1 - `slope` is a large part, which has lost digits:
    ten of them with a precision of 1e-6 above. For a growth L it is also :math:`(e^L -
    1 - L) / (e^L - 1)`.
    """
    height: FloatArray = gained * (1 - slope) + steps.tp_above * growth
    short = (height < _SHORT_HEIGHT * gained).nonzero()[0]
    if short.size:
        grown = growth[short]
        series = hyp1f1(1.0, 3.0, grown)  # 2 (e^L - 1 - L) / L^2
        height[short] = grown * (
            gained[short] * (slope[short] / 2 * series) + steps.tp_above[short]
        )
    return height


def _growth(steps: Steps, added: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln(N_b / N_a), and this logarithm times N_a / dN; both are 0 if no row is
    above.

    The quotient of neighbouring counts near 1e9 is so close to 1 that a plain logarithm
    loses digits; log1p keeps them. Only the smaller weight is divided by the larger
    one, so no quotient overflows.
    """
    above = steps.above
    relative = added / np.maximum(above, added)
    growth: FloatArray = np.log1p(relative)
    # dN / N_a may underflow to 0; then ln(1 + x) / x is 1, its limit.
    slope = ratio(growth, relative, 1.0)
    doubled = (added > above).nonzero()[0]  # few, and the first segment is among them
    if doubled.size:
        growth[doubled] = slope[doubled] = 0.0
        far = doubled[steps.rows_above[doubled] > 0]
        if far.size:  # only with ties or weights
            above_far = above[far]
            growth[far] = grown = np.log(steps.retrieved[far]) - np.log(above_far)
            slope[far] = grown * (above_far / added[far])
    return growth, slope


def _curved_path(points: DrawnPath, _: object) -> DrawnPath:
    """Return the curve; between two points, true positives are a fixed share of what is
    added.

    On this curve precision is linear in 1 / retrieved. Points at equal ratios of
    `retrieved` are dense where the curve bends, so a few hundred points draw all
    segments together.
    """
    recall = points.recall[-2::-1]
    precision = points.precision[-2::-1]
    if not precision.any():
        return flat_path(points)
    # From here on, arrays start at the highest threshold, and the first segment starts
    # at 0.
    retrieved = np.append(0.0, _retrieved(recall, precision, points.share_retrieved))
    least = retrieved[retrieved > 0][0]
    most = retrieved[-1]
    # Each point stands 2 % beyond the one before, at most.
    n_between = int((np.log(most) - np.log(least)) / 0.02) + 2
    between = np.union1d(retrieved, np.geomspace(least, most, n_between))
    tp = np.interp(between, retrieved, np.append(0.0, recall))
    height = ratio(tp, between)
    height[0] = height[1]  # the first segment is level
    return DrawnPath(height[::-1], tp[::-1])


def _retrieved(
    recall: FloatArray, precision: FloatArray, share_retrieved: FloatArray | None
) -> FloatArray:
    """Return the weight at or above each threshold, highest first, divided by the
    weight of the positives.

    Recall / precision is this weight, except where both are 0. There the share of
    samples retrieved gives it.
    """
    retrieved = ratio(recall, precision)
    unknown = precision == 0
    if share_retrieved is not None and unknown.any():
        share = share_retrieved[-2::-1]
        retrieved[unknown] = share[unknown] * (retrieved[-1] / share[-1])
    # Neighbours may differ by their rounding alone.
    return np.maximum.accumulate(retrieved)


DAVIS_GOADRICH = Area(
    name="davis-goadrich",
    noun="PR AUC",
    title="Davis-Goadrich",
    description="points joined as Davis and Goadrich do",
    gain=_curved_gain,
    path=_curved_path,
    counts_missed=False,
)
