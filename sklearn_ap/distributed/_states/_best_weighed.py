"""The best rows of a ranking with weights, by distinct score: all that a number up to a cut looks at."""

from typing import NamedTuple

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking import (
    Rankings,
    Tally,
    WeighedTally,
    WeighedTotals,
    best_weighed,
    from_each_on,
    heaviest_of,
    rank_weighed,
    two_sum,
    weighed_tally_of,
)
from ..._reading import Checked
from ..._typing import AnyArray, BoolArray, FloatArray
from .._asked import Question
from ._best import BestRows, checked_totals, depth_of
from ._exactly import cast, common_type, held
from ._weights import (
    check_extremes,
    check_sums,
    extremes_of,
    finite,
    one_of_each,
    order_of,
    refuse_tiny,
    score_of_counts,
    widest,
)

__all__ = ["WeighedBest"]

_CLASSES = "positives", "negatives"
_NAMES = ("score", *_CLASSES, *(f"{one} weight" for one in _CLASSES))
_OF_ALL = {"totals": 2, "total weights": 2, "extremes": 4}


class _OfAll(NamedTuple):
    """What is known of all rows, class by class, those of positives first."""

    counts: tuple[int, int]  # rows
    totals: FloatArray  # of shape (2, 2): what they weigh, and what this was rounded by
    extremes: FloatArray  # of shape (2, 2): the least and the greatest weight; infinity and 0 without rows
    heaviest: FloatArray  # the weights of the heaviest positives, the greatest first

    @classmethod
    def of_rows(cls, positive: BoolArray, weight: FloatArray, k: int) -> "_OfAll":
        """Return what is known of some rows."""
        classes = weight[positive], weight[~positive]
        totals = np.array([(of_class.sum(), 0.0) for of_class in classes])
        counts = classes[0].size, classes[1].size
        return cls(counts, totals, extremes_of(*classes), heaviest_of(classes[0], k))

    def joined(self, other: "_OfAll", k: int) -> "_OfAll":
        """Return what is known of both."""
        positives, negatives = (sum(pair) for pair in zip(self.counts, other.counts, strict=True))
        sums, lost = two_sum(self.totals[:, 0], other.totals[:, 0])
        return _OfAll(
            (positives, negatives),
            np.stack((finite(sums), self.totals[:, 1] + other.totals[:, 1] + lost), axis=1),
            widest(self.extremes, other.extremes),
            heaviest_of(np.concatenate((self.heaviest, other.heaviest)), k),
        )


class WeighedBest:
    """The first `k` rows with those tied with the last, as sums by score, and what is known of all rows."""

    def __init__(self, k: int, tally: WeighedTally, of_all: _OfAll) -> None:
        self.k, self._tally, self._of_all = k, tally, of_all

    @classmethod
    def of_rows(cls, checked: Checked, k: int) -> "WeighedBest":
        """Return the best of the rows of an update."""
        positive, score = checked.positive, held(checked.score)
        weight = np.ones(score.size) if checked.weight is None else checked.weight
        return cls(k, weighed_tally_of(positive, score, weight, k), _OfAll.of_rows(positive, weight, k))

    @classmethod
    def of_counts(cls, best: BestRows) -> "WeighedBest":
        """Return rows without weights as rows of weight 1."""
        arrays, counts = best.arrays(), best.counts
        rows = np.stack([arrays[name] for name in _CLASSES])
        weights = rows.astype(np.float64)
        totals = np.array([(float(one), 0.0) for one in counts])
        extremes = np.array([(1.0, 1.0) if one else (np.inf, 0.0) for one in counts])
        tally = WeighedTally(arrays["score"], rows, weights, np.zeros_like(weights))
        return cls(best.k, tally, _OfAll(counts, totals, extremes, np.ones(min(best.k, counts[0]))))

    @property
    def counts(self) -> tuple[int, int]:
        """Number of positives and of negatives."""
        return self._of_all.counts

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return sum(array.nbytes for array in (*self._tally, self._of_all.heaviest))

    def joined(self, other: "WeighedBest") -> "WeighedBest":
        """Return the best rows of both."""
        one, two = self._tally.score, other._tally.score
        dtype = common_type(one.dtype, two.dtype, lambda: min(int(one[0]), int(two[0])))
        first, second = (
            tally._replace(score=cast(tally.score, dtype)) for tally in (self._tally, other._tally)
        )
        tally = best_weighed(first, second, self.k)
        return WeighedBest(self.k, tally, self._of_all.joined(other._of_all, self.k))

    def scores(self, questions: list[Question]) -> list[float]:
        """Return scores up to a cut."""
        each = one_of_each(self._of_all.extremes)
        if each is None:
            refuse_tiny(self._of_all.extremes)
        return [self._score(one, each) for one in questions]

    def _score(self, question: Question, each: tuple[float, float] | None) -> float:
        n_rows = sum(self.counts)
        depth = depth_of(question, self.k, n_rows)
        if each is not None:
            tally, order = Tally(self._tally.score, *self._tally.rows), question.definition.tie_order
            counted = tally.rankings(depth, self.counts[0], n_rows, order_of(order, each))
            return score_of_counts(question, counted, each)
        return score_of_ranking(question.definition, self._ranking(), **question.options, unit=1.0)

    def _ranking(self) -> Rankings:
        steps, (positives, negatives) = self._tally.steps(), self._of_all.totals.sum(axis=1).tolist()
        if steps.tp.size:  # if all positives are here, they are the total
            here = float(steps.tp[0])
            all_here = self._tally.rows[0].sum() == self.counts[0]
            positives = here if all_here else max(positives, here)
        totals = WeighedTotals(
            positives,
            negatives,
            sum(self.counts),
            self._tally.weight_of_best,
            lambda depth: float(from_each_on(self._of_all.heaviest[:depth][::-1])[0]),
        )
        return rank_weighed(lambda: iter((steps,)), totals)

    def arrays(self) -> dict[str, AnyArray]:
        """Return all that the rows are, for `of_arrays`."""
        tally = self._tally
        return {
            **dict(zip(_NAMES, (tally.score, *tally.rows, *tally.exact()), strict=True)),
            "totals": np.array(self.counts),
            "total weights": self._of_all.totals.sum(axis=1),
            "extremes": self._of_all.extremes.ravel(),
            "heaviest": self._of_all.heaviest,
        }

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray], k: int) -> "WeighedBest":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        named = {*_NAMES, *_OF_ALL, "heaviest"} == arrays.keys()
        if not named or any(arrays[name].size != size for name, size in _OF_ALL.items()):
            raise ValueError(f"data must hold sums by score, and totals; got {list(arrays)}.")
        rows, weights = (_both(arrays, *of_sums) for of_sums in (("", np.int64), (" weight", np.float64)))
        sums, extremes, heaviest = arrays["total weights"], arrays["extremes"], arrays["heaviest"]
        if any(one.dtype != np.float64 for one in (sums, extremes, heaviest)):
            raise ValueError("data must hold weights of type float64; got others.")
        tally = WeighedTally(arrays["score"], rows, weights, np.zeros_like(weights))
        counts, extremes = (
            checked_totals(tally.score, tuple(rows), arrays["totals"], k),
            extremes.reshape(2, 2),
        )
        check_extremes(extremes, counts)
        check_sums(weights, rows, extremes)
        check_sums(sums[:, np.newaxis], arrays["totals"][:, np.newaxis], extremes)
        _check_heaviest(heaviest, min(k, counts[0]), extremes[0])
        return cls(k, tally, _OfAll(counts, np.stack((sums, np.zeros(2)), axis=1), extremes, heaviest))


def _both(arrays: dict[str, AnyArray], suffix: str, dtype: type) -> AnyArray:
    both = [arrays[f"{name}{suffix}"] for name in _CLASSES]
    if any(one.shape != arrays["score"].shape or one.dtype != dtype for one in both):
        raise ValueError("data must hold two sums of their type for each score; got others.")
    return np.stack(both)


def _check_heaviest(heaviest: FloatArray, n_rows: int, extremes: FloatArray) -> None:
    fits = heaviest.size == n_rows and np.isfinite(heaviest).all()
    if not fits or (heaviest[1:] > heaviest[:-1]).any():
        raise ValueError("data must hold the heaviest positives, by falling weight; got others.")
    if n_rows and not extremes[0] <= heaviest[-1] <= heaviest[0] == extremes[1]:
        raise ValueError("data must hold the heaviest positives, one of the greatest weight; got others.")
