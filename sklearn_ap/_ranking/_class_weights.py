"""The kernel of weights that are the same for all positives and for all negatives, as balanced weights are.

The rows are then ranked without weights, and the counts are multiplied by the two weights.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._typing import BoolArray, FloatArray
from ._blocks import blocks_of
from ._rankings import Kernel, OperatingPoints
from ._steps import Steps, total

__all__ = ["ClassWeightKernel", "class_weights"]


def class_weights(positive: BoolArray, weight: FloatArray) -> tuple[float, float] | None:
    """Return the weight of every positive and of every negative, or None if either class has several."""
    if (
        len(set(weight[:3].tolist())) == 3
    ):  # two classes cannot have three weights: decides most calls at once
        return None
    # If a class is empty, this finds a row of the other class, whose weight is then multiplied by 0 rows.
    of_positives, of_negatives = float(weight[positive.argmax()]), float(weight[positive.argmin()])
    for block in blocks_of(positive.size):  # other weights nearly always fail in the first block
        if not np.array_equal(weight[block], np.where(positive[block], of_positives, of_negatives)):
            return None
    return of_positives, of_negatives


class ClassWeightKernel:
    """A lone ranking that another kernel counts; `weights` are those of a positive and of a negative."""

    def __init__(self, counted: Kernel, weights: tuple[float, float]) -> None:
        self._counted = counted
        self.of_positives, self._of_negatives = weights
        self.n_found = self.of_positives * counted.n_found
        self.n_samples = self.weigh(counted.n_found, counted.n_samples)

    def weigh(self, positives: FloatArray, rows: FloatArray) -> FloatArray:
        """Return the weight of `rows` rows that hold `positives` positives."""
        return self.of_positives * positives + self._of_negatives * (rows - positives)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        # The steps of the other kernel go along: it knows the rows, and finds what is above only if asked.
        for steps in self._counted.blocks():
            tp, tp_above = self.of_positives * steps.tp, self.of_positives * steps.tp_above
            retrieved = self.weigh(steps.tp, steps.retrieved)
            yield _ClassWeightSteps(tp, tp_above, retrieved, steps.ranking, steps.start, self, steps)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group at the cut gives its share."""
        found = total(self._counted, ((s, s.share_within(depth) * s.gained) for s in self._counted.blocks()))
        return self.weigh(found, self._counted.weight_of_best(depth))

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        threshold, tp, retrieved = self._counted.points()
        return OperatingPoints(threshold, self.of_positives * tp, self.weigh(tp, retrieved))


@dataclass(eq=False)
class _ClassWeightSteps(Steps):
    kernel: ClassWeightKernel
    counted: Steps

    def _find_above(self) -> FloatArray:
        return self.kernel.weigh(self.counted.tp_above, self.counted.above)

    @property
    def rows_retrieved(self) -> FloatArray:
        return self.counted.retrieved

    @property
    def rows_above(self) -> FloatArray:
        return self.counted.above
