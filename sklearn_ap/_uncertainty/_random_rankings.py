r"""Step average precision of a random ranking: its mean and standard deviation, exact, and draws of it.

Positives stand at random rows; tied groups keep their sizes. With :math:`N_i` rows at or above the group of
row i, :math:`P \cdot AP = \sum_i y_i / N_i + \sum_{i<j} y_i y_j K_{ij}`, where :math:`K_{ij}` is
:math:`1 / \max(N_i, N_j)`, and twice that for rows of one group. That sum splits into its mean, a sum over
rows and a sum over pairs, which are uncorrelated (Hoeffding's decomposition for draws without replacement).
So the variance is a sum of two squares. The textbook difference of E[AP^2] and E[AP]^2 would lose eight
digits at a million rows.
"""

from collections.abc import Sequence
from functools import cache, cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence
from numpy.typing import NDArray
from scipy.special import binom, digamma, polygamma

from .._ranking._blocks import blocks_of
from .._rounding import EQUAL
from .._typing import AnyArray, FloatArray, IntArray
from ._draws import batches

_COUNTED = 2**20  # numbers of all orders together, up to which they are counted instead of drawn
_FEW = 5  # positives per tied group; from here on counts of the groups are faster than ranks
_NETWORK = 24  # numbers per draw, up to which all draws are sorted at once
_RADIX = 300  # from here on a radix sort of 16 bits is faster than a SIMD sort of 32


class _PairSums(NamedTuple):
    """Sums over rows of d = 1/N and of z, and over pairs of rows of K, all but the first around the mean.

    z is the sum of K over all pairs of a row, less 1.
    """

    d: float
    dd: float
    dz: float
    zz: float
    kk: float


def moments_of_random(n_positives: int, n_samples: int, ends: IntArray | None) -> tuple[float, float]:
    """Return the exact mean and standard deviation of step average precision.

    `ends` is the number of rows at or above each tied group, best group first; None if there are no ties.
    """
    p, n = n_positives, n_samples
    if p == n or (ends is not None and ends.size == 1):
        return p / n, 0.0  # in any order; rounding could leave a little
    sums = _sums_without_ties(n) if ends is None else _sums_with_ties(ends.astype(np.float64))
    share = (p - 1) / max(n - 2, 1)  # of two rows there is one positive, and no pair
    of_rows = sums.dd + 2 * share * sums.dz + share * share * sums.zz
    of_pairs = max(sums.kk - sums.zz / max(n - 2, 1), 0.0)  # rounding could leave a little below 0
    # Counts of rows are integers of Python, whose products never overflow.
    variance = p * (n - p) / (n * (n - 1)) * of_rows
    if 1 < p < n - 1:
        variance += p * (p - 1) * (n - p) * (n - p - 1) / (n * (n - 1) * (n - 2) * (n - 3)) * of_pairs
    return (sums.d + (p - 1) / (n - 1) * (n - sums.d)) / n, sqrt(max(variance, 0.0)) / p


def _sums_without_ties(n: int) -> _PairSums:
    """Return the sums for N = 1, ..., n: all of them are harmonic numbers."""
    h = float(digamma(n + 1.0)) + np.euler_gamma
    h2 = float(polygamma(1, 1) - polygamma(1, n + 1.0))  # of order 2
    return _PairSums(
        d=h,
        dd=h2 - h * h / n,
        dz=h * h / 2 - 1.5 * h2 - h + 2 * h * h / n,
        zz=n + 3 * h - 2 * h * h + 2 * h2 - 4 * h * h / n,
        kk=h - h2 - 2 * (n - h) * (n - h) / (n * (n - 1)),
    )


def _sums_with_ties(ends: FloatArray) -> _PairSums:
    n = float(ends[-1])
    size = np.diff(ends, prepend=0.0)
    below = np.zeros(ends.size)
    below[:-1] = np.cumsum((size / ends)[:0:-1])[::-1]  # from the smallest terms on
    d, z = 1 / ends, (size - 2) / ends + below
    sum_d = float((size * d).sum())
    d_centred, z_centred = d - sum_d / n, z - (size * z).sum() / n
    mean_k = 2 * (n - sum_d) / (n * (n - 1))
    within, across = (size - 1) / 2 * (2 * d - mean_k) ** 2, (ends - size) * (d - mean_k) ** 2
    return _PairSums(
        d=sum_d,
        dd=float((size * d_centred**2).sum()),
        dz=float((size * d_centred * z_centred).sum()),
        zz=float((size * z_centred**2).sum()),
        kk=float((size * (within + across)).sum()),
    )


def lowest(n_positives: int, n_samples: int) -> float:
    """Return the step average precision of the worst order without ties: all positives come last."""
    precisions = 0.0
    for block in blocks_of(n_positives, 2**20):  # counts of a warehouse may be of more rows than memory holds
        rank = np.arange(block.start + 1.0, block.stop + 1.0)
        precisions += float((rank / (rank + (n_samples - n_positives))).sum())
    return precisions / n_positives


class Orders(NamedTuple):
    """The orders of some rows, of which a random ranking has each with the same probability."""

    n_positives: int
    n_samples: int
    ends: IntArray | None  # the number of rows at or above each tied group, best first; None without ties

    @property
    def key(self) -> tuple[int, int, bytes]:
        """What is equal if the orders are."""
        return self.n_positives, self.n_samples, b"" if self.ends is None else self.ends.tobytes()


def pvalues_of_means(
    means: FloatArray, orders: Sequence[Orders], n_draws: int, seed: Sequence[int]
) -> FloatArray:
    """Return the probabilities that independent random rankings score at least these means, on average.

    The draws depend on the seed and on these rankings alone. At most 2**17 of them are in memory.
    """
    # Few rows have few orders, many of which score exactly what was seen. Rounding must not hide that.
    least = means * (1 - EQUAL)
    orders = sorted(orders, key=lambda one: one.key)
    rankings = [_RandomRanking(*one) for one in orders]
    if len(rankings) == 1 and (values := rankings[0].all_scores(n_draws)) is not None:
        return np.array([np.count_nonzero(values >= one) for one in least]) / values.size
    sizes = [number for one in orders for number in one[:2]]
    rng = Generator(SFC64(SeedSequence([*seed, *sizes])))  # numpy's fastest
    at_least = np.zeros(means.size, dtype=np.int64)
    for n in batches(n_draws, 1):
        mean = sum(ranking.scores(n, rng) for ranking in rankings) / len(rankings)
        at_least += [np.count_nonzero(mean >= one) for one in least]
    return (at_least + 1) / (n_draws + 1)


class _RandomRanking:
    """A ranking with equally likely orders: draws of its step average precision, or all values.

    An order is a number of negatives above each positive: `n_positives` numbers that do not fall, from 0 to
    the number of negatives. Without ties, where positives are many, it is as well a number of positives above
    each negative.
    """

    def __init__(self, n_positives: int, n_samples: int, ends: IntArray | None) -> None:
        self._p, self._n, self._ends = n_positives, n_samples, ends
        self._of_positives = ends is not None or 2 * n_positives <= n_samples
        self._n_drawn = n_positives if self._of_positives else n_samples - n_positives
        self._n_groups = 0 if ends is None or ends.size * _FEW > n_positives else ends.size

    def scores(self, n_draws: int, rng: Generator) -> FloatArray:
        """Return the average precision of random orders."""
        draw = self._draw_in_groups if self._n_groups else self._draw
        # 2**18 numbers at once: with fewer, numpy's calls cost more than caches save.
        width = max((self._n_groups or self._n_drawn) // 2, 1)
        return np.concatenate([draw(n, rng) for n in batches(n_draws, width)])

    def all_scores(self, at_most: int) -> FloatArray | None:
        """Return the average precision of every order, or None if there are more of them."""
        n_orders = binom(self._n, self._n_drawn)  # a float, infinite if there are too many for it
        if n_orders > at_most or n_orders * self._n_drawn > _COUNTED:
            return None
        last = self._n - self._n_drawn
        above = np.zeros((1, 1), dtype=np.int64)  # a row per order; the first column is dropped below
        for _ in range(self._n_drawn):
            options = last + 1 - above[:, -1]
            first = np.repeat(np.cumsum(options) - options, options)
            above = np.repeat(above, options, axis=0)
            above = np.column_stack([above, np.arange(first.size) - first + above[:, -1]])
        return self._of(above.T[1:])

    def _draw(self, n_draws: int, rng: Generator) -> FloatArray:
        return self._of(_in_order(_multisets(self._n_drawn, self._n, n_draws, rng)))

    def _draw_in_groups(self, n_draws: int, rng: Generator) -> FloatArray:
        """Draw how many positives each tied group has, and sum the precision at each."""
        assert self._ends is not None, self._n
        size = np.diff(self._ends, prepend=0)
        gained = rng.multivariate_hypergeometric(size, self._p, size=n_draws, method="marginals")
        return np.asarray((gained * (gained.cumsum(axis=1) / self._ends)).sum(axis=1)) / self._p

    def _of(self, above: AnyArray) -> FloatArray:
        """Return the average precision of some orders, one per column of `above`."""
        found = np.arange(1.0, self._n_drawn + 1)[:, np.newaxis]
        if self._ends is not None:
            return self._tied(above + found.astype(np.int64))
        precision = above + found  # the rank, at first
        if self._of_positives:
            return np.asarray(np.divide(found, precision, out=precision).sum(axis=0)) / self._p
        # P (1 - AP) is the sum over negatives, the i-th at rank q, of 1/q + ... + 1/n - i/q.
        lost = self._reciprocals_below[above + (found - 1).astype(np.int64)]
        lost -= np.divide(found, precision, out=precision)
        return 1.0 - np.asarray(lost.sum(axis=0)) / self._p

    @cached_property
    def _reciprocals_below(self) -> FloatArray:
        """The sum of 1 / rank from each rank to the last."""
        return np.asarray(np.cumsum(1.0 / np.arange(self._n, 0, -1))[::-1])

    @cached_property
    def _end(self) -> IntArray:
        """How many rows are at or above the tied group of each row."""
        assert self._ends is not None, self._n
        return np.repeat(self._ends, np.diff(self._ends, prepend=0))

    def _tied(self, rank: AnyArray) -> FloatArray:
        """Sum the precision at each positive; a positive finds its whole tied group."""
        end = self._end[rank - 1]
        found = np.arange(1, self._p + 1)[:, np.newaxis]
        # As many are found as are at or above the last positive of the group.
        is_last = np.ones(end.shape, dtype=bool)
        np.not_equal(end[1:], end[:-1], out=is_last[:-1])
        within = np.where(is_last, found, self._p)
        return np.asarray((np.minimum.accumulate(within[::-1], axis=0)[::-1] / end).sum(axis=0)) / self._p


def _multisets(n_drawn: int, n_samples: int, n_draws: int, rng: Generator) -> AnyArray:
    """Draw how many rows of the other class are above each row of one class, in any order; a draw per column.

    Each set of such numbers has to be equally likely, and numbers may be equal. So number k is a new one from
    0 to `last`, or with a chance of k / (last + 1 + k) one of the k before it (Polya's urn).
    """
    last = n_samples - n_drawn
    drawn = rng.random((n_drawn, n_draws))
    drawn *= np.arange(last + 1, n_samples + 1)[:, np.newaxis]
    is_short = n_samples < 2**16 and not _NETWORK < n_drawn < _RADIX
    kind = np.uint16 if is_short else np.uint32 if n_samples < 2**32 else np.int64
    number: NDArray[np.integer] = drawn.astype(kind)
    flat = number.reshape(-1)
    copies = np.flatnonzero(flat > last)
    while copies.size:  # a copy of a copy takes another round
        copied = (flat[copies] - (last + 1)).astype(np.int64)
        flat[copies] = flat[copied * n_draws + copies % n_draws]
        copies = copies[flat[copies] > last]
    return number


def _in_order(number: AnyArray) -> AnyArray:
    """Sort each column."""
    n_numbers = len(number)
    if n_numbers > _NETWORK:
        rows = np.ascontiguousarray(number.T)
        # Numpy sorts 16 bits by radix if asked for a stable sort, and 32 bits with SIMD otherwise.
        rows.sort(axis=1, kind="stable" if rows.itemsize == 2 else None)
        return rows.T
    # All draws are sorted at once, five times as fast for three numbers and twice for ten.
    places, spare = list(number), np.empty_like(number, shape=number.shape[1])
    for one, other in _exchanges(n_numbers):
        low, high = places[one], places[other]
        np.minimum(low, high, out=spare)
        np.maximum(low, high, out=high)
        places[one], spare = spare, low
    return np.array(places, dtype=number.dtype).reshape(number.shape)  # also of no numbers


@cache
def _exchanges(n: int) -> list[tuple[int, int]]:
    """Return the pairs that Batcher's odd-even mergesort compares."""
    pairs = []
    powers = [2**i for i in range((n - 1).bit_length())]
    for half in powers:
        for step in (one for one in reversed(powers) if one <= half):
            for begin in range(step % half, n - step, 2 * step):
                for i in range(begin, min(begin + step, n - step)):
                    if i // (2 * half) == (i + step) // (2 * half):
                        pairs.append((i, i + step))
    return pairs
