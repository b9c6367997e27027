"""What a metric may see of rankings: the `Steps` they yield, and the ways to walk them.

Average precision depends on the negatives only through how many of them stand above each positive. One
`Steps` entry for each distinct score that a positive has is therefore all that any metric needs, and every
metric is a sum over steps. Steps come in blocks, worst score first: a running maximum then is the best
precision *at this recall or beyond*, which is what interpolation asks for.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from .._typing import FloatArray, IntArray
from ._blocks import LONE_ROWS
from ._runs import running

__all__ = ["Steps", "envelope", "ratio", "total"]


@dataclass(eq=False)
class Steps(ABC):
    """A block of steps: ranking after ranking, and in each ranking the worst score first.

    A step is one tied group, that is one distinct score; in an order of equal scores, one row. Every count
    is within the step's own ranking, in weight or in rows; "above" means strictly above this score. A kernel
    adds what it needs to find the rest, which is only computed when a metric asks: step average precision
    never does, and would take a tenth longer, with many ties up to four tenths.
    """

    tp: FloatArray  # weight of the positives at or above this score
    tp_above: FloatArray
    retrieved: FloatArray  # weight of all samples at or above this score
    ranking: IntArray  # which rankings the block holds, in order ...
    start: IntArray  # ... and at which step each of them starts

    @abstractmethod
    def _find_above(self) -> FloatArray:
        """Return the weight of all samples above each score."""

    @cached_property
    def above(self) -> FloatArray:
        """Weight of all samples above this score."""
        return self._find_above()

    @property
    def rows_retrieved(self) -> FloatArray:
        """Number of rows at or above this score: their weight, where there are no weights."""
        return self.retrieved

    @property
    def rows_above(self) -> FloatArray:
        """Number of rows above this score."""
        return self.above

    @property
    def gained(self) -> FloatArray:
        """Weight of the positives that have this score."""
        return self.tp - self.tp_above

    @property
    def length(self) -> IntArray:
        """Number of steps of each of `ranking`."""
        return np.diff(self.start, append=self.tp.size)

    @property
    def group_weight(self) -> FloatArray:
        """Weight of all samples that have this score; rounding must not leave less than was gained."""
        return np.maximum(self.retrieved - self.above, self.gained)

    def each(self, values: FloatArray) -> FloatArray:
        """Spread one value a ranking over the steps of the block; a lone one is left to broadcasting."""
        return values[self.ranking] if self.start.size == 1 else np.repeat(values[self.ranking], self.length)

    @property
    def group_rows(self) -> FloatArray:
        """Number of rows that have this score."""
        return self.rows_retrieved - self.rows_above

    def rows_within(self, depth: FloatArray) -> FloatArray:
        """Return how many rows of each tied group lie within the first `depth` rows of its ranking."""
        return np.clip(self.each(depth) - self.rows_above, 0.0, self.group_rows)

    def share_within(self, depth: FloatArray) -> FloatArray:
        """Return the same as a share of the tied group."""
        return self.rows_within(depth) / self.group_rows


class _Rankings(Protocol):
    """What the walks need: rankings, or the kernel of some."""

    @property
    def n_found(self) -> FloatArray:
        """Weight of the positives of each ranking."""

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive."""


def total(rankings: _Rankings, contributions: Iterable[tuple[Steps, FloatArray]]) -> FloatArray:
    """Add the contribution of every step up, ranking by ranking.

    How they are added depends on the ranking alone, so its sum never depends on the others in the call.
    """
    sums = np.zeros(rankings.n_found.size)
    for steps, contribution in contributions:
        if contribution.size < LONE_ROWS or steps.start.size > 1:
            added = np.add.reduceat(contribution, steps.start)
        else:
            added = np.add.reduce(contribution)  # many times as fast
        if sums.size == 1:
            sums += added  # without an index, half as long in a small call
        else:
            sums[steps.ranking] += added
    return sums


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, and return 0 where the denominator is 0."""
    if np.count_nonzero(denominator) == denominator.size:
        return numerator / denominator
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def envelope(rankings: _Rankings) -> Iterator[tuple[Steps, FloatArray, FloatArray]]:
    r"""Pair each step with the best precision at its recall or beyond, and with what that was one step below.

    The difference of the two is the step's *rise*. Since :math:`p_{interp}(r)` is the sum of the rises of
    all steps with recall at least `r`, its mean over any recall levels is the sum over steps of the rise
    times the share of levels that the step's recall reaches.
    """
    open_ranking, best_so_far = -1, 0.0
    for steps in rankings.blocks():
        precision = steps.tp / steps.retrieved
        below_first = best_so_far if steps.ranking[0] == open_ranking else 0.0
        precision[0] = max(precision[0], below_first)
        best = running(np.maximum, precision, steps.length)
        below = np.empty_like(best)
        below[1:] = best[:-1]
        below[steps.start] = 0.0
        below[0] = below_first
        yield steps, best, below
        open_ranking, best_so_far = int(steps.ranking[-1]), float(best[-1])
