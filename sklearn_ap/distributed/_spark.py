"""Rows of a Spark DataFrame, which are gathered, or shuffled and reduced on the
executors.

The executors import this package. Local sessions inherit PYTHONPATH and the installed
packages. On a cluster, install sklearn-ap together with numpy, scipy, scikit-learn and
pyarrow on every executor, or ship it: ``spark.addArtifact("sklearn_ap.zip",
pyfile=True)`` or ``spark-submit --py-files``.
"""

import pickle
import re
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from .._rows.batches import ID_BYTES, Batch, BatchReader, all_rows
from .._rows.columns import columns_of
from .._rows.missing_values import ADVICE_OF_PANDAS
from .._rows.roles import Roles
from .._shown.sources import SourceError
from ._batches import Item, Order, PartFunction
from ._positives import most_scores

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame

    ArrowBatches = Iterator[pyarrow.RecordBatch]

_SPARK_FRAME = "Spark DataFrame"
# A sorted partition has about `_PARTITION_ROWS` rows. If partitions contain whole
# queries, there are `_QUERY_PARTS` times as many partitions.
_PARTITION_ROWS, _QUERY_PARTS = 2**22, 4
# Gathered rows may take 1 / `_PARTS_OF_RESULTS` of the bytes that the driver accepts as
# results.
_PARTS_OF_RESULTS = 4
# The share of positives is estimated from this many rows.
_FIRST_ROWS = 2**14
# An error shows at most this many characters of the text of Spark's error.
_MAX_CAUSE_CHARACTERS = 400
# Advice for each phrase of Spark's errors.
_ADVICE_BY_PHRASE = {
    "Python worker exited unexpectedly": "often for lack of memory: raise spark.executor.memoryOverhead, or "
    "repartition into more partitions",
    "maxResultSize": "set spark.driver.maxResultSize, such as '4g', where the session is built",
    "Java heap space": "set spark.driver.memory, such as '4g', before the session starts",
    "No module named": "the executors need sklearn-ap and pyarrow: install them there, or send them by "
    "spark.addArtifact or --py-files",
}


def open_spark(frame: "DataFrame", roles: Roles, limit: int) -> "SparkSource":
    """Return the source of the rows of a Spark DataFrame, classic or connect."""
    from pyspark.sql import DataFrame

    # Test the class, since a Column seems to have every attribute.
    if not isinstance(frame, DataFrame):
        kind = type(frame)
        raise TypeError(
            "data must be a DataFrame of pyspark 4.0 or newer; got "
            f"{kind.__module__}.{kind.__qualname__}."
        )
    if frame.isStreaming:
        raise SourceError(
            f"{_SPARK_FRAME}: a stream has no end; pass a frame of spark.read or foreachBatch"
        )
    types = [kind for _, kind in frame.dtypes]
    roles.check_columns(_SPARK_FRAME, frame.columns, types)
    with _spark_errors():
        conf = frame.sparkSession.conf
        names = "spark.driver.maxResultSize", "spark.driver.memory"
        sizes = [str(conf.get(name, "1g")) for name in names]
    # Spark writes 0 for "no limit".
    limits = [_bytes_of(size) // _PARTS_OF_RESULTS for size in sizes if size != "0"]
    return SparkSource(frame, roles, min([limit, *limits]))


def _bytes_of(size: str) -> int:
    """Return the number of bytes of a size in Spark's notation, such as 1g."""
    number, prefix = re.findall("([0-9]+) *([kmgt]?)", size.lower())[0]
    # Spark multiplies by powers of 1024. Powers of 1000 are slightly lower, so that the
    # limit is not exceeded.
    power = ["", "k", "m", "g", "t"].index(prefix)
    n_bytes: int = int(number) * 1000**power
    return n_bytes


class SparkSource:
    """The columns of a DataFrame that the roles name.

    Without queries, Spark computes the DataFrame once, and persists these columns. With
    queries, Spark computes it twice. The first time, it only counts the rows, and so
    computes no column that the count does not need. The second time, it returns all
    rows if they fit into memory. If not, each task gathers all rows of its queries, and
    ranks them without a sort of all rows. The tasks also check the rows.
    """

    name = _SPARK_FRAME

    def __init__(self, frame: "DataFrame", roles: Roles, limit: int) -> None:
        self.roles, self.limit = roles, limit
        # `gather` sets this to True if rows are persisted and few of them are positive.
        self.is_repeatable = False
        with _spark_errors():
            # Name columns c0, c1, ..., since Spark would parse other names again before
            # it sends rows to Python.
            columns = [
                _column_named(frame, name).alias(f"c{index}")
                for index, name in enumerate(roles.columns)
            ]
            self._rows = frame.select(*columns)
        self._persisted: list[DataFrame] = []

    def close(self) -> None:
        """Release the persisted frames."""
        # If the JVM has ended, `unpersist` fails, but an earlier call has already
        # raised the error.
        with suppress(Exception):
            for frame in self._persisted:
                frame.unpersist()

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into memory."""
        has_queries = self.roles.query_id is not None
        with _spark_errors():
            if not has_queries:
                self._persisted.append(self._rows.persist())
            self._n_rows = self._rows.count()
        if self.n_bytes() <= self.limit:
            batches = list(self.map_parts(iter, None))
            return all_rows(batches, self.roles, _SPARK_FRAME)
        self.is_repeatable = not has_queries and self._has_few_positives()
        return None

    def _has_few_positives(self) -> bool:
        """Estimate from the first rows whether two passes can keep the scores of all
        positives in memory. A first pass in vain takes half as long as a sort.
        """
        with _spark_errors():
            first = self._rows.limit(_FIRST_ROWS).toArrow()
        batches = _checked_batches(BatchReader(self.roles), iter(first.to_batches()))
        n_positives = sum(int(batch.positive.sum()) for batch in batches)
        # Whether n_positives / n_first * self._n_rows, which estimates the number of all
        # positives, is within the limit. Products of integers are exact.
        n_first: int = first.num_rows
        return n_positives * self._n_rows <= most_scores(self) * n_first

    def n_bytes(self) -> int:
        """Return the lowest limit at which all rows fit into memory."""
        # A value takes at most 8 bytes. An id may be text, which takes more.
        row_bytes = 8 * len(self.roles.columns)
        if self.roles.query_id is not None:
            row_bytes += ID_BYTES
        return self._n_rows * row_bytes

    def map_parts(
        self, function: PartFunction[Item], order: Order | None
    ) -> Generator[Item]:
        """Call a function on the rows of each partition, on the executors, and yield
        its results in this process. With an order, the rows are shuffled first.
        """
        rows = self._rows
        with _spark_errors():
            if order == "score":
                rows = self._sorted_by_score()
            elif order == "query":
                rows = self._with_whole_queries()
                # The rows of a query are not next to each other, so all rows of a task
                # must be one chunk.
                function = partial(function, chunk_rows=sys.maxsize)
        reader = BatchReader(self.roles)
        run = partial(_pickled_items, self.roles, function)
        for item in self._results(rows, run):
            # The last item of each partition is its reader.
            if isinstance(item, BatchReader):
                reader.join(item, _SPARK_FRAME)
            else:
                yield item
        reader.missing.check(_SPARK_FRAME, ADVICE_OF_PANDAS)
        reader.check_has_rows(_SPARK_FRAME)

    def _sorted_by_score(self) -> "DataFrame":
        """Return the rows sorted by score, in at least two partitions."""
        from pyspark.sql.functions import monotonically_increasing_id

        rows = self._rows.withColumn("row", monotonically_increasing_id())
        score = rows[self.roles.columns.index(self.roles.y_score)]
        n_parts = self._n_rows // _PARTITION_ROWS + 2
        # Without the key "row", one task would get all rows of a score, however many
        # they are.
        ranges = rows.repartitionByRange(n_parts, score, "row")
        return ranges.sortWithinPartitions(score).drop("row")

    def _with_whole_queries(self) -> "DataFrame":
        """Return the rows in at least two partitions, each of which contains all rows
        of its queries.
        """
        query = self._rows[self.roles.columns.index(str(self.roles.query_id))]
        n_parts = _QUERY_PARTS * self._n_rows // _PARTITION_ROWS + 2
        return self._rows.repartition(n_parts, query)

    def _results(
        self, rows: "DataFrame", function: "Callable[[ArrowBatches], ArrowBatches]"
    ) -> Iterator[Any]:
        """Yield the unpickled results of a function in the order of the partitions. If
        they do not fit into memory together, fetch one partition at a time.
        """
        # Persist the results. Otherwise, the second job below would sample the ranges
        # of scores again, and get other partitions.
        with _spark_errors():
            results = rows.mapInArrow(function, "data binary").persist()
            self._persisted.append(results)
            [[total]] = results.selectExpr("sum(length(data))").toArrow()
            # In SQL, the sum is NULL if there are no results, since the frame has no
            # partitions.
            n_bytes = total.as_py() or 0
            if n_bytes <= self.limit:
                pickled = iter(results.toArrow().to_pylist())
            else:
                # `toLocalIterator` fetches one partition at a time, each by a job of
                # its own.
                pickled = results.toLocalIterator()
            for row in pickled:
                yield pickle.loads(row["data"])


def _column_named(frame: "DataFrame", name: str) -> "Column":
    """Return the column with exactly this name. Decimals are cast to floats."""
    column = frame["`" + name.replace("`", "``") + "`"]
    if frame.schema[name].dataType.typeName() == "decimal":
        return column.cast("double")
    return column


# --- functions that run on an executor ------------------------------------------------


def _checked_batches(reader: BatchReader, batches: "ArrowBatches") -> Iterator[Batch]:
    """Yield the checked rows of each batch. Empty batches are dropped."""
    for batch in batches:
        arrays = dict(zip(reader.roles.columns, batch.columns, strict=False))
        rows = reader.read(columns_of(arrays, _SPARK_FRAME))
        if rows.score.size:
            yield rows


def _pickled_items(
    roles: Roles, function: PartFunction[Item], batches: "ArrowBatches"
) -> "ArrowBatches":
    """Yield the pickled results of a function for the rows of a partition, followed by
    the reader of these rows.
    """
    import pyarrow

    reader = BatchReader(roles)
    for item in chain(function(_checked_batches(reader, batches)), [reader]):
        data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
        yield pyarrow.RecordBatch.from_pydict({"data": [data]})


# --- errors ---------------------------------------------------------------------------


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Raise SourceError with one line in place of an error of Spark, which contains
    the traces of Java and of Python workers.
    """
    try:
        yield
    except (SourceError, Warning):
        # A warning is raised only if the caller turned warnings into errors.
        raise
    except Exception as error:
        # The error may be one of Spark, of py4j, or of a connection to a JVM that has
        # ended.
        raise SourceError(f"{_SPARK_FRAME}: {_cause_of(error)}") from None


def _cause_of(error: Exception) -> str:
    """Return the line of a Spark error that names the cause, and advice for known
    causes.
    """
    text = str(error).partition("JVM stacktrace:")[0]
    # If this package has raised the error on an executor, show its text.
    own_error = re.search(f"Error: {_SPARK_FRAME}: (.*)", text)
    if own_error:
        return own_error[1]
    lines_with_text = filter(str.strip, _causes_in(text))
    line = next(lines_with_text, type(error).__name__)
    for words, advice in _ADVICE_BY_PHRASE.items():
        if words in line:
            first_sentence = line.partition(". ")[0]
            return f"{first_sentence}; {advice}"
    return line[:_MAX_CAUSE_CHARACTERS]


def _causes_in(text: str) -> Iterator[str]:
    """Yield the lines of a Spark error that may name its cause: the errors in the last
    trace of Python, then the errors of Java, and then all lines.
    """
    _, _, last_trace = text.rpartition("Traceback (most recent call last):\n")
    # If a Python worker did not start, Spark indents its trace, and prints paths below.
    last_trace = dedent(last_trace.partition("PYTHONPATH was:")[0])
    yield from re.findall(r"^[\w.]+: .*", last_trace, re.MULTILINE)
    lines = text.splitlines()
    for line in lines:
        # The error of Spark's function awaitResult only contains another error.
        if re.match("(Caused by)?: ", line) and "awaitResult" not in line:
            yield re.split("Exception: |stage failure: ", line)[-1]
    yield from lines
