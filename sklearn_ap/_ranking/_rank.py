"""The entrance of the room that sorts: it chooses the kernel for the rows of a call."""

from typing import Literal, NamedTuple, get_args

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
    "few", "packed", "rare", "class weights", "few weighted", "few distinct", "packed rows", "lexsort"
]
KERNELS: tuple[KernelName, ...] = get_args(KernelName)
FEW_ROWS = 1500  # a lexsort of so many takes less time than to pack their scores and numbers, or mixed rows
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
    radix: bool | None = None,
    keep: bool = False,
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
    radix : bool, default=None
        Whether keys are sorted by radix, for tests. By default if this machine sorts them faster then.
    keep : bool, default=False
        Whether a kernel that sorts weighted rows also keeps their weights in order, as `signed`.
    """
    if kernel is not None and kernel not in KERNELS:
        raise ValueError(f"kernel must be None or one of {KERNELS}; got {kernel!r}.")
    if rows.ranking is not None and not _sorts_mixed(rows, tie_order, kernel):
        rows = together(rows)
    how = _Sorting(tie_order, bounds, kernel, block_rows, radix, keep)
    cut = first_rows(together(rows), k, at_most=KEPT) if k is not None and worth_a_cut(rows, k) else None
    sorted_once = _sorted_once(rows if cut is None else cut.rows, how)
    n_found = sorted_once.n_found
    left_out: FloatArray | float = 0.0
    if cut is not None:
        n_found, left_out = n_found + cut.positives_left_out, cut.weight_left_out
    weighted_rows = None if rows.weight is None else rows
    return Rankings(sorted_once, rows.offsets, weighted_rows, n_found, n_found, left_out)


class _Sorting(NamedTuple):
    """The arguments of `rank` that say how rows are sorted."""

    tie_order: TieOrder | None
    bounds: Bounds | None
    kernel: KernelName | None
    block_rows: int
    radix: bool | None
    keep: bool

    def bounds_of(self, rows: Rows) -> Bounds:
        """Return bounds of all scores."""
        return self.bounds or (rows.score.min(), rows.score.max())


def _sorted_once(rows: Rows, how: _Sorting) -> Kernel:
    by_class, kernel = None, how.kernel
    if rows.weight is not None and how.tie_order is None:
        if rows.is_lone:
            by_class = class_weights(rows.positive.reshape(-1), rows.weight.reshape(-1))
        few = None if by_class and kernel is None else _few(rows, how)
        if few is not None:
            return few
    if by_class is not None and kernel in (None, "class weights"):
        # Another kernel counts the rows, and this one multiplies the counts.
        counted = _sorted_once(rows._replace(weight=None), how._replace(kernel=None))
        return ClassWeightKernel(counted, *(np.array([weight]) for weight in by_class))
    if rows.weight is None and how.tie_order != "stable":
        sorted_once = _counted(rows, how)
        if sorted_once is not None:
            return sorted_once
    rows = together(rows)
    return SummedKernel(*_weights_in_order(rows, how), rows, how.block_rows, keep=how.keep)


def _counted(rows: Rows, how: _Sorting) -> Kernel | None:
    """Sort rows without weights, or return None if none of the kernels for them can."""
    kernel, block_rows, bounds = how.kernel, how.block_rows, how.bounds_of(rows)
    lone_groups = rows.is_lone and how.tie_order is None
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
        packed = PackedKernel(
            rows, packing, bounds, tie_order=how.tie_order, block_rows=block_rows, radix=how.radix
        )
        if packed.is_exact:
            return packed
    # Two sorts, of all rows and of positives, are faster than a lexsort.
    return RareKernel(rows, None, block_rows=block_rows) if lone_groups and not kernel else None


def _weights_in_order(rows: Rows, how: _Sorting) -> tuple[FloatArray, BoolArray]:
    """Return the weights in order, negated for negatives, and where tied groups start."""
    few = how.kernel is None and rows.score.size <= FEW_ROWS
    if not few and how.kernel in (None, "packed rows") and how.tie_order in (None, "stable"):
        bounds, stable = how.bounds_of(rows), how.tie_order == "stable"
        packing = packing_of(rows.score, *bounds)
        if packing is not None:
            extremes = np.array(bounds, dtype=rows.score.dtype)
            in_order = sorted_by_packed_rows(
                rows, packing, extremes, stable=stable, block_rows=how.block_rows, radix=how.radix
            )
            if in_order is not None:
                return in_order
    return sorted_by_lexsort(rows, how.tie_order)


def _few(rows: Rows, how: _Sorting) -> Kernel | None:
    """Return the kernel of few weighted rows, or of few distinct scores, if one of them can take the rows."""
    assert rows.weight is not None, rows
    kernel, n_rows = how.kernel, rows.score.size
    most = BLOCK_ROWS if kernel else min(how.block_rows, BLOCK_ROWS)
    if rows.is_lone and kernel in (None, "few weighted") and n_rows <= most:
        return few_weighted(rows.positive.reshape(-1), rows.score.reshape(-1), rows.weight.reshape(-1))
    if kernel not in (None, "few distinct"):
        return None
    long = np.flatnonzero(np.diff(rows.offsets) > (how.block_rows if kernel is None else 0))
    return _by_distinct_scores(rows, long.tolist(), how)


def _by_distinct_scores(rows: Rows, long: list[int], how: _Sorting) -> Kernel | None:
    """Add up the weights of the long rankings that have few distinct scores; None if there are none.

    Each ranking is decided alone, so its value never depends on the others in the call. Rankings between
    those with few distinct scores are sorted.
    """
    n_rankings = rows.offsets.size - 1
    found = ((ranking, few_distinct(rows.between(ranking, ranking + 1), how.block_rows)) for ranking in long)
    few = [(ranking, kernel) for ranking, kernel in found if kernel is not None]
    if n_rankings == 1 or not few:
        return few[0][1] if few else None
    parts: list[tuple[slice, Kernel]] = []
    done = 0
    for ranking, kernel in (*few, (n_rankings, None)):
        others = rows.between(done, ranking)
        if others.score.size:
            parts.append((slice(done, ranking), _sorted_once(others, how._replace(kernel="packed rows"))))
        if kernel is not None:
            parts.append((slice(ranking, ranking + 1), kernel))
        done = ranking + 1
    return JoinedKernel(parts, n_rankings)


def _sorts_mixed(rows: Rows, tie_order: TieOrder | None, kernel: KernelName | None) -> bool:
    """Whether `_packed` brings the rows of each ranking together, as keys, which are fewer bytes."""
    if rows.weight is not None or tie_order == "stable":
        return False
    return kernel == "packed" or (kernel is None and rows.score.size > FEW_ROWS)


def _is_rare(positive: BoolArray) -> bool:
    """Whether positives are so few that most rows need not be sorted."""
    return positive.size > BLOCK_ROWS and bool(np.count_nonzero(positive) * RARE <= positive.size)
