"""The type of checked input: no later module checks its arrays again."""

from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, Bounds, FloatArray, IntArray
from ._queries import QueryIds


class Checked(NamedTuple):
    """Labels, scores and weights that every later module may trust.

    `positive` and `score` have the shape (n_samples,), or (n_samples, n_columns) for multilabel and
    multiclass labels. Rows of weight 0 are gone. They stay only with ``average="samples"``, where each row is
    a ranking and has its weight in the mean.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    bounds: Bounds  # no score lies outside
    weight: FloatArray | None = None  # (n_samples,), finite, not negative
    query: QueryIds | None = None  # (n_samples,), nothing missing

    def take(self, rows: slice | IntArray) -> "Checked":
        """Return some of the rows, or all of them in another order."""
        return self._replace(
            positive=self.positive[rows],
            score=self.score[rows],
            weight=None if self.weight is None else self.weight[rows],
            query=None if self.query is None else self.query[rows],
        )


def without_weightless_rows(checked: Checked) -> Checked:
    """Drop the rows of weight 0, so no later module has to look for them."""
    weight = checked.weight
    # Counting takes half as long as all() in a short call.
    if weight is None or np.count_nonzero(weight) == weight.size:
        return checked
    return checked.take(np.flatnonzero(weight))
