"""Messages of the command, which need no other library."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from .._shown.sources import printable
from .words import in_shell

_PATIENCE = 3.0  # seconds without a sign of life


@contextmanager
def sign_of_life(what: str) -> Iterator[None]:
    """Say on a terminal that the command is still at work, if that takes some
    seconds.
    """
    timer = Timer(_PATIENCE, _print_line, [f"still {what}"])
    if sys.stderr and sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def print_message(kind: str, message: str) -> None:
    """Print one line on standard error, in the words of the command."""
    first_line, _, _ = message.partition("\n")
    _print_line(f"{kind}: {in_shell(first_line)}")


def _print_line(text: str) -> None:
    """Print a line on standard error, if there is one."""
    if sys.stderr is not None:
        print(f"sklearn_ap: {printable(text)}", file=sys.stderr)
