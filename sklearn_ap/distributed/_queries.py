"""The scores of queries whose rows exceed memory: chunks of whole queries are ranked
one by one.

`values_of_queries` runs in the process that has the rows, and `all_queries` joins its
results.
"""

from collections.abc import Iterable, Iterator, Set
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._core.evaluate import Averaging, rankings_in
from .._core.ranking.runs import starts_of_runs
from .._core.reading.ids import QueryIds, distinct_queries, read_numbered
from .._core.reading.per_ranking import queries_of, read_totals
from .._core.reading.read import CheckedRows
from .._core.typing import Average, FloatArray, QueryId
from .._rows.batches import Batch, concatenate
from ._batches import Source, chunks
from ._bound_scores import BoundScore

# Rows of whole queries that are ranked at once.
_QUERY_ROWS = 2**18
# A row takes at most this many bytes while its query is ranked.
_ROW_BYTES = 64


class QueryValues(NamedTuple):
    """The scores of some queries."""

    ids: list[QueryId]
    values: FloatArray
    # The weight of all positives of each query, found or missed.
    positives: FloatArray
    # Ids of other queries, whose rows all have weight 0.
    weightless: Set[QueryId] = frozenset()

    def score(self, spec: BoundScore, average: Average) -> Any:
        """Return the mean over the queries, or all values if `average` is None."""
        averaging = Averaging(
            has_positives=self.positives > 0,
            weights=self.positives if average == "weighted" else None,
            one_value=average is not None,
            of_queries=True,
        )
        return spec.averaged(averaging, self.values)


def all_queries(
    source: Source, spec: BoundScore, *, keeps_weightless: bool
) -> QueryValues:
    """Return the scores of all queries, sorted by id.

    The score of a query that only occurs in `n_positives`, and has no rows, is 0. With
    `keeps_weightless`, queries whose rows all have weight 0 are included, as queries
    without positives; means exclude them.
    """
    # A chunk of whole queries has about this many rows.
    chunk_rows = max(min(source.limit // _ROW_BYTES, _QUERY_ROWS), 1)
    run = partial(values_of_queries, spec, chunk_rows=chunk_rows)
    parts = list(source.map_parts(run, "query"))
    ids_with_rows = [name for part in parts for name in part.ids]
    # The positives of queries that have no rows of weight above 0.
    absent = dict[QueryId, float]()
    if keeps_weightless:
        absent |= {name: 0.0 for part in parts for name in part.weightless}
    # If `n_positives` names a weightless query, the total of the query replaces the 0.
    absent |= _totals_without_rows(spec, ids_with_rows)
    positives = np.fromiter(absent.values(), np.float64)
    parts.append(QueryValues([*absent], np.zeros(len(absent)), positives))
    ids = [*ids_with_rows, *absent]
    sorted_ids, place_of_id = distinct_queries(read_numbered(ids, len(ids)))
    # Each id occurs once, so `argsort` returns the row of each sorted id.
    by_id = np.argsort(place_of_id)
    return QueryValues(
        sorted_ids,
        np.concatenate([part.values for part in parts])[by_id],
        np.concatenate([part.positives for part in parts])[by_id],
    )


def _totals_without_rows(spec: BoundScore, ids: list[QueryId]) -> dict[QueryId, float]:
    """Return the total of positives of each query without rows, by query. `ids` are the
    queries with rows. Raise ValueError if totals were passed by query, and the total of
    a query with rows is missing.
    """
    totals = read_totals(spec.n_positives)
    if totals is None or totals.names is None:
        return {}
    queries = queries_of(read_numbered(ids, len(ids)), None, totals)
    by_name = dict(zip(queries.names, queries.values(totals).tolist(), strict=True))
    return {name: by_name[name] for name in by_name.keys() - set(ids)}


def values_of_queries(
    spec: BoundScore, batches: Iterable[Batch], *, chunk_rows: int
) -> Iterator[QueryValues]:
    """Yield the scores of the queries of each chunk. The rows of each query must be
    next to each other.

    The function runs in the process that has the rows.
    """
    for chunk in whole_queries(batches, chunk_rows):
        rows = chunk.counted()
        values = QueryValues([], np.empty(0), np.empty(0))
        if rows.score.size:
            values = _values_in_memory(spec, rows)
        # `counted` returns the chunk itself if no row has weight 0.
        if rows is not chunk:
            names, _ = distinct_queries(ids_of(chunk))
            values = values._replace(weightless={*names} - {*values.ids})
        yield values


def _values_in_memory(spec: BoundScore, rows: Batch) -> QueryValues:
    """Return the scores of the queries of some rows, whose weights are not 0."""
    query = ids_of(rows)
    bounds = rows.score.min(), rows.score.max()
    checked = CheckedRows(rows.positive, rows.score, bounds, rows.weight, query)
    ids, _ = distinct_queries(query)
    n_positives, totals = spec.n_positives, read_totals(spec.n_positives)
    # Keep only the totals of the queries in this chunk, since each query with a total
    # would be a ranking.
    if totals is not None and totals.names is not None:
        queries = queries_of(query, None, totals)
        in_chunk = queries.values(totals)[queries.has_rows].tolist()
        n_positives = dict(zip(ids, in_chunk, strict=True))
    rankings, averaging = rankings_in(
        checked, n_positives, average="weighted", definition=spec.definition
    )
    positives: Any = averaging.weights
    return QueryValues(ids, spec.definition.compute(rankings), positives)


def whole_queries(batches: Iterable[Batch], chunk_rows: int) -> Iterator[Batch]:
    """Yield chunks of whole queries with about `chunk_rows` rows. A larger query is a
    chunk of its own.
    """
    pending = list[Batch]()
    for chunk in chunks(batches, chunk_rows):
        pending.append(chunk)
        first_id = np.asarray(pending[0].query)[0]
        last_id = np.asarray(chunk.query)[-1]
        # Join the chunks only once the query of the first row has ended. Otherwise, the
        # rows of a large query would be copied with each chunk. A chunk with fewer rows
        # is the last one. Rows of Spark, which are not sorted, are one such chunk.
        if chunk.score.size >= chunk_rows and first_id != last_id:
            rows = concatenate(pending)
            start_of_last_query = int(starts_of_runs(np.asarray(rows.query))[-1])
            yield rows.take(slice(0, start_of_last_query))
            pending = [rows.take(slice(start_of_last_query, None))]
    if pending:
        yield concatenate(pending)


def ids_of(rows: Batch) -> QueryIds:
    """Return the query ids of rows that were read with a column of ids."""
    assert rows.query is not None, rows
    return read_numbered(rows.query, rows.score.size)
