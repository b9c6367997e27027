"""Find out which average precision a number is, and why it differs from scikit-learn's.

CONVENTIONS          conventions of more than thirty packages and papers, as records of choices
score_as             the number of one convention
compare_conventions  numbers of several conventions beside scikit-learn's, and why they differ
identify             the conventions that give a printed number
DEVIATIONS           where this package deliberately differs from scikit-learn

To read the code, start with `_convention` (what a record is, made of `_choices`) and `_records` (all records,
and their other names). `_scores` ranks the input as a record sees it, after `_transforms`. `_engine` computes
the number of a record with the areas of `_areas`, and how far an open order of equal scores can change it.
`_comparison` goes from one record to another, choice by choice, and `_identify` searches them for a number.
"""

import typing as _t

from .._public import publish as _publish
from .._public import warn_user as _warn_user
from ._choices import Grid, Thresholds
from ._comparison import ComparisonRow, ConventionComparison, Stop, compare_conventions
from ._convention import CHOICES, OPTIONS, Convention
from ._deviations import DEVIATIONS, Deviation
from ._engine import NoNumberError, score_as
from ._identify import Group, Identification, OpenGroup, identify
from ._records._lookup import CONVENTIONS

__all__ = [
    "CHOICES",
    "CONVENTIONS",
    "DEVIATIONS",
    "OPTIONS",
    "ComparisonRow",
    "Convention",
    "ConventionComparison",
    "Deviation",
    "Grid",
    "Group",
    "Identification",
    "NoNumberError",
    "OpenGroup",
    "Stop",
    "Thresholds",
    "compare_conventions",
    "identify",
    "score_as",
]

_publish(*map(globals().get, __all__))

if _t.TYPE_CHECKING:
    compare = compare_conventions
else:  # or checkers would take every misspelt name for an object

    def __getattr__(name: str) -> object:
        """Find a deprecated name, in two minor releases."""
        if name == "compare":
            _warn_user(
                "compare is deprecated and will be removed in 0.4: write compare_conventions", FutureWarning
            )
            return compare_conventions
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
