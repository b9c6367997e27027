"""The kernel of weights that are the same for all positives and for all negatives of a ranking.

Balanced weights are such weights, and the weights that bring a ranking to another prevalence. The rows are
ranked without weights, and the counts are multiplied by the two weights.
"""

from collections.abc import Iterator
from functools import cached_property, partial

import numpy as np

from .._typing import BoolArray, FloatArray
from ._blocks import blocks_of
from ._rankings import Kernel, OperatingPoints
from ._steps import Reduction, Steps

UNIT = np.ones(1)  # the weight of positives that count as they are, in every ranking


def class_weights(positive: BoolArray, weight: FloatArray) -> tuple[float, float] | None:
    """Return the weight of every positive and of every negative, or None if either class has several."""
    if len(set(weight[:3].tolist())) == 3:  # two classes cannot have three weights: decides most calls
        return None
    # If a class is empty, this finds a row of the other class, whose weight is then multiplied by 0 rows.
    of_positive, of_negative = float(weight[positive.argmax()]), float(weight[positive.argmin()])
    for block in blocks_of(positive.size):  # other weights nearly always fail in the first block
        if not np.array_equal(weight[block], np.where(positive[block], of_positive, of_negative)):
            return None
    return of_positive, of_negative


def _reweighted_steps(of_positives: FloatArray, of_negatives: FloatArray, steps: Steps) -> Steps:
    """Return steps that count rows with the weight of a positive and of a negative of each ranking."""
    if of_negatives.size > 1:  # the values of a single ranking broadcast
        of_negatives = steps.per_step(of_negatives)
    tp, tp_above = steps.tp, steps.tp_above
    if of_positives is not UNIT:
        of_each = of_positives if of_positives.size == 1 else steps.per_step(of_positives)
        tp, tp_above = of_each * tp, of_each * tp_above
    retrieved = steps.retrieved - steps.tp
    retrieved *= of_negatives
    retrieved += tp
    return Steps(
        tp,
        tp_above,
        retrieved,
        lambda: tp_above + of_negatives * (steps.above - steps.tp_above),
        steps.ranking,
        steps.start,
        (lambda: steps.rows_retrieved, lambda: steps.rows_above),
    )


def _gained_to_depth(depth: FloatArray, steps: Steps) -> FloatArray:
    return steps.share_within(depth) * steps.gained


class ClassWeightKernel(Kernel):
    """Rankings that another kernel counts, with the weight of a positive and of a negative of each."""

    def __init__(self, counted: Kernel, of_positives: FloatArray, of_negatives: FloatArray) -> None:
        self._counted = counted
        self._of_positives, self._of_negatives = of_positives, of_negatives
        self._view = partial(_reweighted_steps, of_positives, of_negatives)
        self.found_weight = of_positives * counted.found_weight

    @cached_property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # late: few ask for it
        """Weight of all samples of each ranking."""
        return self._weigh(self._counted.found_weight, self._counted.total_weight)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return map(self._view, self._counted.blocks())

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group at the cut gives its share."""
        positives = self._counted.reduce(Reduction(partial(_gained_to_depth, depth)))
        return self._weigh(positives, self._counted.weight_of_best(depth))

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        threshold, tp, retrieved = self._counted.points()
        return OperatingPoints(threshold, self._of_positives * tp, self._weigh(tp, retrieved))

    def _weigh(self, positives: FloatArray, rows: FloatArray) -> FloatArray:
        """Return the weight of `rows` rows of each ranking that contain `positives` positives."""
        return self._of_positives * positives + self._of_negatives * (rows - positives)
