"""The class of one number that another package computes, a *peer*."""

import importlib.metadata
from collections.abc import Callable
from typing import NamedTuple

from .inputs import Case


class Peer(NamedTuple):
    """One number of another package, and the inputs that the package accepts."""

    # Return the number, or None if the package does not accept the input.
    run: Callable[[Case], float | None]
    package: str
    # The absolute precision of the package.
    tolerance: float = 1e-12
    weights: bool = False
    queries: bool = False
    missed: bool = False
    ties: bool = True
    # Return the version, or raise an error if the package is missing.
    find_version: Callable[[str], str] = importlib.metadata.version

    def takes(self, case):
        """Return whether the package accepts all arguments of a case."""
        return (
            (self.weights or case.sample_weight is None)
            and (self.queries or case.query_id is None)
            and (self.missed or case.n_positives is None)
            and (self.ties or not case.tied)
        )
