"""Columns of Parquet files, in the types of their schemas."""

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

import numpy as np

from ..._typing import AnyArray
from ._column import CODED, Coded, Column, FileError, Located, Role, places, shown

if TYPE_CHECKING:  # pyarrow is optional
    from collections.abc import Iterator

    from pyarrow import Array, Field

__all__ = ["ParquetTable", "column_names", "rows_and_groups"]

_Kind = Literal["boolean", "integer", "floating", "decimal", "text", "time", "bytes"]
_VALUES: tuple[_Kind, ...] = ("boolean", "integer", "floating", "decimal", "text")
_KINDS: dict[Role, tuple[_Kind, ...]] = {  # the kinds of values that each role accepts
    "y_true": _VALUES,
    "y_score": _VALUES,
    "sample_weight": _VALUES,
    "n_positives": _VALUES,
    "query_id": (*_VALUES, "time", "bytes"),
    "item_id": ("integer", "text"),  # ids are compared as text, and values of other kinds have many spellings
}
_NUMBERS: tuple[_Kind, ...] = ("integer", "floating")  # files may hold a column as one or the other
_ROWS = 2**16  # read at once: much larger batches take more memory, much smaller ones more time


class ParquetTable:
    """The columns of Parquet files. `capacity` is the number of rows that room is made for at once."""

    def __init__(self, names: Mapping[Role, str], capacity: int) -> None:
        self.n_rows = 0
        self._names, self._capacity = names, capacity
        self._cells: dict[Role, _Numbers | _Codes] = {}
        self._first: dict[Role, _Typed] = {}  # of each column, in the first file

    def add(self, file: BinaryIO, path: str, partitions: Mapping[str, str], done: Callable[[], None]) -> None:
        """Read the columns of a file behind those of earlier ones; the schema is checked first."""
        with _errors_in_words(path):
            from pyarrow import parquet  # noqa: PLC0415  # optional, imported where it is used

            content = parquet.ParquetFile(file)
            schema = content.schema_arrow
            stated = {name: value for name, value in partitions.items() if name not in schema.names}
            header = [*schema.names, *stated]
            for role, place in zip(self._names, places(path, header, self._names.values()), strict=True):
                self._begin(path, role, None if place >= len(schema.names) else schema.field(place))
            # This also reads columns whose names continue after a point ("a" also reads "a.b").
            columns = [name for name in self._names.values() if name not in stated]
            if not columns:  # no batch would tell how many rows there are
                self._add_batch(path, {}, stated, content.metadata.num_rows, 0)
            before = self.n_rows
            for group in range(content.num_row_groups if columns else 0):
                # Group by group: reading ahead into the next one would take the memory of both.
                for batch in content.iter_batches(
                    _ROWS, row_groups=[group], columns=columns, use_threads=False
                ):
                    read = {name: batch.column(batch.schema.names.index(name)) for name in columns}
                    self._add_batch(path, read, stated, batch.num_rows, self.n_rows - before)
                done()

    def _begin(self, path: str, role: Role, field: "Field | None") -> None:
        """Make room for a column in the first file, and compare its kind in later ones."""
        kind: _Kind = "text" if field is None else _kind(path, role, field)
        typed = _Typed(kind, "text" if field is None else str(field.type), path)
        first = self._first.setdefault(role, typed)
        if first is typed:
            of_numbers = role not in CODED and kind in ("boolean", *_NUMBERS)
            self._cells[role] = _Numbers(self._capacity) if of_numbers else _Codes(self._capacity)
        elif not typed.goes_with(first):
            raise self._error(path, role, f"is of type {typed.name}, but {first.name} in {shown(first.path)}")

    def _add_batch(
        self, path: str, read: Mapping[str, "Array"], stated: Mapping[str, str], n_rows: int, before: int
    ) -> None:
        """Add rows to all columns; `before` rows of the file stand before them."""
        for role, name in self._names.items():
            cells = self._cells[role]
            if name in stated:
                assert isinstance(cells, _Codes)  # a path holds text
                cells.repeat(stated[name], n_rows)
                continue
            kind = self._first[role].kind
            values = _plain(path, name, read[name], kind, before)
            if not cells.add(values, kind):
                first = self._first[role]
                problem = f"is of type {read[name].type}, but {first.name} in {shown(first.path)}"
                raise self._error(path, role, f"{problem}, and no type holds both without rounding")
        self.n_rows += n_rows

    def _error(self, path: str, role: Role, problem: str) -> FileError:
        return Column(Located.of(path), self._names[role], []).error(problem)

    def columns(self, located: Located) -> dict[Role, Column]:
        """Return the column of each role, of all files."""
        return {role: Column(located, name, self._cells[role].cells()) for role, name in self._names.items()}


class _Typed(NamedTuple):
    """The type of a column in a file."""

    kind: _Kind
    name: str  # of the type
    path: str

    def goes_with(self, other: "_Typed") -> bool:
        """Whether a column may have both types; times of different units are different numbers."""
        if self.kind != other.kind:
            return {self.kind, other.kind} <= set(_NUMBERS)
        return self.kind != "time" or self.name == other.name


class _Filled:
    """An array that values are added to; room that is not used takes no memory."""

    def __init__(self, dtype: np.dtype[Any], capacity: int) -> None:
        self._array: AnyArray = np.empty(capacity, dtype=dtype)
        self._size = 0

    def add(self, values: AnyArray) -> None:
        end = self._size + values.size
        if end > self._array.size:
            self._array = np.concatenate([self.all(), np.empty(max(end, 2**16), dtype=self._array.dtype)])
        self._array[self._size : end] = values
        self._size = end

    def all(self) -> AnyArray:
        return self._array[: self._size]


class _Numbers:
    """Numbers in the type of the files; in the smallest that holds all, if files have different ones."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._filled: _Filled | None = None

    def add(self, values: "Array", _: _Kind) -> bool:
        """Add values; return False if they fit into no type together with earlier ones."""
        array: AnyArray = np.asarray(values.to_numpy(zero_copy_only=False))
        if self._filled is None:
            self._filled = _Filled(array.dtype, self._capacity)
        earlier = self._filled.all()
        if array.dtype != earlier.dtype:
            dtype = np.promote_types(array.dtype, earlier.dtype)
            if not (_is_exact(array, dtype) and _is_exact(earlier, dtype)):
                return False
            if earlier.dtype != dtype:
                self._filled = _Filled(dtype, self._capacity)
                self._filled.add(earlier)
        self._filled.add(array)
        return True

    def cells(self) -> AnyArray:
        return np.empty(0) if self._filled is None else self._filled.all()


def _is_exact(values: AnyArray, dtype: np.dtype[Any]) -> bool:
    """Whether values go into another type and back unchanged."""
    with np.errstate(invalid="ignore"):
        return np.array_equal(values.astype(dtype).astype(values.dtype), values)


class _Codes:
    """Distinct values, and the number of each row's own, counted in the order of first rows."""

    def __init__(self, capacity: int) -> None:
        self._place: dict[Any, int] = {}
        self._code = _Filled(np.dtype(np.int32), capacity)

    def add(self, values: "Array", kind: _Kind) -> bool:
        """Add values, all of which fit."""
        encoded = values.dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        if kind == "decimal":
            distinct = list(map(str, distinct))
        places = [self._place.setdefault(one, len(self._place)) for one in distinct]
        self._code.add(np.array(places, dtype=np.int32)[encoded.indices.to_numpy()])
        return True

    def repeat(self, value: str, n_rows: int) -> None:
        """Add one value for many rows."""
        place = self._place.setdefault(value, len(self._place))
        self._code.add(np.full(n_rows, place, dtype=np.int32))

    def cells(self) -> Coded:
        return Coded(list(self._place), self._code.all())


@contextmanager
def _errors_in_words(path: str) -> "Iterator[None]":
    """Let errors of pyarrow name the file."""
    try:
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    except ImportError:
        raise FileError(f"{shown(path)}: Parquet files need pyarrow: pip install pyarrow") from None
    try:
        yield
    except pyarrow.ArrowException as error:
        raise FileError(f"{shown(path)}: {error}") from None
    except UnicodeDecodeError:
        raise FileError(f"{shown(path)}: holds text that is not UTF-8") from None


def column_names(file: BinaryIO, path: str) -> list[str]:
    """Return the columns of the schema."""
    with _errors_in_words(path):
        from pyarrow import parquet  # noqa: PLC0415  # optional, imported where it is used

        names: list[str] = parquet.ParquetFile(file).schema_arrow.names
        return names


def rows_and_groups(file: BinaryIO) -> tuple[int, int]:
    """Return the number of rows and of row groups."""
    with _errors_in_words(""):
        from pyarrow import parquet  # noqa: PLC0415  # optional, imported where it is used

        metadata = parquet.ParquetFile(file).metadata
        return metadata.num_rows, metadata.num_row_groups


def _kind(path: str, role: Role, field: "Field") -> _Kind:
    """Return the kind of the values of a column, or raise if its role does not accept that kind."""
    from pyarrow import types  # noqa: PLC0415  # optional, imported where it is used

    of_type = field.type.value_type if types.is_dictionary(field.type) else field.type
    tests = {
        "boolean": types.is_boolean,
        "integer": types.is_integer,
        "floating": types.is_floating,
        "decimal": types.is_decimal,
        "text": lambda one: types.is_null(one) or str(one) in ("string", "large_string", "string_view"),
        "time": lambda one: types.is_temporal(one) and not types.is_interval(one),
        "bytes": lambda one: types.is_fixed_size_binary(one) or str(one) in ("binary", "large_binary"),
    }
    kind = next((kind for kind, is_this in tests.items() if is_this(of_type)), "")
    if kind not in _KINDS[role]:
        wanted = ", ".join(_KINDS[role])
        problem = f"is of type {shown(str(field.type))}, which is none of {wanted}"
        raise Column(Located.of(path), field.name, []).error(problem)
    return kind


def _plain(path: str, name: str, values: "Array", kind: _Kind, before: int) -> "Array":
    """Return values without missing ones, of a type that numpy and dictionaries take; times are integers."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if pyarrow.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if kind == "floating":  # NaN does not count as null in Parquet; null becomes NaN here
        numbers = values.to_numpy(zero_copy_only=False)
        missing = numbers != numbers
    else:
        missing = values.is_null().to_numpy(zero_copy_only=False)
    if missing.any():
        raise Column(Located.of(path), name, []).error("no value", row=before + int(np.argmax(missing)))
    if kind == "time":  # Python's own times have no nanoseconds, and end with the year 9999
        return values.cast(pyarrow.int32() if values.type.bit_width == 32 else pyarrow.int64())
    if str(values.type) == "string_view":  # which has no dictionary
        return values.cast(pyarrow.large_string())
    return values
