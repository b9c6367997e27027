"""Tell which average precision a number is, and why it differs from scikit-learn's.

CONVENTIONS     every convention in use, as records of choices
score_as        the number of one of them
compare         several beside scikit-learn's, with the exact reasons for the differences
identify        which of them printed a number
DEVIATIONS      where this package answers otherwise than scikit-learn on purpose
"""

from ._comparison import Comparison, compare
from ._convention import CHOICES, OPTIONS, Convention, Grid, Thresholds
from ._deviations import DEVIATIONS, Deviation
from ._engine import score_as
from ._identify import Group, Identification, identify
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
    "Stop",
    "Thresholds",
    "compare",
    "identify",
    "score_as",
]
