"""What comes out of the room that sorts: rankings as data, and the methods that a kernel must have."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray
from ._steps import Steps


class OperatingPoints(NamedTuple):
    """Every operating point of a lone ranking, lowest threshold first."""

    threshold: AnyArray
    tp: FloatArray  # weight of the positives at or above it
    retrieved: FloatArray  # weight of all samples at or above it


class Kernel(Protocol):
    """Rows that were sorted once, and their steps. Callers must not depend on how they were sorted."""

    @property
    def n_found(self) -> FloatArray:
        """Weight of the positives of each ranking."""

    @property
    def n_samples(self) -> FloatArray:
        """Weight of all samples of each ranking."""

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group gives its share."""

    def points(self) -> OperatingPoints:
        """Return the operating points of a lone ranking, including scores that only negatives have."""


class WeightedRows(Protocol):
    """Rows whose weights differ, or the sums that stand for them."""

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""


class Rankings(NamedTuple):
    """All rankings of a call: their totals, and the kernel that yields their steps.

    The rows themselves are kept only if they have weights, for `heaviest_positives`: without weights, they
    would take memory for nothing.
    """

    kernel: Kernel
    offsets: IntArray  # where each ranking begins
    weighted_rows: WeightedRows | None
    n_found: FloatArray  # weight of the positives of each ranking
    n_positives: FloatArray  # the same or, if the caller stated a total, that total
    left_out: FloatArray | float = 0.0  # weight of the rows that a cut did not pass to the kernel

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
        """Return the weight of the first `depth` rows of each ranking; a tied group gives its share."""
        return self.kernel.weight_of_best(depth)

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        if self.weighted_rows is None:
            return np.minimum(depth, self.n_found)
        return self.weighted_rows.heaviest_positives(depth)


class Curve(NamedTuple):
    """A lone ranking, and its operating points."""

    ranking: Rankings
    points: OperatingPoints


def curve_of(ranking: Rankings) -> Curve:
    """Return a lone ranking of all its rows with its operating points."""
    return Curve(ranking, ranking.kernel.points())


class JoinedKernel:
    """Several rankings; `parts` are a kernel and its rankings, in order. All others have no rows."""

    def __init__(self, parts: list[tuple[slice, Kernel]], n_rankings: int) -> None:
        self._parts = parts
        self.n_found, self.n_samples = np.zeros(n_rankings), np.zeros(n_rankings)
        for rankings, kernel in parts:
            self.n_found[rankings], self.n_samples[rankings] = kernel.n_found, kernel.n_samples

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for rankings, kernel in self._parts:
            for steps in kernel.blocks():
                yield steps._replace(ranking=steps.ranking + rankings.start)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group gives its share."""
        weight = np.zeros(self.n_found.size)
        for rankings, kernel in self._parts:
            weight[rankings] = kernel.weight_of_best(depth[rankings])
        return weight

    def points(self) -> OperatingPoints:
        """Raise TypeError: only a lone ranking has operating points."""
        raise TypeError(f"operating points need a lone ranking; got {self.n_found.size} rankings.")
