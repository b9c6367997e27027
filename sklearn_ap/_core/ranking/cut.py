"""The number of rows above a cut, and the rows that can be above it."""

import numpy as np

from ..typing import AnyArray, FirstRows, FloatArray, IntArray
from .runs import sortable

# Rows are divided into at least this number of sets, and this number per first row.
_SETS = 1000
_SETS_PER_ROW = 8


def cut_depth(n_rows: FloatArray, k: FirstRows) -> FloatArray:
    """Return the number of rows of each ranking that `k` selects.

    An integer is a number of rows, a float is a share of the rows, an array contains
    the number of each ranking, and None selects all rows.
    """
    if isinstance(k, float):
        return np.maximum(np.rint(n_rows * k), 1)
    if isinstance(k, np.ndarray):
        return k
    if isinstance(k, int):
        return np.full(n_rows.size, float(k))
    return n_rows


def first_places(score: AnyArray, depth: int) -> IntArray:
    """Return the places of at least `depth` rows with the best scores, with all rows
    tied with them, and of few other rows.

    At least `depth` rows reach the maximum of the set whose maximum has this rank.
    """
    n_sets = max(_SETS, _SETS_PER_ROW * depth)
    if n_sets >= score.size:
        return np.arange(score.size)
    score = sortable(score)
    # Rows beyond a multiple of `n_sets` belong to no set. Without them, the maxima can
    # only be lower.
    of_sets = score[: score.size // n_sets * n_sets].reshape(-1, n_sets)
    maxima = np.maximum.reduce(of_sets)
    maxima.partition(n_sets - depth)
    return np.flatnonzero(score >= maxima[n_sets - depth])
