"""When a recall or a precision reaches a level: the one rule of scores, lists of levels
and operating points.

A quotient of exact sums is compared as it is: counts, and integers below 2^53. Where
all positives have equal weights, their sums are counts (`counted_rows`), so recall is
exact, unless a stated total is not whole in that unit. A factor of the negatives, of
class weights or of a prevalence, moves a precision by a few units of its last place.
Other sums are rounded once per row, and do not tell a row that is lighter than this
rounding.
"""

from collections.abc import Callable

import numpy as np

from ..rounding import ROUNDING_PER_ROW
from ..typing import AnyArray, FloatArray
from .rankings import Rankings

_BELOW_1 = 1 - 2.0**-53
_LARGEST_EXACT = 2.0**53  # sums of whole numbers up to here are exact


def rounding_of_recall(rankings: Rankings) -> FloatArray | None:
    """Return the factor by which each ranking's recalls may be too low; None if all are
    exact.
    """
    # A total in units of what a positive weighs may be rounded, as 10 / 3 is.
    is_rounded = rankings.n_positives % 1 > 0
    if rankings.weighted_rows is not None:
        is_rounded |= rankings.found_weight > _LARGEST_EXACT
        is_rounded |= rankings.weighted_rows.fractions_of_classes()[0]
    return _factor(is_rounded * rankings.n_rows)


def rounding_of_precision(rankings: Rankings) -> FloatArray | None:
    """Return the factor by which each ranking's precisions may be too low; None if all
    are exact.
    """
    n_rounded = np.zeros(rankings.n_positives.size)
    if rankings.weighted_rows is not None:
        is_rounded = rankings.weighted_rows.fractions_of_classes().any(axis=0)
        is_rounded |= rankings.total_weight > _LARGEST_EXACT
        n_rounded = is_rounded * rankings.n_rows
    if rankings.kernel.factor is not None:  # a product and a sum of each step
        n_rounded = np.maximum(n_rounded, 2.0 * (rankings.kernel.factor != 1))
    return _factor(n_rounded)


def _factor(n_rounded: FloatArray) -> FloatArray | None:
    """Return by which factor quotients of so many rounded terms may be too low."""
    if n_rounded.any():
        return 1 + ROUNDING_PER_ROW * n_rounded
    return None


def levels_reached(
    count: Callable[[FloatArray], AnyArray],
    part: FloatArray,
    whole: FloatArray | float,
    rounding: FloatArray | None,
    per_step: Callable[[FloatArray], FloatArray] = np.asarray,
) -> AnyArray:
    """Return `count` of each quotient, as high as its exact value may be."""
    quotient = part / whole
    if rounding is None:
        return count(quotient)
    # Only all rows reach all of a sum, and a quotient below 1 misses a row.
    return count(np.minimum(quotient * per_step(rounding), quotient.clip(_BELOW_1)))
