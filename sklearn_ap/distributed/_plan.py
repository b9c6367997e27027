"""Which scans a score needs: the one room that knows how much memory rows take.

Best rows
    Every score has a cut at a number of rows: one scan keeps counts of the best rows of each part.
All rows (K)
    The scores of all rows fit into memory: one scan gathers them, class by class.
Ranges (C, R)
    They do not fit. A scan counts rows in bins of scores. If positives are rare, negatives in bins without
    positives stay counts, and what is left often fits: a second scan gathers it. Otherwise the bins are cut
    into ranges that fit, and each range is gathered by a scan of its own, the worst one first.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._averaging import score_of_ranking
from .._ranking import Range, Tied, ranked_by_range, tabled
from .._reading import Checked
from .._typing import AnyArray, IntArray
from ._asked import Question
from ._best import BestRows
from ._binned import Bins
from ._part import Roles
from ._rows import AllRows
from ._scan import Mergeable, scanned
from ._source import Source, SourceError, Told
from ._spread import AnyBins, Counts, Extremes, Inside, OfBits, Window

__all__ = ["Job", "scores_of"]

_RARE = 30  # from so many rows per positive on, negatives far from all positives are only counted
_MOST_BINS, _LEAST_BINS = 2**20, 2**10
_ROWS_PER_BIN = 64
_STEP_BYTES = 24
_WEIGHTED_BYTES = 48  # that a row with a weight takes while it is ranked, beside its score


class Job(NamedTuple):
    """Rows somewhere, the columns that take part, and the memory that rows may take."""

    source: Source
    roles: Roles
    memory_limit: int
    told: Told

    def scan(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or None if `into` made none of any part."""
        return scanned(self.source, self.roles, into, self.told)

    @property
    def row_bytes(self) -> int:
        """Bytes that a row takes in memory."""
        dtype = self.source.columns().get(self.roles.y_score)
        of_score = 8 if dtype is None or dtype.kind not in "biuf" else min(max(dtype.itemsize, 4), 8)
        return of_score if self.roles.sample_weight is None else of_score + _WEIGHTED_BYTES


def scores_of(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of all rows."""
    cuts = [one.definition.cut for one in questions]
    if job.roles.sample_weight is None and all(type(cut) is int for cut in cuts):
        deepest = max(cut for cut in cuts if isinstance(cut, int))
        best: BestRows = job.scan(partial(BestRows.of_rows, k=deepest))
        return best.scores(questions)
    n_rows = job.source.n_rows()
    if n_rows is None or n_rows * job.row_bytes <= job.memory_limit:
        gathered = job.scan(partial(_Gathered.of_rows, row_bytes=job.row_bytes, limit=job.memory_limit))
        if gathered.rows is not None:
            return _of_all(gathered.rows, questions, job)
        n_rows = gathered.n_rows
    if job.roles.sample_weight is not None or not job.source.reads_again:
        raise SourceError(_too_large(job, n_rows))
    return _of_ranges(job, questions)


class _Gathered(NamedTuple):
    """All rows, or only their number once they take more memory than they may."""

    rows: AllRows | None
    n_rows: int
    row_bytes: int
    limit: int

    @classmethod
    def of_rows(cls, checked: Checked, row_bytes: int, limit: int) -> "_Gathered":
        """Return the rows of a part."""
        return cls(AllRows.of_rows(checked), checked.score.size, row_bytes, limit)

    def joined(self, other: "_Gathered") -> "_Gathered":
        """Return the rows of both."""
        n_rows, rows = self.n_rows + other.n_rows, None
        if self.rows is not None and other.rows is not None and n_rows * self.row_bytes <= self.limit:
            rows = self.rows.joined(other.rows)
        return self._replace(rows=rows, n_rows=n_rows)


def _of_all(rows: AllRows, questions: list[Question], job: Job) -> list[float]:
    """Return the scores of rows that are all in memory."""
    n_positives, n_rows = rows.counts[0], sum(rows.counts)
    if rows.is_weighted or 2 * rows.nbytes <= job.memory_limit or n_positives * _RARE <= n_rows:
        rows.in_order(keeps=False)
        return rows.scores(questions)
    whole = Range(rows.by_class(), 0, 0)
    return _asked_of(lambda: iter((whole,)), (n_positives, n_rows - n_positives), questions)


def _asked_of(
    ranges: Callable[[], Iterator[Range]], counts: tuple[int, int], questions: list[Question]
) -> list[float]:
    """Return the scores of rows that come in ranges."""
    return [
        score_of_ranking(
            one.definition,
            ranked_by_range(ranges, counts[0], sum(counts), one.definition.tie_order),
            **one.options,
        )
        for one in questions
    ]


def _of_ranges(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of rows that do not fit into memory."""
    extremes = _extremes(job)
    n_bins = min(max(2 ** (extremes.n_rows // _ROWS_PER_BIN).bit_length(), _LEAST_BINS), _MOST_BINS)
    bins = _bins_between(extremes, n_bins)
    counts = job.scan(Inside(partial(Counts.of_rows, bins=bins)))
    totals = int(counts.positives.sum()), int(counts.negatives.sum())
    in_order = any(one.definition.tie_order is not None for one in questions)
    rare = totals[0] * _RARE <= sum(totals) and not in_order
    left_out = np.where(counts.positives > 0, 0, counts.negatives) if rare else None
    slices = _cut(job, _Cell(Window(), 0, 0), bins, counts, left_out)
    ranges = _Ranges(job, slices, bins, left_out)
    if len(slices) > 1 and not in_order and totals[0] * _STEP_BYTES * 2 <= job.memory_limit:
        table = tabled(ranked_by_range(ranges, totals[0], sum(totals)))
        return [score_of_ranking(one.definition, table, **one.options) for one in questions]
    return _asked_of(ranges, totals, questions)


def _extremes(job: Job) -> Extremes:
    """Return the bounds of all scores: from statistics of the source or, if it has none, by a scan."""
    bounds, n_rows = job.source.extremes(job.roles.y_score), job.source.n_rows()
    dtype = job.source.columns().get(job.roles.y_score)
    if bounds is None or n_rows is None or dtype is None:
        found: Extremes = job.scan(Inside(Extremes.of_rows))
        return found
    return Extremes(dtype, *bounds, n_rows)


def _bins_between(extremes: Extremes, n_bins: int) -> AnyBins:
    """Return bins of the same width, unless floats cannot tell their edges apart."""
    low, high = float(extremes.low), float(extremes.high)
    if 0 < high - low < np.inf:
        return Bins(low, high, n_bins)
    return OfBits.between(extremes, n_bins)


class _Cell(NamedTuple):
    """A window, and how many rows are above it."""

    window: Window
    positives_above: int
    negatives_above: int


class _Slice(NamedTuple):
    """A window whose rows fit into memory, as many as are gathered, and how many rows are above it."""

    cell: _Cell
    positives: int
    negatives: int  # without those that are left out
    tied: Any = None  # the only score in it, if it is known that there is no other


def _cut(job: Job, cell: _Cell, bins: AnyBins, counts: Counts, left_out: IntArray | None) -> list[_Slice]:
    """Cut a window into slices that fit into half of the memory, the worst first.

    `left_out` are the negatives of each bin that are not gathered.
    """
    gathered = counts.positives + counts.negatives
    gathered -= 0 if left_out is None else left_out
    most = max(job.memory_limit // 2 // job.row_bytes, 1)
    below = np.append(0, np.cumsum(gathered))  # rows in all bins below each
    above = [np.append(np.cumsum(one[::-1])[::-1], 0) for one in counts]
    slices: list[_Slice] = []
    first = 0
    while first < bins.n_bins:
        stop = int(below.searchsorted(below[first] + most, side="right")) - 1
        stop = max(stop, first + 1)
        positives, negatives = (int(one[first] - one[stop]) for one in above)
        inside = _Cell(
            cell.window.cut(bins, first, stop),
            cell.positives_above + int(above[0][stop]),
            cell.negatives_above + int(above[1][stop]),
        )
        if positives and below[stop] - below[first] > most:
            slices += _cut_bin(job, inside, positives, negatives)
        elif positives:
            kept = int(below[stop] - below[first])
            slices.append(_Slice(inside, positives, kept - positives))
        first = stop
    return slices


def _cut_bin(job: Job, cell: _Cell, positives: int, negatives: int) -> list[_Slice]:
    """Cut a bin that alone has more rows than fit."""
    extremes: Extremes = job.scan(Inside(Extremes.of_rows, cell.window))
    if extremes.low == extremes.high:
        return [_Slice(cell, positives, negatives, np.asarray(extremes.low, dtype=extremes.dtype))]
    bins = OfBits.between(extremes, _MOST_BINS)
    counts: Counts = job.scan(Inside(partial(Counts.of_rows, bins=bins), cell.window))
    return _cut(job, cell, bins, counts, None)


class _Ranges:
    """The ranges of all slices, each gathered when it is asked for; a lone one is kept."""

    def __init__(self, job: Job, slices: list[_Slice], bins: AnyBins, left_out: IntArray | None) -> None:
        self._job, self._slices, self._bins, self._left_out = job, slices, bins, left_out
        self._kept: Range | None = None

    def __call__(self) -> Iterator[Range]:
        """Yield the ranges, the worst first."""
        if self._kept is not None:
            yield self._kept
            return
        for one in self._slices:
            gathered = self._range_of(one)
            if len(self._slices) == 1:
                self._kept = gathered
            yield gathered
            del gathered  # before the next one is gathered

    def _range_of(self, one: _Slice) -> Range:
        above = one.cell.positives_above, one.cell.positives_above + one.cell.negatives_above
        if one.tied is not None:
            return Range(Tied(one.tied, one.positives, one.negatives), *above)
        window, needed = one.cell.window, None
        if self._left_out is not None:
            needed = self._bins, self._left_out == 0
            if len(self._slices) == len(window.levels) == 1:
                window = Window()  # all that is needed is inside
        rows = self._job.scan(Inside(AllRows.of_rows, window, needed))
        found = (0, 0) if rows is None else rows.counts
        if found != (one.positives, one.negatives):
            raise SourceError(
                f"{self._job.source.name}: changed between two scans: {one.positives + one.negatives} rows "
                f"in a range of scores became {sum(found)}"
            )
        return Range(rows.by_class(), *above, self._left_out_above(one.cell.window))

    def _left_out_above(self, window: Window) -> Callable[[AnyArray], IntArray] | None:
        """Return what tells how many negatives of a slice, above a score, were not gathered."""
        if self._left_out is None:
            return None
        above = np.append(np.cumsum(self._left_out[::-1])[::-1], 0)
        stop, bins = window.levels[0][2], self._bins
        return lambda score: above[bins.of(score) + 1] - above[stop]


def _too_large(job: Job, n_rows: int | None) -> str:
    least = f"{n_rows} rows of {job.row_bytes} bytes" if n_rows else "its rows"
    return f"memory_limit must hold {least} here; got {job.memory_limit} bytes"
