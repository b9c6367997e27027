"""From `Rows` to `Rankings`: `rank` sorts any rows, and `short_ranking` a few rows of a
single ranking.

Both choose one of the kernels of this package.
"""

from typing import Literal

import numpy as np

from .._typing import AnyArray, BoolArray, Bounds, Depth, FloatArray, Share, TieOrder
from ._blocks import BLOCK_ROWS, LONG_ROWS
from ._cut import first_rows, worth_a_cut
from ._prevalence import at_prevalence, have_several_weights, to_sort, with_factor
from ._rankings import Kernel, Rankings, Rows, together
from ._unweighted import (
    KeyedKernel,
    PackedKernel,
    PlainKernel,
    order_by_keys,
    packing_of,
)
from ._weighted import (
    PlainWeightedKernel,
    SummedKernel,
    merged_rows,
    sorted_by_lexsort,
    sorted_by_packed_rows,
)

KernelName = Literal["plain", "packed", "merged", "packed rows", "lexsort"]
# If a cut keeps more of the rows, sorting all of them takes less time than copying
# these.
_MAX_CUT_SHARE = 0.25
# With at most so many rows of weights, or with more rows per positive, numpy's sort is
# faster than keys.
_PLAIN_ROWS = 300
_ROWS_PER_RARE_POSITIVE = 30
# The same, if there are few distinct floats, so that several of a sample are equal.
_ROWS_PER_RARER_FLOATS = 8
_SAMPLED_ROWS = 32
_LEXSORT_ROWS = 3000  # the same, of several rankings with weights


def rank(
    rows: Rows,
    *,
    tie_order: TieOrder | None = None,
    k: Depth = None,
    bounds: Bounds | None = None,
    kernel: KernelName | None = None,
) -> Rankings:
    """Sort the rows of every ranking once.

    Parameters
    ----------
    rows : Rows
        The rows of all rankings.
    tie_order : {'stable', 'optimistic', 'pessimistic'}, default=None
        The order of equal scores; each row is then a step of its own. By default, equal
        scores are one step.
    k : int or float, default=None
        A promise that the caller only looks at the first `k` rows of each ranking, or
        at this share of them. Totals still count all rows.
    bounds : pair of numbers, default=None
        Bounds of all scores, such as 0 and 1. By default, the lowest and the highest
        score are looked up.
    kernel : str, default=None
        The kernel that sorts, a `KernelName`, for tests. By default the fastest one
        that can sort these rows. If the kernel cannot sort them, a plain sort does.
    """
    cut = None
    if k is not None and worth_a_cut(rows, k):
        rows = together(rows)
        cut = first_rows(rows, k, at_most=_MAX_CUT_SHARE)
    to_sort, dropped_positives = (rows, 0.0) if cut is None else cut
    bounds = bounds or (to_sort.score.min(), to_sort.score.max())
    sorted_rows = _sorted(to_sort, tie_order, bounds, kernel)
    found_weight = sorted_rows.found_weight + dropped_positives
    weighted_rows = None if rows.weight is None else rows
    return Rankings(
        sorted_rows, rows.offsets, weighted_rows, found_weight, found_weight
    )


def short_ranking(
    positive: BoolArray,
    score: AnyArray,
    weight: FloatArray | None,
    bounds: Bounds,
    prevalence: Share = None,
) -> Rankings | None:
    """Rank at most a block of rows in half the time; None for more rows.

    It is a single ranking with tied groups as steps, without a total or a cut. The
    calls of Python in `rank` and `to_sort` take longer than the sort of a hundred rows.
    """
    if score.size > BLOCK_ROWS:
        return None
    offsets, weighted_rows, factor = np.array((0, score.size)), None, None
    if weight is not None:
        weighted_rows = Rows(positive, score, weight, offsets)
        if not have_several_weights(positive, weight):
            weighted_rows, _, factor = to_sort(weighted_rows)
            weight = weighted_rows.weight
            weighted_rows = None if weight is None else weighted_rows
    kernel = _short_kernel(positive, score, weight, bounds)
    found_weight = kernel.found_weight
    rankings = Rankings(kernel, offsets, weighted_rows, found_weight, found_weight)
    if prevalence is not None:
        return at_prevalence(rankings, prevalence)
    return rankings if factor is None else with_factor(rankings, factor)


def _short_kernel(
    positive: BoolArray, score: AnyArray, weight: FloatArray | None, bounds: Bounds
) -> Kernel:
    """Sort a single ranking of at most a block of rows."""
    if weight is not None:
        packing = None if score.size <= _PLAIN_ROWS else packing_of(score, *bounds)
        order = None if packing is None else order_by_keys(score, packing)
        return PlainWeightedKernel(positive, score, weight, order=order)
    packing = None if _is_rare(positive, score) else packing_of(score, *bounds)
    if packing is not None:
        keyed = KeyedKernel(positive, score, packing)
        if packing.scale is None or packing.keeps_apart(keyed.keys, score):
            return keyed
    return PlainKernel(positive, score)


def _is_rare(positive: BoolArray, score: AnyArray) -> bool:
    """Whether so few rows are positive that one sort of scores, and a search, takes
    less time than keys.
    """
    if positive.size < LONG_ROWS:  # a tenth either way, as long as it takes to find out
        return False
    n_positives = int(np.count_nonzero(positive))
    is_rare = n_positives * _ROWS_PER_RARE_POSITIVE <= positive.size
    # More rows than a block gain at any share, if few scores differ.
    may_be_rarer = n_positives * _ROWS_PER_RARER_FLOATS <= positive.size
    may_be_rarer |= positive.size > BLOCK_ROWS
    if is_rare or score.dtype.kind != "f" or not may_be_rarer:
        return is_rare
    sample = score[:: max(score.size // _SAMPLED_ROWS, 1)].tolist()
    return len(set(sample)) < len(sample) - 1


def _takes(kernel: KernelName | None, name: KernelName, *, by_default: bool) -> bool:
    """Whether to try a kernel by its name: it is the one that the caller named or, if
    none was named, it is fast by default.
    """
    return by_default if kernel is None else kernel == name


def _sorted(
    rows: Rows,
    tie_order: TieOrder | None,
    bounds: Bounds,
    kernel: KernelName | None,
) -> Kernel:
    """Sort rows by the first of the kernels that can sort them."""
    is_single = rows.is_single and tie_order is None
    single = _single_ranking(rows, bounds, kernel) if is_single else None
    if single is not None:
        return single
    packing = packing_of(rows.score, *bounds)
    stable = tie_order == "stable"
    if rows.weight is None and not stable and kernel in (None, "packed"):
        if packing is not None:
            packed = PackedKernel(rows, packing, tie_order)
            if packed.is_exact:
                return packed
        if is_single:
            return PlainKernel(*rows.flat()[:2])
    rows = together(rows)
    in_order = None
    is_packed = _takes(
        kernel, "packed rows", by_default=rows.score.size > _LEXSORT_ROWS
    )
    if packing is not None and is_packed and (stable or tie_order is None):
        in_order = sorted_by_packed_rows(rows, packing, bounds, stable=stable)
    if in_order is None:
        in_order = sorted_by_lexsort(rows, tie_order)
    return SummedKernel(*in_order, rows)


def _single_ranking(
    rows: Rows, bounds: Bounds, kernel: KernelName | None
) -> Kernel | None:
    """Sort a single ranking by a kernel for such a one, or return None if keys take
    less time.
    """
    positive, score, weight = rows.flat()
    if kernel is None and score.size <= BLOCK_ROWS:
        return _short_kernel(positive, score, weight, bounds)
    if weight is None:
        is_plain = _takes(kernel, "plain", by_default=_is_rare(positive, score))
        return PlainKernel(positive, score) if is_plain else None
    if kernel == "plain":
        return PlainWeightedKernel(positive, score, weight)
    is_merged = _takes(kernel, "merged", by_default=score.size > BLOCK_ROWS)
    merged = merged_rows(positive, score, weight) if is_merged else None
    return None if merged is None else PlainWeightedKernel(*merged)
