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

import numpy as np

from ..._ranking import (
    Range,
    Tied,
    ranked_by_range,
    tabled,
)
from ..._typing import AnyArray, IntArray
from .._asked import Question
from .._source import SourceError
from .._states._best import BestRows
from .._states._rows import AllRows
from .._states._weights import one_of_each, order_of, score_of_counts
from ._here import Filling
from ._job import Gathered, Job, too_large
from ._slices import Cell, Slice, bins_between, counts_in, cut_into_slices, extremes_of, left_out_of, rows_of
from ._spread import (
    AnyBins,
    Counts,
    Inside,
    Sums,
    Window,
)
from ._weighed import scores_of_weighed

__all__ = ["scores_of"]

_RARE = 30  # from so many rows per positive on, positives are looked up among negatives
_STEP_BYTES = 24


def scores_of(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of all rows; none need no scan."""
    if not questions:
        return []
    cuts = [one.definition.cut for one in questions]
    if all(type(cut) is int for cut in cuts):
        deepest = max(cut for cut in cuts if isinstance(cut, int))
        best: BestRows = job.scan(partial(BestRows.of_rows, k=deepest))
        return best.scores(questions)
    n_rows = job.source.n_rows()
    filled = None if n_rows is None else _filled(job, n_rows)
    if filled is not None:
        return _of_all(filled, questions, job)
    if n_rows is None or n_rows * job.row_bytes <= job.memory_limit:
        gathered = job.scan(partial(Gathered.of_rows, row_bytes=job.row_bytes, limit=job.memory_limit))
        if gathered.rows is not None:
            return _of_all(gathered.rows, questions, job)
        n_rows = gathered.n_rows
    if not job.source.reads_again:
        raise SourceError(too_large(job, n_rows))
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
    extremes = extremes_of(job)
    bins = bins_between(job, extremes)
    if not job.is_weighted:
        return _of_counts(job, bins, counts_in(job, bins), questions)
    sums: Sums = job.scan(Inside(partial(Sums.of_rows, bins=bins)))
    each = one_of_each(sums.extremes)
    if each is None:
        return scores_of_weighed(job, bins, sums, questions)
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
    left_out = left_out_of(counts) if not in_order else None
    slices = cut_into_slices(job, Cell(Window(), 0, 0), bins, counts, left_out)
    ranges = _Ranges(job, slices, bins, left_out)
    if len(slices) > 1 and not in_order and totals[0] * _STEP_BYTES * 2 <= job.memory_limit:
        table = tabled(ranked_by_range(ranges, totals[0], sum(totals)))
        return [score_of_counts(one, table, each) for one in questions]
    return _asked_of(ranges, totals, questions, each)


class _Ranges:
    """The ranges of all slices, each gathered when it is asked for; a lone one is kept."""

    def __init__(self, job: Job, slices: list[Slice], bins: AnyBins, left_out: IntArray | None) -> None:
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

    def _range_of(self, one: Slice) -> Range:
        above = one.cell.positives_above, one.cell.positives_above + one.cell.negatives_above
        if one.tied is not None:
            return Range(Tied(one.tied, one.positives, one.negatives), *above)
        needed = None if self._left_out is None else (self._bins, self._left_out == 0)
        rows = rows_of(self._job, one, needed, alone=len(self._slices) == 1)
        return Range(rows.by_class(), *above, self._left_out_above(one.cell.window))

    def _left_out_above(self, window: Window) -> Callable[[AnyArray], IntArray] | None:
        """Return what tells how many negatives of a slice, above a score, were not gathered."""
        if self._left_out is None:
            return None
        above = np.append(np.cumsum(self._left_out[::-1])[::-1], 0)
        stop, bins = window.levels[0][2], self._bins
        return lambda score: above[bins.of(score) + 1] - above[stop]
