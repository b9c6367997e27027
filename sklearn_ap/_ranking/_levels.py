"""When a recall or a precision reaches a level: the one rule of scores, lists of levels
and operating points.

A quotient of exact sums is compared as it is: counts, and integers below 2^53. Where
all positives weigh the same, their sums are counts (`to_sort`), so recall is exact. A
factor of the negatives, of class weights or of a prevalence, moves a precision by a few
units of its last place. Other sums are rounded once per row.
"""

from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray
from ._rankings import Rankings

# Three and four were seen in 200,000 random cases. Distinct quotients of counts up to
# 3e7 lie further apart.
_ULPS_OF_FACTOR = 8.0
_ROUNDING_PER_ROW = 4 * np.finfo(np.float64).eps  # of sums of unequal weights


class Rounding(NamedTuple):
    """By how much the quotients of each ranking may be below those of exact sums."""

    ulps: FloatArray  # units of the last place of a quotient
    relative: FloatArray  # to the quotient
    most: FloatArray  # never more than this weight: half the lightest row


def highest_level(
    part: FloatArray, whole: FloatArray, rounding: Rounding | None
) -> FloatArray:
    """Return the highest level that each quotient reaches: the quotient itself if it is
    exact.
    """
    quotient = part / whole
    if rounding is None:
        return quotient
    slack = rounding.relative * quotient
    if np.count_nonzero(rounding.ulps):  # the spacing takes longer than all the rest
        slack += rounding.ulps * np.spacing(quotient)
    return np.asarray(quotient + np.minimum(slack, rounding.most / whole))


def rounding_of_recall(rankings: Rankings) -> Rounding | None:
    """Return the rounding of the recalls of each ranking; None if all are exact."""
    rows = rankings.weighted_rows
    if rows is None:
        return None
    (lightest, _), (is_whole, _) = rows.lightest_of_classes()
    return _rounding(rankings, is_whole, rankings.found_weight, 0.0, lightest)


def rounding_of_precision(rankings: Rankings) -> Rounding | None:
    """Return the rounding of the precisions of each ranking; None if all are exact."""
    rows, factor = rankings.weighted_rows, rankings.kernel.factor
    if rows is None and factor is None:
        return None
    lightest = np.ones((2, 1))
    is_whole = np.ones((2, 1), dtype=bool)
    if rows is not None:
        lightest, is_whole = rows.lightest_of_classes()
    factor = np.ones(1) if factor is None else factor
    ulps = np.where(factor == 1, 0.0, _ULPS_OF_FACTOR)
    lightest_row = np.minimum(lightest[0], factor * lightest[1])
    total = rankings.kernel.total_weight
    return _rounding(rankings, is_whole.all(axis=0), total, ulps, lightest_row)


def _rounding(
    rankings: Rankings,
    is_whole: BoolArray,
    total: FloatArray,
    ulps: FloatArray | float,
    lightest: FloatArray,
) -> Rounding:
    is_exact = is_whole & (total <= 2.0**53)
    relative = np.where(is_exact, 0.0, _ROUNDING_PER_ROW * rankings.n_rows)
    each = np.zeros(relative.size)  # np.broadcast_to takes four times as long
    return Rounding(ulps + each, relative, lightest / 2 + each)
