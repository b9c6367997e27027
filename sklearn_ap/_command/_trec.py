"""Files of TREC: judgements (qrels) and runs, scored as by trec_eval, and two runs compared by query."""

import argparse
from collections.abc import Iterator
from functools import partial
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from .._by_query import score_by_query
from .._registry import K
from .._scores._at_k import precision_at_k_score, r_precision_score, recall_at_k_score
from .._scores._average_precision import average_precision_score
from .._scores._reciprocal_rank import reciprocal_rank_score
from .._typing import ScoreByQuery, ScoreFunction
from .._uncertainty._comparisons import compare_by_query
from .._uncertainty._estimates import estimate_score
from ..distributed._numerals import number_of
from ..distributed._source import SourceError, shown
from ._tables import Row, in_format
from ._words import warnings_told

_OF_QRELS = ("query", "iteration", "document", "level")
_OF_RUN = ("query", "Q0", "document", "rank", "score", "name")
Judged = dict[str, dict[str, bool]]  # whether a document is relevant, by query


class Run(NamedTuple):
    """The documents that a run retrieved for judged queries, in trec_eval's order, which has no ties."""

    name: str
    positive: list[bool]
    place: list[int]  # the higher, the better
    query: list[str]
    n_positives: dict[str, float]  # of each of its queries, retrieved or not
    n_unjudged: int  # queries that nobody judged

    def arguments(self, score: ScoreFunction) -> dict[str, Any]:
        """Return the arguments of a score beside the rows."""
        more = {"n_positives": self.n_positives, "zero_division": 0.0}
        has_totals = getattr(score, "func", score) is not precision_at_k_score
        return {"query_id": self.query, **(more if has_totals else {})}

    def by_query(self, score: ScoreFunction) -> ScoreByQuery:
        """Return the score of each query."""
        return score_by_query(score, self.positive, self.place, **self.arguments(score))


def print_runs(options: argparse.Namespace) -> None:
    """Print the scores of a run, or of two runs and their differences."""
    qrels, *paths = options.trec
    k, level = (options.k or [K])[0], 1 if options.level is None else options.level
    if len(set(map(shown, paths))) < len(paths):
        raise SourceError(f"--trec names the run {shown(paths[0])} twice: leave out one")
    judged = read_qrels(qrels, level)
    runs = [read_run(path, judged, qrels) for path in paths]
    scores: dict[str, ScoreFunction] = {
        "MAP": average_precision_score,
        "MRR": reciprocal_rank_score,
        f"P@{k}": partial(precision_at_k_score, k=k),
        "R-precision": r_precision_score,
        f"recall@{k}": partial(recall_at_k_score, k=k),
    }
    if options.by_query:
        print(in_format(list(_rows_by_query(runs, scores)), options.format))
        return
    if not any(any(one.positive) for one in runs):
        names = " and ".join(one.name for one in runs)
        raise SourceError(f"{names}: no document has level {level} or more in {shown(qrels)}; see --level")
    with warnings_told("--trec", options):
        rows = [_row_of_score(name, score, runs) for name, score in scores.items()]
    if options.format in (None, "table"):
        print(_heading(runs, judged, shown(qrels), level), end="\n\n")
    print(in_format(rows, options.format))


def _heading(runs: list[Run], judged: Judged, qrels: str, level: int) -> str:
    queries = set().union(*(one.n_positives for one in runs))
    said = (
        f"Means over {len(queries)} of {len(judged)} queries in {qrels}; level {level} or more is relevant."
    )
    for run in runs:
        lacking = len(queries) - len(run.n_positives)
        said += f"\n{run.name}: {len(run.positive)} documents"
        said += f"; queries that it lacks, {lacking}, count 0" * (lacking > 0)
        said += f"; queries without judgements, {run.n_unjudged}, are left out" * (run.n_unjudged > 0)
        said += "."
    if len(runs) > 1:
        said += "\nA difference is the second run minus the first; p is of a paired t test by query."
    return said


def _rows_by_query(runs: list[Run], scores: dict[str, ScoreFunction]) -> Iterator[Row]:
    """Yield the scores of each query, of one run below the other."""
    found = [{name: run.by_query(score) for name, score in scores.items()} for run in runs]
    for query in dict.fromkeys(query for run in runs for query in run.n_positives):
        for run, of_run in zip(runs, found, strict=True):
            named = {"query": query, "run": run.name} if len(runs) > 1 else {"query": query}
            yield {**named, **{name: of_run[name].get(query, 0.0) for name in scores}}


def _row_of_score(name: str, score: ScoreFunction, runs: list[Run]) -> Row:
    """Return the mean with its interval, or both means with the interval of their difference."""
    first = runs[0]
    if len(runs) == 1:
        found = estimate_score(score, first.positive, first.place, **first.arguments(score))
        low, high = found.confidence_interval()
        return {"": name, first.name: float(found.score), "95 % low": low, "high": high}
    second = runs[1]
    compared = compare_by_query(second.by_query(score), first.by_query(score), missing=0.0)
    low, high = compared.confidence_interval()
    means = {first.name: compared.scores[1], second.name: compared.scores[0]}
    return {
        "": name,
        **means,
        "difference": compared.difference,
        "95 % low": low,
        "high": high,
        "p": compared.pvalue,
    }


def read_qrels(path: str, level: int) -> Judged:
    """Return which documents are relevant to each query."""
    judged: Judged = {}
    for place, (query, _, document, grade) in _lines(path, _OF_QRELS):
        number = number_of(grade)
        if not isinstance(number, int):
            raise SourceError(f"{place}: the level must be a whole number, such as 1; got {shown(grade)}")
        if document in judged.setdefault(query, {}):
            raise SourceError(f"{place}: document {shown(document)} of query {shown(query)} is judged twice")
        judged[query][document] = number >= level
    return judged


def read_run(path: str, judged: Judged, qrels: str) -> Run:
    """Return the documents of judged queries.

    trec_eval orders them by float32 scores, and equal scores by descending document; it ignores the ranks.
    """
    retrieved: dict[str, dict[str, float]] = {}
    for place, (query, _, document, _, score, _) in _lines(path, _OF_RUN):
        number = number_of(score)
        if number is None or not isfinite(float(number)):
            raise SourceError(f"{place}: the score must be a number; got {shown(score)}")
        if document in retrieved.setdefault(query, {}):
            raise SourceError(
                f"{place}: document {shown(document)} of query {shown(query)} is retrieved twice"
            )
        with np.errstate(over="ignore"):  # infinite, as in trec_eval
            retrieved[query][document] = float(np.float32(float(number)))
    scored = {query: of for query, of in retrieved.items() if query in judged}
    if not scored:
        raise SourceError(f"{shown(path)}: holds no query that {shown(qrels)} judges")
    run = Run(shown(path), [], [], [], {}, len(retrieved) - len(scored))
    for query, of in scored.items():
        order = [document for _, document in sorted((score, document) for document, score in of.items())]
        run.positive.extend(judged[query].get(document, False) for document in order)
        run.place.extend(range(2, len(order) + 2))  # 0 and 1 would look like predicted labels
        run.query.extend([query] * len(order))
        run.n_positives[query] = float(sum(judged[query].values()))
    return run


def _lines(path: str, cells: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield the cells of each line, after the words that name the line."""
    with open(path, encoding="utf-8-sig") as file:
        try:
            for number, line in enumerate(file, 1):
                found = line.split()
                place = f"{shown(path)}, line {number}"
                if found and len(found) != len(cells):
                    needed = f"a line has {len(cells)}: {', '.join(cells)}"
                    needed += "; the judgements come first" * (len(found) in (len(_OF_QRELS), len(_OF_RUN)))
                    cells_found = f"{len(found)} cell{'s' * (len(found) != 1)}"
                    raise SourceError(f"{place}: holds {cells_found}, but {needed}")
                if found:
                    yield place, found
        except UnicodeDecodeError as error:
            raise SourceError(f"{shown(path)}: is not plain text in UTF-8: {error}") from None
