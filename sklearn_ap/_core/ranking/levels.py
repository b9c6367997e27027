"""The rule that decides whether a recall or a precision reaches a level. Scores at one
level, scores at several levels and operating points share this rule.

- Sums of counts, and of whole weights below 2^53, are exact. The quotient of two such
  sums is compared with the level without a tolerance. If all positives of a ranking
  have equal weights, their sums are counts (`counted_rows`), so recall is exact, unless
  a total of the caller is not a whole number of positives.
- A factor of the negatives, from class weights or a prevalence, changes a precision by
  a few units in the last place (ulp).
- Other sums are rounded once per row, so quotients of them are compared with a
  tolerance. So a row whose weight is below this tolerance may have no effect on the
  result.
"""

from collections.abc import Callable

import numpy as np

from ..rounding import ROUNDING_PER_ROW
from ..typing import FloatArray
from .rankings import Rankings

# The largest float64 below 1.
_BELOW_1 = 1 - 2.0**-53
# Sums of whole numbers are exact up to this one.
_LARGEST_EXACT = 2.0**53


def rounding_of_recall(rankings: Rankings) -> FloatArray | None:
    """Return the factor by which rounding may have lowered the recalls of each ranking;
    None if all recalls are exact.
    """
    # A total is divided by the weight of a positive, and this quotient may be rounded,
    # as 10 / 3 is.
    is_rounded = rankings.n_positives % 1 > 0
    if rankings.weighted_rows is not None:
        is_rounded |= rankings.found_weight > _LARGEST_EXACT
        of_positives, _ = rankings.weighted_rows.fractions_of_classes()
        is_rounded |= of_positives
    return _factor(is_rounded * rankings.n_rows)


def rounding_of_precision(rankings: Rankings) -> FloatArray | None:
    """Return the factor by which rounding may have lowered the precisions of each
    ranking; None if all precisions are exact.
    """
    n_rounded = np.zeros(rankings.n_positives.size)
    if rankings.weighted_rows is not None:
        # A precision contains the weights of both classes.
        is_rounded = rankings.weighted_rows.fractions_of_classes().any(axis=0)
        is_rounded |= rankings.total_weight > _LARGEST_EXACT
        n_rounded = is_rounded * rankings.n_rows
    # A factor of the negatives adds two roundings to each step: of a product, and of a
    # sum.
    if rankings.kernel.factor is not None:
        n_rounded = np.maximum(n_rounded, 2.0 * (rankings.kernel.factor != 1))
    return _factor(n_rounded)


def _factor(n_rounded: FloatArray) -> FloatArray | None:
    """Return the factor by which quotients may be too low, if `n_rounded` terms of each
    ranking were rounded; None if no term was rounded.
    """
    if n_rounded.any():
        return 1 + ROUNDING_PER_ROW * n_rounded
    return None


def largest_quotients(
    part: FloatArray,
    whole: FloatArray | float,
    rounding: FloatArray | None,
    per_step: Callable[[FloatArray], FloatArray] = np.asarray,
) -> FloatArray:
    """Return the largest value that each quotient, `part` over `whole`, may have
    without rounding. The quotient reaches the levels that are not above this value.

    `rounding` is the factor of each ranking by which quotients may be too low, or None
    if they are exact. `per_step` repeats it for each quotient.
    """
    quotient = part / whole
    if rounding is None:
        return quotient
    # If a quotient is below 1, `part` does not contain all rows of `whole`, so the
    # exact quotient is below 1, too.
    largest: FloatArray = np.minimum(
        quotient * per_step(rounding), quotient.clip(_BELOW_1)
    )
    return largest
