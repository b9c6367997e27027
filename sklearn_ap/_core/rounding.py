"""Tolerances of rounding."""

EQUAL = 1e-12  # two computations of one number differ by less
# The relative error that sums over n rows may have is n times this: each of n additions
# is off by at most half an epsilon, and a number is made of a few such sums.
ROUNDING_PER_ROW = 4 * 2.0**-52
