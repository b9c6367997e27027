"""The rows of a call, and how they are scanned and gathered.

Elsewhere a part may be read twice, and becomes a state that is sent and combined (`_scan`). In this process
each part is read once, and `Filling` and `Counting` write what it adds straight to where it stays: rows then
take their own bytes and hardly more, where arrays of parts that are freed one by one leave gaps in memory (a
third of 1e8 rows, measured).
"""

from collections.abc import Callable
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray
from .._source import Source, SourceError, Told, shown
from .._states._columns import TYPES, cast, held
from .._states._rows import AllRows
from ._part import Roles
from ._scan import Mergeable, scanned
from ._spread import AnyBins, Counts, WithoutWeights

_BLOCK = 2**17  # rows that are written at once: copies of a whole part would stay with the allocator
_WEIGHTED_BYTES = 48  # per row with a weight, while it is ranked, beside its score


class Job(NamedTuple):
    """Rows somewhere, the columns that take part, and the memory that rows may take."""

    source: Source
    roles: Roles
    memory_limit: int
    told: Told
    ignores_weights: bool = False  # drop rows of weight 0, then treat all rows alike

    def scan(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or raise SourceError if `into` made none of any part."""
        state = self.scan_for(into)
        # Rows of weight 0 are dropped where they are read, so a part of such rows has no state.
        if state is None and self.roles.sample_weight is not None:
            column = shown(self.roles.sample_weight)
            raise SourceError(f"{self.source.name}: column {column}: all rows weigh 0")
        if state is None:  # rows are looked for where there were some
            raise SourceError(f"{self.source.name}: changed between two scans: rows are gone")
        return state

    def scan_for(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or None if `into` made none of any part."""
        return scanned(
            self.source, self.roles, WithoutWeights(into) if self.ignores_weights else into, self.told
        )

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights that count."""
        return self.roles.sample_weight is not None and not self.ignores_weights

    @property
    def row_bytes(self) -> int:
        """Bytes per row in memory."""
        dtype = self.source.columns().get(self.roles.y_score)
        # A state holds scores in 4 or 8 bytes, whatever their type in the source.
        of_score = 8 if dtype is None or dtype.kind not in "biuf" else min(max(dtype.itemsize, 4), 8)
        return of_score + _WEIGHTED_BYTES if self.is_weighted else of_score


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


def too_large(job: Job, n_rows: int | None, row_bytes: int | None = None) -> SourceError:
    """Return the error of data that can be read only once, and do not fit."""
    size = job.row_bytes if row_bytes is None else row_bytes
    least = f"be at least {n_rows * size} bytes" if n_rows else "hold all rows"
    rows = f"all {n_rows} rows" if n_rows else "they"
    return SourceError(
        f"{job.source.name}: memory_limit must {least} here: the data can be read only once, so {rows} must "
        f"fit; got {job.memory_limit} bytes"
    )


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
        return AllRows.of_array(self._score, self.counts[0])


def _is_exact(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether `wanted` is the type of a state that holds rows of both types."""
    return dtype == wanted or (wanted == TYPES["float64"] and dtype.itemsize == 4)


class Counting:
    """Positives and negatives in each bin."""

    def __init__(self, bins: AnyBins) -> None:
        self._bins, self._lock = bins, Lock()
        self.counts = Counts(*np.zeros((2, bins.n_bins), dtype=np.int64))

    def __call__(self, checked: Checked) -> None:
        """Add the rows of a part, from any thread."""
        positives, negatives = Counts.of_rows(checked, self._bins)
        with self._lock:
            self.counts.positives[:] += positives
            self.counts.negatives[:] += negatives
