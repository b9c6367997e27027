"""Messages of the command, which need no other library."""

import sys

from .._shown.sources import printable
from .words import in_shell


def print_message(kind: str, message: str) -> None:
    """Print one line on standard error, in the words of the command."""
    if sys.stderr is not None:
        line = printable(in_shell(message.partition("\n")[0]))
        print(f"sklearn_ap: {kind}: {line}", file=sys.stderr)
