"""Tables and streams of Arrow, and frames of other libraries that give one, as sources."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._source import Part, Place, Read, SourceError, State, Told, fold
from ._convert import arrow_columns, check_columns, dtype_of, refused

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import RecordBatch, RecordBatchReader, Schema, Table


PART_ROWS = 2**20  # 4 MB of float32: few enough to hold several parts, many enough to amortise a call
Open = Callable[[Sequence[str]], Iterable["RecordBatch"]]  # takes names of columns, and may give more columns


class Batches:
    """Rows that come as batches of Arrow, for some columns at a time."""

    in_process = True

    def __init__(
        self, name: str, schema: "Schema", open: Open, *, reads_again: bool = True, n_rows: int | None = None
    ) -> None:
        self.name, self.reads_again = name, reads_again
        self._schema, self._open, self._n_rows = schema, open, n_rows
        self._is_read = False

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with the types of their arrays."""
        return {field.name: dtype_of(field.type) for field in self._schema}

    def n_rows(self) -> int | None:
        """Return the number of rows, if it is known."""
        return self._n_rows

    def extremes(self, column: str) -> None:  # of the protocol
        """Return None: memory has no statistics."""

    def scan(
        self,
        columns: Sequence[str],
        step: Callable[[Part], State],
        combine: Callable[[Sequence[State]], State],
        told: Told,
    ) -> State | None:
        """Call `step` on every part, and combine the results in the order of the parts."""
        check_columns(self._schema, columns, self.name)
        if self._is_read and not self.reads_again:
            raise SourceError(
                f"{self.name}: its rows can be read only once; pass a table, or write them to a Parquet file"
            )
        self._is_read = True
        return fold(self._reads(columns), step, combine, told, n_parts(self._n_rows, PART_ROWS))

    def _reads(self, names: Sequence[str]) -> Generator[Read, None, None]:
        first_row = 0
        for table in in_parts(self._chosen(names), PART_ROWS):
            yield partial(part_of, table, names, Place(self.name, first_row))
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


def part_of(table: "Table", names: Sequence[str], place: Place) -> Part | None:
    """Return a part of rows with arrays, or None without rows."""
    if not table.num_rows:
        return None
    with refused(place.name):
        return Part(arrow_columns(table, names, place), place)


def opened(data: Any) -> Batches | None:
    """Return a table, a stream, or a frame as a source; None if `data` gives no stream of Arrow."""
    gives_array = hasattr(data, "__arrow_c_array__")
    if not (gives_array or hasattr(data, "__arrow_c_stream__") or _is_made_by(data, "polars", "LazyFrame")):
        return None
    try:
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used
    except ImportError:
        raise ImportError("tables are read by pyarrow: pip install pyarrow") from None
    with refused("the data", _told_of_values):
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


def _told_of_values(problem: str) -> str:
    """Say what is wrong with a single column, such as a series of pandas."""
    return "is values without a name; pass a table" if "non-struct" in problem else problem


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
