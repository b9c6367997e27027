"""Lines of standard error: messages, and the progress that a terminal shows."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from .._shown.texts import printable, shortened

# To score or to draw as many rows takes a second or more.
_MANY_ROWS = 300_000
# A message is not longer, even if it shows several values of a user.
_MAX_LENGTH = 2000


def write(text: str, stream: TextIO | None) -> None:
    """Write a text to standard output or standard error, and flush the stream.

    What cannot be written is lost, and raises no error, since the exit code must not
    depend on who reads.
    """
    # Python has no stream if the shell has closed it.
    if stream is None:
        return
    try:
        print(text, end="", file=stream, flush=True)
    except OSError as error:
        # Python flushes again at exit. If that failed, too, the exit code would be 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        # A reader that has ended, as in `... | head`, has all that it wants.
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            print_message("warning", f"standard output: {error.strerror}")


def print_message(kind: str, text: str) -> None:
    """Print an error or a warning as one line of standard error."""
    line = shortened(printable(" ".join(text.split())), _MAX_LENGTH)
    write(f"sklearn-ap: {kind}: {line}\n", sys.stderr)


def print_step(step: str, n_rows: int) -> None:
    """Print what takes the next seconds, if there are many rows."""
    if n_rows >= _MANY_ROWS:
        print_now(f"{step} {n_rows:,} rows")


def print_now(text: str) -> None:
    """Print what the command does now, for a user who waits at a terminal."""
    # Python has no stream if the shell has closed it.
    if sys.stderr and sys.stderr.isatty():
        print_message("now", text)
