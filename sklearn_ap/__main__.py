"""The command `sklearn-ap`: the numbers of scores in files.

`python -m sklearn_ap` is the same command. Its options are read by argparse, which
ships with Python: the package needs no further dependency, and the help is enough for a
command without subcommands.
"""

import signal
import threading
from types import FrameType
from typing import NoReturn

from ._command.messages import print_message
from ._command.run import run_command


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, and run what it asks for."""
    status = 130  # of an interrupt, as shells report it

    def end(number: int, _: FrameType | None) -> NoReturn:
        nonlocal status
        status = 128 + number
        raise KeyboardInterrupt  # which engines pass on

    # Only the main thread receives signals.
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
