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
        weights = None
        if average == "weighted":
            weights = self.positives
        averaging = Averaging(
            self.positives > 0, weights, average is not None, of_queries=True
        )
        return spec.averaged(averaging, self.values)


def all_queries(
    source: Source, spec: BoundScore, *, keeps_weightless: bool
) -> QueryValues:
    """Return the scores of all queries, sorted by id.

    A query that occurs in `n_positives` only, and has no rows, scores 0. With
    `keeps_weightless`, queries whose rows all have weight 0 are included, as queries
    without positives; means exclude them.
    """
    # A chunk of whole queries has about this many rows.
    chunk_rows = max(min(source.limit // _ROW_BYTES, _QUERY_ROWS), 1)
    run = partial(values_of_queries, spec, chunk_rows=chunk_rows)
    parts = list(source.map_parts(run, "query"))
    ids = [name for part in parts for name in part.ids]
    # The positives of queries that have no rows of weight above 0.
    absent = dict[QueryId, float]()
    if keeps_weightless:
        absent |= {name: 0.0 for part in parts for name in part.weightless}
    totals = read_totals(spec.n_positives)
    if totals is not None and totals.names is not None:
        named = queries_of(read_numbered(ids, len(ids)), None, totals)
        by_name = dict(zip(named.names, named.values(totals).tolist(), strict=True))
        absent |= {name: by_name[name] for name in by_name.keys() - set(ids)}
    positives = np.fromiter(absent.values(), np.float64)
    parts.append(QueryValues([*absent], np.zeros(len(absent)), positives))
    ids += absent
    in_order, place_in_order = distinct_queries(read_numbered(ids, len(ids)))
    place = np.argsort(place_in_order)
    return QueryValues(
        in_order,
        np.concatenate([part.values for part in parts])[place],
        np.concatenate([part.positives for part in parts])[place],
    )


def values_of_queries(
    spec: BoundScore, batches: Iterable[Batch], *, chunk_rows: int
) -> Iterator[QueryValues]:
    """Yield the scores of the queries of each chunk. The rows of each query must be
    next to each other.

    It runs in the process that has the rows.
    """
    for chunk in whole_queries(batches, chunk_rows):
        rows = chunk.counted()
        values = QueryValues([], np.empty(0), np.empty(0))
        if rows.score.size:
            values = _values_in_memory(spec, rows)
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
        named = queries_of(query, None, totals)
        in_chunk = named.values(totals)[named.has_rows].tolist()
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
        first, last_query = (np.asarray(part.query) for part in (pending[0], chunk))
        # Join the chunks only once the query of the first row has ended. Otherwise, the
        # rows of a large query would be copied with each chunk. A chunk with fewer rows
        # is the last one. Rows of Spark, which are not sorted, are one such chunk.
        if chunk.score.size >= chunk_rows and first[0] != last_query[-1]:
            rows = concatenate(pending)
            last = int(starts_of_runs(np.asarray(rows.query))[-1])
            yield rows.take(slice(0, last))
            pending = [rows.take(slice(last, None))]
    if pending:
        yield concatenate(pending)


def ids_of(rows: Batch) -> QueryIds:
    """Return the query ids of rows that have them."""
    assert rows.query is not None, rows
    return read_numbered(rows.query, rows.score.size)
