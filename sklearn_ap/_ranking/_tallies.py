"""Rows as counts: by distinct score for the best of them, and by bins of scores for negatives."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, IntArray, TieOrder
from ._counted import CountedKernel
from ._rank import rank
from ._rankings import Kernel, Rankings
from ._rows import Rows

__all__ = ["Tally", "best_of", "between_bins", "tally_of"]


class Tally(NamedTuple):
    """Distinct scores in ascending order, and how many positives and negatives have each."""

    score: AnyArray
    positives: IntArray
    negatives: IntArray

    def rankings(self, depth: int, n_positives: int, n_rows: int, tie_order: TieOrder | None) -> Rankings:
        """Rank rows for a look at the first `depth` of them; the totals count the rows left out too."""
        kernel = self._counted(n_rows) if tie_order is None else self._in_order(depth, tie_order)
        n_found = np.array([n_positives], dtype=np.float64)
        return Rankings(kernel, np.array((0, n_rows)), None, n_found, n_found)

    def _counted(self, n_rows: int) -> CountedKernel:
        not_below = self.negatives[::-1].cumsum()[::-1]
        kept = self.positives > 0
        return CountedKernel(
            self.positives[kept], not_below[kept], (not_below - self.negatives)[kept], n_rows
        )

    def _in_order(self, depth: int, tie_order: TieOrder) -> Kernel:
        """Return the kernel of at most `depth` rows of each class and score: no others can be among them."""
        counts = np.minimum(np.concatenate((self.positives, self.negatives)), depth)
        score = np.repeat(np.tile(self.score, 2), counts)
        positive = np.repeat(np.arange(counts.size) < self.score.size, counts)
        rows = Rows(positive, score, None, np.array((0, score.size)))
        return rank(rows, tie_order=tie_order).kernel


def tally_of(positive: BoolArray, score: AnyArray, depth: int) -> Tally:
    """Return the tally of the first `depth` rows and of those tied with the last of them."""
    if depth < score.size:
        first = score >= np.partition(score, score.size - depth)[score.size - depth]
        positive, score = positive[first], score[first]
    ones = positive.astype(np.int64)
    return best_of([Tally(score, ones, 1 - ones)], depth)


def best_of(tallies: Sequence[Tally], depth: int) -> Tally:
    """Return the tally of the first `depth` rows of all, and of those tied with the last of them."""
    score, positives, negatives = (np.concatenate(parts) for parts in zip(*tallies, strict=True))
    order = score.argsort(kind="stable")
    score = score[order]
    first = np.flatnonzero(np.append(True, score[1:] != score[:-1]))
    positives = np.add.reduceat(positives[order], first)
    negatives = np.add.reduceat(negatives[order], first)
    rows = positives + negatives
    above = rows[::-1].cumsum()[::-1] - rows
    kept = above < depth
    return Tally(score[first][kept], positives[kept], negatives[kept])


def between_bins(positive: AnyArray, bins: IntArray, counts: IntArray) -> tuple[Rankings, Rankings]:
    """Rank positives among negatives that are known by their bins, in the worst and the best order.

    `positive` holds their scores in ascending order, and `bins` the bin of each. The negatives of a bin are
    all above its positives in the worst order, and all below them in the best.
    """
    first = np.flatnonzero(np.append(True, positive[1:] != positive[:-1])[: positive.size])
    gained, of_step = np.diff(first, append=positive.size), bins[first]
    not_below = counts[::-1].cumsum()[::-1]
    n_found = np.array([positive.size], dtype=np.float64)
    n_rows = positive.size + int(counts.sum())
    worst, best = (
        Rankings(
            CountedKernel(gained, negatives, negatives, n_rows), np.array((0, n_rows)), None, n_found, n_found
        )
        for negatives in (not_below[of_step], (not_below - counts)[of_step])
    )
    return worst, best
