"""The values of choices of a convention: words, thresholds that replace scores, and recall levels."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeVar, get_args

import numpy as np

from .._reading._options import check_option
from .._typing import FloatArray

Key = TypeVar("Key")
Value = TypeVar("Value")


class LazyTable(Mapping[Key, Value]):
    """A mapping that cannot be changed, and that is computed when it is first read."""

    def __init__(self, make: Callable[[], dict[Key, Value]]) -> None:
        self._make = make

    @cached_property
    def _items(self) -> dict[Key, Value]:
        return self._make()

    def __getitem__(self, key: Key) -> Value:
        """Return the value of a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        """Yield the keys in their order."""
        return iter(self._items)

    def __len__(self) -> int:
        """Count the keys."""
        return len(self._items)


Weights = Literal["used", "ignored"]
FirstPoint = Literal["(0, 1)", "(0, p1)", "none"]
LastPoint = Literal["none", "(1, 0)"]
Rule = Literal["at or above", "above", "strictly above", "merged"]
MetBy = Literal["recall", "greater recall", "rounded documents", "documents", "nearest positives"]
LevelWeights = Literal["equal", "trapezoid", "differences"]


@dataclass(frozen=True)
class Thresholds:
    """Thresholds that replace the distinct scores.

    Parameters
    ----------
    count : int
        Number of thresholds.
    rule : {'at or above', 'above', 'strictly above', 'merged'}, default='at or above'
        How scores become thresholds.

        - ``'at or above'``, ``'strictly above'``: the highest of `count` even thresholds in [0, 1] that the
          score reaches, or exceeds. A positive whose score meets none is never retrieved.
        - ``'above'``: as ``'strictly above'``, but all scores exceed the first threshold.
        - ``'merged'``: neighbouring distinct scores are merged until about `count` are left.

    Examples
    --------
    >>> from sklearn_ap.compatibility import Thresholds
    >>> print(Thresholds(100))
    scores at 100 even thresholds
    """

    count: int
    _: KW_ONLY
    rule: Rule = "at or above"

    def __post_init__(self) -> None:
        """Check the fields."""
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 2:
            raise ValueError(f"count must be an integer >= 2; got {self.count!r}.")
        check_option("rule", self.rule, get_args(Rule))

    def __str__(self) -> str:
        """Return in words what happens to the scores."""
        if self.rule == "merged":
            return f"distinct scores merged to about {self.count}"
        return f"scores at {self.count} even thresholds"


@dataclass(frozen=True)
class Grid:
    """Recall levels at which a curve is read.

    Parameters
    ----------
    name : str
        The levels in words.
    levels : int, tuple of float or float
        An integer N means the levels j / (N - 1), compared without rounding. Floats are compared as they are.
        A single float means every recall up to it: the area there, divided by it.
    met_by : str, default='recall'
        What reaches a level r of R positives.

        - ``'recall'``: a recall of at least r, or for levels of precision, such a precision.
        - ``'greater recall'``: a recall above r.
        - ``'rounded documents'``, ``'documents'``: round(r R) or floor(r R + 0.9) positives.
        - ``'nearest positives'``: no other thresholds count than the positives nearest to j / 40.
    weights : {'equal', 'trapezoid', 'differences'}, default='equal'
        Weight of each level: ``'equal'`` for all; ``'trapezoid'`` halves it at both ends; ``'differences'``
        is the distance to the level before, and 0 for the first level.
    floor : float, default=0.0
        Precision up to this value counts 0 at a level. A precision p above it counts as
        (p - floor) / (1 - floor). Only for area ``'linear'``.

    Examples
    --------
    >>> from sklearn_ap.compatibility import Convention, Grid, score_as
    >>> grid = Grid("quarters", [0.25, 0.5, 0.75, 1])
    >>> score_as(Convention(name="ours", area="interpolated", grid=grid), [1, 0, 1, 1], [4, 3, 2, 1])
    0.8125
    """

    name: str
    levels: int | float | tuple[float, ...] = field(repr=False)
    _: KW_ONLY
    met_by: MetBy = "recall"
    weights: LevelWeights = "equal"
    floor: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields; levels in any sequence become a tuple."""
        check_option("met_by", self.met_by, get_args(MetBy))
        check_option("weights", self.weights, get_args(LevelWeights))
        if isinstance(self.floor, bool) or not isinstance(self.floor, int | float) or not 0 <= self.floor < 1:
            raise ValueError(f"floor must be a precision in [0, 1); got {self.floor!r}.")
        # The class is frozen and hashable, so a list becomes a tuple.
        if isinstance(self.levels, float):
            if not 0 < self.levels < 1 or (self.met_by, self.weights, self.floor) != ("recall", "equal", 0):
                raise ValueError(
                    "levels must be above 0 and below 1 if they are one recall, without met_by, weights and "
                    f"floor; got {self.levels!r}."
                )
        elif not isinstance(self.levels, int):
            object.__setattr__(self, "levels", self._increasing())
        elif isinstance(self.levels, bool) or self.levels < 2:
            raise ValueError(f"levels must be an integer >= 2, or recall levels; got {self.levels!r}.")
        # An integer stands for even levels, so only listed levels can break the next rule.
        gaps = np.diff(self.levels) if isinstance(self.levels, tuple) else np.ones(1)
        if self.weights == "trapezoid" and (gaps.size == 0 or np.ptp(gaps) > 1e-9):
            raise ValueError(f"weights='trapezoid' needs even levels, two at least; got {self.levels!r}.")
        # An integer is refused here: 0.5 stands for it, which is not a whole number of fortieths.
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
        """Return the levels in words."""
        return self.name


def even_thresholds(count: int) -> FloatArray:
    """Return even float32 thresholds in [0, 1], computed from both ends as ``torch.linspace`` does."""
    # One half upwards from 0 and one downwards from 1, so both ends are exact.
    steps = np.arange(count) * np.float64(np.float32(1 / (count - 1)))  # torch rounds its step to float32
    return np.where(np.arange(count) < count // 2, steps, 1 - steps[::-1]).astype(np.float32)
