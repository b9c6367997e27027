"""`Rows`, the input of the sort: labels, scores and weights of all rankings."""

from typing import NamedTuple

import numpy as np

from ..typing import AnyArray, BoolArray, FloatArray, IntArray


class Rows(NamedTuple):
    """Labels, scores and weights as vectors, one ranking after the other.

    All weights are above 0, since a row of weight 0 could still be one of the first `k`
    rows. If each class of each ranking has one weight, `counted_rows` sets `weight` to
    None before the sort. A ranking without rows has two equal offsets; at least one
    ranking has a row.
    """

    positive: BoolArray
    # Finite, in native byte order, and not of 16 bits, which numpy may sort wrongly.
    score: AnyArray
    weight: FloatArray | None
    # Shape (n_rankings + 1,): the first row of each ranking, and the number of all
    # rows.
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of rows of each ranking."""
        return self.offsets[1:] - self.offsets[:-1]

    def ranking_of_rows(self) -> IntArray:
        """Return the number of the ranking of each row."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)

    def take(self, places: IntArray, offsets: IntArray) -> "Rows":
        """Return the rows at these places, in rankings with these offsets."""
        weight = None if self.weight is None else self.weight.take(places)
        positive, score = self.positive.take(places), self.score.take(places)
        return Rows(positive, score, weight, offsets)

    def has_fractions_by_class(self) -> BoolArray:
        """Return, for each ranking, whether some of its positives (first row of the
        result) and some of its negatives (second row) have weights that are not whole
        numbers. Sums of such weights are rounded.
        """
        assert self.weight is not None, "weights"
        is_fraction = self.weight != np.floor(self.weight)
        places = [
            np.flatnonzero(is_fraction & of_class).searchsorted(self.offsets)
            for of_class in (self.positive, ~self.positive)
        ]
        return np.diff(places) > 0

    def weight_of_positives(self) -> FloatArray:
        """Return the weight of the positives of a single ranking."""
        if self.weight is None:
            return n_positives_of(self)
        return np.asarray(self.weight.compress(self.positive).sum(keepdims=True))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the sum of the weights of the `depth` heaviest positives of each
        ranking.
        """
        assert self.weight is not None, "weights"
        weight = self.weight[self.positive]
        if self.offsets.size == 2:
            # `sum` adds values in pairs, which keeps more digits than `bincount`.
            heaviest = np.sort(weight)[::-1][: int(depth.item())]
            return np.asarray(heaviest.sum(keepdims=True))
        ranking = self.ranking_of_rows()[self.positive]
        heaviest_first = np.lexsort((-weight, ranking))
        # `ranking` is sorted, so `searchsorted` finds where the ranking of each
        # positive begins. `heaviest_first` has the positives of the rankings in the
        # same order of rankings. So `place` is the place of each positive in
        # `heaviest_first` within its ranking: 0 for the heaviest one.
        place = np.arange(ranking.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        sums = np.bincount(ranking[counted], weight[counted], depth.size)
        return sums.astype(np.float64)


def order_by_ranking(ranking: IntArray) -> IntArray:
    """Return the rows sorted by ranking, from the number of the ranking of each row.
    Rows of the same ranking keep their order.
    """
    # Each integer contains the ranking in its high bits and the row in its low bits. A
    # sort of these integers takes less time than a stable `argsort`.
    bits = ranking.size.bit_length()
    row = ranking.astype(np.int64) << bits
    row |= np.arange(ranking.size)
    row.sort()
    row &= (1 << bits) - 1
    return row


def n_positives_of(rows: Rows) -> FloatArray:
    """Return the number of positives of each ranking."""
    if rows.offsets.size == 2:
        return np.array((float(np.count_nonzero(rows.positive)),))
    n_before = np.flatnonzero(rows.positive).searchsorted(rows.offsets)
    return np.diff(n_before).astype(np.float64)
