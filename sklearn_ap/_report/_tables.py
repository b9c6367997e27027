"""The tables of a page: what loses most, all definitions of the score, and how to cite it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import import_module
from typing import Any

import numpy as np
import sklearn

from .._answer._numbers import AP, JsonObject, Question, ScoredRows
from .._answer._sentences import (
    conventions_sentence,
    count_sentence,
    difference_clause,
    score_title,
    short_share,
)
from .._registry import K, definition_of, score_of
from .._typing import AnyArray, FloatArray
from .._uncertainty._estimates import influence_values
from .._uncertainty._sample import unit_numbers
from ..compatibility import compare_conventions
from ._page import paragraph, section, table

_N_LONGEST = 10  # rows of a table of losses
_WHY_NUMBERS_DIFFER = (
    "All numbers come from the same rows. They differ in how the points of the curve are joined, at which "
    "recalls the curve is read, where the ranking is cut, and what the sum is divided by."
)
_IF_EQUAL = "If both models were equally good, a difference at least as large would appear in"


def losses_part(rows: ScoredRows, question: Question, answer: JsonObject, model: str) -> str:
    """Return the comparison with the second model, and what costs the score most."""
    arrays: Any = rows.arrays
    sections = ""
    # Influences are those of one ranking; queries have their scores instead.
    has_influences = "query_id" not in arrays and rows.has_influences
    influence = _influences(rows, question) if has_influences else None
    if question.compare is not None:
        losses, second = "", rows.with_second_scores()
        if "query_id" in arrays:
            losses = _query_table(rows, second, (model, question.compare))
        elif influence is not None and "unit_id" in arrays:
            losses = _unit_table(_influences(second, question) - influence, arrays["unit_id"])
        words = map(paragraph, _comparison_words(answer["comparison"], model))
        sections = section(f"{question.compare} against {model}", *words, losses)
    elif "query_id" in arrays:
        sections = section("What scores least", _least_queries(rows))
    if influence is None:
        return sections
    return sections + section("Rows that cost the score most", _row_table(influence, arrays))


def _comparison_words(comparison: JsonObject, model: str) -> list[str]:
    if comparison["difference"] == 0:
        return [f"{comparison['name']} has the same average precision as {model}."]
    score = short_share(comparison["score"])
    words = [f"{comparison['name']} has {score}. It {difference_clause(comparison)}."]
    # A share of samples says to every reader what a p-value says to a few.
    if comparison["pvalue"] is not None:
        share = "less than 0.01" if comparison["pvalue"] < 1e-4 else f"{100 * comparison['pvalue']:.2g}"
        words.append(f"{_IF_EQUAL} {share} % of samples of this size.")
    return words


def _least_queries(rows: ScoredRows) -> str:
    """Return the queries that score least."""
    by_query = rows.by_query(AP)
    defined = [query for query, value in by_query.items() if value >= 0]  # the others are NaN
    worst = sorted(defined, key=by_query.__getitem__)[:_N_LONGEST]
    headers = [rows.counts["query_name"], "average precision"]
    return table(headers, [[query, short_share(by_query[query])] for query in worst])


def _query_table(rows: ScoredRows, second: ScoredRows, models: Sequence[str]) -> str:
    """Return the queries that lose most by the second model."""
    first, other = rows.by_query(AP), second.by_query(AP)
    losses = {query: other[query] - first[query] for query in first if other[query] < first[query]}
    worst = sorted(losses, key=losses.__getitem__)[:_N_LONGEST]
    lines = [[q, short_share(first[q]), short_share(other[q]), f"{losses[q]:+.2g}"] for q in worst]
    return "<h3>What loses most</h3>" + table([rows.counts["query_name"], *models, "difference"], lines)


def _unit_table(change: FloatArray, ids: AnyArray) -> str:
    """Return the units whose rows take most from the difference of the second model."""
    unit = unit_numbers("unit_id", ids, change.size)
    # The sum of influences over its rows is the part of a unit; its first row has its id.
    of_units, row = np.bincount(unit, change), np.unique(unit, return_index=True)[1]
    lines = [[ids[row[i]], f"{of_units[i]:+.2g}"] for i in _least(of_units)]
    return "<h3>Units that lose most</h3>" + table(["unit", "its part of the difference"], lines)


def _row_table(influence: FloatArray, arrays: Any) -> str:
    """Return the rows with the largest negative influence, by their ids or numbers."""
    # The ids of the caller, or the places of rows before those of weight 0 were dropped.
    ids = arrays.get("item_id", arrays.get("row", np.arange(influence.size)))
    labels, scores, worst = arrays["y_true"], arrays["y_score"], _least(influence)
    names = ["positive" if labels[i] else "negative" for i in worst]
    numbers = [(f"{float(scores[i]):.6g}", f"{-influence[i]:.2g}") for i in worst]
    lines = [[ids[i], name, *pair] for i, name, pair in zip(worst, names, numbers, strict=True)]
    words = "Without such a row, average precision would be higher by about its cost. Look at them first."
    title = "item" if "item_id" in arrays else "row (the first is 0)"
    return paragraph(words) + table([title, "label", "score", "cost"], lines)


def _influences(rows: ScoredRows, question: Question) -> FloatArray:
    """Return what each row with its weight does to average precision."""
    # An influence is per unit of weight.
    weight: Any = rows.columns.get("sample_weight", 1.0)
    return np.asarray(influence_values(AP, **rows.arguments(AP), **question.params) * weight)


def _least(values: AnyArray) -> Any:
    """Return the places of the least values, those below 0."""
    # A partition takes linear time, and only ten rows are put in order.
    places = np.argpartition(values, min(_N_LONGEST, values.size) - 1)[:_N_LONGEST]
    places = places[values[places].argsort(kind="stable")]
    return places[values[places] < 0]


def definitions_part(rows: ScoredRows, question: Question) -> str:
    """Return all definitions of average precision, and why they differ."""
    comparison = compare_conventions(k=question.k or K, **rows.convention_arguments)
    lines = [
        [row.name, *("-" if x is None else f"{x:.4f}" for x in (row.value, row.difference)), row.why]
        for row in comparison.rows
    ]
    at = "" if question.prevalence is None else " They are about the share of positives in these rows."
    note = conventions_sentence(rows.counts)
    words = paragraph(" ".join(filter(None, (_WHY_NUMBERS_DIFFER + at, comparison.means, note))))
    numbers = table(["definition", "value", "minus scikit-learn's", "why"], lines, words=3)
    return section("All definitions of average precision", words, numbers)


def citation_part(answer: JsonObject) -> str:
    """Return what to write in a paper, and the versions that made the numbers."""
    version = import_module("sklearn_ap").__version__  # which imports this file
    definition, score = definition_of(score_of(AP, {}), {"prevalence": answer["prevalence"]}), answer["score"]
    value = "undefined" if score is None else f"{score['value']:.4f}"
    if score is not None and score["low"] is not None:
        value += f" (95 % confidence interval {score['low']:.4f} to {score['high']:.4f})"
    text = f"{score_title(answer)}: {value}; {count_sentence(answer['counts'])}; {definition}; "
    text += f"sklearn_ap {version}."
    call = "estimate_score" + ", compare_scores (random_state=0)" * (answer["comparison"] is not None)
    versions = paragraph(f"By {call}; numpy {np.__version__}, scikit-learn {sklearn.__version__}.", "quiet")
    return section("How to cite it", f"<pre>{escape(text)}</pre>", versions)
