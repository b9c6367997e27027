"""When a recall or a precision reaches a level: the one rule of scores, lists of levels
and operating points.

A quotient of exact sums is compared as it is: counts, and integers below 2^53. Where
all positives have equal weights, their sums are counts (`counted_rows`), so recall is
exact, unless a stated total is not whole in that unit. A factor of the negatives, of
class weights or of a prevalence, moves a precision by a few units of its last place.
Other sums are rounded once per row. A row that is too light to change them, below
2^-53 of the sum, is in none of them.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ..rounding import ROUNDING_PER_ROW
from ..typing import AnyArray, FloatArray
from .rankings import Rankings

# Three and four were seen in 200,000 random cases. Distinct quotients of counts up to
# 3e7 lie further apart.
_ULPS_OF_FACTOR = 8.0
_ULP_OF_ONE = 2.0**-52
# Errors of many additions mostly cancel: they grow as a random walk does. This bounds
# every sum of up to 60 rows, and all but contrived ones of more.
_ROUNDING_PER_ROOT = 4 * _ULP_OF_ONE
_BELOW_1 = 1 - _ULP_OF_ONE / 2


class Rounding:
    """The rounding of the recalls or of the precisions of each ranking."""

    def __init__(self, rankings: Rankings, *, of_recall: bool) -> None:
        self._rankings, self._of_recall = rankings, of_recall
        # A quotient times `beyond` is higher than its slack can lift it. A level that
        # it does not reach is surely not reached, without a look at the weights.
        slack = (
            ROUNDING_PER_ROW * rankings.offsets.item(-1) + _ULPS_OF_FACTOR * _ULP_OF_ONE
        )
        self.beyond = 1 + 2 * slack

    @cached_property
    def slack(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """How far rounding may have lowered the quotients of each ranking.

        Four bounds: units of the last place of a quotient, and a share of the quotient,
        which together may join two steps, unless they are at most half the lightest
        row, the third, over the divisor; sums that show no row so light are off by the
        fourth, a smaller share. They are computed late, since they read all weights.
        """
        rows, kernel = self._rankings.weighted_rows, self._rankings.kernel
        n_rows = self._rankings.n_rows
        lightest = np.ones((2, n_rows.size))
        is_whole = np.ones_like(lightest, dtype=bool)
        if rows is not None:
            lightest, is_whole = rows.lightest_of_classes()
        if self._of_recall:
            total, least = kernel.found_weight, lightest[0]
            # Bootstrap samples are rankings that share their rows, not their totals.
            is_exact = is_whole[0] & (self._rankings.n_positives % 1 == 0)
            ulps = np.zeros(n_rows.size)
        else:
            factor = kernel.factor
            if factor is None:
                factor = np.ones(n_rows.size)
            is_exact = is_whole.all(axis=0)
            total = kernel.total_weight
            least = np.minimum(lightest[0], factor * lightest[1])
            ulps = np.where(factor == 1, 0.0, _ULPS_OF_FACTOR)
        is_exact = is_exact & (total <= 2.0**53)
        relative = np.where(is_exact, 0.0, ROUNDING_PER_ROW * n_rows)
        likely = np.where(is_exact, 0.0, _ROUNDING_PER_ROOT * np.sqrt(n_rows))
        return ulps, relative, np.broadcast_to(least / 2, n_rows.shape), likely


def rounding_of_recall(rankings: Rankings) -> Rounding | None:
    """Return the rounding of the recalls of each ranking; None if all are exact."""
    # A total in units of what a positive weighs may be rounded, as 10 / 3 is.
    is_rounded = np.count_nonzero(rankings.n_positives % 1)
    if rankings.weighted_rows is None and not is_rounded:
        return None
    return Rounding(rankings, of_recall=True)


def rounding_of_precision(rankings: Rankings) -> Rounding | None:
    """Return the rounding of the precisions of each ranking; None if all are exact."""
    if rankings.weighted:
        return Rounding(rankings, of_recall=False)
    return None


def levels_reached(
    count: Callable[[FloatArray], AnyArray],
    part: FloatArray,
    whole: FloatArray | float,
    rounding: Rounding | None,
    per_step: Callable[[FloatArray], FloatArray] = np.asarray,
) -> AnyArray:
    """Return `count` of the largest value that each exact quotient may have.

    An exact quotient is that value itself. The slack of others is looked up only if a
    level is near one of them.
    """
    quotient = part / whole
    reached = count(quotient)
    if rounding is None:
        return reached
    if not np.count_nonzero(count(quotient * rounding.beyond) != reached):
        return reached
    ulps, relative, most, likely = map(per_step, rounding.slack)
    slack = relative * quotient
    if np.count_nonzero(ulps):  # the spacing takes longer than all the rest
        slack += ulps * np.spacing(quotient)
    highest = quotient + np.minimum(slack, most / whole)
    # Sums show a quotient below 1 by a row that they miss, however light it is.
    return count(np.maximum(highest, np.minimum(quotient * (1 + likely), _BELOW_1)))
