"""How many rows have which scores, before they are gathered: bounds, and counts in bins of scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..._ranking._table import two_sum
from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._states._binned import Bins
from .._states._bytes import into_order
from .._states._columns import cast, common_type, extremes_of_weights, finite, held, widest

State = TypeVar("State")


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


class OfBits(NamedTuple):
    """Bins of as many bit patterns each: in a few levels, they cut any range down to single numbers."""

    dtype: np.dtype[Any]
    low: int
    shift: int
    n_bins: int

    @classmethod
    def between(cls, extremes: Extremes, most: int) -> "OfBits":
        """Return at most `most` bins, a power of two, between the extremes."""
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


class Sums(NamedTuple):
    """The rows of each bin with the weights of both classes, and the least and the greatest weight."""

    counts: Counts
    weights: FloatArray  # of positives and of negatives, one row per class
    rounded: FloatArray  # what the weights were rounded by, to be added at last
    extremes: FloatArray  # the least and the greatest weight, one row per class

    @classmethod
    def of_rows(cls, checked: Checked, bins: AnyBins) -> "Sums":
        """Return the sums of some rows."""
        place, counts = bins.of(checked.score), Counts.of_rows(checked, bins)
        weight = np.ones(place.size) if checked.weight is None else checked.weight
        weights = np.zeros((2, bins.n_bins))
        for i, rows in enumerate((checked.positive, ~checked.positive)):
            weights[i] = np.bincount(place[rows], weights=weight[rows], minlength=bins.n_bins)
        extremes = extremes_of_weights(weight[checked.positive], weight[~checked.positive])
        return cls(counts, weights, np.zeros_like(weights), extremes)

    def joined(self, other: "Sums") -> "Sums":
        """Return the sums of both."""
        weights, rounded = two_sum(self.weights, other.weights)
        rounded += self.rounded
        rounded += other.rounded
        return Sums(
            self.counts.joined(other.counts),
            finite(weights),
            rounded,
            widest(self.extremes, other.extremes),
        )

    def exact(self) -> FloatArray:
        """Return the weights, rounded once."""
        return self.weights + self.rounded


_ALL = Window()


@dataclass(frozen=True)
class Inside:
    """Make a state, by `into`, of the rows of a part that lie in a window; None without such rows."""

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


@dataclass(frozen=True)
class WithoutWeights:
    """Make a state of rows as if they had no weights."""

    into: Callable[[Checked], Any]

    def __call__(self, checked: Checked) -> Any:
        """Return the state."""
        return self.into(checked._replace(weight=None))


@dataclass(frozen=True)
class HeaviestFirst:
    """Make a state of the positives, ranked by their weights; None without positives."""

    into: Callable[[Checked], Any]

    def __call__(self, checked: Checked) -> Any:
        """Return the state."""
        rows = np.flatnonzero(checked.positive)
        if not rows.size:
            return None
        positives = checked.take(rows)
        weight = np.ones(rows.size) if positives.weight is None else positives.weight
        return self.into(positives._replace(score=weight, bounds=(weight.min(), weight.max())))
