"""The way in: which kernel sorts these rows."""

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._keys import packing_of
from ._packed import PackedRankings
from ._sorted import SortedRankings
from ._steps import Rankings
from ._two_sorts import TwoSortRankings

_RARE = 100  # rows a positive, from which on a second sort costs less than looking at all labels


def rank(
    positive: BoolArray,
    score: AnyArray,
    weight: FloatArray | None,
    offsets: IntArray,
    *,
    ties: str | None = None,
) -> Rankings:
    """Sort the rows of every ranking once.

    Parameters
    ----------
    positive, score : arrays of one shape
        In C order they hold ranking after ranking.
    weight : array of the same shape, or None
        Positive weights; None where weights do not differ inside a ranking.
    offsets : ndarray of shape (n_rankings + 1,)
        Where each ranking begins; equal neighbours are a ranking without rows.
    ties : {'stable', 'optimistic', 'pessimistic'}, default=None
        The order of equal scores, each row then being a step of its own. By default equal scores are one
        step.
    """
    packing = packing_of(score)
    if packing is not None and weight is None and ties != "stable":
        return PackedRankings(positive, score, offsets, packing, ties=ties)
    return SortedRankings(positive, score, weight, offsets, ties=ties)
