"""The plain kernel: one lexsort by ranking and score, for every case.

It takes every dtype that numpy can order, any weights and any layout; faster kernels are held against it.
"""

from collections.abc import Callable

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._summed import SummedRankings

# What decides between equal scores. Rows are sorted worst first, so the largest key is retrieved first.
_TIE_KEYS: dict[str, Callable[[BoolArray], AnyArray]] = {
    "stable": lambda positive: -np.arange(positive.size),
    "optimistic": lambda positive: positive,
    "pessimistic": lambda positive: ~positive,
}


class SortedRankings(SummedRankings):
    """The parameters are those of `rank`."""

    def __init__(
        self,
        positive: BoolArray,
        score: AnyArray,
        weight: FloatArray | None,
        offsets: IntArray,
        *,
        ties: str | None = None,
    ) -> None:
        score = score.ravel()
        signed, starts_group = arrange(positive.ravel(), score, weight, offsets, ties=ties)
        super().__init__(signed, starts_group, offsets, score, weighted=weight is not None)


def arrange(
    positive: BoolArray, score: AnyArray, weight: FloatArray | None, offsets: IntArray, *, ties: str | None
) -> tuple[FloatArray, BoolArray]:
    """Return the weights in order, negative where labels are, and where tied groups start."""
    rows = np.diff(offsets)
    keys = [score, np.repeat(np.arange(rows.size), rows)]
    if ties is not None:
        keys.insert(0, _TIE_KEYS[ties](positive))
    order = np.lexsort(keys)
    starts_group = np.ones(order.size, dtype=bool)
    if ties is None:
        starts_group[1:] = score[order[1:]] != score[order[:-1]]
        starts_group[offsets[:-1][rows > 0]] = True
    signed = np.where(positive, 1.0, -1.0)
    if weight is not None:
        signed *= weight.ravel()
    return signed[order], starts_group
