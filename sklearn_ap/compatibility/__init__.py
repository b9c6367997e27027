"""Find out which definition of average precision a number follows, and why it differs
from scikit-learn's.

- `CONVENTIONS`: the conventions of some fifty packages and papers, as values of
  choices.
- `score_as`: the number of one convention.
- `compare_conventions`: the numbers of several conventions next to scikit-learn's, and
  the reasons for the differences.
- `identify`: the conventions that give a printed number, as such a comparison.
- `identify_function`: the conventions that a function follows, by its numbers on small
  rankings.

To read the code, begin here:

- `_records`: the class of conventions, and their records in `records.toml`
- `_input`: the caller's rows, transformed and ranked as a convention requires
- `_package_areas`: the areas of conventions
- `_score_as`: the number of a convention, and its range over all orders of equal scores
- `_comparison`: the steps from scikit-learn's convention to another, by choices
- `_identify`: the conventions that give a number
- `_identify_function`: the conventions that a function follows, on the rankings of
  `records.toml`
"""

from ._comparison import ComparisonRow, ConventionComparison, compare_conventions
from ._identify import identify
from ._identify_function import FunctionComparison, identify_function
from ._records import CONVENTIONS
from ._score_as import NoNumberError, score_as

__all__ = [
    "CONVENTIONS",
    "ComparisonRow",
    "ConventionComparison",
    "FunctionComparison",
    "NoNumberError",
    "compare_conventions",
    "identify",
    "identify_function",
    "score_as",
]
