"""The input of a metric: the `Steps` that rankings yield, and functions that reduce them.

Of the negatives, average precision only needs the number above each positive. One step per distinct score of
a positive is therefore enough, and every metric is a sum over steps. Steps come in blocks, worst score first,
so a running maximum is the best precision *at this recall or beyond*, as interpolation needs it.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from .._typing import FloatArray, IntArray
from ._blocks import LONG_ROWS, running

SINGLE_RANKING = np.zeros(1, dtype=np.int64)  # there is one ranking, number 0, and its steps start at 0
SINGLE_RANKING.flags.writeable = False

_Late = Callable[[], FloatArray]  # computed on demand: only some metrics need it, and it takes time


class _Fields(NamedTuple):
    tp: FloatArray  # weight of the positives at or above this score
    tp_above: FloatArray
    retrieved: FloatArray  # weight of all samples at or above this score
    to_above: _Late  # the same above this score
    ranking: IntArray = SINGLE_RANKING  # the rankings in the block, in order ...
    start: IntArray = SINGLE_RANKING  # ... and the first step of each of them
    # Numbers of rows at or above, and above, this score, if weights differ.
    rows: tuple[_Late, _Late] | None = None


class Steps(_Fields):
    """A block of steps: ranking after ranking, and in each ranking the worst score first.

    A step is one tied group, that is, one distinct score; if equal scores have an order, it is one row. Each
    count is within the step's own ranking, as a weight or as a number of rows. "Above" means strictly above
    this score. Step average precision never computes `above`, which would take a tenth longer, or up to four
    tenths with many ties.
    """

    # A tuple, since a frozen dataclass takes four times as long to make: 1 of 23 microseconds at 100 rows.

    @cached_property
    def above(self) -> FloatArray:
        """Weight of all samples above this score."""
        return self.to_above()

    @cached_property
    def rows_retrieved(self) -> FloatArray:
        """Number of rows at or above this score; without weights, the same as their weight."""
        return self.retrieved if self.rows is None else self.rows[0]()

    @cached_property
    def rows_above(self) -> FloatArray:
        """Number of rows above this score."""
        return self.above if self.rows is None else self.rows[1]()

    @property
    def gained(self) -> FloatArray:
        """Weight of the positives that have this score."""
        return self.tp - self.tp_above

    @property
    def length(self) -> IntArray:
        """Number of steps of each ranking in `ranking`."""
        if self.start.size == 1:  # np.diff would take a fifth of a short call
            return np.array((self.tp.size,))
        return np.diff(self.start, append=self.tp.size)

    @cached_property
    def group_weight(self) -> FloatArray:
        """Weight of all samples that have this score; rounding must not leave less than was gained."""
        return np.maximum(self.retrieved - self.above, self.gained)

    def per_step(self, values: FloatArray) -> FloatArray:
        """Repeat one value per ranking for each of its steps; the value of a single ranking broadcasts."""
        return values[self.ranking] if self.start.size == 1 else np.repeat(values[self.ranking], self.length)

    @property
    def group_rows(self) -> FloatArray:
        """Number of rows that have this score."""
        return self.rows_retrieved - self.rows_above

    def rows_within(self, depth: FloatArray) -> FloatArray:
        """Return how many rows of each tied group lie within the first `depth` rows of its ranking."""
        # Twice as fast as np.clip, which is much of a short call.
        return np.minimum(np.maximum(self.per_step(depth) - self.rows_above, 0.0), self.group_rows)

    def share_within(self, depth: FloatArray) -> FloatArray:
        """Return the share of each tied group that lies within the first `depth` rows of its ranking."""
        return self.rows_within(depth) / self.group_rows


class Reduction(NamedTuple):
    """A value per step, and how the values of a ranking are combined. It pickles, to be sent to the steps."""

    # Called with each block of steps and, under the envelope, also with what `Envelope.over` returns.
    value: Callable[..., FloatArray]
    combine: Literal["sum", "greatest", "each"] = "sum"
    enveloped: bool = False

    def values_of(self, steps: Steps, best: "Envelope") -> FloatArray:
        """Return the values of a block; `best` is that of the blocks before it."""
        return self.value(steps, *best.over(steps)) if self.enveloped else self.value(steps)


def add_up(sums: FloatArray, steps: Steps, contribution: FloatArray) -> None:
    """Add what the steps of a block contribute to each ranking, in an order that it alone decides."""
    if sums.size == 1:
        sums += added(contribution, steps.start)  # faster without an index, which counts in a small call
    else:
        sums[steps.ranking] += added(contribution, steps.start)


def added(contribution: FloatArray, start: IntArray) -> FloatArray:
    """Add up the contributions of a block, ranking by ranking; `start` is where each ranking begins."""
    if contribution.size < LONG_ROWS or start.size > 1:
        return np.add.reduceat(contribution, start)
    # Much faster than reduceat; a long ranking always has its own blocks.
    total: FloatArray = np.add.reduce(contribution)
    return total


def ratio(numerator: FloatArray, denominator: FloatArray, otherwise: float = 0.0) -> FloatArray:
    """Return the quotient, or `otherwise` where the denominator is 0."""
    if np.count_nonzero(denominator) == denominator.size:  # the usual case: no mask is needed
        return numerator / denominator
    quotient = np.full_like(numerator, otherwise)
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


class Envelope:
    r"""The best precision so far: a long ranking takes several blocks, so it goes on into the next one.

    The *rise* of a step is its best precision less that of the step below. :math:`p_{interp}(r)` is the sum
    of the rises of all steps with recall at least `r`. Its mean over recall levels is therefore a sum over
    steps: the rise times the share of levels that the step's recall reaches.
    """

    def __init__(self, best: float = 0.0) -> None:
        self._ranking, self.best = 0, best  # so far, of this ranking

    def over(self, steps: Steps) -> tuple[FloatArray, FloatArray]:
        """Return the best precision at each step's recall or beyond, and that of the step below."""
        precision = steps.tp / steps.retrieved
        below_first = 0.0
        if self.best and steps.ranking[0] == self._ranking:
            below_first = self.best
            precision[0] = max(precision[0], below_first)
        if steps.start.size == 1:
            best = np.maximum.accumulate(precision, out=precision)
        else:
            best = running(np.maximum, precision, steps.length)
        below = np.empty(best.size)
        below[1:] = best[:-1]
        if steps.start.size > 1:
            below[steps.start] = 0.0
        below[0] = below_first
        self._ranking, self.best = steps.ranking[-1], best[-1]
        return best, below
