"""How often a bootstrap draws each row: exact multinomial counts, at a fraction of the cost of drawing rows.

Independent Poisson counts, given their sum, are multinomial. So each cell of rows gets a Poisson count whose
mean is a little too small, and random rows are added until there are as many as in the sample. A sum that is
too large is drawn again; this depends on the sum alone, so the counts stay multinomial.
"""

from collections.abc import Iterator
from math import sqrt

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import NDArray
from scipy.stats import poisson

from .._typing import FloatArray, IntArray

_AT_ONCE = 2**17  # numbers in memory at a time
_MARGIN = 3.0  # standard deviations that the Poisson counts stay below the size of the sample
_ENTRIES = 2**16
_MOST = 40  # a count of a row that is not drawn once in 10**47
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


def batches(n_draws: int, width: int) -> Iterator[int]:
    """Yield how many draws of so many numbers to make at once, until there are `n_draws`."""
    at_once = max(_AT_ONCE // width, 1)
    for done in range(0, n_draws, at_once):
        yield min(at_once, n_draws - done)


def counts_of_cells(
    size: IntArray, cell: IntArray | None, n_resamples: int, rng: Generator
) -> Iterator[IntArray]:
    """Yield how many rows each bootstrap sample draws from each cell: matrices with a row per sample.

    `size` is the number of rows per cell, and `cell` the cell of each row. None means that each row is a
    cell. Each sample has as many draws as there are rows.
    """
    draw = _Draw(size, cell, rng)
    for n_samples in batches(n_resamples, size.size):
        yield draw.samples(n_samples)


class _Draw:
    """Draws samples of the size of the given one."""

    def __init__(self, size: IntArray, cell: IntArray | None, rng: Generator) -> None:
        self._size, self._cell, self._n_rows, self._rng = size, cell, int(size.sum()), rng
        self._rate = max(1.0 - _MARGIN / sqrt(self._n_rows), 0.0)  # of each row
        self._single, self._several = (size == 1).nonzero()[0], (size > 1).nonzero()[0]
        self._table, self._tail = _table_of(self._rate)

    def samples(self, n_samples: int) -> IntArray:
        """Return the counts of some samples."""
        counts = self._poisson(n_samples)
        missing = self._n_rows - counts.sum(axis=1)
        while (excess := (missing < 0).nonzero()[0]).size:
            counts[excess] = self._poisson(excess.size)
            missing[excess] = self._n_rows - counts[excess].sum(axis=1)
        rows = self._rng.integers(self._n_rows, size=int(missing.sum()))
        cells = rows if self._cell is None else self._cell[rows]
        cells += np.repeat(np.arange(n_samples) * self._size.size, missing)
        np.add.at(counts.reshape(-1), cells, 1)
        return counts

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
        n_counts = shape[0] * shape[1]
        words = self._rng.integers(2**64, size=-(-n_counts // 4), dtype=np.uint64)
        counts = self._table.take(words.view(np.uint16)[:n_counts])
        still_open = (counts == _OPEN).nonzero()[0]
        of_rows = counts.astype(np.int64)
        of_rows[still_open] = self._rng.choice(self._tail.size, size=still_open.size, p=self._tail)
        return of_rows.reshape(shape)


def _table_of(rate: float) -> tuple[NDArray[np.uint8], FloatArray]:
    """Return a table of Poisson counts, and the probabilities of the counts where it is left open.

    65,536 entries cannot hold all probabilities to the last digit. What is missing is left open.
    """
    count = np.arange(_MOST)
    entries = poisson.pmf(count, rate) * _ENTRIES
    whole = np.floor(entries).astype(np.int64)
    table = np.full(_ENTRIES, _OPEN, dtype=np.uint8)
    table[: whole.sum()] = np.repeat(count, whole)
    left = entries - whole
    return table, left / left.sum() if left.any() else np.eye(_MOST)[0]
