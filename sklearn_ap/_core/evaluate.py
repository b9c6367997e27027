"""The steps of every public score and curve: read its arguments, rank, add up, average.

Binary labels are one ranking, or one per query with `query_id`. Multilabel and
multiclass labels are one ranking per column, one per row with ``average="samples"``,
and a single one with ``average="micro"``.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .areas.step import STEP
from .definition import Definition, define
from .ranking.prevalence import counted_rows, reweighted
from .ranking.rank import rank
from .ranking.rankings import OperatingPoints, Rankings, Rows, positives_of, together
from .reading.ids import grouped
from .reading.options import read_zero_division
from .reading.per_ranking import (
    PassedTotals,
    Queries,
    not_below_found,
    per_ranking,
    queries_of,
    read_totals,
)
from .reading.read import CheckedRows, read
from .reading.values import reference_of, to_namespace_of
from .typing import (
    AnyArray,
    Average,
    BoolArray,
    FloatArray,
    ForeignArray,
    PassedRows,
    PerRanking,
    Share,
    ZeroDivision,
)
from .user_messages import NO_POSITIVES, warn_user

WHOLE = define(STEP)  # all rows, equal scores as one step, at their own prevalence


def score(
    caller: str, definition: Definition, inputs: PassedRows
) -> float | FloatArray:
    """Return the score of the public function `caller`: read, rank, add up, average."""
    # Check this first, so a wrong word is refused before the rows are read.
    without_positives = read_zero_division(inputs.zero_division)
    average = inputs.average
    checked = read(inputs, caller=caller)
    rankings, averaging = rankings_in(
        checked, inputs.n_positives, average=average, definition=definition
    )
    reference = reference_of(inputs.y_score) if average is None else None
    return averaging.average(
        definition.compute(rankings),
        zero_division=without_positives,
        caller=caller,
        reference=reference,
    )


class Averaging(NamedTuple):
    """Rule that turns the values of the rankings into the result of a score."""

    has_positives: BoolArray  # whether each ranking has a positive
    # Weight of each ranking in the mean; None if all count the same.
    weights: FloatArray | None
    one_value: bool  # False with average=None
    of_queries: bool = False  # whether queries, and not columns, are rankings
    ids: AnyArray | None = None  # of the queries that are rankings

    def average(
        self,
        values: FloatArray,
        *,
        zero_division: ZeroDivision,
        caller: str,
        reference: ForeignArray | None,
    ) -> float | FloatArray:
        """Return the mean of the values; with ``average=None`` all of them, as an array
        like `reference`.
        """
        # Nearly every call has one ranking with a positive: its value needs no mean.
        if self.one_value and values.size == 1 and self.has_positives[0]:
            return float(values[0])
        undefined_value = 0.0 if zero_division == "warn" else float(zero_division)
        # As in scikit-learn, no warning is given if every ranking has weight 0.
        if self.one_value and self.weights is not None and not self.weights.any():
            return undefined_value
        if zero_division == "warn" and not self.has_positives.all():
            warn_user(self.without_positives(caller))
        values = np.where(self.has_positives, values, undefined_value)
        if not self.one_value:
            several: FloatArray = to_namespace_of(values, reference)
            return several
        # With zero_division=nan, the mean leaves out rankings without a positive.
        counted = ~np.isnan(values)
        weights = None if self.weights is None else self.weights[counted]
        if not (counted if weights is None else weights).any():
            return float("nan")
        return float(np.average(values[counted], weights=weights))

    def without_positives(self, caller: str) -> str:
        """Return the text of the warning; average_precision_score has scikit-learn's
        text, which has no word for queries.
        """
        if caller == "average_precision_score" and not self.of_queries:
            return NO_POSITIVES
        n_rankings, n_without = (
            self.has_positives.size,
            np.count_nonzero(~self.has_positives),
        )
        if n_rankings == 1:
            return (
                "y_true contains no positives, so the score is 0.0; pass zero_division "
                "to choose it."
            )
        return (
            f"y_true contains no positives in {n_without} of {n_rankings} rankings, "
            "which score 0.0; pass zero_division to choose their score, or NaN to "
            "leave them out."
        )


def rankings_in(
    checked: CheckedRows,
    n_positives: PerRanking,
    *,
    average: Average,
    definition: Definition = WHOLE,
    with_points: bool = False,
) -> tuple[Rankings, Averaging]:
    """Rank checked input in the order and at the prevalence of a definition, for
    `Definition.compute`.

    The second result is how the values of the rankings are averaged. Rows after the cut
    may be left out.
    """
    if checked.positive.ndim == 1 and checked.query is None:
        # As in scikit-learn, binary labels are one ranking with any `average`.
        average = "micro"
    passed_totals = read_totals(n_positives)
    rows, of, ids = _layout(checked, average, passed_totals)
    is_pooled, totals, k = average == "micro", None, definition.k
    if passed_totals is not None:
        totals = per_ranking(passed_totals, of, is_pooled=is_pooled)
    rows, count_weight, factor = counted_rows(rows)
    if (
        definition.cut == "n_positives"
        and totals is None
        and rows.weight is factor is None
    ):
        k = positives_of(rows).clip(1.0)
    # Some rules depend on whether weights differ inside a ranking, which is known only
    # now.
    if rows.weight is not None or factor is not None:
        definition.refuse_weights(states_totals=totals is not None)
    rankings = rank(
        rows,
        tie_order=definition.tie_order,
        k=k,
        bounds=checked.bounds,
        with_points=with_points,
    )
    positives = rankings.n_positives
    if count_weight is not None:
        positives = positives * count_weight
    if totals is not None:
        rankings = with_totals(rankings, totals, count_weight, ids)
        # A stated total may be a rounding error below the weights found.
        positives = np.maximum(totals, positives)
    # A prevalence replaces the weights of classes. It compares the negatives with all
    # positives, found or missed, so it comes after the totals.
    rankings = reweighted(rankings, definition.prevalence, factor)
    averaging = _averaging(rankings, average, positives, checked, ids)
    return rankings, averaging


def _averaging(
    rankings: Rankings,
    average: Average,
    positives: FloatArray,
    checked: CheckedRows,
    ids: AnyArray | None,
) -> Averaging:
    """Return how the values are averaged: ``"weighted"`` by positives, ``"samples"`` by
    the weight of each row.
    """
    weights = None
    if average == "weighted":
        weights = positives
    elif average == "samples":
        weights = checked.weight
    of_queries = checked.query is not None
    has_positives = rankings.n_positives > 0
    return Averaging(has_positives, weights, average is not None, of_queries, ids)


def _layout(
    checked: CheckedRows, average: Average, totals: PassedTotals | None
) -> tuple[Rows, Queries | Sequence[Any], AnyArray | None]:
    """Group the rows by ranking. Also return the queries or columns that `n_positives`
    may name, and the ids of the queries that are rankings.
    """
    rows, ids = _rows_of_rankings(checked, average)
    query, passed = checked.query, checked.passed_query
    is_each = average is None
    if query is not None and (totals or (is_each and passed is not None)):
        queries = queries_of(query, passed, totals, ids=ids, keeps_weightless=is_each)
        if average != "micro":
            # A query without rows is a ranking of length 0.
            n_before = np.cumsum(queries.has_rows[queries.is_ranked])
            rows = rows._replace(offsets=rows.offsets[np.append(0, n_before)])
            ids = queries.ids[queries.is_ranked]
        return rows, queries, ids
    if average == "samples":
        return rows, range(len(checked.positive)), ids
    return rows, checked.columns or range(checked.positive[0].size), ids


def _rows_of_rankings(
    checked: CheckedRows, average: Average
) -> tuple[Rows, AnyArray | None]:
    """Group the rows by ranking and return the ids of queries that are rankings."""
    positive, score, weight = checked.positive, checked.score, checked.weight
    if average == "micro":
        if weight is not None and positive.ndim == 2:
            weight = np.broadcast_to(weight[:, np.newaxis], positive.shape)
        return Rows(positive, score, weight, np.array([0, positive.size])), None
    if checked.query is not None:
        ids, offsets, ranking = grouped(checked.query)
        rows = Rows(positive, score, weight, offsets)
        if ranking is not None:
            rows = together(rows, ranking)
        return rows, ids
    if average == "samples":
        # Each row is a ranking here: its weight counts in the mean, not in the ranking.
        weight = None
    else:
        positive, score = positive.T, score.T
        if weight is not None:
            weight = np.broadcast_to(weight, positive.shape)
    n_rankings, n_rows = positive.shape
    return Rows(positive, score, weight, np.arange(n_rankings + 1) * n_rows), None


def with_totals(
    rankings: Rankings,
    totals: FloatArray,
    count_weight: FloatArray | None,
    ids: AnyArray | None = None,
) -> Rankings:
    """Return rankings with these totals of positives; `count_weight` is the caller's
    weight of what counts 1 in each, if any.
    """
    counted = not_below_found(
        totals,
        rankings.n_positives,
        n_rows=rankings.n_rows,
        count_weight=count_weight,
        ids=ids,
    )
    return rankings._replace(n_positives=counted)


def points_in(
    checked: CheckedRows, n_positives: PerRanking, prevalence: Share = None
) -> tuple[Rankings, OperatingPoints]:
    """Rank checked rows as one, as a curve shows them, and return its operating
    points.
    """
    ranking, _ = rankings_in(
        checked,
        n_positives,
        average="micro",
        definition=define(STEP, prevalence=prevalence),
        with_points=True,
    )
    return ranking, ranking.kernel.points()
