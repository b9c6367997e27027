"""The command `sklearn-ap`, which scores the rows of files.

`python -m sklearn_ap` is the same command. argparse reads the options, since it is part
of Python and sufficient for a command without subcommands.
"""

import signal

from ._command.messages import print_message
from ._command.run import run_command


def main(arguments: list[str] | None = None) -> None:
    """Run the command with these arguments, or with those of the command line."""
    try:
        run_command(arguments)
    except KeyboardInterrupt:
        print_message("error", "interrupted")
        # Shells report this status for a process that a signal has ended.
        raise SystemExit(128 + signal.SIGINT) from None


if __name__ == "__main__":
    main()
