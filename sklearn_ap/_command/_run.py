"""The entry point: runs a command line, and prints each error in one line."""

import argparse
import io
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from importlib.util import find_spec

from .._answer._numbers import JsonObject, Question, answer_of, missing_positives
from .._answer._rows import ScoredRows
from .._answer._sentences import in_lines, sentences_of
from .._report._report import refuse_other_file, report_of
from .._uncertainty._independent import compare_estimates
from .._uncertainty._results import ScoreComparison
from ..distributed._batches import SourceError, format_value
from ..distributed._local import PROGRESS
from ._messages import print_message, progress_bar, warnings_in_lines
from ._options import read_options
from ._rows import open_files
from ._tables import print_identified, print_json, print_queries, print_table
from ._trec import print_runs


def run_command(arguments: list[str] | None) -> None:
    """Run a command line; print an error in one line, and exit with 2."""
    options = read_options(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # paths may have unprintable characters
    context = copy_context()  # the bar ends with this command
    if sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm"):
        context.run(PROGRESS.set, progress_bar)
    try:
        context.run(_print_answer, options)
        # A full disk or a closed pipe shows here, where it is still an error of ours.
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # as in `... | head`: standard output is replaced, so that the exit cannot fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ImportError, MemoryError) as error:
        # A MemoryError has no text.
        text = str(error) or "the rows exceed the available memory; lower --memory-limit"
        if isinstance(error, OSError) and error.filename is not None:
            text = f"{format_value(error.filename)}: {error.strerror}"
        print_message("error", text)
        raise SystemExit(2) from None  # as argparse; 1 is left to Python for faults of ours


def _print_answer(options: argparse.Namespace) -> None:
    if options.kind == "--example":
        from ._example import print_example  # noqa: PLC0415  # searches and data, which no other call needs

        print_example()
        return
    if options.kind == "--trec":
        # Files of TREC have a format of their own, so they bypass the columns of other files.
        print_runs(options)
        return
    name = options.file[0] if len(options.file) == 1 else f"{len(options.file)} files"
    name = "standard input" if name == "-" else name
    with _spooled(options.file) as paths, warnings_in_lines(name):
        rows = open_files(options, paths)
        if options.per is not None:
            rows = rows._replace(counts=rows.counts._replace(query_name=options.per))
        if problem := missing_positives(rows.counts):
            warnings.warn(problem, stacklevel=1)
        if options.kind == "--identify":
            print_identified(rows, options)
        elif options.kind == "--by-query":
            print_queries(rows, options)
        elif options.kind == "a table":
            print_table(name, rows, options)
        else:
            _print_first_answer(name, rows, options)


def _print_first_answer(name: str, rows: ScoredRows, options: argparse.Namespace) -> None:
    """Print the sentences of the answer, and which options go on from here."""
    question = Question(options.k, options.prevalence, tuple(options.threshold_at or ()), options.compare)
    if options.report is not None:
        refuse_other_file(options.report)
        # The page computes the answer, which is printed too, so no number is computed twice.
        page = report_of(rows, question, name=name, model=options.y_score)
        page.save(options.report)
    answer = answer_of(name, rows, question) if options.report is None else page.answer
    against = None if options.against is None else _against(rows, options)
    if options.format == "json":
        extra = {} if against is None else {"against": _against_in_words(options, against)}
        print_json(**{**answer, **extra})
        return
    sentences = sentences_of(answer)
    if answer["score"] is not None:
        # Suggest what this call did not use.
        suggestion = "--threshold-at recall=0.8" if options.compare else "--compare COLUMN (another model)"
        if rows.counts.n_queries is not None:
            suggestion = f"--by-query (each {rows.counts.query_name})"
        sentences.append(f"Next: {suggestion}, -k N (a budget), --table (all AP).")
    if against is not None:
        sentences.insert(2, f"Against {options.against}: {against}.")
    print(in_lines(sentences))


def _against_in_words(options: argparse.Namespace, against: ScoreComparison) -> JsonObject:
    low, high = against.confidence_interval()
    numbers = {"score": against.scores[1], "difference": against.difference, "low": low, "high": high}
    return {"name": options.against, **numbers, "pvalue": against.pvalue}


def _against(rows: ScoredRows, options: argparse.Namespace) -> ScoreComparison:
    """Return how the score differs from that of an earlier file with the same columns."""
    with _spooled([options.against]) as paths:
        earlier = open_files(options, paths)
        score_params = {} if options.prevalence is None else {"prevalence": options.prevalence}
        new, old = (each.full_estimate(**score_params) for each in (rows, earlier))
    if new is None or old is None:
        raise SourceError("--against requires rows with an interval: without weights or totals of positives")
    return compare_estimates(new, old)


def _is_stream(path: str) -> bool:
    """Whether a path can be read only once: standard input, or a pipe."""
    # A missing file is not a stream: its reader says that it is missing.
    return path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


@contextmanager
def _spooled(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths, where a temporary file replaces each stream."""
    # Rows are read more than once (labels, then columns), and a stream gives them once.
    with tempfile.TemporaryDirectory(prefix="sklearn_ap-") as folder:
        yield [_spool(path, folder) if _is_stream(path) else path for path in paths]


def _spool(path: str, folder: str) -> str:
    if path == "-" and sys.stdin is None:
        raise SourceError("'-': standard input is closed")
    source = sys.stdin.fileno() if path == "-" else path
    with (
        open(source, "rb", closefd=path != "-") as stream,
        tempfile.NamedTemporaryFile(dir=folder, delete=False) as copy,
    ):
        shutil.copyfileobj(stream, copy)
    return copy.name
