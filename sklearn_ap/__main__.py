"""The command `sklearn-ap`, which scores the rows of files.

`python -m sklearn_ap` is the same command. argparse reads its options, since it is part
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
    # Shells report this status for a process that an interrupt has ended.
    status = 130

    def end(number: int, _: FrameType | None) -> NoReturn:
        """Remember the signal, and end the command as an interrupt does."""
        nonlocal status
        status = 128 + number
        # The libraries that read and sort rows pass on this exception.
        raise KeyboardInterrupt

    # Python allows only the main thread to set a handler of signals.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)
    try:
        run_command(arguments)
    except KeyboardInterrupt:
        if status == 130:
            print_message("error", "interrupted")
        raise SystemExit(status) from None


if __name__ == "__main__":
    main()
