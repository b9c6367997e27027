"""Three ways to sort: each class of a single ranking separately, keys that contain the
label, or an order of the rows, whose weights are added up. Rows of a single ranking
that are in order need no sort.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from functools import partial
from typing import Literal

import numpy as np

from ..typing import (
    AnyArray,
    BoolArray,
    Bounds,
    FirstRows,
    FloatArray,
    IntArray,
    TieOrder,
)
from .keys import Keys, RowOrder, rows_in_order
from .rankings import SINGLE_RANKING, Kernel, OperatingPoints, Rows, Steps, add_up
from .runs import LONG_ROWS, PIECE_ROWS, starts_of_runs
from .sums import sums_in_order, sums_of_few_scores

# With at least this number of rows per positive, positives are few.
_ROWS_PER_FEW_POSITIVES = 8
# A block of several rankings takes more calls of numpy than a block of a single
# ranking. So it may contain up to this number of pieces of `PIECE_ROWS` rows.
_PIECES_OF_SEVERAL = 8
# `counts_from_each_on` returns slices of this array for short rankings.
_SHORT_COUNTS = np.arange(32_768.0, -1.0, -1.0)


def counts_from_each_on(n_rows: int) -> FloatArray:
    """Return `n_rows`, ..., 1, 0: the number of rows from each row to the best one, if
    the worst row comes first, and 0 at the end.
    """
    if n_rows < _SHORT_COUNTS.size:
        return _SHORT_COUNTS[-1 - n_rows :]
    return np.arange(float(n_rows), -1.0, -1.0)


class PlainKernel(Kernel):
    """A single ranking without weights.

    The kernel sorts the scores of the positives and, separately, the scores of the
    negatives (of all rows, if positives are few). A search then counts the rows at and
    above each score of a positive. If `k` is an integer, steps below the first `k` rows
    are dropped.
    """

    def __init__(self, rows: Rows, k: FirstRows = None) -> None:
        positive, score, _ = rows.flat()
        step = score.compress(positive)
        step.sort()
        # If there are few positives, sorting all rows takes less time than selecting
        # the negatives. If `k` is an integer, all rows are needed to find the k-th
        # score.
        self._counts_all = (
            isinstance(k, int) or step.size * _ROWS_PER_FEW_POSITIVES <= score.size
        )
        self._searched = score.copy() if self._counts_all else score.compress(~positive)
        self._searched.sort()
        self.total_weight = np.array((float(score.size),))
        # The first count is the number of positives.
        self.found_weight = counts_from_each_on(step.size)[:1]
        # Drop the positives whose score is below the score of the k-th row.
        if isinstance(k, int) and k < self._searched.size:
            step = step[step.searchsorted(self._searched[-k]) :]
        # The number of positives at or above each step, and 0 above the best step.
        tp = counts_from_each_on(step.size)
        is_tied = step[1:] == step[:-1]
        if np.count_nonzero(is_tied):
            first = starts_of_runs(step)
            step, tp = step.take(first), tp.take(np.append(first, step.size))
        self._step, self._tp = step, tp

    def blocks(self) -> Sequence[Steps]:
        """Return the block of the steps that have a positive, if there are any."""
        if not self._step.size:
            return ()
        tp, tp_above = self._tp[:-1], self._tp[1:]
        retrieved = self._rows_from(tp, "left")
        to_above = partial(self._rows_from, tp_above, "right")
        return (Steps(tp, tp_above, retrieved, to_above),)

    def _rows_from(self, tp: FloatArray, side: Literal["left", "right"]) -> FloatArray:
        """Return the number of rows at or above the score of each step or, with `side`
        "right", the number of rows above the score. `tp` is the number of positives
        among these rows.
        """
        n_below = self._searched.searchsorted(self._step, side)
        n_rows = (self._searched.size - n_below).astype(np.float64)
        return n_rows if self._counts_all else tp + n_rows


class OrderedKernel(Kernel):
    """A single ranking without weights, whose rows are in the order of their scores,
    such as a file of results. The place of a row is the number of rows above or below
    it.
    """

    def __init__(self, rows: Rows) -> None:
        positive, score, _ = rows.flat()
        # As in other kernels, the worst row comes first.
        if score[0] > score[-1]:
            positive, score = positive[::-1], score[::-1]
        self._n_rows = score.size
        self.total_weight = np.array((float(score.size),))
        is_tied = score[1:] == score[:-1]
        n_tied = np.count_nonzero(is_tied)
        # The first row and the end of the tied group of each step, and its positives.
        first, counts = positive.nonzero()[0], None
        end = first + 1
        if 2 * n_tied > score.size:
            first, end, counts = _steps_of_few_groups(positive, score)
        elif n_tied:
            first, end, counts = _steps_of_few_ties(first, is_tied.nonzero()[0])
        # The number of positives at or above each step, and 0 above the best step.
        if counts is None:
            tp = counts_from_each_on(first.size)
        else:
            tp = np.append(0.0, counts[::-1]).cumsum()[::-1]
        self.found_weight = tp[:1]
        self._tp, self._first, self._end = tp, first, end

    def blocks(self) -> Sequence[Steps]:
        """Return the block of the steps that have a positive, if there are any."""
        if not self._first.size:
            return ()
        retrieved = (self._n_rows - self._first).astype(np.float64)
        return (Steps(self._tp[:-1], self._tp[1:], retrieved, self._above),)

    def _above(self) -> FloatArray:
        """Return the number of rows above the tied group of each step."""
        return (self._n_rows - self._end).astype(np.float64)


def _steps_of_few_groups(
    positive: BoolArray, score: AnyArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the first row, the end and the number of positives of each tied group with
    a positive, for rows in order.
    """
    start = starts_of_runs(score)
    n_positives = np.add.reduceat(positive.astype(np.float64), start)
    group = n_positives.nonzero()[0]
    end = np.append(start, score.size).take(group + 1)
    return start.take(group), end, n_positives.take(group)


def _steps_of_few_ties(
    row: IntArray, tied: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the same from the positive rows, and the rows that are tied with the next
    row. Rows without a tie are not searched.
    """
    last = np.append((np.diff(tied) > 1).nonzero()[0], tied.size - 1)
    group_first = tied.take(np.append(0, last[:-1] + 1))
    group_end = tied.take(last) + 2
    group = group_first.searchsorted(row, side="right") - 1
    in_group = (group >= 0) & (row < group_end.take(group))
    group = group.compress(in_group)
    first, end = row.copy(), row + 1
    first[in_group], end[in_group] = group_first.take(group), group_end.take(group)
    step = starts_of_runs(first)
    counts = np.diff(step, append=row.size).astype(np.float64)
    return first.take(step), end.take(step), counts


class KeyedKernel(Kernel):
    """Any number of rankings without weights, as keys that are sorted by ranking and
    then by score, lowest score first.

    The lowest bit of a key is 0 if the row is positive, and 1 if it is negative. So the
    positives of a tied group come first, and a group with a positive begins at its
    first positive. With the tie order "optimistic", the bit is 1 for positives: rows
    that rank higher come later.
    """

    def __init__(
        self,
        rows: Rows,
        keys: Keys,
        found_weight: FloatArray,
        tie_order: TieOrder | None = None,
    ) -> None:
        self._offsets, self._tie_order = rows.offsets, tie_order
        self.total_weight = np.diff(rows.offsets).astype(np.float64)
        self.found_weight = found_weight
        positive = rows.positive.reshape(-1)
        self._keys = keys.values
        self._keys |= positive if tie_order == "optimistic" else ~positive
        keys.sort_within(rows.offsets)

    def blocks(self) -> Iterator[Steps]:
        """Yield blocks of the steps that have a positive. Each block has a piece of the
        rows, since allocating long arrays takes more time than filling them.
        """
        n_positives, low = self.found_weight.copy(), 0
        while low < self._keys.size:
            high = self._end_of_piece(low)
            row = self._positive_rows(low, high)
            if row.size:
                # `second` is the first ranking that begins after row `low`, so the
                # piece begins in the ranking before it.
                second, end = self._offsets.searchsorted((low + 1, high)).tolist()
                filled = n_positives[second - 1 : end].nonzero()[0] + (second - 1)
                yield self._steps(row, n_positives[filled], filled, slice(low, high))
                # A single ranking may continue in the next piece, so subtract its
                # positives of this piece. If there are several rankings, each of them
                # ends within one piece, so its number of positives is not read again.
                n_positives[filled] -= row.size
            low = high

    def _end_of_piece(self, low: int) -> int:
        """Return the end of the piece that begins at row `low`: the end of a tied group
        if there is a single ranking, and the end of a ranking if there are several.
        """
        n_rankings, n_rows = self._offsets.size - 1, self._keys.size
        high = low + PIECE_ROWS * min(n_rankings, _PIECES_OF_SEVERAL)
        if high >= n_rows:
            return n_rows
        if n_rankings > 1:
            return int(self._offsets[self._offsets.searchsorted(high)])
        # With the lowest bit set, this is the largest key of the tied group.
        return int(self._keys.searchsorted(self._keys[high - 1] | 1, side="right"))

    def _positive_rows(self, low: int, high: int) -> IntArray:
        """Return the places of the positives from `low` up to `high`."""
        bit_of_positive = self._tie_order == "optimistic"
        # Only the lowest bit is needed. The lowest byte contains this bit, and bytes
        # are compared in less time than keys.
        bit = self._keys[low:high].astype(np.uint8) & 1
        row: IntArray = (bit == bit_of_positive).nonzero()[0]
        row += low
        return row

    def _steps(
        self, row: IntArray, n_positives: FloatArray, filled: IntArray, rows: slice
    ) -> Steps:
        """Return the steps of the positive rows `row` in the piece `rows`.

        `filled` are the rankings that have positives in the piece, and `n_positives`
        are their numbers of positives in this piece and later ones.
        """
        # The number of positives from the beginning of the piece to the end of each
        # ranking.
        n_up_to = n_positives.cumsum()
        start = (n_up_to - n_positives).astype(np.int64)
        # The number of positives above the piece. They are in later pieces, and only a
        # single ranking has any.
        n_above = n_up_to[-1] - row.size
        # The place of the first positive of each step among the positives of the piece.
        first = np.arange(float(row.size))
        key = self._keys.take(row)
        is_tied = key[1:] == key[:-1]
        if self._tie_order is None and np.count_nonzero(is_tied):
            is_first = np.append(True, ~is_tied)
            # Equal scores in two rankings are not tied.
            is_first[start] = True
            first = is_first.nonzero()[0]
            row = row.take(first)
            start = first.searchsorted(start)
        end = self._offsets[1:].take(filled)
        if filled.size > 1:
            length = np.append(start[1:], row.size) - start
            end, n_up_to = np.repeat(end, length), np.repeat(n_up_to, length)
        # The rows and the positives from a step to the end of its ranking are at or
        # above its score.
        tp = n_up_to - first
        tp_above = np.empty(tp.size)
        tp_above[:-1] = tp[1:]
        # There are no positives above the best step of a ranking.
        tp_above[start[1:] - 1] = 0.0
        tp_above[-1] = n_above
        retrieved = (end - row).astype(np.float64)
        to_above = partial(self._above, row, end, rows)
        return Steps(tp, tp_above, retrieved, to_above, filled, start)

    def _above(self, row: IntArray, end: IntArray, rows: slice) -> FloatArray:
        """Return the number of rows above the tied group of each row, in its ranking.

        `end` is the end of the ranking of each row, and `rows` is the piece that
        contains the tied groups.
        """
        after = row + 1
        # The lowest bit is the label, so all keys of a tied group are equal once this
        # bit is set.
        group = self._keys[rows] | 1
        is_tied = group[1:] == group[:-1]
        if self._tie_order is None and np.count_nonzero(is_tied):
            is_last = np.append(~is_tied, True)
            # Equal scores in two rankings are not tied. If there are several rankings,
            # each one ends inside of its piece.
            if self._offsets.size > 2:
                is_last[end - (rows.start + 1)] = True
            ends = is_last.nonzero()[0] + rows.start + 1
            after = ends.take(ends.searchsorted(row, side="right"))
        return (end - after).astype(np.float64)


class SummedKernel(Kernel):
    """Any number of rankings in any order of ties, as the sums of the weights of both
    classes from each tied group to the best row of its ranking.
    """

    negative_weight: FloatArray = np.zeros(0)
    # The score of each tied group, if the caller needs operating points.
    _score: AnyArray | None = None

    def __init__(
        self,
        rows: Rows,
        tie_order: TieOrder | None,
        bounds: Bounds,
        *,
        with_points: bool = True,
        order: RowOrder | None = None,
    ) -> None:
        self._offsets = self._bounds = rows.offsets
        # Only steps are needed, so the positives of a single ranking are sufficient.
        only_steps = (
            rows.is_single
            and rows.weight is not None
            and not with_points
            and rows.score.size >= LONG_ROWS
        )
        sums = None
        if only_steps and tie_order is None:
            sums = sums_of_few_scores(rows, bounds)
        if sums is None:
            if order is None:
                order = rows_in_order(rows, tie_order, bounds, with_score=with_points)
            is_tied = None if tie_order else order.is_tied
            sums = sums_in_order(rows, order.place, is_tied, only_steps=only_steps)
        self._sums = sums
        if order is not None and order.score is not None:
            self._score = self._first_of(order.score)
        # The groups of each ranking begin at `_bounds`.
        if self._sums.first_row is not None:
            self._bounds = self._sums.first_row.searchsorted(rows.offsets)
        of_positives, of_negatives = self._sums.of_positives, self._sums.of_negatives
        # A single ranking begins at the first sums, which need no search.
        if rows.is_single:
            self.found_weight = of_positives[:1]
            self.negative_weight = of_negatives[:1]
        else:
            self.found_weight = _at_starts(of_positives, self._bounds)
            self.negative_weight = _at_starts(of_negatives, self._bounds)

    def _first_of(self, of_rows: IntArray) -> IntArray:
        """Return the values of the first rows of all tied groups."""
        first = self._sums.first_row
        return of_rows if first is None else of_rows.take(first)

    @property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # it has a factor
        """Weight of all samples of each ranking."""
        return self.found_weight + self.negative_weight

    def with_factor(self, factor: FloatArray) -> "SummedKernel":
        """Return the rankings with the weights of the negatives multiplied by the
        factor of each ranking.
        """
        kernel = copy(self)
        kernel.factor = factor
        kernel.negative_weight = factor * self.negative_weight
        of_negatives = self._sums.of_negatives.copy()
        of_negatives[:-1] *= np.repeat(factor, np.diff(self._bounds))
        kernel._sums = self._sums._replace(of_negatives=of_negatives)
        return kernel

    def blocks(self) -> Sequence[Steps]:
        """Return the block of the steps that have a positive, if there are any."""
        group, of_positives = self._sums.group, self._sums.of_positives
        tp, tp_above = of_positives[:-1], of_positives[1:]
        # A tied group with positives is not a step if their weight is too low to change
        # the sum.
        is_step = tp > tp_above
        if self._bounds.size > 2:
            # No positive is above the best group of a ranking.
            best = self._bounds[1:] - 1
            is_step[best] = tp.take(best) > 0
        n_steps = np.count_nonzero(is_step)
        if not n_steps:
            return ()
        if group is None or n_steps < is_step.size:
            step = is_step.nonzero()[0]
            group = step if group is None else group.take(step)
            tp, tp_above = tp.take(step), tp_above.take(step)
        if self._bounds.size > 2:
            tp_above = self._above(of_positives, group)
        return (self._steps(tp, tp_above, group),)

    def _steps(self, tp: FloatArray, tp_above: FloatArray, group: IntArray) -> Steps:
        """Return these tied groups as steps."""
        ranking = start = SINGLE_RANKING
        if self._bounds.size > 2:
            # The place of the first step of each ranking, and the number of all steps.
            # Rankings without a step are not part of the block.
            bounds = group.searchsorted(self._bounds)
            ranking = (bounds[1:] > bounds[:-1]).nonzero()[0]
            start = bounds[ranking]
        of_negatives = self._sums.of_negatives
        return Steps(
            tp,
            tp_above,
            tp + of_negatives.take(group),
            lambda: tp_above + self._above(of_negatives, group),
            ranking,
            start,
            (
                lambda: self.rows_from().take(group),
                lambda: self._above(np.append(self.rows_from(), 0.0), group),
            ),
        )

    def _above(self, values: FloatArray, group: IntArray) -> FloatArray:
        """Return the value of the group above each of these groups; 0 above the best
        group of a ranking.
        """
        above: FloatArray = values.take(group + 1)
        # The value after the best group of a ranking belongs to the next ranking.
        if self._bounds.size > 2:
            is_best = np.zeros(values.size, dtype=bool)
            is_best[self._bounds[1:] - 1] = True
            above[is_best.take(group)] = 0.0
        return above

    def rows_from(self) -> FloatArray:
        """Return the number of rows at or above each tied group, in its ranking."""
        first = self._first_of(np.arange(self._offsets[-1]))
        ends = np.repeat(self._offsets[1:], np.diff(self._bounds))
        return np.subtract(ends, first, dtype=np.float64)

    def _of_all_positives(self) -> FloatArray:
        """Return the sum of the positives from each tied group on, and 0 at the end."""
        sums = self._sums
        if sums.group is None:
            return sums.of_positives
        # A group without positives has the sum of the next group that has positives.
        following = np.append(sums.group, self._bounds[-1])
        return np.repeat(sums.of_positives, np.diff(following, prepend=-1))

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        weight = np.zeros(self.found_weight.size)
        groups, tp = np.arange(self._bounds[-1]), self._of_all_positives()
        steps = self._steps(tp[:-1], self._above(tp, groups), groups)
        add_up(weight, steps, steps.share_within(depth) * steps.group_weight)
        return weight

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        assert self._score is not None, "with_points"
        sums = self._sums
        return OperatingPoints(
            self._score, sums.of_positives[:-1], sums.of_negatives[:-1]
        )


def _at_starts(sums: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the first sum of each ranking; 0 for a ranking without sums."""
    first = offsets[:-1]
    return np.where(offsets[1:] > first, sums.take(first), 0.0)
