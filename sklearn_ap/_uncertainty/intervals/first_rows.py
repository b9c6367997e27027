r"""The places of the first k of n rows, for scores @k. The module `places` says what a
place is.

The threshold of the population is after d rows of the sample. This *depth* is

.. math:: d = k + y s, \quad s^2 = \sum_u (i_u - k m_u)^2 + \sum_u t_u^2 \qquad (3)

at the place y, where i is the number of rows of a unit inside the cut, and m the number
of rows by which it moves a cut, per row of the cut: 1 / n for a row. The last sum is 0
unless the cut divides a tied group. If the share q of this group is inside, t is
:math:`\sqrt{q (1 - q)}` times the number of rows that the unit has in this group.

At a fixed threshold after d rows, both the score S of the rows above it and their
number are sums over units, which contribute x to S and a = i - d m to the number of
rows *ahead* of the cut. What the place shows of the score T of the first k rows is the
regression of the one on the other. Only what is left of x, the rest, has an error:

.. math:: b = \sum_u x_u a_u \Big/ \sum_u a_u^2, \quad T = S + b (k - d), \quad
    e^2 = \sum_u (x_u - b a_u)^2 \qquad (4)

Twelve rows have four positives, at the ranks 1, 2, 4 and 7. Recall at k = 3 has s = 3/2
and these places::

    d     y     S       b        T        e^2
    2   -2/3   1/2    3/20     13/20     1/40
    3     0    1/2     1/9      1/2     5/144
    4    2/3   3/4   9/128    87/128  69/2048
"""

from math import hypot
from typing import NamedTuple

import numpy as np

from ..._core.definition import Definition
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray
from .. import rules
from ..sampling.alike import with_two_values
from ..sampling.by_unit import norm_of
from ..sampling.contributions import contributions_of_units
from ..sampling.cuts import moved_by_rows, share_inside
from ..sampling.one_more import Changes
from ..sampling.ranking import Groups, Ranking
from ..sampling.score import score_of
from .endpoints import rounding_of
from .places import Place


class _Cut(NamedTuple):
    """A ranking whose score ends after its first k rows."""

    definition: Definition
    k: float
    # The tied groups of all rows, which show where the cut is.
    groups_of_all_rows: Groups
    # The rows with their units. If rows are units, two values stand for all rows of a
    # class in a group, which has the same sums and takes less time.
    values: Ranking
    # Number of rows by which each unit moves a cut, per row of the cut: m.
    moved: FloatArray
    # How one more event changes the score.
    changes: Changes

    def summed_by_unit(self, of_groups: FloatArray) -> FloatArray:
        """Return the sum over the rows of each unit. All rows of a group have the value
        of the group.
        """
        of_rows = self.values.to_rows(of_groups) * self.values.copies
        return self.values.summed_by_unit(of_rows, 0.0)

    def ahead(self, depth: float) -> FloatArray:
        """Return a of each unit: its rows above a fixed threshold at this depth, minus
        the rows by which it moves a cut there.
        """
        inside = share_inside(self.groups_of_all_rows.rows, depth)
        return self.summed_by_unit(inside) - depth * self.moved


def places_of_first_rows(
    definition: Definition, ranking: Ranking, k: float, changes: Changes
) -> list[Place]:
    """Return the places of the first k rows, at the depths d (3). `changes` are those
    of the score by one more event.
    """
    groups, n_rows = ranking.groups, ranking.positive.size
    values = with_two_values(ranking) if ranking.by_rows else ranking
    by_row, by_missed = moved_by_rows(definition, values, 1.0)
    moved = values.summed_by_unit(by_row, by_missed)
    cut = _Cut(definition, k, groups, values, moved, changes)
    # A threshold of the population does not divide a group: its rows are all above the
    # threshold, or all below it. So if the cut divides a group, with the share q of its
    # rows inside, a row that counts as q is in truth 1 or 0, which has the variance
    # q (1 - q). Rows of a unit are above the threshold together, so their standard
    # errors are added, and the sum of each unit is squared: this is t of (3).
    inside = share_inside(groups.rows, k)
    tied = cut.summed_by_unit(np.sqrt(inside * (1 - inside)))
    copies = values.copies_of_units
    # The standard error s of the depth (3).
    error = hypot(norm_of(cut.ahead(k), copies), norm_of(tied, copies))
    # Each depth is a whole number of steps from k. A step is a row or, with units, the
    # rows of an event.
    step = groups.rows_together_at_cut
    depths = k + step * np.rint(error * rules.DISTANCES / step)
    # The cut itself is a place, also if an event has more rows than it.
    depths = np.unique(depths.clip(min(step, k), max(n_rows - step, k)))
    # Without an error, the cut is the only place.
    return [
        _place_at(cut, depth, (depth - k) / (error or 1.0)) for depth in depths.tolist()
    ]


def _place_at(cut: _Cut, depth: float, away: float) -> Place:
    """Return the place at the depth d: the score T of the first k rows and its standard
    error e, if the threshold of the population is there (4).
    """
    definition, groups, values = cut.definition, cut.groups_of_all_rows, cut.values
    at_threshold, _ = score_of(definition, groups, fixed_depth=depth)
    x = contributions_of_units(at_threshold, definition, values)
    a, copies = cut.ahead(depth), values.copies_of_units
    b, sum_of_squares = 0.0, norm_of(a, copies) ** 2
    # If all a are 0, but for rounding, they show nothing of the score.
    if sum_of_squares > EQUAL:
        b = float((x * a / copies).sum()) / sum_of_squares
    score = min(max(at_threshold.total + b * (cut.k - depth), 0.0), 1.0)
    error = norm_of(x - b * a, copies)
    # Rounding alone is no error.
    if error <= rounding_of(groups.rows.sum(), score):
        error = 0.0
    return Place(score, error, cut.changes, away=away)
