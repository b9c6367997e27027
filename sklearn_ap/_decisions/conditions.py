"""Conditions that choose one threshold of a ranking, and the candidate thresholds.

Each condition determines which points it allows, and which of these points is the best.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import inf, isinf, nan
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .._core.evaluate import points_in
from .._core.ranking.levels import (
    largest_quotients,
    rounding_of_precision,
    rounding_of_recall,
)
from .._core.ranking.rankings import Rankings, ratio
from .._core.reading.options import (
    is_finite,
    is_real,
    read_beta,
    read_k,
    read_level,
    shown_number,
)
from .._core.reading.read import CheckedRows
from .._core.rounding import EQUAL
from .._core.typing import BoolArray, FloatArray


class CandidatePoints:
    """Operating points of a single ranking, lowest threshold first.

    Each array has one element per point. The ranking may have divided all weights by a
    common factor.
    """

    def __init__(
        self, checked: CheckedRows, prevalence: float | None, total: FloatArray | None
    ) -> None:
        ranking, points = points_in(checked, total, prevalence)
        self.threshold, self.tp, self.fp = points
        self.retrieved = points.retrieved
        self.ranking = ranking
        self._checked = checked
        self.n_positives = ranking.n_positives.item()
        self.n_negatives = ranking.kernel.negative_weight.item()

    @cached_property
    def precision(self) -> FloatArray:
        """Precision of each point; NaN if all rows retrieved are negative, and a
        prevalence near 1 reduces their weight to 0.
        """
        return ratio(self.tp, self.retrieved, nan)

    @cached_property
    def recall(self) -> FloatArray:
        """Recall of each point; 0 without positives."""
        return self.tp / (self.n_positives or 1.0)

    @cached_property
    def rows(self) -> FloatArray:
        """Number of rows at or above each threshold."""
        return self.ranking.kernel.rows_from()

    @cached_property
    def negatives_below(self) -> FloatArray:
        """Weight of the negatives below each threshold; at a prevalence, reweighted as
        those above it.

        Weights are added up from the lowest score to the highest. The total minus the
        weight above each threshold would lose the digits of light rows below heavy
        rows.
        """
        if not self.ranking.weighted:
            return self.n_negatives - self.fp
        negative, weight = ~self._checked.positive, self._checked.weight
        if weight is not None:
            weight = weight[negative]
        # A negative that reaches the first i thresholds only is below threshold i and
        # all higher thresholds. The last cumulative sum has all negatives.
        n_reached = self.threshold.searchsorted(
            self._checked.score[negative], side="right"
        )
        of_place = np.bincount(n_reached, weight, self.threshold.size + 1)
        below = of_place.astype(np.float64).cumsum()
        return below[:-1] * (self.n_negatives / (below[-1] or 1.0))

    def reach(
        self,
        part: FloatArray,
        whole: FloatArray | float,
        level: float,
        rounding_of: Callable[[Rankings], FloatArray] = rounding_of_precision,
    ) -> BoolArray:
        """Return which points reach a level of a share, also if it is below the level
        only because of rounding.
        """
        rounding = rounding_of(self.ranking)
        return largest_quotients(part, whole, rounding) >= level

    def f_score(self, beta: float) -> FloatArray:
        """Return F-beta of each point, divided by 1 + beta^2.

        Without weights, and if beta^2 is a whole number, this is a quotient of whole
        numbers, so points with equal F-beta have equal bits.
        """
        square = beta * beta
        if isinf(square):
            return self.recall
        return self.tp / (square * self.n_positives + self.retrieved)

    def minus_cost(self, miss_cost: float) -> FloatArray:
        """Return minus the cost of each point, with a false alarm as the unit.

        Minimize the cost instead of maximizing `miss_cost * TP - FP`: a sum of terms
        that are not negative loses no digits, and a difference would.
        """
        return -(miss_cost * (self.n_positives - self.tp) + self.fp)

    def best(self, value: FloatArray, allowed: BoolArray) -> int:
        """Return the place of the allowed point with the greatest value.

        Among points with equal values, the highest recall wins. Among points with equal
        recall, too, the fewest rows win.
        """
        # The points are sorted by threshold, lowest first.
        places = np.flatnonzero(allowed)
        values = value[places]
        most = values.max()
        # With weights or at a prevalence, rounding may make equal values differ.
        places = places[values >= most - EQUAL * abs(most)]
        tp = self.tp[places]
        # The lowest of these thresholds has the highest recall. Of those with the same
        # recall, the highest threshold retrieves the fewest rows.
        places = places[tp == tp[0]]
        return int(places[-1])


def _read_false_alarms(number: object) -> int:
    """Return the number of negatives that may be retrieved: at most 5.15 negatives are
    at most 5. Raise ValueError unless the number is 0 or at least 1.
    """
    shown = shown_number(number)
    if is_finite(number) and number >= 0:
        # In floating point, 0.29 * 100 is slightly less than 29.
        rounded = round(float(number), 9)
        if rounded == 0 or rounded >= 1:
            return int(rounded)
        # As `k`, such a number is a share. In floating point, 1 - 0.18 is above 0.82.
        shown = (
            f"{number}; pass 0 or, for a share of the negatives, "
            f"specificity={1 - rounded:.9g}."
        )
    raise ValueError(f"false_alarms must be 0 or a finite number >= 1; got {shown}")


def _read_miss_cost(miss_cost: object) -> float:
    """Return the cost of a false negative, with a false alarm as the unit; raise
    ValueError unless it is finite and above 0.
    """
    if is_finite(miss_cost) and miss_cost > 0:
        return float(miss_cost)
    raise ValueError(
        "miss_cost must be a finite number above 0: the cost of a false negative, if "
        f"a false alarm costs 1; got {shown_number(miss_cost)}"
    )


def _read_threshold(threshold: object) -> Any:
    """Return a threshold that was fixed beforehand; raise ValueError unless it is a
    real number or infinite. An integer stays an integer.
    """
    if is_finite(threshold) or (is_real(threshold) and threshold in (-inf, inf)):
        if isinstance(threshold, Integral):
            return int(threshold)
        # Keep the type of a numpy number. numpy compares such a number in its own type,
        # but a Python float in the type of the scores, which may round it.
        number: Any = threshold
        if not isinstance(threshold, np.generic):
            number = float(threshold)
        return number
    raise ValueError(f"threshold must be a number; got {shown_number(threshold)}")


class Rule(NamedTuple):
    """How a condition chooses a threshold; the level is what the caller passed.
    `wording.PURPOSES` has the words.
    """

    # Returns the level, or raises ValueError if it is wrong.
    read: Callable[[object], Any]
    # Which points meet the condition; by default, all of them.
    allowed: Callable[[CandidatePoints, Any], BoolArray] = lambda points, _: (
        points.tp >= 0
    )
    # The number of each point that the best allowed point maximizes.
    maximized: Callable[[CandidatePoints, Any], FloatArray] = lambda points, _: (
        points.recall
    )
    # Whether a threshold above all scores, which retrieves no row, meets it.
    met_by_none: bool = True
    # Whether neither a prevalence nor missed positives change these numbers, and
    # whether they are numbers of rows, without weights.
    of_rows: bool = False
    counts_rows: bool = False


# The conditions: each is an argument of `operating_point`.
CONDITIONS = {
    "recall": Rule(
        partial(read_level, "recall"),
        lambda points, level: points.reach(
            points.tp, points.n_positives or 1.0, level, rounding_of_recall
        ),
        maximized=lambda points, _: points.precision,
        met_by_none=False,
    ),
    "precision": Rule(
        partial(read_level, "precision"),
        lambda points, level: points.reach(points.tp, points.retrieved, level),
        met_by_none=False,
    ),
    "specificity": Rule(
        partial(read_level, "specificity"),
        # Without negatives, it is 1.
        lambda points, level: (
            points.reach(points.negatives_below, points.n_negatives, level)
            if points.n_negatives
            else points.tp >= 0
        ),
        of_rows=True,
    ),
    "k": Rule(
        partial(read_k, is_required=True),
        lambda points, k: points.rows <= k,
        lambda points, _: points.rows,
        of_rows=True,
        counts_rows=True,
    ),
    "false_alarms": Rule(
        _read_false_alarms,
        lambda points, number: points.fp <= number,
        of_rows=True,
        counts_rows=True,
    ),
    "beta": Rule(read_beta, maximized=CandidatePoints.f_score),
    "miss_cost": Rule(
        _read_miss_cost,
        # A point with a precision below 1 / (1 + miss_cost) costs more than retrieving
        # nothing. The factor allows for rounding.
        lambda points, cost: points.reach(
            points.tp, points.retrieved, (1 - EQUAL) / (1 + cost)
        ),
        CandidatePoints.minus_cost,
    ),
    # A threshold that was fixed beforehand is only read: no point is chosen.
    "threshold": Rule(_read_threshold),
}


class Condition(NamedTuple):
    """A condition on a point: its name, and the level that a number of the point must
    meet. For F-beta and costs, the level is beta or the cost of a false negative.
    """

    name: str
    level: Any


def read_condition(unit_id: object = None, **levels: float | None) -> Condition:
    """Return the only condition that was passed; raise ValueError for none or several,
    for an invalid level, or if units are passed without a threshold.
    """
    passed = {name: level for name, level in levels.items() if level is not None}
    if len(passed) != 1:
        raise ValueError(
            f"exactly one of {', '.join(levels)} must be passed; got "
            f"{passed or 'none'}."
        )
    [(name, level)] = passed.items()
    condition = Condition(name, CONDITIONS[name].read(level))
    if unit_id is not None and name != "threshold":
        raise ValueError(
            "unit_id requires threshold, because only the numbers of a fixed threshold "
            f"have intervals; got {name}={condition.level!r}."
        )
    return condition
