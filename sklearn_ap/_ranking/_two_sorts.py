"""The kernel of a ranking with few positives, and of scores without a packing: two sorts.

All scores are sorted, and those of positives. A binary search of each distinct score of a positive among all
scores tells how many rows have it or a better one.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray
from ._blocks import blocks_of
from ._counted import CountedRankings
from ._steps import Points, Steps


class TwoSortRankings(CountedRankings):
    """The sorted scores of all rows of a lone ranking, and of its positives; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray) -> None:
        positive, score = positive.ravel(), score.ravel()
        self._score = np.sort(score)
        of_positives = np.sort(score[positive])
        new = np.ones(of_positives.size, dtype=bool)
        np.not_equal(of_positives[1:], of_positives[:-1], out=new[1:])
        first = np.flatnonzero(new)
        self._steps_at = of_positives[first]  # the distinct scores of positives
        self._tp = of_positives.size - np.append(first, of_positives.size).astype(np.float64)
        super().__init__(positive, np.array([0, score.size]))

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for block in blocks_of(self._steps_at.size):
            yield self._steps(block)

    def _steps(self, block: slice) -> Steps:
        scores = self._steps_at[block]
        return Steps(
            tp=self._tp[:-1][block],
            tp_above=self._tp[1:][block],
            retrieved=self._at_or_above(scores, "left"),
            ranking=np.zeros(1, dtype=np.int64),
            start=np.zeros(1, dtype=np.int64),
            find_above=lambda: self._at_or_above(scores, "right"),
            find_rows=None,
        )

    def _at_or_above(self, scores: AnyArray, side: Literal["left", "right"]) -> FloatArray:
        """Return how many rows lie at these scores or above; with ``side="right"``, above."""
        below = np.searchsorted(self._score, scores, side)
        return np.subtract(self._score.size, below, dtype=np.float64)

    def points(self) -> Points:
        """Return the operating points, negative-only scores included."""
        first = np.flatnonzero(np.append(True, self._score[1:] != self._score[:-1]))
        threshold = self._score[first]
        return Points(
            threshold=threshold,
            tp=self._tp[self._steps_at.searchsorted(threshold)],
            retrieved=(self._score.size - first).astype(np.float64),
        )
