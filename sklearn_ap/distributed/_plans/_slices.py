"""Rows that do not fit into memory: summed in bins of scores, cut into ranges that fit, and gathered."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._ranking._ranges import AnyRange
from ..._ranking._table import from_each_on
from ..._typing import AnyArray, BoolArray, FloatArray
from .._source import SourceError
from .._states._rows import AllRows
from .._states._sums import AnyBins, Bins, OfBits, Sums
from ._job import EVERYWHERE, Extremes, Inside, Job, Level, Window, sums_in

_MOST_BINS, _LEAST_BINS = 2**20, 2**10
MOST_WEIGHED_BINS = 2**18  # whose sums take more memory
_ROWS_PER_BIN, _BIN_BYTES = 64, 16
_HELD = 8  # counts of parts that wait for each other

Pair = tuple[float, float]  # of positives and of negatives


class Slice(NamedTuple):
    """A window whose rows fit into memory, the number of them, and what is known of the rows above."""

    window: Window
    counts: tuple[int, int]
    above: tuple[int, int]
    weights: Pair = (0.0, 0.0)  # in the window and above it, gathered or not
    weights_above: Pair = (0.0, 0.0)
    tied: Any = None  # the only score in it, if it is known that there is no other


class LeftOut(NamedTuple):
    """What of a slice was not gathered, above each of its scores."""

    bins: AnyBins
    first: int
    above: list[AnyArray]  # above each bin from the one before the first: of both classes, then their weights

    def __call__(self, score: AnyArray) -> list[AnyArray]:
        """Return the positives and the negatives above each score and, with weights, what both weigh."""
        # Rows of a bin are gathered together, so all that was left out is in other bins than the score.
        next_bin = self.bins.of(score) + 1 - self.first
        return [one[next_bin] for one in self.above]


_EVERYTHING = Slice(EVERYWHERE, (0, 0), (0, 0))


def bins_for(job: Job) -> AnyBins:
    """Return bins of the same width, unless floats cannot tell their edges apart."""
    extremes = job.extremes()
    bins = Bins(float(extremes.low), float(extremes.high), _n_bins_of(job, extremes.n_rows))
    return bins if bins.have_edges else _bins_of_bits(job, extremes)


def _bins_of_bits(job: Job, extremes: Extremes) -> OfBits:
    return OfBits.between(extremes.low, extremes.high, extremes.dtype, _n_bins_of(job, extremes.n_rows))


def _n_bins_of(job: Job, n_rows: int) -> int:
    """Return the number of bins, a power of two, so that `_HELD` sets of counts fit into memory."""
    most, of_bin = (MOST_WEIGHED_BINS, 3 * _BIN_BYTES) if job.is_weighted else (_MOST_BINS, _BIN_BYTES)
    fitting = 1 << (job.memory_limit // (_HELD * of_bin)).bit_length()
    wanted = min(1 << (n_rows // _ROWS_PER_BIN).bit_length(), fitting, most)
    return max(wanted, _LEAST_BINS)


class Ranges:
    """Rows that were summed in bins, as slices that fit into half of the memory, the worst first.

    Parameters
    ----------
    job : Job
        The rows.
    bins, sums : bins and Sums
        The bins, and what each holds.
    wanted : array of bool, optional
        The bins whose rows are gathered; those of the others stay sums. By default, all.
    each_score : bool, default=False
        Whether slices without a positive are wanted, too.
    """

    def __init__(
        self, job: Job, bins: AnyBins, sums: Sums, wanted: BoolArray | None, *, each_score: bool = False
    ) -> None:
        self.job, self.bins, self.sums, self._each_score = job, bins, sums, each_score
        self.slices = self._cut(_EVERYTHING, bins, sums, wanted)
        of_rows = sums.rows if sums.weights is None else (*sums.rows, *sums.weights.exact())
        # Running sums of what is not gathered: of both classes, then of their weights if there are any.
        left_out = () if wanted is None else (np.where(wanted, 0, one) for one in of_rows)
        self._left_out = [from_each_on(one) for one in left_out]
        self._kept: AllRows | None = None

    def _cut(self, whole: Slice, bins: AnyBins, sums: Sums, wanted: BoolArray | None = None) -> list[Slice]:
        """Cut a window at some of its bins.

        A slice may always take as much memory as the counts, even if half the limit is less.
        """
        gathered = sums.rows if wanted is None else np.where(wanted, sums.rows, 0)
        most = max(self.job.memory_limit // 2, _BIN_BYTES * bins.n_bins) // self.job.row_bytes
        below = np.append(0, np.cumsum(gathered.sum(axis=0)))  # rows in all bins below each
        rows = [from_each_on(one) + above for one, above in zip(sums.rows, whole.above, strict=True)]
        weights: list[FloatArray] = []
        if sums.weights is not None:
            of_classes = zip(sums.weights.exact(), whole.weights_above, strict=True)
            weights = [from_each_on(one) + above for one, above in of_classes]
        slices: list[Slice] = []
        first = 0
        while below[first] < below[-1]:
            # From a bin with gathered rows to another one: what is left out at both ends is above or below.
            first = int(below.searchsorted(below[first], side="right")) - 1
            fitting = int(below.searchsorted(below[first] + most, side="right")) - 1
            stop = max(int(below.searchsorted(below[fitting])), first + 1)
            positives, negatives = gathered[:, first:stop].sum(axis=1).tolist()
            one = Slice(
                (*whole.window, Level(bins, first, stop, wanted)),
                (positives, negatives),
                (int(rows[0][stop]), int(rows[1][stop])),
                _pair_at(weights, first),
                _pair_at(weights, stop),
            )
            if positives or (negatives and self._each_score):
                slices += [one] if positives + negatives <= most else self._cut_bin(one)
            first = stop
        return slices

    def _cut_bin(self, one: Slice) -> list[Slice]:
        """Cut a bin whose rows alone exceed the memory."""
        extremes: Extremes = self.job.scan(Extremes.of_rows, one.window)
        if extremes.low == extremes.high:
            return [one._replace(tied=np.asarray(extremes.low, dtype=extremes.dtype))]
        bins = _bins_of_bits(self.job, extremes)
        return self._cut(one, bins, sums_in(self.job, bins, one.window))

    def rows_of(self, one: Slice) -> AllRows:
        """Gather the rows of a slice. If it is the only one, it is kept: later passes read nothing."""
        if self._kept is not None:
            return self._kept
        rows, found = self._gathered(one)
        if rows is None or found != one.counts:
            raise self.changed(one, found)
        self._kept = rows if len(self.slices) == 1 else None
        return rows

    def changed(self, one: Slice, found: tuple[int, int]) -> SourceError:
        """Return the error of a slice whose rows are others than the first scan has counted."""
        was, now = (f"{sum(counts)} rows, {counts[0]} positive" for counts in (one.counts, found))
        name = self.job.source.name
        return SourceError(f"{name}: changed between two scans: a range of scores held {was}, and now {now}")

    def _gathered(self, one: Slice) -> tuple[AllRows | None, tuple[int, int]]:
        """Return the rows, and how many each class has; both differ if files changed since the sums."""
        filling = self.job.filled(sum(one.counts), one.window)
        if filling is not None:
            rows = filling.rows()
            # A type that the source told wrongly is no reason to fail: the rows are read once more.
            if rows is not None or filling.counts != one.counts:
                return rows, filling.counts
        gathered: AllRows | None = self.job.scan_for(Inside(AllRows.of_rows, one.window, self.job.views))
        return gathered, (0, 0) if gathered is None else gathered.counts

    def left_out_of(self, one: Slice) -> LeftOut | None:
        """Return what of a slice was not gathered, or None if all was."""
        if not self._left_out:
            return None
        _, first, stop, _ = one.window[0]
        above = [values[first : stop + 1] - values[stop] for values in self._left_out]
        return LeftOut(self.bins, first, above)

    def each(self, ranked: Callable[[Slice, AllRows | None, LeftOut | None], AnyRange]) -> Iterator[AnyRange]:
        """Yield the slices as ranges, the worst one first, each gathered when it is asked for."""
        self.job.expect(0 if self._kept is not None else sum(one.tied is None for one in self.slices))
        for one in self.slices:
            # The rows are named nowhere, so they are freed before the next ones are gathered.
            yield ranked(one, None if one.tied is not None else self.rows_of(one), self.left_out_of(one))


def _pair_at(weights: list[FloatArray], place: int) -> Pair:
    return (float(weights[0][place]), float(weights[1][place])) if weights else (0.0, 0.0)
