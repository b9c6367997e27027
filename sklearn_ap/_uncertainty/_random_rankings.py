r"""Step average precision of a random ranking: its mean and standard deviation, exact, and draws of it.

Positives stand at random rows; tied groups keep their sizes. With :math:`N_i` rows at or above the group of
row i, :math:`P \cdot AP = \sum_i y_i / N_i + \sum_{i<j} y_i y_j K_{ij}`, where :math:`K_{ij}` is
:math:`1 / \max(N_i, N_j)`, and twice that for rows of one group. That sum splits into its mean, a sum over
rows and a sum over pairs, which are uncorrelated (Hoeffding's decomposition for draws without replacement).
So the variance is a sum of two squares. The textbook difference of E[AP^2] and E[AP]^2 would lose eight
digits at a million rows.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import digamma, polygamma

from .._typing import BoolArray, FloatArray, IntArray
from ._draws import batches

_DENSE = 8  # rows per positive; up to here a bit per row is faster than a rank per positive
_FEW = 5  # positives per tied group; from here on counts of the groups are faster than ranks
_MARGIN = 3.0  # standard deviations that random bits stay below their number


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
    h = float(digamma(n + 1)) + np.euler_gamma
    h2 = float(polygamma(1, 1) - polygamma(1, n + 1))  # of order 2
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
    rank = np.arange(1.0, n_positives + 1)
    return float((rank / (rank + (n_samples - n_positives))).sum()) / n_positives


def random_average_precision(
    n_positives: int, n_samples: int, ends: IntArray | None, n_draws: int, rng: Generator
) -> FloatArray:
    """Return the step average precision of random rankings, whose tied groups end at `ends`."""
    if n_positives == n_samples:
        return np.ones(n_draws)
    if ends is not None and ends.size * _FEW <= n_positives:
        blocks = batches(n_draws, ends.size)
        return np.concatenate([_of_groups(n_positives, ends, n, rng) for n in blocks]) / n_positives
    is_sparse = n_positives * _DENSE < n_samples
    rows_of = _sparse_rows if is_sparse else _dense_rows
    blocks = batches(n_draws, n_positives if is_sparse else n_samples)
    drawn = [_of_rows(rows_of(n_positives, n_samples, n, rng), ends) for n in blocks]
    return np.concatenate(drawn) / n_positives


def _of_groups(n_positives: int, ends: IntArray, n_draws: int, rng: Generator) -> FloatArray:
    """Draw how many positives each tied group has, and sum the precision at each."""
    size = np.diff(ends, prepend=0)
    gained = rng.multivariate_hypergeometric(size, n_positives, size=n_draws, method="marginals")
    return np.asarray((gained * (gained.cumsum(axis=1) / ends)).sum(axis=1))


def _of_rows(rows: IntArray, ends: IntArray | None) -> FloatArray:
    """Sum the precision at each positive; `rows` are the rows of the positives, best row first."""
    found = np.arange(1, rows.shape[1] + 1)
    if ends is None:
        return np.asarray((found / (rows + 1.0)).sum(axis=1))
    end = np.repeat(ends, np.diff(ends, prepend=0))[rows]
    # A positive finds its whole tied group: as many as the last positive of the group.
    is_last = np.ones(end.shape, dtype=bool)
    np.not_equal(end[:, 1:], end[:, :-1], out=is_last[:, :-1])
    within = np.where(is_last, found, found[-1])
    return np.asarray((np.minimum.accumulate(within[:, ::-1], axis=1)[:, ::-1] / end).sum(axis=1))


def _sparse_rows(n_positives: int, n_samples: int, n_draws: int, rng: Generator) -> IntArray:
    """Draw distinct rows for the positives of each ranking, in order.

    A row that was drawn twice stays once, and another one is drawn. Nothing in that depends on which row it
    is, so all sets of rows are equally likely.
    """
    kind = np.uint32 if n_samples <= 2**32 else np.int64  # numpy draws and sorts half as many bytes faster
    rows = rng.integers(n_samples, size=(n_draws, n_positives), dtype=kind)
    again = np.arange(n_draws)
    while again.size:
        some = rows[again]
        some.sort(axis=1)
        twice = some[:, 1:] == some[:, :-1]
        n_twice = np.count_nonzero(twice)
        if n_twice:
            some[:, 1:][twice] = rng.integers(n_samples, size=n_twice, dtype=kind)
        rows[again] = some
        again = again[twice.any(axis=1)]
    return rows.astype(np.int64)


def _dense_rows(n_positives: int, n_samples: int, n_draws: int, rng: Generator) -> IntArray:
    """Draw a bit per row for each ranking, and return the rows of the positives."""
    n_negatives = n_samples - n_positives
    if n_positives <= n_negatives:  # the fewer there are, the fewer collide
        positive = _random_bits(n_positives, n_samples, n_draws, rng)
    else:
        positive = ~_random_bits(n_negatives, n_samples, n_draws, rng)
    return positive.nonzero()[1].reshape(n_draws, n_positives)


def _random_bits(n_set: int, n_samples: int, n_draws: int, rng: Generator) -> BoolArray:
    """Return a matrix whose rows have `n_set` random bits each; all such rows are equally likely.

    Independent bits are a little too few, and random ones are added. A row with too many is drawn anew. Both
    depend on the number of bits alone, and not on which they are.
    """
    share = (n_set - _MARGIN * sqrt(n_set)) / n_samples
    level = max(int(share * 2**16), 0)
    bits = np.empty((n_draws, n_samples), dtype=bool)
    anew = np.arange(n_draws)
    while anew.size:
        bits[anew] = rng.integers(2**16, size=(anew.size, n_samples), dtype=np.uint16) < level
        anew = anew[np.count_nonzero(bits[anew], axis=1) > n_set]
    missing = n_set - np.count_nonzero(bits, axis=1)
    while missing.any():
        start = np.repeat(np.arange(n_draws) * n_samples, missing)
        bits.reshape(-1)[start + rng.integers(n_samples, size=start.size)] = True
        missing = n_set - np.count_nonzero(bits, axis=1)
    return bits
