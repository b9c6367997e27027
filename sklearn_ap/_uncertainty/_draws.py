"""How often a bootstrap draws each row: exact multinomial counts, at a fraction of the cost of drawing rows.

Independent Poisson counts, given their sum, are multinomial. So each cell of rows gets a Poisson count whose
mean is a little too small, and random rows are added until there are as many as in the sample. A sum that is
too large is drawn again; this depends on the sum alone, so the counts stay multinomial.
"""

from collections.abc import Iterator
from math import exp, sqrt

import numpy as np
from numpy.random import Generator, RandomState
from scipy.special import gammaln

from .._typing import FloatArray, IntArray

__all__ = ["counts_of_cells", "generator_of"]

_AT_ONCE = 2**17  # counts in memory at a time
_MARGIN = 3.0  # standard deviations that the Poisson counts stay below the size of the sample
_ENTRIES = 2**16
_OPEN = 255  # an entry of the table that a second draw decides


def generator_of(random_state: int | RandomState | Generator | None) -> Generator:
    """Return a generator of random numbers; a RandomState of scikit-learn seeds it."""
    if isinstance(random_state, RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer >= 0, a RandomState or a Generator of numpy; "
            f"got {random_state!r}."
        ) from None


def counts_of_cells(
    size: IntArray, cell: IntArray | None, n_resamples: int, rng: Generator
) -> Iterator[IntArray]:
    """Yield how many rows each bootstrap sample draws from each cell: matrices with a row per sample.

    `size` is the number of rows per cell, and `cell` the cell of each row. None means that each row is a
    cell. Each sample has as many draws as there are rows.
    """
    n_rows = int(size.sum())
    at_once = max(_AT_ONCE // size.size, 1)
    draw = _Draw(size, cell, n_rows, rng)
    for first in range(0, n_resamples, at_once):
        yield draw.samples(min(at_once, n_resamples - first))


class _Draw:
    def __init__(self, size: IntArray, cell: IntArray | None, n_rows: int, rng: Generator) -> None:
        self._size, self._cell, self._n_rows, self._rng = size, cell, n_rows, rng
        self._rate = max(1.0 - _MARGIN / sqrt(n_rows), 0.0)  # of each row
        self._single, self._several = (size == 1).nonzero()[0], (size > 1).nonzero()[0]
        self._table, self._rest, self._of_rest = _table_of(self._rate)

    def samples(self, n_samples: int) -> IntArray:
        counts = self._poisson(n_samples)
        missing = self._n_rows - counts.sum(axis=1)
        while (excess := (missing < 0).nonzero()[0]).size:
            counts[excess] = self._poisson(excess.size)
            missing[excess] = self._n_rows - counts[excess].sum(axis=1)
        rows = self._rng.integers(self._n_rows, size=int(missing.sum()))
        cells = rows if self._cell is None else self._cell[rows]
        cells += np.repeat(np.arange(n_samples) * self._size.size, missing)
        return counts + np.bincount(cells, minlength=counts.size).reshape(counts.shape)

    def _poisson(self, n_samples: int) -> IntArray:
        if self._single.size == self._size.size:
            return self._poisson_of_rows((n_samples, self._size.size))
        counts = np.zeros((n_samples, self._size.size), dtype=np.int64)
        if self._single.size:
            counts[:, self._single] = self._poisson_of_rows((n_samples, self._single.size))
        mean = self._rate * self._size[self._several]
        counts[:, self._several] = self._rng.poisson(mean, (n_samples, mean.size))
        return counts

    def _poisson_of_rows(self, shape: tuple[int, int]) -> IntArray:
        """Look Poisson counts up by random 16-bit numbers: several times as fast as to compute them."""
        entry = self._rng.integers(_ENTRIES, size=shape, dtype=np.uint16)
        counts = self._table.take(entry)
        still_open = (counts == _OPEN).nonzero()
        drawn = self._rng.choice(self._rest, size=still_open[0].size, p=self._of_rest)
        counts = counts.astype(np.int64)
        counts[still_open] = drawn
        return counts


def _table_of(rate: float) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return a table of Poisson counts, and the counts with their probabilities where it is left open.

    65,536 entries cannot hold all probabilities to the last digit. What is missing is left open.
    """
    k = np.arange(40)
    with np.errstate(divide="ignore"):
        logs = k * np.log(rate) if rate else np.where(k == 0, 0.0, -np.inf)
    entries = np.exp(logs - gammaln(k + 1)) * exp(-rate) * _ENTRIES
    whole = np.floor(entries).astype(np.int64)
    table = np.full(_ENTRIES, _OPEN, dtype=np.uint8)
    table[: whole.sum()] = np.repeat(k, whole)
    left = entries - whole
    return table, k, left / left.sum() if left.any() else np.eye(k.size)[0]
