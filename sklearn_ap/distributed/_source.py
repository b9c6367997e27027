"""What an engine is: columns with types, and a scan that calls a function on every part of the rows.

An adapter (`_arrow`, `_files`, `_dask`, `_spark`) makes a `Source` of what the caller passed. It knows
nothing of scores, and the plans know nothing of files and clusters. In this process, `fold` runs a scan by
two threads. `read_memory_limit` says how much memory rows may take.
"""

import re
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from .._public import Public
from .._reading._options import is_real
from .._typing import AnyArray

State = TypeVar("State")
MemoryLimit = int | float | str
Told = Callable[[int, int | None], object]  # parts that are done, and parts in all, if known

_THREADS = 2  # one reads while the other one steps; more would hold more parts
_AHEAD = 2  # parts that are read but not yet combined
_TOGETHER = 4  # results that are combined at once
_LISTED = 10  # columns; an error lists no more of them
_LONGEST = 100  # characters; an error shows no more of a value
_SHARE = 4  # of the memory that is available, rows take one part by default
_UNKNOWN = 4 * 2**30  # bytes that are taken to be available where the system does not say
_UNITS = {"": 1, "b": 1} | {
    f"{letter}{binary}{b}": (1024 if binary else 1000) ** power
    for power, letter in enumerate("kmgt", start=1)
    for binary in ("", "i")
    for b in ("b", "")
}


class SourceError(ValueError, metaclass=Public):
    """Rows cannot be read as asked; the message is one line with the file, the column and the row.

    .. versionadded:: 0.1

    See Also
    --------
    average_precision_score : Says what it refuses.

    Examples
    --------
    >>> from sklearn_ap import distributed
    >>> try:
    ...     distributed.average_precision_score("no_such.parquet")
    ... except distributed.SourceError as error:
    ...     print(error)
    'no_such.parquet': No such file or directory
    """


def shown(value: object) -> str:
    """Return a user's value as short text on one line."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:70]}...{text[-27:]}"


class Place(NamedTuple):
    """Where the rows of a part stand, for errors."""

    name: str  # of the file, quoted, or "partition 3"
    first_row: int = 0  # rows of it that stand before the part
    others: tuple[
        tuple[int, str], ...
    ] = ()  # files behind it in the part: the row where each begins, its name

    @classmethod
    def of_files(cls, names: Sequence[str], n_rows: Sequence[int]) -> "Place":
        """Return the place of a part that holds all rows of several files."""
        starts = accumulate(n_rows, initial=0)
        begun = [(start, name) for start, name, n in zip(starts, names, n_rows, strict=False) if n]
        return cls(begun[0][1] if begun else names[0], 0, tuple(begun[1:]))

    def at(self, row: int) -> "Place":
        """Return the place of a row, which counts from 0 in the part."""
        begun = bisect_right(self.others, row, key=itemgetter(0))
        if not begun:
            return Place(self.name, self.first_row + row)
        start, name = self.others[begun - 1]
        return Place(name, row - start)

    def error(self, column: str, problem: str, row: int | None = None) -> SourceError:
        """Return an error about a column, or about one of its rows; `row` counts from 0 in the part."""
        name, first_row, _ = self if row is None else self.at(row)
        where = "" if row is None else f", row {first_row + 1}"
        return SourceError(f"{name}: column {shown(column)}{where}: {problem}")


def refuse_unknown_columns(where: str, available: Sequence[str], names: Iterable[str]) -> None:
    """Refuse names that are not those of one column each."""
    for name in names:
        count = list(available).count(name)
        if count == 1:
            continue
        problem = f"is there {count} times; give columns different names"
        if not count:
            more = ", ..." if len(available) > _LISTED else ""
            listed = f"columns are {', '.join(map(shown, available[:_LISTED]))}{more}"
            if len(available) == 1 and name in available[0] and not available[0].isidentifier():
                listed = f"only column is {shown(available[0])}: separate columns by comma, semicolon or tab"
            problem = f"is missing; the {listed}" if available else "is missing; there are no columns"
        raise SourceError(f"{where}: column {shown(name)} {problem}")


class Part(NamedTuple):
    """Rows that are read at once: one array of numpy per column, without missing values in objects.

    Floats may hold NaN, which the reader of the part refuses. Text is an array of `str` objects, and dates,
    times and durations are those of numpy. `texts` says where a column of files of text has its first cell
    that is not a number, and shows the cell: this is what makes all of the column text.
    """

    columns: Mapping[str, AnyArray]
    place: Place
    texts: "Mapping[str, tuple[Place, str]]" = MappingProxyType({})


Piece = TypeVar("Piece")
Step = Callable[[Part], State]
Split = Callable[[Part], Mapping[int, Piece]]
Work = Callable[[Sequence[Piece]], State]
Combine = Callable[[Sequence[State]], State]
Read = Callable[[], Part | None]  # reads a part in whatever thread calls it; None if no row is left


class Source(Protocol):
    """Rows in parts whose order is fixed, wherever they are."""

    name: str  # of all rows, for errors
    reads_again: bool  # whether `scan` may be called twice
    in_process: bool  # whether a scan calls `step` in this process, in any thread, and once per part
    decimals: Mapping[str, int] = MappingProxyType({})  # how scans give decimals, as `read_decimals` says

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with the types of their arrays; None for a type that no array has."""

    def n_rows(self) -> int | None:
        """Return the number of rows, or None if only a full scan can count the rows."""

    def scale(self, column: str) -> int | None:  # noqa: ARG002  # of those with decimals
        """Return the scale of decimals that need integers to be told apart; None for other columns."""
        return None

    def read_decimals(self, scores: Iterable[str], weight: str | None) -> None:
        """Let scans give decimals of scores as integers in their order, and those of weights as near floats.

        `decimals` then holds the scale of these integers, and 0 for weights. Floats of all other decimals
        tell them apart, or are refused.
        """
        scales = {name: self.scale(name) for name in scores}
        known = {name: scale for name, scale in scales.items() if scale is not None}
        self.decimals = known if weight is None else {weight: 0} | known

    def extremes(self, column: str) -> tuple[float, float] | None:  # noqa: ARG002  # of those with statistics
        """Return bounds of all values, where statistics hold them, or None."""
        return None

    def largest_result(self) -> int | None:
        """Return the bytes that a result may take where rows are elsewhere, or None if nothing limits them.

        There may be as many more in results that wait to be combined.
        """
        return None

    def room(self) -> float | None:
        """Return the bytes of rows that workers can exchange at once, or None without workers."""
        return None

    def n_parts(self) -> int | None:
        """Return the number of parts where each becomes a state that is sent, or None."""
        return None

    def scan(
        self, columns: Sequence[str], step: Step[State], combine: Combine[State], told: Told
    ) -> State | None:
        """Call `step` on every part with rows, and `combine` results in the order of the parts.

        The names of `columns` differ, and each is one of `columns()`.
        `step` and `combine` can be pickled, and so can what they return; `combine` is associative. They raise
        nothing: refused rows are a result too. `told` is called after parts are done. None without rows.
        """

    def exchange(
        self,
        columns: Sequence[str],  # noqa: ARG002  # of those with workers
        split: Split[Piece],  # noqa: ARG002
        works: Sequence[Work[Piece, State]],  # noqa: ARG002
        told: Told,  # noqa: ARG002
    ) -> list[State]:
        """Return what each of `works` makes of its pieces, on workers.

        `split` is called on every part with rows, and numbers the pieces of a part by their work. A work is
        called once its pieces of all parts are gathered on one worker, in the order of the parts, and may get
        none. Pieces are rows: all together take at most `room()`, and only the small results of works are
        moved to the caller. `split`, `works`, pieces and results can be pickled, and nothing is raised.
        """
        return []


def listed_pieces(split: Split[Piece], part: Part) -> dict[int, list[Piece]]:
    """Make lists of the pieces of a part, by number: the step of a scan that becomes an exchange."""
    return {number: [piece] for number, piece in split(part).items()}


def joined_pieces(found: Sequence[dict[int, list[Piece]]]) -> dict[int, list[Piece]]:
    """Return the pieces of several parts, by number and in the order of the parts."""
    numbers = dict.fromkeys(number for one in found for number in one)
    return {number: [piece for one in found for piece in one.get(number, ())] for number in numbers}


def read_memory_limit(memory_limit: object) -> int:
    """Return a limit in bytes: a number of them, text such as '500MB' or '2GiB', or 'auto'."""
    if memory_limit == "auto":
        return _available() // _SHARE
    if isinstance(memory_limit, str):
        said = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", memory_limit.lower())
        if said and said[2] in _UNITS and float(said[1]) > 0:
            return int(float(said[1]) * _UNITS[said[2]])
    elif is_real(memory_limit) and 1 <= memory_limit < 2**63:
        return int(memory_limit)
    raise ValueError(
        "memory_limit must be 'auto', a number of bytes or text such as '500MB' or '2GiB'; got "
        f"{memory_limit!r}."
    )


def _available() -> int:
    """Return the bytes that can be taken without swapping, as far as the system says."""
    known = [_UNKNOWN]
    with suppress(OSError):  # Linux, where caches count as available
        said = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
        known = [int(said[1]) * 1024] if said else known
    with suppress(OSError, ValueError):  # the limit of a container, unless it is "max"
        group = Path("/sys/fs/cgroup")
        limit, used = (int((group / name).read_text()) for name in ("memory.max", "memory.current"))
        known.append(max(limit - used, 0))
    return max(min(known), _SHARE)


def fold(
    reads: Generator[Read, None, None],
    step: Step[State],
    combine: Combine[State],
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


def _results(reads: Generator[Read, None, None], step: Step[State]) -> Generator[list[State], None, None]:
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


class Scans:
    """Tell how many parts are done, and of which scan of how many, once there are several.

    Parameters
    ----------
    write : callable
        What takes the scan in words, such as "scan 3 of 7" or "", and the parts that are done and in all.
    """

    def __init__(self, write: Callable[[str, int, int | None], object]) -> None:
        self._write, self._begun, self._expected, self._is_new = write, 0, 0, False

    def begin(self) -> None:
        """Say that a scan begins; it counts from its first part on."""
        self._is_new = True

    def expect(self, n_scans: int) -> None:
        """Say how many scans are still to come, as far as that is known."""
        self._expected = self._begun + n_scans

    def __call__(self, done: int, total: int | None) -> None:
        """Tell how many parts are done."""
        words = self.words
        self._begun += self._is_new
        self._is_new = False
        self._write(words, done, total)

    @property
    def words(self) -> str:
        """The scan that runs, of how many if that is known; nothing if it is the first."""
        number = self._begun + self._is_new
        of_all = f" of {self._expected}" if self._expected >= number else ""
        return f"scan {number}{of_all}" if number > 1 else ""


def tell_nobody(*_: object) -> None:
    """Ignore how many parts are done."""


def give_back() -> None:
    """Return the memory that pyarrow keeps for what it may read next: up to 40 MB, for rows that stay."""
    pyarrow = sys.modules.get("pyarrow")  # imported already if it reads
    if pyarrow is not None:
        pyarrow.default_memory_pool().release_unused()


def _stepped(read: Read, step: Step[State]) -> list[State]:
    part = read()
    return [] if part is None else [step(part)]
