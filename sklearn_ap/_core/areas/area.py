"""The type of an area: its sum over steps, and its names."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..ranking.rankings import Rankings, Steps, ratio
from ..typing import FloatArray, Levels, TiePolicy


class Cuts(NamedTuple):
    """The cut of each ranking: after `end` rows or, if `in_weight`, where the weight of
    the rows, added up from the best one on, reaches `end`.
    """

    # A number of rows or, if `in_weight`, a weight of rows.
    end: FloatArray
    in_weight: bool = False

    def share_within(self, steps: Steps) -> FloatArray:
        """Return the share of each tied group that is above the cut."""
        if not self.in_weight:
            return steps.rows_within(self.end) / steps.group_rows
        weight_left = np.maximum(steps.per_step(self.end) - steps.above, 0.0)
        return np.minimum(weight_left, steps.group_weight) / steps.group_weight


def mean_over_positives(
    gain: Callable[[Steps], FloatArray], rankings: Rankings
) -> FloatArray:
    """Return the sum of the gains of all steps, divided by all positives."""
    return ratio(rankings.kernel.sum_over_steps(gain), rankings.n_positives)


# Each area is declared once, so areas are compared by identity.
@dataclass(frozen=True, kw_only=True, eq=False)
class Area:
    """One way to compute a number from the steps of a ranking.

    If the area has no score at levels or up to a cut, this field is None, and
    `Definition` raises an error about such arguments. Not every `Area` is an area under
    a curve: recall and the reciprocal rank are sums over steps, too.
    """

    # The name of the area in arguments, in conventions and in the text of definitions.
    name: str
    # A description of the sum, for conventions.
    description: str
    # The name of the number, such as PR AUC.
    noun: str = "AP"
    # The name in legends, if it differs from `name`.
    title: str = ""
    # The score of whole rankings. None if it is the sum of `gain_to_cut` up to the last
    # row.
    score_full: Callable[[Rankings], FloatArray] | None = None
    # The score at levels of recall or of precision.
    score_at_levels: Callable[[Rankings, Levels], FloatArray] | None = None
    # The term of each step in the sum up to a cut. `Definition` divides this sum by the
    # divisor that its normalizer names.
    gain_to_cut: Callable[[Cuts, TiePolicy, Steps], FloatArray] | None = None
    # The highest value of the score. The lowest is 0.
    highest: float = 1.0
    # Whether the score is defined if positives were missed.
    counts_missed: bool = True
    # Whether the area adds up weights. If not, it is an *area of ranks*, computed from
    # numbers of rows: its score takes no weights, no threshold and no normalizer.
    counts_weight: bool = True
