"""Tables of scores, one row per query or per number, as text, CSV or JSON; and what `--identify` finds."""

import argparse
import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

from .._registry import K
from ..compatibility import CONVENTIONS, ComparisonRow, ConventionComparison, compare_conventions, identify
from ..distributed import scores
from ._rows import AP, FileRows, accepted_params, cut_in_name
from ._sentences import count_sentence, cut_sentence, table_opening, wrapped

_WHY = "--why tells which choice of the definition makes which part of a difference."
_BEYOND = "Numbers beside scikit-learn's need all rows in memory: --memory-limit raises it."
# The columns of a table of queries, and beyond memory the rows of a table; {k} is the cut.
_OF_QUERIES = {
    "average precision": AP,
    "reciprocal rank": "reciprocal_rank",
    "precision@{k}": "precision@{k}",
    "R-precision": "r_precision",
    "recall@{k}": "recall@{k}",
}
_OF_FILES = _OF_QUERIES | {
    "interpolated, all recalls": "interpolated_average_precision",
    "eleven-point": "eleven_point_average_precision",
    "PR AUC, linear": "pr_auc",
    "AP@{k} over min(k, R)": "average_precision@{k}",
}


def format_table(rows: Sequence[Mapping[str, Any]], name: str | None) -> str:
    """Return a table; text shows four decimals, other formats all digits."""
    if name == "json":
        return json.dumps([{key: _without_nan(cell) for key, cell in row.items()} for row in rows], indent=2)
    if name == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows(map(_without_nan, row.values()) for row in rows)
        return text.getvalue().removesuffix("\n")
    cells = [list(rows[0]), *([_cell_text(cell) for cell in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    places = [f"{{:<{widths[0]}}}", *(f"{{:>{width}}}" for width in widths[1:])]
    return "\n".join("  ".join(places).format(*line).rstrip() for line in cells)


def _without_nan(cell: Any) -> Any:
    return None if isinstance(cell, float) and isnan(cell) else cell


def _cell_text(cell: Any) -> str:
    if _without_nan(cell) is None:
        return "-"
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def print_queries(rows: FileRows, options: argparse.Namespace) -> None:
    """Print the scores of each query."""
    names = _names_by_title(_OF_QUERIES, rows, options.k)
    values = {title: rows.by_query(name) for title, name in names.items()}
    queries = values["average precision"]
    table = [{"query": str(query), **{title: values[title][query] for title in names}} for query in queries]
    print(format_table(table, options.format))


def _names_by_title(templates: Mapping[str, str], rows: FileRows, k: int | float | None) -> dict[str, str]:
    """Return names of scores by their titles; ranks take no weights."""
    cut, weighted = cut_in_name(k or K), rows.facts.is_weighted
    names = {title: name for title, name in templates.items() if not (weighted and name == "reciprocal_rank")}
    return {title.replace("{k}", cut): name.replace("{k}", cut) for title, name in names.items()}


def print_table(name: str, rows: FileRows, options: argparse.Namespace) -> None:
    """Print every number of ours beside scikit-learn's; beyond memory, our numbers alone."""
    is_text = options.format in (None, "table")
    if rows.arrays is None:
        names = _names_by_title(_OF_FILES, rows, options.k)
        names = {
            title: name for title, name in names.items() if accepted_params(name, rows.params) == rows.params
        }
        values = scores(list(names.values()), *rows.data, **{**rows.columns, **rows.params})
        table = format_table(
            [{"score": title, "value": values[names[title]]} for title in names], options.format
        )
        parts = [f"{name}: {count_sentence(rows.facts)}.", table, wrapped(_BEYOND)] if is_text else [table]
        print(*parts, sep="\n\n")
        return
    conventions = CONVENTIONS.values() if options.all else None
    comparison = compare_conventions(
        *rows.data, k=options.k or K, conventions=conventions, **_arguments(rows)
    )
    if not is_text:
        cells = _cells_of_json if options.format == "json" else _cells_of_csv
        print(format_table([cells(row) for row in comparison.rows], options.format))
        return
    first, *sentences = table_opening(name, rows, options.k)
    print(first, wrapped(" ".join(sentences)), "", sep="\n")  # paths have any length
    if options.why:
        print(comparison)
        return
    short = [replace(row, stops=()) for row in comparison.rows]
    print(ConventionComparison(rows=tuple(short), means=comparison.means), wrapped(_WHY), sep="\n\n")


def _arguments(rows: FileRows) -> dict[str, Any]:
    """Return the arguments of conventions beside labels and scores."""
    item_id = None if rows.arrays is None else rows.arrays.get("item_id")
    return {**rows.columns, "item_id": item_id, "n_positives": rows.params.get("n_positives")}


def _cells_of_csv(row: ComparisonRow) -> dict[str, Any]:
    names = ("value", "low", "high", "scikit_learn", "difference", "why")
    return {"score": row.name, **{name: getattr(row, name) for name in names}}


def _cells_of_json(row: ComparisonRow) -> dict[str, Any]:
    """Return a row with every stop of its walk from scikit-learn's number."""
    keys = {"choice": "choice", "is": "words", "value": "value", "part": "part"}
    stops = [{key: getattr(stop, name) for key, name in keys.items()} for stop in row.stops]
    return {**_cells_of_csv(row), "why": stops, "note": row.note}


def print_identified(rows: FileRows, options: argparse.Namespace) -> None:
    """Print the conventions that print a number."""
    identified = identify(options.identify, *rows.data, k=options.k or K, **_arguments(rows))
    print(wrapped(f"{count_sentence(rows.facts)}; {cut_sentence(options.k)}"))
    for line in str(identified).splitlines():
        print(wrapped(line, "  "))
