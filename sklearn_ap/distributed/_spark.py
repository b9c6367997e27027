"""Rows of a Spark DataFrame: checked, then gathered, or shuffled and reduced on executors.

The executors import this package. Local sessions inherit PYTHONPATH and the installed packages; on a cluster,
install sklearn-ap together with numpy, scipy, scikit-learn and pyarrow on every executor, or ship it:
``spark.addArtifact("sklearn_ap.zip", pyfile=True)`` or ``spark-submit --py-files``.
"""

import json
import pickle
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import groupby
from operator import itemgetter
from textwrap import dedent
from typing import TYPE_CHECKING

import numpy as np

from .._typing import AnyArray, Label
from ._batches import (
    Batch,
    BatchReader,
    Columns,
    Item,
    Order,
    Roles,
    SourceError,
    concatenate,
    format_value,
    read_memory_limit,
    refuse_unknown_columns,
)
from ._local import arrow_to_batch

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

_SPARK_FRAME = "Spark DataFrame"
_PARTITION_ROWS = 2**22  # of a sorted partition, about; a quarter of it if a task ranks all rows at once
_CHUNK_BYTES = 2**24  # of a pickled result: an array of the JVM, which copies it several times
_RESULT_SHARE = 4  # gathered rows take one part in four of the results that the driver accepts
_MAX_CAUSE_CHARACTERS = 400  # of the cause of an error
_SCHEMA = "partition int, chunk int, data binary"  # of pickled results
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


def open_spark(frame: "DataFrame", roles: Roles, limit: int) -> "SparkSource":
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

    def __init__(self, frame: "DataFrame", roles: Roles, limit: int) -> None:
        self.roles, self.limit = roles, limit
        self._types = {field.name: field.dataType for field in frame.schema.fields}
        # By position, since Spark parses names again before rows are sent to Python.
        columns = enumerate((name, self._types[name]) for name in roles.columns)
        with _spark_errors():
            selected = [_column(*column).alias(f"c{index}") for index, column in columns]
            self._unchecked = frame.select(*selected)
        self._rows: DataFrame | None = None  # checked
        self._persisted: list[DataFrame] = []

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
            assert self._rows is not None, self.roles
            rows = concatenate([_arrow_to_rows(batch) for batch in self._rows.toArrow().to_batches()])
        if rows.n_rows is None:
            return rows
        return rows.take(np.repeat(np.arange(rows.score.size), rows.n_rows))._replace(n_rows=None)

    def _check(self, roles: Roles) -> int:
        """Check the rows, which Spark persists, and return their number."""
        fields = {"score": _score_type(self._types[roles.y_score]), "positive": "int"}
        fields |= {} if roles.sample_weight is None else {"weight": "double"}
        fields |= {} if roles.query_id is None else {"query": _id_type(self._types[roles.query_id])}
        schema = ", ".join(f"{name} {kind}" for name, kind in {**fields, "negative": "string"}.items())
        read = partial(_read_batches, roles, _SCORE_TYPES[fields["score"]])
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

    def map_parts(
        self, function: Callable[[Iterator[Batch]], Iterable[Item]], order: Order | None
    ) -> Generator[Item]:
        """Call a function on the rows of each partition, where they are, and bring its results."""
        is_by_query = order == "query, score"
        if is_by_query and self._rows is None:
            unsorted = self._map_unsorted_queries(function)
            if unsorted is not None:
                yield from unsorted
                return
        if self._rows is None:  # with queries that do not count
            self._check(self.roles if is_by_query else self.roles._replace(query_id=None))
        rows = self._rows
        assert rows is not None, self.roles
        if order == "score":
            rows = rows.repartitionByRange(self._n_parts, "score").sortWithinPartitions("score")
        elif is_by_query:
            rows = rows.repartition(self._n_parts, "query").sortWithinPartitions("query", "score")
        for items in self._results(rows, partial(_items_of_rows, function)):
            yield from items

    def _map_unsorted_queries(self, function: Callable[..., Iterable[Item]]) -> list[Item] | None:
        """Return the results for whole queries that are ranked without a sort of Spark.

        Return None if rows are refused, or too many for a task. Rows are read and ranked by one task.
        """
        query_id = str(self.roles.query_id)
        key = self._unchecked[self.roles.columns.index(query_id)].cast(_id_type(self._types[query_id]))
        queries = self._unchecked.repartition(4 * self._n_rows // _PARTITION_ROWS + 2, key)
        task = partial(_items_of_queries, self.roles, function, _PARTITION_ROWS // 2)
        results: list[tuple[int, Label | None, list[Item]] | None] = list(self._results(queries, task))
        of_parts = [result for result in results if result is not None]
        labels = {label for _, label, _ in of_parts} - {None}
        if len(of_parts) < len(results) or len(labels) > 1 or not any(n_rows for n_rows, *_ in of_parts):
            return None
        return [item for *_, items in of_parts for item in items]

    def _results(
        self, rows: "DataFrame", function: "Callable[[Iterator[pyarrow.RecordBatch]], Item]"
    ) -> Iterator[Item]:
        """Yield the result of a function for each partition, in their order."""
        # Persisted, since a second job on ranges that are sampled anew would get other ranges.
        results = rows.mapInArrow(partial(_binary_rows, function), _SCHEMA).persist()
        self._persisted.append(results)
        with _spark_errors():
            n_bytes = results.selectExpr("sum(length(data))").toArrow()[0][0].as_py()
            if n_bytes <= self.limit:
                chunks = sorted(results.toArrow().to_pylist(), key=itemgetter("partition", "chunk"))
            else:  # one partition after the other, by a job on that partition alone
                chunks = results.toLocalIterator()
            for _, of_part in groupby(chunks, itemgetter("partition")):
                yield pickle.loads(b"".join(chunk["data"] for chunk in of_part))


def _score_type(of_column: "DataType") -> str:
    """Return the type of scores that Spark sorts."""
    kind = of_column.simpleString()
    return "long" if kind in _INTEGERS else "float" if kind == "float" else "double"


def _id_type(of_column: "DataType") -> str:
    """Return the type of ids that are read; decimals are floats."""
    kind = of_column.simpleString()
    return "double" if kind.startswith("decimal") else kind


def _column(name: str, of_column: "DataType") -> "Column":
    """Return a column by its exact name; of a vector for two classes, the score of the second one."""
    from pyspark.ml.functions import vector_to_array  # noqa: PLC0415  # an extra, imported where it is used
    from pyspark.sql.functions import col, size, when  # noqa: PLC0415  # the same

    column = col("`" + name.replace("`", "``") + "`")
    if type(of_column).__name__ != "VectorUDT":
        return column
    array = when(column.isNotNull(), vector_to_array(column))
    return when(size(array) == _CLASSES, array[1])  # null otherwise, which is refused


# --- what runs on an executor ----------------------------------------------------------------------------


def _partition_number() -> int:
    from pyspark import TaskContext  # noqa: PLC0415  # an extra, imported where it is used

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def _read_batches(
    roles: Roles, score_type: str, batches: "Iterator[pyarrow.RecordBatch]"
) -> "Iterator[pyarrow.RecordBatch]":
    """Yield the checked rows of a partition; the first row of a batch has the label of negatives.

    `positive` is a number of rows, below 0 for negatives: tied rows of a batch become one row, since Spark
    sends all rows of a score to one task.
    """
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    reader = BatchReader(roles)
    for checked in _read(reader, batches, f"partition {_partition_number()}"):
        n_distinct = len(checked.score) if checked.query is not None else np.unique(checked.score).size
        # Few batches have ties in most data, and `unique` takes a twentieth of the time of `distinct`.
        rows = checked.distinct() if n_distinct < _DISTINCT_SHARE * checked.score.size else checked
        signs = np.where(rows.positive, np.int32(1), np.int32(-1))
        columns: dict[str, AnyArray] = rows._replace(n_rows=None).columns()
        columns["score"] = rows.score.astype(score_type, copy=False)  # Spark takes no other type
        columns["positive"] = signs if rows.n_rows is None else (signs * rows.n_rows).astype(np.int32)
        label = None if reader.negative_label is None else json.dumps(reader.negative_label)
        arrays = {name: pyarrow.array(column) for name, column in columns.items()}
        labels = pyarrow.array([label] + [None] * (rows.score.size - 1), "string")
        yield pyarrow.RecordBatch.from_pydict({**arrays, "negative": labels})


def _read(reader: BatchReader, batches: "Iterator[pyarrow.RecordBatch]", where: str) -> Iterator[Batch]:
    """Yield the checked rows of each batch that has some."""
    for batch in batches:
        columns = {name: batch.column(index) for index, name in enumerate(reader.roles.columns)}
        rows = reader.read(Columns(columns, where))
        if rows.score.size:
            yield rows


def _arrow_to_rows(batch: "pyarrow.RecordBatch") -> Batch:
    """Return rows that `_read_batches` has read."""
    rows = arrow_to_batch(batch)
    n_rows = np.abs(rows.positive.astype(np.int64))
    return rows._replace(positive=rows.positive > 0, n_rows=None if (n_rows == 1).all() else n_rows)


def _items_of_rows(
    function: Callable[[Iterator[Batch]], Iterable[Item]], batches: "Iterator[pyarrow.RecordBatch]"
) -> list[Item]:
    return list(function(_arrow_to_rows(batch) for batch in batches if batch.num_rows))


def _items_of_queries(
    roles: Roles,
    function: Callable[..., Iterable[Item]],
    max_rows: int,
    batches: "Iterator[pyarrow.RecordBatch]",
) -> tuple[int, Label | None, list[Item]] | None:
    """Return the number of rows, the label of negatives, and the results for whole queries.

    Return None if rows are refused or too many.
    """
    reader, gathered, n_rows = BatchReader(roles), list[Batch](), 0
    with suppress(SourceError):
        for rows in _read(reader, batches, _SPARK_FRAME):
            gathered.append(rows)
            n_rows += rows.score.size
            if n_rows > max_rows:
                return None
        return n_rows, reader.negative_label, list(function(iter(gathered), chunk_rows=max_rows + 1))
    return None


def _binary_rows(
    function: "Callable[[Iterator[pyarrow.RecordBatch]], object]", batches: "Iterator[pyarrow.RecordBatch]"
) -> "Iterator[pyarrow.RecordBatch]":
    """Yield a pickled result, with the number of the partition, in chunks that the JVM can copy."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    data = pickle.dumps(function(batches), pickle.HIGHEST_PROTOCOL)
    schema = pyarrow.schema([("partition", "int32"), ("chunk", "int32"), ("data", "binary")])
    for chunk, first in enumerate(range(0, len(data), _CHUNK_BYTES)):
        cells = {"partition": _partition_number(), "chunk": chunk, "data": data[first : first + _CHUNK_BYTES]}
        yield pyarrow.RecordBatch.from_pylist([cells], schema)


# --- errors ----------------------------------------------------------------------------------------------


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
