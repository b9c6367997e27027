"""Columns of Arrow as arrays of numpy, without a copy where their bytes agree."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._typing import AnyArray
from .._source import Place, SourceError, shown

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Array, ChunkedArray, DataType, RecordBatch, Scalar, Table

__all__ = ["arrow_columns", "check_type", "dtype_of", "kind_of", "listed", "missing_column"]

_KINDS = "booleans, integers, floats, decimals, text, dates and times"
_LISTED = 20  # columns; an error lists no more of them


def dtype_of(arrow_type: "DataType") -> np.dtype[Any] | None:
    """Return the type of the array that a column of an Arrow type becomes; None for a type without one."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    plain = _plain(arrow_type)
    if types.is_float16(plain):
        return np.dtype(np.float32)  # the smallest float that a state holds
    if types.is_boolean(plain) or types.is_integer(plain) or types.is_floating(plain):
        dtype: np.dtype[Any] = np.dtype(plain.to_pandas_dtype())
        return dtype
    if _is_time(plain):
        return np.dtype(np.int64)
    if types.is_null(plain) or types.is_decimal(plain) or _is_text(plain):
        return np.dtype(object)  # a column of type null has no value that could have another type
    return None


def arrow_columns(data: "RecordBatch | Table", names: Sequence[str], place: Place) -> dict[str, AnyArray]:
    """Return the named columns as arrays; times become integers in the unit of their type.

    Parameters
    ----------
    data : pyarrow.RecordBatch or pyarrow.Table
        Rows, in any number of chunks.
    names : list of str
        Names of top-level columns; a dot in a name has no meaning.
    place : Place
        Where the rows stand, for errors.

    Returns
    -------
    columns : dict of str to array
        Integers, floats and times share the memory of `data` where it has a single chunk.

    Raises
    ------
    SourceError
        If a column is missing or not of values, or if a value is missing or is not UTF-8.
    """
    available = data.schema.names
    columns = {}
    for name in names:
        if available.count(name) != 1:
            raise missing_column(place.name, name, available)
        columns[name] = _array(data.column(available.index(name)), name, place)
    return columns


def check_type(arrow_type: "DataType", name: str, place: Place) -> np.dtype[Any]:
    """Return the type of the array that a column becomes, and refuse a type without one."""
    dtype = dtype_of(arrow_type)
    if dtype is None:
        raise place.error(name, f"is of type {shown(str(arrow_type))}, which is none of {_KINDS}")
    return dtype


def kind_of(arrow_type: "DataType") -> str | None:
    """Return what values must share to be compared exactly; None without values."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    plain = _plain(arrow_type)
    if types.is_null(plain):
        return None
    if _is_text(plain):
        return "text"
    return str(plain) if _is_time(plain) else "number"


def missing_column(where: str, name: str, available: Sequence[str]) -> SourceError:
    """Return the error about a column that is not there, or that is there twice."""
    if name in available:
        count = list(available).count(name)
        return SourceError(
            f"{where}: column {shown(name)} is there {count} times; give columns different names"
        )
    if not available:
        return SourceError(f"{where}: column {shown(name)} is missing; there are no columns")
    return SourceError(f"{where}: column {shown(name)} is missing; the columns are {listed(available)}")


def listed(names: Sequence[str]) -> str:
    """Return names as text, and the number of those that are left out."""
    more = len(names) - _LISTED
    text = ", ".join(map(shown, names[:_LISTED]))
    return f"{text} and {more} more" if more > 0 else text


def _plain(arrow_type: "DataType") -> "DataType":
    """Return the type of values, without a dictionary or an extension around them."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    while True:
        if isinstance(arrow_type, pyarrow.BaseExtensionType):
            arrow_type = arrow_type.storage_type
        elif pyarrow.types.is_dictionary(arrow_type):
            arrow_type = arrow_type.value_type
        else:
            return arrow_type


def _is_time(arrow_type: "DataType") -> bool:
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    return types.is_temporal(arrow_type) and not types.is_interval(arrow_type)


def _is_text(arrow_type: "DataType") -> bool:
    return str(arrow_type) in ("string", "large_string", "string_view")


def _array(values: "Array | ChunkedArray", name: str, place: Place) -> AnyArray:
    """Return a column without missing values as an array."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    from pyarrow import compute  # noqa: PLC0415  # the same

    dtype = check_type(values.type, name, place)
    plain = _decoded(values)
    if plain.null_count:
        raise place.error(name, "no value", row=compute.index(plain.is_null(), True).as_py())
    if _is_time(plain.type):  # Python's own times have no nanoseconds, and end with the year 9999
        plain = plain.cast(pyarrow.int32() if plain.type.bit_width == 32 else pyarrow.int64())
    if _is_text(plain.type):
        return _text(plain, name, place)
    array = _to_numpy(plain)
    return array if array.dtype == dtype else array.astype(dtype)


def _decoded(values: "Array | ChunkedArray") -> "Array | ChunkedArray":
    """Return the values without a dictionary or an extension around them."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(values, pyarrow.ChunkedArray):
        chunks = [_decoded(chunk) for chunk in values.chunks]
        return pyarrow.chunked_array(chunks, type=_plain(values.type))
    while values.type != _plain(values.type):
        of_extension = isinstance(values.type, pyarrow.BaseExtensionType)
        values = values.storage if of_extension else values.dictionary_decode()
    return values


def _to_numpy(values: "Array | ChunkedArray") -> AnyArray:
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(values, pyarrow.ChunkedArray):
        if values.num_chunks != 1:
            return np.asarray(values.to_numpy())
        values = values.chunk(0)
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _text(values: "Array | ChunkedArray", name: str, place: Place) -> AnyArray:
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    try:
        return _to_numpy(values)
    except pyarrow.ArrowException:  # "Unknown error: Wrapping ... failed"
        bad = [row for row, value in enumerate(values) if not _is_utf8(value)]
        if not bad:
            raise
        raise place.error(name, "holds text that is not UTF-8", row=bad[0]) from None


def _is_utf8(value: "Scalar") -> bool:
    try:
        value.as_py()
    except UnicodeDecodeError:
        return False
    return True
