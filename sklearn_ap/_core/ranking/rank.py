"""`rank` sorts the rows of every ranking once, and turns `Rows` into `Rankings`. To
read the subpackage, begin here.
"""

import numpy as np

from ..typing import Bounds, FirstRows, TieOrder
from .count_kernels import KeyKernel, ShortKernel
from .cut import first_places
from .keys import RowOrder
from .rankings import Kernel, Rankings
from .rows import Rows
from .sum_kernels import SumKernel

# A single ranking of at most `_SHORT_ROWS` rows is ranked by `ShortKernel`, and so is a
# longer one with few positives: it has at least `_ROWS_PER_POSITIVE` rows for each of
# them. `KeyKernel` would take longer (`python -m benchmarks.paths`).
_SHORT_ROWS = 2000
_ROWS_PER_POSITIVE = 100


def rank(
    rows: Rows,
    *,
    tie_order: TieOrder | None = None,
    bounds: Bounds,
    k: FirstRows = None,
    with_points: bool = False,
    order: RowOrder | None = None,
) -> Rankings:
    """Return the rankings of the rows, which are sorted once.

    Parameters
    ----------
    rows : Rows
        The rows of all rankings.
    tie_order : TieOrder, default=None
        The order of equal scores. Each row is then a step of its own. By default, equal
        scores are one step.
    bounds : pair of numbers
        Bounds of all scores, such as 0 and 1.
    k : int or float, default=None
        The caller only uses these first rows of each ranking. So the other rows of a
        single ranking are not sorted, if `k` is an integer.
    with_points : bool, default=False
        Whether the caller needs operating points at scores that only negatives have.
        Without weights, this takes longer.
    order : RowOrder, default=None
        All rows of a single ranking in their order, if they were sorted before.
    """
    is_single = rows.offsets.size == 2
    first = rows
    if is_single and isinstance(k, int) and order is None:
        # The rows that can be among the first `k`.
        places = first_places(rows.score, k)
        if places.size < rows.score.size:
            first = rows.take(places, np.array((0, places.size)))
    adds_up_rows = with_points or order is not None or tie_order == "stable"
    kernel: Kernel
    if adds_up_rows or rows.weight is not None:
        kernel = SumKernel(first, tie_order, bounds, order, with_points=with_points)
    elif is_single and tie_order is None and _is_by_class(first):
        kernel = ShortKernel(first)
    else:
        kernel = KeyKernel(first, tie_order, bounds)
    found = kernel.found_weight
    if first is not rows:
        found = rows.weight_of_positives()
    weighted_rows = None if rows.weight is None else rows
    # The totals that the caller passed replace `n_positives` later.
    return Rankings(
        kernel, rows.offsets, weighted_rows, found_weight=found, n_positives=found
    )


def _is_by_class(rows: Rows) -> bool:
    """Return whether `ShortKernel` takes less time than `KeyKernel`."""
    n_rows = rows.score.size
    if n_rows <= _SHORT_ROWS:
        return True
    return n_rows >= _ROWS_PER_POSITIVE * int(np.count_nonzero(rows.positive))
