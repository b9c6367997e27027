"""Errors of the libraries that read rows, as one line."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from .._shown.sources import SourceError, format_value
from .batches import InexactError

_ENGINES = "_duckdb", "duckdb", "pyarrow", "zlib", "_csv"  # modules of errors
# An interrupt is a class of DuckDB, or a text of Arrow.
_INTERRUPTS = {"InterruptException", "Query interrupted"}
_MAX_ERROR_CHARACTERS = 300


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
    except UnicodeDecodeError:
        raise SourceError(
            f"{name}: is not text in UTF-8; write text in Latin-1 or of Windows (ANSI) as "
            "UTF-8"
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
    text = re.split(" Detail: Python exception| Try setting ", text)[0]
    return text[:_MAX_ERROR_CHARACTERS]
