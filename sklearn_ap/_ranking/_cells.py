"""Rankings whose rows stay where they are while their weights change: by a bootstrap, or row by row.

Rows between the same two steps, or with the same label and score, do the same to every number. A ranking of
`G` steps has `3 G + 1` such cells, worst first: the negatives below step `g` are cell `3 g`, the negatives
with its score `3 g + 1`, its positives `3 g + 2`; the negatives above the best step are the last cell. Sorted
once, the rows can be weighted again and again, cell by cell or, where cells hold few rows, row by row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._rankings import OperatingPoints
from ._steps import Steps

__all__ = ["Cells", "Places", "ReweightedKernel", "cells_of", "steps_of_lone"]

_FIRST = np.zeros(1, dtype=np.int64)  # a lone ranking is number 0, and its steps start at 0


class Places(NamedTuple):
    """Where the steps of a lone ranking stand among rows or cells in order, worst first."""

    group: IntArray  # the first one of each tied group
    after: IntArray  # the first one above it
    positive: IntArray  # those of positives
    first: IntArray  # which of these begin each step, and their number


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

    @property
    def places(self) -> Places:
        """Where the steps stand among the cells."""
        step = np.arange(self.n_steps + 1)
        return Places(3 * step[:-1] + 1, 3 * step[1:], 3 * step[:-1] + 2, step)

    def in_order(self) -> tuple[IntArray, Places]:
        """Return the rows in order, and where the steps stand among them."""
        order = self.cell.argsort(kind="stable")
        begin = np.append(0, np.cumsum(np.bincount(self.cell, minlength=self.n_cells)))
        positive = (self.cell.take(order) % 3 == 2).nonzero()[0]
        n_positives = begin[3::3] - begin[2::3]
        first = np.append(0, np.cumsum(n_positives))
        return order, Places(begin[1:-1:3], begin[3::3], positive, first)


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


class ReweightedKernel:
    """Rankings of the same rows or cells in order, one per row of the matrix `weight`.

    Integers count rows. Their sums are exact in any order, so sums from below serve, which take a seventh
    of the time of sums from above.
    """

    def __init__(self, weight: AnyArray, places: Places) -> None:
        self._places = places
        self._sums = _from_each_on(weight)
        self._positive_sums = _from_each_on(weight.take(places.positive, axis=1))
        self.n_samples = self._sums[:, 0].astype(np.float64)
        self.n_found = self._positive_sums[:, 0].astype(np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive, all in one block. May be called again."""
        tp = self._positive_sums.take(self._places.first, axis=1)
        gains = tp[:, :-1] > tp[:, 1:]
        length = np.count_nonzero(gains, axis=1)
        ranking = length.nonzero()[0]
        if ranking.size:
            start = np.cumsum(length[ranking]) - length[ranking]
            kept = gains.reshape(-1).nonzero()[0]  # places are taken in a tenth of the time of a mask
            of_step = kept if len(tp) == 1 else kept % gains.shape[1]
            of_ranking = 0 if len(tp) == 1 else kept // gains.shape[1]
            yield _ReweightedSteps(
                _floats(tp, of_ranking, of_step),
                _floats(tp, of_ranking, of_step + 1),
                _floats(self._sums, of_ranking, self._places.group.take(of_step)),
                ranking,
                start,
                self._sums,
                of_ranking,
                self._places.after.take(of_step),
            )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows; with weights, no number of such rows asks for it."""
        return np.minimum(depth, self.n_samples)

    def points(self) -> OperatingPoints:
        """Raise TypeError: the rows keep no scores."""
        raise TypeError("operating points need scores, which reweighted rows do not keep.")


@dataclass(eq=False)
class _ReweightedSteps(Steps):
    sums: AnyArray
    of_ranking: IntArray | int
    after: IntArray

    def _find_above(self) -> FloatArray:
        return _floats(self.sums, self.of_ranking, self.after)


@dataclass(eq=False)
class _KnownSteps(Steps):
    known_above: FloatArray

    def _find_above(self) -> FloatArray:
        return self.known_above


def steps_of_lone(tp: FloatArray, tp_above: FloatArray, retrieved: FloatArray, above: FloatArray) -> Steps:
    """Return the steps of a lone ranking, worst first, from their counts."""
    return _KnownSteps(tp, tp_above, retrieved, _FIRST, _FIRST, above)


def _floats(values: AnyArray, row: IntArray | int, column: IntArray) -> FloatArray:
    """Return elements of a matrix in float64."""
    elements: FloatArray = values.reshape(-1).take(column + row * values.shape[1]).astype(np.float64)
    return elements


def _from_each_on(values: AnyArray) -> AnyArray:
    """Return the sum of each row of a matrix from each column on; after the last column, 0."""
    sums = np.zeros((len(values), values.shape[1] + 1), dtype=values.dtype)
    if values.dtype.kind == "f":
        np.add.accumulate(values[:, ::-1], axis=1, out=sums[:, -2::-1])
        return sums
    np.add.accumulate(values, axis=1, out=sums[:, 1:])
    return np.subtract(sums[:, -1:], sums, out=sums)
