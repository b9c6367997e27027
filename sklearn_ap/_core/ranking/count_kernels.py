"""Kernels of rankings without weights: they count rows.

- `KeyKernel` sorts integers that contain the score and the label of a row, and counts
  the rows of both classes in them.
- `ShortKernel` sorts the positives and the negatives of a short ranking, or of one with
  few positives, separately, and counts the negatives that are above each positive.

Five rows have the scores -0.25, 0.5, 0.5, 0.75 and 1, and the labels 1, 1, 0, 0 and 1.
These are their steps, worst score first::

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
follow at the places 5 to 7. Each positive counts from its place to the end of its own
ranking, and a tied group has one step, at its first positive (`KeyKernel._steps`)::

    place          0  1  2  3  4     5  6  7
    end            5  5        5     8  8        of its ranking
    n_through      3  3        3     5  5        positives of both rankings up to there
    tp_from        3  2        1     2  1        minus the positives before the place
    fp_from        2  2        0     1  1        end - place - tp_from
    step           *  *        *     *
    tp_above       2  1        0     0           tp_from of the last positive, minus 1
    end of group   1  3        5     7
    fp above       2  1        0     1           end - end of group - tp_above

`ShortKernel` searches each step among the sorted negatives 0.5 and 0.75::

    step              -0.25  0.50  1.00
    not below step        2     2     0     fp
    above step            2     1     0     fp above
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal

import numpy as np

from ..typing import Bounds, FloatArray, IntArray, TieOrder
from .keys import keys_of, sort_keys
from .rankings import SINGLE_RANKING, SINGLE_START, Kernel, Steps
from .rows import Rows, n_positives_of
from .runs import PIECE_ROWS, blocks_of_runs, starts_of_runs


class _CountKernel(Kernel):
    """Rankings without weights: each row counts 1."""

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        n_rows = np.minimum(depth, self.found_weight + self.unscaled_negatives)
        positives = self.sum_over_steps(
            lambda steps: steps.rows_within(depth) / steps.group_rows * steps.gained
        )
        return positives + self.times_factor(n_rows - positives)


class ShortKernel(_CountKernel):
    """A single ranking, class by class: each score of a positive is a step, and a
    search in the sorted negatives counts those at or above the step.
    """

    def __init__(self, rows: Rows) -> None:
        positive, score = rows.positive, rows.score
        # A mask reads many rows of few faster than `compress`, and few rows slower.
        step = score.compress(positive)
        self._negatives = score[~positive]
        step.sort()
        self._negatives.sort()
        self.unscaled_negatives = np.array((float(self._negatives.size),))
        # The number of positives at or above each step, and 0 above the best step.
        tp = np.arange(step.size + 1.0)[::-1]
        self.found_weight = tp[:1]
        is_tied = step[1:] == step[:-1]
        if np.count_nonzero(is_tied):
            first = starts_of_runs(step)
            step, tp = step.take(first), tp.take(np.append(first, step.size))
        self._step, self._tp = step, tp

    def _unscaled_blocks(self) -> Iterable[Steps]:
        tp, tp_above = self._tp[:-1], self._tp[1:]
        if not tp.size:
            return ()
        to_fp_above = partial(self._negatives_from, "right")
        fp = self._negatives_from("left")
        steps = Steps(tp, tp_above, fp, to_fp_above, SINGLE_RANKING, SINGLE_START)
        steps.gains_one = tp.size == self.found_weight.item()
        return (steps,)

    def _negatives_from(self, side: Literal["left", "right"]) -> FloatArray:
        """Return the number of negatives at or above each step or, with "right", above
        it.
        """
        below = self._negatives.searchsorted(self._step, side)
        return self._negatives.size - below.astype(np.float64)


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
        self.found_weight = n_positives_of(rows)
        self.unscaled_negatives = rows.lengths - self.found_weight
        # The number of positives of each ranking and of those before it.
        self._n_through: FloatArray = self.found_weight.cumsum()
        self._keys = keys_of(rows.score, bounds)
        self._keys |= rows.positive if self._bit_of_positive else ~rows.positive
        sort_keys(self._keys, rows.lengths)

    def _unscaled_blocks(self) -> Iterator[Steps]:
        """Yield a block for each piece of the rows."""
        n_seen = 0
        for rows, rankings in self._pieces():
            keys = self._keys[rows]
            # The lowest byte contains the lowest bit.
            is_positive = keys.astype(np.uint8) & 1 == self._bit_of_positive
            row = is_positive.nonzero()[0]
            if row.size:
                yield self._steps(keys, row, rankings, rows.start, n_seen)
                n_seen += row.size

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
        self, keys: IntArray, row: IntArray, rankings: slice, n_before: int, n_seen: int
    ) -> Steps:
        """Return the steps of a piece, whose positives are at the places `row`. Before
        the piece, there are `n_before` rows, of which `n_seen` are positives.
        """
        # The rows and positives of the piece up to the end of each ranking. A single
        # ranking may end beyond the piece.
        end = self._offsets[1:][rankings] - n_before
        n_through = self._n_through[rankings] - n_seen
        # The rankings with positives, and the first positive of each of them.
        ranking, start = SINGLE_RANKING, SINGLE_START
        if self.found_weight.size > 1:
            n_positives = self.found_weight[rankings].astype(np.int64)
            filled = n_positives.nonzero()[0]
            ranking = filled + rankings.start
            start = (n_positives.cumsum() - n_positives).take(filled)
            # The values of the ranking of each positive. A single ranking has one.
            end, n_through = end.repeat(n_positives), n_through.repeat(n_positives)
        # The positives from here to the end of the ranking are at or above this score.
        tp_from = n_through - np.arange(row.size)
        fp_from = np.subtract(end, row, dtype=np.float64)
        fp_from -= tp_from
        key = keys.take(row)
        has_new_key = key[1:] != key[:-1]
        # If equal scores have an order, or if there are none, each positive is a step.
        gains_one = self._has_order or bool(has_new_key.all())
        # The first and the last positive of each step.
        first: slice | IntArray = slice(None)
        last = first
        if not gains_one:
            is_first = np.append(True, has_new_key)
            # Equal scores in two rankings are not tied.
            is_first[start] = True
            places = is_first.nonzero()[0]
            first, last = places, np.append(places[1:], row.size) - 1
            start = places.searchsorted(start)
        tp, fp, tp_above = tp_from[first], fp_from[first], tp_from[last] - 1.0
        row = row[first]

        def to_fp_above() -> FloatArray:
            own_end = row + tp + fp
            # Equal scores in two rankings are not tied.
            end_of_group = np.minimum(self._ends_of_groups(keys, row), own_end)
            return own_end - end_of_group - tp_above

        return Steps(tp, tp_above, fp, to_fp_above, ranking, start, gains_one=gains_one)

    def _ends_of_groups(self, keys: IntArray, row: IntArray) -> IntArray:
        """Return the place after the last row of the tied group of each of these rows
        of a piece, as if the piece was one ranking. If equal scores have an order, each
        row is a group.
        """
        if not self._has_order:
            # The keys of a tied group differ in the lowest bit only.
            bits = keys.view(f"u{keys.itemsize}")
            is_end = np.concatenate(([True], bits[1:] ^ bits[:-1] > 1, [True]))
            if np.count_nonzero(is_end) < is_end.size:
                ends = is_end.nonzero()[0]
                return ends.take(ends.searchsorted(row, side="right"))
        return row + 1
