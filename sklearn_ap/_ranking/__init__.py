"""The one room that sorts. Read `_steps` (what comes out), then `_rank` (which kernel), then a kernel.

_packed         no weights: one sort of integers that hold score and label
_two_sorts      no weights, and rare positives or scores that no integer holds
_weighted       weights or a stable order: one sort of (score, row)
_class_weights  weights that only tell the classes apart: counts, multiplied
_sorted         everything else, by lexsort; the reference of the others
_cut            only the first k rows, ranked by one of these

`_blocks`, `_keys`, `_runs`, `_counted` and `_summed` hold what these share.
"""

from ._cut import cut_depth
from ._rank import rank
from ._steps import Points, Rankings, Steps, envelope, ratio, total

__all__ = ["Points", "Rankings", "Steps", "cut_depth", "envelope", "rank", "ratio", "total"]
