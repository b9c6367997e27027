"""Tables with one row per query or per score, as text, CSV or JSON; and the answer of `--identify`."""

import argparse
import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from .._answer._numbers import SCHEMA_VERSION, Question, answer_of, counts_as_numbers
from .._answer._rows import AP, ScoredRows, cut_in_name
from .._answer._sentences import conventions_sentence, count_sentence, cut_sentence, sentences_of, wrapped
from .._registry import K
from .._rounding import LEAST_PVALUE, format_pvalue
from ..compatibility import CONVENTIONS, ConventionComparison, compare_conventions, identify

_WHY_HINT = "--why shows which choice of the definition makes which part of a difference."
# The columns of a table of queries; {k} is the cut.
_QUERY_COLUMNS = {
    "average precision": AP,
    "reciprocal rank": "reciprocal_rank",
    "precision@{k}": "precision@{k}",
    "R-precision": "r_precision",
    "recall@{k}": "recall@{k}",
}


def format_table(rows: Sequence[Mapping[str, Any]], file_format: str | None) -> str:
    """Return a table as text with four decimals, or as CSV with all digits."""
    if file_format == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")  # by default \r\n, on every system
        writer.writerow(rows[0])
        writer.writerows(map(_without_nan, row.values()) for row in rows)
        return text.getvalue().removesuffix("\n")
    # Text is aligned by the widest cell; CSV has all digits, for programs.
    cells = [list(rows[0]), *([_cell_text(title, cell) for title, cell in row.items()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    aligned = "  ".join([f"{{:<{widths[0]}}}", *(f"{{:>{width}}}" for width in widths[1:])])
    return "\n".join(aligned.format(*line).rstrip() for line in cells)


def print_json(kind: str, **values: Any) -> None:
    """Print an answer as JSON, which `schema.json` describes."""
    # Ids of queries may be dates, which JSON lacks: `str` writes them.
    print(json.dumps(_without_nan({"schema": SCHEMA_VERSION, "kind": kind, **values}), indent=2, default=str))


def _without_nan(cell: Any) -> Any:
    """Return a cell, or a list or a dictionary of cells, without NaN and infinity, which JSON lacks."""
    if isinstance(cell, dict):
        return {key: _without_nan(value) for key, value in cell.items()}
    if isinstance(cell, list):
        return [_without_nan(value) for value in cell]
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def _cell_text(title: str, cell: Any) -> str:
    if _without_nan(cell) is None:
        return "-"
    if title == "p" and cell < LEAST_PVALUE:
        return format_pvalue(cell)
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def print_queries(rows: ScoredRows, options: argparse.Namespace) -> None:
    """Print the scores of each query; the reciprocal rank takes no weights."""
    cut, weighted = cut_in_name(options.k or K), rows.counts.is_weighted
    names = {
        title.replace("{k}", cut): name.replace("{k}", cut)
        for title, name in _QUERY_COLUMNS.items()
        if not (weighted and name == "reciprocal_rank")
    }
    values = {title: rows.by_query(name) for title, name in names.items()}
    # Every score has the same queries; this order is that of the rows.
    queries = values["average precision"]
    if options.format == "json":
        keys = [(query, title) for query in queries for title in names]
        print_json("queries", rows=[{"query": q, "score": t, "value": values[t][q]} for q, t in keys])
        return
    table = [{options.per or "query": str(q), **{t: values[t][q] for t in names}} for q in queries]
    print(format_table(table, options.format))


def print_table(name: str, rows: ScoredRows, options: argparse.Namespace) -> None:
    """Print every number of this package next to scikit-learn's."""
    # None stands for the definitions of this package alone, a screen long.
    conventions = CONVENTIONS.values() if options.all else None
    comparison = compare_conventions(
        *rows.data, k=options.k or K, conventions=conventions, **_arguments(rows)
    )
    if options.format in ("csv", "json"):
        columns = ("value", "low", "high", "scikit_learn", "difference", "why")
        cells = [
            {"score": row.name, **{key: getattr(row, key) for key in columns}} for row in comparison.rows
        ]
        print_json("definitions", rows=cells) if options.format == "json" else print(
            format_table(cells, "csv")
        )
        return
    answer = answer_of(name, rows, Question(options.k, with_interval=False))
    first, *sentences = [*sentences_of(answer), cut_sentence(options.k), conventions_sentence(rows.counts)]
    print(first, wrapped(" ".join(sentences).rstrip()), "", sep="\n")  # paths have any length
    if options.why:
        print(comparison)
    else:
        print(without_reasons(comparison), wrapped(_WHY_HINT), sep="\n\n")


def without_reasons(comparison: ConventionComparison) -> ConventionComparison:
    """Return a comparison without the lines that say why numbers differ, which only `--why` prints."""
    return replace(comparison, rows=tuple(replace(row, changes=()) for row in comparison.rows))


def _arguments(rows: ScoredRows) -> dict[str, Any]:
    """Return the arguments of conventions other than labels and scores."""
    item_id = (rows.arrays or {}).get("item_id")
    return {**rows.columns, "item_id": item_id, "n_positives": rows.params.get("n_positives")}


def print_identified(rows: ScoredRows, options: argparse.Namespace) -> None:
    """Print the conventions that compute a number."""
    identified = identify(options.identify, *rows.data, k=options.k or K, **_arguments(rows))
    if options.format == "json":
        groups = [*identified.groups, *identified.possible]
        matches = [(group, convention) for group in groups for convention in group.conventions]
        columns = ("value", "low", "high")
        names = [{"name": c.name, **{key: getattr(g, key) for key in columns}} for g, c in matches]
        print_json("identified", number=identified.value, rows=names)
        return
    print(wrapped(f"{count_sentence(counts_as_numbers(rows.counts))}; {cut_sentence(options.k)}"))
    for line in str(identified).splitlines():
        print(wrapped(line, "  "))
