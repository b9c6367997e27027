"""Lines of standard error: messages, and the progress that a terminal shows."""

from __future__ import annotations

import sys

from .._shown.texts import printable, shortened

# A step that reads or scores as much takes a second or more.
_MANY = {"MB": 5, "rows": 300_000, "%": 0}
# A message is not longer, even if it shows several values of a user.
_MAX_LENGTH = 2000


def print_message(kind: str, text: str) -> None:
    """Print an error or a warning as one line of standard error."""
    line = shortened(printable(" ".join(text.split())), _MAX_LENGTH)
    print(f"sklearn-ap: {kind}: {line}", file=sys.stderr)


def print_step(step: str, size: float, unit: str) -> None:
    """Print what takes the next seconds, for a user who waits at a terminal."""
    if size >= _MANY[unit] and sys.stderr.isatty():
        print_message("now", f"{step} {size:,.0f} {unit}")
