"""The kernel of a ranking with rare positives: only rows near a positive are sorted.

A map puts scores into bins without changing their order. Rows of a bin without a positive are counted, which
takes a tenth to a third of the time of a sort. The rows of all other bins are sorted, and one search per step
finds its place among them.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, Bounds, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, starts_of_runs
from ._rankings import Kernel, OperatingPoints, Rows
from ._sort import sort_scores
from ._steps import Steps

# Powers of two. More bins would leave the second-level cache, or cost more than they save.
_MOST, _ROWS_PER_BIN = 2**16, 8
_MANTISSA = 52  # bits of a float64
_SAMPLE = 4096  # rows that tell how many have to be sorted
SORTED = 0.4  # if a larger share of the rows is near a positive, one sort of all rows takes less time
_COUNTED_ROWS = 4 * BLOCK_ROWS  # per call of bincount, which makes an array of all bins each time


class ScoreBins(NamedTuple):
    """A map from scores to bins: each operation may round, but none changes the order of two scores."""

    read: Callable[[AnyArray], AnyArray]  # scores as the numbers that are mapped
    least: Any
    large: np.float64  # a power of two, and the place of its last bit is the width of a bin
    held: BoolArray  # which bins hold a positive

    def of(self, score: AnyArray) -> IntArray:
        """Return the bin of each score: the last bits of a sum, in half the time of a conversion."""
        above_least = (self.read(score) - self.least).astype(np.float64, copy=False)
        above_least += self.large
        bins: IntArray = above_least.view(np.int64)
        bins -= self.large.view(np.int64)
        return bins

    def near(self, score: AnyArray) -> tuple[AnyArray, IntArray]:
        """Return the scores in bins with a positive, and how many rows of other bins are above each bin."""
        counts, near = np.zeros(self.held.size, dtype=np.int64), []
        for block in blocks_of(score.size, _COUNTED_ROWS):
            bins = self.of(score[block])
            counts += np.bincount(bins, minlength=counts.size)
            near.append(score[block].take(self.held.take(bins).nonzero()[0]))
        counts[self.held] = 0
        return np.concatenate(near), counts[::-1].cumsum()[::-1]


def bins_of(rows: Rows, bounds: Bounds, at_most: float = SORTED) -> ScoreBins | None:
    """Return bins for a lone ranking, or None if more than this share of its rows is near a positive.

    Scores are mapped as they are or, if that crowds them into few bins, by the bits of non-negative floats,
    which grow like a logarithm: probabilities are often crowded at 0.
    """
    positive, score = rows.positive.reshape(-1), rows.score.reshape(-1)
    reads = [_as_floats] if bounds[0] < 0 or score.dtype not in ("f4", "f8") else [_as_floats, _as_bits]
    for read in reads if score.dtype.kind in "biuf" else ():
        least, most = read(np.array(bounds, dtype=score.dtype))
        n_bits = min(score.size // _ROWS_PER_BIN, _MOST).bit_length() - 1
        held = np.zeros(2**n_bits + 1, dtype=bool)  # the highest scores may be rounded up
        with np.errstate(over="ignore"):
            width = np.float64(most - least)
            large = np.ldexp(1.0, np.frexp(width)[1] - n_bits + _MANTISSA)
        if 0 < width < np.inf and large < np.inf:
            bins = ScoreBins(read, least, large, held)
            held[bins.of(score[positive])] = True
            sample = held.take(bins.of(score[:: max(score.size // _SAMPLE, 1)]))
            if np.count_nonzero(sample) <= at_most * sample.size:
                return bins
    return None


def _as_floats(score: AnyArray) -> AnyArray:
    return score if score.dtype.kind == "f" and score.itemsize > 2 else score.astype(np.float64)


def _as_bits(score: AnyArray) -> AnyArray:
    return np.abs(score).view(f"i{score.itemsize}")  # of -0.0 too


class RareKernel(Kernel):
    """The rows of a lone ranking near a positive, or all rows without bins; equal scores are one step."""

    def __init__(self, rows: Rows, bins: ScoreBins | None, *, block_rows: int = BLOCK_ROWS) -> None:
        self._score, self._bins, self._block_rows = rows.score.reshape(-1), bins, block_rows
        near = (self._score.copy(), np.zeros(0, dtype=np.int64)) if bins is None else bins.near(self._score)
        self._near, self._far_above = near
        sort_scores(self._near, radix=False if bins is None else None)  # a copy of all rows would be large
        of_positives = np.sort(self._score[rows.positive.reshape(-1)])
        first = starts_of_runs(of_positives)
        # The positives at or above a step are those from its first one on, and 0 above the best step.
        self._steps_at = of_positives[first]  # the distinct scores of positives
        self._tp = of_positives.size - np.append(first, of_positives.size).astype(np.float64)
        self.n_found, self.n_samples = self._tp[:1], np.array([self._score.size], dtype=np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for block in blocks_of(self._steps_at.size, self._block_rows):
            retrieved, above = (
                partial(self._at_or_above, self._steps_at[block], side) for side in ("left", "right")
            )
            yield Steps(self._tp[:-1][block], self._tp[1:][block], retrieved(), above)

    def _at_or_above(self, score: AnyArray, side: Literal["left", "right"]) -> FloatArray:
        """Return how many rows score at or above each of these scores; with ``side="right"``, only above."""
        rows = self._near.size - self._near.searchsorted(score, side)
        if self._bins is not None:
            rows += self._far_above.take(self._bins.of(score))
        return rows.astype(np.float64)

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        score = np.sort(self._score)
        first = starts_of_runs(score)
        threshold = score[first]
        # A threshold that only negatives have finds the positives of the next step above it.
        tp = self._tp[self._steps_at.searchsorted(threshold)]
        return OperatingPoints(threshold, tp, (score.size - first).astype(np.float64))
