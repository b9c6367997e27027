"""The entrance of the room that sorts: it chooses the kernel for the rows of a call."""

from typing import Any

import numpy as np

from .._typing import BoolArray
from ._blocks import BLOCK_ROWS
from ._class_weights import ClassWeightKernel, class_weights
from ._cut import first_rows, worth_a_cut
from ._interleaved import together
from ._keys import Packing, packing_of
from ._packed import PackedKernel
from ._rankings import Kernel, Rankings
from ._rows import Rows
from ._sorted import sorted_by_lexsort
from ._summed import SummedKernel
from ._two_sorts import TwoSortKernel
from ._weighted import sorted_by_packed_rows

__all__ = ["KERNELS", "rank"]

Bounds = tuple[Any, Any]  # of scores: none is below the first or above the second

KERNELS = ("packed", "two sorts", "class weights", "packed rows", "lexsort")
_RARE = 30  # from so many rows per positive on, sorting the positives separately beats scanning all labels


def rank(
    rows: Rows,
    *,
    tie_order: str | None = None,
    k: int | float | None = None,
    bounds: Bounds | None = None,
    kernel: str | None = None,
    block_rows: int = BLOCK_ROWS,
) -> Rankings:
    """Sort the rows of every ranking once.

    Parameters
    ----------
    rows : Rows
        The rows of all rankings.
    tie_order : {'stable', 'optimistic', 'pessimistic'}, default=None
        The order of equal scores; each row is then a step of its own. By default, equal scores are one step.
    k : int or float, default=None
        A promise that the caller only looks at the first `k` rows of each ranking, or at this share of them.
        Totals still count all rows.
    bounds : pair of numbers, default=None
        Bounds of all scores, such as 0 and 1. By default, the lowest and the highest score are looked up.
    kernel : {'packed', 'two sorts', 'packed rows', 'lexsort', 'class weights'}, default=None
        The kernel that sorts, for tests. By default the fastest one that can sort these rows. If the kernel
        cannot sort them, ``'lexsort'`` does.
    block_rows : int
        Number of rows per block.
    """
    if not _sorts_interleaved(rows, tie_order, kernel):
        rows = together(rows)
    weighted_rows = None if rows.weight is None else rows
    if k is not None and worth_a_cut(rows, k):
        cut = first_rows(together(rows), k)
        sorted_once = _sorted_once(cut.rows, tie_order, bounds, kernel, block_rows)
        n_found = sorted_once.n_found + cut.positives_left_out
        return Rankings(sorted_once, rows.offsets, weighted_rows, n_found, n_found, cut.weight_left_out)
    sorted_once = _sorted_once(rows, tie_order, bounds, kernel, block_rows)
    n_found = sorted_once.n_found
    return Rankings(sorted_once, rows.offsets, weighted_rows, n_found, n_found)


def _sorted_once(
    rows: Rows, tie_order: str | None, bounds: Bounds | None, kernel: str | None, block_rows: int
) -> Kernel:
    least, most = bounds or (rows.score.min(), rows.score.max())
    packing = packing_of(rows.score, least, most)
    if packing is None:
        rows = together(rows)
    by_class = None
    if rows.weight is not None and tie_order is None and rows.is_lone:
        by_class = class_weights(rows.positive.ravel(), rows.weight.ravel())
    kernel = kernel or _fastest(rows, tie_order, packing, by_class)
    if kernel == "packed" and packing is not None:
        return PackedKernel(rows, packing, tie_order=tie_order, block_rows=block_rows)
    if kernel == "class weights" and by_class is not None:
        # Without weights another kernel sorts the rows, and this one multiplies its counts.
        counted = rows._replace(weight=None)
        return ClassWeightKernel(_sorted_once(counted, None, (least, most), None, block_rows), by_class)
    if kernel == "two sorts":
        return TwoSortKernel(rows, block_rows=block_rows)
    in_order = None
    if kernel == "packed rows" and packing is not None:
        extremes, stable = np.array([least, most], dtype=rows.score.dtype), tie_order == "stable"
        in_order = sorted_by_packed_rows(rows, packing, extremes, stable=stable, block_rows=block_rows)
    if in_order is None:  # also if too many rows had equal keys
        in_order = sorted_by_lexsort(rows, tie_order)
    return SummedKernel(*in_order, rows, block_rows)


def _sorts_interleaved(rows: Rows, tie_order: str | None, kernel: str | None) -> bool:
    """Whether the kernel for these rows may bring the rows of each ranking together while it sorts them."""
    return rows.weight is None and tie_order != "stable" and kernel in (None, "packed")


def _fastest(
    rows: Rows, tie_order: str | None, packing: Packing | None, by_class: tuple[float, float] | None
) -> str:
    """Return the name of the fastest kernel that can sort these rows."""
    if by_class is not None:
        return "class weights"
    counted = rows.weight is None and tie_order != "stable"
    if counted and tie_order is None and rows.is_lone and (packing is None or _is_rare(rows.positive)):
        return "two sorts"
    if packing is None:
        return "lexsort"
    return "packed" if counted else "packed rows"


def _is_rare(positive: BoolArray) -> bool:
    """Whether positives are so few that sorting them separately is faster than scanning all labels."""
    return positive.size > BLOCK_ROWS and bool(np.count_nonzero(positive) * _RARE <= positive.size)
