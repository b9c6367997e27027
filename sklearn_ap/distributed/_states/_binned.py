"""Positives with their scores, and negatives as counts in bins: bounds of scores in bounded memory."""

import numpy as np

from ..._ranking._table import StepTable, TableKernel, Totals, between_bins, from_each_on
from ..._reading._read import Checked
from ..._typing import AnyArray, FloatArray
from .._question import Question
from ._columns import cast
from ._rows import AllRows, stored_part
from ._sums import (
    Bins,
    Sums,
    Weights,
    check_data,
    check_extremes,
    checked_sums,
    n_counted,
    of_counts,
    of_weights,
    one_of_each,
    refuse_tiny,
)

_ROUNDING = 2.0**-40  # far more than sums of so many terms are rounded by


class BinnedRows:
    """The scores of positives, and how many negatives each bin holds; with weights, what these weigh."""

    def __init__(self, bins: Bins, positives: AllRows, negatives: Sums) -> None:
        self._bins, self._positives, self._negatives = bins, positives, negatives

    @classmethod
    def of_rows(cls, checked: Checked, bins: Bins) -> "BinnedRows":
        """Return the rows of an update."""
        score, positive, weight = checked.score, checked.positive, checked.weight
        # The scores of negatives may be rounded, which leaves them in order; those of positives may not.
        of_positives, place = cast(score[positive], np.dtype(np.float64)), bins.of(score[~positive])
        counts = np.bincount(place, minlength=bins.n_bins)[np.newaxis]
        if weight is None:
            return cls(bins, AllRows.of_positives(of_positives, None), Sums(counts))
        others = weight[~positive]
        weights = Weights.of_classes([np.bincount(place, others, bins.n_bins)], [others])
        return cls(bins, AllRows.of_positives(of_positives, weight[positive]), Sums(counts, weights))

    @property
    def counts(self) -> tuple[int, int]:
        """Number of positives and of negatives."""
        return self._positives.counts[0], int(self._negatives.rows.sum())

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return self._positives.nbytes + self._negatives.nbytes

    def joined(self, other: "BinnedRows") -> "BinnedRows":
        """Return the rows of both."""
        positives = self._positives.joined(other._positives)
        return BinnedRows(self._bins, positives, self._negatives.joined(other._negatives))

    def _extremes(self) -> FloatArray | None:
        """Return the least and the greatest weight of each class, or None if no row has a weight."""
        if self._negatives.weights is None:
            return None
        # Those of negatives are noted as they come, since bins forget them; positives are all here.
        given = self._positives.in_order()[0].given
        of_positives = given.min(initial=np.inf), given.max(initial=0.0)
        return np.concatenate(([of_positives], self._negatives.weights.extremes))

    def bounds(self, question: Question) -> tuple[float, float]:
        """Return numbers that the score is not below, and not above."""
        definition = question.definition
        if definition.cut is not None or definition.tie_order is not None or definition.ties == "expected":
            raise ValueError(
                "score_func must be an area or a level in a state with bins, which does not know the first "
                f"rows; got {question.name!r}."
            )
        extremes = self._extremes()
        each = None if extremes is None else one_of_each(extremes)
        # Counts times a weight round nothing before the division, so these bounds are closer.
        if extremes is None or each is not None:
            orders = self._orders(None)
            low, high = (self._counted(question, steps, each) for steps in orders)
        else:
            refuse_tiny(extremes)
            worst, best = self._orders(self._negatives.weighed().exact()[0])
            # Sums are rounded, unlike counts, and a precision may lie at the level that is asked for.
            orders = worst.multiplied(1 + _ROUNDING), best.multiplied(1 - _ROUNDING)
            low, high = (self._weighed(question, steps) for steps in orders)
        return low * (1 - _ROUNDING), min(high * (1 + _ROUNDING), 1.0)

    def _orders(self, weights: FloatArray | None) -> tuple[StepTable, StepTable]:
        """Return the steps in the worst and in the best order; weights that differ are those of the bins."""
        positive, counts = self._positives.in_order()[0], self._negatives.rows[0]
        given = None if weights is None else positive.given
        return between_bins(positive.score, given, self._bins.of(positive.score), counts, weights)

    def _counted(self, question: Question, steps: StepTable, each: tuple[float, float] | None) -> float:
        kernel = TableKernel(lambda: (steps,), Totals(*self.counts, sum(self.counts)))
        return of_counts(question, kernel.ranking(), each).score()

    def _weighed(self, question: Question, steps: StepTable) -> float:
        # The same sum as that of the last step, so that recall ends at 1.
        found = float(steps.tp[0]) if steps.tp.size else 0.0
        of_negatives = float(from_each_on(self._negatives.weighed().exact()[0])[0])
        totals = Totals(found, of_negatives, sum(self.counts), _no_cut, _no_cut)
        return of_weights(question, TableKernel(lambda: (steps,), totals)).score()

    def scores(self, questions: list[Question]) -> list[float]:
        """Raise ValueError: bins do not know the number."""
        raise ValueError(
            f"score_func must be asked by bounds in a state with bins; got {questions[0].name!r}: negatives "
            "were counted in bins, so its number is not known."
        )

    def arrays(self) -> dict[str, AnyArray]:
        """Return all that the rows are, for `of_arrays`."""
        positive, extremes = self._positives.in_order()[0], self._extremes()
        arrays = {"positive": positive.score, "counts": self._negatives.rows[0]}
        if extremes is not None:
            arrays["positive weight"] = positive.given
            arrays["count weights"] = self._negatives.weighed().exact()[0]
            arrays["extremes"] = extremes.ravel()
        return arrays

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray], bins: Bins) -> "BinnedRows":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        of_weights = {"positive weight", "count weights", "extremes"}
        if arrays.keys() - of_weights != {"positive", "counts"} or len(arrays) not in (2, 5):
            raise ValueError(f"data must hold positives and counts; got {list(arrays)}.")
        score, counts = arrays["positive"], arrays["counts"][np.newaxis]
        fits = score.dtype == np.float64 and counts.shape == (1, bins.n_bins)
        check_data(fits, "scores, and a count for each bin")
        n_negatives, weight = n_counted(counts), arrays.get("positive weight")
        positives = AllRows.of_positives(*stored_part(score, weight))
        if weight is None:
            return cls(bins, positives, Sums(counts))
        extremes = arrays["extremes"]
        check_data(extremes.dtype == np.float64 and extremes.shape == (4,), "two weights of each class")
        of_class = extremes.reshape(2, 2)
        check_extremes(of_class, (score.size, n_negatives))
        sums = checked_sums(arrays["count weights"][np.newaxis], counts, of_class[1:])
        # They are stored, although they follow from the rows: the format has one shape with and without.
        given = positives.in_order()[0].given
        fits = not given.size or (given.min(), given.max()) == tuple(of_class[0])
        check_data(fits, "the least and the greatest weight of positives")
        check_data(np.isfinite(positives.total + sums.sum()), "weights with a finite sum")
        return cls(bins, positives, Sums(counts, Weights(sums, np.zeros_like(sums), of_class[1:])))


def _no_cut(_: int) -> float:
    raise TypeError("the first rows are not known")  # no score without a cut asks for them
