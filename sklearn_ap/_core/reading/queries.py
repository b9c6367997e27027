"""Queries: ids of rows, and what is stated for each query, its positives
(`n_positives`) and its cut (`k`).

Ids are distinguished by equality and sorted, and the names of totals and cuts are
matched with them.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..rounding import rounding_of_sums
from ..typing import (
    AnyArray,
    Average,
    BoolArray,
    FloatArray,
    IntArray,
    PerRanking,
    QueryId,
)
from .options import LARGEST, is_finite, is_real, read_k, short_repr
from .values import is_missing, on_host, refuse_mask, rows_in_words


class ObjectIds:
    """Ids that are Python objects: the distinct ones, sorted, and the place of each
    row's id among them.
    """

    dtype = np.dtype(object)

    def __init__(self, distinct: list[QueryId], place: IntArray) -> None:
        self.distinct, self.place, self.size = distinct, place, place.size

    def __getitem__(self, rows: slice | IntArray) -> "ObjectIds":
        used, place = np.unique(self.place[rows], return_inverse=True)
        return ObjectIds([self.distinct[number] for number in used.tolist()], place)


_MAPPING = "a mapping {query: total}"
QueryIds = AnyArray | ObjectIds
# Totals as they are read: a number, one per ranking, or one per query.
PositiveTotals = FloatArray | dict[QueryId, float]
Depths = dict[QueryId, int] | tuple[int, ...]  # rows, by query or in order


def refuse_queries(*, several_columns: bool, average: Average) -> None:
    """Refuse queries where a column or, with ``average='samples'``, a row already is a
    ranking.
    """
    if several_columns:
        raise ValueError(
            "query_id requires binary y_true, since a column is a ranking; pass one at "
            "a time."
        )
    if average == "samples":
        raise ValueError(
            "average='samples' makes each row a ranking, and query_id each query; use "
            "'macro'."
        )


def read_numbered(
    ids: ArrayLike, n_samples: int, *, name: str = "query_id"
) -> QueryIds:
    """Return one id per row, none of them missing; Python objects are numbered."""
    refuse_mask(name, ids)
    ids = on_host(name, ids)
    # numpy would make 1 and "1" in a list the same text, and a row of each tuple.
    if isinstance(ids, list | tuple):
        array = np.fromiter(ids, object, len(ids))
    else:
        array = np.asarray(ids)
    if array.shape not in ((n_samples,), (n_samples, 1)):
        got = f"shape {array.shape}" if array.ndim else f"type {type(ids).__name__}"
        raise ValueError(
            f"{name} must be one id for each of {n_samples} samples; got {got}."
        )
    array = array.ravel()
    if array.dtype.kind in "biufSUmM":
        if array.dtype.kind in "fmM" and (missing := array != array).any():
            _refuse_missing(name, missing)
        return array
    objects = array.tolist()
    if set(map(type, objects)) == {int}:
        with suppress(OverflowError):
            return array.astype(np.int64)
    return _hashed(objects, name)


def _hashed(ids: list[Any], name: str) -> ObjectIds:
    """Tell ids apart by their hash: a sort would separate equal ids that have no total
    order.
    """
    try:
        distinct = list(dict.fromkeys(ids))
    except TypeError:  # a list or an array has no hash, nor a tuple of them
        unhashable = next(
            (value for value in ids if not isinstance(value, Hashable)), ids[0]
        )
        raise ValueError(
            f"{name} must contain numbers, text, dates or tuples of them; got "
            f"{short_repr(unhashable)}, a {type(unhashable).__name__}."
        ) from None
    if any(map(is_missing, distinct)):
        _refuse_missing(name, np.array([is_missing(query_id) for query_id in ids]))
    distinct = sorted_ids(
        distinct, f"{name} must contain ids of one kind, which can be sorted"
    )
    place_of = {query_id: place for place, query_id in enumerate(distinct)}
    # The dictionary is searched by `map` alone: twice as fast as a loop.
    return ObjectIds(
        distinct, np.fromiter(map(place_of.__getitem__, ids), np.int64, len(ids))
    )


def _refuse_missing(name: str, missing: BoolArray) -> NoReturn:
    raise ValueError(
        f"{name} is missing in {rows_in_words(missing)}; every sample needs one. "
        "Leave these rows out of all arguments, such as by frame.dropna() of pandas."
    )


def read_ids(ids: ArrayLike, n_samples: int, *, name: str = "query_id") -> AnyArray:
    """Return one id per row as an array, none of them missing."""
    query = read_numbered(ids, n_samples, name=name)
    if not isinstance(query, ObjectIds):
        return query
    # `np.array` would make rows of tuples.
    distinct = np.fromiter(query.distinct, object, len(query.distinct))
    return np.asarray(distinct[query.place])


class Grouped(NamedTuple):
    """Which rows belong to which query."""

    ids: list[QueryId] | AnyArray  # distinct and sorted
    # Where each query begins, once its rows stand together in this order.
    offsets: IntArray
    # The place of each row's query among the ids; None if the rows stand in order.
    place: AnyArray | None


def grouped(query: QueryIds) -> Grouped:
    """Sort the distinct ids, and find the rows of each."""
    if isinstance(query, ObjectIds):
        place = query.place
        is_in_order = (place[1:] >= place[:-1]).all()
        return Grouped(
            query.distinct,
            _offsets_of(np.bincount(place)),
            None if is_in_order else place,
        )
    if (query[1:] >= query[:-1]).all():  # the usual case: nothing has to be sorted
        offsets = _offsets_of_runs(query)
        return Grouped(query[offsets[:-1]], offsets, None)
    groups = _grouped_integers(query) if query.dtype.kind in "iu" else None
    if groups is not None:
        return groups
    # Rows of a query mostly stand together, so only runs are sorted.
    offsets = _offsets_of_runs(query)
    distinct, place = np.unique(query[offsets[:-1]], return_inverse=True)
    place = np.repeat(place, np.diff(offsets))
    return Grouped(distinct, _offsets_of(np.bincount(place)), place)


def _offsets_of_runs(values: AnyArray) -> IntArray:
    """Return the first row of each run of equal values, and the number of rows."""
    is_bound = np.concatenate(([True], values[1:] != values[:-1], [True]))
    return is_bound.nonzero()[0]


def _grouped_integers(query: AnyArray) -> Grouped | None:
    """Count the rows of each integer, without a sort; None if a table of all integers
    between is large.
    """
    lowest = int(query.min())
    highest = int(query.max())
    if highest - lowest >= min(4 * query.size, 2**31) or highest >= 2**63:
        return None
    above = query.astype(np.int64, copy=False)
    if lowest:
        above = above - lowest
    counts = np.bincount(above)
    occurs = counts > 0
    # Places of 4 bytes leave room for the keys of 8 bytes that rows are sorted by.
    table = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return Grouped(
        occurs.nonzero()[0] + lowest, _offsets_of(counts[occurs]), table[above]
    )


def _offsets_of(counts: IntArray) -> IntArray:
    return np.append(0, np.cumsum(counts))


def distinct_queries(query: QueryIds) -> tuple[list[QueryId], AnyArray]:
    """Return the sorted ids, and the place of each row's id among them."""
    ids, start, place = grouped(query)
    if place is None:
        place = np.repeat(np.arange(start.size - 1), np.diff(start))
    return as_list(ids), place


def sorted_queries(query: QueryIds) -> list[QueryId]:
    """Return the sorted ids alone, in less time than with the place of each row."""
    if isinstance(query, ObjectIds):
        return as_list(query.distinct)
    of_runs = query[_offsets_of_runs(query)[:-1]]
    if query.dtype.kind in "SU":  # in a third of the time of a sort of arrays
        return sorted(set(of_runs.tolist()))
    in_order = np.sort(of_runs)
    return as_list(in_order[_offsets_of_runs(in_order)[:-1]])


def as_list(ids: list[QueryId] | AnyArray) -> list[QueryId]:
    """Return distinct ids as Python objects, but for dates: those of nanoseconds would
    become integers.
    """
    if isinstance(ids, list) or ids.dtype.kind in "mM":
        return list(ids)
    names: list[QueryId] = ids.tolist()
    return names


def sorted_ids(ids: Collection[Any], refusal: str) -> list[Any]:
    """Sort distinct ids and refuse those without an order."""
    try:
        return sorted(ids)
    except TypeError as error:
        kinds = sorted({type(query_id).__name__ for query_id in ids})
        reason = f"got {' and '.join(kinds)}" if len(kinds) > 1 else error
        raise ValueError(f"{refusal}; {reason}.") from None


def read_items(item_id: ArrayLike, n_samples: int, query: QueryIds | None) -> IntArray:
    """Return the place of each item among the sorted ids, compared as text, as
    trec_eval reads them.
    """
    ids = read_ids(item_id, n_samples, name="item_id")
    if ids.dtype.kind in "OS":  # bytes equal the same id as text
        ids = np.array(
            [item.decode() if isinstance(item, bytes) else str(item) for item in ids]
        )
    items, item = np.unique(ids.astype(str), return_inverse=True)
    queries, of_query = ([], 0) if query is None else distinct_queries(query)
    # A document that is ranked twice in a query would count twice.
    pairs, n_rows = np.unique(of_query * items.size + item, return_counts=True)
    if pairs.size < n_samples:
        place, repeated = divmod(int(pairs[n_rows.argmax()]), items.size)
        among = f"query {queries[place]!r}" if queries else "the ranking"
        raise ValueError(
            f"item_id must name an item once per ranking; got {str(items[repeated])!r} "
            f"in several rows of {among}. Join the rows of an item first, for example "
            "by their highest score."
        )
    return item


def id_like(query: QueryIds, name: Any, argument: str = "n_positives") -> Any:
    """Return a name in the form of the ids of `distinct_queries`, so that the two
    compare equal.
    """
    if query.dtype.kind not in "mM":
        if isinstance(name, np.generic) and name.dtype.kind not in "mM":
            return name.item()
        return name
    try:
        # A date of pandas has its numpy date as `asm8`.
        date = np.array(getattr(name, "asm8", name), dtype=f"{query.dtype.kind}8")[()]
        in_unit = date.astype(query.dtype)
        if in_unit == date:
            return in_unit
        return date
    except (TypeError, ValueError):
        what = "dates" if query.dtype.kind == "M" else "durations"
        raise ValueError(
            f"{argument} must name queries as query_id does, which contains {what}; "
            f"got {short_repr(name)}."
        ) from None


def named_queries(
    names: Sequence[QueryId],
    totals: PositiveTotals | None,
    weightless: QueryIds | None = None,
) -> tuple[list[QueryId], IntArray]:
    """Return the sorted ids of queries that have rows, a total, or rows of weight 0
    alone.

    The second result says where those that have rows stand among them.
    """
    without_rows = set[QueryId]()
    if isinstance(totals, dict):
        check_named(names, totals)
        without_rows.update(totals)
    if weightless is not None:
        without_rows.update(sorted_queries(weightless))
    # In memory, the names are sorted, and sorting them again only compares neighbours.
    in_order = sorted_ids(
        [*names, *without_rows.difference(names)],
        "n_positives must name queries as query_id does",
    )
    if in_order == names:
        return in_order, np.arange(len(names))
    place_of = {name: place for place, name in enumerate(in_order)}
    return in_order, np.array([place_of[name] for name in names])


def check_named(
    names: Sequence[QueryId],
    values: dict[QueryId, float],
    refusal: str = "n_positives contains no total",
    instead: str = "",
) -> None:
    """Refuse a query that has no value."""
    missing = [query for query in names if query not in values]
    if missing:
        raise ValueError(
            f"{refusal} for query {missing[0]!r} ({len(missing)} are missing){instead}."
        )


def _by_query(argument: str, by_query: Any, query: QueryIds) -> dict[QueryId, float]:
    named = list(by_query.items())
    if any(is_missing(name) for name, _ in named):
        raise ValueError(
            f"{argument} must name queries; got {short_repr(by_query)}, with a missing "
            "name."
        )
    values = {id_like(query, name, argument): value for name, value in named}
    if len(values) < len(named):
        raise ValueError(
            f"{argument} must name each query once; got {short_repr(by_query)}."
        )
    _check_values(argument, list(values.values()), by_query)
    return values


def _check_values(argument: str, values: list[Any], passed: object) -> None:
    if not all(is_finite(value) and value >= 0 for value in values) or np.isinf(
        sum(map(float, values))
    ):
        raise ValueError(
            f"{argument} must contain numbers >= 0 with a finite sum; got "
            f"{short_repr(passed)}."
        )


# --- where each ranking is cut ----------------------------------------------------------


def read_depths(k: Any) -> int | float | Depths | None:
    """Check `k` of a score: as `read_k`, or the rows of each ranking, by query or in
    the order of the rankings.
    """
    if k is None or type(k) in (int, float):  # a look for arrays takes 10 us
        return read_k(k)
    if hasattr(k, "items"):
        return {name: _whole_rows(rows) for name, rows in k.items()}
    k = on_host("k", k)
    if np.ndim(k) == 1:
        return tuple(map(_whole_rows, k))
    return read_k(k)


def _whole_rows(rows: Any) -> int:
    """Return a number of rows; L / 5 of L = 5 is one row, though 1.0 is a float."""
    if is_real(rows) and 1 <= rows < LARGEST and rows == int(rows):
        return int(rows)
    raise ValueError(
        "k must contain whole numbers of rows, at least 1, one for each ranking; got "
        f"{rows!r}: pass max(round(k), 1) of each, or one share such as 0.2 for all."
    )


def depths_of_rankings(
    k: Depths,
    n_rankings: int,
    names: Sequence[QueryId] | None,
    query: QueryIds | None,
) -> FloatArray:
    """Return the rows above the cut of each ranking, as `totals_of_rankings` does its
    positives; no rankings mean that rows are pooled.
    """
    if not n_rankings:
        raise ValueError(
            "k must be one number where all rows are one ranking; got "
            f"{short_repr(k)}: pass query_id, and average='macro' or None."
        )
    if isinstance(k, dict) and query is not None:
        rows, with_rows = _by_query("k", k, query), sorted_queries(query)
        names = names or with_rows
        instead = "; pass 1 or more for each query that has rows"
        check_named(with_rows, rows, "k contains no number of rows", instead)
        unknown = [name for name in rows if name not in names]
        if unknown:
            raise ValueError(
                f"k must name queries of query_id; got {unknown[0]!r} "
                f"({len(unknown)} not in query_id): leave them out."
            )
        # A query whose rows all weigh 0, or that has a total and no rows, needs none.
        return np.array([rows.get(name, 1.0) for name in names], dtype=np.float64)
    if isinstance(k, dict) or len(k) != n_rankings:
        raise ValueError(
            f"k must be one number, or one for each of {n_rankings} rankings in the "
            f"order of average=None; got {short_repr(k)}."
        )
    return np.array(k, dtype=np.float64)


# --- totals of positives, of queries or of other rankings -----------------------------


def read_totals(
    n_positives: PerRanking, query: QueryIds | None
) -> PositiveTotals | None:
    """Check `n_positives`: a number, one number per ranking, or with query ids a
    mapping or Series.
    """
    if n_positives is None:
        return None
    refuse_mask("n_positives", n_positives)
    n_positives = on_host("n_positives", n_positives)
    if query is not None and hasattr(n_positives, "items"):
        return _by_query("n_positives", n_positives, query)
    # As objects, text and bools are seen and refused.
    totals = np.array(n_positives, dtype=object)
    if totals.ndim > (1 if query is None else 0) or isinstance(n_positives, Mapping):
        several = _MAPPING
        if query is None:
            several = f"one number per ranking, or with query_id {_MAPPING}"
        raise ValueError(
            f"n_positives must be a number or {several}; got {short_repr(n_positives)}."
        )
    _check_values("n_positives", totals.ravel().tolist(), n_positives)
    return totals.astype(np.float64)


def totals_of_rankings(
    passed_totals: PositiveTotals,
    n_rankings: int,
    pooled_columns: int | None = None,
    names: Sequence[QueryId] | None = None,
    query: QueryIds | None = None,
) -> FloatArray:
    """Return the number of positives of each ranking as the caller passed it, in
    weight.

    `pooled_columns` is the number of columns if all of them are one ranking, else None.
    `names` are the queries of the rankings, and `query` is the id of each row; pooled
    queries have no `names`.
    """
    if isinstance(passed_totals, dict):
        # The layout has not compared the names of pooled queries yet.
        if names is None and query is not None:
            check_named(sorted_queries(query), passed_totals)
        # A query whose rows all weigh 0 needs no total.
        totals = np.array(
            [passed_totals.get(name, 0.0) for name in names or passed_totals],
            dtype=np.float64,
        )
    else:
        totals = passed_totals
        columns = n_rankings if pooled_columns is None else pooled_columns
        several = _MAPPING
        if query is None:
            several = f"one total per column or sample, {columns} here"
        if totals.ndim == 0 and pooled_columns is None:
            raise ValueError(
                f"n_positives must be {several}, since a number would be the total of "
                f"each; got {_all_digits(totals.item())}. With average='micro', it is "
                "the total of all rows."
            )
        if totals.ndim and totals.size != columns:
            raise ValueError(
                f"n_positives must be a number, or {several}; got {totals}."
            )
    if pooled_columns is not None:
        totals = totals.reshape(-1).sum(keepdims=True)
    return totals


def not_below_found(
    totals: FloatArray,
    found_positives: FloatArray,
    *,
    n_rows: FloatArray | IntArray,
    count_weight: FloatArray | None = None,
    names: Sequence[QueryId] | None = None,
) -> FloatArray:
    """Return totals in counts and refuse a total below the positives found.

    `count_weight` is the weight of one count in each ranking, None without weights. A
    total that differs from the positives found by no more than the rounding of weights
    is replaced by the positives found. Without weights, counts are exact, so a whole
    total is never replaced by another number.
    """
    counts, rounding = totals, rounding_of_sums(n_rows) * found_positives
    if count_weight is None:
        rounding = np.minimum(rounding, 0.5)
    # A total divided by a tiny weight may overflow; the largest float64 keeps scores
    # finite.
    else:
        with np.errstate(over="ignore"):
            counts = np.minimum(totals / count_weight, np.finfo(np.float64).max)
        # Where positives have equal weights, a quotient of weights is a count but for
        # its rounding, and recall a quotient of counts.
        whole = np.rint(counts)
        is_whole = abs(counts - whole) <= rounding_of_sums(n_rows) * whole
        counts = np.where(is_whole, whole, counts)
    short = np.flatnonzero(counts < found_positives - rounding)
    if short.size:
        first = short[0]
        where = f" for ranking {first}" * (totals.size > 1)
        if names is not None:
            where = f" for {names[first]!r}"
        found_weight = found_positives
        if count_weight is not None:
            found_weight = found_positives * count_weight
        raise ValueError(
            "n_positives must not be below the positives in y_true; got "
            f"{_all_digits(totals[first])}{where}, where "
            f"{_all_digits(found_weight[first])} were found."
        )
    return np.where(counts <= found_positives + rounding, found_positives, counts)


def _all_digits(count: float) -> str:
    """Return a count or a weight with all its digits, so that two that differ look
    different.
    """
    return repr(float(count)).removesuffix(".0")
