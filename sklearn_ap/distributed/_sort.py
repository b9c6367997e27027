"""Sorts of the rows of files, tables and streams, by DuckDB, which takes more memory
and time to start than pyarrow.
"""

import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from .._rows.batches import (
    BATCH_ROWS,
    Batch,
    DType,
    InexactError,
    Roles,
    cast_exactly,
    column_error,
    score_types,
)
from .._rows.errors import engine_errors
from .._rows.local import LocalSource, open_local
from .._shown.sources import SourceError
from ._batches import Item, Order, PartFunction, UnsortableError, rows_with_weight

if TYPE_CHECKING:
    import duckdb
    import pyarrow

# DuckDB sorts 1e7 rows within so many bytes, and fails within 16 million.
_SORT_BYTES = 64 * 10**6
_ONE_THREAD_BYTES = 128 * 10**6  # Each thread of a sort has buffers of its own.


def open_sortable(data: Any, roles: Roles, limit: int) -> "SortableSource":
    """Return rows that this process can read; refuse data of another kind."""
    rows = open_local(data, roles, limit)
    return SortableSource(
        rows.name, rows.read, roles, limit, rows.advice, rows.is_repeatable
    )


class SortableSource(LocalSource):
    """Rows of files, tables and streams, which DuckDB sorts if they do not fit."""

    def close(self) -> None:
        """Nothing stays open."""

    def n_bytes(self) -> int:
        """Return the least limit within which all rows fit, which are read for it."""
        _, batches = self.next_pass()
        return sum(batch.nbytes for batch in batches)

    def map_parts(
        self, function: PartFunction[Item], order: Order | None
    ) -> Generator[Item]:
        """Call a function on all rows, which are one part, and yield its results."""
        problem = None
        # Scores of other types are read again in the next type that may represent all
        # of them.
        for score_type in score_types(self.types):
            reader, batches = self.next_pass()
            if order != "query":
                batches = rows_with_weight(batches)
            if order is not None:
                batches = sorted_batches(
                    self.name, batches, order, score_type, self.limit
                )
            try:
                with closing(batches):
                    yield from function(map(reader.with_typed_ids, batches))
                    return
            except InexactError as error:
                problem = error
            except UnsortableError as error:
                advice = f"convert them, or pass memory_limit={self.n_bytes()}"
                raise SourceError(f"{error}; {advice}") from None
        raise column_error(self.name, self.roles.y_score, f"contains {problem}")


@contextmanager
def connect(limit: int, folder: str) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Yield a connection to a database in memory, without extensions or variables of
    the caller.
    """
    import duckdb  # noqa: PLC0415  # an extra, imported where it is used

    limit = max(limit, _SORT_BYTES)
    config: dict[str, Any] = {
        "memory_limit": f"{limit}B",
        # A name like a web address asks for an extension.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        # A missing table would be looked for among Python's variables.
        "python_enable_replacements": False,
        "temp_directory": folder,
    }
    if limit < _ONE_THREAD_BYTES:
        config["threads"] = 1
    with duckdb.connect(":memory:", config=config) as connection:
        # A bar would be printed among the answer.
        connection.execute("SET enable_progress_bar_print = false")
        yield connection


def sorted_batches(
    name: str, batches: Iterator[Batch], order: Order, score_type: DType, limit: int
) -> Generator[Batch]:
    """Yield the rows of all batches in order; DuckDB sorts them, on disk beyond the
    limit.

    Raises
    ------
    InexactError
        If a score is not exact in the type.
    """
    with engine_errors(name):
        import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    first = next(batches, None)
    if first is None:
        return
    errors: list[BaseException] = []  # of the rows, whose text alone DuckDB keeps

    def to_arrow(
        batch: Batch, schema: "pyarrow.Schema | None" = None
    ) -> "pyarrow.RecordBatch":
        rows = batch._replace(score=cast_exactly(batch.score, score_type)).columns()
        try:
            return pyarrow.RecordBatch.from_pydict(rows, schema=schema)
        except (pyarrow.ArrowException, OverflowError) as error:
            raise UnsortableError(
                f"{name}: ids of queries must have one type where rows exceed "
                f"memory_limit: {error}"
            ) from None

    def converted() -> "Iterator[pyarrow.RecordBatch]":
        try:
            for batch in chain([first], batches):
                yield to_arrow(batch, schema)
        except BaseException as error:
            errors.append(error)
            raise

    schema = to_arrow(first.take(slice(0, 1))).schema
    with tempfile.TemporaryDirectory(
        prefix="sklearn_ap-", ignore_cleanup_errors=True
    ) as folder:
        try:
            with (
                engine_errors(name, "sorted", limit),
                connect(limit, folder) as connection,
            ):
                unsorted = pyarrow.RecordBatchReader.from_batches(schema, converted())
                connection.register("unsorted", unsorted)
                query = connection.sql(f"SELECT * FROM unsorted ORDER BY {order}")
                for batch in query.to_arrow_reader(BATCH_ROWS):
                    names = batch.schema.names
                    yield Batch(**{name: _values_of(batch[name]) for name in names})
        except (SourceError, KeyboardInterrupt) as error:
            raise next(iter(errors), error) from None


def _values_of(column: "pyarrow.Array") -> Any:
    """Return a column as an array; equal texts are one object, which is faster."""
    if str(column.type) == "string":
        encoded = column.dictionary_encode()
        return np.take(encoded.dictionary, encoded.indices)
    return column.to_numpy(zero_copy_only=False)
