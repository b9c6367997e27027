"""The command `sklearn-ap`, which scores the rows of files.

`python -m sklearn_ap` is the same command. argparse reads the options, since it is part
of Python and sufficient for a command without subcommands.
"""

import signal
import threading
from types import FrameType
from typing import NoReturn

from ._command.messages import print_message
from ._command.run import run_command


def main(arguments: list[str] | None = None) -> None:
    """Run the command with these arguments, or with those of the command line."""
    # The signal that ended the command: an interrupt, unless `end` stores another
    # signal.
    ended_by: int = signal.SIGINT

    def end(number: int, _: FrameType | None) -> NoReturn:
        """Remember the signal, and end the command as an interrupt does."""
        nonlocal ended_by
        ended_by = number
        # The libraries that read and sort rows do not catch this exception, so it ends
        # the command.
        raise KeyboardInterrupt

    # Python allows only the main thread to set a handler of signals.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)
    try:
        run_command(arguments)
    except KeyboardInterrupt:
        # Only an interrupt by the user has a message.
        if ended_by == signal.SIGINT:
            print_message("error", "interrupted")
        # Shells report this status for a process that a signal has ended.
        raise SystemExit(128 + ended_by) from None


if __name__ == "__main__":
    main()
