"""The first answer as numbers: scores with their intervals, and what a budget
retrieves.

The sentences, the page and the JSON all read the fields of `fields`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from math import nan
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from .._core.public import warn_user
from .._core.ranking.cut import cut_depth
from .._core.reading.ids import (
    as_list,
    distinct_queries,
)
from .._core.reading.per_ranking import queries_of, read_totals
from .._core.registry import function_named
from .._core.scores.average_precision import interpolated_average_precision_score
from .._core.typing import (
    AnyArray,
    ArrayLikeOrMapping,
    BoolArray,
    FloatArray,
    QueryId,
    ScoreFunction,
)
from .._decisions.budgets import BudgetTotals, budget_totals, compare_budgets
from .._decisions.conditions import NoThresholdError
from .._decisions.operating_points import (
    OperatingPoint,
    operating_point,
    threshold_text,
)
from .._shown.numbers import opposite
from .._shown.sources import SourceError
from .._uncertainty.chance import chance_level
from .._uncertainty.comparisons import compare_estimates
from .._uncertainty.many import adjusted_by_holm, compare_many
from .._uncertainty.results import ScoreComparison, ScoreEstimate
from .._uncertainty.standard_errors import estimate_score
from .fields import (
    ANOTHER_CLASS,
    AP,
    CONFIDENCE,
    HIGHER,
    LOWER,
    Against,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    Score,
    Sums,
    ThresholdForCondition,
    has_low_name,
)

_FILTERS = RLock()
_MAX_QUERIES_NAMED = 10  # of queries without positives


# As the code of each package reads its recall levels, of rows in their order.
OF_BOXES: dict[str, ScoreFunction] = {
    name: partial(interpolated_average_precision_score, recall_levels=levels)
    for name, levels in (
        ("VOC 2007", np.arange(0, 1.1, 0.1)),
        ("VOC 2010", None),
        ("COCO", np.linspace(0, 1, 101)),
    )
}


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredRows:
    """The rows of an answer: arrays of one element per row, and totals."""

    counts: Counts
    y_true: BoolArray
    y_score: AnyArray
    others: Mapping[str, AnyArray] = field(default_factory=dict)  # scores by model
    sample_weight: AnyArray | None = None
    amount: AnyArray | None = None
    query_id: AnyArray | None = None
    unit_id: AnyArray | None = None
    n_positives: ArrayLikeOrMapping | None = None  # a total, or that of each query
    # Each against the others, with all rows, if the queries of these rows are classes.
    classes: Mapping[str, ScoredRows] = field(default_factory=dict)

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
    def score_arguments(self) -> dict[str, Any]:
        """The arguments that all scores share, by name."""
        return {
            "sample_weight": self.sample_weight,
            "query_id": self.query_id,
            "n_positives": self.n_positives,
            "zero_division": self.counts.zero_division,
        }

    def score(self, name: str | ScoreFunction, **params: Any) -> float:
        """Return a score of all rows."""
        function = function_named(name, {})
        arguments = self.score_arguments | params
        return float(function(self.y_true, self.y_score, **arguments))

    def estimate(self, name: str = AP, /, **params: Any) -> ScoreEstimate | None:
        """Return the estimate of a score; None if the rows determine no interval."""
        if not (self.has_influences and self.counts.positives):
            return None
        return estimate_score(
            name,
            self.y_true,
            self.y_score,
            unit_id=self.unit_id,
            **self.score_arguments,
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
        return replace(point, threshold=threshold, _short=short, _basis=basis)

    def budget(self, k: int | float) -> BudgetTotals:
        """Return what a budget finds, per query if rows have queries."""
        query_id = self.query_id
        if query_id is None:  # One ranking is a query.
            query_id = np.zeros(self.counts.rows, np.int8)
        return budget_totals(
            self.y_true,
            self.y_score,
            k=k,
            query_id=query_id,
            amount=self.amount,
            sample_weight=self.sample_weight,
        )

    def budget_per_query(self, k: int | float) -> BudgetTotals:
        """Return what a budget per query finds. Its intervals draw queries, so there
        are none where other units are drawn.
        """
        totals = replace(self.budget(k), _basis=self.counts.basis)
        if self.unit_id is None:
            return totals
        return replace(
            totals,
            share_of_positives=_without_interval(totals.share_of_positives),
            share_of_weight=_without_interval(totals.share_of_weight),
            share_of_amount=totals.share_of_amount
            and _without_interval(totals.share_of_amount),
        )

    def in_row_order(self) -> ScoredRows:
        """Return rows whose equal scores are ranked by their order, as detectors do."""
        others = {name: _places(scores) for name, scores in self.others.items()}
        return replace(self, y_score=_places(self.y_score), others=others)

    @property
    def other_models(self) -> dict[str, ScoredRows]:
        """The rows with the scores of each other model."""
        return {
            name: replace(self, y_score=scores, others={})
            for name, scores in self.others.items()
        }


def _without_interval(share: ScoreEstimate) -> ScoreEstimate:
    return replace(share, standard_error=nan)


def _places(scores: AnyArray) -> FloatArray:
    """Return the place of each row among the scores, lowest first; of equal scores, the
    last row is the lowest.
    """
    last_first = np.argsort(scores[::-1], kind="stable")
    places = np.empty(scores.size)
    places[scores.size - 1 - last_first] = np.arange(scores.size)
    return places


def _cut_in_name(k: int | float) -> str:
    """Return a cut as names of scores have it, without an exponent."""
    return str(k) if isinstance(k, int) else np.format_float_positional(k, trim="0")


def counted(rows: ScoredRows, weightless: Iterable[QueryId] = ()) -> ScoredRows:
    """Return rows with their counts, whose other fields are kept.

    A number as `n_positives` is the total of each query. Other queries are
    `weightless`, since all their rows weigh 0; those that have a total count, as
    queries without rows do.
    """
    positive = rows.y_true
    totals = rows.n_positives
    has_positive = dict[QueryId, bool]()
    if rows.query_id is not None:
        has_positive = dict.fromkeys(as_list(rows.query_id), False)
        has_positive |= dict.fromkeys(as_list(rows.query_id[positive]), True)
    n_with_rows = len(has_positive)
    total: Any = totals
    if has_positive and totals is not None:
        by_query: Any = dict.fromkeys(has_positive, totals)
        if hasattr(totals, "items"):
            # It may name queries that have no rows.
            stated: Any = read_totals(totals)
            ids = np.array(list(has_positive))
            queries = queries_of(ids, list(has_positive), None, stated)
            values = queries.values(stated).tolist()
            by_query = dict(zip(queries.names, values, strict=True))
        # Positives are part of a total; a smaller one is refused.
        has_positive |= {name: in_all > 0 for name, in_all in by_query.items()}
        total, totals = sum(by_query.values()), by_query
    without = [str(name) for name, is_found in has_positive.items() if not is_found]
    amount = rows.amount
    if amount is not None and rows.sample_weight is not None:
        amount = amount * rows.sample_weight
    counts = replace(
        rows.counts,
        rows=positive.size,
        positives=int(positive.sum()),
        all_positives=total,
        queries=len(has_positive) or None,
        queries_without_rows=len(has_positive) - n_with_rows,
        queries_without_weight=sum(name not in has_positive for name in weightless),
        queries_without_positives=len(without),
        first_without_positives=without[:_MAX_QUERIES_NAMED],
        weight=_sums_of(rows.sample_weight, positive),
        amount=_sums_of(amount, positive),
        has_units=rows.unit_id is not None,
    )
    return replace(rows, counts=counts, n_positives=totals)


def _sums_of(column: AnyArray | None, positive: BoolArray) -> Sums | None:
    """Return the sum of a column, and that of the positives."""
    if column is None:
        return None
    return Sums(float(column.sum()), float(column[positive].sum()))


class Question(NamedTuple):
    """The subject of an answer, besides the rows."""

    k: int | float | None = None
    prevalence: float | None = None
    # of thresholds, such as {"recall": 0.8}
    conditions: Sequence[Mapping[str, float]] = ()
    model: str = ""  # name of the first model

    @property
    def params(self) -> dict[str, float]:
        """The arguments of scores."""
        return {} if self.prevalence is None else {"prevalence": self.prevalence}


@contextmanager
def quiet_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Record the user warnings of a block instead of showing them.

    The filters belong to the process: without the lock, two threads would restore each
    other's.
    """
    with _FILTERS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield caught


def answer_of(name: str, rows: ScoredRows, question: Question) -> FirstAnswer:
    """Return the answer for rows, with the text of each warning that its numbers gave,
    once.
    """
    with quiet_warnings() as caught:
        answer = _answer_of_rows(name, rows, question)
        classes = rows.classes.items()
        parts = [answer_of(label, part, question) for label, part in classes]
        answer = replace(answer, classes=parts)
    messages = {str(warning.message): warning.message for warning in caught}
    for message in messages.values():  # pass them on: a record alone would hide them
        warn_user(message)
    return replace(answer, warnings=list(messages))


def rows_of_classes(classes: Mapping[str, ScoredRows]) -> ScoredRows:
    """Return the rows of all classes together, in the order of their names.

    Classes are fixed queries, and each row, or its unit, is drawn with its scores of
    all classes.
    """
    parts = [*classes.values()]
    first = parts[0]
    n_rows = first.counts.rows
    unit_id = np.arange(n_rows) if first.unit_id is None else first.unit_id
    weight = first.sample_weight
    amount = first.amount
    return counted(
        ScoredRows(
            counts=replace(
                first.counts, query_name="class", pos_label=None, negative_label=None
            ),
            y_true=np.concatenate([rows.y_true for rows in parts]),
            y_score=np.concatenate([rows.y_score for rows in parts]),
            others={
                name: np.concatenate([rows.others[name] for rows in parts])
                for name in first.others
            },
            sample_weight=None if weight is None else np.tile(weight, len(parts)),
            amount=None if amount is None else np.tile(amount, len(parts)),
            query_id=np.repeat(list(classes), n_rows),
            unit_id=np.tile(unit_id, len(parts)),
            classes=classes,
        )
    )


def _answer_of_rows(name: str, rows: ScoredRows, question: Question) -> FirstAnswer:
    counts = rows.counts
    k = question.k
    params = question.params
    answer = FirstAnswer(
        name=name,
        # The key of a drawing tells two models of one name apart.
        model=question.model + " (first)" * (question.model in rows.others),
        counts=counts,
        prevalence=question.prevalence,
    )
    if not counts.total:
        warn_user(f"{counts.no_positives}; scores of the ranking are undefined")
        return answer
    if not rows.has_influences:
        warn_user("missed positives have unknown weights, so AP has no interval")
    estimate = rows.estimate(**params)
    cut = None if k is None else _hits_in_first(rows, k)
    if cut and not counts.queries:
        cut = replace(cut, threshold=rows.point(k=cut.k, **params))
    # Rows without positives have the score 0, which determines no interval.
    is_compared = rows.others and counts.positives
    value = nan if estimate else rows.score(AP, **params)
    score = _score_from(value, estimate)
    chance = _chance_of(rows, question.prevalence)
    # Money may lie in few rows, and then AP says little about the direction.
    is_below = score.high < chance and counts.weight is None
    return replace(
        answer,
        score=score,
        chance=chance,
        causes=_causes_below_chance(rows) if is_below else [],
        cut=cut,
        thresholds=[
            ThresholdForCondition(dict(condition), rows.point(**condition, **params))
            for condition in question.conditions
        ],
        comparisons=_comparisons(rows, question, cut) if is_compared else [],
        of_boxes=_of_boxes(rows, answer.model),
    )


def _of_boxes(rows: ScoredRows, model: str) -> dict[str, dict[str, float]]:
    """Return the means of each model as detection prints them, where totals of the kinds
    are known.
    """
    counts = rows.counts
    has_totals = counts.queries and counts.all_positives
    if not has_totals or counts.weight:
        return {}
    ordered = rows.in_row_order()
    models = {model: ordered, **ordered.other_models}
    return {
        name: {model: each.score(score) for model, each in models.items()}
        for name, score in OF_BOXES.items()
    }


def _causes_below_chance(rows: ScoredRows) -> list[str]:
    """Return what may put a score below chance, the likeliest first where the scores or
    their name show it.
    """
    causes = [LOWER, ANOTHER_CLASS, CONFIDENCE]
    if rows.counts.lower_is_better:
        return [HIGHER]
    if has_low_name(rows.counts.score_name):
        return causes
    scores = rows.y_score
    least = scores.min()
    if least < 0 or scores.max() > 1:  # no probabilities
        return causes
    # A predicted label of two has at least half of the probability.
    likeliest = CONFIDENCE if least >= 0.5 else ANOTHER_CLASS
    return sorted(causes, key=likeliest.__ne__)


def _score_from(value: float, estimate: ScoreEstimate | None) -> Score:
    """Return a score with its interval, or `value` alone if there is no estimate."""
    if not estimate:
        return Score(value)
    low, high = estimate.confidence_interval()
    sizes = estimate.n_units, estimate.n_fixed_queries
    return Score(float(estimate.score), low, high, *sizes, estimate)


def _chance_of(rows: ScoredRows, prevalence: float | None) -> float:
    """Return what a random ranking scores, or without a formula the prevalence."""
    counts = rows.counts
    if prevalence is not None or not counts.positives:
        return nan if prevalence is None else prevalence
    has_totals = counts.all_positives is not None
    if counts.queries:
        return nan if counts.weight or has_totals else _mean_chance(rows)
    if counts.weight:
        return nan if has_totals else counts.share
    share = counts.positives / counts.total
    return float(chance_level(rows.y_true, rows.y_score)) * share


def _mean_chance(rows: ScoredRows) -> float:
    """Return the mean over queries of what a random ranking of each scores; those
    without positives count as in the score.
    """
    queries, place = distinct_queries(np.asarray(rows.query_id))
    has_positive = np.bincount(place, rows.y_true) > 0
    part = _some(rows, has_positive[place])
    levels = np.full(len(queries), rows.counts.zero_division)
    levels[has_positive] = chance_level(
        part.y_true, part.y_score, query_id=part.query_id
    )
    return float(np.nanmean(levels))


def _some(rows: ScoredRows, is_taken: BoolArray) -> ScoredRows:
    """Return some of the rows, without counts and totals of their own."""

    def taken(column: AnyArray | None) -> AnyArray | None:
        return None if column is None else column[is_taken]

    return replace(
        rows,
        y_true=rows.y_true[is_taken],
        y_score=rows.y_score[is_taken],
        others={name: scores[is_taken] for name, scores in rows.others.items()},
        sample_weight=taken(rows.sample_weight),
        amount=taken(rows.amount),
        query_id=taken(rows.query_id),
        unit_id=taken(rows.unit_id),
    )


def _hits_in_first(rows: ScoredRows, k: int | float) -> Hits:
    """Return how many positives the first k rows contain, and their share of all, which
    counts weights.
    """
    counts = rows.counts
    name = f"recall@{_cut_in_name(k)}"
    if counts.queries:
        totals = rows.budget_per_query(k)
        estimate = getattr(totals, f"share_of_{counts.whole[0]}")
        drawn = None if rows.unit_id is not None else estimate
        share = _score_from(float(estimate.score), drawn)
        return Hits(k=k, share=share, totals=totals)
    recall = rows.score(name)
    totals = rows.budget(k)
    with quiet_warnings():  # of few positives, which the score's interval says too
        share = _score_from(recall, rows.estimate(name))
    return Hits(
        k=k,
        rows=min(int(cut_depth(np.array([counts.rows]), k)[0]), counts.rows),
        share=share,
        positives=totals.positives_found,
        amount_found=totals.amount_found,
    )


def _comparisons(
    rows: ScoredRows, question: Question, first_cut: Hits | None
) -> list[Comparison]:
    """Return the score of each other model, and its difference from the first."""
    others = rows.other_models
    comparisons = []
    differences = _differences_from(others, _tests_of(rows, **question.params))
    cuts = list[Hits]()
    if first_cut:
        cuts = [_hits_in_first(other, first_cut.k) for other in others.values()]
    of_budgets = list[Difference]()
    if first_cut and first_cut.totals and rows.unit_id is None:
        first = first_cut.totals
        budgets = [compare_budgets(cut.totals, first) for cut in cuts if cut.totals]
        share = f"share_of_{rows.counts.whole[0]}"
        of_budgets = _differences_from([share] * len(budgets), budgets)
    # Without a budget, both are None.
    for other, difference, cut, of_budget in zip_longest(
        others.values(), differences, cuts, of_budgets
    ):
        with quiet_warnings():  # of few positives, which the first model gives too
            estimate = other.estimate(**question.params)
        comparisons.append(
            Comparison(
                name=difference.name,
                score=difference.score,
                difference=difference.difference,
                low=difference.low,
                high=difference.high,
                pvalue=difference.pvalue,
                _test=difference._test,
                estimate=_score_from(difference.score, estimate),
                cut=cut,
                found=of_budget,
            )
        )
    return comparisons


def _tests_of(rows: ScoredRows, **params: Any) -> Sequence[ScoreComparison]:
    """Return the test of each other model against the first, alone."""
    scores = {"y_score": rows.y_score}
    scores |= {f"compare {name}": other for name, other in rows.others.items()}
    many = compare_many(
        AP,
        rows.y_true,
        scores,
        reference="y_score",
        unit_id=rows.unit_id,
        **rows.score_arguments,
        **params,
    )
    return many._comparisons


def rows_by_query(rows: ScoredRows) -> dict[str, ScoredRows]:
    """Return the rows of each query as a ranking of their own."""
    counts = rows.counts
    totals = rows.n_positives
    of_query = Counts(
        weight_name=counts.weight_name,
        amount_name=counts.amount_name,
        unit_name=counts.unit_name,
        score_name=counts.score_name,
        lower_is_better=counts.lower_is_better,
    )
    kinds = {}
    queries, place = distinct_queries(np.asarray(rows.query_id))
    for number, name in enumerate(queries):
        total = totals.get(name) if isinstance(totals, Mapping) else None
        part = _some(rows, place == number)
        kinds[str(name)] = counted(
            replace(part, counts=of_query, query_id=None, n_positives=total)
        )
    return kinds


def answers_by_query(rows: ScoredRows, question: Question) -> list[FirstAnswer]:
    """Return the answer for each query as a ranking of its own."""
    with quiet_warnings():  # of few positives, which the answers have
        kinds = rows_by_query(rows).items()
        return [answer_of(name, kind, question) for name, kind in kinds]


def against_of(
    name: str, rows: ScoredRows, earlier: ScoredRows, question: Question
) -> Against:
    """Return how the score differs from that of earlier rows, at their share of
    positives, and at the share that each has.

    A score depends on the share of positives, and a ranking does not.
    """
    prevalence = question.prevalence
    at_own_shares = None
    if prevalence is None:
        prevalence = earlier.counts.share
        if not 0 < prevalence < 1:
            raise SourceError(
                f"--against: {name} must contain positives and negatives; its share of "
                f"positives is {prevalence:g}"
            )
        with quiet_warnings():  # of the shares, and of few rows, as below
            at_own_shares = _difference_of(name, rows, earlier)
    difference = _difference_of(name, rows, earlier, prevalence=prevalence)
    return Against(
        name=name,
        score=difference.score,
        difference=difference.difference,
        low=difference.low,
        high=difference.high,
        pvalue=difference.pvalue,
        _test=difference._test,
        prevalence=prevalence,
        share=rows.counts.share,
        at_own_shares=at_own_shares,
        rows_dropped=earlier.counts.rows_dropped,
        missing_values=earlier.counts.missing_values,
    )


def _difference_of(
    name: str, rows: ScoredRows, earlier: ScoredRows, **params: float
) -> Difference:
    """Return the difference from independent rows, with their score."""
    estimate = rows.estimate(**params)
    before = earlier.estimate(**params)
    if not estimate or not before:
        raise SourceError(
            "--against requires rows with an interval: positives without weights or totals"
        )
    test = compare_estimates(estimate, before)
    [difference] = _differences_from([name], [test])
    return replace(difference, score=float(before.score))


def _differences_from(
    names: Iterable[str], tests: Sequence[ScoreComparison]
) -> list[Difference]:
    """Return differences between two scores each. The first score of each has a name,
    and all are adjusted for their number.
    """
    many = adjusted_by_holm({(str(i), ""): test for i, test in enumerate(tests)})
    # Where they are NaN, the sentence says it, and the test warned of its p-value.
    interval = many._interval(0.95)
    columns = many.scores[0], many.difference, *interval, many.pvalue
    rows = np.transpose(columns).tolist()
    return [
        Difference(name, *row, _test=test)
        for name, row, test in zip(names, rows, tests, strict=True)
    ]
