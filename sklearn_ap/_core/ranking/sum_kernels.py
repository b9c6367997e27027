"""Kernels of rankings with weights, of rankings whose equal scores have the order of
the rows, and of rankings whose operating points are asked for. They add up the weights
of each class in the order of the rows, from the best row on.

Five rows have the scores -0.25, 0.5, 0.5, 0.75 and 1, the labels 1, 1, 0, 0 and 1, and
the weight 1. They are sorted, worst score first. Behind the best row of each ranking, a
row without weight is added, the *closing row*. Its sums, 0, are the sums above the best
row. Here it is row 5::

    row                    0  1  2  3  4  5
    positive               *  *        *
    sum of the positives   3  2  1  1  1  0
    sum of the negatives   2  2  2  1  0  0

A step needs the sums at the first row of its tied group, and at that of the next group.
The sums of the negatives are kept for all rows, those of the positives for some groups.
If no rows are tied, each row is a group, and the groups of the positives and of the
closing row are kept. With ties, such as those of the rows 1 and 2, a group may begin
with a negative, and all groups are kept::

    without ties: group    0  1        4  5
    sum of the positives   3  2        1  0

    with ties: group       0  1     2  3  4
    first row              0  1     3  4  5
    sum of the positives   3  2     1  1  0
"""

from collections.abc import Sequence

import numpy as np

from ..typing import AnyArray, Bounds, FloatArray, IntArray, TieOrder
from .keys import RowOrder, rows_in_order
from .rankings import (
    SINGLE_RANKING,
    SINGLE_START,
    Kernel,
    OperatingPoints,
    Steps,
    ratio,
)
from .rows import Rows
from .runs import running


class SumKernel(Kernel):
    """Rankings with weights, in the order of their rows, or with operating points.

    The weights of the two classes are summed separately. If positives are heavy and
    negatives light, the difference between a sum of all rows and the sum of the
    positives would lose the negatives.
    """

    def __init__(
        self,
        rows: Rows,
        tie_order: TieOrder | None,
        bounds: Bounds,
        order: RowOrder | None = None,
        *,
        with_points: bool = False,
    ) -> None:
        row, is_tied = order or rows_in_order(rows, tie_order, bounds)
        # Only operating points need the scores.
        self._score = rows.score.take(row) if with_points else None
        weight = rows.weight
        if weight is None:
            weight = np.ones(row.size)
        of_rows = _with_closing_rows(weight, rows.offsets, closing=0.0, row=row)
        # The positive rows and the closing rows.
        is_kept = _with_closing_rows(rows.positive, rows.offsets, closing=True, row=row)
        # The first row of each ranking, and the number of all rows. The closing rows of
        # the rankings before it move the first row of a ranking.
        offsets: IntArray = rows.offsets + np.arange(rows.offsets.size)
        self._offsets = offsets
        # The first row of each tied group, and the number of all rows; None if each row
        # is a group.
        self._starts: IntArray | None = None
        if np.count_nonzero(is_tied):
            # The first row of each ranking begins a group. So does each closing row.
            is_first = np.append(True, ~is_tied)
            is_first = _with_closing_rows(is_first, rows.offsets, closing=True)
            self._starts = np.append(is_first.nonzero()[0], is_first.size)
        # The sums need the memory of the order.
        del row, is_tied
        kept = is_kept.nonzero()[0]
        if self._starts is None:
            self._kept_groups, self._positives_from = kept, of_rows.take(kept)
            kept_offsets = kept.searchsorted(offsets)
            _sum_from_best(self._positives_from, kept_offsets)
            self.found_weight = self._positives_from.take(kept_offsets[:-1])
        else:
            positives_from = np.zeros(of_rows.size)
            positives_from[kept] = of_rows.take(kept)
            _sum_from_best(positives_from, offsets)
            self.found_weight = positives_from.take(offsets[:-1])
            self._kept_groups = np.arange(self._starts.size - 1, dtype=np.int32)
            self._positives_from = positives_from.take(self._starts[:-1])
        of_rows[kept] = 0.0
        _sum_from_best(of_rows, offsets)
        # The weight of the negatives from each row to its closing row.
        self._negatives_from = of_rows
        self.unscaled_negatives = of_rows.take(offsets[:-1])

    def _unscaled_blocks(self) -> Sequence[Steps]:
        """Return the block of the steps that have a positive, if there are any."""
        tp, tp_above = self._positives_from[:-1], self._positives_from[1:]
        group = self._kept_groups[:-1]
        # Neither a closing row is a step nor a tied group whose positives are too light
        # to change the sum.
        is_step = tp > tp_above
        if np.count_nonzero(is_step) < is_step.size:
            tp, tp_above = tp.compress(is_step), tp_above.compress(is_step)
            group = group.compress(is_step)
        return (self._steps(tp, tp_above, group),) if tp.size else ()

    def _steps(self, tp: FloatArray, tp_above: FloatArray, group: IntArray) -> Steps:
        """Return these tied groups as steps."""
        first = self._first_rows(group)
        ranking, start = SINGLE_RANKING, SINGLE_START
        if self._offsets.size > 2:
            # The first step of each ranking, and the number of all steps.
            step_offsets = first.searchsorted(self._offsets)
            # Rankings without a step are not part of the block.
            ranking = (step_offsets[1:] > step_offsets[:-1]).nonzero()[0]
            start = step_offsets[ranking]

        def to_end() -> IntArray:
            return self._first_rows(group + 1)

        return Steps(
            tp,
            tp_above,
            self._negatives_from.take(first),
            lambda: self._negatives_from.take(to_end()),
            ranking,
            start,
            to_rows_retrieved=lambda: self._rows_from(first),
            to_rows_above=lambda: self._rows_from(to_end()),
        )

    def _first_rows(self, group: IntArray) -> IntArray:
        """Return the first row of each of these tied groups."""
        return group if self._starts is None else self._starts.take(group)

    def _rows_from(self, row: IntArray) -> FloatArray:
        """Return the number of rows from each of these rows to its closing row."""
        closing = self._offsets[1:] - 1
        ends = closing.take(closing.searchsorted(row))
        return np.subtract(ends, row, dtype=np.float64)

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        closing = self._offsets[1:] - 1
        cut = np.maximum(closing - depth, self._offsets[:-1])
        # The tied group that the cut divides, or begins at.
        group = cut.astype(np.int64)
        if self._starts is not None:
            group = self._starts.searchsorted(cut, side="right") - 1
        first = self._first_rows(group)
        end = np.minimum(self._first_rows(group + 1), closing)
        from_first, from_end = self._weight_from(first), self._weight_from(end)
        share = ratio(end - cut, end - first)
        return from_end + share * (from_first - from_end)

    def _weight_from(self, row: IntArray) -> FloatArray:
        """Return the weight from each of these rows to its closing row."""
        following = self._first_rows(self._kept_groups).searchsorted(row)
        negatives = self.times_factor(self._negatives_from.take(row))
        return self._positives_from.take(following) + negatives

    def rows_of_points(self) -> FloatArray:
        """Return the number of rows at or above each operating point."""
        return self._rows_from(self._first_rows(np.arange(self._kept_groups[-1])))

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        # A group that is not kept has no positives, so its sum is that of the next kept
        # group. `n_groups` is the number of groups that have the sum of each kept
        # group: this group, and those between it and the kept group before it.
        # `np.diff` would take longer.
        n_groups = self._kept_groups + 1
        n_groups[1:] = self._kept_groups[1:] - self._kept_groups[:-1]
        tp = self._positives_from.repeat(n_groups)[:-1]
        assert self._score is not None, "with_points"
        # The closing row is the last group.
        first: slice | IntArray = slice(self._kept_groups[-1])
        if self._starts is not None:
            first = self._starts[first]
        fp = self.times_factor(self._negatives_from[first])
        return OperatingPoints(self._score[first], tp, fp)


def _with_closing_rows(
    values: AnyArray,
    offsets: IntArray,
    *,
    closing: float,
    row: IntArray | None = None,
) -> AnyArray:
    """Return the values of the rows of each ranking in their order, followed by
    `closing`, the value of its closing row. `row` is the number of each row in this
    order; None if the values are in this order already.
    """
    # Most short calls have one ranking.
    if offsets.size == 2:
        closed = np.empty(values.size + 1, dtype=values.dtype)
        if row is None:
            closed[:-1] = values
        else:
            # With this mode, numpy writes into `closed` without a copy.
            values.take(row, out=closed[:-1], mode="clip")
        closed[-1] = closing
        return closed
    if row is not None:
        values = values.take(row)
    return np.insert(values, offsets[1:], closing)


def _sum_from_best(of_rows: FloatArray, offsets: IntArray) -> None:
    """Let each value become the sum of the values from it to the end of its ranking.
    `offsets` are the first value of each ranking, and the number of all values.
    """
    from_best = of_rows[::-1]
    # A single ranking needs no lengths. Most short calls have one.
    if offsets.size == 2:
        np.add.accumulate(from_best, out=from_best)
    else:
        running(np.add, from_best, np.diff(offsets)[::-1])
