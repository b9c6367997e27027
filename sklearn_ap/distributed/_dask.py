"""Rows of a Dask DataFrame: gathered if they fit, or shuffled and reduced on the workers of a cluster.

Without a cluster, partitions are computed in this process one after the other, as the batches of a file are.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ._batches import (
    Batch,
    BatchReader,
    Columns,
    DType,
    Item,
    Order,
    Roles,
    SourceError,
    cast_exactly,
    concatenate,
    concatenate_rows,
    refuse_unknown_columns,
    score_types,
)
from ._local import LocalSource

if TYPE_CHECKING:
    import pandas
    from dask import dataframe

_DASK_FRAME = "Dask DataFrame"
_JOINED_ROWS = 2**20  # of a shuffled partition, unless an input partition has more
# Errors of this package, which tasks raise and callers see as they are.
_PASSED_WHILE_READING = SourceError, Warning
_PASSED = *_PASSED_WHILE_READING, TypeError  # scores refuse arguments

Client = Any  # of distributed, whose methods have no types
Future = Any  # the same
Delayed = Any  # the same
_Checked = tuple[Batch, BatchReader]  # the rows of a partition, and what read them


def open_dask(frame: "dataframe.DataFrame", roles: Roles, limit: int) -> "LocalSource | DaskSource":
    """Return the rows of a Dask DataFrame, on the cluster of the current client if there is one."""
    from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

    if not isinstance(frame, dataframe.DataFrame):
        raise TypeError(f"data must be a DataFrame where it is of Dask; got {type(frame).__name__}.")
    refuse_unknown_columns(_DASK_FRAME, list(frame.columns), roles.columns)
    try:
        from distributed import get_client  # noqa: PLC0415  # an extra, imported where it is used

        client = get_client()
    except (ImportError, ValueError):  # no cluster
        return LocalSource(_DASK_FRAME, partial(_read_partitions, frame, roles.columns), roles, limit)
    if client.asynchronous:
        raise SourceError(
            f"{_DASK_FRAME}: the client must not be asynchronous; pass asynchronous=False to Client"
        )
    return DaskSource(frame, roles, limit, client)


def _read_partitions(frame: "dataframe.DataFrame", names: Sequence[str]) -> Iterator[Columns]:
    """Yield the columns of one partition after the other, computed by a local scheduler."""
    for number, partition in enumerate(frame[list(names)].to_delayed()):
        with _dask_errors(f"partition {number}", passed=_PASSED_WHILE_READING):
            rows = partition.compute()
        yield _columns_of(rows, names, f"partition {number}")


def _columns_of(rows: "pandas.DataFrame", names: Sequence[str], where: str) -> Columns:
    return Columns({name: rows[name].to_numpy() for name in names}, where)


class DaskSource:
    """The rows of a DataFrame as checked batches, one per partition, on the workers of a cluster."""

    name = _DASK_FRAME
    reads_again = True

    def __init__(self, frame: "dataframe.DataFrame", roles: Roles, limit: int, client: Client) -> None:
        self.roles, self.limit, self._client = roles, limit, client
        read = [
            _delayed(_read_partition)(partition, roles, f"partition {number}")
            for number, partition in enumerate(frame[roles.columns].to_delayed())
        ]
        self._batches = client.compute(read)  # futures: each partition is read once, and stays on its worker
        self._frames: list[Future] = []  # Dask cancels a future without a reference

    def close(self) -> None:
        """Let the workers drop the rows."""
        self._client.cancel([*self._batches, *self._frames])

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into this process."""
        reader = BatchReader(self.roles)
        with _dask_errors(_DASK_FRAME, self._batches, passed=_PASSED_WHILE_READING):
            summaries = self._client.gather(self._client.map(_summary, self._batches, pure=False))
        # Each worker knows the label of its negatives alone; only here a third label shows.
        for number, (of_partition, _, _) in enumerate(summaries):
            reader.join(of_partition, f"partition {number}")
        reader.refuse_no_rows(_DASK_FRAME)
        self._n_rows = [of_partition.n_rows for of_partition, _, _ in summaries]
        self._type = score_types({dtype for *_, dtype in summaries})[0]
        if sum(n_bytes for _, n_bytes, _ in summaries) > self.limit:
            return None
        with _dask_errors(_DASK_FRAME):
            batches = [batch for batch, _ in self._client.gather(self._batches)]
        batches = [batch for batch in batches if batch.score.size]
        return concatenate_rows(batches, _DASK_FRAME, self.roles.y_score)

    def map_parts(
        self, function: Callable[[Iterator[Batch]], Iterable[Item]], order: Order | None
    ) -> Generator[Item]:
        """Call a function on the rows of each part on its worker, and bring its results one by one."""
        with _dask_errors(_DASK_FRAME):
            if order is None:
                run = partial(_items_of_partitions, function, score_type=self._type)
                parts = [self._client.submit(run, group, pure=False) for group in self._joined()]
            else:
                run_on_frame = _delayed(partial(_items_of_frame, function))
                parts = self._client.compute([run_on_frame(rows) for rows in self._shuffled(order)])
        for part in parts:
            with _dask_errors(_DASK_FRAME):
                items: list[Item] = self._client.gather(part)
            yield from items

    def _joined(self) -> list[list[Future]]:
        """Return the checked partitions, small ones together: a shuffle of N partitions is N^2 pieces."""
        joined: list[list[Future]] = []
        room = 0
        for checked, n_rows in zip(self._batches, self._n_rows, strict=True):
            if not joined or n_rows > room:
                joined.append([])
                room = _JOINED_ROWS
            joined[-1].append(checked)
            room -= n_rows
        return joined

    def _shuffled(self, order: Order) -> list[Delayed]:
        """Return the partitions of all rows as frames, after a shuffle of Dask."""
        from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

        to_frame = partial(_frame_of, is_distinct=order == "score", score_type=self._type)
        self._frames = self._client.map(to_frame, self._joined(), pure=False)
        # Dask needs the types of columns; a frame without rows has them.
        meta = self._client.submit(_empty, self._frames[0], pure=False).result()
        frame = dataframe.from_delayed(self._frames, meta=meta, verify_meta=False)
        shuffled = frame.sort_values("score") if order == "score" else frame.shuffle(on="query")
        partitions: list[Delayed] = shuffled.to_delayed()
        return partitions


def _delayed(function: Callable[..., object]) -> Delayed:
    from dask.delayed import delayed  # noqa: PLC0415  # an extra, imported where it is used

    return delayed(function, pure=False)


# --- what runs on a worker -------------------------------------------------------------------------------


def _read_partition(rows: "pandas.DataFrame", roles: Roles, where: str) -> _Checked:
    reader = BatchReader(roles)
    return reader.read(_columns_of(rows, roles.columns, where)), reader


def _summary(checked: _Checked) -> tuple[BatchReader, int, DType]:
    batch, reader = checked
    return reader, batch.nbytes, batch.score.dtype


def _rows_of(partitions: Sequence[_Checked], score_type: DType) -> Batch:
    batches = [batch._replace(score=cast_exactly(batch.score, score_type)) for batch, _ in partitions]
    # No row tells the type of ids.
    return concatenate([batch for batch in batches if batch.score.size] or batches[:1])


def _frame_of(partitions: Sequence[_Checked], *, is_distinct: bool, score_type: DType) -> "pandas.DataFrame":
    """Return some partitions as one frame; Dask would leave a million tied rows in one partition."""
    from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used

    rows = _rows_of(partitions, score_type)
    if is_distinct:
        rows = rows.distinct()
        rows = rows._replace(n_rows=rows.counts)
    return DataFrame(rows.columns())


def _empty(frame: "pandas.DataFrame") -> "pandas.DataFrame":
    return frame.iloc[:0]


def _items_of_partitions(
    function: Callable[[Iterator[Batch]], Iterable[Item]], partitions: Sequence[_Checked], score_type: DType
) -> list[Item]:
    return list(function(iter([_rows_of(partitions, score_type)])))


def _items_of_frame(
    function: Callable[[Iterator[Batch]], Iterable[Item]], rows: "pandas.DataFrame"
) -> list[Item]:
    if "query" in rows:
        rows = rows.sort_values(["query", "score"])  # a shuffle brings rows of a query together in no order
    columns = {name: rows[name].to_numpy() for name in rows.columns}
    if "query" in rows and columns["query"].dtype.kind not in "biufmM":
        columns["query"] = columns["query"].astype(object)
    return list(function(iter([Batch(**columns)] if len(rows) else [])))


@contextmanager
def _dask_errors(
    where: str, partitions: Sequence[Future] = (), *, passed: tuple[type[Exception], ...] = _PASSED
) -> Iterator[None]:
    """Raise what Dask and its workers raise as an error of one line, about a partition that failed."""
    try:
        yield
    except passed:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        if type(error).__name__ == "KilledWorker":
            text = f"{text} Workers are often killed for lack of memory: use smaller partitions."
        for _ in range(20 if partitions else 0):  # the scheduler may report it to the client a moment later
            failed = [number for number, partition in enumerate(partitions) if partition.status == "error"]
            if failed:
                where = f"partition {failed[0]}"
                break
            time.sleep(0.05)
        raise SourceError(f"{where}: cannot be computed: {type(error).__name__}: {text}") from None
