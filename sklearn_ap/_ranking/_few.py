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
from ._rankings import OperatingPoints, Rows
from ._steps import Steps, total

# Made once: the counts from a block's rows down to 0, whose tails are the counts of every short ranking.
_COUNTS = np.arange(float(BLOCK_ROWS), -1.0, -1.0)
_COUNTS.flags.writeable = False


class FewKernel:
    """At most `BLOCK_ROWS` rows of a lone ranking, in vectors; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray, packing: Packing) -> None:
        self._given = positive, score, packing
        self._keys = keys = packing.keys(score)
        keys |= ~positive
        keys.sort()
        self._row = np.logical_not(keys & LOWEST_BIT[keys.itemsize]).nonzero()[0]  # of each positive
        self._tp = _COUNTS[BLOCK_ROWS - self._row.size :]
        self.n_found = self._tp[:1]

    @property
    def is_exact(self) -> bool:
        """Whether the keys keep all scores apart."""
        _, score, packing = self._given
        return packing.keeps_apart(self._keys, score)

    def steps(self) -> Steps:
        """Return the steps that have a positive; there must be one."""
        row, tp = self._row, self._tp
        key = self._keys[row]
        is_tied = key[1:] == key[:-1]
        if np.count_nonzero(is_tied):
            first = np.append(True, ~is_tied).nonzero()[0]
            row, tp = row[first], tp[np.append(first, row.size)]
        retrieved = _COUNTS[BLOCK_ROWS - self._keys.size :][row]
        return Steps(tp[:-1], tp[1:], retrieved, lambda: self._rows_above(row))

    def divides(self, depth: int) -> bool:
        """Whether the first `depth` rows hold a tied group in part."""
        first = self._keys.size - depth  # of these rows; the rows are in ascending order
        if first <= 0:
            return False
        below, above = self._keys[first - 1 : first + 1].tolist()
        return bool(below | 1 == above | 1)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return iter((self.steps(),) if self._row.size else ())

    def _rows_above(self, row: IntArray) -> FloatArray:
        """Return how many rows are above the tied groups that start at these rows."""
        group = self._keys | LOWEST_BIT[self._keys.itemsize]
        is_last = group[1:] != group[:-1]
        if np.count_nonzero(is_last) == is_last.size:  # no ties
            end = row + 1
        else:
            ends = np.append(is_last, True).nonzero()[0] + 1
            end = ends[ends.searchsorted(row, side="right")]
        return _COUNTS[BLOCK_ROWS - group.size :][end]

    @property
    def n_samples(self) -> FloatArray:
        """Number of rows."""
        return _COUNTS[BLOCK_ROWS - self._keys.size :][:1]

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows."""
        return np.minimum(depth, self.n_samples)

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        positive, score, packing = self._given
        offsets = np.array((0, score.size))
        return PackedKernel(Rows(positive, score, None, offsets), packing).points()


class FewWeightedKernel:
    """A lone weighted ranking of at most one block of rows, worst first; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray, weight: FloatArray) -> None:
        self._score, self._positive, self._weight, self._group = _rows_in_order(positive, score, weight)
        self._retrieved = _from_each_row_on(self._weight)
        if self._group is None:
            self._row = self._positive.nonzero()[0]  # of each step
            self._tp = _from_each_row_on(self._weight.take(self._row))  # one more, a 0 above the best step
        else:
            self._row, self._tp = self._group, self._tp_of_groups()
        self.n_found, self.n_samples = self._tp[:1], self._retrieved[:1]

    def _tp_of_groups(self) -> FloatArray:
        tp = _from_each_row_on(self._weight * self._positive)
        return tp if self._group is None else tp.take(np.append(self._group, self._score.size))

    def steps(self) -> Steps:
        """Return the steps that have a positive."""
        row, tp = self._row, self._tp
        gains = tp[:-1] > tp[1:]  # not if there is no positive, or one that is too light for the sums
        if np.count_nonzero(gains) < gains.size:
            row, tp = (
                row[gains],
                np.append(tp[:-1][gains], 0.0),
            )  # a step without gain leaves the next `tp` right
        return self._steps_at(row, tp)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        steps = self.steps()
        return iter((steps,) if steps.tp.size else ())

    def _steps_at(self, row: IntArray, tp: FloatArray) -> Steps:
        """Return the tied groups that start at these rows as steps; `tp` has one element more."""
        return Steps(
            tp[:-1],
            tp[1:],
            self._retrieved.take(row),
            lambda: self._retrieved.take(self._rows_after(row)),
            rows=(lambda: self._rows_from(row), lambda: self._rows_from(self._rows_after(row))),
        )

    def _rows_from(self, row: IntArray) -> FloatArray:
        return np.subtract(self._score.size, row, dtype=np.float64)

    def _rows_after(self, row: IntArray) -> IntArray:
        """Return the first row above each of the tied groups that start at these rows."""
        if self._group is None:
            return row + 1
        return np.append(self._group, self._score.size)[self._group.searchsorted(row, side="right")]

    def _groups(self) -> Steps:
        """Return all tied groups as steps, also those without a positive."""
        row = np.arange(self._score.size) if self._group is None else self._group
        return self._steps_at(row, self._tp_of_groups())

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group gives its share."""
        steps = self._groups()
        return total(self, [(steps, steps.share_within(depth) * steps.group_weight)])

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        steps = self._groups()
        score = self._score if self._group is None else self._score.take(self._group)
        return OperatingPoints(score, steps.tp, steps.retrieved)


ShortKernel = FewKernel | FewWeightedKernel | ClassWeightKernel  # of a lone ranking in one block


def few_of(
    positive: BoolArray, score: AnyArray, weight: FloatArray | None, bounds: Bounds, prevalence: float | None
) -> ShortKernel | None:
    """Return a lone ranking of one block at most, at a prevalence, or None if it takes the long way."""
    # The first weight is rarely the least one. Then weights differ, and nobody looks for the greatest.
    if weight is not None and (
        (least := np.minimum.reduce(weight)) < weight.item(0) or least < np.maximum.reduce(weight)
    ):
        if prevalence is not None:
            weight = reweighted_lone(positive, weight, prevalence)
            if weight is None or (least := np.minimum.reduce(weight)) == np.maximum.reduce(weight):
                return None
        if least < TINY or class_weights(positive, weight) is not None:
            return None
        return FewWeightedKernel(positive, score, weight)
    few = few_counted(positive, score, bounds)  # equal weights are counts
    if few is None or prevalence is None:
        return few
    return kernel_at(few, prevalence, few.n_found, few.n_samples - few.n_found)


def few_counted(
    positive: BoolArray, score: AnyArray, bounds: Bounds, *, guess: bool = True
) -> FewKernel | None:
    """Return a lone ranking of at most `BLOCK_ROWS` rows without weights, or None if it has no packing."""
    packing = packing_of(score, bounds[0], bounds[1], guess=guess)
    if packing is None:
        return None
    few = FewKernel(positive, score, packing)
    return few if packing.scale is None or few.is_exact else few_counted(positive, score, bounds, guess=False)


def _rows_in_order(
    positive: BoolArray, score: AnyArray, weight: FloatArray
) -> tuple[AnyArray, BoolArray, FloatArray, IntArray | None]:
    """Return scores, labels and weights, worst score first, and the first row of each tied group.

    Instead of the first rows, None says that every row is a group.
    """
    order = score.argsort()
    in_order = score.take(order)
    is_new = in_order[1:] != in_order[:-1]
    first = None
    if np.count_nonzero(is_new) < is_new.size:
        starts_group = np.append(True, is_new)
        order = _tied_by_row(order, starts_group)
        first = starts_group.nonzero()[0]
    return in_order, positive.take(order), weight.take(order), first


def _tied_by_row(order: IntArray, starts_group: BoolArray) -> IntArray:
    """Sort the rows of each tied group by number: a stable argsort would take several times as long."""
    of_group = np.add.accumulate(starts_group, dtype=np.int64) * order.size
    keys = of_group + order
    keys.sort()
    keys -= of_group  # no group leaves its place, so the same numbers go again
    return keys


def _from_each_row_on(weight: FloatArray) -> FloatArray:
    """Return the sum of the weights from each row to the last one, the best; after that one, 0."""
    sums = np.empty(weight.size + 1)
    sums[-1] = 0.0
    np.add.accumulate(weight[::-1], out=sums[-2::-1])
    return sums
