"""What a command line runs: its output goes to the terminal or to a file, and its errors are one line."""

import argparse
import io
import os
import sys
from contextlib import redirect_stdout
from glob import iglob
from pathlib import Path

from ..distributed._source import SourceError, shown
from ._answer import print_answer
from ._options import read_options
from ._trec import print_runs
from ._words import say


def run_command(arguments: list[str] | None) -> None:
    """Run what a command line asks for; errors are one line, and exit with 2."""
    options = read_options(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # paths may have unprintable characters
    try:
        if not options.file and options.trec is None:
            from . import _demonstration  # noqa: PLC0415  # its models take 12 MB

            _demonstration.run()
        else:
            _print(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # as in `... | head`: standard output is replaced, so that the exit cannot fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        say("error", "the rows take more memory than there is; --memory-limit tells how much they may take")
        raise SystemExit(2) from None
    except (ValueError, OSError) as error:
        # Other errors of the demonstration are bugs.
        if not options.file and options.trec is None and isinstance(error, ValueError):
            raise
        if isinstance(error, OSError) and error.filename is not None:
            error = SourceError(f"{shown(error.filename)}: {error.strerror}")
        say("error", str(error))
        raise SystemExit(2) from None


def _print(options: argparse.Namespace) -> None:
    """Print the answer, or write a file once all of it is there: an error leaves an old file as it was."""
    answer = print_answer if options.trec is None else print_runs
    if options.output is None:
        answer(options)
        return
    given = [*options.file, *(options.trec or []), *([options.totals] if options.totals else [])]
    path = _writable(options.output, given)
    text = io.StringIO()
    with redirect_stdout(text):
        answer(options)
    path.write_text(text.getvalue(), encoding="utf-8", errors="backslashreplace")


def _writable(output: str, given: list[str]) -> Path:
    """Return the path of the output, unless this call reads the file, or all files of its directory."""
    path, problem = Path(output), ""
    if not path.parent.is_dir() or path.is_dir():
        problem = "is a directory" if path.is_dir() else "is in no directory that exists"
    for one in (found for each in given for found in (each, *iglob(each, recursive=True))):
        if os.path.isdir(one) and Path(one).resolve() in path.resolve().parents:
            problem = f"is in {shown(one)}, and all files there are read"
        elif path.exists() and os.path.exists(one) and path.samefile(one):
            problem = "is read"
    if problem:
        raise SourceError(f"--output names {shown(output)}, which {problem}: write another file")
    return path
