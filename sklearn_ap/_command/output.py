"""Output of the command: messages, tables as text, CSV or JSON, and the first look."""

import csv
import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from math import isnan
from typing import Any

from .. import get_scorer
from .._core.public import SCHEMA_VERSION, json_value
from .._core.reading.queries import sorted_ids
from .._core.registry import K
from .._core.rounding import part_of, with_sign
from .._core.typing import ScoreByQuery
from .._report.answer import (
    Question,
    ScoredRows,
    answer_of,
    chance_by_query,
    measures_of,
    quiet_warnings,
)
from .._report.fields import Check, to_json
from .._report.page import report
from .._report.sentences import (
    aligned,
    conventions_sentence,
    count_sentence,
    in_lines,
    printable,
    sentences_of,
    wrapped,
)
from ..compatibility import (
    ConventionComparison,
    compare_conventions,
    identify,
)
from ..compatibility._comparison import COLUMNS

_EXAMPLE_K = 20
_EXAMPLE_DEFINITIONS = [
    "average precision",
    "interpolated, all recalls",
    "eleven-point",
    "PR AUC, linear",
    "AP@k over min(k, R)",
    "precision@k",
    "recall@k",
]
Line = dict[str, Any]  # of a table: cells by their title
Columns = dict[str, ScoreByQuery]  # of queries, by their title


def print_message(kind: str, message: str) -> None:
    """Print one line on standard error."""
    if sys.stderr is not None:
        line = printable(message.split("\n", maxsplit=1)[0])
        print(f"sklearn_ap: {kind}: {line}", file=sys.stderr)


@contextmanager
def warnings_in_lines(name: str) -> Iterator[None]:
    """Print each warning of the library once, after the name of the rows."""
    with quiet_warnings() as caught:  # a user's -W error would end the command
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        print_message("warning", f"{name}: {text}")


def print_table(
    kind: str,
    lines: Sequence[Line],
    file_format: str | None,
    titles: Iterable[str] = (),
    **values: Any,
) -> None:
    """Print a table as text with four decimals, or with all digits: as CSV, or as JSON
    with these values. The titles are those of a table that may have no line.
    """
    if file_format == "json":
        print_json(kind, **values, rows=lines)
        return
    if file_format == "csv":
        # by default \r\n, on every system
        writer = csv.DictWriter(
            sys.stdout, list(titles) or list(lines[0]), lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(map(json_value, lines))
        return
    cells = (list(map(_cell_text, line.values())) for line in lines)
    print(aligned([list(lines[0]), *cells]))


def _cell_text(cell: Any) -> str:
    if isinstance(cell, str):  # such as the name of a query
        return cell
    if json_value(cell) is None:
        return "-"
    # a count or an amount, or a score
    is_large = isinstance(cell, int) or abs(cell) > 1
    return part_of(cell) if is_large else with_sign(cell, f"{cell:z.4f}")


def print_json(kind: str, checks: Sequence[Check] = (), **values: Any) -> None:
    """Print an answer as JSON, which `schema.json` describes, and its checks."""
    answer = {"schema": SCHEMA_VERSION, "kind": kind, **values}
    if checks:
        answer["checks"] = list(map(to_json, checks))
    # Ids of queries may be dates, which JSON lacks: `str` writes them.
    print(json.dumps(json_value(answer), indent=2, default=str))


def print_queries(rows: ScoredRows, options: Namespace) -> None:
    """Print what each query contains, what a budget finds in it, and its scores by each
    model.
    """
    models = {options.y_score: rows, **rows.others}
    values = {}
    for model, scored in models.items():
        counts, scores = _values_by_query(scored, options)
        values[model] = counts | scores
    first = values[options.y_score]
    last = values[model]
    main = next(iter(scores))
    queries = sorted_ids(first[main], "queries must have ids of one kind")
    if len(models) > 1:
        # The queries to look at stand first, so `| head` shows them: those that lose
        # most by the last model.
        gains = {query: last[main][query] - first[main][query] for query in queries}
        queries = sorted(queries, key=lambda query: (isnan(gains[query]), gains[query]))
    columns: Columns = {}
    # What fits a terminal; CSV has all.
    is_short = options.format != "csv" and len(models) > 1
    for title in ("positives", main) if is_short else first:
        # Of the same rows, models differ in their scores and in what they find.
        is_shared = title not in scores and " found" not in f" {title}"
        if len(models) == 1 or is_shared:
            columns[title] = first[title]
            continue
        columns |= {f"{title} {model}": values[model][title] for model in models}
        if len(models) == 2:
            columns[f"{title} difference"] = {
                query: last[title][query] - first[title][query] for query in queries
            }
    # A column may be called as one of these, such as rows.
    queries_title = "query" if options.per in (None, *columns) else options.per
    lines: list[Line] = [
        {queries_title: str(query)}
        | {title: by_query[query] for title, by_query in columns.items()}
        for query in queries
    ]
    if options.format == "json":
        lines = [
            {
                "query": query,
                **({"run": model} if options.compare else {}),
                "score": title,
                "value": by_query[query],
            }
            for query, model in product(queries, models)
            for title, by_query in values[model].items()
        ]
    print_table("queries", lines, options.format)


def _values_by_query(rows: ScoredRows, options: Namespace) -> tuple[Columns, Columns]:
    """Return what each query contains and a budget finds in it, and its scores; text
    has the first of them.
    """
    k = options.k or K
    counts = rows.counts
    names = measures_of(k)
    weighted = ""
    budget = f"{100 * k:g} %" if isinstance(k, float) else k
    fields = {
        "rows": "n_samples",
        "positives": "n_positives",
        f"found in first {budget}": "positives_found",
    }
    if counts.weight:
        fields[f"{counts.weight_name} of positives"] = "positive_weight"
        fields[f"{counts.weight_name} found"] = "weight_found"
        del names["reciprocal rank"]  # which takes no weights
        weighted = f", weighted by {counts.weight_name}"
    if counts.amount:
        fields[f"{counts.amount_name} of positives"] = "amount_of_positives"
        fields[f"{counts.amount_name} found"] = "amount_found"
    by_query = rows.budget(k).by_query
    queries = by_query["query"].tolist()
    zeros: ScoreByQuery = dict.fromkeys(rows.weightless, 0)
    found: Columns = {}
    for title, field in fields.items():
        values = by_query[field].tolist()
        values = [int(value) if value.is_integer() else value for value in values]
        found[title] = zeros | dict(zip(queries, values, strict=True))
    n_scores = None if options.format in ("csv", "json") else 1
    scores = {}
    for title, name in list(names.items())[:n_scores]:
        undefined: float = rows.arguments(name).get("zero_division", 0.0)
        weightless: ScoreByQuery = dict.fromkeys(rows.weightless, undefined)
        scores[title + weighted] = weightless | rows.by_query(name)
    chance = chance_by_query(rows)
    if chance:
        scores["chance"] = chance
    return found, scores


def print_definitions(name: str, rows: ScoredRows, options: Namespace) -> None:
    """Print every number of this package next to scikit-learn's."""
    comparison = compare_conventions(
        k=options.k or K,
        **rows.arguments(compare_conventions),
    )
    if options.format in ("csv", "json"):
        lines = [
            {"score": row.name, **{name: getattr(row, name) for name in COLUMNS}}
            for row in comparison.rows
        ]
        print_table("definitions", lines, options.format)
        return
    sentences = sentences_of(answer_of(name, rows, Question(options.k)))
    sentences.append(conventions_sentence(rows.counts))
    print(in_lines(list(filter(None, sentences))), end="\n\n")
    print(_without_reasons(comparison))


def _without_reasons(comparison: ConventionComparison) -> ConventionComparison:
    """Return a comparison without the lines that say why numbers differ."""
    return replace(
        comparison, rows=tuple(replace(row, changes=()) for row in comparison.rows)
    )


def print_identified(rows: ScoredRows, options: Namespace) -> None:
    """Print the conventions that compute a number."""
    identified = identify(
        options.identify, k=options.k or K, **rows.arguments(identify)
    )
    if options.format in ("csv", "json"):
        lines = [
            {
                "name": each.name,
                "call": each.call,
                "value": group.value,
                "low": group.low,
                "high": group.high,
            }
            for group in [*identified.groups, *identified.possible]
            for each in group.conventions
        ]
        notes = identified.notes
        titles = ("name", "call", "value", "low", "high")
        print_table(
            "identified",
            lines,
            options.format,
            titles,
            number=identified.value,
            notes=notes,
        )
        if options.format == "csv":
            for note in notes:
                print_message("note", note)
        return
    print(wrapped(f"{count_sentence(rows.counts)}."))
    for line in str(identified).splitlines():
        print(wrapped(line, "  "))


def print_example() -> None:
    """Tune a model on images of digits, and print how well it and its default find the
    eights.
    """
    # Searches and data, which no other call needs.
    from sklearn.datasets import load_digits  # noqa: PLC0415
    from sklearn.model_selection import GridSearchCV, train_test_split  # noqa: PLC0415
    from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415

    images, digits = load_digits(return_X_y=True)
    images_train, images_test, y_train, y_test = train_test_split(
        images, digits == 8, test_size=0.5, random_state=0, stratify=digits
    )
    search = GridSearchCV(
        GaussianNB(),
        {"var_smoothing": [1e-9, 1e-3, 1e-2, 1e-1, 1.0]},
        scoring=get_scorer(f"average_precision@{_EXAMPLE_K}"),
    )
    tuned, untuned = (
        model.fit(images_train, y_train).predict_proba(images_test)[:, 1]
        for model in (search, GaussianNB())
    )
    search_words = (
        f"GridSearchCV(GaussianNB(), ..., scoring=get_scorer('average_precision@20')) "
        f"chooses var_smoothing={search.best_params_['var_smoothing']} to find the "
        "eights among images of digits. On the other half of the images:"
    )
    answer = report(
        y_test,
        tuned,
        compare={"The default": untuned},
        k=_EXAMPLE_K,
        name="The tuned model",
    )
    comparison = compare_conventions(
        y_test, tuned, k=_EXAMPLE_K, conventions=_EXAMPLE_DEFINITIONS
    )
    print(
        wrapped(search_words),
        answer,
        _without_reasons(comparison),
        sep="\n\n",
    )
    print(
        "\nNext, your own: sklearn-ap scores.csv --y-true COLUMN --y-score COLUMN -k 20"
    )
