"""The entry point: runs a command line, and prints its answer or the error."""

import io
import os
import sys
from dataclasses import replace

from .._report.answer import Question, ScoredRows, answer_of, answers_by_value
from .._report.fields import Check, FirstAnswer, to_json
from .._report.page import report_of
from .._report.sentences import in_lines, sentences_of, values_sentences
from .._shown.sources import format_value, printable
from . import output
from .checks import (
    EarlierRows,
    NoAnswerError,
    checks_of_answer,
    checks_of_each,
    refuse_undefined,
)
from .files import shown_path
from .options import NEXT, Options, read_options
from .rows import open_rows

_MAX_VALUES = 50  # of --per, which text has a table of


def run_command(arguments: list[str] | None) -> None:
    """Run a command line; print an error in one line, and exit as the help says."""
    try:
        options = read_options(arguments)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # paths may have unprintable characters
            sys.stdout.reconfigure(errors="backslashreplace")
        checks = _print_answer(options)
        # A full disk or a closed pipe shows here, where it is still an error of ours.
        print(end="", flush=True)
        if any(check.failed for check in checks):
            raise SystemExit(3)  # a check of --fail-if-lower or --fail-below
    except BrokenPipeError:
        # As in `... | head`: standard output is replaced, so that the exit cannot fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except NoAnswerError as error:
        output.print_message("error", str(error))
        raise SystemExit(4) from None
    except (ValueError, OSError, ImportError, MemoryError) as error:
        # A MemoryError has no text.
        text = str(error) or "the rows exceed the available memory"
        if isinstance(error, OSError) and error.filename is not None:
            text = f"{format_value(error.filename)}: {error.strerror}"
        output.print_message("error", text)
        # As argparse does; 1 is left to Python for faults of ours.
        raise SystemExit(2) from None


def _print_answer(options: Options) -> list[Check]:
    """Print the answer and return its checks."""
    if options.example:
        output.print_example()
        return []
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
    return []


def _print_first_answer(name: str, rows: ScoredRows, options: Options) -> list[Check]:
    """Print the sentences of the answer, and what follows it; return the checks."""
    question = Question(options.k, options.prevalence, options.threshold_at)
    answer = answer_of(name, rows, question)
    refuse_undefined(rows.counts, options.gates)
    sentences = sentences_of(answer)
    if options.report is not None:
        # The page shows the answer that is printed, so no number is computed twice.
        report_of(rows, question, answer).save(options.report)
    earlier = None
    against = None
    if options.against is not None:
        name = shown_path(options.against)
        earlier = EarlierRows(name, open_rows(options, [options.against]))
        against, sentence = earlier.difference(rows, question, options)
        sentences.insert(2, sentence)
    if options.per is not None and answer.score:
        answer, table = _with_values(answer, rows, question, options)
        sentences += table
    if options.fail_each:
        checks = [*checks_of_each(answer, rows, earlier, question, options)]
    else:
        checks = [*checks_of_answer(answer, against, options)]
    for check in checks:
        verdict = "Fails" if check.failed else "Passes"
        sentences.append(f"{verdict}: {printable(check.why)}.")
    if answer.score and options.report is None:
        sentences.append(NEXT[rows.counts.queries is not None])
    if options.format == "json":
        fields = to_json(answer)
        if earlier:
            fields["against"] = to_json(against)
        output.print_json(**fields, checks=checks)
    else:
        print(in_lines(sentences))
    return checks


def _with_values(
    answer: FirstAnswer, rows: ScoredRows, question: Question, options: Options
) -> tuple[FirstAnswer, list[str]]:
    """Return the answer with that for each value of `--per`, and the table of few."""
    is_short = (rows.counts.queries or 0) <= _MAX_VALUES
    if not (is_short or options.fail_each or options.format == "json"):
        return answer, []
    values = answers_by_value(rows, question)
    sentences = values_sentences(answer, values) if is_short else []
    return replace(answer, classes=values), sentences
