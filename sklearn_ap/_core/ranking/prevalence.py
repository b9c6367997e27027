r"""Weights of rows: `counted_rows` replaces weights by counts before the sort, if each
class has one weight, and `reweighted` multiplies the weights of negatives after the
sort.

No score changes if all weights are multiplied by a number. So if the positives of a
ranking have equal weights, each positive has weight 1 here, and recall is a quotient of
counts. If the negatives have equal weights, too, the weight of each negative is the
same factor: the ratio of both weights. A factor does not change the order of the rows,
so it is applied after the sort.

A prevalence :math:`\pi` is a factor, too. If the positives of a ranking, found or
missed, have the weight :math:`P` and its negatives :math:`N`, the share of positives is
:math:`\pi` once each negative is multiplied by :math:`P (1 - \pi) / (\pi N)`.
"""

from typing import NamedTuple

import numpy as np

from ..typing import BoolArray, FloatArray, IntArray, Share
from .rankings import Rankings, Rows, ratio

# The greatest weight that all negatives of a ranking get together. Below such
# negatives, precision is 0 in all digits, so more weight would change nothing.
_MAX_WEIGHT = 2.0**1000


class CountedRows(NamedTuple):
    """Rows whose weights were replaced by counts, and the weight that counts as 1.

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
    positive, _, weight = rows.flat()
    assert weight is not None, "weights"
    positives = _weights_of_class(weight, positive, rows.offsets)
    # The positives of every ranking have several weights, so no weight is replaced.
    if positives.differ.all():
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
    row = of_class.nonzero()[0]
    # The first place of each ranking among the rows of this class.
    bounds = row.searchsorted(offsets)
    n_rankings = offsets.size - 1
    has_rows = bounds[1:] > bounds[:-1]
    least, greatest = np.ones(n_rankings), np.ones(n_rankings)
    if row.size:
        of_rows, start = weight.take(row), bounds[:-1][has_rows]
        least[has_rows] = np.minimum.reduceat(of_rows, start)
        greatest[has_rows] = np.maximum.reduceat(of_rows, start)
    return WeightsOfClass(has_rows, least < greatest, least)


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
    return rankings._replace(kernel=kernel.with_factor(factor))


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
    with np.errstate(over="ignore"):
        weight = np.minimum(positives, most_positives) * odds
        factor = ratio(weight, negatives, 1.0)
    factor[positives == 0] = 1.0
    if factor.max() == np.inf:
        raise ValueError(
            f"prevalence={prevalence!r} would multiply the weights of negatives by "
            "more than 1e308 here; use weights that differ less, or a higher "
            "prevalence."
        )
    return factor
