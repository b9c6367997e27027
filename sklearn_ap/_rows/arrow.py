"""Arrow: columns of lists and frames, and Parquet."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .._shown.sources import format_value
from .batches import BATCH_ROWS, Columns, column_error, columns_of

if TYPE_CHECKING:
    import pyarrow

# Arrow raises these for columns that it does not take.
_NOT_CONVERTED = ArithmeticError, TypeError, ValueError, NotImplementedError


def array_of(values: Any, where: str, name: str) -> "pyarrow.Array":
    """Return a list, or a column of pandas or polars, as Arrow has it; refuse values of
    several types.
    """
    import pyarrow

    try:
        if hasattr(values, "to_arrow"):  # of polars
            return values.to_arrow()
        return pyarrow.array(values)
    except _NOT_CONVERTED as error:
        problem = str(error)
        if {*map(type, values)} == {int}:
            # Arrow does not try this type, and would cut the decimals of floats off.
            with suppress(*_NOT_CONVERTED):
                return pyarrow.array(values, "uint64")
            problem = f"no type of 64 bits has {min(values)} and {max(values)}"
        kind = getattr(values, "dtype", "JSON")
        raise column_error(
            where,
            name,
            f"has type {kind} and cannot be read: {problem}; expected numbers of one type, "
            "text or dates, such as column.astype(float) or .astype(str) of pandas",
        ) from None


def parquet_columns(path: str, _: Sequence[str], /) -> tuple[list[str], list[str]]:
    """Return the columns of a file, and their types."""
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    return schema.names, [str(kind) for kind in schema.types]


def read_parquet(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns of a file."""
    from pyarrow import parquet

    # With a buffer, all columns would stay in memory. Sums of pages are only checked if
    # this is asked for.
    options = {"pre_buffer": False, "page_checksum_verification": True}
    with parquet.ParquetFile(path, **options) as opened:
        refuse_types_of_pandas(opened.schema_arrow, names, format_value(path))
        for batch in opened.iter_batches(BATCH_ROWS, columns=list(names)):
            arrays = {name: batch.column(name) for name in names}
            yield columns_of(arrays, format_value(path))


def refuse_types_of_pandas(
    schema: "pyarrow.Schema", names: Sequence[str], where: str
) -> None:
    """Refuse periods and intervals, which are stored as numbers of other meaning."""
    for name in names:
        field = schema.field(name)
        # Arrow has the type once pandas was imported, and else its name.
        words = f"{field.type} {field.metadata}"
        kind = re.search(r"pandas\.(?:period|interval)", words)
        if kind:
            raise column_error(
                where,
                name,
                f"has type {kind[0]}; write it as text: column.astype(str)",
            )
