"""Rows as sums: by distinct score, by bin of scores, or by step. A count is a weight of 1.

This is the form in which a ranking leaves memory. Sums of integers count rows and are exact; sums of floats
keep what each addition rounds away, since parts are added in another order than rows in memory. An area
sees the steps that it would see if all rows were in memory, since each step holds what is at or above it in
the whole ranking.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray, TieOrder
from ._blocks import BLOCK_ROWS, blocks_of, starts_of_runs
from ._class_weights import ClassWeightKernel
from ._rank import rank
from ._rankings import Kernel, Rankings, Rows
from ._steps import Steps

_MOST = 2.0**400  # products of sums up to here do not overflow


def two_sum(one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums and their exact rounding errors (Knuth)."""
    with np.errstate(over="ignore", invalid="ignore"):  # callers refuse infinite sums
        sums = one + other
        of_other = sums - one
        return sums, (one - (sums - of_other)) + (other - of_other)


def from_each_on(values: AnyArray) -> AnyArray:
    """Return the sum of counts or weights from each on to the last, rounded about once; after them, 0."""
    counts = values.dtype.kind == "i"
    sums: AnyArray = np.zeros(values.size + 1, dtype=np.int64 if counts else np.float64)
    np.add.accumulate(values[::-1], out=sums[-2::-1])
    if counts:
        return sums
    # Sums round to 1e-14 in a million rows, and thresholds of precision would tell.
    _, rounded = two_sum(sums[1:], values)
    sums[:-1] += np.add.accumulate(rounded[::-1])[::-1]
    # A correction may exceed a light weight; sums must not fall as rows are added.
    np.maximum.accumulate(sums[::-1], out=sums[::-1])
    return sums


class StepTable(NamedTuple):
    """Steps of a lone ranking, worst first, with the rows at or above each step and the rows above it."""

    tp: FloatArray
    tp_above: FloatArray
    negatives: AnyArray  # their weight, or their number
    negatives_above: AnyArray
    n_rows: AnyArray | None = None  # None where each row weighs 1
    n_rows_above: AnyArray | None = None

    def part(self, steps: slice | AnyArray) -> "StepTable":
        """Return some of the steps."""
        kept: list[AnyArray] = [values[steps] for values in self if values is not None]
        return StepTable(*kept)

    def gaining(self) -> "StepTable":
        """Return the steps whose positives do not vanish in the sum."""
        gains = self.tp > self.tp_above
        return self if gains.all() else self.part(gains)

    def multiplied(self, factor: float) -> "StepTable":
        """Return the steps with the weights of negatives multiplied."""
        if factor == 1:
            return self
        return self._replace(negatives=self.negatives * factor, negatives_above=self.negatives_above * factor)

    def steps(self) -> Steps:
        """Return the block that areas see."""
        n_rows, n_rows_above, rows = self.n_rows, self.n_rows_above, None
        if n_rows is not None and n_rows_above is not None:
            rows = (lambda: n_rows.astype(np.float64), lambda: n_rows_above.astype(np.float64))
        return Steps(
            self.tp,
            self.tp_above,
            self.tp + self.negatives,
            lambda: self.tp_above + self.negatives_above,
            rows=rows,
        )


class Totals(NamedTuple):
    """Totals of all rows. Without the functions, each row weighs 1."""

    positives: float  # weight
    negatives: float
    n_rows: int
    # They are called when a number asks for them, since they may need a scan.
    weight_of_best: Callable[[int], float] | None = None  # of the first n rows; a tied group gives its share
    heaviest_positives: Callable[[int], float] | None = None  # the summed weight of the n heaviest


class TableKernel(Kernel):
    """Steps that come in parts, the worst first; the weights of negatives are multiplied by a factor."""

    def __init__(self, parts: Callable[[], Iterable[StepTable]], totals: Totals) -> None:
        self._parts, self._totals = parts, totals
        self.n_found = np.array([totals.positives], dtype=np.float64)
        self._set_factor(1.0)

    def _set_factor(self, factor: float) -> None:
        self._factor, self.of_negatives = factor, factor * self._totals.negatives
        self.n_samples = self.n_found + self.of_negatives

    def ranking(self) -> Rankings:
        """Return the lone ranking of these steps."""
        weighted = None if self._totals.weight_of_best is None else self
        return Rankings(self, np.array((0, self._totals.n_rows)), weighted, self.n_found, self.n_found)

    def at_prevalence(self, ranking: Rankings, prevalence: float | None) -> Rankings:
        """Return the ranking of these steps, whose weights differ, with this share of positives."""
        multiplied = copy(self)  # of any subclass
        multiplied._set_factor(self._factor * _factor(ranking, prevalence, self.of_negatives))
        return ranking._replace(kernel=multiplied)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps. May be called again."""
        for steps in self._parts():
            for block in blocks_of(steps.tp.size, BLOCK_ROWS):
                yield steps.part(block).multiplied(self._factor).steps()

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group gives its share."""
        if self._totals.weight_of_best is None:
            return super().weight_of_best(depth)
        return np.array([self._totals.weight_of_best(int(min(depth.item(), self._totals.n_rows)))])

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        if self._totals.heaviest_positives is None:
            return np.minimum(depth, self.n_found)
        return np.array([self._totals.heaviest_positives(int(min(depth.item(), self._totals.n_rows)))])


class ByClassKernel(ClassWeightKernel):
    """A lone ranking that was counted, with the weight of a positive and of a negative."""

    def __init__(self, counted: Rankings, of_positives: float, of_negatives: float) -> None:
        super().__init__(counted.kernel, np.array([of_positives]), np.array([of_negatives]))
        self._each = counted, of_positives, of_negatives

    def ranking(self) -> Rankings:
        """Return the ranking. The kernel may lack rows after a cut, so totals count all rows."""
        counted, of_positives, _ = self._each
        n_found = counted.n_found * of_positives
        return Rankings(self, counted.offsets, self, n_found, n_found)

    def at_prevalence(self, ranking: Rankings, prevalence: float | None) -> Rankings:
        """Return the ranking with this share of positives."""
        counted, of_positives, of_negatives = self._each
        factor = _factor(ranking, prevalence, ((counted.n_rows - counted.n_found) * of_negatives).item())
        return ranking._replace(kernel=ByClassKernel(counted, of_positives, of_negatives * factor))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        counted, of_positives, _ = self._each
        return np.minimum(depth, counted.n_found) * of_positives


def _factor(ranking: Rankings, prevalence: float | None, of_negatives: float) -> float:
    """Return what multiplies the weights of negatives, so that positives are a share of the ranking.

    They are multiplied before they are added to positives: a difference of sums would lose light ones.
    """
    if prevalence is None or not of_negatives or not ranking.n_found[0]:
        return 1.0
    factor: float = ranking.n_positives.item() * ((1.0 - prevalence) / prevalence) / of_negatives
    if not 1 / _MOST <= factor <= _MOST:
        raise ValueError(
            f"prevalence={prevalence!r} would multiply the weights of negatives by {factor!r} here; use "
            "weights and a prevalence that leave this factor between 2**-400 and 2**400."
        )
    return factor


class Table(NamedTuple):
    """Sums by distinct score, in ascending order: of positives first, then of negatives."""

    score: AnyArray
    rows: IntArray  # of shape (2, n_scores)
    # Of shape (2, 2, n_scores): sums of weights, and what they were rounded by. None: each row weighs 1.
    weights: FloatArray | None = None

    @classmethod
    def of_rows(cls, positive: BoolArray, score: AnyArray, weight: FloatArray | None, depth: int) -> "Table":
        """Return the sums of the first `depth` rows and of all rows tied with the last one."""
        if depth < score.size:
            first = score >= np.partition(score, score.size - depth)[score.size - depth]
            positive, score = positive[first], score[first]
            weight = None if weight is None else weight[first]
        order = score.argsort(kind="stable")
        # One sort serves both classes: a class of its own would be sorted, and looked up in the other.
        score, positive = score[order], positive[order]
        first = starts_of_runs(score)
        n_positives = np.add.reduceat(positive, first, dtype=np.int64)
        rows = np.stack((n_positives, np.diff(first, append=score.size) - n_positives))
        if weight is None:
            return cls(score[first], rows)
        weights = np.add.reduceat(np.stack((positive, ~positive)) * weight[order], first, axis=1)
        return cls(score[first], rows, np.stack((weights, np.zeros_like(weights))))

    def _weighed(self) -> FloatArray:
        """Return the weights; each row weighs 1 where there are none."""
        if self.weights is not None:
            return self.weights
        return np.stack((self.rows, np.zeros_like(self.rows)), dtype=np.float64)

    def joined(self, other: "Table", depth: int) -> "Table":
        """Return the sums of the first `depth` rows of both tables and of all rows tied with the last one."""
        score = np.concatenate((self.score, other.score))
        order = score.argsort(kind="stable")
        score = score[order]
        is_new = np.append(True, score[1:] != score[:-1])
        first = np.flatnonzero(is_new)
        rows = np.add.reduceat(np.concatenate((self.rows, other.rows), axis=1)[:, order], first, axis=1)
        # A score stays if fewer rows than `depth` are above it: with ties, more rows than `depth` may stay.
        kept = from_each_on(rows.sum(axis=0))[1:] < depth
        table = Table(score[first][kept], rows[:, kept])
        if self.weights is None and other.weights is None:
            return table
        both = np.concatenate((self._weighed(), other._weighed()), axis=2)[:, :, order]
        return table._replace(weights=_added_in_pairs(both, is_new)[:, :, kept])

    @property
    def sums(self) -> AnyArray:
        """Counts, or weights that are rounded once."""
        return self.rows if self.weights is None else self.weights.sum(axis=0)

    def steps(self) -> StepTable:
        """Return the steps with a positive."""
        tp, negatives = map(from_each_on, self.sums)
        # A positive too light to change the sum gains nothing in memory either.
        kept = np.flatnonzero(tp[:-1] > tp[1:])
        tp = tp.astype(np.float64)
        steps = StepTable(tp[kept], tp[kept + 1], negatives[kept], negatives[kept + 1])
        if self.weights is None:
            return steps
        n_rows = from_each_on(self.rows.sum(axis=0))
        return steps._replace(n_rows=n_rows[kept], n_rows_above=n_rows[kept + 1])

    def weight_of_best(self, depth: int) -> float:
        """Return the weight of the first `depth` rows; a tied group gives its share."""
        n_rows, of_score = from_each_on(self.rows.sum(axis=0)), self.sums.sum(axis=0)
        # How many rows of each score are among the first: all, none, or some of the last one.
        within = np.clip(depth - n_rows[1:], 0, n_rows[:-1] - n_rows[1:])
        return float(from_each_on(of_score * (within / (n_rows[:-1] - n_rows[1:])))[0])

    def counted(self, totals: Totals, depth: int, tie_order: TieOrder | None) -> Rankings:
        """Rank rows that weigh the same: the first `depth` are right, and totals count all rows."""
        ranking = TableKernel(partial(iter, (self._replace(weights=None).steps(),)), totals).ranking()
        if tie_order is None:
            return ranking
        # Only `depth` rows per class and score can be among the first.
        counts = np.minimum(self.rows.reshape(-1), depth)
        score = np.repeat(np.tile(self.score, 2), counts)
        positive = np.repeat(np.arange(counts.size) < self.score.size, counts)
        rows = Rows(positive, score, None, np.array((0, score.size)))
        return ranking._replace(kernel=rank(rows, tie_order=tie_order).kernel)


def _added_in_pairs(weights: FloatArray, is_new: BoolArray) -> FloatArray:
    """Add the weights of equal scores, and keep the rounding errors; no score stands thrice."""
    first, second = np.flatnonzero(is_new), np.flatnonzero(~is_new)
    group = np.cumsum(is_new)[second] - 1
    sums, rounded = weights[:, :, first]
    sums[:, group], lost = two_sum(sums[:, group], weights[0][:, second])
    rounded[:, group] += weights[1][:, second] + lost
    return np.stack((sums, rounded))


class ClassRows(NamedTuple):
    """The rows of a class in a range: scores in ascending order, and their weights."""

    score: AnyArray
    weight: FloatArray


class AboveRange(NamedTuple):
    """What stands above a range of scores."""

    positives: float  # weight
    negatives: float
    n_rows: int


def steps_of_range(
    positive: ClassRows,
    negative: ClassRows,
    above: AboveRange,
    at_or_above: float,
    left_out_above: Callable[[AnyArray], list[AnyArray]],
) -> StepTable:
    """Return the steps of a range of scores with positives.

    `at_or_above` is the weight of the positives in the range and above it. `left_out_above` returns how many
    negatives of the range that are not among its rows are above each score, and what they weigh; or nothing.
    """
    first = starts_of_runs(positive.score)
    distinct = positive.score[first]
    n_positives = positive.score.size - np.append(first, positive.score.size)
    tp = from_each_on(positive.weight)[np.append(first, positive.score.size)] + above.positives
    # Neighbouring ranges agree on what is between them, and the worst one on the total.
    np.minimum(tp, at_or_above, out=tp)
    tp[0] = at_or_above
    # Sums are looked up by place instead of added per step: one search per distinct score of a positive.
    weights = from_each_on(negative.weight)
    rows_left_out, weight_left_out = left_out_above(distinct) or (0, 0.0)
    counts = []
    first_tied = negative.score.searchsorted(distinct)
    after_tied = first_tied.copy()  # a second search of all scores would take as long as the first
    within = np.flatnonzero(first_tied < negative.score.size)
    tied = within[negative.score[first_tied[within]] == distinct[within]]
    after_tied[tied] = negative.score.searchsorted(distinct[tied], "right")
    for place, of_class in ((first_tied, n_positives[:-1]), (after_tied, n_positives[1:])):
        of_negatives = weights[place] + weight_left_out + above.negatives
        n_rows = of_class + (negative.score.size - place) + rows_left_out + above.n_rows
        counts.append((of_negatives, n_rows))
    (negatives, n_rows), (negatives_above, n_above) = counts
    return StepTable(tp[:-1], tp[1:], negatives, negatives_above, n_rows, n_above).gaining()


def weight_of_best(one: ClassRows, other: ClassRows, depth: int) -> float:
    """Return the weight of the first `depth` rows of both classes; a tied group gives its share."""
    score, weight = np.concatenate((one.score, other.score)), np.concatenate((one.weight, other.weight))
    order = score.argsort(kind="stable")
    in_order, sums = score[order], from_each_on(weight[order])
    last = in_order[score.size - depth]
    first, after = (int(in_order.searchsorted(last, side)) for side in ("left", "right"))
    share = (depth - (score.size - after)) / (after - first)
    return float(sums[after] + share * (sums[first] - sums[after]))


def heaviest_of(weight: FloatArray, depth: int) -> FloatArray:
    """Return the `depth` greatest weights, the greatest first."""
    if depth < weight.size:
        weight = np.partition(weight, weight.size - depth)[weight.size - depth :]
    return np.sort(weight)[::-1]


def between_bins(
    score: AnyArray, weight: FloatArray | None, bins: IntArray, counts: IntArray, weights: FloatArray | None
) -> tuple[StepTable, StepTable]:
    """Return steps of positives among negatives that are known by their bins, in the worst and best order.

    The scores of positives are ascending, with their weights and the bin of each. The negatives of a bin are
    all above its positives in the worst order, and all below them in the best. Without weights, each row
    weighs 1.
    """
    first = starts_of_runs(score)
    # Below its positives (best) means from the next bin on; above them (worst) includes the bin itself.
    place, of_step = np.append(first, score.size), bins[first]
    n_positives, n_not_below = score.size - place, from_each_on(counts)
    if weight is None or weights is None:
        tp, not_below = n_positives.astype(np.float64), n_not_below
    else:
        tp, not_below = from_each_on(weight)[place], from_each_on(weights)

    def among(bin_: IntArray) -> StepTable:
        negatives, n_negatives = not_below[bin_], n_not_below[bin_]
        steps = StepTable(tp[:-1], tp[1:], negatives, negatives)
        if weight is None:
            return steps
        n_rows = n_positives[:-1] + n_negatives
        return steps._replace(n_rows=n_rows, n_rows_above=n_positives[1:] + n_negatives).gaining()

    return among(of_step), among(of_step + 1)
