"""The kernel of weighted rows, and of equal scores in their given order: one sort of (score, row) in one key.

The number of the row takes the low bits of a key, the score what is left of 63. Where that cuts scores
short, rows of equal keys are put in order by their true scores. The sorted keys then give way, in place, to
the weights that they point to.
"""

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._keys import Packing
from ._runs import sort_runs
from ._sorted import SortedRankings

_FEW = 1000  # one row in so many may be in the wrong place; beyond that, a plain sort is faster than mending


class WeightedRankings(SortedRankings):
    """What `SortedRankings` are, sorted faster; ties are None or stable.

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
        self._packing = packing
        self._least, self._most = (packing.keys(bounds) >> 1).tolist()
        super().__init__(positive, score, weight, offsets, ties=ties)

    def _arrange(
        self, positive: BoolArray, weight: FloatArray | None, ties: str | None
    ) -> tuple[FloatArray, BoolArray]:
        """Return the signed weights in order, and where tied groups start."""
        self._step = 1 if ties is None else -1  # what is retrieved first, and so sorted last, has number 0
        self._bits = max(int(self.n_rows.max()) - 1, 1).bit_length()  # of a row's number in its ranking
        keys = self._sorted_keys()
        starts_group, misplaced = self._compare(keys)
        if misplaced.size * _FEW > keys.size + _FEW**2:
            return super()._arrange(positive, weight, ties)
        for row in misplaced.tolist():
            self._mend(keys, starts_group, row)
        signed = keys.view(np.float64)
        for low, high in self._blocks:
            row = self._rows(low, high, keys)
            signed[low:high] = (2.0 * positive[row] - 1.0) * (1.0 if weight is None else weight[row])
        return signed, starts_group if ties is None else np.ones_like(starts_group)

    def _sorted_keys(self) -> IntArray:
        cut = max((self._most - self._least).bit_length() + self._bits - 63, 0)
        self._is_cut = cut > 0
        keys = np.empty(self._score.size, dtype=np.int64)
        for low, high in self._blocks:
            score = (self._packing.keys(self._score[low:high]) >> 1).astype(
                np.int64, copy=False
            ) - self._least
            number = np.arange(low, high) - self._number_0(low, high)
            keys[low:high] = (score >> cut << self._bits) | (number * self._step)
        sort_runs(keys, self._offsets)
        return keys

    def _number_0(self, low: int, high: int) -> IntArray | int:
        """Return for each row from `low` to `high` the row from which those of its ranking are numbered."""
        rankings, bounds = self._inside(low, high)
        edges = self._offsets[rankings.start : rankings.stop + 1]
        rows = edges[:-1] if self._step > 0 else edges[1:] - 1
        return int(rows[0]) if rows.size == 1 else np.repeat(rows, bounds[1:] - bounds[:-1])

    def _rows(self, low: int, high: int, keys: IntArray) -> IntArray:
        """Return which rows the sorted keys from `low` to `high` point to."""
        return self._number_0(low, high) + (keys[low:high] & ((1 << self._bits) - 1)) * self._step

    def _compare(self, keys: IntArray) -> tuple[BoolArray, IntArray]:
        """Return where tied groups start, and which rows have a lower score than the one before them."""
        starts_group = np.ones(keys.size, dtype=bool)
        starts_group[1:] = False
        starts_group[self._offsets[:-1][self.n_rows > 0]] = True
        misplaced = [np.zeros(0, dtype=np.int64)]
        for begin, high in self._blocks:
            low = max(begin, 1)
            key = keys[low - 1 : high] >> self._bits
            starts = starts_group[low:high]
            starts |= key[1:] != key[:-1]
            if self._is_cut and not starts.all():
                score = self._score[self._rows(low - 1, high, keys)]
                cut_off = ~starts & (score[1:] != score[:-1])  # what tells two scores apart
                if cut_off.any():
                    misplaced.append(low + np.flatnonzero(cut_off & (score[1:] < score[:-1])))
                    starts |= cut_off
        return starts_group, np.concatenate(misplaced)

    def _mend(self, keys: IntArray, starts_group: BoolArray, row: int) -> None:
        """Put the rows whose keys agree with the one in this place in the order of their scores."""
        ranking = int(np.searchsorted(self._offsets, row, side="right")) - 1
        begin, stop = self._offsets[ranking : ranking + 2].tolist()
        mask = (1 << self._bits) - 1
        top = keys[row] & ~mask
        low = begin + int(keys[begin:stop].searchsorted(top))
        high = begin + int(keys[begin:stop].searchsorted(top | mask, side="right"))
        number = np.sort(keys[low:high] & mask)
        score = self._score[(begin if self._step > 0 else stop - 1) + number * self._step]
        order = np.argsort(score, kind="stable")
        keys[low:high] = top | number[order]
        starts_group[low + 1 : high] = score[order][1:] != score[order][:-1]
