"""The areas below a curve that joins the operating points: by straight lines, or as
Davis and Goadrich do.

Between two points of Davis and Goadrich's curve, true and false positives increase in
proportion.
"""

from functools import partial

import numpy as np
from scipy.special import hyp1f1

from ..ranking.rankings import Steps, ratio
from ..typing import FloatArray
from .area import Area, mean_over_positives

# `_height` uses a series for heights below this share of `gained`, since the difference
# `1 - share_above` has then lost six bits or more.
_SHORT_HEIGHT = 2.0**-6


def linear_gain(steps: Steps) -> FloatArray:
    """Return the mean of the precisions at and above each step, times the positives
    gained at the step.
    """
    # Without rows above a step, the precision there is 1 by convention: add 1 to the
    # numerator and to the denominator, so that 0 / 0 becomes 1 / 1 without a mask.
    is_top: FloatArray = (steps.rows_above == 0).astype(np.float64)
    precision_above = (steps.tp_above + is_top) / (steps.above + is_top)
    return steps.gained * ((steps.precision() + precision_above) / 2)


LINEAR = Area(
    name="linear",
    noun="PR AUC",
    description="points joined by straight lines",
    score_full=partial(mean_over_positives, linear_gain),
    counts_missed=False,
)


def _curved_gain(steps: Steps) -> FloatArray:
    """Return the area below each segment of Davis and Goadrich's curve, times all
    positives.

    A step gains g positives, in a group of weight w, and L = ln(N_b / N_a) is the
    growth of the weight from the rows above to those at or above the step. The area is
    g / w times the height, g (1 - L N_a / w) + L tp_above. On the way from N_a to N_b,
    L N_a / w is the mean share of the weight that is above the step (`share_above`).
    Without rows above the step, L is 0 and the precision is constant.
    """
    growth, share_above = _growth(steps)
    return steps.gained / steps.group_weight * _height(steps, growth, share_above)


def _height(steps: Steps, growth: FloatArray, share_above: FloatArray) -> FloatArray:
    r"""Return the mean precision of each segment, times the weight of the rows in it.

    If the height is far below `gained`, 1 - `share_above` is a difference of nearly
    equal numbers, and the height has its error: six digits are lost if the rows above
    have a precision of 1e-6. For the growth L, 1 - `share_above` is also
    :math:`(e^L - 1 - L) / (e^L - 1)`, which a series computes without a difference.
    """
    gained = steps.gained
    height = gained * (1 - share_above) + steps.tp_above * growth
    short = (height < _SHORT_HEIGHT * gained).nonzero()[0]
    if short.size:
        grown = growth[short]
        # 2 (e^L - 1 - L) / L^2
        series = hyp1f1(1.0, 3.0, grown)
        height[short] = grown * (
            gained[short] * (share_above[short] / 2 * series) + steps.tp_above[short]
        )
    return height


def _growth(steps: Steps) -> tuple[FloatArray, FloatArray]:
    """Return the growth, L = ln(N_b / N_a), and `share_above`, L N_a / (N_b - N_a).

    N_a is the weight above a step, and N_b the weight at or above it. Both results are
    0 if no row is above the step. Quotients of neighbouring counts near 1e9 are so
    close to 1 that `log` would lose digits, so `log1p` is used. Divide the smaller
    weight by the larger one, so that no quotient overflows.
    """
    above, added = steps.above, steps.group_weight
    # The quotient added / above. The steps for which it exceeds 1 are computed below.
    relative = added / np.maximum(above, added)
    growth = np.log1p(relative)
    # (N_b - N_a) / N_a may underflow to 0. The quotient ln(1 + x) / x is then set to
    # its limit, 1.
    share_above = ratio(growth, relative, 1.0)
    # Few steps more than double the weight: the best step, if no row is above it, and
    # others only with ties or weights.
    doubled = (added > above).nonzero()[0]
    if doubled.size:
        growth[doubled] = share_above[doubled] = 0.0
        # Without rows above a step, both results stay 0. For other steps, the two
        # weights are not nearly equal, so the difference of their logarithms keeps its
        # digits.
        far = doubled[steps.rows_above[doubled] > 0]
        if far.size:
            above_far = above[far]
            growth[far] = grown = np.log(steps.retrieved[far]) - np.log(above_far)
            share_above[far] = grown * (above_far / added[far])
    return growth, share_above


DAVIS_GOADRICH = Area(
    name="davis-goadrich",
    noun="PR AUC",
    title="Davis-Goadrich",
    description="points joined as Davis and Goadrich do",
    score_full=partial(mean_over_positives, _curved_gain),
    counts_missed=False,
)
