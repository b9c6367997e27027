"""The entry point: runs a command line, and prints its answer or the error."""

import io
import os
import sys
from math import inf

from .._report.answer import Earlier, Question, ScoredRows, answer_of
from .._report.fields import FirstAnswer
from .._report.gates import Gates
from .._report.page import json_of, report_of
from .._report.sentences import MAX_LINES, statements_of, text_of, wrapped
from .._shown.sources import format_value
from . import output
from .files import shown_path
from .options import NEXT, Options, read_options
from .rows import open_rows


def run_command(arguments: list[str] | None) -> None:
    """Run a command line; print an error in one line, and exit as the help says."""
    try:
        options = read_options(arguments)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # paths may have unprintable characters
            sys.stdout.reconfigure(errors="backslashreplace")
        answer = _print_answer(options)
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
        output.print_message("error", text)
        # As argparse does; 1 is left to Python for faults of ours.
        raise SystemExit(2) from None
    if answer is None:
        return
    for check in answer.checks:
        if check.failed is None:
            output.print_message("error", f"{check.option}: {check.why}")
    if answer.exit_code:
        raise SystemExit(answer.exit_code)


def _print_answer(options: Options) -> FirstAnswer | None:
    """Print what a command line asks for; return its answer, if that has gates."""
    if options.example:
        output.print_example()
        return None
    named = options.file
    name = shown_path(named[0]) if len(named) == 1 else f"{len(named)} files"
    with output.warnings_in_lines(name):
        rows = open_rows(options, named)
        if options.table:
            output.print_definitions(name, rows, options)
        elif options.identify is not None:
            output.print_identified(options.identify, rows, options)
        else:
            return _print_first_answer(name, rows, options)
    return None


def _print_first_answer(name: str, rows: ScoredRows, options: Options) -> FirstAnswer:
    """Print the answer as text or JSON, and write its page; return it."""
    earlier = None
    if options.against is not None:
        before = open_rows(options, [options.against])
        earlier = Earlier(shown_path(options.against), before)
    has_all = options.fail_each or options.format == "json"
    question = Question(
        options.k,
        options.prevalence,
        options.threshold_at,
        earlier,
        options.per is not None,
        inf if has_all and options.per is not None else MAX_LINES,
        Gates(options.gates, options.fail_p, options.fail_each),
    )
    answer = answer_of(name, rows, question)
    if options.report is not None:
        report_of(rows, question, answer).save(options.report)
    statements = statements_of(answer)
    if options.format == "json":
        output.print_json(**json_of(answer, statements))
        return answer
    print(text_of(answer, statements))
    if answer.score and options.report is None:
        print(wrapped(NEXT[rows.counts.queries is not None]))
    return answer
