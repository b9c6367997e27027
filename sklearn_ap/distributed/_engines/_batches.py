"""Tables and streams of Arrow as sources, and what files share with them: two threads read the parts.

Results are folded in the order of the parts, so that every run makes the same calls.
"""

import re
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._source import Part, Place, SourceError, Told
from ._convert import arrow_columns, check_one_column_each, check_type, dtype_of

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import RecordBatch, Schema, Table

State = TypeVar("State")
Read = Callable[[], Part | None]  # reads a part in whatever thread calls it; None if no row is left

PART_ROWS = 2**20  # 4 MB of float32: few enough to hold several parts, many enough to amortise a call
_THREADS = 2  # one reads while the other one steps; more would hold more parts
_AHEAD = 2  # parts that are read but not yet combined
_TOGETHER = 4  # results that are combined at once


def fold(
    reads: Generator[Read, None, None],
    step: Callable[[Part], State],
    combine: Callable[[Sequence[State]], State],
    told: Told,
    total: int | None,
) -> State | None:
    """Return the results of all parts as one, by the same calls of `combine` in every run."""
    held: list[State] = []
    with closing(reads), closing(_results(reads, step)) as results:
        for done, result in enumerate(results, 1):
            held += result
            if len(held) == _TOGETHER:
                held = [combine(held)]
            told(done, total)
            give_back()
    if len(held) > 1:
        return combine(held)
    return held[0] if held else None


def _results(
    reads: Generator[Read, None, None], step: Callable[[Part], State]
) -> Generator[list[State], None, None]:
    """Yield a list of one result, or of none, per part; its threads have ended when it has."""
    pending: deque[Future[list[State]]] = deque()
    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sklearn_ap")
    try:
        for read in reads:
            pending.append(pool.submit(_stepped, read, step))
            if len(pending) == _AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def give_back() -> None:
    """Return the memory that pyarrow keeps for what it may read next: up to 40 MB, for rows that stay."""
    pyarrow = sys.modules.get("pyarrow")  # imported already if it reads
    if pyarrow is not None:
        pyarrow.default_memory_pool().release_unused()


def _stepped(read: Read, step: Callable[[Part], State]) -> list[State]:
    part = read()
    return [] if part is None else [step(part)]


class Batches:
    """Rows that `open` gives as batches of Arrow, for some columns at a time.

    Parameters
    ----------
    name : str
        What the rows are, for errors.
    schema : pyarrow.Schema
        All columns.
    open : callable
        Takes names of columns and gives batches, which may have more columns.
    reads_again : bool
        Whether `open` may be called twice.
    n_rows : int, optional
        The number of rows, if it is known.
    """

    in_process = True

    def __init__(
        self,
        name: str,
        schema: "Schema",
        open: Callable[[Sequence[str]], Iterable["RecordBatch"]],  # what it does
        reads_again: bool,
        n_rows: int | None = None,
    ) -> None:
        self.name, self.reads_again = name, reads_again
        self._schema, self._open, self._n_rows = schema, open, n_rows
        self._is_read = False

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with the types of their arrays."""
        return types_of(self._schema)

    def n_rows(self) -> int | None:
        """Return the number of rows, if it is known."""
        return self._n_rows

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return None: memory has no statistics."""
        check_columns(self._schema, [column], self.name)
        return None

    def scan(
        self,
        columns: Sequence[str],
        step: Callable[[Part], State],
        combine: Callable[[Sequence[State]], State],
        told: Told,
    ) -> State | None:
        """Call `step` on every part, and combine the results in the order of the parts."""
        names = list(dict.fromkeys(columns))
        check_columns(self._schema, names, self.name)
        if self._is_read and not self.reads_again:
            raise SourceError(
                f"{self.name}: its rows can be read only once; pass a table, or write them to a Parquet file"
            )
        self._is_read = True
        return fold(self._reads(names), step, combine, told, n_parts(self._n_rows))

    def _reads(self, names: Sequence[str]) -> Generator[Read, None, None]:
        with refused(self.name):
            batches = self._open(names)
        first_row = 0
        for table in in_parts(_chosen(_guarded(batches, self.name), names)):
            yield partial(part_of, table, names, Place(self.name, first_row))
            first_row += table.num_rows


def _guarded(batches: Iterable["RecordBatch"], name: str) -> Iterator["RecordBatch"]:
    with refused(name):
        yield from batches


def _chosen(batches: Iterable["RecordBatch"], names: Sequence[str]) -> Iterator["RecordBatch"]:
    """Yield batches of the named columns, so that the memory of the others is free."""
    for batch in batches:
        yield batch.select([batch.schema.names.index(name) for name in names])


def in_parts(batches: Iterable["RecordBatch"], part_rows: int = PART_ROWS) -> Generator["Table", None, None]:
    """Yield the rows as tables of so many rows, the last one of fewer."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    held: list[RecordBatch] = []
    n_rows = 0
    for batch in batches:
        rest = batch
        while rest.num_rows:
            taken = rest.slice(0, part_rows - n_rows)
            rest = rest.slice(taken.num_rows)
            held.append(taken)
            n_rows += taken.num_rows
            if n_rows == part_rows:
                yield pyarrow.Table.from_batches(held)
                held, n_rows = [], 0
    if held:
        yield pyarrow.Table.from_batches(held)


def n_parts(n_rows: int | None, part_rows: int = PART_ROWS) -> int | None:
    """Return how many parts `in_parts` makes of rows."""
    return None if n_rows is None else -(-n_rows // part_rows)


def part_of(table: "Table", names: Sequence[str], place: Place) -> Part | None:
    """Return a part of rows with arrays, or None without rows."""
    if not table.num_rows:
        return None
    with refused(place.name):
        return Part(arrow_columns(table, names, place), place)


def types_of(schema: "Schema") -> dict[str, np.dtype[Any] | None]:
    """Return the columns with the types of their arrays."""
    return {field.name: dtype_of(field.type) for field in schema}


def check_columns(schema: "Schema", names: Sequence[str], where: str) -> None:
    """Refuse names that are not those of one column each, and columns that no array holds."""
    check_one_column_each(schema.names, names, where)
    for name in names:
        check_type(schema.field(schema.names.index(name)).type, name, Place(where))


@contextmanager
def refused(name: str, explained: Callable[[str], str] = str) -> Iterator[None]:
    """Turn what a reader raises into one line that starts with the name of what was read.

    `explained` takes the line of the reader and may return a better one.
    """
    try:
        yield
    except (SourceError, MemoryError):
        raise
    except Exception as error:  # a stream calls code of anyone
        raise SourceError(f"{name}: {explained(_one_line(error))}") from error


def _one_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) or "invalid UTF8" in str(error):
        return "holds text that is not UTF-8"
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    if not isinstance(error, OSError | ValueError | RuntimeError):
        text = f"{type(error).__name__}: {text}"
    text = re.sub(r"^Could not open .*?' ?: ", "", text)
    text = re.sub(r"^(Invalid|IOError): ", "", text)
    text = re.sub(r"\.? Detail: .*", "", text)
    return text if len(text) <= 300 else f"{text[:300]}..."
