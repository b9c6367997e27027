"""The kernel of weighted rows, and of equal scores in their given order: one sort of (score, row) in one key.

The number of the row takes the low bits of a key, the score what is left of 63. Where that cuts scores
short, rows of equal keys are put in order by their true scores. The sorted keys then give way, in place, to
the weights that they point to.
"""

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import blocks_of, rankings_between
from ._keys import Packing
from ._runs import sort_runs
from ._sorted import arrange
from ._summed import SummedRankings

_FEW = 1000  # one row in so many may be in the wrong place; beyond that, a plain sort is faster than mending


class WeightedRankings(SummedRankings):
    """The parameters are those of `rank`, with ties None or stable.

    `packing` is how scores from ``bounds[0]`` to ``bounds[1]`` become keys.
    """

    def __init__(
        self,
        positive: BoolArray,
        score: AnyArray,
        weight: FloatArray | None,
        offsets: IntArray,
        *,
        packing: Packing,
        bounds: AnyArray,
        ties: str | None = None,
    ) -> None:
        positive, score = positive.ravel(), score.ravel()
        rows = _SortedRows(score, offsets, packing, bounds, stable=ties == "stable")
        if rows.are_mended:
            signed, starts_group = rows.weights(positive, weight), rows.starts_group
        else:
            signed, starts_group = arrange(positive, score, weight, offsets, ties=ties)
        if ties is not None:
            starts_group = np.ones_like(starts_group)
        super().__init__(signed, starts_group, offsets, score, weighted=weight is not None)


class _SortedRows:
    """Sorted keys that hold a score and the number of its row in its ranking.

    Numbers count up; in a stable order they count down from the last row, so that the first of equal scores
    has the highest number, is sorted last, and so is retrieved first.
    """

    def __init__(
        self, score: AnyArray, offsets: IntArray, packing: Packing, bounds: AnyArray, *, stable: bool
    ) -> None:
        self._score, self._offsets = score, offsets
        self._direction = -1 if stable else 1
        longest = int((offsets[1:] - offsets[:-1]).max())
        self._row_bits = max(longest - 1, 1).bit_length()
        least, most = (packing.keys(bounds) >> 1).tolist()
        self._cut = max((most - least).bit_length() + self._row_bits - 63, 0)
        self._keys = np.empty(score.size, dtype=np.int64)
        for block in blocks_of(score.size):
            high_part = (packing.keys(score[block]) >> 1).astype(np.int64, copy=False)
            high_part -= least
            number = (np.arange(block.start, block.stop) - self._row_0(block)) * self._direction
            self._keys[block] = (high_part >> self._cut << self._row_bits) | number
        sort_runs(self._keys, offsets)
        self.starts_group, misplaced = self._compare()
        self.are_mended = misplaced.size * _FEW <= score.size + _FEW**2
        mended = 0  # rows before it are in order
        for row in misplaced.tolist() if self.are_mended else []:
            if row >= mended:
                mended = self._mend(row)

    def _row_0(self, block: slice) -> IntArray | int:
        """Return for each row of a block the row from which those of its ranking are numbered."""
        rankings, bounds = rankings_between(self._offsets, block.start, block.stop)
        edges = self._offsets[rankings.start : rankings.stop + 1]
        rows = edges[:-1] if self._direction > 0 else edges[1:] - 1
        return int(rows[0]) if rows.size == 1 else np.repeat(rows, bounds[1:] - bounds[:-1])

    def _rows(self, block: slice) -> IntArray:
        """Return which rows the keys of a block point to."""
        number = self._keys[block] & ((1 << self._row_bits) - 1)
        return self._row_0(block) + number * self._direction

    def weights(self, positive: BoolArray, weight: FloatArray | None) -> FloatArray:
        """Return the weights in order, negative where labels are, in place of the keys, which are lost."""
        signed = self._keys.view(np.float64)
        flat = None if weight is None else weight.ravel()
        for block in blocks_of(signed.size):
            rows = self._rows(block)
            signed[block] = (2.0 * positive[rows] - 1.0) * (1.0 if flat is None else flat[rows])
        return signed

    def _compare(self) -> tuple[BoolArray, IntArray]:
        """Return where tied groups start, and which rows have a lower score than the one before them."""
        starts_group = np.zeros(self._keys.size, dtype=bool)
        starts_group[self._offsets[:-1][self._offsets[1:] > self._offsets[:-1]]] = True
        misplaced = [np.zeros(0, dtype=np.int64)]
        for block in blocks_of(self._keys.size):
            low = max(block.start, 1)
            pairs = slice(low - 1, block.stop)
            high_part = self._keys[pairs] >> self._row_bits
            starts = starts_group[low : block.stop]
            starts |= high_part[1:] != high_part[:-1]
            if self._cut and not starts.all():
                score = self._score[self._rows(pairs)]
                cut_off = ~starts & (score[1:] != score[:-1])  # what tells two scores apart
                if cut_off.any():
                    misplaced.append(low + np.flatnonzero(cut_off & (score[1:] < score[:-1])))
                    starts |= cut_off
        return starts_group, np.concatenate(misplaced)

    def _mend(self, row: int) -> int:
        """Order by their scores the rows whose keys agree with this one's; return where they end."""
        ranking = int(np.searchsorted(self._offsets, row, side="right")) - 1
        begin, stop = self._offsets[ranking : ranking + 2].tolist()
        mask = (1 << self._row_bits) - 1
        high_part = self._keys[row] & ~mask
        low = begin + int(self._keys[begin:stop].searchsorted(high_part))
        high: int = begin + self._keys[begin:stop].searchsorted(high_part | mask, side="right").item()
        number = np.sort(self._keys[low:high] & mask)
        score = self._score[(begin if self._direction > 0 else stop - 1) + number * self._direction]
        order = np.argsort(score, kind="stable")
        self._keys[low:high] = high_part | number[order]
        self.starts_group[low + 1 : high] = score[order[1:]] != score[order[:-1]]
        return high
