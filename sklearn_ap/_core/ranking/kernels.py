"""Three ways to rank rows.

- `KeyKernel` sorts integers that contain the score and the label of a row, and counts
  the rows of both classes in them.
- `ShortKernel` sorts the positives and the negatives of a short ranking separately, and
  counts the negatives that are above each positive.
- `SumKernel` finds the order of the rows, and adds up their weights in this order.

Five rows have the scores -0.25, 0.5, 0.5, 0.75 and 1, and the labels 1, 1, 0, 0 and 1.
All kernels find these steps, worst score first::

    score  tp  tp_above  fp  fp above
    -0.25   3         2   2         2
     0.50   2         1   2         1
     1.00   1         0   0         0

`KeyKernel` sorts the keys of the module `keys`. Its rows with a lowest bit of 0 are the
positives. Each counts the rows from its place to the end of the ranking::

    place          0         1         2         3         4
    key     83000000  7e000000  7e000001  7e800001  7f000000
    step           *         *                             *
    rows           5         4                             1     tp + fp

A second ranking has the scores 0.5, 0.5 and 0.75 and the labels 1, 1 and 0. Its keys
follow at the places 5 to 7. Each positive counts to the end of its own ranking
(`KeyKernel._steps`), and a tied group has one step, at its first positive::

    place          0  1  2  3  4     5  6  7
    own_end        5  5        5     8  8
    own_n_through  3  3        3     5  5        positives of both rankings up to there
    tp             3  2        1     2  1        minus the positives before the place
    fp             2  2        0     1  1        own_end - place - tp
    step           *  *        *     *
    tp_above       2  1        0     0           tp of the last positive, minus 1
    end of group   1  3        5     7
    fp above       2  1        0     1           own_end - end of group - tp_above

`ShortKernel` searches each step among the sorted negatives 0.5 and 0.75::

    step              -0.25  0.50  1.00
    not below step        2     2     0     fp
    above step            2     1     0     fp above

`SumKernel` adds up the weights of each class from the best row on, here of rows with
the weight 1. The last row is the closing row. Rows 1 and 2 are tied, so the step at 0.5
takes the sums at row 1, and those above it at row 3::

    row            0  1  2  3  4  5
    of positives   3  2  1  1  1  0
    of negatives   2  2  2  1  0  0
    starts         0  1     3  4  5      first row of each tied group
    group          0  1     2  3  4

If no rows were tied, each row would be a group, and only the groups of the positives
and the closing row would be kept: 0, the positive one of 1 and 2, 4 and 5.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
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
from .keys import RowOrder, keys_of, rows_in_order, sort_keys
from .rankings import (
    SINGLE_RANKING,
    Kernel,
    OperatingPoints,
    Rows,
    Steps,
    positives_of,
    ratio,
)
from .runs import PIECE_ROWS, blocks_of_runs, running, starts_of_runs


class _CountKernel(Kernel):
    """Rankings without weights: each row counts 1."""

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        n_rows = np.minimum(depth, self.found_weight + self.summed_negatives)
        if self.factor is None:
            return n_rows
        positives = self.sum_over_steps(
            lambda steps: steps.share_within(depth) * steps.gained
        )
        return positives + self.factor * (n_rows - positives)


class ShortKernel(_CountKernel):
    """A single short ranking, class by class: each score of a positive is a step, and a
    search in the sorted negatives counts those at or above the step.
    """

    def __init__(self, rows: Rows, k: FirstRows = None) -> None:
        positive, score, _ = rows.flat()
        step, self._negatives = score.compress(positive), score.compress(~positive)
        step.sort()
        self._negatives.sort()
        self.summed_negatives = np.array((float(self._negatives.size),))
        # The number of positives at or above each step, and 0 above the best step.
        tp = np.arange(step.size, -1.0, -1.0)
        self.found_weight = tp[:1]
        is_tied = step[1:] == step[:-1]
        if np.count_nonzero(is_tied):
            first = starts_of_runs(step)
            step, tp = step.take(first), tp.take(np.append(first, step.size))
        self._step, self._tp = step, tp
        if isinstance(k, int):
            self._drop_below(k)

    def _drop_below(self, k: int) -> None:
        """Drop the steps below the first `k` rows, whose terms are 0."""
        # The first `k` rows are among the last `k` steps.
        self._step, self._tp = self._step[-k:], self._tp[-1 - k :]
        above = self._tp[1:] + self._negatives_from("right")
        n_below = np.count_nonzero(above >= k)
        self._step, self._tp = self._step[n_below:], self._tp[n_below:]

    def _summed(self) -> Iterable[Steps]:
        tp, tp_above = self._tp[:-1], self._tp[1:]
        if not tp.size:
            return ()
        to_fp_above = partial(self._negatives_from, "right")
        return (Steps(tp, tp_above, self._negatives_from("left"), to_fp_above),)

    def _negatives_from(self, side: Literal["left", "right"]) -> FloatArray:
        """Return the number of negatives at or above each step or, with "right", above
        it.
        """
        below = self._negatives.searchsorted(self._step, side)
        return np.subtract(self._negatives.size, below, dtype=np.float64)


class KeyKernel(_CountKernel):
    """Rankings without weights, as keys: integers in the order of the scores that
    contain the label in their lowest bit, sorted by ranking, lowest score first.

    The lowest bit of a key is 0 if the row is positive. So the positives of a tied
    group come first, and a group with a positive begins at its first positive. With the
    tie order "optimistic", the bit is 1 for positives: rows that rank higher come
    later.

    The sorted keys are read in pieces (`PIECE_ROWS`).
    """

    def __init__(self, rows: Rows, tie_order: TieOrder | None, bounds: Bounds) -> None:
        self._offsets, self._has_order = rows.offsets, tie_order is not None
        self._bit_of_positive = tie_order == "optimistic"
        self.found_weight = positives_of(rows)
        self.summed_negatives = rows.lengths - self.found_weight
        # The number of positives of each ranking and of those before it.
        self._n_through: FloatArray = self.found_weight.cumsum()
        positive = rows.positive.reshape(-1)
        self._keys = keys_of(rows.score.reshape(-1), bounds)
        self._keys |= positive if self._bit_of_positive else ~positive
        sort_keys(self._keys, rows.lengths)

    def _summed(self) -> Iterator[Steps]:
        """Yield a block for each piece of the rows."""
        n_seen = 0
        for rows, rankings in self._pieces():
            keys = self._keys[rows]
            # The lowest byte contains the lowest bit.
            is_positive = keys.astype(np.uint8) & 1 == self._bit_of_positive
            n_positives = int(np.count_nonzero(is_positive))
            if n_positives:
                yield self._steps(keys, is_positive, rankings, rows.start, n_seen)
                n_seen += n_positives

    def _pieces(self) -> Iterator[tuple[slice, slice]]:
        """Yield the rows of each piece, and its rankings. A piece contains whole
        rankings, or whole tied groups of a single ranking.
        """
        if self._offsets.size > 2:
            yield from blocks_of_runs(self._offsets)
            return
        low, n_rows = 0, self._keys.size
        while low < n_rows:
            high = min(low + PIECE_ROWS, n_rows)
            if high < n_rows:
                # With the lowest bit set, this is the largest key of the tied group.
                last = self._keys[high - 1] | 1
                high = int(self._keys.searchsorted(last, side="right"))
            yield slice(low, high), slice(0, 1)
            low = high

    def _steps(
        self,
        keys: IntArray,
        is_positive: BoolArray,
        rankings: slice,
        low: int,
        n_seen: int,
    ) -> Steps:
        """Return the steps of a piece, which begins at row `low`, after `n_seen`
        positives.
        """
        # The end of each ranking, and the number of positives up to it. The end of a
        # single ranking may lie beyond the piece.
        end = own_end = self._offsets[1:][rankings] - low
        own_n_through = self._n_through[rankings] - n_seen
        # Rankings that contain positives, and the first positive of each.
        ranking = start = SINGLE_RANKING
        if self.found_weight.size > 1:
            n_positives = self.found_weight[rankings].astype(np.int64)
            filled = n_positives.nonzero()[0]
            ranking = filled + rankings.start
            start = n_positives.cumsum().take(filled) - n_positives.take(filled)
            # From here on, `own` means that of the ranking of each positive.
            own_end = end.repeat(n_positives)
            own_n_through = own_n_through.repeat(n_positives)
            end = end.take(filled)
        row = is_positive.nonzero()[0]
        key = keys.take(row)
        is_first = key[1:] != key[:-1]
        # The positives from a step to the end of its ranking are at or above its score.
        tp: FloatArray = own_n_through - np.arange(row.size)
        fp = np.subtract(own_end, row, dtype=np.float64)
        fp -= tp
        # A piece needs 40 bytes per step, since arrays end where they are not needed.
        del row, key, own_end, own_n_through
        tp_at_last = tp
        if not self._has_order and np.count_nonzero(is_first) < is_first.size:
            is_first = np.append(True, is_first)
            # Equal scores in two rankings are not tied.
            is_first[start] = True
            first = is_first.nonzero()[0]
            tp_at_last = tp.take(np.append(first[1:], tp.size) - 1)
            # From here on, there is one value per step, and `start` is a step.
            tp, fp, start = tp.take(first), fp.take(first), first.searchsorted(start)
        tp_above = tp_at_last - 1.0

        def to_fp_above() -> FloatArray:
            own_end = end.repeat(np.diff(start, append=tp.size))
            row = (own_end - tp - fp).astype(np.int64)
            return own_end - self._ends_of_groups(row, keys, rankings) - tp_above

        return Steps(tp, tp_above, fp, to_fp_above, ranking, start)

    def _ends_of_groups(
        self, row: IntArray, keys: IntArray, rankings: slice
    ) -> IntArray:
        """Return the row that follows the tied group of each of these rows."""
        if self._has_order:
            return row + 1
        # The keys of a tied group differ in the lowest bit only.
        bits = keys.view(f"u{keys.itemsize}")
        is_end = np.concatenate(([True], bits[1:] ^ bits[:-1] > 1, [True]))
        if np.count_nonzero(is_end) == is_end.size:
            return row + 1
        # Equal scores in two rankings are not tied.
        is_end[self._offsets[rankings] - self._offsets[rankings.start]] = True
        ends = is_end.nonzero()[0]
        return ends.take(ends.searchsorted(row, side="right"))


def sum_kernel(
    rows: Rows,
    tie_order: TieOrder | None,
    bounds: Bounds,
    order: RowOrder | None = None,
    *,
    with_points: bool = False,
) -> "SumKernel":
    """Return the kernel of rankings with weights, or whose equal scores have the order
    of the rows.
    """
    place, is_tied = order or rows_in_order(rows, tie_order, bounds)
    # Only operating points need the scores.
    score = rows.score.reshape(-1).take(place) if with_points else None
    starts = None
    if tie_order is None and np.count_nonzero(is_tied):
        # Rows of two rankings are not tied.
        is_first = _closed(np.append(True, ~is_tied), None, rows.offsets, True)
        starts = np.append(is_first.nonzero()[0], is_first.size)
    positive, _, weight = rows.flat()
    if weight is None:
        weight = np.ones(place.size)
    of_rows = _closed(weight, place, rows.offsets, 0.0)
    # The positive rows and the closing rows.
    kept = _closed(positive, place, rows.offsets, True).nonzero()[0]
    # A sum needs memory that the order of the rows takes.
    del place, is_tied
    row_bounds = rows.offsets + np.arange(rows.offsets.size)
    kernel = SumKernel if starts is None else TiedSumKernel
    return kernel(of_rows, kept, row_bounds, score, starts)


class SumKernel(Kernel):
    """Rankings in which each row is a tied group of its own: the weights of each class
    are added up row by row, from the best row of a ranking on.

    The two classes are summed separately. If positives are heavy and negatives light,
    the difference between a sum of all rows and the sum of the positives would lose the
    negatives.

    Behind the best row of each ranking, a row without weight is added, the closing row.
    Its sums, 0, are the sums above the best row.
    """

    def __init__(
        self,
        weight: FloatArray,
        kept: IntArray,
        bounds: IntArray,
        score: AnyArray | None,
        starts: IntArray | None,
    ) -> None:
        # The first row of each ranking, and the number of all rows, with closing rows.
        self._bounds, self._score = bounds, score
        # What is known need not be computed below.
        if starts is not None:
            self._starts = starts
        # The rows of `kept` are the positives, and closing rows of weight 0.
        of_positives = weight.take(kept)
        weight[kept] = 0.0
        _sum_from_best(weight, bounds)
        # The sum of the negatives from each row to its closing row.
        self._of_negatives = weight
        self.summed_negatives = weight.take(bounds[:-1])
        self._add_up(of_positives, kept)

    def _add_up(self, of_positives: FloatArray, kept: IntArray) -> None:
        """Add up the weights of the positives, at the rows `kept`. Each row is a group,
        and groups without a positive are omitted.
        """
        bounds = kept.searchsorted(self._bounds)
        _sum_from_best(of_positives, bounds)
        self.found_weight = of_positives.take(bounds[:-1])
        # The tied groups, and the sum of the positives from each of them to its closing
        # row.
        self._group, self._of_positives = kept, of_positives

    def _summed(self) -> Sequence[Steps]:
        """Return the block of the steps that have a positive, if there are any."""
        tp, tp_above = self._of_positives[:-1], self._of_positives[1:]
        group = self._group[:-1]
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
        ranking = start = SINGLE_RANKING
        if self._bounds.size > 2:
            # Rankings without a step are not part of the block.
            bounds = first.searchsorted(self._bounds)
            ranking = (bounds[1:] > bounds[:-1]).nonzero()[0]
            start = bounds[ranking]

        def to_end() -> IntArray:
            return self._first_rows(group + 1)

        return Steps(
            tp,
            tp_above,
            self._of_negatives.take(first),
            lambda: self._of_negatives.take(to_end()),
            ranking,
            start,
            (lambda: self._rows_from(first), lambda: self._rows_from(to_end())),
        )

    def _first_rows(self, group: IntArray) -> IntArray:
        """Return the first row of each of these tied groups."""
        return group

    def _rows_from(self, row: IntArray) -> FloatArray:
        """Return the number of rows from each of these rows to its closing row."""
        closing = self._bounds[1:] - 1
        ends = closing.take(closing.searchsorted(row))
        below: FloatArray = np.subtract(ends, row, dtype=np.float64)
        return below

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        closing = self._bounds[1:] - 1
        # The tied group that the cut divides, or begins at.
        cut = np.maximum(closing - depth, self._bounds[:-1])
        starts = self._starts
        group = starts.searchsorted(cut, side="right")
        first, end = starts.take(group - 1), np.minimum(starts.take(group), closing)
        from_first, from_end = self._weight_from(first), self._weight_from(end)
        share = ratio(end - cut, end - first)
        return from_end + share * (from_first - from_end)

    def _weight_from(self, row: IntArray) -> FloatArray:
        """Return the weight from each of these rows to its closing row."""
        following = self._first_rows(self._group).searchsorted(row)
        negatives = self.reweighted(self._of_negatives.take(row))
        return self._of_positives.take(following) + negatives

    @cached_property
    def _starts(self) -> IntArray:
        """The first row of each tied group, closing rows being groups of their own, and
        the number of all rows.
        """
        return np.arange(self._bounds[-1] + 1)

    def rows_from(self) -> FloatArray:
        """Return the number of rows at or above each operating point."""
        return self._rows_from(self._starts[:-2])

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        # A group without positives has the sum of the next group that has some. Count
        # the groups of each sum; `np.diff` would take three times as long.
        n_groups = self._group + 1
        n_groups[1:] = self._group[1:] - self._group[:-1]
        tp = self._of_positives.repeat(n_groups)[:-1]
        assert self._score is not None, "with_points"
        first = self._first_rows_of_points()
        fp = self.reweighted(self._of_negatives[first])
        return OperatingPoints(self._score[first], tp, fp)

    def _first_rows_of_points(self) -> slice | IntArray:
        """Return the first row of each tied group of a single ranking."""
        return slice(self._bounds[-1] - 1)


class TiedSumKernel(SumKernel):
    """Rankings with tied groups, whose numbers are places among their first rows."""

    def _add_up(self, of_positives: FloatArray, kept: IntArray) -> None:
        """Add up the weights of the positives, at the rows `kept`. A tied group may
        begin with a negative, so there are sums at all rows.
        """
        of_rows = np.zeros(self._of_negatives.size)
        of_rows[kept] = of_positives
        _sum_from_best(of_rows, self._bounds)
        self.found_weight = of_rows.take(self._bounds[:-1])
        self._group = np.arange(self._starts.size - 1, dtype=np.int32)
        self._of_positives = of_rows.take(self._starts[:-1])

    def _first_rows(self, group: IntArray) -> IntArray:
        """Return the first row of each of these tied groups."""
        return self._starts.take(group)

    def _first_rows_of_points(self) -> IntArray:
        """Return the first row of each tied group of a single ranking."""
        return self._starts[:-2]


def _closed(
    values: AnyArray, place: IntArray | None, offsets: IntArray, closing: float
) -> AnyArray:
    """Return the values of the rows of each ranking, in the order of `place` or in
    their own, and of its closing row.
    """
    # Most short calls have one ranking.
    if offsets.size == 2:
        closed = np.empty(values.size + 1, dtype=values.dtype)
        if place is None:
            closed[:-1] = values
        else:
            # With this mode, numpy writes into `closed` without a copy.
            values.take(place, out=closed[:-1], mode="clip")
        closed[-1] = closing
        return closed
    if place is not None:
        values = values.take(place)
    return np.insert(values, offsets[1:], closing)


def _sum_from_best(of_rows: FloatArray, bounds: IntArray) -> None:
    """Let each value become the sum of the values from it to the end of its ranking.
    The rankings lie between the bounds.
    """
    from_best = of_rows[::-1]
    # A single ranking needs no lengths. Most short calls have one.
    if bounds.size == 2:
        np.add.accumulate(from_best, out=from_best)
    else:
        running(np.add, from_best, np.diff(bounds)[::-1])
