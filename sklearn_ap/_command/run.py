"""The entry point: runs a command line, and prints its answer or the error."""

import io
import os
import sys
from typing import Any

from .._shown.sources import format_value
from .messages import print_message, sign_of_life
from .options import read_options


def run_command(arguments: list[str] | None) -> None:
    """Run a command line; print an error in one line, and exit as the help says."""
    checks = list[Any]()
    try:
        options = read_options(arguments)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # paths may have unprintable characters
            sys.stdout.reconfigure(errors="backslashreplace")
        # The help needs no scikit-learn, which takes a second to import.
        from .output import output_of  # noqa: PLC0415

        with sign_of_life(f"reading {', '.join(options.file) or 'the example'}"):
            text, checks = output_of(options)
        # A full disk or a closed pipe shows here, where it is still an error of ours.
        print(text, flush=True)
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
    verdicts = {check.failed for check in checks}
    for check in checks:
        if check.failed is None:
            print_message("error", f"{check.option}: {check.why}")
    if None in verdicts:
        raise SystemExit(4)
    if True in verdicts:
        raise SystemExit(3)
