"""Warnings and errors on standard error, one line each."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_LINE_LENGTH = 1000  # of a line


def print_message(kind: str, message: str) -> None:
    """Print one line on standard error, without characters that control a terminal."""
    first_line = message.split("\n", maxsplit=1)[0]
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in first_line)
    if sys.stderr is not None:
        print(f"sklearn_ap: {kind}: {line[:_MAX_LINE_LENGTH]}", file=sys.stderr)


@contextmanager
def warnings_in_lines(name: str) -> Iterator[None]:
    """Print each warning of the library once, after the name of the rows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        # `_rows` warns of the same with the name of the column and the labels of the file.
        warnings.filterwarnings("ignore", "y_score .* the labels", UserWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        print_message("warning", f"{name}: {text}")
