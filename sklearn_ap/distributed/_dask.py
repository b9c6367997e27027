"""Rows of a Dask DataFrame: gathered if they fit, or shuffled and reduced on the workers of a cluster.

Without a cluster, partitions are computed in this process one after the other, as the batches of a file are.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ._batches import (
    Batch,
    BatchReader,
    InexactError,
    Roles,
    SourceError,
    best_rows,
    cast_exactly,
    column_error,
    common_type,
    concatenate,
    refuse_unknown_columns,
)
from ._local import Columns, LocalSource
from ._stream import Result, SortedStream, StoredGroups, View

_DASK_FRAME = "Dask DataFrame"
_JOINED = 16  # partitions whose best rows one task looks at
_JOINED_ROWS = 2**20  # of a shuffled partition, unless an input partition has more
# Errors of this package, which tasks raise and callers see as they are.
_PASSED_WHILE_READING = SourceError, Warning
_PASSED = *_PASSED_WHILE_READING, TypeError  # scores refuse arguments


def open_dask(frame: Any, roles: Roles, limit: int) -> "LocalSource | DaskSource":
    """Return the rows of a Dask DataFrame, on the cluster of the current client if there is one."""
    from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

    if not isinstance(frame, dataframe.DataFrame):
        raise TypeError(f"data must be a DataFrame where it is of Dask; got {type(frame).__name__}.")
    refuse_unknown_columns(_DASK_FRAME, list(frame.columns), roles.columns)
    client = _current_client()
    if client is None:
        return LocalSource(_DASK_FRAME, partial(_read_partitions, frame, roles.columns), roles, limit)
    if client.asynchronous:
        raise SourceError(
            f"{_DASK_FRAME}: the client must not be asynchronous; pass asynchronous=False to Client"
        )
    return DaskSource(frame, roles, limit, client)


def _current_client() -> Any:
    try:
        from distributed import get_client  # noqa: PLC0415  # an extra, imported where it is used

        return get_client()
    except (ImportError, ValueError):  # no cluster
        return None


def _read_partitions(frame: Any, names: Sequence[str]) -> Iterator[Columns]:
    """Yield the columns of one partition after the other, computed by a local scheduler."""
    for number, partition in enumerate(frame[list(names)].to_delayed()):
        with _dask_errors(f"partition {number}", passed=_PASSED_WHILE_READING):
            rows = partition.compute()
        yield _columns_of(rows, names, f"partition {number}")


def _columns_of(rows: Any, names: Sequence[str], where: str) -> Columns:
    return Columns({name: rows[name].to_numpy() for name in names}, where)


class DaskSource:
    """The rows of a DataFrame as checked batches, one per partition, on the workers of a cluster."""

    name = _DASK_FRAME
    reads_again = True

    def __init__(self, frame: Any, roles: Roles, limit: int, client: Any) -> None:
        self.roles, self.limit, self._client = roles, limit, client
        delayed = frame[roles.columns].to_delayed()
        read = [
            _delayed(_read_partition)(partition, roles, f"partition {number}")
            for number, partition in enumerate(delayed)
        ]
        self._batches = client.compute(read)  # futures: each partition is read once, and stays on its worker
        self._frames: list[Any] = []  # Dask cancels a future without a reference

    def close(self) -> None:
        """Let the workers drop the rows."""
        self._client.cancel([*self._batches, *self._frames])

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into this process."""
        reader = BatchReader(self.roles)
        with _dask_errors(_DASK_FRAME, self._batches, passed=_PASSED_WHILE_READING):
            summaries = self._client.gather(self._client.map(_summary, self._batches, pure=False))
        # Each worker knows the label of its negatives alone; only here a third label shows.
        for number, (n_rows, _, negative, _) in enumerate(summaries):
            reader.n_rows += n_rows
            if negative is not None:
                reader.add_label(negative, f"partition {number}")
        reader.refuse_no_rows(_DASK_FRAME)
        self._type = common_type({dtype for *_, dtype in summaries})
        self._n_rows = [n_rows for n_rows, *_ in summaries]
        if sum(n_bytes for _, n_bytes, *_ in summaries) > self.limit:
            return None
        with _dask_errors(_DASK_FRAME):
            batches = [batch for batch, _ in self._client.gather(self._batches)]
        try:
            return concatenate([batch for batch in batches if batch.score.size])
        except InexactError as error:
            raise column_error(_DASK_FRAME, self.roles.y_score, f"contains {error}") from None

    def best(self, n_rows: int) -> Batch:
        """Return rows with the same first rows as all of them, and the same totals."""
        best = partial(_best_of_partitions, n_rows=n_rows, score_type=self._type)
        with _dask_errors(_DASK_FRAME):
            parts = [self._client.submit(best, group, pure=False) for group in self._joined()]
            while len(parts) > 1:  # a tree, so that no worker gets the best rows of all partitions
                groups = [parts[first : first + _JOINED] for first in range(0, len(parts), _JOINED)]
                parts = [self._client.submit(best, group, pure=False) for group in groups]
            found: Batch = parts[0].result()[0]
        return found

    def stream(self, *, keeps_negatives: bool) -> SortedStream:
        """Return the ranking, sorted by Dask's shuffle; its groups stay on the workers."""
        # One row per distinct score: a shuffle by score would put a million tied rows into one partition.
        shuffled = self._shuffled(_distinct_rows, lambda frame: frame.sort_values("score"))
        weighted = self.roles.sample_weight is not None
        store = partial(_groups_of_frame, weighted=weighted, keeps_negatives=keeps_negatives)
        with _dask_errors(_DASK_FRAME):
            groups = self._client.compute([_delayed(store)(rows) for rows in shuffled])
            summaries = self._client.gather(self._client.map(StoredGroups.summary, groups, pure=False))
        return SortedStream.of_parts(DaskParts(self._client, groups), summaries, self.limit)

    def reduce_queries(self, function: Callable[[Iterator[Batch]], Result]) -> list[Result]:
        """Call a function on the rows of each partition, which has whole queries after a shuffle."""
        reduce = _delayed(partial(_reduce_frame, function))
        shuffled = self._shuffled(_narrow_rows, lambda frame: frame.shuffle(on="query"))
        with _dask_errors(_DASK_FRAME):
            results: list[Result] = self._client.gather(
                self._client.compute([reduce(rows) for rows in shuffled])
            )
        return results

    def _joined(self) -> list[list[Any]]:
        """Return the checked partitions, small ones together: a shuffle of N partitions is N^2 pieces."""
        joined: list[list[Any]] = []
        room = 0
        for checked, n_rows in zip(self._batches, self._n_rows, strict=True):
            if not joined or n_rows > room:
                joined.append([])
                room = _JOINED_ROWS
            joined[-1].append(checked)
            room -= n_rows
        return joined

    def _shuffled(self, to_frame: Callable[..., Any], shuffle: Callable[[Any], Any]) -> list[Any]:
        """Return the partitions of all rows as frames, after a shuffle of Dask."""
        from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

        with _dask_errors(_DASK_FRAME):
            self._frames = self._client.map(to_frame, self._joined(), score_type=self._type, pure=False)
            # Dask needs the types of columns; a frame without rows has them.
            meta = self._client.submit(_empty, self._frames[0], pure=False).result()
            frame = dataframe.from_delayed(self._frames, meta=meta, verify_meta=False)
            partitions: list[Any] = shuffle(frame).to_delayed()
        return partitions


class DaskParts:
    """The groups of each sorted partition, on the workers."""

    def __init__(self, client: Any, groups: list[Any]) -> None:
        self._client, self._groups = client, groups

    def map(self, function: Callable[[StoredGroups, View], Result], views: Sequence[View]) -> list[Result]:
        """Call a function on each partition with its view, where the partition is."""
        with _dask_errors(_DASK_FRAME):
            results = [
                self._client.submit(function, groups, view, pure=False)
                for groups, view in zip(self._groups, views, strict=True)
            ]
            gathered: list[Result] = self._client.gather(results)
        return gathered

    def fetched(self) -> Iterator[StoredGroups]:
        """Bring one partition after the other to this process."""
        for groups in self._groups:
            with _dask_errors(_DASK_FRAME):
                fetched: StoredGroups = groups.result()
            yield fetched


def _delayed(function: Callable[..., Any]) -> Any:
    from dask.delayed import delayed  # noqa: PLC0415  # an extra, imported where it is used

    return delayed(function, pure=False)


def _read_partition(rows: Any, roles: Roles, where: str) -> tuple[Batch, Any]:
    """Return the checked rows of a partition and the label of its negatives; it runs on a worker."""
    reader = BatchReader(roles)
    columns = _columns_of(rows, roles.columns, where)
    return reader.read(columns.arrays, where), reader.negative_label


def _best_of_partitions(
    parts: Sequence[tuple[Batch, Any]], n_rows: int, score_type: np.dtype[Any]
) -> tuple[Batch, Any]:
    """Return rows with the same first rows as some checked partitions; it runs on a worker."""
    return best_rows([_rows_of(parts, score_type)], n_rows), None


def _summary(checked: tuple[Batch, Any]) -> tuple[int, int, Any, np.dtype[Any]]:
    batch, negative = checked
    return batch.score.size, batch.nbytes, negative, batch.score.dtype


def _distinct_rows(parts: Sequence[tuple[Batch, Any]], score_type: np.dtype[Any]) -> Any:
    """Return each score, label and weight of some checked partitions once, with its number of rows."""
    distinct = _rows_of(parts, score_type).distinct()
    n_rows = np.ones(distinct.score.size, dtype=np.int64) if distinct.n_rows is None else distinct.n_rows
    return _to_frame(distinct._replace(n_rows=n_rows))


def _narrow_rows(parts: Sequence[tuple[Batch, Any]], score_type: np.dtype[Any]) -> Any:
    return _to_frame(_rows_of(parts, score_type))


def _rows_of(parts: Sequence[tuple[Batch, Any]], score_type: np.dtype[Any]) -> Batch:
    batches = [batch._replace(score=cast_exactly(batch.score, score_type)) for batch, _ in parts]
    # No row tells the type of ids.
    return concatenate([batch for batch in batches if batch.score.size] or batches[:1])


def _to_frame(rows: Batch) -> Any:
    from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used

    return DataFrame(rows.columns())


def _groups_of_frame(rows: Any, *, weighted: bool, keeps_negatives: bool) -> StoredGroups:
    """Return the groups of one sorted partition; it runs on a worker."""
    batch = Batch(**{name: rows[name].to_numpy() for name in rows.columns})
    return StoredGroups.of_batches(iter([batch]), weighted=weighted, keeps_negatives=keeps_negatives)


def _empty(frame: Any) -> Any:
    return frame.iloc[:0]


def _reduce_frame(function: Callable[[Iterator[Batch]], Result], rows: Any) -> Result:
    """Call a function on the rows of one partition, sorted by query and score; it runs on a worker."""
    rows = rows.sort_values(["query", "score"])  # a shuffle brings rows of a query together in no order
    columns = {name: rows[name].to_numpy() for name in rows.columns}
    if columns["query"].dtype.kind not in "biufmM":
        columns["query"] = columns["query"].astype(object)
    return function(iter([Batch(**columns)] if len(rows) else []))


@contextmanager
def _dask_errors(
    where: str, partitions: Sequence[Any] = (), *, passed: tuple[type[Exception], ...] = _PASSED
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
