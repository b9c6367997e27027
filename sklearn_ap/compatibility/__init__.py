"""Find out which average precision a number is, and why it differs from scikit-learn's.

CONVENTIONS          conventions of more than thirty packages and papers, as records of choices
score_as             the number of one convention
compare_conventions  numbers of several conventions next to scikit-learn's, and why they differ
identify             the conventions that give a printed number

To read the code, start with `_convention` (what a record is, made of `_choices`) and `records.toml` (the
records of packages, which `_records` reads). `_scores` ranks the input as a record sees it, after
`_transforms`. `_engine` computes the number of a record with the areas of `_areas`, and how far an open order
of equal scores can change it. `_comparison` goes from one record to another, choice by choice. `_identify`
searches all records for a number.
"""

from ._choices import Grid, Thresholds
from ._comparison import ComparisonRow, ConventionComparison, Stop, compare_conventions
from ._convention import CHOICES, OPTIONS, Convention
from ._engine import NoNumberError, score_as
from ._identify import Group, Identification, identify
from ._records import CONVENTIONS

__all__ = [
    "CHOICES",
    "CONVENTIONS",
    "OPTIONS",
    "ComparisonRow",
    "Convention",
    "ConventionComparison",
    "Grid",
    "Group",
    "Identification",
    "NoNumberError",
    "Stop",
    "Thresholds",
    "compare_conventions",
    "identify",
    "score_as",
]
