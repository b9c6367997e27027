"""The steps of every public score and curve: read its arguments, rank, add up, average.

Binary labels are one ranking, or one per query with `query_id`. Multilabel and
multiclass labels are one ranking per column, one per row with ``average="samples"``,
and a single one with ``average="micro"``.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .areas.step import STEP
from .definition import Definition, define
from .public import NO_POSITIVES, warn_user
from .ranking.prevalence import at_prevalence, rows_in_units, with_factor
from .ranking.rank import rank
from .ranking.rankings import OperatingPoints, Rankings, Rows, together
from .reading.options import read_zero_division
from .reading.queries import (
    PositiveTotals,
    QueryIds,
    as_list,
    check_named,
    depths_of_rankings,
    distinct_queries,
    grouped,
    named_queries,
    not_below_found,
    read_totals,
    totals_of_rankings,
)
from .reading.read import CheckedRows, read
from .reading.values import reference_of, to_namespace_of
from .typing import (
    Average,
    BoolArray,
    FloatArray,
    ForeignArray,
    PassedRows,
    PerRanking,
    QueryId,
    Share,
    ZeroDivision,
)

# Ids of the rankings; None unless the caller passed a value per query.
_Names = Sequence[QueryId] | None
WHOLE = define(STEP)  # all rows, equal scores as one step, at their own prevalence


def score(
    caller: str, definition: Definition, inputs: PassedRows
) -> float | FloatArray:
    """Return the score of the public function `caller`: read, rank, add up, average."""
    # Check this first, so a wrong word is refused before the rows are read.
    without_positives = read_zero_division(inputs.zero_division)
    average = inputs.average
    checked = read(inputs, caller=caller, order_only=True)
    totals = read_totals(inputs.n_positives, checked.query)
    rankings, averaging = rankings_in(
        checked, totals, average=average, definition=definition
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
        text.
        """
        if caller == "average_precision_score":
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
    passed_totals: PositiveTotals | None,
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
    rows, names = _layout(checked, average, passed_totals)
    totals, k = None, definition.k
    if passed_totals is not None:
        pooled_columns = checked.positive[0].size if average == "micro" else None
        totals = totals_of_rankings(
            passed_totals, rows.offsets.size - 1, pooled_columns, names, checked.query
        )
    if definition.cuts_each:
        n_rankings = 0 if average == "micro" else rows.offsets.size - 1
        k = depths_of_rankings(k, n_rankings, names, checked.query)
    rows, unit, factor = rows_in_units(rows)
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
    if unit is not None:
        positives = positives * unit  # in the caller's weights
    if totals is not None:
        rankings = with_totals(rankings, totals, unit, names)
        # A stated total may be a rounding error below the weights found.
        positives = np.maximum(totals, positives)
    # A prevalence replaces the weights of classes. It compares the negatives with all
    # positives, found or missed, so it comes after the totals.
    if definition.prevalence is None:
        rankings = with_factor(rankings, factor)
    else:
        rankings = at_prevalence(rankings, definition.prevalence)
    return rankings, _averaging(rankings, average, positives, checked.weight)


def _averaging(
    rankings: Rankings,
    average: Average,
    positives: FloatArray,
    weight_of_rows: FloatArray | None,
) -> Averaging:
    """Return how the values are averaged: ``"weighted"`` by positives, ``"samples"`` by
    the weight of each row.
    """
    weights = None
    if average == "weighted":
        weights = positives
    elif average == "samples":
        weights = weight_of_rows
    return Averaging(rankings.n_positives > 0, weights, average is not None)


def _layout(
    checked: CheckedRows, average: Average, totals: PositiveTotals | None
) -> tuple[Rows, _Names]:
    """Group the rows by ranking and return the names of queries for which values were
    stated.
    """
    positive, score, weight = checked.positive, checked.score, checked.weight
    if average == "micro":
        if weight is not None and positive.ndim == 2:
            weight = np.broadcast_to(weight[:, np.newaxis], positive.shape)
        return Rows(positive, score, weight, np.array([0, positive.size])), None
    if checked.query is not None:
        return _layout_of_queries(checked, checked.query, totals)
    if average == "samples":
        # Each row is a ranking here: its weight counts in the mean, not in the ranking.
        weight = None
    else:
        positive, score = positive.T, score.T
        if weight is not None:
            weight = np.broadcast_to(weight, positive.shape)
    n_rankings, n_rows = positive.shape
    return Rows(positive, score, weight, np.arange(n_rankings + 1) * n_rows), None


def _layout_of_queries(
    checked: CheckedRows, query: QueryIds, totals: PositiveTotals | None
) -> tuple[Rows, _Names]:
    """Return the rows with the sorted queries; rows with weights are brought together,
    query after query.
    """
    ids, offsets, place = grouped(query)
    names = None
    # A list of ids takes longer than all else here, and only values need it.
    if isinstance(totals, dict) or checked.weightless is not None:
        # Queries without rows have values, too: they become rankings of length 0, and
        # `places` are the queries with rows among all.
        names, places = named_queries(as_list(ids), totals, checked.weightless)
        lengths = np.zeros(len(names), dtype=np.int64)
        lengths[places] = offsets[1:] - offsets[:-1]
        offsets = np.append(0, np.cumsum(lengths))
        if place is not None:
            place = places[place]
    rows = Rows(checked.positive, checked.score, checked.weight, offsets, place)
    # Weights are compared inside each ranking, so its rows must stand together.
    if rows.weight is not None:
        rows = together(rows)
    return rows, names


def with_totals(
    rankings: Rankings,
    totals: FloatArray,
    count_weight: FloatArray | None,
    names: _Names = None,
) -> Rankings:
    """Return rankings with these totals of positives; `count_weight` is the caller's
    weight of what counts 1 in each, if any.
    """
    counted = not_below_found(
        totals,
        rankings.n_positives,
        n_rows=rankings.n_rows,
        count_weight=count_weight,
        names=names,
    )
    return rankings._replace(n_positives=counted)


def curve_in(
    checked: CheckedRows, n_positives: PerRanking
) -> tuple[Rankings, OperatingPoints]:
    """Rank the checked input of a curve, which shows one ranking, and return its
    points.
    """
    totals = read_totals(n_positives, checked.query)
    if checked.query is not None:
        names, _ = distinct_queries(checked.query)
        if len(names) > 1:
            raise ValueError(
                "query_id must contain a single query, since a curve shows one "
                f"ranking; got {len(names)} queries. Pass the rows of one query. For "
                "the mean over queries, call average_precision_score(..., "
                "query_id=...)."
            )
        if isinstance(totals, dict):  # of other queries, too, which do not count here
            check_named(names, totals)
            totals = np.array(totals[names[0]], dtype=np.float64)
    return points_in(checked, totals, None)


def points_in(
    checked: CheckedRows, totals: PositiveTotals | None, prevalence: Share
) -> tuple[Rankings, OperatingPoints]:
    """Rank checked rows as one, and return its operating points."""
    ranking, _ = rankings_in(
        checked,
        totals,
        average="micro",
        definition=define(STEP, prevalence=prevalence),
        with_points=True,
    )
    return ranking, ranking.kernel.points()
