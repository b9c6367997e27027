"""The kernel of a ranking with few positives, or with scores without a packing: two sorts.

It sorts all scores, and separately the scores of positives. Then it searches all scores for each distinct
score of a positive: its place is the number of rows below it.
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np

from .._typing import AnyArray, FloatArray
from ._blocks import BLOCK_ROWS, blocks_of
from ._rankings import OperatingPoints
from ._rows import Rows
from ._steps import Steps

__all__ = ["TwoSortKernel"]


class TwoSortKernel:
    """The sorted scores of all rows of a lone ranking, and of its positives; equal scores are one step."""

    def __init__(self, rows: Rows, *, block_rows: int = BLOCK_ROWS) -> None:
        positive, score = rows.positive.ravel(), rows.score.ravel()
        self._block_rows = block_rows
        self._score = np.sort(score)
        of_positives = np.sort(score[positive])
        new = np.ones(of_positives.size, dtype=bool)
        np.not_equal(of_positives[1:], of_positives[:-1], out=new[1:])
        first = np.flatnonzero(new)
        # The positives at or above a step are those from its first one on, and 0 above the best step.
        self._steps_at = of_positives[first]  # the distinct scores of positives
        self._tp = of_positives.size - np.append(first, of_positives.size).astype(np.float64)
        self.n_found = np.array([of_positives.size], dtype=np.float64)
        self.n_samples = np.array([score.size], dtype=np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for block in blocks_of(self._steps_at.size, self._block_rows):
            scores = self._steps_at[block]
            retrieved = self._at_or_above(scores, "left")
            above = partial(self._at_or_above, scores, "right")
            yield Steps(self._tp[:-1][block], self._tp[1:][block], retrieved, above)

    def _at_or_above(self, scores: AnyArray, side: Literal["left", "right"]) -> FloatArray:
        """Return how many rows score at or above each of these scores; with ``side="right"``, only above."""
        below = np.searchsorted(self._score, scores, side)
        return np.subtract(self._score.size, below, dtype=np.float64)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows."""
        return np.minimum(depth, self.n_samples)

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        first = np.flatnonzero(np.append(True, self._score[1:] != self._score[:-1]))
        threshold = self._score[first]
        return OperatingPoints(
            threshold=threshold,
            # A threshold that only negatives have finds the positives of the next step above it.
            tp=self._tp[self._steps_at.searchsorted(threshold)],
            retrieved=(self._score.size - first).astype(np.float64),
        )
