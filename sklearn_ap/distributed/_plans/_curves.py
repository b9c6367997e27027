"""Curves and operating points of a lone ranking that need not fit into memory.

A point is what the rows at or above one score are: their threshold, their positives, and their number. If all
rows fit into memory, so does the whole curve, or it is thinned. If they do not, counts in bins of scores tell
which bins can hold the points that are looked for, and only the rows of these bins are read again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..._curves import HitCurve, InterpolatedCurve, best_precisions, hits_in, interpolated_in
from ..._operating_points import Condition, OperatingPoint, Points, warn_without_positives
from ..._ranking._ranges import ranked_by_range
from ..._ranking._rankings import Curve, OperatingPoints, Rankings
from ..._reading._totals import not_below_found, read_totals, totals_of_rankings
from ..._typing import BoolArray, FloatArray, IntArray
from ._job import Job
from ._points import BinnedPoints, Everything, found_in

_POINT_BYTES = 40  # of a point in a curve that is returned, and while it is made
_SLACK = 2.0**-40  # far more than F-beta is rounded by


def interpolated_of(job: Job, n_positives: float | None, max_points: int) -> InterpolatedCurve:
    """Return the interpolated precision-recall curve."""
    found = found_in(job)
    curve, best = _thinned(job, found, n_positives, max_points, every_bin=True)
    return interpolated_in(curve, best=best)


def hits_of(job: Job, n_positives: float | None, max_points: int) -> HitCurve:
    """Return the hit curve."""
    found = found_in(job)
    return hits_in(_thinned(job, found, n_positives, max_points, every_bin=False)[0])


def point_of(job: Job, condition: Condition, n_positives: float | None) -> OperatingPoint:
    """Return the point that meets a condition best."""
    found = found_in(job)
    total = float(_ranking_of(found, n_positives).n_positives[0])
    warn_without_positives(total)
    search = _Search(found, total)
    best = search.best(condition)
    if best is None:
        nearest = search.nearest(condition)
        raise condition.refusal(condition.nearest(nearest), nearest)
    return best.at(0)


def _ranking_of(found: Everything | BinnedPoints, n_positives: float | None) -> Rankings:
    """Return the totals of the ranking, without its steps."""
    ranking = ranked_by_range(lambda: (), found.n_positives, found.n_rows)
    stated, count = read_totals(n_positives, None), ranking.n_found
    if stated is None:
        return ranking
    totals = totals_of_rankings(stated, n_rankings=1, pooled_columns=1, names=None, query=None)
    return ranking.with_n_positives(
        not_below_found(totals, count, n_rows=ranking.n_rows, unit=1.0, names=None)
    )


def _thinned(
    job: Job,
    found: Everything | BinnedPoints,
    n_positives: float | None,
    max_points: int,
    *,
    every_bin: bool,
) -> tuple[Curve, FloatArray]:
    """Return the curve with some of its points, and the best precision at the recall of each or beyond.

    Unless every bin is read, bins without a point that is kept are not, and precisions are not the best.
    """
    ranking = _ranking_of(found, n_positives)
    places = _Places(max(found.n_positives, 1), found.n_rows, max_points)
    if isinstance(found, Everything):
        blocks, most = found.blocks(), max(max_points, job.memory_limit // _POINT_BYTES)
    else:
        crossing = None if every_bin else _crossing(found, places)
        # Without all of its bins, the curve has more points than come.
        blocks, most = found.blocks(crossing), max_points if crossing is None else 0
    thinning = _Thinning(places, most)
    for block in blocks:
        thinning.add(block)
    points, best = thinning.result()
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


def _crossing(found: BinnedPoints, places: _Places) -> BoolArray | None:
    """Return the bins that hold a first or last point of a cell; None stands for all."""
    if found.filled.size <= places.max_points:  # perhaps there are no more points than that
        return None
    cell = places.of(*found.edges())
    crosses: BoolArray = cell != np.append(cell[1:], -1)
    # The lowest point of the next bin may be the first one of its cell.
    crosses[1:] |= crosses[:-1].copy()
    crosses[0] = True
    return crosses


@dataclass
class _Thinning:
    """A curve that comes block after block, lowest threshold first; few of its points are kept."""

    places: _Places
    most: int  # number of points; up to it, all are kept
    _all: list[OperatingPoints] | None = field(default_factory=list)
    _size: int = 0
    _kept: list[tuple[OperatingPoints, FloatArray]] = field(default_factory=list)
    _held: OperatingPoints | None = None  # the last point, if nobody knows yet whether it is kept
    _before: int = -1  # the cell of the point before it
    _best: float = 0.0  # precision up to the last point
    _late: dict[float, float] = field(
        default_factory=dict
    )  # best precision at a recall whose points continue in a later block

    def add(self, block: OperatingPoints) -> None:
        """Add the next points."""
        self._size += block.tp.size
        if self._all is not None:
            self._all.append(block)
            if self._size <= self.most:
                return
            block, self._all = _one_block(self._all), None
        self._thin(block)

    def result(self) -> tuple[OperatingPoints, FloatArray]:
        """Return the points that are kept, and the best precision at the recall of each or beyond."""
        if self._all is not None:
            points = _one_block(self._all)
            return points, best_precisions(points.tp, points.retrieved)
        assert self._held is not None, "more points than fit"
        self._kept.append((self._held, np.array([self._best])))
        points = _one_block([points for points, _ in self._kept])
        best = np.concatenate([best for _, best in self._kept])
        late = zip(points.tp.tolist(), best.tolist(), strict=True)
        return points, np.array([self._late.get(tp, of_block) for tp, of_block in late])

    def _thin(self, block: OperatingPoints) -> None:
        if self._held is not None:
            block = _one_block([self._held, block])
        cell, tp = self.places.of(block.tp, block.retrieved), block.tp
        running = np.maximum.accumulate(np.append(self._best, tp / block.retrieved))[1:]
        goes_on = tp[1:] == tp[:-1]
        last = np.append(np.flatnonzero(~goes_on), tp.size - 1)
        best = running[last][np.cumsum(np.append(True, ~goes_on)) - 1]
        self._late[float(tp[0])] = float(best[0])  # of the point that was held, and those kept beside it
        self._late[float(tp[-1])] = float(best[-1])
        borders = cell[1:] != cell[:-1]
        kept = np.flatnonzero(np.append(cell[0] != self._before, borders)[:-1] | borders)
        self._kept.append((_taken(block, kept), best[kept]))
        self._held = _taken(block, np.array([tp.size - 1]))
        self._before = int(cell[-2]) if cell.size > 1 else self._before
        self._best = float(running[-1])


def _one_block(blocks: list[OperatingPoints]) -> OperatingPoints:
    """Return all points; the list is emptied."""
    columns = list(zip(*blocks, strict=True))
    blocks.clear()
    return OperatingPoints(*(np.concatenate(columns.pop(0)) for _ in range(3)))


def _taken(points: OperatingPoints, places: IntArray) -> OperatingPoints:
    return OperatingPoints(*(values[places] for values in points))


class _Search:
    """The search for the points that are best, in bins that can hold one."""

    def __init__(self, found: Everything | BinnedPoints, n_positives: float) -> None:
        self._found, self._n_positives = found, n_positives

    def best(self, condition: Condition) -> Points | None:
        """Return the best point alone, or None if no point meets the condition."""
        best: Points | None = None
        for block in self._blocks(condition):
            points = self._points(block)
            allowed = condition.allowed(points)
            if allowed.any():
                one = _taken(block, np.array([points.best(condition.value(points), allowed)]))
                best = self._points(one if best is None else _one_block([self._as_block(best), one]))
                place = best.best(condition.value(best), condition.allowed(best))
                best = self._points(_taken(self._as_block(best), np.array([place])))
        return best

    def nearest(self, condition: Condition) -> Points:
        """Return the point that comes nearest to a condition that no point meets."""
        if condition.name == "precision":
            found = self.best(Condition("beta", 0.0))  # which is precision
            assert found is not None, "every point meets it"
            return found
        blocks = (
            self._found.blocks() if isinstance(self._found, Everything) else self._found.blocks(self._ends())
        )
        points = _one_block(list(blocks))
        ends = np.array([0, points.tp.size - 1])
        return self._points(_taken(points, ends))

    def _blocks(self, condition: Condition) -> Iterator[OperatingPoints]:
        if isinstance(self._found, Everything):
            return self._found.blocks()
        return self._found.blocks(self._possible(self._found, condition))

    def _possible(self, found: BinnedPoints, condition: Condition) -> BoolArray:
        """Return which filled bins can hold the best point.

        The lowest point of each bin is known. No point of the bin is better than the one with all of its
        positives and none of its negatives. With a row budget, every point of the bin retrieves at least one
        row more than all bins above.
        """
        tp, retrieved = found.edges()
        above = np.append(retrieved[1:], 0)
        least = above + 1
        if condition.name != "k":
            least = np.maximum(tp + (above - np.append(tp[1:], 0)), least)
        lowest, highest = self._of(tp, retrieved), self._of(tp, least)
        possible, allowed = condition.allowed(highest), condition.allowed(lowest)
        if not allowed.any():
            return possible
        value = condition.value(lowest)
        best = lowest.best(value, allowed)
        if condition.name == "k":  # the bin of the lowest point within the budget, and the one below it
            better: BoolArray = value >= value[best]
            return possible & better
        bound = condition.value(highest)
        if condition.name == "beta":
            better = bound * (1 + _SLACK) >= value[best]
        else:
            better = (bound > value[best]) | ((bound == value[best]) & (tp >= tp[best]))
        return possible & better

    def _ends(self) -> BoolArray:
        """Return the bins of the lowest and of the highest point."""
        assert isinstance(self._found, BinnedPoints)
        ends = np.zeros(self._found.filled.size, dtype=bool)
        ends[[0, -1]] = True
        return ends

    def _of(self, tp: FloatArray, retrieved: FloatArray) -> Points:
        return self._points(OperatingPoints(np.zeros(tp.size), tp, retrieved))

    def _points(self, block: OperatingPoints) -> Points:
        return Points(block, self._n_positives, self._found.n_rows)

    @staticmethod
    def _as_block(points: Points) -> OperatingPoints:
        return OperatingPoints(points.threshold, points.tp, points.retrieved)
