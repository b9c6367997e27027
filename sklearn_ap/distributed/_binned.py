"""Positives with their scores, and negatives as counts in bins: bounds of scores in bounded memory."""

from typing import Any, NamedTuple

import numpy as np

from .._averaging import score_of_ranking
from .._ranking import between_bins
from .._reading import Checked
from .._typing import AnyArray, IntArray
from ._asked import Question
from ._exactly import cast
from ._rows import AllRows, Part

__all__ = ["BinnedRows", "Bins"]

_ROUNDING = 2.0**-40  # far more than sums of so many terms are rounded by
_MOST_BINS = 2**26
_BLOCK = 2**17  # scores whose bins are found at once


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
            fits = exact and 0 < read.high - read.low < np.inf and 1 <= read.n_bins <= _MOST_BINS
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise ValueError(
                "bins must be (low, high, n_bins), two finite scores and a number from 1 to 2**26, such as "
                f"(0, 1, 2**20); got {bins!r}."
            )
        return read

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


class BinnedRows:
    """The scores of positives, and how many negatives each bin holds."""

    def __init__(self, bins: Bins, positives: AllRows, negatives: IntArray) -> None:
        self._bins, self._positives, self._negatives = bins, positives, negatives

    @classmethod
    def of_rows(cls, checked: Checked, bins: Bins) -> "BinnedRows":
        """Return the rows of an update."""
        score, positive = checked.score, checked.positive
        counts = np.bincount(bins.of(score[~positive]), minlength=bins.n_bins)
        # The scores of negatives may be rounded, which leaves them in order; those of positives may not.
        return cls(bins, _positives(cast(score[positive], np.dtype(np.float64))), counts)

    @property
    def counts(self) -> tuple[int, int]:
        """Number of positives and of negatives."""
        return self._positives.counts[0], int(self._negatives.sum())

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return self._positives.nbytes + self._negatives.nbytes

    def joined(self, other: "BinnedRows") -> "BinnedRows":
        """Return the rows of both."""
        positives = self._positives.joined(other._positives)
        return BinnedRows(self._bins, positives, self._negatives + other._negatives)

    def bounds(self, question: Question) -> tuple[float, float]:
        """Return numbers that the score is not below, and not above."""
        definition = question.definition
        if definition.cut is not None or definition.tie_order is not None or definition.ties == "expected":
            raise ValueError(
                "score_func must be an area or a level in a state with bins, which does not know the first "
                f"rows; got {question.name!r}."
            )
        score = self._positives.in_order()[0].score
        worst, best = between_bins(score, self._bins.of(score), self._negatives)
        low, high = (score_of_ranking(definition, one, **question.options) for one in (worst, best))
        return low * (1 - _ROUNDING), min(high * (1 + _ROUNDING), 1.0)

    def scores(self, questions: list[Question]) -> list[float]:
        """Raise ValueError: bins do not know the number."""
        raise ValueError(
            f"score_func must be asked by bounds in a state with bins; got {questions[0].name!r}: negatives "
            "were counted in bins, so its number is not known."
        )

    def arrays(self) -> dict[str, AnyArray]:
        """Return all that the rows are, for `of_arrays`."""
        return {"positive": self._positives.in_order()[0].score, "counts": self._negatives}

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray], bins: Bins) -> "BinnedRows":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        if arrays.keys() != {"positive", "counts"}:
            raise ValueError(f"data must hold positives and counts; got {list(arrays)}.")
        score, counts = arrays["positive"], arrays["counts"]
        of_floats = score.dtype == np.float64 and np.isfinite(score).all()
        if not of_floats or counts.shape != (bins.n_bins,) or counts.dtype != np.int64 or counts.min() < 0:
            raise ValueError("data must hold finite scores, and a count for each bin; got others.")
        return cls(bins, _positives(score), counts)


def _positives(score: AnyArray) -> AllRows:
    return AllRows(score.dtype, [(Part(score, None),) if score.size else (), ()], float(score.size))
