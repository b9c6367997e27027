"""The first answer for a file, in plain words: how good the scores are, how sure, and what a budget catches.

Every number is one of the library's own functions, of rows in memory or, with the same questions, of scans.
"""

import argparse
from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Context
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from .. import distributed
from .._operating_points import OperatingPoint, operating_point
from .._ranking._cut import cut_depth
from .._scores._at_k import recall_at_k_score
from .._scores._average_precision import average_precision_score
from .._typing import AnyArray, ScoreFunction
from .._uncertainty._comparisons import compare_scores
from .._uncertainty._estimates import estimate_score
from .._uncertainty._results import ScoreComparison
from ..distributed._source import SourceError, shown
from ._summary import Estimate, Facts, Given, Yardstick, capital, opening, positives_within, shortly

_NO_SCORE: Estimate = (nan, nan, nan)
_SURE = 0.05  # a difference whose p-value is smaller is called more than chance
_DIGITS = 4  # of a threshold, or more where fewer would retrieve other rows


class RowsInMemory(NamedTuple):
    """Rows in memory."""

    given: Given
    arguments: Mapping[str, Any]  # of each score

    def score(self, score_func: ScoreFunction, **more: Any) -> float:
        """Return a score of all rows."""
        return float(score_func(self.given.positive, self.given.score, **{**self.arguments, **more}))

    def estimate(self, **more: Any) -> Estimate:
        """Return average precision and the ends of its interval; NaN without the weights of missed rows."""
        given, params = self.given, {**self.arguments, **more, "unit_id": self.given.unit}
        is_stated = given.query is None and params["n_positives"] is not None
        if is_stated and given.weight is not None and np.unique(given.weight[given.weight > 0]).size > 1:
            return self.score(average_precision_score, **more), nan, nan
        found = estimate_score(average_precision_score, given.positive, given.score, **params)
        return float(found.score), *found.confidence_interval()

    def point(self, **condition: float) -> OperatingPoint:
        """Return the best threshold for a condition."""
        stated: Any = {name: self.arguments.get(name) for name in ("sample_weight", "n_positives")}
        if self.given.query is not None:
            totals = self.given.totals
            stated |= {
                "query_id": self.given.query,
                "n_positives": sum(totals) if isinstance(totals, Sequence) else None,
            }
        return operating_point(self.given.positive, self.given.score, **{**condition, **stated})

    def compare(self, score_b: AnyArray, **more: Any) -> ScoreComparison:
        """Compare a second model with the first; the seed makes a comparison that draws repeat itself."""
        given, params = self.given, {**self.arguments, **more, "unit_id": self.given.unit}
        models = given.positive, score_b, given.score
        return compare_scores(average_precision_score, *models, **params, random_state=0)


class RowsInScans(NamedTuple):
    """Rows of files that do not fit into memory."""

    rows: Mapping[str, Any]  # where the rows are, and how they are read
    columns: Mapping[str, Any]  # of weights and queries
    arguments: Mapping[str, Any]  # of each score

    def score(self, score_func: ScoreFunction, **more: Any) -> float:
        """Return a score of all rows."""
        params = {**self.arguments, **more}
        (found,) = distributed.scores([score_func], **self.rows, **self.columns, **params).values()
        return float(found)

    def estimate(self, **more: Any) -> Estimate:
        """Return average precision and the ends of its interval, where a walk adds up its influences."""
        if self.columns:
            return self.score(average_precision_score, **more), np.nan, np.nan
        params: Any = {**self.arguments, **more}
        found = distributed.estimate_score(average_precision_score, **self.rows, **params)
        return float(found.score), *found.confidence_interval()

    def point(self, **condition: float) -> OperatingPoint:
        """Return the best threshold for a condition."""
        stated: Any = self.arguments.get("n_positives")
        if "query_id" in self.columns:
            stated = sum(stated.values()) if isinstance(stated, Mapping) else None
        params: Any = {**condition, "n_positives": stated}
        return distributed.operating_point(**self.rows, **self.columns, **params)


AnyRows = RowsInMemory | RowsInScans


def first_answer(
    name: str, known: Facts, rows: AnyRows, options: argparse.Namespace, yardstick: Yardstick
) -> list[str]:
    """Return the sentences of the answer; each takes a line or two."""
    prevalence = options.prevalence
    more = {} if prevalence is None else {"prevalence": prevalence}
    if prevalence is not None:
        yardstick = "chance", prevalence
    said = opening(
        name, known, rows.estimate(**more) if known.found_weighed else _NO_SCORE, yardstick, prevalence
    )
    if not known.found_weighed:
        return said
    said.append(_budget(known, rows))
    if isinstance(rows, RowsInMemory) and rows.given.score_b is not None:
        said += _second_model(known, rows, shown(options.y_score_b), rows.given.score_b, more)
    said += [_threshold(known, rows, condition, more) for condition in options.threshold_at or []]
    return [*said, _next(known, options)]


def _budget(known: Facts, rows: AnyRows) -> str:
    """Say what the first k rows hold, and which threshold retrieves them."""
    k, said = known.k, capital(_held(known, rows))
    if known.queries is not None:
        return f"{said}."
    depth = min(int(cut_depth(np.array([known.weighed]), k).item()), known.weighed)
    try:
        point = rows.point(k=k)
    except SourceError:  # rows that changed since the last scan
        raise
    except ValueError:
        return f"{said}; no threshold retrieves so few, since more rows share the highest score."
    shortest = _short(rows, point.threshold)
    if point.n_retrieved == depth:
        return f"{said}; {'they score' if depth > 1 else 'it scores'} {shortest} or more."
    return f"{said}; {point.n_retrieved} of them score {shortest} or more, and the others are tied."


def _short(rows: AnyRows, threshold: float) -> str:
    """Return a short decimal that retrieves the rows of a threshold, and no others."""
    if isinstance(rows, RowsInMemory) and isinstance(threshold, float):
        scores = rows.given.score
        below = np.max(scores, where=scores < threshold, initial=-np.inf)
        for digits in range(_DIGITS, 17):
            decimal = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(threshold)))
            if decimal > below:
                return str(decimal)
    return str(threshold)


def _held(known: Facts, rows: AnyRows) -> str:
    """Say what the first k rows hold, of positives and of their weight."""
    k = known.k
    weight = rows.given.weight if isinstance(rows, RowsInMemory) else None
    if weight is None or known.queries is not None:
        return positives_within(known, rows.score(recall_at_k_score, k=k))
    counted = np.asarray(weight > 0, dtype=np.float64)
    found = rows.score(recall_at_k_score, k=k, sample_weight=counted, n_positives=None)
    plain = known._replace(weighted=False, stated=None)
    share = rows.score(recall_at_k_score, k=k)
    return f"{positives_within(plain, found)}, {100 * share:.3g} % of their weight"


def _second_model(
    known: Facts, rows: RowsInMemory, name: str, score_b: AnyArray, more: Mapping[str, Any]
) -> list[str]:
    """Say how good the second model is, and whether the difference is more than chance."""
    second = rows._replace(given=rows.given._replace(score=score_b))
    compared = rows.compare(score_b, **more)
    low, high = compared.confidence_interval()
    if compared.difference < 0:
        low, high = -high, -low
    if compared.difference == 0:
        return [f"{name} has the same."]
    is_sure = compared.pvalue < _SURE
    interval = "" if isnan(low) else f"95 % interval {low:.2g} to {high:.2g}, "
    return [
        f"{name} has {shortly(compared.scores[0])}: {_held(known, second)}.",
        f"It is {'lower' if compared.difference < 0 else 'higher'} by {abs(compared.difference):.2g} "
        f"({interval}p = {compared.pvalue:.2g}), "
        f"{'which is more than chance' if is_sure else 'so these rows do not tell which is better'}.",
    ]


def _threshold(known: Facts, rows: AnyRows, condition: Mapping[str, float], more: Mapping[str, float]) -> str:
    ((name, level),) = condition.items()
    try:
        point = rows.point(**condition, **more)
    except ValueError as error:
        if name != "k" or isinstance(error, SourceError):
            raise
        return f"k={level:g}: no threshold retrieves so few, since more rows share the highest score."
    by = " by weight" if known.weighted else ""
    within = "" if known.queries is None else f" (no query has more than {level:g})"
    return (
        f"{name}={level:g}: the {point.n_retrieved} rows that score {_short(rows, point.threshold)} or more"
        f"{within} have precision {shortly(point.precision)}, recall {shortly(point.recall)}{by}."
    )


def _next(known: Facts, options: argparse.Namespace) -> str:
    if known.queries is not None:
        first = "--by-query (each query), "
    elif options.y_score_b is None:
        first = "--compare COLUMN (another model), "
    else:
        first = "" if options.threshold_at else "--threshold-at recall=0.8, "
    return f"Next: {first}-k N (another budget), --table (all AP)."
