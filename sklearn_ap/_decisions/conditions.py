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
    end_of_number_error,
    is_finite,
    is_real,
    read_beta,
    read_k,
    read_level,
)
from .._core.reading.read import CheckedRows
from .._core.rounding import EQUAL
from .._core.typing import BoolArray, FloatArray


class CandidatePoints:
    """Operating points of a single ranking, lowest threshold first.

    Each array has one element per point. The ranking may have divided all weights by a
    common factor.
    """

    def __init__(self, checked: CheckedRows, prevalence: float | None) -> None:
        ranking, points = points_in(checked, prevalence)
        # The fields of `OperatingPoints`.
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
    def n_retrieved(self) -> FloatArray:
        """Number of rows at or above each threshold."""
        return self.ranking.kernel.rows_of_points()

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
        rows = self._checked
        is_negative = ~rows.positive
        weight = None
        if rows.weight is not None:
            weight = rows.weight[is_negative]
        # The number of thresholds that are at or below the score of each negative. The
        # negative is below all other thresholds.
        n_reached = self.threshold.searchsorted(rows.score[is_negative], side="right")
        by_n_reached = np.bincount(n_reached, weight, self.threshold.size + 1)
        # Those that reach at most i thresholds are below threshold i, counted from 0.
        # The last sum is that of all negatives.
        below = by_n_reached.astype(np.float64).cumsum()
        return below[:-1] * (self.n_negatives / (below[-1] or 1.0))

    def reach(
        self,
        part: FloatArray,
        whole: FloatArray | float,
        level: float,
        rounding_of: Callable[[Rankings], FloatArray] = rounding_of_precision,
    ) -> BoolArray:
        """Return which points reach a level of the share `part / whole`, also if it is
        below the level only because of rounding.

        `rounding_of` returns the rounding of this share. By default, it is that of the
        precision. A share of negatives has at most this rounding, since precision sums
        the weights of both classes, so this bound holds for it, too.
        """
        rounding = rounding_of(self.ranking)
        return largest_quotients(part, whole, rounding) >= level

    def reach_specificity(self, level: float) -> BoolArray:
        """Return which points reach a specificity: without negatives, all of them."""
        if not self.n_negatives:
            return _every_point(self)
        return self.reach(self.negatives_below, self.n_negatives, level)

    def scaled_f_score(self, beta: float) -> FloatArray:
        """Return F-beta of each point, divided by 1 + beta^2; the recall if beta^2 is
        infinite.

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
        places = np.flatnonzero(allowed)
        values = value[places]
        greatest = values.max()
        # With weights or at a prevalence, rounding may make equal values differ.
        places = places[values >= greatest - EQUAL * abs(greatest)]
        # The lowest threshold is first, and has the highest recall. Of those with the
        # same recall, the highest threshold retrieves the fewest rows.
        tp = self.tp[places]
        places = places[tp == tp[0]]
        return int(places[-1])


def _every_point(points: CandidatePoints, _: object = None) -> BoolArray:
    """Return True for each point."""
    return np.full(points.tp.size, True)


def _read_false_alarms(number: object) -> int:
    """Return the number of negatives that may be retrieved: at most 5.15 negatives are
    at most 5. Raise ValueError unless the number is 0 or at least 1.
    """
    shown = end_of_number_error(number)
    if is_finite(number) and number >= 0:
        # In floating point, 0.29 * 100 is slightly less than 29.
        rounded = round(float(number), 9)
        if rounded == 0 or rounded >= 1:
            return int(rounded)
        # A number between 0 and 1 would be a share, as it is for `k`. In floating
        # point, 1 - 0.18 is above 0.82.
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
        f"a false alarm costs 1; got {end_of_number_error(miss_cost)}"
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
        if isinstance(threshold, np.generic):
            return threshold
        return float(threshold)
    raise ValueError(
        f"threshold must be a number; got {end_of_number_error(threshold)}"
    )


class Rule(NamedTuple):
    """How a condition chooses a threshold: of the points that it allows, the point with
    the greatest number. `wording.PURPOSES` has its words.

    `allowed` and `maximized` take the points, and the level of the condition
    (`Condition`).
    """

    # Returns the level, or raises ValueError if it is wrong.
    read: Callable[[object], Any]
    # Which points are allowed.
    allowed: Callable[[CandidatePoints, Any], BoolArray] = _every_point
    # The number that the best of them maximizes.
    maximized: Callable[[CandidatePoints, Any], FloatArray] = lambda points, _: (
        points.recall
    )
    # Whether a threshold above all scores, which retrieves no row, is allowed, too.
    may_retrieve_nothing: bool = True
    # Whether the threshold depends neither on a prevalence nor on missed positives.
    ignores_prevalence_and_total: bool = False
    # Whether the threshold depends on numbers of rows, and not on their weights.
    ignores_weights: bool = False


# The conditions: each is an argument of `operating_point`.
CONDITIONS = {
    "recall": Rule(
        partial(read_level, "recall"),
        allowed=lambda points, level: points.reach(
            points.tp, points.n_positives or 1.0, level, rounding_of_recall
        ),
        maximized=lambda points, _: points.precision,
        may_retrieve_nothing=False,
    ),
    "precision": Rule(
        partial(read_level, "precision"),
        allowed=lambda points, level: points.reach(points.tp, points.retrieved, level),
        may_retrieve_nothing=False,
    ),
    "specificity": Rule(
        partial(read_level, "specificity"),
        allowed=CandidatePoints.reach_specificity,
        ignores_prevalence_and_total=True,
    ),
    "k": Rule(
        partial(read_k, is_required=True),
        allowed=lambda points, k: points.n_retrieved <= k,
        maximized=lambda points, _: points.n_retrieved,
        ignores_prevalence_and_total=True,
        ignores_weights=True,
    ),
    "false_alarms": Rule(
        _read_false_alarms,
        # Without weights, `fp` is a number of rows.
        allowed=lambda points, number: points.fp <= number,
        ignores_prevalence_and_total=True,
        ignores_weights=True,
    ),
    "beta": Rule(read_beta, maximized=CandidatePoints.scaled_f_score),
    "miss_cost": Rule(
        _read_miss_cost,
        # A point with a precision below 1 / (1 + miss_cost) costs more than retrieving
        # nothing. The factor allows for rounding.
        allowed=lambda points, cost: points.reach(
            points.tp, points.retrieved, (1 - EQUAL) / (1 + cost)
        ),
        maximized=CandidatePoints.minus_cost,
    ),
    # A threshold that was fixed beforehand is only read: no point is chosen.
    "threshold": Rule(_read_threshold),
}


class Condition(NamedTuple):
    """The argument of `operating_point` that chooses the threshold.

    The level is its value: that of a recall, a precision or a specificity, a number of
    rows or a share of them, beta, the cost of a false negative, or the threshold.
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
