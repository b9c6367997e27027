r"""Weights of rows: `counted_rows` replaces weights by counts before the sort, if each
class has one weight, and `reweighted` multiplies the weights of negatives after the
sort.

No score changes if all weights are multiplied by a number. So if the positives of a
ranking have equal weights, each positive has weight 1 here (or a whole number, if the
negatives differ), and recall is a quotient of counts. If the negatives have equal
weights, too, the weight of each negative is the same factor: the ratio of both weights.
A factor does not change the order of the rows, so it is applied after the sort.

A prevalence :math:`\pi` is a factor, too. If the positives of a ranking, found or
missed, have the weight :math:`P` and its negatives :math:`N`, the share of positives is
:math:`\pi` once each negative is multiplied by :math:`P (1 - \pi) / (\pi N)`.
"""

from copy import copy
from typing import NamedTuple

import numpy as np

from ..typing import BoolArray, FloatArray, IntArray, Share
from .rankings import Rankings, ratio
from .rows import Rows

# The greatest weight that all negatives of a ranking get together. Below such
# negatives, precision is 0 in all digits, so more weight would change nothing.
_MAX_WEIGHT = 2.0**1000


class CountedRows(NamedTuple):
    """Rows whose weights were replaced by counts, and the weight that counts as 1.

    In rankings whose positives have equal weights, each positive has weight 1, or a
    whole number if the negatives differ.
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
    positive, score, weight, offsets = rows
    if weight is None:
        return CountedRows(rows)
    of_positive, positives_differ = _weights_of_class(weight, positive, offsets)
    # The positives of every ranking have several weights, so no weight is replaced.
    if np.count_nonzero(positives_differ) == of_positive.size:
        return CountedRows(rows, np.ones(of_positive.size))
    of_negative, negatives_differ = _weights_of_class(weight, ~positive, offsets)
    by_class = ~(positives_differ | negatives_differ)
    if np.count_nonzero(by_class) == by_class.size:
        counted = Rows(positive, score, None, offsets)
        return CountedRows(counted, of_positive, _factor(of_negative / of_positive))
    # Sums of whole numbers are exact, so these are not divided.
    is_divided = by_class | (~positives_differ & (of_positive % 1 > 0))
    count_weight = np.where(is_divided, of_positive, 1.0)
    if is_divided.any():
        scaled = weight / np.repeat(count_weight, rows.lengths)
        # In rankings with one weight per class, each row has weight 1, even if other
        # rankings have different weights.
        scaled[np.repeat(by_class, rows.lengths)] = 1.0
        rows = rows._replace(weight=scaled)
    factor = np.where(by_class, of_negative / of_positive, 1.0)
    return CountedRows(rows, count_weight, _factor(factor))


def _factor(factor: FloatArray) -> FloatArray | None:
    """Return the factor of the negatives of each ranking; None if all are 1."""
    return factor if np.count_nonzero(factor != 1) else None


def _weights_of_class(
    weight: FloatArray, of_class: BoolArray, offsets: IntArray
) -> tuple[FloatArray, BoolArray]:
    """Return the weight of the first row of a class in each ranking, and whether other
    rows of this class have other weights. Without rows of this class, it is the weight
    of any row.
    """
    # Most short calls have one ranking, which needs no reduction.
    if offsets.size == 2:
        of_first = weight.take(of_class.argmax(0, keepdims=True))
        n_others = np.count_nonzero((weight != of_first) & of_class)
        return of_first, np.array((n_others > 0,))
    row = of_class.nonzero()[0]
    bounds = row.searchsorted(offsets)
    # The last ranking may have no rows, so it may begin behind the last row.
    first = np.append(row, offsets[-1]).take(bounds[:-1])
    of_first = weight.take(np.minimum(first, offsets[1:] - 1))
    has_rows = bounds[1:] > bounds[:-1]
    of_rows, start = weight.take(row), bounds[:-1][has_rows]
    least = np.minimum.reduceat(of_rows, start)
    differ = np.zeros(has_rows.size, dtype=bool)
    differ[has_rows] = least < np.maximum.reduceat(of_rows, start)
    return of_first, differ


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
    # The caller may need the first kernel for the score without a prevalence.
    kernel = copy(kernel)
    kernel.factor = factor
    return rankings._replace(kernel=kernel)


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
