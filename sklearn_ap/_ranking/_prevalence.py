r"""What rows weigh before and after the sort: equal weights as counts, and negatives at another prevalence.

If the positives of a ranking weigh :math:`P`, found or missed, and its negatives :math:`N`, each negative is
multiplied by :math:`P (1 - \pi) / (\pi N)`. Positives are then the share :math:`\pi` of the ranking.

Counts are multiplied after the sort (`at_prevalence`), so rows without weights are sorted as ever. Weights
that differ are multiplied before the sort (`to_sort`): afterwards the weight of negatives is a difference of
sums, which loses the light ones.
"""

from math import frexp
from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, whole_rankings
from ._class_weights import ClassWeightKernel
from ._rankings import Kernel, Rankings, Rows

_MOST = 2.0**1000  # of the weight of all negatives: precision below them is then 0 to all digits
TINY = 2.0**-500  # the product of two smaller numbers may underflow
_LIMIT = 1000  # the exponent of 2 near which sums of weights are at most
_SMALL, _LARGE = 2.0**-400, 2.0**400  # products of numbers between them neither underflow nor overflow


class ToSort(NamedTuple):
    """Rows whose weights differ inside their rankings, or that have none."""

    rows: Rows
    unit: FloatArray | float  # the power of two that weights were divided by; a float if there are no weights
    hold_counts: BoolArray | None = None  # rankings that `at_prevalence` has to reweight; None means all


def to_sort(
    rows: Rows, prevalence: float | None = None, totals: FloatArray | None = None, *, scaled: bool = True
) -> ToSort:
    """Replace weights that are equal inside a ranking by counts, and bring all others to a prevalence.

    No score depends on the scale of the weights. Counts are exact, while sums of weights such as 0.1 are
    rounded and would miss recall levels. Each ranking is decided alone, so its value never depends on the
    others in the call. `totals` are stated numbers of positives, in weight. `scaled` lets weights of tiny
    positives be scaled up, and heavy negatives be limited, which no area sees and a curve does.
    """
    if rows.weight is None:
        return ToSort(rows, 1.0)
    if prevalence is None:
        return _in_units(rows, scaled=scaled)
    reweighted = _reweighted(rows, rows.weight, prevalence, totals)
    in_units = _in_units(reweighted.rows, scaled=scaled)
    return reweighted._replace(rows=in_units.rows, unit=in_units.unit * reweighted.unit)


def at_prevalence(
    rankings: Rankings, prevalence: float | None, hold_counts: BoolArray | None = None
) -> Rankings:
    """Return the rankings with this share of positives.

    `hold_counts` says which of them hold counts, or None if all do. `to_sort` has reweighted the others.
    """
    if prevalence is None or (hold_counts is not None and not hold_counts.any()):
        return rankings
    negatives = rankings.n_samples - rankings.n_found
    kernel = kernel_at(rankings.kernel, prevalence, rankings.n_positives, negatives, hold_counts)
    return rankings._replace(kernel=kernel)


def kernel_at(
    kernel: Kernel,
    prevalence: float,
    n_positives: FloatArray,
    negatives: FloatArray,
    hold_counts: BoolArray | None = None,
) -> ClassWeightKernel:
    """Return rankings with the negatives multiplied that hold counts, so that positives are this share."""
    if negatives.size == 1:  # the same in a fifth of the time; it counts in a short call
        of_all: float = negatives.item()
        multiplied = min(n_positives.item() * _odds(prevalence), _MOST) / of_all if of_all else 1.0
        return ClassWeightKernel(kernel, None, np.array((multiplied,)))
    wanted = _weight_of_negatives(n_positives, prevalence)
    factor = np.divide(wanted, negatives, out=np.ones_like(wanted), where=negatives > 0)
    if hold_counts is not None:
        factor[~hold_counts] = 1.0
    return ClassWeightKernel(kernel, None, factor)


def _in_units(rows: Rows, *, scaled: bool) -> ToSort:
    """Replace weights that are equal inside a ranking by counts, and scale tiny weights that differ."""
    weight = rows.weight
    assert weight is not None, "weights"
    n_rankings = rows.offsets.size - 1
    if n_rankings == weight.ndim == 1 and TINY <= np.minimum.reduce(weight) < np.maximum.reduce(weight):
        return ToSort(rows, np.ones(1))  # shortcut for one ranking, six times faster
    n_rows = np.diff(rows.offsets)
    unit = np.ones(n_rows.size)
    filled = np.flatnonzero(n_rows)  # reduceat gives an empty ranking the first weight of the next one
    weight = weight.ravel()
    least = np.minimum.reduceat(weight, rows.offsets[filled])
    most = np.maximum.reduceat(weight, rows.offsets[filled])
    equal = least == most
    unit[filled[equal]] = least[equal]
    if equal.all():
        return ToSort(rows._replace(weight=None), unit)
    if scaled and least.min() < TINY:
        unit[filled[~equal]] = _scale_of_positives(rows, weight, filled)[~equal]
    if not (unit == 1).all():
        # Where a tiny unit scales weights up, they are limited, so that their sum stays finite.
        largest = np.where(unit < TINY, _MOST / weight.size, np.inf)
        with np.errstate(over="ignore"):
            weight = np.minimum(weight / np.repeat(unit, n_rows), np.repeat(largest, n_rows))
    return ToSort(rows._replace(weight=weight.reshape(rows.positive.shape)), unit)


def _scale_of_positives(rows: Rows, weight: FloatArray, filled: IntArray) -> FloatArray:
    """Return the unit of each ranking: 1, or for tiny positives a power of two near the heaviest.

    Products with subnormal numbers would be rounded to a few bits. Dividing by this unit may push a heavy
    negative up to `_MOST`. Precision below such a negative is 0 to all digits: the limit changes no score.
    """
    of_positives = np.where(rows.positive.ravel(), weight, 0.0)
    heaviest = np.maximum.reduceat(of_positives, rows.offsets[filled])
    exponent = np.where((heaviest > 0) & (heaviest < TINY), np.frexp(heaviest)[1], 0)
    return np.asarray(np.ldexp(1.0, exponent))


def _reweighted(rows: Rows, weight: FloatArray, prevalence: float, n_positives: FloatArray | None) -> ToSort:
    """Multiply the negatives of rankings whose weights differ.

    `n_positives` are the stated totals of the rankings, in weight.
    """
    positive, weight, offsets = rows.positive.reshape(-1), weight.reshape(-1), rows.offsets
    n_rankings = offsets.size - 1
    stated = np.zeros(n_rankings) if n_positives is None else n_positives
    unit, hold_counts = np.ones(n_rankings), np.zeros(n_rankings, dtype=bool)
    multiplied = None
    if n_rankings == 1 and np.minimum.reduce(weight) < np.maximum.reduce(weight):
        multiplied = reweighted_lone(positive, weight, prevalence, stated.item())
    if multiplied is None:
        multiplied = np.empty(weight.size)
        for first, stop in whole_rankings(offsets, BLOCK_ROWS):  # all passes over a block are in the cache
            begin, end = offsets[[first, stop]].tolist()
            filled = first + np.flatnonzero(np.diff(offsets[first : stop + 1]))
            if filled.size:
                block = positive[begin:end], weight[begin:end], offsets[filled] - begin, stated[filled]
                multiplied[begin:end], hold_counts[filled], unit[filled] = _reweighted_block(
                    *block, prevalence
                )
    return ToSort(rows._replace(weight=multiplied.reshape(rows.positive.shape)), unit, hold_counts)


def reweighted_lone(
    positive: BoolArray, weight: FloatArray, prevalence: float, n_positives: float = 0.0
) -> FloatArray | None:
    """Return the weights of a lone ranking with the negatives multiplied, or None beside extreme weights."""
    blocks = blocks_of(weight.size)
    parts = [_by_class(positive, weight)] if len(blocks) == 1 else None
    found = negatives = 0.0
    for of_positives, of_negatives in parts or (_by_class(positive[b], weight[b]) for b in blocks):
        found += np.add.reduce(of_positives).item()
        negatives += np.add.reduce(of_negatives).item()
    if not negatives:
        return weight
    factor = factor_of_negatives(max(found, n_positives), negatives, np.minimum.reduce(weight), prevalence)
    if factor is None:
        return None
    multiplied = np.empty(weight.size)
    for block in blocks:
        of_positives, of_negatives = parts[0] if parts else _by_class(positive[block], weight[block])
        of_negatives *= factor
        np.add(of_negatives, of_positives, out=multiplied[block])  # one of them is 0
    return multiplied


def factor_of_negatives(found: float, negatives: float, least: float, prevalence: float) -> float | None:
    """Return what multiplies the weights of negatives of a lone ranking, or None beside extreme weights."""
    factor = found * _odds(prevalence) / negatives
    return factor if _SMALL <= factor <= _LARGE and found <= _LARGE and least >= _SMALL else None


def _reweighted_block(
    positive: BoolArray, weight: FloatArray, start: IntArray, n_positives: FloatArray, prevalence: float
) -> tuple[FloatArray, BoolArray, FloatArray]:
    """Return the weights of rankings that begin at `start`, which of them hold counts, and their units.

    Mantissas and exponents are multiplied apart, so only the results are rounded. Beside extreme weights, the
    sum of the ranking is brought near its limit, which leaves room for light weights. What underflows becomes
    the least number, since kernels need weights above 0.
    """
    lengths = np.diff(start, append=weight.size)
    least = np.minimum.reduceat(weight, start)
    hold_counts = least == np.maximum.reduceat(weight, start)
    of_positives, of_negatives = _by_class(positive, weight)
    found = np.maximum(np.add.reduceat(of_positives, start), n_positives)
    negatives = np.add.reduceat(of_negatives, start)
    changed = ~hold_counts & (found > 0) & (negatives > 0)
    found, negatives = np.where(changed, found, 0.0), np.where(changed, negatives, 0.0)
    with np.errstate(over="ignore", under="ignore"):  # of stated totals, and of rows of the other class
        factor = np.divide(found * _odds(prevalence), negatives, out=np.ones_like(found), where=changed)
        usual = (factor >= _SMALL) & (factor <= _LARGE) & (found <= _LARGE) & (least >= _SMALL)
        exponent_of_sum = np.frexp(found)[1] + max(frexp(_odds(prevalence))[1], 0)
        limited = np.maximum(exponent_of_sum - _LIMIT, -1022)  # the unit must not underflow
        unit = np.where(changed & ~usual, limited, 0)
        wanted, up = np.frexp(_weight_of_negatives(np.ldexp(found, -unit), prevalence))
        negatives, down = np.frexp(negatives)
        factor = np.divide(wanted, negatives, out=np.ones_like(wanted), where=changed)
        mantissa, exponent = np.frexp(weight)
        of_negatives = np.ldexp(
            mantissa * np.repeat(factor, lengths), exponent + np.repeat(up - down, lengths)
        )
        of_positives = np.ldexp(weight, -np.repeat(unit, lengths))
    multiplied = np.maximum(np.where(positive, of_positives, of_negatives), 5e-324)
    return multiplied, hold_counts, np.ldexp(1.0, unit)


def _by_class(positive: BoolArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights of positives and of negatives, else 0: np.where takes three times as long."""
    of_positives = weight * positive
    return of_positives, weight - of_positives


def _weight_of_negatives(n_positives: FloatArray, prevalence: float) -> FloatArray:
    """Return what all negatives of each ranking weigh beside its positives."""
    with np.errstate(over="ignore"):  # a stated total may be the largest float
        return np.minimum(n_positives * _odds(prevalence), _MOST)


def _odds(prevalence: float) -> float:
    """Return the weight of negatives per weight of positives."""
    return min((1.0 - prevalence) / prevalence, _MOST)
