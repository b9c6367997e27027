"""The kernel of weights that are the same for all positives and for all negatives, as balanced weights are.

Rows are then ranked without their weights, and counts are multiplied.
"""

from collections.abc import Iterator
from copy import copy
from typing import Self

import numpy as np

from .._typing import BoolArray, FloatArray
from ._blocks import blocks_of
from ._steps import Points, Rankings, Steps, total


def class_weights(positive: BoolArray, weight: FloatArray) -> tuple[float, float] | None:
    """Return the weight of every positive and of every negative, or None where they differ."""
    of_positives, of_negatives = float(weight[positive.argmax()]), float(weight[positive.argmin()])
    for block in blocks_of(positive.size):  # the first settles it nearly always
        if not np.array_equal(weight[block], np.where(positive[block], of_positives, of_negatives)):
            return None
    return of_positives, of_negatives


class ClassWeightedRankings:
    """A lone ranking, counted; its positives weigh ``weights[0]`` each, its negatives ``weights[1]``."""

    weighted = True

    def __init__(self, counted: Rankings, weights: tuple[float, float]) -> None:
        self._counted = counted
        self._of_positives, self._of_negatives = weights
        self.n_rows = counted.n_rows
        self.n_positives = self._of_positives * counted.n_positives
        self.n_samples = self._weight(counted.n_positives, counted.n_rows)

    def _weight(self, positives: FloatArray, rows: FloatArray) -> FloatArray:
        return self._of_positives * positives + self._of_negatives * (rows - positives)

    def with_n_positives(self, n_positives: FloatArray) -> Self:
        """Return the same ranking with another total of positives."""
        stated = copy(self)
        stated.n_positives = n_positives
        return stated

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return map(self._weigh, self._counted.blocks())

    def _weigh(self, steps: Steps) -> Steps:
        return Steps(
            tp=self._of_positives * steps.tp,
            tp_above=self._of_positives * steps.tp_above,
            retrieved=self._weight(steps.tp, steps.retrieved),
            ranking=steps.ranking,
            start=steps.start,
            find_above=lambda: self._weight(steps.tp_above, steps.above),
            find_rows=lambda: (steps.retrieved, steps.above),
        )

    def points(self) -> Points:
        """Return the operating points, negative-only scores included."""
        threshold, tp, retrieved = self._counted.points()
        return Points(threshold, self._of_positives * tp, self._weight(tp, retrieved))

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows, a tied group giving its share."""
        found = total(self._counted, ((s, s.share_within(depth) * s.gained) for s in self._counted.blocks()))
        return self._weight(found, np.minimum(depth, self.n_rows))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of as many positives as `depth` rows can hold."""
        return self._of_positives * self._counted.heaviest_positives(depth)
