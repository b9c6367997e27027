"""Scores beyond memory: of a sorted ranking, and of queries whose rows come sorted by query and score.

A `ScoreSpec` is a score by its name or its function, with checked arguments. `values_of_queries` runs where
the rows are, so its results are small: sums for a mean over queries, or the value of each query. Queries are
ranked in memory, several at once, and a large one as a stream.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from inspect import Signature, signature
from itertools import chain
from typing import Any, NamedTuple, TypeGuard, TypeVar

import numpy as np

from .._api import Averaging, rankings_in
from .._definition import Definition
from .._public import warn_user
from .._ranking._blocks import starts_of_runs
from .._ranking._rankings import Rankings
from .._reading._options import read_zero_division
from .._reading._queries import QueryIds, distinct_queries, read_numbered, sorted_ids
from .._reading._read import Checked
from .._reading._totals import PositiveTotals, check_named, check_some_weight, read_query_weight, read_totals
from .._registry import SCORES, arguments_of, definition_of, score_of
from .._typing import (
    AnyArray,
    Average,
    FloatArray,
    QueryId,
    QueryWeight,
    ScoreByQuery,
    ScoreFunction,
    Totals,
    ZeroDivision,
)
from .._uncertainty._estimates import estimate_of_ranking
from .._uncertainty._influence import has_slopes
from .._uncertainty._results import ScoreEstimate
from .._uncertainty._warnings import warn_of_ranking
from ._batches import Batch, concatenate
from ._stream import SortedStream, Source, groups_of

Score = str | ScoreFunction
Value = TypeVar("Value")

_FIRST_ROWS = 2**16  # the first positive of nearly every ranking is among them
_ROW_ARGUMENTS = ("average", "pos_label", "query_id", "sample_weight")  # of the functions that read the rows
_CHUNK_ROWS = 2**18  # of whole queries that are ranked at once
_ROW_BYTES = 64  # of a row while its query is ranked, at most


# --- a score with its arguments --------------------------------------------------------------------------


class ScoreSpec(NamedTuple):
    """A score of this package with its arguments."""

    name: str
    function: ScoreFunction  # with the arguments bound
    definition: Definition
    n_positives: Totals | None
    query_weight: QueryWeight | None
    zero_division: ZeroDivision
    caller: str  # the public function, for its warnings

    @property
    def needs_all_groups(self) -> bool:
        """Whether groups of negatives alone matter where weights differ, as for a cut within one of them."""
        # The weight of all rows, by which "k" may divide, ends with the worst group.
        return self.definition.cut is not None or self.definition.normalizer == "k"

    def n_best(self, *, weighted: bool) -> int | None:
        """Return how many of the best rows decide the score, with the totals of all; None for all rows."""
        definition = self.definition
        counts = definition.normalizer == "min" or definition.tie_order or not definition.area.counts_weight
        if weighted and counts:  # weights of merged rows are means
            return None
        if self.finds_first:
            return _FIRST_ROWS
        return definition.cut if isinstance(definition.cut, int) else None

    @property
    def finds_first(self) -> bool:
        """Whether it only asks how far down the first positive stands."""
        return not self.definition.area.counts_weight and self.definition.cut is None

    @property
    def totals_by_query(self) -> Mapping[Any, float] | None:
        """The totals of positives, if they are by query."""
        totals = self.n_positives
        return totals if hasattr(totals, "items") else None  # type: ignore[return-value]  # or a Series

    def check_query_weight(self, query: AnyArray | None, average: Average) -> None:
        """Refuse weights of queries that are not by query, or where no mean of queries is asked for."""
        if self.query_weight is None:
            return
        if not isinstance(self.query_weight, Mapping):
            raise ValueError(f"query_weight must be a mapping {{query: weight}}; got {self.query_weight!r}.")
        read_query_weight(self.query_weight, query, average)

    def ranking(self, stream: SortedStream) -> Rankings:
        """Return a ranking in the order, with the totals and at the prevalence of the score."""
        self.check_query_weight(None, None)
        definition, total = self.definition, read_totals(self.n_positives, None)
        if stream.weighted:
            definition.refuse_weights(states_totals=total is not None)
        return stream.ranking(total, definition.prevalence, definition.tie_order)

    def score(self, stream: SortedStream) -> float:
        """Return the score of a ranking, and warn if it has no positives."""
        ranking = self.ranking(stream)
        averaging = Averaging(ranking.n_positives > 0, None, one_value=True)
        return float(self.averaged(averaging, self.definition.compute(ranking)))  # type: ignore[arg-type]

    def averaged(self, averaging: Averaging, values: FloatArray) -> float | FloatArray:
        """Return the values of rankings as `average` asks, and warn of rankings without positives."""
        return averaging.average(values, zero_division=self.zero_division, caller=self.caller, reference=None)

    def estimate(self, stream: SortedStream) -> ScoreEstimate:
        """Return the score with its standard error, and warn as `sklearn_ap.estimate_score` does."""
        if not stream.found_weight.item():
            raise ValueError("y_true contains no positive samples; a standard error is undefined.")
        estimate = estimate_of_ranking(self.definition, self.ranking(stream))
        warn_of_ranking(estimate)
        return estimate


def resolve_score(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> ScoreSpec:
    """Return the score of a name or a function of this package, with its arguments checked."""
    call: Any = score_of(score_func, params)
    bound = dict(params)
    # Arguments that are passed here replace those of a partial, as in a call of the partial.
    while isinstance(call, partial) and not call.args:
        call, bound = call.func, {**call.keywords, **bound}
    if not any(call is score for score in SCORES):  # by identity: a callable may have no hash
        raise ValueError(
            "score_func must be a score of sklearn_ap or the name of one, such as 'average_precision@100'; "
            f"got {score_func!r}."
        )
    parameters = signature(call).parameters.items()
    accepted = Signature([parameter for name, parameter in parameters if name not in _ROW_ARGUMENTS])
    try:
        accepted.bind(None, None, **bound)
    except TypeError as error:
        raise TypeError(f"{call.__name__}: {error}.") from None
    arguments = arguments_of(call, bound)
    assert arguments is not None, call  # the names were checked
    definition = definition_of(call, arguments)
    if definition.ties == "stable":
        raise ValueError(
            "ties='stable' requires the order of rows, which parts do not have; use 'proportional', "
            "'expected', 'optimistic' or 'pessimistic'."
        )
    return ScoreSpec(
        score_func if isinstance(score_func, str) else getattr(score_func, "__name__", repr(score_func)),
        partial(call, **bound),
        definition,
        arguments.get("n_positives"),
        arguments.get("query_weight"),
        read_zero_division(arguments.get("zero_division", 0.0)),
        call.__name__,
    )


def resolve_scores(score_func: Score | Iterable[Score], params: Mapping[str, Any]) -> list[ScoreSpec]:
    """Return one score, or several with the same arguments."""
    return [
        resolve_score(each, params) for each in (score_func if _are_several(score_func) else [score_func])
    ]


def by_name(
    score_func: Score | Iterable[Score], specs: Sequence[ScoreSpec], values: Sequence[Value]
) -> Value | dict[str, Value]:
    """Return the value of one score, or the values of several by name."""
    names = [spec.name for spec in specs]
    return dict(zip(names, values, strict=True)) if _are_several(score_func) else values[0]


def _are_several(score_func: Score | Iterable[Score]) -> TypeGuard[Iterable[Score]]:
    return isinstance(score_func, Iterable) and not isinstance(score_func, str)


def resolve_estimate(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> ScoreSpec:
    """Return a score whose standard error follows from the influence of its steps."""
    spec = resolve_score(score_func, params)
    if not has_slopes(spec.definition):
        raise ValueError(
            "score_func must be the area of a whole ranking, such as 'average_precision' or 'pr_auc', since "
            f"other scores have no influences; got {spec.name!r}, which is {spec.definition}."
        )
    return spec


# --- queries ---------------------------------------------------------------------------------------------


class QueryValues(NamedTuple):
    """The values of some queries for each score, and their positives, found or missed."""

    ids: list[QueryId]
    values: FloatArray  # of shape (n_scores, n_queries)
    positives: FloatArray  # of shape (n_scores, n_queries), in weight


def values_of_queries(
    specs: Sequence[ScoreSpec], batches: Iterable[Batch], *, chunk_rows: int
) -> Iterator[QueryValues]:
    """Yield the values of queries of rows sorted by query and score; queries of weight 0 come last."""
    weightless: set[QueryId] = set()
    for rows in whole_queries(_with_weight(batches, weightless), chunk_rows):
        values = _values_of_batch(rows, specs) if isinstance(rows, Batch) else _values_of_large(rows, specs)
        yield values
        weightless.difference_update(values.ids)
    if weightless:  # rankings without positives, unless totals say otherwise
        totals = [read_totals(spec.n_positives, numbered_ids(list(weightless))) for spec in specs]
        named = [total if isinstance(total, dict) else {} for total in totals]
        positives = np.array([[total.get(name, 0.0) for name in weightless] for total in named])
        yield QueryValues(list(weightless), np.zeros_like(positives), positives)


def _with_weight(batches: Iterable[Batch], weightless: set[QueryId]) -> Iterator[Batch]:
    """Yield the rows of weight above 0; the ids of others are added to `weightless`."""
    for batch in batches:
        if batch.weight is None or batch.weight.all():
            yield batch
            continue
        weightless.update(distinct_queries(_ids_of(batch.take(batch.weight == 0)))[0])
        if batch.weight.any():
            yield batch.take(batch.weight > 0)


def whole_queries(batches: Iterator[Batch], chunk_rows: int) -> Iterator[Batch | Iterator[Batch]]:
    """Yield chunks of whole queries; one that alone exceeds a chunk comes as batches, worst score first."""
    pending: list[Batch] = []
    for batch in batches:
        pending.append(batch)
        if sum(part.score.size for part in pending) < chunk_rows:
            continue
        rows = concatenate(pending)
        query = np.asarray(rows.query)
        last = int(starts_of_runs(query)[-1])
        if last:
            yield rows.take(slice(0, last))
            pending = [rows.take(slice(last, None))]
        else:  # the whole chunk is one query, which goes on: its rows are handed over as they come
            pending = []
            yield _rows_of_query(query[0], chain([rows], batches), pending)
    if pending:
        yield concatenate(pending)


def _rows_of_query(query_id: QueryId, batches: Iterator[Batch], rest: list[Batch]) -> Iterator[Batch]:
    """Yield the rows of one query; what follows in its last batch goes to `rest`."""
    for batch in batches:
        n_rows = int(np.count_nonzero(batch.query == query_id))  # they come first
        if n_rows:
            yield batch.take(slice(0, n_rows))
        if n_rows < batch.score.size:
            rest.append(batch.take(slice(n_rows, None)))
            return


def _values_of_batch(rows: Batch, specs: Sequence[ScoreSpec]) -> QueryValues:
    query = _ids_of(rows)
    bounds = rows.score.min(), rows.score.max()
    checked = Checked(rows.positive, rows.score, bounds, rows.weight, query)
    ids, _ = distinct_queries(query)
    values, positives = list[FloatArray](), list[FloatArray]()
    for spec in specs:
        rankings, averaging = rankings_in(
            checked, _totals_of(spec, query, ids), average="weighted", definition=spec.definition
        )
        values.append(spec.definition.compute(rankings))
        positives.append(np.asarray(averaging.weights))
    return QueryValues(ids, np.array(values), np.array(positives))


def _values_of_large(batches: Iterator[Batch], specs: Sequence[ScoreSpec]) -> QueryValues:
    first = next(batches)
    query = _ids_of(first.take(slice(0, 1)))
    stream = SortedStream(groups_of(chain([first], batches), keeps_negatives=first.weight is not None))
    ids, _ = distinct_queries(query)
    values, positives = list[FloatArray](), list[FloatArray]()
    for spec in specs:
        totals = _totals_of(spec, query, ids)
        total = totals[ids[0]] if isinstance(totals, dict) else totals
        ranking = spec._replace(n_positives=total, query_weight=None).ranking(stream)
        values.append(spec.definition.compute(ranking))
        positives.append(ranking.n_positives * (stream.count_weight or 1.0))
    return QueryValues(ids, np.array(values), np.array(positives))


def _ids_of(rows: Batch) -> QueryIds:
    assert rows.query is not None, rows  # rows of queries have ids
    return read_numbered(rows.query, rows.score.size)


def _totals_of(spec: ScoreSpec, query: QueryIds, ids: Sequence[QueryId]) -> PositiveTotals | None:
    """Return `n_positives` of some queries; refuse a query without one."""
    totals = read_totals(spec.n_positives, query)
    if not isinstance(totals, dict):
        return totals
    check_named(ids, totals)
    return {name: totals[name] for name in ids}


def weights_of(query_weight: QueryWeight | None, ids: Sequence[QueryId]) -> FloatArray:
    """Return the weights of some queries, by default 1; a query without one is refused."""
    if query_weight is None:
        return np.ones(len(ids))
    by_query = read_query_weight(query_weight, numbered_ids(ids), "macro")
    check_named(ids, by_query, "query_weight contains no weight")
    return np.array([by_query[name] for name in ids], dtype=np.float64)


def numbered_ids(ids: Sequence[QueryId]) -> QueryIds:
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
        # For each score: values times weights, weights, `query_weight`, and the queries without positives.
        self._sums = np.zeros((len(specs), 4))
        self.n_queries = 0
        self.ids_with_totals: set[QueryId] = set()  # queries with rows, if `n_positives` is a mapping

    def add(self, queries: QueryValues) -> None:
        """Add the values of queries that were not added before."""
        self.n_queries += len(queries.ids)
        if any(spec.totals_by_query is not None for spec in self._specs):
            self.ids_with_totals.update(queries.ids)
        for row, spec in enumerate(self._specs):
            positives = queries.positives[row]
            undefined_value = 0.0 if spec.zero_division == "warn" else spec.zero_division
            values = np.where(positives > 0, queries.values[row], undefined_value)
            by_query = weights_of(spec.query_weight, queries.ids)
            weights = np.where(np.isnan(values), 0.0, positives if self._weighted else 1.0) * by_query
            sums = (np.nan_to_num(values) * weights).sum(), weights.sum(), by_query.sum()
            self._sums[row] += *sums, np.count_nonzero(positives <= 0)

    def join(self, other: "QueryMean") -> None:
        """Add the sums of other queries."""
        self._sums += other._sums
        self.ids_with_totals |= other.ids_with_totals
        self.n_queries += other.n_queries

    def means(self) -> list[float]:
        """Return the mean of each score, and warn of queries without positives."""
        means = []
        for spec, (total, weight, by_query, n_undefined) in zip(
            self._specs, self._sums.tolist(), strict=True
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
    mean = QueryMean(specs, weighted=weighted)
    for part in source.map_parts(reduce, "query, score"):
        mean.join(part)
    absent = _absent_queries(specs, list(mean.ids_with_totals))
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
    specs: Sequence[ScoreSpec], weighted: bool, batches: Iterable[Batch], *, chunk_rows: int
) -> list[QueryMean]:
    """Return the mean over the queries of one part; it runs where the rows are."""
    mean = QueryMean(specs, weighted=weighted)
    for values in values_of_queries(specs, batches, chunk_rows=chunk_rows):
        mean.add(values)
    return [mean]


def _absent_queries(specs: Sequence[ScoreSpec], ids: Sequence[QueryId]) -> QueryValues | None:
    """Return the queries that have a total but no rows, each with the value 0."""
    mapping = next((spec.n_positives for spec in specs if spec.totals_by_query is not None), None)
    if mapping is None:
        return None
    totals: Any = read_totals(mapping, numbered_ids(ids))
    absent = {name: totals[name] for name in totals.keys() - set(ids)}
    positives = np.tile(np.array(list(absent.values()), dtype=np.float64), (len(specs), 1))
    return QueryValues(list(absent), np.zeros_like(positives), positives)


def scores_by_query(source: Source, specs: Sequence[ScoreSpec]) -> list[ScoreByQuery]:
    """Return the value of each query under its id, for each score."""
    reduce = partial(values_of_queries, specs, chunk_rows=_chunk_rows(source))
    chunks = list(source.map_parts(reduce, "query, score"))
    absent = _absent_queries(specs, [name for values in chunks for name in values.ids])
    chunks += [] if absent is None else [absent]
    ids = [name for values in chunks for name in values.ids]
    index_of = {name: index for index, name in enumerate(ids)}
    order = sorted_ids(ids, "query_id must contain ids of one kind, which can be sorted")
    indices = [index_of[name] for name in order]
    values = np.concatenate([part.values for part in chunks], axis=1)[:, indices]
    defined = np.concatenate([part.positives for part in chunks], axis=1)[:, indices] > 0
    by_query = []
    for spec, of_score, is_defined in zip(specs, values, defined, strict=True):
        averaged = spec.averaged(Averaging(is_defined, None, one_value=False), of_score)
        by_query.append(dict(zip(order, np.asarray(averaged).tolist(), strict=True)))
    return by_query
