"""What a leaf may see of rankings: the `Steps` they yield, and the ways to walk them.

Average precision depends on the negatives only through how many of them stand above each positive. One
`Steps` entry for each distinct score that a positive has is therefore all that any metric needs, and every
metric is a sum over steps. Steps come in blocks, worst score first: a running maximum then is the best
precision *at this recall or beyond*, which is what interpolation asks for.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray
from ._blocks import LONE_ROWS
from ._runs import running


@dataclass(eq=False)
class Steps:
    """A block of steps: ranking after ranking, and in each ranking the worst score first.

    A step is one tied group, that is one distinct score; in an order of equal scores, one row. Every count
    is within the step's own ranking, in weight or in rows; "above" means strictly above this score. What is
    not always needed is computed when asked for; without weights, rows are weights.
    """

    tp: FloatArray  # weight of the positives at or above this score
    tp_above: FloatArray
    retrieved: FloatArray  # weight of all samples at or above this score
    ranking: IntArray  # which rankings the block holds, in order ...
    start: IntArray  # ... and at which step each of them starts
    find_above: Callable[[], FloatArray]
    find_rows: Callable[[], tuple[FloatArray, FloatArray]] | None  # at or above, above; None without weights

    @cached_property
    def above(self) -> FloatArray:
        """Weight of all samples above this score."""
        return self.find_above()

    @cached_property
    def _rows(self) -> tuple[FloatArray, FloatArray]:
        return (self.retrieved, self.above) if self.find_rows is None else self.find_rows()

    @property
    def rows_retrieved(self) -> FloatArray:
        """Number of rows at or above this score."""
        return self._rows[0]

    @property
    def rows_above(self) -> FloatArray:
        """Number of rows above this score."""
        return self._rows[1]

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


class Points(NamedTuple):
    """Every operating point of a lone ranking, lowest threshold first."""

    threshold: AnyArray
    tp: FloatArray
    retrieved: FloatArray


class Rankings(Protocol):
    """Rows sorted once, and the totals of each ranking. How they were sorted is nobody's business."""

    @property
    def n_positives(self) -> FloatArray:
        """Weight of the positives of each ranking: those found or, where it was stated, the total."""

    @property
    def n_samples(self) -> FloatArray:
        """Weight of all samples of each ranking."""

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows of each ranking."""

    @property
    def weighted(self) -> bool:
        """Whether weights differ inside a ranking."""

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""

    def points(self) -> Points:
        """Return the operating points of a lone ranking, negative-only scores included."""

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking, a tied group giving its share."""

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""

    def with_n_positives(self, n_positives: FloatArray) -> "Rankings":
        """Return the same rankings with another total of positives."""


def total(rankings: Rankings, contributions: Iterable[tuple[Steps, FloatArray]]) -> FloatArray:
    """Add the contribution of every step up, ranking by ranking.

    How they are added depends on the ranking alone, not on the other rankings of a call.
    """
    sums = np.zeros(rankings.n_positives.size)
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


def envelope(rankings: Rankings) -> Iterator[tuple[Steps, FloatArray, FloatArray]]:
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
