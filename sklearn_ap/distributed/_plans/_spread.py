"""Which rows of a part a scan looks at, and what it takes them for, before they are summed or gathered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray
from .._states._columns import cast, common_type, held
from .._states._sums import AnyBins

View = Callable[[Checked], Checked | None]


class Extremes(NamedTuple):
    """The type of all scores, the lowest and the highest of them, and their number."""

    dtype: np.dtype[Any]
    low: Any
    high: Any
    n_rows: int

    @classmethod
    def of_rows(cls, checked: Checked) -> "Extremes":
        """Return the extremes of some rows."""
        score = checked.score
        return cls(score.dtype, score.min(), score.max(), score.size)

    def joined(self, other: "Extremes") -> "Extremes":
        """Return the extremes of both."""
        dtype = common_type(self.dtype, other.dtype, lambda: int(min(self.low, other.low)))
        # In different types, unequal numbers may compare as equal.
        bounds = cast(np.array([self.low, self.high]), dtype), cast(np.array([other.low, other.high]), dtype)
        low, high = min(one[0] for one in bounds), max(one[1] for one in bounds)
        return Extremes(dtype, low, high, self.n_rows + other.n_rows)


class Level(NamedTuple):
    """Neighbouring bins, or the wanted ones among them."""

    bins: AnyBins
    first: int
    stop: int
    wanted: BoolArray | None = None  # one for each of `bins`; None if all are

    def holds(self, score: AnyArray) -> BoolArray:
        """Return which scores lie in these bins."""
        place = self.bins.of(score)
        inside: BoolArray = (place >= self.first) & (place < self.stop)
        # Rows in bins that are not wanted stay sums, which were found by an earlier scan.
        return inside if self.wanted is None else inside & self.wanted[place]


Window = tuple[Level, ...]  # bins, perhaps inside one bin of others; all scores without any
EVERYWHERE: Window = ()


@dataclass(frozen=True)
class Inside:
    """Make a state, by `into`, of the rows of a part that lie in a window; None without such rows."""

    into: Callable[[Checked], Any]
    window: Window = EVERYWHERE
    view: View | None = None

    def __call__(self, part: Checked) -> Any:
        """Return the state."""
        checked = part if self.view is None else self.view(part)
        if checked is None:
            return None
        checked = checked._replace(score=held(checked.score))
        if self.window:
            inside = np.logical_and.reduce([level.holds(checked.score) for level in self.window])
            checked = checked.take(np.flatnonzero(inside))
        return self.into(checked) if checked.score.size else None


def without_weights(checked: Checked) -> Checked:
    """Take rows for rows that weigh the same; those of weight 0 were dropped before."""
    return checked._replace(weight=None)


def heaviest_first(checked: Checked) -> Checked | None:
    """Take the positives for rows that are ranked by their weights; None without positives."""
    rows = np.flatnonzero(checked.positive)
    if not rows.size:
        return None
    positives = checked.take(rows)
    weight = np.ones(rows.size) if positives.weight is None else positives.weight
    return positives._replace(score=weight, bounds=(weight.min(), weight.max()))
