r"""Influence of each row on a score that ends at a cut: hits, precision, R-precision
and average precision at k, precision at a recall, and sums over rows with an order of
equal scores.

A second copy of a row above the cut moves another row below the cut. The score loses a
hit if this other row is a positive. The probability of this is the precision at the
cut, which is estimated from the :math:`2 \sqrt k` rows above the cut and the same
number of rows below it.
"""

from heapq import nlargest
from math import ceil, inf, sqrt
from typing import NamedTuple, Self

import numpy as np

from .._core.areas.hits import HITS
from .._core.areas.step import STEP, step_slopes
from .._core.definition import Definition
from .._core.ranking.cut import cut_depth
from .._core.rounding import EQUAL
from .._core.typing import FloatArray, IntArray
from .cells import cells_in_order, ranked_rows, steps_of_cells, sums_of_units
from .endpoints import BinomialProportion, Curve, IntervalInputs, ScoreAtCut
from .influence import (
    Influences,
    RankedCells,
    check_influence,
    n_equal,
    no_influence,
    of_slopes,
)
from .one_more_event import (
    NEGATIVES_ABOVE,
    POSITIVES_ABOVE,
    POSITIVES_BELOW,
    weights_of_units,
)

# Smallest number of rows on either side of a cut from which the precision at the cut is
# estimated.
_LEAST_ROWS_PER_SIDE = 5


class _NearRows(NamedTuple):
    """Sums over the rows near a depth of a ranking."""

    # Weight of the positives near the depth, divided by the number of rows there.
    of_positives: float
    # Weight of all rows near the depth, divided by their number.
    of_all: float
    # Number of rows near the depth of a long ranking. A short ranking may have fewer.
    n_rows: int


class _RankedRows(NamedTuple):
    """The rows of a single ranking, best first, and sums over its tied groups."""

    # Number of the tied group of each row; the best group has the number 0.
    group: IntArray
    # Weight of each row if it is a positive, else 0.
    tp: FloatArray
    weight: FloatArray
    # Weight of all positives, found or missed.
    n_positives: float
    # Number of positives without a row.
    n_missed: int
    # Number of the unit of each row; None if each row is a unit.
    unit: IntArray | None
    # Number of rows in each tied group.
    size: FloatArray
    # Weight of the positives in each tied group.
    gained: FloatArray
    # Weight of all rows in each tied group.
    group_weight: FloatArray

    @classmethod
    def of(cls, ranking: RankedCells, best_first: IntArray, group: IntArray) -> Self:
        """Return the rows of a ranking. `best_first` contains their places from the
        best row to the worst, and `group` the tied group of each row in this order.
        """
        weight = ranking.weights[best_first]
        tp = np.where(ranking.positive[best_first], weight, 0.0)
        return cls(
            group=group,
            tp=tp,
            weight=weight,
            n_positives=ranking.n_positives,
            n_missed=round(ranking.n_missed),
            unit=None if ranking.unit is None else ranking.unit[best_first],
            size=sums_of_units(np.ones(group.size), group),
            gained=sums_of_units(tp, group),
            group_weight=sums_of_units(weight, group),
        )

    @property
    def n_equal_positives(self) -> float:
        """Effective number of positives, found or missed."""
        of_positive = _weight_of_equal(self.tp)
        return self.n_positives / of_positive if of_positive else 0.0

    def n_equal(self, weight: float, score: float) -> float:
        """Return the effective number of rows with this total weight: the total divided
        by the weight of a typical row.

        If the score is high, most of the variance is due to the few negatives, so the
        typical row is a negative. If the score is low, the typical row is a positive.
        In between, its weight is a mean of the weights of both.
        """
        of_positive = _weight_of_equal(self.tp)
        of_negative = _weight_of_equal(self.weight - self.tp)
        # A class without rows has no typical weight. The weight of the other class is
        # used, since rounding of the score may leave a factor of this class above 0.
        typical = (of_positive or of_negative) * (1 - score)
        typical += (of_negative or of_positive) * score
        return weight / typical

    def near(self, depth: float) -> "_NearRows":
        """Return sums over the rows near a depth."""
        reach = max(ceil(2 * sqrt(depth)), _LEAST_ROWS_PER_SIDE)
        # Each tied group has at least one row. So all groups after these first ones are
        # below the rows near the depth, and omitting them saves time.
        first = slice(ceil(depth) + reach)
        size = self.size[first]
        # Share of each tied group that is near the depth. It is divided by the number
        # of rows near the depth, so the sums of the result are per row.
        share = _within(size, depth + reach) - _within(size, depth - reach)
        share /= share @ size
        return _NearRows(
            float(share @ self.gained[first]),
            float(share @ self.group_weight[first]),
            2 * reach,
        )

    def events(self, within: FloatArray) -> FloatArray:
        """Return the weight of one more event in each of the four cells of
        `one_more_event`. `within` is the share of each row above the cut.

        The weights are 0 if each row is a unit.
        """
        if self.unit is None:
            return np.zeros(4)
        cell = POSITIVES_BELOW * (self.tp > 0) + NEGATIVES_ABOVE * (within > 0)
        return weights_of_units(cell, self.unit, self.weight).events


def _within(size: FloatArray, depth: float) -> FloatArray:
    """Return the share of each tied group that is above a depth. The depth and the
    sizes of the groups are both numbers of rows, or both weights.
    """
    return np.asarray(((depth - (np.cumsum(size) - size)) / size).clip(0, 1))


def _weight_of_equal(weights: FloatArray) -> float:
    """Return the weight of a typical row: the sum of the weights over their effective
    number; 0 without rows.
    """
    return float(weights.sum()) / n_equal(weights)


class _Divisor(NamedTuple):
    """The divisor of a score, and the influence of each row on it, times the weight of
    the row.
    """

    weight: float
    of_rows: FloatArray | float
    proportion: BinomialProportion
    # Weight of one more failure, and of one more success; None if the interval does not
    # use these weights.
    events: FloatArray | None = None


class _Number(NamedTuple):
    """A score as a quotient of a numerator and a divisor."""

    numerator: float
    # Influence of each row on the numerator, times the weight of the row.
    of_numerator: FloatArray
    divisor: _Divisor
    # The thresholds of a precision at a recall; None for other scores.
    curve: Curve | None = None


class _Cut(NamedTuple):
    """The place where a ranking ends, and the rows above it and near it."""

    # Number of rows to retrieve, which may be more than the ranking has.
    k: float
    # Number of rows above the cut; less than k if the ranking has fewer rows.
    depth: float
    # Number of rows of the ranking, plus the missed positives that move the cut.
    n_drawn: float
    # Share of each row that is above the cut: 1 or 0, unless the cut divides the tied
    # group of the row.
    within: FloatArray
    # For each row, the number of rows that move below the cut if this row is drawn a
    # second time; negative if rows move above the cut.
    beyond: FloatArray
    # Weight of the positives near the cut, divided by the number of rows there.
    of_positives: float
    # Weight of all rows near the cut, divided by their number.
    of_all: float


def influence_at_cut(definition: Definition, ranking: RankedCells) -> Influences:
    """Return the influence of each row of a single ranking on a score at a cut, or on
    a precision at a recall, per weight of the row.

    Raise ValueError if the definition has an area or a field that the formulas of this
    module do not use.
    """
    check_influence(definition)
    if definition.level is None and definition.area not in (HITS, STEP):
        raise ValueError(
            "the influence of a row at a cut is defined for hits and step AP; got "
            f"{definition.area.name!r}."
        )
    if not ranking.n_positives or not ranking.positive.size:
        return no_influence(ranking)
    # Cells have slopes, so a score at a cut is that of rows.
    assert ranking.rows is not None, definition
    worst_first, from_worst = ranked_rows(ranking.rows, definition.tie_order)
    best_first = worst_first[::-1]
    from_best = from_worst.max() - from_worst[::-1]
    rows = _RankedRows.of(ranking, best_first, from_best)
    if definition.level is not None:
        number = _at_recall(definition.level, rows)
    elif definition.cut == "n_positives":
        number = _r_precision(rows)
    else:
        number = _at_cut(definition, rows)
    divisor = number.divisor
    score = number.numerator / divisor.weight
    of_rows = number.of_numerator - score * divisor.of_rows
    # The score does not change if all rows and missed positives are doubled. So all
    # influences add up to 0, and the missed positives have the rest of this sum. For a
    # precision at a recall, this is an approximation, since the derivatives use the
    # precision of several rows near the threshold.
    of_missed = -of_rows.sum() / max(rows.n_missed, 1)
    # `per_weight` is in the order of the rows that were passed.
    per_weight = np.empty(of_rows.size)
    per_weight[best_first] = of_rows / divisor.weight / rows.weight
    # If the score is a number of hits over a divisor, it is a share of rows, and one
    # more event is one more hit or one more failure.
    events = None
    has_units = rows.unit is not None
    if definition.area is HITS and has_units and divisor.events is not None:
        events = divisor.events / divisor.weight
    at_cut = ScoreAtCut(divisor.proportion, events, number.curve)
    return Influences(
        per_weight,
        float(of_missed / divisor.weight),
        ranking.n_missed,
        IntervalInputs(score, at_cut=at_cut),
    )


def _at_cut(definition: Definition, rows: _RankedRows) -> _Number:
    """Return a score at k as a numerator and a divisor, with their derivatives.

    The numerator is the weight of the hits among the first k rows, or the sum of the
    precision at each of these hits. `definition.normalizer` names the divisor.
    """
    n_rows = rows.tp.size
    # If `k` is a share, the cut is at this share of the rows.
    k = cut_depth(np.array([float(n_rows)]), definition.k).item()
    depth = min(k, float(n_rows))
    within = _within(rows.size, depth)[rows.group]
    # Missed positives are drawn like rows. If k is a number, the cut moves with the
    # number of rows and missed positives together. If k is a share of the rows, or if
    # the cut is below all rows, missed positives do not move the cut.
    n_drawn = n_rows
    if isinstance(definition.k, int) and k < n_rows:
        n_drawn += rows.n_missed
    share: FloatArray | float = depth / n_drawn
    # If `k` is a number and units are drawn, every sample has the same number of units,
    # but not of rows. So each unit has the same part of the cut, whatever its size.
    if rows.unit is not None and isinstance(definition.k, int) and k < n_rows:
        in_unit = np.bincount(rows.unit)
        share *= n_rows / np.count_nonzero(in_unit) / in_unit[rows.unit]
    beyond = within - share
    near_cut = rows.near(depth)
    cut = _Cut(
        k=k,
        depth=depth,
        n_drawn=n_drawn,
        within=within,
        beyond=beyond,
        of_positives=near_cut.of_positives,
        of_all=near_cut.of_all,
    )
    hits = float(within @ rows.tp)
    # A second copy of a row is one more hit if the row is a hit. The copy also moves
    # rows near the cut below it, and the hits among these rows are lost.
    of_hits = within * rows.tp - cut.of_positives * beyond
    numerator, of_numerator = hits, of_hits
    if definition.area is not HITS:
        numerator, of_area = _area(rows, within)
        # A hit that moves below the cut takes the precision at the cut from the sum.
        precision_at_cut = hits / (within @ rows.weight)
        of_numerator = of_area - cut.of_positives * precision_at_cut * beyond
    if definition.normalizer == "hits":
        proportion = BinomialProportion(min(depth, rows.n_equal_positives))
        # Without hits, the score is 0, whatever its divisor.
        divisor = _Divisor(hits or 1.0, of_hits, proportion)
    else:
        divisor = _divisor_at_cut(definition, rows, cut, numerator)
    return _Number(numerator, of_numerator, divisor)


def _divisor_at_cut(
    definition: Definition, rows: _RankedRows, cut: _Cut, numerator: float
) -> _Divisor:
    """Return the divisor of a score at k: the weight of k rows, the weight of the hits
    of a perfect ranking, or the weight of all positives.
    """
    n_positives, n_found = rows.n_equal_positives, np.count_nonzero(rows.tp)
    match definition.normalizer:
        case "k":
            # If the ranking has fewer than k rows, the divisor is k nevertheless.
            weight = cut.within * rows.weight * (cut.k / cut.depth)
            retrieved = float(weight.sum())
            n_rows = rows.n_equal(retrieved, numerator / retrieved)
            # For precision, one more negative above the cut is one more failure, and
            # one more positive above the cut is one more success.
            events = rows.events(cut.within)
            return _Divisor(
                retrieved,
                weight - cut.of_all * cut.beyond,
                BinomialProportion(n_rows, n_positives),
                events[[NEGATIVES_ABOVE, POSITIVES_ABOVE]],
            )
        case "min" if cut.k < n_found + rows.n_missed:
            # The best ranking has the heaviest positives first. Missed positives have
            # the weight 1.
            heaviest = sum(nlargest(int(cut.k), rows.tp.tolist()))
            heaviest += max(cut.k - n_found, 0)
            # If all weights are doubled, so is the divisor. The influence of a row on
            # the divisor is its share of this change: the share of its weight.
            of_rows = heaviest * rows.weight / rows.weight.sum()
            of_rows *= rows.tp.size / cut.n_drawn
            n_rows = rows.n_equal(heaviest, numerator / heaviest)
            proportion = BinomialProportion(min(n_rows, n_positives))
            return _Divisor(heaviest, of_rows, proportion)
        case _:
            # There are at most k positives, or the divisor is the number of positives.
            # A failure is a positive below the cut. Negatives that are added above the
            # cut also cause failures, because they move positives near the cut below
            # it.
            events = rows.events(cut.within)
            moved = events[NEGATIVES_ABOVE] * cut.of_positives / cut.of_all
            failure = max(events[POSITIVES_BELOW], moved)
            return _Divisor(
                rows.n_positives,
                rows.tp,
                BinomialProportion(n_positives, cut.depth),
                np.array((failure, events[POSITIVES_ABOVE])),
            )


def _r_precision(rows: _RankedRows) -> _Number:
    """Return R-precision with its derivatives. The hits are those among the first rows,
    which together have the same weight as all positives.
    """
    n_positives = rows.n_positives
    within = _within(rows.group_weight, n_positives)[rows.group]
    near_cut = rows.near(float(within.sum()))
    precision = near_cut.of_positives / near_cut.of_all
    # If the positives weigh as much as all rows, no row is below the cut, so the cut
    # cannot move.
    if n_positives >= rows.weight.sum():
        precision = 0.0
    of_hits = within * rows.tp + precision * (rows.tp - within * rows.weight)
    hits = float(within @ rows.tp)
    proportion = BinomialProportion(rows.n_equal(n_positives, hits / n_positives))
    return _Number(hits, of_hits, _Divisor(n_positives, rows.tp, proportion))


def _area(rows: _RankedRows, within: FloatArray) -> tuple[float, FloatArray]:
    """Return the sum of the precision at each positive above the cut. Also return the
    influence of each row on this sum, times the weight of the row.

    `within` is the share of each row that is above the cut.
    """
    weight = within * rows.weight
    worst_first = cells_in_order(rows.group[-1] - rows.group[::-1], rows.tp[::-1] > 0)
    cells = worst_first._replace(cell=worst_first.cell[::-1])
    slopes = step_slopes(steps_of_cells(cells.sums(weight)))
    of_cells = of_slopes(slopes, slice(None), cells.n_steps)
    return float(slopes.gain.sum()), weight * of_cells[cells.cell]


def _at_recall(level: float, rows: _RankedRows) -> _Number:
    """Return the precision at a recall, with its derivatives.

    The recall is reached at another row if the weights change, so the number of rows
    above the threshold changes, too.
    """
    n_positives = rows.n_positives
    # At recall 0, too, the threshold finds at least one positive.
    least = float(rows.tp[rows.tp > 0].min(initial=n_positives))
    # A recall that is below the level only by rounding reaches it.
    hits = max(level * n_positives * (1 - EQUAL), least)
    tp, retrieved = np.cumsum(rows.gained), np.cumsum(rows.group_weight)
    # Rounding may also leave a running sum of `tp` a little below `least`, although it
    # contains the positive of this weight.
    reached = tp >= hits * (1 - EQUAL)
    # The best precision at each threshold or a lower one.
    best = np.maximum.accumulate((tp / retrieved)[::-1])[::-1]
    # If positives were missed, there may be no threshold that reaches the recall.
    if not reached.any():
        divisor = _Divisor(1.0, 0.0, BinomialProportion(rows.n_equal_positives))
        return _Number(0.0, np.zeros(rows.tp.size), divisor)
    # `group` is at the highest threshold that reaches the recall. The score is the best
    # precision at this threshold or a lower threshold.
    group = int(reached.argmax())
    score = float(best[group])
    within = (rows.group <= group).astype(np.float64)
    near = rows.near(float(within.sum()))
    # `above` is the weight of the rows that would have this precision and these hits.
    # It may be less than the weight of `within`.
    above = max(float(tp[group]), hits) / score
    # The score is `hits / above`, so its derivative is the change below, over `above`.
    of_rows = _change_at_recall(rows, near, within, hits / n_positives, score) / above
    n_rows = rows.n_equal(above, score)
    positives_near = near.n_rows * near.of_positives / _weight_of_equal(rows.tp)
    proportion = BinomialProportion(n_rows, at_step=positives_near)
    fp = tp * (1 / best - 1)
    # If positives were missed, no threshold reaches a recall of 1. Infinitely many
    # false positives at the last threshold make the precision at this recall 0.
    if rows.n_missed:
        fp[-1] = inf
    curve = Curve(
        level, tp / n_positives, fp / n_positives, rows.n_equal_positives, n_rows
    )
    return _Number(score, of_rows, _Divisor(1.0, 0.0, proportion), curve)


def _change_at_recall(
    rows: _RankedRows, near: _NearRows, within: FloatArray, share: float, score: float
) -> FloatArray:
    """Return, for the weight of each row, the derivative of the hits at a recall, minus
    the score times the derivative of the weight above the threshold.

    The hits are this share of all positives.
    """
    # The precision near the threshold. Half a typical row of each class is added, so
    # that the precision is neither 0 nor 1.
    typical = _weight_of_equal(rows.tp)
    positives_near = near.n_rows * near.of_positives
    precision = (positives_near + typical / 2) / (near.n_rows * near.of_all + typical)
    # One more positive raises the number of hits that the recall requires. Each further
    # hit takes 1 / precision rows near the threshold.
    more_rows = (share - within) * rows.tp / precision
    change: FloatArray = share * rows.tp - score * (within * rows.weight + more_rows)
    return change
