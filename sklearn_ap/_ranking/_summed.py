"""Sums of weights: kernels of rows in order, and the plain order, one lexsort for every case.

A sum runs from the best row of a ranking down, while rows stand worst first, so each block is added up
backwards, from the last block to the first. All weights must be above 0: a row is then one number, its
weight, negated for negatives. A separate label would take one more byte per row, and one more gather.

The lexsort accepts every dtype that numpy can order, any weights and any layout. Tests compare the faster
kernels with it.
"""

from collections.abc import Callable, Iterator

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray, TieOrder
from ._blocks import BLOCK_ROWS, blocks_of, rankings_between, running, whole_rankings
from ._rankings import Kernel, OperatingPoints, Rows
from ._steps import SINGLE_RANKING, Steps, add_up


class SummedKernel(Kernel):
    """Rows sorted by ranking and then by score, worst first.

    `signed` are the weights in this order, negated for negatives, and are overwritten. `starts_group` marks
    where tied groups start. The unsorted scores of `rows` are kept for thresholds; with `keep`, a copy of the
    weights is kept, too.
    """

    def __init__(
        self,
        signed: FloatArray,
        starts_group: BoolArray,
        rows: Rows,
        block_rows: int = BLOCK_ROWS,
        *,
        keep: bool = False,
    ) -> None:
        self.signed = signed.copy() if keep else None
        self._offsets, self._score = rows.offsets, rows.score
        # Without ties, a single True stands for all rows, which saves a byte per row.
        self._starts_group = np.broadcast_to(True, signed.size) if starts_group.all() else starts_group
        self._blocks = list(_blocks_inside(rows.offsets, block_rows))
        # The weight at or above each row: of positives, with a 0 behind the last row, and of all samples.
        self._tp, self._retrieved = np.zeros(signed.size + 1), signed
        for low, high in reversed(self._blocks):
            self._add_up(low, high, block_rows)
        filled = rows.offsets[1:] > rows.offsets[:-1]
        first = rows.offsets[:-1][filled]
        self.found_weight, self.total_weight = np.zeros(filled.size), np.zeros(filled.size)
        self.found_weight[filled], self.total_weight[filled] = self._tp[first], self._retrieved[first]

    def _add_up(self, low: int, high: int, block_rows: int) -> None:
        """Turn the weights of a block into sums; those of the block after it are known."""
        rankings, bounds = rankings_between(self._offsets, low, high)
        best_first = self._retrieved[low:high][::-1]
        # A complex number contains both sums: its additions take half the time of two real ones.
        weights = np.empty(best_first.size, dtype=complex)
        np.abs(best_first, out=weights.real)
        np.maximum(best_first, 0.0, out=weights.imag)
        sums = running(np.add, weights, np.diff(bounds)[::-1], weights, block_rows)[::-1]
        if self._offsets[rankings.stop] > high:  # the last ranking goes on after the block
            sums[bounds[-2] :] += complex(self._retrieved[high], self._tp[high])
        self._retrieved[low:high], self._tp[low:high] = sums.real, sums.imag

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return self._groups(with_positives=True)

    def _groups(self, *, with_positives: bool) -> Iterator[Steps]:
        """Yield the tied groups as steps, block by block, all or only those with a positive."""
        for low, high in self._blocks:
            starts = self._starts_group[low:high]
            if starts.any():
                rest = self._starts_group[high:]  # the last group may go on in the blocks after this one
                after_last = high + int(rest.argmax()) if rest.any() else self._starts_group.size
                if self._offsets.size == 2 and after_last == high and starts.all():
                    steps = self._untied_steps(low, high, with_positives=with_positives)
                else:
                    steps = self._steps(low, high, after_last, with_positives=with_positives)
                if steps.start.size:
                    yield steps
                del steps  # the next block needs its room

    def _untied_steps(self, low: int, high: int, *, with_positives: bool) -> Steps:
        """Return the rows of a block of a single ranking as steps: slices of the sums take no memory."""
        tp, tp_above = self._tp[low:high], self._tp[low + 1 : high + 1]
        groups = (tp > tp_above).nonzero()[0] if with_positives else np.arange(tp.size)
        rows = self._retrieved.size - low  # at or above the first row of the block
        return Steps(
            tp.take(groups),
            tp_above.take(groups),
            self._retrieved[low:high].take(groups),
            lambda: np.append(self._retrieved[low + 1 : high + 1], 0.0).take(groups),
            start=SINGLE_RANKING[: groups.size],
            rows=(
                lambda: np.subtract(rows, groups, dtype=np.float64),
                lambda: np.subtract(rows - 1, groups, dtype=np.float64),
            ),
        )

    def _steps(self, low: int, high: int, after_last: int, *, with_positives: bool) -> Steps:
        """Return the tied groups that start in a block as steps; `after_last` starts the next one.

        Sums run from the best row of a ranking down, so those at the start of the next group are the
        sums above this group. The best group of a ranking has no group above it: its sums above are 0.
        """
        rankings, bounds = rankings_between(self._offsets, low, high)
        starts, ends = self._starts_group[low:high], self._offsets[rankings.start + 1 : rankings.stop + 1]
        bounds += low
        first = low + starts.nonzero()[0]
        after = np.append(first[1:], after_last)
        inside = after < _spread(ends, first, bounds)  # whether the next group is of the same ranking
        tp, tp_above = self._tp.take(first), np.where(inside, self._tp.take(after), 0.0)
        if with_positives:  # a positive too light for the sums gains nothing
            gains = (tp > tp_above).nonzero()[0]
            first, after, tp, tp_above = first[gains], after[gains], tp[gains], tp_above[gains]
        stop = _spread(ends, first, bounds)
        step_bounds = np.searchsorted(first, bounds)
        with_steps = (step_bounds[1:] > step_bounds[:-1]).nonzero()[0]
        return Steps(
            tp,
            tp_above,
            self._retrieved.take(first),
            lambda: np.where(after < stop, self._retrieved.take(after, mode="clip"), 0.0),
            rankings.start + with_steps,
            step_bounds[with_steps],
            (
                lambda: np.subtract(stop, first, dtype=np.float64),
                lambda: np.subtract(stop, np.minimum(after, stop), dtype=np.float64),
            ),
        )

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only negatives have."""
        groups = list(self._groups(with_positives=False))
        return OperatingPoints(
            threshold=np.unique(self._score),
            tp=np.concatenate([steps.tp for steps in groups]),
            retrieved=np.concatenate([steps.retrieved for steps in groups]),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group gives its share."""
        weight = np.zeros(self.found_weight.size)
        for steps in self._groups(with_positives=False):
            add_up(weight, steps, steps.share_within(depth) * steps.group_weight)
            del steps  # the next block needs its room
        return weight


def _blocks_inside(offsets: IntArray, block_rows: int) -> Iterator[tuple[int, int]]:
    """Cut rows into blocks that depend on each ranking alone: whole ones, or parts of a long one."""
    for first, stop in whole_rankings(offsets, block_rows):
        begin, end = offsets[[first, stop]].tolist()
        if stop - first > 1:
            yield begin, end
        else:
            yield from (
                (begin + part.start, begin + part.stop) for part in blocks_of(end - begin, block_rows)
            )


def _spread(values: IntArray, first: IntArray, bounds: IntArray) -> IntArray:
    """Repeat one value per ranking for each of its tied groups; the value of a single ranking broadcasts."""
    return values if values.size == 1 else np.repeat(values, np.diff(np.searchsorted(first, bounds)))


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
