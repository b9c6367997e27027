"""The first answer as numbers: how good and how sure scores are, and what a budget
retrieves.

The sentences, the page and the JSON all read this one record. `schema.json` describes
it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from math import isfinite, isnan, nan
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from .. import distributed
from .._points._budgets import (
    BudgetTotals,
    budget_totals,
    compare_budgets,
    totals_sentence,
)
from .._points._by_query import score_by_query
from .._points._operating_points import OperatingPoint, operating_point, threshold_text
from .._public import warn_user
from .._ranking._cut import cut_depth
from .._reading._queries import distinct_queries
from .._registry import score_of
from .._typing import AnyArray, QueryId, ScoreByQuery, ScoreFunction, Totals
from .._uncertainty._chance import chance_level
from .._uncertainty._comparisons import compare_by_query, compare_scores
from .._uncertainty._estimates import estimate_score
from .._uncertainty._results import ScoreComparison, ScoreEstimate
from ..distributed._batches import SourceError

AP = "average_precision"
SCHEMA_VERSION = 1
_MAX_DRAWN_ROWS = 50_000  # in a bootstrap of the first answer
_FILTERS = RLock()
_MAX_NAMES = 10  # of queries without positives
JsonObject = dict[
    str, Any
]  # what JSON can say: numbers, text, None, and lists and dictionaries of these
Arguments = dict[str, Any]  # of a function, by name


class ScoredRows(NamedTuple):
    """The rows of an answer, as arguments of each score; `distributed` takes files that
    exceed memory.
    """

    counts: JsonObject  # of rows, positives and queries, without the rows of weight 0
    # of every score: arrays, or files and the names of their columns
    columns: Arguments
    params: Arguments  # of some scores: `n_positives` and `zero_division`
    arrays: (
        Mapping[str, AnyArray] | None
    )  # all columns by role; None if they exceed memory
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
        item_id, totals = (
            (self.arrays or {}).get("item_id"),
            self.params.get("n_positives"),
        )
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
        if self.counts["weight"] is None:
            return True
        weight = None if self.arrays is None else self.arrays["sample_weight"]
        is_missed = (
            self.counts["queries"] is None and self.counts["all_positives"] is not None
        )
        return weight is not None and bool(
            not is_missed or weight.min() == weight.max()
        )

    def estimate(
        self, name: str | ScoreFunction = AP, /, **options: float
    ) -> ScoreEstimate | None:
        """Return the estimate of a score; None if the rows determine no interval."""
        if not (self.has_influences and self.counts["positives"]):
            return None
        arguments = {**self.arguments(name), **options}
        if self.arrays is None:
            return distributed.estimate_score(name, **arguments)
        return estimate_score(name, **arguments, unit_id=self.arrays.get("unit_id"))

    def point(self, **options: Any) -> OperatingPoint:
        """Return the best threshold for a condition."""
        point = distributed.operating_point if self.arrays is None else operating_point
        if "threshold" in options and self.arrays is not None:
            options["unit_id"] = self.arrays.get("unit_id")
        return point(
            **self.columns, n_positives=self.params.get("n_positives"), **options
        )

    def budget(self, k: int | float) -> BudgetTotals:
        """Return what a budget per query finds, with the intervals of units."""
        options = {**self.columns, "n_positives": self.params.get("n_positives")}
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


def cut_in_name(k: int | float) -> str:
    """Return a cut as names of scores have it, without an exponent."""
    return str(k) if isinstance(k, int) else np.format_float_positional(k, trim="0")


def rows_in_memory(
    columns_by_role: Mapping[str, AnyArray | None],
    totals: Totals | None,
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
    positive, query, queries = arrays["y_true"], arrays.get("query_id"), None
    if query is not None:
        queries = dict.fromkeys(query.tolist(), False) | dict.fromkeys(
            query[positive].tolist(), True
        )
    batch = positive, arrays.get("sample_weight")
    return rows_from_batches([batch], columns, totals, queries, zero_division)._replace(
        arrays=arrays
    )


def rows_from_batches(
    batches: Iterable[tuple[AnyArray, AnyArray | None]],
    columns: Arguments,
    totals: Totals | None,
    queries: Mapping[QueryId, bool] | None,
    zero_division: float,
) -> ScoredRows:
    """Return rows that exceed memory; each batch has labels and weights.

    `queries` says which queries have a positive row. A number as `totals` is the total
    of each query.
    """
    sums = np.zeros(4)
    for positive, weight in batches:
        weights = np.ones(positive.size) if weight is None else weight
        sums += np.array(
            [weights.size, positive.sum(), weights.sum(), weights[positive].sum()]
        )
    n_rows, n_positives, weight_of_all, weight_of_positives = sums.tolist()
    counts: JsonObject = {
        "rows": int(n_rows),
        "positives": int(n_positives),
        "all_positives": totals,
        "queries": None,
        "query_name": "query",
        "without_positives": None,
        "weight": None,
        "weight_name": "weight",
        "rows_left_out": 0,
    }
    if "sample_weight" in columns:
        counts["weight"] = {"all": weight_of_all, "positives": weight_of_positives}
    params: Arguments = {} if totals is None else {"n_positives": totals}
    if queries is not None:
        params["zero_division"] = zero_division
        if totals is not None:
            # A mapping may name queries that have no rows.
            by_query = (
                dict(totals.items())
                if hasattr(totals, "items")
                else dict.fromkeys(queries, totals)
            )
            queries = {
                **queries,
                **{query: True for query, total in by_query.items() if total},
            }
            queries |= {query: False for query in by_query if query not in queries}
            counts["all_positives"], params["n_positives"] = (
                sum(by_query.values()),
                by_query,
            )
        names = [
            str(query) for query, has_positive in queries.items() if not has_positive
        ]
        if names:
            without = {
                "queries": len(names),
                "names": names[:_MAX_NAMES],
                "score": zero_division,
            }
            counts["without_positives"] = without
        counts["queries"] = len(queries)
    return ScoredRows(counts, columns, params, None)


class Question(NamedTuple):
    """The subject of an answer, besides the rows."""

    k: int | float | None = None
    prevalence: float | None = None
    conditions: tuple[
        Mapping[str, float], ...
    ] = ()  # of thresholds, such as {"recall": 0.8}
    # name of the second model, whose scores are `rows.arrays["compare"]`
    compare: str | None = None

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


def answer_of(
    name: str, rows: ScoredRows | Mapping[str, ScoredRows], question: Question
) -> JsonObject:
    """Return the answer for rows, or for those of each class, with the warnings that
    its numbers gave.
    """
    with quiet_warnings() as caught:
        if isinstance(rows, ScoredRows):
            numbers = _numbers_of(name, rows, question)
        else:
            numbers = _numbers_of_classes(name, rows, question)
    messages = {
        str(warning.message): warning.message for warning in caught
    }  # each text once
    for message in messages.values():  # pass them on: a record alone would hide them
        warn_user(message)
    answer: JsonObject = without_nan({**numbers, "warnings": list(messages)})
    return answer


def _numbers_of_classes(
    name: str, classes: Mapping[str, ScoredRows], question: Question
) -> JsonObject:
    """Return the mean over classes, and the answer for each class against the
    others.
    """
    answers = [answer_of(label, rows, question) for label, rows in classes.items()]
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
    values = [
        0.0 if answer["score"] is None else answer["score"]["value"]
        for answer in answers
    ]
    score = _score_numbers(float(np.mean(values)), estimate)
    numbers: JsonObject = {
        "schema": SCHEMA_VERSION,
        "kind": "classes",
        "name": name,
        "score": score,
    }
    numbers |= {"prevalence": question.prevalence, "comparison": None}
    if question.compare is not None and is_complete:
        second = np.column_stack([arrays["compare"] for arrays in all_rows])
        comparison = compare_scores(
            AP, y_true, second, y_score, **shared, random_state=0
        )
        numbers["comparison"] = difference_from(
            str(question.compare), comparison.scores[0], comparison
        )
    return {**numbers, "classes": answers}


def without_nan(value: Any) -> Any:
    """Return a value, or a list or a dictionary of values, without NaN and infinity,
    which JSON lacks.
    """
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(without_nan, value))
    return None if isinstance(value, float) and not isfinite(value) else value


def _numbers_of(name: str, rows: ScoredRows, question: Question) -> JsonObject:
    counts, k, params = rows.counts, question.k, question.params
    numbers: JsonObject = {
        "schema": SCHEMA_VERSION,
        "kind": "answer",
        "name": name,
        "counts": counts,
        "prevalence": question.prevalence,
        "score": None,
        "chance": None,
        "chance_is": "chance",
        "cut": None,
        "thresholds": [],
        "comparison": None,
    }
    if not (counts["positives"] or counts["all_positives"]):
        heavy = " of weight above 0" * (counts["weight"] is not None)
        warn_user(
            f"no row{heavy} has the positive label; scores of the ranking are undefined"
        )
        return numbers
    estimate = rows.estimate(**params)
    numbers["score"] = _score_numbers(
        nan if estimate else rows.score(AP, **params), estimate
    )
    numbers["chance_is"], numbers["chance"] = _chance_of(rows, question.prevalence)
    if k is not None:
        threshold = (
            _threshold_for(rows, {"k": k}, params)
            if counts["queries"] is None
            else None
        )
        numbers["cut"] = {**_hits_in_first(rows, k), "threshold": threshold}
    numbers["thresholds"] = [
        {
            "condition": dict(condition),
            "threshold": _threshold_for(rows, condition, params),
        }
        for condition in question.conditions
    ]
    # Rows without positives have the score 0, which determines no interval, but runs of
    # queries have scores.
    if question.compare is not None and (
        counts["positives"] or rows.second_run is not None
    ):
        numbers["comparison"] = _comparison(rows, question)
    return numbers


def _score_numbers(value: float, estimate: ScoreEstimate | None) -> JsonObject:
    """Return a score with its interval, or `value` alone if there is no estimate."""
    low, high = (nan, nan) if estimate is None else estimate.confidence_interval()
    value = value if estimate is None else float(estimate.score)
    drawn = {
        name: getattr(estimate, name, None) for name in ("n_units", "n_fixed_queries")
    }
    return {
        "name": AP,
        "value": value,
        "low": low,
        "high": high,
        "confidence_level": 0.95,
        **drawn,
    }


def _chance_of(rows: ScoredRows, prevalence: float | None) -> tuple[str, float]:
    """Return what a random ranking scores, and its name; NaN without a formula, or if
    ties are unknown.
    """
    counts, arrays, weight = rows.counts, rows.arrays, rows.counts["weight"]
    if not counts["positives"]:
        return "chance", nan
    is_plain = arrays is not None and weight is None
    is_complete = counts["queries"] is None and counts["all_positives"] is None
    name = (
        "the prevalence"
        if is_complete and not (is_plain and prevalence is None)
        else "chance"
    )
    if prevalence is not None:
        return name, prevalence
    if counts["queries"] is not None:
        return name, _mean_chance(rows) if is_plain and counts[
            "all_positives"
        ] is None else nan
    weight = weight or {"all": counts["rows"], "positives": counts["positives"]}
    level = (
        chance_level(**rows.columns).mean
        if is_plain
        else weight["positives"] / weight["all"]
    )
    total = counts["all_positives"] or weight["positives"]
    return name, float(level * (weight["positives"] / total))


def _mean_chance(rows: ScoredRows) -> float:
    """Return the mean of the levels of queries; those without positives count as in the
    score.
    """
    columns = rows.columns
    place = distinct_queries(columns["query_id"])[1]
    has_positive = np.bincount(place, columns["y_true"]) > 0
    rest = {role: column[has_positive[place]] for role, column in columns.items()}
    without = np.full(np.count_nonzero(~has_positive), rows.params["zero_division"])
    return float(np.nanmean(np.append(chance_level(**rest).mean, without)))


def _hits_in_first(rows: ScoredRows, k: int | float) -> JsonObject:
    """Return how many positives the first k rows contain, and their recall, which
    counts weights.
    """
    counts, hits, depth, totals, ends = rows.counts, None, None, None, (nan, nan)
    recall = rows.score(name := f"recall@{cut_in_name(k)}")
    if counts["queries"] is None:
        depth = min(int(cut_depth(np.array([counts["rows"]]), k)[0]), counts["rows"])
        if counts["weight"] is None:
            hits = recall * (counts["all_positives"] or counts["positives"])
        elif rows.arrays is not None:
            hits = (
                rows.score(name, sample_weight=None, n_positives=None)
                * counts["positives"]
            )
        ends = _ends_of_share(rows, name)
    elif rows.arrays is not None:
        totals = _budget_totals(rows, k)
    low, high = ends
    share = {"recall": recall, "low": low, "high": high}
    return {"k": k, "rows": depth, **share, "positives": hits, "totals": totals}


def _ends_of_share(rows: ScoredRows, name: str) -> tuple[float, float]:
    """Return the interval of what a budget finds, by a bootstrap; NaN where that takes
    a second.
    """
    total = rows.counts["all_positives"]
    if rows.arrays is None or rows.counts["rows"] > _MAX_DRAWN_ROWS or (total or 0) % 1:
        return nan, nan
    with quiet_warnings():  # of few positives, which the score's interval says too
        estimate = rows.estimate(name, random_state=0)
        return (nan, nan) if estimate is None else estimate.confidence_interval()


def _budget_totals(rows: ScoredRows, k: int | float) -> JsonObject:
    """Return what a budget per query finds in all, with the intervals of its shares."""
    totals = rows.budget(k)
    shares = {}
    for name in ("share_of_positives", "share_of_weight"):
        share: ScoreEstimate = getattr(totals, name)
        low, high = share.confidence_interval()
        shares[name] = {"value": share.score, "low": low, "high": high}
    return {
        "text": totals_sentence(
            totals,
            rows.counts["query_name"],
            totals._basis._replace(weight_name=rows.counts["weight_name"]),
        ),
        "rows": totals.n_retrieved,
        "positives_found": totals.positives_found,
        "positives": totals.n_positives,
        "weight_found": totals.weight_found,
        "weight": totals.positive_weight,
        **shares,
    }


def _threshold_for(
    rows: ScoredRows, condition: Mapping[str, float], params: Mapping[str, float]
) -> JsonObject | None:
    """Return the best threshold for a condition; None if all thresholds exceed the
    budget.
    """
    try:
        point = rows.point(**condition, **params)
    # Only a budget below the rows of the highest score has no threshold; other errors
    # are the caller's.
    except ValueError as error:
        if "k" not in condition or isinstance(error, SourceError):
            raise
        return None
    if isnan(point.threshold):
        return None
    return {
        "value": point.threshold
        if isinstance(point.threshold, int)
        else float(point.threshold),
        "short": threshold_text(point),
        "rows": point.n_retrieved,
        "precision": point.precision,
        "recall": point.recall,
        "weight_found": point.weight_found,
        "table": {
            name: dict(zip(("value", "low", "high"), row, strict=True))
            for name, row in point.table().items()
        },
    }


def _comparison(rows: ScoredRows, question: Question) -> JsonObject:
    """Return the score of the second model and its difference to the first."""
    second, found, arrays = rows.with_second_scores(), None, rows.arrays or {}
    if rows.second_run is None:
        params = {
            **rows.columns,
            **rows.params,
            **question.params,
            "unit_id": arrays.get("unit_id"),
        }
        y_true, first = params.pop("y_true"), params.pop("y_score")
        # The seed gives the same answer in every run.
        comparison = compare_scores(
            AP, y_true, arrays["compare"], first, **params, random_state=0
        )
    else:
        comparison = compare_by_query(second.by_query(AP), rows.by_query(AP))
    numbers = difference_from(str(question.compare), comparison.scores[0], comparison)
    if question.k is None:
        return {**numbers, "cut": None, "found": None}
    if (
        rows.counts["queries"] is not None and rows.second_run is None
    ):  # the budgets are of the same rows
        of_money = compare_budgets(second.budget(question.k), rows.budget(question.k))
        found = difference_from("share_of_weight", of_money.scores[0], of_money)
    return {**numbers, "cut": _hits_in_first(second, question.k), "found": found}


def difference_from(name: str, score: float, comparison: ScoreComparison) -> JsonObject:
    """Return a difference as numbers, with the name and the score of the model or file
    that is compared.
    """
    # Equal models have a difference of 0 without an error, which makes no interval.
    low, high = (
        (nan, nan) if comparison.difference == 0 else comparison.confidence_interval()
    )
    # Each end of an interval of 90 % is the limit of a one-sided test at the level .05.
    limits = (nan, nan) if isnan(low) else comparison.confidence_interval(0.9)
    numbers = {
        "difference": comparison.difference,
        "low": low,
        "high": high,
        "pvalue": comparison.pvalue,
    }
    return {
        "name": name,
        "score": score,
        **numbers,
        "at_least": limits[0],
        "at_most": limits[1],
    }


def check_of_difference(
    numbers: JsonObject, margin: float, *, is_reversed: bool
) -> JsonObject:
    """Return whether the score is lower than another one by more than a margin, at the
    one-sided level .05.

    A reversed difference is that of the other score minus this one.
    """
    limit = numbers["at_least" if is_reversed else "at_most"]
    is_equal = numbers["difference"] == 0 and numbers["pvalue"] is not None
    if limit is None and not is_equal:
        raise SourceError(
            f"--fail-if-lower: the difference to {numbers['name']} has no interval"
        )
    failed = not is_equal and (-limit if is_reversed else limit) < -margin
    why = f"the score is lower than that of {numbers['name']} by more than {margin:g} (one-sided p < .05)"
    why = why if failed else f"no evidence that {why}"
    return {"option": "--fail-if-lower", "value": margin, "failed": failed, "why": why}


def check_of_score(score: JsonObject, least: float) -> JsonObject:
    """Return whether the interval of a score lies below a value."""
    if score["high"] is None:
        raise SourceError(
            "--fail-below requires a score with an interval; these rows determine none"
        )
    is_below = score["high"] < least
    text = f"the interval of the score {'lies' if is_below else 'does not lie'} below {least:g}"
    return {"option": "--fail-below", "value": least, "failed": is_below, "why": text}
