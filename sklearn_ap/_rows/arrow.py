"""Lists, columns of frames, and Parquet files as columns of Arrow."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .._shown.sources import format_value
from .batches import BATCH_ROWS
from .columns import Columns, columns_of
from .roles import column_error

if TYPE_CHECKING:
    import pyarrow

# Arrow raises these errors for values that it cannot convert.
_NOT_CONVERTED = ArithmeticError, TypeError, ValueError, NotImplementedError


def array_of(values: Any, where: str, name: str) -> "pyarrow.Array":
    """Return a list, or a column of pandas or polars, as an array of Arrow. Raise
    SourceError if the values have several types.
    """
    import pyarrow

    try:
        # Columns of polars have the method `to_arrow`.
        if hasattr(values, "to_arrow"):
            return values.to_arrow()
        return pyarrow.array(values)
    except _NOT_CONVERTED as error:
        problem = str(error)
        if {*map(type, values)} == {int}:
            # Arrow uses unsigned integers only if their type is passed. Pass the type
            # only if all values are integers, since Arrow would drop the decimals of
            # floats.
            with suppress(*_NOT_CONVERTED):
                return pyarrow.array(values, "uint64")
            problem = f"no type of 64 bits contains {min(values)} and {max(values)}"
        kind = getattr(values, "dtype", "JSON")
        raise column_error(
            where,
            name,
            f"has type {kind} and cannot be read: {problem}; expected numbers of one type, "
            "text or dates, such as column.astype(float) or .astype(str) of pandas",
        ) from None


def parquet_columns(path: str, _: Sequence[str], /) -> tuple[list[str], list[str]]:
    """Return the names of the columns of a Parquet file, and their types."""
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    return schema.names, [str(kind) for kind in schema.types]


def read_parquet(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield the columns with these names, from a Parquet file, in batches."""
    from pyarrow import parquet

    # With `pre_buffer`, all columns would remain in memory. Without the checksums of
    # pages, which pyarrow does not verify by default, a damaged file could be read.
    options = {"pre_buffer": False, "page_checksum_verification": True}
    with parquet.ParquetFile(path, **options) as opened:
        check_types_of_pandas(opened.schema_arrow, names, format_value(path))
        for batch in opened.iter_batches(BATCH_ROWS, columns=list(names)):
            arrays = {name: batch.column(name) for name in names}
            yield columns_of(arrays, format_value(path))


def check_types_of_pandas(
    schema: "pyarrow.Schema", names: Sequence[str], where: str
) -> None:
    """Raise SourceError for periods and intervals of pandas. Arrow stores them as other
    types, whose order may differ.
    """
    for name in names:
        field = schema.field(name)
        # Arrow shows the type of pandas only if pandas was imported. Otherwise, the
        # metadata of the column contain the name of the type.
        words = f"{field.type} {field.metadata}"
        kind = re.search(r"pandas\.(?:period|interval)", words)
        if kind:
            raise column_error(
                where,
                name,
                f"has type {kind[0]}; write it as text: column.astype(str)",
            )
