"""Ranges of rows whose weights differ: steps as sums of weights, range after range."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking import (
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
from ..._reading import Checked
from ..._typing import AnyArray, FloatArray, IntArray
from .._asked import Question
from .._states._rows import AllRows
from .._states._weights import refuse_tiny
from ._job import Job
from ._slices import MOST_WEIGHED_BINS, Cell, Slice, cut_into_slices, left_out_of, rows_of
from ._spread import (
    AnyBins,
    Extremes,
    HeaviestFirst,
    Inside,
    OfBits,
    Sums,
    Window,
)

__all__ = ["scores_of_weighed"]

_STEP_BYTES = 48


def scores_of_weighed(job: Job, bins: AnyBins, sums: Sums, questions: list[Question]) -> list[float]:
    """Return the scores of rows whose weights differ."""
    refuse_tiny(sums.extremes)
    counts, weights = sums.counts, sums.exact()
    left_out = left_out_of(counts)
    slices = cut_into_slices(job, Cell(Window(), 0, 0), bins, sums, left_out)
    of_left_out = None if left_out is None else (left_out, np.where(left_out > 0, weights[1], 0.0))
    n_positives, n_rows = int(counts.positives.sum()), int(counts.positives.sum() + counts.negatives.sum())
    keeps = n_positives * _STEP_BYTES * 2 <= job.memory_limit
    parts = _WeighedRanges(job, slices, bins, of_left_out, keeps=keeps)
    totals = Totals(
        parts.n_found,
        float(from_each_on(weights[1])[0]),
        n_rows,
        partial(_weight_of_first, job, bins, sums),
        partial(_heaviest_positives, job, sums, n_positives),
    )
    kernel = TableKernel(parts, totals)
    return [
        score_of_ranking(
            one.definition, kernel.ranking(), **one.options, unit=1.0, at_prevalence=kernel.at_prevalence
        )
        for one in questions
    ]


class _WeighedRanges:
    """The steps of all slices, each gathered when it is asked for; if they `keeps` few, they stay."""

    def __init__(
        self,
        job: Job,
        slices: list[Slice],
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
            sums = most, min(above.positives, most), one.weights[1], above.negatives, n_rows, above.n_rows
            return StepTable(*(np.array([value]) for value in sums)).gaining()
        rows = rows_of(self._job, one, self._needed, alone=len(self._slices) == 1)
        positive, negative = _of_classes(rows)
        return steps_of_range(positive, negative, above, most, self._left_out_above(cell.window))

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
        bins = OfBits.between(extremes, MOST_WEIGHED_BINS)
        sums = job.scan(ranked(Inside(partial(Sums.of_rows, bins=bins), window)))
