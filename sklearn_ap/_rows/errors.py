"""Errors of the libraries that read rows, as errors of one line."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from .._shown.sources import SourceError, format_value
from .exact_scores import InexactError

# The modules that define the errors of the libraries that read rows.
_ENGINES = "_duckdb", "duckdb", "pyarrow", "zlib", "_csv"
# After Ctrl-C, DuckDB raises an error of this class, and Arrow one with this text.
_INTERRUPT_CLASS, _INTERRUPT_TEXT = "InterruptException", "Query interrupted"
_MAX_ERROR_CHARACTERS = 300


@contextmanager
def engine_errors(
    name: str, verb: str = "read", limit: int | None = None
) -> Iterator[None]:
    """Turn errors of readers and of DuckDB into SourceError, whose text begins with
    `name`, the file or other source. After Ctrl-C, raise KeyboardInterrupt.

    `verb` names the step that failed, such as "read". `limit` is the memory limit of a
    sort in bytes.
    """
    try:
        yield
    except (SourceError, InexactError):
        raise
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{error.name} is missing, which the extra `files` installs: pip install duckdb "
            "pyarrow"
        ) from None
    except UnicodeDecodeError:
        raise SourceError(
            f"{name}: is not text in UTF-8; convert text in Latin-1 or of Windows (ANSI) to "
            "UTF-8"
        ) from None
    except Exception as error:
        if isinstance(error, OSError) and error.strerror is not None:
            raise SourceError(f"{name}: {error.strerror}") from None
        module = type(error).__module__.split(".")[0]
        is_of_reader = isinstance(error, OSError | RuntimeError | EOFError)
        # Any other error is a fault of this package, or of the caller's own code.
        if not is_of_reader and module not in _ENGINES:
            raise
        text = " ".join(str(error).split())
        if _is_interrupt(error, text):
            raise KeyboardInterrupt from None
        raise SourceError(
            f"{name}: cannot be {verb}: {_cause_in(text, limit)}"
        ) from None


def _is_interrupt(error: Exception, text: str) -> bool:
    """Whether Ctrl-C has caused an error with this text."""
    # If Ctrl-C interrupts a stream of the caller, the name KeyboardInterrupt is only in
    # the text of the error.
    return (
        type(error).__name__ == _INTERRUPT_CLASS
        or text == _INTERRUPT_TEXT
        or "KeyboardInterrupt" in text
    )


def _cause_in(text: str, limit: int | None) -> str:
    """Return the cause from the text of an error, without the advice of DuckDB on its
    options, which users of this package cannot set.
    """
    if "max_temp_directory_size" in text or "No space left" in text:
        folder = format_value(tempfile.gettempdir())
        return f"the temporary folder {folder} is full; set TMPDIR to a folder with more space"
    if limit is not None and "out of memory" in text.lower():
        return f"memory_limit is too small to sort the rows; got {limit:,} bytes; DuckDB reports: {text}"
    text = re.split(" Detail: Python exception| Try setting ", text)[0]
    return text[:_MAX_ERROR_CHARACTERS]
