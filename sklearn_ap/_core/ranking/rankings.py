"""Rankings as data: `Rows` go into the sort, and `Rankings`, which yield `Steps`, come
out of it.

This file says what a ranking is, and `rank` sorts it. Rankings contain totals and a
`Kernel`, which yields blocks of steps and reduces them to a number per ranking.

Of the negatives, average precision only needs the number above each positive. One step
per distinct score of a positive is therefore enough, and every metric is a sum over
steps. Steps come in blocks, worst score first, so a running maximum is the best
precision *at this recall or beyond*, as interpolation needs it.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from ..typing import AnyArray, BoolArray, FloatArray, IntArray
from .runs import LONG_ROWS, running

# The numbers of the rankings of a block, and where their steps start, if it has one
# ranking: number 0, from step 0 on.
SINGLE_RANKING = np.zeros(1, dtype=np.int64)
SINGLE_RANKING.flags.writeable = False

# An array that is computed on demand: only some metrics need it, and it takes time.
_Late = Callable[[], FloatArray]


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
    """A block of steps: ranking after ranking, and in each ranking the worst score
    first.

    A step is one tied group, that is, one distinct score; if equal scores have an
    order, it is one row. Each count is within the step's own ranking, as a weight or as
    a number of rows. "Above" means strictly above this score. Step average precision
    never computes `above`, which would take a tenth longer, or up to four tenths with
    many ties.
    """

    # A tuple, since a frozen dataclass takes four times as long to make: 1 of 23
    # microseconds at 100 rows.

    @cached_property
    def above(self) -> FloatArray:
        """Weight of all samples above this score."""
        return self.to_above()

    @cached_property
    def rows_retrieved(self) -> FloatArray:
        """Number of rows at or above this score; without weights, the same as their
        weight.
        """
        if self.rows is None:
            return self.retrieved
        return self.rows[0]()

    @cached_property
    def rows_above(self) -> FloatArray:
        """Number of rows above this score."""
        if self.rows is None:
            return self.above
        return self.rows[1]()

    @cached_property
    def gained(self) -> FloatArray:
        """Weight of the positives that have this score.

        A block that knows it to more digits than a difference of sums sets it.
        """
        return self.tp - self.tp_above

    @property
    def length(self) -> IntArray:
        """Number of steps of each ranking in `ranking`."""
        if self.start.size == 1:  # np.diff would take a fifth of a short call
            return np.array((self.tp.size,))
        return np.diff(self.start, append=self.tp.size)

    @cached_property
    def group_weight(self) -> FloatArray:
        """Weight of all samples that have this score; rounding must not leave less than
        was gained.
        """
        return np.maximum(self.retrieved - self.above, self.gained)

    def per_step(self, values: FloatArray) -> FloatArray:
        """Repeat one value per ranking for each of its steps; the value of a single
        ranking broadcasts.
        """
        if self.start.size == 1:
            return values[self.ranking]
        return np.repeat(values[self.ranking], self.length)

    @cached_property
    def group_rows(self) -> FloatArray:
        """Number of rows that have this score."""
        return self.rows_retrieved - self.rows_above

    def rows_within(self, depth: FloatArray) -> FloatArray:
        """Return how many rows of each tied group lie within the first `depth` rows of
        its ranking.
        """
        return np.minimum(
            np.maximum(self.per_step(depth) - self.rows_above, 0.0), self.group_rows
        )

    def share_within(self, depth: FloatArray) -> FloatArray:
        """Return the share of each tied group that lies within the first `depth` rows
        of its ranking.
        """
        return self.rows_within(depth) / self.group_rows


def add_up(sums: FloatArray, steps: Steps, contribution: FloatArray) -> None:
    """Add what the steps of a block contribute to each ranking, in an order that it
    alone decides.
    """
    if sums.size == 1:
        sums += added(contribution, steps.start)
    else:
        sums[steps.ranking] += added(contribution, steps.start)


def added(contribution: FloatArray, start: IntArray) -> FloatArray:
    """Add up the contributions of a block, ranking by ranking; `start` is where each
    ranking begins.
    """
    if contribution.size < LONG_ROWS or start.size > 1:
        return np.add.reduceat(contribution, start)
    # A long ranking always has its own blocks, so all values are of one ranking: their
    # sum is pairwise, with more digits than reduceat.
    # Blocks of several long rankings would mix them.
    return np.add.reduce(contribution, keepdims=True)


def ratio(
    numerator: FloatArray, denominator: FloatArray, otherwise: float = 0.0
) -> FloatArray:
    """Return the quotient, or `otherwise` where the denominator is 0."""
    # In the usual case no denominator is 0, and no mask is needed.
    if np.count_nonzero(denominator) == denominator.size:
        return numerator / denominator
    quotient = np.full_like(numerator, otherwise)
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


class Envelope:
    r"""The best precision so far: a long ranking takes several blocks, so it goes on
    into the next one.

    The *rise* of a step is its best precision less that of the step below.
    :math:`p_{interp}(r)` is the sum of the rises of all steps with recall at least `r`.
    Its mean over recall levels is therefore a sum over steps: the rise times the share
    of levels that the step's recall reaches.
    """

    def __init__(self, best: float = 0.0) -> None:
        # The last ranking of the blocks so far, and its best precision there.
        self._ranking, self.best = 0, best

    def over(self, steps: Steps) -> tuple[FloatArray, FloatArray]:
        """Return the best precision at each step's recall or beyond, and that of the
        step below.
        """
        precision = steps.tp / steps.retrieved
        # A ranking that goes on from the block before starts at the best precision
        # there.
        below_first = 0.0
        if self.best and steps.ranking[0] == self._ranking:
            below_first = self.best
            precision[0] = max(precision[0], below_first)
        best = running(np.maximum, precision, steps.length)
        below = np.empty(best.size)
        below[1:] = best[:-1]
        if steps.start.size > 1:
            below[steps.start] = 0.0
        below[0] = below_first
        self._ranking = steps.ranking[-1]
        self.best = best[-1]
        return best, below


def gains_of(
    gain: Callable[..., FloatArray], steps: Steps, envelope: Envelope | None
) -> FloatArray:
    """Return what each step of a block gains; `envelope` is that of the blocks before
    it, if the gain depends on one.
    """
    if envelope is None:
        return gain(steps)
    return gain(steps, *envelope.over(steps))


class Rows(NamedTuple):
    """Labels, scores and weights as arrays of the same shape; in C order, ranking after
    ranking.

    All weights are above 0: a row of weight 0 would still be a row of a cut. `weight` is
    None if weights do not differ inside a ranking. A ranking without rows has two equal
    offsets; at least one ranking has a row.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    weight: FloatArray | None
    offsets: IntArray  # of shape (n_rankings + 1,): where each ranking begins
    # How many rows each of them is, if rows were merged; their weights are in sum.
    copies: FloatArray | None = None

    @property
    def is_single(self) -> bool:
        """Whether there is a single ranking."""
        return self.offsets.size == 2

    def flat(self) -> tuple[BoolArray, AnyArray, FloatArray | None]:
        """Return labels, scores and weights as vectors."""
        weight = None if self.weight is None else self.weight.reshape(-1)
        return self.positive.reshape(-1), self.score.reshape(-1), weight

    def fractions_of_classes(self) -> BoolArray:
        """Return whether each ranking has weights that are not whole numbers, whose
        sums are rounded: among its positives, and among its negatives.
        """
        positive, _, weight = self.flat()
        assert weight is not None, "weights"
        is_fraction = weight != np.floor(weight)
        places = [
            np.flatnonzero(is_fraction & of_class).searchsorted(self.offsets)
            for of_class in (positive, ~positive)
        ]
        return np.diff(places) > 0

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each
        ranking.
        """
        assert self.weight is not None, "weights"
        of_positives = self.weight[self.positive]
        if self.is_single:  # a plain sort is enough, without the numbers of rankings
            return np.asarray(
                np.sort(of_positives)[::-1][: int(depth[0])].sum(keepdims=True)
            )
        ranking = (
            np.searchsorted(self.offsets, np.flatnonzero(self.positive), side="right")
            - 1
        )
        heaviest_first = np.lexsort((-of_positives, ranking))
        # `ranking` rises, so the search finds where each ranking begins, and the place
        # counts from there.
        place = np.arange(ranking.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        return np.bincount(ranking[counted], of_positives[counted], depth.size).astype(
            np.float64
        )


def together(rows: Rows, ranking: AnyArray) -> Rows:
    """Bring the rows of each ranking together, in their order; each row names its
    own.
    """
    # One sort of (ranking, row) in one integer is several times as fast as a stable
    # argsort of the rankings. No two of these integers are equal, so the order of rows
    # is kept by any sort; both numbers have to fit into 63 bits.
    bits = ranking.size.bit_length()
    order = ranking.astype(np.int64) << bits | np.arange(ranking.size)
    order.sort()
    order &= (1 << bits) - 1
    weight = None if rows.weight is None else rows.weight[order]
    return Rows(rows.positive[order], rows.score[order], weight, rows.offsets)


def positives_of(rows: Rows) -> FloatArray:
    """Count the positives of each ranking."""
    positive, n_rankings = rows.positive, rows.offsets.size - 1
    if n_rankings == 1:
        return np.array((float(np.count_nonzero(positive)),))
    if positive.ndim == 2 and len(positive) == n_rankings:
        return np.asarray(np.count_nonzero(positive, axis=1), dtype=np.float64)
    return np.diff(np.flatnonzero(positive).searchsorted(rows.offsets)).astype(
        np.float64
    )


class OperatingPoints(NamedTuple):
    """Every operating point of a single ranking, lowest threshold first."""

    threshold: AnyArray
    tp: FloatArray  # weight of the positives at or above it
    # Weight of the negatives at or above it. It is not taken from a sum of all samples,
    # in which the weights of light negatives would be lost below those of positives.
    fp: FloatArray

    @property
    def retrieved(self) -> FloatArray:
        """Weight of all samples at or above each threshold."""
        return self.tp + self.fp


class Kernel:
    """Rows that were sorted once, and their steps.

    Callers must not depend on how they were sorted.

    The methods here are for rows of weight 1, without scores. This is not an abstract
    class of :mod:`abc`, whose ``isinstance`` takes half a microsecond of a short call.
    """

    found_weight: FloatArray  # weight of the positives of each ranking
    total_weight: FloatArray  # weight of all samples of each ranking
    # What the weights of the negatives of each ranking were multiplied by; None for 1.
    factor: FloatArray | None = None

    @property
    def negative_weight(self) -> FloatArray:
        """Weight of the negatives of each ranking."""
        return self.total_weight - self.found_weight

    def blocks(self) -> Iterable[Steps]:
        """Return the steps that have a positive, in one block or several.

        May be called again.
        """
        raise NotImplementedError

    def sum_over_steps(
        self, gain: Callable[..., FloatArray], *, enveloped: bool = False
    ) -> FloatArray:
        """Add up what each step gains, ranking by ranking.

        `gain` is called with each block of steps and, if `enveloped`, also with what
        `Envelope.over` returns.
        """
        envelope = Envelope() if enveloped else None
        totals = np.zeros(self.found_weight.size)
        for steps in self.blocks():
            gains = gains_of(gain, steps, envelope)
            add_up(totals, steps, gains)
        return totals

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group
        gives its share.
        """
        return np.minimum(depth, self.total_weight)

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        raise NotImplementedError


class WeightedRows(Protocol):
    """Rows whose weights differ, or the sums that stand for them."""

    def fractions_of_classes(self) -> BoolArray:
        """Return whether each ranking has weights that are not whole numbers, whose
        sums are rounded: among its positives, and among its negatives.
        """

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each
        ranking.
        """


class Rankings(NamedTuple):
    """All rankings of a call: their totals, and the kernel that yields their steps.

    The rows themselves are kept only if they have weights, for `heaviest_positives`:
    without weights, they would take memory for nothing.
    """

    kernel: Kernel
    offsets: IntArray  # where each ranking begins
    weighted_rows: WeightedRows | None
    found_weight: FloatArray  # weight of the positives of each ranking
    n_positives: FloatArray  # the same or, if the caller passed a total, that total

    @property
    def weighted(self) -> bool:
        """Whether weights differ inside a ranking."""
        return self.weighted_rows is not None or self.kernel.factor is not None

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows of each ranking."""
        return (self.offsets[1:] - self.offsets[:-1]).astype(np.float64)

    @property
    def total_weight(self) -> FloatArray:
        """Weight of the samples of each ranking that the kernel sorted: all of them, if
        none was left out by a cut.
        """
        return self.kernel.total_weight

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each
        ranking.
        """
        if self.weighted_rows is None:
            return np.minimum(depth, self.found_weight)
        return self.weighted_rows.heaviest_positives(depth)


def rows_reaching(threshold: AnyArray, score: AnyArray) -> FloatArray:
    """Return how many rows have each score or more; the sums of a curve with weights do
    not contain it.
    """
    return (score.size - np.sort(score).searchsorted(threshold)).astype(np.float64)
