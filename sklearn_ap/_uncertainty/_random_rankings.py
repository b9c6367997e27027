r"""Step average precision of a random ranking: its mean and standard deviation, exact, and draws of it.

Positives stand at random rows; tied groups keep their sizes. With :math:`N_i` rows at or above the group of
row i, :math:`P \cdot AP = \sum_i y_i / N_i + \sum_{i<j} y_i y_j K_{ij}`, where :math:`K_{ij}` is
:math:`1 / \max(N_i, N_j)`, and twice that for rows of one group. That sum splits into its mean, a sum over
rows and a sum over pairs, which are uncorrelated (Hoeffding's decomposition for draws without replacement).
So the variance is a sum of two squares. The textbook difference of E[AP^2] and E[AP]^2 would lose eight
digits at a million rows.
"""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence
from scipy.special import binom, digamma, polygamma

from .._ranking._blocks import blocks_of
from .._rounding import EQUAL
from .._typing import FloatArray, IntArray
from ._draws import batches

_COUNTED = 2**20  # ranks of all orders together, up to which they are counted instead of drawn: 8 MB
# Of positives per tied group; from this many on it takes less time to draw counts than ranks (measured).
_MIN_COUNTED_POSITIVES = 5


class _PairSums(NamedTuple):
    """Sums over rows and pairs of rows; z is the sum of K over all pairs of a row, less 1."""

    d: float
    dd: float
    dz: float
    zz: float
    kk: float


def moments_of_random(n_positives: int, n_samples: int, ends: IntArray | None) -> tuple[float, float]:
    """Return the exact mean and standard deviation; `ends` counts the rows at or above each tied group."""
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
    for block in blocks_of(
        n_positives, 2**20
    ):  # counts of a warehouse may be of more rows than fit in memory
        rank = np.arange(block.start + 1.0, block.stop + 1.0)
        precisions += float((rank / (rank + (n_samples - n_positives))).sum())
    return precisions / n_positives


class Orders(NamedTuple):
    """The orders of some rows, which are equally likely in a random ranking."""

    n_positives: int
    n_samples: int
    ends: IntArray | None  # the number of rows at or above each tied group, best first; None without ties

    @property
    def key(self) -> tuple[int, int, bytes]:
        """What is equal if the orders are."""
        return self.n_positives, self.n_samples, b"" if self.ends is None else self.ends.tobytes()

    def scores(self, n_draws: int, rng: Generator) -> FloatArray:
        """Return the average precision of random orders."""
        if self.ends is None or self.ends.size * _MIN_COUNTED_POSITIVES > self.n_positives:
            parts = batches(n_draws, self.n_positives)
            return np.concatenate([self._of_ranks(self._ranks(n, rng)) for n in parts])
        return np.concatenate([self._of_groups(self.ends, n, rng) for n in batches(n_draws, self.ends.size)])

    def all_scores(self, at_most: int) -> FloatArray | None:
        """Return the average precision of every order, or None if there are more of them."""
        n_orders = binom(self.n_samples, self.n_positives)  # a float, infinite if there are too many for it
        if n_orders > at_most or n_orders * self.n_positives > _COUNTED:
            return None
        return self._of_ranks(np.array([*combinations(range(1, self.n_samples + 1), self.n_positives)]))

    def _ranks(self, n_draws: int, rng: Generator) -> IntArray:
        """Draw the ranks of the positives, in order; a row per draw.

        A rank is the place among the positives plus the number of negatives above. Each multiset of such
        numbers has to be equally likely. So number k is a new one from 0 to `n_negatives`, or with a chance
        of k / (n_negatives + 1 + k) one of the k before it (Polya's urn).
        """
        n_negatives = self.n_samples - self.n_positives
        drawn = rng.random((n_draws, self.n_positives))
        above = (drawn * np.arange(n_negatives + 1, self.n_samples + 1)).astype(np.int64)
        flat = above.reshape(-1)
        copies = np.flatnonzero(flat > n_negatives)
        while copies.size:  # a copy of a copy takes another round
            flat[copies] = flat[copies - copies % self.n_positives + (flat[copies] - n_negatives - 1)]
            copies = copies[flat[copies] > n_negatives]
        return np.asarray(np.sort(above, axis=1) + np.arange(1, self.n_positives + 1))

    def _of_ranks(self, rank: IntArray) -> FloatArray:
        """Sum the precision at each positive of some orders; a positive finds its whole tied group."""
        place = np.arange(1, self.n_positives + 1)
        if self.ends is None:
            return np.asarray((place / rank).sum(axis=1)) / self.n_positives
        end = np.repeat(self.ends, np.diff(self.ends, prepend=0))[rank - 1]
        # As many positives are at or above the group as its last one has place.
        is_last = np.append(end[:, 1:] != end[:, :-1], np.ones((len(end), 1), dtype=bool), axis=1)
        tp = np.minimum.accumulate(np.where(is_last, place, self.n_positives)[:, ::-1], axis=1)[:, ::-1]
        return np.asarray((tp / end).sum(axis=1)) / self.n_positives

    def _of_groups(self, ends: IntArray, n_draws: int, rng: Generator) -> FloatArray:
        """Draw how many positives each tied group has, and sum the precision at each."""
        size = np.diff(ends, prepend=0)
        gained = rng.multivariate_hypergeometric(size, self.n_positives, size=n_draws, method="marginals")
        return np.asarray((gained * (gained.cumsum(axis=1) / ends)).sum(axis=1)) / self.n_positives


def pvalues_of_means(
    means: FloatArray, rankings: Sequence[Orders], n_draws: int, seed: Sequence[int]
) -> FloatArray:
    """Return the probabilities that random rankings score at least these means, in parts of 2**17 draws."""
    # Few rows have few orders, many of which score exactly what was seen. Rounding must not hide that.
    least = means * (1 - EQUAL)
    rankings = sorted(rankings, key=lambda ranking: ranking.key)
    if len(rankings) == 1 and (values := rankings[0].all_scores(n_draws)) is not None:
        return np.array([np.count_nonzero(values >= mean) for mean in least]) / values.size
    sizes = [number for ranking in rankings for number in ranking[:2]]
    rng = Generator(SFC64(SeedSequence([*seed, *sizes])))  # numpy's fastest
    at_least = np.zeros(means.size, dtype=np.int64)
    for n in batches(n_draws, 1):
        drawn = sum(ranking.scores(n, rng) for ranking in rankings) / len(rankings)
        at_least += [np.count_nonzero(drawn >= mean) for mean in least]
    return (at_least + 1) / (n_draws + 1)
