"""What is added up as rows come: how many of each class lie in each bin of scores, and what they weigh.

A count is a weight of 1: rows without weights are counted, and get weights once others have some. Sums of
weights keep what each merge rounds away: the order and the tree of merges do not move a bit while the total
is below 2**54 times the least weight, divided by the number of merges. What is kept is then exact, too.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._api import Ranked, ranked_for
from ..._ranking._rankings import Rankings
from ..._ranking._table import ByClassKernel, TableKernel, two_sum
from ..._reading._read import Checked
from ..._typing import AnyArray, FloatArray, IntArray, TieOrder
from .._question import Question
from ._bytes import into_order

_MOST_BINS = 2**26
_BLOCK = 2**17  # scores whose bins are found at once
_LIGHTEST = 2.0**-500  # products of lighter weights may underflow
_TOLERANCE = 2.0**-20  # far more than sums of weights are rounded by
_MOST_ROWS = 2**53  # whose counts are exact in floats


class Bins(NamedTuple):
    """Bins of the same width between two scores; the first and the last hold all scores beyond them."""

    low: float
    high: float
    n_bins: int

    @classmethod
    def read(cls, bins: Any) -> "Bins":
        """Check what a caller passed: the lowest and the highest score, and the number of bins."""
        try:
            low, high, n_bins = bins
            read = cls(float(low), float(high), int(n_bins))
            exact = tuple(read) == (low, high, n_bins)
            fits = exact and 1 <= read.n_bins <= _MOST_BINS and read.have_edges
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise ValueError(
                "bins must be (low, high, n_bins), two finite scores and a number from 1 to 2**26, such as "
                f"(0, 1, 2**20); got {bins!r}."
            )
        return read

    @property
    def have_edges(self) -> bool:
        """Whether floats can tell the edges apart: a width may overflow, and so may its inverse."""
        width = self.high - self.low
        return 0 < width < np.inf and self.n_bins / width < np.inf

    def of(self, score: AnyArray) -> IntArray:
        """Return the bin of each score, which never falls as scores rise."""
        flat, bins = score.reshape(-1), np.empty(score.size, dtype=np.int64)
        scale = self.n_bins / (self.high - self.low)
        with np.errstate(over="ignore"):
            for first in range(0, flat.size, _BLOCK):  # in the cache, this takes half as long
                place = flat[first : first + _BLOCK].astype(np.float64)
                place -= self.low
                place *= scale
                bins[first : first + _BLOCK] = np.clip(place, 0, self.n_bins - 1, out=place)
        return bins.reshape(score.shape)


class OfBits(NamedTuple):
    """Bins of as many bit patterns each: in a few levels, they cut any range down to single numbers."""

    dtype: np.dtype[Any]
    low: int
    shift: int
    n_bins: int

    @classmethod
    def between(cls, low: Any, high: Any, dtype: np.dtype[Any], most: int) -> "OfBits":
        """Return at most `most` bins, a power of two, between two scores of this type."""
        first, last = into_order(np.array([low, high]).astype(dtype)).tolist()
        # So many bits are left after the shift that they number the bins.
        shift = max((last - first).bit_length() - (most.bit_length() - 1), 0)
        return cls(dtype, first, shift, ((last - first) >> shift) + 1)

    def of(self, score: AnyArray) -> IntArray:
        """Return the bin of each score, which never falls as scores rise."""
        whole = into_order(score.astype(self.dtype, copy=False))
        low = whole.dtype.type(self.low)
        place = (np.maximum(whole, low) - low) >> whole.dtype.type(self.shift)
        bins: IntArray = np.minimum(place, self.n_bins - 1).astype(np.int64)
        return bins


AnyBins = Bins | OfBits


class Weights(NamedTuple):
    """What rows weigh, and the least and the greatest weight of each class."""

    sums: FloatArray  # of shape (n_classes, n_bins)
    rounded: FloatArray  # what the sums were rounded by, to be added at last
    extremes: FloatArray  # of shape (n_classes, 2); infinity and 0 without rows

    @classmethod
    def of_classes(cls, sums: ArrayLike, classes: Sequence[FloatArray]) -> "Weights":
        """Return the sums with the extremes of the weights of each class."""
        held = np.array(sums, dtype=np.float64)
        extremes = [(one.min(initial=np.inf), one.max(initial=0.0)) for one in classes]
        return cls(held, np.zeros_like(held), np.array(extremes))

    def exact(self) -> FloatArray:
        """Return the sums, rounded once."""
        return self.sums + self.rounded

    def joined(self, other: "Weights") -> "Weights":
        """Return the weights of both, or raise ValueError if they add up to infinity."""
        sums, rounded = two_sum(self.sums, other.sums)
        # In place: two more arrays of so many bins would be felt.
        rounded += self.rounded
        rounded += other.rounded
        with np.errstate(over="ignore"):
            total = sums.sum()
        if not np.isfinite(total):
            raise ValueError(
                "sample_weight adds up to infinity over all parts; divide it by a constant, which changes no "
                "score."
            )
        (least, most), (others_least, others_most) = self.extremes.T, other.extremes.T
        extremes = np.stack((np.minimum(least, others_least), np.maximum(most, others_most)), axis=1)
        return Weights(sums, rounded, extremes)


class Sums(NamedTuple):
    """How many rows of each class each bin holds and, if they have weights, what these add up to."""

    rows: IntArray  # of shape (n_classes, n_bins)
    weights: Weights | None = None

    @classmethod
    def of_rows(cls, checked: Checked, bins: AnyBins) -> "Sums":
        """Return the sums of positives and of negatives."""
        place, positive, weight = bins.of(checked.score), checked.positive, checked.weight
        of_positives = np.bincount(place[positive], minlength=bins.n_bins)
        # A difference of counts is exact, and takes no second copy of most places.
        rows = np.stack((of_positives, np.bincount(place, minlength=bins.n_bins) - of_positives))
        if weight is None:
            return cls(rows)
        sums = [np.bincount(place[one], weight[one], bins.n_bins) for one in (positive, ~positive)]
        return cls(rows, Weights.of_classes(sums, (weight[positive], weight[~positive])))

    def weighed(self) -> Weights:
        """Return the weights; each row weighs 1 where there are none."""
        if self.weights is not None:
            return self.weights
        return Weights.of_classes(self.rows, [np.ones(min(one.sum(), 1)) for one in self.rows])

    def joined(self, other: "Sums") -> "Sums":
        """Return the sums of both."""
        rows = self.rows + other.rows
        # Counts stay counts until the first weight comes: they are exact, and take half of the memory.
        if self.weights is None and other.weights is None:
            return Sums(rows)
        return Sums(rows, self.weighed().joined(other.weighed()))

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        weights = self.weights
        return self.rows.nbytes + (0 if weights is None else weights.sums.nbytes + weights.rounded.nbytes)


def one_of_each(extremes: FloatArray) -> tuple[float, float] | None:
    """Return the weight of every positive and of every negative, or None if either class has several."""
    filled = extremes[extremes[:, 1] > 0]
    if (filled[:, 0] < filled[:, 1]).any():
        return None
    of_positives, of_negatives = (one[0] if one[1] else filled[0, 0] for one in extremes.tolist())
    return float(of_positives), float(of_negatives)


def refuse_tiny(extremes: AnyArray) -> None:
    """Refuse weights that differ if products with the least of them may underflow."""
    least = extremes[:, 0].min()
    if least < _LIGHTEST:
        raise ValueError(
            f"sample_weight must be at least 2**-500 where not all rows are in memory; got {least}. Multiply "
            "weights by a constant, which changes no score."
        )


def order_of(tie_order: TieOrder | None, each: tuple[float, float] | None) -> TieOrder | None:
    """Return the order of equal scores; rows with weights have none, which is refused later."""
    return tie_order if each is None or each[0] == each[1] else None


def of_counts(question: Question, ranking: Rankings, each: tuple[float, float] | None) -> Ranked:
    """Ask about rows that were counted; `each` holds the weight per row of each class."""
    if each is None or each[0] == each[1]:
        unit = None if each is None else each[0]
        return ranked_for(question.definition, ranking, **question.options, unit=unit)
    refuse_tiny(np.transpose((each, each)))
    return of_weights(question, ByClassKernel(ranking, *each))


def of_weights(question: Question, kernel: ByClassKernel | TableKernel) -> Ranked:
    """Ask about rows whose weights differ."""
    return ranked_for(
        question.definition,
        kernel.ranking(),
        **question.options,
        unit=1.0,
        at_prevalence=kernel.at_prevalence,
    )


def check_data(fits: object, held: str) -> None:
    """Refuse stored arrays that no state writes."""
    if not fits:
        raise ValueError(f"data must hold {held}; got others.")


def check_extremes(extremes: AnyArray, counts: Sequence[int]) -> None:
    """Refuse stored extremes that so many rows of each class cannot have."""
    for (least, most), count in zip(extremes.tolist(), counts, strict=True):
        fits = 0 < least <= most < np.inf if count else (least, most) == (np.inf, 0.0)
        check_data(fits, "the least and the greatest weight of each class")


def checked_sums(sums: AnyArray, rows: AnyArray, extremes: FloatArray) -> FloatArray:
    """Return stored sums of weights, or refuse what so many rows of these extremes cannot weigh."""
    check_data(sums.dtype == np.float64 and sums.shape == rows.shape, "a float64 for each count")
    least, most = np.where(np.isfinite(extremes), extremes, 0.0).T[:, :, np.newaxis]
    with np.errstate(over="ignore"):
        low, high = rows * least * (1 - _TOLERANCE), rows * most * (1 + _TOLERANCE)
        # A sum of n rows lies between n times the least and n times the greatest weight, but for rounding.
        fits = np.isfinite(sums.sum()) and ((sums > 0) == (rows > 0)).all()
        fits = fits and (sums >= low).all() and (sums <= high).all()
    check_data(fits, "weights between the least and the greatest one")
    return sums


def n_counted(counts: AnyArray) -> int:
    """Return the sum of stored counts, or refuse what counts no rows."""
    fits = counts.dtype == np.int64 and counts.min(initial=0) >= 0
    check_data(fits and counts.sum(dtype=np.float64) <= _MOST_ROWS, "counts of at most 2**53 rows")
    return int(counts.sum())
