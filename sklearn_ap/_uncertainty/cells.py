"""Rankings whose rows keep their order while their weights change, without a new sort.

A cell is a set of rows that always count alike: rows with the same label and score, or
negatives between the same two steps. A ranking of `G` steps has `3 G + 1`
such cells, worst first: the negatives below step `g` are cell `3 g`, the negatives with
its score `3 g + 1`, its positives `3 g + 2`; the negatives above the best step are the
last cell.
"""

from typing import NamedTuple

import numpy as np

from .._core.ranking.keys import order_of
from .._core.ranking.rankings import Rankings, Rows, Steps
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
