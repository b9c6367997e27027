"""The plain order of rows, one lexsort for every case, and the kernel that sums rows in order by blocks.

The order accepts every dtype that numpy can order, any weights and any layout. Tests compare the faster
kernels with it.

Two tricks keep it small and fast, and both need weights above 0. A row is one number, its weight, negated
for negatives: a separate label would take one more byte per row, and one more gather. A complex number holds
two sums, the weight of all samples as its real part and the weight of the positives as its imaginary part:
one running sum and one gather take two thirds of the time of two (115 against 185 microseconds per block).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, ComplexArray, FloatArray, IntArray, TieOrder
from ._blocks import BLOCK_ROWS, blocks_of, rankings_between, running, whole_rankings
from ._rankings import OperatingPoints, Rows
from ._steps import LONE, Late, Steps, total


class _Carry(NamedTuple):
    """State carried over from later blocks: running sums, and where the next tied group starts."""

    from_row: complex  # sums over the rows from the one after the block on
    from_group: complex  # sums over the rows from the next tied group on
    group: int  # first row of the next tied group


class SummedKernel:
    """Rows sorted by ranking and then by score, worst first.

    `signed` holds the weights in this order, negated for negatives. `starts_group` says where tied groups
    start. Together they take 9 bytes per row. The unsorted scores of `rows` are kept for thresholds.
    """

    def __init__(
        self, signed: FloatArray, starts_group: BoolArray, rows: Rows, block_rows: int = BLOCK_ROWS
    ) -> None:
        self._signed, self._starts_group, self._offsets = signed, starts_group, rows.offsets
        self._score, self._weighted = rows.score, rows.weight is not None
        self._block_rows = block_rows
        self._blocks = list(_blocks_inside(rows.offsets, block_rows))
        self._sum_up()

    def _sum_up(self) -> None:
        """Compute the totals, and the state that each block needs from the blocks after it.

        Rows are sorted worst first, but sums run from the best row of a ranking down, so the loop runs from
        the last block to the first.
        """
        n_rows = self._signed.size
        self._carried = [_Carry(0j, 0j, n_rows)] * len(self._blocks)
        totals = np.zeros(self._offsets.size - 1, dtype=complex)
        from_row, from_group, group = 0j, 0j, n_rows
        for block in reversed(range(len(self._blocks))):
            self._carried[block] = _Carry(from_row, from_group, group)
            low, high = self._blocks[block]
            sums = self._sums(block)
            # The sum at the first row of a ranking is its total.
            first, stop = np.searchsorted(self._offsets[:-1], (low, high))
            totals[first:stop] = sums[self._offsets[first:stop] - low]
            starts = self._starts_group[low:high]
            from_row = sums[0]
            if starts.any():
                group = low + int(starts.argmax())
                from_group = sums[group - low]
        totals[self._offsets[1:] == self._offsets[:-1]] = 0  # rankings without rows read another one's sum
        self.n_samples, self.n_found = totals.real.copy(), totals.imag.copy()

    def _sums(self, block: int) -> ComplexArray:
        """Return the weight at or above each row of a block, within its ranking.

        The last element, one more than there are rows, is the sum at the first tied group after the block.
        """
        low, high = self._blocks[block]
        rankings, bounds = rankings_between(self._offsets, low, high)
        carried = self._carried[block]
        weight = self._signed[low:high][::-1]  # best row first
        values = np.empty(weight.size, dtype=complex)
        np.abs(weight, out=values.real)
        np.maximum(weight, 0.0, out=values.imag)
        sums = np.empty(weight.size + 1, dtype=complex)
        best_first = np.diff(bounds)[::-1]  # lengths of the rankings, as `weight` has them
        # Written backwards from the last element but one, the sums stand worst first again.
        running(np.add, values, best_first, out=sums[-2::-1], block_rows=self._block_rows)
        sums[-1] = carried.from_group
        if self._offsets[rankings.stop] > high:  # the last ranking goes on after the block
            sums[bounds[-2] : -1] += carried.from_row
        return sums

    def _is_untied(self, block: int) -> bool:
        """Whether every row of a block is a tied group, and there is a single ranking."""
        low, high = self._blocks[block]
        lone = self._offsets.size == 2
        return lone and self._carried[block].group == high and bool(self._starts_group[low:high].all())

    def _positive_rows(self, block: int) -> Steps:
        """Return the positive rows of an untied block as steps, by the same additions as in `_sums`.

        Only the zeros of negatives are left out of the positives' sum. Without complex numbers, the steps of
        a million rows take 6.5 instead of 9 ms.
        """
        low, high = self._blocks[block]
        signed, carried = self._signed[low:high], self._carried[block].from_row
        row = (signed > 0).nonzero()[0]
        tps, retrieved = np.empty(row.size + 1), np.empty(signed.size + 1)
        tps[-1] = retrieved[-1] = 0.0  # the last elements are the sums after the block
        np.add.accumulate(signed.take(row[::-1]), out=tps[-2::-1])
        np.add.accumulate(np.abs(signed[::-1]), out=retrieved[-2::-1])
        tps += carried.imag
        retrieved += carried.real
        tp, tp_above = tps[:-1], tps[1:]
        gains = tp > tp_above
        if not gains.all():
            row, tp, tp_above = row[gains], tp[gains], tp_above[gains]
        stop = np.array([self._signed.size - low])
        return Steps(
            tp,
            tp_above,
            retrieved.take(row),
            lambda: retrieved.take(row + 1),
            start=LONE[: row.size],
            rows=self._rows(row, row + 1, stop),
        )

    def _tied_groups(self, block: int, *, with_positives: bool) -> Steps:
        """Return the tied groups that start in a block as steps, all or only those with a positive."""
        low, high = self._blocks[block]
        rankings, bounds = rankings_between(self._offsets, low, high)
        sums, starts = self._sums(block), self._starts_group[low:high]
        next_group = self._carried[block].group - low
        # A shortcut: if every row is a tied group, the groups with a positive are the positive rows.
        untied = with_positives and next_group == high - low and starts.all()
        first = np.flatnonzero(self._signed[low:high] > 0 if untied else starts)
        after = first + 1 if untied else np.append(first[1:], high - low)
        at_or_above, above = sums[first], sums[after]
        if after.size and after[-1] == high - low:  # the last group may go on in the blocks after this one
            after[-1] = next_group
        ends = self._offsets[rankings.start + 1 : rankings.stop + 1] - low
        stop = _spread(ends, first, bounds)
        above[after >= stop] = 0  # the next group belongs to another ranking
        if with_positives and not (gains := at_or_above.imag > above.imag).all():
            kept = np.flatnonzero(gains)
            first, after, at_or_above, above = first[kept], after[kept], at_or_above[kept], above[kept]
            stop = _spread(ends, first, bounds)
        step_bounds = np.searchsorted(first, bounds)
        with_steps = np.flatnonzero(step_bounds[1:] > step_bounds[:-1])
        # Copies, since the parts of a complex array are not contiguous.
        return Steps(
            at_or_above.imag.copy(),
            above.imag.copy(),
            at_or_above.real.copy(),
            above.real.copy,
            rankings.start + with_steps,
            step_bounds[with_steps],
            self._rows(first, after, stop),
        )

    def _rows(self, first: IntArray, after: IntArray, stop: IntArray) -> tuple[Late, Late] | None:
        """Return the rows at or above each tied group, and the rows above it.

        Its first row, the first row of the group above it, and the end of its ranking are counted from the
        start of the block. Without weights, a sum of weights is a number of rows.
        """
        if not self._weighted:
            return None
        return (
            lambda: (stop - first).astype(np.float64),
            lambda: (stop - np.minimum(after, stop)).astype(np.float64),
        )

    def _groups(self, *, with_positives: bool) -> Iterator[Steps]:
        for block in range(len(self._blocks)):
            if with_positives and self._is_untied(block):
                steps = self._positive_rows(block)
            else:
                steps = self._tied_groups(block, with_positives=with_positives)
            if steps.start.size:
                yield steps

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return self._groups(with_positives=True)

    def points(self) -> OperatingPoints:
        """Return the operating points of a lone ranking, including scores that only negatives have."""
        groups = list(self._groups(with_positives=False))
        return OperatingPoints(
            threshold=np.unique(self._score),
            tp=np.concatenate([steps.tp for steps in groups]),
            retrieved=np.concatenate([steps.retrieved for steps in groups]),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group gives its share."""
        groups = self._groups(with_positives=False)
        return total(self, ((s, s.share_within(depth) * s.group_weight) for s in groups))


def _blocks_inside(offsets: IntArray, block_rows: int) -> Iterator[tuple[int, int]]:
    """Cut rows into blocks that depend on each ranking alone: whole ones, or parts of a long one."""
    for first, stop in whole_rankings(offsets, block_rows):
        begin, end = offsets[[first, stop]].tolist()
        if stop - first > 1:
            yield begin, end
        else:
            yield from (
                (begin + part.start, begin + part.stop) for part in blocks_of(end - begin, block_rows)
            )


def _spread(values: IntArray, first: IntArray, bounds: IntArray) -> IntArray:
    """Repeat one value per ranking for each of its tied groups; the value of a lone ranking broadcasts."""
    return values if values.size == 1 else np.repeat(values, np.diff(np.searchsorted(first, bounds)))


# The sort key among equal scores. Rows are sorted worst first, so the largest key is retrieved first.
_TIE_KEYS: dict[TieOrder, Callable[[BoolArray], AnyArray]] = {
    "stable": lambda positive: -np.arange(positive.size),
    "optimistic": lambda positive: positive,
    "pessimistic": lambda positive: ~positive,
}


def sorted_by_lexsort(rows: Rows, tie_order: TieOrder | None) -> tuple[FloatArray, BoolArray]:
    """Return the weights in order, negated for negatives, and where tied groups start."""
    positive, score, offsets = rows.positive.ravel(), rows.score.ravel(), rows.offsets
    lengths = np.diff(offsets)
    keys = [score, np.repeat(np.arange(lengths.size), lengths)]
    if tie_order is not None:
        keys.insert(0, _TIE_KEYS[tie_order](positive))
    order = np.lexsort(keys)
    starts_group = np.ones(order.size, dtype=bool)
    if tie_order is None:  # otherwise each row is a group of its own
        starts_group[1:] = score[order[1:]] != score[order[:-1]]
        starts_group[offsets[:-1][lengths > 0]] = True
    signed = np.where(positive, 1.0, -1.0)
    if rows.weight is not None:
        signed *= rows.weight.ravel()
    return signed[order], starts_group
