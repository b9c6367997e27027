"""Rows of a Dask DataFrame: read and checked by partitions, then gathered, or sorted by
DuckDB.

On a cluster, workers read and check the partitions, and take the best rows of each for
a cut. Without one, partitions are computed in this process one after the other, as the
batches of a file are.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
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
    PartFunction,
    Roles,
    SourceError,
)
from ._local import LocalSource

if TYPE_CHECKING:
    import pandas
    from dask import dataframe

_DASK_FRAME = "Dask DataFrame"

Client = Any  # of distributed, whose methods have no types
_Checked = tuple[Batch, BatchReader]  # the rows of a partition, and what read them


def open_dask(frame: "dataframe.DataFrame", roles: Roles, limit: int) -> LocalSource:
    """Return the rows of a Dask DataFrame, on the cluster of the current client if
    there is one.
    """
    from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

    if not isinstance(frame, dataframe.DataFrame):
        raise TypeError(
            f"data must be a DataFrame where it is of Dask; got {type(frame).__name__}."
        )
    roles.refuse_unknown(_DASK_FRAME, frame.columns)
    try:
        from distributed import get_client  # noqa: PLC0415  # an extra, imported where it is used

        client = get_client()
    except (ImportError, ValueError):  # no cluster
        return LocalSource(
            _DASK_FRAME, partial(_read_partitions, frame, roles.columns), roles, limit
        )
    if client.asynchronous:
        raise SourceError(
            f"{_DASK_FRAME}: the client is asynchronous; pass Client(asynchronous=False)"
        )
    return DaskSource(frame, roles, limit, client)


def _read_partitions(
    frame: "dataframe.DataFrame", names: Sequence[str]
) -> Iterator[Columns]:
    """Yield the columns of one partition after the other, computed by a local
    scheduler.
    """
    for number, partition in enumerate(frame[list(names)].to_delayed()):
        with _dask_errors(f"partition {number}"):
            rows = partition.compute()
        yield _columns_of(rows, names, f"partition {number}")


def _columns_of(rows: "pandas.DataFrame", names: Sequence[str], where: str) -> Columns:
    return Columns({name: rows[name].to_numpy() for name in names}, where)


class DaskSource(LocalSource):
    """The rows of a DataFrame as checked batches, one per partition, on the workers of
    a cluster.
    """

    def __init__(
        self, frame: "dataframe.DataFrame", roles: Roles, limit: int, client: Client
    ) -> None:
        from dask.delayed import delayed  # noqa: PLC0415  # an extra, imported where it is used

        super().__init__(_DASK_FRAME, partial(iter, ()), roles, limit)
        read = delayed(_read_partition, pure=False)
        partitions = enumerate(frame[roles.columns].to_delayed())
        # Futures: each partition is read once, and stays on its worker.
        self._partitions = client.compute(
            [read(rows, roles, f"partition {n}") for n, rows in partitions]
        )
        self._client = client

    def close(self) -> None:
        """Let the workers drop the rows."""
        self._client.cancel(self._partitions)

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into this process."""
        summaries = list(self._results(_size_and_type))
        if sum(n_bytes for n_bytes, _ in summaries) <= self.limit:
            return super().gather()
        self._types = {dtype for _, dtype in summaries}
        return None

    def map_parts(
        self, function: PartFunction[Item], order: Order | None
    ) -> Generator[Item]:
        """Call a function on the rows of each partition on its worker, or on all rows
        in order here.
        """
        if order is not None:
            yield from super().map_parts(function, order)
            return
        reader = BatchReader(self.roles)
        for number, (items, of_partition) in enumerate(
            self._results(partial(_items, function))
        ):
            reader.join(of_partition, f"partition {number}")
            yield from items
        reader.refuse_no_rows(self.name)

    def _checked(self, reader: BatchReader) -> Generator[Batch]:
        # Each worker knows the label of its negatives alone; only here a third label
        # shows.
        for number, (batch, of_partition) in enumerate(self._results(None)):
            reader.join(of_partition, f"partition {number}")
            if batch.score.size:
                yield batch

    def _results(self, function: Callable[[_Checked], Item] | None) -> Iterator[Any]:
        """Yield the result of a function for each partition, or the partition without
        one.
        """
        futures = self._partitions
        if function is not None:
            futures = self._client.map(function, futures, pure=False)
        for number, future in enumerate(futures):
            with _dask_errors(f"partition {number}"):
                result = self._client.gather(future)
            yield result


# --- what runs on a worker ------------------------------------------------------------


def _read_partition(rows: "pandas.DataFrame", roles: Roles, where: str) -> _Checked:
    reader = BatchReader(roles)
    return reader.read(_columns_of(rows, roles.columns, where)), reader


def _size_and_type(checked: _Checked) -> tuple[int, DType]:
    return checked[0].nbytes, checked[0].score.dtype


def _items(
    function: PartFunction[Item], checked: _Checked
) -> tuple[list[Item], BatchReader]:
    batch, reader = checked
    return list(function(iter([batch] if batch.score.size else []))), reader


@contextmanager
def _dask_errors(where: str) -> Iterator[None]:
    """Raise what Dask and its workers raise as an error of one line."""
    try:
        yield
    except (SourceError, Warning):
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        if type(error).__name__ == "KilledWorker":
            text = f"{text} Workers are often killed for lack of memory: use smaller partitions."
        raise SourceError(
            f"{where}: cannot be computed: {type(error).__name__}: {text}"
        ) from None
