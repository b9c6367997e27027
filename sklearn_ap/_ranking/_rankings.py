"""What comes out of the room that sorts: rankings as data, and what a kernel has to do for them."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray
from ._rows import Rows
from ._steps import Steps

__all__ = ["Curve", "Kernel", "OperatingPoints", "Rankings", "curve_of"]


class OperatingPoints(NamedTuple):
    """Every operating point of a lone ranking, lowest threshold first."""

    threshold: AnyArray
    tp: FloatArray  # weight of the positives at or above it
    retrieved: FloatArray  # weight of all samples at or above it


class Kernel(Protocol):
    """Rows that were sorted once. A kernel yields their steps; callers do not depend on how it sorted."""

    @property
    def n_found(self) -> FloatArray:
        """Weight of the positives of each ranking."""

    @property
    def n_samples(self) -> FloatArray:
        """Weight of all samples of each ranking."""

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking, a tied group giving its share."""

    def points(self) -> OperatingPoints:
        """Return the operating points of a lone ranking, scores of negatives alone included."""


class Rankings(NamedTuple):
    """Rankings that a metric is a sum over: their totals, and the kernel that yields their steps.

    Rows are kept where they have weights alone: without them a label per row would be held for nothing.
    """

    kernel: Kernel
    offsets: IntArray  # where each ranking begins
    weighted_rows: Rows | None
    n_found: FloatArray  # weight of the positives of each ranking
    n_positives: FloatArray  # the same or, where it was stated, the total
    left_out: FloatArray | float = 0.0  # weight of the rows that a cut kept from the kernel

    @property
    def weighted(self) -> bool:
        """Whether weights differ inside a ranking."""
        return self.weighted_rows is not None

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows of each ranking."""
        return (self.offsets[1:] - self.offsets[:-1]).astype(np.float64)

    @property
    def n_samples(self) -> FloatArray:
        """Weight of all samples of each ranking."""
        return self.kernel.n_samples + self.left_out if self.weighted else self.n_rows

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return self.kernel.blocks()

    def with_n_positives(self, n_positives: FloatArray) -> "Rankings":
        """Return the same rankings with another total of positives."""
        return self._replace(n_positives=n_positives)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking, a tied group giving its share."""
        return self.kernel.weight_of_best(depth)

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        if self.weighted_rows is None or self.weighted_rows.weight is None:
            return np.minimum(depth, self.n_found)
        positive = self.weighted_rows.positive
        of_positives = self.weighted_rows.weight[positive]
        if self.weighted_rows.is_lone:
            return np.asarray(np.sort(of_positives)[::-1][: int(depth[0])].sum(keepdims=True))
        ranking = np.searchsorted(self.offsets, np.flatnonzero(positive), side="right") - 1
        heaviest_first = np.lexsort((-of_positives, ranking))
        place = np.arange(ranking.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        return np.bincount(ranking[counted], of_positives[counted], depth.size).astype(np.float64)


class Curve(NamedTuple):
    """A lone ranking, and its operating points."""

    ranking: Rankings
    points: OperatingPoints


def curve_of(ranking: Rankings) -> Curve:
    """Return a lone ranking of all its rows with its operating points."""
    return Curve(ranking, ranking.kernel.points())
