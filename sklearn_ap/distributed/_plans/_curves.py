"""Curves and operating points of a lone ranking that need not fit into memory.

A point is what the rows at or above one score are: their threshold, their positives, and their number. If all
rows fit into memory, so does the whole curve, or it is thinned. If they do not, counts in bins of scores tell
which bins can hold the points that are looked for, and only the rows of these bins are read again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._curves import HitCurve, InterpolatedCurve, best_precisions, hits_in, interpolated_in
from ..._entrance import with_total
from ..._operating_points import Condition, OperatingPoint, Points, warn_without_positives
from ..._ranking._by_class import ByClass
from ..._ranking._rankings import Curve, OperatingPoints, Rankings
from ..._ranking._table import TableKernel, Totals, from_each_on
from ..._reading._totals import read_totals
from ..._typing import BoolArray, FloatArray, IntArray
from .._numerals import decimals_of
from .._states._columns import held
from .._states._rows import AllRows
from ._job import Job, all_rows, sums_in
from ._slices import Ranges, bins_for

_POINT_BYTES = 40  # of a point in a curve that is returned, and while it is made
_PIECE_ROWS = 2**18
_SLACK = 2.0**-40  # far more than F-beta is rounded by


def interpolated_of(job: Job, n_positives: float | None, max_points: int) -> InterpolatedCurve:
    """Return the interpolated precision-recall curve."""
    curve, best = _thinned(_points_in(job), n_positives, max_points, every_bin=True)
    return interpolated_in(curve, best=best)


def hits_of(job: Job, n_positives: float | None, max_points: int) -> HitCurve:
    """Return the hit curve."""
    return hits_in(_thinned(_points_in(job), n_positives, max_points, every_bin=False)[0])


def point_of(job: Job, condition: Condition, n_positives: float | None) -> OperatingPoint:
    """Return the point that meets a condition best."""
    found = _points_in(job)
    total = float(_ranking_of(found, n_positives).n_positives[0])
    warn_without_positives(total)
    best = _best_point(found, condition, total)
    if best is None:
        raise condition.refusal(_nearest_points(found, condition, total))
    return best.at(0)


class _AllPoints:
    """The operating points of rows that are all in memory."""

    def __init__(self, job: Job, rows: AllRows) -> None:
        self.job, (self.n_positives, n_negatives) = job, rows.counts
        self.n_rows, self._rows = self.n_positives + n_negatives, rows.by_class()

    def edges(self) -> tuple[FloatArray, FloatArray] | None:
        """Return None: rows in memory need no bins."""
        return None

    def blocks(self, _: BoolArray | None = None) -> Iterator[OperatingPoints]:
        """Yield the points, lowest threshold first."""
        return map(self.in_type_of_scores, _points_of(self._rows))

    def in_type_of_scores(self, points: OperatingPoints) -> OperatingPoints:
        """Return points with thresholds in the type of the column, if they were held in a larger one."""
        dtype = self.job.score_type
        scale = self.job.source.decimals.get(self.job.roles.scores[0])
        if scale:
            return points._replace(threshold=decimals_of(points.threshold, scale))
        if dtype is None or held(np.empty(0, dtype)).dtype != points.threshold.dtype:
            return points
        return points._replace(threshold=points.threshold.astype(dtype, copy=False))


class _PointsByBin(_AllPoints):
    """The operating points of rows that are not in memory, but counted in bins of scores."""

    def __init__(self, job: Job) -> None:
        self.job, self._bins = job, bins_for(job)
        self._sums = sums_in(job, self._bins)
        # Integers, exact whatever the limit: points are compared by them.
        self.n_positives, self.n_rows = int(self._sums.rows[0].sum()), int(self._sums.rows.sum())
        # Empty bins hold no threshold, and reading them would cost a scan.
        self._filled = np.flatnonzero(self._sums.rows.sum(axis=0))

    def edges(self) -> tuple[FloatArray, FloatArray]:
        """Return the positives, and all rows, at or above each filled bin: a point per bin, worst first."""
        # The lowest score of a bin is a threshold, whichever it is: all rows of the bin are at or above it.
        tp, fp = (from_each_on(one)[self._filled].astype(np.float64) for one in self._sums.rows)
        return tp, tp + fp

    def blocks(self, needed: BoolArray | None = None) -> Iterator[OperatingPoints]:
        """Yield the points of some of the filled bins, or of all, lowest threshold first."""
        wanted = np.zeros(self._bins.n_bins, dtype=bool)
        wanted[self._filled] = True if needed is None else needed
        ranges = Ranges(self.job, self._bins, self._sums, wanted, each_score=True)
        for one in ranges.slices:
            positives, n_rows = one.above[0], sum(one.above)
            if one.tied is not None:
                point = one.tied, float(positives + one.counts[0]), float(n_rows + sum(one.counts))
                yield self.in_type_of_scores(OperatingPoints(*(np.array([value]) for value in point)))
                continue
            left_out_above = ranges.left_out_of(one)
            assert left_out_above is not None, "only some bins are wanted"
            for threshold, tp, retrieved in _points_of(ranges.rows_of(one).by_class()):
                # Thresholds are exact although most rows above them are known only as counts.
                left_out = left_out_above(threshold)
                more, others = positives + left_out[0], n_rows + left_out[0] + left_out[1]
                yield self.in_type_of_scores(OperatingPoints(threshold, tp + more, retrieved + others))


def _points_in(job: Job) -> _AllPoints:
    """Gather all rows if they fit into memory, or count them."""
    rows = all_rows(job)
    return _PointsByBin(job) if rows is None else _AllPoints(job, rows)


def _points_of(rows: ByClass) -> Iterator[OperatingPoints]:
    """Yield the points of rows, piece by piece, as if there were no others."""
    n_positives, n_negatives = rows.positive.size, rows.negative.size
    # Pieces come worst first, so what is above each is what later pieces hold.
    for piece in rows.pieces(_PIECE_ROWS):
        if piece.n_rows:
            n_positives, n_negatives = n_positives - piece.positive.size, n_negatives - piece.negative.size
            threshold, tp, retrieved = piece.points()
            yield OperatingPoints(threshold, tp + n_positives, retrieved + (n_positives + n_negatives))


def _ranking_of(found: _AllPoints, n_positives: float | None) -> Rankings:
    """Return the totals of the ranking, without its steps."""
    totals = Totals(found.n_positives, found.n_rows - found.n_positives, found.n_rows)
    return with_total(TableKernel(tuple, totals).ranking(), read_totals(n_positives, None))


def _thinned(
    found: _AllPoints, n_positives: float | None, max_points: int, *, every_bin: bool
) -> tuple[Curve, FloatArray]:
    """Return the curve with some of its points, and the best precision at the recall of each or beyond.

    Unless every bin is read, bins without a point that is kept are not, and precisions are not the best.
    """
    ranking = _ranking_of(found, n_positives)
    places = _Places(max(found.n_positives, 1), found.n_rows, max_points)
    edges, crossing, most = found.edges(), None, max_points
    if edges is None:
        most = max(max_points, found.job.memory_limit // _POINT_BYTES)
    # Few bins perhaps have no more points than are kept.
    elif not every_bin and edges[0].size > max_points:
        # Without all of its bins, the curve has more points than come.
        crossing, most = _crossing(places.of(*edges)), 0
    points, best = _kept_points(found.blocks(crossing), places, most)
    return Curve(ranking, points), best


@dataclass(frozen=True)
class _Places:
    """Where points stand along a curve: cells of equal length in the sum of recall and share of rows.

    The first and the last point of each cell are kept. So two neighbours among them are also neighbours in
    the whole curve, or the sum differs by no more than the length of a cell.
    """

    n_found: int
    n_rows: int
    max_points: int

    def of(self, tp: FloatArray, retrieved: FloatArray) -> IntArray:
        """Return the cell of each point, which never falls as thresholds fall."""
        n_cells = self.max_points // 2
        along = (tp / self.n_found + retrieved / self.n_rows) * (n_cells / 2)
        return np.minimum(along, n_cells - 1).astype(np.int64)


def _crossing(cell: IntArray) -> BoolArray:
    """Return the bins that hold a first or last point of a cell; `cell` is that of their lowest points."""
    crosses: BoolArray = cell != np.append(cell[1:], -1)
    # The lowest point of the next bin may be the first one of its cell.
    crosses[1:] |= crosses[:-1].copy()
    crosses[0] = True
    return crosses


def _kept_points(
    blocks: Iterator[OperatingPoints], places: _Places, most: int
) -> tuple[OperatingPoints, FloatArray]:
    """Return the points that are kept, and the best precision at the recall of each or beyond.

    Up to `most` points, all are kept.
    """
    held: list[tuple[OperatingPoints, FloatArray]] = []
    size = 0
    for block in blocks:
        held.append((block, block.tp / block.retrieved))
        size += block.tp.size
        if size > most:
            held = [_first_and_last(*_one_curve(held), places)]
    points, precision = _one_curve(held)
    return points, best_precisions(points.tp, precision)


def _first_and_last(
    points: OperatingPoints, precision: FloatArray, places: _Places
) -> tuple[OperatingPoints, FloatArray]:
    """Return the first and last points of cells, and the best precision so far at their recalls or beyond.

    The last point of all stays, so its recall, which may go on in the next block, has a best precision.
    """
    best, cell = best_precisions(points.tp, precision), places.of(points.tp, points.retrieved)
    border = cell[1:] != cell[:-1]
    kept = np.flatnonzero(np.append(True, border) | np.append(border, True))
    return _taken(points, kept), best[kept]


def _one_curve(held: list[tuple[OperatingPoints, FloatArray]]) -> tuple[OperatingPoints, FloatArray]:
    return _one_block([points for points, _ in held]), np.concatenate([precision for _, precision in held])


def _one_block(blocks: list[OperatingPoints]) -> OperatingPoints:
    """Return all points; the list is emptied."""
    columns = list(zip(*blocks, strict=True))
    blocks.clear()
    return OperatingPoints(*(np.concatenate(columns.pop(0)) for _ in range(3)))


def _taken(points: OperatingPoints, places: IntArray | list[int]) -> OperatingPoints:
    return OperatingPoints(*(values[places] for values in points))


def _best_point(found: _AllPoints, condition: Condition, n_positives: float) -> Points | None:
    """Return the best point alone, or None if no point meets the condition."""
    best: list[OperatingPoints] = []
    for block in found.blocks(_possible_bins(found, condition, n_positives)):
        points = Points(block, n_positives, found.n_rows)
        allowed = condition.allowed(points)
        if allowed.any():
            best.append(_taken(block, [points.best(condition.value(points), allowed)]))
    # One point per block is left, in the order of thresholds, by which ties are decided.
    if not best:
        return None
    of_blocks = _one_block(best)
    points = Points(of_blocks, n_positives, found.n_rows)
    place = points.best(condition.value(points), condition.allowed(points))
    return Points(_taken(of_blocks, [place]), n_positives, found.n_rows)


def _nearest_points(found: _AllPoints, condition: Condition, n_positives: float) -> Points:
    """Return the points that come nearest to a condition that no point meets."""
    # Precision has its best point anywhere; recall and rows have theirs at the ends of the curve.
    if condition.name == "precision":
        best = _best_point(found, Condition("beta", 0.0), n_positives)  # which is precision
        assert best is not None, "every point meets it"
        return best
    edges, ends = found.edges(), None
    if edges is not None:
        ends = np.zeros(edges[0].size, dtype=bool)
        ends[[0, -1]] = True
    points = _one_block([_taken(block, [0, -1]) for block in found.blocks(ends)])
    return Points(_taken(points, [0, -1]), n_positives, found.n_rows)


def _possible_bins(found: _AllPoints, condition: Condition, n_positives: float) -> BoolArray | None:
    """Return which filled bins can hold the best point; None without bins.

    The lowest point of each bin is known. No point of the bin is better than the one with all of its
    positives and none of its negatives. With a row budget, every point of the bin retrieves at least one
    row more than all bins above.
    """
    edges = found.edges()
    if edges is None:
        return None
    tp, retrieved = edges
    above = np.append(retrieved[1:], 0)
    least = above + 1
    if condition.name != "k":
        least = np.maximum(tp + (above - np.append(tp[1:], 0)), least)
    lowest, highest = (
        Points(OperatingPoints(np.zeros(tp.size), tp, rows), n_positives, found.n_rows)
        for rows in (retrieved, least)
    )
    possible, allowed = condition.allowed(highest), condition.allowed(lowest)
    if not allowed.any():
        return possible
    value, bound = condition.value(lowest), condition.value(highest)
    best = lowest.best(value, allowed)
    if condition.name == "k":  # the bin of the lowest point within the budget, and the one below it
        better = value >= value[best]
    elif condition.name == "beta":
        better = bound * (1 + _SLACK) >= value[best]
    else:
        # A bin that can only reach the same value has to reach as much recall, too.
        better = (bound > value[best]) | ((bound == value[best]) & (tp >= tp[best]))
    possible &= better
    return possible
