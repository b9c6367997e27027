"""Conventions of packages and papers as records, one file per family of packages."""

from ._aliases import ALIASES, NOT_REPRODUCED, SHARED_NAMES, Alias
from ._lookup import CONVENTIONS, FAMILY, GROUPS, convention_of

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
