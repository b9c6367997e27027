"""The first answer as numbers: scores with their intervals, and what a budget
retrieves.

The sentences, the page and the JSON all read the fields of `_fields`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from inspect import signature
from math import ceil, isnan, nan
from threading import RLock
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .. import distributed
from .._points._budgets import (
    Basis,
    BudgetTotals,
    budget_totals,
    compare_budgets,
    totals_sentence,
)
from .._points._by_query import score_by_query
from .._points._operating_points import OperatingPoint, operating_point, threshold_text
from .._public import warn_user
from .._ranking._cut import cut_depth
from .._reading._queries import as_list, distinct_queries
from .._registry import score_of
from .._rounding import opposite
from .._scores._at_k import average_precision_at_k_score
from .._typing import AnyArray, ArrayLikeOrMapping, QueryId, ScoreByQuery, ScoreFunction
from .._uncertainty._chance import chance_level
from .._uncertainty._comparisons import (
    compare_by_query,
    compare_estimates,
    compare_scores,
)
from .._uncertainty._estimates import estimate_score
from .._uncertainty._results import ScoreComparison, ScoreEstimate
from ..distributed._batches import Batch, SourceError
from ._fields import (
    AP,
    Against,
    ClassesAnswer,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    Score,
    Share,
    Sums,
    Threshold,
    ThresholdForCondition,
    TotalsOfBudget,
    WithoutPositives,
)

_MAX_DRAWN_ROWS = 50_000  # in a bootstrap of the first answer
_N_RESAMPLES = 1999
_DRAWS_BEYOND = 10  # each limit, as intervals ask for
_FILTERS = RLock()
_MAX_NAMES = 10  # of queries without positives
Arguments = dict[str, Any]  # of a function, by name
AnyAnswer = TypeVar("AnyAnswer", FirstAnswer, ClassesAnswer)


class ScoredRows(NamedTuple):
    """The rows of an answer, as arguments of each score; `distributed` takes files that
    exceed memory.
    """

    counts: Counts
    # of every score: arrays, or files and the names of their columns
    columns: Arguments
    params: Arguments  # of some scores: `n_positives` and `zero_division`
    # all columns by role; None if they exceed memory
    arrays: Mapping[str, AnyArray] | None
    # what each row is worth, which no score asks: a column, or its name
    amount: Any = None
    # of a run, whose scores are places, which are no thresholds
    n_unjudged_queries: int | None = None
    # which retrieved other documents for the same queries
    second_run: ScoredRows | None = None

    def arguments(self, name: str | ScoreFunction) -> Arguments:
        """Return the arguments of a score, which may not take all of `params`."""
        accepted = signature(score_of(name, {})).parameters
        return self.columns | {
            param: value for param, value in self.params.items() if param in accepted
        }

    @property
    def convention_arguments(self) -> Arguments:
        """The arguments of conventions."""
        item_id = (self.arrays or {}).get("item_id")
        totals = self.params.get("n_positives")
        return {**self.columns, "item_id": item_id, "n_positives": totals}

    def score(self, name: str, **options: float | None) -> float:
        """Return a score of all rows."""
        arguments = {**self.arguments(name), **options}
        if self.arrays is None:
            return float(distributed.score(name, **arguments))
        return float(score_of(name, {})(**arguments))

    def by_query(self, name: str | ScoreFunction) -> ScoreByQuery:
        """Return the score of each query."""
        score: Callable[..., ScoreByQuery] = (
            score_by_query if self.arrays else distributed.score_by_query
        )
        return score(name, **self.arguments(name))

    @property
    def has_influences(self) -> bool:
        """Whether each row has an influence; weights must be in memory, also those of
        missed positives.
        """
        if self.counts.weight is None:
            return True
        if self.arrays is None:
            return False
        weight, total = self.arrays["sample_weight"], self.counts.all_positives
        has_missed = self.counts.queries is None and total is not None
        return not has_missed or bool(weight.min() == weight.max())

    def estimate(
        self, name: str | ScoreFunction = AP, /, **options: float
    ) -> ScoreEstimate | None:
        """Return the estimate of a score; None if the rows determine no interval."""
        if not (self.has_influences and self.counts.positives):
            return None
        arguments = {**self.arguments(name), **options}
        if self.arrays is None:
            return distributed.estimate_score(name, **arguments)
        return estimate_score(name, **arguments, unit_id=self.arrays.get("unit_id"))

    def point(self, **options: Any) -> OperatingPoint:
        """Return the best threshold for a condition."""
        point = distributed.operating_point if self.arrays is None else operating_point
        if "threshold" in options:
            options["threshold"] *= self.counts.sign
            if self.arrays is not None:
                options["unit_id"] = self.arrays.get("unit_id")
        return point(
            **self.columns,
            n_positives=self.params.get("n_positives"),
            amount=self.amount,
            **options,
        )

    def budget(self, k: int | float) -> BudgetTotals:
        """Return what a budget per query finds, with the intervals of units."""
        options = {
            **self.columns,
            "n_positives": self.params.get("n_positives"),
            "amount": self.amount,
        }
        if self.arrays is None:
            return distributed.budget_totals(**options, k=k)
        # Missed positives have no unit.
        has_units = "n_positives" not in self.params
        unit = self.arrays.get("unit_id") if has_units else None
        return budget_totals(**options, k=k, unit_id=unit)

    def with_second_scores(self) -> ScoredRows:
        """Return the rows with the scores of the second model, or those of the second
        run.
        """
        return self.second_run or self._replace(
            columns={**self.columns, "y_score": (self.arrays or {})["compare"]}
        )


def measures_of(k: int | float, *, is_run: bool) -> dict[str, str | ScoreFunction]:
    """Return the scores of queries, or of a run under the titles of trec_eval."""
    cut = cut_in_name(k)
    mean, rank, precision = "average precision", "reciprocal rank", "precision"
    if is_run:
        mean, rank, precision = "MAP", "MRR", "P"
    names: dict[str, str | ScoreFunction] = {mean: AP, rank: "reciprocal_rank"}
    names |= {f"{precision}@{cut}": f"precision@{cut}", "R-precision": "r_precision"}
    names[f"recall@{cut}"] = f"recall@{cut}"
    if is_run:
        names[f"AP@{cut}"] = partial(
            average_precision_at_k_score, k=k, normalizer="n_positives"
        )
        names[f"success@{cut}"] = f"success@{cut}"
    return names


def cut_in_name(k: int | float) -> str:
    """Return a cut as names of scores have it, without an exponent."""
    return str(k) if isinstance(k, int) else np.format_float_positional(k, trim="0")


def rows_in_memory(
    columns_by_role: Mapping[str, AnyArray | None],
    totals: ArrayLikeOrMapping | None,
    zero_division: float = 0.0,
) -> ScoredRows:
    """Return rows from their columns by role; None stands for a column that they
    lack.
    """
    arrays = {
        role: column for role, column in columns_by_role.items() if column is not None
    }
    roles = "y_true", "y_score", "sample_weight", "query_id"
    columns = {role: arrays[role] for role in roles if role in arrays}
    positive = arrays["y_true"]
    query = arrays.get("query_id")
    queries = None
    if query is not None:
        queries = dict.fromkeys(as_list(query), False) | dict.fromkeys(
            as_list(query[positive]), True
        )
    weight, amount = arrays.get("sample_weight"), arrays.get("amount")
    batch = Batch(arrays["y_score"], positive, weight, query, amount=amount)
    return rows_from_batches([batch], columns, totals, queries, zero_division)._replace(
        arrays=arrays, amount=amount
    )


def rows_from_batches(
    batches: Iterable[Batch],
    columns: Arguments,
    totals: ArrayLikeOrMapping | None,
    queries: Mapping[QueryId, bool] | None,
    zero_division: float,
) -> ScoredRows:
    """Return rows that exceed memory.

    `queries` says which queries have a positive row. A number as `totals` is the total
    of each query.
    """
    of_all = np.zeros(3)  # rows, their weight, and their amount
    of_positives = np.zeros(3)
    has_amounts = False
    for batch in batches:
        ones = np.ones(batch.positive.size, np.int8)
        weights = ones if batch.weight is None else batch.weight
        amounts = weights if batch.amount is None else batch.weighted_amount
        columns_to_add = ones, weights, np.asarray(amounts)
        of_all += [column.sum() for column in columns_to_add]
        of_positives += [column[batch.positive].sum() for column in columns_to_add]
        has_amounts |= batch.amount is not None
    (n_rows, *sums), (n_positives, *sums_of_positives) = (
        of_all.tolist(),
        of_positives.tolist(),
    )
    weight, amount = map(Sums, sums, sums_of_positives)
    params: Arguments = {} if totals is None else {"n_positives": totals}
    total: Any = totals
    without = list[str]()
    n_with_rows = len(queries or ())
    if queries is not None:
        params["zero_division"] = zero_division
        if totals is not None:
            # A mapping may name queries that have no rows. A file of totals may have
            # texts where the rows have dates.
            names: Arguments = {str(query): query for query in queries}
            by_query: dict[Any, Any] = (
                {names.get(str(name), name): total for name, total in totals.items()}
                if hasattr(totals, "items")
                else dict.fromkeys(queries, totals)
            )
            # Positives are part of a total; a smaller one is refused.
            queries = {
                **queries,
                **{query: in_all > 0 for query, in_all in by_query.items()},
            }
            total, params["n_positives"] = sum(by_query.values()), by_query
        without = [
            str(query) for query, is_positive in queries.items() if not is_positive
        ]
    counts = Counts(
        rows=int(n_rows),
        positives=int(n_positives),
        all_positives=total,
        queries=None if queries is None else len(queries),
        queries_without_rows=len(queries or ()) - n_with_rows,
        without_positives=WithoutPositives(
            len(without), without[:_MAX_NAMES], zero_division
        )
        if without
        else None,
        weight=weight if "sample_weight" in columns else None,
        amount=amount if has_amounts else None,
    )
    return ScoredRows(counts, columns, params, None)


class Question(NamedTuple):
    """The subject of an answer, besides the rows."""

    k: int | float | None = None
    prevalence: float | None = None
    # of thresholds, such as {"recall": 0.8}
    conditions: tuple[Mapping[str, float], ...] = ()
    # name of the second model, whose scores are `rows.arrays["compare"]`
    compare: str | None = None
    risk: float = 0.05  # of the one-sided limits of differences
    level: float = 0.95  # of the interval of the score

    @property
    def params(self) -> dict[str, float]:
        """The arguments of scores."""
        return {} if self.prevalence is None else {"prevalence": self.prevalence}

    @property
    def resampling(self) -> Arguments:
        """How often to draw samples for these limits; the seed gives the same answer in
        every run.
        """
        n_resamples = max(_N_RESAMPLES, ceil(_DRAWS_BEYOND / self.risk))
        return {"n_resamples": n_resamples, "random_state": 0}


@contextmanager
def quiet_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Record the user warnings of a block instead of showing them.

    The filters belong to the process: without the lock, two threads would restore each
    other's.
    """
    with _FILTERS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield caught


def answer_of(
    name: str, rows: ScoredRows | Mapping[str, ScoredRows], question: Question
) -> FirstAnswer | ClassesAnswer:
    """Return the answer for rows, or for those of each class, with the warnings that
    its numbers gave.
    """
    if isinstance(rows, ScoredRows):
        return _with_warnings(_answer_of_rows, name, rows, question)
    return _with_warnings(_answer_of_classes, name, rows, question)


def _with_warnings(make_answer: Callable[..., AnyAnswer], *arguments: Any) -> AnyAnswer:
    """Return an answer with the text of each warning once."""
    with quiet_warnings() as caught:
        answer = make_answer(*arguments)
    messages = {str(warning.message): warning.message for warning in caught}
    for message in messages.values():  # pass them on: a record alone would hide them
        warn_user(message)
    return replace(answer, warnings=list(messages))


def _answer_of_classes(
    name: str, classes: Mapping[str, ScoredRows], question: Question
) -> ClassesAnswer:
    """Return the mean over classes, and the answer for each class against the
    others.
    """
    answers = [
        _with_warnings(_answer_of_rows, label, rows, question)
        for label, rows in classes.items()
    ]
    all_rows = [rows.arrays or {} for rows in classes.values()]
    y_true, y_score = (
        np.column_stack([arrays[role] for arrays in all_rows])
        for role in ("y_true", "y_score")
    )
    shared: Arguments = {
        role: all_rows[0].get(role) for role in ("sample_weight", "unit_id")
    }
    shared |= question.params
    # Nobody knows whose positives were missed, so a mean of classes that miss some has
    # no interval.
    is_complete = not any(rows.params for rows in classes.values())
    estimate = estimate_score(AP, y_true, y_score, **shared) if is_complete else None
    values = [0.0 if answer.score is None else answer.score.value for answer in answers]
    difference = None
    if question.compare is not None and is_complete:
        second = np.column_stack([arrays["compare"] for arrays in all_rows])
        comparison = compare_scores(
            AP, y_true, second, y_score, **shared, **question.resampling
        )
        difference = difference_from(question.compare, comparison, question.risk)
    return ClassesAnswer(
        name=name,
        score=score_from(float(np.mean(values)), estimate),
        prevalence=question.prevalence,
        comparison=difference,
        classes=answers,
    )


def _answer_of_rows(name: str, rows: ScoredRows, question: Question) -> FirstAnswer:
    counts, k, params = rows.counts, question.k, question.params
    answer = FirstAnswer(
        name=name,
        counts=counts,
        beyond_memory=rows.arrays is None,
        prevalence=question.prevalence,
    )
    if not (counts.positives or counts.all_positives):
        heavy = " of weight above 0" * (counts.weight is not None)
        warn_user(
            f"no row{heavy} has the positive label; scores of the ranking are undefined"
        )
        return answer
    estimate = rows.estimate(**params)
    chance_name, chance = _chance_of(rows, question.prevalence)
    cut = None if k is None else _hits_in_first(rows, k)
    if cut is not None and counts.queries is None:
        cut = replace(cut, threshold=_threshold_for(rows, {"k": cut.k}, params))
    # Rows without positives have the score 0, which determines no interval, but runs of
    # queries have scores.
    is_compared = question.compare is not None and (
        counts.positives or rows.second_run is not None
    )
    return replace(
        answer,
        score=score_from(
            nan if estimate else rows.score(AP, **params), estimate, question.level
        ),
        chance=chance,
        chance_is=chance_name,
        cut=cut,
        thresholds=[
            ThresholdForCondition(
                dict(condition), _threshold_for(rows, condition, params)
            )
            for condition in question.conditions
        ],
        comparison=_comparison(rows, question) if is_compared else None,
    )


def score_from(
    value: float, estimate: ScoreEstimate | None, level: float = 0.95
) -> Score:
    """Return a score with its interval, or `value` alone if there is no estimate."""
    if estimate is None:
        return Score(value=value)
    low, high = estimate.confidence_interval(level)
    return Score(
        value=float(estimate.score),
        low=low,
        high=high,
        confidence_level=level,
        n_units=estimate.n_units,
        n_fixed_queries=estimate.n_fixed_queries,
    )


def _chance_of(rows: ScoredRows, prevalence: float | None) -> tuple[str, float]:
    """Return what a random ranking scores, and its name; NaN without a formula, or if
    ties are unknown.
    """
    counts, level = rows.counts, prevalence
    if not counts.positives:
        return "chance", nan
    if level is None and rows.arrays is not None and counts.weight is None:
        return "chance", _level_of_chance(rows)
    is_complete = counts.queries is None and counts.all_positives is None
    if level is None:
        weight = counts.weight or Sums(counts.rows, counts.positives)
        level = weight.positives / weight.all if is_complete else nan
    return "the prevalence" if is_complete else "chance", level


def _level_of_chance(rows: ScoredRows) -> float:
    """Return the mean score of random orders, of one ranking or of queries."""
    counts = rows.counts
    if counts.queries is None:
        share = counts.positives / (counts.all_positives or counts.positives)
        return float(chance_level(**rows.columns).mean * share)
    chances = [*chance_by_query(rows).values()]
    return float(np.nanmean(chances)) if chances else nan


def chance_by_query(rows: ScoredRows) -> ScoreByQuery:
    """Return what a random ranking of each query scores; those without positives count
    as in the score. There are none where weights, totals or ties have no formula.
    """
    weight, total = rows.counts.weight, rows.counts.all_positives
    if rows.arrays is None or weight is not None or total is not None:
        return {}
    columns = rows.columns
    queries, place = distinct_queries(columns["query_id"])
    has_positive = np.bincount(place, columns["y_true"]) > 0
    rest = {role: column[has_positive[place]] for role, column in columns.items()}
    levels = np.full(len(queries), rows.params["zero_division"], dtype=np.float64)
    levels[has_positive] = chance_level(**rest).mean
    return dict(zip(queries, levels.tolist(), strict=True))


def _hits_in_first(rows: ScoredRows, k: int | float) -> Hits:
    """Return how many positives the first k rows contain, and their recall, which
    counts weights.
    """
    counts, name = rows.counts, f"recall@{cut_in_name(k)}"
    hits = Hits(k=k, recall=rows.score(name))
    if counts.queries is not None:
        return replace(hits, totals=_budget_totals(rows, k))
    positives, amount = nan, None
    if rows.arrays is not None:
        # One ranking is a query.
        columns = {**rows.columns, "query_id": np.zeros(counts.rows, np.int8)}
        totals = budget_totals(**columns, k=k, amount=rows.amount)
        positives, amount = totals.positives_found, totals.amount_found
    elif counts.weight is None:
        positives = hits.recall * (counts.all_positives or counts.positives)
    low, high = _ends_of_share(rows, name)
    return replace(
        hits,
        rows=min(int(cut_depth(np.array([counts.rows]), k)[0]), counts.rows),
        low=low,
        high=high,
        positives=positives,
        amount_found=amount,
    )


def _ends_of_share(rows: ScoredRows, name: str) -> tuple[float, float]:
    """Return the interval of what a budget finds, by a bootstrap; NaN where that takes
    a second.
    """
    total = rows.counts.all_positives
    if rows.arrays is None or rows.counts.rows > _MAX_DRAWN_ROWS or (total or 0) % 1:
        return nan, nan
    with quiet_warnings():  # of few positives, which the score's interval says too
        estimate = rows.estimate(name, random_state=0)
        return (nan, nan) if estimate is None else estimate.confidence_interval()


def _budget_totals(rows: ScoredRows, k: int | float) -> TotalsOfBudget:
    """Return what a budget per query finds in all, with the intervals of its shares."""
    totals, counts = rows.budget(k), rows.counts
    basis = _with_names(totals._basis, counts)
    return TotalsOfBudget(
        text=totals_sentence(totals, counts.query_name, basis),
        rows=totals.n_retrieved,
        positives_found=totals.positives_found,
        positives=totals.n_positives,
        weight_found=totals.weight_found,
        weight=totals.positive_weight,
        amount_found=totals.amount_found,
        amount=totals.amount_of_positives,
        share_of_positives=_share_of(totals.share_of_positives),
        share_of_weight=_share_of(totals.share_of_weight),
        share_of_amount=None
        if totals.share_of_amount is None
        else _share_of(totals.share_of_amount),
    )


def _with_names(basis: Basis, counts: Counts) -> Basis:
    """Return what numbers are of, in the names of the columns."""
    weight_name = counts.weight_name if basis.weight_name else None
    return basis._replace(weight_name=weight_name, amount_name=counts.amount_name)


def _share_of(estimate: ScoreEstimate) -> Share:
    """Return a share with its interval."""
    return Share(float(estimate.score), *estimate.confidence_interval())


def _threshold_for(
    rows: ScoredRows, condition: Mapping[str, float], params: Mapping[str, float]
) -> Threshold | None:
    """Return the best threshold for a condition; None if all thresholds exceed the
    budget.
    """
    try:
        point = rows.point(**condition, **params)
    # Only a budget below the rows of the highest score has no threshold; other errors
    # are the caller's.
    except ValueError as error:
        if not str(error).startswith("k must be at least "):
            raise
        return None
    if isnan(point.threshold):
        return None
    point = replace(point, _basis=_with_names(point._basis, rows.counts))
    if rows.counts.lower_is_better:
        point = _of_low_scores(point)
    return Threshold(
        text=str(point),
        value=point.threshold
        if isinstance(point.threshold, int)
        else float(point.threshold),
        short=threshold_text(point),
        rows=point.n_retrieved,
        precision=point.precision,
        recall=point.recall,
        weight_found=point.weight_found,
        amount_found=point.amount_found,
        table={name: Share(*row) for name, row in point.table().items()},
    )


def _of_low_scores(point: OperatingPoint) -> OperatingPoint:
    """Return the point of negated scores as one of the scores of the caller."""
    return replace(
        point,
        threshold=0 - point.threshold,  # 0 stays without a sign
        _short=opposite(threshold_text(point)),
        _basis=point._basis._replace(or_more="or less"),
    )


def _comparison(rows: ScoredRows, question: Question) -> Comparison:
    """Return the score of the second model and its difference to the first."""
    second, cut, found = rows.with_second_scores(), None, None
    if rows.second_run is None:
        arrays = rows.arrays or {}
        params = {
            **rows.columns,
            **rows.params,
            **question.params,
            "unit_id": arrays.get("unit_id"),
        }
        y_true = params.pop("y_true")
        first = params.pop("y_score")
        comparison = compare_scores(
            AP, y_true, arrays["compare"], first, **params, **question.resampling
        )
    else:
        comparison = compare_by_query(second.by_query(AP), rows.by_query(AP))
    if question.k is not None:
        cut = _hits_in_first(second, question.k)
        if cut.totals is not None and rows.second_run is None:
            # The budgets are of the same rows.
            of_budgets = compare_budgets(
                second.budget(question.k), rows.budget(question.k)
            )
            share = f"share_of_{rows.counts.whole[0]}"
            found = difference_from(share, of_budgets, question.risk)
    difference = difference_from(str(question.compare), comparison, question.risk)
    return Comparison(
        **vars(difference),
        cut=cut,
        found=found,
        queries_without_rows=rows.second_run.counts.queries_without_rows
        if rows.second_run
        else 0,
    )


def rows_by_query(rows: ScoredRows) -> dict[str, ScoredRows]:
    """Return the rows in memory of each query as a ranking of their own."""
    arrays = dict(rows.arrays or {})
    queries, place = distinct_queries(arrays.pop("query_id"))
    totals = rows.params.get("n_positives", {})
    return {
        str(query): rows_in_memory(
            {role: column[place == number] for role, column in arrays.items()},
            totals.get(query),
        )
        for number, query in enumerate(queries)
    }


def against_of(
    name: str, rows: ScoredRows, earlier: ScoredRows, question: Question
) -> Against:
    """Return how the score differs from that of earlier rows, at their share of
    positives, and at the share that each has.

    A score depends on the share of positives, and a ranking does not.
    """
    share, prevalence = map(_share_of_positives, (rows.counts, earlier.counts))
    at_own_shares = None
    if question.prevalence is not None:
        prevalence = question.prevalence
    elif 0 < prevalence < 1:
        with quiet_warnings():  # of the shares, and of few rows, as below
            at_own_shares = _difference_of(name, rows, earlier, question.risk)
    else:
        raise SourceError(
            f"--against: {name} must contain positives and negatives; its share of "
            f"positives is {prevalence:g}"
        )
    difference = _difference_of(
        name, rows, earlier, question.risk, prevalence=prevalence
    )
    score = (at_own_shares or difference).score
    return Against(
        **{**vars(difference), "score": score},
        prevalence=prevalence,
        share=share,
        at_own_shares=at_own_shares,
    )


def _share_of_positives(counts: Counts) -> float:
    """Return the share of positives, found or missed, in their weight."""
    weight = counts.weight
    found = counts.positives if weight is None else weight.positives
    negatives = (counts.rows if weight is None else weight.all) - found
    positives = counts.all_positives or found
    return positives / (positives + negatives)


def _difference_of(
    name: str, rows: ScoredRows, earlier: ScoredRows, risk: float, **params: float
) -> Difference:
    """Return the difference from independent rows, with their score."""
    estimate, before = rows.estimate(**params), earlier.estimate(**params)
    if estimate is None or before is None:
        raise SourceError(
            "--against requires rows with an interval: positives without weights or totals"
        )
    difference = difference_from(name, compare_estimates(estimate, before), risk)
    return replace(difference, score=float(before.score))


def difference_from(
    name: str, comparison: ScoreComparison, risk: float = 0.05
) -> Difference:
    """Return a difference between two scores, the first of which has a name, with
    limits of this risk.
    """
    # Equal models have a difference of 0 without an error, which makes no interval.
    low, high = (
        (nan, nan) if comparison.difference == 0 else comparison.confidence_interval()
    )
    # Each end of an interval of 90 % is the limit of a one-sided test at the level .05.
    limits = (nan, nan) if isnan(low) else comparison.confidence_interval(1 - 2 * risk)
    return Difference(
        name=name,
        score=comparison.scores[0],
        difference=comparison.difference,
        low=low,
        high=high,
        pvalue=comparison.pvalue,
        at_least=limits[0],
        at_most=limits[1],
    )
