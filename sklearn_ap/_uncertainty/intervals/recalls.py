r"""The places of a recall, for precision at a recall and the band of a curve. The
module `places` says what a place is.

The threshold of the population has the weight r P of all positives above it. At the
place y, the sample has h above it, the *hits*:

.. math:: h = r P + y s, \quad s^2 = \sum_u (x_u - r p_u)^2 \qquad (1)

over units u with positives of weight p, x of which are above the recall. So the
threshold is after the hits and before the next positive. Precision is highest just
after the hits, and lowest just before the next positive. For places
*before* the recall, y < 0, we use the highest precision, and for places at the recall
or *beyond* it the lowest one, so that a step of the curve has both of its sides.

The score is the best precision from the threshold down: that of a *vertex*. The vertex
is looked for with one more negative in front of all rows, so that a lucky first row
does not decide. Above it are the negatives of the sample, F, but the positives of the
population: r P, and the m *further* ones between the hits and the vertex. If the
threshold is before the next positive, this one is not among them. So the precision q is

.. math:: q = (r P + m) / R, \quad R = r P + m + F, \quad
    e^2 = \sum_u \Big(\frac q R f_u - \frac {q (1 - q)} P p_u\Big)^2 \qquad (2)

with its standard error e, over units with negatives of weight f above the vertex.

Twelve rows have the labels 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0 and 0, so P = 4. These are
the positives, and their precision with one more negative in front::

    row   A   F   A / (A + F + 1)   vertex
     1    1   0        1/2             2
     2    2   0        2/3             2
     4    3   1        3/5             4
     7    4   3        1/2             7

At r = 1/2, r P = 2 and s = 1. So these are four of the places::

     y    h   threshold      vertex   m   F    q      e^2
    -1    1   after row 1       2     1   0   3/3      0
     0    2   before row 4      4     0   1   2/3    5/81
     1    3   before row 7      7     0   3   2/5   21/625
    -1    1   after row 1       1     0   0   2/2      0

The last one has the vertex without the negative in front.
"""

from typing import NamedTuple

import numpy as np

from ..._core.areas.interpolated import INTERPOLATED
from ..._core.definition import Definition
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .. import rules
from ..sampling.alike import join_groups
from ..sampling.one_more import Changes, events_of
from ..sampling.ranking import Ranking
from ..sampling.sums import vertices_of
from .places import Place


class _SumsAbove(NamedTuple):
    """Sums over units: x is the sum of the values of the rows of a unit in the groups
    above a threshold, and p the weight of all its positives.
    """

    # Sums of x squared, and of x p, if the first g groups are above, for g = 0, 1, ...
    squares: FloatArray
    products: FloatArray
    # Sum of p squared.
    squares_of_positives: float

    def errors(
        self,
        groups_above: FloatArray | IntArray,
        *,
        factor_above: FloatArray | float,
        factor_of_positives: FloatArray,
    ) -> FloatArray:
        r"""Return the standard errors of many differences: the sum of the values above
        a number of groups, with a share of the next one, times `factor_above`, minus
        the weight of all positives, times `factor_of_positives`.

        Both are sums over the units of a sample. So with v for `factor_above` and w for
        `factor_of_positives`, the variance is :math:`\sum_u (v x_u - w p_u)^2 =
        v^2 \sum x_u^2 - 2 v w \sum x_u p_u + w^2 \sum p_u^2`. For the hits (1), x is
        the weight of positives, v = 1 and w = r. For precision (2), x is the weight of
        negatives, v = q / R and w = q (1 - q) / P.
        """
        n_groups = np.arange(self.squares.size)
        squares = np.interp(groups_above, n_groups, self.squares)
        products = np.interp(groups_above, n_groups, self.products)
        variance: FloatArray = (
            factor_above**2 * squares
            - 2 * factor_above * factor_of_positives * products
            + factor_of_positives**2 * self.squares_of_positives
        )
        errors: FloatArray = np.sqrt(variance.clip(0))
        return errors


class _Thresholds(NamedTuple):
    """Thresholds of the population: one at each place of each recall. A threshold is
    just after its *nearest positive*, which is the last hit, if the place is before the
    recall. Otherwise, it is just before it, and it is the next positive.
    """

    # Number of the recall, from 0, and the distance y of the place.
    recall_number: IntArray
    away: FloatArray
    # Weight r P of the positives above the threshold in the population.
    positives_above: FloatArray
    # Weight of the hits and, if it is not one of them, of the nearest positive. In the
    # sample, the m further positives come after these.
    weight_to_nearest: FloatArray
    # The group of the nearest positive, or the number of groups if there is none.
    nearest_group: IntArray


def places_of_recalls(
    ranking: Ranking, recalls: FloatArray, prevalence: float | None = None
) -> list[list[Place]]:
    """Return the places of each recall. A place whose vertex is another one without the
    negative in front of all rows is followed by the place of this vertex. The latter
    has an upper endpoint only: the first rows may be as good as they are here.
    """
    ranking = join_groups(Definition(INTERPOLATED), ranking)
    groups = ranking.groups
    # Rows of a unit are alike if the same recalls retrieve them.
    hit, alarm = events_of(
        ranking, ranking.to_rows(groups.tp), EQUAL * ranking.n_positives
    )
    # Without negatives, one of them weighs as much as a positive.
    alarm_weight = alarm.weight or hit.weight
    thresholds = _thresholds(ranking, recalls, hit.weight)
    nearest = thresholds.nearest_group.clip(max=groups.rows.size - 1)
    # The first line has the negative in front.
    vertex = np.array(
        [vertices_of(groups, weight)[1][nearest] for weight in (alarm_weight, 0.0)]
    )
    precision, retrieved, error = _precision_at(ranking, thresholds, vertex, prevalence)
    n_events = retrieved / max(hit.weight, alarm_weight)
    places: list[list[Place]] = [[] for _ in recalls]
    for i, recall_number in enumerate(thresholds.recall_number):
        place, without_negative = (
            Place(
                score=precision.item(line, i),
                standard_error=error.item(line, i),
                changes=Changes(n_events=n_events.item(line, i)),
                away=thresholds.away.item(i),
            )
            for line in range(2)
        )
        places[recall_number].append(place)
        if place != without_negative:
            places[recall_number].append(without_negative._replace(only_high=True))
    return places


def _thresholds(
    ranking: Ranking, recalls: FloatArray, hit_weight: float
) -> _Thresholds:
    """Return the thresholds of the population at all places of the recalls (1).
    `hit_weight` is the weight of one more positive.
    """
    tp = ranking.groups.tp
    positives_above = recalls * ranking.n_positives
    # Number of groups above each recall, with a share of the next one.
    groups_above = np.interp(
        positives_above, np.append(0.0, tp), np.arange(tp.size + 1.0)
    )
    error = _sums_above(ranking, ranking.found).errors(
        groups_above, factor_above=1.0, factor_of_positives=recalls
    )
    # At recall 0, too, there is a positive above the threshold.
    least = ranking.weights_of_distinct_positives.min()
    recall_number = np.arange(recalls.size).repeat(rules.DISTANCES.size)
    positives_above = positives_above.clip(least)[recall_number]
    away = np.tile(rules.DISTANCES, recalls.size)
    hits = (positives_above + error[recall_number] * away).clip(least)
    # The last hit is in the first group that reaches the hits, and the next positive in
    # the first one that exceeds them.
    reaches, exceeds = (tp.searchsorted(hits * (1 + by)) for by in (-EQUAL, EQUAL))
    is_before = away < 0
    return _Thresholds(
        recall_number=recall_number,
        away=away,
        positives_above=positives_above,
        weight_to_nearest=np.where(is_before, hits, hits + hit_weight),
        nearest_group=np.where(is_before, reaches, exceeds),
    )


def _precision_at(
    ranking: Ranking,
    thresholds: _Thresholds,
    vertex: IntArray,
    prevalence: float | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the precision q at the vertex of each threshold, the weight R retrieved
    there, and the standard error e of the precision (2). At a prevalence, the negatives
    weigh as P, and q varies with them only.
    """
    groups = ranking.groups
    fp = (groups.weights - groups.positives).cumsum()
    further = groups.tp[vertex] - thresholds.weight_to_nearest
    positives = thresholds.positives_above + further.clip(0)
    retrieved = positives + fp[vertex]
    precision = positives / retrieved
    if ranking.n_missed:
        # There may be no threshold that reaches the recall.
        precision[:, thresholds.nearest_group == fp.size] = 0.0
    per_positive = precision * (1 - precision) / ranking.n_positives
    if prevalence is not None:
        per_positive = np.zeros_like(precision)
    error = _sums_above(ranking, ranking.weight - ranking.found).errors(
        vertex + 1,
        factor_above=precision / retrieved,
        factor_of_positives=per_positive,
    )
    return precision, retrieved, error


def _sums_above(ranking: Ranking, values: FloatArray) -> _SumsAbove:
    r"""Return the sums over units of these values of rows above each group.

    A row of value v below the sum t of better rows of its unit adds :math:`v (2 t + v)`
    to :math:`\sum x_u^2`. So both sums with x are running sums over rows.
    """
    p_of_units = ranking.summed_by_unit(ranking.found, 1.0)
    # If rows are units, no row of a unit is better.
    t, p_of_rows = np.zeros(1), ranking.found
    if not ranking.by_rows:
        t = ranking.sums_of_better_rows(values)
        p_of_rows = p_of_units[ranking.unit_of_row]
    squares, products = (
        np.append(0.0, ranking.sums_of_groups(values * times).cumsum())
        for times in (2 * t + values, p_of_rows)
    )
    squares_of_positives = (ranking.found * p_of_rows).sum() + ranking.n_apart
    if ranking.missed_by_unit is not None:
        squares_of_positives += float(ranking.missed_by_unit @ p_of_units)
    return _SumsAbove(squares, products, squares_of_positives)
