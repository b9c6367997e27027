"""Rows of a Spark DataFrame: checked by one query, then gathered, or sorted and walked on executors.

The executors import this package. Local sessions inherit PYTHONPATH and the installed packages; on a cluster,
install sklearn-ap beside numpy, scipy, scikit-learn and pyarrow on every executor, or ship it:
``spark.addArtifact("sklearn_ap.zip", pyfile=True)`` or ``spark-submit --py-files``.
"""

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ._batches import (
    Batch,
    BatchReader,
    Roles,
    SourceError,
    column_error,
    format_value,
    read_memory_limit,
    refuse_unknown_columns,
)
from ._local import arrow_to_batch
from ._stream import SortedStream, StoredGroups, View

_NAME = "Spark DataFrame"
_PARTITION_ROWS = 2**22  # of a sorted partition, about
_CELL_BYTES = 2**24  # a cell is an array of the JVM, which is copied several times on its way
_RESULT_SHARE = 4  # of what the driver takes, gathered rows are one part
_LONGEST = 400  # characters of what Spark says
_INTEGERS = ("ByteType", "ShortType", "IntegerType", "LongType")
_TEXTS = ("StringType", "CharType", "VarcharType")
_ADVICE = {  # by the words of Spark
    "Python worker exited unexpectedly": "often for lack of memory: raise spark.executor.memoryOverhead, or "
    "repartition into more partitions",
    "maxResultSize": "set spark.driver.maxResultSize, such as '4g', where the session is built",
    "Java heap space": "set spark.driver.memory, such as '4g', before the session starts",
    "No module named": "the executors need sklearn-ap and pyarrow: install them there, or send them by "
    "spark.addArtifact or --py-files",
}

Result = TypeVar("Result")


def open_spark(frame: Any, roles: Roles, limit: int) -> "SparkRows":
    """Return the rows of a Spark DataFrame, classic or connect."""
    if not hasattr(frame, "toArrow"):
        raise TypeError(f"data must be a DataFrame of pyspark 4.0 or newer; got {type(frame).__name__}.")
    if frame.isStreaming:
        raise SourceError(f"{_NAME}: a stream has no end; pass a DataFrame of spark.read, or foreachBatch's")
    refuse_unknown_columns(_NAME, frame.columns, roles.columns)
    with _one_line_errors():
        conf = frame.sparkSession.conf
        sizes = conf.get("spark.driver.maxResultSize", "1g"), conf.get("spark.driver.memory", "1g")
    most = [read_memory_limit(size) // _RESULT_SHARE for size in sizes if size != "0"]
    return SparkRows(frame, roles, min([limit, *most]))


class SparkRows:
    """The rows of a DataFrame; the columns that take part are computed once, and persisted by Spark."""

    name = _NAME

    def __init__(self, frame: Any, roles: Roles, limit: int) -> None:
        self.roles, self.limit = roles, limit
        self._types = {field.name: field.dataType for field in frame.schema.fields}
        columns = [self._column(role).alias(role) for role in ("score", "label", *self._others)]
        self._columns = frame.select(*columns).persist()
        self._persisted = [self._columns]
        self._n_rows = 0

    @property
    def _others(self) -> list[str]:
        optional = {"weight": self.roles.sample_weight, "query": self.roles.query_id}
        return [role for role, name in optional.items() if name is not None]

    def close(self) -> None:
        """Let Spark forget what was persisted."""
        for frame in self._persisted:
            frame.unpersist()

    def _column(self, role: str) -> Any:
        """Return a column by its exact name, in the type that the role needs."""
        from pyspark.ml.functions import vector_to_array  # noqa: PLC0415  # an extra, imported where it is used
        from pyspark.sql import functions  # noqa: PLC0415  # the same

        named = {"score": 1, "label": 0, "weight": 2, "query": 3}
        name = str(self.roles[named[role]])
        column = functions.col("`" + name.replace("`", "``") + "`")
        kind = type(self._types[name]).__name__
        if kind == "VectorUDT" and role == "score":  # of a classifier: the score of the second of two classes
            array = functions.when(column.isNotNull(), vector_to_array(column))
            return functions.when(functions.size(array) == 2, array[1]).otherwise(functions.lit(None))
        if role == "query":
            return column.cast("string") if kind in _TEXTS else column
        if kind in _TEXTS and role == "label":
            if not isinstance(self.roles.pos_label, str):
                raise column_error(_NAME, name, f"contains text; got pos_label={self.roles.pos_label!r}")
            return column
        numeric = (*_INTEGERS, "FloatType", "DoubleType", "DecimalType", "BooleanType")
        if kind not in numeric or (role == "label" and isinstance(self.roles.pos_label, str)):
            raise column_error(_NAME, name, f"has type {self._types[name].simpleString()}; expected numbers")
        if role in ("label", "weight") or kind == "DecimalType":
            return column.cast("double")
        if kind in (*_INTEGERS, "BooleanType"):
            return column.cast("long")
        zero = functions.lit(0.0).cast(self._types[name])
        return column + zero  # -0.0 becomes 0.0, to which it is equal

    def _check(self) -> None:
        """Count all rows by one query, and refuse missing and wrong values."""
        from pyspark.sql import functions  # noqa: PLC0415  # an extra, imported where it is used

        columns = {role: functions.col(role) for role in ("score", "label", *self._others)}
        pos_label = self.roles.pos_label
        label = pos_label if isinstance(pos_label, str) else float(pos_label)
        other = functions.when(columns["label"] != functions.lit(label), columns["label"])
        asked = {
            "n_rows": functions.count(functions.lit(1)),
            "least_other": functions.min(other),
            "greatest_other": functions.max(other),
        }
        for role, column in columns.items():
            wrong = column.isNull()
            if role in ("score", "weight") or (role == "label" and not isinstance(pos_label, str)):
                number = column.cast("double")
                wrong = wrong | functions.isnan(number) | (functions.abs(number) == float("inf"))
            asked[f"n_wrong_{role}"] = functions.count(functions.when(wrong, 1))
        if "weight" in columns:
            asked["least_weight"] = functions.min("weight")
            asked["total_weight"] = functions.sum("weight")
            asked["n_weighted"] = functions.count(functions.when(columns["weight"] > 0, 1))
        with _one_line_errors():
            row = self._columns.agg(*(column.alias(name) for name, column in asked.items())).collect()[0]
        self._refuse(row.asDict())

    def _refuse(self, counts: dict[str, Any]) -> None:
        names = {"score": self.roles.y_score, "label": self.roles.y_true}
        names |= {"weight": str(self.roles.sample_weight), "query": str(self.roles.query_id)}
        for role, name in names.items():
            if counts.get(f"n_wrong_{role}"):
                n_wrong = f"{counts[f'n_wrong_{role}']} of {counts['n_rows']} rows"
                problem = f"contains missing values, or numbers that are not finite, in {n_wrong}"
                raise column_error(_NAME, name, problem)
        if counts.get("least_weight") is not None and counts["least_weight"] < 0:
            problem = f"{counts['least_weight']} is below 0; weights must not be negative"
            raise column_error(_NAME, names["weight"], problem)
        if not np.isfinite(counts.get("total_weight") or 0.0):
            problem = "the sum is infinite; divide the weights by a constant, which changes no score"
            raise column_error(_NAME, names["weight"], problem)
        labels = BatchReader(self.roles)
        for label in (counts["least_other"], counts["greatest_other"]):
            if label is not None:
                labels.add_label(label, _NAME)
        self._n_rows = counts.get("n_weighted", counts["n_rows"])
        if not counts["n_rows"]:
            raise SourceError(f"{_NAME}: contains no rows")
        if not self._n_rows:
            raise column_error(_NAME, names["weight"], "all weights are 0")

    def _narrow(self, *order: str) -> Any:
        """Return the rows as they are scored: labels as booleans, without rows of weight 0."""
        pos_label = self.roles.pos_label
        label = format_value(pos_label) if isinstance(pos_label, str) else repr(float(pos_label))
        selected = ["score", f"label = {label} as positive", *self._others]
        rows = self._columns if "weight" not in self._others else self._columns.where("weight > 0")
        rows = rows.selectExpr(*selected)
        return rows.select(*order, *(name for name in rows.columns if name not in order))

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into this process."""
        self._check()
        row_bytes = 9 + 8 * ("weight" in self._others) + 64 * ("query" in self._others)
        if self._n_rows * row_bytes > self.limit:
            return None
        with _one_line_errors():
            return arrow_to_batch(self._narrow().toArrow().combine_chunks())

    def stream(self, *, keeps_all: bool) -> SortedStream:
        """Return the ranking, sorted by Spark; its groups stay on the executors."""
        n_parts = int(self._n_rows // _PARTITION_ROWS) + 2
        rows = self._narrow().repartitionByRange(n_parts, "score").sortWithinPartitions("score")
        weighted = "weight" in self._others
        store: Any = partial(_store_groups, weighted, keeps_all)
        # Persisted, since two jobs on ranges that are sampled anew would get other ranges.
        groups = rows.mapInArrow(store, _SCHEMA).persist()
        self._persisted.append(groups)
        parts = SparkParts(groups)
        return SortedStream.of_parts(parts, parts.summaries, self.limit)

    def reduce_queries(self, function: Callable[[Iterator[Batch]], Result]) -> list[Result]:
        """Call a function on the rows of each partition, which has whole queries."""
        n_parts = int(self._n_rows // _PARTITION_ROWS) + 2
        rows = self._narrow("query").repartition(n_parts, "query").sortWithinPartitions("query", "score")
        task: Any = partial(_reduce_batches, function)
        with _one_line_errors():
            return [result for _, result in _results(rows.mapInArrow(task, _SCHEMA).toArrow())]


_SCHEMA = "partition int, chunk int, data binary"


class SparkParts:
    """The groups of each partition, on the executors."""

    def __init__(self, groups: Any) -> None:
        self._groups = groups
        found = self._mapped(_no_result, {})
        self._numbers = [number for number, _ in found]
        self.summaries = [summary for _, (summary, _) in found]

    def map(self, function: Callable[[StoredGroups, View], Result], views: Sequence[View]) -> list[Result]:
        """Call a function on each partition with its view, by one job."""
        found = self._mapped(function, dict(zip(self._numbers, views, strict=True)))
        if [summary for _, (summary, _) in found] != self.summaries:
            raise SourceError(
                f"{_NAME}: changed between two walks, since executors lost a persisted partition"
            )
        return [result for _, (_, result) in found]

    def fetched(self) -> Iterator[StoredGroups]:
        """Bring one partition after the other to this process."""
        for number in self._numbers:
            with _one_line_errors():
                table = self._groups.where(f"partition = {number}").toArrow()
            yield from (groups for _, groups in _results(table))

    def _mapped(self, function: Any, views: dict[int, View]) -> list[tuple[int, Any]]:
        task: Any = partial(_reduce_groups, function, views)
        with _one_line_errors():
            return _results(self._groups.mapInArrow(task, _SCHEMA).toArrow())


def _no_result(*_: object) -> None:
    """Ask for the summary alone."""


def _store_groups(weighted: bool, keeps_all: bool, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the groups of one sorted partition as binary rows; it runs on an executor."""
    rows = (arrow_to_batch(batch) for batch in batches)
    yield from _binary_rows(StoredGroups.of_batches(rows, weighted=weighted, keeps_all=keeps_all))


def _reduce_groups(function: Any, views: dict[int, View], batches: Iterator[Any]) -> Iterator[Any]:
    """Yield what a function makes of each partition's groups; it runs on an executor."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    tables = list(batches)
    if tables:
        for number, groups in _results(pyarrow.Table.from_batches(tables)):
            result = function(groups, views.get(number, View()))
            yield from _binary_rows((groups.summary(), result), number)


def _reduce_batches(function: Any, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield what a function makes of the rows of one partition; it runs on an executor."""
    yield from _binary_rows(function(arrow_to_batch(batch) for batch in batches if batch.num_rows))


def _binary_rows(result: Any, partition: int | None = None) -> Iterator[Any]:
    """Yield a pickled result, with the number of the partition, in chunks that the JVM can hold."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used
    from pyspark import TaskContext  # noqa: PLC0415  # the same

    context = TaskContext.get()
    number = (0 if context is None else context.partitionId()) if partition is None else partition
    data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    schema = pyarrow.schema([("partition", "int32"), ("chunk", "int32"), ("data", "binary")])
    for chunk, first in enumerate(range(0, len(data), _CELL_BYTES)):
        cells = {"partition": number, "chunk": chunk, "data": data[first : first + _CELL_BYTES]}
        yield pyarrow.RecordBatch.from_pylist([cells], schema)


def _results(table: Any) -> list[tuple[int, Any]]:
    """Return what binary rows hold, by the number of the partition."""
    chunks: dict[int, list[bytes]] = {}
    for row in sorted(table.to_pylist(), key=lambda row: (row["partition"], row["chunk"])):
        chunks.setdefault(row["partition"], []).append(row["data"])
    return [(number, pickle.loads(b"".join(data))) for number, data in chunks.items()]


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Raise whatever Spark raises as one line, without the traces of Java and of its Python workers."""
    try:
        yield
    except (SourceError, Warning):  # a warning is raised where the caller made it an error
        raise
    except Exception as error:  # of Spark, of py4j, or of a connection to a JVM that is gone
        raise SourceError(f"{_NAME}: {_cause(error)}") from None


def _cause(error: Exception) -> str:
    """Return the line of a Spark error that names the cause, with advice if there is some."""
    text = str(error).partition("JVM stacktrace:")[0]
    trace = text.rpartition("Traceback (most recent call last):\n")[2]
    if trace != text:  # of a Python worker
        lines = [line for line in trace.splitlines() if not line.startswith(" ")]
    else:
        stripped = [line.strip() for line in text.splitlines()]
        of_java = [line for line in stripped if line.startswith((": ", "Caused by: "))]
        lines = [
            re.split("Exception: |stage failure: ", line)[-1] for line in of_java if "awaitResult" not in line
        ] or stripped
    line = next(filter(None, lines), type(error).__name__)
    for words, advice in _ADVICE.items():
        if words in line:
            return f"{line.partition('. ')[0]}; {advice}"
    return line if len(line) <= _LONGEST else format_value(line)
