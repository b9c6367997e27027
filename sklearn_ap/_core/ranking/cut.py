"""The first k rows of long rankings, or of many rankings of equal length: only rows
that can be among them are sorted.

Divide the rows into sets, and take the maximum of each set: at least k rows reach the
k-th largest maximum, and few more than k do. They include the first k rows, and all
rows tied with the k-th.
"""

import numpy as np

from ..typing import (
    AnyArray,
    FirstRows,
    FloatArray,
    IntArray,
)
from .rankings import Rows, positives_of
from .runs import LONG_ROWS

# With this many rows per requested one, selecting candidates first takes less time than
# sorting all rows.
_ROWS_PER_REQUESTED = 2
# Shorter rankings, if they have equal lengths, are the rows of a table, and their
# candidates are selected at once. This takes less time than sorting all rows with at
# least so many rows in all, rows per ranking, and rows per requested one.
_LEAST_ROWS_OF_TABLE = 16_384
_ROWS_PER_RANKING = 250
_ROWS_PER_REQUESTED_IN_TABLE = 8
# A ranking is divided into at least this many sets, if each then has `_ROWS_PER_SET`.
_SETS = 1000
_ROWS_PER_SET = 8
# More sets mean more maxima to look at, and fewer sets let more rows through.
_SETS_PER_REQUESTED = 8


def cut_depth(n_rows: FloatArray, k: FirstRows) -> FloatArray:
    """Return how many rows of each ranking `k` selects: an integer counts them, a float
    is a share, and an array has the rows of each ranking; else all.
    """
    if isinstance(k, float):
        return np.maximum(np.rint(n_rows * k), 1)
    if isinstance(k, np.ndarray):
        return k
    if isinstance(k, int):
        return np.full(n_rows.size, float(k))
    return n_rows


def first_rows(rows: Rows, k: FirstRows) -> tuple[Rows, FloatArray | None]:
    """Return the rows that can be among the first `k`, and the weight of the other
    positives of each ranking; all rows and None if a sort of all takes less time.
    """
    depth = _depth_worth_a_cut(rows, k)
    if depth is None:
        return rows, None
    score = rows.score.reshape(-1)
    if score.size < LONG_ROWS * depth.size:
        table = score.reshape(depth.size, -1)
        return rows_at(rows, first_places(table, int(depth[0])))
    bounds = rows.offsets.tolist()
    parts = zip(bounds[:-1], bounds[1:], depth.tolist(), strict=True)
    places = [
        low + first_places(score[low:high], int(n_first))
        for low, high, n_first in parts
    ]
    return rows_at(rows, np.concatenate(places))


def rows_at(rows: Rows, places: IntArray) -> tuple[Rows, FloatArray]:
    """Return the rows at these places, which rise, and the weight of the other
    positives of each ranking.
    """
    positive, score, weight = rows.flat()
    first = Rows(
        positive.take(places),
        score.take(places),
        None if weight is None else weight.take(places),
        places.searchsorted(rows.offsets),
    )
    if weight is None:
        return first, positives_of(rows) - positives_of(first)
    # Rows that are kept are set to 0 before the sum: a difference of two sums would be
    # rounded.
    others = weight * positive
    others[places] = 0.0
    sums = [of_ranking.sum() for of_ranking in np.split(others, rows.offsets[1:-1])]
    return first, np.array(sums)


def _depth_worth_a_cut(rows: Rows, k: FirstRows) -> FloatArray | None:
    """Return how many rows of each ranking to select for `k`; None if sorting all rows
    is likely to be faster than selecting these.
    """
    n_all, n_rankings = rows.score.size, rows.offsets.size - 1
    are_short = n_all < LONG_ROWS * n_rankings
    if are_short and n_all < max(_LEAST_ROWS_OF_TABLE, _ROWS_PER_RANKING * n_rankings):
        return None
    n_rows = np.diff(rows.offsets).astype(np.float64)
    depth = np.minimum(cut_depth(n_rows, k), n_rows)
    per_requested = _ROWS_PER_REQUESTED
    if are_short:
        if np.ptp(n_rows):
            return None
        # All rankings of a table are cut at the same depth.
        depth[:] = depth.max()
        per_requested = _ROWS_PER_REQUESTED_IN_TABLE
    return depth if per_requested * depth.sum() <= n_all else None


def first_places(score: AnyArray, depth: int) -> IntArray:
    """Return the rows that reach a score that at least `depth` rows of their ranking
    reach, and not many more.

    `score` is a ranking, or a table with a ranking in each of its rows.
    """
    n_rows = score.shape[-1]
    # A query that only a total names has no rows, and no sets.
    if depth >= n_rows:
        return np.arange(score.size)
    sets = max(_SETS_PER_REQUESTED * depth, min(_SETS, n_rows // _ROWS_PER_SET))
    sets = min(sets, n_rows)
    # Rows beyond a multiple of `sets` belong to no set. Without them the maxima can
    # only be lower.
    in_sets = score[..., : n_rows // sets * sets]
    in_sets = in_sets.reshape(*score.shape[:-1], -1, sets)
    maxima = np.maximum.reduce(in_sets, axis=-2)
    maxima.partition(sets - depth)
    return np.flatnonzero(score >= maxima[..., sets - depth, np.newaxis])
