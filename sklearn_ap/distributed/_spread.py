"""How many rows have which scores, before they are gathered: bounds, and counts in bins of scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._reading import Checked
from .._typing import AnyArray, BoolArray, IntArray
from ._binned import Bins
from ._bytes import into_order
from ._exactly import common_type, held

__all__ = ["AnyBins", "Counts", "Extremes", "Inside", "OfBits", "Window"]

State = TypeVar("State")


class Extremes(NamedTuple):
    """The type of all scores, the lowest and the highest of them, and their number."""

    dtype: np.dtype[Any]
    low: Any
    high: Any
    n_rows: int

    @classmethod
    def of_rows(cls, checked: Checked) -> "Extremes":
        """Return those of some rows."""
        score = checked.score
        return cls(score.dtype, score.min(), score.max(), score.size)

    def joined(self, other: "Extremes") -> "Extremes":
        """Return those of both."""
        dtype = common_type(self.dtype, other.dtype, lambda: int(min(self.low, other.low)))
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Extremes(dtype, low, high, self.n_rows + other.n_rows)


class OfBits(NamedTuple):
    """Bins of as many bit patterns each: in a few levels, they cut any range down to single numbers."""

    dtype: np.dtype[Any]
    low: int
    shift: int
    n_bins: int

    @classmethod
    def between(cls, extremes: Extremes, most: int) -> "OfBits":
        """Return at most so many bins, a power of two, between the extremes."""
        edges = np.array([extremes.low, extremes.high]).astype(extremes.dtype)
        low, high = into_order(edges).tolist()
        shift = max((high - low).bit_length() - (most.bit_length() - 1), 0)
        return cls(extremes.dtype, low, shift, ((high - low) >> shift) + 1)

    def of(self, score: AnyArray) -> IntArray:
        """Return the bin of each score, which never falls as scores rise."""
        whole = into_order(score.astype(self.dtype, copy=False))
        low = whole.dtype.type(self.low)
        place = (np.maximum(whole, low) - low) >> whole.dtype.type(self.shift)
        bins: IntArray = np.minimum(place, self.n_bins - 1).astype(np.int64)
        return bins


AnyBins = Bins | OfBits


class Window(NamedTuple):
    """Neighbouring bins, perhaps inside one bin of others."""

    levels: tuple[tuple[AnyBins, int, int], ...] = ()  # bins, the first one, and where they stop

    def cut(self, bins: AnyBins, first: int, stop: int) -> "Window":
        """Return the part of the window between two bins."""
        return Window((*self.levels, (bins, first, stop)))

    def of(self, score: AnyArray) -> BoolArray:
        """Return which scores lie in the window."""
        inside = np.ones(score.shape, dtype=bool)
        for bins, first, stop in self.levels:
            place = bins.of(score)
            inside &= (place >= first) & (place < stop)
        return inside


class Counts(NamedTuple):
    """Positives and negatives in each bin."""

    positives: IntArray
    negatives: IntArray

    @classmethod
    def of_rows(cls, checked: Checked, bins: AnyBins) -> "Counts":
        """Return the counts of some rows."""
        place, n_bins = bins.of(checked.score), bins.n_bins
        positives = np.bincount(place[checked.positive], minlength=n_bins)
        return cls(positives, np.bincount(place, minlength=n_bins) - positives)

    def joined(self, other: "Counts") -> "Counts":
        """Return the counts of both."""
        return Counts(self.positives + other.positives, self.negatives + other.negatives)


_ALL = Window()


@dataclass(frozen=True)
class Inside:
    """What becomes of the rows of a part that lie in a window, `into` a state; None if none do."""

    into: Callable[[Checked], Any]
    window: Window = _ALL
    needed: tuple[AnyBins, BoolArray] | None = None  # the bins whose negatives count, if not all do

    def __call__(self, checked: Checked) -> Any:
        """Return the state."""
        checked = checked._replace(score=held(checked.score))
        rows = self.window.of(checked.score) if self.window.levels else None
        if self.needed is not None:
            bins, negatives_count = self.needed
            counts = negatives_count[bins.of(checked.score)] | checked.positive
            rows = counts if rows is None else rows & counts
        if rows is not None:
            checked = checked.take(np.flatnonzero(rows))
        return self.into(checked) if checked.score.size else None
