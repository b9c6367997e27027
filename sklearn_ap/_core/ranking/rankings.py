"""The types of rankings: `Rows` are the input of the sort, and `Rankings` its result.

`Rankings` contain totals and a `Kernel`, which yields blocks of `Steps` and sums over
them. The function `rank` makes `Rankings` from `Rows`.

For each positive, average precision only needs the numbers of positives and negatives
at or above its score. So one step per distinct score of a positive is sufficient, and a
metric is a sum or a maximum over steps. The worst score comes first. So a running
maximum of the precision is the best precision *at this recall or beyond*, which
interpolated scores need.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from operator import methodcaller
from typing import NamedTuple, Self

import numpy as np

from ..typing import AnyArray, BoolArray, FloatArray, IntArray
from .runs import running

# The fields `ranking` and `start` of a block that contains a single ranking: the number
# of this ranking is 0, and it begins at step 0.
SINGLE_RANKING = np.zeros(1, dtype=np.int64)
SINGLE_RANKING.flags.writeable = False

# A single ranking of fewer steps is added up as it is among others, so that its value
# has the same bits.
_LONG_ROWS = 4096

# A function that computes an array on demand, since only some metrics need it.
_Late = Callable[[], FloatArray]


class _Fields(NamedTuple):
    """The fields of `Steps`. Arrays without another comment have one value per step."""

    # Weight of the positives at or above the score of each step, and above it.
    tp: FloatArray
    tp_above: FloatArray
    # Weight of the negatives at or above the score, and a function that returns their
    # weight above it.
    fp: FloatArray
    to_fp_above: _Late
    # The numbers of the rankings in the block, in rising order, and the first step of
    # each of these rankings.
    ranking: IntArray = SINGLE_RANKING
    start: IntArray = SINGLE_RANKING
    # Functions that return the number of rows at or above the score, and above it. None
    # if each row has the weight 1, so that weights are numbers of rows.
    rows: tuple[_Late, _Late] | None = None


class Steps(_Fields):
    """A block of steps, one ranking after the other, and the worst score of each first.

    A step is one distinct score that a positive has, with all rows of this score. If
    equal scores have an order, a step is one positive row. Weights and numbers of rows
    include rows of the ranking of the step only. "Above" means strictly above the
    score. Step average precision without a cut does not need `above`, so it is computed
    on demand.
    """

    # `Steps` are a tuple, since a frozen dataclass takes longer to make.

    @cached_property
    def retrieved(self) -> FloatArray:
        """Weight of all samples at or above this score."""
        return self.tp + self.fp

    @cached_property
    def above(self) -> FloatArray:
        """Weight of all samples above this score."""
        return self.tp_above + self.to_fp_above()

    @cached_property
    def rows_retrieved(self) -> FloatArray:
        """Number of rows at or above this score. Without weights, it is `retrieved`."""
        if self.rows is None:
            return self.retrieved
        count_retrieved, _ = self.rows
        return count_retrieved()

    @cached_property
    def rows_above(self) -> FloatArray:
        """Number of rows above this score."""
        if self.rows is None:
            return self.above
        _, count_above = self.rows
        return count_above()

    @cached_property
    def gained(self) -> FloatArray:
        """Weight of the positives that have this score.

        This difference of two sums loses digits. Callers that know the weight with more
        digits replace it.
        """
        return self.tp - self.tp_above

    def precision(self) -> FloatArray:
        """Return the precision at each step, in an array that callers may change."""
        precision = self.tp + self.fp
        np.divide(self.tp, precision, out=precision)
        return precision

    @property
    def length(self) -> IntArray:
        """Number of steps of each ranking in `ranking`."""
        return np.append(self.start[1:], self.tp.size) - self.start

    @cached_property
    def group_weight(self) -> FloatArray:
        """Weight of all samples that have this score. Rounding never makes it less than
        the weight of the positives among them.
        """
        return np.maximum(self.retrieved - self.above, self.gained)

    def per_step(self, values: FloatArray) -> FloatArray:
        """Return the value of the ranking of each step. For a single ranking, this is
        one value, which broadcasts.
        """
        if self.start.size == 1:
            return values[self.ranking]
        return np.repeat(values[self.ranking], self.length)

    @cached_property
    def group_rows(self) -> FloatArray:
        """Number of rows that have this score."""
        return self.rows_retrieved - self.rows_above

    def reweighted(self, factor: FloatArray) -> Self:
        """Return the steps with the negatives multiplied by the factor of their
        ranking. Numbers of rows do not change.
        """
        of_step = self.per_step(factor)
        return self._replace(
            fp=of_step * self.fp,
            to_fp_above=lambda: of_step * self.to_fp_above(),
            rows=self.rows or (lambda: self.retrieved, lambda: self.above),
        )

    def rows_within(self, depth: FloatArray) -> FloatArray:
        """Return the number of rows of each tied group within the first `depth` rows of
        its ranking.
        """
        return np.minimum(
            np.maximum(self.per_step(depth) - self.rows_above, 0.0), self.group_rows
        )

    def share_within(self, depth: FloatArray) -> FloatArray:
        """Return the share of each tied group within the first `depth` rows of its
        ranking.
        """
        return self.rows_within(depth) / self.group_rows


def add_up(sums: FloatArray, steps: Steps, contribution: FloatArray) -> None:
    """Add the contributions of the steps of a block to the sum of each ranking."""
    # The sum of a single ranking needs no index, which saves time in a short call.
    if sums.size == 1:
        sums += added(contribution, steps.start)
    else:
        sums[steps.ranking] += added(contribution, steps.start)


def added(contribution: FloatArray, start: IntArray) -> FloatArray:
    """Return, for each ranking in a block, the sum of its contributions. `start`
    contains the first step of each ranking.
    """
    if contribution.size < _LONG_ROWS or start.size > 1:
        return np.add.reduceat(contribution, start)
    # `reduce` adds values in pairs, which keeps more digits than `reduceat`.
    return np.add.reduce(contribution, keepdims=True)


def ratio(
    numerator: FloatArray, denominator: FloatArray, otherwise: float = 0.0
) -> FloatArray:
    """Return the quotients, with `otherwise` where the denominator is 0."""
    # Usually no denominator is 0, and a mask is not necessary.
    if np.count_nonzero(denominator) == denominator.size:
        return numerator / denominator
    quotient = np.full_like(numerator, otherwise)
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


class Envelope:
    r"""The best precision so far, over the blocks of a ranking. A long ranking has
    several blocks, so the best precision continues from one block to the next.

    The *rise* of a step is its best precision minus the best precision of the step
    below. :math:`p_{interp}(r)` is the sum of the rises of all steps with recall at
    least `r`. So the mean of this precision over recall levels is a sum over steps: the
    rise of each step times the share of the levels that its recall reaches.
    """

    def __init__(self) -> None:
        # The last ranking of the previous block, and its best precision so far.
        self._ranking, self._best = 0, 0.0

    def over(self, steps: Steps) -> tuple[FloatArray, FloatArray]:
        """Return the best precision at the recall of each step or beyond, and the best
        precision of the step below.
        """
        precision = steps.precision()
        # A ranking that continues from the previous block begins with the best
        # precision of that block.
        below_first = 0.0
        if steps.ranking[0] == self._ranking:
            below_first = self._best
            precision[0] = max(precision[0], below_first)
        best = running(np.maximum, precision, steps.length)
        below = np.empty(best.size)
        below[1:] = best[:-1]
        # No step is below the first step of a ranking. But the first ranking of the
        # block may have begun in the block before.
        below[steps.start] = 0.0
        below[0] = below_first
        self._ranking = steps.ranking[-1]
        self._best = best[-1]
        return best, below


class Rows(NamedTuple):
    """Labels, scores and weights as arrays of the same shape. In C order, one ranking
    follows the other.

    All weights are above 0, since a row of weight 0 could still be one of the first `k`
    rows. `weight` is None if weights do not differ within a ranking. A ranking without
    rows has two equal offsets; at least one ranking has a row.
    """

    positive: BoolArray
    # Finite, in native byte order, and not of 16 bits, which numpy may sort wrongly.
    score: AnyArray
    weight: FloatArray | None
    # Shape (n_rankings + 1,): the first row of each ranking, and the number of all
    # rows.
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of rows of each ranking."""
        return self.offsets[1:] - self.offsets[:-1]

    def ranking_of_rows(self) -> IntArray:
        """Return the number of the ranking of each row."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)

    def flat(self) -> tuple[BoolArray, AnyArray, FloatArray | None]:
        """Return labels, scores and weights as vectors."""
        weight = None if self.weight is None else self.weight.reshape(-1)
        return self.positive.reshape(-1), self.score.reshape(-1), weight

    def fractions_of_classes(self) -> BoolArray:
        """Return, for each ranking, whether some of its positives (first row of the
        result) and some of its negatives (second row) have weights that are not whole
        numbers. Sums of such weights are rounded.
        """
        positive, _, weight = self.flat()
        assert weight is not None, "weights"
        is_fraction = weight != np.floor(weight)
        places = [
            np.flatnonzero(is_fraction & of_class).searchsorted(self.offsets)
            for of_class in (positive, ~positive)
        ]
        return np.diff(places) > 0

    def weight_of_positives(self) -> FloatArray:
        """Return the weight of the positives of a single ranking."""
        positive, _, weight = self.flat()
        if weight is None:
            return positives_of(self)
        return np.asarray(weight.compress(positive).sum(keepdims=True))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the sum of the weights of the `depth` heaviest positives of each
        ranking.
        """
        positive, _, weight = self.flat()
        assert weight is not None, "weights"
        if self.offsets.size == 2:
            # `sum` adds values in pairs, which keeps more digits than `bincount`.
            heaviest = np.sort(weight[positive])[::-1][: int(depth.item())]
            return np.asarray(heaviest.sum(keepdims=True))
        ranking, of_positives = self.ranking_of_rows()[positive], weight[positive]
        heaviest_first = np.lexsort((-of_positives, ranking))
        # `ranking` is sorted, so the search finds the first positive of each ranking,
        # and `place` is the place of each positive in its ranking, heaviest first.
        place = np.arange(ranking.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        sums = np.bincount(ranking[counted], of_positives[counted], depth.size)
        return sums.astype(np.float64)


def together(rows: Rows, ranking: AnyArray) -> Rows:
    """Return the rows sorted by ranking. Rows of the same ranking keep their order.

    `ranking` contains the number of the ranking of each row.
    """
    order = rows_by_number(ranking.astype(np.int64), np.arange(ranking.size))
    weight = None if rows.weight is None else rows.weight.take(order)
    return Rows(rows.positive.take(order), rows.score.take(order), weight, rows.offsets)


def rows_by_number(number: IntArray, row: IntArray) -> IntArray:
    """Return the rows in the order of their numbers, and rows of the same number in
    rising order. The rows replace the numbers, which are integers of 64 bits below the
    count of the rows.
    """
    # Each integer contains the number in its high bits and the row in its low bits. A
    # sort of these integers takes less time than a stable `argsort`.
    bits = row.size.bit_length()
    number <<= bits
    number |= row
    number.sort()
    number &= (1 << bits) - 1
    return number


def positives_of(rows: Rows) -> FloatArray:
    """Return the number of positives of each ranking."""
    if rows.offsets.size == 2:
        return np.array((float(np.count_nonzero(rows.positive)),))
    n_before = np.flatnonzero(rows.positive).searchsorted(rows.offsets)
    return np.diff(n_before).astype(np.float64)


class OperatingPoints(NamedTuple):
    """Every operating point of a single ranking, lowest threshold first."""

    threshold: AnyArray
    # Weight of the positives at or above each threshold.
    tp: FloatArray
    # Weight of the negatives at or above each threshold. It is summed separately, since
    # the difference of `retrieved` and `tp` would lose negatives that are light in
    # comparison with the positives.
    fp: FloatArray

    @property
    def retrieved(self) -> FloatArray:
        """Weight of all samples at or above each threshold."""
        return self.tp + self.fp


class Kernel:
    """Rows that were sorted once, and their steps.

    Callers must not depend on the way in which the rows were sorted.

    This is not an abstract class of :mod:`abc`, whose ``isinstance`` is slow.
    """

    # Weight of the positives of each ranking that have rows, and of its negatives
    # before they are multiplied by the factor.
    found_weight: FloatArray
    summed_negatives: FloatArray
    # The factor of the negatives of each ranking; None if all factors are 1.
    factor: FloatArray | None = None

    @property
    def negative_weight(self) -> FloatArray:
        """Weight of the negatives of each ranking."""
        return self.reweighted(self.summed_negatives)

    def reweighted(self, negatives: FloatArray) -> FloatArray:
        """Return a weight of negatives of each ranking, or several of a single ranking,
        multiplied by its factor.
        """
        return negatives if self.factor is None else self.factor * negatives

    def _summed(self) -> Iterable[Steps]:
        """Return the steps that have a positive, in one block or several, with a factor
        of 1.
        """
        raise NotImplementedError

    def blocks(self) -> Iterable[Steps]:
        """Return the steps that have a positive, in one block or several.

        This method may be called several times.
        """
        if self.factor is None:
            return self._summed()
        return map(methodcaller("reweighted", self.factor), self._summed())

    def sum_over_steps(
        self, gain: Callable[..., FloatArray], *, enveloped: bool = False
    ) -> FloatArray:
        """Return, for each ranking, the sum of the gains of its steps.

        `gain` is called with each block of steps. If `enveloped`, it is also called
        with the two arrays that `Envelope.over` returns.
        """
        envelope = Envelope() if enveloped else None
        sums = np.zeros(self.found_weight.size)
        for steps in self.blocks():
            best_precisions = envelope.over(steps) if envelope else ()
            add_up(sums, steps, gain(steps, *best_precisions))
            # Two blocks in memory at once would be the peak of a call.
            del steps, best_precisions
        return sums

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        raise NotImplementedError

    def with_factor(self, factor: FloatArray) -> Self:
        """Return this kernel with the weights of the negatives multiplied by the factor
        of each ranking.
        """
        # `copy.copy` is slower.
        kernel = object.__new__(type(self))
        kernel.__dict__ |= self.__dict__
        kernel.factor = factor
        return kernel

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        raise NotImplementedError

    def rows_from(self) -> FloatArray:
        """Return the number of rows at or above each operating point."""
        raise NotImplementedError


class Rankings(NamedTuple):
    """All rankings of a call: their totals, and the kernel that yields their steps.

    The rows themselves are kept only if they have weights, which `heaviest_positives`
    and the rounding of levels need. Without weights, they would only take memory.
    """

    kernel: Kernel
    # The first row of each ranking, and the number of all rows.
    offsets: IntArray
    weighted_rows: Rows | None
    # Weight of the positives of each ranking that have rows.
    found_weight: FloatArray
    # The total of positives that the caller passed for each ranking, or `found_weight`
    # if no totals were passed.
    n_positives: FloatArray

    @property
    def weighted(self) -> bool:
        """Whether weights differ within a ranking."""
        return self.weighted_rows is not None or self.kernel.factor is not None

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows of each ranking."""
        return (self.offsets[1:] - self.offsets[:-1]).astype(np.float64)

    @property
    def total_weight(self) -> FloatArray:
        """Weight of the samples of each ranking that the kernel sorted. Samples that a
        cut has dropped are not included.
        """
        return self.kernel.found_weight + self.kernel.negative_weight

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the sum of the weights of the `depth` heaviest positives of each
        ranking.
        """
        if self.weighted_rows is None:
            return np.minimum(depth, self.found_weight)
        return self.weighted_rows.heaviest_positives(depth)
