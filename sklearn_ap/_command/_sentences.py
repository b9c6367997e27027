"""The first answer for a file, in sentences: how good the scores are, how sure, and what a budget catches.

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
from ._rows import AP, Estimate, Facts, FileRows, cut_in_name

_SIGNIFICANT = 0.05  # a difference whose p-value is smaller is called significant
_DIGITS = 4  # of a threshold, or more where fewer would retrieve other rows
_MOST_DECIMALS = 6  # of a share; beyond them, sums are rounded
_TOO_FEW = "no threshold retrieves so few, since more rows share the highest score."


def first_answer(name: str, rows: FileRows, options: argparse.Namespace) -> list[str]:
    """Return the sentences of the answer; each takes a line or two."""
    k, prevalence = options.k or K, options.prevalence
    more = {} if prevalence is None else {"prevalence": prevalence}
    if not rows.facts.n_positives:
        return opening_sentences(name, rows)
    sentences = opening_sentences(name, rows, prevalence, rows.estimate(**more))
    sentences.append(_budget_sentence(rows, k))
    if options.compare is not None:
        sentences += _second_model(rows, format_value(options.compare), k, more)
    sentences += [_threshold_sentence(rows, condition, more) for condition in options.threshold_at or []]
    following = "--threshold-at recall=0.8" if options.compare else "--compare COLUMN (another model)"
    following = following if rows.facts.n_queries is None else "--by-query (each query)"
    return [*sentences, f"Next: {following}, -k N (another budget), --table (all AP)."]


def table_opening(name: str, rows: FileRows, k: int | float | None) -> list[str]:
    """Return the sentences above a table."""
    if not rows.facts.n_positives:
        return [*opening_sentences(name, rows), cut_sentence(k)]
    sentences = opening_sentences(name, rows, None, (rows.score(AP), nan, nan))
    return [*sentences, f"{_hits_in_first(rows, k or K)}.".capitalize(), cut_sentence(k)]


def opening_sentences(
    name: str, rows: FileRows, prevalence: float | None = None, estimate: Estimate = (nan, nan, nan)
) -> list[str]:
    """Return the first two sentences: what the rows are, and how good the scores are."""
    if not rows.facts.n_positives:
        return [f"{name}: no row is positive, so average precision says nothing."]
    value, low, high = estimate
    facts, single, mean = rows.facts, "Average precision (AP)", "Mean average precision (MAP) of the queries"
    at = "" if prevalence is None else f" at a prevalence of {prevalence:g}"
    at += " by weight" if facts.is_weighted else ""
    interval = "" if isnan(low) else f", 95 % interval {short_share(low)} to {short_share(high)}"
    beside = f"{interval}{_yardstick(rows, prevalence)}"
    sentence = f"{mean if facts.n_queries else single}{at} is {short_share(value)}{beside}."
    return [f"{name}: {count_sentence(facts)}.", sentence]


def count_sentence(facts: Facts) -> str:
    """Return how many rows and positives there are."""
    queries = "" if facts.n_queries is None else f" in {facts.n_queries} queries"
    missed = "" if facts.total is None or facts.is_weighted else f" of {_short_count(facts.total)}"
    percent, weight = 100 * facts.n_positives / facts.n_rows, ""
    if facts.is_weighted:
        weight = f"; they are {100 * facts.positive_weight / facts.weight:.3g} % of the weight"
    return f"{facts.n_rows} rows{queries}, {facts.n_positives}{missed} positive ({percent:.3g} %){weight}"


def cut_sentence(k: int | float | None) -> str:
    """Return the cut with its unit."""
    words = "rows, the default of -k" if k is None else "rows" if isinstance(k, int) else "of the rows"
    return f"k = {k or K} {words}."


def missing_positives(facts: Facts) -> str:
    """Return what to warn of if a ranking has no positive: only a convention gives it a score."""
    if not facts.n_positives:
        return "no row has the positive label, so no score says anything about the ranking"
    if facts.n_queries in (None, facts.n_with_positive) or facts.total is not None:
        return ""
    n_empty = (facts.n_queries or 0) - facts.n_with_positive
    return f"{n_empty} of {facts.n_queries} queries have no positive, and count as 0 in our means"


def _yardstick(rows: FileRows, prevalence: float | None) -> str:
    """Say what the score is compared with: chance, where it has a formula.

    Chance depends on which scores are equal, unless rows have weights. Missed positives add nothing to it.
    """
    facts = rows.facts
    level, name = facts.positive_weight / facts.weight if prevalence is None else prevalence, "chance"
    is_plain = rows.arrays is not None and not facts.is_weighted
    if facts.n_queries is not None and prevalence is None:
        if not is_plain or facts.total is not None or facts.n_with_positive < facts.n_queries:
            return ""
        level = float(np.mean(chance_level(*rows.data, **rows.columns).mean))
    elif prevalence is None:
        level = chance_level(*rows.data).mean if is_plain else level
        level *= facts.positive_weight / facts.total if facts.total else 1.0
        name = "chance" if is_plain or facts.is_weighted else "the prevalence"
    return f"; {name} is {short_share(level)}"


def _hits_in_first(rows: FileRows, k: int | float) -> str:
    """Return how many positives the first k rows hold, and how much these weigh."""
    facts, is_share = rows.facts, not isinstance(k, int)
    recall = rows.score(name := f"recall@{cut_in_name(k)}")
    first = f"first {100 * k:g}% of the rows" if is_share else f"first {k} rows" if k > 1 else "first row"
    hold = "holds" if first == "first row" else "hold"
    if facts.n_queries is not None:
        whole = "the weight of its positives" if facts.is_weighted else "its positives"
        return f"the {first} of a query {hold} {short_share(recall)} of {whole}, on average"
    if is_share:
        first += f" ({_depth(rows, k)})"
    first = f"the {first}" if is_share or k < facts.n_rows else f"all {facts.n_rows} rows"
    if facts.is_weighted and rows.arrays is None:
        return f"{first} {hold} {short_share(recall)} of the weight of the positives"
    total = facts.n_positives if facts.total is None or facts.is_weighted else facts.total
    by_count = rows.score(name, sample_weight=None, n_positives=None) if facts.is_weighted else recall
    weight = f", {100 * recall:.3g} % of their weight" if facts.is_weighted else ""
    return f"{first} {hold} {_short_count(by_count * total)} of {_short_count(total)} positives{weight}"


def _depth(rows: FileRows, k: int | float) -> int:
    """Return the number of rows that a cut keeps."""
    return min(int(cut_depth(np.array([rows.facts.n_rows]), k).item()), rows.facts.n_rows)


def _budget_sentence(rows: FileRows, k: int | float) -> str:
    """Say what the first k rows hold, and which threshold retrieves them."""
    sentence = _hits_in_first(rows, k).capitalize()
    if rows.facts.n_queries is not None:
        return f"{sentence}."
    point = _point(rows, {"k": k})
    if point is None:
        return f"{sentence}; {_TOO_FEW}"
    threshold, depth = _short_threshold(rows, point.threshold), _depth(rows, k)
    if point.n_retrieved == depth:
        return f"{sentence}; {'they score' if depth > 1 else 'it scores'} {threshold} or more."
    return f"{sentence}; {point.n_retrieved} of them score {threshold} or more, and the others are tied."


def _point(rows: FileRows, condition: Mapping[str, float]) -> OperatingPoint | None:
    """Return the best threshold for a condition; None if none is within the budget."""
    try:
        return rows.point(**condition)
    except ValueError as error:
        if "k" not in condition or isinstance(error, SourceError):
            raise
        return None


def _short_threshold(rows: FileRows, threshold: float) -> str:
    """Return a short decimal that retrieves the rows of a threshold, and no others."""
    if rows.arrays is not None and isinstance(threshold, float):
        scores = rows.arrays["y_score"]
        below = np.max(scores, where=scores < threshold, initial=-np.inf)
        for digits in range(_DIGITS, 17):
            decimal = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(threshold)))
            if decimal > below:
                return str(decimal)
    return str(threshold)


def _threshold_sentence(rows: FileRows, condition: Mapping[str, float], more: Mapping[str, float]) -> str:
    ((name, level),) = condition.items()
    point = _point(rows, {**condition, **more})
    if point is None:
        return f"k={level:g}: {_TOO_FEW}"
    by = " by weight" if rows.facts.is_weighted else ""
    within = "" if rows.facts.n_queries is None else f" (no query has more than {level:g})"
    threshold = f"{_short_threshold(rows, point.threshold)} or more{within}"
    quality = f"precision {short_share(point.precision)}, recall {short_share(point.recall)}{by}"
    return f"{name}={level:g}: the {point.n_retrieved} rows that score {threshold} have {quality}."


def _second_model(rows: FileRows, name: str, k: int | float, more: Mapping[str, Any]) -> list[str]:
    """Say how good the second model is, and whether the difference is more than chance."""
    arrays: Any = rows.arrays  # a comparison needs all rows in memory
    models = arrays["y_true"], arrays["compare"], arrays["y_score"]
    params = {**rows.columns, **rows.params, **more, "unit_id": arrays.get("unit_id")}
    comparison = compare_scores(AP, *models, **params, random_state=0)  # the same answer in every run
    difference, (low, high) = comparison.difference, comparison.confidence_interval()
    if difference == 0:
        return [f"{name} has the same."]
    low, high = (low, high) if difference > 0 else (-high, -low)
    interval = "" if isnan(low) else f"95 % interval {low:.2g} to {high:.2g}, "
    verdict = "statistically significant" if comparison.pvalue < _SIGNIFICANT else "not significant"
    second = _hits_in_first(rows._replace(data=models[:2]), k)
    by, p = (
        f"{'lower' if difference < 0 else 'higher'} by {abs(difference):.2g}",
        f"p = {comparison.pvalue:.2g}",
    )
    first = f"{name} has {short_share(comparison.scores[0])}: {second}."
    return [first, f"It is {by} ({interval}{p}), {verdict}."]


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of 80 columns."""
    return textwrap.fill(text, 80, subsequent_indent=indent, break_on_hyphens=False)


def short_share(value: float) -> str:
    """Return a share with two digits of its distance from 0 or from 1, whichever is nearer."""
    nearest = min(abs(value), abs(1 - value))
    if nearest <= 10.0**-_MOST_DECIMALS:
        return f"{value:.2g}" if 0 < value < 0.5 else f"{value:.2f}"
    return f"{value:.{max(2, min(_MOST_DECIMALS, 1 - floor(log10(nearest))))}f}"


def _short_count(value: float) -> str:
    """Return a count; equal scores at the cut share it, which leaves a part of a row."""
    nearest = round(value)
    return str(nearest) if abs(value - nearest) < 1e-6 else f"{value:.1f}"
