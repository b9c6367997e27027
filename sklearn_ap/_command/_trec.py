"""What `--trec` prints: scores of runs as trec_eval computes them, and which differences are significant."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import compare_by_query, compare_many, estimate_score, read_trec, score_by_query
from .._answer._numbers import query_words
from .._answer._rows import AP, accepted_params, cut_in_name
from .._registry import K
from .._trec import TrecRun
from .._typing import ScoreByQuery
from ..distributed._batches import SourceError, format_value
from ._messages import warnings_in_lines
from ._tables import format_table, print_json

_SIGNIFICANCE_LEVEL = 0.05
Runs = Mapping[str, TrecRun]


def print_runs(options: argparse.Namespace) -> None:
    """Print the scores of runs, and their differences."""
    qrels, *paths = options.trec
    if not paths or len(set(paths)) < len(paths) or len(paths) > len(ascii_lowercase):
        listed = ", ".join(map(format_value, options.trec))
        raise SourceError(f"--trec must be judgements and 1 to 26 different runs; got {listed}")
    k, level = cut_in_name(options.k or K), 1 if options.level is None else options.level
    titles = {"MAP": AP, "MRR": "reciprocal_rank", f"P@{k}": f"precision@{k}", "R-precision": "r_precision"}
    titles[f"recall@{k}"] = f"recall@{k}"
    runs = read_trec(qrels, *paths, level=level)
    if options.by_query:
        _print_queries(runs, titles, options.format)
        return
    if not any(any(run.y_true) for run in runs.values()):
        names = " and ".join(map(format_value, runs))
        raise SourceError(f"{names}: no document has --level {level} or more in {format_value(qrels)}")
    # Warnings of estimates do not name a file.
    with warnings_in_lines("--trec"):
        tables = [_score_row(title, name, runs) for title, name in titles.items()]
    if options.format == "json":
        scores = [score for row in tables for score in row["scores"]]
        print_json("runs", scores=scores, differences=[pair for row in tables for pair in row["differences"]])
        return
    if options.format in (None, "table"):
        print(_heading(runs, qrels, level), end="\n\n")
    # Three runs have three differences per score, too many columns for a terminal: letters mark them.
    lines = _marked_lines(tables) if len(runs) > 2 else [_table_line(row) for row in tables]
    print(format_table(lines, options.format))


def _heading(runs: Runs, qrels: str, level: int) -> str:
    queries = query_words("query", len(_queries_of(runs)))
    judged = f"{queries} of {qrels}, all that were judged, as by trec_eval -c"
    lines = [f"Means over {judged}; level {level} or more is relevant."]
    for letter, (name, run) in zip(ascii_lowercase, runs.items(), strict=False):
        n_absent = len(run.n_positives) - len(set(run.query_id))
        absent = f"; missing queries, counted as 0: {n_absent}" * (n_absent > 0)
        n_unjudged = run.n_unjudged_queries
        unjudged = f"; dropped queries without judgements: {n_unjudged}" * (n_unjudged > 0)
        mark = f"{letter} " * (len(runs) > 2)
        lines.append(f"{mark}{name}: {len(run.y_true)} documents{absent}{unjudged}.")
    if len(runs) == 2:
        lines.append("A difference is the second run minus the first; p is of a paired t test over queries.")
    elif len(runs) > 2:
        lines.append("A letter after a score names a run that scores significantly less, at the level .05 of")
        lines.append("all pairs together, by a bootstrap of queries.")
    return "\n".join(lines)


def _queries_of(runs: Runs) -> list[str]:
    """Return all judged queries, which every run has."""
    return list(next(iter(runs.values())).n_positives)


def _scores_by_query(name: str, run: TrecRun) -> ScoreByQuery:
    """Return the score of each query."""
    return score_by_query(name, run.y_true, run.y_score, **_run_arguments(name, run))


def _run_arguments(name: str, run: TrecRun) -> dict[str, Any]:
    """Return the arguments of a score other than labels and scores."""
    # trec_eval counts a query without relevant documents as 0, in silence.
    totals = {"n_positives": run.n_positives, "zero_division": 0.0}
    return {"query_id": run.query_id, **accepted_params(name, totals)}


def _print_queries(runs: Runs, titles: Mapping[str, str], file_format: str | None) -> None:
    """Print one row per query and run; first the queries that lose most by the last run."""
    values = {
        path: {title: _scores_by_query(name, run) for title, name in titles.items()}
        for path, run in runs.items()
    }
    # A single run is repeated, so that there is a first and a last.
    first, *_, last = [values[run]["MAP"] for run in (*runs, *runs)][: max(len(runs), 2)]
    is_pair = len(runs) > 1

    def loss(query: str) -> float:
        return last[query] - (first[query] if is_pair else 0.0)

    # The queries to look at stand first, so `| head` shows them.
    queries = sorted(_queries_of(runs), key=loss)
    if file_format == "json":
        keys = [(query, run, title) for query in queries for run in runs for title in titles]
        rows: list[Any] = [dict(zip(("query", "run", "score"), key, strict=True)) for key in keys]
        for row in rows:
            row["value"] = values[row["run"]][row["score"]][row["query"]]
        print_json("queries", rows=rows)
        return
    print(format_table(list(_rows_by_query(queries, values)), file_format))


def _rows_by_query(queries: list[str], values: Mapping[str, Mapping[str, ScoreByQuery]]) -> Iterator[Any]:
    for query in queries:
        for run, scores in values.items():
            row = {"query": query, "run": run} if len(values) > 1 else {"query": query}
            yield {**row, **{title: scores[title][query] for title in scores}}


def _score_row(title: str, name: str, runs: Runs) -> dict[str, Any]:
    """Return the mean of each run and all differences: of one run its interval, of two a t test by query."""
    scores: list[Any] = [
        {"score": title, "run": run, "value": 0.0, "low": None, "high": None} for run in runs
    ]
    if len(runs) == 1:
        [run] = runs.values()
        estimate = estimate_score(name, run.y_true, run.y_score, **_run_arguments(name, run))
        low, high = estimate.confidence_interval()
        scores[0] |= {"value": float(estimate.score), "low": low, "high": high}
        return {"title": title, "scores": scores, "differences": []}
    by_run, queries = {run: _scores_by_query(name, runs[run]) for run in runs}, _queries_of(runs)
    values = {run: np.array([scores[query] for query in queries]) for run, scores in by_run.items()}
    for each in scores:
        each["value"] = float(values[each["run"]].mean())
    tests: list[tuple[Any, ...]]
    if len(runs) == 2:
        first, second = by_run
        comparison = compare_by_query(by_run[second], by_run[first])
        tests = [(second, first, comparison.difference, *comparison.confidence_interval(), comparison.pvalue)]
    else:
        # A score per query is a row here, so that a draw takes whole queries of all runs together. The seed
        # prints the same letters for the same files.
        many = compare_many(_mean, np.zeros(len(queries)), values, random_state=0)
        columns = many.difference, *many.confidence_interval(), many.pvalue
        tests = [(*pair, *map(float, row)) for pair, *row in zip(many.pairs, *columns, strict=True)]
    keys = "score", "first", "second", "difference", "low", "high", "pvalue"
    differences = [dict(zip(keys, (title, *test), strict=True)) for test in tests]
    return {"title": title, "scores": scores, "differences": differences}


def _mean(_: ArrayLike, values: Any) -> float:
    return float(np.mean(values))


def _table_line(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of the table: the score of one run with its interval, or of two with their difference."""
    scores = row["scores"]
    line = {"": row["title"], **{score["run"]: score["value"] for score in scores}}
    if len(scores) == 1:
        return {**line, "95 % low": scores[0]["low"], "high": scores[0]["high"]}
    [pair] = row["differences"]
    ends = {"95 % low": pair["low"], "high": pair["high"], "p": pair["pvalue"]}
    return {**line, "difference": pair["difference"], **ends}


def _marked_lines(tables: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a line per run, whose scores have the letters of the runs that score significantly less."""
    runs = [score["run"] for score in tables[0]["scores"]]
    letters = dict(zip(runs, ascii_lowercase, strict=False))
    lines = {run: {"": f"{letter} {run}"} for run, letter in letters.items()}
    for row in tables:
        worse = dict.fromkeys(runs, "")
        for pair in row["differences"]:
            if pair["pvalue"] <= _SIGNIFICANCE_LEVEL:
                # Pairs have any order; the sign of the difference says which run is better.
                better, other = (pair["first"], pair["second"])[:: 1 if pair["difference"] > 0 else -1]
                worse[better] += letters[other]
        for score in row["scores"]:
            mark = "".join(sorted(worse[score["run"]]))  # padded below, so that scores stand in columns
            lines[score["run"]][row["title"]] = f"{score['value']:.4f} {mark:<{len(runs) - 1}}"
    return list(lines.values())
