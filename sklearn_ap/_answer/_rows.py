"""The rows that an answer is about: in memory or, beyond it, in files, scored by `distributed`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from math import nan
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from .. import distributed
from .._points._by_query import BudgetTotals, read_budgets, score_by_query
from .._points._operating_points import OperatingPoint, operating_point
from .._reading._read import Input
from .._registry import score_of
from .._typing import AnyArray, Totals
from .._uncertainty._estimates import estimate_score
from .._uncertainty._results import ScoreEstimate

AP = "average_precision"
Estimate = tuple[float, float, float]  # a score and the ends of its interval, NaN if it is undefined
_IN_MEMORY = SimpleNamespace(
    estimate_score=estimate_score, operating_point=operating_point, score_by_query=score_by_query
)


class RowCounts(NamedTuple):
    """Numbers and weights of rows, positives and queries, without the rows of weight 0."""

    n_rows: int
    n_positives: int
    total_weight: float
    positive_weight: float
    is_weighted: bool
    total_positives: float | None = None  # of all queries, if the user gives it; positives may be missed
    n_queries: int | None = None
    without_positives: tuple[Any, ...] = ()  # queries that have no positive, found or missed
    zero_division: float = 0.0  # the score of these queries; NaN leaves them out of the mean
    query_name: str = "query"  # or the column whose values rank rows, such as day

    @property
    def n_all_positives(self) -> float | None:
        """Number of positives, found or missed, if the user gives it; with weights, that is a weight."""
        return None if self.is_weighted else self.total_positives


class ScoredRows(NamedTuple):
    """Rows, and their scores; `distributed` computes these where the rows are files that exceed memory."""

    counts: RowCounts
    data: tuple[Any, ...]  # labels and scores, or files and the names of these columns
    columns: Mapping[str, Any]  # arguments of every score: weights and queries
    arrays: Mapping[str, AnyArray] | None  # all columns by role; None if they exceed memory
    params: Mapping[str, Any]  # arguments of some scores: `n_positives` and `zero_division`

    def score(self, name: str, **options: Any) -> float:
        """Return a score of all rows."""
        params = {**self.columns, **accepted_params(name, self.params), **options}
        if self.arrays is None:
            return float(distributed.score(name, *self.data, **params))
        return float(score_of(name, {})(*self.data, **params))

    def estimate(self, **options: Any) -> Estimate:
        """Return average precision and the ends of its interval, NaN if it is undefined."""
        estimate = self.full_estimate(**options)
        if estimate is None:
            return self.score(AP, **options), nan, nan
        return float(estimate.score), *estimate.confidence_interval()

    @property
    def misses_weights(self) -> bool:
        """Whether positives were missed whose weights are unknown, so that no row has an influence."""
        weight = (self.arrays or {}).get("sample_weight")
        is_missed = self.counts.n_queries is None and self.counts.total_positives is not None
        return weight is not None and is_missed and weight.min() != weight.max()

    def full_estimate(self, **options: Any) -> ScoreEstimate | None:
        """Return the estimate of average precision; None if the rows determine no interval."""
        counts, unit = self.counts, dict[str, Any]()
        has_interval = not counts.is_weighted
        if self.arrays is not None:
            unit = {"unit_id": self.arrays.get("unit_id")}
            has_interval = not self.misses_weights
        if not has_interval:
            return None
        params = {**self.columns, **self.params, **options, **unit}
        estimate: ScoreEstimate = self._package.estimate_score(AP, *self.data, **params)
        return estimate

    def point(self, **condition: float) -> OperatingPoint:
        """Return the best threshold for a condition."""
        params = {**condition, **self.columns, "n_positives": self.params.get("n_positives")}
        point: OperatingPoint = self._package.operating_point(*self.data, **params)
        return point

    def totals(self, k: int | float) -> BudgetTotals | None:
        """Return what the first k rows of each query find in all; None without queries or beyond memory."""
        if self.arrays is None or self.counts.n_queries is None:
            return None
        query, totals = self.columns["query_id"], self.params.get("n_positives")
        unit = self.arrays.get("unit_id") if totals is None else None  # missed positives have no unit
        y_true, y_score = self.data
        inputs = Input(y_true, y_score, "macro", None, self.columns.get("sample_weight"), query)
        return read_budgets(inputs, k, totals, unit)[1]

    def by_query(self, name: str, **options: Any) -> dict[Any, float]:
        """Return the score of each query."""
        params = {**self.columns, **accepted_params(name, self.params), **options}
        return dict(self._package.score_by_query(name, *self.data, **params))

    @property
    def _package(self) -> Any:
        """The package whose functions take the rows."""
        return distributed if self.arrays is None else _IN_MEMORY


def accepted_params(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those arguments that a score takes."""
    accepted = signature(score_of(name, {})).parameters
    return {parameter: value for parameter, value in params.items() if parameter in accepted}


def cut_in_name(k: int | float) -> str:
    """Return a cut as names of scores have it, without an exponent."""
    return str(k) if isinstance(k, int) else np.format_float_positional(k, trim="0")


def count_rows(batches: Iterable[tuple[AnyArray, AnyArray | None]], *, is_weighted: bool) -> RowCounts:
    """Count rows and positives, and add up their weights; each batch has its labels and weights."""
    sums = np.zeros(4)
    for positive, weight in batches:
        weights = np.ones(positive.size) if weight is None else weight
        sums += np.array([weights.size, positive.sum(), weights.sum(), weights[positive].sum()])
    n_rows, n_positives, weight_sum, positive_weight = sums.tolist()
    return RowCounts(int(n_rows), int(n_positives), weight_sum, positive_weight, is_weighted)


def rows_in_memory(
    arrays: Mapping[str, AnyArray], totals: Totals | None, zero_division: float = 0.0
) -> ScoredRows:
    """Return rows from their columns by role; a number as `totals` is the total of each query."""
    positive, query = arrays["y_true"], arrays.get("query_id")
    columns = {role: arrays[role] for role in ("sample_weight", "query_id") if role in arrays}
    counts = count_rows([(positive, arrays.get("sample_weight"))], is_weighted="sample_weight" in arrays)
    rows = ScoredRows(counts, (positive, arrays["y_score"]), columns, arrays, {})
    if query is None:
        return with_passed_total(rows, totals)
    return with_queries(rows, totals, query.tolist(), query[positive].tolist(), zero_division)


def with_passed_total(rows: ScoredRows, total: Any) -> ScoredRows:
    """Return the rows of a single ranking with its total of positives, if there is one."""
    if total is None:
        return rows
    return rows._replace(counts=rows.counts._replace(total_positives=total), params={"n_positives": total})


def with_queries(
    rows: ScoredRows,
    totals: Any,
    queries: Iterable[Any],
    with_positive: Iterable[Any],
    zero_division: float = 0.0,
) -> ScoredRows:
    """Return rows with their queries: totals of positives, and the score of queries without positives."""
    distinct, found = dict.fromkeys(queries), set(with_positive)
    counts, params = rows.counts, dict[str, Any](zero_division=zero_division)
    if totals is not None:
        # A mapping may name queries that have no rows; a number is the total of each query.
        totals = dict(totals.items()) if hasattr(totals, "items") else dict.fromkeys(distinct, totals)
        counts, params["n_positives"] = counts._replace(total_positives=sum(totals.values())), totals
        distinct |= dict.fromkeys(totals)
        found |= {query for query, total in totals.items() if total}
    without = tuple(query for query in distinct if query not in found)
    counts = counts._replace(n_queries=len(distinct), without_positives=without, zero_division=zero_division)
    return rows._replace(counts=counts, params=params)
