"""The best rows of a ranking, as sums by distinct score: all that a number up to a cut looks at."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking._cut import cut_depth
from ..._ranking._table import Table, TableKernel, Totals, from_each_on, heaviest_of, two_sum
from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray, FloatArray
from .._question import Question
from ._columns import (
    cast,
    check_extremes,
    check_sums,
    common_type,
    extremes_of_weights,
    finite,
    held,
    n_counted,
    one_of_each,
    order_of,
    refuse_tiny,
    score_of_counts,
    widest,
)

_NAMES = "score", "positives", "negatives"
_WEIGHT_NAMES = "positives weight", "negatives weight"
_OF_ALL = {"total weights": 2, "extremes": 4}


class _Weights(NamedTuple):
    """What is known of the weights of all rows, class by class, those of positives first."""

    totals: FloatArray  # of shape (2, 2): what they weigh, and what this was rounded by
    extremes: FloatArray  # of shape (2, 2): the least and the greatest weight; infinity and 0 without rows
    heaviest: FloatArray  # the weights of the heaviest positives, the greatest first

    @classmethod
    def of_rows(cls, positive: BoolArray, weight: FloatArray, k: int) -> "_Weights":
        """Return the extremes and sums of the weights of some rows."""
        classes = weight[positive], weight[~positive]
        totals = np.array([(of_class.sum(), 0.0) for of_class in classes])
        return cls(totals, extremes_of_weights(*classes), heaviest_of(classes[0], k))

    @classmethod
    def of_counts(cls, counts: tuple[int, int], k: int) -> "_Weights":
        """Return the weights of rows without any, which are 1."""
        totals = np.array([(float(one), 0.0) for one in counts])
        extremes = np.array([(1.0, 1.0) if one else (np.inf, 0.0) for one in counts])
        return cls(totals, extremes, np.ones(min(k, counts[0])))

    def joined(self, other: "_Weights", k: int) -> "_Weights":
        """Return what is known of both."""
        sums, lost = two_sum(self.totals[:, 0], other.totals[:, 0])
        return _Weights(
            np.stack((finite(sums), self.totals[:, 1] + other.totals[:, 1] + lost), axis=1),
            widest(self.extremes, other.extremes),
            heaviest_of(np.concatenate((self.heaviest, other.heaviest)), k),
        )


class BestRows:
    """The first `k` rows with those tied with the last, as sums by score, and the totals of all rows.

    Without weights, sums are counts. A state takes weights from the first update on that has some.
    """

    def __init__(self, k: int, table: Table, counts: tuple[int, int], weights: _Weights | None) -> None:
        self.k, self._table, self.counts, self._weights = k, table, counts, weights

    @classmethod
    def of_rows(cls, checked: Checked, k: int) -> "BestRows":
        """Return the best of the rows of an update."""
        positive, weight = checked.positive, checked.weight
        n_positives = int(np.count_nonzero(positive))
        return cls(
            k,
            Table.of_rows(positive, held(checked.score), weight, k),
            (n_positives, positive.size - n_positives),
            None if weight is None else _Weights.of_rows(positive, weight, k),
        )

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        arrays = (*self._table, None if self._weights is None else self._weights.heaviest)
        return sum(array.nbytes for array in arrays if array is not None)

    def joined(self, other: "BestRows") -> "BestRows":
        """Return the best rows of both."""
        one, two = self._table.score, other._table.score
        # Scores are ascending, so the first one shows whether unsigned integers can hold all.
        dtype = common_type(one.dtype, two.dtype, lambda: min(int(one[0]), int(two[0])))
        first, second = (
            table._replace(score=cast(table.score, dtype)) for table in (self._table, other._table)
        )
        weights = None
        if self._weights is not None or other._weights is not None:
            weights = self._weighed().joined(other._weighed(), self.k)
        counts = self.counts[0] + other.counts[0], self.counts[1] + other.counts[1]
        return BestRows(self.k, first.joined(second, self.k), counts, weights)

    def _weighed(self) -> _Weights:
        return _Weights.of_counts(self.counts, self.k) if self._weights is None else self._weights

    def scores(self, questions: list[Question]) -> list[float]:
        """Return scores up to a cut."""
        each = None if self._weights is None else one_of_each(self._weights.extremes)
        if self._weights is None or each is not None:
            return [self._counted(one, each) for one in questions]
        refuse_tiny(self._weights.extremes)
        kernel = self._summed(self._weights)
        return [self._score(one, kernel) for one in questions]

    def _counted(self, question: Question, each: tuple[float, float] | None) -> float:
        """Return a score of rows without weights, or with a single one for each class."""
        depth, order = self._depth_of(question), order_of(question.definition.tie_order, each)
        totals = Totals(*self.counts, sum(self.counts))
        return score_of_counts(question, self._table.counted(totals, depth, order), each)

    def _score(self, question: Question, kernel: TableKernel) -> float:
        self._depth_of(question)
        return score_of_ranking(
            question.definition,
            kernel.ranking(),
            **question.options,
            unit=1.0,
            at_prevalence=kernel.at_prevalence,
        )

    def _summed(self, weights: _Weights) -> TableKernel:
        """Return the kernel of rows whose weights differ."""
        steps, (positives, negatives) = self._table.steps(), weights.totals.sum(axis=1).tolist()
        # Two sums of the same weights may differ in the last bit, and recall must end at 1.
        if steps.tp.size:  # if all positives are here, they are the total
            here = float(steps.tp[0])
            all_here = self._table.rows[0].sum() == self.counts[0]
            positives = here if all_here else max(positives, here)
        totals = Totals(
            positives,
            negatives,
            sum(self.counts),
            self._table.weight_of_best,
            lambda depth: float(from_each_on(weights.heaviest[:depth][::-1])[0]),
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
        arrays = dict(zip(_NAMES, (self._table.score, *self._table.rows), strict=True))
        if self._weights is None:
            return {**arrays, "totals": np.array(self.counts)}
        return {
            **arrays,
            **dict(zip(_WEIGHT_NAMES, self._table.sums, strict=True)),
            "totals": np.array(self.counts),
            "total weights": self._weights.totals.sum(axis=1),
            "extremes": self._weights.extremes.ravel(),
            "heaviest": self._weights.heaviest,
        }

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray], k: int) -> "BestRows":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        names = {*_NAMES, "totals"}
        if arrays.keys() not in (names, names.union(_WEIGHT_NAMES, _OF_ALL, ["heaviest"])):
            raise ValueError(f"data must hold counts by score, and totals; got {list(arrays)}.")
        score, *rows = (arrays[name] for name in _NAMES)
        counts = _checked_totals(score, rows, arrays["totals"], k)
        table = Table(score, np.stack(rows))
        if len(arrays) == len(names):
            return cls(k, table, counts, None)
        of_all = [arrays[name] for name in _OF_ALL]
        sums = [arrays[name] for name in _WEIGHT_NAMES]
        fits = all(one.size == size for one, size in zip(of_all, _OF_ALL.values(), strict=True))
        if not fits or any(one.dtype != np.float64 for one in (*of_all, *sums, arrays["heaviest"])):
            raise ValueError("data must hold weights of type float64; got others.")
        if any(one.shape != score.shape for one in sums):
            raise ValueError("data must hold two weights for each score; got others.")
        totals, extremes, weights = of_all[0], of_all[1].reshape(2, 2), np.stack(sums)
        check_extremes(extremes, counts)
        check_sums(weights, table.rows, extremes)
        # The totals obey the same law as each score: between the least and the greatest weight per row.
        check_sums(totals[:, np.newaxis], arrays["totals"][:, np.newaxis], extremes)
        _check_heaviest(arrays["heaviest"], min(k, counts[0]), extremes[0])
        table = table._replace(weights=weights, rounded=np.zeros_like(weights))
        of_totals = np.stack((totals, np.zeros(2)), axis=1)
        return cls(k, table, counts, _Weights(of_totals, extremes, arrays["heaviest"]))


def _checked_totals(score: AnyArray, counts: Sequence[AnyArray], totals: AnyArray, k: int) -> tuple[int, int]:
    """Return the rows of each class, or refuse counts that are not those of the first `k` rows."""
    if totals.shape != (2,) or any(one.shape != score.shape for one in counts) or not score.size:
        raise ValueError("data must hold two counts for each score, and two totals; got others.")
    if not np.isfinite(score).all() or (score[1:] <= score[:-1]).any():
        raise ValueError("data must hold finite scores in ascending order; got others.")
    n_rows = n_counted(totals)
    if any(n_counted(one) > total for one, total in zip(counts, totals, strict=True)):
        raise ValueError("data must hold counts up to the totals; got others.")
    rows = counts[0] + counts[1]
    # Fewer rows would be missed by a score up to `k`; more would be no harm, but no state writes them.
    kept = int(rows.sum())
    if rows.min() == 0 or kept < min(k, n_rows) or kept - rows[0] >= k:
        raise ValueError(f"data must hold the first {k} rows, and those tied with the last; got others.")
    return int(totals[0]), int(totals[1])


def _check_heaviest(heaviest: FloatArray, n_rows: int, extremes: FloatArray) -> None:
    fits = heaviest.size == n_rows and np.isfinite(heaviest).all()
    if not fits or (heaviest[1:] > heaviest[:-1]).any():
        raise ValueError("data must hold the heaviest positives, by falling weight; got others.")
    if n_rows and not extremes[0] <= heaviest[-1] <= heaviest[0] == extremes[1]:
        raise ValueError("data must hold the heaviest positives, one of the greatest weight; got others.")
