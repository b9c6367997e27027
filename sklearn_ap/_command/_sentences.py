"""The answer without options, in sentences: the score with its interval, and the hits of a budget.

A table begins with the same sentences.
"""

import argparse
import textwrap
from collections.abc import Mapping
from decimal import ROUND_FLOOR, Context
from math import floor, isnan, log10, nan
from typing import Any

import numpy as np

from .. import chance_level, compare_scores
from .._operating_points import OperatingPoint
from .._ranking._cut import cut_depth
from .._registry import K
from ..distributed._batches import SourceError, format_value
from ._rows import AP, Estimate, FileRows, RowCounts, cut_in_name

_SIGNIFICANCE_LEVEL = 0.05  # a difference with a smaller p-value is called significant
_MIN_DIGITS = 4  # of a threshold; more if fewer would retrieve other rows
_MAX_DECIMALS = 6  # of a share; sums are rounded beyond them
_TOO_FEW = "no threshold retrieves so few, since more rows share the highest score."


def first_answer(name: str, rows: FileRows, options: argparse.Namespace) -> list[str]:
    """Return the sentences of the answer, each a line or two long."""
    k, prevalence = options.k or K, options.prevalence
    score_params = {} if prevalence is None else {"prevalence": prevalence}
    if not rows.counts.n_positives:
        return opening_sentences(name, rows)
    sentences = opening_sentences(name, rows, prevalence, rows.estimate(**score_params))
    sentences.append(_budget_sentence(rows, k))
    if options.compare is not None:
        sentences += _comparison_sentences(rows, format_value(options.compare), k, score_params)
    sentences += [
        _threshold_sentence(rows, condition, score_params) for condition in options.threshold_at or []
    ]
    suggestion = "--threshold-at recall=0.8" if options.compare else "--compare COLUMN (another model)"
    suggestion = suggestion if rows.counts.n_queries is None else "--by-query (each query)"
    return [*sentences, f"Next: {suggestion}, -k N (another budget), --table (all AP)."]


def table_opening(name: str, rows: FileRows, k: int | float | None) -> list[str]:
    """Return the sentences above a table."""
    if not rows.counts.n_positives:
        return [*opening_sentences(name, rows), cut_sentence(k)]
    sentences = opening_sentences(name, rows, None, (rows.score(AP), nan, nan))
    return [*sentences, f"{_hits_in_first(rows, k or K)}.".capitalize(), cut_sentence(k)]


def opening_sentences(
    name: str, rows: FileRows, prevalence: float | None = None, estimate: Estimate = (nan, nan, nan)
) -> list[str]:
    """Return the first two sentences: the numbers of rows and positives, and the average precision."""
    if not rows.counts.n_positives:
        return [f"{name}: contains no positive rows; average precision is undefined."]
    value, low, high = estimate
    counts = rows.counts
    mean = "Mean average precision (MAP) of the queries"
    score_name = "Average precision (AP)" if counts.n_queries is None else mean
    at = "" if prevalence is None else f" at a prevalence of {prevalence:g}"
    at += " by weight" if counts.is_weighted else ""
    interval = "" if isnan(low) else f", 95 % interval {short_share(low)} to {short_share(high)}"
    score = f"{short_share(value)}{interval}{_chance_clause(rows, prevalence)}"
    sentence = f"{score_name}{at} is {score}."
    return [f"{name}: {count_sentence(counts)}.", sentence]


def count_sentence(counts: RowCounts) -> str:
    """Return how many rows and positives there are."""
    queries = "" if counts.n_queries is None else f" in {counts.n_queries} queries"
    missed = "" if counts.n_all_positives is None else f" of {_short_count(counts.n_all_positives)}"
    percent, weight = 100 * counts.n_positives / counts.n_rows, ""
    if counts.is_weighted:
        weight = f"; they are {100 * counts.positive_weight / counts.total_weight:.3g} % of the weight"
    return f"{counts.n_rows} rows{queries}, {counts.n_positives}{missed} positive ({percent:.3g} %){weight}"


def cut_sentence(k: int | float | None) -> str:
    """Return the cut with its unit."""
    words = "rows, the default of -k" if k is None else "rows" if isinstance(k, int) else "of the rows"
    return f"k = {k or K} {words}."


def missing_positives(counts: RowCounts) -> str:
    """Return a warning if a ranking has no positive, since its score is a convention; else an empty text."""
    if not counts.n_positives:
        return "no row has the positive label; scores of the ranking are undefined"
    if counts.n_queries in (None, counts.n_with_positive) or counts.total_positives is not None:
        return ""
    n_empty = (counts.n_queries or 0) - counts.n_with_positive
    return f"{n_empty} of {counts.n_queries} queries have no positive and count as 0 in our means"


def _chance_clause(rows: FileRows, prevalence: float | None) -> str:
    """Return the score of a random ranking where it has a formula, else the prevalence or an empty text.

    The mean of random rankings depends on the tied scores, which rows beyond memory do not show. Missed
    positives multiply it by the share of positives that are found.
    """
    counts = rows.counts
    level = counts.positive_weight / counts.total_weight if prevalence is None else prevalence
    name = "chance"
    is_plain = rows.arrays is not None and not counts.is_weighted
    if counts.n_queries is not None and prevalence is None:
        if not is_plain or counts.total_positives is not None or counts.n_with_positive < counts.n_queries:
            return ""
        level = float(np.mean(chance_level(*rows.data, **rows.columns).mean))
    elif prevalence is None:
        level = chance_level(*rows.data).mean if is_plain else level
        level *= counts.positive_weight / counts.total_positives if counts.total_positives else 1.0
        name = "chance" if is_plain or counts.is_weighted else "the prevalence"
    return f"; {name} is {short_share(level)}"


def _hits_in_first(rows: FileRows, k: int | float) -> str:
    """Return the number of positives among the first k rows, and the share of their weight."""
    counts, is_share = rows.counts, not isinstance(k, int)
    recall = rows.score(name := f"recall@{cut_in_name(k)}")
    first = f"first {100 * k:g}% of the rows" if is_share else f"first {k} rows" if k > 1 else "first row"
    contain = "contains" if first == "first row" else "contain"
    if counts.n_queries is not None:
        whole = "the weight of its positives" if counts.is_weighted else "its positives"
        return f"the {first} of a query {contain} {short_share(recall)} of {whole}, on average"
    if is_share:
        first += f" ({_depth(rows, k)})"
    first = f"the {first}" if is_share or k < counts.n_rows else f"all {counts.n_rows} rows"
    if counts.is_weighted and rows.arrays is None:
        return f"{first} {contain} {short_share(recall)} of the weight of the positives"
    total = counts.n_positives if counts.n_all_positives is None else counts.n_all_positives
    by_count = rows.score(name, sample_weight=None, n_positives=None) if counts.is_weighted else recall
    weight = f", {100 * recall:.3g} % of their weight" if counts.is_weighted else ""
    return f"{first} {contain} {_short_count(by_count * total)} of {_short_count(total)} positives{weight}"


def _depth(rows: FileRows, k: int | float) -> int:
    """Return the number of rows that a cut keeps."""
    return min(int(cut_depth(np.array([rows.counts.n_rows]), k).item()), rows.counts.n_rows)


def _budget_sentence(rows: FileRows, k: int | float) -> str:
    """Return the number of positives among the first k rows, and the threshold that retrieves these rows."""
    sentence = _hits_in_first(rows, k).capitalize()
    if rows.counts.n_queries is not None:
        return f"{sentence}."
    point = _point(rows, {"k": k})
    if point is None:
        return f"{sentence}; {_TOO_FEW}"
    threshold, depth = _short_threshold(rows, point.threshold), _depth(rows, k)
    if point.n_retrieved == depth:
        return f"{sentence}; {'they score' if depth > 1 else 'it scores'} {threshold} or more."
    return f"{sentence}; {point.n_retrieved} of them score {threshold} or more and the others are tied."


def _point(rows: FileRows, condition: Mapping[str, float]) -> OperatingPoint | None:
    """Return the best threshold for a condition; None if all thresholds exceed the budget."""
    try:
        return rows.point(**condition)
    except ValueError as error:
        if "k" not in condition or isinstance(error, SourceError):
            raise
        return None


def _short_threshold(rows: FileRows, threshold: float) -> str:
    """Return a short decimal that retrieves the same rows as a threshold."""
    threshold += 0  # -0.0 becomes 0.0, to which it is equal
    if rows.arrays is not None and isinstance(threshold, float):
        scores = rows.arrays["y_score"]
        next_score = np.max(scores, where=scores < threshold, initial=-np.inf)
        for digits in range(_MIN_DIGITS, 17):
            decimal = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(threshold)))
            if decimal > next_score:
                return str(decimal)
    return str(threshold)


def _threshold_sentence(
    rows: FileRows, condition: Mapping[str, float], score_params: Mapping[str, float]
) -> str:
    ((name, level),) = condition.items()
    point = _point(rows, {**condition, **score_params})
    if point is None:
        return f"k={level:g}: {_TOO_FEW}"
    by = " by weight" if rows.counts.is_weighted else ""
    within = "" if rows.counts.n_queries is None else f" (no query has more than {level:g})"
    threshold = f"{_short_threshold(rows, point.threshold)} or more{within}"
    quality = f"precision {short_share(point.precision)}, recall {short_share(point.recall)}{by}"
    return f"{name}={level:g}: the {point.n_retrieved} rows that score {threshold} have {quality}."


def _comparison_sentences(
    rows: FileRows, name: str, k: int | float, score_params: Mapping[str, Any]
) -> list[str]:
    """Return the score of the second model and its difference to the first, with its significance."""
    arrays: Any = rows.arrays  # a comparison needs all rows in memory
    models = arrays["y_true"], arrays["compare"], arrays["y_score"]
    params = {**rows.columns, **rows.params, **score_params, "unit_id": arrays.get("unit_id")}
    comparison = compare_scores(AP, *models, **params, random_state=0)  # the same answer in every run
    difference, (low, high) = comparison.difference, comparison.confidence_interval()
    if difference == 0:
        return [f"{name} has the same."]
    low, high = (low, high) if difference > 0 else (-high, -low)
    interval = "" if isnan(low) else f"95 % interval {low:.2g} to {high:.2g}, "
    verdict = "statistically significant" if comparison.pvalue < _SIGNIFICANCE_LEVEL else "not significant"
    hits = _hits_in_first(rows._replace(data=models[:2]), k)
    direction, p = "lower" if difference < 0 else "higher", f"p = {comparison.pvalue:.2g}"
    return [
        f"{name} has {short_share(comparison.scores[0])}: {hits}.",
        f"It is {direction} by {abs(difference):.2g} ({interval}{p}), {verdict}.",
    ]


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of 80 columns."""
    return textwrap.fill(text, 80, subsequent_indent=indent, break_on_hyphens=False)


def short_share(value: float) -> str:
    """Return a share with two digits of its distance from 0 or from 1, whichever is nearer."""
    nearest = min(abs(value), abs(1 - value))
    if nearest <= 10.0**-_MAX_DECIMALS:
        return f"{value:.2g}" if 0 < value < 0.5 else f"{value:.2f}"
    return f"{value:.{max(2, min(_MAX_DECIMALS, 1 - floor(log10(nearest))))}f}"


def _short_count(value: float) -> str:
    """Return a count with a decimal if it is not whole: tied scores at the cut share its last rows."""
    nearest = round(value)
    return str(nearest) if abs(value - nearest) < 1e-6 else f"{value:.1f}"
