"""The rows of files: in memory, scored by the ordinary functions or, beyond the limit, by `distributed`."""

import argparse
import warnings
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

from .._answer._rows import AP, ScoredRows, count_rows, rows_in_memory, with_passed_total, with_queries
from .._typing import AnyArray, Label, Totals
from ..distributed._batches import (
    Roles,
    SourceError,
    column_error,
    format_value,
    is_number,
    read_memory_limit,
)
from ..distributed._local import first_labels, open_paths
from ._options import option_name

_COLUMNS = ("y_true", "y_score", "compare", "sample_weight", "query_id", "item_id", "unit_id", "n_positives")
# Pairs of a negative and a positive label, in lower case; labels of files may have any case.
_LABEL_PAIRS = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("0", "1"), ("-1", "1"))


def open_files(options: argparse.Namespace, paths: Sequence[str]) -> ScoredRows:
    """Return the rows of files, gathered if they fit into the memory limit; or raise SourceError."""
    names = {role: name for role in _COLUMNS if isinstance(name := getattr(options, role), str)}
    limit = options.memory_limit or read_memory_limit("auto")
    pos_label = _positive_label(paths, names, options.pos_label)
    optional: dict[str, Any] = {role: names[role] for role in ("sample_weight", "query_id") if role in names}
    roles = Roles(names["y_true"], names["y_score"], **optional, pos_label=pos_label)
    # The label is known before the rows are read, so that one pass makes them boolean.
    source = open_paths(paths, roles, limit)
    batch = source.gather()
    if batch is None:
        batches = ((batch.positive, batch.weight) for batch in source.map_parts(iter, None))
        counts = count_rows(batches, is_weighted="sample_weight" in names)
        # Counted first, so that an error in a row is reported before one in the options.
        _refuse_options_in_memory(options, source.name, limit)
        columns = {**names, "pos_label": pos_label, "memory_limit": limit}
        data = list(paths), columns.pop("y_true"), columns.pop("y_score")
        rows = ScoredRows(counts, data, columns, None, {})
        if "query_id" not in names:
            return with_passed_total(rows, options.n_positives)
        values = rows.by_query(AP, zero_division=nan)
        defined = [query for query, value in values.items() if value >= 0]  # the others are NaN
        return with_queries(rows, options.n_positives, values, defined, options.zero_division)
    more_columns = _read_more_columns(names, roles, paths, limit)
    _warn_of_labels(names, {"y_score": batch.score, **more_columns})
    totals = options.n_positives
    if "n_positives" in names:
        totals = _totals_in_rows(batch.query, more_columns["n_positives"], source.name, names["n_positives"])
    arrays: dict[str, Any] = {"y_true": batch.positive, "y_score": batch.score}
    arrays |= {"sample_weight": batch.weight, "query_id": batch.query, **more_columns}
    passed = {role: array for role, array in arrays.items() if array is not None}
    return rows_in_memory(passed, totals, options.zero_division)


def _refuse_options_in_memory(options: argparse.Namespace, where: str, limit: int) -> None:
    """Refuse options that require all rows in memory."""
    in_memory = [option_name(name) for name in ("compare", "unit_id") if getattr(options, name) is not None]
    in_memory += [options.kind] * (options.kind in ("--identify", "--report", "a table"))
    in_memory += ["a column of --n-positives"] * isinstance(options.n_positives, str)
    if in_memory:
        problem = f"{in_memory[0]} requires all rows in memory; raise --memory-limit beyond {limit} bytes"
        raise SourceError(f"{where}: {problem}")


def _read_more_columns(
    names: Mapping[str, str], roles: Roles, paths: Sequence[str], limit: int
) -> dict[str, AnyArray]:
    """Return the columns that are not part of a ranking, each read as a column of scores or of ids."""
    columns: dict[str, AnyArray] = {}
    for role in ("compare", "n_positives", "item_id", "unit_id"):
        if role in names:
            # The readers of scores and of ids check these columns as they check their own.
            replaced_role = "query_id" if role.endswith("_id") else "y_score"
            replaced: Any = {replaced_role: names[role]}
            batch = open_paths(paths, roles._replace(**replaced), limit).gather()
            if batch is None:
                raise SourceError(f"{option_name(role)} requires its column in memory; raise --memory-limit")
            columns[role] = batch.score if replaced_role == "y_score" else np.asarray(batch.query)
    return columns


def _warn_of_labels(names: Mapping[str, str], columns: Mapping[str, AnyArray]) -> None:
    """Warn of each column of scores that contains labels, as classifiers predict them."""
    for role in ("y_score", "compare"):
        score = columns.get(role)
        if score is not None and np.ptp(score) == 1 and ((score == 0) | (score == 1)).all():
            problem = "contains only 0 and 1; if a classifier predicted these labels, name a column of scores"
            warnings.warn(f"column {format_value(names[role])} {problem}", stacklevel=1)


def _totals_in_rows(query: AnyArray | None, totals: AnyArray, where: str, column: str) -> Totals:
    """Return the total of each query, which all of its rows repeat."""
    ids = np.zeros(totals.size) if query is None else query  # without queries, one ranking named 0
    pairs = set(zip(ids.tolist(), totals.tolist(), strict=True))
    by_query = dict(pairs)
    # Fewer queries than pairs: a query has two totals.
    if len(by_query) < len(pairs):
        both = next((total, by_query[name]) for name, total in pairs if by_query[name] != total)
        problem = "must repeat one total in all rows of a ranking; got {:g} and {:g}"
        raise column_error(where, column, problem.format(*both))
    return by_query[0.0] if query is None else by_query


def _positive_label(paths: Sequence[str], names: Mapping[str, str], text: str | None) -> Label:
    """Return the positive label as the file writes it.

    Without `--pos-label`, it is 1 or the positive word of a pair such as no and yes. Labels that are all 0 or
    all -1 have the positive label 1, so that files without positives can be read.
    """
    column = names["y_true"]
    where, labels = first_labels(paths, column, names["y_score"])
    words = {str(label).strip().lower(): label for label in labels}
    are_text = any(isinstance(label, str) for label in labels)
    # Numbers have the positive label 1, as in scikit-learn; text has none until a pair or the user says it.
    positive: Label | None = None if are_text else 1
    if text is None:
        pairs = (pair for pair in _LABEL_PAIRS if pair[1] in words and set(words) <= set(pair))
        positive = words.get(next(pairs, ("", ""))[1], positive)
    elif are_text:
        positive = text
    else:
        positive = words.get(text.strip().lower(), float(text) if is_number(text) else text)
    if positive == 1 and labels in ([0], [-1], []):
        return 1
    # The label as the file spells it, such as 'Yes', since rows are compared with it.
    for label in labels:
        if label == positive:
            return label
    problem = f"contains the label{'s' * (len(labels) > 1)} {', '.join(map(format_value, labels))}"
    hint = (
        "name the positive label by --pos-label" if text is None else f"--pos-label is {format_value(text)}"
    )
    raise column_error(where, column, f"{problem}; {hint}")
