"""Judgements (qrels) and runs in TREC format, scored as by trec_eval; two runs are compared by query."""

import argparse
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from .. import compare_by_query, estimate_score, score_by_query
from .._answer._rows import AP, accepted_params, cut_in_name
from .._registry import K
from .._typing import ScoreByQuery
from ..distributed._batches import SourceError, format_value, is_number
from ._messages import warnings_in_lines
from ._tables import format_table

_is_level = re.compile(r"[+-]?[0-9]{1,18}").fullmatch
_QRELS_CELLS = ("query", "iteration", "document", "level")
_RUN_CELLS = ("query", "Q0", "document", "rank", "score", "name")
Judgements = dict[str, dict[str, bool]]  # whether each document is relevant, by query


class Run(NamedTuple):
    """The documents that a run retrieved for judged queries, in trec_eval's order, which has no ties."""

    name: str
    positive: list[bool]
    score: list[int]  # distinct within a query; the best document has the highest
    query: list[str]
    n_positives: dict[str, float]  # of each query of the run, retrieved or missed
    n_unjudged: int  # queries without judgements

    def arguments(self, name: str) -> dict[str, Any]:
        """Return the arguments of a score other than labels and scores."""
        totals = {"n_positives": self.n_positives, "zero_division": 0.0}
        return {"query_id": self.query, **accepted_params(name, totals)}

    def by_query(self, name: str) -> ScoreByQuery:
        """Return the score of each query."""
        return score_by_query(name, self.positive, self.score, **self.arguments(name))


def print_runs(options: argparse.Namespace) -> None:
    """Print the scores of a run, or of two runs and their differences."""
    qrels, *paths = options.trec
    if len(paths) not in (1, 2) or len(set(paths)) < len(paths):
        listed = ", ".join(map(format_value, options.trec))
        raise SourceError(f"--trec must be judgements and one or two different runs; got {listed}")
    k, level = cut_in_name(options.k or K), 1 if options.level is None else options.level
    names = {"MAP": AP, "MRR": "reciprocal_rank", f"P@{k}": f"precision@{k}", "R-precision": "r_precision"}
    names[f"recall@{k}"] = f"recall@{k}"
    judgements = read_qrels(qrels, level)
    runs = [read_run(path, judgements, qrels) for path in paths]
    if options.by_query:
        print(format_table(list(_rows_by_query(runs, names)), options.format))
        return
    if not any(any(run.positive) for run in runs):
        both = " and ".join(run.name for run in runs)
        raise SourceError(f"{both}: no document has --level {level} or more in {format_value(qrels)}")
    with warnings_in_lines("--trec"):
        rows = [_score_row(title, name, runs) for title, name in names.items()]
    if options.format in (None, "table"):
        print(_heading(runs, len(judgements), format_value(qrels), level), end="\n\n")
    print(format_table(rows, options.format))


def _heading(runs: list[Run], n_judged: int, qrels: str, level: int) -> str:
    n_queries = len(set().union(*(run.n_positives for run in runs)))
    lines = [f"Means over {n_queries} of {n_judged} queries in {qrels}; level {level} or more is relevant."]
    for run in runs:
        n_absent = n_queries - len(run.n_positives)
        absent = f"; missing queries, counted as 0: {n_absent}" * (n_absent > 0)
        unjudged = f"; dropped queries without judgements: {run.n_unjudged}" * (run.n_unjudged > 0)
        lines.append(f"{run.name}: {len(run.positive)} documents{absent}{unjudged}.")
    if len(runs) > 1:
        lines.append(
            "A difference is the second run minus the first; p is from a paired t test over queries."
        )
    return "\n".join(lines)


def _rows_by_query(runs: list[Run], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield one row per query and run."""
    values = [{title: run.by_query(name) for title, name in names.items()} for run in runs]
    for query in dict.fromkeys(query for run in runs for query in run.n_positives):
        for run, scores in zip(runs, values, strict=True):
            row = {"query": query, "run": run.name} if len(runs) > 1 else {"query": query}
            yield {**row, **{title: scores[title].get(query, 0.0) for title in names}}


def _score_row(title: str, name: str, runs: list[Run]) -> dict[str, Any]:
    """Return the mean with its interval, or both means with the interval of their difference."""
    first = runs[0]
    if len(runs) == 1:
        estimate = estimate_score(name, first.positive, first.score, **first.arguments(name))
        low, high = estimate.confidence_interval()
        return {"": title, first.name: float(estimate.score), "95 % low": low, "high": high}
    comparison = compare_by_query(runs[1].by_query(name), first.by_query(name), missing=0.0)
    low, high = comparison.confidence_interval()
    means = {first.name: comparison.scores[1], runs[1].name: comparison.scores[0]}
    difference = {"difference": comparison.difference, "95 % low": low, "high": high}
    return {"": title, **means, **difference, "p": comparison.pvalue}


def read_qrels(path: str, level: int) -> Judgements:
    """Return whether each judged document is relevant, by query."""
    judgements: Judgements = {}
    for where, (query, _, document, level_text) in _lines(path, _QRELS_CELLS):
        if not _is_level(level_text):
            raise SourceError(f"{where}: level must be an integer; got {format_value(level_text)}")
        _refuse_second(document, judgements.setdefault(query, {}), where)
        judgements[query][document] = int(level_text) >= level
    return judgements


def read_run(path: str, judgements: Judgements, qrels: str) -> Run:
    """Return the documents of judged queries.

    trec_eval orders them by float32 scores, and equal scores by descending document; it ignores the ranks.
    """
    retrieved: dict[str, dict[str, float]] = {}
    for where, (query, _, document, _, score, _) in _lines(path, _RUN_CELLS):
        if not is_number(score) or not isfinite(float(score)):
            raise SourceError(f"{where}: score must be a finite number; got {format_value(score)}")
        _refuse_second(document, retrieved.setdefault(query, {}), where)
        with np.errstate(over="ignore"):  # infinite, as in trec_eval
            retrieved[query][document] = float(np.float32(float(score)))
    judged = {query: scores for query, scores in retrieved.items() if query in judgements}
    if not judged:
        raise SourceError(f"{format_value(path)}: contains no query of {format_value(qrels)}")
    run = Run(format_value(path), [], [], [], {}, len(retrieved) - len(judged))
    for query, scores in judged.items():
        documents = sorted(scores, key=lambda document: (scores[document], document))
        run.positive.extend(judgements[query].get(document, False) for document in documents)
        run.score.extend(range(2, len(documents) + 2))  # 0 and 1 would look like predicted labels
        run.query.extend([query] * len(documents))
        run.n_positives[query] = float(sum(judgements[query].values()))
    return run


def _refuse_second(document: str, documents: dict[str, Any], where: str) -> None:
    if document in documents:
        raise SourceError(f"{where}: document {format_value(document)} occurs twice in its query")


def _lines(path: str, cells: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield the location of each line, for errors, and its cells."""
    with open(path, encoding="utf-8-sig") as file:
        try:
            for number, line in enumerate(file, 1):
                words = line.split()
                where = f"{format_value(path)}, line {number}"
                if words and len(words) != len(cells):
                    expected = f"{len(cells)}: {', '.join(cells)}; pass the judgements before the runs"
                    raise SourceError(f"{where}: contains {len(words)} cells; expected {expected}")
                if words:
                    yield where, words
        except UnicodeDecodeError as error:
            raise SourceError(f"{format_value(path)}: is not text in UTF-8: {error}") from None
