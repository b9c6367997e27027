r"""Rankings at another prevalence: negatives are reweighted, so that positives are a stated share.

If the positives of a ranking weigh :math:`P`, found or missed, and its negatives :math:`N`, each negative is
multiplied by :math:`P (1 - \pi) / (\pi N)`. Positives are then the share :math:`\pi` of the ranking.

Counts are multiplied after the sort (`at_prevalence`), so rows without weights are sorted as ever. Weights
that differ are multiplied before the sort (`reweighted`): afterwards the weight of negatives is a difference
of sums, which loses the light ones.
"""

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, whole_rankings
from ._class_weights import ClassWeightKernel
from ._few import FewKernel
from ._rankings import Rankings
from ._rows import Rows

__all__ = ["at_prevalence", "few_at_prevalence", "reweighted", "reweighted_lone"]

_MOST = 2.0**900  # of the weight of all negatives: precision below one of them is then 0 to all digits
_SMALL, _LARGE = 2.0**-400, 2.0**400  # products of numbers between them neither underflow nor overflow
_LEAST = 5e-324  # kernels need weights above 0


def at_prevalence(
    rankings: Rankings, prevalence: float | None, hold_counts: BoolArray | None = None
) -> Rankings:
    """Return the rankings with this share of positives.

    `hold_counts` says which of them hold counts, or None if all do. The others were `reweighted`.
    """
    if prevalence is None or (hold_counts is not None and not hold_counts.any()):
        return rankings
    negatives = rankings.n_samples - rankings.n_found
    wanted = _weight_of_negatives(rankings.n_positives, prevalence)
    factor = np.divide(wanted, negatives, out=np.ones_like(wanted), where=negatives > 0)
    if hold_counts is not None:
        factor[~hold_counts] = 1.0
    return rankings._replace(kernel=ClassWeightKernel(rankings.kernel, None, factor))


def few_at_prevalence(few: FewKernel, prevalence: float) -> ClassWeightKernel:
    """Return the kernel of a lone, short ranking with this share of positives, in a fifth of the time."""
    found = few.n_found.item()
    negatives = few.n_samples.item() - found
    factor = _weight_beside(found, prevalence) / negatives if negatives else 1.0
    return ClassWeightKernel(few, None, np.array((factor,)))


def reweighted(
    rows: Rows, prevalence: float | None, n_positives: FloatArray | None
) -> tuple[Rows, BoolArray | None]:
    """Multiply the negatives of rankings whose weights differ; return also which rankings hold counts.

    `n_positives` are the stated totals of the rankings, in the unit of the weights.
    """
    if prevalence is None or rows.weight is None:
        return rows, None
    positive, weight, offsets = rows.positive.reshape(-1), rows.weight.reshape(-1), rows.offsets
    if rows.is_lone:
        weight = reweighted_lone(positive, weight, prevalence, n_positives)
        return rows._replace(weight=weight.reshape(rows.positive.shape)), np.zeros(1, dtype=bool)
    n_rankings = offsets.size - 1
    stated = np.zeros(n_rankings) if n_positives is None else n_positives
    multiplied, hold_counts = np.empty(weight.size), np.empty(n_rankings, dtype=bool)
    for first, stop in whole_rankings(offsets, BLOCK_ROWS):  # all passes over a block are in the cache
        begin, end = offsets[[first, stop]].tolist()
        multiplied[begin:end], hold_counts[first:stop] = _reweighted_block(
            positive[begin:end],
            weight[begin:end],
            prevalence,
            stated[first:stop],
            offsets[first : stop + 1] - begin,
        )
    return rows._replace(weight=multiplied.reshape(rows.positive.shape)), hold_counts


def reweighted_lone(
    positive: BoolArray, weight: FloatArray, prevalence: float, n_positives: FloatArray | None = None
) -> FloatArray:
    """Return the weights of a lone ranking, with the negatives multiplied."""
    blocks = blocks_of(weight.size)
    parts = [_by_class(positive, weight)] if len(blocks) == 1 else None
    found = negatives = 0.0
    for of_positives, of_negatives in parts or (_by_class(positive[b], weight[b]) for b in blocks):
        found += np.add.reduce(of_positives).item()
        negatives += np.add.reduce(of_negatives).item()
    if not negatives:
        return weight
    stated = found if n_positives is None else n_positives.item()
    wanted = _weight_beside(max(found, stated), prevalence)
    factor = wanted / negatives
    if np.minimum.reduce(weight) < _SMALL or not _SMALL <= factor <= _LARGE:
        return _of_any_size(positive, weight, wanted, negatives)
    multiplied = np.empty(weight.size)
    for block in blocks:
        of_positives, of_negatives = parts[0] if parts else _by_class(positive[block], weight[block])
        of_negatives *= factor
        np.add(of_negatives, of_positives, out=multiplied[block])  # one of them is 0
    return multiplied


def _reweighted_block(
    positive: BoolArray, weight: FloatArray, prevalence: float, n_positives: FloatArray, offsets: IntArray
) -> tuple[FloatArray, BoolArray]:
    """Return the same of several rankings, and which of them hold counts and stay as they are."""
    n_rows = np.diff(offsets)
    filled = np.flatnonzero(n_rows)  # reduceat gives an empty ranking the first row of the next one
    hold_counts = np.zeros(n_rows.size, dtype=bool)
    if not filled.size:
        return weight, hold_counts
    start = offsets[filled]
    least = np.minimum.reduceat(weight, start)
    hold_counts[filled] = least == np.maximum.reduceat(weight, start)
    of_positives, of_negatives = _by_class(positive, weight)
    found, negatives = np.add.reduceat(of_positives, start), np.add.reduceat(of_negatives, start)
    wanted = _weight_of_negatives(np.maximum(found, n_positives[filled]), prevalence)
    kept = hold_counts[filled] | (negatives == 0)
    wanted[kept] = negatives[kept] = 1.0
    with np.errstate(over="ignore"):
        factor = wanted / negatives
    if least.min() < _SMALL or factor.min() < _SMALL or factor.max() > _LARGE:
        wanted, negatives = np.repeat(wanted, n_rows[filled]), np.repeat(negatives, n_rows[filled])
        return _of_any_size(positive, weight, wanted, negatives), hold_counts
    of_negatives *= np.repeat(factor, n_rows[filled])
    of_negatives += of_positives  # one of them is 0
    return of_negatives, hold_counts


def _by_class(positive: BoolArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights with 0 for negatives and with 0 for positives: np.where takes three times as long."""
    of_positives = weight * positive
    return of_positives, weight - of_positives


def _of_any_size(
    positive: BoolArray, weight: FloatArray, wanted: FloatArray | float, negatives: FloatArray | float
) -> FloatArray:
    """Multiply negatives of any weight: a negative is a share of all of them, so no quotient overflows."""
    return np.where(positive, weight, np.maximum(weight / negatives * wanted, _LEAST))


def _weight_beside(n_positives: float, prevalence: float) -> float:
    """Return what the negatives of a ranking weigh together beside its positives."""
    return min(n_positives * _odds(prevalence), _MOST)


def _weight_of_negatives(n_positives: FloatArray, prevalence: float) -> FloatArray:
    """Return the same for several rankings."""
    with np.errstate(over="ignore"):  # a stated total may be the largest float
        return np.minimum(n_positives * _odds(prevalence), _MOST)


def _odds(prevalence: float) -> float:
    """Return the weight of negatives per weight of positives."""
    return min((1.0 - prevalence) / prevalence, _MOST)
