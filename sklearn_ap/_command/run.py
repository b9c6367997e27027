"""The entry point: runs a command line, opens its files, and prints each error in one
line.
"""

import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._core.reading.ids import as_list
from .._core.typing import AnyArray, Label, QueryId
from .._report.answer import (
    Question,
    ScoredRows,
    answer_of,
    answers_by_value,
    counted,
    rows_of_classes,
)
from .._report.fields import Check, Counts, JsonObject, to_json
from .._report.page import refuse_other_file, report_of
from .._report.sentences import (
    in_lines,
    query_words,
    sentences_of,
    values_sentences,
)
from .._shown.sources import SourceError, format_value, is_number
from ..distributed._batches import Roles, ThirdLabelError, column_error
from ..distributed._duckdb import engine_errors
from ..distributed._local import first_labels
from ..distributed._streams import weightless_queries
from ..distributed._text import text_header
from . import output
from .checks import (
    EarlierRows,
    NoAnswerError,
    checks_of_answer,
    checks_of_each,
    refuse_undefined,
    sentences_of_checks,
)
from .classes import columns_of_classes, error_about_labels, read_classes
from .files import NamedFiles, gathered
from .options import (
    NEXT,
    Options,
    column_names,
    option_name,
    read_options,
)

# Labels that say themselves which one is positive; the usual ones leave no doubt.
_POSITIVE_WORDS = {"1", "true", "yes", "t", "y"}
_NEGATIVE_WORDS = {"0", "-1", "false", "no", "f", "n"}
_MAX_VALUES = 50  # of --per, which text has a table of
_USUAL_WORDS = {"-1", "0", "1", "false", "true"}


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
        # Errors of the library begin with the argument.
        option = re.compile(r"^(n_positives|prevalence)\b")
        text = option.sub(lambda named: option_name(named[0]), text)
        output.print_message("error", re.sub("^miss_cost", "miss-cost", text))
        # As argparse does; 1 is left to Python for faults of ours.
        raise SystemExit(2) from None


def _print_answer(options: Options) -> list[Check]:
    """Print the answer and return its checks."""
    if options.example:
        output.print_example()
        return []
    if options.report is not None:
        _refuse_report(options.report)
    named = options.file
    name = _shown(named[0]) if len(named) == 1 else f"{len(named)} files"
    with _spooled(named) as paths, output.warnings_in_lines(name):
        files = _named_files(options, paths)
        if len(options.columns) > 1:
            rows = _open_classes(name, options, files)
        else:
            rows = _open_files(options, files, _columns_of_models(options))
        if options.table:
            output.print_definitions(name, rows, options)
        elif options.identify is not None:
            output.print_identified(options.identify, rows, options)
        else:
            return _print_first_answer(name, rows, options)
    return []


def _refuse_report(path: str) -> None:
    """Refuse to write a page to a file that is not a page, or that gets the answer."""
    refuse_other_file(path, "--report")
    is_printed_to = False
    with suppress(OSError, ValueError, AttributeError):  # no such file, or no stream
        is_printed_to = os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    if is_printed_to:
        raise SourceError(
            f"--report must not be standard output; got {format_value(path)}"
        )


def _print_first_answer(name: str, rows: ScoredRows, options: Options) -> list[Check]:
    """Print the sentences of the answer, and what goes on from it; return its checks."""
    question = Question(options.k, options.prevalence, options.threshold_at)
    answer = answer_of(name, rows, question)
    refuse_undefined(rows.counts, options.gates)
    if options.report is not None:
        # The page shows the answer that is printed, so no number is computed twice.
        report_of(rows, question, answer).save(options.report)
    sentences = sentences_of(answer)
    more = JsonObject()
    earlier = None
    against = None
    if options.against is not None:
        earlier = EarlierRows(
            _shown(options.against), _earlier_rows(options, options.against)
        )
        against, sentence = earlier.difference(rows, question, options)
        sentences.insert(2, sentence)
        more["against"] = to_json(against)
    if options.fail_each:
        checks = list(checks_of_each(answer, rows, earlier, question, options))
    else:
        checks = list(checks_of_answer(answer, against, options))
    n_values = rows.counts.queries or 0
    is_short = n_values <= _MAX_VALUES or options.format == "json"
    if options.per is not None and answer.score and is_short:
        values = answers_by_value(rows, question)
        sentences += values_sentences(answer, values)
        answer = replace(answer, classes=values)
    sentences += sentences_of_checks(checks)
    if answer.score and options.report is None:
        sentences.append(NEXT[rows.counts.queries is not None])
    if options.format == "json":
        output.print_json(**to_json(answer), **more, checks=checks)
    else:
        print(in_lines(sentences))
    return checks


def _earlier_rows(options: Options, against: str) -> ScoredRows:
    """Return the rows of `--against`."""
    with _spooled([against]) as paths:
        files = _named_files(options, paths)
        return _open_files(options, files, _columns_of_models(options))


def _shown(path: str) -> str:
    """Return a path as answers name it."""
    return "standard input" if path == "-" else path


@contextmanager
def _spooled(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths, where a temporary file replaces each stream; an error names the
    stream.
    """
    # Rows are read more than once (labels, then columns), and a stream gives them once.
    copies = dict[str, str]()
    with tempfile.TemporaryDirectory(prefix="sklearn_ap-") as folder:
        for path in paths:
            if path == "-" or Path(path).is_fifo():
                if path == "-" and sys.stdin is None:
                    raise SourceError("'-': standard input is closed")
                copies[path] = os.path.join(folder, f"stream-{len(copies)}")
                with (
                    nullcontext(sys.stdin.buffer)
                    if path == "-"
                    else open(path, "rb") as stream,
                    open(copies[path], "wb") as copy,
                ):
                    shutil.copyfileobj(stream, copy)
        try:
            yield [copies.get(path, path) for path in paths]
        except SourceError as error:
            text = str(error)
            for path, name in copies.items():
                text = text.replace(format_value(name), _shown(path))
            raise type(error)(text) from None


def _columns_of_models(options: Options) -> dict[str, str]:
    """Return the column of each model, which has its name; the first may be compared
    with itself.
    """
    [column] = options.columns
    first = column + " (first)" * (column in options.compare)
    return {first: column} | dict(zip(*[options.compare] * 2, strict=True))


def _open_files(
    options: Options,
    files: NamedFiles,
    columns: Mapping[str, str],
    of_class: frozenset[Label] | None = None,
) -> ScoredRows:
    """Return the rows of files with the scores of each model, or raise SourceError.
    Labels of a class are positive against all others.
    """
    first, *others = columns.values()
    totals = options.n_positives
    if isinstance(totals, str):
        totals = _totals_of(totals, options, files)
    labels = _Labels(1)
    if of_class is None:
        # They are known before the rows are read, so that one pass makes them boolean.
        labels = _labels_of(options, files)
    roles = Roles(
        options.y_true,
        first,
        options.sample_weight,
        options.query,
        labels.positive,
        of_class,
        options.amount,
    )
    source = files.open(roles)
    try:
        batch = gathered(source, _score_line(options, files, roles))
    except ThirdLabelError:
        raise error_about_labels(files.open(roles), options.pos_label) from None
    weightless = [] if batch.query is None else weightless_queries(batch)
    batch = batch.counted()
    # The readers of scores and of ids check other columns as they check their own.
    scores = [batch.score]
    for column in others:
        other = gathered(files.open(roles._replace(y_score=column)))
        scores.append(other.counted().score)
    units = None
    if options.unit_id is not None:
        of_units = files.open(roles._replace(query_id=options.unit_id))
        units = np.asarray(gathered(of_units).counted().query)
    elif options.fail_each:
        units = np.arange(batch.positive.size)
    if options.lower_is_better:
        scores = [
            _negated(each, source.name, column)
            for each, column in zip(scores, columns.values(), strict=True)
        ]
    reader = source.reader
    about = Counts(
        query_name=options.per or "query",
        zero_division=options.zero_division,
        pos_label=None if labels.are_usual else labels.positive,
        negative_label=None if labels.are_usual else labels.negative,
        weight_name=options.sample_weight or "weight",
        amount_name=options.amount or "amount",
        unit_name=options.unit_id or "unit",
        rows_left_out=reader.n_left_out,
        rows_dropped=reader.n_incomplete,
        missing_values=dict(reader.n_missing),
        score_name=first,
        lower_is_better=options.lower_is_better,
    )
    rows = ScoredRows(
        counts=about,
        y_true=batch.positive,
        scores=dict(zip(columns, scores, strict=True)),
        sample_weight=batch.weight,
        amount=batch.amount,
        query_id=batch.query,
        unit_id=units,
        n_positives=totals,
    )
    return counted(rows, weightless)


def _score_line(options: Options, files: NamedFiles, roles: Roles) -> str:
    """Return the line of Python that scores rows beyond memory; none for classes and
    negated scores, which no file has.
    """
    if roles.of_class is not None or options.lower_is_better:
        return ""
    data = files.paths[0] if len(files.paths) == 1 else [*files.paths]
    texts = list(map(repr, ["average_precision", data, roles.y_true, roles.y_score]))
    arguments: JsonObject = {
        "pos_label": roles.pos_label,
        "sample_weight": roles.sample_weight,
        "query_id": roles.query_id,
        "prevalence": options.prevalence,
        # Totals of each query are left to the caller.
        "n_positives": {}
        if isinstance(options.n_positives, str)
        else options.n_positives,
    }
    texts += [f"{name}={x!r}" for name, x in arguments.items() if x is not None]
    if options.per is not None:
        texts.append("zero_division=float('nan')")
    return f"distributed.score({', '.join(texts)})"


def _named_files(options: Options, paths: Sequence[str]) -> NamedFiles:
    """Return files with the options that name their columns."""
    names = {options.y_true: "--y-true"}
    names |= dict.fromkeys(options.columns, "--y-score")
    for role in (
        "sample_weight",
        "query_id",
        "per",
        "amount",
        "unit_id",
        "n_positives",
    ):
        text = getattr(options, role)
        # A file of totals has its own rows.
        is_file = role == "n_positives" and os.path.isfile(str(text))
        if isinstance(text, str) and not is_file:
            names[text] = option_name(role)
    for text in options.compare:
        columns = column_names(text) if len(options.columns) > 1 else [text]
        names |= dict.fromkeys(columns, "--compare")
    return NamedFiles(paths, names, options.drop_missing)


def _negated(score: AnyArray, where: str, column: str) -> AnyArray:
    """Return scores with the other sign, or refuse integers that have none in int64."""
    numbers = score if score.dtype.kind == "f" else score.astype(np.int64)
    negated = 0 - numbers  # 0 without a sign
    wrapped = score[(negated < 0) != (score > 0)]
    if wrapped.size:
        problem = f"contains {wrapped[0]}, which --lower-is-better cannot negate"
        raise column_error(where, column, f"{problem} in 64 bits")
    return negated


def _open_classes(name: str, options: Options, files: NamedFiles) -> ScoredRows:
    """Return the rows of each class against the others, from a column of scores per
    class; the first model has the name of the files.
    """
    texts = [options.y_score, *options.compare]
    columns = list(map(column_names, texts))
    source = files.open(Roles(options.y_true, columns[0][0]))
    classes = read_classes(source)
    if any(not len(classes) == len(names) == len({*names}) for names in columns):
        problem = (
            f"has {query_words('class', len(classes))} ({', '.join(classes)}), so "
            "--y-score and --compare must each name as many different columns; got "
            f"{' and '.join(texts)}"
        )
        raise column_error(source.name, options.y_true, problem)
    ordered = columns_of_classes(columns, list(classes))
    if {*classes} == {"0", "1"} and not any("0" in name for name in columns[0]):
        problem = (
            "has the labels 0 and 1, which are one ranking; for two models, write "
            f"--y-score {columns[0][0]} --compare {columns[0][1]}"
        )
        raise column_error(source.name, options.y_true, problem)
    rows = {}
    for title, *names in zip(classes, *ordered, strict=True):
        of_class = dict(zip([name, *options.compare], names, strict=True))
        listed = "" if {*names} == {title} else f" ({', '.join(dict.fromkeys(names))})"
        rows[title + listed] = _open_files(options, files, of_class, classes[title])
    together = rows_of_classes(rows)
    return replace(
        together, counts=replace(together.counts, score_name=options.y_score)
    )


def _totals_of(name: str, options: Options, files: NamedFiles) -> Any:
    """Return the total of each query from a column of the rows that repeat it, or from
    a file, which may have queries without rows.
    """
    column = name
    query = options.query
    weight = options.sample_weight
    if os.path.isfile(name):
        with engine_errors(format_value(name)):
            header, _ = text_header(name, [] if query is None else [query])
        columns = {*header} - {query}
        if len(columns) != 1:
            raise SourceError(
                f"{format_value(name)}: must have two columns, the totals and the "
                "one that --query-id or --per names; got "
                f"{', '.join(map(format_value, header))}"
            )
        column = columns.pop()
        weight = None
        files = NamedFiles([name], files.options, advice="write the file without them")
    # Totals are read as scores are; as labels of classes, they may be any numbers.
    roles = Roles(column, column, weight, query, of_class=frozenset())
    source = files.open(roles)
    batch = gathered(source).counted()
    # without queries, one ranking named 0
    ids = np.zeros(batch.score.size) if query is None else np.asarray(batch.query)
    by_query: dict[QueryId, float] = {}
    for ranking, total in zip(as_list(ids), batch.score.tolist(), strict=True):
        if by_query.setdefault(ranking, total) != total:
            totals = f"{by_query[ranking]:g} and {total:g}"
            problem = f"must repeat one total in all rows of a ranking; got {totals}"
            raise column_error(source.name, column, problem)
    return by_query[0.0] if query is None else by_query


class _Labels(NamedTuple):
    """The labels of rows; those such as 0 and 1 are usual ones, which leave no doubt."""

    positive: Label
    negative: Label | None = None
    are_usual: bool = True


def _labels_of(options: Options, files: NamedFiles) -> _Labels:
    """Return the labels as the file writes them.

    Without `--pos-label`, it is 1 or the positive word of a pair such as no and yes.
    Labels that are all 0 or all -1 have the positive label 1, so that files without
    positives can be read; with `--pos-label`, labels may also be any other one.
    """
    column = options.y_true
    text = options.pos_label
    # Folders may name the labels (label=1), and then the scores are what a file must
    # contain.
    source = files.open(Roles(column, options.columns[0]))
    labels = first_labels(source)
    if not labels or (text in (None, "1") and labels in ([0], [-1])):
        return _Labels(1)
    # 1.0 is 1; labels of files may have any case
    words = {_word_of(str(label)): label for label in labels}
    if text is not None:
        # as the file spells it, since rows are compared with it
        positive = text if text in labels else words.get(_word_of(text))
        if positive is None and len(labels) == 1:
            positive = _label_like(labels[0], text)
    else:
        found = words.keys() - _NEGATIVE_WORDS
        # Numbers have the positive label 1, as in scikit-learn.
        positive = 1 if 1 in labels else None
        if len(found) == 1 and found <= _POSITIVE_WORDS and len(words) == len(labels):
            positive = words[found.pop()]
    if positive is None:
        raise error_about_labels(source, text)
    negative = next((label for label in labels if label != positive), None)
    are_usual = words.keys() <= _USUAL_WORDS and positive in (1, words.get("true"))
    return _Labels(positive, negative, are_usual)


def _label_like(label: Label, text: str) -> Label | None:
    """Return text as a label of the same type, or None."""
    if isinstance(label, str):
        return text
    if isinstance(label, bool):
        return True if _word_of(text) in ("1", "true") else None
    number = float(text) if is_number(text) else nan
    return int(number) if number.is_integer() else None


def _word_of(label: str) -> str:
    return label.strip().lower().removesuffix(".0")
