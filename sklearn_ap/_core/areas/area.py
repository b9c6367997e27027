"""The type of an area: its sums over steps, its names, its slopes and its path in a
plot.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..ranking.rankings import Rankings, Steps
from ..typing import FloatArray, Levels, TiePolicy


class DrawnPath(NamedTuple):
    """The points of one ranking, or the line to draw through them; recall decreases.

    The points are those of :func:`sklearn.metrics.precision_recall_curve`.
    """

    precision: FloatArray
    recall: FloatArray
    share_retrieved: FloatArray | None = None  # share of all samples, in weight
    dots: tuple[int, ...] = ()  # places of the points that get a dot
    drawstyle: str = "default"  # of matplotlib: straight lines, or steps


def flat_path(points: DrawnPath) -> DrawnPath:
    """Return a line at 0: without positives the area is 0, also next to the closing
    point.
    """
    return DrawnPath(np.zeros_like(points.precision), points.recall)


class Slopes(NamedTuple):
    r"""The gain of each step, and its derivatives by the weights of rows.

    The gain :math:`f(a, A_a, B_a, m)` depends on four weights: of the positives of this
    score (:math:`a`, `gained`), of the positives above it (:math:`A_a`, `tp_above`), of
    all rows above it (:math:`B_a`, `above`) and of all rows of this score (:math:`m`,
    `group_weight`). The sum of gains changes with the weight of

    - a positive of this score by :math:`f_a + f_m`, plus :math:`f_{A_a} + f_{B_a}` of
      all worse steps;
    - a negative of this score by :math:`f_m`, plus :math:`f_{B_a}` of all worse steps;
    - a negative above this score by :math:`f_{B_a}` of this step, and of all worse
      steps.

    The first two are `positive` and `tied`. The effects of all worse steps are running
    sums of the last two. `tied` is None if a negative has the same effect among equal
    scores and above them. None of the four is large where sums of it would cancel, so
    weights may differ by many magnitudes.
    """

    gain: FloatArray  # f itself
    positive: FloatArray  # f_a + f_m
    tied: FloatArray | None  # f_m
    positive_above: FloatArray  # f_Aa + f_Ba
    negative_above: FloatArray  # f_Ba


class Curvature(NamedTuple):
    """Half the second derivatives of each step, times the positives, for the bias of a
    score.

    Each is multiplied by the sum of squared weights of the rows that it names: of the
    positives that the step gains, and of the positives and the negatives at or above
    its score.
    """

    gained: FloatArray
    positive: FloatArray
    negative: FloatArray


class RankingEnd(NamedTuple):
    """End of each ranking: after `depth` rows, or at the row where the weight reaches
    `depth`.
    """

    depth: FloatArray
    in_weight: bool = False

    def share_within(self, steps: Steps) -> FloatArray:
        """Return the share of each tied group that is above the cut."""
        if not self.in_weight:
            return steps.share_within(self.depth)
        weight_left = np.maximum(steps.per_step(self.depth) - steps.above, 0.0)
        return np.minimum(weight_left, steps.group_weight) / steps.group_weight


@dataclass(frozen=True, kw_only=True, eq=False)  # each area is declared once
class Area:
    """One way to add up the steps of rankings; `Definition` refuses what a field of
    None cannot do.

    Not all are areas under a curve: recall and the reciprocal rank are sums over steps,
    too.
    """

    name: str  # its one spelling, in arguments, records and the text of definitions
    noun: str  # the name of the number, such as AP
    description: str  # in records
    title: str = ""  # in legends, if not its name
    # The number of whole rankings; None if all steps gain it, divided by the positives,
    # or if it is the sum up to the last row.
    score_full: Callable[[Rankings], FloatArray] | None = None
    # The number at recall levels, or at levels of precision.
    score_at_levels: Callable[[Rankings, Levels], FloatArray] | None = None
    at_one_level: bool = False  # whether it is a point, read at a single level
    # What a step adds to the sum up to a cut, which the definition divides by its
    # normalizer.
    gain_to_cut: Callable[[RankingEnd, TiePolicy, Steps], FloatArray] | None = None
    # What a step adds to the number, times all positives.
    gain: Callable[[Steps], FloatArray] | None = None
    # How the number of a single ranking, times all positives, changes with the weight
    # of a row.
    slopes: Callable[[Steps], Slopes] | None = None
    # Whether only steps at which the best precision so far rises have slopes.
    has_vertices: bool = False
    # How much too high the number is on average.
    curvature: Callable[[Steps, Slopes], Curvature] | None = None
    # The path of the curve above the area, from the points of the ranking.
    path: Callable[[DrawnPath, Levels | None], DrawnPath] | None = None
    counts_missed: bool = True  # whether the number exists if positives were missed
    # Whether the area adds up weights. An area of ranks counts rows: it takes no
    # weights, no threshold and no normalizer.
    counts_weight: bool = True
