"""The first k rows of long rankings: only rows that can be among them are worth sorting.

Of the maxima of some sets of rows, the k-th largest is a score that at least k rows reach. All rows that
reach it, few more than k, therefore hold the first k rows, and every row that is tied with the last of them.
"""

from collections.abc import Iterator
from copy import copy
from typing import Self

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._steps import Points, Rankings, Steps

_ROWS_A_CUT = 16  # from so many rows for each that is asked for, leaving rows out is faster than sorting them
_LONG = 1000  # rows of a ranking that are worth looking for its first ones
_SETS_A_CUT = 8  # more sets have more maxima, fewer let more rows through


def cut_depth(n_rows: FloatArray, k: int | float | None) -> FloatArray:
    """Return how many rows of each ranking `k` asks for: an integer counts them, a float is a share."""
    if k is None:
        return n_rows
    if isinstance(k, float):
        return np.maximum(np.rint(n_rows * k), 1)
    return np.full(n_rows.size, float(k))


def worth_a_cut(score: AnyArray, offsets: IntArray, k: int | float) -> bool:
    """Whether the first `k` rows of each ranking are few among many."""
    if score.dtype == object:
        return False
    n_rows = np.diff(offsets).astype(np.float64)
    depth = np.minimum(cut_depth(n_rows, k), n_rows)
    return bool(depth.sum() * _ROWS_A_CUT <= score.size and score.size >= _LONG * n_rows.size)


class FirstRows:
    """Rows that hold the first `k` of each ranking, and the values of rows picked out by them."""

    def __init__(self, score: AnyArray, offsets: IntArray, k: int | float) -> None:
        self._all = offsets
        depth = cut_depth(np.diff(offsets).astype(np.float64), k).tolist()
        scores = zip(self.by_ranking(score), depth, strict=True)
        self._kept = [np.flatnonzero(row >= _reached_by(row, int(rows))) for row, rows in scores]
        self.offsets = np.cumsum([0, *map(len, self._kept)])

    def by_ranking(self, values: AnyArray) -> list[AnyArray]:
        """Return the values of all rows, ranking by ranking."""
        if values.ndim == 2 and len(values) == self._all.size - 1:
            return list(values)
        return np.split(values.reshape(-1), self._all[1:-1])

    def of(self, values: AnyArray) -> AnyArray:
        """Return the values of the first rows."""
        rows = zip(self.by_ranking(values), self._kept, strict=True)
        return np.concatenate([row[kept] for row, kept in rows])

    def sum_of_others(self, values: AnyArray) -> FloatArray:
        """Return the sum of the values of all other rows, for each ranking."""
        rows = zip(self.by_ranking(values), self._kept, strict=True)
        if values.dtype == bool:
            counts = [np.count_nonzero(row) - np.count_nonzero(row[kept]) for row, kept in rows]
            return np.array(counts, dtype=np.float64)
        return np.array([np.delete(row, kept).sum() for row, kept in rows])


class CutRankings:
    """The first rows of rankings, with the totals of all rows."""

    def __init__(
        self, first: Rankings, rows: FirstRows, positive: BoolArray, weight: FloatArray | None
    ) -> None:
        self._first, self._rows = first, rows
        self._positive, self._weight = positive, weight
        self.weighted = first.weighted
        self.n_rows = np.array([float(row.size) for row in rows.by_ranking(positive)])
        if weight is None:
            self.n_samples = self.n_rows
            others = rows.sum_of_others(positive)
        else:
            self.n_samples = first.n_samples + rows.sum_of_others(weight)
            others = rows.sum_of_others(weight * positive)
        self.n_positives = first.n_positives + others

    def with_n_positives(self, n_positives: FloatArray) -> Self:
        """Return the same rankings with another total of positives."""
        stated = copy(self)
        stated.n_positives = n_positives
        return stated

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive, as far as rows were kept. May be called again."""
        return self._first.blocks()

    def points(self) -> Points:
        """Refuse: the points of a curve are those of all rows."""
        raise NotImplementedError("a ranking that was cut has no curve")

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking, a tied group giving its share."""
        return self._first.weight_of_best(depth)

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking, of all its rows."""
        positive = self._rows.by_ranking(self._positive)
        if self._weight is None:
            return np.minimum(depth, [float(np.count_nonzero(row)) for row in positive])
        weight = self._rows.by_ranking(self._weight)
        rows = zip(positive, weight, depth.astype(np.int64).tolist(), strict=True)
        return np.array([np.sort(w[p])[::-1][:k].sum() for p, w, k in rows])


def _reached_by(score: AnyArray, depth: int) -> AnyArray:
    """Return a score that at least `depth` rows reach, and not many more; fewer rows all reach it."""
    sets = max(_SETS_A_CUT * depth, min(_LONG, score.size // 8))
    rows = score.size // sets * sets
    if not rows:
        return np.asarray(score.min() if score.size else 0)
    maxima = np.maximum.reduce(score[:rows].reshape(-1, sets), axis=0)
    return np.asarray(np.partition(maxima, sets - depth)[sets - depth])
