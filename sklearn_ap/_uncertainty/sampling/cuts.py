r"""Scores that end at a cut as sums: after k rows, or rows that weigh as much as all
positives.

Such a score changes in a second way: a row *moves* the cut. A threshold of the
population cuts each sample after another number of rows. So this effect is the number
of rows (of R-precision: the weight) by which the row moves the cut, times what a row at
the cut adds to the score, `Sum.at_cut`. The cuts of other samples are up to some two
standard errors away on both sides, so `Sum.at_cut` is the mean over the rows between.

In the example of the module `sums`, recall@3 is 1/2: half of the tied rows 3 and 4 is
inside. All five rows are near the cut, so a row there is 3/5 of a positive, and adds
1/5. Each row moves the cut by 3/5 of a row. Its part inside minus 3/5 is what it is
*ahead*: the number of other rows that it pushes out of the cut, or lets in, if it is
below 0. Its contribution is the derivative at a fixed threshold minus 1/5 of that::

    row                    1         2         3         4         5
    label                  1         0         1         0         1
    inside                 1         1        1/2       1/2        0
    derivative            1/6        0         0         0       -1/6
    ahead                 2/5       2/5     -1/10     -1/10      -3/5
    contribution         .26/3    -.24/3     .06/3     .06/3    -.14/3
"""

from dataclasses import replace
from math import sqrt

import numpy as np

from ..._core.areas.hits import HITS
from ..._core.definition import Definition
from ..._core.ranking.cut import cut_depth
from ..._core.typing import FloatArray
from .. import rules
from .ranking import Groups, Ranking
from .sums import Sum, area_of


def rows_of_cut(definition: Definition, n_rows: float) -> float:
    """Return the number of rows that the cut of a score selects; all if it has none."""
    return cut_depth(np.array([n_rows], dtype=float), definition.k).item()


def cut_with_event(definition: Definition, groups: Groups, rows: float) -> float:
    """Return the number of rows that the cut selects with one more event of this number
    of rows.

    A cut at a share of the rows moves by the rows of whole events, so that the number
    is twice as large if each row is written twice.
    """
    n_rows, rows_together = float(groups.rows.sum()), groups.rows_together_at_cut
    without = rows_of_cut(definition, n_rows / rows_together)
    with_event = rows_of_cut(definition, (n_rows + rows) / rows_together)
    return rows_of_cut(definition, n_rows) + rows_together * (with_event - without)


def share_inside(sizes: FloatArray, total: float) -> FloatArray:
    """Return the share of each group that is inside, if the first groups are inside up
    to this total of their sizes: a number of rows, or a weight.
    """
    return ((total - (np.cumsum(sizes) - sizes)) / sizes).clip(0, 1)


def _per_row_near(groups: Groups, depth: float) -> tuple[float, float]:
    r"""Return the weight of the positives near a depth, and of all rows, per row there.

    Near rows are at most :math:`z^2 / 2 + z \sqrt{x + z^2 / 4}` events away, where z is
    `rules.REACH_OF_SLOPE`, x is the number of events above the depth, and an event is
    `Groups.rows_together_at_cut` rows. This is the distance from a Poisson count x to
    the upper end of its score interval.
    """
    z, rows_together = rules.REACH_OF_SLOPE, groups.rows_together_at_cut
    x = depth / rows_together
    reach = rows_together * (z**2 / 2 + z * sqrt(x + z**2 / 4))
    near = share_inside(groups.rows, depth + reach)
    near -= share_inside(groups.rows, depth - reach)
    near /= float((near * groups.rows).sum())
    return float((near * groups.positives).sum()), float((near * groups.weights).sum())


def hits_of_r_precision(groups: Groups) -> Sum:
    """Return the positives among the first rows that weigh as much as all positives."""
    inside = share_inside(groups.weights, groups.n_positives)
    at_cut = 0.0
    # If the positives weigh as much as all rows, the cut cannot move.
    if groups.n_positives < groups.weights.sum():
        depth = float((inside * groups.rows).sum())
        hits_near, weight_near = _per_row_near(groups, depth)
        at_cut = hits_near / (weight_near or 1.0)
    return Sum(inside * groups.positives, positive=inside, at_cut=at_cut)


def sums_at_cut(
    definition: Definition,
    groups: Groups,
    all_positives: Sum,
    excess: float,
    fixed_depth: float | None,
) -> tuple[Sum, Sum]:
    """Return the numerator and the divisor of a score of the first k rows.
    `all_positives` is the weight of all positives as a sum. With `fixed_depth`, the cut
    is after this number of rows, and no row moves it. `excess` is that of `area_of`.
    """
    n_rows = float(groups.rows.sum())
    k = rows_of_cut(definition, n_rows) if fixed_depth is None else fixed_depth
    depth = min(k, n_rows)
    inside = share_inside(groups.rows, depth)
    first_groups = replace(
        groups, positives=inside * groups.positives, weights=inside * groups.weights
    )
    hits_near = weight_near = 0.0
    # A cut after all rows cannot move.
    if fixed_depth is None and depth < n_rows:
        hits_near, weight_near = _per_row_near(groups, depth)
    hits = Sum(first_groups.positives, positive=inside, at_cut=hits_near)
    weight_inside = Sum(
        first_groups.weights, positive=inside, negative=inside, at_cut=weight_near
    )
    numerator = hits
    if definition.area is not HITS:
        area = area_of(first_groups, definition.area, excess)
        numerator = Sum(
            area.gains,
            positive=inside * area.positive,
            negative=inside * area.negative,
            # A hit at the cut has the precision there.
            at_cut=hits_near * hits.total / weight_inside.total,
        )
    match definition.divisor:
        case "hits":
            return numerator, hits
        case "k":
            # If the ranking has fewer than k rows, the divisor is k nevertheless.
            multiple = max(k / n_rows, 1.0)
        case "min" if k < groups.rows_found.sum() + groups.n_missed:
            # The weight of the k heaviest positives grows with the rows above the cut.
            multiple = groups.weight_of_heaviest(k) / weight_inside.total
        case _:
            return numerator, all_positives
    # Rows of both classes add their share inside, times the multiple.
    slope = multiple * inside
    return numerator, Sum(
        slope * groups.weights,
        positive=slope,
        negative=slope,
        at_cut=multiple * weight_near,
    )


def moved_by_rows(
    definition: Definition, ranking: Ranking, k: float
) -> tuple[FloatArray, float]:
    """Return the number of rows by which each row moves a cut after k rows, and that of
    a missed positive.
    """
    n_rows = float(ranking.groups.rows.sum())
    by_row, by_missed = k / n_rows, 0.0
    if isinstance(definition.k, int):
        # If k is a number of rows, missed positives are drawn like rows.
        by_row = by_missed = k / (n_rows + ranking.n_missed)
        if not ranking.by_rows:
            # Samples have the same number of units, and not of rows. So each unit has
            # the same part of the cut, whatever its size.
            in_unit = np.bincount(ranking.unit_of_row)
            return k / in_unit.size / in_unit[ranking.unit_of_row], by_missed
    return np.full(ranking.weight.size, by_row) * ranking.copies, by_missed


def inside_cut(definition: Definition, ranking: Ranking) -> FloatArray:
    """Return the share of each row that the cut selects."""
    groups = ranking.groups
    if definition.cut == "n_positives":
        inside = share_inside(groups.weights, ranking.n_positives)
    else:
        inside = share_inside(
            groups.rows, rows_of_cut(definition, ranking.positive.size)
        )
    return ranking.to_rows(inside)


def ahead_of_cut(definition: Definition, ranking: Ranking) -> tuple[FloatArray, float]:
    """Return the number of other rows that each row pushes out of the cut, and that for
    a missed positive: its rows above the fixed threshold of the cut minus the rows by
    which it moves the cut. If it is below 0, other rows come in. For R-precision, it is
    a weight.
    """
    inside = inside_cut(definition, ranking)
    if definition.cut == "n_positives":
        return ranking.weight * inside - ranking.found, -1.0
    k = rows_of_cut(definition, ranking.positive.size)
    moved, moved_by_missed = moved_by_rows(definition, ranking, k)
    return inside - moved, -moved_by_missed
