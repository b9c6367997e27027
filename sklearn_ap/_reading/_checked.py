"""The type that proves that reading happened: nothing downstream checks its arrays again."""

from typing import Any, NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray
from ._queries import QueryIds

__all__ = ["Checked", "without_weightless_rows"]


class Checked(NamedTuple):
    """Labels, scores and weights that every later room may trust.

    `positive` and `score` have the shape (n_samples,), or (n_samples, n_columns) for multilabel and
    multiclass labels. Rows of weight 0 are gone, except with ``average="samples"``: each row is a ranking
    there, and the weight is the ranking's.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    bounds: tuple[Any, Any]  # no score lies outside
    weight: FloatArray | None = None  # (n_samples,), finite, not negative
    query: QueryIds | None = None  # (n_samples,), nothing missing


def without_weightless_rows(checked: Checked) -> Checked:
    """Drop the rows of weight 0, so that no later room has to look for them."""
    weight, query = checked.weight, checked.query
    if weight is None or weight.all():
        return checked
    rows = np.flatnonzero(weight)
    return checked._replace(
        positive=checked.positive[rows],
        score=checked.score[rows],
        weight=weight[rows],
        query=None if query is None else query[rows],
    )
