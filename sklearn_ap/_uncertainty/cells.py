"""Rankings whose rows keep their order while their weights change, without a new sort.

A cell is a set of rows that always count alike: rows with the same label and score, or
negatives between the same two steps. A bootstrap draws the weights of cells or, where
cells contain few rows, of rows. A ranking of `G` steps has `3 G + 1` such cells, worst first: the negatives
below step `g` are cell `3 g`, the negatives with its score `3 g + 1`, its positives `3
g + 2`; the negatives above the best step are the last cell.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from .._core.ranking.keys import order_of
from .._core.ranking.rankings import Kernel, Rankings, Rows, Steps
from .._core.rounding import EQUAL
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray


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
        return np.bincount(self.cell, values, self.n_cells).astype(
            np.float64, copy=False
        )


def cells_of(positive: BoolArray, score: AnyArray) -> Cells:
    """Put the rows of a single ranking into cells."""
    rows = Rows(positive, score, None, np.array((0, score.size)))
    bounds = score.min(initial=0), score.max(initial=0)
    order, in_order = order_of(rows, None, bounds)
    is_positive = positive.take(order)
    starts_group = np.append(True, in_order[1:] != in_order[:-1])[: order.size]
    has_positive = np.logical_or.reduceat(is_positive, starts_group.nonzero()[0])
    # Number of steps with this score or a worse one, by tied group.
    n_steps = np.add.accumulate(has_positive, dtype=np.int64)
    first = 3 * n_steps - 2 * has_positive  # cell of the negatives of each group
    cell = np.empty(order.size, dtype=np.int64)
    cell[order] = (
        first[np.add.accumulate(starts_group, dtype=np.int64) - 1] + is_positive
    )
    return Cells(cell, int(np.count_nonzero(has_positive)))


class ReweightedKernel(Kernel):
    """Rankings of the same cells, best first, one per row of `weight`; integers count
    rows.
    """

    def __init__(self, weight: AnyArray) -> None:
        self._sums, self._tp = (
            _sums_of_first(np.ascontiguousarray(of_cells))
            for of_cells in (weight, weight[:, 1::3])
        )
        self.total_weight, self.found_weight = (
            sums[:, -1].astype(np.float64) for sums in (self._sums, self._tp)
        )

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive, all in one block.

        May be called again.
        """
        # Columns are turned, so that the worst step comes first, as in all blocks.
        gains: BoolArray = (self._tp[:, 1:] != self._tp[:, :-1])[:, ::-1]
        length = np.count_nonzero(gains, axis=1)
        ranking = length.nonzero()[0]
        if ranking.size:
            start = np.cumsum(length[ranking]) - length[ranking]
            # Places in the flat array are taken in a tenth of the time of a mask.
            flat = gains.reshape(-1).nonzero()[0]
            row: IntArray | int = 0
            step = flat
            if len(gains) > 1:
                row, step = np.divmod(flat, gains.shape[1])
            n_steps = gains.shape[1] - step  # steps at or above each of these

            def taken(sums: AnyArray, n_first: IntArray) -> FloatArray:
                return np.asarray(
                    sums.reshape(-1).take(n_first + row * sums.shape[1]),
                    dtype=np.float64,
                )

            # Best first, a ranking begins with the negatives above the best step, and
            # each step has three cells: sums of `3 n` cells end with the step `n`.
            tp = taken(self._tp, n_steps)
            tp_above = taken(self._tp, n_steps - 1)
            above = partial(taken, self._sums, 3 * n_steps - 2)
            yield Steps(
                tp, tp_above, taken(self._sums, 3 * n_steps), above, ranking, start
            )


def _sums_of_first(values: AnyArray) -> AnyArray:
    """Return the sums of the first columns of a matrix: of none, of one, and so on up
    to all.
    """
    sums = np.zeros((len(values), values.shape[1] + 1), dtype=values.dtype)
    np.add.accumulate(values, axis=1, out=sums[:, 1:])
    return sums


def steps_of_cells(weight: FloatArray) -> Steps:
    """Return the steps of a single ranking from the weights of its cells, which `Cells`
    describes.
    """
    gained = weight[2::3]
    from_each_on = np.add.accumulate(weight[::-1])[::-1]
    tp = np.add.accumulate(gained[::-1])[::-1]
    steps = Steps(
        tp, np.append(tp[1:], 0.0), from_each_on[1:-1:3], lambda: from_each_on[3::3]
    )
    # Set from the rows: a difference of running sums loses the weight of a light row.
    steps.gained = gained
    steps.group_weight = weight[1:-1:3] + gained
    return steps


def weights_of_cells(ranking: Rankings) -> FloatArray:
    """Return the weight of each cell of a single ranking from its steps."""
    edges = [
        np.stack((steps.tp, steps.tp_above, steps.retrieved, steps.above))
        for steps in ranking.kernel.blocks()
    ]
    tp, tp_above, retrieved, above = np.concatenate(edges, axis=1)
    negatives = retrieved - tp
    negatives_above = above - tp_above
    weight = np.empty(3 * tp.size + 1)
    all_negatives = ranking.total_weight - ranking.found_weight
    weight[::3] = np.append(all_negatives, negatives_above)
    weight[:-1:3] -= negatives
    weight[1::3] = negatives - negatives_above
    weight[2::3] = tp - tp_above
    return weight


def vertices_of(fine: Steps) -> tuple[Steps, IntArray]:
    """Return the steps of a block where the best precision rises, and for each old step
    its place among them.

    A step without a rise gains at the precision of the last rise before it.
    """
    best = np.maximum.accumulate(fine.tp / fine.retrieved)
    rises = np.append(True, best[1:] > best[:-1] * (1 + EQUAL))
    at = rises.nonzero()[0]
    tp = fine.tp[at]
    retrieved = fine.retrieved[at]
    gained = np.add.reduceat(fine.gained, at)
    steps = Steps(
        tp, np.append(tp[1:], 0.0), retrieved, lambda: np.append(retrieved[1:], 0.0)
    )
    steps.gained = gained
    return steps, np.cumsum(rises) - 1
