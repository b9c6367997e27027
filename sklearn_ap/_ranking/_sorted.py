"""The plain order: one lexsort by ranking and score, for every case.

It accepts every dtype that numpy can order, any weights and any layout. Tests compare the faster kernels with
it.
"""

from collections.abc import Callable

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, TieOrder
from ._rows import Rows

# The sort key among equal scores. Rows are sorted worst first, so the largest key is retrieved first.
_TIE_KEYS: dict[TieOrder, Callable[[BoolArray], AnyArray]] = {
    "stable": lambda positive: -np.arange(positive.size),
    "optimistic": lambda positive: positive,
    "pessimistic": lambda positive: ~positive,
}


def sorted_by_lexsort(rows: Rows, tie_order: TieOrder | None) -> tuple[FloatArray, BoolArray]:
    """Return the weights in order, negated for negatives, and where tied groups start."""
    positive, score, offsets = rows.positive.ravel(), rows.score.ravel(), rows.offsets
    lengths = np.diff(offsets)
    keys = [score, np.repeat(np.arange(lengths.size), lengths)]
    if tie_order is not None:
        keys.insert(0, _TIE_KEYS[tie_order](positive))
    order = np.lexsort(keys)
    starts_group = np.ones(order.size, dtype=bool)
    if tie_order is None:  # otherwise each row is a group of its own
        starts_group[1:] = score[order[1:]] != score[order[:-1]]
        starts_group[offsets[:-1][lengths > 0]] = True
    signed = np.where(positive, 1.0, -1.0)
    if rows.weight is not None:
        signed *= rows.weight.ravel()
    return signed[order], starts_group
