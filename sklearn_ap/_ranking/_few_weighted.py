"""The kernel of a lone ranking of few weighted rows: one argsort, and sums from each row on.

It adds the weights in the same order as `_summed` does after `_weighted` has sorted, so both yield the same
bits. For one block of rows it needs no packing, no carry between blocks and no table of rankings: at 100 rows
it takes a quarter of the time.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS
from ._class_weights import class_weights
from ._rankings import OperatingPoints
from ._steps import Steps, total

__all__ = ["FewWeightedKernel", "few_weighted_of"]


class FewWeightedKernel:
    """A lone weighted ranking of at most one block of rows, worst first; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray, weight: FloatArray) -> None:
        self._score, self._positive, self._weight, self._group = _in_order(positive, score, weight)
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
            row, tp = row[gains], np.append(tp[:-1][gains], 0.0)  # what goes does not move the next `tp`
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
            rows=(partial(self._rows_from, row), lambda: self._rows_from(self._rows_after(row))),
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


def few_weighted_of(positive: BoolArray, score: AnyArray, weight: FloatArray) -> FewWeightedKernel | None:
    """Return a lone ranking of few rows whose weights differ, or None if another kernel ranks such rows."""
    if score.size > BLOCK_ROWS or class_weights(positive, weight) is not None:
        return None
    return FewWeightedKernel(positive, score, weight)


def _in_order(
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
