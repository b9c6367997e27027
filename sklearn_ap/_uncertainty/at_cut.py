r"""Influence of a row on a number that reads a ranking down to a cut: hits, precision,
R-precision and average precision at k, precision at a recall, and sums over rows in an
order of equal scores.

Another copy of a row inside the cut moves another row out of it. How many hits this
costs depends on the precision just at the cut, which that of the :math:`2 \sqrt k` rows
on either side estimates.
"""

from heapq import nlargest
from math import ceil, inf, sqrt
from typing import NamedTuple

import numpy as np

from .._core.areas.hits import HITS
from .._core.areas.step import step_slopes
from .._core.definition import Definition
from .._core.ranking.cut import cut_depth
from .._core.rounding import EQUAL
from .._core.typing import FloatArray, IntArray
from .cells import cells_of, ranked_rows, steps_of_cells
from .ends import Curve, Cut, Facts
from .influence import (
    Influences,
    RankedCells,
    n_equal,
    no_influence,
    of_slopes,
    sums_of_units,
)
from .one_more_event import weights_of_units

_LEAST_ROWS = 5  # on either side of a cut, whose precision is that at the cut


class _RankedRows(NamedTuple):
    """The rows of a single ranking, the best first, and sums over tied groups of them."""

    group: IntArray  # number of the tied group of each row, 0 for the best
    tp: FloatArray  # weight of each row, if it is a positive, else 0
    weight: FloatArray
    n_positives: float  # weight of all positives, found or missed
    n_missed: int  # positives without a row
    unit: IntArray | None  # of each row, if units have several rows
    size: FloatArray  # rows of each group
    gained: FloatArray  # weight of the positives of each group
    group_weight: FloatArray

    @property
    def n_equal_positives(self) -> float:
        """How many positives of equal weight are as sure as all, found or missed."""
        each = _weight_of_equal(self.tp)
        return self.n_positives / each if each else 0.0

    def n_equal(self, weight: float, score: float) -> float:
        """How many rows of equal weight are as sure as rows of this weight in all: few
        misses count as negatives do, and few hits as positives.
        """
        hit, miss = _weight_of_equal(self.tp), _weight_of_equal(self.weight - self.tp)
        # without rows of a class, which rounding of the score may ask for
        hit, miss = hit or miss, miss or hit
        return weight / (hit * (1 - score) + miss * score)

    def at(self, depth: float) -> tuple[float, float, int]:
        """Return the mean weight of positives, and of rows, around a depth in rows, and
        how many rows are around it.
        """
        reach = max(ceil(2 * sqrt(depth)), _LEAST_ROWS)
        first = slice(ceil(depth) + reach)  # others lie deeper
        size = self.size[first]
        near = _within(size, depth + reach) - _within(size, depth - reach)
        near /= near @ size
        of_positives = float(near @ self.gained[first])
        return of_positives, float(near @ self.group_weight[first]), 2 * reach

    def events(self, within: FloatArray) -> FloatArray:
        """Return the weight of one more event of the negatives and of the positives
        below the cut, and then of those inside; 0 if rows are the units.
        """
        if self.unit is None:
            return np.zeros(4)
        cell = (self.tp > 0) + 2 * (within > 0)
        return weights_of_units(cell, self.unit, self.weight)[1]


def _within(size: FloatArray, depth: float) -> FloatArray:
    """Return the share of each group that lies within a depth of the sizes of groups."""
    return np.asarray(((depth - (np.cumsum(size) - size)) / size).clip(0, 1))


def _weight_of_equal(weights: FloatArray) -> float:
    """Return the weight that rows of equal weight would have, to be as sure as these;
    0 without any.
    """
    return float(weights.sum()) / n_equal(weights)


class _Number(NamedTuple):
    """A number at a cut as a quotient, and what each row adds to both of its parts."""

    cut: Cut
    total: float
    of_total: FloatArray
    divisor: float = 1.0
    of_divisor: FloatArray | float = 0.0
    events: FloatArray | None = None  # weight of one more miss, and of one more hit
    curve: Curve | None = None


def influence_at_cut(definition: Definition, ranking: RankedCells) -> Influences:
    """Return what each row of a single ranking does to a number at a cut, or at a
    recall, per weight.
    """
    if not ranking.n_positives or not ranking.score.size:
        return no_influence(ranking)
    order, group = ranked_rows(ranking.positive, ranking.score, definition.tie_order)
    best_first, group = order[::-1], group.max(initial=0) - group[::-1]
    weight = ranking.weights[best_first]
    tp = np.where(ranking.positive[best_first], weight, 0.0)
    sums = [
        sums_of_units(values, group) for values in (np.ones(group.size), tp, weight)
    ]
    n_missed = round(ranking.n_missed)
    unit = None if ranking.unit is None else ranking.unit[best_first]
    rows = _RankedRows(group, tp, weight, ranking.n_positives, n_missed, unit, *sums)
    if definition.level is not None:
        number = _at_recall(definition.level, rows)
    elif definition.cut == "n_positives":
        number = _r_precision(rows)
    else:
        number = _at_cut(definition, rows)
    score = number.total / number.divisor
    of_rows = number.of_total - score * number.of_divisor
    # Twice as many rows of each kind move nothing.
    of_missed = -of_rows.sum() / max(n_missed, 1)
    per_weight = np.empty(order.size)
    per_weight[best_first] = of_rows / number.divisor / weight
    facts = Facts(score, cut=number.cut, curve=number.curve)
    if definition.area is HITS and unit is not None and number.events is not None:
        facts = facts._replace(events=number.events / number.divisor)
    return Influences(
        per_weight, float(of_missed / number.divisor), ranking.n_missed, facts
    )


def _at_cut(definition: Definition, rows: _RankedRows) -> _Number:
    """Differentiate hits, or the sum of the precision at each positive, within a
    number of rows, divided as the normalizer says.
    """
    n_rows, n_positives = rows.tp.size, rows.n_equal_positives
    k = cut_depth(np.array([float(n_rows)]), definition.k).item()
    depth = min(k, float(n_rows))
    within = _within(rows.size, depth)[rows.group]
    # Missed positives are drawn as rows are, so a cut is a share of both; but a share of
    # the rows knows none of them, and a cut below all rows stays there.
    n_drawn = n_rows
    if isinstance(definition.k, int) and k < n_rows:
        n_drawn += rows.n_missed
    beyond = within - depth / n_drawn  # rows that another copy moves out
    of_positives, of_all, _ = rows.at(depth)
    hits, of_hits = float(within @ rows.tp), within * rows.tp - of_positives * beyond
    total, of_total = hits, of_hits
    if definition.area is not HITS:
        total, of_total = _area(rows, within)
        last = hits / (within @ rows.weight)  # the precision at the cut
        of_total -= of_positives * last * beyond
    n_found = np.count_nonzero(rows.tp)
    events = rows.events(within)
    match definition.normalizer:
        case "k":
            # a ranking of fewer rows is divided as if it went on
            weight = within * rows.weight * (k / depth)
            of_weight, retrieved = weight - of_all * beyond, float(weight.sum())
            cut = Cut(rows.n_equal(retrieved, total / retrieved), n_positives)
            events = events[2:]
            return _Number(cut, total, of_total, retrieved, of_weight, events)
        case "hits":
            cut = Cut(min(depth, n_positives))
            return _Number(cut, total, of_total, hits or 1.0, of_hits)
        case "min" if k < n_found + rows.n_missed:
            heaviest = sum(nlargest(int(k), rows.tp.tolist()))
            heaviest += max(k - n_found, 0)  # missed positives weigh 1
            of_heaviest = (
                heaviest * rows.weight / rows.weight.sum() * (n_rows / n_drawn)
            )
            n_equal = rows.n_equal(heaviest, total / heaviest)
            cut = Cut(min(n_equal, n_positives))
            return _Number(cut, total, of_total, heaviest, of_heaviest)
        case _:
            cut, divisor = Cut(n_positives, depth), rows.n_positives
            # Negatives that move into the cut move the positives out that are near it.
            lost = max(events[1], events[2] * of_positives / of_all)
            events = np.array((lost, events[3]))
            return _Number(cut, total, of_total, divisor, rows.tp, events)


def _r_precision(rows: _RankedRows) -> _Number:
    """Differentiate the hits within as much weight as the positives have."""
    n_positives = rows.n_positives
    within = _within(rows.group_weight, n_positives)[rows.group]
    of_positives, of_all, _ = rows.at(float(within.sum()))
    # where positives outnumber the rows, no row is left to move in
    precision = of_positives / of_all * (n_positives < rows.weight.sum())
    of_hits = within * rows.tp + precision * (rows.tp - within * rows.weight)
    hits = float(within @ rows.tp)
    cut = Cut(rows.n_equal(n_positives, hits / n_positives))
    return _Number(cut, hits, of_hits, n_positives, rows.tp)


def _area(rows: _RankedRows, within: FloatArray) -> tuple[float, FloatArray]:
    """Return the sum of the precision at each positive, and what each row does to it;
    `within` is the share of each row that counts.
    """
    weight = within * rows.weight
    cells = cells_of(rows.tp > 0, -rows.group)
    steps = steps_of_cells(cells.sums(weight))
    slopes = step_slopes(steps)
    of_cells = of_slopes(slopes, slice(None), cells.n_steps)
    return float(slopes.gain.sum()), weight * of_cells[cells.cell]


def _at_recall(level: float, rows: _RankedRows) -> _Number:
    """Differentiate the precision where a recall is reached: how many rows stand above
    it moves with the recall.
    """
    n_positives = rows.n_positives
    least = float(rows.tp[rows.tp > 0].min(initial=n_positives))
    hits = max(level * n_positives * (1 - EQUAL), least)
    tp, retrieved = np.cumsum(rows.gained), np.cumsum(rows.group_weight)
    reached = tp >= hits * (1 - EQUAL)
    # the best precision from each threshold on
    best = np.maximum.accumulate((tp / retrieved)[::-1])[::-1]
    if not reached.any():
        return _Number(Cut(rows.n_equal_positives), 0.0, np.zeros(rows.tp.size))
    group = int(reached.argmax())
    score = float(best[group])
    within = (rows.group <= group).astype(np.float64)
    of_positives, of_all, near = rows.at(float(within.sum()))
    # half a row more of either class
    each = _weight_of_equal(rows.tp)
    precision = (near * of_positives + each / 2) / (near * of_all + each)
    above = max(float(tp[group]), hits) / score
    share = hits / n_positives
    lacking = (share - within) * rows.tp / precision
    of_rows = (share * rows.tp - score * (within * rows.weight + lacking)) / above
    cut = Cut(rows.n_equal(above, score), at_step=near * of_positives / each)
    misses = tp * (1 / best - 1)
    if rows.n_missed:  # a recall that no row reaches
        misses[-1] = inf
    counts = rows.n_equal_positives, cut.divisor
    curve = Curve(level, tp / n_positives, misses / n_positives, *counts)
    return _Number(cut, score, of_rows, curve=curve)
