"""Rows with weights as sums by distinct score: the first of a ranking, and those among bins of negatives."""

from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._weighed import Weighed, from_each_on, two_sum

__all__ = ["WeighedTally", "best_weighed", "heaviest_of", "weighed_between_bins", "weighed_tally_of"]


class WeighedTally(NamedTuple):
    """Distinct scores in ascending order; rows and weights of both classes, those of positives first."""

    score: AnyArray
    rows: IntArray  # of shape (2, n_scores)
    weights: FloatArray
    rounded: FloatArray  # what the weights were rounded by, to be added at last

    def exact(self) -> FloatArray:
        """Return the weights, rounded once."""
        return self.weights + self.rounded

    def steps(self) -> Weighed:
        """Return the steps with a positive."""
        (tp, negatives), n_rows = map(from_each_on, self.exact()), self._rows_from_each_on()
        kept = np.flatnonzero(tp[:-1] > tp[1:])
        return Weighed(
            tp[kept],
            tp[kept + 1],
            negatives[kept],
            negatives[kept + 1],
            n_rows[kept],
            n_rows[kept + 1],
        )

    def weight_of_best(self, depth: int) -> float:
        """Return the weight of the first `depth` rows; a tied group gives its share."""
        n_rows, of_score = self._rows_from_each_on(), self.exact().sum(axis=0)
        within = np.clip(depth - n_rows[1:], 0, n_rows[:-1] - n_rows[1:])
        return float(from_each_on(of_score * (within / (n_rows[:-1] - n_rows[1:])))[0])

    def _rows_from_each_on(self) -> IntArray:
        return np.append(self.rows.sum(axis=0)[::-1].cumsum()[::-1], 0)


def weighed_tally_of(positive: BoolArray, score: AnyArray, weight: FloatArray, depth: int) -> WeighedTally:
    """Return the tally of the first `depth` rows and of those tied with the last of them."""
    if depth < score.size:
        first = score >= np.partition(score, score.size - depth)[score.size - depth]
        positive, score, weight = positive[first], score[first], weight[first]
    order = score.argsort(kind="stable")
    score, of_class = score[order], np.stack((positive[order], ~positive[order]))
    first = np.flatnonzero(np.append(True, score[1:] != score[:-1]))
    rows = np.add.reduceat(of_class.astype(np.int64), first, axis=1)
    weights = np.add.reduceat(of_class * weight[order], first, axis=1)
    return WeighedTally(score[first], rows, weights, np.zeros_like(weights))


def best_weighed(one: WeighedTally, other: WeighedTally, depth: int) -> WeighedTally:
    """Return the tally of the first `depth` rows of both, and of those tied with the last of them."""
    joined = WeighedTally(*(np.concatenate(parts, axis=-1) for parts in zip(one, other, strict=True)))
    order = joined.score.argsort(kind="stable")
    score = joined.score[order]
    rows, weights, rounded = joined.rows[:, order], joined.weights[:, order], joined.rounded[:, order]
    is_new = np.append(True, score[1:] != score[:-1])
    first, second = np.flatnonzero(is_new), np.flatnonzero(~is_new)  # no score stands more than twice
    group = np.cumsum(is_new)[second] - 1
    of_rows, of_weights, of_rounded = rows[:, first], weights[:, first], rounded[:, first]
    of_rows[:, group] += rows[:, second]
    of_weights[:, group], lost = two_sum(of_weights[:, group], weights[:, second])
    of_rounded[:, group] += rounded[:, second] + lost
    n_rows = of_rows.sum(axis=0)
    kept = n_rows[::-1].cumsum()[::-1] - n_rows < depth
    return WeighedTally(score[first][kept], of_rows[:, kept], of_weights[:, kept], of_rounded[:, kept])


def heaviest_of(weight: FloatArray, depth: int) -> FloatArray:
    """Return the `depth` greatest weights, the greatest first."""
    if depth < weight.size:
        weight = np.partition(weight, weight.size - depth)[weight.size - depth :]
    return np.sort(weight)[::-1]


def weighed_between_bins(
    score: AnyArray, weight: FloatArray, bins: IntArray, counts: IntArray, weights: FloatArray
) -> tuple[Weighed, Weighed]:
    """Return steps of positives among negatives that are known by their bins, in the worst and best order.

    The scores of positives are ascending, with their weights and the bin of each. The negatives of a bin are
    all above its positives in the worst order, and all below them in the best.
    """
    first = np.flatnonzero(np.append(True, score[1:] != score[:-1])[: score.size])
    place, of_step = np.append(first, score.size), bins[first]
    tp, n_positives = from_each_on(weight)[place], score.size - place
    not_below, n_not_below = from_each_on(weights), np.append(np.cumsum(counts[::-1])[::-1], 0)
    kept = tp[:-1] > tp[1:]
    worst, best = (
        Weighed(
            tp[:-1],
            tp[1:],
            not_below[bin_],
            not_below[bin_],
            n_positives[:-1] + n_not_below[bin_],
            n_positives[1:] + n_not_below[bin_],
        ).part(kept)
        for bin_ in (of_step, of_step + 1)
    )
    return worst, best
