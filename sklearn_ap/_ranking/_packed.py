"""The kernel of unweighted rows: sort keys that carry the label in their lowest bit, then look at positives.

In a sorted run the place of a positive tells how many rows are below it, and its number among the positives
how many of those are positives. Where the bit is clear for positives they come first in their tied group, so
the place of the first of them is where the group begins. Nothing is kept but the keys.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, whole_rankings
from ._keys import Packing
from ._rankings import OperatingPoints
from ._rows import Rows
from ._runs import sort_runs
from ._steps import Steps

__all__ = ["PackedKernel"]

_ZERO, _ONE = np.array(0, dtype=np.uint8), np.array(1, dtype=np.uint8)  # a Python int costs 1 us to convert
_COLUMNS = 8  # float64 scores that lie side by side in a cache line


class _Groups(NamedTuple):
    """The tied groups with positives among the rows from `low` to `high`, counted from `low`.

    These rows are whole rankings or a part of one.
    """

    low: int
    high: int
    end: int  # of the last tied group, which may lie after `high`
    row: IntArray  # the first of each group
    stop: IntArray | int  # where its ranking ends


class PackedKernel:
    """Keys of all rows in the order of their ranking and, inside it, of their score, worst first.

    The rows have no weights, and no other order of equal scores than positives first or last; `packing` is
    how these scores become keys.
    """

    def __init__(
        self,
        rows: Rows,
        packing: Packing,
        *,
        tie_order: str | None = None,
        block_rows: int = BLOCK_ROWS,
    ) -> None:
        self.n_found = _positives_of(rows)
        self._offsets, self._block_rows = rows.offsets, block_rows
        self._every_row = tie_order is not None  # is a step of its own
        # The bit of positives: what is retrieved first is sorted last.
        self._positive_bit = _ONE if tie_order == "optimistic" else _ZERO
        self._packing, self._dtype = packing, rows.score.dtype
        self._keys = _labelled_keys(rows, packing, self._positive_bit, block_rows)
        sort_runs(self._keys, rows.offsets, block_rows)

    @property
    def n_samples(self) -> FloatArray:
        """Number of rows of each ranking."""
        return (self._offsets[1:] - self._offsets[:-1]).astype(np.float64)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows of each ranking."""
        return np.minimum(depth, self.n_samples)

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
        low, stop = self._offsets[ranking : ranking + 2].tolist()
        which, start, tp = np.array([ranking]), np.zeros(1, dtype=np.int64), float(self.n_found[ranking])
        while low < stop:
            high = min(low + self._block_rows, stop)
            row = self._positives_between(low, high)
            beyond, end = self._rest_of_group(high, stop)
            tp_after = tp - row.size - beyond
            if row.size:
                first = self._first_of_groups(low, row, start)
                if first is None:
                    tps = np.arange(tp, tp - row.size - 1, -1.0)
                else:
                    row, tps = row[first], tp - np.append(first, row.size)
                tps[-1] = tp_after
                groups = _Groups(low, high, end - low, row, stop - low)
                yield self._steps(groups, tps[:-1], tps[1:], which, start)
            low, tp = end, tp_after

    def _block_of_rankings(self, ranking: int, stop: int) -> Iterator[Steps]:
        edges = self._offsets[ranking : stop + 1]
        low, high = int(edges[0]), int(edges[-1])
        edges = edges - low
        row = self._positives_between(low, high)
        if row.size:
            bounds = np.searchsorted(row, edges)
            some = (bounds[1:] > bounds[:-1]).nonzero()[0]
            first = self._first_of_groups(low, row, bounds[some])
            first = np.arange(row.size) if first is None else first
            bounds = np.append(bounds[some], row.size)
            start = np.searchsorted(first, bounds)
            spread = np.repeat(np.arange(some.size), start[1:] - start[:-1])
            tp = np.subtract(bounds[1:][spread], first, dtype=np.float64)
            tp_above = np.append(tp[1:], 0.0)
            tp_above[start[1:] - 1] = 0.0
            groups = _Groups(low, high, high - low, row[first], edges[some + 1][spread])
            yield self._steps(groups, tp, tp_above, ranking + some, start[:-1])

    def _positives_between(self, low: int, high: int) -> IntArray:
        # As bytes, since what follows then reads an eighth of the memory.
        is_positive: BoolArray = (self._keys[low:high].astype(np.uint8) & _ONE) == self._positive_bit
        return is_positive.nonzero()[0]

    def _first_of_groups(self, low: int, row: IntArray, start: IntArray) -> IntArray | None:
        """Return which of the positives at these rows are the first of a step, or None where all are.

        At `start` rankings begin.
        """
        if self._every_row:
            return None
        key = self._keys[low:][row]
        is_tied = key[1:] == key[:-1]
        if not np.count_nonzero(is_tied):
            return None
        is_first = np.append(True, ~is_tied)
        is_first[start] = True
        return is_first.nonzero()[0]

    def _rest_of_group(self, high: int, stop: int) -> tuple[int, int]:
        """Return how many positives the tied group of row ``high - 1`` has from `high` on, and where it ends.

        However long the group is, it is not walked.
        """
        if high == stop or self._every_row or (self._keys[high - 1] | 1) != (self._keys[high] | 1):
            return 0, high
        rest, negatives = self._keys[high:stop], self._keys[high] | 1
        return int(rest.searchsorted(negatives)), high + int(rest.searchsorted(negatives, side="right"))

    def _steps(
        self, groups: _Groups, tp: FloatArray, tp_above: FloatArray, ranking: IntArray, start: IntArray
    ) -> Steps:
        retrieved = np.subtract(groups.stop, groups.row, dtype=np.float64)
        return _PackedSteps(tp, tp_above, retrieved, ranking, start, self, groups)

    def rows_above(self, groups: _Groups, gained: FloatArray) -> FloatArray:
        """Return how many rows are above each of these tied groups, which gained so many positives."""
        end = groups.row + gained.astype(np.int64)  # of the positives of the group
        if not self._every_row:
            follower = self._keys[groups.low :].take(end, mode="clip")
            tied = (follower == self._keys[groups.low :][groups.row] + 1) & (end < groups.stop)
            tied = tied.nonzero()[0]
            if tied.size:
                ends = self._ends_of_groups(groups)
                end[tied] = ends[np.searchsorted(ends, groups.row[tied], side="right")]
        return np.subtract(groups.stop, end, dtype=np.float64)

    def _ends_of_groups(self, groups: _Groups) -> IntArray:
        """Return where every tied group ends, those of negatives alone included."""
        key = self._keys[groups.low : groups.high] | 1
        is_last = np.append(key[1:] != key[:-1], True)
        inside = slice(*np.searchsorted(self._offsets, (groups.low + 1, groups.high)))
        is_last[self._offsets[inside] - groups.low - 1] = True
        ends = is_last.nonzero()[0] + 1
        ends[-1] = groups.end
        return ends

    def points(self) -> OperatingPoints:
        """Return the operating points of a lone ranking, scores of negatives alone included."""
        group = self._keys | 1
        first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        positives = np.add.reduceat((self._keys & 1) == self._positive_bit, first, dtype=np.int64)
        return OperatingPoints(
            threshold=self._packing.scores(self._keys[first], self._dtype),
            tp=np.cumsum(positives[::-1])[::-1].astype(np.float64),
            retrieved=(self._keys.size - first).astype(np.float64),
        )


@dataclass(eq=False)
class _PackedSteps(Steps):
    kernel: PackedKernel
    groups: _Groups

    def _find_above(self) -> FloatArray:
        return self.kernel.rows_above(self.groups, self.gained)


def _positives_of(rows: Rows) -> FloatArray:
    """Count the positives of each ranking."""
    positive, offsets = rows.positive, rows.offsets
    if rows.is_lone:
        return np.array([np.count_nonzero(positive)], dtype=np.float64)
    if positive.ndim == 2 and len(positive) == offsets.size - 1:
        return np.asarray(np.count_nonzero(positive, axis=1), dtype=np.float64)
    if positive.size > 1000 * offsets.size:  # long ones: counting bytes is many times as fast as adding them
        return np.array(
            [float(np.count_nonzero(row)) for row in np.split(positive.reshape(-1), offsets[1:-1])]
        )
    counts = np.zeros(offsets.size - 1)
    filled = np.flatnonzero(np.diff(offsets))
    counts[filled] = np.add.reduceat(positive.ravel(), offsets[filled], dtype=np.int64)
    return counts


def _labelled_keys(rows: Rows, packing: Packing, bit: AnyArray, block_rows: int) -> AnyArray:
    """Return the keys in C order, the lowest bit of positives being `bit`, made in blocks that stay small."""
    positive, score = rows.positive, rows.score
    if score.size <= block_rows:
        return (packing.keys(score) | (positive if bit else ~positive)).ravel()
    parts: list[Any] = []
    if score.flags.c_contiguous or score.ndim == 1:
        positive, score = positive.ravel(), score.ravel()
        parts = blocks_of(score.size, block_rows)
    else:  # rankings whose rows do not lie side by side, as columns of a matrix: some at a time
        some = max(_COLUMNS, block_rows // score.shape[1])
        for first in range(0, len(score), some):
            rankings = slice(first, first + some)
            parts += [(rankings, part) for part in blocks_of(score.shape[1], max(block_rows // some, 1))]
    keys = np.empty(score.shape, dtype=packing.dtype)
    for part in parts:
        labels = positive[part] if bit else ~positive[part]
        keys[part] = packing.keys(np.ascontiguousarray(score[part])) | np.ascontiguousarray(labels)
    return keys.reshape(-1)
