"""Rankings that several kernels sorted, as one kernel."""

from collections.abc import Iterator

import numpy as np

from .._typing import FloatArray
from ._rankings import Kernel, OperatingPoints
from ._steps import Steps


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
