"""The first answer as numbers: how good and how sure scores are, and what a budget retrieves.

The sentences, the page and the JSON all read this one record. `schema.json` describes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from decimal import ROUND_FLOOR, Context
from math import isfinite, isnan
from typing import Any, NamedTuple

import numpy as np

from .._points._by_query import BudgetTotals, totals_sentence
from .._points._operating_points import OperatingPoint
from .._public import warn_user
from .._ranking._cut import cut_depth
from .._uncertainty._chance import chance_level
from .._uncertainty._comparisons import compare_scores
from .._uncertainty._results import ScoreEstimate
from ..distributed._batches import SourceError
from ._rows import AP, RowCounts, ScoredRows, cut_in_name

SCHEMA_VERSION = 1
_MIN_DIGITS = 4  # of a threshold; more if fewer would retrieve other rows
_MAX_NAMES = 10  # of queries without positives
JsonObject = dict[str, Any]  # what JSON can say: numbers, text, None, and lists and dictionaries of these


class Question(NamedTuple):
    """The subject of an answer, besides the rows."""

    k: int | float | None = None
    prevalence: float | None = None
    conditions: tuple[Mapping[str, float], ...] = ()  # of thresholds, such as {"recall": 0.8}
    compare: str | None = None  # name of the second model, whose scores are `rows.arrays["compare"]`
    with_interval: bool = True


def answer_of(name: str, rows: ScoredRows, question: Question) -> JsonObject:
    """Return the answer for rows, with the warnings that its numbers gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        if problem := missing_positives(rows.counts):
            warnings.warn(problem, stacklevel=1)
        numbers = _numbers_of(name, rows, question)
    messages = {str(warning.message): warning.message for warning in caught}  # each text once
    for message in messages.values():  # pass them on: a record alone would hide them
        warn_user(message)
    return {**numbers, "warnings": list(messages)}


def _numbers_of(name: str, rows: ScoredRows, question: Question) -> JsonObject:
    counts, k = rows.counts, question.k
    score_params = {} if question.prevalence is None else {"prevalence": question.prevalence}
    numbers: JsonObject = {
        "schema": SCHEMA_VERSION,
        "kind": "answer",
        "name": name,
        "counts": counts_as_numbers(counts),
        "prevalence": question.prevalence,
        "score": None,
        "chance": None,
        "chance_is": "chance",
        "cut": None,
        "thresholds": [],
        "comparison": None,
    }
    if not counts.n_positives:
        return numbers
    # An interval costs as much as the score: tables, which show none, leave it out.
    estimate = rows.estimate(**score_params) if question.with_interval else (rows.score(AP), np.nan, np.nan)
    value, low, high = map(_finite_or_none, estimate)
    numbers["score"] = {"name": AP, "value": value, "low": low, "high": high, "confidence_level": 0.95}
    is_exact = rows.arrays is not None and not counts.is_weighted and question.prevalence is None
    has_missed = counts.n_queries is not None or counts.total_positives is not None
    numbers["chance_is"] = "chance" if is_exact or has_missed else "the prevalence"
    numbers["chance"] = _finite_or_none(chance_of(rows, question.prevalence))
    if k is not None:
        threshold = threshold_for(rows, {"k": k}, score_params) if counts.n_queries is None else None
        numbers["cut"] = {**hits_in_first(rows, k), "threshold": threshold}
    numbers["thresholds"] = [
        {"condition": dict(condition), "threshold": threshold_for(rows, condition, score_params)}
        for condition in question.conditions
    ]
    if question.compare is not None:
        numbers["comparison"] = _comparison(rows, question, score_params)
    return numbers


def counts_as_numbers(counts: RowCounts) -> JsonObject:
    """Return the numbers of rows, positives and queries under the names of the schema."""
    weights = {"all": counts.total_weight, "positives": counts.positive_weight}
    return {
        "rows": counts.n_rows,
        "positives": counts.n_positives,
        "all_positives": counts.total_positives,
        "queries": counts.n_queries,
        "query_name": counts.query_name,
        "without_positives": _queries_without_positives(counts),
        "weight": weights if counts.is_weighted else None,
    }


def _queries_without_positives(counts: RowCounts) -> JsonObject | None:
    """Return how many queries have no positive, the first of them, and what they count as."""
    without = counts.without_positives
    names = [str(query) for query in without[:_MAX_NAMES]]
    score = _finite_or_none(counts.zero_division)
    return {"queries": len(without), "names": names, "score": score} if without else None


def missing_positives(counts: RowCounts) -> str:
    """Return a warning if no row is positive, since the score is then a convention; else an empty text."""
    heavy = " of weight above 0" * counts.is_weighted
    undefined = f"no row{heavy} has the positive label; scores of the ranking are undefined"
    return undefined * (not counts.n_positives)


def query_words(query_name: str, n_queries: int) -> str:
    """Return a number of queries in words, such as 3 queries or 1 value of day."""
    if query_name == "query":
        return f"{n_queries:,} {'query' if n_queries == 1 else 'queries'}"
    return f"{n_queries:,} value{'s' * (n_queries != 1)} of {query_name}"


def _finite_or_none(value: float) -> float | None:
    """Return a number for JSON, which has no NaN and no infinity."""
    return float(value) if isfinite(value) else None


def chance_of(rows: ScoredRows, prevalence: float | None) -> float:
    """Return the score of a random ranking where it has a formula and the ties are known, else NaN."""
    counts, is_plain = rows.counts, rows.arrays is not None and not rows.counts.is_weighted
    if prevalence is not None:
        return prevalence
    if counts.n_queries is not None:
        if not is_plain or counts.total_positives is not None:
            return np.nan
        return _mean_chance(rows)
    level = chance_level(*rows.data).mean if is_plain else counts.positive_weight / counts.total_weight
    return float(level * (counts.positive_weight / counts.total_positives if counts.total_positives else 1.0))


def _mean_chance(rows: ScoredRows) -> float:
    """Return the mean of the levels of queries; those without positives count as in the score."""
    counts, query = rows.counts, rows.columns["query_id"]
    without = set(counts.without_positives)
    kept = np.array([name not in without for name in query.tolist()]) if without else slice(None)
    levels = chance_level(*(array[kept] for array in rows.data), query_id=query[kept]).mean
    values = np.append(levels, np.full(len(without), counts.zero_division))
    return float(np.nanmean(values))


def hits_in_first(rows: ScoredRows, k: int | float) -> JsonObject:
    """Return how many positives the first k rows contain; their recall is by weight, if there are weights."""
    counts, hits = rows.counts, None
    recall = rows.score(name := f"recall@{cut_in_name(k)}")
    if counts.n_queries is None and not (counts.is_weighted and rows.arrays is None):
        total = counts.n_positives if counts.n_all_positives is None else counts.n_all_positives
        by_count = rows.score(name, sample_weight=None, n_positives=None) if counts.is_weighted else recall
        hits = by_count * total
    depth = None if counts.n_queries else min(int(cut_depth(np.array([counts.n_rows]), k)[0]), counts.n_rows)
    totals = _totals_in_words(rows.totals(k), counts.query_name)
    return {"k": k, "rows": depth, "recall": recall, "positives": hits, "totals": totals}


def _totals_in_words(totals: BudgetTotals | None, query_name: str) -> JsonObject | None:
    """Return what a budget per query finds in all, with the intervals of its shares."""
    if totals is None:
        return None
    return {
        "text": totals_sentence(totals, query_name),
        "rows": totals.n_retrieved,
        "positives_found": totals.positives_found,
        "positives": totals.n_positives,
        "weight_found": totals.weight_found,
        "weight": totals.positive_weight,
        "share_of_positives": _share_in_words(totals.share_of_positives),
        "share_of_weight": _share_in_words(totals.share_of_weight),
    }


def _share_in_words(share: ScoreEstimate) -> JsonObject:
    low, high = map(_finite_or_none, share.confidence_interval())
    return {"value": share.score, "low": low, "high": high}


def threshold_for(
    rows: ScoredRows, condition: Mapping[str, float], score_params: Mapping[str, float] | None = None
) -> JsonObject | None:
    """Return the best threshold for a condition; None if all thresholds exceed the budget."""
    try:
        point = rows.point(**condition, **(score_params or {}))
    # Only a budget below the rows of the highest score has no threshold; other errors are the caller's.
    except ValueError as error:
        if "k" not in condition or isinstance(error, SourceError):
            raise
        return None
    return None if isnan(point.threshold) else point_in_words(rows, point)


def point_in_words(rows: ScoredRows, point: OperatingPoint) -> JsonObject:
    """Return a threshold, a short decimal that retrieves the same rows, and what it retrieves."""
    return {
        "value": _finite_or_none(point.threshold),
        "short": _short_threshold(rows, point.threshold),
        "rows": point.n_retrieved,
        "precision": point.precision,
        "recall": point.recall,
        "weight_found": point.weight_found,
    }


def _short_threshold(rows: ScoredRows, threshold: float) -> str:
    """Return a short decimal that retrieves the same rows as a threshold."""
    if rows.arrays is None:
        return str(threshold + 0)  # -0.0 becomes 0.0; both are equal
    lower = rows.arrays["y_score"][rows.arrays["y_score"] < threshold]
    return short_threshold(threshold, lower.max() if lower.size else -np.inf)


def short_threshold(threshold: float, next_score: float) -> str:
    """Return the shortest decimal, rounded down, that lies above the next lower score."""
    threshold += 0  # -0.0 becomes 0.0; both are equal
    if isinstance(threshold, float):
        for digits in range(_MIN_DIGITS, 17):
            decimal = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(threshold)))
            if decimal > next_score:
                return str(decimal)
    return str(threshold)


def _comparison(rows: ScoredRows, question: Question, score_params: Mapping[str, Any]) -> JsonObject:
    """Return the score of the second model and its difference to the first, with its significance."""
    arrays: Any = rows.arrays  # a comparison needs all rows in memory
    models = arrays["y_true"], arrays["compare"], arrays["y_score"]
    params = {**rows.columns, **rows.params, **score_params, "unit_id": arrays.get("unit_id")}
    comparison = compare_scores(AP, *models, **params, random_state=0)  # the same answer in every run
    # Equal models have a difference of 0 without an error, which makes no interval.
    low, high = (np.nan, np.nan) if comparison.difference == 0 else comparison.confidence_interval()
    return {
        "name": question.compare,
        "score": comparison.scores[0],
        "difference": comparison.difference,
        "low": _finite_or_none(low),
        "high": _finite_or_none(high),
        "pvalue": _finite_or_none(comparison.pvalue),
        "cut": None if question.k is None else hits_in_first(rows._replace(data=models[:2]), question.k),
    }
