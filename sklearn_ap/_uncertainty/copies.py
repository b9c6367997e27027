"""Copies: samples that contain the same rows several times, such as a test set that was
scored with several seeds or by several models.

Copies are not drawn independently, so intervals that treat copies as new rows are too
narrow. Copies are found if each of them is a query or a block of rows, or if the copies
of each row follow one another.
"""

from math import gcd
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from .._core.ranking.rankings import Rows, together
from .._core.reading.ids import grouped
from .._core.reading.read import CheckedRows
from .._core.typing import AnyArray, BoolArray

# Only the first queries, and the first rows of each copy, are compared.
_MOST_COPIES = 100
_MOST_ROWS = 5_000
# Labels in a sorted order change from row to row less often than this. Such labels also
# agree between queries or blocks that are not copies.
_FEWEST_CHANGES = 4
# Scores of copies agree if, among the rows of one label, their mean rank correlation is
# above the first number, and more standard errors above 0 than the second number.
_CORRELATED = 0.1
_FAR = 4.0
# numpy's words for two orders of the rows: each copy is a block of rows ("C"), or the
# copies of a row follow one another ("F").
_ORDERS: tuple[Literal["C", "F"], ...] = ("C", "F")


def text_of_copies(rows: CheckedRows) -> str:
    """Return the text of the warning if a sample contains the same rows several times,
    else an empty text.
    """
    n_copies = _n_copies(rows)
    if n_copies == 1:
        return ""
    n_rows = rows.score.size // n_copies
    return (
        f"The sample looks like {n_copies} copies of the same {n_rows:,} rows, such as "
        "one test set scored with several seeds or models: the labels repeat in the "
        "same order, and the scores agree. Copies are not new rows, so intervals are "
        "too narrow: pass unit_id, an id that the copies of a row share."
    )


def _n_copies(rows: CheckedRows) -> int:
    """Return how many copies of the same rows a sample looks like; 1 if the rows are
    different.
    """
    labels, scores = rows.positive, rows.score
    if scores.ndim > 1:
        return 1
    if rows.query is None:
        # Copies have equally many rows and positives, which rules out most numbers.
        n_in_all = gcd(labels.size, np.count_nonzero(labels))
        numbers = [n for n in range(_MOST_COPIES, 1, -1) if n_in_all % n == 0]
    else:
        # Each copy may be a query. All copies have the same number of rows.
        _, offsets, place = grouped(rows.query)
        sizes = np.diff(offsets)
        if (sizes != sizes[0]).any():
            return 1
        # If the rows of queries are mixed, bring those of the first queries together.
        if place is not None:
            kept = np.flatnonzero(place < _MOST_COPIES)
            of_first = Rows(labels[kept], scores[kept], None, offsets)
            by_query = together(of_first, place[kept])
            labels, scores = by_query.positive, by_query.score
        numbers = [sizes.size]
    for n_copies in numbers:
        n_rows = rows.score.size // n_copies
        for order in _ORDERS:
            tables = [
                each.reshape((-1, n_rows), order=order)[:, :_MOST_ROWS]
                for each in (labels, scores)
            ]
            if not _are_copies(*tables):
                continue
            # In a sample that is sorted by score, the ranks of all parts agree, too.
            # Then the scores of negatives only rise or only fall. Adding 0.0 makes
            # floats of integers, whose differences could overflow.
            directions = np.sign(np.diff(scores[~labels] + 0.0))
            is_sorted = np.ptp(directions) < 2
            return 1 if is_sorted else n_copies
    return 1


def _are_copies(labels: BoolArray, scores: AnyArray) -> bool:
    """Return whether the lines of a table are copies: they have the same labels, and
    their scores agree among the rows of one label.
    """
    first = labels[0]
    # Compare the last line first, since it differs in most tables.
    if any((line != first).any() for line in labels[::-1]):
        return False
    if np.count_nonzero(np.diff(first)) < _FEWEST_CHANGES:
        return False
    ranks = rankdata(scores, axis=1)
    for label in (first, ~first):
        ranks[:, label] -= ranks[:, label].mean(axis=1, keepdims=True)
    # For independent scores, the variance of the mean of n copies is that of one copy,
    # divided by n. The mean of copies varies more, in proportion to their correlation.
    n_copies, n_rows = labels.shape
    variance = ranks.var()
    excess = n_copies * ranks.mean(axis=0).var() - variance
    least = max(_CORRELATED * (n_copies - 1), _FAR * np.sqrt(2 / n_rows))
    return bool(excess > least * variance)
