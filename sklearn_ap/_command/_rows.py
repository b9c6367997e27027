"""The rows of files: in memory, scored by the ordinary functions or, beyond the limit, by `distributed`."""

import argparse
import warnings
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from math import nan
from typing import Any, NamedTuple

import numpy as np

import sklearn_ap

from .. import distributed
from .._operating_points import OperatingPoint
from .._registry import score_of
from .._typing import AnyArray, Label, Totals
from ..distributed._batches import (
    Batch,
    Roles,
    SourceError,
    column_error,
    format_value,
    is_number,
    read_memory_limit,
)
from ..distributed._files import first_labels, open_paths
from ._options import option_name

AP = "average_precision"
Estimate = tuple[float, float, float]  # a score and the ends of its interval, NaN if it is undefined
_COLUMN_OPTIONS = (
    "y_true",
    "y_score",
    "compare",
    "sample_weight",
    "query_id",
    "item_id",
    "unit_id",
    "n_positives",
)
# Pairs of a negative and a positive label, in lower case; labels of files may have any case.
_LABEL_PAIRS = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("0", "1"), ("-1", "1"))


class RowCounts(NamedTuple):
    """Numbers and weights of rows, positives and queries, without the rows of weight 0."""

    n_rows: int
    n_positives: int
    total_weight: float
    positive_weight: float
    is_weighted: bool
    total_positives: float | None = None  # --n-positives of all queries; positives may be missed
    n_queries: int | None = None
    n_with_positive: int = 0  # queries

    @property
    def n_all_positives(self) -> float | None:
        """Number of positives, found or missed, if the user gives it; with weights, that is a weight."""
        return None if self.is_weighted else self.total_positives


class FileRows(NamedTuple):
    """Rows of files, and their scores; `distributed` computes these where the rows exceed memory."""

    counts: RowCounts
    data: tuple[Any, ...]  # labels and scores, or files and the names of these columns
    columns: Mapping[str, Any]  # arguments of every score: weights and queries
    arrays: Mapping[str, AnyArray] | None  # all columns by role; None if they exceed memory
    params: Mapping[str, Any]  # arguments of some scores: `n_positives` and `zero_division`

    def score(self, name: str, **options: Any) -> float:
        """Return a score of all rows."""
        params = {**self.columns, **accepted_params(name, self.params), **options}
        if self.arrays is None:
            return float(distributed.score(name, *self.data, **params))
        return float(score_of(name, {})(*self.data, **params))

    def estimate(self, **options: Any) -> Estimate:
        """Return average precision and the ends of its interval, NaN if it is undefined."""
        counts, unit = self.counts, dict[str, Any]()
        has_interval = not counts.is_weighted and counts.n_queries is None
        if self.arrays is not None:
            weight = self.arrays.get("sample_weight", np.ones(1))
            unit = {"unit_id": self.arrays.get("unit_id")}
            has_total = counts.n_queries is None and counts.total_positives is not None
            # Missed positives have unknown weights, so unequal weights determine no interval.
            has_interval = not has_total or weight.min() == weight.max()
        if not has_interval:
            return self.score(AP, **options), nan, nan
        params = {**self.columns, **self.params, **options, **unit}
        estimate = self._package.estimate_score(AP, *self.data, **params)
        return float(estimate.score), *estimate.confidence_interval()

    def point(self, **condition: float) -> OperatingPoint:
        """Return the best threshold for a condition."""
        has_total = self.counts.n_queries is None or isinstance(self.params.get("n_positives"), dict)
        params = {
            **condition,
            **self.columns,
            "n_positives": self.counts.total_positives if has_total else None,
        }
        point: OperatingPoint = self._package.operating_point(*self.data, **params)
        return point

    def by_query(self, name: str, **options: Any) -> dict[Any, float]:
        """Return the score of each query."""
        params = {**self.columns, **accepted_params(name, self.params), **options}
        return dict(self._package.score_by_query(name, *self.data, **params))

    @property
    def _package(self) -> Any:
        """The package whose functions take the rows."""
        return distributed if self.arrays is None else sklearn_ap


def accepted_params(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those arguments that a score takes."""
    accepted = signature(score_of(name, {})).parameters
    return {parameter: value for parameter, value in params.items() if parameter in accepted}


def cut_in_name(k: int | float) -> str:
    """Return a cut as names of scores have it, without an exponent."""
    return str(k) if isinstance(k, int) else np.format_float_positional(k, trim="0")


def open_files(options: argparse.Namespace, paths: Sequence[str]) -> FileRows:
    """Return the rows of files, or raise SourceError.

    Rows within the memory limit are gathered, and the columns of other options are read once more each.
    """
    names = {role: name for role in _COLUMN_OPTIONS if isinstance(name := getattr(options, role), str)}
    limit = options.memory_limit or read_memory_limit("auto")
    pos_label = _positive_label(paths, options.y_true, options.pos_label)
    optional = {role: names[role] for role in ("sample_weight", "query_id") if role in names}
    roles = Roles(names["y_true"], names["y_score"], **optional, pos_label=pos_label)
    source = open_paths(paths, roles, limit)
    batch = source.gather()
    counts = _summarise(source.batches() if batch is None else [batch], is_weighted="sample_weight" in names)
    if batch is None:
        _refuse_options_in_memory(options, source.name, limit)
        columns = {**names, "pos_label": pos_label, "memory_limit": limit}
        data = list(paths), columns.pop("y_true"), columns.pop("y_score")
        rows = FileRows(counts, data, columns, None, {})
        values = rows.by_query(AP, zero_division=nan) if "query_id" in names else {}
        defined = [query for query, value in values.items() if value >= 0]  # the others are NaN
        return _with_totals(rows, options.n_positives, values, defined)
    more_columns = _read_more_columns(names, roles, paths, limit)
    _warn_of_labels(names, {"y_score": batch.score, **more_columns})
    totals = options.n_positives
    if "n_positives" in names:
        totals = _totals_in_rows(batch.query, more_columns["n_positives"], source.name, names["n_positives"])
    return _rows_in_memory(counts, batch, more_columns, totals)


def _refuse_options_in_memory(options: argparse.Namespace, where: str, limit: int) -> None:
    """Refuse options that require all rows in memory."""
    in_memory = [option_name(name) for name in ("compare", "unit_id") if getattr(options, name)]
    in_memory += [options.kind] * (options.kind in ("--identify", "a table"))
    in_memory += ["a column of --n-positives"] * isinstance(options.n_positives, str)
    if in_memory:
        problem = f"{in_memory[0]} requires all rows in memory; raise --memory-limit beyond {limit} bytes"
        raise SourceError(f"{where}: {problem}")


def _summarise(batches: Iterable[Batch], *, is_weighted: bool) -> RowCounts:
    """Count rows and positives, and add up their weights."""
    sums = np.zeros(4)
    for batch in batches:
        positive, weight = batch.positive, np.ones(batch.score.size) if batch.weight is None else batch.weight
        sums += np.array([weight.size, positive.sum(), weight.sum(), weight[positive].sum()])
    n_rows, n_positives, weight_sum, positive_weight = sums.tolist()
    return RowCounts(int(n_rows), int(n_positives), weight_sum, positive_weight, is_weighted)


def _read_more_columns(
    names: Mapping[str, str], roles: Roles, paths: Sequence[str], limit: int
) -> dict[str, AnyArray]:
    """Return the columns that are not part of a ranking, each read as a column of scores or of ids."""
    columns: dict[str, AnyArray] = {}
    for role in ("compare", "n_positives", "item_id", "unit_id"):
        if role in names:
            replaced_role = "query_id" if role.endswith("_id") else "y_score"
            batch = open_paths(paths, roles._replace(**{replaced_role: names[role]}), limit).gather()
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
    ids = np.zeros(totals.size) if query is None else query
    pairs = set(zip(ids.tolist(), totals.tolist(), strict=True))
    by_query = dict(pairs)
    if len(by_query) < len(pairs):
        both = next((total, by_query[name]) for name, total in pairs if by_query[name] != total)
        problem = "must repeat one total in all rows of a ranking; got {:g} and {:g}"
        raise column_error(where, column, problem.format(*both))
    return by_query[0.0] if query is None else by_query


def _rows_in_memory(
    counts: RowCounts, batch: Batch, more_columns: Mapping[str, AnyArray], totals: Totals | None
) -> FileRows:
    query, by_role = batch.query, {"sample_weight": batch.weight, "query_id": batch.query}
    columns = {role: column for role, column in by_role.items() if column is not None}
    data = {"y_true": batch.positive, "y_score": batch.score}
    rows = FileRows(counts, tuple(data.values()), columns, {**data, **columns, **more_columns}, {})
    with_positive = [] if query is None else query[batch.positive].tolist()
    return _with_totals(rows, totals, [] if query is None else query.tolist(), with_positive)


def _with_totals(
    rows: FileRows, totals: Any, queries: Iterable[Any], with_positive: Iterable[Any]
) -> FileRows:
    """Return rows with `n_positives` and the numbers of their queries; queries without positives score 0."""
    params = {} if totals is None else {"n_positives": totals}
    n_queries, n_with_positive = len(set(queries)), len(set(with_positive))
    total = sum(totals.values()) if isinstance(totals, dict) else totals and totals * (n_queries or 1)
    if n_queries:
        params["zero_division"] = 0.0
    counts = rows.counts._replace(
        total_positives=total, n_queries=n_queries or None, n_with_positive=n_with_positive
    )
    return rows._replace(counts=counts, params=params)


def _positive_label(paths: Sequence[str], column: str, text: str | None) -> Label:
    """Return the positive label as the file writes it.

    Without `--pos-label`, it is 1 or the positive word of a pair such as no and yes. Labels that are all 0 or
    all -1 have the positive label 1, so that files without positives can be read.
    """
    where, labels = first_labels(paths, column)
    words = {str(label).strip().lower(): label for label in labels}
    are_text = any(isinstance(label, str) for label in labels)
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
    for label in labels:
        if label == positive:
            return label
    problem = f"contains the label{'s' * (len(labels) > 1)} {', '.join(map(format_value, labels))}"
    hint = (
        "name the positive label by --pos-label" if text is None else f"--pos-label is {format_value(text)}"
    )
    raise column_error(where, column, f"{problem}; {hint}")
