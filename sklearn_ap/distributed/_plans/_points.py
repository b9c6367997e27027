"""Operating points of a lone ranking, block after block: of all rows, or of those in some bins of scores.

Rows are gathered as far as they fit into memory, range after range, and become points at once. Counts in bins
say how many rows are above each range, so points are exact although most rows were never gathered.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._ranking._by_class import ByClass
from ..._ranking._rankings import OperatingPoints
from ..._ranking._table import from_each_on
from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._source import SourceError
from .._states._columns import held
from .._states._rows import AllRows
from ._job import Gathered, Job, too_large
from ._slices import bins_between, extremes_of
from ._spread import AnyBins, Counts, Extremes, Inside, OfBits, Window

_PIECE_ROWS = 2**18
_MOST_BINS = 2**20


class Everything:
    """All rows, which are in memory."""

    def __init__(self, job: Job, rows: AllRows) -> None:
        self._job = job
        self.n_positives, self.n_rows = rows.counts[0], sum(rows.counts)
        self._rows = rows.by_class()

    def blocks(self) -> Iterator[OperatingPoints]:
        """Yield the operating points, lowest threshold first."""
        for block in _points_of(self._rows):
            yield _in_type_of(self._job, block)


class BinnedPoints:
    """Rows that are not in memory, but counted in bins of scores."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._bins = bins_between(job, extremes_of(job))
        self._counts: Counts = job.scan(Inside(partial(Counts.of_rows, bins=self._bins)))
        self.n_positives, self.n_rows = (int(one.sum()) for one in (self._counts[0], sum(self._counts)))

    @property
    def filled(self) -> IntArray:
        """The bins that hold rows, worst first."""
        return np.flatnonzero(self._counts.positives + self._counts.negatives)

    def edges(self) -> tuple[FloatArray, FloatArray]:
        """Return the positives, and all rows, at or above each filled bin: an operating point."""
        filled = self.filled
        # The lowest score of a bin is a threshold, whichever it is: all rows of the bin are at or above it.
        tp, fp = (from_each_on(one)[filled].astype(np.float64) for one in self._counts)
        return tp, tp + fp

    def blocks(self, needed: BoolArray | None = None) -> Iterator[OperatingPoints]:
        """Yield the operating points of some of the filled bins, or of all, lowest threshold first."""
        bins = np.zeros(self._bins.n_bins, dtype=bool)
        # Empty bins hold no threshold, and reading them would cost a scan.
        bins[self.filled] = True if needed is None else needed
        level = _Level(Window(), self._bins, self._counts, bins, (0, 0))
        for block in _blocks_of_level(self._job, level):
            yield _in_type_of(self._job, block)


def found_in(job: Job) -> Everything | BinnedPoints:
    """Gather all rows if they fit into memory, or count them."""
    n_rows = job.source.n_rows()
    if n_rows is None or n_rows * job.row_bytes <= job.memory_limit:
        gathered = job.scan(partial(Gathered.of_rows, row_bytes=job.row_bytes, limit=job.memory_limit))
        if gathered.rows is not None:
            return Everything(job, gathered.rows)
        n_rows = gathered.n_rows
    if not job.source.reads_again:
        raise too_large(job, n_rows)
    return BinnedPoints(job)


class _Level(NamedTuple):
    """Bins inside a window, which of them are wanted, and the rows of each class above the window."""

    window: Window
    bins: AnyBins
    counts: Counts
    needed: BoolArray
    above: tuple[int, int]


@dataclass(frozen=True)
class _Wanted:
    """Keep the rows of a part that lie in wanted bins of a window."""

    window: Window
    bins: AnyBins
    needed: BoolArray

    def __call__(self, checked: Checked) -> AllRows | None:
        """Return the rows, or None if there are none."""
        score = held(checked.score)
        # The window cuts rows of other ranges, whose bins may be wanted, too.
        rows = np.flatnonzero(self.window.of(score) & self.needed[self.bins.of(score)])
        return AllRows.of_rows(checked._replace(score=score).take(rows)) if rows.size else None


def _blocks_of_level(job: Job, level: _Level) -> Iterator[OperatingPoints]:
    """Yield the points of the wanted bins, gathered in ranges that fit into memory."""
    wanted = np.where(level.needed, level.counts.positives + level.counts.negatives, 0)
    most = max(job.memory_limit // 2 // job.row_bytes, 1)
    up_to = np.cumsum(wanted)
    first, done = 0, 0
    while done < up_to[-1]:
        # Bins that nobody wants are skipped, so a range begins at a wanted one.
        first += int(np.argmax(wanted[first:] > 0))
        stop = first + max(int(np.count_nonzero(up_to[first:] <= done + most)), 1)
        in_range = int(up_to[stop - 1]) - done
        inside = level.window.cut(level.bins, first, stop)
        # A single bin is too large: its rows are counted in bins of their own.
        if in_range > most:
            yield from _blocks_of_bin(job, inside, level, first)
        else:
            yield from _blocks_of_range(job, inside, level, in_range)
        first, done = stop, done + in_range


def _blocks_of_bin(job: Job, window: Window, level: _Level, one: int) -> Iterator[OperatingPoints]:
    """Yield the points of a bin whose rows alone exceed the memory."""
    above = tuple(
        high + int(counts[one + 1 :].sum()) for high, counts in zip(level.above, level.counts, strict=True)
    )
    extremes: Extremes = job.scan(Inside(Extremes.of_rows, window))
    if extremes.low == extremes.high:
        tp, fp = (float(high + counts[one]) for high, counts in zip(above, level.counts, strict=True))
        yield OperatingPoints(
            np.array([extremes.low], dtype=extremes.dtype), np.array([tp]), np.array([tp + fp])
        )
        return
    bins = OfBits.between(extremes, _MOST_BINS)
    counts: Counts = job.scan(Inside(partial(Counts.of_rows, bins=bins), window))
    needed = (counts.positives + counts.negatives) > 0
    yield from _blocks_of_level(job, _Level(window, bins, counts, needed, (above[0], above[1])))


def _blocks_of_range(job: Job, window: Window, level: _Level, n_rows: int) -> Iterator[OperatingPoints]:
    """Yield the points of wanted bins whose rows fit."""
    rows: AllRows | None = job.scan_for(_Wanted(window, level.bins, level.needed))
    found = 0 if rows is None else sum(rows.counts)
    if rows is None or found != n_rows:
        raise SourceError(
            f"{job.source.name}: changed between two scans: {n_rows} rows in a range of scores became {found}"
        )
    # Rows above each bin that were not gathered: those of all bins above, less those of this range.
    # Thresholds are exact although most rows above them are known only as counts.
    stop, missing = window.levels[-1][2], []
    for high, counts in zip(level.above, level.counts, strict=True):
        gathered = from_each_on(np.where(level.needed, counts, 0))
        missing.append(from_each_on(counts) - gathered + gathered[stop] + high)
    for threshold, tp, retrieved in _points_of(rows.by_class()):
        above = level.bins.of(threshold) + 1
        # Gathered rows of the same bin are in the points already, hence the bins above it.
        more = missing[0][above]
        yield OperatingPoints(threshold, tp + more, retrieved + (more + missing[1][above]))


def _points_of(rows: ByClass) -> Iterator[OperatingPoints]:
    """Yield the points of rows, piece by piece, as if there were no others."""
    n_positives, n_negatives = rows.positive.size, rows.negative.size
    # Pieces come worst first, so what is above each is what later pieces hold.
    for piece in rows.pieces(_PIECE_ROWS):
        if piece.n_rows:
            n_positives, n_negatives = n_positives - piece.positive.size, n_negatives - piece.negative.size
            threshold, tp, retrieved = piece.points()
            yield OperatingPoints(threshold, tp + n_positives, retrieved + (n_positives + n_negatives))


def _in_type_of(job: Job, points: OperatingPoints) -> OperatingPoints:
    """Return points with thresholds in the type of the column, if they were held in a larger one."""
    dtype: np.dtype[Any] | None = job.source.columns().get(job.roles.y_score)
    if dtype is None or dtype.kind not in "biuf" or held(np.empty(0, dtype)).dtype != points.threshold.dtype:
        return points
    threshold: AnyArray = points.threshold.astype(dtype, copy=False)
    return points._replace(threshold=threshold)
