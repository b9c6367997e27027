r"""A score of one ranking as a sum over its tied groups, and its derivatives.

The sum depends on two running sums over the groups, best first: the weight of the
positives, A, and the weight of all rows, B. A row changes both at its own group and at
all groups below. So the derivative by the weight of a row is the sum, over the groups
from its own on, of the derivatives by A and by B. The modules `levels` and `cuts` have
the sums of scores at recall levels and up to a cut, where a row has a second effect.

Five rows have the labels 1, 0, 1, 0 and 1, best first, and rows 3 and 4 are tied. Step
average precision is the sum of a p / 3, with the precision p = A / B of each group and
the positives a that it gains. A row changes p at its own group and at all below, by
what "and below" adds up, and a positive also gains p, and adds to the divisor 3
(`Sum.over`)::

    rows                       1         2      3 and 4      5
    a                          1         0         1         1
    A                          1         1         2         3
    B                          1         2         4         5
    p                          1        1/2       1/2       3/5
    a p / 3                   1/3        0        1/6       1/5     sum: 7/10
    a (1 - p) / B              0         0        1/8       2/25
    and below, q             .205      .205      .205       .08
    a p / B                    1         0        1/8       3/25
    and below, n             1.245     .245      .245       .12
    positive                 .505/3    .005/3    .005/3    -.02/3   (p + q - 7/10) / 3
    negative                -1.245/3  -.245/3   -.245/3    -.12/3   -n / 3

The derivatives by the weights of all five rows add up to 0, since the scale of weights
has no effect.
"""

from typing import Any, NamedTuple

import numpy as np

from ..._core.areas.interpolated import INTERPOLATED, best_below
from ..._core.areas.joined import LINEAR
from ..._core.ranking.rankings import ratio
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .by_unit import Numbers
from .ranking import Groups


class Sum(NamedTuple):
    """A sum over groups, and its change per weight of a row."""

    # What each group adds to the sum.
    gains: FloatArray
    # The change per weight of a positive, and of a negative, of each group. It is the
    # derivative but, of a negative if `area_of` has an excess, the change per weight if
    # this finite weight is removed. If `Groups.weight_left_out` is above 0, only
    # `gains` are valid.
    positive: Numbers = 0.0
    negative: Numbers = 0.0
    # The derivative by the number of missed positives.
    missed: float = 0.0
    # What rows at the cut add to the sum, per row; for R-precision, whose cut is after
    # a weight, per weight of rows.
    at_cut: float = 0.0

    @property
    def total(self) -> float:
        """The sum over all groups."""
        return float(self.gains.sum())

    def over(self, other: "Sum") -> "Sum":
        """Return the quotient of both totals as a sum (the quotient rule); 0 if the
        divisor is 0.
        """
        divisor = other.total or 1.0
        quotient = self.total / divisor
        # All fields but the gains are derivatives.
        slopes: list[Any] = [
            own / divisor - quotient / divisor * others
            for own, others in zip(self[1:], other[1:], strict=True)
        ]
        return Sum(self.gains / divisor, *slopes)

    def place_of(self, share: float) -> int:
        """Return the group at which this share of the total is reached."""
        reached = np.cumsum(self.gains)
        # A sum that is below the share only by rounding reaches it.
        return int(reached.searchsorted(share * reached[-1] * (1 - EQUAL)))


def from_each_on(values: FloatArray) -> FloatArray:
    """Return, for each value, the sum of this value and all later values."""
    return values[::-1].cumsum()[::-1]


def vertices_of(
    groups: Groups, negative_in_front: float = 0.0
) -> tuple[FloatArray, IntArray]:
    """Return the best precision at each group or below, and the first group that has
    it: the vertex of the group. The precisions are those after one more negative of
    this weight is added in front of all groups.
    """
    precision = ratio(groups.tp, groups.retrieved + negative_in_front)
    best = best_below(precision)
    is_vertex = precision >= best * (1 - EQUAL)
    places = np.where(is_vertex, np.arange(best.size), best.size)
    return best, np.minimum.accumulate(places[::-1])[::-1]


def area_of(groups: Groups, area: object, excess: float) -> Sum:
    r"""Return the sum over groups of the positives gained, a, times a height.

    The height is the precision p = A / B of the group, the best one at the group or
    below or, for straight lines, the mean of p and that of the group above. So the sum
    changes by the height per weight of a positive of the group and, for each group from
    its own on, by the derivative of p: (1 - p) / B for a positive and -p / B for a
    negative, times the positives that have this p as their height.

    With an `excess` e, `Sum.negative` is not a derivative: it is the change, per
    weight, if the weight e of a negative is removed. Then p becomes A / (B - e), so the
    change is -p / (B - e) in place of -p / B.
    """
    gained, tp, retrieved = groups.positives, groups.tp, groups.retrieved
    height = precision = ratio(tp, retrieved)
    # The positives that have the precision of each group as their height. Straight
    # lines have half of two heights.
    at_height = gained
    if area is INTERPOLATED:
        height = best_below(precision)
        # The best precision is that of a vertex, which is above that of all groups
        # below it: the last group that has this precision, while `vertices_of` returns
        # the first one. A small change keeps the vertex.
        below = np.append(height[1:], 0.0)
        vertices = np.flatnonzero(precision > below * (1 + EQUAL))
        at_height = np.zeros(tp.size)
        at_height[vertices] = np.diff(tp[vertices], prepend=0.0)
    if groups.weight_left_out:
        # Only the sum with these heights is used, and not its derivatives.
        height = groups.precision_of_others()
    if area is LINEAR:
        height = (height + np.append(1.0, precision[:-1])) / 2
        at_height = (gained + np.append(gained[1:], 0.0)) / 2
    per_weight = ratio(at_height, retrieved)
    loss_of_negative = loss = per_weight * precision
    positive = from_each_on(per_weight - loss)
    positive += height
    if excess:
        # At most all negatives can be removed, which leaves A.
        left = np.maximum(retrieved - excess, tp)
        loss_of_negative = ratio(at_height * precision, left)
    return Sum(gained * height, positive, -from_each_on(loss_of_negative))
