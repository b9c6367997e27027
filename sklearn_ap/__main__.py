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
    ended_by: list[int] = []

    def end(number: int, _: FrameType | None) -> NoReturn:
        ended_by.append(number)  # an engine may pass on another exception than this one
        raise SystemExit(128 + number)

    # Only the main thread receives signals.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)
    try:
        run_command(arguments)
    except KeyboardInterrupt:
        if ended_by:
            raise SystemExit(128 + ended_by[0]) from None
        print_message("error", "interrupted")
        raise SystemExit(130) from None  # as shells report it


if __name__ == "__main__":
    main()
