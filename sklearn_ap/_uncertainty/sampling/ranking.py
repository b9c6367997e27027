"""The rankings of a call: of all rows, of each column, or of each fixed query. Each has
its rows with their units, in tied groups.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, Self

import numpy as np

from ..._core.evaluate import laid_out
from ..._core.ranking.keys import RowOrder, rows_in_order
from ..._core.ranking.prevalence import factor_of_negatives
from ..._core.ranking.rankings import ratio
from ..._core.ranking.rows import Rows, order_by_ranking
from ..._core.rounding import EQUAL
from ..._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .by_unit import Numbers, n_equal, sums_of
from .score_call import ScoreCall
from .units import Units

# The greatest number of positives that a negative may outweigh. If it outweighed more,
# fourth powers of contributions would overflow.
_MOST_OUTWEIGHED = 2.0**230


@dataclass(frozen=True, kw_only=True, eq=False)
class Groups:
    """The tied groups of one ranking, best first."""

    # Weight of the positives of each group.
    positives: FloatArray
    # Weight of all rows of each group.
    weights: FloatArray
    # Number of rows of each group.
    rows: FloatArray
    # Weight of all positives, found or missed.
    n_positives: float
    # Effective number of all positives, or of units that contain one, found or missed.
    n_effective_of_all: float
    # Number of missed positives, each of which weighs 1.
    n_missed: float
    # Weight of each positive that was found. If `Ranking.copies` is an array, each
    # element is the sum of several positives.
    weights_found: FloatArray
    # Number of rows of each of these: 1, but for one more event. It is not read if
    # `Ranking.copies` is an array.
    rows_found: FloatArray
    # Weight of its own that a positive leaves out of the precision at its place. Above
    # 0 only for `ScoredRanking.bias`, which needs the score of the other rows: then
    # `score_of` returns the sum with these precisions, whose derivatives are not valid.
    weight_left_out: float = 0.0
    # Number of rows of an event, all of which a cut selects, or none. 1 if rows are
    # units, or if k is a number of rows.
    rows_together_at_cut: float = 1.0

    @cached_property
    def tp(self) -> FloatArray:
        """Weight of the positives of each group and all better ones."""
        return self.positives.cumsum()

    @cached_property
    def retrieved(self) -> FloatArray:
        """Weight of all rows of each group and all better ones."""
        return self.weights.cumsum()

    @property
    def last_precision(self) -> float:
        """Precision at the last positive that was found; 0 without any."""
        precision = self.tp / self.retrieved
        return float(precision[self.positives > 0][-1:].sum())

    def precision_of_others(self) -> FloatArray:
        """Return the precision of the rows at each group or above, without the weight
        `weight_left_out` of a positive. A positive that is alone there is kept.
        """
        has_others = self.retrieved > self.weight_left_out * (1 + EQUAL)
        left_out = np.where(has_others, self.weight_left_out, 0.0)
        return ratio((self.tp - left_out).clip(0), self.retrieved - left_out)

    def weight_of_heaviest(self, k: float) -> float:
        """Return the weight of the k heaviest positives. Missed positives weigh 1."""
        ones = np.ones(ceil(min(self.n_missed, k)))
        weights = np.append(self.weights_found, ones)
        rows = np.append(self.rows_found, ones)
        order = (-ratio(weights, rows)).argsort()
        places = np.append(0.0, rows[order].cumsum())
        return float(np.interp(k, places, np.append(0.0, weights[order].cumsum())))


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """The rows of one ranking, best first, in tied groups.

    Rows are units, and each missed positive is a unit of its own, apart from all
    others. Or units have rows and missed positives, or only one of both. No other cases
    occur::

        units       missed positives    missed_by_unit   n_apart    copies
        rows        none, or apart      None             n_missed   1, or an array
        have rows   none, or in units   array            0          1

    `n_missed` may be a fraction, and `n_apart` is then the next whole number.
    If `copies` is an array, each value of the arrays is that of several rows that are
    alike (`alike`), and the weight is their sum.

    If there are several rankings, each may have some of the units only. By the
    `unit_numbers`, values are added up over rankings (`RankingMean.summed_by_unit`).
    """

    positive: BoolArray
    weight: FloatArray
    # First row of each tied group.
    starts: IntArray
    # Number of the unit of each row, among the units of this ranking.
    unit_of_row: IntArray
    # Number of each unit of this ranking, among all units of the call. A unit of this
    # ranking has rows or missed positives in it.
    unit_numbers: IntArray
    # Number of missed positives, each of which weighs 1.
    n_missed: float = 0.0
    # How many positives each unit of this ranking missed; None if each row is a unit.
    missed_by_unit: FloatArray | None = None
    # Number of rows that each value stands for.
    copies: Numbers = 1.0
    # Number of rows of an event, all of which a cut selects, or none (`Groups`).
    rows_together_at_cut: float = 1.0
    # The id of a query, or the name or number of a column; 0 for a single ranking.
    name: Any = 0

    @property
    def by_rows(self) -> bool:
        """Whether each row is a unit."""
        return self.missed_by_unit is None

    @property
    def n_positives(self) -> float:
        """Weight of all positives, found or missed."""
        return float(self.found.sum()) + self.n_missed

    @cached_property
    def found(self) -> FloatArray:
        """Weight of each row if it is positive, else 0."""
        return self.weight * self.positive

    # --- rows and groups

    @cached_property
    def sizes(self) -> IntArray:
        """Number of values of each tied group."""
        return np.diff(self.starts, append=self.positive.size)

    @property
    def has_ties(self) -> bool:
        """Whether a group has several values. If not, a group is a value."""
        return self.starts.size < self.positive.size

    def to_rows(self, values: AnyArray) -> AnyArray:
        """Return the value of each row, which is that of its group."""
        return np.repeat(values, self.sizes) if self.has_ties else values

    def sums_of_groups(self, values: AnyArray) -> AnyArray:
        """Return the sum of the values of the rows of each group."""
        return np.add.reduceat(values, self.starts) if self.has_ties else values

    @cached_property
    def groups(self) -> Groups:
        """The tied groups."""
        return Groups(
            positives=self.sums_of_groups(self.found),
            weights=self.sums_of_groups(self.weight),
            rows=self.sums_of_groups(np.full(self.weight.size, self.copies)),
            n_positives=self.n_positives,
            n_effective_of_all=self.n_effective_of_all,
            n_missed=self.n_missed,
            weights_found=self.weight[self.positive],
            rows_found=np.ones(np.count_nonzero(self.positive)),
            rows_together_at_cut=self.rows_together_at_cut,
        )

    # --- units

    def sums_of_units(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of the rows of each unit."""
        return sums_of(values, self.unit_of_row, self.unit_numbers.size)

    def sums_of_better_rows(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of the better rows of its unit for each row."""
        # The rows of a unit are next to each other in this order, the best one first.
        order = self.unit_of_row.argsort(kind="stable")
        unit, by_unit = self.unit_of_row[order], values[order]
        before = by_unit.cumsum() - by_unit
        first_row = unit.searchsorted(np.arange(self.unit_numbers.size))
        sums = np.empty(values.size)
        sums[order] = before - before[first_row[unit]]
        return sums

    def summed_by_unit(self, values: FloatArray, of_missed: float) -> FloatArray:
        """Return the sum of the values of the rows and missed positives of each unit;
        `of_missed` is the value of a missed positive. If missed positives are units of
        their own, the last value is the sum over them.
        """
        of_units = self.sums_of_units(values)
        if self.missed_by_unit is not None:
            return of_units + of_missed * self.missed_by_unit
        if not self.n_apart:
            return of_units
        return np.append(of_units, of_missed * self.n_apart)

    @property
    def n_apart(self) -> int:
        """Number of missed positives that are units of their own."""
        return ceil(self.n_missed) if self.by_rows else 0

    @property
    def copies_of_units(self) -> Numbers:
        """Number of units of each value of `summed_by_unit`."""
        if not self.n_apart:
            return self.copies
        copies = np.broadcast_to(self.copies, self.unit_numbers.size)
        return np.append(copies, float(self.n_apart))

    @cached_property
    def n_effective_found(self) -> float:
        """Effective number of units that contain a found positive."""
        found = self.found if self.by_rows else self.sums_of_units(self.found)
        return n_equal(found, self.copies)

    @property
    def weights_of_distinct_positives(self) -> FloatArray:
        """The weight of each positive that was found. Rows of a unit with equal scores
        are one positive.
        """
        group = self.to_rows(np.arange(self.starts.size))
        # Rows have the same number here if they have the same unit and group.
        pair = group * self.unit_numbers.size + self.unit_of_row
        _, place = np.unique(pair[self.positive], return_inverse=True)
        return sums_of(self.weight[self.positive], place)

    @property
    def n_effective_of_all(self) -> float:
        """Effective number of units that contain a positive, found or missed."""
        if self.by_rows or not self.n_missed:
            return self.n_effective_found + self.n_missed
        return n_equal(self.summed_by_unit(self.found, 1.0))

    def at_prevalence(self, prevalence: float | None) -> Self:
        """Return the ranking with this share of positives, found or missed. To reach
        it, the weights of all negatives are multiplied by one factor.
        """
        if prevalence is None:
            return self
        negatives = (self.weight - self.found).sum()
        (factor,) = factor_of_negatives(
            np.array([self.n_positives]), np.array([negatives]), prevalence
        )
        if factor > _MOST_OUTWEIGHED:
            raise ValueError(
                f"prevalence must not make a negative weigh {factor:.3g} positives, "
                "because the standard error would overflow: pass a higher prevalence."
            )
        return replace(self, weight=self.weight * np.where(self.positive, 1.0, factor))


# --- the rankings of a call -----------------------------------------------------------


def rankings_of(call: ScoreCall, units: Units) -> Iterator[Ranking]:
    """Yield each ranking: of each fixed query, of each column, or of all rows."""
    checked, definition = call.scaled_rows, call.definition
    rows, totals, _ = laid_out(checked, call.average)
    order = call.order or rows_in_order(rows, definition.tie_order, checked.bounds)
    for i, (name, own_units) in enumerate(_units_of_rankings(call, units)):
        own = rows._replace(offsets=rows.offsets[i : i + 2])
        ranking = ranking_of_rows(own, order, own_units, totals)
        yield replace(ranking.at_prevalence(definition.prevalence), name=name)


def _units_of_rankings(call: ScoreCall, units: Units) -> Iterator[tuple[Any, Units]]:
    """Yield the name of each ranking, and its units, in the order of `laid_out`."""
    rows, queries = call.scaled_rows, call.queries
    n_columns = rows.positive[0].size
    if call.average == "micro":
        if n_columns > 1:
            # The values of a row are next to each other. By default, each row is a
            # unit.
            unit = units.unit_of_row
            if unit is None:
                unit = np.arange(len(rows.positive))
                units = Units(ids=unit)
            units = units._replace(unit_of_row=np.repeat(unit, n_columns))
        yield 0, units
    elif queries is None:
        for name in rows.columns or range(n_columns):
            yield name, units
    else:
        # These queries are fixed, since those that are drawn are not read row by row.
        query, n_queries = rows.numbers_of_queries(), queries.ids.size
        own_rows = _members_of(queries.places_with_rows[query], n_queries)
        own_totals = _members_of(queries.total_places, n_queries)
        for name, *own in zip(queries.names, own_rows, own_totals, strict=True):
            yield name, units.of_query(name, *own)


def _members_of(group: IntArray, n_groups: int) -> list[IntArray]:
    """Return the places of the members of each group. `group` is the number of the
    group at each place.
    """
    # `np.split` takes the places at which one group ends and the next one begins. The
    # last group ends at no such place.
    ends = np.cumsum(np.bincount(group, minlength=n_groups))[:-1]
    return np.split(order_by_ranking(group), ends)


def ranking_of_rows(
    rows: Rows, order: RowOrder, units: Units, totals: FloatArray | None
) -> Ranking:
    """Return a ranking, whose units are all of `units`. `order` may have other
    rankings, too: the offsets of the rows are those of one ranking.

    If each row is a unit, there is only one ranking, or none has a total. Its total is
    the number of all positives, found or missed. If that is None, or below the number
    of positives found, no positive was missed. (Scores raise an error for a total below
    it.)
    """
    start, end = rows.offsets
    best_first = order.row[start:end][::-1]
    positive, weight = rows.positive[best_first], np.ones(best_first.size)
    if rows.weight is not None:
        weight = rows.weight[best_first]
    unit_of_row, missed_by_unit, n_missed = best_first - start, None, 0.0
    n_units = best_first.size
    if units.unit_of_row is not None:
        unit_of_row = units.unit_of_row[unit_of_row]
        missed_by_unit = units.missed_by_unit(rows.positive[start:end])
        n_units, n_missed = missed_by_unit.size, float(missed_by_unit.sum())
    elif totals is not None:
        n_missed = max(totals.item() - np.count_nonzero(positive), 0.0)
    is_tied = order.is_tied[start : end - 1]
    starts_group = np.append(True, ~is_tied[::-1])[: best_first.size]
    return Ranking(
        positive=positive,
        weight=weight,
        starts=np.flatnonzero(starts_group),
        unit_of_row=unit_of_row,
        unit_numbers=np.arange(n_units) if units.numbers is None else units.numbers,
        n_missed=n_missed,
        missed_by_unit=missed_by_unit,
    )
