"""The one room that sorts. Read `_rows` (what goes in), `_rankings` and `_steps` (what comes out), `_rank`.

`rank` chooses how rows are sorted:

_packed         no weights: one sort of integers that hold score and label
_two_sorts      no weights, and rare positives or scores that do not fit into an integer
_class_weights  one weight for all positives and one for all negatives: counts, multiplied
_weighted       weights or a stable order: one sort of (score, row), summed by `_summed`
_sorted         everything else, by lexsort, summed by `_summed`; tests compare the others with it
_cut            selects the rows that can be among the first k, which one of the others then sorts

`_interleaved` sorts or brings together the rows of rankings that stand in any order; `_blocks`, `_keys` and
`_runs` hold what the kernels share.
"""

from ._cut import cut_depth
from ._interleaved import together
from ._rank import KERNELS, rank
from ._rankings import Curve, OperatingPoints, Rankings, curve_of
from ._rows import Rows
from ._steps import Steps, envelope, ratio, total

__all__ = [
    "KERNELS",
    "Curve",
    "OperatingPoints",
    "Rankings",
    "Rows",
    "Steps",
    "curve_of",
    "cut_depth",
    "envelope",
    "rank",
    "ratio",
    "together",
    "total",
]
