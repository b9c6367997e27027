"""All rows of a ranking: the scores and weights of each class, as parts that are merged when asked."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..._api import ranked_for, score_of_checked
from ..._ranking._blocks import BLOCK_ROWS
from ..._ranking._by_class import ByClass, sorted_scores
from ..._reading._read import Checked
from ..._typing import AnyArray, FloatArray
from .._question import Question
from ._columns import cast, common_type, held
from ._sums import check_data

_NAMES = "positive", "negative"
_JOINED = 2**18  # parts of fewer rows are joined as they come, so that small batches stay few arrays


class ClassPart(NamedTuple):
    """Rows of one class: their scores, and their weights unless all are 1."""

    score: AnyArray
    weight: FloatArray | None

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return self.score.nbytes + (0 if self.weight is None else self.weight.nbytes)

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.score.size if self.weight is None else self.weight.sum())

    @property
    def given(self) -> FloatArray:
        """The weight of each row."""
        return np.ones(self.score.size) if self.weight is None else self.weight


class AllRows:
    """The rows of both classes. Nothing is written to once it is made, so states may share it.

    Parameters
    ----------
    dtype : dtype
        The type of all scores.
    classes : pair of tuples of ClassPart
        The rows of positives, and those of negatives.
    total : float
        The sum of the weights.
    """

    def __init__(self, dtype: np.dtype[Any], classes: Sequence[tuple[ClassPart, ...]], total: float) -> None:
        self.dtype, self.total = dtype, total
        self._classes = tuple(classes)
        self._sorted: tuple[ClassPart, ClassPart] | None = None  # once somebody has asked
        counts, self.is_weighted = [0, 0], False
        for place, parts in enumerate(classes):
            for part in parts:
                counts[place] += part.score.size
                self.is_weighted |= part.weight is not None
        self.counts = counts[0], counts[1]

    @classmethod
    def of_rows(cls, checked: Checked) -> "AllRows":
        """Return the rows of an update, class by class; they are copies."""
        score, weight, positive = held(checked.score), checked.weight, checked.positive
        classes = []
        for rows in map(np.flatnonzero, (positive, ~positive)):  # a mask takes five times as long if mixed
            # A copy: the caller may write to his arrays later.
            part = ClassPart(score.take(rows), None if weight is None else weight.take(rows))
            classes.append((part,) if rows.size else ())
        return cls(score.dtype, classes, float(score.size if weight is None else weight.sum()))

    @classmethod
    def of_sorted(cls, positive: ClassPart, negative: ClassPart) -> "AllRows":
        """Return rows whose scores are ascending in each class."""
        rows = cls(positive.score.dtype, [(positive,), (negative,)], positive.total + negative.total)
        rows._sorted = positive, negative
        return rows

    @classmethod
    def of_positives(cls, score: AnyArray, weight: FloatArray | None) -> "AllRows":
        """Return rows of positives alone."""
        part = ClassPart(score, weight)
        return cls(score.dtype, [(part,), ()], part.total)

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take: more once they are sorted, if some parts came without weights."""
        return sum(part.nbytes for parts in self._classes for part in parts)

    def __sizeof__(self) -> int:
        """Return what Dask asks for, to know when its workers have to move states to disk."""
        return super().__sizeof__() + self.nbytes

    def joined(self, other: "AllRows") -> "AllRows":
        """Return the rows of both, or raise if no type holds the scores of both."""
        # The smallest type that can hold all scores exactly; `cast` refuses scores that it would round.
        dtype = common_type(self.dtype, other.dtype, lambda: min(self._lowest(), other._lowest()))
        total = self.total + other.total
        # Refused as early as memory would refuse it, and not when a score is asked for.
        if not np.isfinite(total):
            raise ValueError(
                f"sample_weight adds up to infinity over all updates, after {self.total!r}; divide it by a "
                "constant, which changes no score."
            )
        classes = [_parts_of_both(*parts, dtype) for parts in zip(self._classes, other._classes, strict=True)]
        return AllRows(dtype, classes, total)

    def _lowest(self) -> int:
        parts = [part for parts in self._classes for part in parts if part.score.size]
        return min(int(part.score.min()) for part in parts)

    def in_order(self, *, keeps: bool = True) -> tuple[ClassPart, ClassPart]:
        """Return the rows of each class in ascending order; they are sorted once.

        With ``keeps=False`` each part is freed once copied, which halves peak memory; an interruption loses
        the rows.
        """
        if self._sorted is None:
            # Lists of their own: other states share the tuples, and the sort empties what it is given.
            classes = [list(parts) for parts in self._classes]
            if not keeps:
                self._classes = (), ()
            positive, negative = (self._class_in_order(parts) for parts in classes)
            self._sorted = positive, negative
            self._classes = (positive,), (negative,)
        return self._sorted

    def _class_in_order(self, parts: list[ClassPart]) -> ClassPart:
        """Return the rows of a class in ascending order; the list is emptied."""
        if not parts:
            return ClassPart(np.empty(0, dtype=self.dtype), np.empty(0) if self.is_weighted else None)
        weights = [part.given for part in parts] if self.is_weighted else []
        scores = [part.score for part in parts]
        # The arrays in `scores` are now the only references, so each can be freed once it was copied.
        parts.clear()
        return ClassPart(*sorted_scores(scores, weights))

    def arrays(self) -> dict[str, AnyArray]:
        """Return all that the rows are, for `of_arrays`."""
        named = {}
        for name, part in zip(_NAMES, self.in_order(), strict=True):
            named[name] = part.score
            if part.weight is not None:
                named[f"{name} weight"] = part.weight
        return named

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray]) -> "AllRows":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        if arrays.keys() not in ({*_NAMES}, {*_NAMES, *(f"{name} weight" for name in _NAMES)}):
            raise ValueError(f"data must hold positives and negatives; got {list(arrays)}.")
        positives, negatives = (stored_part(arrays[name], arrays.get(f"{name} weight")) for name in _NAMES)
        check_data(positives.score.dtype == negatives.score.dtype, "scores of one type")
        check_data(np.isfinite(positives.total + negatives.total), "weights with a finite sum")
        return cls.of_sorted(positives, negatives)

    def by_class(self) -> ByClass:
        """Return the scores of both classes, for rows that are used for nothing else."""
        positive, negative = self.in_order(keeps=False)
        return ByClass(positive.score, negative.score)

    def scores(self, questions: list[Question]) -> list[float]:
        """Return scores of all rows; those that look at the same rows in the same order rank them once."""
        positive, negative = self.in_order()
        by_class = ByClass(positive.score, negative.score)
        if self.is_weighted or sum(self.counts) <= BLOCK_ROWS:
            # The kernels of memory sum weights in their own order, and few rows take a short way there.
            # So these go in by the door of memory, as if they came at once.
            rows = by_class.rows()
            weight = np.concatenate((positive.given, negative.given)) if self.is_weighted else None
            checked = Checked(rows.positive, rows.score, by_class.bounds, weight)
            return [
                float(score_of_checked(one.definition, checked, average="macro", **one.options))
                for one in questions
            ]
        ranked = lru_cache(typed=True)(by_class.rankings)  # 1 is a row, and 1.0 a share
        return [
            ranked_for(
                one.definition, ranked(one.definition.k, one.definition.tie_order), **one.options
            ).score()
            for one in questions
        ]


def stored_part(score: AnyArray, weight: AnyArray | None) -> ClassPart:
    """Return stored rows of a class, or refuse what no state holds."""
    is_sorted = np.isfinite(score).all() and (score[1:] >= score[:-1]).all()
    check_data(is_sorted, "finite scores in ascending order")
    if weight is not None:
        fits = weight.dtype == np.float64 and weight.shape == score.shape and (weight > 0).all()
        check_data(fits, "a weight above 0 for each score")
    return ClassPart(score, weight)


def _parts_of_both(
    one: tuple[ClassPart, ...], other: tuple[ClassPart, ...], dtype: np.dtype[Any]
) -> tuple[ClassPart, ...]:
    """Return parts of both in this type; a short part is joined with those before it that are no longer.

    Each row is then copied about as often as the number of rows has bits.
    """
    parts = [
        part if part.score.dtype == dtype else ClassPart(cast(part.score, dtype), part.weight) for part in one
    ]
    for part in other:
        score, weight = cast(part.score, dtype), part.weight
        # As in a binary counter: no part is shorter than the one after it, unless it is long.
        while parts and parts[-1].score.size <= score.size < _JOINED:
            last = parts.pop()
            if weight is not None or last.weight is not None:
                weight = np.concatenate((last.given, ClassPart(score, weight).given))
            score = np.concatenate((last.score, score))
        if score.size:
            parts.append(ClassPart(score, weight))
    return tuple(parts)
