"""Ids of rows, such as those of queries, which are read, grouped and matched to names.

Rows belong to the same query if Python or numpy compares their ids as equal. Distinct
ids are sorted.
"""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..typing import AnyArray, Average, IntArray, QueryId
from .errors import error_about_missing_ids
from .options import short_repr
from .values import any_missing, is_missing, on_host


class ObjectIds:
    """Ids that are Python objects: the distinct ids, sorted, and the place of the id of
    each row among them.
    """

    dtype: np.dtype[Any] = np.dtype(object)
    distinct: AnyArray
    place: IntArray
    size: int

    def __init__(self, distinct: AnyArray, place: IntArray) -> None:
        self.distinct, self.place, self.size = distinct, place, place.size

    def __getitem__(self, rows: slice | IntArray) -> "ObjectIds":
        used, place = np.unique(self.place[rows], return_inverse=True)
        return ObjectIds(self.distinct[used], place)


QueryIds = AnyArray | ObjectIds


def read_numbered(
    ids: ArrayLike, n_samples: int, *, name: str = "query_id"
) -> QueryIds:
    """Return one id per row; ids that are Python objects are numbered (`ObjectIds`).

    Raise ValueError if an id is missing.
    """
    ids = on_host(name, ids)
    if isinstance(ids, list | tuple):
        ids = ids_in(ids)
    array = np.asarray(ids)
    if array.shape not in ((n_samples,), (n_samples, 1)):
        got = f"shape {array.shape}" if array.ndim else f"type {type(ids).__name__}"
        raise ValueError(
            f"{name} must be one id for each of {n_samples} samples; got {got}."
        )
    array = array.ravel()
    if array.dtype == object:
        array = ids_in(array.tolist())
    # Numpy sorts numbers, text and dates; other ids are sorted by Python.
    if array.dtype.kind in "biufSUmM":
        # NaN and NaT are not equal to themselves.
        if array.dtype.kind in "fmM" and (missing := array != array).any():
            raise error_about_missing_ids(name, missing)
        return array
    return _hashed(array.tolist(), name)


def read_ids(ids: ArrayLike, n_samples: int, *, name: str = "query_id") -> AnyArray:
    """Return one id per row as an array. Raise ValueError if an id is missing."""
    query = read_numbered(ids, n_samples, name=name)
    if isinstance(query, ObjectIds):
        return np.asarray(query.distinct[query.place])
    return query


def ids_in(ids: list[Any] | tuple[Any, ...]) -> AnyArray:
    """Return ids as an array. Its elements are objects unless all ids are integers or
    of one type of numpy.

    If numpy chose the type, 1 and "1" would become the same text, and each tuple would
    become a row.
    """
    types = {*map(type, ids)}
    if len(types) == 1 and isinstance(ids[0], np.generic):
        return np.array(ids)
    if types == {int}:
        with suppress(OverflowError):
            return np.fromiter(ids, np.int64, len(ids))
    return np.fromiter(ids, object, len(ids))


def check_query_options(*, several_columns: bool, average: Average) -> None:
    """Raise ValueError if a query id was passed although each column or, with
    ``average='samples'``, each row is a ranking.
    """
    if several_columns:
        raise ValueError(
            "query_id requires binary y_true, since each column of y_true is already a "
            "ranking; pass one column at a time."
        )
    if average == "samples":
        raise ValueError(
            "average='samples' makes each row a ranking, but query_id makes each query "
            "a ranking; use 'macro'."
        )


# --- groups of rows -------------------------------------------------------------------


class Grouped(NamedTuple):
    """The distinct queries, and the query of each row."""

    # The distinct ids, sorted.
    ids: AnyArray
    # The first row of each query after a sort of the rows by query, and the number of
    # all rows.
    offsets: IntArray
    # The place of the query of each row among the ids; None if rows are sorted by
    # query.
    place: AnyArray | None


def grouped(query: QueryIds) -> Grouped:
    """Return the distinct ids, sorted, and the place of the id of each row among them."""
    if isinstance(query, ObjectIds):
        place = query.place
        is_in_order = (place[1:] >= place[:-1]).all()
        return Grouped(
            query.distinct,
            _offsets_of(np.bincount(place)),
            None if is_in_order else place,
        )
    # Usually the rows are already in the order of their queries.
    if (query[1:] >= query[:-1]).all():
        offsets = _offsets_of_runs(query)
        return Grouped(query[offsets[:-1]], offsets, None)
    # Integers are mostly numbered by a table, which needs no sort.
    groups = _grouped_integers(query) if query.dtype.kind in "iu" else None
    if groups is not None:
        return groups
    # The rows of a query are mostly next to each other, so only the first id of each
    # run of equal ids is sorted.
    offsets = _offsets_of_runs(query)
    distinct, place = np.unique(query[offsets[:-1]], return_inverse=True)
    place = np.repeat(place, np.diff(offsets))
    return Grouped(distinct, _offsets_of(np.bincount(place)), place)


def _grouped_integers(query: AnyArray) -> Grouped | None:
    """Group rows by integer id without a sort. Return None if the table of all integers
    from the lowest to the highest id would be large.
    """
    lowest = int(query.min())
    highest = int(query.max())
    # A table takes at most four entries per row, and its places fit into 4 bytes.
    is_large = highest - lowest >= min(4 * query.size, 2**31)
    # Unsigned integers may be too large for int64.
    if is_large or highest >= 2**63:
        return None
    # `above` may be the array of the caller, so it is not changed in place.
    above = query.astype(np.int64, copy=False)
    if lowest:
        above = above - lowest
    counts = np.bincount(above)
    occurs = counts > 0
    # Places take 4 bytes each, to save memory for the keys of 8 bytes by which rows are
    # sorted.
    table = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return Grouped(
        occurs.nonzero()[0] + lowest, _offsets_of(counts[occurs]), table[above]
    )


def _offsets_of_runs(values: AnyArray) -> IntArray:
    """Return the first row of each run of equal values, and the number of rows."""
    is_bound = np.concatenate(([True], values[1:] != values[:-1], [True]))
    return is_bound.nonzero()[0]


def _offsets_of(counts: IntArray) -> IntArray:
    """Return the first row of each group with these numbers of rows, and the number of
    all rows.
    """
    return np.append(0, np.cumsum(counts))


def appear_in_order(query: QueryIds) -> bool:
    """Return whether the first occurrences of the ids are in sorted order."""
    place = grouped(query).place
    if place is None:
        return True
    # In sorted order, each new id is the next one after all ids so far.
    last_so_far = np.maximum.accumulate(place)
    return bool((np.diff(last_so_far, prepend=-1) <= 1).all())


def numbered(query: QueryIds) -> tuple[AnyArray, AnyArray]:
    """Return the sorted ids, and the place of the id of each row among them."""
    ids, start, place = grouped(query)
    if place is None:
        place = np.repeat(np.arange(start.size - 1), np.diff(start))
    return ids, place


def distinct_queries(query: QueryIds) -> tuple[list[QueryId], AnyArray]:
    """Return the sorted ids as a list, and the place of the id of each row in it."""
    ids, place = numbered(query)
    return as_list(ids), place


def as_list(ids: AnyArray) -> list[QueryId]:
    """Return ids as a list of Python objects. Dates and durations remain objects of
    numpy, since `tolist` turns nanoseconds into integers.
    """
    names: list[QueryId] = list(ids) if ids.dtype.kind in "mM" else ids.tolist()
    return names


# --- names of queries -----------------------------------------------------------------


def numbered_together(
    parts: Sequence[AnyArray],
) -> tuple[AnyArray, list[AnyArray]]:
    """Return the sorted ids of several arrays, and the places of the ids of each array
    among them. The ids of the first array must be distinct and sorted.
    """
    # Usually, all arrays have the same ids, which then need no sort.
    first = parts[0]
    if all(np.array_equal(part, first) for part in parts):
        return first, [np.arange(first.size)] * len(parts)
    # Numpy joins integers of one kind, or dates, without a change. Other ids are joined
    # as Python objects, since numpy would turn some of them into others, such as 1 into
    # "1".
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) == 1 and kinds <= {*"iumM"}:
        every: QueryIds = np.concatenate(parts)
    else:
        objects = [*chain.from_iterable(map(as_list, parts))]
        name = "query_id with the names of n_positives"
        every = read_numbered(objects, len(objects), name=name)
    ids, place = numbered(every)
    return ids, np.split(place, np.cumsum([part.size for part in parts[:-1]]))


def names_like(dtype: np.dtype[Any], names: list[QueryId], argument: str) -> AnyArray:
    """Return names of queries as ids of the type of `query_id`, so that a name is equal
    to its id.
    """
    kind = dtype.kind
    if kind not in "mM":
        return ids_in(names)
    try:
        # A date of pandas has its numpy date as `asm8`.
        dates = np.array([getattr(name, "asm8", name) for name in names], f"{kind}8")
        in_unit = dates.astype(dtype)
    except (TypeError, ValueError):
        what = "dates" if kind == "M" else "durations"
        raise ValueError(
            f"{argument} must name queries as query_id does, which contains {what}; "
            f"got {short_repr(names)}. Pass {what} as the names."
        ) from None
    # A date between two dates of this unit, such as an hour between two days, keeps its
    # own unit, and no id is equal to it.
    is_exact = (in_unit == dates).tolist()
    candidates = zip(dates, in_unit, is_exact, strict=True)
    return ids_in([id_ if exact else date for date, id_, exact in candidates])


# --- ids that are Python objects ------------------------------------------------------


def _hashed(ids: list[Any], name: str) -> ObjectIds:
    """Return the ids, distinguished by their hash and numbered in sorted order.

    Equal ids are not found by a sort, because ids of some types, such as sets, have no
    total order, so that a sort could separate equal ones.
    """
    try:
        distinct = list(dict.fromkeys(ids))
    except TypeError:
        # Lists and arrays have no hash. A tuple that contains a list has no hash
        # either, but is an instance of `Hashable`. So the search may find no id, and
        # the error then shows the first one.
        unhashable = next(
            (value for value in ids if not isinstance(value, Hashable)), ids[0]
        )
        raise ValueError(
            f"{name} must contain numbers, text, dates or tuples of them; got "
            f"{short_repr(unhashable)}, a {type(unhashable).__name__}."
        ) from None
    if any_missing(distinct):
        missing = np.array([is_missing(query_id) for query_id in ids])
        raise error_about_missing_ids(name, missing)
    try:
        distinct = sorted(distinct)
    except TypeError:
        kinds = sorted({type(query_id).__name__ for query_id in distinct})
        raise ValueError(
            f"{name} must contain ids of one kind, which can be sorted; got "
            f"{' and '.join(kinds)}."
        ) from None
    place_of = {query_id: place for place, query_id in enumerate(distinct)}
    place = np.fromiter(map(place_of.__getitem__, ids), np.int64, len(ids))
    return ObjectIds(np.fromiter(distinct, object, len(distinct)), place)
