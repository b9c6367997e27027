"""The rows of a command line: the columns of its files as arrays."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from math import nan

import numpy as np

from .._core.reading.ids import as_list
from .._core.typing import AnyArray, ArrayLikeOrMapping, Label
from .._report.fields import ROW, Counts, label_fields
from .._report.looks import columns_to_look_at
from .._report.scored_rows import ScoredRows, counted, rows_of_classes
from .._rows.batches import BatchReader
from .._rows.errors import engine_errors
from .._rows.labels import ThirdLabelError, counted_labels, typed_label
from .._rows.local import LocalSource
from .._rows.roles import Roles, column_error
from .._rows.text import text_header
from .._shown.numbers import count_words, listed
from .._shown.sources import SourceError, format_value
from .files import NamedFiles, gathered, spooled
from .labels import (
    columns_of_classes,
    columns_without_class,
    error_about_labels,
    read_classes,
    read_pos_label,
)
from .options import Options, option_name, span

# An error names at most this number of classes or columns.
_N_NAMED = 10


def open_rows(options: Options, paths: Sequence[str]) -> ScoredRows:
    """Return the rows of files and streams; raise SourceError if they cannot be used."""
    with spooled(paths) as copied:
        files = _named_files(options, copied)
        roles = Roles(options.y_true, options.first_columns[0])
        try:
            if options.has_classes:
                rows = _rows_of_classes(options, files)
            else:
                models = {name: column for name, [column] in options.models.items()}
                rows = _rows_with_scores(options, files, models)
        except ThirdLabelError:
            source = files.open(roles)
            raise error_about_labels(source, options.pos_label) from None
        columns = files.open(roles).columns
        # The options name all columns that the scores need. A look may need other
        # columns.
        unnamed = [name for name in columns if name not in files.options]
        if names := columns_to_look_at(unnamed, rows):
            others = _rows_by_value(files, names, options.y_true)
            rows = replace(rows, others=others)
        return rows


def _rows_by_value(
    files: NamedFiles, names: list[str], y_true: str
) -> dict[str, Counter[Label]]:
    """Return the number of rows with each value, for each column whose values can be
    labels. The labels are read, too, since `names` may be those of folders.
    """
    rows_by_value = {}
    for name in names:
        with suppress(SourceError):
            counts = Counter[Label]()
            for columns in files.open(Roles(name, y_true)).read():
                counts.update(counted_labels(columns[name]))
            rows_by_value[name] = counts
    return rows_by_value


def _named_files(options: Options, paths: Sequence[str]) -> NamedFiles:
    """Return files together with the option that names each column."""
    names = {options.y_true: "--y-true"}
    for text, columns in zip(options.model_texts, options.models.values(), strict=True):
        option = "--y-score" if text is options.y_score else "--compare"
        if "=" in text and not options.has_classes:
            option += (
                f" (NAME={format_value(text)} for a column called {format_value(text)})"
            )
        names |= dict.fromkeys(columns, option)
    for role in ("sample_weight", "query_id", "per", "amount", "unit_id"):
        column = getattr(options, role)
        if column is not None:
            names[column] = option_name(role)
    return NamedFiles(paths, names, options.drop_missing)


def _rows_with_scores(
    options: Options,
    files: NamedFiles,
    columns: Mapping[str, str],
    of_class: frozenset[Label] | None = None,
) -> ScoredRows:
    """Return the rows with the scores of each model; with `of_class`, the labels of
    this class are positive.
    """
    first = next(iter(columns.values()))
    # With `of_class`, the positive label has no effect.
    positive: Label = 1
    if of_class is None:
        # Find the positive label first, so that one more pass can read labels as
        # booleans. This pass reads the scores, too: the labels may be in the names of
        # folders (label=1), but at least one column must be read from the files.
        labels = files.open(Roles(options.y_true, first))
        positive = read_pos_label(labels, options.pos_label)
    roles = Roles(
        options.y_true,
        first,
        sample_weight=options.sample_weight,
        query_id=options.query,
        pos_label=positive,
        of_class=of_class,
        amount=options.amount,
        takes_others=options.pos_label is not None,
    )
    source = files.open(roles)
    batch = gathered(source).counted()
    query_id, totals = _ids_and_totals(options, files, batch.query)
    unit_id = None
    if options.unit_id is not None:
        # Read the units as queries, which checks them as ids.
        unit_id = files.gather(roles._replace(query_id=options.unit_id)).query
    elif options.fail_each:
        # --fail-each tests each class by drawing its rows, so each row is a unit.
        unit_id = np.arange(batch.positive.size)
    return counted(
        ScoredRows(
            counts=_counts_of(options, source.reader, positive, of_class or {positive}),
            y_true=batch.positive,
            scores=dict(_scores_by_model(options, files, source, batch.score, columns)),
            sample_weight=batch.weight,
            amount=batch.amount,
            query_id=query_id,
            query_column=options.query or "",
            unit_id=unit_id,
            n_positives=totals,
        )
    )


def _scores_by_model(
    options: Options,
    files: NamedFiles,
    source: LocalSource,
    first: AnyArray,
    columns: Mapping[str, str],
) -> Iterator[tuple[str, AnyArray]]:
    """Yield the name and the scores of each model.

    `first` has the scores of the first column. For each other column, another pass over
    the files reads and checks it.
    """
    for name, column in columns.items():
        score = first
        if column != source.roles.y_score:
            score = files.gather(source.roles._replace(y_score=column)).score
        if options.lower_is_better:
            score = _negated(score, source.name, column)
        yield name, score


def _counts_of(
    options: Options, reader: BatchReader, positive: Label, positives: Set[Label]
) -> Counts:
    """Return counts with the names of the columns, the labels, and the numbers of rows
    that the reader has dropped. `counted` adds the other numbers.
    """
    return Counts(
        query_name=options.per or "query",
        # A day or a class without positives does not show how good a model is, so the
        # mean excludes it. For a query without positives, the search has found nothing,
        # so the query scores 0.
        zero_division=0.0 if options.per is None else nan,
        label_column=options.y_true,
        score_column=span(options.first_columns),
        weight_name=options.sample_weight or "weight",
        amount_name=options.amount or "amount",
        unit_name=options.unit_id or ROW,
        rows_left_out=reader.n_weightless,
        rows_dropped=reader.missing.n_rows,
        missing_values=dict(reader.missing.by_column),
        positives_dropped=sum(
            n_rows
            for label, n_rows in reader.missing.labels.items()
            if positives & {label, typed_label(label)}
        ),
        lower_is_better=options.lower_is_better,
        **label_fields(positive, reader.labels.negatives),
    )


def _ids_and_totals(
    options: Options, files: NamedFiles, query_id: AnyArray | None
) -> tuple[AnyArray | None, ArrayLikeOrMapping | None]:
    """Return the queries of the rows, and the total number of positives, or the total
    of each query.

    The file of --n-positives has the totals of queries, also of those without rows. If
    the ids in one of the files are text, the ids of both files become text.
    """
    path, query = options.n_positives, options.query
    # Without queries, --n-positives is a number, or None.
    if not isinstance(path, str) or query is None or query_id is None:
        return query_id, path
    with engine_errors(format_value(path)):
        header, _ = text_header(path, [query])
    columns = {*header} - {query}
    if len(columns) != 1:
        raise SourceError(
            f"{format_value(path)}: must have two columns, {format_value(query)} and "
            f"the totals; got {', '.join(map(format_value, header))}"
        )
    [column] = columns
    # Read the totals as scores. The reader needs a column of labels, too, which may
    # contain any numbers if it is read for a class.
    roles = Roles(column, column, query_id=query, of_class=frozenset())
    totals = NamedFiles([path], files.options, advice="write the file without them")
    batch = totals.gather(roles)
    ids = np.asarray(batch.query)
    if object in (ids.dtype, query_id.dtype):
        ids, query_id = _as_texts(ids), _as_texts(query_id)
    queries = as_list(ids)
    by_query = dict(zip(queries, batch.score.tolist(), strict=True))
    if len(by_query) < len(queries):
        problem = (
            f"must have one total per {query}; got {len(queries)} for {len(by_query)}"
        )
        raise column_error(format_value(path), column, problem)
    return query_id, by_query


def _as_texts(ids: AnyArray) -> AnyArray:
    """Return ids as text, in an array of objects."""
    return ids.astype(str).astype(object)


def _negated(score: AnyArray, where: str, column: str) -> AnyArray:
    """Return negated scores; raise SourceError for integers whose negative does not fit
    into int64.
    """
    numbers = score if score.dtype.kind == "f" else score.astype(np.int64)
    # `-numbers` would turn 0.0 into -0.0.
    negated = 0 - numbers
    # The negative of an integer that does not fit has wrapped around to another sign.
    wrapped = score[(negated < 0) != (score > 0)]
    if wrapped.size:
        problem = f"contains {wrapped[0]}, which --lower-is-better cannot negate"
        raise column_error(where, column, f"{problem} in 64 bits")
    return negated


def _rows_of_classes(options: Options, files: NamedFiles) -> ScoredRows:
    """Return the rows of all classes, each against the rest, from a column of scores
    per class.
    """
    columns = [*options.models.values()]
    source = files.open(Roles(options.y_true, options.first_columns[0]))
    classes = read_classes(source)
    if problem := _problem_of_columns(columns, [*classes]):
        raise column_error(source.name, options.y_true, problem)
    ordered = [columns_of_classes(names, [*classes]) for names in columns]
    rows = {}
    # Each class has one column of each model.
    for name, *of_class in zip(classes, *ordered, strict=True):
        models = dict(zip(options.models, of_class, strict=True))
        title = name
        if {*of_class} != {name}:
            title += f" ({', '.join(dict.fromkeys(of_class))})"
        rows[title] = _rows_with_scores(options, files, models, classes[name])
    return rows_of_classes(rows)


def _problem_of_columns(
    columns: Sequence[Sequence[str]], classes: Sequence[str]
) -> str:
    """Return the reason why the columns of scores do not fit the classes; empty if each
    class can have a column of each model.
    """
    n_classes = count_words("class", len(classes))
    for place, names in enumerate(columns):
        without = columns_without_class(names, classes)
        if without and len(without) == len(names) - len(classes):
            option = "--compare" if place else "--y-score"
            return (
                f"has {n_classes}, and {option} names {len(names):,} columns; no row has "
                f"the class of {listed(without, _N_NAMED)}: leave them out of {option}"
            )
    if any(not len(classes) == len(names) == len({*names}) for names in columns):
        got = " and ".join(listed(names, _N_NAMED) for names in columns)
        return (
            f"has {n_classes} ({listed(classes, _N_NAMED)}), so --y-score and --compare "
            f"must each name {len(classes)} different columns; got {got}"
        )
    first, *_ = columns
    if {*classes} == {"0", "1"} and not any("0" in name for name in first):
        return (
            "has the labels 0 and 1, which are one ranking; for two models, write "
            f"--y-score {first[0]} --compare {first[1]}"
        )
    return ""
