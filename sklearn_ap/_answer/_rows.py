"""The rows that an answer is about: in memory or, beyond it, in files, scored by `distributed`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from math import nan
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from .. import distributed
from .._budgets import BudgetTotals
from .._by_query import score_by_query
from .._operating_points import OperatingPoint, operating_point, read_budgets
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
    n_with_positive: int = 0  # queries
    query_name: str = "query"  # or the column whose values rank rows, such as 'day'

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

    def full_estimate(self, **options: Any) -> ScoreEstimate | None:
        """Return the estimate of average precision; None if the rows determine no interval."""
        counts, unit = self.counts, dict[str, Any]()
        has_interval = not counts.is_weighted and counts.n_queries is None
        if self.arrays is not None:
            weight = self.arrays.get("sample_weight", np.ones(1))
            unit = {"unit_id": self.arrays.get("unit_id")}
            has_total = counts.n_queries is None and counts.total_positives is not None
            # Missed positives have unknown weights, so unequal weights determine no interval.
            has_interval = not has_total or weight.min() == weight.max()
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
        rows = *self.data, None, self.columns.get("sample_weight")
        return read_budgets(rows, query, k, totals, unit)[1]

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


def rows_in_memory(arrays: Mapping[str, AnyArray], totals: Totals | None) -> ScoredRows:
    """Return rows from their columns by role; a number as `totals` is the total of each query."""
    positive, query = arrays["y_true"], arrays.get("query_id")
    columns = {role: arrays[role] for role in ("sample_weight", "query_id") if role in arrays}
    counts = count_rows([(positive, arrays.get("sample_weight"))], is_weighted="sample_weight" in arrays)
    rows = ScoredRows(counts, (positive, arrays["y_score"]), columns, arrays, {})
    with_positive = [] if query is None else query[positive].tolist()
    return with_totals(rows, totals, [] if query is None else query.tolist(), with_positive)


def with_totals(
    rows: ScoredRows, totals: Any, queries: Iterable[Any], with_positive: Iterable[Any]
) -> ScoredRows:
    """Return rows with `n_positives` and the numbers of their queries; queries without positives score 0."""
    distinct, n_with_positive = dict.fromkeys(queries), len(set(with_positive))
    n_queries = len(distinct)
    if n_queries and totals is not None and not isinstance(totals, Mapping):
        totals = dict.fromkeys(distinct, totals)  # each query has this total
    params = {} if totals is None else {"n_positives": totals}
    total = sum(totals.values()) if isinstance(totals, Mapping) else totals
    if n_queries:
        params["zero_division"] = 0.0
    counts = rows.counts._replace(
        total_positives=total, n_queries=n_queries or None, n_with_positive=n_with_positive
    )
    return rows._replace(counts=counts, params=params)
