"""Rankings whose rows keep their order while their weights change, without a new sort.

A step is a score that a positive has. A cell is a set of rows that have the same effect
on every score: rows with the same label at the same step, or negatives between two
steps. Cell 0 has the negatives below all steps. Each step, worst first, then has three
cells: negatives with its score (`tied`), its positives, and negatives above it and
below the next step (`above`).
"""

from typing import NamedTuple

import numpy as np

from .._core.ranking.rankings import Rankings, Steps
from .._core.rounding import EQUAL
from .._core.typing import BoolArray, FloatArray, IntArray, TieOrder
from .ranked_rows import RankedRows


def sums_of_units(
    values: FloatArray, unit: IntArray | None, n_units: int = 0
) -> FloatArray:
    """Return the sum of the values of each unit; the values themselves if each row is a
    unit.

    Units are numbered from 0. If `n_units` is larger than the highest number, the last
    units have no values, and the sum 0.
    """
    if unit is None:
        return values
    return np.bincount(unit, values, n_units).astype(np.float64, copy=False)


class Cells(NamedTuple):
    """The cell of each row of a single ranking."""

    # Number of the cell of each row.
    cell: IntArray
    # Number of distinct scores that a positive has.
    n_steps: int

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of the rows in each cell, which is 0 if a cell
        has no rows.
        """
        return sums_of_units(values, self.cell, 1 + 3 * self.n_steps)


class OfSteps(NamedTuple):
    """Views of the values of cells, each with one value per step."""

    tied: FloatArray
    positive: FloatArray
    above: FloatArray


def of_steps(of_cells: FloatArray) -> OfSteps:
    """Return the values of the three cells of each step, without cell 0."""
    return OfSteps(*of_cells[1:].reshape(-1, 3).T)


def ranked_rows(
    rows: RankedRows, tie_order: TieOrder | None = None
) -> tuple[IntArray, IntArray]:
    """Return the order of the rows of a single ranking, worst first, and the number of
    the tied group of each row in this order.
    """
    in_order = rows.in_order(tie_order) if tie_order else rows.order
    order = in_order.place
    # With an order of equal scores, no rows are tied.
    if tie_order is not None:
        return order, np.arange(order.size)
    # Without rows, there is no first row, so the slice is empty.
    starts_group = np.append(False, ~in_order.is_tied)[: order.size]
    return order, np.add.accumulate(starts_group, dtype=np.int64)


def cells_of(rows: RankedRows) -> Cells:
    """Return the cell of each row of a single ranking."""
    order, group = ranked_rows(rows)
    of_order = cells_in_order(group, rows.positive.take(order))
    cell = np.empty(order.size, dtype=np.int64)
    cell[order] = of_order.cell
    return of_order._replace(cell=cell)


def cells_in_order(group: IntArray, is_positive: BoolArray) -> Cells:
    """Return the cells of rows in their order, worst first, from their tied groups."""
    has_positive = np.bincount(group, is_positive) > 0
    # Number of steps at or below each tied group.
    n_steps = np.add.accumulate(has_positive, dtype=np.int64)
    # If a tied group has a positive, the negatives of the group are in the cell `tied`
    # of its step. Else they are in the cell `above` of the next step below, or in cell
    # 0 if there is no step below.
    of_negatives = 3 * n_steps - 2 * has_positive
    cell = of_negatives[group] + is_positive
    return Cells(cell, int(np.count_nonzero(has_positive)))


def from_each_on(values: FloatArray) -> FloatArray:
    """Return, for each value, the sum of this value and all later values."""
    return np.add.accumulate(values[::-1])[::-1]


def steps_of_cells(weight: FloatArray) -> Steps:
    """Return the steps of a single ranking from the weights of its cells."""
    tied, gained, _ = of_steps(weight)
    tp = from_each_on(gained)
    # The tied negatives are the first of the three cells of a step, and cells are in
    # the order of scores, lowest first. So the sum from this cell on is the weight at
    # or above the step.
    retrieved, _, above = of_steps(from_each_on(weight))
    steps = Steps(tp, np.append(tp[1:], 0.0), retrieved, lambda: above)
    # Set the weights of steps and groups from sums over rows. `Steps` would subtract
    # running sums, and lose the weight of a light row.
    steps.gained = gained
    steps.group_weight = tied + gained
    return steps


def weights_of_cells(ranking: Rankings) -> FloatArray:
    """Return the weight of each cell of a single ranking from its steps."""
    edges = [
        np.stack((steps.tp, steps.tp_above, steps.retrieved, steps.above))
        for steps in ranking.kernel.blocks()
    ]
    tp, tp_above, retrieved, above = np.concatenate(edges, axis=1)
    # `negatives` has two weights per step, worst step first: the weight of the
    # negatives at or above the step, and the weight of the negatives above it.
    # Differences between neighbouring values are the weights of cells: cell 0, then
    # `tied` and `above` of each step.
    all_negatives = ranking.total_weight - ranking.found_weight
    negatives = np.column_stack((retrieved - tp, above - tp_above)).ravel()
    between = -np.diff(negatives, prepend=all_negatives, append=0.0)
    weight = np.empty(1 + 3 * tp.size)
    weight[0], of_step = between[0], of_steps(weight)
    of_step.tied[:], of_step.above[:] = between[1::2], between[2::2]
    of_step.positive[:] = tp - tp_above
    return weight


def vertices_of(fine: Steps) -> tuple[Steps, IntArray]:
    """Return the steps of a block at which the best precision rises, called vertices.
    Also return, for each step of the block, the place of its vertex among them.

    The interpolated precision at a step is that of its vertex: the nearest vertex at
    this step or below it.
    """
    best = np.maximum.accumulate(fine.tp / fine.retrieved)
    # A difference that rounding alone can make is not a rise.
    rises = np.append(True, best[1:] > best[:-1] * (1 + EQUAL))
    at = np.flatnonzero(rises)
    tp = fine.tp[at]
    retrieved = fine.retrieved[at]
    gained = np.add.reduceat(fine.gained, at)
    steps = Steps(
        tp, np.append(tp[1:], 0.0), retrieved, lambda: np.append(retrieved[1:], 0.0)
    )
    steps.gained = gained
    return steps, np.cumsum(rises) - 1
