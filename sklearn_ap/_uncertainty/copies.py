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

# Largest number of copies for which blocks of rows are compared. Of queries whose rows
# are mixed, only this number is compared.
_MOST_COPIES = 100
# Number of rows of each copy that are compared, from its first row on.
_MOST_ROWS = 5_000
# Labels that are sorted, or nearly so, change from row to row less often than this.
# Sorted labels also agree between queries or blocks that are not copies.
_FEWEST_CHANGES = 4
# The scores of copies agree if two limits are exceeded. The first limit is for their
# mean rank correlation among the rows of one label.
_CORRELATED = 0.1
# The second limit is for this correlation divided by its standard error.
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
    """Return the number of copies of the same rows that a sample seems to contain; 1 if
    the rows are different.
    """
    labels, scores = rows.positive, rows.score
    if scores.ndim > 1:
        return 1
    if rows.query is None:
        # All copies have the same number of rows and the same number of positives. So
        # the number of copies divides the numbers of all rows and of all positives,
        # which rules out most numbers.
        n_in_all = gcd(labels.size, np.count_nonzero(labels))
        numbers = [n for n in range(_MOST_COPIES, 1, -1) if n_in_all % n == 0]
    else:
        # Each copy may be a query. All copies have the same number of rows.
        _, offsets, place = grouped(rows.query)
        sizes = np.diff(offsets)
        if (sizes != sizes[0]).any():
            return 1
        # If the rows of queries are mixed, sort the rows of the first queries by query.
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
            # If a sample is sorted by score, the ranks of its parts agree, too,
            # although the parts are not copies. Then the scores of negatives only rise
            # or only fall. Adding 0.0 converts integers to floats, since differences of
            # integers could overflow.
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
    # If n rows of scores are independent, the variance of their mean is the variance of
    # one of them, divided by n. If they are correlated, as copies are, the variance of
    # the mean is larger, in proportion to the correlation.
    n_copies, n_rows = labels.shape
    variance = ranks.var()
    excess = n_copies * ranks.mean(axis=0).var() - variance
    least = max(_CORRELATED * (n_copies - 1), _FAR * np.sqrt(2 / n_rows))
    return bool(excess > least * variance)
