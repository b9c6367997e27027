"""The area under curves along which true and false positives grow in proportion."""

from functools import partial

import numpy as np
from scipy.special import hyp1f1

from .._ranking._rankings import share_of_positives
from .._ranking._steps import Steps, ratio
from .._typing import FloatArray
from ._area import Area, CurvePoints, Path, Slopes, flat_path

# Arrays, since numpy takes as long to read a number of Python as to multiply a hundred.
_UNIT, _SHORT_HEIGHT = np.array(1.0), np.array(2.0**-6)


def _gain(steps: Steps) -> FloatArray:
    """Return the area of each segment, on which true positives are a fixed share, times the positives."""
    gained, added = steps.gained, steps.group_weight
    growth, slope = _growth(steps, added)
    return gained / added * _height(steps, gained, growth, slope)


def _height(steps: Steps, gained: FloatArray, growth: FloatArray, slope: FloatArray) -> FloatArray:
    r"""Return the mean precision of each segment, times the weight added there.

    Of a height far below `gained`, 1 - `slope` is a large part, which has lost digits: ten of them with a
    precision of 1e-6 above. For a growth L it is also :math:`(e^L - 1 - L) / (e^L - 1)`.
    """
    height: FloatArray = gained * (_UNIT - slope) + steps.tp_above * growth
    short = (height < _SHORT_HEIGHT * gained).nonzero()[0]
    if short.size:
        grown = growth[short]
        series = hyp1f1(1.0, 3.0, grown)  # 2 (e^L - 1 - L) / L^2
        height[short] = grown * (gained[short] * (slope[short] / 2 * series) + steps.tp_above[short])
    return height


def _growth(steps: Steps, added: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln(N_b / N_a), and this logarithm times N_a / dN; both are 0 if no row is above.

    The quotient of neighbouring counts near 1e9 is so close to 1 that a plain logarithm loses digits; log1p
    keeps them. Only the smaller weight is divided by the larger one, so no quotient overflows.
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


def _slopes(steps: Steps) -> Slopes:
    r"""Return the slopes of :math:`a^2 / m - a^2 B_a L / m^2 + a A_a L / m`, with :math:`L = \ln(B / B_a)`.

    `d_gained` and its like are derivatives. `share` is :math:`a / m`, and `bend` is :math:`L - m / B`, which
    is small for short segments. The first segment is level: no row is above it, so nothing can move there.
    """
    gained, added, above = steps.gained, steps.group_weight, steps.above
    growth, slope = _growth(steps, added)
    share, at_top = gained / added, steps.rows_above == 0
    bend = np.where(at_top, 0.0, growth - added / steps.retrieved)
    d_gained = 2 * share * (1 - slope) + steps.tp_above / added * growth
    d_added = share * (share * (2 * slope - 1 - above / steps.retrieved) - steps.tp_above * (bend / added))
    d_tp_above = share * growth
    precision_above = ratio(steps.tp_above, above)
    d_above = -share * (share * bend + np.where(at_top, 0.0, precision_above * (added / steps.retrieved)))
    return Slopes(
        share * _height(steps, gained, growth, slope),
        d_gained + d_added,
        d_added,
        d_tp_above + d_above,
        d_above,
    )


def _path(points: CurvePoints, _: object) -> Path:
    """Return the curve; between two points, true positives are a fixed share of what is added.

    On this curve precision is linear in 1 / retrieved. Points at equal ratios of `retrieved` are dense where
    the curve bends, so a few hundred points draw all segments together.
    """
    recall, precision = points.recall[-2::-1], points.precision[-2::-1]
    if not precision.any():
        return flat_path(points)
    # From here on, arrays start at the highest threshold, and the first segment starts at 0.
    retrieved = np.append(0.0, _retrieved(recall, precision, points.share_retrieved))
    tp, a, b = np.append(0.0, recall), retrieved[:-1], retrieved[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(a > 0, np.log(b) - np.log(a), 0.0)
    growth[np.diff(tp) == 0] = 0.0  # a segment without a positive is a vertical line: one point
    # Each point stands 2% beyond the one before, at most.
    n_points = np.maximum(np.ceil(growth / 0.02), 1).astype(np.int64)
    segment = np.repeat(np.arange(n_points.size), n_points)
    last = np.cumsum(n_points)
    left = (last[segment] - 1 - np.arange(segment.size)) / n_points[segment]  # falls to 0 in each segment
    between = b[segment] * np.exp(-left * growth[segment])
    share = np.divide(b[segment] - between, (b - a)[segment], out=np.zeros(segment.size), where=left > 0)
    path = tp[1:][segment] - share * np.diff(tp)[segment]
    height = np.divide(path, between, out=np.zeros(path.size), where=between > 0)  # weights may underflow
    # The first segment is level: it has the precision of the first point.
    return Path(np.append(path[::-1], 0.0), np.append(height[::-1], height[0]))


def _retrieved(recall: FloatArray, precision: FloatArray, share_retrieved: FloatArray | None) -> FloatArray:
    """Return the weight at or above each threshold, highest first, divided by the weight of the positives.

    Recall / precision is this weight, except where both are 0. There the share of samples retrieved gives it.
    """
    retrieved = np.divide(recall, precision, out=np.zeros_like(recall), where=precision > 0)
    unknown = precision == 0
    if share_retrieved is not None and unknown.any():
        share = share_retrieved[-2::-1]
        retrieved[unknown] = share[unknown] * (retrieved[-1] / share[-1])
    return retrieved


DAVIS_GOADRICH = Area(
    name="davis-goadrich",
    noun="PR AUC",
    title="Davis-Goadrich",
    description="points joined as Davis and Goadrich do",
    score_full=partial(share_of_positives, _gain),
    step_gain=_gain,
    slopes=_slopes,
    path=_path,
    counts_missed=False,
)
