"""What the command prints: messages, tables as text, CSV or JSON, runs of TREC, and the first look."""

import csv
import io
import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import compare_by_query, compare_many, estimate_score, get_scorer, read_trec, score_by_query
from .._answer._numbers import (
    AP,
    SCHEMA_VERSION,
    Arguments,
    Question,
    ScoredRows,
    accepted_params,
    answer_of,
    cut_in_name,
    quiet_warnings,
    rows_in_memory,
    without_nan,
)
from .._answer._sentences import (
    conventions_sentence,
    count_sentence,
    in_lines,
    printable,
    query_words,
    sentences_of,
    wrapped,
)
from .._registry import K
from .._rounding import LEAST_PVALUE, format_pvalue
from .._trec import TrecRun
from .._typing import FloatArray, QueryId, ScoreByQuery
from ..compatibility import CONVENTIONS, ConventionComparison, compare_conventions, identify
from ..distributed._batches import SourceError, format_value

_MAX_LINE_LENGTH = 1000  # of a message
_SIGNIFICANCE_LEVEL = 0.05
_EXAMPLE_K = 20
_EXAMPLE_DEFINITIONS = ["average precision", "interpolated, all recalls", "eleven-point", "PR AUC, linear"]
_EXAMPLE_DEFINITIONS += ["AP@k over min(k, R)", "precision@k", "recall@k"]
Line = dict[str, Any]  # of a table: cells by their title


def print_message(kind: str, message: str) -> None:
    """Print one line on standard error."""
    if sys.stderr is not None:
        line = printable(message.split("\n", maxsplit=1)[0])
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
        writer = csv.DictWriter(text, lines[0], lineterminator="\n")  # by default \r\n, on every system
        writer.writeheader()
        writer.writerows(map(without_nan, lines))
        return text.getvalue().removesuffix("\n")
    # Text is aligned by the widest cell; CSV has all digits, for programs.
    cells = [list(lines[0]), *([_cell_text(title, cell) for title, cell in line.items()] for line in lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    aligned = "  ".join([f"{{:<{widths[0]}}}", *(f"{{:>{width}}}" for width in widths[1:])])
    return "\n".join(aligned.format(*line).rstrip() for line in cells)


def _cell_text(title: str, cell: Any) -> str:
    if without_nan(cell) is None:
        return "-"
    if title == "p" and cell < LEAST_PVALUE:
        return format_pvalue(cell)
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def print_json(kind: str, **values: Any) -> None:
    """Print an answer as JSON, which `schema.json` describes."""
    # Ids of queries may be dates, which JSON lacks: `str` writes them.
    print(json.dumps(without_nan({"schema": SCHEMA_VERSION, "kind": kind, **values}), indent=2, default=str))


def print_queries(rows: ScoredRows, options: Namespace) -> None:
    """Print the scores of each query."""
    names = _names_by_title("average precision", "reciprocal rank", "precision", options.k)
    if rows.counts["weight"] is not None:
        del names["reciprocal rank"]  # which takes no weights
    values = {title: rows.by_query(name) for title, name in names.items()}
    _print_by_query({"": values}, list(values["average precision"]), options)


def _names_by_title(mean: str, rank: str, precision: str, k: int | float | None) -> dict[str, str]:
    """Return the names of the scores that tables of queries and runs show, under titles of their trade."""
    cut = cut_in_name(k or K)
    names = {mean: AP, rank: "reciprocal_rank", f"{precision}@{cut}": f"precision@{cut}"}
    return {**names, "R-precision": "r_precision", f"recall@{cut}": f"recall@{cut}"}


def _print_by_query(
    values: Mapping[str, Mapping[str, ScoreByQuery]], queries: Sequence[QueryId], options: Namespace
) -> None:
    """Print the scores of each query and run; rows that are not a run have an empty name."""
    cells, lines = list[Line](), list[Line]()
    for query, (run, by_title) in product(queries, values.items()):
        named = {"run": run} if run else {}
        scores = {title: by_query[query] for title, by_query in by_title.items()}
        cells += [{"query": query, **named, "score": title, "value": x} for title, x in scores.items()]
        lines.append({options.per or "query": str(query), **named, **scores})
    if options.format == "json":
        print_json("queries", rows=cells)
    else:
        print(format_table(lines, options.format))


def print_definitions(name: str, rows: ScoredRows, options: Namespace) -> None:
    """Print every number of this package next to scikit-learn's."""
    # None stands for the definitions of this package alone, a screen long.
    conventions = CONVENTIONS.values() if options.all else None
    comparison = compare_conventions(k=options.k or K, conventions=conventions, **rows.convention_arguments)
    if options.format in ("csv", "json"):
        keys = ("value", "low", "high", "scikit_learn", "difference", "why")
        cells = [{"score": row.name, **{key: getattr(row, key) for key in keys}} for row in comparison.rows]
        if options.format == "json":
            print_json("definitions", rows=cells)
        else:
            print(format_table(cells, "csv"))
        return
    first, *sentences = sentences_of(answer_of(name, rows, Question(options.k)))
    print(first, wrapped(" ".join([*sentences, conventions_sentence(rows.counts)]).rstrip()), "", sep="\n")
    if options.why:
        print(comparison)
    else:
        hint = wrapped("--why shows which choice of the definition makes which part of a difference.")
        print(_without_reasons(comparison), hint, sep="\n\n")


def _without_reasons(comparison: ConventionComparison) -> ConventionComparison:
    """Return a comparison without the lines that say why numbers differ, which only `--why` prints."""
    return replace(comparison, rows=tuple(replace(row, changes=()) for row in comparison.rows))


def print_identified(rows: ScoredRows, options: Namespace) -> None:
    """Print the conventions that compute a number."""
    identified = identify(options.identify, k=options.k or K, **rows.convention_arguments)
    if options.format == "json":
        groups = [*identified.groups, *identified.possible]
        matches = [(group, convention) for group in groups for convention in group.conventions]
        names = [{"name": c.name, "value": g.value, "low": g.low, "high": g.high} for g, c in matches]
        print_json("identified", number=identified.value, rows=names)
        return
    print(wrapped(f"{count_sentence(rows.counts)}."))
    for line in str(identified).splitlines():
        print(wrapped(line, "  "))


def print_runs(options: Namespace) -> None:
    """Print the scores of runs as trec_eval computes them, and which differences are significant."""
    qrels, *paths = options.trec
    if not 1 <= len(set(paths)) == len(paths) <= len(ascii_lowercase):
        listed = ", ".join(map(format_value, options.trec))
        raise SourceError(f"--trec must be judgements and 1 to 26 different runs; got {listed}")
    level = 1 if options.level is None else options.level
    names, runs = _names_by_title("MAP", "MRR", "P", options.k), read_trec(qrels, *paths, level=level)
    values = {
        path: {
            title: score_by_query(name, *run[:2], **_arguments(name, run)) for title, name in names.items()
        }
        for path, run in runs.items()
    }
    queries = list(runs[paths[0]].n_positives)  # all that were judged
    if options.by_query:
        # The queries to look at stand first, so `| head` shows them: those that lose most by the last run.
        last, first = values[paths[-1]]["MAP"], values[paths[0]]["MAP"]
        gains = {query: last[query] - (first[query] if len(paths) > 1 else 0) for query in queries}
        worst_first = sorted(queries, key=gains.__getitem__)
        _print_by_query(values, worst_first, options)
        return
    if not any(any(run.y_true) for run in runs.values()):
        listed = " and ".join(map(format_value, runs))
        raise SourceError(f"{listed}: no document has --level {level} or more in {format_value(qrels)}")
    scores, differences = list[Line](), list[Line]()
    with warnings_in_lines("--trec"):  # warnings of estimates do not name a file
        for title, name in names.items():
            by_run = {path: {query: values[path][title][query] for query in queries} for path in paths}
            scores += _mean_scores(title, name, runs, by_run)
            differences += _differences(title, by_run)
    if options.format == "json":
        print_json("runs", scores=scores, differences=differences)
        return
    if options.format in (None, "table"):
        print(_heading(runs, qrels, level), end="\n\n")
    # Three runs have three differences per score, too many columns for a terminal: letters mark them.
    lines_of = _lines_by_run if len(runs) > 2 else _lines_by_score
    print(format_table(lines_of(scores, differences), options.format))


def _arguments(name: str, run: TrecRun) -> Arguments:
    """Return the arguments of a score besides labels and scores."""
    # trec_eval counts a query without relevant documents as 0, in silence.
    totals = accepted_params(name, {"n_positives": run.n_positives, "zero_division": 0.0})
    return {"query_id": run.query_id, **totals}


def _mean_scores(
    title: str, name: str, runs: Mapping[str, TrecRun], by_run: Mapping[str, ScoreByQuery]
) -> list[Line]:
    """Return the mean of each run over queries; that of a single run has an interval."""
    low, high = None, None
    if len(runs) == 1:
        [run] = runs.values()
        low, high = estimate_score(name, *run[:2], **_arguments(name, run)).confidence_interval()
    means = {path: float(np.mean(list(values.values()))) for path, values in by_run.items()}
    return [{"score": title, "run": path, "value": x, "low": low, "high": high} for path, x in means.items()]


def _differences(title: str, by_run: Mapping[str, ScoreByQuery]) -> list[Line]:
    """Return the difference of each pair of runs: of two runs by a paired t test, of more by a bootstrap."""
    pairs: list[tuple[str | float, ...]] = []
    if len(by_run) == 2:
        first, second = by_run
        test = compare_by_query(by_run[second], by_run[first])
        pairs = [(second, first, test.difference, *test.confidence_interval(), test.pvalue)]
    elif len(by_run) > 2:
        values = {run: np.array(list(by_query.values())) for run, by_query in by_run.items()}
        # A score per query is a row here, so that a draw takes whole queries of all runs together. The seed
        # prints the same letters for the same files.
        many = compare_many(_mean, np.zeros(len(next(iter(values.values())))), values, random_state=0)
        columns = many.difference, *many.confidence_interval(), many.pvalue
        pairs = [(*pair, *map(float, row)) for pair, *row in zip(many.pairs, *columns, strict=True)]
    keys = "score", "first", "second", "difference", "low", "high", "pvalue"
    return [dict(zip(keys, (title, *pair), strict=True)) for pair in pairs]


def _mean(_: ArrayLike, values: FloatArray) -> float:
    return float(np.mean(values))


def _heading(runs: Mapping[str, TrecRun], qrels: str, level: int) -> str:
    judged = query_words("query", len(next(iter(runs.values())).n_positives))
    rule = f"as by trec_eval -c; level {level} or more is relevant."
    lines = [f"Means over {judged} of {qrels}, all that were judged, {rule}"]
    for letter, (name, run) in zip(ascii_lowercase, runs.items(), strict=False):
        n_absent, n_unjudged = len(run.n_positives) - len(set(run.query_id)), run.n_unjudged_queries
        absent = f"; missing queries, counted as 0: {n_absent}" * (n_absent > 0)
        unjudged = f"; dropped queries without judgements: {n_unjudged}" * (n_unjudged > 0)
        mark = f"{letter} " * (len(runs) > 2)
        lines.append(f"{mark}{name}: {len(run.y_true)} documents{absent}{unjudged}.")
    if len(runs) == 2:
        lines.append("A difference is the second run minus the first; p is of a paired t test over queries.")
    elif len(runs) > 2:
        lines.append("A letter after a score names a run that scores significantly less, at the level .05 of")
        lines.append("all pairs together, by a bootstrap of queries.")
    return "\n".join(lines)


def _lines_by_score(scores: Sequence[Line], differences: Sequence[Line]) -> list[Line]:
    """Return a line per score: of one run with its interval, or of two with their difference."""
    lines = {score["score"]: {"": score["score"]} for score in scores}
    for score in scores:
        lines[score["score"]][score["run"]] = score["value"]
    for row in differences or scores:
        difference = {"difference": row["difference"]} if differences else {}
        pvalue = {"p": row["pvalue"]} if differences else {}
        lines[row["score"]] |= {**difference, "95 % low": row["low"], "high": row["high"], **pvalue}
    return list(lines.values())


def _lines_by_run(scores: Sequence[Line], differences: Sequence[Line]) -> list[Line]:
    """Return a line per run, whose scores have the letters of the runs that score significantly less."""
    letters = dict(zip(dict.fromkeys(score["run"] for score in scores), ascii_lowercase, strict=False))
    worse = {(score["score"], score["run"]): "" for score in scores}
    for pair in differences:
        if pair["pvalue"] <= _SIGNIFICANCE_LEVEL:
            # Pairs have any order; the sign of the difference says which run is better.
            better, other = (pair["first"], pair["second"])[:: 1 if pair["difference"] > 0 else -1]
            worse[pair["score"], better] += letters[other]
    lines = {run: {"": f"{letter} {run}"} for run, letter in letters.items()}
    for score in scores:
        title, run = score["score"], score["run"]
        marks = "".join(sorted(worse[title, run]))  # padded below, so that scores stand in columns
        lines[run][title] = f"{score['value']:.4f} {marks:<{len(letters) - 1}}"
    return list(lines.values())


def print_example() -> None:
    """Tune a model on images of digits, and print how well it and its default find the eights."""
    # Searches and data, which no other call needs.
    from sklearn.datasets import load_digits  # noqa: PLC0415
    from sklearn.model_selection import GridSearchCV, train_test_split  # noqa: PLC0415
    from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415

    images, digits = load_digits(return_X_y=True)
    data = train_test_split(images, digits == 8, test_size=0.5, random_state=0, stratify=digits)
    images_train, images_test, y_train, y_test = data
    grid, scorer = {"var_smoothing": [1e-9, 1e-3, 1e-2, 1e-1, 1.0]}, f"average_precision@{_EXAMPLE_K}"
    search = GridSearchCV(GaussianNB(), grid, scoring=get_scorer(scorer)).fit(images_train, y_train)
    default = GaussianNB().fit(images_train, y_train)
    tuned, untuned = (model.predict_proba(images_test)[:, 1] for model in (search, default))
    search_words = (
        f"GridSearchCV(GaussianNB(), ..., scoring=get_scorer('{scorer}')) chooses var_smoothing="
        f"{search.best_params_['var_smoothing']:g} to find the eights among images of digits. "
        "On the other half of the images:"
    )
    rows = rows_in_memory({"y_true": y_test, "y_score": tuned, "compare": untuned}, None)
    answer = answer_of("The tuned model", rows, Question(_EXAMPLE_K, compare="The default"))
    comparison = compare_conventions(y_test, tuned, k=_EXAMPLE_K, conventions=_EXAMPLE_DEFINITIONS)
    print(wrapped(search_words), in_lines(sentences_of(answer)), _without_reasons(comparison), sep="\n\n")
    print("\nNext, your own: sklearn-ap scores.csv --y-true COLUMN --y-score COLUMN -k 20")
