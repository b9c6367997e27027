"""Runs: the rows of each ranking, which are next to each other in an array.

Numpy sorts and accumulates along the rows of a matrix. Runs of similar lengths are
padded to one length and become the rows of a matrix. This is several times as fast as a
sort by (run, key), and a running sum cannot continue from one ranking into the next.
"""

from collections.abc import Callable

import numpy as np

from ..typing import AnyArray, IntArray

# With at least this number of rows per ranking, one call of numpy per ranking takes
# little time in comparison with the work on its rows.
LONG_ROWS = 4096
# Arrays of this length take at most 128 kB, which malloc does not have to request from
# the system.
PIECE_ROWS = 16_384
# If a single table of all runs has fewer cells per row than this number, all runs
# become one table. Otherwise, the runs whose lengths have the same number of bits
# become one table.
_ENTRIES_PER_ROW = 3.0


def starts_of_runs(values: AnyArray) -> IntArray:
    """Return the place at which each run of equal values begins. In sorted scores, the
    runs are the tied groups.
    """
    # An empty array has no runs, so the slice drops the first True.
    return np.append(True, values[1:] != values[:-1])[: values.size].nonzero()[0]


def running(accumulate: np.ufunc, values: AnyArray, lengths: IntArray) -> AnyArray:
    """Accumulate `values` in place, beginning again at each run of the given lengths,
    and return them.

    A single running sum from which the sum before each run is subtracted would lose
    digits. (On lognormal weights, the error was 5.6e-6.) So each run is accumulated
    separately.
    """

    def accumulated(runs: AnyArray) -> None:
        accumulate.accumulate(runs, axis=-1, out=runs)

    # The padding is behind each run, so it does not change the values before it.
    change_runs(accumulated, values, lengths, 0)
    return values


def change_runs(
    change: Callable[[AnyArray], None],
    values: AnyArray,
    lengths: IntArray,
    padding: float,
) -> None:
    """Apply `change` to each run of `values`, which contains the runs one after the
    other.

    `change` modifies its argument in place, along the last axis. If there is one run,
    `change` is called with `values` itself. Otherwise, it is called with tables that
    have one run per row. Shorter runs of a table are padded at the end with `padding`.
    A table contains the runs whose lengths have the same number of bits, or all runs if
    that needs little padding.
    """
    if lengths.size == 1:
        change(values)
        return
    # Runs of equal lengths already are the rows of a table, without a copy.
    if (lengths == lengths[0]).all():
        change(values.reshape(lengths.size, -1))
        return
    first = np.cumsum(lengths) - lengths
    # For an integer, `frexp` returns its number of bits as the exponent. Runs without
    # values have the exponent 0, and belong to no table.
    _, table_of_run = np.frexp(lengths)
    if lengths.max() * lengths.size < _ENTRIES_PER_ROW * values.size:
        # One table of all runs needs little padding.
        table_of_run[:] = 1
    for number in range(1, int(table_of_run.max()) + 1):
        runs = (table_of_run == number).nonzero()[0]
        if not runs.size:
            continue
        column = np.arange(lengths[runs].max())
        is_filled = column < lengths[runs, np.newaxis]
        # If the table contains all runs, its filled cells are `values` in the same
        # order.
        places: IntArray | slice = slice(None)
        if runs.size < lengths.size:
            places = (first[runs, np.newaxis] + column)[is_filled]
        table = np.full(is_filled.shape, padding, dtype=values.dtype)
        table[is_filled] = values[places]
        change(table)
        values[places] = table[is_filled]
