"""Columns of a Parquet file, in the types of its schema."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO, Literal

import numpy as np

from ..._typing import AnyArray
from ._column import Column, FileError, Role, places, shown

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import ChunkedArray, Field

__all__ = ["parquet_columns"]

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


def parquet_columns(file: BinaryIO, path: str, names: Mapping[Role, str]) -> dict[Role, Column]:
    """Return the column of each role; the schema is checked before any value is read."""
    try:
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used
        from pyarrow import parquet  # noqa: PLC0415  # the same
    except ImportError:
        raise FileError(f"{shown(path)}: Parquet files need pyarrow: pip install pyarrow") from None
    try:
        content = parquet.ParquetFile(file)
        schema = content.schema_arrow
        at = dict(zip(names, places(path, schema.names, names.values()), strict=True))
        kinds = {role: _kind(path, role, schema.field(place)) for role, place in at.items()}
        # This also reads columns whose names continue after a point ("a" also reads "a.b"): look names up.
        table = content.read(columns=list(names.values()))
        read = {name: table.column(table.column_names.index(name)) for name in names.values()}
        return {role: _column(path, name, read[name], kinds[role]) for role, name in names.items()}
    except pyarrow.ArrowException as error:
        raise FileError(f"{shown(path)}: {error}") from None
    except UnicodeDecodeError:
        raise FileError(f"{shown(path)}: holds text that is not UTF-8") from None


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
        raise Column(path, field.name, []).error(problem)
    return kind


def _column(path: str, name: str, values: "ChunkedArray", kind: _Kind) -> Column:
    """Return a column without missing values; times become integers, decimals become text."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    from pyarrow import compute  # noqa: PLC0415  # the same

    if pyarrow.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if values.null_count:
        row = compute.index(values.is_null(), True).as_py()
        raise Column(path, name, []).error("no value", row=row)
    cells: list[str] | list[bytes] | AnyArray
    if kind == "time":  # Python's own times have no nanoseconds, and end with the year 9999
        cells = values.cast(pyarrow.int32() if values.type.bit_width == 32 else pyarrow.int64()).to_numpy()
    elif kind in ("text", "bytes"):
        cells = values.to_pylist()
    elif kind == "decimal":
        cells = list(map(str, values.to_pylist()))
    else:
        cells = values.to_numpy()
        missing = np.flatnonzero(cells != cells)  # NaN, which Parquet does not count as null
        if missing.size:
            raise Column(path, name, []).error("no value", row=int(missing[0]))
    return Column(path, name, cells)
