"""Accumulators for scans in this process: each part is written into one preallocated array.

Elsewhere a part may be read twice, and becomes a state that is sent and combined (`_scan`). Here each part is
read once, and what it adds is written straight to where it stays: rows then take their own bytes and hardly
more, where arrays of parts that are freed one by one leave gaps in memory (a third of 1e8 rows, measured).
"""

from threading import Lock
from typing import Any

import numpy as np

from ..._reading import Checked
from ..._typing import AnyArray, BoolArray
from .._states._columns import TYPES, cast, held
from .._states._rows import AllRows
from ._spread import AnyBins, Counts

_BLOCK = 2**17  # rows that are written at once: copies of a whole part would stay with the allocator


class Filling:
    """An array of scores: positives from its first place up, negatives from its last place down.

    Parameters
    ----------
    dtype : dtype
        The type of all scores, as the source tells it.
    n_rows : int
        How many there are.
    """

    def __init__(self, dtype: np.dtype[Any], n_rows: int) -> None:
        self._score: AnyArray = np.empty(n_rows, dtype=held(np.empty(0, dtype=dtype)).dtype)
        self._lock = Lock()
        self.counts, self._fits = (0, 0), True

    def __call__(self, checked: Checked) -> None:
        """Add the rows of a part, in whatever thread; rows that do not fit are only counted."""
        n_rows, n_positives = checked.score.size, int(np.count_nonzero(checked.positive))
        dtype = held(checked.score[:0]).dtype
        with self._lock:
            first, n_negatives = self.counts
            self.counts = first + n_positives, n_negatives + n_rows - n_positives
            self._fits &= sum(self.counts) <= self._score.size and _is_exact(dtype, self._score.dtype)
            fits = self._fits
        if fits:
            stop = self._score.size - n_negatives
            self._write(checked.score, checked.positive, first)
            self._write(checked.score, ~checked.positive, stop - (n_rows - n_positives))

    def _write(self, score: AnyArray, chosen: BoolArray, first: int) -> None:
        """Write the chosen scores from a place on."""
        for low in range(0, score.size, _BLOCK):
            rows = np.flatnonzero(chosen[low : low + _BLOCK])
            block = cast(held(score[low : low + _BLOCK]), self._score.dtype)
            # All rows exist. With mode="clip" numpy writes into `out`, and not into a copy of it first.
            block.take(rows, out=self._score[first : first + rows.size], mode="clip")
            first += rows.size

    def rows(self) -> AllRows | None:
        """Return the rows, or None unless all were written; call it once, when all parts were added."""
        if not self._fits or sum(self.counts) != self._score.size:
            return None
        return AllRows.of_array(self._score, self.counts[0])


def _is_exact(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether `wanted` is the type of a state that holds rows of both types."""
    return dtype == wanted or (wanted == TYPES["float64"] and dtype.itemsize == 4)


class Counting:
    """Positives and negatives in each bin."""

    def __init__(self, bins: AnyBins) -> None:
        self._bins, self._lock = bins, Lock()
        self.counts = Counts(*np.zeros((2, bins.n_bins), dtype=np.int64))

    def __call__(self, checked: Checked) -> None:
        """Add the rows of a part, in whatever thread."""
        positives, negatives = Counts.of_rows(checked, self._bins)
        with self._lock:
            self.counts.positives[:] += positives
            self.counts.negatives[:] += negatives
