"""Rows of a Spark DataFrame, which are gathered, or reduced on the executors.

The executors import this package. Local sessions inherit PYTHONPATH and the installed
packages. On a cluster, install sklearn-ap together with numpy, scipy, scikit-learn and
pyarrow on every executor, or ship it: ``spark.addArtifact("sklearn_ap.zip",
pyfile=True)`` or ``spark-submit --py-files``.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core.evaluate import Averaging
from .._core.reading.ids import as_list
from .._core.reading.options import short_repr
from .._core.reading.per_ranking import read_totals
from .._core.typing import Average, QueryId
from ._arguments import BoundScore
from ._batches import Columns, Found, Rows, read_rows
from ._few_rows import Reduce
from ._passes import Totals, counted
from ._stream import Stream, arguments_of

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

# Bytes of a gathered row in the driver: its label, score and weight, and the id of its
# query.
_ROW_BYTES = 40
# By default, the driver accepts results of 1 GB (spark.driver.maxResultSize), and its
# JVM has a heap of 1 GB.
_MOST_GATHERED = 2**28
# The columns that executors return.
_RESULT = "result binary"


class SparkRows:
    """The rows of a Spark DataFrame. Spark computes the frame once to count its rows,
    and once for each pass, so a frame that takes long to compute should be cached.
    """

    def __init__(self, frame: DataFrame, columns: Columns, limit: int) -> None:
        from pyspark.sql import DataFrame

        # Test the class, since a Column seems to have every attribute.
        if not isinstance(frame, DataFrame):
            kind = type(frame)
            raise TypeError(
                "data must be a DataFrame of pyspark 4.0 or newer; got "
                f"{kind.__module__}.{kind.__qualname__}."
            )
        columns.check_in(frame.columns)
        self._columns, self.limit = columns, limit
        escaped = (name.replace("`", "``") for name in columns.names)
        # `mapInArrow` fails if the name of a column contains a point, so columns are
        # numbered.
        self._rows = frame.select(*(f"`{name}`" for name in escaped)).toDF(
            *map(str, range(len(columns.names)))
        )

    def gather(self) -> dict[str, Any] | None:
        """Return all rows as arguments of a function in memory, or None if they exceed
        the limit.
        """
        if self._rows.count() * _ROW_BYTES > min(self.limit, _MOST_GATHERED):
            return None
        table = self._rows.toArrow().rename_columns(self._columns.names)
        return Stream(table, self._columns, table.nbytes + self.limit).gather()

    def run(
        self, reduce: Reduce, most_parts: int | None = None
    ) -> tuple[Totals, list[Any]]:
        """Return the totals of all rows, and the results of at most `most_parts` parts.
        The rows stay on the executors, which call `reduce`.
        """
        rows = self._rows
        if most_parts is not None:
            rows = rows.coalesce(most_parts)
        function = partial(_reduced, self._columns, reduce)
        totals, results = Totals(), []
        for of_part, result in self._results(
            rows.mapInArrow(partial(_pickled_result, function), _RESULT)
        ):
            totals.add(of_part)
            results.append(result)
        return totals, results

    def score_queries(
        self, spec: BoundScore, average: Average
    ) -> tuple[list[QueryId], Any]:
        """Return the ids of the queries, sorted, and their scores, or the mean. The
        executors score each query.
        """
        totals = read_totals(spec.n_positives)
        total_of = dict[QueryId, float]()
        if totals is not None:
            if totals.names is None:
                raise ValueError(
                    "n_positives must be a mapping {query: total} if rows exceed "
                    f"memory_limit; got {short_repr(spec.n_positives)}."
                )
            total_of = dict(zip(totals.names, totals.numbers.tolist(), strict=True))
        score_rows = partial(_scored_query, self._columns, spec, total_of)

        # Spark reads the types of a function that is not local.
        def score_group(rows):  # type: ignore[no-untyped-def]
            return _result_of_group(score_rows, rows)

        query = str(self._columns.names.index(str(self._columns.query_id)))
        groups = self._rows.groupBy(query).applyInArrow(score_group, _RESULT)
        scored: dict[QueryId, _ScoredQuery] = dict(self._results(groups))
        has_rows = {name for name, of_query in scored.items() if of_query.has_weight}
        missing = has_rows - total_of.keys()
        if totals is not None and missing:
            raise ValueError(
                f"n_positives contains no total for query {min(missing)!r} "
                f"({len(missing)} such queries)."
            )
        # The score of a query that has a total but no rows is 0. Means exclude other
        # queries whose rows all have weight 0.
        for name, total in total_of.items():
            scored.setdefault(name, _ScoredQuery(0.0, total, has_weight=False))
        names = {*has_rows, *total_of}
        if average is None:
            names |= scored.keys()
        by_name = sorted(names)
        values = [scored[name] for name in by_name]
        return by_name, _averaged(values, spec, average)

    def _results(self, frame: DataFrame) -> list[Any]:
        """Return the results of the executors. Raise their errors, and SourceError if
        values are wrong.
        """
        found, results = Found(), []
        for pickled in frame.toArrow()["result"].to_pylist():
            result = pickle.loads(pickled)
            if isinstance(result, ValueError):
                raise result
            of_part, value = result
            found.add(of_part)
            results.append(value)
        found.check(self._columns)
        return results

    def close(self) -> None:
        """Do nothing, since no rows were persisted."""


def _averaged(scored: list[_ScoredQuery], spec: BoundScore, average: Average) -> Any:
    """Return the scores of queries, or their mean."""
    weights = np.array([query.n_positives for query in scored])
    averaging = Averaging(
        has_positives=weights > 0,
        weights=weights if average == "weighted" else None,
        one_value=average is not None,
        of_queries=True,
    )
    return averaging.average(
        np.array([query.score for query in scored]),
        zero_division=spec.zero_division,
        caller=spec.function.func.__name__,
        reference=None,
    )


# --- functions that run on an executor ------------------------------------------------


def _pickled_result(
    function: Callable[[Iterable[pyarrow.RecordBatch]], Any],
    batches: Iterable[pyarrow.RecordBatch],
) -> Iterator[pyarrow.RecordBatch]:
    """Yield the pickled result of a function for the batches of a part, or its error:
    Spark would raise another one, which contains the traces of Java and of workers.
    """
    import pyarrow

    try:
        result = function(batches)
    except ValueError as error:
        result = error
    pickled = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    yield pyarrow.RecordBatch.from_pydict({"result": [pickled]})


def _result_of_group(
    function: Callable[[Iterable[pyarrow.RecordBatch]], Any], rows: pyarrow.Table
) -> pyarrow.Table:
    """Return the pickled result of a function for the rows of a group."""
    import pyarrow

    return pyarrow.Table.from_batches(_pickled_result(function, rows.to_batches()))


def _named_rows(
    columns: Columns, batches: Iterable[pyarrow.RecordBatch], found: Found
) -> Iterator[Rows]:
    """Yield the checked rows of batches whose columns are numbered."""
    named = (batch.rename_columns(columns.names) for batch in batches)
    return read_rows(named, columns, found)


def _reduced(
    columns: Columns, reduce: Reduce, batches: Iterable[pyarrow.RecordBatch]
) -> tuple[Found, tuple[Totals, Any]]:
    """Return what a function returns for the rows of a part, and their totals."""
    found, totals = Found(), Totals()
    rows = counted(_named_rows(columns, batches, found), totals)
    result = reduce(rows)
    return found, (totals, result)


class _ScoredQuery(NamedTuple):
    """The score of a query."""

    score: float
    # The weight of all positives, found or missed.
    n_positives: float
    # Whether a row has a weight above 0.
    has_weight: bool


def _scored_query(
    columns: Columns,
    spec: BoundScore,
    total_of: Mapping[QueryId, float],
    batches: Iterable[pyarrow.RecordBatch],
) -> tuple[Found, tuple[QueryId, _ScoredQuery] | None]:
    """Return the id and the score of a query; None if its values are wrong."""
    found = Found()
    parts = deque(_named_rows(columns, batches, found))
    if not parts or found.problems.total():
        return found, None
    rows = arguments_of(parts)
    [name] = as_list(rows.pop("query_id")[:1])
    weight = rows["sample_weight"]
    if weight is None:
        weight = np.ones(rows["y_true"].size)
    total = total_of.get(name, weight[rows["y_true"]].sum())
    if not weight.any():
        return found, (name, _ScoredQuery(0.0, total, has_weight=False))
    if total_of:
        rows["n_positives"] = total
    # Queries without positives are warned of once, in the mean.
    if "zero_division" in signature(spec.function.func).parameters:
        rows["zero_division"] = 0.0
    return found, (name, _ScoredQuery(spec.function(**rows), total, has_weight=True))
