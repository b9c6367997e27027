"""Scores of queries whose rows come sorted by query and score: in memory, or a large query as a stream.

`values_of_queries` runs where the rows are, so its results are small: sums for a mean over queries, or the
value of each query.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._api import Averaging, rankings_in
from .._public import warn_user
from .._ranking._blocks import starts_of_runs
from .._reading._queries import (
    PositiveTotals,
    QueryIds,
    check_named,
    check_some_weight,
    distinct_queries,
    read_numbered,
    read_query_weight,
    read_totals,
    sorted_ids,
)
from .._reading._read import Checked
from .._typing import FloatArray, QueryWeight, ScoreByQuery
from ._batches import Batch, concatenate
from ._specs import ScoreSpec
from ._stream import SortedStream, Source, StoredGroups

_CHUNK_ROWS = 2**18  # of whole queries that are ranked at once
_ROW_BYTES = 64  # of a row while its query is ranked, at most


class QueryValues(NamedTuple):
    """The values of some queries for each score, and their positives, found or missed."""

    ids: list[Any]
    values: FloatArray  # of shape (n_scores, n_queries)
    positives: FloatArray  # of shape (n_scores, n_queries), in weight


def values_of_queries(
    batches: Iterator[Batch], specs: Sequence[ScoreSpec], chunk_rows: int
) -> Iterator[QueryValues]:
    """Yield the values of queries of rows sorted by query and score; queries of weight 0 come last."""
    weightless: set[Any] = set()
    for rows in whole_queries(_with_weight(batches, weightless), chunk_rows):
        values = (
            _values_of_batch(rows, specs) if isinstance(rows, Batch) else _values_of_large_query(rows, specs)
        )
        yield values
        weightless.difference_update(values.ids)
    if weightless:  # rankings without positives, unless totals say otherwise
        totals = [read_totals(spec.n_positives, numbered_ids(list(weightless))) for spec in specs]
        named: list[dict[Any, float]] = [total if isinstance(total, dict) else {} for total in totals]
        positives = np.array([[total.get(name, 0.0) for name in weightless] for total in named])
        yield QueryValues(list(weightless), np.zeros_like(positives), positives)


def _with_weight(batches: Iterator[Batch], weightless: set[Any]) -> Iterator[Batch]:
    """Yield the rows of weight above 0; the ids of others are added to `weightless`."""
    for batch in batches:
        if batch.weight is None or batch.weight.all():
            yield batch
            continue
        ids: Any = batch.take(batch.weight == 0).query
        weightless.update(distinct_queries(read_numbered(ids, ids.size))[0])
        if batch.weight.any():
            yield batch.take(batch.weight > 0)


def whole_queries(batches: Iterator[Batch], chunk_rows: int) -> Iterator[Batch | Iterator[Batch]]:
    """Yield chunks of whole queries; one that alone exceeds a chunk comes as batches, worst score first."""
    pending: list[Batch] = []
    for batch in batches:
        pending.append(batch)
        n_rows = sum(part.score.size for part in pending)
        if n_rows < chunk_rows:
            continue
        rows = concatenate(pending)
        starts = starts_of_runs(rows.query)  # type: ignore[arg-type]  # rows of queries have ids
        last = int(starts[-1])
        if last:
            yield rows.take(slice(0, last))
            pending = [rows.take(slice(last, None))]
            continue
        # The whole chunk is one query, which goes on: its rows are handed over as they come.
        rest: list[Batch] = []
        query_id = rows.query[0]  # type: ignore[index]
        yield _rows_of_query(query_id, rows, batches, rest)
        pending = rest
    if pending:
        yield concatenate(pending)


def _rows_of_query(
    query_id: Any, first: Batch, batches: Iterator[Batch], rest: list[Batch]
) -> Iterator[Batch]:
    """Yield the rows of one query; what follows in its last batch goes to `rest`."""
    yield first
    for batch in batches:
        n_rows = int(np.count_nonzero(batch.query == query_id))  # they come first
        if n_rows:
            yield batch.take(slice(0, n_rows))
        if n_rows < batch.score.size:
            rest.append(batch.take(slice(n_rows, None)))
            return


def _values_of_batch(rows: Batch, specs: Sequence[ScoreSpec]) -> QueryValues:
    query_ids = read_numbered(rows.query, rows.score.size)  # type: ignore[arg-type]  # queries have ids
    bounds = rows.score.min(), rows.score.max()
    checked = Checked(rows.positive, rows.score, bounds, rows.weight, query_ids)
    ids, _ = distinct_queries(query_ids)
    values = np.zeros((len(specs), len(ids)))
    positives = np.zeros_like(values)
    for row, spec in enumerate(specs):
        totals = _totals_of(spec, query_ids, ids)
        rankings, averaging = rankings_in(checked, totals, average="weighted", definition=spec.definition)
        values[row], positives[row] = spec.definition.compute(rankings), averaging.weights
    return QueryValues(ids, values, positives)


def _values_of_large_query(batches: Iterator[Batch], specs: Sequence[ScoreSpec]) -> QueryValues:
    first = next(batches)
    weighted = first.weight is not None
    batches = chain([first], batches)
    groups = StoredGroups.of_batches(batches, weighted=weighted, keeps_negatives=weighted)
    stream = SortedStream.of_groups(groups)
    query_ids = read_numbered(first.query[:1], 1)  # type: ignore[index]  # rows of queries have ids
    ids, _ = distinct_queries(query_ids)
    values, positives = np.zeros((len(specs), 1)), np.zeros((len(specs), 1))
    for row, spec in enumerate(specs):
        totals = _totals_of(spec, query_ids, ids)
        total = totals[ids[0]] if isinstance(totals, dict) else totals
        ranking = spec._replace(n_positives=total, query_weight=None).ranking(stream)
        values[row] = spec.definition.compute(ranking)
        positives[row] = ranking.n_positives * (stream.count_weight or 1.0)
    return QueryValues(ids, values, positives)


def _totals_of(spec: ScoreSpec, query: Any, ids: Sequence[Any]) -> PositiveTotals | None:
    """Return `n_positives` of some queries; refuse a query without one."""
    totals = read_totals(spec.n_positives, query)
    if not isinstance(totals, dict):
        return totals
    check_named(ids, totals)
    return {name: totals[name] for name in ids}


def weights_of(query_weight: QueryWeight | None, ids: Sequence[Any]) -> FloatArray:
    """Return the weights of some queries, by default 1; a query without one is refused."""
    if query_weight is None:
        return np.ones(len(ids))
    by_query = read_query_weight(query_weight, numbered_ids(ids), "macro")
    check_named(ids, by_query, "query_weight contains no weight")
    return np.array([by_query[name] for name in ids], dtype=np.float64)


def numbered_ids(ids: Sequence[Any]) -> QueryIds:
    """Return distinct ids as those of rows; a list of dates would not take names of other units."""
    are_dates = len(ids) > 0 and isinstance(ids[0], np.datetime64)
    return read_numbered(np.array(ids) if are_dates else list(ids), len(ids))


class QueryMean:
    """A mean over queries as sums of values and weights, to which other queries and means are added.

    Parameters
    ----------
    specs : list of ScoreSpec
        The scores.
    weighted : bool
        Whether the weight of a query is that of its positives; otherwise it is 1.
    """

    def __init__(self, specs: Sequence[ScoreSpec], *, weighted: bool) -> None:
        self._specs, self._weighted = specs, weighted
        self._sums = np.zeros((len(specs), 3))  # of values times weights, of weights, and of query_weight
        self.n_queries, self._n_undefined = 0, np.zeros(len(specs), dtype=np.int64)
        self.ids_with_totals: set[Any] = set()  # queries with rows, if `n_positives` is a mapping

    def add(self, queries: QueryValues) -> None:
        """Add the values of queries that were not added before."""
        self.n_queries += len(queries.ids)
        if any(hasattr(spec.n_positives, "items") for spec in self._specs):
            self.ids_with_totals.update(queries.ids)
        for row, spec in enumerate(self._specs):
            values, positives = queries.values[row], queries.positives[row]
            defined = positives > 0
            undefined_value = 0.0 if spec.zero_division == "warn" else spec.zero_division
            values = np.where(defined, values, undefined_value)
            by_query = weights_of(spec.query_weight, queries.ids)
            weights = np.where(np.isnan(values), 0.0, positives if self._weighted else 1.0) * by_query
            self._sums[row] += (np.nan_to_num(values) * weights).sum(), weights.sum(), by_query.sum()
            self._n_undefined[row] += np.count_nonzero(~defined)

    def join(self, other: "QueryMean") -> None:
        """Add the sums of other queries."""
        self._sums += other._sums
        self.ids_with_totals |= other.ids_with_totals
        self.n_queries += other.n_queries
        self._n_undefined += other._n_undefined

    def means(self) -> list[float]:
        """Return the mean of each score, and warn of queries without positives."""
        means = []
        for spec, (total, weight, by_query), n_undefined in zip(
            self._specs, self._sums.tolist(), self._n_undefined.tolist(), strict=True
        ):
            check_some_weight(by_query, self.n_queries)
            if spec.zero_division == "warn" and n_undefined and not (self._weighted and not weight):
                defined = np.arange(self.n_queries) >= n_undefined
                warn_user(Averaging(defined, None, one_value=True).without_positives(spec.caller))
            undefined = 0.0 if spec.zero_division == "warn" else float(spec.zero_division)
            means.append(total / weight if weight else undefined if self._weighted else np.nan)
        return means


def means_of_queries(source: Source, specs: Sequence[ScoreSpec], *, weighted: bool) -> list[float]:
    """Return the mean of each score over the queries of rows that do not fit into memory."""
    reduce = partial(_mean_of_part, specs, weighted, chunk_rows=_chunk_rows(source))
    mean, *others = source.reduce_queries(reduce)
    for other in others:
        mean.join(other)
    absent = _absent_queries(specs, mean.ids_with_totals)
    if absent is not None:
        mean.add(absent)
    for spec in specs:
        n_weights = len(spec.query_weight) if isinstance(spec.query_weight, Mapping) else 0
        if source.roles.sample_weight is None and n_weights > mean.n_queries:
            raise ValueError(
                f"query_weight must name queries; got {n_weights} weights for {mean.n_queries} queries."
            )
    return mean.means()


def _chunk_rows(source: Source) -> int:
    return max(min(source.limit // _ROW_BYTES, _CHUNK_ROWS), 1)


def _mean_of_part(
    specs: Sequence[ScoreSpec], weighted: bool, batches: Iterator[Batch], *, chunk_rows: int
) -> QueryMean:
    """Return the mean over the queries of one part; it runs where the rows are."""
    mean = QueryMean(specs, weighted=weighted)
    for values in values_of_queries(batches, specs, chunk_rows):
        mean.add(values)
    return mean


def _absent_queries(specs: Sequence[ScoreSpec], ids: Iterable[Any]) -> QueryValues | None:
    """Return the queries that have a total but no rows, each with the value 0."""
    mapping = next((spec.n_positives for spec in specs if hasattr(spec.n_positives, "items")), None)
    if mapping is None:
        return None
    present = list(ids)
    totals: Any = read_totals(mapping, numbered_ids(present))
    absent = {name: totals[name] for name in totals.keys() - set(present)}
    positives = np.tile(np.array(list(absent.values()), dtype=np.float64), (len(specs), 1))
    return QueryValues(list(absent), np.zeros_like(positives), positives)


def scores_by_query(source: Source, specs: Sequence[ScoreSpec]) -> list[ScoreByQuery]:
    """Return the value of each query under its id, for each score."""
    parts = source.reduce_queries(partial(_values_of_part, specs, chunk_rows=_chunk_rows(source)))
    chunks = [values for part in parts for values in part]
    absent = _absent_queries(specs, [name for values in chunks for name in values.ids])
    chunks += [] if absent is None else [absent]
    ids = [name for values in chunks for name in values.ids]
    index_of = {name: index for index, name in enumerate(ids)}
    order = sorted_ids(ids, "query_id must contain ids of one kind, which can be sorted")
    indices = [index_of[name] for name in order]
    by_query = []
    for row, spec in enumerate(specs):
        values = np.concatenate([part.values[row] for part in chunks])[indices]
        positives = np.concatenate([part.positives[row] for part in chunks])[indices]
        averaging = Averaging(positives > 0, None, one_value=False)
        defined = averaging.average(
            values, zero_division=spec.zero_division, caller=spec.caller, reference=None
        )
        by_query.append(dict(zip(order, np.asarray(defined).tolist(), strict=True)))
    return by_query


def _values_of_part(
    specs: Sequence[ScoreSpec], batches: Iterator[Batch], *, chunk_rows: int
) -> list[QueryValues]:
    """Return the values of the queries of one part; it runs where the rows are."""
    return list(values_of_queries(batches, specs, chunk_rows))
