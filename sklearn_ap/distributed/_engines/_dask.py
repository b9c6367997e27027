"""Rows of Dask: the partitions of a DataFrame, or Series and Arrays of equal partitions.

The workers read the partitions, call the step, and combine the results as a tree, so that one result is moved
to the caller. Partitions are numbered from 0, as in ``frame.partitions[3]``.
"""

import os
import pickle
import re
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

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
    refuse_unknown_columns,
)
from ._arrow import common_scale
from ._dask_columns import aligned, array_dtype, columns_of_pieces, digits_of, is_array, known_length
from ._dask_memory import LEAST, Standstill, free_of, give_back_holes, room_of, too_small


class _Partitions(NamedTuple):
    """What a scan reads: how a frame calls the columns, the keys of each partition, and their tasks."""

    names: Sequence[str] | None  # None if each column is a collection of its own
    keys: list[tuple[Any, ...]]
    graph: dict[Any, Any]


_FAN_IN = 8  # results that one task combines; as many counts in bins fit into the memory limit
_NAME_OF_PART = "sklearn_ap_part"
_TOGETHER = 32  # partitions that one task reads, one after the other, at most
_TASKS = 32  # per thread, at least, so that no thread waits long for the last one
_MOST_PIECES = 20_000  # tasks of an exchange, about
_SHARE = 8  # of what each thread has for rows, results are one part: a range is ranked beside four copies
_WORKER = {"memory_limit": 2**30, "nthreads": 1, "metrics": {}}  # that has yet to start
_PATIENCE = 30  # seconds, until workers that stand still are an error


def opened(data: object, patience: float = _PATIENCE) -> Source | None:
    """Return a Dask DataFrame as a source, and None for other collections.

    Workers that stand still so many seconds are an error.
    """
    if not isinstance(data, _dataframes().DataFrame):
        return None
    return _Frame("Dask DataFrame", data, {name: name for name in data.columns}, patience)


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

    reads_again, in_process, patience = True, False, float(_PATIENCE)
    _types: Mapping[str, Any]  # of columns, as pandas, numpy or Arrow know them

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with the types of their arrays."""
        return {name: array_dtype(one) for name, one in self._types.items()}

    def scale(self, column: str) -> int | None:
        """Return the scale of decimals of Arrow that need integers to be told apart."""
        return common_scale([digits_of(self._types[column])])

    def scan(
        self, columns: Sequence[str], step: Step[State], combine: Combine[State], told: Told
    ) -> State | None:
        """Call `step` on every partition with rows, on the workers, and combine the results there."""
        read = self._reading(columns, step, combine)
        states, level = list(read.numbers), 0
        while len(states) > 1:
            level += 1
            joins = [states[first : first + _FAN_IN] for first in range(0, len(states), _FAN_IN)]
            states = [f"sklearn_ap_join-{read.token}-{level}-{number}" for number in range(len(joins))]
            read.tasks.update(
                {state: (_join, read.step, of) for state, of in zip(states, joins, strict=True)}
            )
        state: State | None = self._computed(read, states[0], told) if states else None
        return state

    def exchange(
        self,
        columns: Sequence[str],
        split: Split[Piece],
        works: Sequence[Work[Piece, State]],
        told: Told,
    ) -> list[State]:
        """Cut partitions into pieces on the workers, which fetch the pieces of each work from each other."""
        read = self._reading(columns, partial(listed_pieces, split), joined_pieces, len(works))
        gathers = [f"sklearn_ap_gather-{read.token}-{number}" for number in range(len(works))]
        for number, (gather, work) in enumerate(zip(gathers, works, strict=True)):
            pieces = {f"sklearn_ap_piece-{read.token}-{number}-{of}": of for of in read.numbers}
            read.tasks.update({key: (_pieces_of, part, number) for key, part in pieces.items()})
            read.tasks[gather] = _gather, work, list(pieces)
        last = f"sklearn_ap_results-{read.token}"
        read.tasks[last] = _all_results, gathers
        results: list[State] = self._computed(read, last, told)
        return results

    def _reading(
        self, columns: Sequence[str], step: Step[Any], combine: Combine[Any], n_works: int = 1
    ) -> "_Reading":
        """Return the tasks that make a state of each partition."""
        token = uuid.uuid4().hex  # Dask keeps results by name, and steps of other scans are other functions
        with _one_line_errors(self.name):
            names, partitions, graph = self._partitions(columns)
        client = self._client()
        n_threads = os.cpu_count() or 1 if client is None else sum(client.nthreads().values())
        # The scheduler works about a millisecond per task, so a task reads many small partitions, one by one.
        most = min(max(len(partitions) // (_TASKS * max(n_threads, 1)), 1), _TOGETHER)
        most = max(most, len(partitions) * n_works // _MOST_PIECES)
        # One task holds the step, which may carry megabytes, and all others refer to this task.
        held = f"sklearn_ap_step-{token}"
        tasks, numbers = _tasks_of(graph, partitions, f"{_NAME_OF_PART}-{token}", held, most)
        tasks[held] = _OpaqueStep(step, combine, columns, {**self.decimals}, names, token)
        return _Reading(tasks, numbers, held, token)

    def _computed(self, read: "_Reading", key: str, told: Told) -> Any:
        """Compute a task by the scheduler that Dask would use for the collection."""
        from dask.delayed import Delayed  # noqa: PLC0415  # optional, imported where it is used

        result: Any = Delayed  # untyped
        graph, client = result(key, read.tasks), self._client()
        done = _Done(told, sum(map(len, read.numbers.values())))
        with _one_line_errors(self.name, done):
            if client is None:
                state = _computed_here(graph, read.numbers, done)
            else:
                still = Standstill(client, self._workers, self.patience)
                state = _computed_by_cluster(client, graph, read.token, done, still)
        if isinstance(state, _RefusedPartition):
            raise SourceError(state.problem)
        done.finish()
        return state

    def largest_result(self) -> int | None:
        """Return a share of what the smallest worker has for rows, or raise if none has anything."""
        if self._client() is None:
            return None
        workers = self._workers() or [_WORKER]
        free = [(free_of(one), one) for one in workers]
        with_room = [least / (_SHARE * one["nthreads"]) for least, one in free if least >= LEAST]
        if not with_room:
            raise SourceError(f"{self.name}: {too_small(max(free, key=itemgetter(0))[1])}")
        least = min(with_room)
        return None if least == np.inf else int(least)

    def room(self) -> float | None:
        """Return what the workers have for pieces, which wait for each other in memory and on disk."""
        return None if self._client() is None else room_of(self._workers())

    def _workers(self) -> list[dict[str, Any]]:
        """Return what the scheduler knows of each worker of the cluster."""
        client = self._client()
        with _one_line_errors(self.name):
            while client is not None:
                info = client.scheduler_info(n_workers=-1)
                # Dask itself asks about none every 2 s, and that answer may have taken the place of ours.
                if len(info["workers"]) >= info.get("n_workers", 0):
                    return list(info["workers"].values())
                time.sleep(0.01)
        return []

    def _client(self) -> Any:
        """Return the client of the cluster that Dask would use for the collection; None without a cluster."""
        import dask.base  # noqa: PLC0415  # optional, imported where it is used

        scheduler_of: Any = dask.base.get_scheduler
        client = getattr(scheduler_of(), "__self__", None)
        return client if hasattr(client, "subscribe_topic") else None

    def _partitions(self, wanted: Sequence[str]) -> _Partitions:
        """Return the partitions with these columns."""
        raise NotImplementedError


class _Frame(_Collections):
    """Columns of a Dask DataFrame, by the names that the caller gives them."""

    def __init__(self, name: str, frame: Any, names: Mapping[str, str], patience: float = _PATIENCE) -> None:
        self.name, self._frame, self._names, self.patience = name, frame, names, patience
        types = dict(zip(frame._meta.columns, frame._meta.dtypes, strict=True))
        self._types = {one: types[name] for one, name in names.items()}

    def n_rows(self) -> int | None:
        """Return the number of rows if Dask knows it without reading values, as from Parquet's footers."""
        names = list(self._frame.columns)
        lone = [name for name in names if names.count(name) == 1]
        return known_length(self._frame[lone[0]]) if lone else None

    def n_parts(self) -> int:
        """Return the number of partitions."""
        n_parts: int = self._frame.npartitions
        return n_parts

    def _partitions(self, wanted: Sequence[str]) -> _Partitions:
        """Return the partitions; the optimizer lets readers of files skip all other columns.

        The optimizer may also join small partitions. They would be numbered otherwise than the caller's, so
        the frame is only simplified then, which skips columns too.
        """
        names = [self._names[column] for column in wanted]
        refuse_unknown_columns(self.name, list(self._frame.columns), names)
        frame = self._frame[list(dict.fromkeys(names))]
        optimized = frame.optimize()
        if optimized.npartitions != frame.npartitions:
            optimized = frame.simplify()
        keys = [(key,) for key in optimized.__dask_keys__()]
        return _Partitions(names, keys, dict(optimized.__dask_graph__()))


class _Columns(_Collections):
    """Dask Series and Arrays by role, with the same partitions."""

    name = "Dask columns"

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = aligned(named)
        self._types = {name: one.dtype for name, one in self._named.items()}

    def n_rows(self) -> int | None:
        """Return the number of rows if Dask knows it without reading values."""
        lengths = map(known_length, self._named.values())
        return next((length for length in lengths if length is not None), None)

    def n_parts(self) -> int:
        """Return the number of partitions, which all columns have."""
        n_parts: int = next(iter(self._named.values())).npartitions
        return n_parts

    def _partitions(self, wanted: Sequence[str]) -> _Partitions:
        """Return the partitions of each role.

        Each is simplified alone. Dask's optimizer may join partitions, differently for each of them; and
        `dask.optimize` of several Series of one frame returned all of its columns (Dask 2026.8).
        """
        named = [self._named[name] for name in wanted]
        simple = [one if is_array(one) else one.simplify() for one in named]
        graph = {key: task for one in simple for key, task in one.__dask_graph__().items()}
        return _Partitions(None, list(zip(*(one.__dask_keys__() for one in simple), strict=True)), graph)


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


def _one_column(name: str, one: Any) -> Any:
    """Return a Series or a 1-d Array; one column of two dimensions is raveled."""
    accepted = "a Dask Series or a 1-d Dask Array"
    if is_array(one):
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


@dataclass(frozen=True, eq=False)
class _OpaqueStep:
    """What a scan does, as one opaque object, into which Dask does not look for other tasks."""

    step: Callable[[Part], Any]
    combine: Callable[[Sequence[Any]], Any]
    columns: Sequence[str]
    decimals: Mapping[str, int]
    names: Sequence[str] | None  # that a frame has for these columns; None if each is a piece of its own
    token: str


@dataclass(frozen=True, eq=False)
class _Own:
    """Partitions with all that makes them, which no other partition needs, as one opaque object."""

    first: int
    keys: list[tuple[Any, ...]]
    graphs: list[dict[Any, Any]]


class _Reading(NamedTuple):
    """The tasks of a scan, and the numbers of the partitions that each task reads."""

    tasks: dict[Any, Any]
    numbers: dict[str, range]
    step: str  # the task that holds the step
    token: str


class _RefusedPartition(NamedTuple):
    """A partition that cannot be read. It is a result, since Dask logs what is raised with its traceback.

    So the error is that of the first such partition, whichever is read first.
    """

    problem: str


def _tasks_of(
    graph: dict[Any, Any], partitions: list[tuple[Any, ...]], name: str, held: str, most: int
) -> tuple[dict[Any, Any], dict[str, range]]:
    """Return tasks that make a state of at most so many partitions, and the numbers of these."""
    own, tasks = _own_graphs(graph, partitions)
    numbers, first = {}, 0
    while first < len(partitions):
        stop = first + 1
        while own[first] and stop < min(first + most, len(partitions)) and own[stop]:
            stop += 1
        key = f"{name}-{first}" + (f"-{stop - 1}" if stop - first > 1 else "")
        numbers[key] = range(first, stop)
        if own[first]:
            tasks[key] = _run_own, held, _Own(first, partitions[first:stop], own[first:stop])
        else:
            tasks[key] = _run, held, first, *partitions[first]
        first = stop
    return tasks, numbers


def _own_graphs(
    graph: dict[Any, Any], partitions: list[tuple[Any, ...]]
) -> tuple[list[dict[Any, Any]], dict[Any, Any]]:
    """Return the tasks that only one partition needs, for each, and all other tasks.

    They are empty where another partition needs one of them, and where a cluster holds results already.
    """
    from dask.core import get_dependencies  # noqa: PLC0415  # optional, imported where it is used

    owner: dict[Any, int] = {}
    shared: set[int] = set()
    own: list[dict[Any, Any]] = [{} for _ in partitions]
    for number, keys in enumerate(partitions):
        left = list(keys)
        while left:
            key = left.pop()
            first = owner.setdefault(key, number)
            if first != number:
                shared |= {first, number}
            elif key not in own[number]:
                own[number][key] = graph[key]
                needed = getattr(graph[key], "dependencies", None) or get_dependencies(graph, key)
                left += [one for one in needed if one in graph]
                is_future = type(graph[key]).__name__ == "Future"  # of Dask before 2025.2
                if is_future or key in needed or any(one not in graph for one in needed):
                    shared.add(number)
    return (
        [{} if number in shared else one for number, one in enumerate(own)],
        {key: graph[key] for key, number in owner.items() if number in shared},
    )


def _run_own(held: _OpaqueStep, own: _Own) -> Any:
    """Read partitions one by one, and combine what the step makes of them; it runs on a worker."""
    from dask.local import get_sync  # noqa: PLC0415  # optional, imported where it is used

    state = None
    for number, (keys, graph) in enumerate(zip(own.keys, own.graphs, strict=True), own.first):
        state = _join(held, [state, _state_of(held, number, get_sync(graph, list(keys)))])
    _tell(held.token, range(own.first, own.first + len(own.keys)))
    return state


def _run(held: _OpaqueStep, number: int, *pieces: Any) -> Any:
    """Call the step on a partition that Dask has read; it runs on a worker."""
    state = _state_of(held, number, pieces)
    _tell(held.token, range(number, number + 1))
    return state


def _state_of(held: _OpaqueStep, number: int, pieces: Sequence[Any]) -> Any:
    """Call the step on a partition, a frame or a piece per column; None without rows."""
    place = Place(f"partition {number}")
    columns = pieces if held.names is None else [pieces[0][name] for name in held.names]
    try:
        arrays = columns_of_pieces(columns, held.columns, place, held.decimals)
    except SourceError as error:
        return _RefusedPartition(str(error))
    n_rows = len(next(iter(arrays.values()), ()))
    return held.step(Part(arrays, place)) if n_rows else None


def _join(held: _OpaqueStep, states: list[Any]) -> Any:
    """Combine results in the order of the partitions; it runs on a worker."""
    found = [state for state in states if state is not None]
    refused = [state for state in found if isinstance(state, _RefusedPartition)]
    if refused:
        return refused[0]
    return held.combine(found) if len(found) > 1 else (found or [None])[0]


def _pieces_of(state: Any, number: int) -> Any:
    """Return the pieces of one work, or the partition that was refused; it runs on a worker.

    They wait for those of other partitions as one block of bytes: Dask then knows its size, and its memory is
    free for others once it is moved or on disk, while many small arrays would leave holes.
    """
    if state is None or isinstance(state, _RefusedPartition):
        return state
    pieces = state.get(number)
    return pieces and pickle.dumps(pieces, pickle.HIGHEST_PROTOCOL)


def _gather(work: Work[Any, Any], pieces: list[Any]) -> Any:
    """Do a work with pieces of all partitions, in their order; it runs on a worker."""
    found = [piece for piece in pieces if piece is not None]
    refused = [piece for piece in found if isinstance(piece, _RefusedPartition)]
    return refused[0] if refused else work([one for piece in found for one in pickle.loads(piece)])


def _all_results(found: list[Any]) -> Any:
    """Return all results as one."""
    return next((one for one in found if isinstance(one, _RefusedPartition)), found)


def _tell(token: str, numbers: range) -> None:
    """Let the client know that partitions are done, if this is a worker of a cluster."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return
    try:
        worker = distributed.get_worker()
    except ValueError:  # a thread or process of a local scheduler
        return
    worker.log_event(token, list(numbers))
    give_back_holes()


class _Done:
    """The partitions that are done, each of which counts once, however often it was retried."""

    def __init__(self, told: Told, n_partitions: int) -> None:
        self._told, self._n_partitions = told, n_partitions
        self._times: Counter[int] = Counter()
        self.error: Exception | None = None  # of the caller's function

    def add(self, numbers: Iterable[int]) -> None:
        """Count partitions."""
        for number in numbers:
            self._times[number] += 1
            if self._times[number] == 1:
                self._tell(len(self._times))

    def refuse_loops(self, most: int) -> None:
        """Raise if a partition was read more than `most` times: what it became is lost again and again."""
        number, times = max(self._times.items(), key=itemgetter(1), default=(0, 0))
        if times > most:
            raise SourceError(
                f"partition {number} was read {times} times, since the workers that held its result died. "
                "Workers are often killed for lack of memory: use a smaller memory_limit, or larger workers."
            )

    def finish(self) -> None:
        """Say that all are done, unless it was said."""
        if len(self._times) < self._n_partitions:
            self._tell(self._n_partitions)

    def _tell(self, n_done: int) -> None:
        try:
            self._told(n_done, self._n_partitions)
        except Exception as error:
            self.error = error
            raise


def _computed_here(graph: Any, numbers: Mapping[str, range], done: _Done) -> Any:
    """Compute the result by a local scheduler, which tells of each task."""
    import dask.callbacks  # noqa: PLC0415  # optional, imported where it is used

    callback: Any = dask.callbacks.Callback

    def after(key: Any, *_: Any) -> None:
        done.add(numbers.get(key, ()))

    with callback(posttask=after):
        return graph.compute()


def _computed_by_cluster(client: Any, graph: Any, token: str, done: _Done, still: Standstill) -> Any:
    """Compute the result by a cluster, whose workers tell of each partition."""
    import dask  # noqa: PLC0415  # optional, imported where it is used

    if client.asynchronous:
        raise SourceError("the Dask client must not be asynchronous; pass asynchronous=False to Client.")
    news: SimpleQueue[Any] = SimpleQueue()
    client.subscribe_topic(token, lambda event: news.put(event[1]))
    most = dask.config.get("distributed.scheduler.allowed-failures") + 1
    # A step that carries bins is large for a graph, but it is sent once.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
        future = client.compute(graph)
    # A worker may die while its result is moved here, which Dask repeats for ever: so another thread waits.
    with ThreadPoolExecutor(1, thread_name_prefix="sklearn_ap") as pool:
        try:
            result = pool.submit(future.result)
            result.add_done_callback(lambda _: news.put(None))
            while True:
                try:
                    numbers = news.get(timeout=still.pause)
                except Empty:
                    still.look()
                    continue
                still.moved()
                if numbers is None:
                    return result.result()
                done.add(numbers)
                done.refuse_loops(most)
        finally:
            future.cancel()  # what is left to do after an error or an interrupt
            client.unsubscribe_topic(token)


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
    found = re.search(rf"{_NAME_OF_PART}-[0-9a-f]+-(\d+)(?:-(\d+))?", str(error.task))
    what = "a task is" if found is None else f"partition {found[1]} is"
    if found is not None and found[2]:
        what = f"one of partitions {found[1]} to {found[2]} is"
    return (
        f"{what} given up, since {error.allowed_failures + 1} workers died while they had it, the last at "
        f"{error.last_worker.address}. Workers are often killed for lack of memory: use smaller partitions."
    )
