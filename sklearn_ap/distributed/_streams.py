"""Scores beyond memory: of a ranking whose rows come sorted by score, and of queries.

`groups_of` turns sorted rows into `Groups`: one record per distinct score of a
positive, with the weight of the negatives between it and the record before.
`SortedStream` stores the records in a temporary file. It is a `Kernel`, so every
`Definition` computes its score.

A `ScoreSpec` is a score by its name or its function, with checked arguments.
`values_of_queries` runs where the rows are: it ranks chunks of whole queries in memory.
"""

import pickle
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import closing
from copy import copy
from dataclasses import replace
from functools import partial, reduce
from inspect import Signature, signature
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple, assert_never

import numpy as np

from .._core.definition import Definition
from .._core.evaluate import Averaging, rankings_in, with_totals
from .._core.ranking.keys import keeps_row_order
from .._core.ranking.prevalence import factor_of_negatives
from .._core.ranking.rankings import Kernel, Rankings, Steps
from .._core.ranking.runs import starts_of_runs
from .._core.reading.ids import QueryIds, distinct_queries, read_numbered
from .._core.reading.options import read_zero_division
from .._core.reading.per_ranking import queries_of, read_total, read_totals
from .._core.reading.read import CheckedRows
from .._core.registry import (
    SCORES,
    arguments_of,
    definition_of,
    function_of,
)
from .._core.typing import (
    ArrayLikeOrMapping,
    Average,
    BoolArray,
    FloatArray,
    QueryId,
    ScoreFunction,
    TieOrder,
    ZeroDivision,
)
from .._rows.batches import Batch, concatenate
from .._uncertainty.influence import has_slopes
from .._uncertainty.results import UNDEFINED, ScoreEstimate
from .._uncertainty.sample import counted_sample
from .._uncertainty.standard_errors import warned_estimate
from ._batches import Source, best_rows, chunks
from ._groups import (
    NO_ROWS,
    Groups,
    WeightRanges,
    groups_of,
    joined_groups,
    steps_of,
    units_of,
)
from ._positives import groups_by_positives

_SPOOL_BYTES = 2**24  # of groups in memory; more go to disk
# Each part of the rows sends at most so many best rows to this process; a deeper cut is sorted.
_MAX_BEST_ROWS = 2**20
_ORDERED_STEPS = 2**17  # in a block, where an order of ties makes each positive a step
# Arguments that the functions of rows read themselves.
_ROW_ARGUMENTS = (
    "average",
    "pos_label",
    "query_id",
    "sample_weight",
)
_QUERY_ROWS = 2**18  # of whole queries that are ranked at once
_ROW_BYTES = 64  # of a row while its query is ranked, at most


# --- a sorted ranking -----------------------------------------------------------------


class _GroupFile(SpooledTemporaryFile[bytes]):
    """A file in memory or, once it is large, on disk; it is removed with the object."""

    def __del__(self) -> None:
        """Close the file; else Python warns of it."""
        self.close()


class SortedStream(Kernel):
    """A single ranking of groups that are sorted by score, in a temporary file once
    they are many.

    Parameters
    ----------
    groups : iterable of Groups
        All groups, worst score first; a score may go on in the next ones.
    """

    def __init__(self, groups: Iterable[Groups]) -> None:
        # The file stays as long as a ranking reads it.
        self._file = _GroupFile(max_size=_SPOOL_BYTES)
        totals, ranges = [], []
        for part in joined_groups(groups):
            pickle.dump(part, self._file, pickle.HIGHEST_PROTOCOL)
            totals.append(part.totals())
            ranges.append(part.ranges)
        # From the best row down to each part, and above all of them.
        from_best = np.cumsum([np.zeros_like(totals[0]), *totals[::-1]], axis=0)[::-1]
        self._above = from_best[1:]
        self._ranges = reduce(WeightRanges.joined, ranges)
        self._units = units_of(self._ranges)
        self.count_weight = None
        if len(totals[0]) > 1:  # weights and numbers of rows
            self.count_weight = np.array([self._units.unit])
        self.factor = None
        if self._units.factor != 1:
            self.factor = np.array([self._units.factor])
        self.weighted = self.factor is not None or not self._units.counts_negatives
        found, self._negatives = self._units.of_classes(from_best[0])
        self.found_weight = np.array([found])
        self.n_rows = int(from_best[0, -1].sum())
        self._tie_order: TieOrder | None = None

    def ranking(
        self,
        total: FloatArray | None,
        prevalence: float | None,
        tie_order: TieOrder | None,
    ) -> Rankings:
        """Return the ranking with a total of positives, at a prevalence, in an order of
        equal scores.
        """
        kernel = copy(self)
        kernel._tie_order = tie_order  # None if weights differ: see `refuse_weights`
        weighted_rows = None
        if not self._units.counts_negatives:
            weighted_rows = kernel
        offsets, found = np.array((0, self.n_rows)), self.found_weight
        ranking = Rankings(kernel, offsets, weighted_rows, found, found)
        if total is not None:
            ranking = with_totals(ranking, total, self.count_weight)
        if prevalence is not None:
            kernel.factor = factor_of_negatives(
                ranking.n_positives, self._negatives, prevalence
            )
            kernel._units = self._units._replace(factor=kernel.factor.item())
        return ranking

    @property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # it has a factor
        """Weight of all samples."""
        return self.found_weight + self.negative_weight

    @property
    def negative_weight(self) -> FloatArray:
        """Weight of the negatives."""
        return self._units.factor * self._negatives

    def fractions_of_classes(self) -> BoolArray:
        """Return whether weights are not whole numbers, whose sums are rounded: of the
        positives, and of the negatives; those of rows that are counted are.
        """
        are_counts = self._units.counts_positives, self._units.counts_negatives
        return ~(self._ranges.are_whole | are_counts)[:, np.newaxis]

    def _stored(self) -> Iterator[Groups]:
        """Yield all groups that were kept, worst score first."""
        offset = 0
        for _ in self._above:
            self._file.seek(offset)  # another iterator may have moved on
            groups: Groups = pickle.load(self._file)
            offset = self._file.tell()
            yield groups

    def _sums(self) -> Iterator[FloatArray]:
        """Yield the sums down to each group that was kept, worst score first."""
        for groups, above in zip(self._stored(), self._above, strict=True):
            yield groups.sums_from_top(above, self._units)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for sums in self._sums():
            # A positive that is too light to change the sums is not a step.
            gaining = sums[:, sums[0] > sums[1]]
            if not gaining.size:
                continue
            if self._tie_order is None:
                yield steps_of(gaining)
            else:
                yield from _in_order(steps_of(gaining), self._tie_order)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group at the cut adds its
        share.
        """
        if not self.weighted:
            return super().weight_of_best(depth)
        shares = (
            (steps.share_within(depth) * steps.group_weight).sum()
            for steps in map(steps_of, self._sums())
        )
        return np.array([sum(shares)])

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        heaviest = NO_ROWS
        for groups in self._stored():
            heaviest = np.append(heaviest, groups.heaviest, axis=1)
            heaviest = heaviest[:, np.argsort(-heaviest[0], kind="stable")]
            n_rows = heaviest[1]
            n_rows[:] = n_rows.clip(max=depth - (np.cumsum(n_rows) - n_rows))
            # Other rows come after the last of these.
            heaviest = heaviest[:, n_rows > 0]
        total: Any = heaviest.prod(axis=0).sum()
        return np.asarray(total / self.count_weight)


def _in_order(steps: Steps, tie_order: TieOrder) -> Iterator[Steps]:
    """Yield one step per positive, in blocks; the negatives of its group are all below
    it, or all above.
    """
    # Weights that differ have no order of ties, so these are counts.
    ends = np.cumsum(steps.gained)
    match tie_order:
        case "optimistic":
            negatives = steps.above - steps.tp_above
        case "pessimistic":
            negatives = steps.retrieved - steps.tp
        case "stable":
            raise ValueError("tie_order='stable' requires rows in an order.")
        case _:
            assert_never(tie_order)
    # `ends` counts positives up to each group, worst first: positive n is in the first
    # group that ends behind it.
    for first in range(0, int(ends[-1]), _ORDERED_STEPS):
        positive = np.arange(first, min(first + _ORDERED_STEPS, int(ends[-1])))
        group = np.searchsorted(ends, positive, side="right")
        tp = steps.tp[group] - (positive - (ends - steps.gained)[group])
        retrieved = tp + negatives[group]
        yield Steps(tp, tp - 1, retrieved, partial(np.subtract, retrieved, 1))


# --- a score with its arguments -------------------------------------------------------


class ScoreSpec(NamedTuple):
    """A score of this package with its arguments."""

    name: str
    function: partial[Any]  # with the arguments bound
    definition: Definition
    n_positives: ArrayLikeOrMapping | None
    zero_division: ZeroDivision

    @property
    def needs_all_groups(self) -> bool:
        """Whether groups of negatives alone matter where weights differ, as for a cut
        within one of them.
        """
        # The weight of all rows, by which "k" may divide, ends with the worst group.
        return self.definition.cut is not None or self.definition.normalizer == "k"

    def ranking(self, stream: SortedStream) -> Rankings:
        """Return a ranking in the order, with the totals and at the prevalence of the
        score.
        """
        definition = self.definition
        total = read_total(self.n_positives)
        if stream.weighted:
            definition.refuse_weights(states_totals=total is not None)
        return stream.ranking(total, definition.prevalence, definition.tie_order)

    def score(self, stream: SortedStream) -> float:
        """Return the score of a ranking and warn if it has no positives."""
        ranking = self.ranking(stream)
        averaging = Averaging(ranking.n_positives > 0, None, one_value=True)
        return float(self.averaged(averaging, self.definition.compute(ranking)))

    def averaged(self, averaging: Averaging, values: FloatArray) -> float | FloatArray:
        """Return the values of rankings as `average` asks, and warn of rankings without
        positives.
        """
        return averaging.average(
            values,
            zero_division=self.zero_division,
            caller=self.function.func.__name__,  # for its warnings
            reference=None,
        )

    def estimate(self, stream: SortedStream) -> ScoreEstimate:
        """Return the score with its standard error and warn as
        `sklearn_ap.estimate_score` does.
        """
        if not has_slopes(self.definition):
            raise ValueError(
                "score_func must be the area of a ranking, such as 'average_precision' "
                f"or 'pr_auc', since other scores have no influences; got {self.name!r}."
            )
        if stream.weighted:
            raise ValueError(
                "sample_weight must be equal in all rows of a state for an estimate."
            )
        if not stream.found_weight.item():
            raise ValueError(UNDEFINED)
        counted = self._replace(definition=replace(self.definition, prevalence=None))
        estimate = warned_estimate(
            counted_sample(self.definition, counted.ranking(stream))
        )
        return estimate._with_score(self.function.func, self.function.keywords)


def resolve_score(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> ScoreSpec:
    """Return the score of a name or a function of this package, with its arguments
    checked.
    """
    call, bound = function_of(score_func, params)
    # Scores are compared by identity, since a callable may have no hash.
    if not any(call is score for score in SCORES):
        raise ValueError(
            "score_func must be a score of sklearn_ap or the name of one, such as 'average_precision@100'; "
            f"got {score_func!r}."
        )
    parameters = signature(call).parameters.items()
    accepted = [taken for name, taken in parameters if name not in _ROW_ARGUMENTS]
    try:
        Signature(accepted).bind(None, None, **bound)
    except TypeError as error:
        raise TypeError(f"{call.__name__}: {error}.") from None
    arguments = arguments_of(call, bound)
    assert arguments is not None, call  # the names were checked
    definition = definition_of(call, arguments)
    if keeps_row_order(definition.tie_order):
        raise ValueError(
            "ties='stable' requires the order of rows, which parts do not have; use 'proportional', "
            "'expected', 'optimistic' or 'pessimistic'."
        )
    name: Any = score_func
    if not isinstance(score_func, str):
        name = getattr(score_func, "__name__", repr(score_func))
    return ScoreSpec(
        name,
        partial(call, **bound),
        definition,
        arguments.get("n_positives"),
        read_zero_division(arguments.get("zero_division", 0.0)),
    )


def stream_of(source: Source, spec: ScoreSpec) -> SortedStream:
    """Return the ranking of all rows; for a cut, only the best rows must be in order,
    and the others are in one group, or in two.
    """
    weighted = source.roles.sample_weight is not None
    # A cut in a tied group of weighted negatives needs that group as a step.
    keeps_negatives = weighted and spec.needs_all_groups
    cut: Any = spec.definition.cut
    if isinstance(cut, int) and cut <= _MAX_BEST_ROWS and not weighted:
        best_of_parts = source.map_parts(partial(best_rows, n_rows=cut), None)
        with closing(best_of_parts):
            [best] = best_rows(best_of_parts, cut)
        return SortedStream(groups_of([best.distinct()], keeps_negatives=False))
    if source.is_repeatable and not keeps_negatives:
        groups_in_order = groups_by_positives(source)
        if groups_in_order is not None:
            return SortedStream(groups_in_order)
    store = partial(groups_of, keeps_negatives=keeps_negatives)
    with closing(source.map_parts(store, "score")) as sorted_groups:
        return SortedStream(sorted_groups)


# --- queries --------------------------------------------------------------------------


class QueryValues(NamedTuple):
    """The values of some queries."""

    ids: list[QueryId]
    values: FloatArray
    positives: FloatArray  # of each query, found or missed, in weight
    weightless: Set[QueryId] = frozenset()  # other queries, whose rows all weigh 0

    def score(self, spec: ScoreSpec, average: Average) -> Any:
        """Return the mean over the queries, or for None all values."""
        weights = None
        if average == "weighted":
            weights = self.positives
        averaging = Averaging(
            self.positives > 0, weights, average is not None, of_queries=True
        )
        return spec.averaged(averaging, self.values)


def all_queries(
    source: Source, spec: ScoreSpec, *, keeps_weightless: bool
) -> QueryValues:
    """Return the values of all queries in the order of their ids, also of those that
    have a total and no rows, whose value is 0.

    Means leave out queries whose rows all weigh 0; values of each query keep them, as
    queries without positives.
    """
    # so many rows of whole queries are ranked at once
    chunk_rows = max(min(source.limit // _ROW_BYTES, _QUERY_ROWS), 1)
    run = partial(values_of_queries, spec, chunk_rows=chunk_rows)
    parts = list(source.map_parts(run, "query"))
    ids = [name for part in parts for name in part.ids]
    absent = dict[QueryId, float]()  # other queries, with their positives
    if keeps_weightless:
        absent |= {name: 0.0 for part in parts for name in part.weightless}
    stated = read_totals(spec.n_positives)
    if stated is not None and stated.names is not None:
        named = queries_of(read_numbered(ids, len(ids)), None, stated)
        totals = dict(zip(named.names, named.values(stated).tolist(), strict=True))
        absent |= {name: totals[name] for name in totals.keys() - set(ids)}
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
    spec: ScoreSpec, batches: Iterable[Batch], *, chunk_rows: int
) -> Iterator[QueryValues]:
    """Yield the values of queries of rows sorted by query.

    It runs where the rows are.
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


def _values_in_memory(spec: ScoreSpec, rows: Batch) -> QueryValues:
    """Return the values of the queries of some rows, which have weights above 0."""
    query = ids_of(rows)
    bounds = rows.score.min(), rows.score.max()
    checked = CheckedRows(rows.positive, rows.score, bounds, rows.weight, query)
    ids, _ = distinct_queries(query)
    totals, stated = spec.n_positives, read_totals(spec.n_positives)
    if stated is not None and stated.names is not None:  # of these queries alone
        named = queries_of(query, None, stated)
        of_queries = named.values(stated)[named.has_rows].tolist()
        totals = dict(zip(ids, of_queries, strict=True))
    rankings, averaging = rankings_in(
        checked, totals, average="weighted", definition=spec.definition
    )
    positives: Any = averaging.weights
    return QueryValues(ids, spec.definition.compute(rankings), positives)


def whole_queries(batches: Iterable[Batch], chunk_rows: int) -> Iterator[Batch]:
    """Yield chunks of whole queries: so many rows, or all rows of a larger query."""
    pending = list[Batch]()
    for chunk in chunks(batches, chunk_rows):
        pending.append(chunk)
        first, last_query = (np.asarray(part.query) for part in (pending[0], chunk))
        # While one query goes on, nothing is joined: each row is copied a few times.
        # The rows of a smaller chunk are the last, and those of Spark have no order.
        if chunk.score.size >= chunk_rows and first[0] != last_query[-1]:
            rows = concatenate(pending)
            last = int(starts_of_runs(np.asarray(rows.query))[-1])
            yield rows.take(slice(0, last))
            pending = [rows.take(slice(last, None))]
    if pending:
        yield concatenate(pending)


def ids_of(rows: Batch) -> QueryIds:
    assert rows.query is not None, rows  # rows of queries have ids
    return read_numbered(rows.query, rows.score.size)
