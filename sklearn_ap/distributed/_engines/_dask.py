"""Rows of Dask: the partitions of a DataFrame, or Series and Arrays of equal partitions.

The workers read the partitions, call the step, and combine the results as a tree, so that one result is moved
to the caller. Partitions are numbered from 0, as in ``frame.partitions[3]``.
"""

import re
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from ..._typing import AnyArray
from .._source import Combine, Part, Place, Source, SourceError, State, Step, Told, refuse_unknown_columns

_NUMBERS = "biufc"
_OBJECT = np.dtype(object)


def array_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return the type of the array that a column of this type becomes; None if there is none."""
    plain = _plain_dtype(dtype)
    if isinstance(plain, np.dtype):
        return _OBJECT if plain.kind == "U" else plain
    if plain.type in (str, Decimal, date):
        return _OBJECT
    if plain.kind == "M" and getattr(plain, "tz", None) is not None:
        return np.dtype(f"M8[{plain.unit}]")
    known: np.dtype[Any] = getattr(plain, "numpy_dtype", _OBJECT)  # pandas' nullable types, and Arrow's
    return known if known.kind != "O" else None


def _plain_dtype(dtype: Any) -> Any:
    """Return the type of the values of categories, or of Arrow's dictionary."""
    import pandas as pd  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(dtype, pd.CategoricalDtype):  # categories may be known on the workers only
        return _OBJECT if dtype.categories is None else dtype.categories.dtype
    of_arrow: Any = getattr(dtype, "pyarrow_dtype", None)
    return pd.ArrowDtype(of_arrow.value_type) if hasattr(of_arrow, "index_type") else dtype


def columns_of_pieces(pieces: Sequence[Any], columns: Sequence[str], place: Place) -> dict[str, AnyArray]:
    """Return Series of pandas and arrays as columns of the same length."""
    lengths = [len(piece) for piece in pieces]
    for column, length in zip(columns, lengths, strict=True):
        if length != lengths[0]:
            raise SourceError(
                f"{place.name}: {column} has {length} rows, but {columns[0]} has {lengths[0]}; all must have "
                "the same rows in each partition."
            )
    return {
        column: _array_of_column(column, piece, place) for column, piece in zip(columns, pieces, strict=True)
    }


def _array_of_column(column: str, values: Any, place: Place) -> AnyArray:
    """Return a Series or an array as an array without missing values in objects."""
    import pandas as pd  # noqa: PLC0415  # optional, imported where it is used

    missing = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    values = values if missing is None else values.data
    dtype, wanted = values.dtype, array_dtype(values.dtype)
    if wanted is None:
        raise place.error(column, f"type {dtype} is not accepted; use numbers, booleans or text")
    is_number = isinstance(dtype, np.dtype) and dtype.kind in _NUMBERS
    if missing is None and not is_number:
        missing = pd.isna(values)
    if missing is not None and missing.any():
        raise place.error(column, "no value", int(np.argmax(missing)))
    if is_number:
        return np.asarray(values)
    return np.asarray(pd.Series(values).astype(_plain_dtype(dtype)).to_numpy(dtype=wanted))


_Partitions = tuple[Sequence[str] | None, list[tuple[Any, ...]]]

_FAN_IN = 8  # results that one task combines
_NAME_OF_PART = "sklearn_ap_part"
_POLL = 1.0  # seconds between looks at a future, beside the news of its tasks


def opened(data: object) -> Source | None:
    """Return a Dask DataFrame as a source, and None for other collections."""
    if not isinstance(data, _dataframes().DataFrame):
        return None
    return _Frame("Dask DataFrame", data, {name: name for name in data.columns})


def opened_pair(named: Mapping[str, object]) -> Source:
    """Return Dask Series and Arrays as a source, by role name; all must have as many partitions."""
    first = next(name for name, one in named.items() if hasattr(one, "__dask_graph__"))
    for name, one in named.items():
        if not hasattr(one, "__dask_graph__"):
            raise ValueError(
                f"{name} must be a Dask Series or Array, since {first} is one; got "
                f"{type(one).__name__}. Pass all of them as Dask collections of the same partitions, or a "
                "Dask DataFrame and the names of its columns."
            )
    columns = {name: _one_column(name, one) for name, one in named.items()}
    return _frame_of(columns) or _Columns(columns)


def _dataframes() -> Any:
    try:
        import dask.dataframe  # noqa: PLC0415  # optional, imported where it is used
    except ImportError as error:  # Dask is there, but not its DataFrame
        raise ImportError("Dask lacks its DataFrame: pip install 'dask[dataframe]'") from error
    return dask.dataframe


class _Collections(Source):
    """Rows in partitions of Dask, which are computed by the scheduler that the caller has chosen."""

    reads_again, in_process = True, False

    def scan(
        self, columns: Sequence[str], step: Step[State], combine: Combine[State], told: Told
    ) -> State | None:
        """Call `step` on every partition with rows, on the workers, and combine the results there."""
        from dask.delayed import delayed  # noqa: PLC0415  # optional, imported where it is used

        token = uuid.uuid4().hex  # Dask keeps results by name, and steps of other scans are other functions
        names, partitions = self._partitions(columns)
        # One task holds the step, which may carry megabytes, and all others refer to this task.
        opaque = _OpaqueStep(step, combine, columns, names, token)
        held = delayed(opaque, traverse=False, name=f"sklearn_ap_step-{token}")
        keys = [f"{_NAME_OF_PART}-{token}-{number}" for number in range(len(partitions))]
        run, join = delayed(_run, pure=False), delayed(_join, pure=False)
        states = [
            run(held, number, *pieces, dask_key_name=key)
            for number, (key, pieces) in enumerate(zip(keys, partitions, strict=True))
        ]
        while len(states) > 1:
            starts = range(0, len(states), _FAN_IN)
            states = [join(held, states[first : first + _FAN_IN]) for first in starts]
        return _computed(states[0], keys, token, told, self.name) if states else None

    def _partitions(self, wanted: Sequence[str]) -> _Partitions:
        """Return how a frame calls the columns, and what each partition is made of, as delayed objects."""
        raise NotImplementedError


class _Frame(_Collections):
    """Columns of a Dask DataFrame, by the names that the caller gives them."""

    def __init__(self, name: str, frame: Any, names: Mapping[str, str]) -> None:
        self.name, self._frame, self._names = name, frame, names

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with the types of their arrays."""
        meta = self._frame._meta
        types = {name: array_dtype(dtype) for name, dtype in zip(meta.columns, meta.dtypes, strict=True)}
        return {one: types[name] for one, name in self._names.items()}

    def n_rows(self) -> int | None:
        """Return the number of rows if Dask knows it without reading values, as from Parquet's footers."""
        names = list(self._frame.columns)
        lone = [name for name in names if names.count(name) == 1]
        return _known_length(self._frame[lone[0]]) if lone else None

    def _partitions(self, wanted: Sequence[str]) -> _Partitions:
        """Return the partitions; the optimizer lets readers of files skip all other columns.

        The optimizer may also join small partitions. They would be numbered otherwise than the caller's, so
        the frame is only simplified then, which skips columns too.
        """
        names = [self._names[column] for column in wanted]
        refuse_unknown_columns(self.name, list(self._frame.columns), names)
        with _one_line_errors(self.name):
            frame = self._frame[list(dict.fromkeys(names))]
            optimized = frame.optimize()
            if optimized.npartitions != frame.npartitions:
                optimized = frame.simplify()
            return names, [(part,) for part in optimized.to_delayed(optimize_graph=False)]


class _Columns(_Collections):
    """Dask Series and Arrays by role, with the same partitions."""

    name = "Dask columns"

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = _aligned(named)

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the roles with the types of their arrays."""
        return {name: array_dtype(one.dtype) for name, one in self._named.items()}

    def n_rows(self) -> int | None:
        """Return the number of rows if Dask knows it without reading values."""
        lengths = map(_known_length, self._named.values())
        return next((length for length in lengths if length is not None), None)

    def _partitions(self, wanted: Sequence[str]) -> _Partitions:
        """Return the partitions of each role.

        Each is simplified alone. Dask's optimizer may join partitions, differently for each of them; and
        `dask.optimize` of several Series of one frame returned all of its columns (Dask 2026.8).
        """
        with _one_line_errors(self.name):
            named = [self._named[name] for name in wanted]
            simple = [one if _is_array(one) else one.simplify() for one in named]
            return None, list(zip(*(one.to_delayed(optimize_graph=False) for one in simple), strict=True))


def _frame_of(named: Mapping[str, Any]) -> _Frame | None:
    """Return the one frame of which all are columns, so that what they share is computed once."""
    exprs = [getattr(one, "expr", None) for one in named.values()]
    if any(type(expr).__name__ != "Projection" for expr in exprs):
        return None
    frames = {expr.frame._name: expr.frame for expr in exprs if expr is not None}
    roles = {name: one.name for name, one in named.items()}
    if len(frames) > 1:
        return None
    return _Frame(_Columns.name, _dataframes().DataFrame(frames.popitem()[1]), roles)


def _is_array(one: Any) -> bool:
    return hasattr(one, "chunks") and hasattr(one, "rechunk")


def _one_column(name: str, one: Any) -> Any:
    """Return a Series or a 1-d Array; one column of two dimensions is raveled."""
    accepted = "a Dask Series or a 1-d Dask Array"
    if _is_array(one):
        if one.ndim == 2 and one.shape[1] == 1:
            return one[:, 0]
        if one.ndim != 1:
            raise ValueError(f"{name} must be {accepted}; got an Array of shape {one.shape}.")
        return one
    if isinstance(one, _dataframes().DataFrame) and len(one.columns) == 1:
        return one[one.columns[0]]
    if not isinstance(one, _dataframes().Series):
        raise ValueError(f"{name} must be {accepted}; got a Dask {type(one).__name__}.")
    return one


def _aligned(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return collections of as many partitions; arrays of known chunks get those of the first."""
    known = {name: one for name, one in named.items() if _is_array(one) and not np.isnan(one.shape[0])}
    for name, one in known.items():
        first = next(iter(known))
        if one.shape != known[first].shape:
            raise ValueError(
                f"{name} must have as many rows as {first}, {len(known[first])}; got an Array of {len(one)}."
            )
    chunks = next((one.chunks for one in known.values()), None)
    aligned = {**named, **{name: one.rechunk(chunks) for name, one in known.items()}}
    first = next(iter(aligned))
    wanted = aligned[first].npartitions
    for name, one in aligned.items():
        if one.npartitions != wanted:
            raise ValueError(
                f"{name} must have as many partitions as {first}, {wanted}; got {one.npartitions}. Take both "
                "from one Dask DataFrame, or Arrays of known chunks (see Array.compute_chunk_sizes)."
            )
    return aligned


def _known_length(column: Any) -> int | None:
    """Return the length of a Series or Array where Dask finds it without any task."""
    if _is_array(column):
        return None if np.isnan(column.shape[0]) else int(column.shape[0])
    try:
        length = column.size.optimize(fuse=False)
    except Exception:  # of whatever the series is made of; a scan raises it too, and says what it was
        return None
    # A length that is known is a literal; all others are reductions over partitions.
    return int(length.compute()) if type(length.expr).__name__ == "Literal" else None


@dataclass(frozen=True)
class _OpaqueStep:
    """What a scan does, as one opaque object, into which Dask does not look for other tasks."""

    step: Callable[[Part], Any]
    combine: Callable[[Sequence[Any]], Any]
    columns: Sequence[str]
    names: Sequence[str] | None  # that a frame has for these columns; None if each is a piece of its own
    token: str


class _RefusedPartition(NamedTuple):
    """A partition that cannot be read. It is a result, since Dask logs what is raised with its traceback.

    So the error is that of the first such partition, whichever is read first.
    """

    problem: str


def _run(held: _OpaqueStep, number: int, *pieces: Any) -> Any:
    """Call the step on a partition, a frame or a piece per column; None without rows. It runs on a worker."""
    place = Place(f"partition {number}")
    columns = pieces if held.names is None else [pieces[0][name] for name in held.names]
    try:
        arrays = columns_of_pieces(columns, held.columns, place)
    except SourceError as error:
        return _RefusedPartition(str(error))
    n_rows = len(next(iter(arrays.values()), ()))
    state = held.step(Part(arrays, place)) if n_rows else None
    _tell(held.token, number)
    return state


def _join(held: _OpaqueStep, states: list[Any]) -> Any:
    """Combine results in the order of the partitions; it runs on a worker."""
    found = [state for state in states if state is not None]
    refused = [state for state in found if isinstance(state, _RefusedPartition)]
    if refused:
        return refused[0]
    return held.combine(found) if len(found) > 1 else (found or [None])[0]


def _tell(token: str, number: int) -> None:
    """Let the client know that a partition is done, if this is a worker of a cluster."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return
    try:
        worker = distributed.get_worker()
    except ValueError:  # a thread or process of a local scheduler
        return
    worker.log_event(token, number)


def _computed(graph: Any, keys: Sequence[str], token: str, told: Told, name: str) -> Any:
    """Compute the result by the scheduler that Dask would use for the collection."""
    import dask.base  # noqa: PLC0415  # optional, imported where it is used

    scheduler_of: Any = dask.base.get_scheduler
    client = getattr(scheduler_of(collections=[graph]), "__self__", None)
    done = _Done(told, len(keys))
    with _one_line_errors(name, done):
        if client is not None and hasattr(client, "subscribe_topic"):
            state = _computed_by_cluster(client, graph, token, done)
        else:
            state = _computed_here(graph, set(keys), done)
    if isinstance(state, _RefusedPartition):
        raise SourceError(state.problem)
    done.finish()
    return state


class _Done:
    """The partitions that are done, each of which counts once, however often it was retried."""

    def __init__(self, told: Told, n_partitions: int) -> None:
        self._told, self._n_partitions = told, n_partitions
        self._seen: set[object] = set()
        self.error: Exception | None = None  # of the caller's function

    def add(self, partition: object) -> None:
        """Count a partition."""
        if partition not in self._seen:
            self._seen.add(partition)
            self._tell(len(self._seen))

    def finish(self) -> None:
        """Say that all are done, unless it was said."""
        if len(self._seen) < self._n_partitions:
            self._tell(self._n_partitions)

    def _tell(self, n_done: int) -> None:
        try:
            self._told(n_done, self._n_partitions)
        except Exception as error:
            self.error = error
            raise


def _computed_here(graph: Any, keys: set[str], done: _Done) -> Any:
    """Compute the result by a local scheduler, which tells of each task."""
    import dask.callbacks  # noqa: PLC0415  # optional, imported where it is used

    callback: Any = dask.callbacks.Callback

    def after(key: Any, *_: Any) -> None:
        if key in keys:
            done.add(key)

    with callback(posttask=after):
        return graph.compute()


def _computed_by_cluster(client: Any, graph: Any, token: str, done: _Done) -> Any:
    """Compute the result by a cluster, whose workers tell of each partition."""
    import dask  # noqa: PLC0415  # optional, imported where it is used

    if client.asynchronous:
        raise SourceError("the Dask client must not be asynchronous; pass asynchronous=False to Client.")
    news: SimpleQueue[Any] = SimpleQueue()
    client.subscribe_topic(token, lambda event: news.put(event[1]))
    # A step that carries bins is large for a graph, but it is sent once.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
        future = client.compute(graph)
    try:
        future.add_done_callback(lambda _: news.put(None))
        while (partition := _next(news, future)) is not None:
            done.add(partition)
        return future.result()
    finally:
        future.cancel()  # what is left to do after an error or an interrupt
        client.unsubscribe_topic(token)


def _next(news: "SimpleQueue[Any]", future: Any) -> Any:
    """Return the next partition that is done, or None if the future is."""
    while True:
        try:
            return news.get(timeout=_POLL)
        except Empty:
            if future.done():  # without news, such as after the connection was lost
                return None


@contextmanager
def _one_line_errors(name: str, done: _Done | None = None) -> Iterator[None]:
    """Raise what workers raise as an error of one line."""
    try:
        yield
    except Exception as error:
        if done is not None and done.error is error:
            raise
        first = getattr(error, "exception", error)  # Dask's processes wrap what they raise
        if isinstance(first, SourceError):
            raise SourceError(str(first)) from None
        if type(error).__name__ == "KilledWorker":
            raise SourceError(f"{name}: {_killed(error)}") from None
        text = " ".join(str(first).split())
        raise SourceError(f"{name}: it cannot be computed; {type(first).__name__}: {text}") from error


def _killed(error: Any) -> str:
    """Say which partition could not be read, as far as Dask knows."""
    found = re.search(rf"{_NAME_OF_PART}-[0-9a-f]+-(\d+)", str(error.task))
    what = "a task" if found is None else f"partition {found[1]}"
    return (
        f"{what} is given up, since {error.allowed_failures + 1} workers died while they had it, the last at "
        f"{error.last_worker.address}. Workers are often killed for lack of memory: use smaller partitions."
    )
