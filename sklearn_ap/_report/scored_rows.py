"""The rows of an answer, in memory, with their counts, and with methods that return
scores, thresholds and budgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from itertools import compress
from math import nan
from typing import Any

import numpy as np

from .._core.evaluate import RankedRows
from .._core.reading.ids import as_list, distinct_queries, read_numbered
from .._core.reading.per_ranking import queries_of, read_totals
from .._core.scores.at_k import recall_at_k_score, success_at_k_score
from .._core.typing import (
    AnyArray,
    ArrayLikeOrMapping,
    BoolArray,
    Label,
    QueryId,
    ScoreFunction,
)
from .._decisions.budgets import SUMS_OF_SHARES, BudgetTotals, totals_of
from .._decisions.conditions import read_condition
from .._decisions.operating_points import OperatingPoint, point_of, threshold_text
from .._shown.numbers import opposite
from .._shown.orders import order_of
from .._uncertainty.calls import ScoreCall, call_of
from .._uncertainty.results import ScoreEstimate
from .._uncertainty.standard_errors import estimate_of, package_score
from .fields import AP, ROW, Counts, Hits, ShownScore, Sums
from .named_warnings import quiet_warnings

# Fields of `ScoredRows` with one element per row, except the scores of the models.
_PER_ROW = "y_true", "sample_weight", "amount", "query_id", "unit_id"
# Other names of conditions, and the argument of `operating_point` for each.
_OTHER_NAMES = {"sensitivity": "recall", "tpr": "recall", "ppv": "precision"}
# A sentence names at most this number of queries without positives.
_MAX_QUERIES_NAMED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredRows:
    """The rows of an answer: arrays of one element per row, and totals."""

    # Name of the file, if the rows are those of the earlier file.
    name: str = ""
    counts: Counts
    y_true: BoolArray
    # Scores of each model by its name. The other models are compared with the first.
    scores: Mapping[str, AnyArray]
    sample_weight: AnyArray | None = None
    amount: AnyArray | None = None
    query_id: AnyArray | None = None
    unit_id: AnyArray | None = None
    # The total of the positives, or the total of each query.
    n_positives: ArrayLikeOrMapping | None = None
    # Name of the column of queries; empty if the column has no name.
    query_column: str = ""
    # Further columns of a file that `looks` needs: the number of rows with each value.
    others: Mapping[str, Mapping[Label, int]] = field(default_factory=dict)
    # If each query is a class, the rows of each query by its name: all rows, with this
    # class positive. Otherwise empty.
    classes: Mapping[str, ScoredRows] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """Name of the first model."""
        return next(iter(self.scores))

    @property
    def y_score(self) -> AnyArray:
        """Scores of the first model."""
        return self.scores[self.model]

    @cached_property
    def checked(self) -> RankedRows:
        """The rows with the scores of the first model, which are sorted once."""
        score = self.y_score
        query: Any = self.query_id
        if query is not None:
            query = read_numbered(query, score.size)
        bounds = score.min(), score.max()
        return RankedRows(self.y_true, score, bounds, self.sample_weight, query)

    @cached_property
    def of_models(self) -> Mapping[str, ScoredRows]:
        """The rows of each model by its name."""
        return {
            name: self if name == self.model else replace(self, scores={name: scores})
            for name, scores in self.scores.items()
        }

    @cached_property
    def as_one_ranking(self) -> ScoredRows:
        """The rows of all queries as one ranking, whose units are the queries if there
        are no other units.
        """
        if self.query_id is None:
            return self
        units = self.query_id if self.unit_id is None else self.unit_id
        return replace(self, query_id=None, unit_id=units)

    @property
    def totals(self) -> Mapping[QueryId, float]:
        """Total of positives of each query; empty if the caller passed none."""
        return self.n_positives if isinstance(self.n_positives, Mapping) else {}

    @property
    def weighted_amount(self) -> AnyArray | None:
        """Amount of each row, times its weight; None without amounts."""
        if self.amount is None or self.sample_weight is None:
            return self.amount
        return self.amount * self.sample_weight

    @cached_property
    def parts(self) -> Mapping[str, ScoredRows]:
        """Rows of each class or query by its name, as a ranking of its own; empty
        without queries.
        """
        if self.classes or self.query_id is None:
            return self.classes
        # Rows that were dropped are reported for all queries together. Rows with totals
        # are taken for the output of a detector, which counts no true negatives.
        of_query = replace(
            self.counts,
            rows_left_out=0,
            rows_dropped=0,
            missing_values={},
            positives_dropped=0,
            are_emitted=bool(self.totals),
        )
        parts = {}
        queries, place = distinct_queries(np.asarray(self.query_id))
        for number, name in enumerate(queries):
            part = self.with_columns(partial(np.compress, place == number))
            part = replace(
                part, counts=of_query, query_id=None, n_positives=self.totals.get(name)
            )
            parts[str(name)] = counted(part)
        return parts

    def with_columns(self, column_of: Callable[[AnyArray], AnyArray]) -> ScoredRows:
        """Return these rows with `column_of` applied to each column of them."""
        columns: dict[str, Any] = {
            name: column_of(getattr(self, name))
            for name in _PER_ROW
            if getattr(self, name) is not None
        }
        scores = {name: column_of(values) for name, values in self.scores.items()}
        return replace(self, scores=scores, **columns)

    def of_positive_queries(self) -> ScoredRows:
        """Return the rows of queries with positives, found or missed."""
        queries, place = distinct_queries(np.asarray(self.query_id))
        totals = {name: total for name, total in self.totals.items() if total}
        if totals:
            has_positive = np.array([name in totals for name in queries])
        else:
            has_positive = np.bincount(place, self.y_true) > 0
        kept = self.with_columns(partial(np.compress, has_positive[place]))
        return counted(replace(kept, n_positives=totals or None))

    @property
    def has_influences(self) -> bool:
        """Whether the influence of each row is known, so that the score has an
        interval.
        """
        # If rows have different weights, the weights of missed positives are unknown.
        weight = self.sample_weight
        if weight is None or self.query_id is not None or self.n_positives is None:
            return True
        return bool(weight.min() == weight.max())

    def call(self, name: str | ScoreFunction = AP, **params: Any) -> ScoreCall:
        """Return the call of a score of all rows."""
        score, options = package_score(name, params)
        definition, inputs = score.bind(
            self.y_true,
            self.y_score,
            n_positives=self.n_positives,
            zero_division=self.counts.zero_division,
            **options,
        )
        return call_of(score.__name__, definition, inputs, self.checked)

    def score(self, name: str | ScoreFunction = AP, **params: Any) -> ShownScore:
        """Return a score of all rows, with its interval if the rows determine one."""
        estimate = self.estimate(name, **params)
        if estimate is not None:
            score = score_of(estimate)
            if self.unit_id is not None and self.n_positives is not None:
                # The estimate counts each missed positive as a unit. The answer counts
                # the units of the caller only.
                n_units = min(estimate.n_units, len({*as_list(self.unit_id)}))
                score = replace(score, n_units=n_units)
            return score
        return ShownScore(self.call(name, **params).score)

    def estimate(
        self, name: str | ScoreFunction = AP, **params: Any
    ) -> ScoreEstimate | None:
        """Return the estimate of a score; None if the rows determine no interval."""
        if not (self.has_influences and self.counts.positives):
            return None
        return estimate_of(self.call(name, **params), self.unit_id)

    def point(
        self, prevalence: float | None = None, **condition: Any
    ) -> OperatingPoint | None:
        """Return the best threshold for a condition; None if all thresholds exceed a
        budget of rows.

        The threshold has the sign of the caller's scores.
        """
        counts = self.counts
        [(name, level)] = condition.items()
        if name in _OTHER_NAMES:
            condition = {_OTHER_NAMES[name]: level}
        if name == "fpr":
            # Subtract as decimals, because 1 - 0.9 is not 0.1 in floats.
            condition = {"specificity": float(1 - Decimal(repr(level)))}
        # Only the numbers of a fixed threshold have intervals, which need the units.
        unit_id = None
        if "threshold" in condition:
            condition = {"threshold": condition["threshold"] * counts.sign}
            unit_id = self.unit_id
        basis = counts.basis._replace(prevalence=prevalence)
        asked, total = read_condition(**condition), counts.all_positives
        point = point_of(asked, self.checked, total, unit_id, basis)
        if "k" in condition and not point.n_retrieved:
            return None
        threshold = point.threshold
        short = point._short
        if counts.lower_is_better:
            short = opposite(threshold_text(point))
            # `-threshold` would turn 0.0 into -0.0.
            threshold = 0 - threshold
        point = replace(point, threshold=threshold, _short=short, _asked_name=name)
        if counts.are_emitted:
            point = replace(point, specificity=nan, negative_predictive_value=nan)
        return point

    def _budget(self, k: int | float) -> BudgetTotals:
        """Return the totals of a budget of `k` rows, per query if rows have queries."""
        counts = self.counts
        totals = totals_of(self.checked, k, self.weighted_amount, counts.basis)
        has_missed = bool(self.totals) and not counts.amount
        share_with_row = 1.0
        if has_missed:
            # The missed positives are among all positives, in weight if rows have
            # weights.
            share_with_row = counts.sums.positives / counts.total
            of_all = "positive_weight" if counts.weight else "n_positives"
            changed: dict[str, Any] = {of_all: counts.total}
            basis = counts.basis._replace(has_missed=bool(counts.weight))
            totals = replace(totals, _basis=basis, **changed)
        # The intervals of budgets draw queries, so they are invalid if other units are
        # sampled. They are also invalid if positives were missed, because it is unknown
        # how much the number of missed positives varies between samples.
        if has_missed or self.unit_id is not None:
            totals = _without_intervals(totals, share_with_row)
        return totals

    def hits(self, k: int | float) -> Hits:
        """Return the positives among the first k rows, and their share of all
        positives, in weight if rows have weights.
        """
        totals = self._budget(k)
        counts = self.counts
        has_queries = counts.queries is not None
        lift = with_hit = nan
        if counts.all_positives is None and counts.whole.kind == "positives":
            lift = totals.lift
        with quiet_warnings():
            if has_queries:
                share = score_of(getattr(totals, f"share_of_{counts.whole.kind}"))
            else:
                share = self.score(recall_at_k_score, k=k)
            if has_queries and not (counts.weight or counts.n_classes):
                values, averaging = self.call(success_at_k_score, k=k).values
                with_hit = float(np.average(values[averaging.has_positives]))
        return Hits(
            k=k,
            rows=totals.n_retrieved,
            share=share,
            positives=totals.positives_found,
            amount_found=totals.amount_found,
            totals=totals if has_queries else None,
            lift=lift,
            queries_with_hit=with_hit,
        )


def _without_intervals(totals: BudgetTotals, factor: float) -> BudgetTotals:
    """Return totals whose shares have no intervals, and are multiplied by a factor."""
    shares: dict[str, Any] = {}
    for kind in SUMS_OF_SHARES:
        name = f"share_of_{kind}"
        share = getattr(totals, name)
        if share is not None:
            shares[name] = replace(
                share, score=share.score * factor, standard_error=nan
            )
    return replace(totals, **shares)


def counted(rows: ScoredRows) -> ScoredRows:
    """Return rows with their sizes in `counts`. The names in `counts` are kept.

    A query without rows is counted if it has a total.
    """
    positive = rows.y_true
    totals = rows.n_positives
    all_positives: Any = totals
    # The total of each query. Without totals, it is 1 if the query has a positive, and
    # 0 if not.
    by_query = dict[QueryId, float]()
    n_with_rows = 0
    if rows.query_id is not None:
        names = as_list(rows.query_id)
        by_query = dict.fromkeys(names, 0.0)
        n_with_rows = len(by_query)
        if totals is None:
            by_query |= dict.fromkeys(compress(names, positive), 1.0)
        else:
            totals = by_query = _totals_by_query(rows.query_id, totals)
            all_positives = sum(by_query.values())
    without = [str(name) for name, n_positives in by_query.items() if not n_positives]
    counts = replace(
        rows.counts,
        rows=positive.size,
        positives=int(positive.sum()),
        all_positives=all_positives,
        queries=len(by_query) or None,
        queries_without_rows=len(by_query) - n_with_rows,
        queries_without_positives=len(without),
        first_without_positives=sorted(without, key=order_of(without))[
            :_MAX_QUERIES_NAMED
        ],
        weight=_sums_of(rows.sample_weight, positive),
        amount=_sums_of(rows.weighted_amount, positive),
        has_units=rows.unit_id is not None,
        units_with_positives=_units_with_positives(rows),
    )
    return replace(rows, counts=counts, n_positives=totals)


def _units_with_positives(rows: ScoredRows) -> int | None:
    """Return the number of units that contain a positive; None if rows are the units."""
    if rows.unit_id is None or rows.counts.unit_name == ROW:
        return None
    return len({*compress(as_list(rows.unit_id), rows.y_true)})


def _totals_by_query(
    query_id: AnyArray, totals: ArrayLikeOrMapping
) -> dict[QueryId, float]:
    """Return the total of each query, including queries with a total, but no rows."""
    passed: Any = read_totals(totals)
    queries = queries_of(read_numbered(query_id, query_id.size), None, passed)
    values = queries.values(passed).tolist()
    return dict(zip(queries.names, values, strict=True))


def _sums_of(column: AnyArray | None, positive: BoolArray) -> Sums | None:
    """Return the sums of a column over all rows and over the positives; None without
    the column.
    """
    if column is None:
        return None
    return Sums(float(column.sum()), float(column[positive].sum()))


def rows_of_classes(classes: Mapping[str, ScoredRows]) -> ScoredRows:
    """Return the rows of all classes together, one class after the other.

    Each class is a query, and the queries are fixed. An interval draws units or,
    without units, rows. A row is drawn together with its scores for all classes.
    """
    parts = [*classes.values()]
    first = parts[0]
    n_rows = first.counts.rows
    if first.unit_id is None:
        first = replace(first, unit_id=np.arange(n_rows))
    repeated = first.with_columns(lambda column: np.tile(column, len(parts)))
    return counted(
        replace(
            repeated,
            counts=replace(first.counts, query_name="class", n_classes=len(parts)),
            y_true=np.concatenate([rows.y_true for rows in parts]),
            scores={
                name: np.concatenate([rows.scores[name] for rows in parts])
                for name in first.scores
            },
            query_id=np.repeat(list(classes), n_rows),
            classes=classes,
        )
    )


def score_of(estimate: ScoreEstimate) -> ShownScore:
    """Return the score of an estimate, with its interval."""
    low, high = estimate.confidence_interval()
    return ShownScore(
        float(estimate.score),
        low,
        high,
        n_units=estimate.n_units,
        n_fixed_queries=estimate.n_fixed_queries,
        _estimate=estimate,
    )
