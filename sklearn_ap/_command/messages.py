"""Messages of the command, which need no other module."""

import sys

from .._shown.sources import printable


def print_message(kind: str, message: str) -> None:
    """Print one line on standard error."""
    if sys.stderr is not None:
        line = printable(message.partition("\n")[0])
        print(f"sklearn_ap: {kind}: {line}", file=sys.stderr)
