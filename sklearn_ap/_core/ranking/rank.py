"""`rank` sorts the rows of every ranking once, and turns `Rows` into `Rankings`. To
read the subpackage, begin here.
"""

from ..typing import Bounds, FirstRows, TieOrder
from .cut import first_rows
from .kernels import KeyedKernel, OrderedKernel, PlainKernel, SummedKernel
from .keys import RowOrder, keeps_row_order, keys_of
from .rankings import Kernel, Rankings, Rows, positives_of
from .runs import is_in_order

# A single ranking with at most this number of rows, or with more rows per positive than
# the second number, is ranked by `PlainKernel`, whose search for each positive takes
# less time than sorting keys.
_SHORT_ROWS = 4000
_ROWS_PER_POSITIVE = 16
# With fewer rows, a look at rows that are not in order takes more than 2 % of a call.
_LEAST_ORDERED_ROWS = 4000


def rank(
    rows: Rows,
    *,
    tie_order: TieOrder | None = None,
    k: FirstRows = None,
    bounds: Bounds,
    with_points: bool = True,
    order: RowOrder | None = None,
) -> Rankings:
    """Return the rankings of the rows, which are sorted once.

    Parameters
    ----------
    rows : Rows
        The rows of all rankings.
    tie_order : {'stable', 'optimistic', 'pessimistic'}, default=None
        The order of equal scores. Each row is then a step of its own. By default, equal
        scores are one step.
    k : int, float or ndarray, default=None
        The caller uses only these first rows of each ranking, so other rows need not be
        sorted. Numbers of rows and positives still include all rows.
    bounds : pair of numbers
        Bounds of all scores, such as 0 and 1.
    with_points : bool, default=True
        Whether the caller needs the operating points (`Kernel.points`), and not only
        the steps that have a positive.
    order : tuple of ndarray, default=None
        The rows and their scores in their order, if they were sorted before. Then `k`
        must be None.
    """
    first, positives_below = rows, None
    if k is not None:
        first, positives_below = first_rows(rows, k)
    kernel = None
    # Kernels of counts have no operating points, and their keys have no room for the
    # number of a row.
    if rows.weight is None and not (with_points or keeps_row_order(tie_order)):
        kernel = _kernel_of_counts(first, tie_order, bounds, k)
    if kernel is None:
        kernel = SummedKernel(
            first, tie_order, bounds, with_points=with_points, order=order
        )
    found_weight = kernel.found_weight
    if positives_below is not None:
        found_weight = found_weight + positives_below
    weighted_rows = None if rows.weight is None else rows
    return Rankings(kernel, rows.offsets, weighted_rows, found_weight, found_weight)


def _kernel_of_counts(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds, k: FirstRows
) -> Kernel | None:
    """Return the kernel of rows without weights; None if their scores have no keys and
    `PlainKernel` cannot rank them.
    """
    n_positives = positives_of(rows)
    is_plain = rows.is_single and tie_order is None
    may_be_ordered = is_plain and k is None and rows.score.size >= _LEAST_ORDERED_ROWS
    if may_be_ordered and is_in_order(rows.score):
        return OrderedKernel(rows)
    if is_plain and (
        rows.score.size <= _SHORT_ROWS
        or n_positives.item() * _ROWS_PER_POSITIVE < rows.score.size
    ):
        return PlainKernel(rows, k)
    keys = keys_of(rows.score.reshape(-1), *bounds)
    if keys is not None:
        return KeyedKernel(rows, keys, n_positives, tie_order)
    return PlainKernel(rows) if is_plain else None
