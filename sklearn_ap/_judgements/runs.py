"""Judgements (qrels) and runs of search, from files or Python objects, as columns that
every score accepts.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, count, repeat
from math import isfinite, nan
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from .._core.reading.names import RunColumn
from .._core.reading.options import short_repr
from .._core.reading.values import is_missing
from .._shown.sources import SourceError, format_value, is_number
from .files import OF_LISTS, QRELS, RUN, Kind, Row, known_columns, rows_of_file

# The relevance levels or the scores of documents: ``{query: {document: value}}``.
ValueByDocument = dict[Any, dict[Any, float]]


class TrecRun(NamedTuple):
    """Documents that a run retrieved for judged queries, as columns for every score.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : list of bool
        Whether each document is relevant.

    y_score : list of int
        Place of each document from the end of the ranking of its query, beginning with
        2, so that the best document has the highest score.

    query_id : list
        Query of each document.

    item_id : list
        Each document.

    n_positives : dict
        Number of relevant documents of each judged query, retrieved or missed; 0 if no
        document is relevant. Queries for which the run retrieved no document are
        included, so that scores count them, as ``trec_eval -c`` does.

    n_unjudged_queries : int
        Number of queries of the run without judgements, which are dropped.

    Notes
    -----
    `y_true` and `y_score` of `read_trec` and `read_lists` keep the query and the
    document of each row: a score of the labels of one run and the scores of another one
    raises ValueError. Arrays and data frames that are made of these columns do not keep
    queries and documents.

    Examples
    --------
    >>> from sklearn_ap import TrecRun, average_precision_score
    >>> run = TrecRun([True, False], [2, 3], ["q", "q"], ["d1", "d2"], {"q": 2.0})
    >>> average_precision_score(run.y_true, run.y_score, query_id=run.query_id, n_positives=run.n_positives)
    0.25
    >>> run
    TrecRun(n_documents=2, n_relevant=1, n_queries=1)
    """

    y_true: list[bool]
    y_score: list[int]
    query_id: list[Any]
    item_id: list[Any]
    n_positives: dict[Any, float]
    n_unjudged_queries: int = 0

    def __repr__(self) -> str:
        """Return a line with the sizes, since a run may have thousands of documents."""
        return (
            f"TrecRun(n_documents={len(self.y_true)}, n_relevant={sum(self.y_true)}, "
            f"n_queries={len(self.n_positives)})"
        )


def read_trec(
    qrels: Any, *runs: Any, level: int = 1, judged_only: bool = False, **named_runs: Any
) -> dict[str, TrecRun]:
    r"""Read judgements and runs of search, as arguments that every score accepts.

    .. versionadded:: 0.1

    Parameters
    ----------
    qrels : str, path-like, mapping, DataFrame or iterable of tuples
        Judgements: a file of TREC; ``{query: {document: relevance}}``; a data frame; or
        rows of query, document and relevance, such as those of ir_measures. The columns
        of a data frame may have the names of PyTerrier, ir_datasets or BEIR; if not, its
        first columns are query, document and relevance. A file has lines of query,
        iteration, document and relevance. It may be gzipped.

    *runs : str, path-like, mapping, DataFrame or iterable of tuples
        Runs, with scores in place of relevance; also a list of files, or ``{name:
        file}``. A file has lines of query, Q0, document, rank, score and name. As in
        trec_eval, the rank is ignored, documents are ordered by their scores in float32,
        and equal scores by descending document.

    level : int, default=1
        Lowest relevance level at which a document counts as relevant. Documents without
        a judgement are not relevant.

    judged_only : bool, default=False
        Whether to rank only documents with a relevance level of at least 0, as
        ``trec_eval -J`` and ``AP(judged_only=True)`` of ir_measures do. `n_positives`
        does not change, so a query without a judged document in the run scores 0.

    **named_runs : optional
        More runs, by their names in the result, as in ``read_trec(qrels, bm25=run)``.

    Returns
    -------
    runs : dict of str to TrecRun
        The columns of each run, by its path or name. Other runs are named "run 1",
        "run 2", and so on, by their place among all runs. Queries without judgements are
        dropped, and `n_positives` contains all judged queries.

    Raises
    ------
    SourceError
        A ValueError that names the file, the line and the value. It is also raised for
        ids such as 1 next to "1", which never match, and for a run without a judged
        query.

    See Also
    --------
    read_lists, score_by_query

    Notes
    -----
    The lines of a file are split at white space, so ids contain none. For another
    layout, such as CSV or JSON, pass a data frame. Its columns are matched by their
    names, such as ``query_id``, ``doc_id`` and ``score`` (or ``level``, ``relevance``,
    ``label``), in any order; other columns are ignored.

    The option `ignore_identical_ids` of BEIR drops documents whose id is that of their
    query. For a mapping, write ``{query: {document: score for document, score in
    documents.items() if document != query} for query, documents in run.items()}``.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, read_trec
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}}
    >>> run = read_trec(qrels, bm25={"q1": {"d1": 0.9, "d2": 0.5}})["bm25"]
    >>> run.y_true, run.item_id, run.n_positives
    ([False, True], ['d2', 'd1'], {'q1': 2.0})
    >>> average_precision_score(run.y_true, run.y_score, query_id=run.query_id, n_positives=run.n_positives)
    0.5
    """
    judgements = _documents_by_query(qrels, "qrels", QRELS)
    relevant = {
        query: [id_ for id_, value in levels.items() if value >= level]
        for query, levels in judgements.items()
    }
    columns = dict[str, TrecRun]()
    for name, run in chain(*map(_runs_in, count(1), runs), named_runs.items()):
        if name in columns:
            raise ValueError(
                f"runs must have different names; got {name!r} twice: pass another name "
                "for one of them, as in read_trec(qrels, name=run)."
            )
        retrieved = _documents_by_query(run, name, RUN)
        _check_types("query", judgements, retrieved)
        ranked = dict[Any, list[Any]]()
        for query, levels in judgements.items():
            scores = retrieved.get(query, {})
            _check_types("document", levels, scores)
            # As in trec_eval, a document with a relevance level below 0, such as spam,
            # counts as not judged.
            ranked[query] = [
                id_
                for id_ in _best_first(scores)
                if not judged_only or levels.get(id_, -1.0) >= 0
            ]
        n_unjudged = len(retrieved.keys() - judgements.keys())
        columns[name] = _columns_of_lists(relevant, ranked, n_unjudged)
        if not columns[name].y_true:
            kind = "judged document" if judged_only else "document of a judged query"
            raise SourceError(f"{format_value(name)}: contains no {kind}")
    return columns


def read_lists(
    relevant: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]],
    retrieved: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]],
) -> TrecRun:
    """Read lists of relevant and of retrieved ids, as columns that every score accepts.

    .. versionadded:: 0.1

    Parameters
    ----------
    relevant : sequence, Series or mapping of iterables or mappings
        The relevant ids of each query: one list, tuple, array, Series or set per query,
        or ``{query: ids}``. In place of ids, also relevance levels, ``{id: level}``; ids
        with a level of at least 1 are relevant. Repeated ids have no effect.

    retrieved : sequence, Series or mapping of sequences or mappings
        The retrieved ids of each query, the best first, or ``{id: score}``. A query
        without retrieved ids scores 0. A query that is not in `relevant` is dropped. A
        repeated id counts at its first place; as in ``mapk`` [1]_, the other places
        remain as rows that are not relevant.

    Returns
    -------
    run : TrecRun
        The rows in `y_true`, `y_score`, `query_id` and `item_id`, and the numbers of
        relevant ids in `n_positives`. The keys of a mapping, and the index of a Series,
        are the ids of queries; in other cases, queries are numbered from 0.

    Raises
    ------
    SourceError
        A ValueError, if nothing is retrieved, or if ids have two types, such as 1 and
        "1".
    ValueError
        If two sequences have different lengths, if only one of both names its queries,
        if retrieved ids have no order (a set), or if a value is not an id.

    See Also
    --------
    read_trec

    References
    ----------
    .. [1] `apk and mapk <https://github.com/benhamner/Metrics>`_ of B. Hamner's Metrics,
       which take the same lists.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, read_lists
    >>> run = read_lists([["a", "b"]], [["a", "x"]])
    >>> run.y_true, run.n_positives
    ([False, True], {0: 2.0})
    >>> average_precision_score(run.y_true, run.y_score, query_id=run.query_id, n_positives=run.n_positives)
    0.5
    """
    judged = _by_query("relevant", relevant)
    ranked = _by_query("retrieved", retrieved)
    # The queries of a sequence, and of a Series with the default index, are numbered
    # from 0. The queries of the other argument must then have the same numbers as ids.
    are_numbered = any(
        not isinstance(lists, Mapping) and [*queries] == [*range(len(queries))]
        for lists, queries in ((relevant, judged), (retrieved, ranked))
    )
    if are_numbered and judged.keys() != ranked.keys():
        raise ValueError(
            "relevant and retrieved must have one list for each query, in the same "
            "order, or both must be dictionaries of lists by query id; got the queries "
            f"{short_repr([*judged])} and {short_repr([*ranked])}."
        )
    if not _are_plain(chain(judged.values(), ranked.values())):
        judged = {query: _listed(query, ids, QRELS) for query, ids in judged.items()}
        ranked = {query: _listed(query, ids, RUN) for query, ids in ranked.items()}
        for query, ids in judged.items():
            _check_types("document", ids, ranked.get(query, ()))
    _check_types("query", judged, ranked)
    n_unjudged = sum(len(ranked[query]) > 0 for query in ranked.keys() - judged.keys())
    run = _columns_of_lists(judged, ranked, n_unjudged)
    if not run.y_true:
        raise SourceError("'retrieved': contains no document of a judged query")
    return run


def _are_plain(lists: Iterable[Any]) -> bool:
    """Return whether all ids are in lists, and all of them are text or all integers, so
    that they need no further check.
    """
    lists = [*lists]
    return {*map(type, lists)} <= {list} and (
        {*map(type, chain.from_iterable(lists))} in ({str}, {int})
    )


def _columns_of_lists(
    judged: Mapping[Any, Iterable[Any]],
    ranked: Mapping[Any, Sequence[Any]],
    n_unjudged: int,
) -> TrecRun:
    """Return the rows of lists of relevant ids, and of lists with the best id first.

    `n_positives` contains all judged queries: if queries without retrieved documents
    were dropped, a run could raise its mean by retrieving none for a difficult query.

    No set or list of a query outlives its turn: many of them would make Python's
    garbage collector run, which takes longer than all else.
    """
    lists = [ranked.get(query, ()) for query in judged]
    sizes = [*map(len, lists)]
    y_true = RunColumn([False] * sum(sizes))
    totals = dict[Any, float]()
    n_before = 0
    for (query, listed), ids in zip(judged.items(), lists, strict=True):
        relevant = {*listed}
        totals[query] = float(len(relevant))
        # An id that occurs twice counts at its best place, which is the later row.
        row_of = dict(zip(reversed(ids), count(n_before)))
        for id_ in relevant.intersection(row_of):
            y_true[row_of[id_]] = True
        n_before += len(ids)
    join = chain.from_iterable
    # Begin at 2, since the scores 0 and 1 would be taken for predicted labels.
    y_score = RunColumn(join(range(2, size + 2) for size in sizes))
    query_id = [*join(map(repeat, judged, sizes))]
    item_id = [*join(map(reversed, lists))]
    y_true.rows = y_score.rows = query_id, item_id
    return TrecRun(y_true, y_score, query_id, item_id, totals, n_unjudged)


def _by_query(name: str, lists: Any) -> dict[Any, Any]:
    """Return the ids of each query. Queries without names are numbered."""
    has_names = hasattr(lists, "items")
    queries = dict(lists.items() if has_names else enumerate(lists))
    # The index of a Series may contain a query twice.
    if has_names and len(queries) < len(lists):
        raise ValueError(
            f"{name} must have one list per query; got {short_repr(lists)}."
        )
    return queries


def _listed(query: Any, ids: Any, kind: Kind) -> list[Any]:
    """Return the relevant ids of a query, or its retrieved ids, the best one first.

    Raise ValueError if retrieved ids have no order, or if a value is not an id.
    """
    name = "retrieved" if kind.is_run else "relevant"
    listed: list[Any] = []
    wrong = [ids]
    no_lists = (str, bytes, Set) if kind.is_run else (str, bytes)
    if isinstance(ids, Iterable) and not isinstance(ids, no_lists):
        # `tolist` of an array returns objects of Python.
        listed = ids.tolist() if hasattr(ids, "tolist") else [*ids]
        wrong = [id_ for id_ in listed if not _is_id(id_)]
    if wrong:
        raise ValueError(
            f"{name} must contain a list of ids for each query, the best first, or a "
            f"mapping {{id: {kind.value}}}; got {short_repr(wrong[0])} in query "
            f"{query!r}."
        )
    if not isinstance(ids, Mapping):
        return listed
    where = f"{name}, query {format_value(query)}"
    numbers = {id_: _as_number(ids[id_], where, kind) for id_ in listed}
    if kind.is_run:
        return _best_first(numbers)
    return [id_ for id_ in listed if numbers[id_] >= 1]


def _is_id(value: Any) -> bool:
    """Whether a value may be an id. Lists, bools, fractions and missing values are not
    ids.
    """
    return isinstance(value, str) or not (
        isinstance(value, (bool, Iterable))
        or is_missing(value)
        or (isinstance(value, float) and value % 1)
    )


def _runs_in(number: int, run: Any) -> Iterable[tuple[str, Any]]:
    """Return the runs of an argument with their names. A list or mapping of paths
    contains several runs. Any other argument is one run, which is named by its number.
    """
    if _is_path(run):
        return [(fspath(run), run)]
    if isinstance(run, Mapping) and _are_paths(run.values()):
        return run.items()
    if isinstance(run, (list, tuple)) and _are_paths(run):
        return [(fspath(path), path) for path in run]
    return [(f"run {number}", run)]


def _are_paths(values: Collection[Any]) -> bool:
    """Whether there are values, and all of them are paths."""
    return len(values) > 0 and all(map(_is_path, values))


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, PathLike))


def _best_first(scores: Mapping[Any, float]) -> list[Any]:
    """Return documents in the order of trec_eval, the best one first: by their scores in
    float32, and equal scores by descending id.
    """
    documents = [*scores]
    # As in trec_eval, scores beyond float32 are infinite.
    with np.errstate(over="ignore"):
        documents.sort(key=lambda id_: (float(np.float32(scores[id_])), str(id_)))
    return documents[::-1]


def _documents_by_query(source: Any, name: str, kind: Kind) -> ValueByDocument:
    """Return the relevance level or the score of each document, by query, from a file
    or from objects of Python. Raise SourceError if a number is not valid, or a document
    occurs twice.
    """
    values: ValueByDocument = {}
    # A query of a mapping may have no documents, and so no rows. Such a query is kept,
    # too.
    if isinstance(source, Mapping):
        values = {query: {} for query in source}
    if _is_path(source):
        rows = rows_of_file(fspath(source), kind)
    else:
        rows = _rows_in_python(source, name, kind)
    for where, query, document, value in rows:
        number = _as_number(value, where, kind)
        documents = values.setdefault(query, {})
        if document in documents:
            raise SourceError(
                f"{where}: document {format_value(document)} occurs twice in its query"
            )
        documents[document] = number
    return values


def _as_number(value: Any, where: str, kind: Kind) -> float:
    """Return a relevance level or a score as a float. Raise SourceError if it is not
    valid.
    """
    # Values of files are text. Other values are converted to text, too, so that the
    # same numbers are valid. A bool is converted to 0 or 1 first, since "True" is not a
    # number.
    text = str(int(value) if isinstance(value, (bool, np.bool_)) else value)
    number = float(text) if is_number(text) else nan
    is_valid = isfinite(number) if kind.is_run else number.is_integer()
    if not is_valid:
        advice = OF_LISTS if isinstance(value, list) else ""
        raise SourceError(
            f"{where}: {kind.value} must be {kind.valid_values}; got "
            f"{format_value(value)}{advice}"
        )
    return number


def _check_types(
    what: str, judged: Collection[Any], retrieved: Collection[Any]
) -> None:
    """Raise SourceError if ids differ in type only, such as 1 and "1": they would never
    match.
    """
    ids = [*judged, *retrieved]
    # Usually, all ids have the same type.
    if len(set(map(type, ids))) < 2:
        return
    texts = {id_ for id_ in ids if isinstance(id_, str)}
    for id_ in ids:
        # pandas stores integers as floats in a column with missing values.
        text = str(id_).removesuffix(".0")
        if not isinstance(id_, str) and text in texts:
            raise SourceError(
                f"{what} ids must have one type; got {id_!r} next to {text!r}: write "
                f"{text!r} in both places"
            )


def _rows_in_python(source: Any, name: str, kind: Kind) -> Iterator[Row]:
    """Yield the rows of a mapping, a data frame or tuples: for errors, a text that
    names the query, and then the query, the document and the value.
    """
    rows = source
    if isinstance(source, Mapping):
        rows = _rows_of_mapping(source)
    elif hasattr(source, "columns"):
        rows = _rows_of_frame(source, name, kind)
    for row in rows:
        try:
            # A text or a mapping is not a row, although its characters or keys could be
            # unpacked.
            values = [] if isinstance(row, (str, Mapping)) else [*row]
            query, document, value, *_ = values
        except (TypeError, ValueError):
            raise SourceError(
                f"{name}: must have rows of query, document and a number; got "
                f"{format_value(row)} (read_lists takes lists of ids)"
            ) from None
        yield f"{name}, query {format_value(query)}", query, document, value


def _rows_of_mapping(source: Mapping[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the query, the document and the value of each row of a mapping. If a query
    has no mapping, its row is too short, so the caller raises an error.
    """
    for query, values in source.items():
        if not isinstance(values, Mapping):
            yield query, values
            continue
        for document, value in values.items():
            yield query, document, value


def _rows_of_frame(frame: Any, name: str, kind: Kind) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a data frame. If its columns have known names, each row is the
    query, the document and the value. If not, each row contains all columns in their
    order.
    """
    names = [*frame.columns]
    known = known_columns(names, kind)
    if not known and kind.is_run and "rank" in names:
        advice = "pass frame.assign(score=-frame['rank'])"
        raise SourceError(f"{name}: column 'rank' is not a score; {advice}")
    return zip(*(frame[column] for column in known or names), strict=True)
