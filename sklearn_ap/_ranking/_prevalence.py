r"""What rows weigh before and after the sort: equal weights as counts, and negatives at another prevalence.

If the positives of a ranking weigh :math:`P`, found or missed, and its negatives :math:`N`, each negative is
multiplied by :math:`P (1 - \pi) / (\pi N)`. Positives are then the share :math:`\pi` of the ranking.

Counts are multiplied after the sort (`at_prevalence`), so rows without weights are sorted as ever. Weights
that differ are multiplied before the sort (`to_sort`): afterwards the weight of negatives is a difference of
sums, which loses the light ones.
"""

from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ._class_weights import ClassWeightKernel
from ._rankings import Rankings, Rows
from ._steps import LONE

_MOST = 2.0**1000  # of the weight of all negatives: precision below them is then 0 to all digits
_LEAST = 5e-324  # kernels need weights above 0, also of negatives whose products underflow


class ToSort(NamedTuple):
    """Rows whose weights differ inside their rankings, or that have none."""

    rows: Rows
    unit: FloatArray | float  # the weight of one count of each ranking; a float if there are no weights
    hold_counts: BoolArray | None = None  # rankings that `at_prevalence` has to reweight; None means all


def to_sort(rows: Rows, prevalence: float | None = None, totals: FloatArray | None = None) -> ToSort:
    """Replace weights that are equal inside a ranking by counts, and bring all others to a prevalence.

    No score depends on the scale of the weights. Counts are exact, while sums of weights such as 0.1 are
    rounded and would miss recall levels. Each ranking is decided alone, so its value never depends on the
    others in the call. `totals` are stated numbers of positives, in weight.
    """
    if rows.weight is None:
        return ToSort(rows, 1.0)
    weight, n_rows = rows.weight.ravel(), np.diff(rows.offsets)
    if n_rows.size == 1 and prevalence is None and weight.min() < weight.max():
        return ToSort(rows, np.ones(1))  # nothing to do, in a sixth of the time
    filled = np.flatnonzero(n_rows)  # reduceat gives an empty ranking the first weight of the next one
    start = rows.offsets[filled]
    least, most = np.minimum.reduceat(weight, start), np.maximum.reduceat(weight, start)
    equal = least == most
    unit = np.ones(n_rows.size)
    unit[filled[equal]] = least[equal]
    if equal.all():
        return ToSort(rows._replace(weight=None), unit)
    if equal.any():
        weight = weight / np.repeat(unit, n_rows)
    hold_counts = np.zeros(n_rows.size, dtype=bool)
    hold_counts[filled] = equal
    if prevalence is not None:
        stated = None if totals is None else totals[filled]
        weight = reweighted(
            rows.positive.ravel(), weight, prevalence, start=start, changed=~equal, n_positives=stated
        )
    return ToSort(rows._replace(weight=weight.reshape(rows.positive.shape)), unit, hold_counts)


def at_prevalence(
    rankings: Rankings, prevalence: float | None, hold_counts: BoolArray | None = None
) -> Rankings:
    """Return the rankings with this share of positives.

    `hold_counts` says which of them hold counts, or None if all do. `to_sort` has reweighted the others.
    """
    if prevalence is None or (hold_counts is not None and not hold_counts.any()):
        return rankings
    negatives = rankings.n_samples - rankings.n_found
    factor = factor_of_negatives(rankings.n_positives, negatives, prevalence)
    if hold_counts is not None:
        factor[~hold_counts] = 1.0
    return rankings._replace(kernel=ClassWeightKernel(rankings.kernel, np.ones(factor.size), factor))


def reweighted(
    positive: BoolArray,
    weight: FloatArray,
    prevalence: float,
    *,
    start: IntArray = LONE,
    changed: BoolArray | bool = True,
    n_positives: FloatArray | None = None,
) -> FloatArray:
    """Return the weights with the negatives of rankings multiplied, so that positives are this share.

    `start` is where each ranking begins, and `n_positives` are stated totals, in weight.
    """
    of_positives = weight * positive  # np.where takes three times as long
    of_negatives = weight - of_positives
    positives, negatives = (np.add.reduceat(weights, start) for weights in (of_positives, of_negatives))
    if n_positives is not None:
        positives = np.maximum(positives, n_positives)
    factor = factor_of_negatives(np.where(changed, positives, 0.0), negatives, prevalence)
    of_negatives *= factor if factor.size == 1 else np.repeat(factor, np.diff(start, append=weight.size))
    of_negatives += of_positives  # one of them is 0
    return np.maximum(of_negatives, _LEAST, out=of_negatives)


def factor_of_negatives(positives: FloatArray, negatives: FloatArray, prevalence: float) -> FloatArray:
    """Return what multiplies the weights of the negatives of each ranking; 1 if it has one class only."""
    odds, factor = min((1.0 - prevalence) / prevalence, _MOST), np.ones_like(positives)
    with np.errstate(over="ignore"):  # a stated total may be the largest float
        weight = np.minimum(positives * odds, _MOST)  # of all negatives
        np.divide(weight, negatives, out=factor, where=(positives > 0) & (negatives > 0))
    if not np.isfinite(factor).all():
        raise ValueError(
            f"prevalence={prevalence!r} would multiply the weights of negatives by more than 1e308 here; use "
            "weights of fewer magnitudes, or a higher prevalence."
        )
    return factor
