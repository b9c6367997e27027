"""Copies: samples that contain the same rows several times, such as a test set that was
scored with several seeds or by several models.

Copies are not drawn independently, so intervals that treat copies as new rows are too
narrow. Copies are found if each of them is a query, with its rows in any order, or a
block of rows, or if the copies of each row follow one another.
"""

from math import gcd
from typing import Literal

import numpy as np
from scipy.special import betaincinv, chdtri
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
# mean correlation among the rows of one label.
_CORRELATED = 0.2
# Other rows exceed the second limit with this probability. It is small, because several
# numbers of copies are tried.
_RISK = 1e-5
# The distances of both neighbours of a row are uneven if the logarithm of their ratio
# exceeds this number.
_UNEVEN = 1.5
# If the rows of queries are in different orders, only this number of queries and, of
# each label, about this number of quantiles are compared.
_MOST_SORTED, _MOST_QUANTILES = 25, 100
# Sorted scores of copies vary by less than this share of the variance between other
# rows, for either label. Their mean share is also below a limit, which simulated
# samples of other rows fall below in at most .0023 of samples.
_SPREAD, _RISK_OF_SORTED = 0.5, 0.006
# Means of queries that differ by less than this number of standard deviations are
# equal.
_EQUAL_MEANS = 1e-4
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
        "one test set scored with several seeds or models: the labels repeat, and the "
        "scores agree. Copies are not new rows, so intervals are too narrow: pass "
        "unit_id, an id that the copies of a row share."
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
            if _are_copies(*tables):
                return n_copies
    if rows.query is not None:
        first = [each.reshape(-1, n_rows)[:_MOST_SORTED] for each in (labels, scores)]
        if _agree_if_sorted(*first):
            return n_copies
    return 1


def _are_copies(labels: BoolArray, scores: AnyArray) -> bool:
    """Return whether the lines of a table are copies: they have the same labels, and
    their scores agree among the rows of one label, more than neighbours explain.
    """
    first = labels[0]
    # Compare the last line first, since it differs in most tables.
    if any((line != first).any() for line in labels[::-1]):
        return False
    if np.count_nonzero(np.diff(first)) < _FEWEST_CHANGES:
        return False
    if np.ptp(scores[0]) and (scores == scores[0]).all():
        return True
    # Scores of other rows agree, too, if the rows are in the order of something that
    # changes the scores, such as the age or the hour. Neighbours then change alike. So
    # from each rank, the mean of both neighbours of the same label is subtracted,
    # unless one of them is much farther away, such as the evening before a morning.
    differences = []
    for label in (first, ~first):
        ranks = rankdata(scores[:, label], axis=1)
        gaps = np.log(np.diff(np.flatnonzero(label)))
        is_even = abs(np.diff(gaps)) < _UNEVEN
        of_ranks = ranks[:, 1:-1] - (ranks[:, :-2] + ranks[:, 2:]) / 2
        differences.append(of_ranks[:, is_even])
    table = np.hstack(differences)
    variance = table.var() if table.size else 0.0
    if not variance:
        return False
    # If the n lines are independent, the variance of their mean is 1 / n of the
    # variance of a line. If their correlation is c, it is (1 + c (n - 1)) / n of it.
    n_copies = len(table)
    share = table.mean(axis=0).var() / variance
    # Overlapping differences have half as many degrees of freedom as there are rows.
    # The parameters of a beta distribution are half of the degrees of freedom.
    half = table.shape[1] / 4
    least = betaincinv(half, half * (n_copies - 1), 1 - _RISK)
    return bool(share > max(least, (1 + _CORRELATED * (n_copies - 1)) / n_copies))


def _agree_if_sorted(labels: BoolArray, scores: AnyArray) -> bool:
    """Return whether the lines of a table seem to be copies whose rows are in different
    orders: among the rows of each label, sorted scores agree more than those of other
    rows do.
    """
    n_positives = labels.sum(axis=1)
    if np.ptp(n_positives) or not 0 < n_positives[0] < labels.shape[1]:
        return False
    # Scores that were normalized in each query, such as ranks, z-scores and shares,
    # agree in the same way. Then the means of all queries are equal.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.ptp(scores.mean(axis=1)) <= _EQUAL_MEANS * scores.std():
            return False
    spreads = []
    for label in (labels, ~labels):
        table = np.sort(scores[label].reshape(len(labels), -1), axis=1)
        n_rows = table.shape[1]
        quantiles = table[:, :: n_rows // _MOST_QUANTILES + 1]
        ranks = rankdata(quantiles).reshape(quantiles.shape) / quantiles.size
        # For other rows, the mean is 1 (Kiefer's test of several samples).
        spreads.append(6 * (n_rows + 1) * ranks.var(axis=0, ddof=1).mean())
    # The sum of both spreads is approximately chi-squared, with five degrees of freedom
    # for each line after the first one.
    df = 5 * (len(labels) - 1)
    least = chdtri(df, 1 - _RISK_OF_SORTED) / df
    return bool(max(spreads) < _SPREAD and sum(spreads) / 2 < least)
