"""Rows of a Spark DataFrame: every partition becomes one state on its executor, and the driver combines them.

The executors import this package. Local sessions inherit PYTHONPATH and the installed packages; on a cluster,
install sklearn-ap beside numpy, scipy, scikit-learn and pyarrow on every executor, or ship it:
``spark.addArtifact("sklearn_ap.zip", pyfile=True)`` or ``spark-submit --py-files``.

A partition is named by the number that `spark_partition_id` gives; its rows count from 1. The pickled state
of a partition travels as binary rows, which executors keep on disk until their sizes are known. States that
are too large for the driver together are combined on executors first, neighbours with neighbours.
"""

import pickle
import re
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._source import (
    Combine,
    Part,
    Piece,
    Place,
    Source,
    SourceError,
    Split,
    State,
    Step,
    Told,
    Work,
    joined_pieces,
    listed_pieces,
    read_memory_limit,
    refuse_unknown_columns,
    shown,
)
from ._arrow import arrow_columns, common_scale, in_parts, unknown_type

if TYPE_CHECKING:  # both are optional
    from pyarrow import Buffer, ChunkedArray, RecordBatch, Table
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType


_NAME = "Spark DataFrame"
_CHUNK = 2**24  # bytes; a cell is an array of the JVM, which is copied several times on its way
_FAN_IN = 64  # states that one task combines, at most
_PARTS = 64  # so many partitions are taken to be there: to count them may run half of the caller's query
_SHARE = 4  # of what the driver takes, results are one part
_ROWS = 2**18  # of a part; Spark's own batches of 10,000 rows cost more in calls than in work
_SCHEMA = "state int, partition int, chunk int, data binary"
_DESCRIPTION = "spark.job.description"
_ORDER = "state", "partition", "chunk"
_SAMPLE = 2**16  # bytes that tell whether compression pays
_TYPES = {  # of arrays, by the classes of pyspark.sql.types, which it exports in no table of its own
    "BooleanType": "bool",
    **{"ByteType": "int8", "ShortType": "int16", "IntegerType": "int32", "LongType": "int64"},
    **{"FloatType": "float32", "DoubleType": "float64", "VectorUDT": "float64"},
    **dict.fromkeys(("StringType", "CharType", "VarcharType", "NullType"), "object"),
    **{"DateType": "M8[D]", "TimeType": "m8[ns]"},
    **{"TimestampType": "M8[us]", "TimestampNTZType": "M8[us]", "DayTimeIntervalType": "m8[us]"},
}
_KINDS = "booleans, integers, floats, decimals, text, dates, times and vectors"
_LONGEST = 400  # characters of what Spark says
_ADVICE = {  # by the words of Spark
    "Python worker exited unexpectedly": "often for lack of memory: raise spark.executor.memoryOverhead, or "
    "repartition into more partitions",
    "maxResultSize": "set spark.driver.maxResultSize, such as '4g', where the session is built",
    "Java heap space": "set spark.driver.memory, such as '4g', before the session starts",
    "No module named": "the executors need sklearn-ap and pyarrow: install them there, or send them by "
    "spark.addArtifact or --py-files",
}


def opened(data: object) -> Source | None:
    """Return the rows of a Spark DataFrame, classic or connect; None for other data."""
    mro = type(data).__mro__
    if not any(one.__name__ == "DataFrame" and one.__module__.startswith("pyspark.sql.") for one in mro):
        return None
    try:
        import pyarrow  # noqa: F401, PLC0415  # optional, imported where it is used
    except ImportError:
        raise ImportError(f"{_NAME}: pyarrow is missing: pip install pyarrow") from None
    frame: Any = data
    if not hasattr(frame, "toArrow"):
        raise ImportError(f"{_NAME}: pyspark must be 4.0 or newer: pip install 'pyspark>=4'")
    if frame.isStreaming:
        raise SourceError(f"{_NAME}: a stream has no end; pass a DataFrame of spark.read, or foreachBatch's")
    return _SparkRows(frame)


class _SparkRows(Source):
    """The rows of a DataFrame, which is computed again by every scan unless it is cached."""

    name, reads_again, in_process = _NAME, True, False

    def __init__(self, frame: "DataFrame") -> None:
        self._frame = frame

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the types that the schema tells."""
        with _in_one_line():
            return {field.name: _dtype(field.dataType) for field in self._frame.schema.fields}

    def n_rows(self) -> None:
        """Return None, since counting would compute the rows once more."""

    def scale(self, column: str) -> int | None:
        """Return the scale of decimals that need integers to be told apart; None for other columns."""
        return common_scale([_digits_of_decimals(self._frame.schema[column].dataType)])

    def n_parts(self) -> int:
        """Return a usual number of partitions."""
        return _PARTS

    def largest_result(self) -> int:
        """Return a share of what the driver may receive and hold."""
        with _in_one_line():
            conf = self._frame.sparkSession.conf
            most, memory = conf.get("spark.driver.maxResultSize", "1g"), conf.get("spark.driver.memory", "1g")
            return min(read_memory_limit(one) for one in (most, memory) if one != "0") // _SHARE

    def room(self) -> float:
        """Return no limit, since a shuffle is on disk."""
        return float("inf")

    def scan(
        self, columns: Sequence[str], step: Step[State], combine: Combine[State], told: Told
    ) -> State | None:
        """Run one job, and combine what its partitions return, in their order."""
        with _in_one_line(), self._described(told):
            states = self._mapped(columns, step, combine)
            table, n_partitions = _sent(states, combine, self.largest_result())
        pieces = _pieces(table)
        del table  # so that chunks are freed as they are read
        state: State | None = _folded(_states_of(pieces.pop(one) for one in list(pieces)), combine)
        told(n_partitions, n_partitions)
        return state

    def exchange(
        self,
        columns: Sequence[str],
        split: Split[Piece],
        works: Sequence[Work[Piece, State]],
        told: Told,
    ) -> list[State]:
        """Run one job with a shuffle, which brings the pieces of each work together."""
        work: Any = partial(_work_on_groups, works)
        with _in_one_line(), self._described(told):
            # A piece has the number of its work as its state; no work is a partition's neighbour.
            pieces = self._mapped(columns, partial(listed_pieces, split), joined_pieces, by_number=True)
            groups = pieces.repartition(len(works), "state").sortWithinPartitions(*_ORDER)
            chunks = _pieces(groups.mapInArrow(work, _SCHEMA).toArrow())
        found = dict(zip(chunks, _states_of(iter(chunks.values())), strict=True))
        told(len(works), len(works))
        return [found[number] if number in found else one([]) for number, one in enumerate(works)]

    @contextmanager
    def _described(self, told: Told) -> Iterator[None]:
        """Let Spark's pages and listeners say which scan a job is; a session of connect has no such words."""
        context: Any = getattr(self._frame.sparkSession, "sparkContext", None)
        if context is None:
            yield
            return
        before = context.getLocalProperty(_DESCRIPTION)
        context.setLocalProperty(
            _DESCRIPTION, " ".join(filter(None, ("sklearn_ap", getattr(told, "words", ""))))
        )
        try:
            yield
        finally:
            context.setLocalProperty(_DESCRIPTION, before)

    def _mapped(
        self, columns: Sequence[str], step: Step[Any], combine: Combine[Any], *, by_number: bool = False
    ) -> "DataFrame":
        """Return the states of partitions as binary rows; with `by_number`, the pieces of each number."""
        names = list(columns)
        fields = self._frame.schema.fields
        refuse_unknown_columns(_NAME, [field.name for field in fields], names)
        types = {field.name: field.dataType for field in fields}
        for name in names:
            if _dtype(types[name]) is None:
                raise unknown_type(name, types[name].simpleString(), _NAME, _KINDS)
        vectors = frozenset(name for name in names if _is_vector(types[name]))
        selected = [
            _column(name, name in vectors).alias(f"column{number}") for number, name in enumerate(names)
        ]
        task: Any = _Task(names, vectors, step, combine, by_number, {**self.decimals})
        return self._frame.select(*selected).mapInArrow(task, _SCHEMA)


def _sent(states: "DataFrame", combine: Any, most: int) -> "tuple[Table, int]":
    """Return states that take at most so many bytes, if combining makes them so few, and their first number.

    Executors keep them meanwhile, so that the caller's rows are computed once.
    """
    from pyspark import StorageLevel  # noqa: PLC0415  # optional, imported where it is used

    held: list[DataFrame] = []
    n_partitions, before = None, float("inf")
    try:
        while True:
            held.append(states.persist(StorageLevel.DISK_ONLY))
            sizes = held[-1].selectExpr("partition", "length(data) as size").toArrow()
            n_states, n_bytes = len(sizes["partition"].unique()), sum(sizes["size"].to_pylist())
            n_partitions = n_states if n_partitions is None else n_partitions
            # States that hardly shrink are rows; Spark says whether the driver takes them.
            if n_bytes <= most or n_states == 1 or n_bytes > 0.9 * before:
                return held[-1].toArrow(), n_partitions
            fan_in, before = max(min(most * n_states // n_bytes, _FAN_IN), 2), n_bytes
            state = f"int(partition div {fan_in}) as state"
            groups = held[-1].selectExpr(state, "partition", "chunk", "data").repartition("state")
            join: Any = partial(_join_groups, combine)
            states = groups.sortWithinPartitions(*_ORDER).mapInArrow(join, _SCHEMA)
    finally:
        for one in held:
            one.unpersist()


class _Task(NamedTuple):
    """What an executor does with the rows of a partition."""

    names: list[str]
    vectors: frozenset[str]
    step: Callable[[Part], Any]
    combine: Callable[[Sequence[Any]], Any]
    by_number: bool
    decimals: Mapping[str, int]

    def __call__(self, batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
        """Return the state of the partition as rows; a refusal is a row too, since errors are retried."""
        from pyspark import TaskContext  # noqa: PLC0415  # optional, imported where it is used

        context = TaskContext.get()
        partition = 0 if context is None else context.partitionId()
        states = self._states(batches, f"partition {partition}")
        refused, state = _result(partial(_folded, states, self.combine))
        if state is not None:
            pieces = state if self.by_number and not refused else {0: state}
            for number, piece in pieces.items():
                yield from _batches_of(number, partition, (refused, piece))
        deque(batches, maxlen=0)  # after a refusal, the JVM still writes the other rows of the partition

    def _states(self, batches: "Iterator[RecordBatch]", name: str) -> Iterator[Any]:
        first_row = 0
        for rows in in_parts(batches, _ROWS):
            place = Place(name, first_row)
            first_row += rows.num_rows
            table = rows.rename_columns(self.names)
            for number, column in enumerate(self.names):
                if column in self.vectors:
                    table = table.set_column(number, column, _second(table.column(number), column, place))
            yield self.step(Part(arrow_columns(table, self.names, place, self.decimals), place))


def _join_groups(
    combine: Callable[[Sequence[Any]], Any], batches: "Iterator[RecordBatch]"
) -> "Iterator[RecordBatch]":
    """Yield the state of each group of states as rows, one after the other; it runs on an executor."""
    for number, states in _states_by_group(batches):
        yield from _batches_of(0, number, _result(partial(_folded, states, combine)))


def _work_on_groups(
    works: Sequence[Callable[[Sequence[Any]], Any]], batches: "Iterator[RecordBatch]"
) -> "Iterator[RecordBatch]":
    """Yield what each work makes of its pieces as rows; it runs on an executor."""
    for number, states in _states_by_group(batches):
        yield from _batches_of(0, number, _result(partial(_worked, works[number], states)))


def _worked(work: Callable[[Sequence[Any]], Any], pieces: Iterator[list[Any]]) -> Any:
    return work(list(chain.from_iterable(pieces)))


def _states_by_group(batches: "Iterator[RecordBatch]") -> Iterator[tuple[int, Iterator[Any]]]:
    """Yield the states of partitions by group, from rows that are sorted by group, partition and chunk."""
    cells = (
        (group, partition, data.as_buffer())
        for batch in batches
        for group, partition, data in zip(
            *(batch[name].to_pylist() for name in _ORDER[:2]), batch["data"], strict=True
        )
    )
    for number, of_group in groupby(cells, itemgetter(0)):
        yield number, _states_of([data for *_, data in one] for _, one in groupby(of_group, itemgetter(1)))


def _result(read: Callable[[], Any]) -> tuple[bool, Any]:
    """Return what was read of states, and whether they were refused."""
    try:
        return False, read()
    except SourceError as error:
        return True, str(error)


def _second(vectors: "ChunkedArray", name: str, place: Place) -> "ChunkedArray":
    """Return the second numbers of vectors of two, that of the positive class; null stays null."""
    from pyarrow import compute  # noqa: PLC0415  # optional, imported where it is used

    lengths = compute.list_value_length(vectors)
    row = compute.index(compute.not_equal(lengths, 2), True).as_py()
    if row >= 0:
        problem = f"a vector of length {lengths[row]}; the score of the second of two classes needs length 2"
        raise place.error(name, problem, row)
    return compute.list_element(vectors, 1)


def _batches_of(state: int, partition: int, result: tuple[bool, Any]) -> "Iterator[RecordBatch]":
    """Yield a result as chunks of bytes, each a batch of one row."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    data = _shortened(pickle.dumps(result, pickle.HIGHEST_PROTOCOL))
    schema = pyarrow.schema([*((name, "int32") for name in _ORDER), ("data", "binary")])
    for chunk, start in enumerate(range(0, len(data), _CHUNK)):
        cells = {"state": state, "partition": partition, "chunk": chunk, "data": data[start : start + _CHUNK]}
        yield pyarrow.RecordBatch.from_pylist([cells], schema)


def _shortened(data: bytes) -> bytes:
    """Return bytes compressed where that pays: counts in bins are mostly zeros, scores are not."""
    sample = data[len(data) // 2 :][:_SAMPLE]
    pays = len(zlib.compress(sample, 1)) * 2 < len(sample)
    return zlib.compress(data, 1) if pays else data


def _pieces(table: "Table") -> "dict[int, list[Buffer]]":
    """Return the chunks of every partition, in the order of partitions and chunks."""
    numbers = (table[name].to_pylist() for name in ("partition", "chunk"))
    pieces: dict[int, list[Buffer]] = {}
    for partition, _, row in sorted(zip(*numbers, range(table.num_rows), strict=True)):
        pieces.setdefault(partition, []).append(table["data"][row].as_buffer())
    return pieces


def _states_of(parts: "Iterator[list[Buffer]]") -> Iterator[Any]:
    """Yield the states that chunks hold, or raise the first refusal."""
    for chunks in parts:
        data = b"".join(chunks)
        is_pickle = data.startswith(pickle.PROTO)  # compressed bytes begin with another one
        refused, result = pickle.loads(data if is_pickle else zlib.decompress(data))
        if refused:
            raise SourceError(result)
        yield result


def _folded(states: Iterator[Any], combine: Callable[[Sequence[Any]], Any]) -> Any:
    """Combine states as they come: a state may be as large for few rows as for many. None without states."""
    state = next(states, None)
    for other in states:
        state = combine([state, other])
    return state


def _is_vector(of_type: "DataType") -> bool:
    return type(of_type).__name__ == "VectorUDT"  # of pyspark.ml, and of the older pyspark.mllib


def _dtype(of_type: "DataType") -> np.dtype[Any] | None:
    name, digits = _TYPES.get(type(of_type).__name__), _digits_of_decimals(of_type)
    if digits is not None:
        name = "float64" if digits[1] > 0 else "int64"  # as `_arrow` reads them
    return None if name is None else np.dtype(name)


def _digits_of_decimals(of_type: Any) -> tuple[int, int] | None:
    """Return the precision and the scale of decimals."""
    return (of_type.precision, of_type.scale) if type(of_type).__name__ == "DecimalType" else None


def _column(name: str, is_vector: bool) -> "Column":
    """Return a column by its exact name, a vector as an array of numbers."""
    from pyspark.ml.functions import vector_to_array  # noqa: PLC0415  # optional, imported where it is used
    from pyspark.sql.functions import col, when  # noqa: PLC0415  # the same

    quoted = col("`" + name.replace("`", "``") + "`")
    if not is_vector:
        return quoted
    return when(quoted.isNotNull(), vector_to_array(quoted))  # which raises a Java error for null


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Raise whatever Spark raises as one line, without the traces of Java and of its Python workers."""
    try:
        yield
    except (SourceError, Warning):  # a warning is raised where the caller made it an error
        raise
    except Exception as error:  # of Spark, of py4j, or of a connection to a JVM that is gone
        raise SourceError(f"{_NAME}: {_said(error)}") from None


def _said(error: Exception) -> str:
    """Return the line that tells the cause, and what to do about it where that is known."""
    text = str(error).partition("JVM stacktrace:")[0]
    trace = text.rpartition("Traceback (most recent call last):\n")[2]
    if trace != text:  # of a Python worker
        lines = [line for line in trace.splitlines() if not line.startswith(" ")]
    else:
        every = [line.strip() for line in text.splitlines()]
        of_java = [line for line in every if line.startswith((": ", "Caused by: "))]
        lines = [
            re.split("Exception: |stage failure: ", line)[-1] for line in of_java if "awaitResult" not in line
        ] or every
    line = next(filter(None, lines), type(error).__name__)
    for words, advice in _ADVICE.items():
        if words in line:
            return f"{line.partition('. ')[0]}; {advice}"
    return line if len(line) <= _LONGEST else shown(line)
