"""Parts that two threads read and step through, with results folded in the order of the parts."""

import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

from .._source import Part, Told

State = TypeVar("State")
Read = Callable[[], Part | None]  # reads a part in whatever thread calls it; None if no row is left

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
