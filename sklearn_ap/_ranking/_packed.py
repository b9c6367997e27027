"""The kernel of unweighted rows: sort keys that carry the label in their lowest bit, then look at positives.

In a sorted ranking, the place of a positive is the number of rows below it, and its place among the positives
is the number of positives below it. A clear bit sorts positives first in their tied group, so the first
positive marks the start of the group. Only the keys are kept.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .._typing import AnyArray, BoolArray, FloatArray, IntArray, TieOrder
from ._blocks import BLOCK_ROWS, blocks_of, sort_keys, whole_rankings
from ._keys import Packing, operating_points_of
from ._rankings import Kernel, OperatingPoints, Rows
from ._steps import Steps

# Arrays, since numpy would convert a Python int at each call, which counts for short rankings.
_CLEAR, _SET = np.array(0, dtype=np.uint8), np.array(1, dtype=np.uint8)
_POSITIVE_BIT = {
    None: _CLEAR,
    "pessimistic": _CLEAR,
    "optimistic": _SET,
}  # "stable" needs the place of the row
_MIN_COLUMNS = 128  # at least so many columns of a matrix are read together, in 64 rows


class _Groups(NamedTuple):
    """Tied groups with positives of the rows in [low, high); `end`, `row` and `stop` count from `low`."""

    low: int
    high: int
    end: int  # where the last tied group ends, maybe beyond `high`
    row: IntArray  # first row of each group
    stop: IntArray | int  # where the ranking of each group ends


class PackedKernel(Kernel):
    """Keys of unweighted rows, sorted by ranking and then by score, worst first."""

    def __init__(
        self,
        rows: Rows,
        packing: Packing,
        *,
        tie_order: TieOrder | None = None,
        block_rows: int = BLOCK_ROWS,
    ) -> None:
        self._offsets, self._block_rows = rows.offsets, block_rows
        # Slices take a quarter of the time of np.diff, which counts for short rankings.
        self.total_weight = (rows.offsets[1:] - rows.offsets[:-1]).astype(np.float64)
        self._every_row_is_a_step = tie_order is not None
        # Rows are sorted worst first: with the bit set, the positives of a tied group stand last, so they are
        # retrieved first.
        self._positive_bit = _POSITIVE_BIT[tie_order]
        self._packing, self._dtype = packing, rows.score.dtype
        self.found_weight = _positives_of(rows, block_rows)
        if rows.ranking is None:
            self._keys = _labelled_keys(rows, packing, self._positive_bit, block_rows)
        else:
            self._keys = _keys_by_ranking(rows, rows.ranking, packing, self._positive_bit, block_rows)
        sort_keys(self._keys, rows.offsets, signed=packing.signed)
        self.is_exact = packing.keeps_apart(self._keys, rows.score, in_order=rows.is_single)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return self._blocks_of_ranking(0) if self._offsets.size == 2 else self._blocks_of_all()

    def _blocks_of_all(self) -> Iterator[Steps]:
        for first, stop in whole_rankings(self._offsets, self._block_rows):
            if stop - first > 1:
                yield from self._block_of_rankings(first, stop)
            else:
                yield from self._blocks_of_ranking(first)

    def _blocks_of_ranking(self, ranking: int) -> Iterator[Steps]:
        """Yield the steps of one ranking; it may take several blocks."""
        low, stop = self._offsets[ranking : ranking + 2].tolist()
        only, start, tp = np.array([ranking]), np.zeros(1, dtype=np.int64), float(self.found_weight[ranking])
        while low < stop:
            high = min(low + self._block_rows, stop)
            row = self._positives_between(low, high)
            # A tied group that goes on after the block belongs to this block: the next one starts behind it.
            beyond, end = self._rest_of_group(high, stop)
            tp_after = tp - row.size - beyond
            if row.size:
                first = self._first_of_groups(low, row, start)
                if first is None:  # no ties: from step to step there is one positive fewer at or above
                    tps = np.arange(tp, tp - row.size - 1, -1.0)
                else:
                    row, tps = row[first], tp - np.append(first, row.size)
                tps[-1] = tp_after  # above the last group, without its positives beyond the block
                groups = _Groups(low, high, end - low, row, stop - low)
                yield self._steps(groups, tps[:-1], tps[1:], only, start)
            low, tp = end, tp_after

    def _block_of_rankings(self, ranking: int, stop: int) -> Iterator[Steps]:
        """Yield the steps of several short rankings in one block."""
        edges = self._offsets[ranking : stop + 1]
        low, high = int(edges[0]), int(edges[-1])
        row = self._positives_between(low, high)
        if row.size:
            # Where the positives of each ranking begin among all positives of the block.
            bounds = np.append(0, np.cumsum(self.found_weight[ranking:stop].astype(np.int64)))
            with_positives = (bounds[1:] > bounds[:-1]).nonzero()[0]
            start, after = bounds[with_positives], bounds[with_positives + 1]
            first = self._first_of_groups(low, row, start)
            if first is None:
                first = np.arange(row.size)
            else:
                row, start = row[first], first.searchsorted(start)
            length = np.append(start[1:], first.size) - start
            tp = np.subtract(np.repeat(after, length), first, dtype=np.float64)
            tp_above = np.append(tp[1:], 0.0)
            tp_above[start[1:] - 1] = 0.0  # nothing is above the best step of a ranking
            stops = np.repeat(edges[with_positives + 1] - low, length)
            groups = _Groups(low, high, high - low, row, stops)
            yield self._steps(groups, tp, tp_above, ranking + with_positives, start)

    def _positives_between(self, low: int, high: int) -> IntArray:
        # As bytes, since the comparison then reads an eighth of the memory of int64 keys.
        labels: BoolArray = (self._keys[low:high].astype(np.uint8) & _SET) == self._positive_bit
        return labels.nonzero()[0]

    def _first_of_groups(self, low: int, row: IntArray, start: IntArray) -> IntArray | None:
        """Return which of the positives at these rows begin a step; None if all do."""
        if self._every_row_is_a_step:
            return None
        key = self._keys[low:][row]
        is_tied = key[1:] == key[:-1]  # all are positives, so the label's bit does not differ
        if not np.count_nonzero(is_tied):
            return None
        is_first = np.append(True, ~is_tied)
        is_first[start] = True  # the ranking before may have ended with the same score
        return is_first.nonzero()[0]

    def _rest_of_group(self, high: int, stop: int) -> tuple[int, int]:
        """Search how many positives the group of row ``high - 1`` has from `high` on, and where it ends."""
        if high == stop or self._every_row_is_a_step or (self._keys[high - 1] | 1) != (self._keys[high] | 1):
            return 0, high
        rest, negatives = self._keys[high:stop], self._keys[high] | 1
        return int(rest.searchsorted(negatives)), high + int(rest.searchsorted(negatives, side="right"))

    def _steps(
        self, groups: _Groups, tp: FloatArray, tp_above: FloatArray, ranking: IntArray, start: IntArray
    ) -> Steps:
        retrieved = np.subtract(groups.stop, groups.row, dtype=np.float64)
        return Steps(tp, tp_above, retrieved, lambda: self._rows_above(groups, tp - tp_above), ranking, start)

    def _rows_above(self, groups: _Groups, gained: FloatArray) -> FloatArray:
        """Return how many rows are above each tied group, given the positives that it gained."""
        end = groups.row + gained.astype(np.int64)  # where the positives of the group end
        # A group also has negatives if the row after its positives has the same key but for the label. Only
        # then are the ends of all groups looked up, which reads every key of the block.
        if not self._every_row_is_a_step:
            follower = self._keys[groups.low :].take(end, mode="clip")
            tied = (follower == self._keys[groups.low :][groups.row] + 1) & (end < groups.stop)
            tied = tied.nonzero()[0]
            if tied.size:
                ends = self._ends_of_groups(groups)
                end[tied] = ends[np.searchsorted(ends, groups.row[tied], side="right")]
        return np.subtract(groups.stop, end, dtype=np.float64)

    def _ends_of_groups(self, groups: _Groups) -> IntArray:
        """Return where every tied group ends, including groups of negatives only."""
        key = self._keys[groups.low : groups.high] | 1
        is_last = np.append(key[1:] != key[:-1], True)
        inside = slice(*np.searchsorted(self._offsets, (groups.low + 1, groups.high)))
        is_last[self._offsets[inside] - groups.low - 1] = True  # the last row of each ranking
        ends = is_last.nonzero()[0] + 1
        ends[-1] = groups.end
        return ends

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only negatives have."""
        return operating_points_of(self._keys, self._packing, self._dtype, self._positive_bit)


def _positives_of(rows: Rows, block_rows: int) -> FloatArray:
    """Count the positives of each ranking; blocks save memory."""
    positive, offsets = rows.positive, rows.offsets
    n_rankings = offsets.size - 1
    if rows.is_single:
        return np.array([np.count_nonzero(positive)], dtype=np.float64)
    if rows.ranking is not None:
        # `compress` takes a quarter of the time of a mask.
        return np.bincount(rows.ranking.compress(positive), minlength=n_rankings).astype(np.float64)
    if positive.ndim == 2 and len(positive) == n_rankings:
        return np.asarray(np.count_nonzero(positive, axis=1), dtype=np.float64)
    positive, n_positives = positive.reshape(-1), np.zeros(n_rankings)
    for first, stop in whole_rankings(offsets, block_rows):
        edges = offsets[first : stop + 1]
        in_block = positive[edges[0] : edges[-1]]
        if stop - first == 1:
            n_positives[first] = np.count_nonzero(in_block)  # much faster than adding up
        else:
            filled = (edges[1:] > edges[:-1]).nonzero()[0]
            n_positives[first + filled] = np.add.reduceat(in_block, edges[filled] - edges[0], dtype=np.int64)
    return n_positives


def _labelled_keys(rows: Rows, packing: Packing, bit: AnyArray, block_rows: int) -> AnyArray:
    """Return the keys in C order, with `bit` as the lowest bit of positives; blocks save memory."""
    positive, score = rows.positive, rows.score
    if score.size <= block_rows:
        return _labelled(packing, score, positive, bit).ravel()
    if not score.flags.c_contiguous and score.ndim == 2:
        return _keys_of_columns(rows, packing, bit, block_rows)
    positive, score = positive.reshape(-1), score.reshape(-1)
    keys = np.empty(score.size, dtype=packing.dtype)
    for block in blocks_of(score.size, block_rows):
        _labelled(packing, score[block], positive[block], bit, keys[block])
    return keys


def _labelled(
    packing: Packing, score: AnyArray, positive: BoolArray, bit: AnyArray, out: AnyArray | None = None
) -> AnyArray:
    keys = packing.keys(score, out=out)
    keys |= positive if bit else ~positive
    return keys


def _keys_by_ranking(
    rows: Rows, ranking: AnyArray, packing: Packing, bit: AnyArray, block_rows: int
) -> AnyArray:
    """Return the keys of rows that stand in any order, ranking after ranking.

    Scipy counts the rows of each ranking and puts them in place, which takes a third of a sort by ranking. It
    needs several arrays at once, so the rows are done in parts. A part has at least a quarter as many rows as
    there are rankings, since each part takes a pass over all of these.
    """
    keys = np.empty(rows.score.size, dtype=packing.dtype)
    free = rows.offsets[:-1].copy()  # the next place of each ranking
    for part in blocks_of(keys.size, max(block_rows, keys.size // 32, free.size // 4)):
        labelled = _labelled(packing, rows.score[part], rows.positive[part], bit)
        # One row of a sparse matrix per row here, with its key in the column of its ranking.
        by_row = labelled, ranking[part], np.arange(labelled.size + 1, dtype=np.int32)
        by_ranking = csr_array(by_row, shape=(labelled.size, free.size)).tocsc()
        begin = by_ranking.indptr
        n_rows = begin[1:] - begin[:-1]
        place = np.repeat(free - begin[:-1], n_rows)
        place += np.arange(place.size)
        keys[place] = by_ranking.data
        free += n_rows
    return keys


def _keys_of_columns(rows: Rows, packing: Packing, bit: AnyArray, block_rows: int) -> AnyArray:
    """Return the keys of columns of a matrix; packed as they lie, since a copy takes half as long again."""
    positive, score = rows.positive, rows.score
    keys = np.empty(score.shape, dtype=packing.dtype)
    cells = block_rows // 4  # of a tile, with room for its labels and copies
    for columns in blocks_of(len(score), max(_MIN_COLUMNS, cells // score.shape[1])):
        for part in blocks_of(score.shape[1], max(cells // len(score[columns]), 1)):
            as_they_lie = score.T[part, columns], positive.T[part, columns]
            keys[columns, part] = _labelled(packing, *as_they_lie, bit).T
    return keys.reshape(-1)
