"""The one room that sorts. Read `_rows` (what goes in), `_rankings` and `_steps` (what comes out), `_rank`.

`rank` chooses how rows are sorted:

_few            no weights, and a lone short ranking: `_packed`, in straight lines
_packed         no weights: one sort of integers that hold score and label ("scaled": by a power of two)
_two_sorts      no weights, and rare positives or scores that do not fit into an integer
_class_weights  one weight for all positives and one for all negatives: counts, multiplied
_few_weighted   weights, and a lone ranking of one block at most: an argsort, then sums
_few_distinct   weights, many rows, and at most 512 distinct scores: sums by score, without a sort
_weighted       weights or a stable order: one sort of (score, row), summed by `_summed`
_sorted         everything else, by lexsort, summed by `_summed`; tests compare the others with it
_cut            selects the rows that can be among the first k, which one of the others then sorts

`_prevalence` brings rankings to another prevalence, by the kernel of class weights. `_interleaved` sorts or
brings together the rows of rankings that stand in any order; `_blocks`, `_keys` and `_runs` hold what the
kernels share; `_joined` makes one kernel of several.
"""

from ._cut import cut_depth
from ._few import FEW_ROWS, few_of, sum_of_few
from ._few_weighted import steps_of_few
from ._interleaved import together
from ._prevalence import at_prevalence, few_at_prevalence, reweighted
from ._rank import KERNELS, rank
from ._rankings import Curve, OperatingPoints, Rankings, curve_of
from ._rows import Rows
from ._steps import Steps, added, envelope, ratio, total

__all__ = [
    "FEW_ROWS",
    "KERNELS",
    "Curve",
    "OperatingPoints",
    "Rankings",
    "Rows",
    "Steps",
    "added",
    "at_prevalence",
    "curve_of",
    "cut_depth",
    "envelope",
    "few_at_prevalence",
    "few_of",
    "rank",
    "ratio",
    "reweighted",
    "steps_of_few",
    "sum_of_few",
    "together",
    "total",
]
