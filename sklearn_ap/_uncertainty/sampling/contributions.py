r"""What a sample shows about a score: the contributions of its units, and the effects
of one more event.

- A unit contributes x, the derivative of the score by the weight of the unit, times
  this weight. The variance of the score is the sum of all :math:`x^2`.
- The sample may lack an event that the population has. Three samples with one more
  event show what it would change: a positive ranked last (`lost`); a positive in front
  of the second half of the score or, if the score is low, of all rows (`found`); and a
  negative (`alarm`). An event is one row or, with units, the rows of a unit that are
  alike. If an event of negatives has the weight of c > 1 events of positives, it is
  placed where a share :math:`1 / (2 \sqrt c)` of the score is reached: if it weighs as
  much as a positive, at the half, and if it is heavy, near the top, since few negatives
  in the sample leave the top of the ranking empty.
- A positive counts itself in the precision at its place. Without its event of weight e,
  the precision there is that of the other rows, (A - e) / (B - e), which given the
  place is right on average. So the bias is the score minus the score with these
  precisions. The bias is in each ranking of a mean, and an event is in one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, hypot, sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg import norm

from ..._core.areas.hits import HITS
from ..._core.definition import Definition
from ..._core.rounding import EQUAL
from ..._core.typing import BoolArray, FloatArray, IntArray
from .sums import (
    Groups,
    Numbers,
    Sum,
    rows_of_cut,
    score_of,
    share_inside,
    sums_of,
)

# The squares of contributions of more missed positives may be 0.
_MOST_MISSED = 1e60


class Event(NamedTuple):
    """One more event of a class: its weight, and its number of rows."""

    weight: float
    rows: float


class Changes(NamedTuple):
    """How one more event changes a score. All numbers are at least 0."""

    # A positive ranked last lowers the score.
    lost: float = 0.0
    # A positive in front of the second half of the score, or of all rows, raises it.
    found: float = 0.0
    # A negative lowers the score.
    alarm: float = 0.0
    # The score of a mean is lower by this in each of its rankings: by the bias, and by
    # such negatives if they are heavy.
    elsewhere: float = 0.0


NO_CHANGES = Changes()


def n_equal(values: FloatArray, copies: Numbers = 1.0) -> float:
    r"""Return the effective number of values, at least 1: :math:`(\sum x)^2 / \sum
    x^2`. This number of equal values would have the same sum and sum of squares.

    `copies` is the number of times that each value occurs.
    """
    # The scale of the values has no effect. Without it, squares could overflow.
    scaled = values / (np.abs(values).max(initial=0.0) or 1.0)
    squares = float((copies * np.square(scaled)).sum())
    if not squares:
        return 1.0
    return max(float((copies * scaled).sum()) ** 2 / squares, 1.0)


def norm_of(values: FloatArray, copies: Numbers) -> float:
    """Return the root of the sum of squares. `copies` is the number of times that each
    value occurs.
    """
    # This norm scales the values. Without that, squares could overflow.
    return float(norm(np.sqrt(copies) * values, check_finite=False))


def event_of(
    values: FloatArray,
    weight: FloatArray,
    unit: IntArray | None,
    copies: Numbers = 1.0,
    rounding: float = EQUAL,
) -> Event:
    r"""Return one more event of a class whose rows have these contributions.

    Without units, it is a typical row, of the weight :math:`\sum w^2 / \sum w`. With
    units, it has u m rows: m is the mean number of rows in the unit of a row, and u the
    share of these rows that are alike, after one more unit is added whose rows are all
    alike. So u is (K a + 1) / (K + 1), where a is :math:`\sum_u (\sum d)^2
    / \sum_u (n_u \sum d^2)` over units of n rows, d is the distance of a contribution
    from the mean, and K is the effective number of the units that show it. If the rows
    of a unit are alike, a is 1, and if they are independent, it is 1 / n. Values differ
    if they are farther apart than `rounding`.
    """
    largest = float(weight.max(initial=0.0))
    if not largest:
        return Event(0.0, 1.0)
    scaled = weight / largest
    squares = float((copies * np.square(scaled)).sum())
    typical = largest * squares / float((copies * scaled).sum())
    if unit is None:
        return Event(typical, 1.0)
    sizes = sums_of(np.ones(unit.size), unit)
    apart = values - values.mean()
    farthest = float(np.abs(apart).max())
    if farthest <= rounding:
        share = 1.0
    else:
        # The share does not depend on their scale, and their squares may overflow.
        apart /= farthest
        if_alike = sums_of(np.square(apart), unit) * sizes
        of_units = np.square(sums_of(apart, unit))
        n_units = n_equal(if_alike)
        share = (n_units * of_units.sum() / if_alike.sum() + 1) / (n_units + 1)
    rows = float(share) * float(np.square(sizes).sum() / sizes.sum())
    return Event(typical * rows, rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What a sample shows about a score. Missed positives are units, too: they are
    alike, and the last value is that of one of them.
    """

    score: float
    # Contribution of each unit; and the same if negatives that weigh more than
    # positives are made lighter (`evidence_of`).
    of_units: FloatArray
    of_removed: FloatArray
    # Share of each unit in the divisor of the score.
    shares: FloatArray
    # Weight of the positives of each unit.
    positives: FloatArray
    # Effective number of units that contain a positive; of a mean over units, of units.
    n_effective: float
    n_units: int
    changes: Changes = NO_CHANGES
    # Whether negatives weigh more per row than positives.
    is_heavy: bool = False
    # Whether few rows may decide the score: heavy negatives, or the rows at the lowest
    # recall levels.
    few_decide: bool = False
    # Whether the score is a mean over the units.
    is_mean: bool = False
    # Number of units that each value of `of_units` applies to.
    copies: Numbers = 1.0
    # Expected score of a sample minus the score of the population. A mean over drawn
    # units has none.
    bias: float = 0.0

    @property
    def factor(self) -> float:
        """Standard error of the score, over the root of the sum of the squared
        contributions.
        """
        n = self.n_effective
        return sqrt(n / (n - 1)) if self.is_mean and n > 1 else 1.0

    @property
    def standard_error(self) -> float:
        """Standard error of the score."""
        return self.factor * norm_of(self.of_units, self.copies)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """The rows of one ranking, best first, in tied groups.

    If `copies` is an array, each value of the arrays is that of several rows which are
    alike: the positives, or the negatives, of a group.
    """

    positive: BoolArray
    weight: FloatArray
    # First row of each tied group.
    starts: IntArray
    # Number of the unit of each row, among the units that have rows here.
    unit: IntArray
    # Number of each of these units among all units, and number of all units.
    units: IntArray
    n_units: int
    # Whether each row is a unit.
    by_rows: bool
    n_missed: float = 0.0
    copies: Numbers = 1.0

    @property
    def n_positives(self) -> float:
        """Weight of all positives, found or missed."""
        return float((self.copies * self.found).sum()) + self.n_missed

    @cached_property
    def found(self) -> FloatArray:
        """Weight of each row if it is positive, else 0."""
        return np.where(self.positive, self.weight, 0.0)

    @cached_property
    def cell(self) -> IntArray:
        """Twice the number of the tied group of each row, plus 1 if it is positive."""
        sizes = np.diff(self.starts, append=self.positive.size)
        return 2 * np.repeat(np.arange(self.starts.size), sizes) + self.positive

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of the rows of each group."""
        return np.add.reduceat(self.copies * values, self.starts)

    @cached_property
    def n_found(self) -> float:
        """Effective number of units that contain a found positive; 0 without any."""
        of_units = sums_of(self.found, self.unit)
        return n_equal(of_units, self.copies) * bool(self.positive.any())

    @property
    def copies_of_units(self) -> Numbers:
        """Number of units that each value of `by_unit` applies to."""
        if not self.n_missed:
            return self.copies
        of_units = np.broadcast_to(self.copies, self.units.size)
        return np.append(of_units, float(ceil(self.n_missed)))

    def by_unit(self, of_rows: FloatArray, of_missed: float) -> FloatArray:
        """Return the sums of units and, if there are missed positives, the value of
        each of them.
        """
        of_units = sums_of(of_rows, self.unit, self.units.size)
        return np.append(of_units, of_missed) if self.n_missed else of_units

    @cached_property
    def groups(self) -> Groups:
        """The tied groups."""
        return Groups(
            positives=self.sums(self.found),
            weights=self.sums(self.weight),
            rows=self.sums(np.ones(self.weight.size)),
            n_positives=self.n_positives,
            n_effective=self.n_found + self.n_missed,
            n_missed=self.n_missed,
            each=self.weight[self.positive],
        )

    def contributions(
        self, definition: Definition, number: Sum
    ) -> tuple[FloatArray, float]:
        """Return the contribution of each row to a number, and of a missed positive."""
        slopes = np.empty((self.starts.size, 2))
        slopes[:, 0], slopes[:, 1] = number.negative, number.positive
        of_rows, of_missed = self.weight * slopes.ravel()[self.cell], number.missed
        if number.at_cut:
            moved, moved_by_missed = self._moved(definition)
            of_rows -= number.at_cut * moved
            of_missed -= number.at_cut * moved_by_missed
        if definition.prevalence is not None and not self.positive.all():
            # A row also changes the factor of the weights of all negatives: the log of
            # the factor has the derivatives 1 / P and -1 / N.
            negatives = (self.copies * self.weight)[~self.positive].sum()
            change = (self.copies * of_rows)[~self.positive].sum()
            per_class = 1 / self.n_positives, -1 / negatives
            of_rows += change * self.weight * np.where(self.positive, *per_class)
            of_missed += float(change) / self.n_positives
        return of_rows, of_missed

    def _moved(self, definition: Definition) -> tuple[FloatArray, float]:
        """Return how much more each row has above a fixed threshold, that of the cut,
        than it moves the cut; and the same of a missed positive.
        """
        if definition.cut == "n_positives":
            inside = share_inside(self.groups.weights, self.n_positives)
            return self.weight * inside[self.cell // 2] - self.found, -1.0
        k = rows_of_cut(definition, self.positive.size)
        inside = share_inside(self.groups.rows, k)
        of_rows, of_missed = self.parts_of_cut(definition, k)
        return inside[self.cell // 2] - of_rows, -of_missed

    def parts_of_cut(
        self, definition: Definition, k: float
    ) -> tuple[FloatArray, float]:
        """Return the number of rows by which each row moves a cut after k rows, and
        that of a missed positive.
        """
        n_rows = float(self.groups.rows.sum())
        if not isinstance(definition.k, int):
            return np.full(self.weight.size, k / n_rows), 0.0
        # If k is a number of rows, missed positives are drawn like rows. If units are
        # drawn, samples have the same number of units, and not of rows. So each unit
        # has the same part of the cut, whatever its size.
        share = k / (n_rows + self.n_missed)
        if self.by_rows:
            return np.full(self.weight.size, share), share
        in_unit = np.bincount(self.unit)
        of_unit = share * n_rows / in_unit.size
        return of_unit / in_unit[self.unit], share

    def events(self, values: FloatArray, rounding: float) -> tuple[Event, Event]:
        """Return one more event of the positives, and one of the negatives; `values` are
        those of the rows (`event_of`).
        """
        copies = np.broadcast_to(self.copies, values.size)
        hit, alarm = (
            event_of(
                values[rows],
                self.weight[rows],
                None if self.by_rows else self.unit[rows],
                copies[rows],
                rounding,
            )
            for rows in (self.positive, ~self.positive)
        )
        return hit, alarm

    def joined(self, definition: Definition) -> "Ranking":
        """Return the ranking with fewer groups: neighbours are joined where the score,
        also with one more event, adds up the same.
        """
        starts, n_rows = self.starts, self.positive.size
        if definition.cut is None and definition.tie_order is None:
            # Neighbouring groups of negatives have the same effect.
            has_positive = np.logical_or.reduceat(self.positive, starts)
            kept = starts[has_positive | np.append(True, has_positive[:-1])]
        elif definition.k is not None and starts.size:
            # The cuts of other samples, and of one with one more event, are near.
            depth = rows_of_cut(definition, n_rows)
            largest = 1 if self.by_rows else int(np.bincount(self.unit).max())
            far = 8 * (sqrt(depth * largest) + largest)
            first, last = starts.searchsorted(np.array((depth - far, depth + far)))
            kept = starts[: last + 1]
            if definition.area is HITS:
                kept = np.append(0, kept[max(first - 1, 1) :])
        else:
            return self
        return replace(self, starts=kept)


def evidence_of(definition: Definition, ranking: Ranking) -> Evidence:
    """Return what one ranking shows about its score.

    If negatives weigh more per row than positives, they are heavy, and the derivative
    by the weight of a negative is a poor guide to what a sample without it would score.
    `Evidence.of_removed` has the change per weight if the excess of a negative over a
    positive is removed. If negatives are very heavy, this is the jackknife.
    """
    if ranking.n_missed > _MOST_MISSED:
        raise ValueError(
            f"n_positives must be at most {_MOST_MISSED:g} above the positives that "
            f"have rows, for an interval; got {ranking.n_positives:.10g}."
        )
    ranking = ranking.joined(definition)
    positives = ranking.by_unit(ranking.found, 1.0)
    if not (ranking.n_positives and ranking.positive.size):
        zeros = np.zeros(positives.size)
        return Evidence(
            score=0.0,
            of_units=zeros,
            of_removed=zeros,
            shares=zeros,
            n_effective=ranking.n_missed,
            n_units=ranking.n_units,
            positives=positives,
            copies=ranking.copies_of_units,
        )
    groups = ranking.groups
    number, divisor = score_of(definition, groups)
    of_rows, of_missed = ranking.contributions(definition, number)
    hit, alarm = ranking.events(of_rows, EQUAL * number.total)
    # A ranking without found positives may lack one of the weight of a missed one.
    hit = hit if hit.weight else Event(1.0, 1.0)
    of_units = of_removed = ranking.by_unit(of_rows, of_missed)
    # Negatives that are heavy only because of the size of their units are exchanged
    # with their units. So the weights of single rows are compared.
    excess = alarm.weight / alarm.rows - hit.weight / hit.rows
    is_heavy = excess > EQUAL * hit.weight
    if is_heavy:
        removed, _ = score_of(definition, groups, excess)
        of_removed = ranking.by_unit(*ranking.contributions(definition, removed))
    of_others, _ = score_of(definition, groups._replace(own=hit.weight), slopes=False)
    shares = positives
    if np.ndim(divisor.positive) or divisor.negative:
        # The divisor is not the weight of the positives.
        shares = ranking.by_unit(*ranking.contributions(definition, divisor))
    return Evidence(
        score=number.total,
        of_units=of_units,
        of_removed=of_removed,
        shares=shares / (divisor.total or 1.0),
        n_effective=ranking.n_found,
        changes=_changes_of(definition, groups, number, (hit, alarm)),
        is_heavy=is_heavy,
        few_decide=definition.grid is not None or is_heavy,
        copies=ranking.copies_of_units,
        bias=number.total - of_others.total,
        n_units=ranking.n_units,
        positives=positives,
    )


def _changes_of(
    definition: Definition,
    groups: Groups,
    number: Sum,
    events: tuple[Event, Event],
) -> Changes:
    """Return how one more event changes the score. Each of the events, of positives and
    of negatives, is added to the groups, and the score is computed again.
    """
    hit, alarm = events

    def change(place: int, event: Event, *, is_hit: bool) -> float:
        more = groups.with_event(place, *event, hit=is_hit)
        changed, _ = score_of(definition, more, slopes=False)
        return changed.total - number.total

    lost = -change(groups.rows.size, hit, is_hit=True)
    found = max(
        change(number.place_of(0.5), hit, is_hit=True),
        _found_in_front(groups, number.total, change(0, hit, is_hit=True)),
    )
    if not alarm.weight:
        # Without negatives, a sample does not show how many of them may be above a lost
        # positive, or weigh as much as one. So it is a missed one, or a negative.
        by_alarm = -change(number.place_of(0.5), hit, is_hit=False)
        missed = number.total * hit.weight / (groups.n_positives + hit.weight)
        return Changes(max(missed, by_alarm), found)
    near_top = number.place_of(0.5 * sqrt(min(hit.weight / alarm.weight, 1.0)))
    by_alarm = -change(near_top, alarm, is_hit=False)
    return Changes(max(lost, 0.0), found, max(by_alarm, 0.0))


def _found_in_front(groups: Groups, score: float, gain: float) -> float:
    """Return what a positive in front of all rows adds to a score that may lack one.

    It is the gain of such a positive, times the part that this gain would be of the
    score above chance. A positive that gains more than the whole score above chance is
    likely to be missing: with one in ten there, twenty positives lack it in .12 of
    samples.
    """
    gain = max(gain, 0.0)
    chance = groups.n_positives / float(groups.weights.sum() + groups.n_missed)
    above_chance = gain + max(score - chance, 0.0)
    return gain**2 / (above_chance or 1.0)


def evidence_of_mean(
    parts: Sequence[Evidence],
    units: Sequence[IntArray],
    shares: FloatArray,
    *,
    by_positives: bool,
) -> Evidence:
    """Return what several rankings of the same units show about their mean score, in
    which they have these shares. `units` are the numbers of the units that have rows in
    each of them. If `by_positives`, a share is that of the positives.
    """
    total = sum(float((part.copies * part.positives).sum()) for part in parts)
    score = float(shares @ [part.score for part in parts])
    n_units = parts[0].n_units
    # The missed positives of a ranking are units of this ranking, after all others.
    numbers = [
        np.append(own, n_units + i)[: part.positives.size]
        for i, (part, own) in enumerate(zip(parts, units, strict=True))
    ]

    def together(values: Sequence[FloatArray]) -> FloatArray:
        """Return the sums of units, followed by the values of missed positives."""
        return sums_of(np.concatenate(values), np.concatenate(numbers), n_units)

    # If `by_positives`, each positive also changes the shares of the rankings.
    moves = [
        by_positives * (part.score - score) * part.positives / total for part in parts
    ]
    each = list(zip(shares, parts, moves, strict=True))
    positives = together([part.positives for part in parts])
    spread = together([share * part.shares for share, part, _ in each])
    copies = together(
        [np.broadcast_to(part.copies, part.shares.size) for part in parts]
    )
    copies[:n_units] = 1.0
    of_units = together([share * part.of_units + move for share, part, move in each])
    changes = shares[:, np.newaxis] * [part.changes for part in parts]
    n_varying = int(np.count_nonzero(changes.any(axis=1)))
    # Each ranking of few heavy negatives scores too high on average, so all of them may
    # lack one; and the bias of each ranking is that of the mean.
    in_each = changes[:, 2] * [part.is_heavy for part in parts]
    bias = float(shares @ [part.bias for part in parts])
    elsewhere = float(in_each.sum() - norm(in_each)) + max(bias, 0.0)
    changes[:, 2] -= in_each
    # Other events are in one of the rankings that have positives or, if rankings vary
    # together, in as many as the variance of the mean is times that of a mean of
    # independent ones. In one of them only, means of equal columns cover .81.
    norms_of_parts = [norm_of(part.of_units, part.copies) for part in parts]
    if_apart = norm_of(shares * norms_of_parts, 1.0)
    n_alike = max(norm_of(of_units, copies) / (if_apart or 1.0), 1.0) ** 2
    in_one = np.linalg.norm(changes, axis=0) * n_alike / sqrt(n_varying or 1)
    lost, found, alarm, _ = in_one.tolist()
    alarm = hypot(alarm, float(norm(in_each)))
    return Evidence(
        score=score,
        of_units=of_units,
        of_removed=together(
            [share * part.of_removed + move for share, part, move in each]
        ),
        # Only rankings with positives have them.
        shares=spread / (float((copies * spread).sum()) or 1.0),
        positives=positives,
        n_effective=n_equal(positives[:n_units]),
        n_units=n_units,
        copies=copies,
        changes=Changes(lost, found, alarm, elsewhere),
        few_decide=any(part.few_decide for part in parts),
        bias=bias,
    )


def evidence_of_units(
    score: float, values: FloatArray, weight: FloatArray, unit: IntArray | None
) -> Evidence:
    """Return what the values of drawn units show about their mean, the score."""
    unit = np.arange(values.size) if unit is None else unit
    shares = weight / weight.sum()
    of_units = sums_of(shares * (values - shares @ values), unit)
    of_shares = sums_of(shares, unit)
    n = n_equal(of_shares)
    changes = NO_CHANGES
    if np.abs(of_units).max() > EQUAL or abs(score - 0.5) > 0.5 - EQUAL:
        # If nearly all units score 1, or 0, a sample may lack a unit that scores 0, or
        # 1 (`_found_in_front`). If all of them do, it lacks one.
        lost, found = score / (n + 1), (1 - score) / (n + 1)
        changes = Changes(
            lost=lost**2 / (lost + 1 - score), found=found**2 / (found + score)
        )
    return Evidence(
        score=score,
        of_units=of_units,
        of_removed=of_units,
        shares=of_shares,
        positives=of_shares,
        n_effective=n,
        n_units=of_units.size,
        changes=changes,
        is_mean=True,
    )
