"""A lone ranking of rows with weights that comes in parts: sums of weights that were added up elsewhere.

A part is a range of scores, or all steps at once. It holds what is at or above each step in the whole
ranking, so a reduction sees the steps that it would see if all rows were in memory. Sums keep what each
addition rounds away, since parts are added in another order than rows in memory.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Self

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of
from ._class_weights import ClassWeightKernel
from ._rankings import OperatingPoints, Rankings
from ._steps import Steps

__all__ = [
    "AboveRange",
    "ClassRows",
    "Weighed",
    "WeighedRankings",
    "WeighedTotals",
    "from_each_on",
    "rank_weighed",
    "two_sum",
    "weighed_by_class",
    "weighed_range",
    "weighed_table",
    "weight_of_best",
]

_MOST = 2.0**400  # products of sums up to here do not overflow


class ClassRows(NamedTuple):
    """The rows of a class in a range: scores in ascending order, and their weights."""

    score: AnyArray
    weight: FloatArray


class AboveRange(NamedTuple):
    """What stands above a range of scores."""

    positives: float  # weight
    negatives: float
    n_rows: int


class Weighed(NamedTuple):
    """Steps of a lone ranking, worst first: what is at or above each of them, and above it."""

    tp: FloatArray
    tp_above: FloatArray
    negatives: FloatArray  # weight
    negatives_above: FloatArray
    n_rows: AnyArray
    n_rows_above: AnyArray

    def part(self, rows: slice | AnyArray) -> "Weighed":
        """Return some of the steps."""
        return Weighed(*(values[rows] for values in self))


class WeighedTotals(NamedTuple):
    """Totals of all rows, and the weights of some of them, which are looked up when they are asked for."""

    positives: float  # weight
    negatives: float
    n_rows: int
    weight_of_best: Callable[[int], float]  # of so many first rows; a tied group gives its share
    heaviest_positives: Callable[[int], float]  # summed weight of so many


def two_sum(one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums, and exactly what they were rounded by (Knuth)."""
    with np.errstate(over="ignore", invalid="ignore"):  # callers refuse infinite sums
        sums = one + other
        of_other = sums - one
        return sums, (one - (sums - of_other)) + (other - of_other)


def from_each_on(weight: FloatArray) -> FloatArray:
    """Return the sum of the weights from each on to the last, each rounded about once; after them, 0."""
    sums = np.zeros(weight.size + 1)
    np.add.accumulate(weight[::-1], out=sums[-2::-1])
    # Sums round to 1e-14 in a million rows, and thresholds of precision would tell.
    _, rounded = two_sum(sums[1:], weight)
    sums[:-1] += np.add.accumulate(rounded[::-1])[::-1]
    np.maximum.accumulate(sums[::-1], out=sums[::-1])
    return sums


def weighed_range(
    positive: ClassRows,
    negative: ClassRows,
    above: AboveRange,
    at_or_above: float,
    left_out_above: Callable[[AnyArray], tuple[IntArray, FloatArray]] | None = None,
) -> Weighed:
    """Return the steps of a range of scores with positives.

    `at_or_above` is the weight of the positives in the range and above it. `left_out_above` tells how many
    negatives of the range that are not among its rows are above each of some scores, and what they weigh.
    """
    starts = np.append(True, positive.score[1:] != positive.score[:-1])
    first = np.flatnonzero(starts)
    distinct = positive.score[first]
    n_positives = positive.score.size - np.append(first, positive.score.size)
    tp = from_each_on(positive.weight)[np.append(first, positive.score.size)] + above.positives
    # Neighbouring ranges agree on what is between them, and the worst one on the total.
    np.minimum(tp, at_or_above, out=tp)
    tp[0] = at_or_above
    weights = from_each_on(negative.weight)
    weight_left_out: FloatArray | float = 0.0
    rows_left_out: IntArray | int = 0
    if left_out_above is not None:
        rows_left_out, weight_left_out = left_out_above(distinct)
    counts = []
    for side, of_class in (("left", n_positives[:-1]), ("right", n_positives[1:])):
        place = negative.score.searchsorted(distinct, side)  # type: ignore[call-overload]  # of two words
        of_negatives = weights[place] + weight_left_out + above.negatives
        n_rows = of_class + (negative.score.size - place) + rows_left_out + above.n_rows
        counts.append((of_negatives, n_rows))
    (negatives, n_rows), (negatives_above, n_rows_above) = counts
    steps = Weighed(tp[:-1], tp[1:], negatives, negatives_above, n_rows, n_rows_above)
    gains = steps.tp > steps.tp_above
    return steps if gains.all() else steps.part(gains)


def weight_of_best(one: ClassRows, other: ClassRows, depth: int) -> float:
    """Return the weight of the first `depth` rows of both classes; a tied group gives its share."""
    score, weight = np.concatenate((one.score, other.score)), np.concatenate((one.weight, other.weight))
    order = score.argsort(kind="stable")
    in_order, sums = score[order], from_each_on(weight[order])
    last = in_order[score.size - depth]
    first, after = (int(in_order.searchsorted(last, side)) for side in ("left", "right"))
    share = (depth - (score.size - after)) / (after - first)
    return float(sums[after] + share * (sums[first] - sums[after]))


def weighed_table(parts: Iterable[Weighed]) -> Weighed:
    """Return the steps of all parts at once."""
    return Weighed(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def rank_weighed(parts: Callable[[], Iterable[Weighed]], totals: WeighedTotals) -> "WeighedRankings":
    """Rank rows whose weights differ, from steps that `parts` yields as often as it is called."""
    kernel = _WeighedKernel(parts, totals)
    return _rankings(kernel, totals.n_rows, kernel.n_found)


def weighed_by_class(counted: Rankings, of_positives: float, of_negatives: float) -> "WeighedRankings":
    """Return a lone ranking that was counted, with these weights of its positives and its negatives."""
    kernel = _ByClassKernel(counted, np.array([of_positives]), np.array([of_negatives]))
    # The kernel may lack the rows after a cut, so the totals are those of the ranking.
    return _rankings(kernel, int(counted.n_rows[0]), counted.n_found * of_positives)


def _rankings(
    kernel: "_WeighedKernel | _ByClassKernel", n_rows: int, n_found: FloatArray
) -> "WeighedRankings":
    return WeighedRankings(kernel, np.array((0, n_rows)), None, n_found, n_found)


class WeighedRankings(Rankings):
    """A lone ranking whose weights differ, and whose rows are not held."""

    __slots__ = ()

    @property
    def weighted(self) -> bool:
        """Whether weights differ inside a ranking."""
        return True

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        return self._kernel.heaviest_positives(depth)

    def at_prevalence(self, prevalence: float | None) -> "WeighedRankings":
        """Return the ranking with this share of positives."""
        negatives = self._kernel.of_negatives
        if prevalence is None or not negatives or not self.n_found[0]:
            return self
        factor = self.n_positives.item() * ((1.0 - prevalence) / prevalence) / negatives
        if not 1 / _MOST <= factor <= _MOST:
            raise ValueError(
                f"prevalence={prevalence!r} would multiply the weights of negatives by {factor!r} here; use "
                "weights and a prevalence that leave this factor between 2**-400 and 2**400."
            )
        return self._replace(kernel=self._kernel.multiplied(factor))

    @property
    def _kernel(self) -> "_WeighedKernel | _ByClassKernel":
        assert isinstance(self.kernel, _WeighedKernel | _ByClassKernel), self.kernel
        return self.kernel


class _WeighedKernel:
    """Steps that come in parts; the weights of negatives are multiplied by a factor."""

    def __init__(
        self, parts: Callable[[], Iterable[Weighed]], totals: WeighedTotals, factor: float = 1.0
    ) -> None:
        self._parts, self._totals, self._factor = parts, totals, factor
        self.of_negatives = factor * totals.negatives
        self.n_found = np.array([totals.positives])
        self.n_samples = self.n_found + self.of_negatives

    def multiplied(self, factor: float) -> Self:
        """Return the kernel with the weights of negatives multiplied."""
        return type(self)(self._parts, self._totals, self._factor * factor)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps. May be called again."""
        for steps in self._parts():
            for block in blocks_of(steps.tp.size, BLOCK_ROWS):
                yield _steps_of(steps.part(block), self._factor)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group gives its share."""
        n_rows = int(min(depth.item(), self._totals.n_rows))
        return np.array([self._totals.weight_of_best(n_rows)])

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        n_rows = int(min(depth.item(), self._totals.n_rows))
        return np.array([self._totals.heaviest_positives(n_rows)])

    def points(self) -> OperatingPoints:
        """Raise TypeError: the scores of negatives are not known."""
        raise TypeError("operating points need the scores of negatives, which were added up.")


class _ByClassKernel(ClassWeightKernel):
    """Counts, multiplied by the weight of a positive and of a negative."""

    def __init__(self, counted: Rankings, of_positives: FloatArray, of_negatives: FloatArray) -> None:
        super().__init__(counted.kernel, of_positives, of_negatives)
        self._each = counted, of_positives, of_negatives
        self.of_negatives = ((counted.n_rows - counted.n_found) * of_negatives).item()

    def multiplied(self, factor: float) -> Self:
        """Return the kernel with the weights of negatives multiplied."""
        counted, of_positives, of_negatives = self._each
        return type(self)(counted, of_positives, of_negatives * factor)

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        counted, of_positives, _ = self._each
        return np.minimum(depth, counted.n_found) * of_positives


def _steps_of(steps: Weighed, factor: float) -> Steps:
    retrieved, above = steps.tp + steps.negatives * factor, steps.tp_above + steps.negatives_above * factor
    rows = steps.n_rows.astype(np.float64), steps.n_rows_above.astype(np.float64)
    return Steps(steps.tp, steps.tp_above, retrieved, above, rows=rows)
