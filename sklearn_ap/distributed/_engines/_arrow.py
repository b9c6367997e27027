"""Tables and streams of Arrow as sources, and columns of Arrow as arrays, without a copy where bytes agree.

Parts of files and of Spark are tables of Arrow, too. `refused` makes one line of what pyarrow raises.
"""

import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._typing import AnyArray, IntArray
from .._numerals import UNSCALED, numbers_of_large
from .._source import (
    Combine,
    Part,
    Place,
    Read,
    Source,
    SourceError,
    State,
    Step,
    Told,
    fold,
    refuse_unknown_columns,
    shown,
)

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import ChunkedArray, DataType, RecordBatch, RecordBatchReader, Scalar, Schema, Table
    from pyarrow.compute import Expression


PART_ROWS = 2**20  # 4 MB of float32: few enough to hold several parts, many enough to amortise a call
Open = Callable[[Sequence[str]], Iterable["RecordBatch"]]  # takes names of columns, and may give more columns
_KINDS = "booleans, integers, floats, decimals, text, dates, times and bytes"
_FLOATS = {"float": "float32", "double": "float64"}  # the others have the names of numpy
_FLOAT_DIGITS = 15  # floats of 64 bits tell all decimals of so many digits apart
FILTERED = ", among the rows that the filter keeps"


class Batches(Source):
    """Rows that come as batches of Arrow, for some columns at a time."""

    in_process = True

    def __init__(
        self, name: str, schema: "Schema", open: Open, *, reads_again: bool = True, n_rows: int | None = None
    ) -> None:
        self.name, self.reads_again = name, reads_again
        self._schema, self._open, self._n_rows = schema, open, n_rows
        self._types = typed_columns(schema)
        self._is_read = False

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with the types of their arrays."""
        return {name: typed.dtype for name, typed in self._types.items()}

    def scale(self, column: str) -> int | None:
        """Return the scale of decimals that need integers to be told apart; None for other columns."""
        return common_scale([self._types[column].digits])

    def n_rows(self) -> int | None:
        """Return the number of rows, if it is known."""
        return self._n_rows

    def scan(
        self, columns: Sequence[str], step: Step[State], combine: Combine[State], told: Told
    ) -> State | None:
        """Call `step` on every part, and combine the results in the order of the parts."""
        total = n_parts(self._n_rows, PART_ROWS)
        refuse_unread_columns(self.name, self._schema.names, self._types, columns)
        if self._is_read and not self.reads_again:
            raise SourceError(
                f"{self.name}: its rows can be read only once; pass a table, or write them to a Parquet file"
            )
        self._is_read = True
        return fold(self._reads(columns), step, combine, told, total)

    def _reads(self, names: Sequence[str]) -> Generator[Read, None, None]:
        first_row = 0
        for table in in_parts(self._chosen(names), PART_ROWS):
            yield partial(part_of, table, names, Place(self.name, first_row), self.decimals)
            first_row += table.num_rows

    def _chosen(self, names: Sequence[str]) -> Iterator["RecordBatch"]:
        """Yield batches of the named columns, so that the memory of the others is free."""
        with refused(self.name):
            for batch in self._open(names):
                yield batch.select(names)


def in_parts(batches: Iterable["RecordBatch"], part_rows: int) -> Iterator["Table"]:
    """Yield the rows as tables of so many rows, the last one of fewer."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    held: list[RecordBatch] = []
    n_rows = 0
    for batch in batches:
        rest = batch
        while rest.num_rows:
            taken = rest.slice(0, part_rows - n_rows)
            rest = rest.slice(taken.num_rows)
            held.append(taken)
            n_rows += taken.num_rows
            if n_rows == part_rows:
                yield pyarrow.Table.from_batches(held)
                held, n_rows = [], 0
    if held:
        yield pyarrow.Table.from_batches(held)


def n_parts(n_rows: int | None, part_rows: int) -> int | None:
    """Return how many parts `in_parts` makes of rows."""
    return None if n_rows is None else -(-n_rows // part_rows)


def part_of(table: "Table", names: Sequence[str], place: Place, decimals: Mapping[str, int]) -> Part | None:
    """Return a part of rows with arrays, or None without rows."""
    if not table.num_rows:
        return None
    with refused(place.name):
        return Part(arrow_columns(table, names, place, decimals), place)


def opened(data: Any) -> Batches | None:
    """Return a table, a stream, or a frame as a source; None if `data` gives no stream of Arrow."""
    gives_array = hasattr(data, "__arrow_c_array__")
    if not (gives_array or hasattr(data, "__arrow_c_stream__") or _is_made_by(data, "polars", "LazyFrame")):
        return None
    try:
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    except ImportError:
        raise ImportError("tables are read by pyarrow: pip install pyarrow") from None
    with refused("the data"):
        if _is_made_by(data, "polars", "LazyFrame"):
            return _of_lazy(data)
        if gives_array:
            data = pyarrow.Table.from_batches([pyarrow.record_batch(data)])
        if isinstance(data, pyarrow.Table):
            return Batches(
                "the table", data.schema, lambda names: data.select(names).to_batches(), n_rows=data.num_rows
            )
        if _is_made_by(data, "duckdb", "DuckDBPyRelation"):
            return Batches("the relation", _stream(data.limit(0)).schema, partial(_of_relation, data))
        if hasattr(data, "__len__") and len(getattr(data, "shape", ())) == 2:
            schema = _stream(data[:0]).schema
            return Batches("the table", schema, partial(_stream_of_frame, data), n_rows=len(data))
        # Whatever it is, it may give its rows only once.
        reader = data if isinstance(data, pyarrow.RecordBatchReader) else _stream(data)
    return Batches("the stream", reader.schema, lambda _: reader, reads_again=False)


def _is_made_by(data: object, library: str, name: str) -> bool:
    """Whether this is an object of a library, which is imported already if it is."""
    return library in sys.modules and isinstance(data, getattr(sys.modules[library], name))


def _stream(data: Any) -> "RecordBatchReader":
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    return pyarrow.RecordBatchReader.from_stream(data)


def _stream_of_frame(data: Any, names: Sequence[str]) -> "RecordBatchReader":
    try:
        return _stream(data[list(names)])
    except KeyError:  # names that are not text, such as the numbers of columns in pandas
        return _stream(data)


def _of_relation(data: Any, names: Sequence[str]) -> "RecordBatchReader":
    """Run a query of DuckDB again; its length would run it too, so nothing asks for that."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    return _stream(data.project(", ".join(quoted)))


def _of_lazy(data: Any) -> Batches:
    """Return a query of polars as a source, which runs in each scan."""
    import polars  # noqa: PLC0415  # imported already if there is a query

    schema = _stream(polars.DataFrame(schema=data.collect_schema())).schema
    return Batches("the lazy frame", schema, partial(_collected, data))


def _collected(data: Any, names: Sequence[str]) -> "Iterator[RecordBatch]":
    from polars import selectors  # noqa: PLC0415  # imported already if there is a query

    query = data.select(selectors.by_name(*names))
    if not hasattr(query, "collect_batches"):  # polars before 1.34
        yield from _stream(query.collect())
        return
    for frame in query.collect_batches(chunk_size=PART_ROWS, maintain_order=True):
        yield from _stream(frame)


class Typed(NamedTuple):
    """The type of a column in a file."""

    dtype: np.dtype[Any] | None  # of arrays; None for a type without one
    kind: str | None  # what values must share to be compared exactly; None without values
    name: str
    digits: tuple[int, int] | None = None  # of decimals


def typed_columns(schema: "Schema") -> Mapping[str, Typed]:
    """Return the columns with their types."""
    return _typed_columns(schema.remove_metadata())  # with which pyarrow 16 has no hash


@lru_cache(16)  # most files of a data set have one schema
def _typed_columns(schema: "Schema") -> Mapping[str, Typed]:
    return {field.name: typed_of(field.type) for field in schema}


def typed_of(arrow_type: "DataType") -> Typed:
    """Return what a column of an Arrow type becomes."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    plain = plain_type(arrow_type)
    dtype: Any = None
    kind: str | None = "number"
    if types.is_null(plain):  # without a value that could have another type
        dtype, kind = object, None
    elif str(plain) in ("string", "large_string", "string_view"):
        dtype, kind = object, "text"
    elif types.is_fixed_size_binary(plain) or str(plain) in ("binary", "large_binary"):
        dtype, kind = object, "bytes"
    elif types.is_date(plain):
        dtype, kind = "M8[D]" if types.is_date32(plain) else "M8[ms]", str(plain)
    elif types.is_timestamp(plain):
        dtype, kind = f"M8[{plain.unit}]", str(plain)
    elif types.is_time(plain) or types.is_duration(plain):  # the time of a day is the duration since midnight
        dtype, kind = f"m8[{plain.unit}]", str(plain)
    elif types.is_decimal(plain):
        dtype = np.float64 if plain.scale > 0 else np.int64
    elif types.is_float16(plain):
        dtype = np.float32  # the smallest float that a state holds
    elif types.is_boolean(plain) or types.is_integer(plain) or types.is_floating(plain):
        dtype = _FLOATS.get(str(plain), str(plain))  # `to_pandas_dtype` of pyarrow 16 needs pandas
    digits = (plain.precision, plain.scale) if types.is_decimal(plain) else None
    return Typed(None if dtype is None else np.dtype(dtype), kind, str(arrow_type), digits)


def arrow_columns(
    table: "Table", names: Sequence[str], place: Place, decimals: Mapping[str, int] = MappingProxyType({})
) -> dict[str, AnyArray]:
    """Return the named columns as arrays, or raise for the first value that is missing or not UTF-8.

    Integers, floats and times share the memory of a table of one chunk. `Source.decimals` says what becomes
    of decimals.
    """
    return {name: _array_of(table.column(name), name, place, decimals.get(name)) for name in names}


def refuse_unread_columns(
    where: str, available: Sequence[str], types: Mapping[str, Typed], names: Sequence[str]
) -> None:
    """Refuse names that are not those of one column each, and columns that no array holds."""
    refuse_unknown_columns(where, available, names)
    for name in names:
        if types[name].dtype is None:
            raise unknown_type(name, types[name].name, where, _KINDS)


def unknown_type(name: str, of_type: str, where: str, kinds: str) -> SourceError:
    """Return the error about a column that no array holds."""
    return Place(where).error(name, f"is of type {shown(of_type)}, which is none of {kinds}")


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


def _array_of(values: "ChunkedArray", name: str, place: Place, scale: int | None) -> AnyArray:
    """Return a column without missing values as an array."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    from pyarrow import compute  # noqa: PLC0415  # the same

    dtype, kind, of_type, digits = typed_of(values.type)
    if dtype is None:  # known from values alone, as in objects of pandas
        raise unknown_type(name, of_type, place.name, _KINDS)
    if str(getattr(values.type, "value_type", "")) == "string_view":  # as categories of polars
        values = _with_plain_text(values)
    while (plain := _inner_type(values.type)) != values.type:
        values = values.cast(plain)
    if values.null_count:
        raise place.error(name, "no value", row=compute.index(values.is_null(), True).as_py())
    if dtype.kind in "mM":  # by their integers: numpy has no time of a day
        whole = values.cast(pyarrow.int32() if plain.bit_width == 32 else pyarrow.int64())
        numbers: AnyArray = whole.to_numpy().astype(np.int64, copy=False).view(dtype)
        return numbers
    if kind == "text":
        return _text_array(values, name, place)
    if digits is not None:
        return decimal_array(values, name, place, scale)
    return np.asarray(values.to_numpy(), dtype=dtype)


def _with_plain_text(values: "ChunkedArray") -> "ChunkedArray":
    """Return a dictionary of views of text as one of text: pyarrow does not decode the former."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    text = pyarrow.large_string()
    chunks = [
        pyarrow.DictionaryArray.from_arrays(one.indices, pyarrow.array(one.dictionary.to_pylist(), text))
        for one in values.chunks
    ]
    return pyarrow.chunked_array(chunks, pyarrow.dictionary(values.type.index_type, text))


def common_scale(digits: Sequence[tuple[int, int] | None]) -> int | None:
    """Return the scale of a column of decimals in all files, if floats might not tell them apart."""
    known = [one for one in digits if one is not None]
    wide = any(precision > _FLOAT_DIGITS and scale > 0 for precision, scale in known)
    return max(scale for _, scale in known) if wide and len(known) == len(digits) else None


def decimal_array(values: "ChunkedArray", name: str, place: Place, scale: int | None) -> AnyArray:
    """Return decimals as floats that tell them apart; without a fraction, as integers.

    With a scale, they are integers in the order of the decimals. With 0, they are the nearest floats.
    """
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if scale:
        return _numbers_in_order(values, name, place, scale)
    if values.type.scale <= 0:
        try:
            return np.asarray(values.cast(pyarrow.int64()).to_numpy())
        except pyarrow.ArrowInvalid:
            whole = [int(one) for one in values.to_pylist()]
        row = next(row for row, one in enumerate(whole) if not -(2**63) <= one < 2**63)
        raise place.error(name, f"{whole[row]} is beyond int64; write a float, or text if it is an id", row)
    if values.type.precision <= _FLOAT_DIGITS:  # both parts of the ratio are floats
        return np.asarray(values.cast(pyarrow.float64()).to_numpy())
    if scale is None:
        return _printed_floats(values, name, place)
    return np.asarray(values.cast("string").cast("float64").to_numpy())


def _numbers_in_order(values: "ChunkedArray", name: str, place: Place, scale: int) -> IntArray:
    """Return decimals as their integers at a scale or, where these are large, as the numbers of floats."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    n_digits = values.type.precision - values.type.scale + scale
    of_type = pyarrow.decimal128(38, scale) if n_digits <= 38 else pyarrow.decimal256(76, scale)
    held = values.cast(of_type).combine_chunks()
    words = np.frombuffer(held.buffers()[1], np.int64).reshape(-1, of_type.byte_width // 8)
    words = words[held.offset : held.offset + len(held)]  # the lowest comes first
    numbers: IntArray = words[:, 0].copy()
    is_large = (numbers >= UNSCALED) | (numbers <= -UNSCALED)
    is_large |= (words[:, 1:] != (numbers >> 63)[:, np.newaxis]).any(axis=1)
    rows = np.flatnonzero(is_large)
    if rows.size:
        numbers[rows] = numbers_of_large(_printed_floats(values.take(rows), name, place, rows), scale)
    return numbers


def _printed_floats(
    values: "ChunkedArray", name: str, place: Place, rows: Sequence[int] | IntArray | None = None
) -> AnyArray:
    """Return the nearest floats, and refuse decimals that are not what these print."""
    from pyarrow import compute  # noqa: PLC0415  # optional, imported where it is used

    floats = values.cast("string").cast("float64")
    wrong = compute.not_equal(floats.cast("string").cast(values.type), values)
    row = compute.index(wrong, True).as_py()
    if row >= 0:
        problem = f"{values[row]} has more digits than float64 holds"
        place_of = row if rows is None else int(rows[row])
        raise place.error(name, f"{problem}; write {floats[row]}, or text if it is an id", place_of)
    return np.asarray(floats.to_numpy())


def _text_array(values: "ChunkedArray", name: str, place: Place) -> AnyArray:
    """Return text with one object per distinct text, not one per row."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    try:
        if str(values.type) == "string_view":  # pyarrow 16 does not cast it
            values = pyarrow.chunked_array([pyarrow.array(values.to_numpy(), pyarrow.large_string())])
        encoded = values.cast(pyarrow.large_string()).combine_chunks().dictionary_encode()
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
def refused(name: str) -> Iterator[None]:
    """Turn what a reader raises into one line that starts with the name of what was read."""
    try:
        yield
    except (SourceError, MemoryError):
        raise
    except Exception as error:  # a stream calls code of anyone
        raise SourceError(f"{name}: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) or "invalid UTF8" in str(error):
        return "holds text that is not UTF-8"
    if "non-struct" in str(error):  # a single column, such as a series of pandas
        return "is values without a name; pass a table"
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    if not isinstance(error, OSError | ValueError | RuntimeError):
        text = f"{type(error).__name__}: {text}"
    text = re.sub(r"^Could not open .*?' ?: ", "", text)
    text = re.sub(r"^(Invalid|IOError): ", "", text)
    text = re.sub(r"\.? Detail: .*", "", text)
    return text if len(text) <= 300 else f"{text[:300]}..."


def misfit(name: str, rows: "Expression", error: Exception) -> str:
    return f"{name}: filter {shown(str(rows))} does not fit the columns: {str(error).splitlines()[0]}"
