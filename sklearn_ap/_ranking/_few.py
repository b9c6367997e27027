"""The kernel of a lone, short ranking without weights: `_packed`, in straight lines.

A short call spends more time between numpy's functions than in them. A lone ranking in one block carries
nothing from block to block, so its steps take half the time of those of `_packed`: by the same operations in
the same order, with the same results.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS
from ._keys import LOWEST_BIT, Packing, packing_of
from ._packed import PackedKernel
from ._rankings import OperatingPoints
from ._rows import Rows
from ._steps import Steps

__all__ = ["FewKernel", "few_of"]

# Made once: the counts from a block's rows down to 0, whose tails are the counts of every short ranking.
_COUNTS = np.arange(float(BLOCK_ROWS), -1.0, -1.0)
_COUNTS.flags.writeable = False


class FewKernel:
    """At most `BLOCK_ROWS` rows of a lone ranking, in vectors; equal scores are one step."""

    def __init__(self, positive: BoolArray, score: AnyArray, packing: Packing) -> None:
        self._given = positive, score, packing
        self._keys = keys = packing.keys(score)
        keys |= ~positive
        keys.sort()
        self._row = np.logical_not(keys & LOWEST_BIT[keys.itemsize]).nonzero()[0]  # of each positive
        self._tp = _COUNTS[BLOCK_ROWS - self._row.size :]
        self.n_found = self._tp[:1]

    @property
    def is_exact(self) -> bool:
        """Whether the keys keep all scores apart."""
        _, score, packing = self._given
        return packing.keeps_apart(self._keys, score)

    def steps(self) -> Steps:
        """Return the steps that have a positive; there must be one."""
        row, tp = self._row, self._tp
        key = self._keys[row]
        is_tied = key[1:] == key[:-1]
        if np.count_nonzero(is_tied):
            first = np.append(True, ~is_tied).nonzero()[0]
            row, tp = row[first], tp[np.append(first, row.size)]
        retrieved = _COUNTS[BLOCK_ROWS - self._keys.size :][row]
        return Steps(tp[:-1], tp[1:], retrieved, partial(self._rows_above, row))

    def divides(self, depth: int) -> bool:
        """Whether the first `depth` rows hold a tied group in part."""
        first = self._keys.size - depth  # of these rows; the rows are in ascending order
        if first <= 0:
            return False
        below, above = self._keys[first - 1 : first + 1].tolist()
        return bool(below | 1 == above | 1)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return iter((self.steps(),) if self._row.size else ())

    def _rows_above(self, row: IntArray) -> FloatArray:
        """Return how many rows are above the tied groups that start at these rows."""
        group = self._keys | LOWEST_BIT[self._keys.itemsize]
        is_last = group[1:] != group[:-1]
        if np.count_nonzero(is_last) == is_last.size:  # no ties
            end = row + 1
        else:
            ends = np.append(is_last, True).nonzero()[0] + 1
            end = ends[ends.searchsorted(row, side="right")]
        return _COUNTS[BLOCK_ROWS - group.size :][end]

    @property
    def n_samples(self) -> FloatArray:
        """Number of rows."""
        return _COUNTS[BLOCK_ROWS - self._keys.size :][:1]

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the number of the first `depth` rows."""
        return np.minimum(depth, self.n_samples)

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        positive, score, packing = self._given
        offsets = np.array((0, score.size))
        return PackedKernel(Rows(positive, score, None, offsets), packing).points()


def few_of(
    positive: BoolArray, score: AnyArray, bounds: tuple[Any, Any], *, guess: bool = True
) -> FewKernel | None:
    """Return a lone ranking of at most `BLOCK_ROWS` rows without weights, or None if it has no packing."""
    packing = packing_of(score, *bounds, guess=guess)
    if packing is None:
        return None
    few = FewKernel(positive, score, packing)
    return few if few.is_exact else few_of(positive, score, bounds, guess=False)
