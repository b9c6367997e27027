"""Rows of a Spark DataFrame: checked, then gathered, or shuffled and reduced on executors.

The executors import this package. Local sessions inherit PYTHONPATH and the installed packages; on a cluster,
install sklearn-ap together with numpy, scipy, scikit-learn and pyarrow on every executor, or ship it:
``spark.addArtifact("sklearn_ap.zip", pyfile=True)`` or ``spark-submit --py-files``.
"""

import json
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from textwrap import dedent
from typing import Any

import numpy as np

from ._batches import (
    Batch,
    BatchReader,
    Roles,
    SourceError,
    best_rows,
    format_value,
    read_memory_limit,
    refuse_unknown_columns,
)
from ._local import arrow_to_batch
from ._stream import Result, SortedStream, StoredGroups, View

_SPARK_FRAME = "Spark DataFrame"
_PARTITION_ROWS = 2**22  # of a sorted partition, about; a quarter of it if a task ranks all rows at once
_CHUNK_BYTES = 2**24  # of a pickled result: an array of the JVM, which copies it several times
_RESULT_SHARE = 4  # gathered rows take one part in four of the results that the driver accepts
_MAX_CAUSE_CHARACTERS = 400  # of the cause of an error
_INTEGERS = ("tinyint", "smallint", "int", "bigint", "boolean")
_SCORE_TYPES = {"long": "int64", "float": "float32", "double": "float64"}  # of numpy
_CLASSES = 2  # in a vector of scores
_DISTINCT_SHARE = 0.98  # of the scores of a batch; below it, tied rows are joined
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
    """The rows of a DataFrame as narrow columns.

    Spark computes the DataFrame once, and persists checked rows. Rows with queries are only counted at first,
    which computes no column that the count does not need. A second pass gathers or ranks them, without
    sorting them; a query that exceeds the memory of a task requires a third pass, which sorts.
    """

    name = _SPARK_FRAME
    reads_again = True

    def __init__(self, frame: Any, roles: Roles, limit: int) -> None:
        self.roles, self.limit = roles, limit
        self._types = {field.name: field.dataType for field in frame.schema.fields}
        # By position, since Spark parses names again before rows are sent to Python.
        columns = enumerate((name, self._types[name]) for name in roles.columns)
        with _spark_errors():
            selected = [_column(*column).alias(f"c{index}") for index, column in columns]
            self._unchecked = frame.select(*selected)
        self._rows: Any = None  # checked
        self._persisted: list[Any] = []

    def close(self) -> None:
        """Let Spark drop the persisted frames."""
        with suppress(Exception):  # of a JVM that is gone, whose error was raised before
            for frame in self._persisted:
                frame.unpersist()

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into this process."""
        has_queries = self.roles.query_id is not None
        row_bytes = 9 + 8 * (self.roles.sample_weight is not None) + 64 * has_queries
        with _spark_errors():
            self._n_rows = self._unchecked.count() if has_queries else self._check(self.roles)
            if self._n_rows * row_bytes > self.limit:
                return None
            if has_queries:
                self._check(self.roles)
            rows = _arrow_to_rows(self._rows.toArrow())
        if rows.n_rows is None:
            return rows
        return rows.take(np.repeat(np.arange(rows.score.size), rows.n_rows))._replace(n_rows=None)

    def _check(self, roles: Roles) -> int:
        """Check the rows, which Spark persists, and return their number."""
        fields = {"score": _score_type(self._types[roles.y_score]), "positive": "int"}
        fields |= {} if roles.sample_weight is None else {"weight": "double"}
        fields |= {} if roles.query_id is None else {"query": _id_type(self._types[roles.query_id])}
        schema = ", ".join(f"{name} {kind}" for name, kind in {**fields, "negative": "string"}.items())
        read: Any = partial(_read_batches, roles, _SCORE_TYPES[fields["score"]])
        numbers = "count(*)", "coalesce(sum(abs(positive)), 0)", "min(negative)", "max(negative)"
        reader = BatchReader(roles)
        with _spark_errors():
            checked = self._unchecked.mapInArrow(read, schema).persist()
            self._persisted.append(checked)
            counts = checked.selectExpr(*numbers).toArrow()
        n_distinct, reader.n_rows, *negatives = (column[0].as_py() for column in counts.columns)
        for label in filter(None, negatives):
            reader.add_label(json.loads(label), _SPARK_FRAME)
        reader.refuse_no_rows(_SPARK_FRAME)
        self._rows, self._n_parts = checked.select(*fields), n_distinct // _PARTITION_ROWS + 2
        return reader.n_rows

    def best(self, n_rows: int) -> Batch:
        """Return rows with the same first rows as all of them, and the same totals, by one job."""
        weight = "" if self.roles.sample_weight is None else "weight double, "
        score_type = _score_type(self._types[self.roles.y_score])
        schema = f"score {score_type}, positive boolean, {weight}n_rows long"
        best = self._pooled().mapInArrow(partial(_best_of_batches, n_rows, _arrow_to_rows), schema)
        # One task compares the best of all partitions, as they come.
        best = best.repartition(1).mapInArrow(partial(_best_of_batches, n_rows, arrow_to_batch), schema)
        with _spark_errors():
            return arrow_to_batch(best.toArrow())

    def _pooled(self) -> Any:
        """Return the checked rows, without queries."""
        if self.roles.query_id is not None:
            self._check(self.roles._replace(query_id=None))
        return self._rows

    def stream(self, *, keeps_negatives: bool) -> SortedStream:
        """Return the ranking, sorted by Spark; its groups stay on the executors."""
        rows = self._pooled().repartitionByRange(self._n_parts, "score").sortWithinPartitions("score")
        store: Any = partial(_groups_of_batches, self.roles.sample_weight is not None, keeps_negatives)
        # Persisted, since two jobs on ranges that are sampled anew would get other ranges.
        groups = rows.mapInArrow(store, _SCHEMA).persist()
        self._persisted.append(groups)
        parts = SparkParts(groups)
        return SortedStream.of_parts(parts, parts.summaries, self.limit)

    def reduce_queries(self, function: Callable[..., Result]) -> list[Result]:
        """Call a function on the rows of each partition, which has whole queries."""
        if self._rows is None:
            query_id = str(self.roles.query_id)
            key = self._unchecked[self.roles.columns.index(query_id)].cast(_id_type(self._types[query_id]))
            queries = self._unchecked.repartition(4 * self._n_rows // _PARTITION_ROWS + 2, key)
            task: Any = partial(_reduce_unsorted, self.roles, function, _PARTITION_ROWS // 2)
            results = [result for _, result in _collected(queries.mapInArrow(task, _SCHEMA))]
            labels = {label for _, label, _ in filter(None, results)} - {None}
            if None not in results and len(labels) <= 1 and any(n_rows for n_rows, *_ in results):
                return [result for *_, result in results]
            self._check(self.roles)  # raises the error of rows that are refused
        rows = self._rows.repartition(self._n_parts, "query").sortWithinPartitions("query", "score")
        task = partial(_reduce_sorted, function)
        return [result for _, result in _collected(rows.mapInArrow(task, _SCHEMA))]


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
    """Yield the checked rows of a partition; the first row of a batch has the label of negatives.

    `positive` is a number of rows, below 0 for negatives: tied rows of a batch become one row, since Spark
    sends all rows of a score to one task.
    """
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used
    from pyspark import TaskContext  # noqa: PLC0415  # the same

    context, reader = TaskContext.get(), BatchReader(roles)
    where = f"partition {0 if context is None else context.partitionId()}"
    for checked in _read(reader, batches, where):
        n_distinct = len(checked.score) if checked.query is not None else np.unique(checked.score).size
        # Few batches have ties in most data, and `unique` takes a twentieth of the time of `distinct`.
        rows = checked.distinct() if n_distinct < _DISTINCT_SHARE * checked.score.size else checked
        signs = np.where(rows.positive, np.int32(1), np.int32(-1))
        signed: Any = signs if rows.n_rows is None else (signs * rows.n_rows).astype(np.int32)
        score = rows.score.astype(score_type, copy=False)  # Spark takes no other type
        columns = rows._replace(score=score, positive=signed, n_rows=None).columns()
        label = None if reader.negative_label is None else json.dumps(reader.negative_label)
        arrays = {name: pyarrow.array(column) for name, column in columns.items()}
        labels = pyarrow.array([label] + [None] * (score.size - 1), "string")
        yield pyarrow.RecordBatch.from_pydict({**arrays, "negative": labels})


def _read(reader: BatchReader, batches: Iterator[Any], where: str) -> Iterator[Batch]:
    """Yield the checked rows of each batch that has some."""
    for batch in batches:
        columns = {name: batch.column(index) for index, name in enumerate(reader.roles.columns)}
        rows = reader.read(columns, where)
        if rows.score.size:
            yield rows


def _arrow_to_rows(batch: Any) -> Batch:
    """Return rows that `_read_batches` has read."""
    rows = arrow_to_batch(batch)
    n_rows: Any = np.abs(rows.positive)
    return rows._replace(positive=rows.positive > 0, n_rows=None if (n_rows == 1).all() else n_rows)


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
        """Bring one partition after the other to this process, by a job on that partition alone."""
        with _spark_errors():
            yield from (groups for _, groups in _results(self._groups.toLocalIterator()))

    def _mapped(self, function: Any, views: dict[int, View]) -> list[tuple[int, Any]]:
        return _collected(self._groups.mapInArrow(partial(_reduce_groups, function, views), _SCHEMA))


def _best_of_batches(n_rows: int, to_rows: Callable[[Any], Batch], batches: Iterator[Any]) -> Iterator[Any]:
    """Yield rows with the same first rows as those of a partition; it runs on an executor."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    rows = (to_rows(batch) for batch in batches if batch.num_rows)
    first = next(rows, None)
    if first is not None:
        best = best_rows(chain((first,), rows), n_rows)
        counts = np.ones(best.score.size, dtype=np.int64) if best.n_rows is None else best.n_rows
        columns = best._replace(n_rows=counts.astype(np.int64)).columns()
        yield pyarrow.RecordBatch.from_pydict(columns)


def _no_result(*_: object) -> None:
    """Ask for the summary alone."""


def _groups_of_batches(weighted: bool, keeps_negatives: bool, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the groups of one sorted partition as binary rows; it runs on an executor."""
    rows = map(_arrow_to_rows, batches)
    yield from _binary_rows(StoredGroups.of_batches(rows, weighted=weighted, keeps_negatives=keeps_negatives))


def _reduce_groups(function: Any, views: dict[int, View], batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the result of a function of the groups of each partition; it runs on an executor."""
    for number, groups in _results(row for batch in batches for row in batch.to_pylist()):
        result = function(groups, views.get(number, View()))
        yield from _binary_rows((groups.summary(), result), number)


def _reduce_unsorted(
    roles: Roles, function: Callable[..., Any], max_rows: int, batches: Iterator[Any]
) -> Iterator[Any]:
    """Yield the number of rows, the label of negatives, and the result of a function of whole queries.

    Yield None if rows are refused or too many. It runs on an executor.
    """
    reader, result, gathered, n_rows = BatchReader(roles), None, list[Batch](), 0
    with suppress(SourceError):
        for rows in _read(reader, batches, _SPARK_FRAME):
            gathered.append(rows)
            n_rows += rows.score.size
            if n_rows > max_rows:
                break
        else:
            result = n_rows, reader.negative_label, function(iter(gathered), chunk_rows=max_rows + 1)
    yield from _binary_rows(result)


def _reduce_sorted(function: Any, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the result of a function of the rows of one partition; it runs on an executor."""
    yield from _binary_rows(function(_arrow_to_rows(batch) for batch in batches if batch.num_rows))


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


def _collected(frame: Any) -> list[tuple[int, Any]]:
    """Return the results of all partitions, each with the number of its partition, by one job."""
    with _spark_errors():
        rows = frame.toArrow().to_pylist()
    return list(_results(sorted(rows, key=itemgetter("partition", "chunk"))))


def _results(rows: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the unpickled results, each with the number of its partition, of binary rows in order."""
    for number, chunks in groupby(rows, itemgetter("partition")):
        yield number, pickle.loads(b"".join(row["data"] for row in chunks))


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
