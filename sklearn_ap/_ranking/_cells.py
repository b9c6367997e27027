"""Rankings in cells: what is left of a ranking if only the weights of its rows change.

Rows between the same two steps, or with the same label and score, do the same to every number. A ranking of
`G` steps has `3 G + 1` such cells, worst first: the negatives below step `g` are cell `3 g`, the negatives
with its score `3 g + 1`, its positives `3 g + 2`; the negatives above the best step are the last cell. Sorted
once, the rows can be weighted again and again: by a bootstrap, or row by row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._rankings import OperatingPoints
from ._steps import Steps

__all__ = ["CellKernel", "Cells", "cells_of", "steps_of_lone"]

_FIRST = np.zeros(1, dtype=np.int64)  # a lone ranking is number 0, and its steps start at 0


class Cells(NamedTuple):
    """The rows of a lone ranking in cells."""

    cell: IntArray  # of each row
    n_steps: int

    @property
    def n_cells(self) -> int:
        """Number of cells, some of which may be empty."""
        return 3 * self.n_steps + 1

    def sums(self, values: FloatArray | None = None) -> FloatArray:
        """Add up the values of the rows of each cell, or count them."""
        return np.bincount(self.cell, values, self.n_cells).astype(np.float64, copy=False)


def cells_of(positive: BoolArray, score: AnyArray) -> Cells:
    """Put the rows of a lone ranking into cells."""
    order = score.argsort()
    in_order, is_positive = score.take(order), positive.take(order)
    starts_group = np.append(True, in_order[1:] != in_order[:-1])
    has_positive = np.logical_or.reduceat(is_positive, starts_group.nonzero()[0])
    n_steps = np.add.accumulate(has_positive, dtype=np.int64)  # with this score or a worse one
    first = 3 * n_steps - 2 * has_positive  # cell of the negatives of each group
    cell = np.empty(order.size, dtype=np.int64)
    cell[order] = first[np.add.accumulate(starts_group, dtype=np.int64) - 1] + is_positive
    return Cells(cell, int(n_steps[-1]))


class CellKernel:
    """Rankings of the same cells, one per row of `weight`, which has the shape (n_rankings, n_cells)."""

    def __init__(self, weight: FloatArray) -> None:
        # Every step, and the negatives between it and the next better one.
        below, inside = weight[:, :1], weight[:, 1:].reshape(len(weight), -1, 3)
        tied, gained, gap = inside[:, :, 0], inside[:, :, 1], inside[:, :, 2]
        self._gained, self._tp = gained, _from_each_on(gained)
        self._retrieved = _from_each_on(tied + gained + gap)
        self._above = gap.copy()
        self._above[:, :-1] += self._retrieved[:, 1:]
        self.n_found = self._tp[:, 0].copy()
        self.n_samples = self._retrieved[:, 0] + below[:, 0]

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive, all in one block. May be called again."""
        gains = self._gained > 0
        length = np.count_nonzero(gains, axis=1)
        ranking = length.nonzero()[0]
        if ranking.size:
            start = np.cumsum(length[ranking]) - length[ranking]
            tp = self._tp[gains]
            tp_above = np.append(tp[1:], 0.0)
            tp_above[start[1:] - 1] = 0.0  # nothing is above the best step of a ranking
            yield _KnownSteps(tp, tp_above, self._retrieved[gains], ranking, start, self._above[gains])

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows; with weights, no number in cells asks for it."""
        return np.minimum(depth, self.n_samples)

    def points(self) -> OperatingPoints:
        """Raise TypeError: cells keep no scores."""
        raise TypeError("operating points need scores, which cells do not keep.")


@dataclass(eq=False)
class _KnownSteps(Steps):
    known_above: FloatArray

    def _find_above(self) -> FloatArray:
        return self.known_above


def steps_of_lone(tp: FloatArray, tp_above: FloatArray, retrieved: FloatArray, above: FloatArray) -> Steps:
    """Return the steps of a lone ranking, worst first, from their counts."""
    return _KnownSteps(tp, tp_above, retrieved, _FIRST, _FIRST, above)


def _from_each_on(values: FloatArray) -> FloatArray:
    """Return the sum of each row of a matrix from each column to the last one."""
    sums = np.empty_like(values)
    np.add.accumulate(values[:, ::-1], axis=1, out=sums[:, ::-1])
    return sums
