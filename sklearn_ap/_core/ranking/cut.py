"""The candidates for the first k rows of long rankings, or of many rankings of equal
length. Only candidates are sorted.

The rows are divided into sets. At least k rows reach the k-th largest maximum of these
sets, and few more than k do. The rows that reach this maximum include the first k rows,
and all rows tied with the k-th row.
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

# With at least this number of rows per requested row, selecting candidates first takes
# less time than sorting all rows.
_ROWS_PER_REQUESTED = 2
# Short rankings of equal lengths are the rows of a table, and their candidates are
# selected in one call. This takes less time than sorting all rows if there are at least
# these numbers of rows in all, of rows per ranking, and of rows per requested row.
_LEAST_ROWS_OF_TABLE = 16_384
_ROWS_PER_RANKING = 250
_ROWS_PER_REQUESTED_IN_TABLE = 8
# A ranking is divided into at least this number of sets, if each set then has
# `_ROWS_PER_SET` rows.
_SETS = 1000
_ROWS_PER_SET = 8
# The number of sets per requested row. With more sets, there are more maxima to
# compare. With fewer sets, there are more candidates.
_SETS_PER_REQUESTED = 8


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


def first_rows(rows: Rows, k: FirstRows) -> tuple[Rows, FloatArray | None]:
    """Return the rows that can be among the first `k`, and the weight of the other
    positives of each ranking.

    If sorting all rows takes less time, return all rows and None.
    """
    depth = _depth_worth_a_cut(rows, k)
    if depth is None:
        return rows, None
    score = rows.score.reshape(-1)
    # Short rankings have equal lengths and depths here, and are the rows of a table.
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
    """Return the rows at these places, which are in rising order, and the weight of the
    other positives of each ranking.
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
    # The weights of the kept rows are set to 0 before the sum, because a difference of
    # two sums would be rounded.
    others = weight * positive
    others[places] = 0.0
    sums = [of_ranking.sum() for of_ranking in np.split(others, rows.offsets[1:-1])]
    return first, np.array(sums)


def _depth_worth_a_cut(rows: Rows, k: FirstRows) -> FloatArray | None:
    """Return the number of rows of each ranking to select for `k`; None if sorting all
    rows is likely to take less time.
    """
    n_all, n_rankings = rows.score.size, rows.offsets.size - 1
    are_short = n_all < LONG_ROWS * n_rankings
    if are_short and n_all < max(_LEAST_ROWS_OF_TABLE, _ROWS_PER_RANKING * n_rankings):
        return None
    n_rows = np.diff(rows.offsets).astype(np.float64)
    depth = np.minimum(cut_depth(n_rows, k), n_rows)
    per_requested = _ROWS_PER_REQUESTED
    if are_short:
        # Only rankings of equal lengths are the rows of a table.
        if np.ptp(n_rows):
            return None
        # All rankings of a table are cut at the same depth.
        depth[:] = depth.max()
        per_requested = _ROWS_PER_REQUESTED_IN_TABLE
    return depth if per_requested * depth.sum() <= n_all else None


def first_places(score: AnyArray, depth: int) -> IntArray:
    """Return the places of at least `depth` rows with the best scores of each ranking,
    with all rows tied with them, and of few other rows.

    `score` contains one ranking, or is a table with one ranking per row.
    """
    n_rows = score.shape[-1]
    # A query that occurs only in `n_positives` has no rows, and so no sets.
    if depth >= n_rows:
        return np.arange(score.size)
    n_sets = max(_SETS_PER_REQUESTED * depth, min(_SETS, n_rows // _ROWS_PER_SET))
    n_sets = min(n_sets, n_rows)
    # Set j contains the rows j, j + n_sets, j + 2 * n_sets and so on. Rows beyond a
    # multiple of `n_sets` belong to no set. Without them, the maxima can only be lower,
    # so no candidate is lost.
    rows_of_sets = score[..., : n_rows // n_sets * n_sets]
    rows_of_sets = rows_of_sets.reshape(*score.shape[:-1], -1, n_sets)
    maxima = np.maximum.reduce(rows_of_sets, axis=-2)
    # `depth` sets have a maximum of at least the value that `partition` puts at this
    # place, so at least `depth` rows reach it.
    place = n_sets - depth
    maxima.partition(place)
    return np.flatnonzero(score >= maxima[..., place, np.newaxis])
