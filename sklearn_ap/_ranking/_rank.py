r"""From `Rows` to `Rankings`: `to_sort` sets weights, `rank` sorts, and `at_prevalence` reweights counts.

`rank` chooses one of the kernels of this package; `_sorted` is the choice.

If the positives of a ranking, found or missed, have the weight :math:`P` and its negatives :math:`N`, each
negative is multiplied by :math:`P (1 - \pi) / (\pi N)`. The share of positives is then :math:`\pi`.

Counts are multiplied after the sort (`at_prevalence`), so rows without weights are sorted as ever. Weights
that differ are multiplied before the sort (`to_sort`): afterwards the weight of negatives is a difference of
sums, which loses the light ones.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np

from .._typing import BoolArray, Bounds, FloatArray, IntArray, TieOrder
from ._blocks import BLOCK_ROWS
from ._class_weights import ClassWeightKernel, class_weights
from ._cut import first_rows, worth_a_cut
from ._keys import packing_of
from ._merged import merged_rows
from ._packed import PackedKernel
from ._plain import PLAIN_ROWS, PlainWeightedKernel, plain_kernel
from ._rankings import Kernel, Rankings, Rows, together
from ._steps import SINGLE
from ._summed import SummedKernel, sorted_by_lexsort
from ._weighted import sorted_by_packed_rows

KernelName = Literal["plain", "packed", "class weights", "merged", "packed rows", "lexsort"]
KERNELS: tuple[KernelName, ...] = get_args(KernelName)
_MAX_WEIGHT = 2.0**1000  # of all negatives: precision below them is then 0 to all digits
_MIN_WEIGHT = 5e-324  # kernels need weights above 0, also of negatives whose products underflow
_MAX_CUT_SHARE = (
    0.25  # if a cut keeps more of the rows, sorting all of them takes less time than copying these
)
_ROWS_PER_RARE_POSITIVE = 30  # with more rows per positive, positives are looked up among all rows


def rank(
    rows: Rows,
    *,
    tie_order: TieOrder | None = None,
    k: int | float | None = None,
    bounds: Bounds | None = None,
    kernel: KernelName | None = None,
    block_rows: int = BLOCK_ROWS,
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
        rows. If the kernel cannot sort them, a plain sort does.
    block_rows : int
        Number of rows per block.
    keep : bool, default=False
        Whether a kernel that sorts weighted rows also keeps their weights in order, as `signed`.
    """
    if kernel is not None and kernel not in KERNELS:
        raise ValueError(f"kernel must be None or one of {KERNELS}; got {kernel!r}.")
    cut = None
    if k is not None and worth_a_cut(rows, k):
        rows = together(rows)
        cut = first_rows(rows, k, at_most=_MAX_CUT_SHARE)
    options = _Sorting(tie_order, bounds, kernel, block_rows, keep)
    sorted_rows = _sorted(rows if cut is None else cut.rows, options)
    found_weight = sorted_rows.found_weight
    dropped_weight: FloatArray | float = 0.0
    if cut is not None:
        found_weight, dropped_weight = found_weight + cut.dropped_positives, cut.dropped_weight
    weighted_rows = None if rows.weight is None else rows
    return Rankings(sorted_rows, rows.offsets, weighted_rows, found_weight, found_weight, dropped_weight)


class _Sorting(NamedTuple):
    """The arguments of `rank` for the choice of the kernel."""

    tie_order: TieOrder | None
    bounds: Bounds | None
    kernel: KernelName | None
    block_rows: int
    keep: bool

    def takes(self, kernel: KernelName, *, by_default: bool = True) -> bool:
        """Whether to try this kernel: if it was named, or if none was named and it is fast by default."""
        return by_default if self.kernel is None else self.kernel == kernel


def _sorted(rows: Rows, options: _Sorting) -> Kernel:
    """Sort rows by the first of the kernels that can sort them."""
    is_single = rows.is_single and options.tie_order is None
    kernel = _single_ranking(rows, options) if is_single else None
    if kernel is None and rows.weight is None and options.tie_order != "stable" and options.takes("packed"):
        kernel = _packed(rows, options)
        if kernel is None and is_single:
            kernel = plain_kernel(*rows.flat())
    return _added_up(together(rows), options) if kernel is None else kernel


def _single_ranking(rows: Rows, options: _Sorting) -> Kernel | None:
    """Sort a single ranking by a kernel for such a one, or return None if keys take less time."""
    positive, score, weight = rows.flat()
    if weight is not None and options.takes("class weights"):
        by_class = class_weights(positive, weight)
        if by_class is not None:
            # Another kernel counts the rows, and this one multiplies the counts.
            counted = _sorted(rows._replace(weight=None), options._replace(kernel=None))
            return ClassWeightKernel(counted, *(np.array([of_class]) for of_class in by_class))
    is_short = score.size <= min(PLAIN_ROWS, options.block_rows)
    is_plain = is_short or (weight is None and _is_rare(positive))
    if options.takes("plain", by_default=is_plain):
        return plain_kernel(positive, score, weight)
    if weight is not None and options.takes("merged", by_default=score.size > BLOCK_ROWS):
        merged = merged_rows(positive, score, weight)
        return None if merged is None else PlainWeightedKernel(*merged)
    return None


def _is_rare(positive: BoolArray) -> bool:
    """Whether so few rows are positive that one sort of scores, and a search, takes less time than keys."""
    return bool(np.count_nonzero(positive) * _ROWS_PER_RARE_POSITIVE <= positive.size)


def _packed(rows: Rows, options: _Sorting) -> Kernel | None:
    """Sort rows without weights as keys, or return None if their scores have no keys."""
    bounds = _bounds_of(rows, options)
    packing = packing_of(rows.score, *bounds)
    if packing is None:
        return None
    packed = PackedKernel(rows, packing, tie_order=options.tie_order, block_rows=options.block_rows)
    return packed if packed.is_exact else None


def _added_up(rows: Rows, options: _Sorting) -> Kernel:
    """Sort rows with weights, or in a stable order, as keys where that can be done, and add up weights."""
    tie_order, in_order = options.tie_order, None
    is_long = rows.score.size > PLAIN_ROWS
    if tie_order in (None, "stable") and options.takes("packed rows", by_default=is_long):
        bounds = _bounds_of(rows, options)
        packing = packing_of(rows.score, *bounds)
        if packing is not None:
            extremes, stable = np.array(bounds, dtype=rows.score.dtype), tie_order == "stable"
            in_order = sorted_by_packed_rows(
                rows, packing, extremes, stable=stable, block_rows=options.block_rows
            )
    if in_order is None:
        in_order = sorted_by_lexsort(rows, tie_order)
    return SummedKernel(*in_order, rows, options.block_rows, keep=options.keep)


def _bounds_of(rows: Rows, options: _Sorting) -> Bounds:
    """Return bounds of all scores."""
    return options.bounds or (rows.score.min(), rows.score.max())


class ToSort(NamedTuple):
    """Rows whose weights differ inside their rankings, or that have none."""

    rows: Rows
    count_weight: FloatArray | None = (
        None  # of one row of each ranking of counts, else 1; None without weights
    )
    has_counts: BoolArray | None = None  # rankings that `at_prevalence` has to reweight; None means all


def to_sort(rows: Rows, prevalence: float | None = None, totals: FloatArray | None = None) -> ToSort:
    """Replace weights that are equal inside a ranking by counts, and bring all others to a prevalence.

    No score depends on the scale of the weights. Counts are exact, while sums of weights such as 0.1 are
    rounded and would miss recall levels. Each ranking is decided alone, so its value never depends on the
    others in the call. `totals` are the numbers of positives that the caller passed, in weight.
    """
    if rows.weight is None:
        return ToSort(rows)
    weight, n_rows = rows.weight.ravel(), np.diff(rows.offsets)
    if n_rows.size == 1 and prevalence is None and weight.min() < weight.max():
        return ToSort(rows, np.ones(1))  # nothing to do, in a sixth of the time
    filled = np.flatnonzero(n_rows)  # reduceat gives an empty ranking the first weight of the next one
    start = rows.offsets[filled]
    lightest, heaviest = np.minimum.reduceat(weight, start), np.maximum.reduceat(weight, start)
    equal = lightest == heaviest
    count_weight = np.ones(n_rows.size)
    count_weight[filled[equal]] = lightest[equal]
    if equal.all():
        return ToSort(rows._replace(weight=None), count_weight)
    if equal.any():
        weight = weight / np.repeat(count_weight, n_rows)
    has_counts = np.zeros(n_rows.size, dtype=bool)
    has_counts[filled] = equal
    if prevalence is not None:
        n_positives = None if totals is None else totals[filled]
        weight = reweighted(
            rows.positive.ravel(), weight, prevalence, start=start, changed=~equal, n_positives=n_positives
        )
    return ToSort(rows._replace(weight=weight.reshape(rows.positive.shape)), count_weight, has_counts)


def at_prevalence(
    rankings: Rankings, prevalence: float | None, has_counts: BoolArray | None = None
) -> Rankings:
    """Return the rankings with this share of positives; `has_counts` marks those of counts."""
    if prevalence is None or (has_counts is not None and not has_counts.any()):
        return rankings
    negatives = rankings.total_weight - rankings.found_weight
    factor = factor_of_negatives(rankings.n_positives, negatives, prevalence)
    if has_counts is not None:
        factor[~has_counts] = 1.0
    return rankings._replace(kernel=ClassWeightKernel(rankings.kernel, np.ones(factor.size), factor))


def reweighted(
    positive: BoolArray,
    weight: FloatArray,
    prevalence: float,
    *,
    start: IntArray = SINGLE,
    changed: BoolArray | bool = True,
    n_positives: FloatArray | None = None,
) -> FloatArray:
    """Return the weights with the negatives of rankings multiplied, so that positives are this share.

    `start` is where each ranking begins, and `n_positives` are totals that the caller passed, in weight.
    """
    of_positives = weight * positive  # np.where takes three times as long
    of_negatives = weight - of_positives
    positives, negatives = (np.add.reduceat(weights, start) for weights in (of_positives, of_negatives))
    if n_positives is not None:
        positives = np.maximum(positives, n_positives)
    factor = factor_of_negatives(np.where(changed, positives, 0.0), negatives, prevalence)
    of_negatives *= factor if factor.size == 1 else np.repeat(factor, np.diff(start, append=weight.size))
    of_negatives += of_positives  # one of them is 0
    return np.maximum(of_negatives, _MIN_WEIGHT, out=of_negatives)


def factor_of_negatives(positives: FloatArray, negatives: FloatArray, prevalence: float) -> FloatArray:
    """Return the factor of the weights of the negatives of each ranking; 1 if it has one class only."""
    odds, factor = min((1.0 - prevalence) / prevalence, _MAX_WEIGHT), np.ones_like(positives)
    with np.errstate(over="ignore"):  # a total may be the largest float
        weight = np.minimum(positives * odds, _MAX_WEIGHT)  # of all negatives
        np.divide(weight, negatives, out=factor, where=(positives > 0) & (negatives > 0))
    if not np.isfinite(factor).all():
        raise ValueError(
            f"prevalence={prevalence!r} would multiply the weights of negatives by more than 1e308 here; use "
            "weights of fewer magnitudes, or a higher prevalence."
        )
    return factor
