"""The entrance of the room that sorts: it chooses the kernel for the rows of a call."""

from typing import Literal, get_args

import numpy as np

from .._typing import BoolArray, Bounds, FloatArray, TieOrder
from ._blocks import BLOCK_ROWS
from ._class_weights import ClassWeightKernel, class_weights
from ._cut import first_rows, worth_a_cut
from ._few import few_counted, few_weighted
from ._few_distinct import few_distinct
from ._keys import packing_of
from ._packed import PackedKernel
from ._rankings import JoinedKernel, Kernel, Rankings, Rows, together
from ._rare import SORTED, RareKernel, bins_of
from ._summed import SummedKernel, sorted_by_lexsort
from ._weighted import sorted_by_packed_rows

KernelName = Literal[
    "few",
    "packed",
    "rare",
    "class weights",
    "few weighted",
    "few distinct",
    "packed rows",
    "lexsort",
]
KERNELS: tuple[KernelName, ...] = get_args(KernelName)
FEW_ROWS = 1500  # a lexsort of so many takes less time than to pack their scores and numbers
KEPT = 0.25  # if a cut keeps more of the rows, sorting all of them takes less time than copying these
RARE = 30  # from so many rows per positive on, most rows are far from positives, and need not be sorted


def rank(
    rows: Rows,
    *,
    tie_order: TieOrder | None = None,
    k: int | float | None = None,
    bounds: Bounds | None = None,
    kernel: KernelName | None = None,
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
    kernel : str, default=None
        The kernel that sorts, one of `KERNELS`, for tests. By default the fastest one that can sort these
        rows. If the kernel cannot sort them, ``'lexsort'`` does.
    block_rows : int
        Number of rows per block.
    """
    if kernel not in (None, *KERNELS):
        raise ValueError(f"kernel must be None or one of {KERNELS}; got {kernel!r}.")
    if rows.ranking is not None and not _sorts_interleaved(rows, tie_order, kernel):
        rows = together(rows)
    weighted_rows = None if rows.weight is None else rows
    cut = first_rows(together(rows), k, at_most=KEPT) if k is not None and worth_a_cut(rows, k) else None
    if cut is not None:
        sorted_once = _sorted_once(cut.rows, tie_order, bounds, kernel, block_rows)
        n_found = sorted_once.n_found + cut.positives_left_out
        return Rankings(sorted_once, rows.offsets, weighted_rows, n_found, n_found, cut.weight_left_out)
    sorted_once = _sorted_once(rows, tie_order, bounds, kernel, block_rows)
    n_found = sorted_once.n_found
    return Rankings(sorted_once, rows.offsets, weighted_rows, n_found, n_found)


def _sorted_once(
    rows: Rows,
    tie_order: TieOrder | None,
    bounds: Bounds | None,
    kernel: KernelName | None,
    block_rows: int,
) -> Kernel:
    by_class = None
    if rows.weight is not None and tie_order is None:
        if rows.is_lone:
            by_class = class_weights(rows.positive.reshape(-1), rows.weight.reshape(-1))
        few = _few(rows, bounds, "class weights" if kernel is None and by_class else kernel, block_rows)
        if few is not None:
            return few
    bounds = bounds or (rows.score.min(), rows.score.max())
    if by_class is not None and kernel in (None, "class weights"):
        # Another kernel counts the rows, and this one multiplies the counts.
        counted = _sorted_once(rows._replace(weight=None), None, bounds, None, block_rows)
        return ClassWeightKernel(counted, *(np.array([weight]) for weight in by_class))
    if rows.weight is None and tie_order != "stable":
        sorted_once = _counted(rows, tie_order, bounds, kernel, block_rows)
        if sorted_once is not None:
            return sorted_once
    if rows.ranking is not None:
        rows = together(rows)
    return SummedKernel(*_weights_in_order(rows, tie_order, bounds, kernel, block_rows), rows, block_rows)


def _counted(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds, kernel: KernelName | None, block_rows: int
) -> Kernel | None:
    """Sort rows without weights, or return None if none of the kernels for them can."""
    lone_groups = rows.is_lone and tie_order is None
    if lone_groups and kernel in (None, "few") and rows.score.size <= min(BLOCK_ROWS, block_rows):
        few = few_counted(rows.positive, rows.score, bounds) if rows.score.ndim == 1 else None
        if few is not None:
            return few
    if lone_groups and (kernel == "rare" or (kernel is None and _is_rare(rows.positive))):
        return RareKernel(rows, bins_of(rows, bounds, 1.0 if kernel else SORTED), block_rows=block_rows)
    if kernel not in (None, "packed"):
        return None
    packing = packing_of(rows.score, *bounds)
    if packing is not None:
        packed = PackedKernel(rows, packing, tie_order=tie_order, block_rows=block_rows)
        if packed.is_exact:
            return packed
    # Two sorts, of all rows and of positives, are faster than a lexsort.
    return RareKernel(rows, None, block_rows=block_rows) if lone_groups and not kernel else None


def _weights_in_order(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds, kernel: KernelName | None, block_rows: int
) -> tuple[FloatArray, BoolArray]:
    """Return the weights in order, negated for negatives, and where tied groups start."""
    few = kernel is None and rows.score.size <= FEW_ROWS
    if not few and kernel in (None, "packed rows") and tie_order in (None, "stable"):
        packing = packing_of(rows.score, *bounds)
        extremes, stable = np.array(bounds, dtype=rows.score.dtype), tie_order == "stable"
        if packing is not None:
            in_order = sorted_by_packed_rows(rows, packing, extremes, stable=stable, block_rows=block_rows)
            if in_order is not None:  # it is if too many rows had equal keys
                return in_order
    return sorted_by_lexsort(rows, tie_order)


def _few(rows: Rows, bounds: Bounds | None, kernel: str | None, block_rows: int) -> Kernel | None:
    """Return the kernel of few weighted rows, or of few distinct scores, if one of them can take the rows."""
    lengths = rows.offsets[1:] - rows.offsets[:-1]
    if kernel is None and lengths.size == 1 and lengths[0] <= block_rows:
        kernel = "few weighted"
    if kernel == "few weighted" and lengths.size == 1 and lengths[0] <= BLOCK_ROWS:
        assert rows.weight is not None, rows  # rows without weights go to other kernels
        return few_weighted(rows.positive.reshape(-1), rows.score.reshape(-1), rows.weight.reshape(-1))
    if kernel not in (None, "few distinct"):
        return None
    long = np.flatnonzero(lengths > (block_rows if kernel is None else 0))
    return _by_distinct_scores(rows, long.tolist(), bounds, block_rows) if long.size else None


def _by_distinct_scores(rows: Rows, long: list[int], bounds: Bounds | None, block_rows: int) -> Kernel | None:
    """Add up the weights of the long rankings that have few distinct scores; None if there are none.

    Each ranking is decided alone, so its value never depends on the others in the call. Rankings between
    those with few distinct scores are sorted.
    """
    n_rankings = rows.offsets.size - 1
    parts: list[tuple[slice, Kernel]] = []
    done = 0
    for ranking in long:
        summed = few_distinct(rows.between(ranking, ranking + 1), block_rows)
        if summed is not None:
            parts += _between(rows, done, ranking, bounds, block_rows)
            parts.append((slice(ranking, ranking + 1), summed))
            done = ranking + 1
    if not parts:
        return None
    if n_rankings == 1:
        return parts[0][1]
    return JoinedKernel([*parts, *_between(rows, done, n_rankings, bounds, block_rows)], n_rankings)


def _between(
    rows: Rows, first: int, stop: int, bounds: Bounds | None, block_rows: int
) -> list[tuple[slice, Kernel]]:
    """Return the kernel of some rankings and which ones they are, or nothing if they have no rows."""
    some = rows.between(first, stop)
    if not some.score.size:
        return []
    return [(slice(first, stop), _sorted_once(some, None, bounds, "packed rows", block_rows))]


def _sorts_interleaved(rows: Rows, tie_order: str | None, kernel: str | None) -> bool:
    """Whether the kernel for these rows may bring the rows of each ranking together while it sorts them."""
    return rows.weight is None and tie_order != "stable" and kernel in (None, "packed")


def _is_rare(positive: BoolArray) -> bool:
    """Whether positives are so few that most rows need not be sorted."""
    return positive.size > BLOCK_ROWS and bool(np.count_nonzero(positive) * RARE <= positive.size)
