"""What goes into the room that sorts: the rows of all rankings, usually ranking after ranking."""

from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray


class Rows(NamedTuple):
    """Labels, scores and weights as arrays of the same shape; in C order, they hold ranking after ranking.

    Rows of several rankings in any order have a `ranking` each; `offsets` then say where each ranking begins
    once its rows are brought together.

    All weights must be above 0, since kernels store the label as the sign of the weight. `weight` is None if
    weights do not differ inside a ranking. A ranking without rows has two equal offsets; at least one ranking
    has a row.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    weight: FloatArray | None
    offsets: IntArray  # of shape (n_rankings + 1,): where each ranking begins
    ranking: AnyArray | None = None  # of each row, if rows of a ranking do not stand together yet

    @property
    def is_lone(self) -> bool:
        """Whether there is a single ranking."""
        return self.offsets.size == 2

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        assert self.weight is not None, "weights"
        of_positives = self.weight[self.positive]
        if self.is_lone:  # a plain sort is enough, without the numbers of rankings
            return np.asarray(np.sort(of_positives)[::-1][: int(depth[0])].sum(keepdims=True))
        ranking = np.searchsorted(self.offsets, np.flatnonzero(self.positive), side="right") - 1
        heaviest_first = np.lexsort((-of_positives, ranking))
        # `ranking` rises, so the search finds where each ranking begins, and the place counts from there.
        place = np.arange(ranking.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        return np.bincount(ranking[counted], of_positives[counted], depth.size).astype(np.float64)

    def between(self, first: int, stop: int) -> "Rows":
        """Return the rankings from one index to another."""
        begin, end = self.offsets[[first, stop]].tolist()

        def of(values: AnyArray) -> AnyArray:
            if values.ndim == 2 and len(values) == self.offsets.size - 1:  # of a matrix: no copy to C order
                return values[first:stop]
            return values.reshape(-1)[begin:end]

        weight = None if self.weight is None else of(self.weight)
        return Rows(of(self.positive), of(self.score), weight, self.offsets[first : stop + 1] - begin)


def together(rows: Rows) -> Rows:
    """Bring the rows of each ranking together, in their order."""
    if rows.ranking is None:
        return rows
    # One sort of (ranking, row) in one integer is several times as fast as a stable argsort of the rankings.
    bits = rows.ranking.size.bit_length()
    order = rows.ranking.astype(np.int64) << bits | np.arange(rows.ranking.size)
    order.sort()
    order &= (1 << bits) - 1
    weight = None if rows.weight is None else rows.weight[order]
    return Rows(rows.positive[order], rows.score[order], weight, rows.offsets)
