"""The kernel of steps that were counted elsewhere: the scores of positives, and the negatives about them."""

from collections.abc import Iterator

import numpy as np

from .._typing import FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of
from ._rankings import OperatingPoints
from ._steps import Steps

__all__ = ["CountedKernel"]


class CountedKernel:
    """A lone ranking without weights, as counts by distinct score of a positive, the worst score first.

    Parameters
    ----------
    gained : ndarray
        Number of positives that have each score.
    not_below, above : ndarray
        Number of negatives at or above each score, and above it.
    n_samples : int
        Number of all rows.
    """

    def __init__(self, gained: IntArray, not_below: IntArray, above: IntArray, n_samples: int) -> None:
        self._tp = np.append(np.cumsum(gained[::-1])[::-1], 0).astype(np.float64)
        self._not_below, self._above = not_below, above
        self.n_found = self._tp[:1]
        self.n_samples = np.array([n_samples], dtype=np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps. May be called again."""
        for block in blocks_of(self._not_below.size, BLOCK_ROWS):
            tp, tp_above = self._tp[:-1][block], self._tp[1:][block]
            yield Steps(tp, tp_above, tp + self._not_below[block], tp_above + self._above[block])

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows."""
        return np.minimum(depth, self.n_samples)

    def points(self) -> OperatingPoints:
        """Raise TypeError: the scores of negatives are not known."""
        raise TypeError("operating points need the scores of negatives, which were counted.")
