"""What a module of this package holds: peers by the name of their convention."""

import importlib.metadata
from collections.abc import Callable
from typing import NamedTuple

from .inputs import Case


class Peer(NamedTuple):
    """One number that a real package prints."""

    # None where the peer cannot be handed this input
    run: Callable[[Case], float | None]
    package: str
    tolerance: float = 1e-12  # the peer's own precision, absolute
    # an error where the package is missing
    find_version: Callable[[str], str] = importlib.metadata.version
