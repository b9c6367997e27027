"""Rows of a Spark DataFrame, which are gathered, or reduced on the executors.

The executors import this package. Local sessions inherit PYTHONPATH and the installed
packages. On a cluster, install sklearn-ap together with numpy, scipy, scikit-learn and
pyarrow on every executor, or ship it: ``spark.addArtifact("sklearn_ap.zip",
pyfile=True)`` or ``spark-submit --py-files``.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core.evaluate import Averaging, score_rows
from .._core.reading.ids import distinct_queries, read_numbered
from .._core.reading.options import short_repr
from .._core.reading.per_ranking import read_totals
from .._core.typing import Average, PassedRows, QueryId
from ._arguments import BoundScore
from ._batches import Columns, Pass, Rows, joined
from ._few_rows import Reduce
from ._stream import Stream

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame

# Bytes of a gathered row in the driver: its label, score and weight, and the id of its
# query.
_ROW_BYTES = 40
# By default, the driver accepts results of 1 GB (spark.driver.maxResultSize), and its
# JVM has a heap of 1 GB.
_MOST_GATHERED = 2**28


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

    def gather(self) -> Rows | None:
        """Return all rows, or None if they exceed the limit."""
        if self._rows.count() * _ROW_BYTES > min(self.limit, _MOST_GATHERED):
            return None
        table = self._rows.toArrow().rename_columns(self._columns.names)
        return Stream(table, self._columns, table.nbytes + self.limit).gather()

    def run(
        self, reduce: Reduce, most_parts: int | None = None
    ) -> tuple[Pass, list[Any]]:
        """Return a pass over all rows, which the caller checks, and the results of at
        most `most_parts` parts.
        """
        rows = self._rows
        if most_parts is not None:
            rows = rows.coalesce(most_parts)
        return self._reduced(rows, reduce)

    def score_queries(
        self, spec: BoundScore, average: Average
    ) -> tuple[list[QueryId], Any]:
        """Return the ids of the queries, sorted, and their scores, or the mean. The
        executors score the queries, each of which is in one part.
        """
        total_of = None
        totals = read_totals(spec.n_positives)
        if totals is not None:
            if totals.names is None:
                raise ValueError(
                    "n_positives must be a mapping {query: total} if rows exceed "
                    f"memory_limit; got {short_repr(spec.n_positives)}."
                )
            total_of = dict(zip(totals.names, totals.numbers.tolist(), strict=True))
        place = self._columns.names.index(str(self._columns.query_id))
        score = partial(_scored_queries, spec=spec, total_of=total_of)
        finished, parts = self._reduced(self._rows.repartition(str(place)), score)
        finished.check()
        scored = {query.name: query for part in parts for query in part}
        # The score of a query that has a total but no rows is 0.
        for name, total in (total_of or {}).items():
            value = scored[name].score if name in scored else 0.0
            scored[name] = _ScoredQuery(name, value, total, is_counted=True)
        queries = [
            scored[name]
            for name in sorted(scored)
            if average is None or scored[name].is_counted
        ]
        weights = np.array([query.n_positives for query in queries])
        averaging = Averaging(
            has_positives=weights > 0,
            weights=weights if average == "weighted" else None,
            one_value=average is not None,
            of_queries=True,
        )
        result = averaging.average(
            np.array([query.score for query in queries]),
            zero_division=spec.zero_division,
            caller=spec.function.func.__name__,
            reference=None,
        )
        return [query.name for query in queries], result

    def _reduced(self, rows: DataFrame, reduce: Reduce) -> tuple[Pass, list[Any]]:
        """Return a pass over the rows of a frame, and the result of each part. The rows
        stay on the executors, which call `reduce`. Raise their errors.
        """
        function = partial(_pickled_result, self._columns, reduce)
        finished, results = Pass(self._columns), []
        parts = rows.mapInArrow(function, "result binary").toArrow()
        for pickled in parts["result"].to_pylist():
            result = pickle.loads(pickled)
            if isinstance(result, ValueError):
                raise result
            part, value = result
            finished.add(part)
            results.append(value)
        return finished, results

    def close(self) -> None:
        """Do nothing, since no rows were persisted."""


# --- functions that run on an executor ------------------------------------------------


def _pickled_result(
    columns: Columns, reduce: Reduce, batches: Iterable[RecordBatch]
) -> Iterator[RecordBatch]:
    """Yield the pickled pass over the rows of a part and the result of a function for
    them, or its error: Spark would raise another one, which contains the traces of Java
    and of workers.
    """
    import pyarrow

    part = Pass(columns)
    named = (batch.rename_columns(columns.names) for batch in batches)
    result: Any
    try:
        result = part, reduce(part.read(named))
    except ValueError as error:
        result = error
    pickled = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    yield pyarrow.RecordBatch.from_pydict({"result": [pickled]})


class _ScoredQuery(NamedTuple):
    """The score of a query."""

    name: QueryId
    score: float
    # The weight of all positives, found or missed.
    n_positives: float
    # Whether means count the query: it has a total, or a row of weight above 0.
    is_counted: bool


def _scored_queries(
    batches: Iterable[Rows], spec: BoundScore, total_of: Mapping[QueryId, float] | None
) -> list[_ScoredQuery]:
    """Return the score of each query of a part, which contains all of its rows."""
    parts = deque(batches)
    if not parts:
        return []
    rows = joined(parts)
    query: Any = rows.query_id
    names, place = distinct_queries(read_numbered(query, query.size))
    weight = rows.sample_weight
    if weight is None:
        weight = np.ones(place.size)
    totals = None
    if total_of is not None:
        totals = {name: total_of[name] for name in names if name in total_of}
    scores = np.zeros(len(names))
    if weight.any():
        passed = PassedRows(
            **rows._asdict(),
            average=None,
            pos_label=True,
            n_positives=totals,
            # Queries without positives are warned of once, in the mean.
            zero_division=0.0,
        )
        scores = np.asarray(score_rows(spec.name, spec.definition, passed))
    positives = np.bincount(place, weight * rows.y_true)
    is_counted = np.bincount(place, weight) > 0
    columns = scores.tolist(), positives.tolist(), is_counted.tolist()
    return [*map(_ScoredQuery, names, *columns)]
