"""The entry point, which runs a command line and prints its answer or the error."""

import io
import os
import sys
from typing import Any

from .._shown.sources import format_value
from .messages import print_message, sign_of_life
from .options import read_options
from .words import in_shell


def run_command(arguments: list[str] | None) -> None:
    """Run a command line and print its answer, or an error in one line.

    The help explains the exit codes.
    """
    checks = list[Any]()
    try:
        options = read_options(arguments)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Paths may contain characters that standard output cannot encode.
            sys.stdout.reconfigure(errors="backslashreplace")
        # Import `output` here, so that the help and errors of options need no
        # scikit-learn, which takes a second to import.
        from .output import output_of  # noqa: PLC0415

        with sign_of_life(f"reading {', '.join(options.file) or 'the example'}"):
            text, checks = output_of(options)
        if sys.stdout is None:
            raise OSError("standard output is closed, so the answer cannot be written")
        # Flush here, so that a full disk or a closed pipe raises inside this `try`.
        print(text, flush=True)
    except BrokenPipeError:
        # The program that reads the output has ended, as in `... | head`. Replace
        # standard output, so that Python does not fail to flush it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ImportError, MemoryError) as error:
        # A MemoryError has no text.
        text = str(error) or "the rows exceed the available memory"
        if isinstance(error, OSError) and error.filename is not None:
            text = f"{format_value(error.filename)}: {error.strerror}"
        print_message("error", in_shell(text))
        # argparse exits with 2, too. Python exits with 1 after an exception, that is, a
        # bug of this package.
        raise SystemExit(2) from None
    verdicts = {check.failed for check in checks}
    for check in checks:
        if check.failed is None:
            # The answer gives the reason.
            print_message("error", f"{check.option} {check.value:g} has no answer")
    if None in verdicts:
        raise SystemExit(4)
    if True in verdicts:
        raise SystemExit(3)
