"""Tolerances of rounding, and numbers that are not rounded."""

# float64 represents every integer up to this number, so sums of whole numbers are exact
# up to it.
LARGEST_EXACT = 2**53
# Two computations of the same number differ by less than this tolerance.
EQUAL = 1e-12
# If the test of a difference rejects 0, but its interval contains 0, the endpoint is
# moved past 0 by this share of the difference.
NEXT_TO_0 = 1e-9
# A sum over n rows has a relative error of at most n times this number: each of the n
# additions has an error of at most half an epsilon, and a score combines a few such
# sums.
ROUNDING_PER_ROW = 4 * 2.0**-52
