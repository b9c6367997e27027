r"""Rankings at another prevalence: negatives are reweighted, so that positives are a stated share.

If the positives of a ranking weigh :math:`P`, found or missed, and its negatives :math:`N`, each negative is
multiplied by :math:`P (1 - \pi) / (\pi N)`. Positives are then the share :math:`\pi` of the ranking.

Counts are multiplied after the sort (`at_prevalence`), so rows without weights are sorted as ever. Weights
that differ are multiplied before the sort (`reweighted`): afterwards the weight of negatives is a difference
of sums, which loses the light ones.
"""

from math import frexp
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, whole_rankings
from ._class_weights import ClassWeightKernel
from ._few import FewKernel
from ._few_weighted import FewWeightedKernel
from ._rankings import Rankings
from ._rows import Rows

__all__ = ["Reweighted", "ShortKernel", "at_prevalence", "few_at_prevalence", "reweighted", "reweighted_lone"]

_MOST = 2.0**1000  # of the weight of all negatives: precision below them is then 0
_LIMIT = 1000  # the exponent of 2 near which sums of weights are at most
_SMALL, _LARGE = 2.0**-400, 2.0**400  # products of numbers between them neither underflow nor overflow


ShortKernel = FewKernel | FewWeightedKernel | ClassWeightKernel  # of a lone ranking in one block


class Reweighted(NamedTuple):
    """Weights whose negatives were multiplied."""

    weight: FloatArray
    hold_counts: BoolArray  # the rankings whose weights are equal, and stay as they are
    unit: FloatArray  # what a weight of 1 is in each ranking: not 1 only beside extreme weights


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
    factor = min(found * _odds(prevalence), _MOST) / negatives if negatives else 1.0
    return ClassWeightKernel(few, None, np.array((factor,)))


def reweighted(rows: Rows, prevalence: float, n_positives: FloatArray | None) -> Reweighted:
    """Multiply the negatives of rankings whose weights differ.

    `n_positives` are the stated totals of the rankings, in weight.
    """
    assert rows.weight is not None, "weights"
    positive, weight, offsets = rows.positive.reshape(-1), rows.weight.reshape(-1), rows.offsets
    n_rankings = offsets.size - 1
    stated = np.zeros(n_rankings) if n_positives is None else n_positives
    multiplied, hold_counts, unit = (
        np.empty(weight.size),
        np.zeros(n_rankings, dtype=bool),
        np.ones(n_rankings),
    )
    if rows.is_lone and np.minimum.reduce(weight) < np.maximum.reduce(weight):
        lone = reweighted_lone(positive, weight, prevalence, stated.item())
        if lone is not None:
            return Reweighted(lone.reshape(rows.positive.shape), hold_counts, unit)
    for first, stop in whole_rankings(offsets, BLOCK_ROWS):  # all passes over a block are in the cache
        begin, end = offsets[[first, stop]].tolist()
        filled = first + np.flatnonzero(np.diff(offsets[first : stop + 1]))
        if filled.size:
            block = _Block(positive[begin:end], weight[begin:end], offsets[filled] - begin, stated[filled])
            multiplied[begin:end], hold_counts[filled], unit[filled] = _reweighted_block(block, prevalence)
    return Reweighted(multiplied.reshape(rows.positive.shape), hold_counts, unit)


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
    found = max(found, n_positives)
    factor = found * _odds(prevalence) / negatives
    if not (_SMALL <= factor <= _LARGE and found <= _LARGE and np.minimum.reduce(weight) >= _SMALL):
        return None
    multiplied = np.empty(weight.size)
    for block in blocks:
        of_positives, of_negatives = parts[0] if parts else _by_class(positive[block], weight[block])
        of_negatives *= factor
        np.add(of_negatives, of_positives, out=multiplied[block])  # one of them is 0
    return multiplied


class _Block(NamedTuple):
    """Rankings with rows."""

    positive: BoolArray
    weight: FloatArray
    start: IntArray  # the first row of each ranking
    n_positives: FloatArray  # its stated total, or 0

    def each(self, values: AnyArray) -> AnyArray:
        """Repeat one value per ranking for each of its rows."""
        return np.repeat(values, np.diff(self.start, append=self.weight.size))


def _reweighted_block(block: _Block, prevalence: float) -> Reweighted:
    """Return the same of several rankings, whatever their weights are."""
    positive, weight, start, n_positives = block
    least = np.minimum.reduceat(weight, start)
    hold_counts = least == np.maximum.reduceat(weight, start)
    of_positives, of_negatives = _by_class(positive, weight)
    found, negatives = np.add.reduceat(of_positives, start), np.add.reduceat(of_negatives, start)
    found = np.maximum(found, n_positives)
    changed = ~hold_counts & (found > 0) & (negatives > 0)
    factor = np.ones(start.size)
    with np.errstate(over="ignore", under="ignore"):
        np.divide(found * _odds(prevalence), negatives, out=factor, where=changed)
    usual = (factor >= _SMALL) & (factor <= _LARGE) & (found <= _LARGE) & (least >= _SMALL)
    extreme = changed & ~usual
    if extreme.any():
        sums = np.where(changed, found, 0.0), np.where(changed, negatives, 0.0)
        multiplied, unit = _reweighted_of_any_size(block, prevalence, *sums, extreme)
        return Reweighted(multiplied, hold_counts, unit)
    of_negatives *= block.each(factor)
    of_negatives += of_positives  # one of them is 0
    return Reweighted(of_negatives, hold_counts, np.ones(start.size))


def _reweighted_of_any_size(
    block: _Block, prevalence: float, found: FloatArray, negatives: FloatArray, extreme: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weights of a block, and the unit of each ranking; sums of 0 leave a ranking as it is.

    The sum of an extreme ranking is brought near its limit, to leave room for light weights, and mantissas
    and exponents are multiplied apart: only the results are rounded. What underflows becomes the least
    number, since kernels need weights above 0.
    """
    exponent_of_sum = np.frexp(found)[1] + max(frexp(_odds(prevalence))[1], 0)
    unit = np.where(extreme, np.maximum(exponent_of_sum - _LIMIT, -1022), 0)  # the unit must not underflow
    with np.errstate(over="ignore"):  # of stated totals, and of rows of the other class
        wanted, up = np.frexp(_weight_of_negatives(np.ldexp(found, -unit), prevalence))
        negatives, down = np.frexp(negatives)
        factor = np.divide(wanted, negatives, out=np.ones_like(wanted), where=found > 0)
        mantissa, exponent = np.frexp(block.weight)
        of_negatives = np.ldexp(mantissa * block.each(factor), exponent + block.each(up - down))
        of_positives = np.ldexp(block.weight, -block.each(unit))
    return np.maximum(np.where(block.positive, of_positives, of_negatives), 5e-324), np.ldexp(1.0, unit)


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
