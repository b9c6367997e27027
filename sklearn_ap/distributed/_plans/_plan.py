"""Which scans a score needs: the one room that knows how much memory rows take.

Best rows
    Every score has a cut at a number of rows: one scan keeps counts of the best rows of each part.
All rows (K)
    The scores of all rows fit into memory: one scan gathers them, class by class.
Ranges (C, R)
    They do not fit. A scan counts rows in bins of scores. If positives are rare, negatives in bins without
    positives stay counts, and what is left often fits: a second scan gathers it. Otherwise the bins are cut
    into ranges that fit, and each range is gathered by a scan of its own, the worst one first.

Rows with weights go the same ways. The scan of bins adds up weights, too, and says whether they differ: one
weight of all positives and one of all negatives are counts, multiplied.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._averaging import score_of_ranking
from ..._ranking import (
    AboveRange,
    ClassRows,
    Range,
    Tied,
    Weighed,
    WeighedTotals,
    from_each_on,
    rank_weighed,
    ranked_by_range,
    tabled,
    weighed_range,
    weighed_table,
    weight_of_best,
)
from ..._reading import Checked
from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._asked import Question
from .._source import Source, SourceError, Told, shown
from .._states._best import BestRows
from .._states._best_weighed import WeighedBest
from .._states._binned import Bins
from .._states._rows import AllRows
from ._here import Counting, Filling
from ._part import Roles
from ._scan import Mergeable, scanned
from ._spread import (
    AnyBins,
    Counts,
    Extremes,
    HeaviestFirst,
    Inside,
    OfBits,
    Sums,
    Window,
    WithoutWeights,
)
from ._weights import one_of_each, order_of, refuse_tiny, score_of_counts

__all__ = ["Job", "scores_of"]

_RARE = 30  # from so many rows per positive on, negatives far from all positives are only counted
_MOST_BINS, _LEAST_BINS = 2**20, 2**10
_ROWS_PER_BIN = 64
_BIN_BYTES, _STEP_BYTES, _WEIGHED_STEP_BYTES = 16, 24, 48
_MOST_WEIGHED_BINS = 2**18  # whose sums take more memory
_ALL = Window()
_WEIGHTED_BYTES = 48  # that a row with a weight takes while it is ranked, beside its score


class Job(NamedTuple):
    """Rows somewhere, the columns that take part, and the memory that rows may take."""

    source: Source
    roles: Roles
    memory_limit: int
    told: Told
    counts: bool = False  # whether rows of weight 0 are dropped, but other weights do not count

    def scan(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or raise SourceError if `into` made none of any part."""
        state = self.scan_for(into)
        if state is None and self.roles.sample_weight is not None:
            column = shown(self.roles.sample_weight)
            raise SourceError(f"{self.source.name}: column {column}: all rows weigh 0")
        if state is None:  # rows are looked for where there were some
            raise SourceError(f"{self.source.name}: changed between two scans: rows are gone")
        return state

    def scan_for(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or None if `into` made none of any part."""
        return scanned(self.source, self.roles, WithoutWeights(into) if self.counts else into, self.told)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights that count."""
        return self.roles.sample_weight is not None and not self.counts

    @property
    def row_bytes(self) -> int:
        """Bytes that a row takes in memory."""
        dtype = self.source.columns().get(self.roles.y_score)
        of_score = 8 if dtype is None or dtype.kind not in "biuf" else min(max(dtype.itemsize, 4), 8)
        return of_score + _WEIGHTED_BYTES if self.is_weighted else of_score


def scores_of(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of all rows; none need no scan."""
    if not questions:
        return []
    cuts = [one.definition.cut for one in questions]
    if all(type(cut) is int for cut in cuts):
        deepest = max(cut for cut in cuts if isinstance(cut, int))
        kept = WeighedBest if job.is_weighted else BestRows
        best: BestRows | WeighedBest = job.scan(partial(kept.of_rows, k=deepest))
        return best.scores(questions)
    n_rows = job.source.n_rows()
    filled = None if n_rows is None else _filled(job, n_rows)
    if filled is not None:
        return _of_all(filled, questions, job)
    if n_rows is None or n_rows * job.row_bytes <= job.memory_limit:
        gathered = job.scan(partial(_Gathered.of_rows, row_bytes=job.row_bytes, limit=job.memory_limit))
        if gathered.rows is not None:
            return _of_all(gathered.rows, questions, job)
        n_rows = gathered.n_rows
    if not job.source.reads_again:
        raise SourceError(_too_large(job, n_rows))
    return _of_ranges(job, questions)


def _filled(job: Job, n_rows: int) -> AllRows | None:
    """Return all rows if they fit and are read here, in a type that the source knew."""
    dtype = job.source.columns().get(job.roles.y_score)
    here = job.source.in_process and job.source.reads_again and job.roles.sample_weight is None
    if not here or dtype is None or dtype.kind not in "biuf" or n_rows * job.row_bytes > job.memory_limit:
        return None
    filling = Filling(dtype, n_rows)
    job.scan_for(filling)
    return filling.rows()


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
    ranges: Callable[[], Iterator[Range]],
    counts: tuple[int, int],
    questions: list[Question],
    each: tuple[float, float] | None = None,
) -> list[float]:
    """Return the scores of rows that come in ranges; `each` is the weight of a row of each class."""
    return [
        score_of_counts(
            one,
            ranked_by_range(ranges, counts[0], sum(counts), order_of(one.definition.tie_order, each)),
            each,
        )
        for one in questions
    ]


def _of_ranges(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of rows that do not fit into memory."""
    extremes = _extremes(job)
    bins = _bins_between(job, extremes)
    if not job.is_weighted:
        return _of_counts(job, bins, _counts(job, bins), questions)
    sums: Sums = job.scan(Inside(partial(Sums.of_rows, bins=bins)))
    each = one_of_each(sums.extremes)
    if each is None:
        return _of_weights(job, bins, sums, questions)
    return _of_counts(job._replace(counts=True), bins, sums.counts, questions, each)


def _of_counts(
    job: Job,
    bins: AnyBins,
    counts: Counts,
    questions: list[Question],
    each: tuple[float, float] | None = None,
) -> list[float]:
    """Return the scores of rows without weights, or with one weight for each class."""
    totals = int(counts.positives.sum()), int(counts.negatives.sum())
    in_order = any(order_of(one.definition.tie_order, each) is not None for one in questions)
    left_out = _left_out(counts) if not in_order else None
    slices = _cut(job, _Cell(Window(), 0, 0), bins, counts, left_out)
    ranges = _Ranges(job, slices, bins, left_out)
    if len(slices) > 1 and not in_order and totals[0] * _STEP_BYTES * 2 <= job.memory_limit:
        table = tabled(ranked_by_range(ranges, totals[0], sum(totals)))
        return [score_of_counts(one, table, each) for one in questions]
    return _asked_of(ranges, totals, questions, each)


def _counts(job: Job, bins: AnyBins, window: Window = _ALL) -> Counts:
    """Return how many rows each bin holds."""
    if not job.source.in_process:
        counts: Counts = job.scan(Inside(partial(Counts.of_rows, bins=bins), window))
        return counts
    counting = Counting(bins)
    job.scan_for(Inside(counting, window))
    return counting.counts


def _left_out(counts: Counts) -> IntArray | None:
    """Return the negatives of each bin that need not be gathered, or None if positives are not rare."""
    n_positives = counts.positives.sum()
    if n_positives * _RARE > n_positives + counts.negatives.sum():
        return None
    return np.where(counts.positives > 0, 0, counts.negatives)


def _extremes(job: Job) -> Extremes:
    """Return the bounds of all scores: from statistics of the source or, if it has none, by a scan."""
    bounds, n_rows = job.source.extremes(job.roles.y_score), job.source.n_rows()
    dtype = job.source.columns().get(job.roles.y_score)
    if bounds is None or n_rows is None or dtype is None:
        found: Extremes = job.scan(Inside(Extremes.of_rows))
        return found
    return Extremes(dtype, *bounds, n_rows)


def _bins_between(job: Job, extremes: Extremes) -> AnyBins:
    """Return bins of the same width, unless floats cannot tell their edges apart."""
    bins = Bins(float(extremes.low), float(extremes.high), _n_bins(job, extremes))
    if bins.have_edges:
        return bins
    return OfBits.between(extremes, _n_bins(job, extremes))


def _n_bins(job: Job, extremes: Extremes) -> int:
    """Return how many bins so many rows get, a power of two."""
    most = _MOST_WEIGHED_BINS if job.is_weighted else _MOST_BINS
    return min(max(1 << (extremes.n_rows // _ROWS_PER_BIN).bit_length(), _LEAST_BINS), most)


class _Cell(NamedTuple):
    """A window, how many rows are above it, and what they weigh."""

    window: Window
    positives_above: int
    negatives_above: int
    weights_above: tuple[float, float] = (0.0, 0.0)


class _Slice(NamedTuple):
    """A window whose rows fit into memory, as many as are gathered, and how many rows are above it."""

    cell: _Cell
    positives: int
    negatives: int  # without those that are left out
    tied: Any = None  # the only score in it, if it is known that there is no other
    weights: tuple[float, float] = (0.0, 0.0)  # in it and above it


def _cut(
    job: Job, cell: _Cell, bins: AnyBins, counts: Counts | Sums, left_out: IntArray | None
) -> list[_Slice]:
    """Cut a window into slices that fit into half of the memory, the worst first.

    Slices need not take less memory than the counts. `left_out` are the negatives of each bin that are not
    gathered.
    """
    weighed = [from_each_on(one) for one in counts.exact()] if isinstance(counts, Sums) else []
    counts = counts.counts if isinstance(counts, Sums) else counts
    gathered = counts.positives + counts.negatives
    gathered -= 0 if left_out is None else left_out
    most = max(job.memory_limit // 2, _BIN_BYTES * bins.n_bins) // job.row_bytes
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
            _added(cell.weights_above, weighed, stop),
        )
        weights = _added(cell.weights_above, weighed, first)
        if positives and below[stop] - below[first] > most:
            slices += _cut_bin(job, _Slice(inside, positives, negatives, weights=weights))
        elif positives:
            kept = int(below[stop] - below[first])
            slices.append(_Slice(inside, positives, kept - positives, weights=weights))
        first = stop
    return slices


def _added(weights: tuple[float, float], above: list[FloatArray], place: int) -> tuple[float, float]:
    """Add the weights from a bin on; without weights, nothing."""
    if not above:
        return weights
    return weights[0] + float(above[0][place]), weights[1] + float(above[1][place])


def _cut_bin(job: Job, whole: _Slice) -> list[_Slice]:
    """Cut a bin that alone has more rows than fit."""
    window = whole.cell.window
    extremes: Extremes = job.scan(Inside(Extremes.of_rows, window))
    if extremes.low == extremes.high:
        return [whole._replace(tied=np.asarray(extremes.low, dtype=extremes.dtype))]
    bins = OfBits.between(extremes, _n_bins(job, extremes))
    if not job.is_weighted:
        return _cut(job, whole.cell, bins, _counts(job, bins, window), None)
    sums: Sums = job.scan(Inside(partial(Sums.of_rows, bins=bins), window))
    return _cut(job, whole.cell, bins, sums, None)


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
        needed = None if self._left_out is None else (self._bins, self._left_out == 0)
        rows = _gathered(self._job, one, needed, alone=len(self._slices) == 1)
        return Range(rows.by_class(), *above, self._left_out_above(one.cell.window))

    def _left_out_above(self, window: Window) -> Callable[[AnyArray], IntArray] | None:
        """Return what tells how many negatives of a slice, above a score, were not gathered."""
        if self._left_out is None:
            return None
        above = np.append(np.cumsum(self._left_out[::-1])[::-1], 0)
        stop, bins = window.levels[0][2], self._bins
        return lambda score: above[bins.of(score) + 1] - above[stop]


def _gathered(job: Job, one: _Slice, needed: tuple[AnyBins, BoolArray] | None, *, alone: bool) -> AllRows:
    """Return the rows of a slice, without negatives in bins that are not needed."""
    window = one.cell.window
    if needed is not None and alone and len(window.levels) == 1:
        window = Window()  # all that is needed is inside
    inside, n_rows = Inside(AllRows.of_rows, window, needed), one.positives + one.negatives
    rows, found = _rows_inside(job, inside, n_rows)
    if rows is None or found != (one.positives, one.negatives):
        raise SourceError(
            f"{job.source.name}: changed between two scans: {one.positives + one.negatives} rows "
            f"in a range of scores became {sum(found)}"
        )
    return rows


def _rows_inside(job: Job, inside: Inside, n_rows: int) -> tuple[AllRows | None, tuple[int, int]]:
    """Return so many rows, and how many of each class there are; files that change have other numbers."""
    dtype = job.source.columns().get(job.roles.y_score)
    if job.source.in_process and not job.is_weighted and dtype is not None and dtype.kind in "biuf":
        filling = Filling(dtype, n_rows)
        job.scan_for(replace(inside, into=filling))
        rows = filling.rows()
        if rows is not None or sum(filling.counts) != n_rows:
            return rows, filling.counts
    gathered: AllRows | None = job.scan_for(inside)
    return gathered, (0, 0) if gathered is None else gathered.counts


def _of_weights(job: Job, bins: AnyBins, sums: Sums, questions: list[Question]) -> list[float]:
    """Return the scores of rows whose weights differ."""
    refuse_tiny(sums.extremes)
    counts, weights = sums.counts, sums.exact()
    left_out = _left_out(counts)
    slices = _cut(job, _Cell(Window(), 0, 0), bins, sums, left_out)
    of_left_out = None if left_out is None else (left_out, np.where(left_out > 0, weights[1], 0.0))
    n_positives, n_rows = int(counts.positives.sum()), int(counts.positives.sum() + counts.negatives.sum())
    keeps = n_positives * _WEIGHED_STEP_BYTES * 2 <= job.memory_limit
    parts = _WeighedRanges(job, slices, bins, of_left_out, keeps=keeps)
    totals = WeighedTotals(
        parts.n_found,
        float(from_each_on(weights[1])[0]),
        n_rows,
        partial(_weight_of_first, job, bins, sums),
        partial(_heaviest_positives, job, sums, n_positives),
    )
    ranking = rank_weighed(parts, totals)
    return [score_of_ranking(one.definition, ranking, **one.options, unit=1.0) for one in questions]


class _WeighedRanges:
    """The steps of all slices, each gathered when it is asked for; if they `keeps` few, they stay."""

    def __init__(
        self,
        job: Job,
        slices: list[_Slice],
        bins: AnyBins,
        left_out: tuple[IntArray, FloatArray] | None,
        *,
        keeps: bool,
    ) -> None:
        self._job, self._slices, self._bins, self._keeps = job, slices, bins, keeps
        self._needed = None if left_out is None else (bins, left_out[0] == 0)
        self._left_out = None
        if left_out is not None:
            self._left_out = np.append(np.cumsum(left_out[0][::-1])[::-1], 0), from_each_on(left_out[1])
        # Sums of sums are rounded: what is at or above a slice is never more than about the one below it.
        most = np.minimum.accumulate(np.array([one.weights[0] for one in slices]))
        self._most: list[float] = most.tolist()
        self._kept: Weighed | None = None

    @property
    def n_found(self) -> float:
        """Weight of all positives."""
        return self._most[0] if self._most else 0.0

    def __call__(self) -> Iterator[Weighed]:
        """Yield the steps, the worst first."""
        if self._keeps and self._slices and self._kept is None:
            self._kept = weighed_table(map(self._steps_of, self._slices, self._most))
        return map(self._steps_of, self._slices, self._most) if self._kept is None else iter((self._kept,))

    def _steps_of(self, one: _Slice, most: float) -> Weighed:
        cell = one.cell
        above = AboveRange(*cell.weights_above, cell.positives_above + cell.negatives_above)
        if one.tied is not None:
            n_rows = above.n_rows + one.positives + one.negatives
            sums = most, min(above.positives, most), one.weights[1], above.negatives, n_rows, above.n_rows
            return Weighed(*(np.array([value]) for value in sums))
        rows = _gathered(self._job, one, self._needed, alone=len(self._slices) == 1)
        positive, negative = _of_classes(rows)
        return weighed_range(positive, negative, above, most, self._left_out_above(cell.window))

    def _left_out_above(self, window: Window) -> Callable[[AnyArray], tuple[IntArray, FloatArray]] | None:
        """Return what tells how many negatives of a slice, above a score, were not gathered."""
        if self._left_out is None:
            return None
        (n_above, above), stop, bins = self._left_out, window.levels[0][2], self._bins

        def left_out_above(score: AnyArray) -> tuple[IntArray, FloatArray]:
            next_bin = bins.of(score) + 1
            return n_above[next_bin] - n_above[stop], above[next_bin] - above[stop]

        return left_out_above


def _of_classes(rows: AllRows) -> tuple[ClassRows, ClassRows]:
    """Return the rows of both classes, for rows that are used for nothing else."""
    positive, negative = rows.in_order(keeps=False)
    return ClassRows(positive.score, positive.given), ClassRows(negative.score, negative.given)


def _heaviest_positives(job: Job, sums: Sums, n_positives: int, depth: int) -> float:
    """Return the weight of the heaviest positives: the first ones if weights are their scores."""
    least, most = sums.extremes[0].tolist()
    if depth >= n_positives or least == most:
        total = float(from_each_on(sums.exact()[0])[0])
        return total if depth >= n_positives else depth * most
    bins = OfBits.between(Extremes(np.dtype(np.float64), least, most, n_positives), _MOST_WEIGHED_BINS)
    by_weight: Sums = job.scan(HeaviestFirst(Inside(partial(Sums.of_rows, bins=bins))))
    return _weight_of_first(job, bins, by_weight, depth, HeaviestFirst)


def _weight_of_first(
    job: Job,
    bins: AnyBins,
    sums: Sums,
    depth: int,
    ranked: Callable[[Inside], Callable[[Checked], Any]] = lambda into: into,
) -> float:
    """Return the weight of the first rows; a tied group gives its share.

    Only the bin with the last of them is gathered, or cut into more bins if it does not fit.
    """
    window, above = Window(), 0.0
    while True:
        n_rows = sums.counts.positives + sums.counts.negatives
        weights = from_each_on(sums.exact().sum(axis=0))
        n_above = np.append(np.cumsum(n_rows[::-1])[::-1], 0)
        last = int(np.flatnonzero(n_above >= depth)[-1])
        above, depth = above + float(weights[last + 1]), depth - int(n_above[last + 1])
        in_bin = float(sums.exact()[:, last].sum())
        if depth == n_rows[last]:
            return above + in_bin
        window = window.cut(bins, last, last + 1)
        if 2 * n_rows[last] * job.row_bytes <= job.memory_limit:
            gathered: AllRows = job.scan(ranked(Inside(AllRows.of_rows, window)))
            return above + weight_of_best(*_of_classes(gathered), depth)
        extremes: Extremes = job.scan(ranked(Inside(Extremes.of_rows, window)))
        if extremes.low == extremes.high:
            return above + in_bin * (depth / int(n_rows[last]))
        bins = OfBits.between(extremes, _MOST_WEIGHED_BINS)
        sums = job.scan(ranked(Inside(partial(Sums.of_rows, bins=bins), window)))


def _too_large(job: Job, n_rows: int | None) -> str:
    least = f"{n_rows} rows of {job.row_bytes} bytes" if n_rows else "its rows"
    return (
        f"{job.source.name}: memory_limit must hold {least} that are read once or weighted; got "
        f"{job.memory_limit} bytes"
    )
