"""A lone ranking whose scores are held class by class: sorted on their own, and merged when it is ranked.

Scores of one class take 4 or 8 bytes each, whatever their range, and parts of a ranking are added by
concatenation. The steps are those of `rank` for the same rows in one array, block for block.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray, TieOrder
from ._blocks import LONE_ROWS, blocks_of, starts_of_runs
from ._cut import cut_depth
from ._keys import LOWEST_BIT, Packing, packing_of
from ._packed import PackedKernel
from ._rank import KEPT, RARE, rank
from ._rankings import Kernel, OperatingPoints, Rankings, Rows
from ._table import StepTable, TableKernel, Totals

_ROWS_PER_REQUESTED = 16  # with fewer rows, all of them are ranked
_FEW_TIES = 8  # with fewer rows per tied one, all are sorted by score and weight


def sorted_scores(scores: list[AnyArray], weights: list[FloatArray]) -> tuple[AnyArray, FloatArray | None]:
    """Return the scores of a class as one ascending array, and their weights, if there are any.

    Rows of equal score stand by weight, so the order of the parts is forgotten. The lists are emptied: parts
    that nobody else holds go one by one.
    """
    score = _concatenated(scores)
    if not weights:
        score.sort()
        return score, None
    weight = _concatenated(weights)
    order = _order_in_class(score, weight)
    return score.take(order), weight.take(order)


def _order_in_class(score: AnyArray, weight: FloatArray) -> IntArray:
    """Return the order by score and then by weight."""
    least, most = (score.min(), score.max()) if score.size else (0, 0)
    packing = packing_of(score, least, most)
    if packing is None:
        return np.lexsort((weight, score))
    # One sort of (score, row) in 64 bits: an argsort of a million scores takes two to five times as long.
    row_bits = score.size.bit_length()
    first, last = (packing.keys(np.array([least, most], dtype=score.dtype)) >> 1).tolist()
    cut = max((last - first).bit_length() + row_bits - 63, 0)  # low bits of scores that do not fit
    keys = np.empty(score.size, dtype=np.int64)
    for block in blocks_of(score.size):
        scores = (packing.keys(score[block]) >> 1).astype(np.int64, copy=False)
        scores -= first
        scores >>= cut
        scores <<= row_bits
        scores |= np.arange(block.start, block.stop)
        keys[block] = scores
    keys.sort()
    order = keys & ((1 << row_bits) - 1)
    keys >>= row_bits
    tied = keys[1:] == keys[:-1]
    if np.count_nonzero(tied) * _FEW_TIES > score.size:
        return np.lexsort((weight, score))
    # Only rows whose keys are equal need both: tied rows, and those that differ in the bits that were cut.
    places = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    rows = order[places]
    order[places] = rows[np.lexsort((weight[rows], score[rows]))]
    return order


def sorted_in_place(*classes: AnyArray) -> tuple[AnyArray, ...]:
    """Sort the scores of each class where they stand."""
    for score in classes:
        score.sort()
    return classes


def _concatenated(parts: list[AnyArray]) -> AnyArray:
    """Concatenate parts of the same type, and free each once it is copied."""
    joined = np.empty(sum(part.size for part in parts), dtype=parts[0].dtype)
    stop = joined.size
    while parts:
        part = parts.pop()
        joined[stop - part.size : stop] = part
        stop -= part.size
    return joined


class ByClass(NamedTuple):
    """The scores of positives and of negatives, each in ascending order and of the same type."""

    positive: AnyArray
    negative: AnyArray

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.positive.size + self.negative.size

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The lowest and the highest score."""
        filled = [scores for scores in self if scores.size]
        return min(scores[0] for scores in filled), max(scores[-1] for scores in filled)

    def rows(self) -> Rows:
        """Return the rows: positives first, then negatives."""
        positive = np.arange(self.n_rows) < self.positive.size
        return Rows(positive, np.concatenate(self), None, np.array((0, self.n_rows)))

    def pieces(self, n_rows: int) -> Iterator["ByClass"]:
        """Split into pieces of about `n_rows` rows per class, worst first; ties are never split."""
        edges = np.unique(np.concatenate([scores[n_rows::n_rows] for scores in self]))
        cuts = [np.concatenate(([0], one.searchsorted(edges), [one.size])).tolist() for one in self]
        for (low, high), (first, stop) in zip(*map(pairwise, cuts), strict=True):
            yield ByClass(self.positive[low:high], self.negative[first:stop])

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        threshold = np.concatenate(self)
        threshold.sort(kind="stable")  # two runs, which it merges
        threshold = threshold[starts_of_runs(threshold)]
        tp, retrieved = (np.empty(threshold.size) for _ in self)
        for block in blocks_of(threshold.size):
            tp[block], retrieved[block] = (
                one.size - one.searchsorted(threshold[block], "left") for one in self
            )
        retrieved += tp
        return OperatingPoints(threshold, tp, retrieved)

    def rankings(self, k: int | float | None, tie_order: TieOrder | None) -> Rankings:
        """Rank the rows; with `k`, look only at rows that can be among the first `k`."""
        n_rows = self.n_rows
        kernel: Kernel | None = None
        if k is not None and n_rows >= LONE_ROWS:
            depth = int(cut_depth(np.array([n_rows], dtype=np.float64), k)[0])
            kernel = self._first(depth, tie_order) if depth * _ROWS_PER_REQUESTED <= n_rows else None
        if kernel is None and tie_order is not None:
            kernel = rank(self.rows(), tie_order=tie_order).kernel
        n_found = np.array([self.positive.size], dtype=np.float64)
        return Rankings(kernel or self.whole(), np.array((0, n_rows)), None, n_found, n_found)

    def _first(self, depth: int, tie_order: TieOrder | None) -> Kernel | None:
        """Return the kernel of the first rows and their last tied group; None if these are most rows."""
        best = np.concatenate([scores[-depth:] for scores in self])
        reached = np.partition(best, best.size - depth)[best.size - depth]
        first = ByClass(*(scores[scores.searchsorted(reached) :] for scores in self))
        if first.n_rows > KEPT * self.n_rows:
            return None
        return rank(first.rows(), tie_order=tie_order).kernel

    def whole(self, left_out_above: Callable[[AnyArray], IntArray] | None = None) -> Kernel:
        """Return the kernel of all rows, with positives among them; equal scores are one step.

        `left_out_above` counts, for each score, the negatives above it that are not among the rows.
        """
        least, most = self.bounds
        if left_out_above is None and self.positive.size * RARE > self.n_rows and least < most:
            packing = packing_of(self.negative, least, most, self.positive)
            if packing is not None:
                keys = self._keys(packing)
                if packing.keeps_apart(keys, *self):
                    return PackedKernel.of_keys(keys, packing, self.negative.dtype, self.positive.size)
        return self._counted(left_out_above)

    def _keys(self, packing: Packing) -> AnyArray:
        """Return the keys of all rows in order."""
        keys = np.empty(self.n_rows, dtype=packing.dtype)
        of_negatives, of_positives = np.split(keys, [self.negative.size])
        for scores, of_class in ((self.negative, of_negatives), (self.positive, of_positives)):
            for block in blocks_of(scores.size):
                packing.keys(scores[block], out=of_class[block])
        of_negatives |= LOWEST_BIT[keys.itemsize]
        keys.sort(kind="stable")  # two runs, which it merges
        return keys

    def _counted(self, left_out_above: Callable[[AnyArray], IntArray] | None) -> TableKernel:
        """Return the kernel that looks up the scores of positives among the negatives."""
        first = starts_of_runs(self.positive)
        distinct = self.positive[first]
        n_negatives = self.negative.size + (0 if left_out_above is None else left_out_above(distinct))
        at_or_above, above = (self.negative.searchsorted(distinct, side) for side in ("left", "right"))
        for below in (at_or_above, above):  # in place, which saves 16 bytes per positive
            np.subtract(n_negatives, below, out=below)
        tp = np.zeros(first.size + 1)
        np.subtract(self.positive.size, first, out=tp[:-1])
        steps = StepTable(tp[:-1], tp[1:], at_or_above, above)
        return TableKernel(lambda: (steps,), Totals(self.positive.size, self.negative.size, self.n_rows))
