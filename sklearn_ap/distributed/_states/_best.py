"""The best rows of a ranking, by distinct score: all that a number up to a cut looks at."""

import numpy as np

from ..._averaging import score_of_ranking
from ..._ranking import Tally, best_of, cut_depth, tally_of
from ..._reading import Checked
from ..._typing import AnyArray
from .._asked import Question
from ._exactly import cast, common_type, held

__all__ = ["BestRows", "depth_of"]

_NAMES = "score", "positives", "negatives"


class BestRows:
    """The first `k` rows with those tied with the last, as counts, and the totals of all rows."""

    def __init__(self, k: int, tally: Tally, counts: tuple[int, int]) -> None:
        self.k, self._tally, self.counts = k, tally, counts

    @classmethod
    def of_rows(cls, checked: Checked, k: int) -> "BestRows":
        """Return the best of the rows of an update."""
        n_positives = int(np.count_nonzero(checked.positive))
        tally = tally_of(checked.positive, held(checked.score), k)
        return cls(k, tally, (n_positives, checked.positive.size - n_positives))

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return sum(array.nbytes for array in self._tally)

    def joined(self, other: "BestRows") -> "BestRows":
        """Return the best rows of both."""
        one, two = self._tally.score, other._tally.score
        dtype = common_type(one.dtype, two.dtype, lambda: min(int(one[0]), int(two[0])))
        cast_to = [tally._replace(score=cast(tally.score, dtype)) for tally in (self._tally, other._tally)]
        positives, negatives = (sum(pair) for pair in zip(self.counts, other.counts, strict=True))
        return BestRows(self.k, best_of(cast_to, self.k), (positives, negatives))

    def scores(self, questions: list[Question]) -> list[float]:
        """Return scores up to a cut."""
        return [self._score(one) for one in questions]

    def _score(self, question: Question) -> float:
        definition, n_rows = question.definition, sum(self.counts)
        depth = depth_of(question, self.k, n_rows)
        ranking = self._tally.rankings(depth, self.counts[0], n_rows, definition.tie_order)
        return score_of_ranking(definition, ranking, **question.options)

    def arrays(self) -> dict[str, AnyArray]:
        """Return all that the rows are, for `of_arrays`."""
        return {**dict(zip(_NAMES, self._tally, strict=True)), "totals": np.array(self.counts)}

    @classmethod
    def of_arrays(cls, arrays: dict[str, AnyArray], k: int) -> "BestRows":
        """Return the rows that `arrays` gave, checked as if they came from anywhere."""
        if {*_NAMES, "totals"} != arrays.keys() or arrays["totals"].shape != (2,):
            raise ValueError(f"data must hold counts by score, and totals; got {list(arrays)}.")
        tally = Tally(*(arrays[name] for name in _NAMES))
        totals = int(arrays["totals"][0]), int(arrays["totals"][1])
        if len({one.size for one in tally}) > 1 or not tally.score.size or not np.isfinite(tally.score).all():
            raise ValueError("data must hold two counts for each score; got others.")
        below = [one.min() < 0 or one.sum() > most for one, most in zip(tally[1:], totals, strict=True)]
        if any(below) or (tally.score[1:] <= tally.score[:-1]).any():
            raise ValueError("data must hold counts up to the totals, by ascending score; got others.")
        return cls(k, tally, totals)


def depth_of(question: Question, k: int, n_rows: int) -> int:
    """Return how many rows a score looks at, or raise ValueError if these are more than `k`."""
    cut = question.definition.cut
    if not isinstance(cut, int | float):
        raise ValueError(
            f"score_func must have a cut in a state with k={k}, such as 'precision@{k}'; got "
            f"{question.name!r}, which looks at more rows."
        )
    depth = int(cut_depth(np.array([n_rows], dtype=np.float64), cut)[0])
    if depth > k:
        raise ValueError(
            f"k must be at most {k} rows, the k of the state; got {question.name!r}, which looks at {depth} "
            "rows."
        )
    return depth
