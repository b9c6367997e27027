"""Rows a block at a time: arrays of a block stay small, and inside a second-level cache."""

from collections.abc import Iterator

import numpy as np

from .._typing import IntArray

__all__ = ["BLOCK_ROWS", "LONE_ROWS", "blocks_of", "rankings_between", "whole_rankings"]

BLOCK_ROWS = 32_768  # rows per block, 8 bytes each in most arrays
LONE_ROWS = 4096  # a ranking this long gets blocks of its own: its sums are the same whatever else is ranked


def blocks_of(n_rows: int, block_rows: int = BLOCK_ROWS) -> list[slice]:
    """Cut rows into blocks."""
    return [slice(low, min(low + block_rows, n_rows)) for low in range(0, n_rows, block_rows)]


def rankings_between(offsets: IntArray, low: int, high: int) -> tuple[slice, IntArray]:
    """Return which rankings have rows from `low` to `high`, and where each begins and ends, from `low`."""
    first = int(np.searchsorted(offsets, low, side="right")) - 1
    rankings = slice(first, int(np.searchsorted(offsets, high)))
    return rankings, np.minimum(np.maximum(offsets[first : rankings.stop + 1], low), high) - low


def whole_rankings(offsets: IntArray, block_rows: int) -> Iterator[tuple[int, int]]:
    """Cut the rankings into long ones and runs of short ones that together are about a block."""
    first, last = 0, offsets.size - 1
    long = np.append((np.diff(offsets) >= LONE_ROWS).nonzero()[0], last)
    while first < last:
        next_long = int(long[long.searchsorted(first)])
        fit = int(offsets.searchsorted(offsets[first] + block_rows, side="right")) - 1
        stop = max(min(fit, next_long), first + 1)
        yield first, stop
        first = stop
