"""Judgements (qrels) and runs in the format of TREC, as columns that every score
takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from os import PathLike, fspath
from typing import NamedTuple

import numpy as np

from .distributed._batches import SourceError, format_value, is_number

_is_level = re.compile(r"[+-]?[0-9]{1,18}").fullmatch
_QRELS_CELLS = ("query", "iteration", "document", "level")
_RUN_CELLS = ("query", "Q0", "document", "rank", "score", "name")
Judgements = dict[str, dict[str, bool]]  # whether each document is relevant, by query


class TrecRun(NamedTuple):
    """Documents that a run retrieved for judged queries, in trec_eval's order.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : list of bool
        Whether each document is relevant.

    y_score : list of int
        Places from the end of the ranking of its query, so that the best document has
        the highest.

    query_id : list of str
        Query of each document.

    item_id : list of str
        Each document.

    n_positives : dict of str to float
        Number of relevant documents of each query of the judgements, retrieved or
        missed; 0 where none is relevant. Queries for which the run has no document are
        among them, so scores count them, as ``trec_eval -c`` does.

    n_unjudged_queries : int
        Number of queries of the run that nobody judged; they are dropped.

    Examples
    --------
    >>> from sklearn_ap import TrecRun, average_precision_score
    >>> run = TrecRun([True, False], [2, 3], ["q", "q"], ["d1", "d2"], {"q": 2.0})
    >>> average_precision_score(run.y_true, run.y_score, query_id=run.query_id, n_positives=run.n_positives)
    0.25
    """

    y_true: list[bool]
    y_score: list[int]
    query_id: list[str]
    item_id: list[str]
    n_positives: dict[str, float]
    n_unjudged_queries: int = 0


def read_trec(
    qrels: str | PathLike[str],
    *runs: str | PathLike[str],
    level: int = 1,
    judged_only: bool = False,
) -> dict[str, TrecRun]:
    r"""Read judgements and runs of TREC, under the names that every score takes.

    .. versionadded:: 0.1

    Parameters
    ----------
    qrels : str or path-like
        File of judgements: lines of query, iteration, document and level.

    *runs : str or path-like
        Files of runs: lines of query, Q0, document, rank, score and name. As in
        trec_eval, the rank is ignored, documents are ordered by their scores in
        float32, and equal scores by descending document.

    level : int, default=1
        Lowest level of a relevant judgement. Documents that nobody judged are not
        relevant.

    judged_only : bool, default=False
        Whether to rank only documents that have a judgement, as ``trec_eval -J`` and
        ``AP(judged_only=True)`` of ir_measures do. `n_positives` stays, so a query
        counts as 0 if a run has no judged document for it.

    Returns
    -------
    runs : dict of str to TrecRun
        The columns of each run, by its path. Queries without judgements are dropped,
        and `n_positives` names every judged query.

    Raises
    ------
    SourceError
        A ValueError that names the file, the line and the value: for lines with another
        number of cells, a level or a score that is not a number, and a document that
        occurs twice in its query. For a run without a judged query, or a judged
        document if only these count.

    See Also
    --------
    score_by_query : The score of each query of a run.
    compare_by_query : The difference between two runs.

    References
    ----------
    .. [1] `trec_eval <https://github.com/usnistgov/trec_eval>`_, whose numbers these
       columns give.

    .. [2] T. Sakai, "Alternatives to Bpref", SIGIR 2007, on rankings of judged
       documents alone. :doi:`10.1145/1277741.1277756`

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_ap import average_precision_score, read_trec
    >>> folder = Path(tempfile.mkdtemp())
    >>> qrels, path = folder / "qrels", folder / "run"
    >>> _ = qrels.write_text("q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\n")
    >>> _ = path.write_text("q1 Q0 d1 1 0.9 bm25\nq1 Q0 d2 2 0.5 bm25\n")
    >>> run = read_trec(qrels, path)[str(path)]
    >>> run.y_true, run.item_id, run.n_positives
    ([False, True], ['d2', 'd1'], {'q1': 2.0})
    >>> average_precision_score(run.y_true, run.y_score, query_id=run.query_id, n_positives=run.n_positives)
    0.5
    """
    judgements = _read_qrels(fspath(qrels), level)
    return {
        fspath(path): _read_run(fspath(path), judgements, fspath(qrels), judged_only)
        for path in runs
    }


def _read_qrels(path: str, level: int) -> Judgements:
    """Return whether each judged document is relevant, by query."""
    judgements: Judgements = {}
    for where, (query, _, document, level_text) in _lines(path, _QRELS_CELLS):
        if not _is_level(level_text):
            raise SourceError(
                f"{where}: level must be an integer; got {format_value(level_text)}"
            )
        judgements.setdefault(query, {})[document] = int(level_text) >= level
    return judgements


def _read_run(
    path: str, judgements: Judgements, qrels: str, judged_only: bool
) -> TrecRun:
    """Return the documents of judged queries in trec_eval's order: by float32 score,
    then last id first.
    """
    retrieved: dict[str, dict[str, float]] = {}
    for where, (query, _, document, _, score, _) in _lines(path, _RUN_CELLS):
        if not is_number(score) or not isfinite(float(score)):
            raise SourceError(
                f"{where}: score must be a finite number; got {format_value(score)}"
            )
        with np.errstate(over="ignore"):  # infinite, as in trec_eval
            retrieved.setdefault(query, {})[document] = float(np.float32(float(score)))
    judged = {
        query: scores for query, scores in retrieved.items() if query in judgements
    }
    if judged_only:
        for query, scores in judged.items():
            judged[query] = {
                document: scores[document]
                for document in scores.keys() & judgements[query]
            }
    if not any(judged.values()):
        kind = "judged document" if judged_only else "query"
        raise SourceError(
            f"{format_value(path)}: contains no {kind} of {format_value(qrels)}"
        )
    # Every judged query counts: a run that lacks one would gain by it.
    relevant = {
        query: float(sum(documents.values())) for query, documents in judgements.items()
    }
    run = TrecRun([], [], [], [], relevant, len(retrieved) - len(judged))
    for query, scores in judged.items():
        documents = sorted(scores, key=lambda document: (scores[document], document))
        run.y_true.extend(
            judgements[query].get(document, False) for document in documents
        )
        # 0 and 1 would look like predicted labels
        run.y_score.extend(range(2, len(documents) + 2))
        run.query_id.extend([query] * len(documents))
        run.item_id.extend(documents)
    return run


def _lines(path: str, cells: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield the location of each line, for errors, and its cells, of which two are
    query and document.
    """
    places = set[tuple[str, str]]()
    with open(path, encoding="utf-8-sig") as file:
        try:
            for number, line in enumerate(file, 1):
                words = line.split()
                if not words:
                    continue
                where = f"{format_value(path)}, line {number}"
                if len(words) != len(cells):
                    expected = f"{len(cells)}: {', '.join(cells)}; pass the judgements before the runs"
                    raise SourceError(
                        f"{where}: contains {len(words)} cells; expected {expected}"
                    )
                query, _, document, *_ = words
                if (query, document) in places:
                    raise SourceError(
                        f"{where}: document {format_value(document)} occurs twice in its query"
                    )
                places.add((query, document))
                yield where, words
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{format_value(path)}: is not text in UTF-8: {error}"
            ) from None
