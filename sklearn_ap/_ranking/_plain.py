"""The plain kernel: a single ranking of few rows, by numpy's sort and a few passes over all of it.

Every other kernel has to be twice as fast somewhere. Without weights, two sorts and one search are enough.
With weights, one sort brings the rows into order, and running sums go from the best row down.
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, sort_keys, starts_of_runs
from ._keys import LOWEST_BIT, Packing, operating_points_of
from ._rankings import Kernel, OperatingPoints
from ._steps import Steps, add_up

# From the rows of a block down to 0: its ends are the counts of every short ranking.
_COUNTS = np.arange(float(BLOCK_ROWS), -1.0, -1.0)
_COUNTS.flags.writeable = False


def _counts_of(n_rows: int) -> FloatArray:
    """Return the numbers of rows from each row on, and 0."""
    return _COUNTS[-1 - n_rows :] if n_rows < _COUNTS.size else np.arange(float(n_rows), -1.0, -1.0)


class PlainKernel(Kernel):
    """A single ranking of rows without weights; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray) -> None:
        self._score, step = np.sort(score), score.compress(positive)
        step.sort()
        tp = _counts_of(step.size)  # at or above each positive, and 0 above the best one
        is_tied = step[1:] == step[:-1]
        if np.count_nonzero(is_tied):
            first = starts_of_runs(step)
            step, tp = step.take(first), tp.take(np.append(first, step.size))
        self._steps_at, self._tp = step, tp  # the distinct scores of positives
        self.found_weight, self.total_weight = tp[:1], np.array((score.size,), dtype=np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return map(self.steps, blocks_of(self._steps_at.size))

    def steps(self, block: slice = slice(None)) -> Steps:
        """Return some of the steps that have a positive, by default all; there must be one."""
        retrieved, above = (partial(self._rows_from, side, block) for side in ("left", "right"))
        return Steps(self._tp[:-1][block], self._tp[1:][block], retrieved(), above)

    def _rows_from(self, side: Literal["left", "right"], block: slice) -> FloatArray:
        """Return how many rows score at or above each step; with ``"right"``, only above."""
        return self.total_weight - self._score.searchsorted(self._steps_at[block], side)

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        first = starts_of_runs(self._score)
        threshold = self._score[first]
        # A threshold that only negatives have finds the positives of the next step above it.
        tp = self._tp[self._steps_at.searchsorted(threshold)]
        return OperatingPoints(threshold, tp, (self._score.size - first).astype(np.float64))


class KeyedKernel(Kernel):
    """At most a block of rows without weights, as keys; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray, packing: Packing) -> None:
        self._packing, self._dtype = packing, score.dtype
        self.keys = keys = packing.keys(score)
        keys |= ~positive  # a clear bit, so positives come first in their tied group
        sort_keys(keys, signed=packing.signed)
        self._row = np.logical_not(keys & LOWEST_BIT[keys.itemsize]).nonzero()[0]  # of each positive
        self._tp, self._retrieved = _COUNTS[-1 - self._row.size :], _COUNTS[-1 - keys.size :]
        self.found_weight, self.total_weight = self._tp[:1], self._retrieved[:1]

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        row, tp = self._row, self._tp
        key = self.keys[row]
        is_tied = key[1:] == key[:-1]
        if np.count_nonzero(is_tied):
            first = starts_of_runs(key)
            row, tp = row[first], tp[np.append(first, row.size)]
        steps = Steps(tp[:-1], tp[1:], self._retrieved[row], lambda: self._rows_above(row))
        return iter((steps,) if row.size else ())

    def _rows_above(self, row: IntArray) -> FloatArray:
        """Return how many rows are above the tied groups that start at these rows."""
        group = self.keys | LOWEST_BIT[self.keys.itemsize]
        is_last = group[1:] != group[:-1]
        if np.count_nonzero(is_last) == is_last.size:  # no ties
            return self._retrieved[row + 1]
        ends = np.append(is_last, True).nonzero()[0] + 1
        return self._retrieved[ends[ends.searchsorted(row, side="right")]]

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        return operating_points_of(self.keys, self._packing, self._dtype, np.array(0))


class PlainWeightedKernel(Kernel):
    """A ranking of weighted rows in one block; a row may stand for `n_rows` of one score and label."""

    def __init__(
        self,
        positive: BoolArray,
        score: AnyArray,
        weight: FloatArray,
        n_rows: FloatArray | None = None,
        order: IntArray | None = None,
    ) -> None:
        order = score.argsort(kind="stable") if order is None else order
        score = score.take(order)
        is_tied = score[1:] == score[:-1]
        has_ties = np.count_nonzero(is_tied)
        positive, weight = positive.take(order), weight.take(order)
        self._in_order = (positive, weight) if n_rows is None else None
        rows = _counts_of(order.size) if n_rows is None else sums_from_each_on(n_rows.take(order))
        sums = [sums_from_each_on(weight * positive), sums_from_each_on(weight), rows]
        if has_ties:
            first = starts_of_runs(score)
            groups = np.append(first, score.size)  # and the end, where the sums are 0
            score, sums = score.take(first), [values.take(groups) for values in sums]
        self._score = score
        self._tp, self._retrieved, self._rows = tp, retrieved, _ = sums
        self.found_weight, self.total_weight = tp[:1], retrieved[:1]

    @property
    def signed(self) -> FloatArray | None:  # type: ignore[override]  # late: few ask for it
        """Weights in order, negated for negatives, if the rows are here."""
        if self._in_order is None:
            return None
        positive, weight = self._in_order
        return np.where(positive, weight, -weight)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        steps = self.steps()
        return iter((steps,) if steps.tp.size else ())

    def steps(self) -> Steps:
        """Return the steps that have a positive."""
        # A positive may be too light to change the sum; it is then not a step.
        return self._steps((self._tp[:-1] > self._tp[1:]).nonzero()[0])

    def _steps(self, group: AnyArray | slice) -> Steps:
        """Return some of the tied groups as steps."""
        rows, retrieved = self._rows, self._retrieved
        return Steps(
            self._tp[:-1][group],
            self._tp[1:][group],
            retrieved[:-1][group],
            lambda: retrieved[1:][group],
            rows=(lambda: rows[:-1][group], lambda: rows[1:][group]),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group gives its share."""
        groups, weight = self._steps(slice(None)), np.zeros(1)
        add_up(weight, groups, groups.share_within(depth) * groups.group_weight)
        return weight

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        return OperatingPoints(self._score, self._tp[:-1], self._retrieved[:-1])


def plain_kernel(
    positive: BoolArray, score: AnyArray, weight: FloatArray | None
) -> PlainKernel | PlainWeightedKernel:
    """Return a single ranking, with weights or without."""
    if weight is None:
        return PlainKernel(positive, score)
    return PlainWeightedKernel(positive, score, weight)


def order_by_keys(score: AnyArray, packing: Packing) -> IntArray | None:
    """Return the order of a stable sort, by a sort of (score, row) in one integer of 8 bytes.

    The row takes the lowest bits of a key. Scores that differ in these bits alone may end in a wrong order;
    then return None.
    """
    keys = packing.keys(score)
    n_bits = (score.size - 1).bit_length()
    if keys.itemsize < 8:
        keys = keys.astype(np.int64) << n_bits
    else:
        keys &= -1 << n_bits
    keys |= np.arange(score.size)
    sort_keys(keys, signed=packing.signed)
    keys &= (1 << n_bits) - 1
    in_order = score.take(keys)
    return None if np.count_nonzero(in_order[1:] < in_order[:-1]) else keys


def sums_from_each_on(values: FloatArray) -> FloatArray:
    """Return the sum of the values from each one to the last, the best; after that one, 0."""
    sums = np.empty(values.size + 1)
    sums[-1] = 0.0
    np.add.accumulate(values[::-1], out=sums[-2::-1])
    return sums
