"""The best rows of a ranking, as sums by distinct score: all that a number up to a cut looks at."""

from functools import partial

import numpy as np

from ..._ranking._cut import cut_depth
from ..._ranking._table import Table, TableKernel, Totals, from_each_on, heaviest_of
from ..._reading._read import Checked
from ..._typing import AnyArray, FloatArray
from .._question import Question
from ._columns import cast, common_type, held
from ._sums import (
    Sums,
    Weights,
    check_data,
    check_extremes,
    checked_sums,
    n_counted,
    of_counts,
    of_weights,
    one_of_each,
    order_of,
    refuse_tiny,
)

_NAMES = "score", "positives", "negatives"
_WEIGHT_NAMES = "positives weight", "negatives weight"
_NAMES_OF_ALL = "total weights", "extremes", "heaviest"


class BestRows:
    """The first `k` rows with those tied with the last, as sums by score, and the totals of all rows.

    A state takes weights from the first update on that has some.
    """

    def __init__(self, k: int, table: Table, totals: Sums, heaviest: FloatArray | None) -> None:
        self.k, self._table, self._totals = k, table, totals
        self._heaviest = heaviest  # the weights of the heaviest positives, the greatest first

    @classmethod
    def of_rows(cls, checked: Checked, k: int) -> "BestRows":
        """Return the best of the rows of an update."""
        positive, weight = checked.positive, checked.weight
        n_positives = np.count_nonzero(positive)
        table = Table.of_rows(positive, held(checked.score), weight, k)
        totals = Sums(np.array([[n_positives], [positive.size - n_positives]]))
        if weight is None:
            return cls(k, table, totals, None)
        # A normalizer may divide by what the heaviest positives weigh, and their scores may be low.
        classes = weight[positive], weight[~positive]
        weights = Weights.of_classes([[one.sum()] for one in classes], classes)
        return cls(k, table, totals._replace(weights=weights), heaviest_of(classes[0], k))

    @property
    def counts(self) -> tuple[int, int]:
        """Number of positives and of negatives."""
        positives, negatives = self._totals.rows.ravel().tolist()
        return positives, negatives

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return sum(array.nbytes for array in (*self._table, self._heaviest) if array is not None)

    def __sizeof__(self) -> int:
        """Return what Dask asks for, to know when its workers have to move states to disk."""
        return super().__sizeof__() + self.nbytes

    def joined(self, other: "BestRows") -> "BestRows":
        """Return the best rows of both."""
        one, two = self._table.score, other._table.score
        # Scores are ascending, so the first one shows whether unsigned integers can hold all.
        dtype = common_type(one.dtype, two.dtype, lambda: min(int(one[0]), int(two[0])))
        first, second = (
            table._replace(score=cast(table.score, dtype)) for table in (self._table, other._table)
        )
        # The first rows of both are among the first rows of each: nothing that was dropped comes back.
        totals, heaviest = self._totals.joined(other._totals), None
        if totals.weights is not None:
            heaviest = heaviest_of(
                np.concatenate((self._heaviest_weights(), other._heaviest_weights())), self.k
            )
        return BestRows(self.k, first.joined(second, self.k), totals, heaviest)

    def _heaviest_weights(self) -> FloatArray:
        return np.ones(min(self.k, self.counts[0])) if self._heaviest is None else self._heaviest

    def scores(self, questions: list[Question]) -> list[float]:
        """Return scores up to a cut."""
        depths, weights = [self._depth_of(one) for one in questions], self._totals.weights
        each = None if weights is None else one_of_each(weights.extremes)
        if weights is not None and each is None:
            kernel = self._weighed_kernel(weights)
            return [of_weights(one, kernel).score() for one in questions]
        totals = Totals(*self.counts, sum(self.counts))
        orders = [order_of(one.definition.tie_order, each) for one in questions]
        return [
            of_counts(one, self._table.counted(totals, depth, order), each).score()
            for one, depth, order in zip(questions, depths, orders, strict=True)
        ]

    def _weighed_kernel(self, weights: Weights) -> TableKernel:
        """Return the kernel of rows whose weights differ."""
        refuse_tiny(weights.extremes)
        steps, (positives, negatives) = self._table.steps(), weights.exact().ravel().tolist()
        # Two sums of the same weights may differ in the last bit, and recall must end at 1.
        if steps.tp.size:  # if all positives are here, they are the total
            here = float(steps.tp[0])
            all_here = self._table.rows[0].sum() == self.counts[0]
            positives = here if all_here else max(positives, here)
        heaviest = self._heaviest_weights()
        totals = Totals(
            positives,
            negatives,
            sum(self.counts),
            self._table.weight_of_best,
            lambda depth: float(from_each_on(heaviest[:depth][::-1])[0]),
        )
        return TableKernel(partial(iter, (steps,)), totals)

    def _depth_of(self, question: Question) -> int:
        """Return how many rows a score looks at, or raise ValueError if these are more than `k`."""
        cut, k = question.definition.cut, self.k
        # None looks at all rows, and R-precision at as many as there are positives, which may be more than k.
        if not isinstance(cut, int | float):
            raise ValueError(
                f"score_func must have a cut in a state with k={k}, such as 'precision@{k}'; got "
                f"{question.name!r}, which looks at more rows."
            )
        depth = int(cut_depth(np.array([sum(self.counts)], dtype=np.float64), cut)[0])
        if depth > k:
            raise ValueError(
                f"k must be at most {k} rows, the k of the state; got {question.name!r}, which looks at "
                f"{depth} rows."
            )
        return depth

    def arrays(self) -> dict[str, AnyArray]:
        """Return all that the rows are, for `of_arrays`."""
        # The arrays stand in the order of version 1, so that equal states give equal bytes.
        totals, weights = self._totals.rows.ravel(), self._totals.weights
        arrays = dict(zip(_NAMES, (self._table.score, *self._table.rows), strict=True))
        if weights is None:
            return {**arrays, "totals": totals}
        arrays |= dict(zip(_WEIGHT_NAMES, self._table.sums, strict=True))
        of_all = weights.exact().ravel(), weights.extremes.ravel(), self._heaviest_weights()
        return {**arrays, "totals": totals, **dict(zip(_NAMES_OF_ALL, of_all, strict=True))}

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray], k: int) -> "BestRows":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        names = {*_NAMES, "totals"}
        if arrays.keys() not in (names, names.union(_WEIGHT_NAMES, _NAMES_OF_ALL)):
            raise ValueError(f"data must hold counts by score, and totals; got {list(arrays)}.")
        table, totals = _checked_counts(arrays, k)
        if len(arrays) == len(names):
            return cls(k, table, totals, None)
        total_weights, extremes, heaviest = (arrays[name] for name in _NAMES_OF_ALL)
        sums = [arrays[name] for name in _WEIGHT_NAMES]
        fits = all(one.shape == table.score.shape for one in sums) and extremes.size == 4
        check_data(fits, "two weights for each score, and four extremes")
        # Checked one by one: numpy would make floats of integers beside them.
        fits = all(one.dtype == np.float64 for one in (*sums, total_weights, extremes, heaviest))
        check_data(fits, "weights of type float64")
        extremes = extremes.reshape(2, 2)
        check_extremes(extremes, totals.rows.ravel().tolist())
        of_scores = checked_sums(np.stack(sums), table.rows, extremes)
        # The totals obey the same law as each score: between the least and the greatest weight per row.
        of_all = checked_sums(total_weights[:, np.newaxis], totals.rows, extremes)
        _check_heaviest(heaviest, min(k, totals.rows.item(0)), extremes[0])
        table = table._replace(weights=np.stack((of_scores, np.zeros_like(of_scores))))
        weights = Weights(of_all, np.zeros_like(of_all), extremes)
        return cls(k, table, totals._replace(weights=weights), heaviest)


def _checked_counts(arrays: dict[str, AnyArray], k: int) -> tuple[Table, Sums]:
    """Return the rows by score, and in all, or refuse what are not the first `k` rows."""
    score, positives, negatives = (arrays[name] for name in _NAMES)
    totals = arrays["totals"]
    fits = totals.shape == (2,) and score.shape == positives.shape == negatives.shape and score.size
    check_data(fits, "two counts for each score, and two totals")
    check_data(
        np.isfinite(score).all() and (score[1:] > score[:-1]).all(), "finite scores in ascending order"
    )
    n_rows, kept = n_counted(totals), (n_counted(positives), n_counted(negatives))
    check_data(all(one <= total for one, total in zip(kept, totals, strict=True)), "counts up to the totals")
    rows = np.stack((positives, negatives))
    of_score = rows.sum(axis=0)
    # Fewer rows would be missed by a score up to `k`; more would be no harm, but no state writes them.
    fits = of_score.min() > 0 and min(k, n_rows) <= sum(kept) < k + of_score[0]
    check_data(fits, f"the first {k} rows, and those tied with the last")
    return Table(score, rows), Sums(totals[:, np.newaxis])


def _check_heaviest(heaviest: AnyArray, n_rows: int, extremes: FloatArray) -> None:
    fits = heaviest.size == n_rows and np.isfinite(heaviest).all()
    fits = fits and (heaviest[1:] <= heaviest[:-1]).all()
    # The first one is the greatest of all weights, and none is below the least.
    if fits and n_rows:
        fits = extremes[0] <= heaviest[-1] <= heaviest[0] == extremes[1]
    check_data(fits, "the weights of the heaviest positives, the greatest first")
