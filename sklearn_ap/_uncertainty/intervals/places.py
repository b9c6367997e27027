r"""The interval of a score whose threshold is at another place in each sample: the best
precision at a recall or beyond, and a score of the first k rows.

In the population, one threshold reaches the recall, or selects the share k / n of the
rows. A sample differs from the population in two ways:

1. The *place* of this threshold in the sample is another recall, or another number of
   rows. Its error is known: it is that of a sum over units at a fixed threshold.
2. The score at this threshold has an error, too. Given the place, the part of it that
   is correlated with the place is known, and only an uncorrelated *rest* varies.

The interval is the union of the intervals of all places that are likely enough. Errors
of the place and of the rest, y and z standard errors, are likely enough if
:math:`y^2 + z^2 \le t^2`. So a place y standard errors away leaves :math:`\sqrt{t^2 -
y^2}` standard errors for the rest. If the score is a straight line over the places, the
half width of the union is t times the root of the sum of the squares of both standard
errors. At a step of the curve, the union contains both sides of the step.
"""

from collections.abc import Sequence
from math import ceil, hypot, nan
from typing import NamedTuple

import numpy as np

from ..._core.areas.interpolated import INTERPOLATED
from ..._core.definition import Definition
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .. import rules
from ..sampling.alike import joined, with_two_values
from ..sampling.by_unit import Numbers, error_of, factor_of, norm_of
from ..sampling.contributions import of_rows_to
from ..sampling.one_more import Changes, events_of
from ..sampling.ranking import Groups, Ranking
from ..sampling.sums import (
    moved_by_rows,
    rows_of_cut,
    score_of,
    share_inside,
    vertices_of,
)
from .endpoints import Endpoints, endpoints_of, rounding_of


class Place(NamedTuple):
    """A place in the sample, and the score of the population if its threshold is
    there.
    """

    score: float
    standard_error: float
    changes: Changes
    # Distance from the recall, or from the first k rows, in standard errors.
    away: float = 0.0
    # Whether the place has an upper endpoint only.
    only_high: bool = False


def endpoints_of_places(
    places: Sequence[Place], score: float, df: float, confidence_level: float
) -> Endpoints:
    """Return the endpoints of a score with places; NaN if its uncertainty is
    undefined.
    """
    lows, highs = zip(
        *(
            endpoints_of(value, error, df, changes, confidence_level, away=away)
            for value, error, changes, away, _ in places
        ),
        strict=True,
    )
    # `fmin` and `fmax` leave out places that are too far, whose endpoints are NaN.
    has_low = [not place.only_high for place in places]
    low = float(np.fmin.reduce(lows, where=has_low, initial=nan))
    high = float(np.fmax.reduce(highs))
    return min(low, score), max(high, score)


def places_of(
    definition: Definition, ranking: Ranking, changes: Changes
) -> Sequence[Place]:
    """Return the places of a score; none if it has neither a recall nor first rows.
    `changes` are the effects of one more event on it.
    """
    if not ranking.positive.any():
        return ()
    if definition.level is not None:
        recalls = np.array([definition.level])
        (places,) = places_of_recalls(ranking, recalls, definition.prevalence)
        return places
    k = rows_of_cut(definition, ranking.positive.size)
    # R-precision has no k, and a score of all rows has no threshold.
    if definition.k is None or k >= ranking.positive.size:
        return ()
    return _places_of_first_rows(definition, ranking, k, changes)


# --- a recall -------------------------------------------------------------------------


class _Curve(NamedTuple):
    """The curve of a ranking, from the best group to the worst."""

    ranking: Ranking
    # Weight of the positives, and of the negatives, of each group and all better ones.
    tp: FloatArray
    fp: FloatArray
    # Weight of one more positive, and of one more negative.
    hit: float
    alarm: float


class _Thresholds(NamedTuple):
    """Thresholds of the population, at each place of each recall."""

    # The last group above each threshold.
    group: IntArray
    # Weight above each threshold, and the precision there.
    retrieved: FloatArray
    precision: FloatArray


def places_of_recalls(
    ranking: Ranking, recalls: FloatArray, prevalence: float | None = None
) -> list[list[Place]]:
    """Return the places of each recall, and all of them again with an upper endpoint
    only.

    With one more negative in front of all rows, a lucky first row does not decide.
    Without it, the first rows may be as good as they are here: an upper endpoint.
    """
    curve, recall = _curve_of(ranking), recalls[:, np.newaxis]
    # All arrays below have a row for each recall, and a column for each place.
    errors = _errors_of_hits(curve, recall)
    places: list[list[Place]] = [[] for _ in recalls]
    for alarm, only_high in ((curve.alarm, False), (0.0, True)):
        at = _thresholds(curve, recall, errors, alarm)
        numbers = _numbers_at(curve, at, prevalence)
        for of_recall, row in zip(places, numbers.tolist(), strict=True):
            of_recall += [
                Place(value, rest, Changes(found=found, alarm=lost), away, only_high)
                for away, (value, rest, found, lost) in zip(
                    rules.AWAY, row, strict=True
                )
            ]
    return places


def _numbers_at(curve: _Curve, at: _Thresholds, prevalence: float | None) -> FloatArray:
    """Return four numbers of each threshold: its precision, the standard error of the
    precision, and how one more positive and one more negative above it change it.
    """
    numbers = (
        at.precision,
        _errors_of_precision(curve, at, prevalence),
        (1 - at.precision) * curve.hit / (at.retrieved + curve.hit),
        at.precision * curve.alarm / (at.retrieved + curve.alarm),
    )
    return np.stack(numbers, axis=2)


def _curve_of(ranking: Ranking) -> _Curve:
    """Return the curve of a ranking."""
    ranking = joined(Definition(INTERPOLATED), ranking)
    groups = ranking.groups
    fp = (groups.weights - groups.positives).cumsum()
    # Rows of a unit are alike if the same recalls retrieve them.
    of_rows = ranking.of_rows(groups.tp)
    hit, alarm = events_of(ranking, of_rows, EQUAL * ranking.n_positives)
    # Without negatives, one of them weighs as much as a positive.
    return _Curve(ranking, groups.tp, fp, hit.weight, alarm.weight or hit.weight)


def _errors_of_hits(curve: _Curve, recall: FloatArray) -> FloatArray:
    """Return how imprecise each place is: the standard error of the weight of the
    positives above the threshold of the population, minus their share of all positives.
    """
    # Number of groups above the recall, with a share of the next one.
    hits = recall * curve.ranking.n_positives
    edge = np.interp(hits, np.append(0.0, curve.tp), np.arange(curve.tp.size + 1.0))
    return _errors_above(curve.ranking, curve.ranking.found, edge, 1.0, recall)


def _thresholds(
    curve: _Curve, recall: FloatArray, error: FloatArray, alarm: float
) -> _Thresholds:
    """Return the thresholds of the population at each place. `error` is the standard
    error of a place, and `alarm` the weight of one more negative in front of all rows.

    The threshold of the population retrieves the weight r P of the positives. At the
    place y, the sample has `hits` of them above it: r P and y standard errors. So the
    threshold is after these hits and before the next positive. The precision is highest
    just after the hits, and lowest just before the next positive. At places before the
    recall (y < 0) the highest one is used, and at all others the lowest one.

    This precision has the negatives of the sample above the threshold, and the
    positives of the population, r P.
    """
    ranking, tp = curve.ranking, curve.tp
    # At recall 0, too, there is a positive above the threshold.
    least = ranking.groups.of_found.min()
    of_population = (recall * ranking.n_positives).clip(least)
    hits = (of_population + error * rules.AWAY).clip(least)
    is_beyond = rules.AWAY >= 0
    # The group of the hits or, if the precision is the lowest one, of the next positive.
    reached = tp.searchsorted(hits * np.where(is_beyond, 1 + EQUAL, 1 - EQUAL))
    # The score is the best precision there or beyond.
    _, vertices = vertices_of(ranking.groups, alarm)
    group = vertices[reached.clip(max=tp.size - 1)]
    # If the vertex is below the place, the positives between them are retrieved, too.
    # Where the lowest precision is used, the first of them, one event, is not: the
    # threshold is just before it.
    further = tp[group] - hits - is_beyond * curve.hit
    retrieved_positives = of_population + further.clip(0)
    retrieved = retrieved_positives + curve.fp[group]
    precision = retrieved_positives / retrieved
    if ranking.n_missed:
        # There may be no threshold that reaches the recall.
        precision[reached == tp.size] = 0.0
    return _Thresholds(group, retrieved, precision)


def _errors_of_precision(
    curve: _Curve, at: _Thresholds, prevalence: float | None
) -> FloatArray:
    """Return the standard errors of precision at known places.

    There, the positives above the threshold are the share r of all P. So the precision
    p is r P / (r P + F), and varies with P, by p (1 - p) / P, and with the negatives
    above, F, by -p / (r P + F). At a prevalence, the negatives weigh as P, and only F
    varies.
    """
    ranking = curve.ranking
    per_positive = at.precision * (1 - at.precision) / ranking.n_positives
    return _errors_above(
        ranking,
        ranking.weight - ranking.found,
        at.group + 1,
        at.precision / at.retrieved,
        per_positive * (prevalence is None),
    )


def _errors_above(
    ranking: Ranking,
    values: FloatArray,
    edge: FloatArray | IntArray,
    per_value: FloatArray | float,
    per_positive: FloatArray,
) -> FloatArray:
    r"""Return the standard errors of a X - b P for many edges: X is the sum of the values
    above the edge, P the weight of all positives, and a and b are `per_value` and
    `per_positive`. An edge is a number of groups.

    The variance is :math:`\sum_u (a x_u - b p_u)^2 = a^2 \sum x_u^2 - 2 a b \sum x_u p_u
    + b^2 \sum p_u^2`, over units u. A row of value v below the sum s of better rows of
    its unit adds :math:`v (2 s + v)` to :math:`\sum x_u^2`. So both sums with x are
    running sums over rows.
    """
    better, of_unit = np.zeros(1), ranking.found
    if not ranking.by_rows:
        better = _sums_of_better_rows(values, ranking)
        of_unit = ranking.of_units(ranking.found)[ranking.unit]
    edges = np.arange(ranking.starts.size + 1)
    squares, products = (
        np.interp(
            edge, edges, np.append(0.0, ranking.of_groups(values * times).cumsum())
        )
        for times in (2 * better + values, of_unit)
    )
    of_positives = (ranking.found * of_unit).sum() + ceil(ranking.n_missed)
    variance = per_value**2 * squares - 2 * per_value * per_positive * products
    variance += per_positive**2 * of_positives
    return np.asarray(factor_of(ranking.n_units) * np.sqrt(variance.clip(0)))


def _sums_of_better_rows(values: FloatArray, ranking: Ranking) -> FloatArray:
    """Return, for each row, the sum of the values of the better rows of its unit."""
    order = ranking.unit.argsort(kind="stable")
    unit, of_units = ranking.unit[order], values[order]
    before = of_units.cumsum() - of_units
    first = unit.searchsorted(np.arange(ranking.units.size))
    sums = np.empty(values.size)
    sums[order] = before - before[first][unit]
    return sums


# --- the first rows -------------------------------------------------------------------


class _Cut(NamedTuple):
    """A ranking whose score ends after its first rows."""

    definition: Definition
    groups: Groups
    # The rows, or two values for all rows of a class in a group.
    ranking: Ranking
    # Number of rows by which each unit moves a cut, per row of the cut.
    moved: FloatArray
    # Number of units of each value.
    copies: Numbers

    def by_unit(self, of_groups: FloatArray) -> FloatArray:
        """Return the sums of units; `of_groups` has the value of a row of each group."""
        of_rows = self.ranking.of_rows(of_groups) * self.ranking.copies
        return self.ranking.by_unit(of_rows, 0.0)

    def ahead(self, depth: float) -> FloatArray:
        """Return how many rows more each unit has above a fixed threshold than it moves
        a cut after this number of rows.
        """
        inside = share_inside(self.groups.rows, depth)
        return self.by_unit(inside) - depth * self.moved

    def error_of(self, of_units: FloatArray) -> float:
        """Return the standard error of a sum over units."""
        return error_of(of_units, self.copies, self.ranking.n_units)


def _places_of_first_rows(
    definition: Definition, ranking: Ranking, k: float, changes: Changes
) -> list[Place]:
    """Return the places of the first k rows: other numbers of rows."""
    ranking = joined(definition, ranking)
    groups, n_rows = ranking.groups, ranking.positive.size
    if ranking.by_rows:
        ranking = with_two_values(ranking)
    moved = ranking.by_unit(*moved_by_rows(definition, ranking, 1.0))
    cut = _Cut(definition, groups, ranking, moved, ranking.copies_of_units)
    # A threshold of the population does not divide a group. So if the cut divides one,
    # with the share s of its rows inside, each row adds s (1 - s) to the variance.
    inside = share_inside(groups.rows, k)
    tied = cut.by_unit(np.sqrt(inside * (1 - inside)))
    error = hypot(cut.error_of(cut.ahead(k)), cut.error_of(tied))
    depths = np.rint(k + error * rules.AWAY).clip(1, n_rows - 1)
    return [
        Place(*_score_near(cut, depth, k), changes, (depth - k) / (error or 1.0))
        for depth in np.unique(depths).tolist()
    ]


def _score_near(cut: _Cut, depth: float, k: float) -> tuple[float, float]:
    """Return the score of the first k rows and its standard error, if the threshold of
    the population is at this depth.

    At a fixed threshold, both its score and the number of rows above it are sums over
    units. What the place shows of the score is the regression of the one on the other.
    """
    definition, ranking = cut.definition, cut.ranking
    number, _ = score_of(definition, cut.groups, k=depth)
    own = ranking.by_unit(*of_rows_to(number, definition, ranking))
    rows = cut.ahead(depth)
    spread = norm_of(rows, cut.copies) ** 2
    slope = 0.0
    if spread > EQUAL:
        slope = float((own * rows / cut.copies).sum()) / spread
    score = min(max(number.total + slope * (k - depth), 0.0), 1.0)
    rest = cut.error_of(own - slope * rows)
    # Rounding alone is no error.
    return score, rest * (rest > rounding_of(cut.groups.rows.sum(), score))
