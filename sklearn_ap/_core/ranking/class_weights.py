"""One weight per class: `counted_rows` replaces such weights by counts before the sort.

No score changes if all weights are multiplied by a number. So if the positives of a
ranking have equal weights, each positive has weight 1 here (or a whole number, if the
negatives differ), and recall is a quotient of counts. If the negatives have equal
weights, too, the weight of each negative is the same factor: the ratio of both weights.
A factor does not change the order of the rows, so it is applied after the sort
(`Rankings.with_negative_factor`).

Two positives and two negatives have these weights before and after::

    positives  negatives    positives  negatives  count_weight  negative_factor
    2, 2       3, 3         1, 1       1, 1       2             1.5
    0.5, 0.5   1, 3         1, 1       2, 6       0.5           1
    2, 2       1, 3         2, 2       1, 3       1             1
    1, 2       3, 3         1, 2       3, 3       1             1
"""

from typing import NamedTuple

import numpy as np

from ..typing import BoolArray, FloatArray, IntArray
from .rows import Rows


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
    negative_factor: FloatArray | None = None


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
    # Whether each class of a ranking has one weight.
    by_class = ~(positives_differ | negatives_differ)
    if np.count_nonzero(by_class) == by_class.size:
        counted = Rows(positive, score, None, offsets)
        return CountedRows(counted, of_positive, _unless_one(of_negative / of_positive))
    # Sums of whole numbers are exact, so weights are not divided by a whole number.
    is_divided = by_class | (~positives_differ & (of_positive % 1 > 0))
    count_weight = np.where(is_divided, of_positive, 1.0)
    if is_divided.any():
        scaled = weight / np.repeat(count_weight, rows.lengths)
        # In rankings with one weight per class, each row has weight 1, even if other
        # rankings have different weights.
        scaled[np.repeat(by_class, rows.lengths)] = 1.0
        rows = rows._replace(weight=scaled)
    negative_factor = np.where(by_class, of_negative / of_positive, 1.0)
    return CountedRows(rows, count_weight, _unless_one(negative_factor))


def _unless_one(negative_factor: FloatArray) -> FloatArray | None:
    """Return the factor of the negatives of each ranking; None if all are 1."""
    return negative_factor if np.count_nonzero(negative_factor != 1) else None


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
    # The place of the first row of each ranking among the rows of this class, and the
    # number of these rows.
    class_offsets = row.searchsorted(offsets)
    # If a ranking has no row of this class, `first` is a row of a later ranking or, if
    # later rankings have none, the number of all rows. The last row of the ranking is
    # then taken in its place.
    first = np.append(row, offsets[-1]).take(class_offsets[:-1])
    of_first = weight.take(np.minimum(first, offsets[1:] - 1))
    has_rows = class_offsets[1:] > class_offsets[:-1]
    of_rows, start = weight.take(row), class_offsets[:-1][has_rows]
    least = np.minimum.reduceat(of_rows, start)
    differ = np.zeros(has_rows.size, dtype=bool)
    differ[has_rows] = least < np.maximum.reduceat(of_rows, start)
    return of_first, differ
