"""Tolerances of rounding."""

from typing import Any

import numpy as np

EQUAL = 1e-12  # two computations of one number differ by less
# Once: to look it up takes as long as a sum of a short call.
_EPS = np.finfo(np.float64).eps


def rounding_of_sums(n_rows: Any) -> Any:
    """Return the relative error that sums over so many rows may have: of a number or of
    each in an array.

    Each of `n` additions is off by at most half an epsilon, and a number is made of a
    few such sums.
    """
    return 4 * n_rows * _EPS
