"""DuckDB: sorts of rows that do not fit into memory, and the errors of readers.

DuckDB, which takes more memory and time to start than pyarrow, only sorts, and reads
JSON.
"""

import re
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from .._shown.sources import SourceError, format_value
from ._batches import (
    BATCH_ROWS,
    Batch,
    DType,
    InexactError,
    Order,
    UnsortableError,
    cast_exactly,
)

if TYPE_CHECKING:
    import duckdb
    import pyarrow

# DuckDB sorts 1e7 rows within so many bytes, and fails within 16 million.
_SORT_BYTES = 64 * 10**6
_ONE_THREAD_BYTES = 128 * 10**6  # Each thread of a sort has buffers of its own.
_ENGINES = "_duckdb", "duckdb", "pyarrow", "zlib", "_csv"  # modules of errors
# An interrupt is a class of DuckDB, or a text of Arrow.
_INTERRUPTS = {"InterruptException", "Query interrupted"}
_MAX_ERROR_CHARACTERS = 300


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


@contextmanager
def engine_errors(
    name: str, verb: str = "read", limit: int | None = None
) -> Iterator[None]:
    """Raise errors of readers and of DuckDB as one line with the name of the rows, and
    Ctrl-C as itself.
    """
    try:
        yield
    except (SourceError, InexactError):
        raise
    except ImportError as error:
        raise ImportError(
            f"{error.name} is missing, which the extra `files` installs: pip install duckdb "
            "pyarrow"
        ) from None
    except Exception as error:
        if isinstance(error, OSError) and error.strerror is not None:
            raise SourceError(f"{name}: {error.strerror}") from None
        module = type(error).__module__.split(".")[0]
        kind = type(error).__name__
        if (
            not isinstance(error, OSError | RuntimeError | EOFError)
            and module not in _ENGINES
        ):
            raise
        # The text of an error in a caller's stream contains its class.
        text = " ".join(str(error).split())
        if {kind, text} & _INTERRUPTS or "KeyboardInterrupt" in text:
            raise KeyboardInterrupt from None
        raise SourceError(
            f"{name}: cannot be {verb}: {_cause_in(text, limit)}"
        ) from None


def _cause_in(text: str, limit: int | None) -> str:
    """Return the cause of an error without the options of DuckDB, which users of this
    package cannot set.
    """
    if "max_temp_directory_size" in text or "No space left" in text:
        folder = format_value(tempfile.gettempdir())
        return f"the temporary folder {folder} is full; set TMPDIR to a folder with more space"
    if limit is not None and "out of memory" in text.lower():
        return f"memory_limit is too small to sort the rows; got {limit:,} bytes; DuckDB reports: {text}"
    if text.startswith("straddling object"):
        return "a quote has no end, or a row has more than a million bytes"
    text = re.split(" Detail: Python exception| Try setting ", text)[0]
    return text[:_MAX_ERROR_CHARACTERS] + "; write the file as UTF-8" * (
        "invalid UTF8" in text
    )
