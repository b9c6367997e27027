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
# A sort of shorter runs takes no more time than finding out whether they are in order.
_LEAST_IN_ORDER = 16
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


def is_in_order(values: AnyArray) -> bool:
    """Return whether values never fall, or never rise.

    A few of the values show that nearly all arrays are not in order, in less than a
    microsecond.
    """
    last = values.size - 1
    first, middle, final = values.item(0), values.item(last // 2), values.item(last)
    rises = first <= middle <= final
    if not (rises or first >= middle >= final):
        return False
    low, high = values.item(last // 4), values.item(last - last // 4)
    if not (first <= low <= middle <= high <= final if rises else low >= high):
        return False
    values = values.reshape(-1)
    compare = np.less if rises else np.greater
    return not np.count_nonzero(compare(values[1:], values[:-1]))


def sort_runs(values: AnyArray, lengths: IntArray, padding: float) -> None:
    """Sort each run of `values` in place. If all runs never fall, or all never rise, as
    lists of results do not, they are not sorted.

    `padding` is a value that sorts after all others.
    """
    first_run = values[: lengths[0]]
    if first_run.size < _LEAST_IN_ORDER or not is_in_order(first_run):
        change_runs(np.ndarray.sort, values, lengths, padding)
        return
    ends = lengths.cumsum()
    falls = values[1:] < values[:-1]
    rises = values[1:] > values[:-1]
    # A run may begin above or below the end of the run before it.
    for changes in (falls, rises):
        changes[ends[ends < values.size] - 1] = False
    if not np.count_nonzero(falls):
        return
    if np.count_nonzero(rises):
        change_runs(np.ndarray.sort, values, lengths, padding)
    elif (lengths == lengths[0]).all():
        values[:] = values.reshape(lengths.size, -1)[:, ::-1].ravel()
    else:
        # Row i of a run from `first` to `end` moves to first + end - 1 - i.
        place = np.repeat(2 * ends - lengths - 1, lengths)
        values[:] = values.take(place - np.arange(values.size))


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
