"""The first answer as numbers: scores with their intervals, and what a budget
retrieves.

The sentences, the page and the JSON all read the fields of `fields`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from inspect import signature
from itertools import zip_longest
from math import nan
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from .._core.public import warn_user
from .._core.ranking.cut import cut_depth
from .._core.reading.queries import (
    as_list,
    distinct_queries,
    read_totals,
)
from .._core.registry import function_named
from .._core.scores.average_precision import interpolated_average_precision_score
from .._core.typing import (
    AnyArray,
    ArrayLikeOrMapping,
    BoolArray,
    QueryId,
    ScoreFunction,
)
from .._decisions.budgets import BudgetTotals, budget_totals, compare_budgets
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

_MAX_DRAWN_ROWS = 50_000  # in a bootstrap of the first answer
_FILTERS = RLock()
_MAX_QUERIES_NAMED = 10  # of queries without positives
# The fields of counts that parts of the rows share.
_WORDS = "weight_name", "amount_name", "score_name", "lower_is_better"
# Columns of the scores of other models begin so, and end in the name of the model.
OTHER = "compare "
Arguments = dict[str, Any]  # of a function, by name


# As the code of each package reads its recall levels, of rows in their order.
OF_BOXES: dict[str, ScoreFunction] = {
    name: partial(interpolated_average_precision_score, recall_levels=levels)
    for name, levels in (
        ("VOC 2007", np.arange(0, 1.1, 0.1)),
        ("VOC 2010", None),
        ("COCO", np.linspace(0, 1, 101)),
    )
}


class ScoredRows(NamedTuple):
    """The rows of an answer, as arguments of each score."""

    counts: Counts
    columns: Arguments  # arrays and totals
    # Each against the others, with all rows, if the queries of these rows are classes.
    classes: Mapping[str, ScoredRows] = {}

    def arguments(
        self, *functions: str | Callable[..., Any], **options: Any
    ) -> Arguments:
        """Return what these functions take of the columns and of the options: one of
        scores also takes what its score does.
        """
        taken = set[str]()
        for function in functions:
            taken |= set(signature(function_named(function, {})).parameters)
        arguments = {**self.columns, **options}
        return {name: value for name, value in arguments.items() if name in taken}

    def call(self, function: Callable[..., Any], *score: str, **options: Any) -> Any:
        """Return what a function of the package returns for these rows."""
        return function(*score, **self.arguments(function, *score, **options))

    def score(self, name: str | ScoreFunction, **options: float | None) -> float:
        """Return a score of all rows."""
        return float(self.call(function_named(name, {}), **options))

    @property
    def draws_units(self) -> bool:
        """Whether units are drawn that are neither rows nor queries."""
        return "unit_id" in self.columns

    @property
    def has_influences(self) -> bool:
        """Whether each row has an influence, for which missed positives must have the
        weight of all rows.
        """
        counts = self.counts
        weight = self.columns.get("sample_weight")
        if weight is None:
            return True
        has_missed = not counts.queries and counts.all_positives is not None
        return not has_missed or bool(weight.min() == weight.max())

    def estimate(self, name: str = AP, /, **options: float) -> ScoreEstimate | None:
        """Return the estimate of a score; None if the rows determine no interval."""
        if not (self.has_influences and self.counts.positives):
            return None
        estimate: ScoreEstimate = self.call(estimate_score, name, **options)
        return estimate

    def point(self, **options: Any) -> OperatingPoint | None:
        """Return the best threshold for a condition, in the sign of the caller; None if
        all thresholds exceed the budget.
        """
        counts = self.counts
        if "threshold" in options:
            options["threshold"] *= counts.sign
        else:
            options["unit_id"] = None  # of intervals, which other points lack
        try:
            point: OperatingPoint = self.call(operating_point, **options)
        # Only a budget below the rows of the highest score has no threshold; other
        # errors are the caller's.
        except ValueError as error:
            if not str(error).startswith("k must be at least "):
                raise
            return None
        threshold = point.threshold
        short = point._short
        if counts.lower_is_better:
            short = opposite(threshold_text(point))
            threshold = 0 - threshold  # 0 stays without a sign
        return replace(
            point,
            threshold=threshold,
            _short=short,
            _basis=counts.basis._replace(prevalence=point._basis.prevalence),
        )

    def budget(self, k: int | float) -> BudgetTotals:
        """Return what a budget per query finds. Its intervals draw queries, so there
        are none where other units are drawn.
        """
        totals: BudgetTotals = self.call(budget_totals, k=k)
        shares: Arguments = {}
        if self.draws_units:
            for name in ("positives", "weight", "amount"):
                share = getattr(totals, f"share_of_{name}")
                shares[f"share_of_{name}"] = share and replace(
                    share, standard_error=nan
                )
        return replace(totals, **shares, _basis=self.counts.basis)

    @property
    def scores_of_models(self) -> dict[str, AnyArray]:
        """The scores of the first model and of others, by their columns."""
        roles = [role for role in self.columns if role.startswith(("y_score", OTHER))]
        return {role: self.columns[role] for role in roles}

    def in_row_order(self) -> ScoredRows:
        """Return rows whose equal scores are ranked by their order, as detectors do."""
        columns = dict(self.columns)
        for role, scores in self.scores_of_models.items():
            last_first = np.argsort(scores[::-1], kind="stable")
            columns[role] = np.empty(scores.size)
            columns[role][scores.size - 1 - last_first] = np.arange(scores.size)
        return self._replace(columns=columns)

    @property
    def others(self) -> Mapping[str, ScoredRows]:
        """The rows with the scores of each other model."""
        return {
            role.removeprefix(OTHER): self._replace(
                columns={**self.columns, "y_score": scores}
            )
            for role, scores in self.scores_of_models.items()
            if role != "y_score"
        }


def _cut_in_name(k: int | float) -> str:
    """Return a cut as names of scores have it, without an exponent."""
    return str(k) if isinstance(k, int) else np.format_float_positional(k, trim="0")


def scored_rows(
    columns_by_role: Mapping[str, AnyArray | None],
    totals: ArrayLikeOrMapping | None,
    zero_division: float = 0.0,
    weightless: Iterable[QueryId] = (),
    **words: Any,
) -> ScoredRows:
    """Return rows from their columns by role, where None stands for a column that they
    lack; `words` are other fields of counts.

    A number as `totals` is the total of each query. Other queries are `weightless`,
    since all their rows weigh 0; those that have a total count, as queries without rows
    do.
    """
    columns: Arguments = {
        role: column for role, column in columns_by_role.items() if column is not None
    }
    positive = columns["y_true"]
    query = columns.get("query_id")
    has_positive = dict[QueryId, bool]()
    if query is not None:
        has_positive = dict.fromkeys(as_list(query), False)
        has_positive |= dict.fromkeys(as_list(query[positive]), True)
    n_with_rows = len(has_positive)
    total: Any = totals
    if has_positive and totals is not None:
        by_query: Any = dict.fromkeys(has_positive, totals)
        if hasattr(totals, "items"):
            # It may name queries that have no rows.
            by_query = read_totals(totals, np.array(list(has_positive)))
        # Positives are part of a total; a smaller one is refused.
        has_positive |= {name: in_all > 0 for name, in_all in by_query.items()}
        total, totals = sum(by_query.values()), by_query
    without = [str(name) for name, is_found in has_positive.items() if not is_found]
    n_weightless = sum(name not in has_positive for name in weightless)
    weight = columns.get("sample_weight")
    amount = columns.get("amount")
    if amount is not None and weight is not None:
        amount = amount * weight
    counts = Counts(
        rows=positive.size,
        positives=int(positive.sum()),
        all_positives=total,
        queries=len(has_positive) or None,
        queries_without_rows=len(has_positive) - n_with_rows,
        queries_without_weight=n_weightless,
        queries_without_positives=len(without),
        first_without_positives=without[:_MAX_QUERIES_NAMED],
        zero_division=zero_division,
        weight=_sums_of(weight, positive),
        amount=_sums_of(amount, positive),
        **words,
    )
    columns["zero_division"] = zero_division
    if totals is not None:
        columns["n_positives"] = totals
    return ScoredRows(counts, columns)


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
    counts = next(iter(classes.values())).counts
    parts = [
        {"unit_id": np.arange(counts.rows), **rows.columns} for rows in classes.values()
    ]
    zero_division = parts[0].pop("zero_division")
    columns = {
        role: np.concatenate([part[role] for part in parts]) for role in parts[0]
    }
    columns["query_id"] = np.repeat(list(classes), counts.rows)
    names = *_WORDS, "rows_left_out", "rows_dropped", "missing_values"
    rows = scored_rows(
        columns,
        None,
        zero_division,
        **{name: getattr(counts, name) for name in names},
        query_name="class",
    )
    return rows._replace(classes=classes)


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
    models = {model: ordered, **ordered.others}
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
    scores = rows.columns["y_score"]
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
    return float(chance_level(**rows.arguments(chance_level)) * share)


def _mean_chance(rows: ScoredRows) -> float:
    """Return the mean over queries of what a random ranking of each scores; those
    without positives count as in the score.
    """
    columns = rows.arguments(chance_level)
    queries, place = distinct_queries(columns["query_id"])
    has_positive = np.bincount(place, columns["y_true"]) > 0
    rest = {role: column[has_positive[place]] for role, column in columns.items()}
    levels = np.full(len(queries), rows.counts.zero_division)
    levels[has_positive] = chance_level(**rest)
    return float(np.nanmean(levels))


def _hits_in_first(rows: ScoredRows, k: int | float) -> Hits:
    """Return how many positives the first k rows contain, and their share of all, which
    counts weights.
    """
    counts = rows.counts
    name = f"recall@{_cut_in_name(k)}"
    if counts.queries:
        totals = rows.budget(k)
        estimate = getattr(totals, f"share_of_{counts.whole[0]}")
        drawn = None if rows.draws_units else estimate
        share = _score_from(float(estimate.score), drawn)
        return Hits(k=k, share=share, totals=totals)
    recall = rows.score(name)
    estimate = None
    # One ranking is a query.
    query = np.zeros(counts.rows, np.int8)
    totals = rows.call(budget_totals, k=k, query_id=query)
    with quiet_warnings():  # of few positives, which the score's interval says too
        # A bootstrap takes a second for more rows, and draws whole positives.
        is_drawn = counts.rows <= _MAX_DRAWN_ROWS
        if is_drawn and not (counts.all_positives or 0) % 1:
            estimate = rows.estimate(name, random_state=0)
        share = _score_from(recall, estimate)
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
    others = rows.others
    comparisons = []
    differences = _differences_from(others, _tests_of(rows, **question.params))
    cuts = list[Hits]()
    if first_cut:
        cuts = [_hits_in_first(other, first_cut.k) for other in others.values()]
    of_budgets = list[Difference]()
    if first_cut and first_cut.totals and not rows.draws_units:
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
                **vars(difference),
                estimate=_score_from(difference.score, estimate),
                cut=cut,
                found=of_budget,
            )
        )
    return comparisons


def _tests_of(rows: ScoredRows, **params: float) -> Sequence[ScoreComparison]:
    """Return the test of each other model against the first, alone."""
    arguments = rows.arguments(
        compare_many,
        AP,
        reference="y_score",
        random_state=0,
        **params,
        y_score=rows.scores_of_models,
    )
    return compare_many(AP, **arguments)._comparisons


def rows_by_query(rows: ScoredRows) -> dict[str, ScoredRows]:
    """Return the rows of each query as a ranking of their own."""
    arrays = dict(rows.columns)
    query = arrays.pop("query_id")
    totals = arrays.pop("n_positives", {})
    del arrays["zero_division"]
    words = {name: getattr(rows.counts, name) for name in _WORDS}
    kinds = {}
    queries, place = distinct_queries(query)
    for number, name in enumerate(queries):
        columns = {role: column[place == number] for role, column in arrays.items()}
        kinds[str(name)] = scored_rows(columns, totals.get(name), **words)
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
        **vars(difference),
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
