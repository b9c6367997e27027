"""Conventions of packages and papers as records, one file per family of packages."""

from ._aliases import ALIASES, SHARED_NAMES, Alias
from ._family import FAMILY
from ._lookup import CONVENTIONS, GROUPS, convention_of
from ._not_reproduced import NOT_REPRODUCED

__all__ = [
    "ALIASES",
    "CONVENTIONS",
    "FAMILY",
    "GROUPS",
    "NOT_REPRODUCED",
    "SHARED_NAMES",
    "Alias",
    "convention_of",
]
