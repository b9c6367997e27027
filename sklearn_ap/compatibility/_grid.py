"""Parts of a convention: thresholds that take the place of scores, and recall levels."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import get_args

import numpy as np

from .._reading import check_option
from ._words import LevelWeights, MetBy, Rule

__all__ = ["Grid", "Thresholds"]


@dataclass(frozen=True)
class Thresholds:
    """Thresholds that take the place of the distinct scores.

    Parameters
    ----------
    count : int
        How many.
    rule : {'at or above', 'above', 'merged', 'streamed'}, default='at or above'
        A score counts as the highest of `count` even thresholds in [0, 1] that it reaches, or exceeds; or
        as many neighbouring distinct scores are merged as leaves about `count`; or the rows are taken one by
        one, and where that makes more than `count` bins, the two that are cheapest to merge become one. A
        score that reaches no threshold stands last, and its positive is never found.

    Examples
    --------
    >>> from sklearn_ap.compatibility import Thresholds
    >>> print(Thresholds(100))
    scores at 100 even thresholds
    """

    count: int
    rule: Rule = "at or above"

    def __post_init__(self) -> None:
        """Check the fields."""
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 2:
            raise ValueError(f"count must be an integer >= 2; got {self.count!r}.")
        check_option("rule", self.rule, get_args(Rule))

    def __str__(self) -> str:
        """Say what happens to the scores."""
        if self.rule == "merged":
            return f"distinct scores merged to about {self.count}"
        if self.rule == "streamed":
            return f"scores in {self.count} bins, merged row by row"
        return f"scores at {self.count} even thresholds"


@dataclass(frozen=True)
class Grid:
    """Recall levels at which a curve is read off.

    Parameters
    ----------
    name : str
        What the levels are, in words.
    levels : int or tuple of float
        An integer N is the levels j / (N - 1), met without rounding; floats are compared as they stand.
    met_by : str, default='recall'
        What meets a level r of R positives: a ``'recall'`` of at least r; a ``'greater recall'``;
        ``'rounded documents'`` or ``'documents'``, that is round(r R) or floor(r R + 0.9) positives; or the
        ``'nearest positives'``, those whose recall is nearest to a multiple of 1/40, with all other
        thresholds left out.
    weights : {'equal', 'trapezoid', 'differences'}, default='equal'
        What a level weighs: all the same; half at both ends; or its distance to the level before, the first
        one nothing.
    floor : float, default=0.0
        Precision up to which a level counts 0; what is above it counts as a share of the rest. With area
        ``'linear'`` alone.

    Examples
    --------
    >>> from sklearn_ap.compatibility import Convention, Grid, score_as
    >>> grid = Grid("quarters", [0.25, 0.5, 0.75, 1])
    >>> score_as(Convention(name="ours", area="interpolated", grid=grid), [1, 0, 1, 1], [4, 3, 2, 1])
    0.8125
    """

    name: str
    levels: int | tuple[float, ...] = field(repr=False)
    met_by: MetBy = "recall"
    weights: LevelWeights = "equal"
    floor: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields; levels in any sequence become a tuple."""
        check_option("met_by", self.met_by, get_args(MetBy))
        check_option("weights", self.weights, get_args(LevelWeights))
        if isinstance(self.floor, bool) or not isinstance(self.floor, int | float) or not 0 <= self.floor < 1:
            raise ValueError(f"floor must be a precision in [0, 1); got {self.floor!r}.")
        if not isinstance(self.levels, int):
            object.__setattr__(self, "levels", self._increasing())
        elif isinstance(self.levels, bool) or self.levels < 2:
            raise ValueError(f"levels must be an integer >= 2, or recall levels; got {self.levels!r}.")
        gaps = np.diff(self.levels) if isinstance(self.levels, tuple) else np.ones(1)
        if self.weights == "trapezoid" and (gaps.size == 0 or np.ptp(gaps) > 1e-9):
            raise ValueError(f"weights='trapezoid' needs even levels, two at least; got {self.levels!r}.")
        if self.met_by == "nearest positives":
            fortieths = np.multiply(self.levels, 40) if isinstance(self.levels, tuple) else np.array([0.5])
            if self.weights != "equal" or abs(fortieths - np.round(fortieths)).max() > 1e-9:
                raise ValueError("met_by='nearest positives' needs levels j/40 and equal weights.")

    def _increasing(self) -> tuple[float, ...]:
        try:
            levels = tuple(float(level) for level in self.levels)  # type: ignore[union-attr]  # not an int here
        except (TypeError, ValueError):
            levels = ()
        ordered = all(a < b for a, b in pairwise(levels))
        if not levels or not ordered or not (levels[0] >= 0 and levels[-1] <= 1):
            raise ValueError(
                f"levels must be an integer >= 2, or increasing recall levels in [0, 1]; got {self.levels!r}."
            )
        return levels

    def __str__(self) -> str:
        """Say which levels they are."""
        return self.name
