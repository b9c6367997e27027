"""Ids of queries: read them, distinguish them by equality, sort them, and match the names of totals."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from contextlib import suppress
from itertools import pairwise
from reprlib import repr  # noqa: A004  # cuts long ids
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from .._typing import AnyArray, Average, BoolArray, IntArray
from ._values import is_missing, on_host, refuse_mask


class ObjectIds:
    """The distinct ids that are Python objects, and the number of each row's id: they are hashed once."""

    dtype = np.dtype(object)

    def __init__(self, distinct: list[Any], number: IntArray, name: str = "query_id") -> None:
        self.distinct, self.number, self.name = distinct, number, name

    def __getitem__(self, rows: Any) -> "ObjectIds":
        used, number = np.unique(self.number[rows], return_inverse=True)
        return ObjectIds([self.distinct[place] for place in used.tolist()], number, self.name)


QueryIds = AnyArray | ObjectIds


def refuse_queries(*, several_columns: bool, average: Average) -> None:
    """Refuse queries where a column or, with ``average='samples'``, a row already is a ranking."""
    if several_columns:
        raise ValueError(
            "query_id requires binary y_true: multilabel and multiclass labels already are one ranking per "
            "column; pass one column at a time."
        )
    if average == "samples":
        raise ValueError(
            "average='samples' makes every row a ranking, but with query_id a ranking is a query; use "
            "'macro' (the mean over queries), 'weighted', 'micro' or None."
        )


def read_numbered(ids: ArrayLike, n_samples: int, *, name: str = "query_id") -> QueryIds:
    """Return one id per row, none of them missing; Python objects are numbered."""
    refuse_mask(name, ids)
    ids = on_host(name, ids)
    # numpy would make 1 and "1" in a list the same text, and a row of each tuple.
    objects = ids if isinstance(ids, list | tuple) else None
    array = np.empty(len(objects)) if objects is not None else np.asarray(ids)
    if array.shape not in ((n_samples,), (n_samples, 1)):
        raise ValueError(f"{name} must be one id for each of {n_samples} samples; got shape {array.shape}.")
    if objects is None and array.dtype.kind in "biufSUmM":
        array = array.ravel()
        if array.dtype.kind in "fmM" and (missing := array != array).any():
            _refuse_missing(name, missing)
        return array
    if objects is None:
        objects = array.ravel().tolist()
    elif set(map(type, objects)) == {int}:
        with suppress(OverflowError):
            return np.fromiter(objects, np.int64, n_samples)
    return _numbered(objects, name)


def _numbered(ids: Sequence[Any], name: str) -> ObjectIds:
    """Return ids by number, as they are first seen; objects that are equal have one number."""
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    try:
        # The dictionary is searched by `map` alone: twice as fast as a loop.
        number = np.fromiter(map(numbers.__getitem__, ids), np.int64, len(ids))
    except TypeError:  # a list or an array has no hash, nor a tuple of them
        unhashable = next((value for value in ids if not isinstance(value, Hashable)), ids[0])
        raise ValueError(
            f"{name} must contain numbers, text, dates or tuples of them; got {repr(unhashable)}, a "
            f"{type(unhashable).__name__}."
        ) from None
    finally:
        numbers.default_factory = None  # else the dictionary would refer to itself, and outlive the call
    distinct = list(numbers)
    missing = np.array([is_missing(query_id) for query_id in distinct])
    if missing.any():
        _refuse_missing(name, missing[number])
    return ObjectIds(distinct, number, name)


def read_ids(ids: ArrayLike, n_samples: int, *, name: str = "query_id") -> AnyArray:
    """Return one id per row as an array, none of them missing."""
    read = read_numbered(ids, n_samples, name=name)
    if not isinstance(read, ObjectIds):
        return read
    distinct = np.fromiter(read.distinct, object, len(read.distinct))  # np.array would open tuples
    return np.asarray(distinct[read.number])


def refuse_several_queries(query: QueryIds) -> None:
    """Refuse several queries for a curve."""
    n_queries = len(distinct_queries(query)[0])
    if n_queries > 1:
        raise ValueError(
            f"query_id must contain a single query, since a curve shows one ranking; got {n_queries} "
            "queries. Pass the rows of one query. For the mean over queries, call "
            "average_precision_score(..., query_id=...)."
        )


def _refuse_missing(name: str, missing: BoolArray) -> NoReturn:
    others = f" and {n_others} other{'s' * (n_others > 1)}" if (n_others := int(missing.sum()) - 1) else ""
    raise ValueError(f"{name} is missing in row {np.argmax(missing)}{others}; every sample needs one.")


def distinct_queries(query: QueryIds) -> tuple[list[Any], AnyArray]:
    """Return the sorted ids, and the place of each row's id among them."""
    ids, start, place = grouped(query)
    if place is None:
        place = np.repeat(np.arange(start.size - 1), np.diff(start))
    return as_list(ids), place


class Grouped(NamedTuple):
    """Which rows belong to which query."""

    ids: Any  # distinct and sorted: a list of objects, or an array
    offsets: IntArray  # where each query begins, once its rows stand together in this order
    place: AnyArray | None  # of each row's query among the ids; None if the rows stand like this already


def grouped(query: QueryIds) -> Grouped:
    """Sort the distinct ids, and find the rows of each."""
    if isinstance(query, ObjectIds):
        return _grouped_objects(query)
    if (query[1:] >= query[:-1]).all():  # the usual case: nothing has to be sorted
        offsets = _offsets_of_runs(query)
        return Grouped(query[offsets[:-1]], offsets, None)
    groups = _grouped_integers(query) if query.dtype.kind in "iu" else None
    if groups is not None:
        return groups
    offsets = _offsets_of_runs(query)  # rows of a query mostly stand together, so only runs are sorted
    ids, place = np.unique(query[offsets[:-1]], return_inverse=True)
    place = np.repeat(place, np.diff(offsets))
    return Grouped(ids, _offsets_of_counts(np.bincount(place)), place)


def as_list(ids: Any) -> list[Any]:
    """Return distinct ids as Python objects, but for dates: those of nanoseconds would become integers."""
    if isinstance(ids, list):
        return ids
    return list(ids) if ids.dtype.kind in "mM" else ids.tolist()


def _offsets_of_runs(values: AnyArray) -> IntArray:
    """Return the first row of each run of equal values, and the number of rows."""
    inner = (values[1:] != values[:-1]).nonzero()[0]
    return np.concatenate(([0], inner + 1, [values.size]))


def _grouped_integers(query: AnyArray) -> Grouped | None:
    """Count the rows of each integer, without a sort; None if a table of all integers between is large."""
    lowest, highest = int(query.min()), int(query.max())
    if highest - lowest >= min(4 * query.size, 2**31) or highest >= 2**63:
        return None
    above = query.astype(np.int64, copy=False)
    if lowest:
        above = above - lowest
    counts = np.bincount(above)
    occurs = counts > 0
    if not lowest and occurs.all():  # the ids are places: four bytes per row less
        return Grouped(np.arange(counts.size), _offsets_of_counts(counts), above)
    # Places of 4 bytes leave room for the keys of 8 bytes that rows are sorted by.
    table = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return Grouped(occurs.nonzero()[0] + lowest, _offsets_of_counts(counts[occurs]), table[above])


def _offsets_of_counts(counts: IntArray) -> IntArray:
    return np.append(0, np.cumsum(counts))


def _grouped_objects(query: ObjectIds) -> Grouped:
    """Distinguish ids by their hash: sorting would separate equal ids that have no total order."""
    ids = sorted_ids(query.distinct, f"{query.name} must contain ids of one kind, which can be sorted")
    place_of = {query_id: place for place, query_id in enumerate(ids)}
    place = np.array([place_of[query_id] for query_id in query.distinct])[query.number]
    is_in_order = (place[1:] >= place[:-1]).all()
    return Grouped(ids, _offsets_of_counts(np.bincount(place)), None if is_in_order else place)


def sorted_ids(ids: Collection[Any], refusal: str) -> list[Any]:
    """Sort distinct ids, and refuse those without an order, or with a partial one such as sets."""
    try:
        ordered = sorted(ids)
        unordered = next((pair for pair in pairwise(ordered) if not pair[0] < pair[1]), None)
    except TypeError as error:
        kinds = sorted({type(query_id).__name__ for query_id in ids})
        reason = f"got {' and '.join(kinds)}" if len(kinds) > 1 else error
        raise ValueError(f"{refusal}; {reason}.") from None
    if unordered is None:
        return ordered
    raise ValueError(f"{refusal}; neither of {repr(unordered[0])} and {repr(unordered[1])} comes first.")


def id_like(query: QueryIds, name: Any, argument: str = "n_positives") -> Any:
    """Return a name in the form of the ids of `distinct_queries`, so that the two compare equal."""
    if query.dtype.kind not in "mM":
        return name.item() if isinstance(name, np.generic) else name
    try:
        date = np.array(getattr(name, "asm8", name), dtype=f"{query.dtype.kind}8")[()]  # asm8: of pandas
        in_unit = date.astype(query.dtype)
        return in_unit if in_unit == date else date
    except (TypeError, ValueError):
        what = "dates" if query.dtype.kind == "M" else "durations"
        raise ValueError(
            f"{argument} must name queries as query_id does, which contains {what}; got {repr(name)}."
        ) from None
