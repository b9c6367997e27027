"""The way in: which kernel sorts these rows."""

from typing import Any

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from . import _blocks
from ._class_weights import ClassWeightedRankings, class_weights
from ._cut import CutRankings, FirstRows, worth_a_cut
from ._keys import packing_of
from ._packed import PackedRankings
from ._sorted import SortedRankings
from ._steps import Rankings
from ._two_sorts import TwoSortRankings
from ._weighted import WeightedRankings

_RARE = 30  # rows a positive, from which on a second sort costs less than looking at all labels


def rank(
    positive: BoolArray,
    score: AnyArray,
    weight: FloatArray | None,
    offsets: IntArray,
    *,
    ties: str | None = None,
    k: int | float | None = None,
    bounds: tuple[Any, Any] | None = None,
) -> Rankings:
    """Sort the rows of every ranking once.

    Parameters
    ----------
    positive, score : arrays of one shape
        In C order they hold ranking after ranking.
    weight : array of the same shape, or None
        Positive weights; None where weights do not differ inside a ranking.
    offsets : ndarray of shape (n_rankings + 1,)
        Where each ranking begins; equal neighbours are a ranking without rows, but there is some row.
    ties : {'stable', 'optimistic', 'pessimistic'}, default=None
        The order of equal scores, each row then being a step of its own. By default equal scores are one
        step.
    k : int or float, default=None
        Only the first `k` rows of each ranking, or this share of them, will be looked at. Totals are those
        of all rows.
    bounds : pair of numbers, default=None
        No score lies outside; the lowest and the highest score are looked up where this is not given.
    """
    if k is not None and worth_a_cut(score, offsets, k):
        rows = FirstRows(score, offsets, k)
        weights = None if weight is None else rows.of(weight)
        first = rank(rows.of(positive), rows.of(score), weights, rows.offsets, ties=ties, bounds=bounds)
        return CutRankings(first, rows, positive, weight)
    least, most = bounds or (score.min(), score.max())
    packing = packing_of(score, least, most)
    lone = offsets.size == 2
    if lone and weight is not None and ties is None:
        by_class = class_weights(positive.ravel(), weight.ravel())
        if by_class is not None:
            return ClassWeightedRankings(rank(positive, score, None, offsets, bounds=bounds), by_class)
    if lone and weight is None and ties is None and (packing is None or _is_rare(positive)):
        return TwoSortRankings(positive, score)
    if packing is None:
        return SortedRankings(positive, score, weight, offsets, ties=ties)
    if weight is not None or ties == "stable":
        extremes = np.array([least, most], dtype=score.dtype)
        return WeightedRankings(positive, score, weight, offsets, packing=packing, bounds=extremes, ties=ties)
    return PackedRankings(positive, score, offsets, packing=packing, ties=ties)


def _is_rare(positive: BoolArray) -> bool:
    return positive.size > _blocks.BLOCK_ROWS and bool(np.count_nonzero(positive) * _RARE <= positive.size)
