"""Curves and operating points of a lone ranking that need not fit into memory.

A point is what the rows at or above one score are: their threshold, their positives, and their number. If all
rows fit into memory, so does the whole curve, or it is thinned. If they do not, counts in bins of scores tell
which bins can hold the points that are looked for, and only the rows of these bins are read again.

Weights that differ are added up beside the counts. One weight for each class is counts, multiplied, and so is
a prevalence: it multiplies the weights of negatives.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from ..._api import read_total, with_total
from ..._curves import (
    HitCurve,
    InterpolatedCurve,
    best_precisions,
    hits_in,
    interpolated_in,
    refuse_missed,
)
from ..._operating_points import (
    Condition,
    OperatingPoint,
    Points,
    beyond_budgets,
    warn_without_positives,
)
from ..._ranking._by_class import ByClass
from ..._ranking._prevalence import factor_of_negatives
from ..._ranking._rankings import Curve, OperatingPoints, Rankings
from ..._ranking._table import TableKernel, Totals, from_each_on
from ..._reading._queries import check_lone
from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._numerals import decimals_of
from .._source import SourceError
from .._states._columns import concatenated, held
from .._states._rows import AllRows
from .._states._sums import Bins, Sums, Weights, one_of_each
from ._job import EVERYWHERE, Extremes, Job, Together, all_rows, sums_in, without_weights
from ._queries import DistinctIds, ranges_of_queries
from ._slices import LeftOut, Pair, Ranges, Slice, bins_for

_POINT_BYTES = 40  # of a point in a curve that is returned, and while it is made
_PIECE_ROWS = 2**18
_SLACK = 2.0**-40  # far more than F-beta and sums of weights are rounded by
# The highest and the lowest score, and all sums in one bin.
_SUMMED = partial(Together.of_rows, into=(Extremes.of_rows, partial(Sums.of_rows, bins=Bins(0.0, 1.0, 1))))


def interpolated_of(job: Job, n_positives: Any, max_points: int) -> InterpolatedCurve:
    """Return the interpolated precision-recall curve."""
    job, stated = _of_one_query(job, n_positives)
    found = _points_in(job)
    ranking = found.measure.ranking(stated)
    points = _thinned(found, max_points, every_bin=True)
    return interpolated_in(Curve(ranking, points.points), best=points.precision)


def hits_of(job: Job, n_positives: Any, max_points: int) -> HitCurve:
    """Return the hit curve."""
    job, stated = _of_one_query(job, n_positives)
    found = _points_in(job)
    ranking = found.measure.ranking(stated)
    if ranking.weighted:
        refuse_missed(n_positives)
    points = _thinned(found, max_points, every_bin=False)
    return hits_in(Curve(ranking, points.points), points.rows)


def point_of(
    job: Job, condition: Condition, n_positives: Any = None, prevalence: float | None = None
) -> OperatingPoint:
    """Return the point that meets a condition best; with queries, in the budget of each."""
    stated = read_total(n_positives, None)
    if job.roles.query_id is not None:
        return _point_within_budgets(job, condition, stated, prevalence)
    found = _points_in(job)
    found.measure = found.measure.counting(stated, prevalence)
    best = _best_point(found, condition)
    if best is None:
        raise condition.refusal(_nearest_points(found, condition))
    return best.at(0)


def _of_one_query(job: Job, n_positives: Any) -> tuple[Job, FloatArray | None]:
    """Return the rows of a curve, which has at most one query, and its stated total."""
    if job.roles.query_id is None:
        return job, read_total(n_positives, None)
    if not job.source.reads_again:
        raise SourceError(
            f"{job.source.name}: query_id takes a scan of its own, and the data can be read only once; leave "
            "it out, since a curve shows the rows of one query"
        )
    ids = job.scan(DistinctIds.of_rows).ids
    check_lone(ids)
    return _without_queries(job), read_total(n_positives, ids)


def _without_queries(job: Job) -> Job:
    """Return the rows without their ids, which later scans need not read."""
    roles: Any = job.roles
    return replace(job, roles=roles._replace(query_id=None))


class _CurvePart(NamedTuple):
    """Operating points, lowest threshold first; each array has one element per point."""

    threshold: AnyArray
    tp: FloatArray
    retrieved: FloatArray
    rows: FloatArray | None = None  # at or above each threshold, if they do not all weigh 1
    precision: FloatArray | None = None  # the best at the recall of each or beyond, of the points so far

    @property
    def points(self) -> OperatingPoints:
        """The points without the numbers of rows."""
        return OperatingPoints(*self[:3])

    @property
    def n_rows(self) -> FloatArray:
        """The number of rows at or above each threshold."""
        return self.retrieved if self.rows is None else self.rows


_Cells = Callable[[_CurvePart], IntArray]


@dataclass(frozen=True)
class _Measure:
    """What all rows come to, and what a count or a sum of weights is in a point."""

    n_rows: int
    totals: Pair  # of positives and of negatives, as points measure them
    adds_weights: bool  # points add up weights that differ, and not counts
    each: Pair = (1.0, 1.0)  # what multiplies the positives and the negatives that are added up
    unit: float | None = None  # the weight of one count, if there are weights
    extremes: Pair = (1.0, 1.0)  # of the weights
    n_positives: float = 0.0  # found or missed; known once somebody has stated them, or not

    @classmethod
    def of(cls, sums: Sums) -> "_Measure":
        """Return the measure of all rows that were summed."""
        positives, negatives = sums.rows.sum(axis=1).tolist()
        n_rows = positives + negatives
        if sums.weights is None:
            return cls(n_rows, (positives, negatives), adds_weights=False)
        extremes, each = sums.weights.extremes, one_of_each(sums.weights.extremes)
        bounds = float(extremes[:, 0].min()), float(extremes[:, 1].max())
        if each is None:
            of_positives, of_negatives = (float(from_each_on(one)[0]) for one in sums.weights.exact())
            return cls(n_rows, (of_positives, of_negatives), adds_weights=True, unit=1.0, extremes=bounds)
        # Equal weights are counts, whose quotients are exact.
        unit, each = (each[0], (1.0, 1.0)) if each[0] == each[1] else (1.0, each)
        totals = positives * each[0], negatives * each[1]
        return cls(n_rows, totals, adds_weights=False, each=each, unit=unit, extremes=bounds)

    @property
    def weighs(self) -> bool:
        """Whether points hold weights, and the numbers of their rows beside them."""
        return self.adds_weights or self.each != (1.0, 1.0)

    def ranking(self, stated: FloatArray | None) -> Rankings:
        """Return the totals of the ranking, without its steps."""
        ranking = TableKernel(tuple, Totals(*self.totals, self.n_rows)).ranking()
        if self.weighs:
            ranking = ranking._replace(weighted_rows=ranking.kernel)  # type: ignore[arg-type]  # never asked
        return with_total(ranking, stated, self.unit)

    def counting(self, stated: FloatArray | None, prevalence: float | None) -> "_Measure":
        """Return the measure with a total of positives, at a prevalence; warn if there are none."""
        total = float(self.ranking(stated).n_positives[0])
        warn_without_positives(total)
        counting, (found, negatives) = replace(self, n_positives=total), self.totals
        if prevalence is None or not (total and negatives):
            return counting
        unit = self.unit or 1.0
        weights = np.array([total * unit]), np.array([negatives * unit])
        factor = factor_of_negatives(*weights, prevalence).item()
        of_positives, of_negatives = self.each
        return replace(
            counting, totals=(found, negatives * factor), each=(of_positives, of_negatives * factor)
        )

    def block(
        self, threshold: AnyArray, tp: FloatArray, negatives: FloatArray, rows: FloatArray
    ) -> _CurvePart:
        """Return points of what was added up."""
        if not self.weighs:
            return _CurvePart(threshold, tp, rows)
        of_positives, of_negatives = self.each
        tp = of_positives * tp
        return _CurvePart(threshold, tp, tp + of_negatives * negatives, rows)

    def points(self, block: _CurvePart) -> Points:
        """Return points as conditions see them."""
        unit = 1.0 if self.unit is None else self.unit
        return Points(block.points, self.n_positives, self.n_rows, rows=block.rows, unit=unit)


class _AllPoints:
    """The operating points of rows that are all in memory."""

    def __init__(self, job: Job, rows: AllRows) -> None:
        self.job, self._rows, weights = job, rows, None
        if rows.is_weighted:
            given = [part.given for part in rows.in_order(keeps=False)]
            weights = Weights.of_classes([from_each_on(one)[:1] for one in given], given)
        self.measure = _Measure.of(Sums(np.reshape(rows.counts, (2, 1)), weights))

    def edges(self) -> _CurvePart | None:
        """Return None: rows in memory need no bins."""
        return None

    def blocks(self, _: BoolArray | None = None) -> Iterator[_CurvePart]:
        """Yield the points, lowest threshold first."""
        return self._blocks_of(Slice(EVERYWHERE, self._rows.counts, (0, 0), self.measure.totals), self._rows)

    def _blocks_of(
        self, one: Slice, rows: AllRows | None, left_out: LeftOut | None = None
    ) -> Iterator[_CurvePart]:
        """Yield the points of a slice of rows."""
        for threshold, *sums in _sums_of(one, rows, left_out, adds_weights=self.measure.adds_weights):
            yield self.measure.block(in_type_of_scores(self.job, threshold), *sums)


class _PointsByBin(_AllPoints):
    """The operating points of rows that are not in memory, but counted in bins of scores."""

    def __init__(self, job: Job) -> None:
        self._bins = bins_for(job)
        sums = sums_in(job, self._bins)
        self.measure = _Measure.of(sums)
        # Integers, exact whatever the limit: points are compared by them.
        self._counted: list[AnyArray] = [from_each_on(one) for one in sums.rows]
        self._added = self._counted
        if sums.weights is not None and self.measure.adds_weights:
            self._added = [from_each_on(one) for one in sums.weights.exact()]
        elif sums.weights is not None:
            job, sums = job.seen(without_weights), Sums(sums.rows)
        self.job, self._sums = job, sums
        # Empty bins hold no threshold, and reading them would cost a scan.
        self._filled = np.flatnonzero(sums.rows.sum(axis=0))

    def edges(self) -> _CurvePart:
        """Return a point per filled bin, worst first: what is at or above its lowest score."""
        tp, negatives = (one[self._filled].astype(np.float64) for one in self._added)
        rows = (self._counted[0] + self._counted[1])[self._filled].astype(np.float64)
        return self.measure.block(self._filled, tp, negatives, rows)

    def blocks(self, needed: BoolArray | None = None) -> Iterator[_CurvePart]:
        """Yield the points of some of the filled bins, or of all, lowest threshold first."""
        wanted = np.zeros(self._bins.n_bins, dtype=bool)
        wanted[self._filled] = True if needed is None else needed
        ranges = Ranges(self.job, self._bins, self._sums, wanted, each_score=True)
        # Sums of sums are rounded, so a sum that is known already stands for all sums of as many positives.
        known, most = self._counted[0][0], self._added[0][0]
        for one in ranges.slices:
            rows = None if one.tied is not None else ranges.rows_of(one)
            left_out = ranges.left_out_of(one)
            here = one.above[0] + one.counts[0] + (0 if left_out is None else left_out.above[0][0])
            most = most if here == known else min(most, one.weights[0])
            yield from self._blocks_of(one._replace(weights=(most, one.weights[1])), rows, left_out)
            known, most = one.above[0], one.weights_above[0]


def _points_in(job: Job) -> _AllPoints:
    """Gather all rows if they fit into memory, or count them."""
    rows = all_rows(job)
    return _PointsByBin(job) if rows is None else _AllPoints(job, rows)


def in_type_of_scores(job: Job, threshold: AnyArray) -> AnyArray:
    """Return thresholds in the type of the column, if they were held in a larger one."""
    dtype, scale = job.score_type, job.source.decimals.get(job.roles.scores[0])
    if scale:
        return decimals_of(threshold, scale)
    if dtype is None or held(np.empty(0, dtype)).dtype != threshold.dtype:
        return threshold
    return threshold.astype(dtype, copy=False)


def _sums_of(
    one: Slice, rows: AllRows | None, left_out: LeftOut | None, *, adds_weights: bool
) -> Iterator[tuple[AnyArray, FloatArray, FloatArray, FloatArray]]:
    """Yield thresholds with the positives, the negatives and the rows at or above each, piece by piece."""
    if rows is None:  # a single score
        counts = np.add(one.counts, one.above, dtype=np.float64)[:, np.newaxis]
        positives, negatives = np.array(one.weights)[:, np.newaxis] if adds_weights else counts
        yield np.array([one.tied]), positives, negatives, counts.sum(axis=0)
        return
    classes = rows.in_order(keeps=False)
    weights = [from_each_on(part.given) for part in classes] if adds_weights else []
    n_positives, n_negatives = rows.counts
    n_found = None  # positives at or above the lowest threshold
    # Pieces come worst first, so what is above each is what later pieces hold.
    for piece in ByClass(*(part.score for part in classes)).pieces(_PIECE_ROWS):
        if not piece.n_rows:
            continue
        n_positives, n_negatives = n_positives - piece.positive.size, n_negatives - piece.negative.size
        threshold, tp, retrieved = piece.points()
        own = tp + n_positives, (retrieved - tp) + n_negatives
        # Thresholds are exact although most rows above them may be known only as sums.
        others = [0.0] * 4 if left_out is None else left_out(threshold)
        counts = [own[i] + (one.above[i] + others[i]) for i in (0, 1)]
        sums = counts
        if adds_weights:
            # The weights of a class are sums from each row on, and so many rows are at or above a threshold.
            first = [(rows.counts[i] - own[i]).astype(np.intp) for i in (0, 1)]
            sums = [weights[i][first[i]] + (one.weights_above[i] + others[2 + i]) for i in (0, 1)]
            n_found = counts[0][0] if n_found is None else n_found
            most = one.weights[0]
            sums[0] = np.where(counts[0] == n_found, most, np.minimum(sums[0], most))
        yield threshold, sums[0], sums[1], counts[0] + counts[1]


def _thinned(found: _AllPoints, max_points: int, *, every_bin: bool) -> _CurvePart:
    """Return some of the points, with the best precision at the recall of each or beyond.

    Unless every bin is read, bins without a point that is kept are not, and precisions are not the best.
    """
    cells = partial(_cells_of, found.measure.totals[0] or 1.0, found.measure.n_rows, max_points // 2)
    edges, crossing, most = found.edges(), None, max_points
    if edges is None:
        most = max(max_points, found.job.memory_limit // _POINT_BYTES)
    # Few bins perhaps have no more points than are kept.
    elif not every_bin and edges.tp.size > max_points:
        # Without all of its bins, the curve has more points than come.
        crossing, most = _crossing(cells(edges)), 0
    return _kept_points(found.blocks(crossing), cells, most)


def _cells_of(n_found: float, n_rows: int, n_cells: int, points: _CurvePart) -> IntArray:
    """Return the cell of each point, which never falls as thresholds fall.

    Cells have equal lengths in the sum of recall and share of rows. The first and the last point of each cell
    are kept. So two neighbours among them are also neighbours in the whole curve, or the sum differs by no
    more than the length of a cell.
    """
    along = (points.tp / n_found + points.n_rows / n_rows) * (n_cells / 2)
    return np.minimum(along, n_cells - 1).astype(np.int64)


def _crossing(cell: IntArray) -> BoolArray:
    """Return the bins that hold a first or last point of a cell; `cell` is that of their lowest points."""
    crosses: BoolArray = cell != np.append(cell[1:], -1)
    # The lowest point of the next bin may be the first one of its cell.
    crosses[1:] |= crosses[:-1].copy()
    crosses[0] = True
    return crosses


def _kept_points(blocks: Iterator[_CurvePart], cells: _Cells, most: int) -> _CurvePart:
    """Return the points that are kept: up to `most`, all, and otherwise the first and last of each cell.

    The last point of all stays, so its recall, which may go on in the next block, has a best precision.
    """
    held: list[_CurvePart] = []
    size = 0
    for block in blocks:
        held.append(block._replace(precision=block.tp / block.retrieved))
        size += block.tp.size
        if size > most:
            points = _with_best(_one_block(held))
            cell = cells(points)
            border = cell[1:] != cell[:-1]
            held = [_taken(points, np.flatnonzero(np.append(True, border) | np.append(border, True)))]
    return _with_best(_one_block(held))


def _with_best(points: _CurvePart) -> _CurvePart:
    """Return points with the best precision at the recall of each or beyond."""
    precision: Any = points.precision
    return points._replace(precision=best_precisions(points.tp, precision))


def _one_block(blocks: list[_CurvePart]) -> _CurvePart:
    """Return all points; the list is emptied."""
    columns = dict(zip(_CurvePart._fields, zip(*blocks, strict=True), strict=True))
    blocks.clear()
    given = [name for name, parts in columns.items() if parts[0] is not None]
    return _CurvePart(**{name: np.concatenate(columns.pop(name)) for name in given})


def _taken(points: _CurvePart, places: IntArray | list[int]) -> _CurvePart:
    return _CurvePart(*(None if values is None else values[places] for values in points))  # type: ignore[arg-type]  # the first are given


def _best_point(found: _AllPoints, condition: Condition) -> Points | None:
    """Return the best point alone, or None if no point meets the condition."""
    best: list[_CurvePart] = []
    for block in found.blocks(_possible_bins(found, condition)):
        points = found.measure.points(block)
        allowed = condition.allowed(points)
        if allowed.any():
            best.append(_taken(block, [points.best(condition.value(points), allowed)]))
    # One point per block is left, in the order of thresholds, by which ties are decided.
    if not best:
        return None
    of_blocks = _one_block(best)
    points = found.measure.points(of_blocks)
    place = points.best(condition.value(points), condition.allowed(points))
    return found.measure.points(_taken(of_blocks, [place]))


def _nearest_points(found: _AllPoints, condition: Condition) -> Points:
    """Return the points that come nearest to a condition that no point meets."""
    # Precision has its best point anywhere; recall and rows have theirs at the ends of the curve.
    if condition.name == "precision":
        best = _best_point(found, Condition("beta", 0.0))  # which is precision
        assert best is not None, "every point meets it"
        return best
    edges, ends = found.edges(), None
    if edges is not None:
        ends = np.zeros(edges.tp.size, dtype=bool)
        ends[[0, -1]] = True
    points = _one_block([_taken(block, [0, -1]) for block in found.blocks(ends)])
    return found.measure.points(_taken(points, [0, -1]))


def _possible_bins(found: _AllPoints, condition: Condition) -> BoolArray | None:
    """Return which filled bins can hold the best point; None without bins.

    The lowest point of each bin is known. No point of the bin is better than the one with all of its
    positives and none of its negatives. With a row budget, every point of the bin retrieves at least one
    row more than all bins above.
    """
    edges = found.edges()
    if edges is None:
        return None
    tp, above = edges.tp, np.append(edges.retrieved[1:], 0)
    least, rows = above + (tp - np.append(tp[1:], 0)), np.append(edges.n_rows[1:], 0) + 1
    if not found.measure.weighs:
        least = np.maximum(least, rows)
    else:  # sums are rounded, and the highest bin may hold no positive
        least = np.where(least > 0, least, edges.retrieved) * (1 - _SLACK)
    lowest = found.measure.points(edges)
    highest = found.measure.points(edges._replace(retrieved=least, rows=rows))
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


def _point_within_budgets(
    job: Job, condition: Condition, stated: FloatArray | None, prevalence: float | None
) -> OperatingPoint:
    """Return the lowest point that exceeds the budget of no query."""
    whole, within = _rows_within_budgets(job, condition.level)
    measure = _Measure.of(whole.states[1]).counting(stated, prevalence)
    extremes, sums = (within or whole).states
    threshold = np.array([extremes.low if within else extremes.high], dtype=extremes.dtype)
    positives, negatives = sums.rows * 1.0
    if measure.adds_weights:
        positives, negatives = sums.weights.exact()
        positives = np.minimum(positives, measure.totals[0])  # both were rounded
    block = measure.block(
        in_type_of_scores(job, threshold), positives, negatives, sums.rows.sum(axis=0) * 1.0
    )
    points = measure.points(block)
    points.within = np.array([within is not None])
    if within is None:
        raise condition.refusal(points)
    return points.at(0)


def _rows_within_budgets(job: Job, k: int | float) -> tuple[Together, Together | None]:
    """Add up all rows, and those whose thresholds exceed the budget of no query; None without such rows."""
    beyond, found = list[AnyArray](), list[Together]()
    for checked in ranges_of_queries(job):
        query: Any = checked.query
        beyond += [one for one in (beyond_budgets(checked.score, query, k),) if one.size]
        found.append(_SUMMED(checked))
    whole = reduce(Together.joined, found)
    if not beyond:
        return whole, whole
    highest = concatenated(beyond).max()
    if highest >= whole.states[0].high:
        return whole, None
    above: Any = partial(_rows_above, highest)
    if len(found) == 1:  # all rows are here
        return whole, _SUMMED(above(checked))
    return whole, _without_queries(job).seen(above).scan(_SUMMED)


def _rows_above(score: Any, checked: Checked) -> Checked | None:
    """Take the rows above a score; None without such rows."""
    rows = np.flatnonzero(checked.score > score)
    return checked.take(rows) if rows.size else None
