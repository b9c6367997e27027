"""Output of the command: messages, tables as text, CSV or JSON, runs of TREC, and the
first look.
"""

import csv
import io
import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from .. import compare_by_query, get_scorer
from .._answer import _sentences
from .._answer._fields import SCHEMA_VERSION, Check, to_json
from .._answer._numbers import (
    Question,
    ScoredRows,
    answer_of,
    chance_by_query,
    difference_from,
    measures_of,
    quiet_warnings,
    rows_in_memory,
    score_from,
)
from .._public import json_value
from .._registry import K
from .._report._report import report
from .._rounding import LEAST_PVALUE, format_pvalue, part_of
from .._trec import runs_of
from .._typing import ScoreByQuery, ScoreFunction
from .._uncertainty._many import adjusted_by_holm
from .._uncertainty._results import ScoreComparison
from ..compatibility import (
    CONVENTIONS,
    ConventionComparison,
    compare_conventions,
    identify,
)
from ..compatibility._comparison import COLUMNS
from ..distributed._batches import SourceError, format_value
from ._checks import Gate, checks_of, chosen_measure, sentences_of_checks

_MAX_LINE_LENGTH = 1000  # of a message
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
# The keys of a difference in JSON, and the titles of an interval in a table.
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
        line = _sentences.printable(message.split("\n", maxsplit=1)[0])
        print(f"sklearn_ap: {kind}: {line[:_MAX_LINE_LENGTH]}", file=sys.stderr)


@contextmanager
def warnings_in_lines(name: str) -> Iterator[None]:
    """Print each warning of the library once, after the name of the rows."""
    with quiet_warnings() as caught:  # a user's -W error would end the command
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        print_message("warning", f"{name}: {text}")


def format_table(lines: Sequence[Line], file_format: str | None) -> str:
    """Return a table as text with four decimals, or as CSV with all digits."""
    if file_format == "csv":
        text = io.StringIO()
        # by default \r\n, on every system
        writer = csv.DictWriter(text, lines[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(json_value, lines))
        return text.getvalue().removesuffix("\n")
    # Text is aligned by the widest cell; CSV has all digits, for programs.
    cells = [
        list(map(_sentences.printable, lines[0])),
        *([_cell_text(title, cell) for title, cell in line.items()] for line in lines),
    ]
    first, *widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join([name.ljust(first), *map(str.rjust, numbers, widths)]).rstrip()
        for name, *numbers in cells
    )


def _cell_text(title: str, cell: Any) -> str:
    if json_value(cell) is None:
        return "-"
    if title == "p" and cell < LEAST_PVALUE:
        return format_pvalue(cell)
    if isinstance(cell, float):  # an amount, or a score
        return part_of(cell) if abs(cell) > 1 else f"{cell:.4f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return _sentences.printable(str(cell))  # such as the name of a query


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
    values = dict[str, Columns]()
    for run, rows in models.items():
        counts, scores = _values_by_query(rows, options)
        values[run] = counts | scores
    runs = list(values.values())
    first, last = runs[0], runs[-1]
    main = next(iter(scores))
    queries = list(first[main])
    chance = chance_by_query(rows)  # not of runs
    first |= {"chance": chance} if chance else {}
    if options.trec:
        # The queries to look at stand first, so `| head` shows them: those that lose
        # most by the last run.
        before = first[main] if len(models) > 1 else {}
        queries = sorted(
            queries, key=lambda query: last[main][query] - before.get(query, 0)
        )
    if options.format == "json":
        cells = [
            {
                "query": query,
                **({"run": run} if run else {}),
                "score": title,
                "value": by_query[query],
            }
            for query, run in product(queries, models)
            for title, by_query in values[run].items()
        ]
        print_json("queries", rows=cells)
        return
    titles = list(first)
    if options.format != "csv":  # what fits a terminal
        titles = ["positives", main] if len(models) > 1 else [*counts, main]
        titles += ["chance"] * bool(chance)
    # A column may be called as one of these, such as rows.
    queries_title = "query" if options.per in (None, *titles) else options.per
    lines = [Line({queries_title: str(query)}) for query in queries]
    for line, query in zip(lines, queries, strict=True):
        for title in titles:
            if len(models) == 1 or title == "positives":  # the same in all runs
                line[title] = first[title][query]
                continue
            for run in models:
                line[f"{title} {run}"] = values[run][title][query]
            if len(models) == 2:
                line[f"{title} difference"] = last[title][query] - first[title][query]
    print(format_table(lines, options.format))


def _values_by_query(rows: ScoredRows, options: Namespace) -> tuple[Columns, Columns]:
    """Return what each query contains and a budget finds in it, and its scores."""
    k, counts = options.k or K, rows.counts
    names, weighted = measures_of(k, is_run=bool(options.trec)), ""
    fields = {
        "rows": "n_samples",
        "positives": "n_positives",
        f"found in first {f'{100 * k:g} %' if isinstance(k, float) else k}": "positives_found",
    }
    if counts.weight is not None:
        fields[f"{counts.weight_name} of positives"] = "positive_weight"
        fields[f"{counts.weight_name} found"] = "weight_found"
        del names["reciprocal rank"]  # which takes no weights
        weighted = f", weighted by {counts.weight_name}"
    if counts.amount is not None:
        fields[f"{counts.amount_name} of positives"] = "amount_of_positives"
        fields[f"{counts.amount_name} found"] = "amount_found"
    by_query = rows.budget(k).by_query
    found: Columns = {
        title: {
            query: int(value) if value.is_integer() else value
            for query, value in zip(
                by_query["query"].tolist(), by_query[name].tolist(), strict=True
            )
        }
        for title, name in fields.items()
    }
    scores = {title + weighted: rows.by_query(name) for title, name in names.items()}
    return found, scores


def print_definitions(name: str, rows: ScoredRows, options: Namespace) -> None:
    """Print every number of this package next to scikit-learn's."""
    # None stands for the definitions of this package alone, a screen long.
    conventions = CONVENTIONS if options.all else None
    comparison = compare_conventions(
        k=options.k or K,
        conventions=conventions,
        **rows.arguments(compare_conventions),
    )
    if options.format in ("csv", "json"):
        cells = [
            {"score": row.name, **{name: getattr(row, name) for name in COLUMNS}}
            for row in comparison.rows
        ]
        if options.format == "json":
            print_json("definitions", rows=cells)
        else:
            print(format_table(cells, "csv"))
        return
    first, *sentences = _sentences.sentences_of(
        answer_of(name, rows, Question(options.k))
    )
    sentences.append(_sentences.conventions_sentence(rows.counts))
    more = " ".join(sentences).rstrip()
    print(_sentences.in_lines([first, more] if more else [first]), end="\n\n")
    print(comparison if options.why else _without_reasons(comparison))
    if not options.why:
        print(
            "\n--why shows which choice of the definition makes which part of a difference."
        )


def _without_reasons(comparison: ConventionComparison) -> ConventionComparison:
    """Return a comparison without the lines that say why numbers differ, which only
    `--why` prints.
    """
    return replace(
        comparison, rows=tuple(replace(row, changes=()) for row in comparison.rows)
    )


def print_identified(rows: ScoredRows, options: Namespace) -> None:
    """Print the conventions that compute a number."""
    arguments = rows.arguments(identify)
    identified = identify(options.identify, k=options.k or K, **arguments)
    if options.format == "json":
        names = [
            {
                "name": each.name,
                "value": group.value,
                "low": group.low,
                "high": group.high,
            }
            for group in [*identified.groups, *identified.possible]
            for each in group.conventions
        ]
        print_json("identified", number=identified.value, rows=names)
        return
    print(_sentences.wrapped(f"{_sentences.count_sentence(rows.counts)}."))
    for line in str(identified).splitlines():
        print(_sentences.wrapped(line, "  "))


def open_runs(options: Namespace, qrels: str, *files: str) -> dict[str, ScoredRows]:
    """Return the rows of each run of TREC; the second of two is the model that the
    first is compared with.
    """
    paths = options.trec[1:]
    if not 1 <= len(set(paths)) == len(paths):
        listed = ", ".join(map(format_value, options.trec))
        raise SourceError(
            f"--trec must be judgements and one or more different runs; got {listed}"
        )
    n_valid = {"--report": 2, "--identify": 1, "a table": 1}.get(
        options.kind, len(paths)
    )
    if len(paths) > n_valid:
        valid = f"{n_valid} run{'s' * (n_valid > 1)}"
        raise SourceError(f"{options.kind} is valid with {valid}; got {len(paths)}")
    # JSON has whole paths; people read the names of files, if these differ.
    names = [Path(path).name for path in paths]
    # Tables have other columns of these titles.
    titles = _INTERVAL.values()
    names = [f"run {name}" if name in titles else name for name in names]
    if options.format == "json" or len(set(names)) < len(names):
        names = paths
    by_name = dict(zip(names, files, strict=True))
    runs = runs_of(qrels, by_name, options.level, judged_only=options.judged_only)
    models, roles = {}, ("y_true", "y_score", "query_id", "item_id")
    for name, run in runs.items():
        arrays = {role: np.asarray(getattr(run, role)) for role in roles}
        # trec_eval counts a query without relevant documents as 0, in silence.
        rows = rows_in_memory(arrays, run.n_positives)
        models[name] = rows._replace(n_unjudged_queries=run.n_unjudged_queries)
    first, *others = names
    if not models[first].counts.all_positives:
        raise SourceError(
            f"{format_value(qrels)}: no document has --level {options.level} or more"
        )
    if others:
        options.compare = others[0]
        models[first] = models[first]._replace(second_run=models[others[0]])
    options.y_score = first
    return models


def print_runs(models: Models, options: Namespace) -> list[Check]:
    """Print the scores of runs as trec_eval computes them, and how sure their
    differences are; return their checks.
    """
    names = measures_of(options.k or K, is_run=True)
    measure = chosen_measure(options.fail_on, names)
    checks: list[Check] = []
    scores: list[Line] = []
    differences: list[Line] = []
    lines: list[Line] = []
    compared = ""
    for title, name in names.items():
        line = Line({"": title})
        for run, rows in models.items():
            # A run without a hit has no interval.
            score = score_from(0.0, rows.estimate(name))
            line[run] = score.value
            scores.append(
                {
                    "score": title,
                    "run": run,
                    "value": score.value,
                    "low": score.low,
                    "high": score.high,
                }
            )
        last_score = score
        shown = scores[-1]
        tests = _tests_of_pairs(name, models)
        if tests:
            # p-values and intervals are adjusted for the number of pairs
            many = adjusted_by_holm(tests)
            columns = many.difference, *many.confidence_interval(), many.pvalue
            differences += [
                dict(zip(_DIFFERENCE, (title, *pair, *row), strict=True))
                for pair, *row in zip(many.pairs, *columns, strict=True)
            ]
            shown = differences[-1]
        # A line has room for one interval: of a single run, or of a difference.
        if len(models) <= 2:
            line |= {
                words: shown[key] for key, words in _INTERVAL.items() if key in shown
            }
        lines.append(line)
        if title == measure:
            others = [
                difference_from(first, test, options.fail_p)
                for (_, first), test in tests.items()
            ]
            gate = Gate(title, last_score, others, options.fail_p)
            checks = checks_of(gate.findings, options)
            if len(models) > 2:
                compared = f"\n\n{measure}: {many}"
    if options.format == "json":
        print_json("runs", checks, scores=scores, differences=differences)
        return checks
    table = format_table(lines, options.format)
    if options.format != "csv":
        table = f"{_heading(models, options)}\n\n{table}{compared}"
    print(table)
    if checks:
        print(_sentences.in_lines(["", *sentences_of_checks(checks)]))
    return checks


def _tests_of_pairs(
    name: str | ScoreFunction, models: Models
) -> dict[tuple[str, str], ScoreComparison]:
    """Return the test of each run minus each run before it, by query."""
    by_run = {run: rows.by_query(name) for run, rows in models.items()}
    return {
        (second, first): compare_by_query(by_run[second], by_run[first])
        for first, second in combinations(by_run, 2)
    }


def _heading(models: Models, options: Namespace) -> str:
    n_queries = next(iter(models.values())).counts.queries or 0
    queries = _sentences.query_words("query", n_queries)
    lines = [
        f"Means over {queries} of {Path(options.trec[0]).name}, all that were judged, "
        f"as by trec_eval -c{' -J' * options.judged_only}; level {options.level} or "
        "more is relevant."
    ]
    for run, rows in models.items():
        sentence = f"{run}: {rows.counts.rows:,} documents"
        if n_absent := rows.counts.queries_without_rows:
            sentence += f"; missing queries, counted as 0: {n_absent:,}"
        if n_dropped := rows.n_unjudged_queries:
            sentence += f"; dropped queries without judgements: {n_dropped:,}"
        lines.append(f"{sentence}.")
    if len(models) > 1:
        adjusted = ", adjusted for the number of pairs" * (len(models) > 2)
        lines.append(
            "A difference is a later run minus an earlier one; p is of a paired t test "
            f"over queries{adjusted}."
        )
    return _sentences.in_lines(list(map(_sentences.printable, lines)))


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
    scorer = f"average_precision@{_EXAMPLE_K}"
    grid = {"var_smoothing": [1e-9, 1e-3, 1e-2, 1e-1, 1.0]}
    search = GridSearchCV(GaussianNB(), grid, scoring=get_scorer(scorer))
    tuned, untuned = (
        model.fit(images_train, y_train).predict_proba(images_test)[:, 1]
        for model in (search, GaussianNB())
    )
    search_words = (
        f"GridSearchCV(GaussianNB(), ..., scoring=get_scorer('{scorer}')) chooses var_smoothing="
        f"{search.best_params_['var_smoothing']:g} to find the eights among images of digits. "
        "On the other half of the images:"
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
        _sentences.wrapped(search_words),
        answer,
        _without_reasons(comparison),
        sep="\n\n",
    )
    print(
        "\nNext, your own: sklearn-ap scores.csv --y-true COLUMN --y-score COLUMN -k 20"
    )
