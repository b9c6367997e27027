"""The plain kernel: one lexsort by ranking and score, for every case.

It takes every dtype that numpy can order, any weights and any layout; faster kernels are held against it.
"""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Self

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from . import _steps
from ._steps import Points, Steps, blocks_of, running, total

# What decides between equal scores. Rows are sorted worst first, so the largest key is retrieved first.
_TIE_KEYS: dict[str, Callable[[BoolArray], AnyArray]] = {
    "stable": lambda positive: -np.arange(positive.size),
    "optimistic": lambda positive: positive,
    "pessimistic": lambda positive: ~positive,
}


class SortedRankings:
    """Rows in the order of their ranking and, inside it, of their score, worst first.

    The parameters are those of `rank`. What is kept of a row is its weight, negative where its label is,
    and whether a tied group starts there: 9 bytes.
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
        self.weighted = weight is not None
        self.n_rows: FloatArray = np.diff(offsets).astype(np.float64)
        self._score, self._offsets = score.ravel(), offsets
        weight = None if weight is None else weight.ravel()
        self._weight, self._starts_group = self._arrange(positive.ravel(), weight, ties)
        self._sum_up()

    def _arrange(
        self, positive: BoolArray, weight: FloatArray | None, ties: str | None
    ) -> tuple[FloatArray, BoolArray]:
        """Return the signed weights in order, and where tied groups start."""
        keys = [self._score, np.repeat(np.arange(self.n_rows.size), np.diff(self._offsets))]
        if ties is not None:
            keys.insert(0, _TIE_KEYS[ties](positive))
        order = np.lexsort(keys)
        starts_group = np.ones(order.size, dtype=bool)
        if ties is None:
            score = self._score[order]
            starts_group[1:] = score[1:] != score[:-1]
            starts_group[self._offsets[:-1][self.n_rows > 0]] = True
        return np.where(positive, 1.0, -1.0)[order] * (1.0 if weight is None else weight[order]), starts_group

    def _sum_up(self) -> None:
        """Fill the totals and, for each block, what its last ranking still has above it.

        That is two things: the sums from the first row after the block on, and from the first tied group
        after it on, with its place. Sums run from the best row of a ranking to its worst, so the blocks are
        met last to first.
        """
        self._blocks = [(b.start, min(b.stop, self._weight.size)) for b in blocks_of(self._weight.size)]
        self._next_row = np.zeros((len(self._blocks), 2))
        self._next_group = np.zeros((len(self._blocks), 2))
        self._next_place = np.zeros(len(self._blocks), dtype=np.int64)
        totals = np.zeros((2, self.n_rows.size))
        row, group, place = np.zeros(2), np.zeros(2), self._weight.size
        for block in reversed(range(len(self._blocks))):
            self._next_row[block], self._next_group[block], self._next_place[block] = row, group, place
            low, high = self._blocks[block]
            sums = self._sums(block)
            row = sums[:, 0]
            starts = self._starts_group[low:high]
            if starts.any():
                first = int(starts.argmax())
                group, place = sums[:, first], low + first
            first, stop = np.searchsorted(self._offsets[:-1], (low, high))
            totals[:, first:stop] = sums[:, self._offsets[first:stop] - low]
        self.n_samples, self.n_positives = np.where(self.n_rows > 0, totals, 0.0)

    def _inside(self, block: int) -> tuple[slice, IntArray]:
        """Return which rankings have rows in a block, and where in it each of them begins and ends."""
        low, high = self._blocks[block]
        first = int(np.searchsorted(self._offsets, low, side="right")) - 1
        rankings = slice(first, int(np.searchsorted(self._offsets, high)))
        return rankings, self._offsets[first : rankings.stop + 1].clip(low, high) - low

    def _sums(self, block: int) -> FloatArray:
        """Return the weight at or above each row of a block, of all samples and of positives.

        One more column stands for the first row after the block.
        """
        low, high = self._blocks[block]
        rankings, bounds = self._inside(block)
        weight = self._weight[low:high][::-1]
        sums = np.zeros((2, high - low + 1))
        for row, values in enumerate((np.abs(weight), np.maximum(weight, 0.0))):
            sums[row, :-1] = running(np.add, values, np.diff(bounds)[::-1])[::-1]
        if self._offsets[rankings.stop] > high:
            sums[:, bounds[-2] :] += self._next_row[block][:, np.newaxis]
        return sums

    def _tied_groups(self, block: int, *, with_positives: bool) -> Steps:
        low, high = self._blocks[block]
        rankings, bounds = self._inside(block)
        sums = self._sums(block)
        first = np.flatnonzero(self._starts_group[low:high])
        after = np.append(first[1:], self._next_place[block] - low)
        ends = self._offsets[rankings.start + 1 : rankings.stop + 1] - low
        stop = np.repeat(ends, np.diff(np.searchsorted(first, bounds)))
        following = np.column_stack((sums[:, first[1:]], self._next_group[block]))
        above, tp_above = np.where(after < stop, following, 0.0)
        retrieved, tp = sums[:, first]
        if with_positives:
            kept = np.flatnonzero(tp > tp_above)
            first, after, stop = first[kept], after[kept], stop[kept]
            tp, tp_above, retrieved, above = tp[kept], tp_above[kept], retrieved[kept], above[kept]
        length = np.diff(np.searchsorted(first, bounds))
        some = np.flatnonzero(length)
        rows_above = stop - np.minimum(after, stop)
        return Steps(
            tp=tp,
            tp_above=tp_above,
            retrieved=retrieved,
            ranking=rankings.start + some,
            start=np.cumsum(length[some]) - length[some],
            find_above=lambda: above,
            find_rows=(lambda: (_float(stop - first), _float(rows_above))) if self.weighted else None,
        )

    def _all_groups(self) -> Iterator[Steps]:
        """Yield a step for every distinct score, those of negatives alone included."""
        for block in range(len(self._blocks)):
            yield self._tied_groups(block, with_positives=False)

    def with_n_positives(self, n_positives: FloatArray) -> Self:
        """Return the same rankings with another total of positives."""
        stated = copy(self)
        stated.n_positives = n_positives
        return stated

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for block in range(len(self._blocks)):
            steps = self._tied_groups(block, with_positives=True)
            if steps.start.size:
                yield steps

    def points(self) -> Points:
        """Return the operating points of a lone ranking, negative-only scores included."""
        groups = list(self._all_groups())
        return Points(
            threshold=np.unique(self._score),
            tp=np.concatenate([steps.tp for steps in groups]),
            retrieved=np.concatenate([steps.retrieved for steps in groups]),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking, a tied group giving its share."""
        return total(self, ((s, s.share_within(depth) * s.group_weight) for s in self._all_groups()))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        rows = np.flatnonzero(self._weight > 0)
        weight = self._weight[rows]
        ranking = np.searchsorted(self._offsets, rows, side="right") - 1
        heaviest_first = np.lexsort((-weight, ranking))
        place = np.arange(rows.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        sums = np.zeros(self.n_rows.size)
        np.add.at(sums, ranking[counted], weight[counted])
        return sums


def _float(rows: IntArray) -> FloatArray:
    return rows.astype(np.float64)
