"""Memory of Dask's workers: what each has for rows, and what is said when none has any, or nothing moves."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from .._source import SourceError

LEAST = 16e6  # bytes that a worker needs for rows
LOOKS = 5  # at the workers, until those that stand still are an error
_STARTING = 10  # times as long: machines of a cloud start within minutes
_LIBRARIES = 240e6  # bytes of a worker that has imported pandas, pyarrow, scikit-learn and this package
_ON_DISK = 8  # times what is free: pieces that wait on disk cost less than one more scan of the rows
_IN_MEMORY = 0.5  # of what is free, without a disk: sender and receiver hold a piece at the same time
_MOVING = "executing", "long-running", "flight"  # states of tasks


def free_of(worker: Mapping[str, Any]) -> float:
    """Return the bytes that a worker has for rows until Dask pauses it, and starts no more tasks there."""
    limit = worker["memory_limit"]
    return _pausing(limit) - _unmovable(worker) if limit else np.inf


def room_of(workers: Sequence[Mapping[str, Any]]) -> float:
    """Return the bytes of rows that workers can hold while they send them to each other."""
    share = _ON_DISK if _limit_share("spill") else _IN_MEMORY
    return share * sum(max(free_of(one), 0) for one in workers)


def _limit_share(action: str) -> float:
    """Return the share of its limit at which a worker takes this action; 0 for never."""
    import dask  # noqa: PLC0415  # optional, imported where it is used

    return float(dask.config.get(f"distributed.worker.memory.{action}", 0) or 0)


def _pausing(limit: float) -> float:
    return limit * (_limit_share("pause") or 1)


def _unmovable(worker: Mapping[str, Any]) -> float:
    """Return the bytes, with those of libraries, that are no results: Dask moves nothing else to disk."""
    metrics = worker["metrics"]
    in_memory = metrics.get("managed_bytes", 0) - metrics.get("spilled_bytes", {}).get("memory", 0)
    return float(max(metrics.get("memory", 0) - max(in_memory, 0), _LIBRARIES))


def too_small(worker: Mapping[str, Any]) -> str:
    """Say how little a worker has for rows."""
    limit, used = worker["memory_limit"], _unmovable(worker)
    wanted = limit * (used + 5 * LEAST) / _pausing(limit)
    return (
        f"no worker has memory for rows: the largest has {_megabytes(limit)}, Dask pauses it at "
        f"{_megabytes(_pausing(limit))}, and Python with its libraries takes {_megabytes(used)}; start "
        f"workers with a memory_limit of {_megabytes(wanted)} or more"
    )


class Standstill:
    """Notice that no task runs any more, since workers are paused, or since there is none.

    Parameters
    ----------
    client : distributed.Client
        What reaches the workers.
    workers : callable
        Returns what the scheduler knows of each worker.
    patience : float
        Seconds that nothing may move.
    """

    def __init__(self, client: Any, workers: Callable[[], list[dict[str, Any]]], patience: float) -> None:
        self.pause = patience / LOOKS  # seconds from look to look
        self._patience, self._client, self._workers = patience, client, workers
        self.moved()

    def moved(self) -> None:
        """Begin again, since a task was done."""
        self._seen, self._heard, self._looks = list[object](), dict[str, float](), 0

    def look(self) -> None:
        """Raise if nothing has moved for long; it is called again and again."""
        workers = self._workers()
        paused = [one for one in workers if one["status"] == "paused"]
        if any(map(_moves, workers)) or (workers and not paused):
            self.moved()
            return
        metrics = [one["metrics"] for one in workers]
        seen: list[object] = [(one.get("task_counts"), one.get("managed_bytes")) for one in metrics]
        heard = {one["id"]: one["last_seen"] for one in workers}
        if paused:
            # A worker may be paused for the holes that small arrays have left in its memory.
            self._client.run(give_back_holes, workers=list(heard), on_error="ignore")
        # A busy worker tells nothing for a while, which does not mean that it stands still.
        if seen != self._seen:
            self._seen, self._heard, self._looks = seen, heard, 1
        elif all(last > self._heard.get(one, 0) for one, last in heard.items()):
            self._heard, self._looks = heard, self._looks + 1
        if workers and self._looks > LOOKS:
            raise SourceError(_standing_still(paused, len(workers), self._patience))
        if not workers and self._looks > LOOKS * _STARTING:
            raise SourceError(
                f"the cluster has had no worker for {_STARTING * self._patience:g} s; workers that run "
                "out of memory are killed, so start larger ones, or use smaller partitions"
            )


def _moves(worker: Mapping[str, Any]) -> bool:
    """Whether a worker runs a task, fetches what one needs, or is about to."""
    counts, is_paused = worker["metrics"].get("task_counts", {}), worker["status"] == "paused"
    return any(state in counts for state in (_MOVING if is_paused else (*_MOVING, "ready")))


def give_back_holes() -> None:
    """Return to the system what small arrays have left free between others: up to a third of a worker."""
    with suppress(OSError, AttributeError):  # of other systems than Linux with glibc
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _standing_still(paused: list[dict[str, Any]], n_workers: int, seconds: float) -> str:
    one = max(paused, key=_unmovable)
    held, results = one["metrics"]["memory"], one["metrics"]["managed_bytes"]
    return (
        f"no task has run for {seconds:g} s, since {len(paused)} of {n_workers} workers are paused for lack "
        f"of memory: one holds {_megabytes(held)} of {_megabytes(one['memory_limit'])}, where "
        f"{_megabytes(results)} are results, which Dask moves to disk; use smaller partitions or larger "
        "workers"
    )


def _megabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:,.0f} MB"
