"""What the command says on standard error: each warning and each error is one line."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST_LINE = 1000  # characters


def say(kind: str, message: str) -> None:
    """Print one line on standard error, without characters that control a terminal."""
    first, *_ = message.split("\n")
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in first)
    if sys.stderr is not None:
        print(f"sklearn_ap: {kind}: {line[:_LONGEST_LINE]}", file=sys.stderr)


@contextmanager
def warnings_in_lines(name: str) -> Iterator[None]:
    """Print each warning of the library once, behind the name of the rows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        say("warning", f"{name}: {text}")
