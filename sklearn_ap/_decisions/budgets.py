"""Totals of the positives that a budget of rows per query finds: their number, their
weight and their amount.

A budget is not a threshold: each query has its own score at the cut. An amount is not a
weight: it is the value of a row, such as its euros, and does not change the ranking. A
row of amount 0 uses up the budget as any other row does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.advice import CALLED_HERE, advised
from .._core.ranking.cut import cut_depth
from .._core.ranking.rows import order_by_ranking
from .._core.ranking.runs import change_runs
from .._core.reading.frames import warn_of_other_order
from .._core.reading.ids import Ids
from .._core.reading.options import read_k
from .._core.reading.per_ranking import Queries, queries_of
from .._core.reading.read import CheckedRows, read, read_weights
from .._core.typing import (
    AnyArray,
    FirstRows,
    FloatArray,
    IntArray,
    Label,
    PassedRows,
)
from .._shown.numbers import count_of, part_of
from .._shown.tables import data_frame
from .._uncertainty import (
    Changes,
    Contributions,
    Result,
    ScoreEstimate,
    estimate_of,
    event_of,
    n_equal,
)
from .wording import PLAIN, Basis, budget_in_words

if TYPE_CHECKING:
    from pandas import DataFrame


# Advice for a keyword that only scores take.
_CALLED_HERE = CALLED_HERE | {
    "n_positives": "recall_at_k_score(..., average='weighted'), whose share of all "
    "positives has missed ones"
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BudgetTotals(Result):
    r"""Totals of the positives that a budget of rows per query finds.

    :func:`budget_totals` returns them. The rows of a query that have the score at the
    cut share the remaining places equally, so `positives_found` may be a fraction. Rows
    of weight 0 are not counted, but rows of amount 0 are counted.

    Parameters
    ----------
    k : int or float
        Rows per query; a float is a share of the rows of each query.

    n_retrieved : int
        Number of rows within the budgets.

    n_samples : int
        Total number of rows.

    positives_found : float
        Number of positives within the budgets.

    n_positives : float
        Total number of positives.

    weight_found : float
        Weight of the positives within the budgets; without weights, their number.

    weight_of_positives : float
        Total weight of the positives; without weights, their number.

    amount_found : float, default=None
        Amount of the positives within the budgets, times their weights if there are
        weights; None without `amount`.

    amount_of_positives : float, default=None
        Total amount of the positives, times their weights if there are weights; None
        without `amount`.

    share_of_positives : ScoreEstimate
        `positives_found` divided by `n_positives`, with its confidence interval.

    share_of_weight : ScoreEstimate
        `weight_found` divided by `weight_of_positives`, with its confidence interval.

    share_of_amount : ScoreEstimate, default=None
        `amount_found` divided by `amount_of_positives`, with its confidence interval.

    by_query : dict of str to ndarray of shape (n_queries,)
        The sorted ids (``"query"``), and the numbers from `n_retrieved` to
        `amount_of_positives` of each query; zeros for a query whose rows all have
        weight 0. Without queries, all rows are the query 0.

    Notes
    -----
    :func:`recall_at_k_score` with `query_id` is another number: the mean, over queries,
    of the share of the positives of a query that its budget finds.

    Each share R is a ratio of two sums over queries: query i finds :math:`x_i` of its
    :math:`X_i`. The standard error is linearised [1]_: the root of the sum of squares
    of :math:`(x_i - R X_i) / \sum_j X_j`, times the root of :math:`m / (m - 1)`. Here m
    is the effective number of queries, :math:`(\sum_j X_j)^2 / \sum_j X_j^2`.

    The interval is that of :func:`estimate_score`, with the effective sample size of
    Korn and Graubard. It is at most the number of typical positives, each of which has
    the amount :math:`\sum a^2 / \sum a`, or that of the positives of a query that are
    alike.

    References
    ----------
    .. [1] W. G. Cochran, "Sampling Techniques", 3rd edition, chapter 6, Wiley, 1977.

    Examples
    --------
    >>> from sklearn_ap import budget_totals
    >>> day = ["Mon", "Mon", "Tue", "Tue"]
    >>> totals = budget_totals([1, 0, 1, 1], [4, 3, 2, 1], k=1, query_id=day)
    >>> totals.positives_found, totals.n_positives
    (2.0, 3.0)
    >>> round(totals.share_of_positives.score, 3)
    0.667
    """

    k: int | float
    n_retrieved: int
    n_samples: int
    positives_found: float
    n_positives: float
    weight_found: float
    weight_of_positives: float
    amount_found: float | None = None
    amount_of_positives: float | None = None
    share_of_positives: ScoreEstimate
    share_of_weight: ScoreEstimate
    share_of_amount: ScoreEstimate | None = None
    by_query: dict[str, AnyArray] = field(repr=False)
    _basis: Basis = PLAIN

    @property
    def lift(self) -> float:
        """Positives found, divided by the mean number that random orders find.

        Each query has its own random order. Weights are ignored. The lift is NaN
        without positives.
        """
        sums = self.by_query
        # A query whose rows all have weight 0 has the sums 0. Divide them by 1, not by
        # 0.
        n_rows = np.maximum(sums["n_samples"], 1)
        by_chance = float((sums["n_retrieved"] * sums["n_positives"] / n_rows).sum())
        return self.positives_found / by_chance if by_chance else nan

    def __str__(self) -> str:
        """Return the totals in one sentence."""
        found = part_of(self.positives_found, self.n_positives)
        verb = "is" if self.positives_found == 1 else "are"
        first_rows = budget_in_words(self.k)
        if first_rows == "1 row":
            first_rows = "row"
        text = f"{found} positives {verb} in the first {first_rows}"
        notes = []
        if self._basis.has_queries:
            text += " of each query"
            # A query whose rows all have weight 0 is not counted.
            n_queries = int(np.count_nonzero(self.by_query["n_samples"]))
            notes.append(count_of(n_queries, "query", "queries"))
        # A share of a few rows is rounded, and is at least one row per query. A number
        # of rows may be more than there are.
        if isinstance(self.k, float) or self.n_retrieved < self.k:
            notes.append(f"{part_of(self.n_retrieved, self.n_samples)} rows")
        if notes:
            text += f" ({', '.join(notes)})"
        if self._basis.has_weights:
            weight = part_of(self.weight_found, self.weight_of_positives)
            text += f"; sample_weight found: {weight}"
        if self.amount_found is not None and self.amount_of_positives is not None:
            amount = part_of(self.amount_found, self.amount_of_positives)
            text += f"; amount found: {amount}, the amount of all positives"
            text += self._basis.clause
        return f"{text}."

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row per query.

        Returns
        -------
        frame : pandas.DataFrame
            `by_query`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(self.by_query).infer_objects()


# --- sums over queries ----------------------------------------------------------------


def _share_within(score: AnyArray, query_of_row: IntArray, k: FirstRows) -> FloatArray:
    """Return the share of each row that is within the budget of its query.

    The share is 1 above the cut and 0 below it. Rows with the score at the cut share
    the remaining places equally.
    """
    n_rows = np.bincount(query_of_row)
    depth = np.minimum(cut_depth(n_rows.astype(np.float64), k), n_rows).astype(np.intp)
    # Sort the scores of each query, worst first. Shorter queries are padded with the
    # greatest score, which sorts after their own scores.
    by_query = score.take(order_by_ranking(query_of_row))
    change_runs(np.ndarray.sort, by_query, n_rows, score.max())
    # The last score of each query is its best one. The worst score within the budget
    # has the number `depth`, counted from there.
    score_at_cut = by_query.take(np.cumsum(n_rows) - depth)[query_of_row]
    is_above = score > score_at_cut
    share = is_above.astype(np.float64)
    # Equal scores have no order, so the rows with the score at the cut share the places
    # that the rows above it leave. Each query has such a row.
    n_left = depth - np.bincount(query_of_row[is_above], minlength=n_rows.size)
    at_cut = np.flatnonzero(score == score_at_cut)
    query_at_cut = query_of_row[at_cut]
    share[at_cut] = (n_left / np.bincount(query_at_cut))[query_at_cut]
    return share


def _sums_of_queries(
    queries: Queries, query: IntArray, values: FloatArray | None = None
) -> FloatArray:
    """Return the sum of the values of each of the queries. `query` is the number of the
    query of each value. Without values, return their number.
    """
    places = queries.places_with_rows[query]
    return np.bincount(places, values, len(queries.names)).astype(np.float64)


class _Found(NamedTuple):
    """Of one kind of value of the positives, what a budget finds."""

    # The value of the positives of each query: of those found, and of all.
    found: FloatArray
    total: FloatArray
    # What is found in all queries, divided by what they have.
    share: ScoreEstimate


def _found_of(
    queries: Queries,
    query: IntArray,
    share_found: FloatArray,
    n_samples: int,
    value: FloatArray,
) -> _Found:
    """Return what a budget finds of the values of the positives. `query` and
    `share_found` are the query of each positive, and its share within the budget.
    """
    found = _sums_of_queries(queries, query, share_found * value)
    total = _sums_of_queries(queries, query, value)
    # An event is the positives of a query that are alike: found, or not. It is at
    # least one typical positive.
    event_weight = max(
        event_of(share_found, value, unit).weight for unit in (query, None)
    )
    # Queries whose rows all have weight 0 are no part of the sample.
    of_sample = queries.places_with_rows
    found_there, totals = found[of_sample], total[of_sample]
    # Without positives, the share is 0, so any divisor will do.
    divisor = float(totals.sum()) or 1.0
    score = float(found_there.sum()) / divisor
    # One more event of positives adds its weight to the divisor.
    event = event_weight / divisor
    contributions = Contributions(
        score=score,
        of_units=(found_there - score * totals) / divisor,
        divisor_weights=totals,
        n_effective=n_equal(totals) * bool(totals.any()),
        n_units=totals.size,
        changes=Changes(n_events=1 / event if event else inf),
        is_read_as_mean=True,
    )
    return _Found(found, total, estimate_of(contributions, n_samples))


# --- public functions -----------------------------------------------------------------


@partial(advised, called_here=_CALLED_HERE)
def budget_totals(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float,
    query_id: ArrayLike | None = None,
    amount: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> BudgetTotals:
    """Totals of the positives in the first rows of each query, such as 10 per day.

    Without queries, they are the first rows of a single ranking. The numbers are sums
    over all queries: of the positives found and, with `amount`, of their amounts. No
    single threshold retrieves these rows, but :doc:`/operating_points` shows one that
    exceeds no budget.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels. Labels may be of any kind if `pos_label` is passed.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first.

    k : int or float
        Rows per query: an int, or a share of the rows of each query, above 0 and below
        1 (rounded, at least one row). Rows with the score at the cut share the
        remaining places equally.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, such as its day. By default, all rows are one ranking.

    amount : array-like of shape (n_samples,), default=None
        The value of each row, such as its euros: finite, not negative. A row of amount
        0 uses up the budget as any other row does.

    sample_weight : array-like of shape (n_samples,), default=None
        As for :func:`average_precision_score`; `k` is a number of rows, whatever their
        weights. The amount of a row is multiplied by its weight.

    pos_label : int, float, bool or str, default=None
        Label of the positive class. By default, it is 1, if the labels are in {0, 1} or
        {-1, 1}.

    Returns
    -------
    totals : BudgetTotals
        ``print(totals)`` prints one sentence. The shares have confidence intervals
        [1]_, which assume independent queries. So for a single ranking, they are NaN:
        ``estimate_score("recall@10", y_true, y_score)`` draws its rows instead.

    See Also
    --------
    operating_point : Threshold that reaches a recall, a precision or a budget.
    recall_at_k_score : Share of the positives that are among the first k rows.

    References
    ----------
    .. [1] W. G. Cochran, "Sampling Techniques", 3rd edition, chapter 6, Wiley, 1977.

    Examples
    --------
    One row is reviewed per day. On Monday, the review finds 90 of 100 euros, and on
    Tuesday 10 of 900:

    >>> from sklearn_ap import budget_totals
    >>> fraud, score = [1, 1, 1, 1], [0.9, 0.8, 0.7, 0.6]
    >>> day, amount = ["Mon", "Mon", "Tue", "Tue"], [90, 10, 10, 890]
    >>> totals = budget_totals(fraud, score, k=1, query_id=day, amount=amount)
    >>> print(totals)
    2 of 4 positives are in the first row of each query (2 queries); amount found:
    100 of 1,000, the amount of all positives.
    >>> totals.share_of_amount.score
    0.1

    Of one ranking, the first two rows:

    >>> print(budget_totals([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6], k=2))
    1 of 3 positives is in the first 2 rows.
    """
    budget: Any = read_k(k, is_required=True)
    inputs = PassedRows(y_true, y_score, None, pos_label, sample_weight, query_id)
    checked = read(inputs, caller="budget_totals", one_column=True)
    amounts = None
    if amount is not None:
        warn_of_other_order({"y_true": y_true, "amount": amount})
        amounts = checked.of_kept(read_weights("amount", amount, checked.n_passed))
    return _totals_of(checked, budget, amounts)


def _totals_of(
    checked: CheckedRows, k: int | float, amount: FloatArray | None
) -> BudgetTotals:
    """Return the totals of a budget. Rows without queries are the rows of one query."""
    query_of_row = checked.numbers_of_queries()
    ids = checked.query or Ids(np.zeros(1, dtype=np.int64), query_of_row)
    # A query whose rows all have weight 0 has a place, too, and all its sums are 0.
    queries = queries_of(ids, checked.passed_query, keeps_weightless=True)
    share_of_row = _share_within(checked.score, query_of_row, k)
    n_retrieved = _sums_of_queries(queries, query_of_row, share_of_row)
    n_samples = _sums_of_queries(queries, query_of_row)
    positives = np.flatnonzero(checked.positive)
    found_of = partial(
        _found_of,
        queries,
        query_of_row[positives],
        share_of_row[positives],
        checked.score.size,
    )
    # The value of a positive is 1 or, in the second case, its weight.
    weight = np.ones(checked.score.size) if checked.weight is None else checked.weight
    count = found_of(np.ones(positives.size))
    weighed = found_of(weight[positives])
    totals = BudgetTotals(
        k=k,
        # Both are whole numbers, although sums of shares of rows are rounded.
        n_retrieved=round(float(n_retrieved.sum())),
        n_samples=round(float(n_samples.sum())),
        positives_found=float(count.found.sum()),
        n_positives=float(count.total.sum()),
        weight_found=float(weighed.found.sum()),
        weight_of_positives=float(weighed.total.sum()),
        share_of_positives=count.share,
        share_of_weight=weighed.share,
        by_query={
            "query": np.fromiter(queries.names, object, len(queries.names)),
            "n_retrieved": n_retrieved,
            "n_samples": n_samples,
            "positives_found": count.found,
            "n_positives": count.total,
            "weight_found": weighed.found,
            "weight_of_positives": weighed.total,
        },
        _basis=Basis(checked.weight is not None, has_queries=checked.query is not None),
    )
    if amount is None:
        return totals
    paid = found_of((amount * weight)[positives])
    of_queries = {"amount_found": paid.found, "amount_of_positives": paid.total}
    return replace(
        totals,
        amount_found=float(paid.found.sum()),
        amount_of_positives=float(paid.total.sum()),
        share_of_amount=paid.share,
        by_query=totals.by_query | of_queries,
    )
