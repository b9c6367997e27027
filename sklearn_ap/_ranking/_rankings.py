"""Rankings as data: `Rows` go into the sort, and `Rankings` come out of it.

This file says what a ranking is, and `_rank` sorts it. Rankings contain totals and a `Kernel`, which yields
blocks of steps and reduces them to a number per ranking.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._steps import Envelope, Reduction, Steps, add_up, ratio


class Rows(NamedTuple):
    """Labels, scores and weights as arrays of the same shape; in C order, ranking after ranking.

    Rows of several rankings in any order have a `ranking` each; `offsets` are then where each ranking begins
    once its rows are brought together.

    All weights must be above 0, since kernels store the label as the sign of the weight. `weight` is None if
    weights do not differ inside a ranking. A ranking without rows has two equal offsets; at least one ranking
    has a row.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    weight: FloatArray | None
    offsets: IntArray  # of shape (n_rankings + 1,): where each ranking begins
    ranking: AnyArray | None = None  # of each row, if rows of a ranking do not stand together yet

    @property
    def is_single(self) -> bool:
        """Whether there is a single ranking."""
        return self.offsets.size == 2

    def flat(self) -> tuple[BoolArray, AnyArray, FloatArray | None]:
        """Return labels, scores and weights as vectors."""
        weight = None if self.weight is None else self.weight.reshape(-1)
        return self.positive.reshape(-1), self.score.reshape(-1), weight

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        assert self.weight is not None, "weights"
        of_positives = self.weight[self.positive]
        if self.is_single:  # a plain sort is enough, without the numbers of rankings
            return np.asarray(np.sort(of_positives)[::-1][: int(depth[0])].sum(keepdims=True))
        ranking = np.searchsorted(self.offsets, np.flatnonzero(self.positive), side="right") - 1
        heaviest_first = np.lexsort((-of_positives, ranking))
        # `ranking` rises, so the search finds where each ranking begins, and the place counts from there.
        place = np.arange(ranking.size) - np.searchsorted(ranking, ranking)
        counted = heaviest_first[place < depth[ranking]]
        return np.bincount(ranking[counted], of_positives[counted], depth.size).astype(np.float64)


def together(rows: Rows) -> Rows:
    """Bring the rows of each ranking together, in their order."""
    if rows.ranking is None:
        return rows
    # One sort of (ranking, row) in one integer is several times as fast as a stable argsort of the rankings.
    bits = rows.ranking.size.bit_length()
    order = rows.ranking.astype(np.int64) << bits | np.arange(rows.ranking.size)
    order.sort()
    order &= (1 << bits) - 1
    weight = None if rows.weight is None else rows.weight[order]
    return Rows(rows.positive[order], rows.score[order], weight, rows.offsets)


class OperatingPoints(NamedTuple):
    """Every operating point of a single ranking, lowest threshold first."""

    threshold: AnyArray
    tp: FloatArray  # weight of the positives at or above it
    retrieved: FloatArray  # weight of all samples at or above it


class Kernel:
    """Rows that were sorted once, and their steps. Callers must not depend on how they were sorted.

    The methods here are for rows of weight 1, without scores. This is not an abstract class of
    :mod:`abc`, whose ``isinstance`` takes half a microsecond of a short call.
    """

    found_weight: FloatArray  # weight of the positives of each ranking
    total_weight: FloatArray  # weight of all samples of each ranking

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        raise NotImplementedError

    def reduce(self, reduction: Reduction) -> FloatArray:
        """Return the sum or the greatest value of the steps of each ranking, or the values of all steps."""
        best, totals = Envelope(), np.zeros(self.found_weight.size)
        each: list[FloatArray] = []
        for steps in self.blocks():
            values = reduction.values_of(steps, best)
            if reduction.combine == "sum":
                add_up(totals, steps, values)
            elif reduction.combine == "each":
                each.append(values)
            else:
                # A long ranking takes several blocks: its best step so far is compared with later ones.
                in_block = np.maximum.reduceat(values, steps.start)
                totals[steps.ranking] = np.maximum(totals[steps.ranking], in_block)
            del steps, values  # the next block needs their room
        return side_by_side(each) if reduction.combine == "each" else totals

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group gives its share."""
        return np.minimum(depth, self.total_weight)

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only negatives have."""
        raise TypeError(
            "operating points require the scores of all rows of a single ranking, which are not kept here; "
            f"got {self.found_weight.size} rankings."
        )


def side_by_side(values: list[FloatArray]) -> FloatArray:
    """Return the columns of all blocks; without blocks, there are none."""
    return np.concatenate(values, axis=1) if values else np.empty((0, 0))


class WeightedRows(Protocol):
    """Rows whose weights differ, or the sums that stand for them."""

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""


class Rankings(NamedTuple):
    """All rankings of a call: their totals, and the kernel that yields their steps.

    The rows themselves are kept only if they have weights, for `heaviest_positives`: without weights, they
    would take memory for nothing.
    """

    kernel: Kernel
    offsets: IntArray  # where each ranking begins
    weighted_rows: WeightedRows | None
    found_weight: FloatArray  # weight of the positives of each ranking
    n_positives: FloatArray  # the same or, if the caller passed a total, that total
    dropped_weight: FloatArray | float = 0.0  # of the rows that a cut did not pass to the kernel

    @property
    def weighted(self) -> bool:
        """Whether weights differ inside a ranking."""
        return self.weighted_rows is not None

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows of each ranking."""
        return (self.offsets[1:] - self.offsets[:-1]).astype(np.float64)

    @property
    def total_weight(self) -> FloatArray:
        """Weight of all samples of each ranking."""
        return self.kernel.total_weight + self.dropped_weight

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return self.kernel.blocks()

    def total(self, gain: Callable[..., FloatArray], *, enveloped: bool = False) -> FloatArray:
        """Add up what each step gains, ranking by ranking; `gain` is the `value` of a `Reduction`."""
        return self.kernel.reduce(Reduction(gain, "sum", enveloped))

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group gives its share."""
        return self.kernel.weight_of_best(depth)

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives of each ranking."""
        if self.weighted_rows is None:
            return np.minimum(depth, self.found_weight)
        return self.weighted_rows.heaviest_positives(depth)


def share_of_positives(gain: Callable[[Steps], FloatArray], rankings: Rankings) -> FloatArray:
    """Return what all steps gain, divided by the positives, found or missed."""
    return ratio(rankings.total(gain), rankings.n_positives)


class Curve(NamedTuple):
    """A single ranking, and its operating points."""

    ranking: Rankings
    points: OperatingPoints


def curve_of(ranking: Rankings) -> Curve:
    """Return a single ranking of all its rows with its operating points."""
    return Curve(ranking, ranking.kernel.points())


def rows_reaching(threshold: AnyArray, score: AnyArray) -> FloatArray:
    """Return how many rows have each score or more; the sums of a curve with weights do not contain it."""
    return (score.size - np.sort(score).searchsorted(threshold)).astype(np.float64)
