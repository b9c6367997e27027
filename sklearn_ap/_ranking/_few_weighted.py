"""The kernel of a lone ranking of few weighted rows: one argsort, and sums from each row on.

It adds the weights in the same order as `_summed` does after `_weighted` has sorted, so both yield the same
bits. For one block of rows it needs no packing, no carry between blocks and no table of rankings: at 100 rows
it takes a quarter of the time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS
from ._class_weights import class_weights
from ._prevalence import reweighted_lone
from ._rankings import OperatingPoints
from ._rows import Rows
from ._steps import Steps, total

__all__ = ["FewWeightedKernel", "steps_of_few"]

_FIRST = np.zeros(1, dtype=np.int64)  # there is one ranking, number 0, and its steps start at 0


class FewWeightedKernel:
    """A lone weighted ranking of at most one block of rows, worst first; equal scores are one step."""

    def __init__(self, rows: Rows) -> None:
        assert rows.weight is not None, "weights"  # `rank` counts rows without weights elsewhere
        self._score, self._positive, weight, self._first = _in_order(
            rows.positive.reshape(-1), rows.score.reshape(-1), rows.weight.reshape(-1)
        )
        self._retrieved = _from_each_row_on(weight)
        self._tp = _from_each_row_on(weight * self._positive)
        self.n_found, self.n_samples = self._tp[:1], self._retrieved[:1]

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        if self._first is None:
            row = self._positive.nonzero()[0]
            steps = self._steps(row, row + 1)
        else:
            steps = self._groups()
        gains = steps.tp > steps.tp_above  # a positive that is too light for the sums is not a step
        if np.count_nonzero(gains) < gains.size:
            steps = self._steps(steps.first[gains], steps.after[gains])
        return iter((steps,) if steps.first.size else ())

    def _groups(self) -> "_FewSteps":
        """Return all tied groups as steps, also those without a positive."""
        first = np.arange(self._score.size) if self._first is None else self._first
        return self._steps(first, np.append(first[1:], self._score.size))

    def _steps(self, first: IntArray, after: IntArray) -> "_FewSteps":
        """Return the tied groups from each of these rows to another as steps."""
        tp, tp_above = self._tp.take(first), self._tp.take(after)
        return _FewSteps(
            tp, tp_above, self._retrieved.take(first), _FIRST, _FIRST, self._retrieved, first, after
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group gives its share."""
        steps = self._groups()
        return total(self, [(steps, steps.share_within(depth) * steps.group_weight)])

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        steps = self._groups()
        return OperatingPoints(self._score.take(steps.first), steps.tp, steps.retrieved)


@dataclass(eq=False)
class _FewSteps(Steps):
    sums: FloatArray  # weight from each row on; after the last row, 0
    first: IntArray  # first row of each tied group
    after: IntArray  # first row of the group above it

    def _find_above(self) -> FloatArray:
        return self.sums.take(self.after)

    @property
    def rows_retrieved(self) -> FloatArray:
        return np.subtract(self.sums.size - 1, self.first, dtype=np.float64)

    @property
    def rows_above(self) -> FloatArray:
        return np.subtract(self.sums.size - 1, self.after, dtype=np.float64)


def steps_of_few(
    positive: BoolArray, score: AnyArray, weight: FloatArray, prevalence: float | None = None
) -> tuple[FloatArray, FloatArray] | None:
    """Return `tp` and `retrieved` of the steps of a lone ranking of few weighted rows, worst score first.

    `tp` has one more element, a 0 above the best step. This is the kernel without an object for it and its
    steps, which take as long as the sort of 500 rows. If another kernel would rank the rows, the answer is
    None.
    """
    if score.size > BLOCK_ROWS or class_weights(positive, weight) is not None:
        return None
    at_share = weight if prevalence is None else reweighted_lone(positive, weight, prevalence)
    if at_share is None:
        return None
    _, positive, weight, first = _in_order(positive, score, at_share)
    if first is None:
        first = positive.nonzero()[0]
        tp = _from_each_row_on(weight.take(first))  # as of all rows, without the zeros of negatives
    else:
        tp = _from_each_row_on(weight * positive).take(np.append(first, weight.size))
    retrieved = _from_each_row_on(weight).take(first)
    gains = tp[:-1] > tp[1:]  # a step gains something; what is left out does not move the next `tp`
    if np.count_nonzero(gains) < gains.size:
        return np.append(tp[:-1][gains], 0.0), retrieved[gains]
    return tp, retrieved


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
