"""Rows of files, tables and streams, which DuckDB sorts.

DuckDB only sorts: to read rows, pyarrow takes less memory and starts faster.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from .._rows.batches import BATCH_ROWS, Batch
from .._rows.errors import engine_errors
from .._rows.exact_scores import DType, InexactError, cast_exactly, score_types
from .._rows.local import LocalSource
from .._rows.roles import column_error
from .._shown.sources import SourceError
from .._shown.temporary import temporary_folder
from ._batches import Item, Order, PartFunction, rows_of_one_ranking

if TYPE_CHECKING:
    import duckdb
    import pyarrow

# DuckDB sorts 1e7 rows within this limit of memory. With 16 million bytes, it fails.
_SORT_BYTES = 64 * 10**6
# Each thread of a sort has its own buffers, so only one thread sorts below this limit.
_ONE_THREAD_BYTES = 128 * 10**6


class SortableSource(LocalSource):
    """Rows of files, tables and streams, which DuckDB sorts if they do not fit into
    memory.
    """

    def close(self) -> None:
        """Do nothing, since nothing stays open."""

    def n_bytes(self) -> int:
        """Return the lowest limit at which all rows fit into memory. This reads all
        rows.
        """
        _, batches = self.next_pass()
        return sum(batch.nbytes for batch in batches)

    def map_parts(
        self, function: PartFunction[Item], order: Order | None
    ) -> Generator[Item]:
        """Call a function on all rows, which are one part, and yield its results."""
        problem = None
        # All scores are cast to one type. If this type would round a score, the rows
        # are read again, and cast to the next type.
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
        """Yield the rows of all batches in this order. DuckDB sorts them, on disk if
        they exceed the limit.

        Raises
        ------
        InexactError
            If `score_type` would round a score.
        """
        # If the batches raise an error, DuckDB raises another error with the same text.
        # `errors` keeps the first error.
        errors: list[BaseException] = []
        with temporary_folder() as folder:
            try:
                with (
                    engine_errors(self.name, "sorted", self.limit),
                    connect(self.limit, folder) as connection,
                ):
                    import pyarrow

                    tables = self._in_arrow(batches, score_type, errors)
                    # Arrow requires the schema before the first table is read.
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
                first_error = errors[0] if errors else error
                raise first_error from None

    def _in_arrow(
        self,
        batches: Iterable[Batch],
        score_type: DType,
        errors: list[BaseException],
    ) -> "Iterator[pyarrow.RecordBatch]":
        """Yield the rows as batches of Arrow, which all have the schema of the first
        one. Append an error to `errors` before it is raised.
        """
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
    """Yield a connection to a database in memory that loads no extensions and does not
    read the variables of the caller.
    """
    import duckdb

    limit = max(limit, _SORT_BYTES)
    config: dict[str, Any] = {
        "memory_limit": f"{limit}B",
        # For a name that looks like a web address, DuckDB would install an extension.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        # In place of a missing table, DuckDB would read a variable of Python.
        "python_enable_replacements": False,
        "temp_directory": folder,
    }
    if limit < _ONE_THREAD_BYTES:
        config["threads"] = 1
    with duckdb.connect(":memory:", config=config) as connection:
        # DuckDB would print a progress bar into the output of the command.
        connection.execute("SET enable_progress_bar_print = false")
        yield connection


def _values_of(column: "pyarrow.Array") -> Any:
    """Return a column as an array of numpy.

    Text becomes an array of objects, in which rows with the same text share an object.
    An object per row would take longer.
    """
    if str(column.type) == "string":
        encoded = column.dictionary_encode()
        texts = encoded.dictionary.to_numpy(zero_copy_only=False)
        return texts[encoded.indices.to_numpy()]
    return column.to_numpy(zero_copy_only=False)
