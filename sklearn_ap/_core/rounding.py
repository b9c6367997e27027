"""Tolerances of rounding."""

# Two computations of the same number differ by less than this tolerance.
EQUAL = 1e-12
# A sum over n rows has a relative error of at most n times this number: each of the n
# additions has an error of at most half an epsilon, and a score combines a few such
# sums.
ROUNDING_PER_ROW = 4 * 2.0**-52
