"""Tell which average precision a number is, and why it differs from scikit-learn's.

CONVENTIONS     conventions of more than thirty packages and papers, as records of choices
score_as        the number of one of them
compare         several beside scikit-learn's, with the exact reasons for the differences
identify        which of them printed a number
DEVIATIONS      where this package answers otherwise than scikit-learn on purpose

Read `_convention` (what a record is) and `_records` (with their other names); `_scores` (the input, ranked as
a record sees it, after `_transforms`); `_engine` (from the area of a record to a sum, of the leaves or of
`_reductions`) and `_ranges` (how far an open order of equal scores moves it); `_walk` (from one record to
another); then what is made of it, `_row`, `_comparison`, `_identify`, `_unsearched`, `_rendering`.
"""

from .._public_paths import name_by_package as _name_by_package
from ._comparison import Comparison, compare
from ._convention import CHOICES, OPTIONS, Convention
from ._deviations import DEVIATIONS, Deviation
from ._engine import NoNumberError, score_as
from ._grid import Grid, Thresholds
from ._identify import Group, Identification, OpenGroup, identify
from ._records import CONVENTIONS
from ._row import ComparisonRow
from ._walk import Stop

__all__ = [
    "CHOICES",
    "CONVENTIONS",
    "DEVIATIONS",
    "OPTIONS",
    "Comparison",
    "ComparisonRow",
    "Convention",
    "Deviation",
    "Grid",
    "Group",
    "Identification",
    "NoNumberError",
    "OpenGroup",
    "Stop",
    "Thresholds",
    "compare",
    "identify",
    "score_as",
]

_name_by_package(globals())
