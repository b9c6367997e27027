"""Errors of the libraries that read rows, as one line; and a database that reads."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .._shown.sources import SourceError, format_value
from .batches import InexactError

if TYPE_CHECKING:
    import duckdb

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
