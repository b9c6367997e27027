"""How often a bootstrap draws each row, or each cell of rows that do the same to a score."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.random import Generator, RandomState

from .._reading._options import is_real
from .._typing import IntArray

Source = int | RandomState | Generator | None  # of random numbers
_AT_ONCE = 2**17  # numbers in memory at a time: 1 MB, which fits the caches of most processors


def generator_of(random_state: Source) -> Generator:
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


def read_n_resamples(n_resamples: object) -> int:
    """Check the number of bootstrap samples: an integer of at least 1."""
    if is_real(n_resamples) and 1 <= n_resamples < np.inf and n_resamples == int(n_resamples):
        return int(n_resamples)
    raise ValueError(f"n_resamples must be an integer >= 1; got {n_resamples!r}.")


class Draws:
    """How often to draw samples or permutations, and by which random numbers."""

    def __init__(self, n_resamples: object, random_state: Source) -> None:
        self.n_resamples = read_n_resamples(n_resamples)
        self._rng = None if random_state is None else generator_of(random_state)

    @cached_property
    def rng(self) -> Generator:
        """The random numbers; to seed them by the system takes as long as a short score."""
        return generator_of(self._rng)


def batches(n_draws: int, width: int) -> Iterator[int]:
    """Yield how many draws of so many numbers to make at once, until there are `n_draws`."""
    at_once = max(_AT_ONCE // width, 1)
    for done in range(0, n_draws, at_once):
        yield min(at_once, n_draws - done)


def counts_of_cells(size: IntArray, n_resamples: int, rng: Generator) -> Iterator[IntArray]:
    """Yield how many rows each bootstrap sample draws from cells of `size` rows: a row per sample."""
    n_rows = int(size.sum())
    for n_samples in batches(n_resamples, size.size):
        if (size == 1).all():  # to draw rows takes a fifth of the time
            row = rng.integers(n_rows, size=(n_samples, n_rows))
            row += n_rows * np.arange(n_samples)[:, np.newaxis]
            yield np.bincount(row.ravel(), minlength=row.size).reshape(row.shape)
        else:
            yield rng.multinomial(n_rows, size / n_rows, size=n_samples)
