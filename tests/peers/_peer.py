"""What a module of this package holds: peers by the name of their convention."""

import importlib.metadata
from collections.abc import Callable
from typing import NamedTuple

from .inputs import Case


class Peer(NamedTuple):
    """One number that a real package prints, and what the package can be told of."""

    # None where the peer cannot be handed this input
    run: Callable[[Case], float | None]
    package: str
    tolerance: float = 1e-12  # the peer's own precision, absolute
    weights: bool = False
    queries: bool = False
    missed: bool = False
    ties: bool = True
    # an error where the package is missing
    find_version: Callable[[str], str] = importlib.metadata.version

    def takes(self, case: Case) -> bool:
        """Whether the package can be told all of a case."""
        return (
            (self.weights or case.sample_weight is None)
            and (self.queries or case.query_id is None)
            and (self.missed or case.n_positives is None)
            and (self.ties or not case.tied)
        )
