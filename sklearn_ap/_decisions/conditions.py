"""Conditions that choose one threshold of a ranking, and all thresholds that they
choose from.

Each condition says which points it allows, which of these is the best and, if it allows
none, what comes nearest to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import inf, isinf, nan
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .._core.ranking.levels import (
    levels_reached,
    rounding_of_precision,
    rounding_of_recall,
)
from .._core.ranking.rankings import (
    OperatingPoints,
    Rankings,
    ratio,
    rows_reaching,
)
from .._core.reading.options import (
    is_finite,
    is_real,
    read_beta,
    read_k,
    read_level,
    short_repr,
)
from .._core.reading.read import CheckedRows
from .._core.rounding import EQUAL
from .._core.typing import BoolArray, FloatArray, IntArray


class CandidatePoints:
    """Operating points of a single ranking, lowest threshold first; each array has one
    element per point, in the unit of the ranking.
    """

    def __init__(
        self,
        ranking: Rankings,
        points: OperatingPoints,
        checked: CheckedRows,
    ) -> None:
        self.threshold, self.tp, self.fp = points
        self.retrieved = points.retrieved
        self.ranking = ranking
        self._checked = checked
        self.n_positives = ranking.n_positives.item()
        self.n_negatives = ranking.kernel.negative_weight.item()

    @cached_property
    def precision(self) -> FloatArray:
        """Precision of each point."""
        return ratio(self.tp, self.retrieved, nan)

    @cached_property
    def recall(self) -> FloatArray:
        """Recall of each point; 0 without positives."""
        return self.tp / (self.n_positives or 1.0)

    @cached_property
    def rows(self) -> FloatArray:
        """Number of rows at or above each threshold; with weights they are counted by
        another sort.
        """
        if not self.ranking.weighted:
            return self.retrieved
        return rows_reaching(self.threshold, self._checked.score)

    def best_of_levels(self, levels: FloatArray) -> IntArray:
        """Return the places of the points of highest precision at or above each level of
        recall that is reached, and of highest recall at or above each of precision.
        """
        # From the lowest threshold on, recall falls and the best precision rises.
        falling, highest = -self.recall, np.maximum.accumulate(self.precision)
        last = np.searchsorted(falling, -levels, side="right") - 1
        best = np.searchsorted(highest, highest[last[last >= 0]])
        first = np.searchsorted(highest, levels)
        # The last of equal recalls has the higher precision.
        recall = falling[first[first < falling.size]]
        return np.append(best, np.searchsorted(falling, recall, side="right") - 1)

    @cached_property
    def specificity(self) -> FloatArray:
        """Share of negatives below each threshold, in weight; 1 without negatives."""
        below, of_all = self._negatives_below()
        return ratio(below, np.full(below.size, of_all), 1.0)

    def _negatives_below(self) -> tuple[FloatArray, float]:
        """Return the weight of the negatives below each threshold, and that of all.

        The weights are added up from the lowest score on. A light row keeps its digits
        next to heavy rows above it, which it would not in a difference of two sums.
        """
        if not self.ranking.weighted:
            return self.n_negatives - self.fp, self.n_negatives
        negative, weight = ~self._checked.positive, self._checked.weight
        if weight is not None:
            weight = weight[negative]
        n_reached = self.threshold.searchsorted(
            self._checked.score[negative], side="right"
        )
        of_place = np.bincount(n_reached, weight, self.threshold.size + 1)
        below = of_place.astype(np.float64).cumsum()
        return below[:-1], below[-1].item()

    def reach(self, name: str, level: float) -> BoolArray:
        """Return whether the recall, the precision or the specificity of each point
        reaches a level.
        """
        part = self.tp
        whole: FloatArray | float = self.retrieved
        rounding = rounding_of_precision(self.ranking)
        if name == "recall":
            whole = self.n_positives or 1.0
            rounding = rounding_of_recall(self.ranking)
        elif name == "specificity":
            part, whole = self._negatives_below()
            if not whole:
                return np.ones(part.size, dtype=bool)
        return levels_reached(partial(np.less_equal, level), part, whole, rounding)

    def f_score(self, beta: float) -> FloatArray:
        """Return F-beta, divided by 1 + beta^2: quotients of whole counts, so equal
        ones compare equal.
        """
        square = beta * beta
        if isinf(square):
            return self.recall
        return self.tp / (square * self.n_positives + self.retrieved)

    def best(self, value: FloatArray, allowed: BoolArray) -> int:
        """Return the allowed point of the greatest value; of equal ones, more recall,
        then fewer rows.
        """
        places = np.flatnonzero(allowed)  # lowest threshold first
        values = value[places]
        most = values.max()
        # At a prevalence and with weights, equal values may differ by their rounding.
        places = places[values >= most - EQUAL * abs(most)]
        tp = self.tp[places]
        # The highest of these thresholds retrieves the fewest rows.
        return int(places[tp == tp[0]][-1])


class NoThresholdError(ValueError):
    """No threshold meets a condition."""


# Numbers of a point that conditions bound, unless they have the name of the number.
_NUMBERS = {"k": "rows", "alarms": "fp", "beta": "precision", "miss_cost": "precision"}


class Condition(NamedTuple):
    """A condition on a point: its name, and the level that the point must reach."""

    name: str
    level: float

    @property
    def is_upper_bound(self) -> bool:
        """Whether the number of a point may be at most the level."""
        return self.name in ("k", "alarms")

    @property
    def number(self) -> str:
        """The number of a point that the level bounds."""
        return _NUMBERS.get(self.name, self.name)

    def value(self, points: CandidatePoints) -> FloatArray:
        """Return how good each point is."""
        if self.name == "k":
            return points.rows
        if self.name == "beta":
            return points.f_score(self.level)
        # A cost never loses digits, as a difference of gains would.
        if self.name == "miss_cost":
            return -(self.level * (points.n_positives - points.tp) + points.fp)
        if self.name == "recall":
            return points.precision
        return points.recall

    def nearness(self, points: CandidatePoints) -> FloatArray:
        """Return how near each point comes to the condition, unless it is F-beta."""
        number: FloatArray = getattr(points, self.number)
        if self.is_upper_bound:
            return -number
        return number

    def allowed(self, points: CandidatePoints) -> BoolArray:
        """Return which points meet the condition."""
        if self.is_upper_bound:
            return self.nearness(points) >= -self.level
        # Below this precision, to retrieve nothing costs less; it is rounded. F-beta
        # allows all points.
        leasts = {"miss_cost": (1 - EQUAL) / (1 + self.level), "beta": 0.0}
        return points.reach(self.number, leasts.get(self.name, self.level))

    def refusal(self, points: CandidatePoints) -> NoThresholdError:
        """Return the error where no point meets the condition, with the nearest level
        that can be passed.
        """
        nearest = float(self.nearness(points).max())
        bound = "least"
        limit: object = nearest
        if self.name == "k":
            limit = f"{-nearest:.0f} rows"
        elif self.name == "alarms":
            limit = int(-nearest)
        elif self.name == "miss_cost":
            limit = 1 / nearest - 1 if nearest else inf
            if limit == inf:
                return NoThresholdError(
                    "miss_cost must be left out where no threshold retrieves a "
                    "positive, since to retrieve nothing then costs least; got "
                    f"{self.level!r}."
                )
        else:
            bound = "most"
        return NoThresholdError(
            f"{self.name} must be at {bound} {limit}, or no threshold meets it; got "
            f"{self.level!r}."
        )


def _read_alarms(alarms: object) -> int:
    """Check how many negatives may be retrieved: a whole number of at least 0."""
    # 12.0 is 12 here, where no share is meant
    if is_finite(alarms) and alarms >= 0 and alarms == int(alarms):
        return int(alarms)
    raise ValueError(f"alarms must be a whole number >= 0; got {alarms!r}.")


def _read_miss_cost(miss_cost: object) -> float:
    """Check how many false alarms a missed positive costs: a finite number above 0."""
    if is_finite(miss_cost) and miss_cost > 0:
        return float(miss_cost)
    raise ValueError(
        "miss_cost must be a finite number above 0, in false alarms; got "
        f"{miss_cost!r}."
    )


def _read_threshold(threshold: object) -> Any:
    """Check a threshold that was fixed beforehand: a real number, which stays an
    integer if it is one.
    """
    if is_finite(threshold) or (is_real(threshold) and threshold in (-inf, inf)):
        if isinstance(threshold, Integral):
            return int(threshold)
        # A number of numpy keeps its type: numpy compares it in this type, and a number
        # of Python in that of the scores.
        number: Any = threshold
        if not isinstance(threshold, np.generic):
            number = float(threshold)
        return number + 0.0
    raise ValueError(f"threshold must be a number; got {short_repr(threshold)}.")


_READERS: dict[str, Callable[[object], Any]] = {
    "k": read_k,
    "alarms": _read_alarms,
    "beta": read_beta,
    "miss_cost": _read_miss_cost,
    "threshold": _read_threshold,
}


def read_condition(unit_id: object = None, **levels: float | None) -> Condition:
    """Read the single condition of a threshold."""
    passed = {name: level for name, level in levels.items() if level is not None}
    if len(passed) != 1:
        raise ValueError(
            f"exactly one of {', '.join(levels)} must be given; got {passed or 'none'}."
        )
    [(name, level)] = passed.items()
    level = _READERS.get(name, partial(read_level, name))(level)
    condition = Condition(name, level)
    if unit_id is not None and name != "threshold":
        raise ValueError(
            "unit_id requires threshold, whose numbers have intervals; got "
            f"{name}={condition.level!r}."
        )
    return condition
