"""Messages of the command on standard error.

This module imports no package such as numpy, so that the command can print a message
before these packages are loaded.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from .._shown.sources import printable

# Seconds after which the command reports that it is still running.
_PATIENCE = 3.0


@contextmanager
def sign_of_life(what: str) -> Iterator[None]:
    """Print a line on a terminal if a block takes more than `_PATIENCE` seconds."""
    timer = Timer(_PATIENCE, _print_line, [f"still {what}"])
    if sys.stderr and sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def print_message(kind: str, message: str) -> None:
    """Print the first line of a message on standard error."""
    first_line, _, _ = message.partition("\n")
    _print_line(f"{kind}: {first_line}")


def _print_line(text: str) -> None:
    """Print a line on standard error, which begins with the name of the package."""
    # `sys.stderr` is None if the process has no standard error.
    if sys.stderr is not None:
        print(f"sklearn_ap: {printable(text)}", file=sys.stderr)
