"""The short way: kernels of a lone ranking in one block, in straight lines, and their one entrance.

A short call spends more time between numpy's functions than in them. A lone ranking in one block carries
nothing from block to block, and needs no table of rankings. So its steps take half the time of those of
`_packed` and, with weights, a quarter of those of `_weighted` and `_summed`: by the same operations in the
same order, with the same bits.
"""

from collections.abc import Iterator

import numpy as np

from .._typing import AnyArray, BoolArray, Bounds, FloatArray, IntArray
from ._blocks import BLOCK_ROWS
from ._class_weights import ClassWeightKernel, class_weights
from ._keys import LOWEST_BIT, Packing, packing_of
from ._packed import PackedKernel
from ._prevalence import TINY, kernel_at, reweighted_lone
from ._rankings import Kernel, OperatingPoints
from ._sort import order_by_radix, sort_keys
from ._steps import Steps
from ._summed import GroupKernel, added_from_each_on

# Made once: the counts from a block's rows down to 0, whose tails are the counts of every short ranking.
_COUNTS = np.arange(float(BLOCK_ROWS), -1.0, -1.0)
_COUNTS.flags.writeable = False


class FewKernel(Kernel):
    """At most `BLOCK_ROWS` rows of a lone ranking, in vectors; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray, packing: Packing) -> None:
        self._given = packing, score
        self.keys = keys = packing.keys(score)
        keys |= ~positive
        sort_keys(keys)
        self._row = np.logical_not(keys & LOWEST_BIT[keys.itemsize]).nonzero()[0]  # of each positive
        self._tp = _COUNTS[BLOCK_ROWS - self._row.size :]
        self._retrieved = _COUNTS[BLOCK_ROWS - keys.size :]  # at or above each row
        self.n_found, self.n_samples = self._tp[:1], self._retrieved[:1]

    def steps(self) -> Steps:
        """Return the steps that have a positive; there must be one."""
        row, tp = self._row, self._tp
        key = self.keys[row]
        is_tied = key[1:] == key[:-1]
        if np.count_nonzero(is_tied):
            first = np.append(True, ~is_tied).nonzero()[0]
            row, tp = row[first], tp[np.append(first, row.size)]
        return Steps(tp[:-1], tp[1:], self._retrieved[row], lambda: self._rows_above(row))

    def divides(self, depth: int) -> bool:
        """Whether the first `depth` rows hold a tied group in part."""
        first = self.keys.size - depth  # of these rows; the rows are in ascending order
        if first <= 0:
            return False
        below, above = self.keys[first - 1 : first + 1].tolist()
        return bool(below | 1 == above | 1)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return iter((self.steps(),) if self._row.size else ())

    def _rows_above(self, row: IntArray) -> FloatArray:
        """Return how many rows are above the tied groups that start at these rows."""
        group = self.keys | LOWEST_BIT[self.keys.itemsize]
        is_last = group[1:] != group[:-1]
        if np.count_nonzero(is_last) == is_last.size:  # no ties
            end = row + 1
        else:
            ends = np.append(is_last, True).nonzero()[0] + 1
            end = ends[ends.searchsorted(row, side="right")]
        return self._retrieved[end]

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        packing, score = self._given
        return PackedKernel.of_keys(self.keys, packing, score.dtype, self._row.size).points()


def few_weighted(positive: BoolArray, score: AnyArray, weight: FloatArray) -> GroupKernel:
    """Return a lone weighted ranking of at most `BLOCK_ROWS` rows."""
    by_row = order_by_radix(score)
    order = score.argsort() if by_row is None else by_row
    score = score.take(order)
    is_new = score[1:] != score[:-1]
    rows = _COUNTS[BLOCK_ROWS - order.size :]
    if np.count_nonzero(is_new) == is_new.size:  # no ties
        positive, weight = positive.take(order), weight.take(order)
        row = positive.nonzero()[0]
        tp, retrieved = added_from_each_on(weight.take(row)), added_from_each_on(weight)
        return GroupKernel(score, row, tp, retrieved, rows, in_order=(positive, weight))
    starts_group = np.append(True, is_new)
    if by_row is None:
        order = _tied_by_row(order, starts_group)
    positive, weight = positive.take(order), weight.take(order)
    first = starts_group.nonzero()[0]
    of_groups = np.append(first, order.size)
    tp, retrieved = added_from_each_on(weight * positive), added_from_each_on(weight)
    at_groups = tp.take(of_groups), retrieved.take(of_groups), rows.take(of_groups)
    return GroupKernel(score.take(first), np.arange(first.size), *at_groups, in_order=(positive, weight))


def _tied_by_row(order: IntArray, starts_group: BoolArray) -> IntArray:
    """Sort the rows of each tied group by number: a stable argsort would take several times as long."""
    of_group = np.add.accumulate(starts_group, dtype=np.int64) * order.size
    keys = of_group + order
    keys.sort()
    keys -= of_group  # no group leaves its place, so the same numbers go again
    return keys


ShortKernel = FewKernel | GroupKernel | ClassWeightKernel  # of a lone ranking in one block


def few_of(
    positive: BoolArray, score: AnyArray, weight: FloatArray | None, bounds: Bounds, prevalence: float | None
) -> ShortKernel | None:
    """Return a lone ranking of one block at most, at a prevalence, or None if it takes the long way."""
    # Where weights differ, the first is rarely the least one, and then the greatest is not needed.
    if weight is not None and (
        (least := np.minimum.reduce(weight)) < weight.item(0) or least < np.maximum.reduce(weight)
    ):
        if prevalence is not None:
            weight = reweighted_lone(positive, weight, prevalence)
            if weight is None or (least := np.minimum.reduce(weight)) == np.maximum.reduce(weight):
                return None
        if least < TINY or class_weights(positive, weight) is not None:
            return None
        return few_weighted(positive, score, weight)
    few = few_counted(positive, score, bounds)  # equal weights are counts
    if few is None or prevalence is None:
        return few
    return kernel_at(few, prevalence, few.n_found, few.n_samples - few.n_found)


def few_counted(positive: BoolArray, score: AnyArray, bounds: Bounds) -> FewKernel | None:
    """Return a lone ranking of at most `BLOCK_ROWS` rows without weights, or None if it has no packing."""
    packing = packing_of(score, *bounds)
    if packing is None:
        return None
    few = FewKernel(positive, score, packing)
    return few if packing.scale is None or packing.keeps_apart(few.keys, score) else None
