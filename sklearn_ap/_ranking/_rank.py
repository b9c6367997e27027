"""The entrance of the room that sorts: it chooses the kernel for the rows of a call."""

from typing import Literal, get_args

import numpy as np

from .._typing import BoolArray, Bounds, TieOrder
from ._blocks import BLOCK_ROWS
from ._class_weights import ClassWeightKernel, class_weights
from ._cut import first_rows, worth_a_cut
from ._few import few_of
from ._few_distinct import FewDistinctKernel, sums_by_score
from ._few_weighted import FewWeightedKernel
from ._interleaved import together
from ._joined import JoinedKernel
from ._keys import Packing, packing_of, scaled_packing_of
from ._packed import PackedKernel
from ._rankings import Kernel, Rankings
from ._rows import Rows
from ._sorted import sorted_by_lexsort
from ._summed import SummedKernel
from ._two_sorts import TwoSortKernel
from ._weighted import sorted_by_packed_rows

__all__ = ["KEPT", "KERNELS", "RARE", "KernelName", "rank"]

KernelName = Literal[
    "few",
    "packed",
    "scaled",
    "two sorts",
    "class weights",
    "few weighted",
    "few distinct",
    "packed rows",
    "lexsort",
]
KERNELS: tuple[KernelName, ...] = get_args(KernelName)
KEPT = 0.25  # if a cut keeps more of the rows, sorting all of them takes less time than copying these
RARE = 30  # from so many rows per positive on, sorting the positives separately beats scanning all labels


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
    if not _sorts_interleaved(rows, tie_order, kernel):
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
    least, most = bounds or (rows.score.min(), rows.score.max())
    counted_alone = _counted_alone(rows, tie_order, (least, most), kernel, block_rows)
    if counted_alone is not None:
        return counted_alone
    packing = packing_of(rows.score, least, most)
    if packing is None:
        rows = together(rows)
    kernel = kernel or _fastest(rows, tie_order, packing, by_class)
    if not _can_sort(kernel, rows, tie_order, packing, by_class):
        kernel = "lexsort"
    return _sorted_by(
        kernel,
        rows,
        tie_order=tie_order,
        bounds=(least, most),
        packing=packing,
        by_class=by_class,
        block_rows=block_rows,
    )


def _sorted_by(
    kernel: KernelName,
    rows: Rows,
    *,
    tie_order: TieOrder | None,
    bounds: Bounds,
    packing: Packing | None,
    by_class: tuple[float, float] | None,
    block_rows: int,
) -> Kernel:
    """Sort by one of the general kernels, which can sort these rows."""
    if kernel == "packed" and packing is not None:
        return PackedKernel(rows, packing, tie_order=tie_order, block_rows=block_rows)
    if kernel == "class weights" and by_class is not None:
        # Without weights another kernel sorts the rows, and this one multiplies its counts.
        counted = _sorted_once(rows._replace(weight=None), None, bounds, None, block_rows)
        return ClassWeightKernel(counted, *(np.array([weight]) for weight in by_class))
    if kernel == "two sorts":
        return TwoSortKernel(rows, block_rows=block_rows)
    in_order = None
    if kernel == "packed rows" and packing is not None:
        extremes, stable = np.array(bounds, dtype=rows.score.dtype), tie_order == "stable"
        in_order = sorted_by_packed_rows(rows, packing, extremes, stable=stable, block_rows=block_rows)
    if in_order is None:  # also if too many rows had equal keys
        in_order = sorted_by_lexsort(rows, tie_order)
    return SummedKernel(*in_order, rows, block_rows)


def _can_sort(
    kernel: KernelName,
    rows: Rows,
    tie_order: TieOrder | None,
    packing: Packing | None,
    by_class: tuple[float, float] | None,
) -> bool:
    """Whether a general kernel can sort these rows in this order; none of them checks it again."""
    counted = rows.weight is None and tie_order != "stable"
    match kernel:
        case "packed":
            return counted and packing is not None
        case "two sorts":
            return counted and tie_order is None and rows.is_lone
        case "packed rows":
            return packing is not None and tie_order in (None, "stable")
        case "class weights":
            return by_class is not None
        case _:
            return kernel == "lexsort"


def _few(rows: Rows, bounds: Bounds | None, kernel: str | None, block_rows: int) -> Kernel | None:
    """Return the kernel of few weighted rows, or of few distinct scores, if one of them can take the rows."""
    lengths = rows.offsets[1:] - rows.offsets[:-1]
    if kernel is None and rows.is_lone and lengths[0] <= block_rows:
        kernel = "few weighted"
    if kernel == "few weighted" and rows.is_lone:
        assert rows.weight is not None, rows  # rows without weights go to other kernels
        return FewWeightedKernel(rows.positive.reshape(-1), rows.score.reshape(-1), rows.weight.reshape(-1))
    if kernel not in (None, "few distinct"):
        return None
    long = np.flatnonzero(lengths > (block_rows if kernel is None else 0))
    return _by_distinct_scores(rows, long.tolist(), bounds, block_rows)


def _by_distinct_scores(rows: Rows, long: list[int], bounds: Bounds | None, block_rows: int) -> Kernel | None:
    """Add up the weights of the long rankings that have few distinct scores; None if there are none.

    Each ranking is decided alone, so its value never depends on the others in the call. Rankings between
    those with few distinct scores are sorted.
    """
    n_rankings = rows.offsets.size - 1
    parts: list[tuple[slice, Kernel]] = []
    done = 0
    for ranking in long:
        sums = sums_by_score(rows.between(ranking, ranking + 1), block_rows)
        if sums is not None:
            parts += _between(rows, done, ranking, bounds, block_rows)
            parts.append((slice(ranking, ranking + 1), FewDistinctKernel(sums)))
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


def _counted_alone(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds, kernel: str | None, block_rows: int
) -> Kernel | None:
    """Sort a lone ranking without weights by a kernel for nothing else, or return None if none can."""
    if rows.weight is not None or not rows.is_lone or tie_order == "stable":
        return None
    if kernel not in (None, "few", "scaled"):
        return None
    are_few = rows.score.ndim == 1 and rows.score.size <= min(BLOCK_ROWS, block_rows)
    if are_few and tie_order is None and kernel != "scaled":
        few = few_of(rows.positive, rows.score, bounds)
        if few is not None:
            return few
    scaled = None if kernel == "few" else scaled_packing_of(rows.score, *bounds)
    if scaled is None or (kernel is None and tie_order is None and _is_rare(rows.positive)):
        return None
    packed = PackedKernel(rows, scaled, tie_order=tie_order, block_rows=block_rows)
    return packed if packed.is_exact else None


def _sorts_interleaved(rows: Rows, tie_order: str | None, kernel: str | None) -> bool:
    """Whether the kernel for these rows may bring the rows of each ranking together while it sorts them."""
    return rows.weight is None and tie_order != "stable" and kernel in (None, "packed")


def _fastest(
    rows: Rows, tie_order: TieOrder | None, packing: Packing | None, by_class: tuple[float, float] | None
) -> KernelName:
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
    return positive.size > BLOCK_ROWS and bool(np.count_nonzero(positive) * RARE <= positive.size)
