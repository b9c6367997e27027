r"""Weights of rows: `counted_rows` replaces weights by counts before the sort, if each
class has one weight, and `reweighted` multiplies the weights of negatives after the
sort.

No score depends on the scale of the weights. So if the positives of a ranking have
equal weights, each positive has weight 1 here, and recall is a quotient of counts. If
the negatives have equal weights, too, the weight of each negative is the same factor:
the ratio of both weights. A factor does not change the order of the rows, so it is
applied after the sort.

A prevalence :math:`\pi` is a factor, too. If the positives of a ranking, found or
missed, have the weight :math:`P` and its negatives :math:`N`, the share of positives is
:math:`\pi` once each negative is multiplied by :math:`P (1 - \pi) / (\pi N)`.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..typing import BoolArray, FloatArray, IntArray, Share
from .kernels import SummedKernel
from .rankings import (
    Kernel,
    Rankings,
    Rows,
    Steps,
    ratio,
)

# The greatest weight that all negatives of a ranking get together. Below such
# negatives, precision is 0 in all digits, so more weight would change nothing.
_MAX_WEIGHT = 2.0**1000
# The weight that counts as 1 in a single ranking whose weights are not replaced.
_AS_PASSED = np.ones(1)
_AS_PASSED.flags.writeable = False


class ClassWeightKernel(Kernel):
    """Rankings whose rows another kernel has counted. Here, the weight of a positive is
    1, and the weight of a negative is the factor of its ranking.
    """

    factor: FloatArray

    def __init__(self, counted: Kernel, factor: FloatArray) -> None:
        self._counted, self.factor = counted, factor
        self.found_weight = counted.found_weight

    @cached_property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # few callers need it
        """Weight of all samples of each ranking."""
        return self._weigh(self._counted.found_weight, self._counted.total_weight)

    def blocks(self) -> Iterator[Steps]:
        """Yield blocks of the steps that have a positive. This method may be called
        several times.
        """
        return map(self._reweighted, self._counted.blocks())

    def _reweighted(self, steps: Steps) -> Steps:
        """Return the steps with weights in place of counts."""
        tp, tp_above, factor = steps.tp, steps.tp_above, self.factor
        # The factor of a single ranking broadcasts.
        if factor.size > 1:
            factor = steps.per_step(factor)
        # Multiply the negatives by their factor, and add the positives, without a new
        # array.
        retrieved = steps.retrieved - tp
        retrieved *= factor
        retrieved += tp
        return Steps(
            tp,
            tp_above,
            retrieved,
            lambda: tp_above + factor * (steps.above - tp_above),
            steps.ranking,
            steps.start,
            (lambda: steps.rows_retrieved, lambda: steps.rows_above),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking. If the cut
        divides a tied group, the weight of the group is multiplied by its share above
        the cut.
        """
        positives = self._counted.sum_over_steps(
            lambda steps: steps.share_within(depth) * steps.gained
        )
        return self._weigh(positives, self._counted.weight_of_best(depth))

    def _weigh(self, positives: FloatArray, rows: FloatArray) -> FloatArray:
        """Return the weight of `rows` rows of each ranking that contain `positives`
        positives.
        """
        return positives + self.factor * (rows - positives)


class CountedRows(NamedTuple):
    """Rows whose weights were replaced by counts, and the scale of these counts.

    In rankings whose positives have equal weights, each positive has weight 1.
    """

    # The rows have no weights if counts are sufficient for every ranking.
    rows: Rows
    # The caller's weight that counts as 1 in each ranking; None without weights.
    count_weight: FloatArray | None = None
    # The factor of the negatives of each ranking after the sort; None if all are 1.
    factor: FloatArray | None = None


def counted_rows(rows: Rows) -> CountedRows:
    """Return the rows with counts in place of weights, if each class of a ranking has
    one weight. The ratio of both weights becomes a factor of the negatives.

    Counts are exact, while sums of weights such as 0.1 are rounded, so that a recall
    could fall below a level that the exact recall reaches. If only the positives of a
    ranking have equal weights, all its weights are divided by the weight of a positive,
    unless this weight is a whole number, since sums of whole numbers are exact. This is
    done for each ranking separately, so the score of a ranking does not depend on the
    other rankings.
    """
    if rows.weight is None:
        return CountedRows(rows)
    positive = rows.positive.ravel()
    weight = rows.weight.ravel()
    if rows.is_single:
        counted = _counted_at_once(rows, positive, weight)
        if counted is not None:
            return counted
    positives = _weights_of_class(weight, positive, rows.offsets)
    # The positives of every ranking have several weights, so no weight is replaced.
    if positives.differ.all():
        # `ravel` may have copied the labels. Keep the copy, since the sort would make
        # it again.
        rows = rows._replace(positive=positive.reshape(rows.positive.shape))
        return CountedRows(rows, np.ones(positives.differ.size))
    negatives = _weights_of_class(weight, ~positive, rows.offsets)
    by_class, count_weight, factor = _count_weights(positives, negatives)
    if by_class.all():
        rows = rows._replace(weight=None)
    # Weights change in rankings with one weight per class, and in rankings whose
    # weights are divided by a weight other than 1.
    elif (by_class | (count_weight != 1)).any():
        n_rows = np.diff(rows.offsets)
        scaled = weight / np.repeat(count_weight, n_rows)
        # In rankings with one weight per class, each row has weight 1, even if other
        # rankings have different weights.
        scaled[np.repeat(by_class, n_rows)] = 1.0
        rows = rows._replace(weight=scaled.reshape(rows.positive.shape))
    of_negatives = None if (factor == 1).all() else factor
    return CountedRows(rows, count_weight, of_negatives)


def _counted_at_once(
    rows: Rows, positive: BoolArray, weight: FloatArray
) -> CountedRows | None:
    """Return the counted rows of a single ranking in two usual cases: two positives
    have different weights, or each class has one weight. Otherwise, return None.

    The rule of `counted_rows` would return the same rows. In these cases, it is faster
    to compare all weights with the weights of one positive and one negative.
    """
    # Compare the first and the last positive. If these two have equal weights, the
    # weights of other positives may still differ.
    first_positive = positive.argmax()
    last_positive = positive.size - 1 - positive[::-1].argmax()
    of_positive = weight[first_positive]
    if of_positive != weight[last_positive]:
        return CountedRows(rows, _AS_PASSED)
    # `argmin` finds the first negative. A ranking of one class has row 0 in place of
    # the class that is missing.
    of_negative = weight[positive.argmin()]
    if np.count_nonzero(weight != np.where(positive, of_positive, of_negative)):
        return None
    factor = None
    if of_positive != of_negative:
        factor = np.array((of_negative / of_positive,))
    return CountedRows(rows._replace(weight=None), np.array((of_positive,)), factor)


class WeightsOfClass(NamedTuple):
    """The weights of the rows of one class in each ranking."""

    # Whether the ranking has rows of this class.
    has_rows: BoolArray
    # Whether two rows of this class have different weights.
    differ: BoolArray
    # The least weight of these rows, which is the weight of each row unless they
    # differ; 1 without rows.
    least: FloatArray


def _count_weights(
    positives: WeightsOfClass, negatives: WeightsOfClass
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Return, for each ranking: whether each class has one weight, the weight that
    counts as 1, and the factor of the negatives.
    """
    by_class = ~positives.differ & ~negatives.differ
    # A class without rows gets the weight of the other class.
    of_positive = np.where(positives.has_rows, positives.least, negatives.least)
    of_negative = np.where(negatives.has_rows, negatives.least, of_positive)
    # Sums of whole numbers are exact, so these are not divided.
    is_fraction = ~positives.differ & positives.has_rows & (of_positive % 1 > 0)
    count_weight = np.where(by_class | is_fraction, of_positive, 1.0)
    factor = np.where(by_class, of_negative / count_weight, 1.0)
    return by_class, count_weight, factor


def _weights_of_class(
    weight: FloatArray, of_class: BoolArray, offsets: IntArray
) -> WeightsOfClass:
    """Return the weights of the rows of a class in each ranking."""
    # The first place of each ranking among the rows of this class, which are selected
    # below.
    bounds = of_class.nonzero()[0].searchsorted(offsets)
    n_rankings = offsets.size - 1
    has_rows = bounds[1:] > bounds[:-1]
    differ, least = np.zeros(n_rankings, dtype=bool), np.ones(n_rankings)
    if has_rows.any():
        of_rows, start = weight.compress(of_class), bounds[:-1][has_rows]
        least[has_rows] = np.minimum.reduceat(of_rows, start)
        differ[has_rows] = least[has_rows] < np.maximum.reduceat(of_rows, start)
    return WeightsOfClass(has_rows, differ, least)


def reweighted(
    rankings: Rankings, prevalence: Share, factor: FloatArray | None = None
) -> Rankings:
    """Return the rankings with the share of positives, found or missed, set to
    `prevalence`. If `prevalence` is None, multiply the negatives of each ranking by
    `factor`.
    """
    kernel = rankings.kernel
    if prevalence is not None:
        factor = factor_of_negatives(
            rankings.n_positives, kernel.negative_weight, prevalence
        )
    if factor is None:
        return rankings
    if isinstance(kernel, SummedKernel):
        return rankings._replace(kernel=kernel.with_factor(factor))
    return rankings._replace(kernel=ClassWeightKernel(kernel, factor))


def factor_of_negatives(
    positives: FloatArray, negatives: FloatArray, prevalence: float
) -> FloatArray:
    """Return the factor of the negatives of each ranking that gives it this prevalence;
    1 if the ranking has one class only.
    """
    odds = min((1.0 - prevalence) / prevalence, _MAX_WEIGHT)
    # The bound on the positives limits `positives * odds`, the weight that the
    # negatives get, to `_MAX_WEIGHT`.
    most_positives = _MAX_WEIGHT / odds
    if positives.size == 1:
        # Numbers of Python save time in a short call. The result equals the result of
        # the arrays below in all bits. A quotient beyond float64 is infinity, without a
        # warning.
        n_positives, n_negatives = positives.item(), negatives.item()
        greatest = 1.0
        if n_positives and n_negatives:
            greatest = min(n_positives, most_positives) * odds / n_negatives
        factor = np.array((greatest,))
    else:
        with np.errstate(over="ignore"):
            weight = np.minimum(positives, most_positives) * odds
            factor = ratio(weight, negatives, 1.0)
        factor[positives == 0] = 1.0
        greatest = factor.max()
    if greatest == np.inf:
        raise ValueError(
            f"prevalence={prevalence!r} would multiply the weights of negatives by "
            "more than 1e308 here; use weights that differ less, or a higher "
            "prevalence."
        )
    return factor
