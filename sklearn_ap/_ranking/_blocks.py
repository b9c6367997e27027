"""Rows a block at a time: arrays of a block stay small, and inside a second-level cache."""

import numpy as np

from .._typing import AnyArray, IntArray

BLOCK_ROWS = 32_768  # rows a block, of 8 bytes each in most arrays
LONE_ROWS = 4096  # a ranking of so many rows never shares a block with another, so that its sums are alike


def blocks_of(n_rows: int, share: int = 1) -> list[slice]:
    """Cut rows into blocks, or into parts of a block where several columns have to share it."""
    size = max(BLOCK_ROWS // share, 1)
    return [slice(low, min(low + size, n_rows)) for low in range(0, n_rows, size)]


def rankings_between(offsets: IntArray, low: int, high: int) -> tuple[slice, IntArray]:
    """Return which rankings have rows from `low` to `high`, and where each begins and ends, from `low`."""
    first = int(np.searchsorted(offsets, low, side="right")) - 1
    rankings = slice(first, int(np.searchsorted(offsets, high)))
    return rankings, np.minimum(np.maximum(offsets[first : rankings.stop + 1], low), high) - low


def running(
    accumulate: np.ufunc, values: AnyArray, lengths: IntArray, out: AnyArray | None = None
) -> AnyArray:
    """Accumulate `values` and start anew at each run of the given lengths.

    Restarting by subtracting (or adding) an offset a run would lose digits: 5.6e-6 was seen on lognormal
    weights. Several runs are accumulated by doubling the reach in each pass, which is exact for a maximum
    and pairwise for a sum.
    """
    if lengths.size == 1:
        return accumulate.accumulate(values, out=out)
    result = np.empty_like(values) if out is None else out
    result[:] = values
    position = np.arange(values.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    reach = 1
    while reach < lengths.max(initial=0):
        inside = np.flatnonzero(position >= reach)
        result[inside] = accumulate(result[inside], result[inside - reach])
        reach *= 2
    return result
