r"""One more event that a sample may lack: how much it weighs, and how it changes a
score.

A sample is scored again with one more event: with a positive ranked last (`lost`), and
with a negative, which is a false alarm (`alarm`). An event is one row or, with units,
the rows of a unit that are alike. If an event of negatives has the weight of c > 1
events of positives, it is placed where a share :math:`1 / (2 \sqrt c)` of the score is
reached: near the top, since few negatives in the sample leave the top of the ranking
empty.
"""

from dataclasses import replace
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from ..._core.areas.step import STEP
from ..._core.definition import Definition
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .. import rules
from .by_unit import Numbers, n_equal, sums_of
from .cuts import cut_with_event
from .ranking import Groups, Ranking
from .score import score_of
from .sums import Sum


class Event(NamedTuple):
    """One more event of a class: its weight, and its number of rows."""

    weight: float
    rows: float


class Changes(NamedTuple):
    """How one more event changes a score, and how many events the score consists of.
    All numbers are at least 0.
    """

    # How much the score falls by one more event, which is one of these:
    #
    # - a positive that is ranked last
    # - if all rows are positive, a missed positive, or a negative that weighs as much
    #   as a positive: the one that changes more
    # - for a mean over units that all score 1, or 0, a unit that does not
    lost: float = 0.0
    # How much the score falls by a false alarm, if a negative weighs more than a
    # positive; else 0.
    alarm: float = 0.0
    # How much too high a mean of several rankings is on average, because a positive
    # counts for its own precision and, if negatives are heavy, because each ranking may
    # lack some. It moves an endpoint and, unlike the changes above, adds no variance.
    bias: float = 0.0
    # Number of events in the divisor of the score, such as positives. Infinite if no
    # event changes the score.
    n_events: float = inf


NO_CHANGES = Changes()


def event_of(
    by_row: FloatArray,
    weight: FloatArray,
    unit: IntArray | None,
    rounding: float = EQUAL,
    copies: Numbers = 1.0,
) -> Event:
    r"""Return one more event of a class. `by_row` is the number by which the rows of a
    unit are compared, such as their contributions. Each row stands for this number of
    `copies`, and `weight` is the sum of the weights of its copies.

    Without units, it is a typical row. With units, it has u m rows: m is the mean
    number of rows in the unit of a row, and u the share of these rows that are alike,
    after one more unit is added whose rows are all alike:

    .. math:: u = (e \sum s / \sum t + 1) / (e + 1), \quad
        s = \left(\sum d\right)^2, \quad t = n \sum d^2

    Here, s and t are those of a unit of n rows, d is the distance of the number of a
    row from the mean, and e is the effective number of units that show it, that of t.
    If the rows of a unit are alike, s is t. If they are independent, s is t / n on
    average, and n s / t is the design effect. Numbers differ if they are farther apart
    than `rounding`.

    Two units of two rows have e = 2. If their numbers are 1, 1 and 0, 0, then s = t, u
    is 1, and an event is two rows. If they are 1, 0 and 1, 0, then s is 0 and u is 1/3:
    the rows of a unit cancel, so an event is 2/3 of a row.
    """
    typical = typical_of(weight, copies)
    if unit is None or not typical:
        return Event(typical, 1.0)
    n = sums_of(np.full(unit.size, copies), unit)
    n_rows = n.sum()
    d = by_row - (copies * by_row).sum() / n_rows
    farthest, u = float(np.abs(d).max()), 1.0
    if farthest > rounding:
        # The share does not depend on their scale, and their squares may overflow.
        d /= farthest
        s = np.square(sums_of(copies * d, unit))
        t = sums_of(copies * d * d, unit) * n
        e = n_equal(t)
        u = float((e * s.sum() / t.sum() + 1) / (e + 1))
    m = float(np.square(n).sum() / n_rows)
    rows = u * m
    return Event(typical * rows, rows)


def typical_of(weight: FloatArray, copies: Numbers = 1.0) -> float:
    r"""Return the weight of a typical row, :math:`\sum w^2 / \sum w`; 0 without rows.
    Each weight is the sum of this number of `copies`.
    """
    largest = float(weight.max(initial=0.0))
    if not largest:
        return 0.0
    # Squares of the weights themselves may overflow.
    scaled = weight / largest
    return largest * float((np.square(scaled) / copies).sum()) / float(scaled.sum())


def events_of(
    ranking: Ranking, by_row: FloatArray, rounding: float
) -> tuple[Event, Event]:
    """Return one more event of the positives, and one of the negatives. `by_row`
    is the number by which the rows of a unit are compared (`event_of`).
    """
    if ranking.by_rows:
        positive = typical_of(ranking.found, ranking.copies)
        negative = typical_of(ranking.weight - ranking.found, ranking.copies)
        return Event(positive, 1.0), Event(negative, 1.0)
    positives, negatives = (
        event_of(
            by_row[rows], ranking.weight[rows], ranking.unit_of_row[rows], rounding
        )
        for rows in map(np.flatnonzero, (ranking.positive, ~ranking.positive))
    )
    return positives, negatives


def changes_of(
    definition: Definition,
    groups: Groups,
    score: Sum,
    positive: Event,
    negative: Event,
) -> tuple[float, float]:
    """Return how much the score falls by one more event of positives, and by one of
    negatives, whose weight is 0 if all rows are positive. Each of them is a group of
    its own, with which the score is computed again. Step average precision of all rows
    adds it to the running sums, which takes less time.
    """

    def fall(place: int, event: Event, *, is_hit: bool) -> float:
        weight, rows = event
        if definition.area is STEP and definition.is_whole:
            return score.total - _step_with_event(groups, score, place, weight, is_hit)
        # The event moves the cut to this depth, and nothing else moves it.
        depth = cut_with_event(definition, groups, rows)
        # A k that is a number of rows counts an event as one row when the k heaviest
        # positives are counted.
        rows_if_hit = 1.0 if isinstance(definition.k, int) else rows
        with_event = replace(
            groups,
            positives=np.insert(groups.positives, place, is_hit * weight),
            weights=np.insert(groups.weights, place, weight),
            rows=np.insert(groups.rows, place, rows),
            n_positives=groups.n_positives + is_hit * weight,
            weights_found=np.append(groups.weights_found, is_hit * weight),
            rows_found=np.append(groups.rows_found, is_hit * rows_if_hit),
        )
        changed, _ = score_of(definition, with_event, fixed_depth=depth)
        return score.total - changed.total

    # A negative that is heavier than a positive is nearer to the top.
    lightness = sqrt(positive.weight / max(positive.weight, negative.weight))
    place = score.place_of(rules.SHARE_ABOVE_EVENT * lightness)
    if not negative.weight:
        # All rows are positive.
        missed = score.total * positive.weight / (groups.n_positives + positive.weight)
        return max(missed, fall(place, positive, is_hit=False)), 0.0
    lost = fall(groups.rows.size, positive, is_hit=True)
    return max(lost, 0.0), max(fall(place, negative, is_hit=False), 0.0)


def _step_with_event(
    groups: Groups, score: Sum, place: int, weight: float, is_hit: bool
) -> float:
    """Return step average precision with one more event in front of the group at
    `place`. Groups above it stay as they are, and from there on, both running sums are
    larger by its weight.
    """
    positives = is_hit * weight
    precision = groups.tp[place:] + positives
    precision /= groups.retrieved[place:] + weight
    precision *= groups.positives[place:]
    above = score.gains[:place].sum() * groups.n_positives
    tp, retrieved = groups.positives[:place].sum(), groups.weights[:place].sum()
    own = positives * (tp + positives) / (retrieved + weight)
    return float((above + own + precision.sum()) / (groups.n_positives + positives))
