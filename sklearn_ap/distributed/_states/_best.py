"""The best rows of a ranking, by distinct score: all that a number up to a cut looks at."""

from collections.abc import Sequence

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking import Tally, best_of, cut_depth, tally_of
from ..._reading import Checked
from ..._typing import AnyArray
from .._asked import Question
from ._exactly import cast, common_type, held
from ._weights import n_counted

__all__ = ["BestRows", "checked_totals", "depth_of"]

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
        if {*_NAMES, "totals"} != arrays.keys():
            raise ValueError(f"data must hold counts by score, and totals; got {list(arrays)}.")
        tally = Tally(*(arrays[name] for name in _NAMES))
        return cls(k, tally, checked_totals(tally.score, tally[1:], arrays["totals"], k))


def checked_totals(score: AnyArray, counts: Sequence[AnyArray], totals: AnyArray, k: int) -> tuple[int, int]:
    """Return the rows of each class, or refuse counts that are not those of the first `k` rows."""
    if totals.shape != (2,) or any(one.shape != score.shape for one in counts) or not score.size:
        raise ValueError("data must hold two counts for each score, and two totals; got others.")
    if not np.isfinite(score).all() or (score[1:] <= score[:-1]).any():
        raise ValueError("data must hold finite scores in ascending order; got others.")
    n_rows = n_counted(totals)
    if any(n_counted(one) > total for one, total in zip(counts, totals, strict=True)):
        raise ValueError("data must hold counts up to the totals; got others.")
    rows = counts[0] + counts[1]
    kept = int(rows.sum())
    if rows.min() == 0 or kept < min(k, n_rows) or kept - rows[0] >= k:
        raise ValueError(f"data must hold the first {k} rows, and those tied with the last; got others.")
    return int(totals[0]), int(totals[1])


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
