"""Copies: a sample that contains the same rows several times, as a test set does that
was scored by several seeds or models.

Copies are not drawn independently, so intervals that take them for new rows are too
narrow. They are found where they follow one another: as queries, as blocks of rows, or
row by row.
"""

from math import gcd
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._core.ranking.rankings import Rows, together
from .._core.reading.ids import grouped
from .._core.reading.read import CheckedRows
from .._core.typing import AnyArray, BoolArray

# The first queries, and the first rows of each copy, show whether these are copies.
_MOST_COPIES = 100
_MOST_ROWS = 5_000
# Labels that are sorted change less often than this from row to row, and agree between
# queries or blocks of rows that are not copies.
_FEWEST_CHANGES = 4
# Scores of copies agree: their mean rank correlation among the rows of one label is
# above the first number. Their mean varies more than that of independent scores, by
# more than the second number in standard errors.
_CORRELATED = 0.1
_FAR = 4.0


def text_of_copies(rows: CheckedRows) -> str:
    """Return the warning about a sample that contains the same rows several times, or
    an empty text if it does not.
    """
    labels, scores = rows.positive, rows.score
    if scores.ndim > 1:
        return ""
    # Copies have equally many rows and positives, which rules out most numbers at once.
    n_in_all = gcd(labels.size, np.count_nonzero(labels))
    numbers = [n for n in range(_MOST_COPIES, 1, -1) if n_in_all % n == 0]
    if rows.query is not None:
        _, offsets, place = grouped(rows.query)
        sizes = np.diff(offsets)
        if (sizes != sizes[0]).any():
            return ""
        if place is not None:
            kept = np.flatnonzero(place < _MOST_COPIES)
            first = Rows(labels[kept], scores[kept], None, offsets)
            labels, scores, *_ = together(first, place[kept])
        numbers = [sizes.size]
    orders: Any = "CF"
    for n_copies in numbers:
        n_rows = rows.score.size // n_copies
        # The copies follow each other as blocks (C), or row by row (F).
        for order in orders:
            tables = [
                each.reshape((-1, n_rows), order=order)[:, :_MOST_ROWS]
                for each in (labels, scores)
            ]
            if _are_copies(*tables):
                # The ranks of all parts agree, too, in a sample that is sorted by score,
                # whose negatives only rise or only fall. As floats, no step overflows.
                if np.ptp(np.sign(np.diff(scores[~labels] + 0.0))) < 2:
                    return ""
                return (
                    f"The sample looks like {n_copies} copies of the same {n_rows:,} "
                    "rows, such as seeds or models on one test set: the labels repeat "
                    "in order, and the scores agree. Copies are not new rows, so "
                    "intervals are too narrow: pass unit_id, an id that the copies of "
                    "a row share."
                )
    return ""


def _are_copies(labels: BoolArray, scores: AnyArray) -> bool:
    """Return whether the lines of a table have the same labels, and scores that agree
    among the rows of one label.
    """
    first = labels[0]
    n_changes = np.count_nonzero(np.diff(first))
    if n_changes < _FEWEST_CHANGES:
        return False
    # Line by line, since most tables differ in the last one.
    if any((line != first).any() for line in labels[::-1]):
        return False
    ranks = rankdata(scores, axis=1)
    for label in (first, ~first):
        ranks[:, label] -= ranks[:, label].mean(axis=1, keepdims=True)
    # The mean of independent copies has the variance of one, divided by their number.
    n_copies, n_rows = labels.shape
    variance = ranks.var()
    excess = n_copies * ranks.mean(axis=0).var() - variance
    least = max(_CORRELATED * (n_copies - 1), _FAR * np.sqrt(2 / n_rows))
    return bool(excess > least * variance)
