r"""The interval of a score whose threshold is at another place in each sample: the best
precision at a recall or beyond, and a score of the first k rows.

In the population, one threshold reaches the recall, or selects the share k / n of the
rows. A sample differs from the population in two ways:

1. The *place* of this threshold in the sample is another recall, or another number of
   rows. Its error is known: it is that of a sum over units at a fixed threshold.
2. The score at this threshold has an error, too. What the place shows of it is known if
   the place is, so only the rest remains.

The interval contains the intervals of all places that are likely enough. A place y
standard errors away leaves :math:`\sqrt{t^2 - y^2}` standard errors for the rest. If
the score is a straight line over the places, the error of the union is the root of the
sum of both squares, and at a step of the curve both sides of the step are inside.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, hypot, nan
from typing import NamedTuple

import numpy as np

from ..._core.areas.interpolated import INTERPOLATED
from ..._core.definition import Definition
from ..._core.ranking.rankings import ratio
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray
from ..sampling.contributions import Changes, Ranking, norm_of
from ..sampling.sums import rows_of_cut, score_of, share_inside, sums_of, vertices_of
from .endpoints import Endpoints, endpoints_of, rounding_of

# Distances of the places that are tried, in standard errors.
_AWAY = np.linspace(-4, 4, 33)


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


def places_of_recalls(
    ranking: Ranking, recalls: FloatArray, prevalence: float | None = None
) -> list[list[Place]]:
    """Return the places of each recall.

    At a known place, the positives above the threshold are the share r of all P. So the
    precision is r P / (r P + F), and varies with P and with the negatives above, F. At
    a prevalence, the negatives weigh as P, and only F varies.
    """
    ranking = ranking.joined(Definition(INTERPOLATED))
    groups, total = ranking.groups, ranking.n_positives
    tp, fp = groups.positives.cumsum(), (groups.weights - groups.positives).cumsum()
    recall = recalls[:, np.newaxis]
    # Number of groups above the recall, with a share of the next one.
    edge = np.interp(recall * total, np.append(0.0, tp), np.arange(tp.size + 1.0))
    error = _errors_above(ranking, ranking.found, edge, 1.0, recall)

    # Rows of a unit are alike if the same recalls retrieve them.
    hit, alarm = ranking.events(tp[ranking.cell // 2], EQUAL * total)
    # Without negatives, one of them weighs as much as a positive.
    more, less = hit.weight, alarm.weight or hit.weight
    # At recall 0, too, there is a positive above the threshold.
    least = groups.each.min()
    hits = (recall * total).clip(least)
    there = (hits + error * _AWAY).clip(least)
    # The threshold is after the hits of the place and before the next positive. The
    # precision is lowest just before this positive, and highest just after the hits.
    is_beyond = _AWAY >= 0
    reached = tp.searchsorted(there * np.where(is_beyond, 1 + EQUAL, 1 - EQUAL))
    # With one more negative in front of all rows, a lucky first row does not decide.
    # Without it, the first rows may be as good as they are here: an upper endpoint.
    reached, there = np.tile(reached, 2), np.tile(there, 2)
    away, is_beyond = np.tile(_AWAY, 2), np.tile(is_beyond, 2)
    only_high = np.arange(away.size) >= _AWAY.size
    vertices = np.stack([vertices_of(groups, own)[1] for own in (less, 0.0)])
    vertex = vertices[only_high.astype(int), reached.clip(max=tp.size - 1)]
    # Positives between the place and the vertex are above the threshold of the vertex.
    tp_there = hits + (tp[vertex] - there - is_beyond * more).clip(0)
    retrieved = tp_there + fp[vertex]
    precision = tp_there / retrieved
    if ranking.n_missed:
        # There may be no threshold that reaches the recall.
        precision[reached == tp.size] = 0.0

    per_hit = precision * (1 - precision) / total * (prevalence is None)
    alarms = ranking.weight - ranking.found
    numbers = (
        precision,
        _errors_above(ranking, alarms, vertex + 1.0, precision / retrieved, per_hit),
        (1 - precision) * more / (retrieved + more),
        precision * less / (retrieved + less),
    )
    return [
        [
            Place(value, rest, Changes(found=found, alarm=lost), far, upper)
            for far, upper, value, rest, found, lost in zip(
                away.tolist(), only_high.tolist(), *row, strict=True
            )
        ]
        for row in np.stack(numbers, axis=1).tolist()
    ]


def _errors_above(
    ranking: Ranking,
    values: FloatArray,
    edge: FloatArray,
    per_value: FloatArray | float,
    per_positive: FloatArray,
) -> FloatArray:
    """Return the standard errors of sums over the values above an edge times one number,
    minus all positives times another. An edge is a number of groups.
    """
    # Sum of the values of the unit in better rows, and all its positives.
    before, all_found = np.zeros(1), ranking.found
    if not ranking.by_rows:
        order = ranking.unit.argsort(kind="stable")
        unit, ordered = ranking.unit[order], values[order]
        sums = ordered.cumsum() - ordered
        before = np.empty(values.size)
        before[order] = (
            sums - sums[unit.searchsorted(np.arange(ranking.units.size))][unit]
        )
        all_found = sums_of(ranking.found, ranking.unit)[ranking.unit]
    # Sums over units: of the square of its values above, and of its values above times
    # all its positives.
    edges = np.arange(ranking.starts.size + 1)
    squared, shared = (
        np.interp(edge, edges, np.append(0.0, ranking.sums(values * times).cumsum()))
        for times in (2 * before + values, all_found)
    )
    variance = per_value**2 * squared - 2 * per_value * per_positive * shared
    variance += per_positive**2 * (ranking.found @ all_found + ceil(ranking.n_missed))
    return np.asarray(np.sqrt(variance.clip(0)))


def _places_of_first_rows(
    definition: Definition, ranking: Ranking, k: float, changes: Changes
) -> list[Place]:
    """Return the places of the first k rows: other numbers of rows.

    At a fixed threshold, both its score and the number of rows above it are sums over
    units. What the place shows of the score is the regression of the one on the other.
    """
    ranking = ranking.joined(definition)
    groups, n_rows = ranking.groups, float(ranking.positive.size)
    if ranking.by_rows:
        ranking = _with_two_values(ranking)
    copies = ranking.copies_of_units
    drawn = ranking.by_unit(*ranking.parts_of_cut(definition, 1.0))

    def sums(per_row: FloatArray) -> FloatArray:
        """Return the sums of units; `per_row` has the value of a row of each group."""
        return ranking.by_unit(per_row[ranking.cell // 2], 0.0)

    inside = share_inside(groups.rows, k)
    # A threshold of the population is above a group or below it, and not inside.
    tied = sums(np.sqrt(inside * (1 - inside)))
    error = hypot(norm_of(sums(inside) - k * drawn, copies), norm_of(tied, copies))
    places = []
    for there in np.unique(np.rint(k + error * _AWAY).clip(1, n_rows - 1)).tolist():
        number, _ = score_of(definition, groups, k=there)
        own = ranking.by_unit(*ranking.contributions(definition, number))
        place = sums(share_inside(groups.rows, there)) - there * drawn
        spread = norm_of(place, copies) ** 2
        slope = float((copies * own) @ place) / spread if spread > EQUAL else 0.0
        rest = norm_of(own - slope * place, copies)
        score = min(max(number.total + slope * (k - there), 0.0), 1.0)
        # Rounding alone is no error.
        rest *= rest > rounding_of(n_rows, score)
        places.append(Place(score, rest, changes, (there - k) / (error or 1.0)))
    return places


def _with_two_values(ranking: Ranking) -> Ranking:
    """Return a ranking whose rows are units, with two values for all rows of a class in
    a group.

    They have the number, sum and sum of squares of the weights of these rows: they are
    the mean plus and minus the standard deviation.
    """
    size = 2 * ranking.starts.size
    n, sums, squares = (
        sums_of(ranking.weight**power, ranking.cell, size) for power in range(3)
    )
    mean = ratio(sums, n)
    spread = np.sqrt((ratio(squares, n) - mean**2).clip(0))
    numbers = np.arange(2 * size)
    return replace(
        ranking,
        positive=numbers % 4 > 1,
        weight=np.stack((mean - spread, mean + spread), axis=1).ravel(),
        starts=numbers[::4],
        unit=numbers,
        units=numbers,
        copies=np.repeat(n / 2, 2),
    )
