"""What rankings without weights share: rows are counted, and counts are exact."""

from copy import copy
from typing import Self

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray


class CountedRankings:
    """Totals in rows; a kernel adds `blocks()` and `points()`."""

    weighted = False

    def __init__(self, positive: BoolArray, offsets: IntArray) -> None:
        self._offsets = offsets
        self.n_positives = self._found = _positives_of(positive, offsets)

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows of each ranking."""
        return (self._offsets[1:] - self._offsets[:-1]).astype(np.float64)

    @property
    def n_samples(self) -> FloatArray:
        """Number of rows of each ranking."""
        return self.n_rows

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows of each ranking."""
        return np.minimum(depth, self.n_rows)

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return how many of the positives of each ranking `depth` rows can hold."""
        return np.minimum(depth, self._found)

    def with_n_positives(self, n_positives: FloatArray) -> Self:
        """Return the same rankings with another total of positives."""
        stated = copy(self)
        stated.n_positives = n_positives
        return stated


def _positives_of(positive: BoolArray, offsets: IntArray) -> FloatArray:
    """Count the positives of each ranking."""
    if offsets.size == 2:
        return np.array([np.count_nonzero(positive)], dtype=np.float64)
    if positive.ndim == 2 and len(positive) == offsets.size - 1:
        return np.asarray(np.count_nonzero(positive, axis=1), dtype=np.float64)
    if positive.size > 1000 * offsets.size:
        return np.array(
            [float(np.count_nonzero(row)) for row in np.split(positive.reshape(-1), offsets[1:-1])]
        )
    counts = np.zeros(offsets.size - 1)
    filled = np.flatnonzero(np.diff(offsets))
    counts[filled] = np.add.reduceat(positive.ravel(), offsets[filled], dtype=np.int64)
    return counts
