"""Runs: the rows of each ranking, which stand together.

Numpy sorts and accumulates along the rows of a matrix. Runs of similar lengths are
padded to one length and become the rows of a matrix: several times as fast as a sort by
(run, key), and no sum runs on from one ranking into the next.
"""

from collections.abc import Callable

import numpy as np

from ..typing import AnyArray, IntArray

# With this many rows per ranking, each ranking is worth a call of its own.
LONG_ROWS = 4096
# Arrays of so many numbers take at most 128 kB, which malloc has at hand.
PIECE_ROWS = 16_384
# With fewer cells, all runs become one table; with more, one per length in bits.
_CELLS_PER_ROW = 3.0


def starts_of_runs(values: AnyArray) -> IntArray:
    """Return where each run of equal values begins: in sorted scores, where each tied
    group does.
    """
    # The slice drops the True of an empty array, which has no runs.
    return np.append(True, values[1:] != values[:-1])[: values.size].nonzero()[0]


def running(accumulate: np.ufunc, values: AnyArray, lengths: IntArray) -> AnyArray:
    """Accumulate `values` in place, starting again at each run of the given lengths.

    One running sum, less an offset per run, would lose digits: an error of 5.6e-6 was
    seen on lognormal weights. Instead, each run is accumulated as if it were alone.
    """

    def accumulated(runs: AnyArray) -> None:
        accumulate.accumulate(runs, axis=-1, out=runs)

    # The padding stands behind each run, so it reaches no value that is kept.
    change_runs(accumulated, values, lengths, 0)
    return values


def change_runs(
    change: Callable[[AnyArray], None],
    values: AnyArray,
    lengths: IntArray,
    padding: float,
) -> None:
    """Change each run of values in place, along the last axis of tables; a table has
    the runs whose lengths have the same number of bits.
    """
    if lengths.size == 1:
        change(values)
        return
    if (lengths == lengths[0]).all():  # already a matrix
        change(values.reshape(lengths.size, -1))
        return
    first = np.cumsum(lengths) - lengths
    n_bits = np.frexp(lengths)[1]
    if lengths.max() * lengths.size < _CELLS_PER_ROW * values.size:
        n_bits[:] = 1  # little padding: all in one table
    for bits in range(1, int(n_bits.max()) + 1):
        runs = (n_bits == bits).nonzero()[0]
        if not runs.size:
            continue
        column = np.arange(lengths[runs].max())
        inside = column < lengths[runs, np.newaxis]
        place: IntArray | slice = slice(None)
        if runs.size < lengths.size:
            place = (first[runs, np.newaxis] + column)[inside]
        table = np.full(inside.shape, padding, dtype=values.dtype)
        table[inside] = values[place]
        change(table)
        values[place] = table[inside]
