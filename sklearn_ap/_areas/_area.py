"""The type of an area: its sums over steps, its names, its slopes and its path in a
plot.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._ranking._rankings import Rankings, Steps
from .._typing import FloatArray, Levels, TiePolicy


class Path(NamedTuple):
    """The points of one ranking, or the line to draw through them; recall decreases.

    The points are those of :func:`sklearn.metrics.precision_recall_curve`.
    """

    precision: FloatArray
    recall: FloatArray
    share_retrieved: FloatArray | None = None  # share of all samples, in weight
    dots: tuple[int, ...] = ()  # places of the points that get a dot
    drawstyle: str = "default"  # of matplotlib: straight lines, or steps


def flat_path(points: Path) -> Path:
    """Return a line at 0: without positives the area is 0, also next to the closing
    point.
    """
    return Path(np.zeros_like(points.precision), points.recall)


class Slopes(NamedTuple):
    r"""The gain of each step, and how the sum of gains changes if the weight of a row
    grows.

    With :math:`f(a, A_a, B_a, m)` as what a step adds, for `gained`, `tp_above`,
    `above` and `group_weight`, the sum changes with the weight of

    - a positive of this score by :math:`f_a + f_m`, plus :math:`f_{A_a} + f_{B_a}` of
      all worse steps;
    - a negative of this score by :math:`f_m`, plus :math:`f_{B_a}` of all worse steps;
    - a negative above this score by :math:`f_{B_a}` of this step, and of all worse
      steps.

    The first two are `positive` and `tied`, and what all worse steps do to them is a
    running sum of the last two. `tied` is None if a negative does the same among equal
    scores and above them. None of the four is large where sums of it would cancel, so
    weights may be far apart.
    """

    gain: FloatArray  # f itself
    positive: FloatArray  # f_a + f_m
    tied: FloatArray | None  # f_m
    positive_above: FloatArray  # f_Aa + f_Ba
    negative_above: FloatArray  # f_Ba


class Curvature(NamedTuple):
    """Half the second derivatives of each step for all rows, times the positives.

    They are multiplied with sums of squared weights: of what the step gains, and of the
    positives and the negatives at or above its score. If all weights are 1, the sum
    over steps is that of `positive_above`.
    """

    gained: FloatArray
    positive: FloatArray
    negative: FloatArray


class Cut(NamedTuple):
    """End of each ranking: after `depth` rows, or at the row where the weight reaches
    `depth`.
    """

    depth: FloatArray
    in_weight: bool = False

    def share_within(self, steps: Steps) -> FloatArray:
        """Return the share of each tied group that is above the cut."""
        if not self.in_weight:
            return steps.share_within(self.depth)
        within = np.minimum(
            np.maximum(steps.per_step(self.depth) - steps.above, 0.0),
            steps.group_weight,
        )
        return within / steps.group_weight


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
    score_full: Callable[[Rankings], FloatArray]  # the number of whole rankings
    score_at_levels: Callable[[Rankings, Levels], FloatArray] | None = None
    # divided by that recall
    score_to_recall: Callable[[Rankings, float], FloatArray] | None = None
    # not yet divided
    sum_to_cut: Callable[[Rankings, Cut, TiePolicy], FloatArray] | None = None
    # What each step of a ranking in a single block adds to the number, times all
    # positives; the same times N, for N levels and steps that count rows.
    gain: Callable[[Steps], FloatArray] | None = None
    gain_at_levels: Callable[[int, Steps], FloatArray] | None = None
    # How the number of a single ranking, times all positives, changes with a row. The
    # curvature says how much too high the number is on average.
    slopes: Callable[[Steps], Slopes] | None = None
    # whether only those steps have slopes at which the best precision so far rises
    has_vertices: bool = False
    curvature: Callable[[Steps, Slopes], Curvature] | None = None
    # of the curve above it
    path: Callable[[Path, Levels | None], Path] | None = None
    counts_missed: bool = True  # whether it is defined if positives were missed
    # Whether it adds up weights. A rank counts rows: it has no weights, no threshold
    # and no normalizer.
    counts_weight: bool = True
