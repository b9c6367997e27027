"""The first k rows of long rankings: only rows that can be among them are sorted.

Divide the rows into sets of neighbours, and take the maximum of each set: at least k
rows reach the k-th largest maximum. The rows that reach it are few more than k, in few
of the sets. They include the first k rows, and all rows tied with the k-th.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray
from ._blocks import LONG_ROWS
from ._rankings import Rows

# from here on, selecting candidates first beats sorting all rows
_ROWS_PER_REQUESTED = 16
_SETS = 1000  # at least so many, if they have eight rows each
# rows; the maxima of smaller sets of neighbours take longer than those of distant rows
_WIDE = 500
# more sets mean more maxima to look at, fewer sets let more rows through
_SETS_PER_REQUESTED = 8


def cut_depth(n_rows: FloatArray, k: int | float | None) -> FloatArray:
    """Return how many rows of each ranking `k` selects: an integer counts them, a float
    is a share.
    """
    if k is None:
        return n_rows
    if isinstance(k, float):
        return np.maximum(np.rint(n_rows * k), 1)
    return np.full(n_rows.size, float(k))


def worth_a_cut(rows: Rows, k: int | float) -> bool:
    """Whether selecting the first `k` rows of each ranking is likely to be faster than
    sorting all rows.
    """
    if rows.score.size < LONG_ROWS * (rows.offsets.size - 1):
        return False
    n_rows = np.diff(rows.offsets).astype(np.float64)
    depth = np.minimum(cut_depth(n_rows, k), n_rows)
    return bool(depth.sum() * _ROWS_PER_REQUESTED <= rows.score.size)


class FirstRows(NamedTuple):
    """The rows that can be among the first of their ranking, and the weight of all
    others.
    """

    rows: Rows
    # weight of the positives left out of each ranking
    dropped_positives: FloatArray | float
    dropped_weight: FloatArray | float  # weight of all rows left out of each ranking


def first_rows(rows: Rows, k: int | float, *, at_most: float = 1.0) -> FirstRows | None:
    """Return the rows that can be among the first `k`, and the weight of the others;
    None if too many.
    """
    offsets = rows.offsets
    depth = cut_depth(np.diff(offsets).astype(np.float64), k).tolist()
    scores = zip(_by_ranking(rows.score, offsets), depth, strict=True)
    selected = [_reaching(row, int(n_rows)) for row, n_rows in scores]
    # Without a cut, sums are rounded in another way. A single ranking alone may decide
    # that, since no value may depend on the other rankings of a call.
    if rows.is_single and selected[0].size > at_most * rows.score.size:
        return None

    def parts(values: AnyArray) -> Iterator[tuple[AnyArray, IntArray]]:
        return zip(_by_ranking(values, offsets), selected, strict=True)

    def first(values: AnyArray) -> AnyArray:
        return np.concatenate([row[places] for row, places in parts(values)])

    def sum_of_others(values: AnyArray) -> FloatArray:
        return np.array([np.delete(row, places).sum() for row, places in parts(values)])

    positive, bounds = rows.positive, np.cumsum([0, *map(len, selected)])
    weight = None if rows.weight is None else first(rows.weight)
    first_of_each = Rows(first(positive), first(rows.score), weight, bounds)
    if rows.weight is not None:
        return FirstRows(
            first_of_each,
            sum_of_others(rows.weight * positive),
            sum_of_others(rows.weight),
        )
    others = [
        np.count_nonzero(row) - np.count_nonzero(row[places])
        for row, places in parts(positive)
    ]
    n_dropped = np.diff(offsets) - np.diff(bounds)
    return FirstRows(
        first_of_each, np.array(others, dtype=np.float64), n_dropped.astype(np.float64)
    )


def _by_ranking(values: AnyArray, offsets: IntArray) -> list[AnyArray]:
    """Return the values of all rows, one array per ranking."""
    # columns of a matrix: no copy to C order
    if values.ndim == 2 and len(values) == offsets.size - 1:
        return list(values)
    values = values.reshape(-1)
    return [values] if offsets.size == 2 else np.split(values, offsets[1:-1])


def _reaching(score: AnyArray, depth: int) -> IntArray:
    """Return the rows that reach a score that at least `depth` rows reach, and not many
    more.
    """
    sets = max(_SETS_PER_REQUESTED * depth, min(_SETS, score.size // 8))
    width = score.size // sets
    if not width:
        return np.arange(score.size)
    # Rows beyond a multiple of `sets` belong to no set. Without them the score can only
    # be lower.
    in_sets = score[: width * sets]
    if width < _WIDE:
        maxima = np.maximum.reduce(in_sets.reshape(width, sets), axis=0)
        return np.flatnonzero(score >= np.partition(maxima, sets - depth)[sets - depth])
    in_sets = in_sets.reshape(sets, width)
    maxima = np.maximum.reduce(in_sets, axis=1)
    reached = np.partition(maxima, sets - depth)[sets - depth]
    reaching = np.flatnonzero(maxima >= reached)
    if reaching.size * 2 > sets:
        return np.flatnonzero(score >= reached)
    # Most sets contain no such row, and are not read again.
    place, column = np.nonzero(in_sets[reaching] >= reached)
    beyond = np.flatnonzero(score[in_sets.size :] >= reached) + in_sets.size
    return np.concatenate((reaching[place] * width + column, beyond))
