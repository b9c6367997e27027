"""Ids of queries: read them, distinguish them by equality, sort them, and match the names of totals."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from itertools import pairwise
from reprlib import repr  # noqa: A004  # cuts long ids
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from .._typing import AnyArray, Average, BoolArray, IntArray, QueryId
from ._array_api import on_host
from ._missing import is_missing, refuse_mask
from ._rules import Asked, refuse

__all__ = ["check_lone", "distinct_queries", "id_like", "read_ids", "read_query", "sorted_ids"]


def read_query(query_id: ArrayLike, positive: BoolArray, average: Average) -> AnyArray:
    """Return the query of each row of binary labels."""
    refuse(Asked(has_queries=True, several_columns=positive.ndim == 2, average=average))
    return read_ids(query_id, positive.size)


def check_lone(query: AnyArray) -> None:
    """Refuse several queries for a curve."""
    several = len(distinct_queries(query)[0])
    if several > 1:
        raise ValueError(
            f"query_id holds {several} queries, but a curve shows one ranking; pass the rows of one query. "
            "For the mean over queries, call average_precision_score(..., query_id=...)."
        )


def read_ids(ids: ArrayLike, n_samples: int, *, name: str = "query_id") -> AnyArray:
    """Return one id per row, none of them missing."""
    refuse_mask(name, ids)
    read = _as_array(on_host(name, ids))
    if read.shape not in ((n_samples,), (n_samples, 1)):
        raise ValueError(f"{name} must be one id for each of {n_samples} samples; got shape {read.shape}.")
    read = read.ravel()
    if read.dtype.kind not in "biufSUmM":
        read = read.astype(object)
    if read.dtype == object:
        _check_objects(read, name)
    elif read.dtype.kind in "fmM" and (missing := read != read).any():
        _refuse_missing(name, int(np.argmax(missing)))
    return read


def _as_array(ids: ArrayLike) -> AnyArray:
    """Read lists as objects: numpy would make 1 and "1" the same text, and make a row of each tuple."""
    if not isinstance(ids, list | tuple):
        return np.asarray(ids)
    if any(isinstance(one, tuple) for one in ids):
        return np.fromiter(ids, dtype=object, count=len(ids))
    return np.asarray(ids, dtype=object)


def _check_objects(ids: AnyArray, name: str) -> None:
    """Refuse objects that are missing, or that have no hash to distinguish them."""
    # Few distinct ids are checked instead of many rows; the row is searched only for the error.
    try:
        distinct = dict.fromkeys(ids.tolist())
        if not any(map(is_missing, distinct)):
            return
    except TypeError:  # a list or an array has no hash, and neither has a signalling NaN
        pass
    for row, value in enumerate(ids.tolist()):
        if is_missing(value):
            _refuse_missing(name, row)
        try:
            hash(value)
        except TypeError:
            raise ValueError(
                f"{name} must hold ids that have a hash, such as numbers, text or tuples of them; got "
                f"{repr(value)} in row {row}."
            ) from None


def _refuse_missing(name: str, row: int) -> NoReturn:
    raise ValueError(f"{name} is missing in row {row}; every sample needs one.")


def distinct_queries(query: AnyArray) -> tuple[Sequence[QueryId], IntArray]:
    """Return the sorted ids, and for each element the place of its id among them."""
    if query.dtype == object:
        return _distinct_objects(query)
    if query.dtype.kind in "iu":
        least, most = int(query.min()), int(query.max())
        # Ids close together: a table of their range is small, and needs no sort.
        if most - least < 4 * query.size and most < 2**63:
            offset = query.astype(np.int64) - least
            found = np.zeros(most - least + 1, dtype=bool)
            found[offset] = True
            return (found.nonzero()[0] + least).tolist(), (np.cumsum(found) - 1)[offset]
    queries, place = np.unique(query, return_inverse=True)
    # As Python objects, so that they compare with the names of totals. Dates stay numpy's, since those of
    # nanoseconds would become integers.
    return list(queries) if queries.dtype.kind in "mM" else queries.tolist(), place


def _distinct_objects(query: AnyArray) -> tuple[Sequence[QueryId], IntArray]:
    """Group ids by their hash: sorting could leave equal ids apart if they have no total order."""
    numbers: dict[QueryId, int] = {}
    code = np.fromiter(
        (numbers.setdefault(one, len(numbers)) for one in query.tolist()), np.int64, query.size
    )
    ids = sorted_ids(numbers, "query_id must hold ids of one kind, which can be sorted")
    place = np.empty(len(ids), dtype=np.int64)
    place[[numbers[one] for one in ids]] = np.arange(len(ids))
    return ids, place[code]


def sorted_ids(ids: Collection[QueryId], refusal: str) -> list[QueryId]:
    """Sort distinct ids; refuse ids without a total order, such as sets."""
    # Sets sort without an error, but in no order: neighbours that are not increasing reveal it.
    try:
        ordered = sorted(ids)
        unordered = next((pair for pair in pairwise(ordered) if not pair[0] < pair[1]), None)
    except TypeError as error:
        kinds = sorted({type(one).__name__ for one in ids})
        reason = f"got {' and '.join(kinds)}" if len(kinds) > 1 else error
        raise ValueError(f"{refusal}; {reason}.") from None
    if unordered is not None:
        raise ValueError(f"{refusal}; neither of {repr(unordered[0])} and {repr(unordered[1])} comes first.")
    return ordered


def id_like(query: AnyArray, name: QueryId) -> QueryId:
    """Return a name in the form of the ids of `distinct_queries`, so that the two compare equal."""
    if query.dtype.kind in "mM":
        dated: QueryId = _date_like(query.dtype, name)
        return dated
    plain = name.item() if isinstance(name, np.generic) else name
    # The item of a date in nanoseconds is an integer, which could be the name of another query.
    return name if isinstance(name, np.datetime64 | np.timedelta64) and isinstance(plain, int) else plain


def _date_like(dtype: np.dtype[np.generic], name: Any) -> Any:
    """Return a date or a duration in the unit of `dtype` if this loses nothing, else unchanged.

    Anything else is refused, since numpy reads a number as a date, and finds a number equal to a duration.
    """
    own = name
    for convert in ("to_datetime64", "to_timedelta64"):  # of pandas, with all digits
        if hasattr(name, convert):
            own = getattr(name, convert)()
    if getattr(name, "tzinfo", None) is not None:
        return name  # numpy's dates have no time zone, so none is equal to it
    try:
        if dtype.kind == "M" and isinstance(own, date | str):
            own = np.datetime64(own)
        elif dtype.kind == "m" and isinstance(own, timedelta):
            own = np.timedelta64(own)
    except ValueError:  # text that is not a date
        pass
    if getattr(own, "dtype", np.dtype(object)).kind != dtype.kind:
        what = "dates" if dtype.kind == "M" else "durations"
        raise ValueError(
            f"n_positives must name queries as query_id does, which holds {what}; got {repr(name)}."
        )
    converted = own.astype(dtype)
    return converted if converted.astype(own.dtype) == own else own
