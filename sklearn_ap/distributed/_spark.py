"""Rows of a Spark DataFrame: checked by one query, then gathered, or sorted and reduced on executors.

The executors import this package. Local sessions inherit PYTHONPATH and the installed packages; on a cluster,
install sklearn-ap together with numpy, scipy, scikit-learn and pyarrow on every executor, or ship it:
``spark.addArtifact("sklearn_ap.zip", pyfile=True)`` or ``spark-submit --py-files``.
"""

import json
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from textwrap import dedent
from typing import Any

from ._batches import (
    Batch,
    BatchReader,
    Roles,
    SourceError,
    format_value,
    read_memory_limit,
    refuse_unknown_columns,
)
from ._local import arrow_to_batch
from ._stream import Result, SortedStream, StoredGroups, View

_SPARK_FRAME = "Spark DataFrame"
_PARTITION_ROWS = 2**22  # of a sorted partition, about
_CHUNK_BYTES = 2**24  # of a pickled result: an array of the JVM, which copies it several times
_RESULT_SHARE = 4  # gathered rows take one part in four of the results that the driver accepts
_MAX_CAUSE_CHARACTERS = 400  # of the cause of an error
_INTEGERS = ("tinyint", "smallint", "int", "bigint", "boolean")
_SCORE_TYPES = {"long": "int64", "float": "float32", "double": "float64"}  # of numpy
_CLASSES = 2  # in a vector of scores
_ADVICE = {  # by the words of Spark
    "Python worker exited unexpectedly": "often for lack of memory: raise spark.executor.memoryOverhead, or "
    "repartition into more partitions",
    "maxResultSize": "set spark.driver.maxResultSize, such as '4g', where the session is built",
    "Java heap space": "set spark.driver.memory, such as '4g', before the session starts",
    "No module named": "the executors need sklearn-ap and pyarrow: install them there, or send them by "
    "spark.addArtifact or --py-files",
}


def open_spark(frame: Any, roles: Roles, limit: int) -> "SparkSource":
    """Return the rows of a Spark DataFrame, classic or connect."""
    from pyspark.sql import DataFrame  # noqa: PLC0415  # an extra, imported where it is used

    if not isinstance(frame, DataFrame):  # a Column has every attribute
        raise TypeError(f"data must be a DataFrame of pyspark 4.0 or newer; got {type(frame).__name__}.")
    if frame.isStreaming:
        raise SourceError(
            f"{_SPARK_FRAME}: a stream has no end; pass a DataFrame of spark.read, or foreachBatch's"
        )
    refuse_unknown_columns(_SPARK_FRAME, frame.columns, roles.columns)
    with _spark_errors():
        conf = frame.sparkSession.conf
        sizes = conf.get("spark.driver.maxResultSize", "1g"), conf.get("spark.driver.memory", "1g")
    limits = [read_memory_limit(size) // _RESULT_SHARE for size in sizes if size != "0"]
    return SparkSource(frame, roles, min([limit, *limits]))


class SparkSource:
    """The rows of a DataFrame as narrow columns, which Spark persists: they are computed once."""

    name = _SPARK_FRAME

    def __init__(self, frame: Any, roles: Roles, limit: int) -> None:
        self.roles, self.limit, self._n_rows = roles, limit, 0
        types = {field.name: field.dataType for field in frame.schema.fields}
        fields = {"score": _score_type(types[roles.y_score]), "positive": "boolean"}
        fields |= {} if roles.sample_weight is None else {"weight": "double"}
        fields |= {} if roles.query_id is None else {"query": _id_type(types[roles.query_id])}
        schema = ", ".join(f"{name} {kind}" for name, kind in {**fields, "negative": "string"}.items())
        # By position, since Spark parses names again before rows are sent to Python.
        selected = [_column(name, types[name]).alias(f"c{index}") for index, name in enumerate(roles.columns)]
        read: Any = partial(_read_batches, roles, _SCORE_TYPES[fields["score"]])
        with _spark_errors():
            self._checked = frame.select(*selected).mapInArrow(read, schema).persist()
        self._rows = self._checked.select(*fields)
        self._persisted = [self._checked]

    def close(self) -> None:
        """Let Spark drop the persisted frames."""
        with suppress(Exception):  # of a JVM that is gone, whose error was raised before
            for frame in self._persisted:
                frame.unpersist()

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into this process."""
        with _spark_errors():
            counts = self._checked.selectExpr("count(*)", "collect_set(negative)").toArrow()
        self._n_rows, negatives = (column[0].as_py() for column in counts.columns)
        reader = BatchReader(self.roles)
        reader.n_rows = self._n_rows
        for label in sorted(negatives):
            reader.add_label(json.loads(label), _SPARK_FRAME)
        reader.refuse_no_rows(_SPARK_FRAME)
        row_bytes = 9 + 8 * (self.roles.sample_weight is not None) + 64 * (self.roles.query_id is not None)
        if self._n_rows * row_bytes > self.limit:
            return None
        with _spark_errors():
            return arrow_to_batch(self._rows.toArrow())

    def stream(self, *, keeps_negatives: bool) -> SortedStream:
        """Return the ranking, sorted by Spark; its groups stay on the executors."""
        rows = self._rows.repartitionByRange(self._n_parts, "score").sortWithinPartitions("score")
        store: Any = partial(_groups_of_batches, self.roles.sample_weight is not None, keeps_negatives)
        # Persisted, since two jobs on ranges that are sampled anew would get other ranges.
        groups = rows.mapInArrow(store, _SCHEMA).persist()
        self._persisted.append(groups)
        parts = SparkParts(groups)
        return SortedStream.of_parts(parts, parts.summaries, self.limit)

    def reduce_queries(self, function: Callable[[Iterator[Batch]], Result]) -> list[Result]:
        """Call a function on the rows of each partition, which has whole queries."""
        rows = self._rows.repartition(self._n_parts, "query").sortWithinPartitions("query", "score")
        task: Any = partial(_reduce_batches, function)
        with _spark_errors():
            return [result for _, result in _results(rows.mapInArrow(task, _SCHEMA).toArrow())]

    @property
    def _n_parts(self) -> int:
        return int(self._n_rows // _PARTITION_ROWS) + 2


def _score_type(of_column: Any) -> str:
    """Return the type of scores that Spark sorts."""
    kind = of_column.simpleString()
    return "long" if kind in _INTEGERS else "float" if kind == "float" else "double"


def _id_type(of_column: Any) -> str:
    """Return the type of ids that are read; decimals are floats."""
    kind: str = of_column.simpleString()
    return "double" if kind.startswith("decimal") else kind


def _column(name: str, of_column: Any) -> Any:
    """Return a column by its exact name; of a vector for two classes, the score of the second one."""
    from pyspark.ml.functions import vector_to_array  # noqa: PLC0415  # an extra, imported where it is used
    from pyspark.sql.functions import col, size, when  # noqa: PLC0415  # the same

    column = col("`" + name.replace("`", "``") + "`")
    if type(of_column).__name__ != "VectorUDT":
        return column
    array = when(column.isNotNull(), vector_to_array(column))
    return when(size(array) == _CLASSES, array[1])  # null otherwise, which is refused


def _read_batches(roles: Roles, score_type: str, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the checked rows of a partition; the first row of a batch has the label of negatives."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used
    from pyspark import TaskContext  # noqa: PLC0415  # the same

    context, reader = TaskContext.get(), BatchReader(roles)
    where = f"partition {0 if context is None else context.partitionId()}"
    for batch in batches:
        columns = {name: batch.column(index) for index, name in enumerate(roles.columns)}
        rows = reader.read(columns, where)
        rows = rows._replace(score=rows.score.astype(score_type, copy=False))  # Spark takes no other type
        if rows.score.size:
            label = None if reader.negative_label is None else json.dumps(reader.negative_label)
            arrays = {name: pyarrow.array(column) for name, column in rows.columns().items()}
            labels = pyarrow.array([label] + [None] * (rows.score.size - 1), "string")
            yield pyarrow.RecordBatch.from_pydict({**arrays, "negative": labels})


_SCHEMA = "partition int, chunk int, data binary"


class SparkParts:
    """The groups of each partition, on the executors."""

    def __init__(self, groups: Any) -> None:
        self._groups = groups
        results = self._mapped(_no_result, {})
        self._numbers = [number for number, _ in results]
        self.summaries = [summary for _, (summary, _) in results]

    def map(self, function: Callable[[StoredGroups, View], Result], views: Sequence[View]) -> list[Result]:
        """Call a function on each partition with its view, by one job."""
        results = self._mapped(function, dict(zip(self._numbers, views, strict=True)))
        if [summary for _, (summary, _) in results] != self.summaries:
            raise SourceError(
                f"{_SPARK_FRAME}: changed between two reductions, since executors lost a persisted partition"
            )
        return [result for _, (_, result) in results]

    def fetched(self) -> Iterator[StoredGroups]:
        """Bring one partition after the other to this process."""
        for number in self._numbers:
            with _spark_errors():
                table = self._groups.where(f"partition = {number}").toArrow()
            yield from (groups for _, groups in _results(table))

    def _mapped(self, function: Any, views: dict[int, View]) -> list[tuple[int, Any]]:
        task: Any = partial(_reduce_groups, function, views)
        with _spark_errors():
            return _results(self._groups.mapInArrow(task, _SCHEMA).toArrow())


def _no_result(*_: object) -> None:
    """Ask for the summary alone."""


def _groups_of_batches(weighted: bool, keeps_negatives: bool, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the groups of one sorted partition as binary rows; it runs on an executor."""
    rows = (arrow_to_batch(batch) for batch in batches)
    yield from _binary_rows(StoredGroups.of_batches(rows, weighted=weighted, keeps_negatives=keeps_negatives))


def _reduce_groups(function: Any, views: dict[int, View], batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the result of a function of the groups of each partition; it runs on an executor."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    tables = list(batches)
    if tables:
        for number, groups in _results(pyarrow.Table.from_batches(tables)):
            result = function(groups, views.get(number, View()))
            yield from _binary_rows((groups.summary(), result), number)


def _reduce_batches(function: Any, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the result of a function of the rows of one partition; it runs on an executor."""
    yield from _binary_rows(function(arrow_to_batch(batch) for batch in batches if batch.num_rows))


def _binary_rows(result: Any, partition: int | None = None) -> Iterator[Any]:
    """Yield a pickled result, with the number of the partition, in chunks that the JVM can copy."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used
    from pyspark import TaskContext  # noqa: PLC0415  # the same

    context = TaskContext.get()
    number = (0 if context is None else context.partitionId()) if partition is None else partition
    data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    schema = pyarrow.schema([("partition", "int32"), ("chunk", "int32"), ("data", "binary")])
    for chunk, first in enumerate(range(0, len(data), _CHUNK_BYTES)):
        cells = {"partition": number, "chunk": chunk, "data": data[first : first + _CHUNK_BYTES]}
        yield pyarrow.RecordBatch.from_pylist([cells], schema)


def _results(table: Any) -> list[tuple[int, Any]]:
    """Return the unpickled results, each with the number of its partition."""
    chunks: dict[int, list[bytes]] = {}
    for row in sorted(table.to_pylist(), key=lambda row: (row["partition"], row["chunk"])):
        chunks.setdefault(row["partition"], []).append(row["data"])
    return [(number, pickle.loads(b"".join(data))) for number, data in chunks.items()]


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Raise errors of Spark as one line, without the traces of Java and of its Python workers."""
    try:
        yield
    except (SourceError, Warning):  # a warning is raised where the caller made it an error
        raise
    except Exception as error:  # of Spark, of py4j, or of a connection to a JVM that is gone
        raise SourceError(f"{_SPARK_FRAME}: {_cause(error)}") from None


def _cause(error: Exception) -> str:
    """Return the line of a Spark error that names the cause, with advice if there is some."""
    text = str(error).partition("JVM stacktrace:")[0]
    trace = text.rpartition("Traceback (most recent call last):\n")[2]
    if trace != text:  # of a Python worker, indented if it did not start
        lines = dedent(trace.partition("PYTHONPATH was:")[0]).splitlines()
        lines = [line for line in lines if not line.startswith(" ")]
    else:
        stripped = [line.strip() for line in text.splitlines()]
        of_java = [line for line in stripped if line.startswith((": ", "Caused by: "))]
        lines = [
            re.split("Exception: |stage failure: ", line)[-1] for line in of_java if "awaitResult" not in line
        ] or stripped
    line = next(filter(None, lines), type(error).__name__)
    if "SourceError: " in line:  # of the rows
        return line.split("SourceError: ", 1)[1]
    for words, advice in _ADVICE.items():
        if words in line:
            return f"{line.partition('. ')[0]}; {advice}"
    return line if len(line) <= _MAX_CAUSE_CHARACTERS else format_value(line)
