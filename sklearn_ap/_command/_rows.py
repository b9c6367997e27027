"""The rows of files: in memory, scored by the ordinary functions or, beyond the limit, by `distributed`."""

import argparse
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
Estimate = tuple[float, float, float]  # a score and the ends of its interval, NaN where there is none
_COLUMNS = ("y_true", "y_score", "compare", "sample_weight", "query_id", "item_id", "unit_id", "n_positives")
_CONTRARY = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("0", "1"), ("-1", "1"))  # in any case


class Facts(NamedTuple):
    """What the rows hold; those of weight 0 are gone."""

    n_rows: int
    n_positives: int
    weight: float
    positive_weight: float
    is_weighted: bool
    total: float | None = None  # the weight of all positives, found or missed, if the user states it
    n_queries: int | None = None
    n_with_positive: int = 0  # of the queries


class FileRows(NamedTuple):
    """Rows of files, which answer questions about all of them."""

    facts: Facts
    data: tuple[Any, ...]  # labels and scores, or files and the names of these columns
    columns: Mapping[str, Any]  # of weights and queries
    arrays: Mapping[str, AnyArray] | None  # by role; None beyond memory
    params: Mapping[str, Any]  # what the user states of positives: arguments of scores that take them

    def score(self, name: str, **more: Any) -> float:
        """Return a score of all rows."""
        params = {**self.columns, **accepted_params(name, self.params), **more}
        if self.arrays is None:
            return float(distributed.score(name, *self.data, **params))
        return float(score_of(name, {})(*self.data, **params))

    def estimate(self, **more: Any) -> Estimate:
        """Return average precision and the ends of its interval, NaN where there is none."""
        facts, unit = self.facts, dict[str, Any]()
        has_interval = not facts.is_weighted and facts.n_queries is None
        if self.arrays is not None:
            weight = self.arrays.get("sample_weight", np.ones(1))
            unit = {"unit_id": self.arrays.get("unit_id")}
            has_total = facts.n_queries is None and facts.total is not None
            has_interval = not has_total or weight.min() == weight.max()  # else missed rows weigh anything
        if not has_interval:
            return self.score(AP, **more), nan, nan
        params = {**self.columns, **self.params, **more, **unit}
        estimate = self._package.estimate_score(AP, *self.data, **params)
        return float(estimate.score), *estimate.confidence_interval()

    def point(self, **condition: float) -> OperatingPoint:
        """Return the best threshold for a condition."""
        has_total = self.facts.n_queries is None or isinstance(self.params.get("n_positives"), dict)
        params = {**condition, **self.columns, "n_positives": self.facts.total if has_total else None}
        point: OperatingPoint = self._package.operating_point(*self.data, **params)
        return point

    def by_query(self, name: str, **more: Any) -> dict[Any, float]:
        """Return the score of each query."""
        params = {**self.columns, **accepted_params(name, self.params), **more}
        return dict(self._package.score_by_query(name, *self.data, **params))

    @property
    def _package(self) -> Any:
        """Where the functions for the rows are."""
        return distributed if self.arrays is None else sklearn_ap


def accepted_params(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a score takes."""
    accepted = signature(score_of(name, {})).parameters
    return {parameter: value for parameter, value in params.items() if parameter in accepted}


def cut_in_name(k: int | float) -> str:
    """Return a cut as names of scores have it, without an exponent."""
    return str(k) if isinstance(k, int) else np.format_float_positional(k, trim="0")


def open_files(options: argparse.Namespace, paths: Sequence[str]) -> FileRows:
    """Return the rows of files, or raise SourceError."""
    names = {role: name for role in _COLUMNS if isinstance(name := getattr(options, role), str)}
    limit = options.memory_limit or read_memory_limit("auto")
    pos_label = _positive_label(paths, options.y_true, options.pos_label)
    optional = {role: names[role] for role in ("sample_weight", "query_id") if role in names}
    roles = Roles(names["y_true"], names["y_score"], **optional, pos_label=pos_label)
    source = open_paths(paths, roles, limit)
    batch = source.gather()
    facts = _summarise(source.batches() if batch is None else [batch], is_weighted="sample_weight" in names)
    if batch is not None:
        others = _other_columns(names, roles, paths, limit)
        totals = options.n_positives
        if "n_positives" in names:
            totals = _stated_totals(batch.query, others["n_positives"], source.name, names["n_positives"])
        return _rows_in_memory(facts, batch, others, totals)
    in_memory = [option_name(name) for name in ("compare", "unit_id") if getattr(options, name)]
    in_memory += [options.kind] * (options.kind in ("--identify", "a table"))
    in_memory += ["a column of --n-positives"] * ("n_positives" in names)
    if in_memory:
        problem = f"{in_memory[0]} needs all rows in memory; raise --memory-limit beyond {limit} bytes"
        raise SourceError(f"{source.name}: {problem}")
    columns = {**names, "pos_label": pos_label, "memory_limit": limit}
    rows = FileRows(facts, (list(paths), columns.pop("y_true"), columns.pop("y_score")), columns, None, {})
    values = rows.by_query(AP, zero_division=nan) if "query_id" in names else {}
    return _with_totals(rows, options.n_positives, values, [query for query in values if values[query] >= 0])


def _summarise(batches: Iterable[Batch], *, is_weighted: bool) -> Facts:
    """Count rows and positives, and add up their weights."""
    sums = np.zeros(4)
    for batch in batches:
        positive, weight = batch.positive, np.ones(batch.score.size) if batch.weight is None else batch.weight
        sums += np.array([weight.size, positive.sum(), weight.sum(), weight[positive].sum()])
    n_rows, n_positives, weight_sum, positive_weight = sums.tolist()
    return Facts(int(n_rows), int(n_positives), weight_sum, positive_weight, is_weighted)


def _other_columns(
    names: Mapping[str, str], roles: Roles, paths: Sequence[str], limit: int
) -> dict[str, AnyArray]:
    """Return the columns that are no part of one ranking: each is read as scores or as ids are."""
    columns: dict[str, AnyArray] = {}
    for role in ("compare", "n_positives", "item_id", "unit_id"):
        if role in names:
            place = "query_id" if role.endswith("_id") else "y_score"
            batch = open_paths(paths, roles._replace(**{place: names[role]}), limit).gather()
            if batch is None:
                raise SourceError(f"{option_name(role)} needs its column in memory; raise --memory-limit")
            columns[role] = batch.score if place == "y_score" else np.asarray(batch.query)
    return columns


def _stated_totals(query: AnyArray | None, totals: AnyArray, where: str, column: str) -> Totals:
    """Return the total of each query, which all of its rows repeat."""
    ids = np.zeros(totals.size) if query is None else query
    pairs = set(zip(ids.tolist(), totals.tolist(), strict=True))
    by_query = dict(pairs)
    if len(by_query) < len(pairs):
        both = next((total, by_query[name]) for name, total in pairs if by_query[name] != total)
        problem = "contains the totals {:g} and {:g} of one ranking, whose rows must repeat its total"
        raise column_error(where, column, problem.format(*both))
    return by_query[0.0] if query is None else by_query


def _rows_in_memory(
    facts: Facts, batch: Batch, others: Mapping[str, AnyArray], totals: Totals | None
) -> FileRows:
    query, by_role = batch.query, {"sample_weight": batch.weight, "query_id": batch.query}
    columns = {role: column for role, column in by_role.items() if column is not None}
    data = {"y_true": batch.positive, "y_score": batch.score}
    rows = FileRows(facts, tuple(data.values()), columns, {**data, **columns, **others}, {})
    with_positive = [] if query is None else query[batch.positive].tolist()
    return _with_totals(rows, totals, [] if query is None else query.tolist(), with_positive)


def _with_totals(
    rows: FileRows, totals: Any, queries: Iterable[Any], with_positive: Iterable[Any]
) -> FileRows:
    """Return rows with what the user states about their positives; queries without positives score 0."""
    params = {} if totals is None else {"n_positives": totals}
    n_queries, n_with_positive = len(set(queries)), len(set(with_positive))
    total = sum(totals.values()) if isinstance(totals, dict) else totals and totals * (n_queries or 1)
    if n_queries:
        params["zero_division"] = 0.0
    facts = rows.facts._replace(total=total, n_queries=n_queries or None, n_with_positive=n_with_positive)
    return rows._replace(facts=facts, params=params)


def _positive_label(paths: Sequence[str], column: str, text: str | None) -> Label:
    """Return the positive label; it may be missing if all labels are the number 0 or -1: then it is 1.

    Without `--pos-label`, it is 1, or the word that says yes, alone or beside its contrary.
    """
    where, labels = first_labels(paths, column)
    words = {str(label).strip().lower(): label for label in labels}
    are_text = any(isinstance(label, str) for label in labels)
    positive: Label | None = None if are_text else 1
    if text is None:
        yes = next((yes for no, yes in _CONTRARY if yes in words and set(words) <= {no, yes}), "")
        positive = words.get(yes, positive)
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
    hint = "name the positive one by --pos-label" if text is None else f"--pos-label is {format_value(text)}"
    raise column_error(where, column, f"{problem}; {hint}")
