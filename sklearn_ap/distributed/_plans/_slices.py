"""Ranges of scores whose rows fit into memory: counted in bins, cut, and gathered one by one."""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._ranking._rank import RARE
from ..._ranking._table import from_each_on
from ..._typing import BoolArray, FloatArray, IntArray
from .._source import SourceError
from .._states._binned import Bins
from .._states._rows import AllRows
from ._job import Counting, Filling, Job
from ._spread import AnyBins, Counts, Extremes, Inside, OfBits, Sums, Window

_MOST_BINS, _LEAST_BINS = 2**20, 2**10
MOST_WEIGHED_BINS = 2**18  # whose sums take more memory
_ROWS_PER_BIN, _BIN_BYTES = 64, 16
_HELD = 8  # counts of parts that wait for each other
_ALL = Window()


class Cell(NamedTuple):
    """A window, how many rows are above it, and what they weigh."""

    window: Window
    positives_above: int
    negatives_above: int
    weights_above: tuple[float, float] = (0.0, 0.0)


class Slice(NamedTuple):
    """A window whose rows fit into memory, how many are gathered, and how many rows are above it."""

    cell: Cell
    positives: int
    negatives: int  # without those that are left out
    tied: Any = None  # the only score in it, if it is known that there is no other
    weights: tuple[float, float] = (0.0, 0.0)  # in it and above it


def extremes_of(job: Job) -> Extremes:
    """Return the bounds of all scores: from statistics of the source or, if it has none, by a scan."""
    bounds, n_rows = job.source.extremes(job.roles.y_score), job.source.n_rows()
    dtype = job.source.columns().get(job.roles.y_score)
    if bounds is None or n_rows is None or dtype is None:
        found: Extremes = job.scan(Inside(Extremes.of_rows))
        return found
    return Extremes(dtype, *bounds, n_rows)


def bins_between(job: Job, extremes: Extremes) -> AnyBins:
    """Return bins of the same width, unless floats cannot tell their edges apart."""
    bins = Bins(float(extremes.low), float(extremes.high), n_bins_of(job, extremes))
    if bins.have_edges:
        return bins
    return OfBits.between(extremes, n_bins_of(job, extremes))


def n_bins_of(job: Job, extremes: Extremes) -> int:
    """Return the number of bins, a power of two, so that `_HELD` sets of counts fit into memory."""
    most, of_bin = (MOST_WEIGHED_BINS, 3 * _BIN_BYTES) if job.is_weighted else (_MOST_BINS, _BIN_BYTES)
    fitting = 1 << (job.memory_limit // (_HELD * of_bin)).bit_length()
    wanted = min(1 << (extremes.n_rows // _ROWS_PER_BIN).bit_length(), fitting, most)
    return max(wanted, _LEAST_BINS)


def counts_in(job: Job, bins: AnyBins, window: Window = _ALL) -> Counts:
    """Return how many rows each bin holds."""
    if not job.source.in_process:
        counts: Counts = job.scan(Inside(partial(Counts.of_rows, bins=bins), window))
        return counts
    counting = Counting(bins)
    job.scan_for(Inside(counting, window))
    return counting.counts


def left_out_of(counts: Counts) -> IntArray | None:
    """Return the negatives of each bin that need not be gathered, or None if positives are not rare."""
    n_positives = counts.positives.sum()
    if n_positives * RARE > n_positives + counts.negatives.sum():
        return None
    return np.where(counts.positives > 0, 0, counts.negatives)


def cut_into_slices(
    job: Job, cell: Cell, bins: AnyBins, counts: Counts | Sums, left_out: IntArray | None
) -> list[Slice]:
    """Cut a window into slices that fit into half of the memory, the worst first.

    A slice may always take as much memory as the counts, even if half the limit is less. `left_out` are the
    negatives of each bin that are not gathered.
    """
    weighed = [from_each_on(one) for one in counts.exact()] if isinstance(counts, Sums) else []
    counts = counts.counts if isinstance(counts, Sums) else counts
    gathered = counts.positives + counts.negatives
    gathered -= 0 if left_out is None else left_out
    most = max(job.memory_limit // 2, _BIN_BYTES * bins.n_bins) // job.row_bytes
    below = np.append(0, np.cumsum(gathered))  # rows in all bins below each
    above = [from_each_on(one) for one in counts]
    slices: list[Slice] = []
    first = 0
    while first < bins.n_bins:
        stop = int(below.searchsorted(below[first] + most, side="right")) - 1
        stop = max(stop, first + 1)
        positives, negatives = (int(one[first] - one[stop]) for one in above)
        inside = Cell(
            cell.window.cut(bins, first, stop),
            cell.positives_above + int(above[0][stop]),
            cell.negatives_above + int(above[1][stop]),
            _added(cell.weights_above, weighed, stop),
        )
        weights = _added(cell.weights_above, weighed, first)
        if positives and below[stop] - below[first] > most:
            slices += _cut_bin(job, Slice(inside, positives, negatives, weights=weights))
        elif positives:
            kept = int(below[stop] - below[first])
            slices.append(Slice(inside, positives, kept - positives, weights=weights))
        first = stop
    return slices


def _added(weights: tuple[float, float], above: list[FloatArray], place: int) -> tuple[float, float]:
    """Add the weights from a bin on; without weights, nothing."""
    if not above:
        return weights
    return weights[0] + float(above[0][place]), weights[1] + float(above[1][place])


def _cut_bin(job: Job, whole: Slice) -> list[Slice]:
    """Cut a bin whose rows alone exceed the memory."""
    window = whole.cell.window
    extremes: Extremes = job.scan(Inside(Extremes.of_rows, window))
    if extremes.low == extremes.high:
        return [whole._replace(tied=np.asarray(extremes.low, dtype=extremes.dtype))]
    bins = OfBits.between(extremes, n_bins_of(job, extremes))
    if not job.is_weighted:
        return cut_into_slices(job, whole.cell, bins, counts_in(job, bins, window), None)
    sums: Sums = job.scan(Inside(partial(Sums.of_rows, bins=bins), window))
    return cut_into_slices(job, whole.cell, bins, sums, None)


def rows_of_slice(job: Job, one: Slice, needed: tuple[AnyBins, BoolArray] | None, *, alone: bool) -> AllRows:
    """Return the rows of a slice, without negatives in bins that are not needed."""
    window = one.cell.window
    if needed is not None and alone and len(window.levels) == 1:
        window = Window()  # all that is needed is inside
    rows, found = _rows_inside(job, Inside(AllRows.of_rows, window, needed), one.positives + one.negatives)
    if rows is None or found != (one.positives, one.negatives):
        was, now = (
            f"{sum(counts)} rows, {counts[0]} positive" for counts in ((one.positives, one.negatives), found)
        )
        raise SourceError(
            f"{job.source.name}: changed between two scans: a range of scores held {was}, and now {now}"
        )
    return rows


def _rows_inside(job: Job, inside: Inside, n_rows: int) -> tuple[AllRows | None, tuple[int, int]]:
    """Return the rows inside, and how many each class has; both differ if files changed since the count."""
    dtype = job.source.columns().get(job.roles.y_score)
    if job.source.in_process and not job.is_weighted and dtype is not None and dtype.kind in "biuf":
        filling = Filling(dtype, n_rows)
        job.scan_for(replace(inside, into=filling))
        rows = filling.rows()
        if rows is not None or sum(filling.counts) != n_rows:
            return rows, filling.counts
    gathered: AllRows | None = job.scan_for(inside)
    return gathered, (0, 0) if gathered is None else gathered.counts
