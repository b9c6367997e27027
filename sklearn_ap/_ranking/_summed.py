"""The sums of rows in order: what the kernels of weighted rows share once they have sorted."""

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple, Self

import numpy as np

from .._typing import AnyArray, BoolArray, ComplexArray, FloatArray, IntArray
from ._blocks import blocks_of, rankings_between, whole_rankings
from ._runs import running
from ._steps import Points, Steps, total


class _After(NamedTuple):
    """What is known of the rows after a block: sums, and the place, of what its last group needs."""

    from_row: complex  # sums from the row after the block on
    from_group: complex  # sums from the tied group after it on
    group: int  # where that begins


class SummedRankings:
    """Rows in the order of their ranking and, inside it, of their score, worst first.

    `signed` are their weights, negative where their labels are, and `starts_group` tells where tied groups
    start: 9 bytes a row. `score` is kept, unsorted, for thresholds.
    """

    def __init__(
        self,
        signed: FloatArray,
        starts_group: BoolArray,
        offsets: IntArray,
        score: AnyArray,
        *,
        weighted: bool,
    ) -> None:
        self._signed, self._starts_group, self._offsets, self._score = signed, starts_group, offsets, score
        self.weighted = weighted
        self.n_rows: FloatArray = (offsets[1:] - offsets[:-1]).astype(np.float64)
        self._blocks = list(_blocks_inside(offsets))
        self._sum_up()

    def _sum_up(self) -> None:
        """Fill the totals and, for each block, what is known of the rows after it.

        Sums run from the best row of a ranking to its worst, so blocks are met last to first. A complex
        number holds two of them, the weight of all samples and, as its imaginary part, of positives: added
        one after the other, that takes no longer than one sum.
        """
        n_rows = self._signed.size
        self._after = [_After(0j, 0j, n_rows)] * len(self._blocks)
        totals = np.zeros(self.n_rows.size, dtype=complex)
        from_row, from_group, group = 0j, 0j, n_rows
        for block in reversed(range(len(self._blocks))):
            self._after[block] = _After(from_row, from_group, group)
            low, high = self._blocks[block]
            sums = self._sums(block)
            first, stop = np.searchsorted(self._offsets[:-1], (low, high))
            totals[first:stop] = sums[self._offsets[first:stop] - low]
            starts = self._starts_group[low:high]
            from_row = sums[0]
            if starts.any():
                group = low + int(starts.argmax())
                from_group = sums[group - low]
        totals[self.n_rows == 0] = 0
        self.n_samples, self.n_positives = totals.real.copy(), totals.imag.copy()

    def _sums(self, block: int) -> ComplexArray:
        """Return the weight at or above each row of a block, within its ranking.

        One more element stands for the first tied group after the block.
        """
        low, high = self._blocks[block]
        rankings, bounds = rankings_between(self._offsets, low, high)
        after = self._after[block]
        weight = self._signed[low:high][::-1]
        values = np.empty(weight.size, dtype=complex)
        np.abs(weight, out=values.real)
        np.maximum(weight, 0.0, out=values.imag)
        sums = np.empty(weight.size + 1, dtype=complex)
        running(np.add, values, np.diff(bounds)[::-1], out=sums[-2::-1])
        sums[-1] = after.from_group
        if self._offsets[rankings.stop] > high and after.from_row:
            sums[bounds[-2] : -1] += after.from_row
        return sums

    def _tied_groups(self, block: int, *, with_positives: bool) -> Steps:
        low, high = self._blocks[block]
        rankings, bounds = rankings_between(self._offsets, low, high)
        sums, starts = self._sums(block), self._starts_group[low:high]
        next_group = self._after[block].group - low
        # A shortcut: where every row is a tied group, those with a positive are the positive rows.
        untied = with_positives and next_group == high - low and starts.all()
        first = np.flatnonzero(self._signed[low:high] > 0 if untied else starts)
        after = first + 1 if untied else np.append(first[1:], high - low)
        here, above = sums[first], sums[after]
        if after.size and after[-1] == high - low:
            after[-1] = next_group
        ends = self._offsets[rankings.start + 1 : rankings.stop + 1] - low
        stop = _spread(ends, first, bounds)
        above[after >= stop] = 0
        if with_positives and not (gains := here.imag > above.imag).all():
            kept = np.flatnonzero(gains)
            first, after, here, above = first[kept], after[kept], here[kept], above[kept]
            stop = _spread(ends, first, bounds)
        at = np.searchsorted(first, bounds)
        some = np.flatnonzero(at[1:] > at[:-1])
        return Steps(
            tp=here.imag.copy(),
            tp_above=above.imag.copy(),
            retrieved=here.real.copy(),
            ranking=rankings.start + some,
            start=at[some],
            find_above=above.real.copy,
            find_rows=(lambda: (_float(stop - first), _float(stop - np.minimum(after, stop))))
            if self.weighted
            else None,
        )

    def _groups(self, *, with_positives: bool) -> Iterator[Steps]:
        for block in range(len(self._blocks)):
            steps = self._tied_groups(block, with_positives=with_positives)
            if steps.start.size:
                yield steps

    def with_n_positives(self, n_positives: FloatArray) -> Self:
        """Return the same rankings with another total of positives."""
        stated = copy(self)
        stated.n_positives = n_positives
        return stated

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return self._groups(with_positives=True)

    def points(self) -> Points:
        """Return the operating points of a lone ranking, negative-only scores included."""
        groups = list(self._groups(with_positives=False))
        return Points(
            threshold=np.unique(self._score),
            tp=np.concatenate([steps.tp for steps in groups]),
            retrieved=np.concatenate([steps.retrieved for steps in groups]),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking, a tied group giving its share."""
        groups = self._groups(with_positives=False)
        return total(self, ((s, s.share_within(depth) * s.group_weight) for s in groups))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        rows = np.flatnonzero(self._signed > 0)
        weight = self._signed[rows]
        ranking = np.searchsorted(self._offsets, rows, side="right") - 1
        heaviest_first = np.lexsort((-weight, ranking))
        place = np.arange(rows.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        sums = np.zeros(self.n_rows.size)
        np.add.at(sums, ranking[counted], weight[counted])
        return sums


def _blocks_inside(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Cut rows into blocks that depend on each ranking alone: whole ones, or parts of a long one."""
    for first, stop in whole_rankings(offsets):
        begin, end = offsets[[first, stop]].tolist()
        if stop - first > 1:
            yield begin, end
        else:
            yield from ((begin + part.start, begin + part.stop) for part in blocks_of(end - begin))


def _float(rows: IntArray) -> FloatArray:
    return rows.astype(np.float64)


def _spread(values: IntArray, first: IntArray, bounds: IntArray) -> IntArray:
    """Repeat a value a ranking over the tied groups between its bounds; a lone one is broadcast."""
    return values if values.size == 1 else np.repeat(values, np.diff(np.searchsorted(first, bounds)))
