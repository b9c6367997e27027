"""The plain kernel: one lexsort by ranking and score, for every case.

It takes every dtype that numpy can order, any weights and any layout; faster kernels are held against it.
"""

from collections.abc import Callable, Iterator
from copy import copy

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from . import _steps
from ._steps import Points, Steps, running, total

# What decides between equal scores. Rows are sorted worst first, so the largest key is retrieved first.
_TIE_KEYS: dict[str, Callable[[BoolArray], AnyArray]] = {
    "stable": lambda positive: -np.arange(positive.size),
    "optimistic": lambda positive: positive,
    "pessimistic": lambda positive: ~positive,
}


class SortedRankings:
    """Rows in the order of their ranking and, inside it, of their score, worst first.

    The parameters are those of `rank`.
    """

    def __init__(
        self,
        positive: BoolArray,
        score: AnyArray,
        weight: FloatArray | None,
        offsets: IntArray,
        *,
        ties: str | None = None,
    ) -> None:
        positive, score = positive.ravel(), score.ravel()
        rows = np.diff(offsets)
        keys = [score, np.repeat(np.arange(rows.size), rows)]
        if ties is not None:
            keys.insert(0, _TIE_KEYS[ties](positive))
        order = np.lexsort(keys)
        self._positive = positive[order]
        self._score = score[order]
        self._weight = None if weight is None else weight.ravel()[order]
        self._offsets = offsets
        self._starts_group = np.ones(score.size, dtype=bool)  # a tied group starts at this row
        if ties is None:
            self._starts_group[1:] = self._score[1:] != self._score[:-1]
            self._starts_group[offsets[:-1][rows > 0]] = True
        self.n_rows: FloatArray = rows.astype(np.float64)
        self._edges = self._block_edges()
        self._sum_up()

    def _block_edges(self) -> list[int]:
        """Cut the rows into blocks of about BLOCK_ROWS, between tied groups only."""
        n_rows, edges = self._score.size, [0]
        while edges[-1] < n_rows:
            ahead = self._starts_group[edges[-1] + _steps.BLOCK_ROWS :]
            edges.append(n_rows - ahead.size + int(ahead.argmax()) if ahead.any() else n_rows)
        return edges

    def _sum_up(self) -> None:
        """Fill the totals and, for each block, what its last ranking still has above it.

        Sums run from the best row of a ranking to its worst, so the blocks are met last to first.
        """
        self._carry = np.zeros((len(self._edges), 2))
        totals = np.zeros((2, self.n_rows.size))
        for block in reversed(range(len(self._edges) - 1)):
            sums = self._sums(block)
            self._carry[block] = sums[:, 0]
            begin, end = self._edges[block : block + 2]
            first, stop = np.searchsorted(self._offsets[:-1], (begin, end))
            totals[:, first:stop] = sums[:, self._offsets[first:stop] - begin]
        self.n_samples, self.n_positives = np.where(self.n_rows > 0, totals, 0.0)

    def _sums(self, block: int) -> FloatArray:
        """Return the weight at or above each row of a block, of all samples and of positives.

        One more column stands for the first row after the block.
        """
        begin, end = self._edges[block : block + 2]
        inside = slice(
            np.searchsorted(self._offsets, begin, side="right") - 1, np.searchsorted(self._offsets, end) + 1
        )
        bounds = self._offsets[inside].clip(begin, end)
        carry = self._carry[block + 1] if self._offsets[inside][-1] > end else np.zeros(2)
        weight = np.ones(end - begin) if self._weight is None else self._weight[begin:end]
        sums = np.zeros((2, end - begin + 1))
        for row, values in enumerate((weight, weight * self._positive[begin:end])):
            sums[row, :-1] = running(np.add, values[::-1], np.diff(bounds)[::-1])[::-1]
        sums[:, bounds[-2] - begin :] += carry[:, np.newaxis]
        return sums

    def _tied_groups(self, block: int, *, with_positives: bool) -> Steps:
        begin, end = self._edges[block : block + 2]
        sums = self._sums(block)
        first = begin + np.flatnonzero(self._starts_group[begin:end])
        after = np.append(first[1:], end)
        ranking = np.searchsorted(self._offsets, first, side="right") - 1
        stop = self._offsets[ranking + 1]
        tp, tp_above = sums[1, first - begin], np.where(after == stop, 0.0, sums[1, after - begin])
        if with_positives:
            kept = np.flatnonzero(tp > tp_above)
            first, after, stop, ranking = first[kept], after[kept], stop[kept], ranking[kept]
            tp, tp_above = tp[kept], tp_above[kept]
        start = np.flatnonzero(np.diff(ranking, prepend=-1))
        return Steps(
            tp=tp,
            tp_above=tp_above,
            retrieved=sums[0, first - begin],
            ranking=ranking[start],
            start=start,
            find_above=lambda: np.where(after == stop, 0.0, sums[0, after - begin]),
            find_rows=None if self._weight is None else lambda: (_float(stop - first), _float(stop - after)),
        )

    def _all_groups(self) -> Iterator[Steps]:
        """Yield a step for every distinct score, those of negatives alone included."""
        for block in range(len(self._edges) - 1):
            yield self._tied_groups(block, with_positives=False)

    @property
    def weighted(self) -> bool:
        """Whether weights differ inside a ranking."""
        return self._weight is not None

    def with_n_positives(self, n_positives: FloatArray) -> "SortedRankings":
        """Return the same rankings with another total of positives."""
        stated = copy(self)
        stated.n_positives = n_positives
        return stated

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for block in range(len(self._edges) - 1):
            steps = self._tied_groups(block, with_positives=True)
            if steps.start.size:
                yield steps

    def points(self) -> Points:
        """Return the operating points of a lone ranking, negative-only scores included."""
        groups = list(self._all_groups())
        return Points(
            threshold=self._score[self._starts_group],
            tp=np.concatenate([steps.tp for steps in groups]),
            retrieved=np.concatenate([steps.retrieved for steps in groups]),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking, a tied group giving its share."""
        return total(self, ((s, s.share_within(depth) * s.group_weight) for s in self._all_groups()))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        rows = np.flatnonzero(self._positive)
        weight = np.ones(rows.size) if self._weight is None else self._weight[rows]
        ranking = np.searchsorted(self._offsets, rows, side="right") - 1
        heaviest_first = np.lexsort((-weight, ranking))
        place = np.arange(rows.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        sums = np.zeros(self.n_rows.size)
        np.add.at(sums, ranking[counted], weight[counted])
        return sums


def _float(rows: IntArray) -> FloatArray:
    return rows.astype(np.float64)
