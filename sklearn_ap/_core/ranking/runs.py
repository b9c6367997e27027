"""Runs: the rows of each ranking, which are next to each other in an array.

Numpy sorts and accumulates along the rows of a matrix. Runs of similar lengths are
padded to one length and become the rows of a matrix, so that a running sum cannot
continue from one ranking into the next.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from ..typing import AnyArray, IntArray

# Long arrays are read in pieces of this number of rows. Pieces of other sizes take
# longer (`python -m benchmarks.paths`), and one piece takes more memory.
PIECE_ROWS = 24_576
# All runs are padded to one table if it has fewer entries per value than this number.
# Otherwise, runs of similar lengths share a table. If they always did, many queries
# would take longer (`python -m benchmarks.paths`).
_ENTRIES_PER_VALUE = 3
# A block of several rankings has about this number of rows. One block would take more
# memory.
BLOCK_ROWS = 131_072


def starts_of_runs(values: AnyArray) -> IntArray:
    """Return the place at which each run of equal values begins. There is at least one
    value.
    """
    return np.append(True, values[1:] != values[:-1]).nonzero()[0]


def running(accumulate: np.ufunc, values: AnyArray, lengths: IntArray) -> AnyArray:
    """Accumulate `values` in place, beginning again at each run of the given lengths,
    and return them.

    A single running sum, from which the sum before each run is subtracted, would lose
    digits.
    """
    change_runs(
        lambda runs: accumulate.accumulate(runs, axis=-1, out=runs), values, lengths, 0
    )
    return values


def change_runs(
    change: Callable[[AnyArray], object],
    values: AnyArray,
    lengths: IntArray,
    padding: float,
) -> None:
    """Apply `change`, which works in place along the last axis, to each run of
    `values`.

    Runs of equal lengths are the rows of a table without a copy. Other runs are copied
    into tables whose shorter rows end with `padding`.
    """
    if lengths.size == 1:
        change(values)
    elif (lengths == lengths[0]).all():
        change(values.reshape(lengths.size, -1))
    else:
        offsets = np.append(0, np.cumsum(lengths))
        for of_block, runs in blocks_of_runs(offsets):
            _change_in_tables(change, values[of_block], lengths[runs], padding)


def blocks_of_runs(offsets: IntArray) -> Iterator[tuple[slice, slice]]:
    """Yield the values and the runs of each block. A block contains whole runs, which
    have about `BLOCK_ROWS` values together. `offsets` are the first value of each run,
    and the number of all values.
    """
    first = offsets.searchsorted(np.arange(0, offsets[-1], BLOCK_ROWS))
    for runs in pairwise([*first.tolist(), offsets.size - 1]):
        low, high = offsets.take(runs).tolist()
        # A run may be longer than a block. Then no run begins in the blocks that it
        # covers, and these have no values.
        if low < high:
            yield slice(low, high), slice(*runs)


def _change_in_tables(
    change: Callable[[AnyArray], object],
    values: AnyArray,
    lengths: IntArray,
    padding: float,
) -> None:
    """Apply `change` to each run of a block of runs, in tables."""
    first = np.cumsum(lengths) - lengths
    for runs in _of_similar_length(lengths, values.size):
        column = np.arange(lengths[runs].max())
        is_filled = column < lengths[runs, np.newaxis]
        places: IntArray | slice = slice(None)
        if runs.size < lengths.size:
            places = (first[runs, np.newaxis] + column)[is_filled]
        table = np.full(is_filled.shape, padding, dtype=values.dtype)
        table[is_filled] = values[places]
        change(table)
        values[places] = table[is_filled]


def _of_similar_length(lengths: IntArray, n_values: int) -> Iterator[IntArray]:
    """Yield the runs whose lengths have the same number of bits, or all runs if a table
    of them has little padding. Otherwise, runs without values are omitted.
    """
    if lengths.max() * lengths.size < _ENTRIES_PER_VALUE * n_values:
        yield np.arange(lengths.size)
        return
    _, n_bits = np.frexp(lengths)
    for number in np.unique(n_bits[lengths > 0]):
        yield np.flatnonzero(n_bits == number)
