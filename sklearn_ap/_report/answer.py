"""The first answer as numbers: scores with their intervals, what a budget retrieves,
differences, and the verdicts of gates.

It is complete before anything of it is told: `sentences` reads it alone.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress
from math import inf, nan
from threading import RLock
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._core.public import warn_user
from .._core.reading.ids import (
    as_list,
    distinct_queries,
    read_numbered,
)
from .._core.reading.per_ranking import queries_of, read_totals
from .._core.registry import function_named
from .._core.scores.at_k import recall_at_k_score
from .._core.typing import (
    AnyArray,
    ArrayLikeOrMapping,
    BoolArray,
    QueryId,
    ScoreFunction,
)
from .._decisions.budgets import (
    SUMS_OF_SHARES,
    BudgetTotals,
    budget_totals,
    compare_budgets,
)
from .._decisions.conditions import NoThresholdError
from .._decisions.operating_points import (
    OperatingPoint,
    operating_point,
    threshold_text,
)
from .._shown.numbers import opposite
from .._shown.sources import SourceError, is_number
from .._uncertainty.chance import chance_level
from .._uncertainty.comparisons import compare_estimates, compare_scores
from .._uncertainty.many import adjusted_by_holm
from .._uncertainty.results import ScoreEstimate
from .._uncertainty.standard_errors import estimate_score
from .fields import (
    AP,
    Against,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    Score,
    Sums,
    ThresholdForCondition,
)
from .gates import Gates, checks_of
from .sentences import MAX_LINES

_Difference = TypeVar("_Difference", bound=Difference)
_FILTERS = RLock()
_MAX_QUERIES_NAMED = 10  # of queries without positives


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredRows:
    """The rows of an answer: arrays of one element per row, and totals."""

    counts: Counts
    y_true: BoolArray
    # of each model; the others are compared to the first
    scores: Mapping[str, AnyArray]
    sample_weight: AnyArray | None = None
    amount: AnyArray | None = None
    query_id: AnyArray | None = None
    unit_id: AnyArray | None = None
    n_positives: ArrayLikeOrMapping | None = None  # a total, or that of each query
    # Each against the others, with all rows, if the queries of these rows are classes.
    classes: Mapping[str, ScoredRows] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The name of the first model."""
        return next(iter(self.scores))

    @property
    def y_score(self) -> AnyArray:
        """The scores of the first model."""
        return self.scores[self.model]

    @property
    def models(self) -> list[ScoredRows]:
        """The rows with the scores of each model alone."""
        return [
            replace(self, scores={name: scores}) for name, scores in self.scores.items()
        ]

    @property
    def totals(self) -> Mapping[QueryId, float]:
        """The total of each query, if the caller states them."""
        return self.n_positives if isinstance(self.n_positives, Mapping) else {}

    @cached_property
    def parts(self) -> Mapping[str, ScoredRows]:
        """The rows of each class or of each query, as a ranking of its own."""
        if self.classes or self.query_id is None:
            return self.classes
        of_query = replace(
            self.counts,
            rows_left_out=0,
            rows_dropped=0,
            missing_values={},
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
        """Return rows with another array in place of each column."""

        def optional(column: AnyArray | None) -> AnyArray | None:
            return None if column is None else column_of(column)

        return replace(
            self,
            y_true=column_of(self.y_true),
            scores={name: column_of(scores) for name, scores in self.scores.items()},
            sample_weight=optional(self.sample_weight),
            amount=optional(self.amount),
            query_id=optional(self.query_id),
            unit_id=optional(self.unit_id),
        )

    def of_positive_queries(self) -> ScoredRows:
        """Return the rows of queries with positives, found or missed."""
        names = as_list(np.asarray(self.query_id))
        totals = {name: total for name, total in self.totals.items() if total}
        positive = totals or {*compress(names, self.y_true)}
        kept = np.array([name in positive for name in names])
        part = self.with_columns(partial(np.compress, kept))
        return counted(replace(part, n_positives=totals or None))

    @property
    def has_influences(self) -> bool:
        """Whether each row has an influence, for which missed positives must have the
        weight of all rows.
        """
        weight = self.sample_weight
        if weight is None or self.query_id is not None or self.n_positives is None:
            return True
        return bool(weight.min() == weight.max())

    @property
    def options(self) -> dict[str, Any]:
        """What every score is told of the rows."""
        return {
            "sample_weight": self.sample_weight,
            "query_id": self.query_id,
            "n_positives": self.n_positives,
            "zero_division": self.counts.zero_division,
        }

    def score(self, name: str | ScoreFunction = AP, **params: Any) -> Score:
        """Return a score of all rows, with its interval if they determine one."""
        estimate = self.estimate(name, **params)
        if estimate is not None:
            return _score_of(estimate)
        value = function_named(name, {})(
            self.y_true, self.y_score, **self.options, **params
        )
        return Score(float(value))

    def estimate(
        self, name: str | ScoreFunction = AP, **params: Any
    ) -> ScoreEstimate | None:
        """Return the estimate of a score; None if the rows determine no interval."""
        if not (self.has_influences and self.counts.positives):
            return None
        return estimate_score(
            name,
            self.y_true,
            self.y_score,
            unit_id=self.unit_id,
            **self.options,
            **params,
        )

    def point(
        self, prevalence: float | None = None, **condition: Any
    ) -> OperatingPoint | None:
        """Return the best threshold for a condition, in the sign of the caller; None if
        all thresholds exceed the budget.
        """
        counts = self.counts
        unit_id = None  # of intervals, which points of other conditions lack
        if "threshold" in condition:
            condition = {"threshold": condition["threshold"] * counts.sign}
            unit_id = self.unit_id
        try:
            point = operating_point(
                self.y_true,
                self.y_score,
                sample_weight=self.sample_weight,
                n_positives=counts.all_positives,
                prevalence=prevalence,
                unit_id=unit_id,
                **condition,
            )
        except NoThresholdError:
            if "k" in condition:
                return None
            raise
        threshold = point.threshold
        short = point._short
        if counts.lower_is_better:
            short = opposite(threshold_text(point))
            threshold = 0 - threshold  # 0 stays without a sign
        basis = counts.basis._replace(prevalence=point._basis.prevalence)
        point = replace(point, threshold=threshold, _short=short, _basis=basis)
        if counts.are_emitted:
            point = replace(point, specificity=nan, negative_predictive_value=nan)
        return point

    def budget(self, k: int | float) -> BudgetTotals:
        """Return what a budget finds, per query if rows have queries."""
        query_id = self.query_id
        if query_id is None:  # One ranking is a query.
            query_id = np.zeros(self.counts.rows, np.int8)
        totals = budget_totals(
            self.y_true,
            self.y_score,
            k=k,
            query_id=query_id,
            amount=self.amount,
            sample_weight=self.sample_weight,
        )
        counts = self.counts
        totals = replace(totals, _basis=counts.basis)
        if self.totals and not counts.amount:
            # Nothing tells how the positives without a row vary.
            is_weight = counts.weight is not None
            basis = counts.basis._replace(has_missed=is_weight)
            whole = "positive_weight" if is_weight else "n_positives"
            in_all: dict[str, Any] = {whole: counts.total}
            totals = replace(totals, **in_all, _basis=basis)
            return _without_intervals(totals, counts.sums.positives / counts.total)
        # Intervals of budgets draw queries, and here other units may be drawn.
        return totals if self.unit_id is None else _without_intervals(totals, 1)


def _without_intervals(totals: BudgetTotals, factor: float) -> BudgetTotals:
    """Return totals without intervals, whose shares are multiplied."""
    shares: dict[str, Any] = {}
    for kind in SUMS_OF_SHARES:
        name = f"share_of_{kind}"
        if share := getattr(totals, name):
            score = share.score * factor
            shares[name] = replace(share, score=score, standard_error=nan)
    return replace(totals, **shares)


def counted(rows: ScoredRows) -> ScoredRows:
    """Return rows with their counts, whose other fields are kept.

    Queries that have a total count, also those without rows.
    """
    positive = rows.y_true
    totals = rows.n_positives
    total: Any = totals
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
            total = sum(by_query.values())
    without = [str(name) for name, in_all in by_query.items() if not in_all]
    amount = rows.amount
    if amount is not None and rows.sample_weight is not None:
        amount = amount * rows.sample_weight
    counts = replace(
        rows.counts,
        rows=positive.size,
        positives=int(positive.sum()),
        all_positives=total,
        queries=len(by_query) or None,
        queries_without_rows=len(by_query) - n_with_rows,
        queries_without_positives=len(without),
        first_without_positives=without[:_MAX_QUERIES_NAMED],
        weight=_sums_of(rows.sample_weight, positive),
        amount=_sums_of(amount, positive),
        has_units=rows.unit_id is not None,
    )
    return replace(rows, counts=counts, n_positives=totals)


def _totals_by_query(
    query_id: AnyArray, totals: ArrayLikeOrMapping
) -> dict[QueryId, float]:
    """Return the total of each query, with those that have no rows but a total."""
    stated: Any = read_totals(totals)
    queries = queries_of(read_numbered(query_id, query_id.size), None, stated)
    values = queries.values(stated).tolist()
    return dict(zip(queries.names, values, strict=True))


def _sums_of(column: AnyArray | None, positive: BoolArray) -> Sums | None:
    """Return the sum of a column, and that of the positives."""
    if column is None:
        return None
    return Sums(float(column.sum()), float(column[positive].sum()))


class Earlier(NamedTuple):
    """Earlier rows, and the name of their file."""

    name: str
    rows: ScoredRows


class Question(NamedTuple):
    """The subject of an answer, besides the rows."""

    k: int | float | None = None
    prevalence: float | None = None
    # of thresholds, such as {"recall": 0.8}
    conditions: Sequence[Mapping[str, float]] = ()
    earlier: Earlier | None = None
    of_values: bool = False  # whether it is also about each query, such as a day
    max_values: float = MAX_LINES
    gates: Gates = Gates()


@contextmanager
def quiet_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Record the user warnings of a block instead of showing them.

    The filters belong to the process: without the lock, two threads would restore each
    other's.
    """
    with _FILTERS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield caught


@contextmanager
def _warnings_named(name: str, known: set[str]) -> Iterator[None]:
    """Put a name before the warnings of a block whose texts are not known yet."""
    with quiet_warnings() as caught:
        yield
    for warning in caught:
        message: Any = warning.message
        text = str(message)
        if text not in known:
            known.add(text)
            message.args = (f"{name}: {text}",)
            warn_user(message)


def answer_of(name: str, rows: ScoredRows, question: Question) -> FirstAnswer:
    """Return the complete answer for rows, with the text of each warning that its
    numbers gave, once.
    """
    with quiet_warnings() as caught:
        answer = _with_difference(_scores_of(name, rows, question), rows, question)
        if _has_parts(answer, rows, question):
            answer = _with_parts(answer, rows, question)
        answer = replace(answer, checks=checks_of(answer, question.gates))
    messages = {str(warning.message): warning.message for warning in caught}
    for message in messages.values():  # pass them on: a record alone would hide them
        warn_user(message)
    return replace(answer, warnings=list(messages))


def _has_parts(answer: FirstAnswer, rows: ScoredRows, question: Question) -> bool:
    """Return whether there is an answer for each class, or for each of few queries."""
    score = answer.score
    if rows.classes or not score:
        return bool(rows.classes)
    is_wanted = question.of_values or rows.totals or score.n_fixed_queries
    return bool(is_wanted) and (rows.counts.queries or 0) <= question.max_values


def _earlier_parts(question: Question) -> dict[str, Earlier]:
    """Return the earlier rows of each class with positives, if each has a check."""
    if question.earlier is None or not question.gates.of_each:
        return {}
    name, rows = question.earlier
    return {
        part_name: Earlier(name, part)
        for part_name, part in rows.parts.items()
        if part.counts.positives
    }


def _with_parts(
    answer: FirstAnswer, rows: ScoredRows, question: Question
) -> FirstAnswer:
    """Return an answer with that for each class or query, whose differences are
    adjusted for the number of all.

    All positives were missed of a query without rows, which only a total names.
    """
    earlier = _earlier_parts(question)
    parts = []
    for name, part in rows.parts.items():
        before = earlier.get(name) if part.counts.positives else None
        of_part = question._replace(earlier=before, gates=Gates())
        # Queries are many, and few positives of each are no news.
        named = _warnings_named(f"{rows.counts.query_name} {name}", set())
        with named if rows.classes else quiet_warnings():
            parts.append(answer_of(name, part, of_part))
    parts += [
        FirstAnswer(
            name=str(query),
            model=rows.model,
            counts=Counts(all_positives=total),
            prevalence=question.prevalence,
            score=Score(0.0),
        )
        for query, total in rows.totals.items()
        if total and str(query) not in rows.parts
    ]
    if not rows.classes:
        parts = sorted(parts, key=_natural_order)
    others = iter(adjusted([other for part in parts for other in part.comparisons]))
    against = iter(adjusted([part.against for part in parts if part.against]))
    parts = [
        replace(
            part,
            comparisons=[next(others) for _ in part.comparisons],
            against=part.against and next(against),
        )
        for part in parts
    ]
    # Rows of a class without positives say nothing, unless their total is known.
    known = {str(query) for query, total in rows.totals.items() if not total}
    for answered in parts:
        if answered.counts.positives or not answered.counts.total:
            known.add(answered.name)
    gone = [name for name in earlier if name not in known]
    return replace(answer, classes=parts, classes_gone=gone)


def _natural_order(part: FirstAnswer) -> tuple[float, list[Any]]:
    """Return a key that sorts q2 before q10, and numbers by value."""
    words = re.split(r"(\d+)", part.name)
    value = float(part.name) if is_number(part.name) else inf
    return value, [int(x) if i % 2 else x for i, x in enumerate(words)]


def rows_of_classes(classes: Mapping[str, ScoredRows]) -> ScoredRows:
    """Return the rows of all classes together, in the order of their names.

    Classes are fixed queries, and each row, or its unit, is drawn with its scores of
    all classes.
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


def _scores_of(name: str, rows: ScoredRows, question: Question) -> FirstAnswer:
    """Return the scores of all rows, and the differences between models."""
    counts = rows.counts
    prevalence = question.prevalence
    answer = FirstAnswer(
        name=name, model=rows.model, counts=counts, prevalence=prevalence
    )
    if counts.no_positives:
        warn_user(f"{counts.no_positives}; scores of the ranking are undefined")
        return answer
    if not rows.has_influences:
        warn_user("missed positives have unknown weights, so AP has no interval")
    known = set[str]()
    with _warnings_named(f"{counts.title} of {rows.model}", known):
        score = rows.score(prevalence=prevalence)
    cut = None
    if question.k is not None:
        cut = _hits_in_first(rows, question.k)
        if not counts.queries:
            cut = replace(cut, threshold=rows.point(prevalence, k=question.k))
    return replace(
        answer,
        score=score,
        chance=_chance_of(rows, prevalence),
        cut=cut,
        thresholds=[
            ThresholdForCondition(dict(condition), rows.point(prevalence, **condition))
            for condition in question.conditions
        ],
        comparisons=_comparisons(rows, prevalence, cut, known)
        if counts.positives
        else [],
    )


def _score_of(estimate: ScoreEstimate) -> Score:
    """Return a score with the ends of its interval."""
    low, high = estimate.confidence_interval()
    sizes = estimate.n_units, estimate.n_fixed_queries
    return Score(float(estimate.score), low, high, *sizes, estimate)


def _chance_of(rows: ScoredRows, prevalence: float | None) -> float:
    """Return what a random ranking scores; NaN where the score takes an option that
    this number has no formula for.
    """
    counts = rows.counts
    if prevalence is not None or counts.weight or not counts.positives:
        return nan
    if counts.queries:
        return nan if rows.totals else _mean_chance(rows)
    share = counts.positives / counts.total
    return float(chance_level(rows.y_true, rows.y_score)) * share


def _mean_chance(rows: ScoredRows) -> float:
    """Return the mean over queries of what a random ranking of each scores; those
    without positives count as in the score.
    """
    counts = rows.counts
    query_id = np.asarray(rows.query_id)
    _, place = distinct_queries(query_id)
    taken = (np.bincount(place, rows.y_true) > 0)[place]
    levels = chance_level(
        rows.y_true[taken], rows.y_score[taken], query_id=query_id[taken]
    )
    others = np.full(counts.queries_without_positives, counts.zero_division)
    return float(np.nanmean(np.append(levels, others)))


def _hits_in_first(rows: ScoredRows, k: int | float) -> Hits:
    """Return how many positives the first k rows contain, and their share of all, which
    counts weights.
    """
    totals = rows.budget(k)
    has_queries = rows.counts.queries is not None
    with quiet_warnings():
        if has_queries:
            share = _score_of(getattr(totals, f"share_of_{rows.counts.whole[0]}"))
        else:
            share = rows.score(recall_at_k_score, k=k)
    return Hits(
        k=k,
        rows=totals.n_retrieved,
        share=share,
        positives=totals.positives_found,
        amount_found=totals.amount_found,
        totals=totals if has_queries else None,
    )


def _comparisons(
    rows: ScoredRows,
    prevalence: float | None,
    first_cut: Hits | None,
    known: set[str],  # the warnings of the first model
) -> list[Comparison]:
    """Return the score of each other model, and its difference from the first."""
    counts = rows.counts
    comparisons = []
    budgets = []
    for other in rows.models[1:]:
        with _warnings_named(f"{counts.title} of {other.model}", known):
            test = compare_scores(
                AP,
                rows.y_true,
                other.y_score,
                rows.y_score,
                unit_id=rows.unit_id,
                **rows.options,
                prevalence=prevalence,
            )
        cut = first_cut and _hits_in_first(other, first_cut.k)
        # Nothing tells how the positives without a row vary.
        has_test = rows.unit_id is None and (counts.amount or not rows.totals)
        if has_test and first_cut and cut and cut.totals:
            budgets.append(_difference_of_budgets(other, cut, first_cut, known))
        with quiet_warnings():  # which the test gave, too
            estimate = other.score(prevalence=prevalence)
        comparisons.append(
            Comparison(
                name=other.model,
                score=test.scores[0],
                difference=test.difference,
                estimate=estimate,
                cut=cut,
                _test=test,
            )
        )
    found = iter(adjusted(budgets))
    return [replace(other, found=next(found, None)) for other in adjusted(comparisons)]


def _difference_of_budgets(
    other: ScoredRows, cut: Hits, first_cut: Hits, known: set[str]
) -> Difference:
    """Return how the shares differ that two models find within one budget."""
    kind, noun = other.counts.whole
    totals: Any = cut.totals, first_cut.totals
    with _warnings_named(f"share of the {noun} of {other.model}", known):
        test = compare_budgets(*totals)
    return Difference(
        name=f"share_of_{kind}",
        score=test.scores[0],
        difference=test.difference,
        _test=test,
    )


def adjusted(others: Sequence[_Difference]) -> list[_Difference]:
    """Return differences with intervals and p-values that allow for their number."""
    if not others:
        return []
    tests: Any = {(str(i), ""): other._test for i, other in enumerate(others)}
    many = adjusted_by_holm(tests)
    # Where they are NaN, the sentence says it, and the test warned of its p-value.
    columns = [column.tolist() for column in (*many._interval(0.95), many.pvalue)]
    return [
        replace(other, low=low, high=high, pvalue=pvalue)
        for other, low, high, pvalue in zip(others, *columns, strict=True)
    ]


def _with_difference(
    answer: FirstAnswer, rows: ScoredRows, question: Question
) -> FirstAnswer:
    """Return an answer with the difference from earlier rows, or why there is none."""
    earlier = question.earlier
    if earlier is None:
        return answer
    for where, counts in (
        ("", rows.counts),
        (f"in {earlier.name}, ", earlier.rows.counts),
    ):
        if not counts.positives:
            why = counts.no_positives or "all positives were missed"
            return replace(answer, no_difference=where + why)
    return replace(answer, against=_against(earlier, rows, question.prevalence))


def _against(earlier: Earlier, rows: ScoredRows, prevalence: float | None) -> Against:
    """Return how the score differs from that of earlier rows, at their share of
    positives: a score depends on it, and a ranking does not.

    Where totals are stated, rows may be what a model emitted, whose false alarms are
    its fault: each score is then at its own share.
    """
    name, before = earlier
    shares = rows.counts.share, before.counts.share
    if prevalence is None and rows.n_positives is None:
        prevalence = before.counts.share
        if not 0 < prevalence < 1:
            raise SourceError(
                f"--against: {name} must contain positives and negatives; its share of "
                f"positives is {prevalence:g}"
            )
    with _warnings_named(f"Against {name}", set()):
        known = [
            estimate
            for each in (rows, before)
            if (estimate := each.estimate(prevalence=prevalence))
        ]
    if len(known) < 2:
        raise SourceError(
            "--against requires rows with an interval: positives without weights or "
            "totals"
        )
    with quiet_warnings():  # of different shares, which the answer shows
        test = compare_estimates(*known)
    against = Against(
        name=name,
        score=test.scores[1],
        difference=test.difference,
        prevalence=nan if prevalence is None else prevalence,
        share=shares[0],
        earlier_share=shares[1],
        rows_dropped=before.counts.rows_dropped,
        missing_values=before.counts.missing_values,
        _test=test,
    )
    return adjusted([against])[0]
