"""Rankings whose rows stay where they are while their weights change: by a bootstrap, or row by row.

Rows between the same two steps, or with the same label and score, do the same to every number. A ranking of
`G` steps has `3 G + 1` such cells, worst first: the negatives below step `g` are cell `3 g`, the negatives
with its score `3 g + 1`, its positives `3 g + 2`; the negatives above the best step are the last cell. Sorted
once, the rows can be weighted again and again, cell by cell or, where cells contain few rows, row by row.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from .._rounding import EQUAL
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._rankings import Kernel
from ._steps import Steps


class StepPositions(NamedTuple):
    """Where the steps of a single ranking, worst first, stand among rows or cells, which are best first."""

    retrieved: IntArray  # how many are at or above each step
    above: IntArray
    positive: IntArray  # those of positives
    found: IntArray  # how many of these are at or above each step, and 0


class Cells(NamedTuple):
    """The rows of a single ranking in cells."""

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
    def places(self) -> StepPositions:
        """Where the steps stand among the cells."""
        retrieved = 3 * np.arange(self.n_steps, 0, -1)
        return StepPositions(retrieved, retrieved - 2, retrieved[::-1] - 2, np.arange(self.n_steps, -1, -1))

    def in_order(self) -> tuple[IntArray, StepPositions]:
        """Return the rows in order, best first, and where the steps stand among them."""
        order, cells = self.cell.argsort(kind="stable")[::-1], self.places
        positive = (self.cell.take(order) % 3 == 2).nonzero()[0]
        size = np.bincount(self.cell, minlength=self.n_cells)[::-1]
        n_rows, n_found = (np.append(0, np.cumsum(sizes)) for sizes in (size, size[cells.positive]))
        return order, StepPositions(
            n_rows[cells.retrieved], n_rows[cells.above], positive, n_found[cells.found]
        )


def cells_of(positive: BoolArray, score: AnyArray) -> Cells:
    """Put the rows of a single ranking into cells."""
    order = score.argsort()
    in_order, is_positive = score.take(order), positive.take(order)
    starts_group = np.append(True, in_order[1:] != in_order[:-1])[: order.size]
    has_positive = np.logical_or.reduceat(is_positive, starts_group.nonzero()[0])
    n_steps = np.add.accumulate(has_positive, dtype=np.int64)  # with this score or a worse one
    first = 3 * n_steps - 2 * has_positive  # cell of the negatives of each group
    cell = np.empty(order.size, dtype=np.int64)
    cell[order] = first[np.add.accumulate(starts_group, dtype=np.int64) - 1] + is_positive
    return Cells(cell, int(np.count_nonzero(has_positive)))


class ReweightedKernel(Kernel):
    """Rankings of the same rows or cells, best first, one per row of `weight`; integers count rows."""

    def __init__(self, weight: AnyArray, places: StepPositions) -> None:
        self._places, self._sums = places, _sums_of_first(np.ascontiguousarray(weight))
        tp = _sums_of_first(weight.take(places.positive, axis=1))
        self.total_weight, self.found_weight = (sums[:, -1].astype(np.float64) for sums in (self._sums, tp))
        self._tp = tp.take(places.found, axis=1)  # at or above each step, and 0

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive, all in one block. May be called again."""
        gains: BoolArray = self._tp[:, :-1] != self._tp[:, 1:]
        length = np.count_nonzero(gains, axis=1)
        ranking = length.nonzero()[0]
        if ranking.size:
            start = np.cumsum(length[ranking]) - length[ranking]
            flat = gains.reshape(-1).nonzero()[0]  # places are taken in a tenth of the time of a mask
            row, step = np.divmod(flat, gains.shape[1]) if len(gains) > 1 else (0, flat)

            def taken(sums: AnyArray, column: IntArray) -> FloatArray:
                return np.asarray(sums.reshape(-1).take(column + row * sums.shape[1]), dtype=np.float64)

            above = partial(taken, self._sums, self._places.above.take(step))
            retrieved = taken(self._sums, self._places.retrieved.take(step))
            yield Steps(taken(self._tp, step), taken(self._tp, step + 1), retrieved, above, ranking, start)


def _sums_of_first(values: AnyArray) -> AnyArray:
    """Return the sums of the first columns of a matrix: of none, of one, and so on up to all."""
    sums = np.zeros((len(values), values.shape[1] + 1), dtype=values.dtype)
    np.add.accumulate(values, axis=1, out=sums[:, 1:])
    return sums


class _ExactSteps(Steps):
    """Steps that gain the weight of their rows; a difference of running sums may lose it."""

    gained = np.zeros(0)  # a property of other steps; set for each


def steps_of_cells(weight: FloatArray) -> Steps:
    """Return the steps of a single ranking from the weights of its cells, which `Cells` describes."""
    gained, from_each_on = weight[2::3], np.add.accumulate(weight[::-1])[::-1]
    tp = np.add.accumulate(gained[::-1])[::-1]
    steps = _ExactSteps(tp, np.append(tp[1:], 0.0), from_each_on[1:-1:3], lambda: from_each_on[3::3])
    steps.gained, steps.group_weight = gained, weight[1:-1:3] + gained
    return steps


class RowsOfSteps(NamedTuple):
    """Rows in order, worst first, up to those of the best step of a block, or all that are left."""

    steps: Steps  # which gain the weight of their rows
    signed: FloatArray  # weights, negated for negatives
    begin: IntArray  # of the rows below the first step, and of those from each step to the next
    positive: IntArray  # which rows are positives
    weight: FloatArray  # of these
    step: IntArray | None  # of these, if steps have several


def rows_of_steps(steps: Steps, signed: FloatArray, begin: int) -> RowsOfSteps:
    """Return rows from `begin` on, up to the best one of these steps or, of a ranking's last steps, all."""
    end = signed.size
    if steps.tp_above.item(-1):
        end -= int(steps.rows_above.item(-1))
    begins = np.zeros(steps.tp.size + 1, dtype=np.int64)
    np.subtract(signed.size - begin, steps.rows_retrieved, out=begins[1:], casting="unsafe")
    signed, step = signed[begin:end], None
    positive = (signed > 0).nonzero()[0]
    weight = gained = signed.take(positive)
    if weight.size > steps.tp.size:  # ties, or positives too light for the sums, which join the step below
        step = np.maximum(begins[1:].searchsorted(positive, side="right") - 1, 0)
        gained = np.bincount(step, weight, steps.tp.size).astype(np.float64, copy=False)
    exact = _ExactSteps(*steps)
    exact.gained = gained
    return RowsOfSteps(exact, signed, begins, positive, weight, step)


def vertices_of(fine: Steps) -> tuple[Steps, IntArray]:
    """Return the steps of a block at which the envelope rises, and the vertex that gains for each step."""
    best = np.maximum.accumulate(fine.tp / fine.retrieved)
    rises = np.append(True, best[1:] > best[:-1] * (1 + EQUAL))
    at = rises.nonzero()[0]
    tp, retrieved, gained = fine.tp[at], fine.retrieved[at], np.add.reduceat(fine.gained, at)
    steps = _ExactSteps(tp, np.append(tp[1:], 0.0), retrieved, lambda: np.append(retrieved[1:], 0.0))
    steps.gained = gained
    return steps, np.cumsum(rises) - 1
