"""Rows that this process reads: gathered in memory if they fit, sorted by DuckDB if they do not."""

import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Set
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._typing import AnyArray
from ._batches import (
    Batch,
    BatchReader,
    InexactError,
    Roles,
    SourceError,
    best_rows,
    cast_exactly,
    column_error,
    common_type,
    concatenate,
    format_value,
)
from ._stream import Result, SortedStream, StoredGroups

_SORT_BYTES = 64 * 10**6  # DuckDB sorts 1e7 rows within so many bytes, and fails within 16 million
_ONE_THREAD_BYTES = 128 * 10**6  # each thread of a sort has buffers of its own
_SORTED_ROWS = 2**17  # of a sorted batch


class Columns(NamedTuple):
    """The columns of some rows in the types of the source."""

    arrays: dict[str, Any]  # of numpy or pyarrow, by name
    where: str  # the file, quoted, or another name of the rows
    text_columns: Set[str] = frozenset()  # the columns whose numbers are text
    share: float = 0.0  # of the file, read until here


class LocalSource:
    """Rows of files, tables and streams.

    Parameters
    ----------
    name : str
        The name of all rows, for errors.
    read : callable
        Returns an iterator over the `Columns` of all rows.
    roles : Roles
        The columns that take part.
    limit : int
        Bytes that rows may take in memory.
    reads_again : bool
        Whether `read` may be called twice.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[], Iterator[Columns]],
        roles: Roles,
        limit: int,
        *,
        reads_again: bool = True,
    ) -> None:
        self.name, self.roles, self.limit = name, roles, limit
        self._read, self.reads_again = read, reads_again
        self.reader = BatchReader(roles)
        self._unread: Iterator[Batch] | None = None  # batches of the first pass, if rows do not fit
        self._type: np.dtype[Any] | None = None  # of the scores that were gathered

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit; the sort then continues the first pass."""
        batches, gathered, n_bytes = self.batches(), list[Batch](), 0
        for batch in batches:
            gathered.append(batch)
            n_bytes += batch.nbytes
            if n_bytes > self.limit:
                self._type = common_type({part.score.dtype for part in gathered})
                self._unread = chain(_popped(gathered), batches)
                return None
        self.reader.refuse_no_rows(self.name)
        try:
            rows = concatenate(gathered)
        except InexactError as error:
            raise column_error(self.name, self.roles.y_score, f"contains {error}") from None
        return rows if rows.query is None else rows._replace(query=self.reader.typed_ids(rows.query))

    def best(self, n_rows: int) -> Batch:
        """Return rows with the same first rows as all of them, and the same totals."""
        unread, self._unread = self._unread, None
        try:
            return best_rows(self.batches() if unread is None else unread, n_rows)
        except InexactError as error:
            raise column_error(self.name, self.roles.y_score, f"contains {error}") from None

    def stream(self, *, keeps_negatives: bool) -> SortedStream:
        """Return the ranking of all rows, sorted by score."""
        weighted = self.roles.sample_weight is not None
        with self._sorted("score") as batches:
            groups = StoredGroups.of_batches(batches, weighted=weighted, keeps_negatives=keeps_negatives)
        return SortedStream.of_groups(groups)

    def close(self) -> None:
        """Nothing stays open."""

    def reduce_queries(self, function: Callable[[Iterator[Batch]], Result]) -> list[Result]:
        """Call a function on all rows, sorted by query and score."""
        with self._sorted("query, score") as batches:
            return [
                function(
                    batch._replace(query=self.reader.typed_ids(batch.query))  # type: ignore[arg-type]  # has ids
                    for batch in batches
                )
            ]

    def batches(self) -> Iterator[Batch]:
        """Yield the rows as they are read."""
        for columns in self._read():
            batch = self.reader.read(columns.arrays, columns.where, text_columns=columns.text_columns)
            if batch.score.size:
                yield batch

    @contextmanager
    def _sorted(self, order: str) -> Iterator[Iterator[Batch]]:
        """Yield all rows in order, read and checked before; temporary files are removed after."""
        try:
            first, batches = self._sorted_by(order)
            with closing(batches):
                yield chain(() if first is None else (first,), batches)
        except OSError as error:
            raise SourceError(f"{self.name}: cannot write temporary files: {error.strerror}") from None

    def _sorted_by(self, order: str) -> tuple[Batch | None, Generator[Batch]]:
        """Return the first batch of all rows in order and the others."""
        score_types = dict.fromkeys([self._type, *map(np.dtype, (np.float64, np.int64, np.uint64))])
        # Scores of other types are read again in the next type that may represent all of them.
        for score_type in filter(None, score_types):
            unread, self._unread = self._unread, None
            if unread is None:
                if not self.reads_again:
                    raise SourceError(
                        f"{self.name}: memory_limit must cover all rows, since these can be read only once; "
                        f"got {self.limit} bytes"
                    )
                self.reader = BatchReader(self.roles)
                unread = self.batches()
            batches = sorted_batches(self.name, unread, order, score_type, self.limit)
            try:
                first = next(batches, None)
            except InexactError as error:
                problem = str(error)
                continue
            self.reader.refuse_no_rows(self.name)
            return first, batches
        raise column_error(self.name, self.roles.y_score, f"contains {problem}")


def _popped(batches: list[Batch]) -> Iterator[Batch]:
    """Yield batches and drop the references, so that memory is freed batch by batch."""
    batches.reverse()
    while batches:
        yield batches.pop()


def connect(limit: int, folder: str = "") -> Any:
    """Return a connection to a database in memory, without extensions or variables of the caller."""
    duckdb = import_duckdb()
    limit = max(limit, _SORT_BYTES)
    config: dict[str, Any] = {
        "memory_limit": f"{limit}B",
        "autoinstall_known_extensions": False,  # a name like a web address asks for an extension
        "autoload_known_extensions": False,
        "python_enable_replacements": False,  # else a missing table is looked for among Python's variables
        "temp_directory": folder,
    }
    if limit < _ONE_THREAD_BYTES:
        config["threads"] = 1
    connection = duckdb.connect(":memory:", config=config)
    try:
        connection.execute("SET enable_progress_bar = false")  # which would be printed among the answer
    except duckdb.Error as error:
        raise (KeyboardInterrupt if is_interrupt(error) else error) from None
    return connection


def import_duckdb() -> Any:
    """Return the module, or raise an error with the command that installs it."""
    try:
        import duckdb  # noqa: PLC0415  # an extra, imported where it is used
        import pyarrow  # noqa: F401, PLC0415  # DuckDB returns its rows
    except ImportError as error:
        raise ImportError(f"{error.name} is missing: pip install duckdb pyarrow") from None
    return duckdb


def sorted_batches(
    name: str, batches: Iterator[Batch], order: str, score_type: np.dtype[Any], limit: int
) -> Generator[Batch]:
    """Yield the rows of all batches in order; DuckDB sorts them, on disk beyond the limit.

    Raises
    ------
    InexactError
        If a score is not exact in the type.
    """
    duckdb = import_duckdb()
    first = next(batches, None)
    if first is None:
        return
    errors: list[BaseException] = []
    unsorted = _arrow_reader(name, chain((first,), batches), first, score_type, errors)
    with tempfile.TemporaryDirectory(prefix="sklearn_ap-", ignore_cleanup_errors=True) as folder:
        connection = connect(limit, folder)
        try:
            connection.register("unsorted", unsorted)
            query = connection.sql(f"SELECT * FROM unsorted ORDER BY {order}")
            for arrow_batch in query.to_arrow_reader(_SORTED_ROWS):
                yield arrow_to_batch(arrow_batch)
        except (duckdb.Error, OSError, RuntimeError) as error:
            raise next(iter(errors), _explained(name, error, limit)) from None
        finally:
            connection.close()


def _arrow_reader(
    name: str,
    batches: Iterable[Batch],
    first: Batch,
    score_type: np.dtype[Any],
    errors: list[BaseException],
) -> Any:
    """Return batches as a stream of Arrow; `errors` gets the exception, whose text alone DuckDB keeps."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    columns = first._replace(score=first.score[:0].astype(score_type)).columns()
    try:
        fields = [(column, pyarrow.array(values[:1]).type) for column, values in columns.items()]
    except (pyarrow.ArrowException, OverflowError) as error:
        raise SourceError(f"{name}: ids of queries cannot be sorted: {error}") from None
    schema = pyarrow.schema(fields)

    def converted() -> Iterator[Any]:
        try:
            for batch in batches:
                rows = batch._replace(score=cast_exactly(batch.score, score_type)).columns()
                if "query" in rows and rows["query"].dtype != first.query.dtype:  # type: ignore[union-attr]
                    types = f"{first.query.dtype} and {rows['query'].dtype}"  # type: ignore[union-attr]
                    raise SourceError(f"{name}: ids of queries have types {types}; convert them to one")
                arrays = [pyarrow.array(rows[column], schema.field(column).type) for column in schema.names]
                yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
        except (pyarrow.ArrowException, OverflowError) as error:
            errors.append(SourceError(f"{name}: ids of queries cannot be sorted: {error}"))
            raise
        except BaseException as error:
            errors.append(error)
            raise

    return pyarrow.RecordBatchReader.from_batches(schema, converted())


def arrow_to_batch(batch: Any) -> Batch:
    """Return the columns of a batch or a table of Arrow; ids that are text become objects."""
    columns: dict[str, AnyArray] = {}
    for name in batch.schema.names:
        column = batch.column(name)
        if str(column.type) in ("string", "large_string"):  # each distinct text becomes one object
            encoded = column.dictionary_encode()
            encoded = encoded.combine_chunks() if hasattr(encoded, "combine_chunks") else encoded
            texts = np.array(encoded.dictionary.to_pylist(), dtype=object)
            columns[name] = texts[encoded.indices.to_numpy()]
        else:
            columns[name] = (
                column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
            )
    return Batch(**columns)


def is_interrupt(error: Exception) -> bool:
    """Whether an error of DuckDB stands for Ctrl-C."""
    text = str(error)  # for a caller's stream, it contains the class of the exception
    is_of_query = type(error).__name__ == "InterruptException" or text.strip() == "Query interrupted"
    return is_of_query or "KeyboardInterrupt" in text


def _explained(name: str, error: Exception, limit: int) -> BaseException:
    """Return an error of DuckDB as one line, or as the Ctrl-C that it stands for."""
    text = " ".join(str(error).split())
    if is_interrupt(error):
        return KeyboardInterrupt()
    if "max_temp_directory_size" in text or "No space left" in text:
        folder = format_value(tempfile.gettempdir())
        problem = f"the temporary folder {folder} is full; set TMPDIR to a folder with more space"
        return SourceError(f"{name}: cannot be sorted: {problem}")
    if "out of memory" in text.lower():
        return SourceError(
            f"{name}: memory_limit is too small to sort the rows; got {limit} bytes; DuckDB reports: {text}"
        )
    return SourceError(f"{name}: cannot be sorted: {text}")
