"""Ids of rows, such as those of queries: they are numbered once, when they are read.

Rows belong to the same query if their ids are exactly equal, such as 1 and 1.0, or "a"
and "a". It is an error if the type of a number may have rounded it (`check_exact`).
Distinct ids are sorted.
"""

from collections.abc import Sequence
from datetime import UTC, date
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..typing import AnyArray, IntArray, QueryId
from .errors import error_about_missing_ids
from .options import short_repr
from .values import any_missing, is_missing, read_on_host, without_float16


class Ids:
    """The distinct ids, sorted, and the place of the id of each row among them.

    Rows that are sorted by id are made with `offsets`, and other rows with `place`.
    """

    def __init__(
        self,
        distinct: AnyArray,
        place: IntArray | None = None,
        offsets: IntArray | None = None,
    ) -> None:
        self.distinct = distinct
        self._place, self._offsets = place, offsets

    @property
    def are_rows_sorted(self) -> bool:
        """Whether the rows are known to be sorted by id."""
        return self._place is None

    @cached_property
    def place(self) -> IntArray:
        """The place of the id of each row among the distinct ids."""
        if self._place is not None:
            return self._place
        return np.repeat(np.arange(self.distinct.size), np.diff(self.offsets))

    @cached_property
    def offsets(self) -> IntArray:
        """The first row of each id after a sort of the rows by id, and the number of
        all rows.
        """
        if self._offsets is not None:
            return self._offsets
        return np.append(0, np.cumsum(np.bincount(self.place)))

    @property
    def of_rows(self) -> AnyArray:
        """The id of each row."""
        return np.asarray(self.distinct[self.place])

    def __getitem__(self, rows: Any) -> "Ids":
        """Return the ids of these rows; distinct ids of no row are omitted."""
        place = self.place[rows]
        is_used = np.bincount(place, minlength=self.distinct.size) > 0
        return Ids(self.distinct[is_used], (np.cumsum(is_used) - 1)[place])

    def appear_in_order(self) -> bool:
        """Return whether the first occurrences of the ids are in sorted order."""
        # In sorted order, each new id is the next one after all ids so far.
        last_so_far = np.maximum.accumulate(self.place)
        return bool((np.diff(last_so_far, prepend=-1) <= 1).all())


def read_units(unit_id: ArrayLike, n_samples: int) -> tuple[Ids, ...]:
    """Return the ids of the units of the rows: in one column or, if each row belongs to
    two units, such as both items of a pair, in two.
    """
    # A list of tuples has no columns, since each tuple is an id.
    shape = getattr(unit_id, "shape", (0, 1))
    if len(shape) != 2 or shape[1] == 1:
        return (read_ids(unit_id, n_samples, name="unit_id"),)
    pairs: Any = read_on_host("unit_id", unit_id)
    if pairs.shape != (n_samples, 2):
        raise ValueError(
            f"unit_id must have the shape ({n_samples},) or, if each row belongs to "
            f"two units, ({n_samples}, 2); got {pairs.shape}."
        )
    # Each column of a frame has its own type. Tables of Arrow have columns, and frames
    # of pandas places.
    columns = [
        pairs.column(i)
        if hasattr(pairs, "column")
        else getattr(pairs, "iloc", pairs)[:, i]
        for i in range(2)
    ]
    return tuple(
        read_ids(column, n_samples, name=f"unit_id[:, {i}]")
        for i, column in enumerate(columns)
    )


def read_ids(ids: ArrayLike | Ids, n_samples: int, *, name: str = "query_id") -> Ids:
    """Return the ids of the rows. Raise ValueError if one of them is missing. Ids that
    were read before are returned.
    """
    if isinstance(ids, Ids):
        return ids
    ids = read_on_host(name, ids)
    array = _as_array(ids, name)
    if array.shape not in ((n_samples,), (n_samples, 1)):
        got = f"shape {array.shape}" if array.ndim else f"type {type(ids).__name__}"
        raise ValueError(
            f"{name} must be one id for each of {n_samples} samples; got {got}."
        )
    dtype = array.dtype
    array = without_float16(array.ravel())
    # Numpy sorts numbers, text and dates; other ids are sorted by Python.
    if array.dtype.kind not in "biufSUmM":
        return _ids_of_objects(array.tolist(), name)
    # NaN and NaT are not equal to themselves.
    if array.dtype.kind in "fmM" and (missing := array != array).any():
        raise error_about_missing_ids(name, missing)
    is_sorted = bool((array[1:] >= array[:-1]).all())
    if not is_sorted and array.dtype.kind in "iu" and (counted := _ids_by_table(array)):
        return counted
    is_first = np.append(True, array[1:] != array[:-1])[: array.size]
    start = is_first.nonzero()[0]
    # The rows of a query are mostly next to each other, so only the first id of each
    # run of equal ids is sorted.
    distinct = array[start]
    place = None
    ends = np.append(start, array.size)
    if not is_sorted:
        distinct, place = np.unique(distinct, return_inverse=True)
        place = np.repeat(place, np.diff(ends))
    # Ids are sorted, so the first or the last one has the largest magnitude.
    if dtype.kind == "f" and distinct.size:
        check_exact([*distinct[[0, -1]].astype(dtype)], name)
    # Ids are compared with others in the type that was passed.
    distinct = distinct.astype(dtype, copy=False)
    return Ids(distinct, place, ends if is_sorted else None)


def _ids_by_table(ids: IntArray) -> Ids | None:
    """Return the ids of rows that are integers whose range is at most four times their
    number. A table with an entry for each integer of the range takes less time than a
    sort. Return None for other integers.
    """
    lowest, highest = int(ids.min()), int(ids.max())
    if highest - lowest >= min(4 * ids.size, 2**31) or highest >= 2**63:
        return None
    above = ids.astype(np.int64) - lowest
    occurs = np.bincount(above) > 0
    # Places take 4 bytes, since the keys of rows take 8.
    place_of = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    distinct = (occurs.nonzero()[0] + lowest).astype(ids.dtype)
    return Ids(distinct, place_of.take(above))


def _as_array(ids: Any, name: str) -> AnyArray:
    """Return ids as an array. Ids of Python are objects unless all of them are floats,
    or integers of 64 bits: numpy would turn 1 and "1" into the same text, and a tuple
    into a row.
    """
    array: AnyArray
    if not isinstance(ids, list | tuple):
        array = np.asarray(ids)
        # Numpy would remove NUL from the end of the texts of polars.
        if array.dtype.kind == "U" and not isinstance(ids, np.ndarray):
            array = np.asarray(ids, dtype=object)
        if array.dtype != object or array.ndim != 1:
            return array
        ids = array.tolist()
    types = {*map(type, ids)}
    if len(types) == 1 and isinstance(ids[0], np.generic | float):
        array = np.array(ids)
        if array.dtype.kind in "mM":
            _check_units_of_dates(ids, array, name)
        # Otherwise, numpy removed NUL from the end of a text.
        if array.dtype.kind not in "US" or array.tolist() == [*ids]:
            return array
    if types == {int} and -(2**63) <= min(ids) <= max(ids) < 2**63:
        return np.array(ids, dtype=np.int64)
    return np.fromiter(ids, object, len(ids))


def _check_units_of_dates(ids: Sequence[Any], array: AnyArray, name: str) -> None:
    """Raise ValueError if a date or a duration became another one in the unit of the
    array. Nanoseconds begin in 1677 and end in 2262.
    """
    if len({id_.dtype for id_ in ids}) == 1:
        return
    for id_, converted in zip(ids, array, strict=True):
        # Text shows whether a duration has a unit.
        if str(converted.astype(id_.dtype)) != str(id_):
            raise ValueError(
                f"{name} must have dates or durations of one unit; got {id_!r}, which "
                f"{array.dtype} does not represent."
            )


def _ids_of_objects(ids: list[Any], name: str) -> Ids:
    """Return ids that are Python objects, which can be hashed and sorted."""
    try:
        # A dictionary keeps the order, and Python merges sorted ids in less time.
        different = [*dict.fromkeys(ids)]
        if any_missing(different):
            raise error_about_missing_ids(name, np.array([*map(is_missing, ids)]))
        distinct = sorted(different)
    except (TypeError, OverflowError):
        # Ids of two types cannot be sorted, and lists cannot be hashed. Dates in tuples
        # may have units that numpy does not compare.
        examples = {type(id_).__name__: id_ for id_ in ids[::-1]}
        raise ValueError(
            f"{name} must contain numbers, text, dates or tuples of them, all of one "
            f"kind; got {short_repr([*examples.values()])}, of type "
            f"{' and '.join(sorted(examples))}."
        ) from None
    # The dictionary has one key for 1 and 1.0, of which only one is a float.
    check_exact(ids, name)
    place_of = {id_: place for place, id_ in enumerate(distinct)}
    place = np.fromiter(map(place_of.__getitem__, ids), np.int64, len(ids))
    return Ids(np.fromiter(distinct, object, len(distinct)), place)


# --- ids that may be rounded ----------------------------------------------------------


def check_exact(ids: list[Any], name: str) -> None:
    """Raise ValueError if the type of a number may have rounded it.

    - A float from 2**53 on may be a rounded integer, since its type has no odd integers
      there; a float32 from 2**24 on. pandas stores integers as floats if others are
      missing.
    - Among floats of two types, 0.1 is two ids, since each type rounds it. Floats that
      both types have, such as 0.5, are equal.
    """
    # Ids that contain no float need no look at each of them.
    if {*map(type, ids)} <= {int, str}:
        return
    tuples = [id_ if isinstance(id_, tuple) else (id_,) for id_ in ids]
    floats = [x for id_ in tuples for x in id_ if isinstance(x, float | np.floating)]
    kinds = sorted({*map(np.dtype, map(type, floats))}, key=attrgetter("itemsize"))
    # A float may be infinite, or become infinite in the smallest type.
    with np.errstate(over="ignore", invalid="ignore"):
        # The next float is 2 or more away.
        large = [x for x in floats if not abs(np.spacing(x)) <= 1]
        rounded = [x for x in floats if float(kinds[0].type(x)) != x]
    if any(map(np.isinf, large)):
        raise ValueError(f"{name} must have finite numbers; got infinity.")
    if large:
        raise ValueError(
            f"{name} must have ids that their type does not round; got the "
            f"{np.dtype(type(large[0]))} {large[0]}, which may be another integer. "
            "Before totals are counted, read the column as integers, such as by "
            "read_csv(..., dtype={column: 'Int64'}), or as text."
        )
    if rounded and len(kinds) > 1:
        raise ValueError(
            f"{name} must have floats of one type; got {rounded[0]} in ids of the "
            f"types {' and '.join(map(str, kinds))}. Use .astype(float) for both, "
            "before totals are counted."
        )


def as_list(ids: AnyArray) -> list[QueryId]:
    """Return ids as a list of Python objects. Dates and durations remain objects of
    numpy, since `tolist` turns nanoseconds into integers.
    """
    return list(ids) if ids.dtype.kind in "mM" else ids.tolist()


# --- names of queries -----------------------------------------------------------------


def numbered_together(
    parts: Sequence[AnyArray], name: str = "query_id with the names of n_positives"
) -> tuple[AnyArray, list[IntArray]]:
    """Return the sorted ids of several arrays, and the places of the ids of each array
    among them. `name` is the name of the ids in errors.
    """
    every: AnyArray | list[QueryId]
    kinds = {part.dtype.kind for part in parts}
    if len({part.dtype for part in parts}) == 1 or kinds == {"U"}:
        # Arrays are joined faster than lists.
        every = np.concatenate(parts)
    else:
        # A float of numpy is checked in its own type, before it becomes one of Python.
        floats = [id_ for part in parts if part.dtype.kind in "fO" for id_ in part]
        check_exact(floats, name)
        # As Python objects, 1 and "1" remain different.
        every = [id_ for part in parts for id_ in as_list(part)]
    ids = read_ids(every, len(every), name=name)
    ends = np.cumsum([part.size for part in parts[:-1]])
    return ids.distinct, np.split(ids.place, ends)


def names_like(dtype: np.dtype[Any], names: list[QueryId]) -> AnyArray:
    """Return names of queries as an array of ids. Among dates and durations of
    `query_id`, those of pandas and of Python become those of numpy, which are equal to
    them.
    """
    # A date of pandas has its numpy date as `asm8`. Old versions of numpy give equal
    # dates of both different hashes.
    if dtype.kind in "mM":
        names = [getattr(name, "asm8", None) or _as_numpy(name) for name in names]
    return _as_array(names, "n_positives")


def _as_numpy(name: Any) -> Any:
    """Return a date of Python as one of numpy, which has no time zone: in UTC."""
    if getattr(name, "tzinfo", None) is not None:
        name = name.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(name) if isinstance(name, date) else name
