"""The difference of two independent samples, whose interval is computed from those of
both estimates, as the page *How sure* shows it.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

LEAST = 1e-12  # the smallest probability beyond an endpoint
MOST = 0.5 - 1e-9  # the interval at this one has nearly no width


class Difference(NamedTuple):
    """The first score minus the second, and its two-sided p-value."""

    difference: float
    pvalue: float


def interval_of(first, second, level):
    down, up = np.subtract(first.confidence_interval(level), first.score)
    other_down, other_up = np.subtract(second.confidence_interval(level), second.score)
    difference = first.score - second.score
    low = difference - np.sqrt(down**2 + other_up**2)
    high = difference + np.sqrt(up**2 + other_down**2)
    return low, high


def difference_of(first, second):
    """The p-value is 1 minus the confidence level at which an endpoint is 0."""
    difference = first.score - second.score

    def distance(tail):
        """Return the distance from 0 to the endpoint on its side, below 0 if the
        interval contains 0.
        """
        low, high = interval_of(first, second, 1 - 2 * tail)
        return low if difference > 0 else -high

    if distance(LEAST) > 0:
        return Difference(difference, 2 * LEAST)
    if distance(MOST) <= 0:
        return Difference(difference, 1.0)
    return Difference(difference, 2 * brentq(distance, LEAST, MOST))
