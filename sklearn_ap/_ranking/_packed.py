"""The kernel of unweighted rows: sort keys that carry the label in their lowest bit, then look at positives.

In a sorted run the place of a positive tells how many rows are below it, and its number among the positives
how many of those are positives. Where the bit is clear for positives they come first in their tied group, so
the place of the first of them is where the group begins. Nothing is kept but the keys.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from . import _steps
from ._counted import CountedRankings, positives_of
from ._keys import Packing
from ._runs import sort_runs
from ._steps import Points, Steps, blocks_of

_COLUMNS = 8  # float64 scores that lie side by side in a cache line


class _Block(NamedTuple):
    """Rows from `low` to `high`: whole rankings, or a part of one. Rows in it are counted from `low`."""

    low: int
    high: int
    end: int  # of the last tied group, which may lie after `high`
    rows: IntArray  # of positives
    ranking: IntArray  # rankings that have any, and of each of them:
    start: IntArray  # which of `rows` is its first
    stop: IntArray  # where it ends
    tp: FloatArray  # positives from its first row in the block on
    tp_after: FloatArray  # positives after the block


class PackedRankings(CountedRankings):
    """Keys of all rows in the order of their ranking and, inside it, of their score, worst first.

    The parameters are those of `rank`, without weights and with no other order of equal scores than
    positives first or last; `packing` is how these scores become keys.
    """

    def __init__(
        self,
        positive: BoolArray,
        score: AnyArray,
        offsets: IntArray,
        packing: Packing,
        *,
        ties: str | None = None,
    ) -> None:
        super().__init__(np.diff(offsets).astype(np.float64), positives_of(positive, offsets))
        self._every_row = ties is not None  # is a step of its own
        self._bit = int(ties == "optimistic")  # of positives; what is retrieved first is sorted last
        self._packing, self._dtype, self._offsets = packing, score.dtype, offsets
        self._keys = _labelled_keys(positive, score, packing, self._bit)
        sort_runs(self._keys, offsets)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for first, stop in _ranges(self._offsets):
            if stop - first > 1:
                yield from self._block_of_rankings(first, stop)
            elif self._found[first]:
                yield from self._blocks_of_ranking(first)

    def _block_of_rankings(self, first: int, stop: int) -> Iterator[Steps]:
        edges = self._offsets[first : stop + 1]
        low, high = int(edges[0]), int(edges[-1])
        rows = self._positives_between(low, high)
        if rows.size:
            bounds = np.searchsorted(rows, edges - low)
            some = np.flatnonzero(np.diff(bounds))
            tp, none = np.diff(bounds)[some].astype(np.float64), np.zeros(some.size)
            stops = edges[some + 1] - low
            yield self._steps(_Block(low, high, high, rows, first + some, bounds[some], stops, tp, none))

    def _blocks_of_ranking(self, ranking: int) -> Iterator[Steps]:
        low, stop = self._offsets[ranking : ranking + 2].tolist()
        which, start, tp = np.array([ranking]), np.zeros(1, dtype=np.int64), self._found[[ranking]]
        while low < stop:
            high = min(low + _steps.BLOCK_ROWS, stop)
            rows = self._positives_between(low, high)
            beyond, end = self._rest_of_group(high, stop)
            tp_after = tp - (rows.size + beyond)
            if rows.size:
                stops = np.array([stop - low])
                yield self._steps(_Block(low, high, end, rows, which, start, stops, tp, tp_after))
            low, tp = end, tp_after

    def _positives_between(self, low: int, high: int) -> IntArray:
        # As bytes, since what follows then reads an eighth of the memory.
        return np.flatnonzero((self._keys[low:high].astype(np.uint8) & 1) == self._bit)

    def _rest_of_group(self, high: int, stop: int) -> tuple[int, int]:
        """Return how many positives the tied group of row ``high - 1`` has from `high` on, and where it ends.

        However long the group is, it is not walked.
        """
        if high == stop or self._every_row or (self._keys[high - 1] | 1) != (self._keys[high] | 1):
            return 0, high
        rest, negatives = self._keys[high:stop], self._keys[high] | 1
        return int(rest.searchsorted(negatives)), high + int(rest.searchsorted(negatives, side="right"))

    def _steps(self, block: _Block) -> Steps:
        rows, start = block.rows, block.start
        lengths = np.diff(start, append=rows.size)
        tp = _spread(block.tp + start, lengths) - np.arange(rows.size)
        if not self._every_row:
            key = self._keys[block.low : block.high][rows]
            begins_group = np.empty(rows.size, dtype=bool)
            np.not_equal(key[1:], key[:-1], out=begins_group[1:])
            begins_group[start] = True
            kept = np.flatnonzero(begins_group)
            if kept.size < rows.size:
                rows, tp, start = rows[kept], tp[kept], np.searchsorted(kept, start)
                lengths = np.diff(start, append=rows.size)
        tp_above = np.empty_like(tp)
        tp_above[:-1] = tp[1:]
        tp_above[np.cumsum(lengths) - 1] = block.tp_after
        stop = _spread(block.stop, lengths)
        return Steps(
            tp=tp,
            tp_above=tp_above,
            retrieved=np.subtract(stop, rows, dtype=np.float64),
            ranking=block.ranking,
            start=start,
            find_above=lambda: np.subtract(
                stop, self._ends(block, rows, rows + (tp - tp_above).astype(np.int64), stop), dtype=np.float64
            ),
            find_rows=None,
        )

    def _ends(self, block: _Block, rows: IntArray, end: IntArray, stop: IntArray) -> IntArray:
        """Return where the tied groups that begin at `rows` end, given where their positives end."""
        if self._every_row:
            return end
        next_key = self._keys[block.low :].take(end, mode="clip")
        tied = np.flatnonzero((next_key == self._keys[block.low + rows] + 1) & (end < stop))
        if tied.size:
            group = self._keys[block.low : block.high] | 1
            begins_group = np.append(True, group[1:] != group[:-1])
            begins_group[(block.stop[block.stop < begins_group.size])] = True
            ends = np.append(np.flatnonzero(begins_group)[1:], block.end - block.low)
            end[tied] = ends[np.searchsorted(ends, rows[tied], side="right")]
        return end

    def points(self) -> Points:
        """Return the operating points of a lone ranking, negative-only scores included."""
        group = self._keys | 1
        first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        positives = np.add.reduceat((self._keys & 1) == self._bit, first, dtype=np.int64)
        return Points(
            threshold=self._packing.scores(self._keys[first], self._dtype),
            tp=np.cumsum(positives[::-1])[::-1].astype(np.float64),
            retrieved=(self._keys.size - first).astype(np.float64),
        )


def _labelled_keys(positive: BoolArray, score: AnyArray, packing: Packing, bit: int) -> AnyArray:
    """Return the keys in C order, the lowest bit of positives being `bit`, made in blocks that stay small."""
    if not score.flags.c_contiguous and score.ndim == 2:
        keys = np.empty(score.shape, dtype=packing.key)
        parts = [
            (slice(first, first + _COLUMNS), rows)
            for first in range(0, len(score), _COLUMNS)
            for rows in blocks_of(score.shape[1], _COLUMNS)
        ]
    else:
        positive, score = positive.ravel(), score.ravel()
        keys, parts = np.empty(score.size, dtype=packing.key), blocks_of(score.size)
    for part in parts:
        np.bitwise_or(packing.keys(score[part]), positive[part] ^ (not bit), out=keys[part])
    return keys.reshape(-1)


def _ranges(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the rankings into lone ones and runs of whole ones that together are about a block."""
    first, last = 0, offsets.size - 1
    while first < last:
        fit = int(np.searchsorted(offsets, offsets[first] + _steps.BLOCK_ROWS, side="right")) - 1
        stop = max(fit, first + 1)
        yield first, stop
        first = stop


def _spread(values: AnyArray, lengths: IntArray) -> AnyArray:
    """Repeat a value a ranking over its steps; a lone one will be broadcast."""
    return values if lengths.size == 1 else np.repeat(values, lengths)
