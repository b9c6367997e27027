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
from functools import partial
from typing import Any

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking._ranges import Range, Tied, ranked_by_range, tabled
from ..._ranking._rank import RARE
from ..._ranking._table import (
    AboveRange,
    ClassRows,
    StepTable,
    TableKernel,
    Totals,
    from_each_on,
    joined_steps,
    steps_of_range,
    weight_of_best,
)
from ..._reading._read import Checked
from ..._typing import AnyArray
from .._question import Question
from .._states._best import BestRows
from .._states._columns import one_of_each, order_of, refuse_tiny, score_of_counts
from .._states._rows import AllRows
from ._job import Filling, Gathered, Job, too_large
from ._slices import (
    MOST_WEIGHED_BINS,
    Cell,
    Slice,
    bins_between,
    counts_in,
    cut_into_slices,
    extremes_of,
    left_out_of,
    rows_of_slice,
)
from ._spread import AnyBins, Counts, Extremes, HeaviestFirst, Inside, OfBits, Sums, Window

_STEP_BYTES, _WEIGHTED_STEP_BYTES = 24, 48


def scores_of(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of all rows; none need no scan."""
    if not questions:
        return []
    cuts = [one.definition.cut for one in questions]
    # A cut at a share of the rows is not among these: how many rows it means is known after the scan.
    if all(type(cut) is int for cut in cuts):
        deepest = max(cut for cut in cuts if isinstance(cut, int))
        best: BestRows = job.scan(partial(BestRows.of_rows, k=deepest))
        return best.scores(questions)
    n_rows = job.source.n_rows()
    # One array that is filled in place needs no copy of the parts: half the memory of what follows.
    filled = None if n_rows is None else _filled(job, n_rows)
    if filled is not None:
        return _of_all(filled, questions, job)
    if n_rows is None or n_rows * job.row_bytes <= job.memory_limit:
        # Where the number of rows is unknown, rows are gathered until they are too many, then only counted.
        gathered = job.scan(partial(Gathered.of_rows, row_bytes=job.row_bytes, limit=job.memory_limit))
        if gathered.rows is not None:
            return _of_all(gathered.rows, questions, job)
        n_rows = gathered.n_rows
    if not job.source.reads_again:
        raise too_large(job, n_rows)
    return _of_ranges(job, questions)


def _filled(job: Job, n_rows: int) -> AllRows | None:
    """Return all rows if they fit, are read in this process and have a type known before the scan."""
    dtype = job.source.columns().get(job.roles.y_score)
    # `Filling` gives up if the source told a wrong type or number; the rows are then read once more.
    here = job.source.in_process and job.source.reads_again and job.roles.sample_weight is None
    if not here or dtype is None or dtype.kind not in "biuf" or n_rows * job.row_bytes > job.memory_limit:
        return None
    filling = Filling(dtype, n_rows)
    job.scan_for(filling)
    return filling.rows()


def _of_all(rows: AllRows, questions: list[Question], job: Job) -> list[float]:
    """Return the scores of rows that are all in memory."""
    n_positives, n_rows = rows.counts[0], sum(rows.counts)
    if rows.is_weighted or 2 * rows.nbytes <= job.memory_limit or n_positives * RARE <= n_rows:
        # Nobody else holds these rows. With rare positives, no keys of all rows are made.
        rows.in_order(keeps=False)
        return rows.scores(questions)
    # One range, ranked piece by piece: its keys take the memory of a piece, not of all rows.
    whole = Range(rows.by_class(), 0, 0)
    return _asked_of(lambda: iter((whole,)), (n_positives, n_rows - n_positives), questions)


def _asked_of(
    ranges: Callable[[], Iterator[Range]],
    counts: tuple[int, int],
    questions: list[Question],
    each: tuple[float, float] | None = None,
) -> list[float]:
    """Return the scores of rows that come in ranges; `each` holds the weight per row of each class."""
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
    extremes = extremes_of(job)
    bins = bins_between(job, extremes)
    if not job.is_weighted:
        return _of_counts(job, bins, counts_in(job, bins), questions)
    sums: Sums = job.scan(Inside(partial(Sums.of_rows, bins=bins)))
    # One weight for each class is exact as counts times a weight, with the bits that memory gives.
    each = one_of_each(sums.extremes)
    if each is None:
        return _of_sums(job, bins, sums, questions)
    return _of_counts(job._replace(ignores_weights=True), bins, sums.counts, questions, each)


def _of_counts(
    job: Job,
    bins: AnyBins,
    counts: Counts,
    questions: list[Question],
    each: tuple[float, float] | None = None,
) -> list[float]:
    """Return the scores of rows without weights, or with one weight for each class."""
    totals = int(counts.positives.sum()), int(counts.negatives.sum())
    # An order of equal scores needs their negatives as rows, so none may stay counts.
    in_order = any(order_of(one.definition.tie_order, each) is not None for one in questions)
    left_out = left_out_of(counts) if not in_order else None
    slices = cut_into_slices(job, Cell(Window(), 0, 0), bins, counts, left_out)
    ranges = _Ranges(job, slices, bins, [] if left_out is None else [left_out])
    # The steps of several slices take less memory than their rows. Kept, they serve all scores by one scan
    # of each slice; otherwise each score, and each pass of a score, would gather them again.
    if len(slices) > 1 and not in_order and totals[0] * _STEP_BYTES * 2 <= job.memory_limit:
        table = tabled(ranked_by_range(ranges, totals[0], sum(totals)))
        return [score_of_counts(one, table, each) for one in questions]
    return _asked_of(ranges, totals, questions, each)


def _of_sums(job: Job, bins: AnyBins, sums: Sums, questions: list[Question]) -> list[float]:
    """Return the scores of rows whose weights differ."""
    refuse_tiny(sums.extremes)
    counts, weights = sums.counts, sums.exact()
    left_out = left_out_of(counts)
    slices = cut_into_slices(job, Cell(Window(), 0, 0), bins, sums, left_out)
    # Bins with a positive are gathered; only in the others do weights stay sums.
    of_left_out = [] if left_out is None else [left_out, np.where(left_out > 0, weights[1], 0.0)]
    n_positives = int(counts.positives.sum())
    keeps = n_positives * _WEIGHTED_STEP_BYTES * 2 <= job.memory_limit
    steps = _Steps(_Ranges(job, slices, bins, of_left_out), slices, keeps=keeps)
    totals = Totals(
        steps.n_found,
        float(from_each_on(weights[1])[0]),
        n_positives + int(counts.negatives.sum()),
        partial(_weight_of_first, job, bins, sums),
        partial(_heaviest_positives, job, sums, n_positives),
    )
    kernel = TableKernel(steps, totals)
    return [
        score_of_ranking(
            one.definition, kernel.ranking(), **one.options, unit=1.0, at_prevalence=kernel.at_prevalence
        )
        for one in questions
    ]


class _Ranges:
    """The ranges of all slices, each gathered when it is asked for; a lone one is kept.

    `left_out` are the negatives of each bin that are not gathered, and their weights if there are any.
    """

    def __init__(self, job: Job, slices: list[Slice], bins: AnyBins, left_out: list[AnyArray]) -> None:
        self._job, self._slices, self._bins = job, slices, bins
        # A bin without negatives has none left out either, so it counts as needed, at no cost.
        self._needed = (bins, left_out[0] == 0) if left_out else None
        self._left_out = [from_each_on(one) for one in left_out]
        self._kept: Range | None = None

    def __call__(self) -> Iterator[Range]:
        """Yield the ranges, the worst first."""
        if self._kept is not None:
            yield self._kept
            return
        for one in self._slices:
            gathered = self._range_of(one)
            # With one slice, all that is needed fits: later passes read nothing.
            if len(self._slices) == 1:
                self._kept = gathered
            yield gathered
            del gathered  # before the next one is gathered

    def _range_of(self, one: Slice) -> Range:
        above = one.cell.positives_above, one.cell.positives_above + one.cell.negatives_above
        if one.tied is not None:
            return Range(Tied(one.tied, one.positives, one.negatives), *above)
        left_out_above = partial(self._one_left_out_above, one) if self._left_out else None
        return Range(self.rows_of(one).by_class(), *above, left_out_above)

    def rows_of(self, one: Slice) -> AllRows:
        """Gather the rows of a slice."""
        return rows_of_slice(self._job, one, self._needed, alone=len(self._slices) == 1)

    def left_out_above(self, one: Slice, score: AnyArray) -> list[AnyArray]:
        """Return how many negatives of a slice, above each score, were not gathered, and what they weigh."""
        # Bins in which negatives were left out hold no positive, so all of a bin is above or below a step.
        next_bin, stop = self._bins.of(score) + 1, one.cell.window.levels[0][2]
        return [above[next_bin] - above[stop] for above in self._left_out]

    def _one_left_out_above(self, one: Slice, score: AnyArray) -> AnyArray:
        return self.left_out_above(one, score)[0]


class _Steps:
    """The steps of rows whose weights differ, range after range; with `keeps`, few steps stay in memory."""

    def __init__(self, ranges: _Ranges, slices: list[Slice], *, keeps: bool) -> None:
        self._ranges, self._slices, self._keeps = ranges, slices, keeps
        # Sums of sums are rounded: what is at or above a slice is never more than about the one below it.
        most = np.minimum.accumulate(np.array([one.weights[0] for one in slices]))
        self._most: list[float] = most.tolist()
        self._kept: StepTable | None = None

    @property
    def n_found(self) -> float:
        """Weight of all positives."""
        return self._most[0] if self._most else 0.0

    def __call__(self) -> Iterator[StepTable]:
        """Yield the steps, the worst first."""
        if self._keeps and self._slices and self._kept is None:
            self._kept = joined_steps(map(self._steps_of, self._slices, self._most))
        return map(self._steps_of, self._slices, self._most) if self._kept is None else iter((self._kept,))

    def _steps_of(self, one: Slice, most: float) -> StepTable:
        cell = one.cell
        above = AboveRange(*cell.weights_above, cell.positives_above + cell.negatives_above)
        if one.tied is not None:
            n_rows = above.n_rows + one.positives + one.negatives
            # A score with more rows than fit is one step; its sums are known from the bins.
            sums = most, min(above.positives, most), one.weights[1], above.negatives, n_rows, above.n_rows
            return StepTable(*(np.array([value]) for value in sums)).gaining()
        positive, negative = _of_classes(self._ranges.rows_of(one))
        return steps_of_range(positive, negative, above, most, partial(self._ranges.left_out_above, one))


def _of_classes(rows: AllRows) -> tuple[ClassRows, ClassRows]:
    """Take the rows of both classes out of `rows`, which is used up."""
    positive, negative = rows.in_order(keeps=False)
    return ClassRows(positive.score, positive.given), ClassRows(negative.score, negative.given)


def _heaviest_positives(job: Job, sums: Sums, n_positives: int, depth: int) -> float:
    """Return the weight of the heaviest positives: the first ones if weights are their scores."""
    least, most = sums.extremes[0].tolist()
    # Equal weights need no scan, and neither do all of the positives.
    if depth >= n_positives or least == most:
        total = float(from_each_on(sums.exact()[0])[0])
        return total if depth >= n_positives else depth * most
    # The same search as for the first rows, with weights in the place of scores.
    bins = OfBits.between(Extremes(np.dtype(np.float64), least, most, n_positives), MOST_WEIGHED_BINS)
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
        n_above = from_each_on(n_rows)
        # Best bins first: all bins above this one are taken as a whole.
        last = int(np.flatnonzero(n_above >= depth)[-1])
        above, depth = above + float(weights[last + 1]), depth - int(n_above[last + 1])
        in_bin = float(sums.exact()[:, last].sum())
        if depth == n_rows[last]:
            return above + in_bin
        window = window.cut(bins, last, last + 1)
        # Scores and weights are joined into one array to be sorted, so rows stand twice for a while.
        if 2 * n_rows[last] * job.row_bytes <= job.memory_limit:
            gathered: AllRows = job.scan(ranked(Inside(AllRows.of_rows, window)))
            return above + weight_of_best(*_of_classes(gathered), depth)
        extremes: Extremes = job.scan(ranked(Inside(Extremes.of_rows, window)))
        # Rows of equal score cannot be cut further: each gives the same share of its weight.
        if extremes.low == extremes.high:
            return above + in_bin * (depth / int(n_rows[last]))
        bins = OfBits.between(extremes, MOST_WEIGHED_BINS)
        sums = job.scan(ranked(Inside(partial(Sums.of_rows, bins=bins), window)))
