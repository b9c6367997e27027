"""Output of the command: messages, tables as text, CSV or JSON, runs of TREC, and the
first look.
"""

import csv
import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations, product
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from .. import compare_by_query, get_scorer
from .._core.public import SCHEMA_VERSION, json_value
from .._core.reading.queries import sorted_ids
from .._core.reading.sources import SourceError, format_value
from .._core.registry import K
from .._core.rounding import LEAST_PVALUE, format_pvalue, part_of, with_sign
from .._core.typing import ScoreByQuery
from .._judgements.runs import runs_of
from .._report.answer import (
    Question,
    ScoredRows,
    answer_of,
    chance_by_query,
    differences_from,
    measures_of,
    quiet_warnings,
    rows_in_memory,
    score_from,
)
from .._report.fields import Check, to_json
from .._report.page import report
from .._report.sentences import (
    aligned,
    conventions_sentence,
    count_sentence,
    in_lines,
    printable,
    query_words,
    sentences_of,
    wrapped,
)
from .._uncertainty.many import adjusted_by_holm
from ..compatibility import (
    CONVENTIONS,
    ConventionComparison,
    compare_conventions,
    identify,
)
from ..compatibility._comparison import COLUMNS
from .checks import checks_of, chosen_measure, sentences_of_checks
from .options import next_sentences

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
# The keys of a score and of a difference in JSON, and their titles in a table.
_SCORE = "score", "run", "value", "low", "high"
_DIFFERENCE = "score", "first", "second", "difference", "low", "high", "pvalue"
_INTERVAL = {
    "difference": "difference",
    "low": "95 % low",
    "high": "high",
    "pvalue": "p",
}
Line = dict[str, Any]  # of a table: cells by their title
Columns = dict[str, ScoreByQuery]  # of queries, by their title
Models = Mapping[str, ScoredRows]  # the rows of each run; others have no name


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
    cells = (list(map(_cell_text, line, line.values())) for line in lines)
    print(aligned([list(lines[0]), *cells]))


def _cell_text(title: str, cell: Any) -> str:
    if isinstance(cell, str):  # such as the name of a query
        return cell
    if json_value(cell) is None:
        return "-"
    if title == "p" and cell < LEAST_PVALUE:
        return format_pvalue(cell)
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


def print_queries(models: Models, options: Namespace) -> None:
    """Print what each query contains, what a budget finds in it, and its scores: of
    rows or of each run.
    """
    if options.compare:
        [rows] = models.values()
        models = {options.y_score: rows, **rows.others}
    values = {}
    for run, rows in models.items():
        counts, scores = _values_by_query(rows, options)
        values[run] = counts | scores
    first = values[next(iter(models))]
    last = values[run]
    main = next(iter(scores))
    queries = sorted_ids(first[main], "queries must have ids of one kind")
    if options.trec or len(models) > 1:
        # The queries to look at stand first, so `| head` shows them: those that lose
        # most by the last run.
        before = first[main] if len(models) > 1 else {}
        gains = {query: last[main][query] - before.get(query, 0) for query in queries}
        queries = sorted(queries, key=lambda query: (isnan(gains[query]), gains[query]))
    columns: Columns = {}
    # What fits a terminal; CSV has all.
    is_short = options.format != "csv" and len(models) > 1
    for title in ("positives", main) if is_short else first:
        # as many in each run, and all but what a model finds on the same rows
        is_shared = title == "positives" or not (options.trec or title in scores)
        if len(models) == 1 or (is_shared and " found" not in f" {title}"):
            columns[title] = first[title]
            continue
        columns |= {f"{title} {run}": values[run][title] for run in models}
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
                **({"run": run} if run else {}),
                "score": title,
                "value": by_query[query],
            }
            for query, run in product(queries, models)
            for title, by_query in values[run].items()
        ]
    print_table("queries", lines, options.format)


def _values_by_query(rows: ScoredRows, options: Namespace) -> tuple[Columns, Columns]:
    """Return what each query contains and a budget finds in it, and its scores; text
    has the first of them.
    """
    k = options.k or K
    counts = rows.counts
    names = measures_of(k, is_run=bool(options.trec))
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
        # None stands for the definitions of this package alone, a screen long.
        conventions=CONVENTIONS if options.all else None,
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
    print(comparison if options.why else _without_reasons(comparison))


def _without_reasons(comparison: ConventionComparison) -> ConventionComparison:
    """Return a comparison without the lines that say why numbers differ, which only
    `--why` prints.
    """
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
                "value": group.value,
                "low": group.low,
                "high": group.high,
            }
            for group in [*identified.groups, *identified.possible]
            for each in group.conventions
        ]
        notes = identified.notes
        titles = ("name", "value", "low", "high")
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


def open_runs(options: Namespace, qrels: str, *files: str) -> dict[str, ScoredRows]:
    """Return the rows of each run of TREC; the first is compared with the others."""
    # JSON has whole paths; people read the names of files, if these differ.
    paths = options.trec[1:]
    names = [Path(path).name for path in paths]
    # Tables have other columns of these titles.
    names = [f"run {x}" if x in _INTERVAL.values() else x for x in names]
    if options.format == "json" or len(set(names)) < len(names):
        names = paths
    runs = runs_of(
        qrels,
        dict(zip(names, files, strict=True)),
        options.level,
        judged_only=options.judged_only,
    )
    models = {}
    for name, run in runs.items():
        # trec_eval counts a query without relevant documents as 0, in silence.
        rows = rows_in_memory(
            dict(zip(run._fields, map(np.asarray, run[:4]), strict=False)),
            run.n_positives,
        )
        models[name] = rows._replace(n_unjudged_queries=run.n_unjudged_queries)
    options.y_score, *others = names
    first = models[options.y_score]
    if not first.counts.all_positives:
        raise SourceError(
            f"{format_value(qrels)}: no document has --level {options.level} or more"
        )
    models[options.y_score] = first._replace(
        runs={name: models[name] for name in others}
    )
    return models


def print_runs(models: Models, options: Namespace) -> list[Check]:
    """Print the scores of runs as trec_eval computes them, and how sure their
    differences are; return their checks.
    """
    names = measures_of(options.k or K, is_run=True)
    measure = chosen_measure(options.fail_on, names)
    checks = list[Check]()
    compared = ""
    # A line has room for one interval: of a single run, or of a difference.
    titles = _INTERVAL if len(models) <= 2 else {}
    scores = []
    differences = list[Line]()
    lines = []
    for title, name in names.items():
        line: Line = {"": title}
        for run, rows in models.items():
            # A run without a hit has no interval.
            score = score_from(0.0, rows.estimate(name))
            line[run] = score.value
            cells = title, run, score.value, score.low, score.high
            scores.append(dict(zip(_SCORE, cells, strict=True)))
        shown = scores[-1]
        by_run = {run: rows.by_query(name) for run, rows in models.items()}
        tests = {
            (second, first): compare_by_query(by_run[second], by_run[first])
            for first, second in combinations(by_run, 2)
        }
        if tests:
            many = adjusted_by_holm(tests)
            # Intervals and p-values are adjusted for the number of pairs.
            numbers = many.difference, *many.confidence_interval(), many.pvalue
            differences += [
                dict(zip(_DIFFERENCE, (title, *pair, *row), strict=True))
                for pair, *row in zip(many.pairs, *numbers, strict=True)
            ]
            shown = differences[-1]
        line |= {words: shown[key] for key, words in titles.items() if key in shown}
        lines.append(line)
        if title == measure:
            others = [
                replace(other, score=test.scores[1])
                for (_, first), test in tests.items()
                for other in differences_from([first], [test], options.fail_p)
            ]
            checks += checks_of(title, score, others, options.fail_p, options.demands)
            compared = f"\nDifferences in {measure}, {many}" if len(models) > 2 else ""
    if options.format == "json":
        print_json("runs", checks, scores=scores, differences=differences)
    elif options.format == "csv":
        print_table("runs", lines, "csv")
        for sentence in sentences_of_checks(checks):
            print_message("check", sentence)
    else:
        print(_heading(models, options), end="\n\n")
        print_table("runs", lines, None)
        if compared:
            print(compared)
        if sentences := sentences_of_checks(checks) + next_sentences(options):
            print(in_lines(["", *sentences]))
    return checks


def _heading(models: Models, options: Namespace) -> str:
    n_queries = models[options.y_score].counts.queries or 0
    queries = query_words("query", n_queries)
    lines = [
        f"Means over {queries} of {Path(options.trec[0]).name}, all that "
        f"were judged, as by trec_eval -c{' -J' * options.judged_only}; level "
        f"{options.level} or more is relevant."
    ]
    for run, rows in models.items():
        absent = {
            "missing, counted as 0": rows.counts.queries_without_rows,
            "without judgements, left out": rows.n_unjudged_queries,
        }
        sizes = [query_words("document", rows.counts.rows)]
        sizes += [
            f"{query_words('query', n)} {words}" for words, n in absent.items() if n
        ]
        lines.append(f"{run}: {'; '.join(sizes)}.")
    if len(models) > 1:
        adjusted = ", adjusted for the number of pairs" * (len(models) > 2)
        lines.append(
            "A difference is a later run minus an earlier one; p is of a paired t test "
            f"over queries{adjusted}."
        )
    return in_lines(list(map(printable, lines)))


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
