"""Blocks of rows: the arrays of one block are small enough for the second-level cache."""

from collections.abc import Iterator

import numpy as np

from .._typing import IntArray

BLOCK_ROWS = 32_768  # at 8 bytes per row, one array of a block takes 256 kB
# A ranking this long gets blocks of its own, so its sums are the same whatever else is ranked.
LONE_ROWS = 4096


def blocks_of(n_rows: int, block_rows: int = BLOCK_ROWS) -> list[slice]:
    """Cut rows into blocks."""
    return [slice(low, min(low + block_rows, n_rows)) for low in range(0, n_rows, block_rows)]


def rankings_between(offsets: IntArray, low: int, high: int) -> tuple[slice, IntArray]:
    """Return the rankings with rows in [low, high), and the bounds of each, counted from `low`.

    A ranking that goes beyond `low` or `high` is cut there.
    """
    first = int(np.searchsorted(offsets, low, side="right")) - 1
    rankings = slice(first, int(np.searchsorted(offsets, high)))
    return rankings, np.minimum(np.maximum(offsets[first : rankings.stop + 1], low), high) - low


def whole_rankings(offsets: IntArray, block_rows: int) -> Iterator[tuple[int, int]]:
    """Yield the rankings from one index to another: a long one alone, short ones up to about a block."""
    first, last = 0, offsets.size - 1
    # The end stands behind the long ones, so that there is always a next one to stop at.
    long = np.append((np.diff(offsets) >= LONE_ROWS).nonzero()[0], last)
    while first < last:
        next_long = int(long[long.searchsorted(first)])
        fit = int(offsets.searchsorted(offsets[first] + block_rows, side="right")) - 1
        stop = max(min(fit, next_long), first + 1)  # at least one ranking, even if it fills several blocks
        yield first, stop
        first = stop
