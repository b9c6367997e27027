"""Rows a block at a time: arrays of a block stay small, and inside a second-level cache."""

from collections.abc import Iterator

import numpy as np

from .._typing import IntArray

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


def whole_rankings(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the rankings into long ones and runs of short ones that together are about a block."""
    first, last = 0, offsets.size - 1
    long = np.append((np.diff(offsets) >= LONE_ROWS).nonzero()[0], last)
    while first < last:
        next_long = int(long[long.searchsorted(first)])
        fit = int(offsets.searchsorted(offsets[first] + BLOCK_ROWS, side="right")) - 1
        stop = max(min(fit, next_long), first + 1)
        yield first, stop
        first = stop
