"""`Rankings`, the result of the sort: totals, and a `Kernel`, which yields blocks of
`Steps` and sums over them. The function `rank` makes `Rankings` from `Rows`.

For each positive, average precision only needs the numbers of positives and negatives
at or above its score. So one step per distinct score of a positive is sufficient, and a
metric is a sum or a maximum over steps. The worst score comes first. So a running
maximum of the precision is the best precision *at this recall or beyond*, which
interpolated scores need.
"""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from operator import methodcaller
from typing import NamedTuple, Self

import numpy as np

from ..typing import AnyArray, FloatArray, IntArray
from .rows import Rows

# The fields `ranking` and `start` of a block that contains a single ranking: the number
# of this ranking is 0, and it begins at step 0.
SINGLE_RANKING = SINGLE_START = np.zeros(1, dtype=np.int64)
SINGLE_RANKING.flags.writeable = False

# A single ranking of fewer steps is added up as it is among others, so that its value
# has the same bits.
_LONG_STEPS = 4096

# A function that computes an array on demand, since only some metrics need it.
_OnDemand = Callable[[], FloatArray]


# A frozen dataclass takes longer to make.
@dataclass(eq=False)
class Steps:
    """A block of steps, one ranking after the other, and the worst score of each first.

    A step is one distinct score that a positive has, with all rows of this score. If
    equal scores have an order, a step is one positive row. Weights and numbers of rows
    include rows of the ranking of the step only. "Above" means strictly above the
    score.

    Arrays without another comment have one value per step.
    """

    # Weight of the positives at or above the score of each step, and above it.
    tp: FloatArray
    tp_above: FloatArray
    # Weight of the negatives at or above the score, and a function that returns their
    # weight above it. Step average precision without a cut does not need the latter.
    fp: FloatArray
    to_fp_above: _OnDemand
    # The numbers of the rankings in the block, in rising order, and the first step of
    # each of these rankings.
    ranking: IntArray
    start: IntArray
    # Functions that return the number of rows at or above the score, and above it. None
    # if each row has the weight 1, so that weights are numbers of rows.
    to_rows_retrieved: _OnDemand | None = None
    to_rows_above: _OnDemand | None = None
    # Whether each step is known to gain a weight of 1, so that no product with the
    # weight gained is necessary.
    gains_one: bool = False

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
        if self.to_rows_retrieved is None:
            return self.retrieved
        return self.to_rows_retrieved()

    @cached_property
    def rows_above(self) -> FloatArray:
        """Number of rows above this score."""
        if self.to_rows_above is None:
            return self.above
        return self.to_rows_above()

    @cached_property
    def gained(self) -> FloatArray:
        """Weight of the positives that have this score."""
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

    def with_negatives_times(self, negative_factor: FloatArray) -> Self:
        """Return the steps with the weights of the negatives multiplied by the factor
        of their ranking. Numbers of rows do not change.
        """
        of_step = self.per_step(negative_factor)
        return replace(
            self,
            fp=of_step * self.fp,
            to_fp_above=lambda: of_step * self.to_fp_above(),
            to_rows_retrieved=lambda: self.rows_retrieved,
            to_rows_above=lambda: self.rows_above,
        )

    def rows_within(self, depth: FloatArray) -> FloatArray:
        """Return the number of rows of each tied group within the first `depth` rows of
        its ranking.
        """
        return np.minimum(
            np.maximum(self.per_step(depth) - self.rows_above, 0.0), self.group_rows
        )


def ratio(
    numerator: FloatArray, denominator: FloatArray, otherwise: float = 0.0
) -> FloatArray:
    """Return the quotients, with `otherwise` where the denominator is 0."""
    # Usually no denominator is 0, and a mask is not necessary.
    if np.count_nonzero(denominator) == denominator.size:
        return numerator / denominator
    quotient = np.full_like(numerator, otherwise)
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


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
    unscaled_negatives: FloatArray
    # The factor of the negatives of each ranking; None if all factors are 1.
    negative_factor: FloatArray | None = None

    @property
    def negative_weight(self) -> FloatArray:
        """Weight of the negatives of each ranking."""
        return self.times_factor(self.unscaled_negatives)

    def times_factor(self, negatives: FloatArray) -> FloatArray:
        """Return a weight of negatives of each ranking, or several of a single ranking,
        multiplied by the factor of the negatives.
        """
        if self.negative_factor is None:
            return negatives
        return self.negative_factor * negatives

    def _unscaled_blocks(self) -> Iterable[Steps]:
        """Return the steps that have a positive, in one block or several, before the
        weights of negatives are multiplied by the factor.
        """
        raise NotImplementedError

    def blocks(self) -> Iterable[Steps]:
        """Return the steps that have a positive, in one block or several.

        This method may be called several times.
        """
        blocks, factor = self._unscaled_blocks(), self.negative_factor
        if factor is None:
            return blocks
        return map(methodcaller("with_negatives_times", factor), blocks)

    def sum_over_steps(self, gain: Callable[[Steps], FloatArray]) -> FloatArray:
        """Return, for each ranking, the sum of the gains of its steps. `gain` is called
        with each block of steps, in their order.
        """
        sums = None
        if self.found_weight.size > 1:
            sums = np.zeros(self.found_weight.size)
        for steps in self.blocks():
            gains = gain(steps)
            if gains.size < _LONG_STEPS or steps.start.size > 1:
                of_block = np.add.reduceat(gains, steps.start)
            else:
                # `reduce` adds values in pairs, which keeps more digits.
                of_block = np.add.reduce(gains, keepdims=True)
            # In most calls, one block has all steps of a single ranking.
            if sums is None:
                sums = of_block
            else:
                sums[steps.ranking] += of_block
            # Two blocks in memory at once would be the peak of a call.
            del steps, gains
        return np.zeros(1) if sums is None else sums

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        raise NotImplementedError

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        raise NotImplementedError

    def rows_of_points(self) -> FloatArray:
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
        return self.weighted_rows is not None or self.kernel.negative_factor is not None

    def with_negative_factor(self, negative_factor: FloatArray) -> Self:
        """Return the rankings with the weights of the negatives of each ranking
        multiplied by its factor.
        """
        # The caller may need the first kernel for the score without a prevalence.
        kernel = copy(self.kernel)
        kernel.negative_factor = negative_factor
        return self._replace(kernel=kernel)

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows of each ranking."""
        return (self.offsets[1:] - self.offsets[:-1]).astype(np.float64)

    @property
    def n_summands(self) -> FloatArray:
        """How many weights a sum over each ranking adds up, each with a rounding error:
        one per row. An entry of `RankingState` contains several rows, so its class of
        rankings returns the number of entries.
        """
        return self.n_rows

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
        # The weight of each positive is 1, also that of a missed positive, which could
        # have been in the first rows.
        if self.weighted_rows is None:
            return np.minimum(depth, self.n_positives)
        return self.weighted_rows.heaviest_positives(depth)
