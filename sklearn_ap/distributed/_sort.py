"""Sorts of the rows of files, tables and streams, by DuckDB, which takes more memory
and time to start than pyarrow.
"""

import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from .._rows.batches import (
    BATCH_ROWS,
    Batch,
    DType,
    InexactError,
    cast_exactly,
    column_error,
    score_types,
)
from .._rows.errors import engine_errors
from .._rows.local import LocalSource
from .._shown.sources import SourceError
from ._batches import Item, Order, PartFunction, rows_of_one_ranking

if TYPE_CHECKING:
    import duckdb
    import pyarrow

# DuckDB sorts 1e7 rows within so many bytes, and fails within 16 million.
_SORT_BYTES = 64 * 10**6
_ONE_THREAD_BYTES = 128 * 10**6  # Each thread of a sort has buffers of its own.


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
            if order == "score":
                batches = rows_of_one_ranking(batches)
            if order is not None:
                batches = self._sorted(batches, order, score_type)
            try:
                with closing(batches):
                    yield from function(map(reader.with_typed_ids, batches))
                    return
            except InexactError as error:
                problem = error
        raise column_error(self.name, self.roles.y_score, f"contains {problem}")

    def _sorted(
        self, batches: Iterator[Batch], order: Order, score_type: DType
    ) -> Generator[Batch]:
        """Yield the rows of all batches in order; DuckDB sorts them, on disk beyond the
        limit.

        Raises
        ------
        InexactError
            If a score is not exact in the type.
        """
        errors: list[BaseException] = []  # of the rows, whose text alone DuckDB keeps
        with tempfile.TemporaryDirectory(
            prefix="sklearn_ap-", ignore_cleanup_errors=True
        ) as folder:
            try:
                with (
                    engine_errors(self.name, "sorted", self.limit),
                    connect(self.limit, folder) as connection,
                ):
                    import pyarrow

                    tables = self._in_arrow(batches, score_type, errors)
                    first = next(tables)
                    unsorted = pyarrow.RecordBatchReader.from_batches(
                        first.schema, chain([first], tables)
                    )
                    connection.register("unsorted", unsorted)
                    query = connection.sql(f"SELECT * FROM unsorted ORDER BY {order}")
                    for batch in query.to_arrow_reader(BATCH_ROWS):
                        names = batch.schema.names
                        yield Batch(**{name: _values_of(batch[name]) for name in names})
            except (SourceError, KeyboardInterrupt) as error:
                raise next(iter(errors), error) from None

    def _in_arrow(
        self,
        batches: Iterable[Batch],
        score_type: DType,
        errors: list[BaseException],
    ) -> "Iterator[pyarrow.RecordBatch]":
        """Yield the batches of Arrow, with the schema of the first; keep an error."""
        import pyarrow

        schema = None
        try:
            for batch in batches:
                score = cast_exactly(batch.score, score_type)
                rows = batch._replace(score=score).columns()
                try:
                    table = pyarrow.RecordBatch.from_pydict(rows, schema=schema)
                except (pyarrow.ArrowException, OverflowError) as error:
                    raise SourceError(
                        f"{self.name}: ids of queries must have one type where rows exceed "
                        f"memory_limit: {error}; convert them, or pass "
                        f"memory_limit={self.n_bytes()}"
                    ) from None
                schema = table.schema
                yield table
        except BaseException as error:
            errors.append(error)
            raise


@contextmanager
def connect(limit: int, folder: str) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Yield a connection to a database in memory, without extensions or variables of
    the caller.
    """
    import duckdb

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


def _values_of(column: "pyarrow.Array") -> Any:
    """Return a column as an array; equal texts are one object, which is faster."""
    if str(column.type) == "string":
        encoded = column.dictionary_encode()
        return np.take(encoded.dictionary, encoded.indices)
    return column.to_numpy(zero_copy_only=False)
