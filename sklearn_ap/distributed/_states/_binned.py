"""Positives with their scores, and negatives as counts in bins: bounds of scores in bounded memory."""

from typing import Any, NamedTuple

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking._table import StepTable, TableKernel, Totals, between_bins, from_each_on, two_sum
from ..._reading._read import Checked
from ..._typing import AnyArray, FloatArray, IntArray
from .._question import Question
from ._columns import (
    cast,
    check_extremes,
    check_sums,
    extremes_of_weights,
    finite,
    n_counted,
    one_of_each,
    refuse_tiny,
    score_of_counts,
    widest,
)
from ._rows import AllRows, ClassPart

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


class _BinWeights(NamedTuple):
    """The weights of negatives in each bin, and the least and the greatest weight of each class."""

    sums: FloatArray
    rounded: FloatArray  # what the sums were rounded by, to be added at last
    extremes: FloatArray  # the least and the greatest weight of positives and of negatives

    def exact(self) -> FloatArray:
        """Return the weights, rounded once."""
        return self.sums + self.rounded

    def joined(self, other: "_BinWeights") -> "_BinWeights":
        """Return the weights of both."""
        sums, lost = two_sum(self.sums, other.sums)
        lost += self.rounded + other.rounded
        return _BinWeights(finite(sums), lost, widest(self.extremes, other.extremes))


class BinnedRows:
    """The scores of positives, and how many negatives each bin holds; with weights, what these weigh."""

    def __init__(
        self, bins: Bins, positives: AllRows, negatives: IntArray, weights: _BinWeights | None = None
    ) -> None:
        self._bins, self._positives, self._negatives, self._weights = bins, positives, negatives, weights

    @classmethod
    def of_rows(cls, checked: Checked, bins: Bins) -> "BinnedRows":
        """Return the rows of an update."""
        score, positive, weight = checked.score, checked.positive, checked.weight
        # The scores of negatives may be rounded, which leaves them in order; those of positives may not.
        of_positives, place = cast(score[positive], np.dtype(np.float64)), bins.of(score[~positive])
        counts = np.bincount(place, minlength=bins.n_bins)
        if weight is None:
            return cls(bins, _positives(of_positives), counts)
        sums = np.bincount(place, weights=weight[~positive], minlength=bins.n_bins)
        extremes = extremes_of_weights(weight[positive], weight[~positive])
        held = _BinWeights(sums.astype(np.float64), np.zeros(bins.n_bins), extremes)
        return cls(bins, _positives(of_positives, weight[positive]), counts, held)

    @property
    def counts(self) -> tuple[int, int]:
        """Number of positives and of negatives."""
        return self._positives.counts[0], int(self._negatives.sum())

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        of_weights = 0 if self._weights is None else self._weights.sums.nbytes + self._weights.rounded.nbytes
        return self._positives.nbytes + self._negatives.nbytes + of_weights

    def joined(self, other: "BinnedRows") -> "BinnedRows":
        """Return the rows of both."""
        weights = None
        if self._weights is not None or other._weights is not None:
            weights = self._weighed().joined(other._weighed())
        positives = self._positives.joined(other._positives)
        return BinnedRows(self._bins, positives, self._negatives + other._negatives, weights)

    def _weighed(self) -> _BinWeights:
        """Return the weights, which are 1 without any."""
        if self._weights is not None:
            return self._weights
        ones = (np.ones(min(count, 1)) for count in self.counts)
        return _BinWeights(
            self._negatives.astype(np.float64), np.zeros(self._negatives.size), extremes_of_weights(*ones)
        )

    def bounds(self, question: Question) -> tuple[float, float]:
        """Return numbers that the score is not below, and not above."""
        definition = question.definition
        if definition.cut is not None or definition.tie_order is not None or definition.ties == "expected":
            raise ValueError(
                "score_func must be an area or a level in a state with bins, which does not know the first "
                f"rows; got {question.name!r}."
            )
        low, high = (self._bound(question, steps) for steps in self._orders())
        return low * (1 - _ROUNDING), min(high * (1 + _ROUNDING), 1.0)

    def _orders(self) -> tuple[StepTable, StepTable]:
        """Return the steps in the worst and in the best order."""
        weights, positive = self._weights, self._positives.in_order()[0]
        place, sums = self._bins.of(positive.score), None
        if weights is not None and one_of_each(weights.extremes) is None:
            refuse_tiny(weights.extremes)
            sums = weights.exact()
        if sums is None:
            return between_bins(positive.score, None, place, self._negatives, None)
        # Sums are rounded, unlike counts, and a precision may lie at the level that is asked for.
        worst, best = between_bins(positive.score, positive.given, place, self._negatives, sums)
        return worst.multiplied(1 + _ROUNDING), best.multiplied(1 - _ROUNDING)

    def _bound(self, question: Question, steps: StepTable) -> float:
        """Return the score of one of the two orders."""
        n_rows = sum(self.counts)
        if steps.n_rows is None:
            ranking = TableKernel(lambda: (steps,), Totals(*self.counts, n_rows)).ranking()
            each = None if self._weights is None else one_of_each(self._weights.extremes)
            return score_of_counts(question, ranking, each)
        assert self._weights is not None, steps
        found = float(steps.tp[0]) if steps.tp.size else 0.0
        totals = Totals(found, float(from_each_on(self._weights.exact())[0]), n_rows, _no_cut, _no_cut)
        kernel = TableKernel(lambda: (steps,), totals)
        return score_of_ranking(
            question.definition,
            kernel.ranking(),
            **question.options,
            unit=1.0,
            at_prevalence=kernel.at_prevalence,
        )

    def scores(self, questions: list[Question]) -> list[float]:
        """Raise ValueError: bins do not know the number."""
        raise ValueError(
            f"score_func must be asked by bounds in a state with bins; got {questions[0].name!r}: negatives "
            "were counted in bins, so its number is not known."
        )

    def arrays(self) -> dict[str, AnyArray]:
        """Return all that the rows are, for `of_arrays`."""
        positive = self._positives.in_order()[0]
        arrays = {"positive": positive.score, "counts": self._negatives}
        if self._weights is not None:
            arrays["positive weight"] = positive.given
            arrays["count weights"] = self._weights.exact()
            arrays["extremes"] = self._weights.extremes.ravel()
        return arrays

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray], bins: Bins) -> "BinnedRows":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        of_weights = {"positive weight", "count weights", "extremes"}
        if arrays.keys() - of_weights != {"positive", "counts"} or len(arrays) not in (2, 5):
            raise ValueError(f"data must hold positives and counts; got {list(arrays)}.")
        score, counts = arrays["positive"], arrays["counts"]
        if score.dtype != np.float64 or counts.shape != (bins.n_bins,):
            raise ValueError("data must hold scores, and a count for each bin; got others.")
        n_negatives, weight = n_counted(counts), arrays.get("positive weight")
        positives = AllRows.of_class(score, weight)
        if weight is None:
            return cls(bins, positives, counts)
        sums, extremes = arrays["count weights"], arrays["extremes"]
        fits = sums.dtype == extremes.dtype == np.float64 and extremes.shape == (4,)
        if not fits or sums.shape != counts.shape:
            raise ValueError("data must hold a weight of each bin; got others.")
        extremes = extremes.reshape(2, 2)
        check_extremes(extremes, (score.size, n_negatives))
        check_sums(sums[np.newaxis], counts[np.newaxis], extremes[1:])
        if weight.size and (weight.min(), weight.max()) != tuple(extremes[0]):
            raise ValueError("data must hold the least and the greatest weight of positives; got others.")
        if not np.isfinite(positives.total + sums.sum()):
            raise ValueError("data must hold weights with a finite sum; got others.")
        return cls(bins, positives, counts, _BinWeights(sums, np.zeros(bins.n_bins), extremes))


def _positives(score: AnyArray, weight: FloatArray | None = None) -> AllRows:
    total = float(score.size if weight is None else weight.sum())
    return AllRows(score.dtype, [(ClassPart(score, weight),) if score.size else (), ()], total)


def _no_cut(_: int) -> float:
    raise TypeError("the first rows are not known")  # no score without a cut asks for them
