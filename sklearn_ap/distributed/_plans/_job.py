"""The rows of a call, and how they are scanned and gathered.

Elsewhere a part may be read twice, and becomes a state that is sent and combined (`_scan`). In this process
each part is read once, and `Filling` and `counted` write what it adds straight to where it stays: rows then
take their own bytes and hardly more, where arrays of parts that are freed one by one leave gaps in memory (a
third of 1e8 rows, measured).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray
from .._source import Source, SourceError, Told, shown
from .._states._columns import TYPES, cast, held
from .._states._rows import AllRows
from .._states._sums import AnyBins, Sums
from ._part import Roles
from ._scan import Mergeable, scanned
from ._spread import EVERYWHERE, Inside, View, Window, without_weights

_BLOCK = 2**17  # rows that are written at once: copies of a whole part would stay with the allocator
_WEIGHTED_BYTES = 48  # per row with a weight, while it is ranked, beside its score


@dataclass(frozen=True)
class Job:
    """Rows somewhere, the columns that take part, and the memory that rows may take."""

    source: Source
    roles: Roles
    memory_limit: int
    told: Told
    view: View | None = None  # what rows are taken for, such as rows without weights

    def scan(self, into: Callable[[Checked], Mergeable | None], window: Window = EVERYWHERE) -> Any:
        """Return the state of all rows in a window, or raise SourceError if no row is there."""
        state = self.scan_for(Inside(into, window, self.view))
        # Rows of weight 0 are dropped where they are read, so a part of such rows has no state.
        if state is None and self.roles.sample_weight is not None:
            column = shown(self.roles.sample_weight)
            raise SourceError(f"{self.source.name}: column {column}: all rows weigh 0")
        if state is None:  # rows are looked for where there were some
            raise SourceError(f"{self.source.name}: changed between two scans: rows are gone")
        return state

    def scan_for(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows as they are, or None if `into` made none of any part."""
        return scanned(self.source, self.roles, into, self.told)

    def seen(self, view: View) -> "Job":
        """Return the job of rows that are taken for others."""
        return replace(self, view=view)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights that count."""
        return self.roles.sample_weight is not None and self.view is not without_weights

    @cached_property
    def score_type(self) -> np.dtype[Any] | None:
        """The type of scores that are numbers, if the source tells it."""
        dtype = self.source.columns().get(self.roles.y_score)
        return dtype if dtype is not None and dtype.kind in "biuf" else None

    @property
    def row_bytes(self) -> int:
        """Bytes per row in memory."""
        # A state holds scores in 4 or 8 bytes, whatever their type in the source.
        of_score = 8 if self.score_type is None else min(max(self.score_type.itemsize, 4), 8)
        return of_score + _WEIGHTED_BYTES if self.is_weighted else of_score

    def filled(self, n_rows: int, window: Window = EVERYWHERE) -> "Filling | None":
        """Return the rows of a window in one array, or None where parts are states.

        The array is filled in this process, and has no weights. It may turn out to be the wrong one.
        """
        if not self.source.in_process or self.is_weighted or self.score_type is None:
            return None
        filling = Filling(self.score_type, n_rows)
        everywhere = window is EVERYWHERE and self.view is None
        self.scan_for(filling if everywhere else Inside(filling, window, self.view))
        return filling


def all_rows(job: Job) -> AllRows | None:
    """Return all rows; or None if they do not fit, but can be read again."""
    n_rows, size, limit = job.source.n_rows(), job.row_bytes, job.memory_limit
    if n_rows is None or n_rows * size <= limit:
        # One array that is filled in place needs no copy of the parts: half the memory of what follows.
        filling = None if n_rows is None or not job.source.reads_again else job.filled(n_rows)
        rows = None if filling is None else filling.rows()
        if rows is not None:
            return rows
        # Where the number of rows is unknown, rows are gathered until they are too many, then only counted.
        gathered: Gathered = job.scan(partial(Gathered.of_rows, row_bytes=size, limit=limit))
        if gathered.rows is not None:
            return gathered.rows
        n_rows = gathered.n_rows
    if not job.source.reads_again:
        raise too_large(job, n_rows, size)
    return None


def too_large(job: Job, n_rows: int | None, row_bytes: int) -> SourceError:
    """Return the error of data that can be read only once, and do not fit."""
    least = f"be at least {n_rows * row_bytes} bytes" if n_rows else "hold all rows"
    rows = f"all {n_rows} rows" if n_rows else "they"
    return SourceError(
        f"{job.source.name}: memory_limit must {least} here: the data can be read only once, so {rows} must "
        f"fit; got {job.memory_limit} bytes"
    )


def sums_in(job: Job, bins: AnyBins, window: Window = EVERYWHERE) -> Sums:
    """Return how many rows each bin holds, and what they weigh."""
    if not job.source.in_process or job.is_weighted:
        summed: Sums = job.scan(partial(Sums.of_rows, bins=bins), window)
        return summed
    rows, lock = np.zeros((2, bins.n_bins), dtype=np.int64), Lock()

    def add(checked: Checked) -> None:
        """Add the rows of a part, from any thread: integers come to the same in any order."""
        counts = Sums.of_rows(checked, bins).rows
        with lock:
            np.add(rows, counts, out=rows)

    job.scan_for(Inside(add, window, job.view))
    return Sums(rows)


class Gathered(NamedTuple):
    """All rows, or only their number once they take more memory than they may."""

    rows: AllRows | None
    n_rows: int
    row_bytes: int
    limit: int

    @classmethod
    def of_rows(cls, checked: Checked, row_bytes: int, limit: int) -> "Gathered":
        """Return the rows of a part."""
        return cls(AllRows.of_rows(checked), checked.score.size, row_bytes, limit)

    def joined(self, other: "Gathered") -> "Gathered":
        """Return the rows of both."""
        n_rows, rows = self.n_rows + other.n_rows, None
        if self.rows is not None and other.rows is not None and n_rows * self.row_bytes <= self.limit:
            rows = self.rows.joined(other.rows)
        return self._replace(rows=rows, n_rows=n_rows)


class Filling:
    """An array of scores: positives from its first place up, negatives from its last place down.

    Parameters
    ----------
    dtype : dtype
        The type of all scores, as the source states it.
    n_rows : int
        How many there are.
    """

    def __init__(self, dtype: np.dtype[Any], n_rows: int) -> None:
        self._score: AnyArray = np.empty(n_rows, dtype=held(np.empty(0, dtype=dtype)).dtype)
        self._lock = Lock()
        self.counts, self._fits = (0, 0), True

    def __call__(self, checked: Checked) -> None:
        """Add the rows of a part, from any thread; rows that do not fit are only counted."""
        n_rows, n_positives = checked.score.size, int(np.count_nonzero(checked.positive))
        dtype = held(checked.score[:0]).dtype
        with self._lock:
            first, n_negatives = self.counts
            self.counts = first + n_positives, n_negatives + n_rows - n_positives
            self._fits &= sum(self.counts) <= self._score.size and _is_exact(dtype, self._score.dtype)
            fits = self._fits
        # Each thread has places of its own, so it writes without the lock.
        if fits:
            stop = self._score.size - n_negatives
            self._write(checked.score, checked.positive, first)
            self._write(checked.score, ~checked.positive, stop - (n_rows - n_positives))

    def _write(self, score: AnyArray, chosen: BoolArray, first: int) -> None:
        """Write the chosen scores from a place on."""
        for low in range(0, score.size, _BLOCK):
            rows = np.flatnonzero(chosen[low : low + _BLOCK])
            block = cast(held(score[low : low + _BLOCK]), self._score.dtype)
            # All rows exist. With mode="clip" numpy writes into `out`, and not into a copy of it first.
            block.take(rows, out=self._score[first : first + rows.size], mode="clip")
            first += rows.size

    def rows(self) -> AllRows | None:
        """Return the rows, or None unless all were written; call it once, when all parts were added."""
        if not self._fits or sum(self.counts) != self._score.size:
            return None
        return AllRows.in_one_array(self._score, self.counts[0])


def _is_exact(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether `wanted` is the type of a state that holds rows of both types."""
    return dtype == wanted or (wanted == TYPES["float64"] and dtype.itemsize == 4)
