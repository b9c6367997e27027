"""Columns of Arrow as arrays of numpy, without a copy where their bytes agree; errors in one line."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._typing import AnyArray
from .._numerals import float_problem
from .._source import Place, SourceError, shown
from ._cells import of_numerals

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import ChunkedArray, DataType, Scalar, Schema, Table
    from pyarrow.compute import Expression


_KINDS = "booleans, integers, floats, decimals, text, dates, times and bytes"
FILTERED = ", among the rows that the filter keeps"
_LISTED = 20  # columns; an error lists no more of them


class Typed(NamedTuple):
    """The type of a column in a file."""

    dtype: np.dtype[Any] | None  # of arrays; None for a type without one
    kind: str | None  # what values must share to be compared exactly; None without values
    name: str


def typed_columns(schema: "Schema") -> dict[str, Typed]:
    """Return the columns with their types."""
    return {one.name: Typed(dtype_of(one.type), kind_of(one.type), str(one.type)) for one in schema}


def dtype_of(arrow_type: "DataType") -> np.dtype[Any] | None:
    """Return the type of the array that a column of an Arrow type becomes; None for a type without one."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    plain = plain_type(arrow_type)
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


def kind_of(arrow_type: "DataType") -> str | None:
    """Return what values must share to be compared exactly; None without values."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    plain = plain_type(arrow_type)
    if types.is_null(plain):
        return None
    if _is_text_type(plain) or _is_bytes(plain):
        return "text" if _is_text_type(plain) else "bytes"
    return str(plain) if _is_time(plain) else "number"


def arrow_columns(table: "Table", names: Sequence[str], place: Place) -> dict[str, AnyArray]:
    """Return the named columns as arrays, or raise for the first value that is missing or not UTF-8.

    Integers, floats and times share the memory of a table of one chunk. Decimals become floats or, without a
    fraction, integers.
    """
    check_columns(table.schema, names, place.name)
    return {name: _array_of(table.column(name), name, place) for name in names}


def check_columns(schema: "Schema", names: Sequence[str], where: str) -> None:
    """Refuse names that are not those of one column each, and columns that no array holds."""
    check_one_column_each(schema.names, names, where)
    for name in names:
        of_type = schema.field(name).type
        if dtype_of(of_type) is None:
            raise unknown_type(name, str(of_type), where, _KINDS)


def unknown_type(name: str, of_type: str, where: str, kinds: str) -> SourceError:
    """Return the error about a column that no array holds."""
    return Place(where).error(name, f"is of type {shown(of_type)}, which is none of {kinds}")


def check_one_column_each(available: Sequence[str], names: Sequence[str], where: str) -> None:
    """Refuse names that are not those of one column each."""
    for name in names:
        count = list(available).count(name)
        if count > 1:
            raise SourceError(
                f"{where}: column {shown(name)} is there {count} times; give columns different names"
            )
        if not count:
            more = len(available) - _LISTED
            listed = ", ".join(map(shown, available[:_LISTED])) + (f" and {more} more" if more > 0 else "")
            known = f"the columns are {listed}" if available else "there are no columns"
            raise SourceError(f"{where}: column {shown(name)} is missing; {known}")


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


def plain_type(arrow_type: "DataType") -> "DataType":
    """Return the type of values, without a dictionary or an extension around them."""
    while (inner := _inner_type(arrow_type)) != arrow_type:
        arrow_type = inner
    return arrow_type


def _inner_type(arrow_type: "DataType") -> "DataType":
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(arrow_type, pyarrow.BaseExtensionType):
        return arrow_type.storage_type
    return arrow_type.value_type if pyarrow.types.is_dictionary(arrow_type) else arrow_type


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


def _array_of(values: "ChunkedArray", name: str, place: Place) -> AnyArray:
    """Return a column without missing values as an array."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    from pyarrow import compute  # noqa: PLC0415  # the same

    dtype = dtype_of(values.type)
    while (plain := _inner_type(values.type)) != values.type:
        values = values.cast(plain)
    if values.null_count:
        raise place.error(name, "no value", row=compute.index(values.is_null(), True).as_py())
    if _is_time(plain):  # by their integers: numpy has no time of a day
        whole = values.cast(pyarrow.int32() if plain.bit_width == 32 else pyarrow.int64())
        numbers: AnyArray = whole.to_numpy().astype(np.int64, copy=False).view(dtype)
        return numbers
    if _is_text_type(plain):
        return _text_array(values, name, place)
    if pyarrow.types.is_decimal(plain):
        return _decimals(values, name, place)
    return np.asarray(values.to_numpy(), dtype=dtype)


def _decimals(values: "ChunkedArray", name: str, place: Place) -> AnyArray:
    """Return decimals as floats, by the rule for numbers in text; without a fraction, as integers."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if values.type.scale <= 0:
        try:
            return np.asarray(values.cast(pyarrow.int64()).to_numpy())
        except pyarrow.ArrowInvalid:
            whole = [int(one) for one in values.to_pylist()]
        row = next(row for row, one in enumerate(whole) if not -(2**63) <= one < 2**63)
        raise place.error(name, f"{whole[row]} is beyond int64; write a float, or text if it is an id", row)
    if values.type.precision <= 15:  # then the digits and the power of ten are floats, and so is their ratio
        return np.asarray(values.cast(pyarrow.float64()).to_numpy())
    reading = of_numerals(list(map(str, values.to_pylist())))
    if reading.row is not None:
        raise place.error(name, reading.problem, reading.row)
    return reading.values


def _text_array(values: "ChunkedArray", name: str, place: Place) -> AnyArray:
    """Return text with one object per distinct text, not one per row."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    try:
        if str(values.type) == "string_view":  # pyarrow 16 does not cast it
            values = pyarrow.chunked_array([pyarrow.array(values.to_numpy(), pyarrow.large_string())])
        encoded = values.cast(pyarrow.large_string()).dictionary_encode().combine_chunks()
        distinct = np.asarray(encoded.dictionary.to_numpy(zero_copy_only=False), dtype=object)
        texts: AnyArray = distinct[encoded.indices.to_numpy()]
        return texts
    except pyarrow.ArrowException:  # "Unknown error: Wrapping ... failed"
        bad = next((row for row, value in enumerate(values) if not _is_utf8(value)), None)
        if bad is None:
            raise
        raise place.error(name, "holds text that is not UTF-8", row=bad) from None


def _is_utf8(value: "Scalar") -> bool:
    try:
        value.as_py()
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def refused(name: str, explained: Callable[[str], str] = str) -> Iterator[None]:
    """Turn what a reader raises into one line that starts with the name of what was read.

    `explained` takes the line of the reader and may return a better one.
    """
    try:
        yield
    except (SourceError, MemoryError):
        raise
    except Exception as error:  # a stream calls code of anyone
        raise SourceError(f"{name}: {explained(_one_line(error))}") from error


def _one_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) or "invalid UTF8" in str(error):
        return "holds text that is not UTF-8"
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    if not isinstance(error, OSError | ValueError | RuntimeError):
        text = f"{type(error).__name__}: {text}"
    text = re.sub(r"^Could not open .*?' ?: ", "", text)
    text = re.sub(r"^(Invalid|IOError): ", "", text)
    text = re.sub(r"\.? Detail: .*", "", text)
    return text if len(text) <= 300 else f"{text[:300]}..."


def misfit(name: str, rows: "Expression", error: Exception) -> str:
    return f"{name}: filter {shown(str(rows))} does not fit the columns: {str(error).splitlines()[0]}"
