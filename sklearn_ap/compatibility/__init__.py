"""Find out which average precision a number is, and why it differs from scikit-learn's.

- `CONVENTIONS`: conventions of more than thirty packages and papers, as records of
  choices.
- `score_as`: the number of one convention.
- `compare_conventions`: numbers of several conventions next to scikit-learn's, and why
  they differ.
- `identify`: the conventions that give a printed number.

To read the code, start here:

- `_records`: what a record is, and those of packages in `records.toml`
- `_input`: the caller's rows, changed and ranked as a record says
- `_package_areas`: the areas of records
- `_score_as`: the number of a record, and how far an open order of equal scores can
  change it
- `_comparison`: from scikit-learn's record to another one, choice by choice
- `_identify`: the records that print a number
"""

from ._comparison import ComparisonRow, ConventionComparison, compare_conventions
from ._identify import Identification, identify
from ._records import CONVENTIONS
from ._score_as import NoNumberError, score_as

__all__ = [
    "CONVENTIONS",
    "ComparisonRow",
    "ConventionComparison",
    "Identification",
    "NoNumberError",
    "compare_conventions",
    "identify",
    "score_as",
]
