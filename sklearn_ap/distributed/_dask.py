"""Rows of a Dask DataFrame: gathered if they fit, or shuffled and walked on the workers of a cluster.

Without a cluster, partitions are computed in this process one after the other, as the batches of a file are.
"""

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
    cast_exactly,
    common_type,
    concatenate,
    refuse_unknown_columns,
)
from ._local import Columns, LocalRows
from ._state import BothClasses, ClassScores
from ._stream import SortedStream, StoredGroups, View

_NAME = "Dask DataFrame"

Result = TypeVar("Result")


def open_dask(frame: Any, roles: Roles, limit: int) -> "LocalRows | DaskRows":
    """Return the rows of a Dask DataFrame, on the cluster of the current client if there is one."""
    from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

    if not isinstance(frame, dataframe.DataFrame):
        raise TypeError(f"data must be a DataFrame where it is of Dask; got {type(frame).__name__}.")
    refuse_unknown_columns(_NAME, list(frame.columns), roles.columns)
    client = _current_client()
    if client is None:
        return LocalRows(_NAME, partial(_read_partitions, frame, roles.columns), roles, limit)
    if client.asynchronous:
        raise SourceError(f"{_NAME}: the client must not be asynchronous; pass asynchronous=False to Client")
    return DaskRows(frame, roles, limit, client)


def _current_client() -> Any:
    try:
        from distributed import get_client  # noqa: PLC0415  # an extra, imported where it is used

        return get_client()
    except (ImportError, ValueError):  # no cluster
        return None


def _read_partitions(frame: Any, names: Sequence[str]) -> Iterator[Columns]:
    """Yield the columns of one partition after the other, computed by a local scheduler."""
    for number, partition in enumerate(frame[list(names)].to_delayed()):
        with _one_line_errors(f"partition {number}"):
            rows = partition.compute()
        yield _columns_of(rows, names, f"partition {number}")


def _columns_of(rows: Any, names: Sequence[str], where: str) -> Columns:
    return Columns({name: rows[name].to_numpy() for name in names}, where)


class DaskRows:
    """The rows of a DataFrame as checked batches, one per partition, on the workers of a cluster."""

    name = _NAME

    def __init__(self, frame: Any, roles: Roles, limit: int, client: Any) -> None:
        self.roles, self.limit, self._client = roles, limit, client
        delayed = frame[roles.columns].to_delayed()
        read = [
            _delayed(_read_partition)(partition, roles, f"partition {number}")
            for number, partition in enumerate(delayed)
        ]
        self._batches = client.compute(read)

    def close(self) -> None:
        """Let the workers forget the rows."""
        self._client.cancel(self._batches)

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into this process."""
        reader = BatchReader(self.roles)
        with _one_line_errors(_NAME):
            summaries = self._client.gather(self._client.map(_summary, self._batches, pure=False))
        for number, (n_rows, _, negative, _) in enumerate(summaries):
            reader.n_rows += n_rows
            if negative is not None:
                reader.add_label(negative, f"partition {number}")
        reader.refuse_no_rows(_NAME)
        self._type = common_type({dtype for *_, dtype in summaries})
        if sum(n_bytes for _, n_bytes, *_ in summaries) > self.limit:
            return None
        with _one_line_errors(_NAME):
            batches = [batch for batch, _ in self._client.gather(self._batches)]
        return concatenate([batch for batch in batches if batch.score.size], _NAME, self.roles.y_score)

    def stream(self, *, keeps_all: bool) -> SortedStream:
        """Return the ranking, sorted by Dask's shuffle; its groups stay on the workers."""
        from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

        # One row per distinct score: a shuffle by score would put a million tied rows into one partition.
        distinct = self._client.map(_distinct_rows, self._batches, score_type=self._type, pure=False)
        with _one_line_errors(_NAME):
            meta = self._client.submit(_empty, distinct[0], pure=False).result()
            frame = dataframe.from_delayed(distinct, meta=meta, verify_meta=False)
            in_order = frame.sort_values("score").to_delayed()
            store = partial(
                _store_distinct, weighted=self.roles.sample_weight is not None, keeps_all=keeps_all
            )
            groups = self._client.compute([_delayed(store)(rows) for rows in in_order])
            summaries = self._client.gather(self._client.map(StoredGroups.summary, groups, pure=False))
        return SortedStream.of_parts(DaskParts(self._client, groups), summaries, self.limit)

    def reduce_queries(self, function: Callable[[Iterator[Batch]], Result]) -> list[Result]:
        """Call a function on the rows of each partition, which has whole queries after a shuffle."""
        from dask import dataframe  # noqa: PLC0415  # an extra, imported where it is used

        narrow = self._client.map(_narrow_rows, self._batches, score_type=self._type, pure=False)
        with _one_line_errors(_NAME):
            meta = self._client.submit(_empty, narrow[0], pure=False).result()
            frame = dataframe.from_delayed(narrow, meta=meta, verify_meta=False)
            shuffled = frame.shuffle(on="query").to_delayed()
            reduce = _delayed(partial(_reduce_frame, function))
            results: list[Result] = self._client.gather(
                self._client.compute([reduce(rows) for rows in shuffled])
            )
        return results


class DaskParts:
    """The groups of each sorted partition, on the workers."""

    def __init__(self, client: Any, groups: list[Any]) -> None:
        self._client, self._groups = client, groups

    def map(self, function: Callable[[StoredGroups, View], Result], views: Sequence[View]) -> list[Result]:
        """Call a function on each partition with its view, where the partition is."""
        with _one_line_errors(_NAME):
            results = [
                self._client.submit(function, groups, view, pure=False)
                for groups, view in zip(self._groups, views, strict=True)
            ]
            found: list[Result] = self._client.gather(results)
        return found

    def fetched(self) -> Iterator[StoredGroups]:
        """Bring one partition after the other to this process."""
        for groups in self._groups:
            with _one_line_errors(_NAME):
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


def _summary(checked: tuple[Batch, Any]) -> tuple[int, int, Any, np.dtype[Any]]:
    batch, negative = checked
    return batch.score.size, batch.nbytes, negative, batch.score.dtype


def _distinct_rows(checked: tuple[Batch, Any], score_type: np.dtype[Any]) -> Any:
    """Return one row per distinct label, score and weight, with the number of rows."""
    from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used

    batch, _ = checked
    score = cast_exactly(batch.score, score_type)
    classes = []
    for place in (np.flatnonzero(batch.positive), np.flatnonzero(~batch.positive)):
        weight = None if batch.weight is None else batch.weight[place]
        classes.append(ClassScores(score[place], weight).distinct())
    n_each = [scores.score.size for scores in classes]
    columns = {
        "score": np.concatenate([scores.score for scores in classes]),
        "positive": np.repeat([True, False], n_each),
        "weight": np.concatenate([scores.weight_each for scores in classes]),
        "rows": np.concatenate([scores.n_rows_each for scores in classes]),
    }
    return DataFrame(columns)


def _store_distinct(rows: Any, *, weighted: bool, keeps_all: bool) -> StoredGroups:
    """Return the groups of one sorted partition; it runs on a worker."""
    classes = []
    for is_positive in (True, False):
        of_class = rows[rows["positive"] == is_positive]
        weight = of_class["weight"].to_numpy() if weighted else None
        classes.append(
            ClassScores(of_class["score"].to_numpy(), weight, of_class["rows"].to_numpy()).distinct()
        )
    return BothClasses(*classes).stored(keeps_all=keeps_all)


def _narrow_rows(checked: tuple[Batch, Any], score_type: np.dtype[Any]) -> Any:
    from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used

    batch, _ = checked
    batch = batch._replace(score=cast_exactly(batch.score, score_type))
    return DataFrame({name: column for name, column in batch._asdict().items() if column is not None})


def _empty(frame: Any) -> Any:
    return frame.iloc[:0]


def _reduce_frame(function: Callable[[Iterator[Batch]], Result], rows: Any) -> Result:
    """Call a function on the rows of one partition, sorted by query and score; it runs on a worker."""
    rows = rows.sort_values(["query", "score"])
    columns = {name: rows[name].to_numpy() for name in rows.columns}
    if columns["query"].dtype.kind not in "biufmM":
        columns["query"] = columns["query"].astype(object)
    return function(iter([Batch(**columns)] if len(rows) else []))


@contextmanager
def _one_line_errors(where: str) -> Iterator[None]:
    """Raise what Dask and its workers raise as an error of one line."""
    try:
        yield
    except (SourceError, TypeError, Warning):
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        if type(error).__name__ == "KilledWorker":
            text = f"{text} Workers are often killed for lack of memory: use smaller partitions."
        raise SourceError(f"{where}: cannot be computed: {type(error).__name__}: {text}") from None
