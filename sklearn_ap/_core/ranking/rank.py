"""From `Rows` to `Rankings`: `rank` sorts rows by one of the kernels of this package."""

from ..typing import AnyArray, Bounds, Depth, TieOrder
from .blocks import BLOCK_ROWS
from .cut import depths_worth_a_cut, first_rows
from .rankings import Kernel, Rankings, Rows, together
from .unweighted import (
    PackedKernel,
    PlainKernel,
    order_by_keys,
    packing_of,
    positives_of,
)
from .weighted import (
    PlainWeightedKernel,
    SummedKernel,
    merged_rows,
    rows_near_positives,
    sorted_by_lexsort,
    sorted_by_packed_rows,
)

# If a cut keeps a larger share of the rows, sorting all of them takes less time than
# copying these.
_MAX_CUT_SHARE = 0.25
# Up to this many rows, numpy's sort takes less time than keys: of one ranking with
# weights, and of several.
_PLAIN_ROWS = 300
_LEXSORT_ROWS = 3000
# With fewer positives, or more rows per positive, numpy's sort of one ranking and a
# search per positive take less time than keys. Keys of both signs, which are sorted as
# integers, cost so many times as much.
_FEW_POSITIVES = 300
_ROWS_PER_POSITIVE = 30
_COST_OF_SIGNS = 6
# Floats have few distinct values if several of this many rows are equal; of more than a
# block of them, numpy's sort then takes less time, too.
_SAMPLED_ROWS = 32


def rank(
    rows: Rows,
    *,
    tie_order: TieOrder | None = None,
    k: Depth = None,
    bounds: Bounds | None = None,
    steps_only: bool = False,
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
    steps_only : bool, default=False
        A promise that the caller only looks at steps with a positive, not at `points`.
    """
    candidates, dropped_positives = rows, None
    depth = None if k is None else depths_worth_a_cut(rows, k)
    if depth is not None:
        rows = together(rows)
        cut = first_rows(rows, depth, at_most=_MAX_CUT_SHARE)
        if cut is not None:
            candidates, dropped_positives = cut
    bounds = bounds or (candidates.score.min(), candidates.score.max())
    kernel: Kernel | None = None
    if rows.weight is None and tie_order != "stable":
        kernel = _kernel_of_counts(candidates, tie_order, bounds, k)
    elif rows.is_single and tie_order is None:
        kernel = _kernel_of_weights(
            candidates, bounds, steps_only=steps_only and k is None
        )
    if kernel is None:
        kernel = _kernel_of_sums(candidates, tie_order, bounds)
    found_weight = kernel.found_weight
    if dropped_positives is not None:
        found_weight = found_weight + dropped_positives
    weighted_rows = None if rows.weight is None else rows
    return Rankings(kernel, rows.offsets, weighted_rows, found_weight, found_weight)


def _kernel_of_counts(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds, k: Depth
) -> PlainKernel | PackedKernel | None:
    """Sort rows without weights; None if they need an order and have no keys."""
    is_single = rows.is_single and tie_order is None
    found_weight = positives_of(rows)
    # Few of the first rows are searched.
    if is_single and (
        isinstance(k, int) or _is_rare(found_weight.item(), rows.score, bounds)
    ):
        return PlainKernel(*rows.flat()[:2], k)
    packing = packing_of(rows.score, *bounds)
    if packing is not None:
        packed = PackedKernel(rows, found_weight, packing, tie_order)
        # The sorted keys show whether a product was rounded, which is rare.
        if packed.is_exact:
            return packed
    return PlainKernel(*rows.flat()[:2]) if is_single else None


def _kernel_of_weights(
    rows: Rows, bounds: Bounds, *, steps_only: bool
) -> PlainWeightedKernel | None:
    """Sort a single ranking with weights; None if it is long and has many distinct
    scores.
    """
    positive, score, weight = rows.flat()
    assert weight is not None, "weights"
    n_rows = None
    if score.size > BLOCK_ROWS:
        merged = merged_rows(positive, score, weight)
        if merged is None and steps_only:
            merged = rows_near_positives(
                positive, score, weight, at_most=_MAX_CUT_SHARE
            )
        if merged is None:
            return None
        positive, score, weight, n_rows = merged
    packing = None if score.size <= _PLAIN_ROWS else packing_of(score, *bounds)
    order = None if packing is None else order_by_keys(score, packing)
    return PlainWeightedKernel(positive, score, weight, n_rows, order)


def _kernel_of_sums(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds
) -> SummedKernel:
    """Sort any rows, by keys if there are many and the order allows it."""
    rows, in_order = together(rows), None
    packing = packing_of(rows.score, *bounds)
    takes_keys = tie_order in (None, "stable") and rows.score.size > _LEXSORT_ROWS
    if packing is not None and takes_keys:
        stable = tie_order == "stable"
        in_order = sorted_by_packed_rows(rows, packing, bounds, stable=stable)
    if in_order is None:
        in_order = sorted_by_lexsort(rows, tie_order)
    return SummedKernel(*in_order, rows)


def _is_rare(n_positives: float, score: AnyArray, bounds: Bounds) -> bool:
    """Whether a sort of scores and a search take less time than keys: of few positives,
    and of few distinct scores.
    """
    cost = _COST_OF_SIGNS if bounds[0] < 0 else 1
    if n_positives < cost * max(_FEW_POSITIVES, score.size / _ROWS_PER_POSITIVE):
        return True
    if score.size <= BLOCK_ROWS or score.dtype.kind != "f":
        return False
    sample = score.reshape(-1)[:: max(score.size // _SAMPLED_ROWS, 1)].tolist()
    return len(set(sample)) < len(sample) - 1
