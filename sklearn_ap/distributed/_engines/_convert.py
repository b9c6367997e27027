"""Columns of Arrow as arrays of numpy, without a copy where their bytes agree."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._typing import AnyArray
from .._numerals import float_problem
from .._source import Place, SourceError, shown
from ._cells import of_numerals

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Array, ChunkedArray, DataType, RecordBatch, Scalar, Table


_KINDS = "booleans, integers, floats, decimals, text, dates, times and bytes"
_LISTED = 20  # columns; an error lists no more of them


def dtype_of(arrow_type: "DataType") -> np.dtype[Any] | None:
    """Return the type of the array that a column of an Arrow type becomes; None for a type without one."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    plain = _plain_type(arrow_type)
    if types.is_float16(plain):
        return np.dtype(np.float32)  # the smallest float that a state holds
    if types.is_boolean(plain) or types.is_integer(plain) or types.is_floating(plain):
        dtype: np.dtype[Any] = np.dtype(plain.to_pandas_dtype())
        return dtype
    if _is_time(plain):
        return _time_dtype(plain)
    if types.is_decimal(plain):
        return np.dtype(np.float64 if plain.scale > 0 else np.int64)
    if types.is_null(plain) or _is_text_type(plain) or _is_bytes(plain):
        return np.dtype(object)  # a column of type null has no value that could have another type
    return None


def arrow_columns(data: "RecordBatch | Table", names: Sequence[str], place: Place) -> dict[str, AnyArray]:
    """Return the named columns as arrays; decimals become floats or, without a fraction, integers.

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
    check_one_column_each(available, names, place.name)
    return {name: _array_of_chunks(data.column(available.index(name)), name, place) for name in names}


def check_type(arrow_type: "DataType", name: str, place: Place) -> np.dtype[Any]:
    """Return the type of the array that a column becomes, and refuse a type without one."""
    dtype = dtype_of(arrow_type)
    if dtype is None:
        raise place.error(name, f"is of type {shown(str(arrow_type))}, which is none of {_KINDS}")
    return dtype


def kind_of(arrow_type: "DataType") -> str | None:
    """Return what values must share to be compared exactly; None without values."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    plain = _plain_type(arrow_type)
    if types.is_null(plain):
        return None
    if _is_text_type(plain) or _is_bytes(plain):
        return "text" if _is_text_type(plain) else "bytes"
    return str(plain) if _is_time(plain) else "number"


def check_one_column_each(available: Sequence[str], names: Sequence[str], where: str) -> None:
    """Refuse names that are not those of one column each."""
    for name in names:
        if list(available).count(name) != 1:
            raise missing_column(where, name, available)


def cast_exactly(
    columns: Mapping[str, AnyArray], types: Mapping[str, np.dtype[Any] | None], place: Place
) -> dict[str, AnyArray]:
    """Return numbers in other types, or raise if one has more digits than its type holds."""
    cast = {}
    for name, values in columns.items():
        dtype = types[name]
        if dtype is None or "O" in (dtype.kind, values.dtype.kind) or values.dtype == dtype:
            cast[name] = values
            continue
        cast[name] = values.astype(dtype)
        if values.dtype.kind in "iu" and dtype.kind == "f":
            with np.errstate(invalid="ignore"):  # 2.0**63 is no int64
                wrong = cast[name].astype(values.dtype) != values
            if wrong.any():
                row = int(np.argmax(wrong))
                value = str(values[row])
                raise place.error(name, f"{value} {float_problem(value)}", row)
    return cast


def missing_column(where: str, name: str, available: Sequence[str]) -> SourceError:
    """Return the error about a column that is not there, or that is there twice."""
    if name in available:
        count = list(available).count(name)
        return SourceError(
            f"{where}: column {shown(name)} is there {count} times; give columns different names"
        )
    if not available:
        return SourceError(f"{where}: column {shown(name)} is missing; there are no columns")
    return SourceError(
        f"{where}: column {shown(name)} is missing; the columns are {names_as_text(available)}"
    )


def names_as_text(names: Sequence[str]) -> str:
    """Return names as text, and the number of those that are left out."""
    more = len(names) - _LISTED
    text = ", ".join(map(shown, names[:_LISTED]))
    return f"{text} and {more} more" if more > 0 else text


def _plain_type(arrow_type: "DataType") -> "DataType":
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


def _time_dtype(arrow_type: "DataType") -> np.dtype[Any]:
    """Return numpy's type of dates, times and durations; the time of a day is the duration since midnight."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    if types.is_date(arrow_type):
        return np.dtype("M8[D]" if types.is_date32(arrow_type) else "M8[ms]")
    return np.dtype(f"{'M' if types.is_timestamp(arrow_type) else 'm'}8[{arrow_type.unit}]")


def _is_text_type(arrow_type: "DataType") -> bool:
    return str(arrow_type) in ("string", "large_string", "string_view")


def _is_bytes(arrow_type: "DataType") -> bool:
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    return types.is_fixed_size_binary(arrow_type) or str(arrow_type) in ("binary", "large_binary")


def _array_of_chunks(values: "Array | ChunkedArray", name: str, place: Place) -> AnyArray:
    """Return a column without missing values as an array."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    from pyarrow import compute  # noqa: PLC0415  # the same

    dtype = check_type(values.type, name, place)
    plain = _decoded(values)
    if plain.null_count:
        raise place.error(name, "no value", row=compute.index(plain.is_null(), True).as_py())
    if _is_time(plain.type):  # by their integers: numpy has no time of a day
        plain = plain.cast(pyarrow.int32() if plain.type.bit_width == 32 else pyarrow.int64())
        return _to_numpy(plain).astype(np.int64).view(dtype)
    if _is_text_type(plain.type):
        return _text_array(plain, name, place)
    if pyarrow.types.is_decimal(plain.type):
        return _decimals(plain, name, place)
    array = _to_numpy(plain)
    return array if array.dtype == dtype else array.astype(dtype)


def _decimals(values: "Array | ChunkedArray", name: str, place: Place) -> AnyArray:
    """Return decimals as floats, by the rule for numbers in text; without a fraction, as integers."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if values.type.scale <= 0:
        try:
            return _to_numpy(values.cast(pyarrow.int64()))
        except pyarrow.ArrowInvalid:
            whole = [int(one) for one in values.to_pylist()]
        row = next(row for row, one in enumerate(whole) if not -(2**63) <= one < 2**63)
        raise place.error(name, f"{whole[row]} is beyond int64; write a float, or text if it is an id", row)
    if values.type.precision <= 15:  # then the digits and the power of ten are floats, and so is their ratio
        return _to_numpy(values.cast(pyarrow.float64()))
    reading = of_numerals(list(map(str, values.to_pylist())))
    if reading.row is not None:
        raise place.error(name, reading.problem, reading.row)
    return reading.values


def _decoded(values: "Array | ChunkedArray") -> "Array | ChunkedArray":
    """Return the values without a dictionary or an extension around them."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(values, pyarrow.ChunkedArray):
        chunks = [_decoded(chunk) for chunk in values.chunks]
        return pyarrow.chunked_array(chunks, type=_plain_type(values.type))
    while values.type != _plain_type(values.type):
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


def _text_array(values: "Array | ChunkedArray", name: str, place: Place) -> AnyArray:
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(values, pyarrow.ChunkedArray):
        values = values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    if isinstance(values, pyarrow.ChunkedArray):  # too much text for one chunk
        return np.concatenate([_text_array(chunk, name, place) for chunk in values.chunks])
    try:
        if str(values.type) == "string_view":  # it has no dictionary, and no cast in pyarrow 16
            values = pyarrow.array(_to_numpy(values), pyarrow.large_string())
        encoded = values.dictionary_encode()  # one object per text, not one per row
        distinct = _to_numpy(encoded.dictionary)
        return np.asarray(distinct[encoded.indices.to_numpy()], dtype=object)
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
