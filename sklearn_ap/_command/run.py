"""The entry point: runs a command line, and prints its answer or the error."""

import io
import os
import sys

from .._shown.sources import format_value
from .messages import print_message
from .options import read_options


def run_command(arguments: list[str] | None) -> None:
    """Run a command line; print an error in one line, and exit as the help says."""
    try:
        options = read_options(arguments)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # paths may have unprintable characters
            sys.stdout.reconfigure(errors="backslashreplace")
        # The help needs no scikit-learn, which takes a second to import.
        from .output import print_answer  # noqa: PLC0415

        answer = print_answer(options)
        # A full disk or a closed pipe shows here, where it is still an error of ours.
        print(end="", flush=True)
    except BrokenPipeError:
        # As in `... | head`: standard output is replaced, so that the exit cannot fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ImportError, MemoryError) as error:
        # A MemoryError has no text.
        text = str(error) or "the rows exceed the available memory"
        if isinstance(error, OSError) and error.filename is not None:
            text = f"{format_value(error.filename)}: {error.strerror}"
        print_message("error", text)
        # As argparse does; 1 is left to Python for faults of ours.
        raise SystemExit(2) from None
    if answer is None:
        return
    for check in answer.checks:
        if check.failed is None:
            print_message("error", f"{check.option}: {check.why}")
    if answer.exit_code:
        raise SystemExit(answer.exit_code)
