"""The kernels of unweighted rows: sort keys that carry the label in their lowest bit,
then look at positives.

A key is an integer in the order of the scores. One sort in place, of 8 or 4 bytes per
row, is then all the work. Nothing is rounded: equal scores, including 0.0 and -0.0,
have keys that differ in the lowest bit at most. `sort_keys` may read keys of 8 bytes as
floats, so they stay below `LAST_KEY`.

In a sorted ranking, the place of a positive is the number of rows below it, and its
place among the positives is the number of positives below it. A clear bit sorts
positives first in their tied group, so the first positive marks the start of the group.
Only the keys are kept.
"""

from collections.abc import Iterator
from functools import partial
from math import frexp
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..typing import AnyArray, BoolArray, Bound, Depth, FloatArray, IntArray, TieOrder
from .blocks import (
    BLOCK_ROWS,
    LAST_KEY,
    LONG_ROWS,
    blocks_inside,
    blocks_of,
    sort_keys,
    starts_of_runs,
)
from .rankings import SINGLE_RANKING, Kernel, OperatingPoints, Rows, Steps

# Of keys, by the bytes of a score. Looked up, since numpy reads the name of a type in a
# fiftieth of a call.
_DTYPES: dict[int, np.dtype[np.signedinteger]] = {
    n: np.dtype(f"i{max(n, 4)}") for n in (2, 4, 8)
}
# Arrays, since numpy would convert a Python int at each call, which counts for short
# rankings.
_LOWEST_BIT: dict[int, AnyArray] = {
    dtype.itemsize: np.array(1, dtype) for dtype in _DTYPES.values()
}
_CLEAR = np.array(0, dtype=np.uint8)
_SET = np.array(1, dtype=np.uint8)
# The lowest bit of positives. Rows are sorted worst first: with the bit set, the
# positives of a tied group stand last, so they are retrieved first. "stable" requires
# the place of the row.
_POSITIVE_BIT = {None: _CLEAR, "pessimistic": _CLEAR, "optimistic": _SET}

# Keys from the first on and below the second are those of 0, of subnormal products and of
# the smallest normal one. Such products may be rounded, so two scores could share a key.
# Wider bounds would leave exact scores to numpy's sort.
_MAYBE_ROUNDED: dict[int, AnyArray] = {
    size: np.array([2 - key, key], dtype=_DTYPES[size])
    for size, key in ((4, 2 * (2**23 + 1)), (8, 2 * (2**52 + 1)))
}
# From this magnitude on, the key of a float of 8 bytes would be infinite as a float.
_UNSCALED_BELOW = 1.5


class Packing(NamedTuple):
    """Scores of a call as keys.

    The bits of a float without its sign, read as an integer, grow with its magnitude.
    The same integer with the float's sign is therefore in the order of the floats.
    Below 1.5, the highest bit of the exponent is 0, so a magnitude leaves a bit for a
    sign and one for a label.
    """

    dtype: np.dtype[np.signedinteger]  # of keys: int32 or int64
    signed: bool = False  # whether there are negative keys
    lowest: int = 0  # the integer score that becomes key 0
    # a power of two that brings all floats into (-1, 1), or None
    scale: np.floating | None = None

    def keys(self, score: AnyArray, out: AnyArray | None = None) -> AnyArray:
        """Return keys, whose lowest bit is clear, as a new array or in `out`."""
        if score.dtype.kind != "f":
            # Subtracting may wrap around in int64. The difference fits into the key, so
            # it wraps back.
            whole = (score.astype(np.int64, copy=False) - np.int64(self.lowest)).astype(
                self.dtype
            )
            return np.asarray(np.left_shift(whole, 1, out=out))
        if score.dtype.itemsize != self.dtype.itemsize:
            score = score.astype(f"f{self.dtype.itemsize}")
        if self.scale is not None:
            # Callers may have made underflow an error. Here it is none: `keeps_apart`
            # finds rounded products.
            with np.errstate(under="ignore"):
                score = score * self.scale
        bits = score.view(self.dtype)
        # This drops the sign, which is the highest bit.
        keys: AnyArray = np.left_shift(bits, _LOWEST_BIT[bits.itemsize], out=out)
        if self.signed:
            sign = bits >> (8 * bits.itemsize - 1)  # 0 or -1
            # In two's complement, -x is ~x + 1: no branch and no mask of the negative
            # ones.
            keys ^= sign
            keys -= sign
        return keys

    def keeps_apart(
        self, keys: AnyArray, *scores: AnyArray, in_order: bool = True
    ) -> bool:
        """Whether these keys, with or without labels, keep these scores apart.

        A product with a power of two is exact above the smallest normal number, to
        which others may have been rounded up. If no product is below, or only zeros
        are, nothing was rounded. So two searches in keys in order replace a look at
        every score.
        """
        if self.scale is None:
            return True
        first, stop = _MAYBE_ROUNDED[keys.itemsize]
        if in_order:
            n_small = int(keys.searchsorted(stop)) - int(keys.searchsorted(first))
        else:
            n_small = int(np.count_nonzero((keys >= first) & (keys < stop)))
        return not n_small or n_small == sum(
            score.size - np.count_nonzero(score) for score in scores
        )

    def scores(self, keys: AnyArray, of_type: np.dtype[np.generic]) -> AnyArray:
        """Return the scores with these keys: the inverse of `keys`, for thresholds."""
        whole = keys >> 1
        if of_type.kind != "f":
            # may wrap around, too
            return (whole.astype(np.int64) + np.int64(self.lowest)).astype(of_type)
        scores = np.copysign(np.abs(whole).view(f"f{self.dtype.itemsize}"), whole)
        if self.scale is not None:
            scores = scores / self.scale
        return np.asarray(scores, dtype=of_type)


_UNSCALED = {
    (n, signed): Packing(_DTYPES[n], signed)
    for n in _DTYPES
    for signed in (False, True)
}


def packing_of(score: AnyArray, lowest: Bound, highest: Bound) -> Packing | None:
    """Return a packing for scores in [lowest, highest], or None if there is none.

    `keeps_apart` has to confirm a packing that multiplies. It fails only for scores
    next to magnitudes that are 2**1021 times as large, or 2**125 times with float32 up
    to 2**100.
    """
    kind, size = score.dtype.kind, score.dtype.itemsize
    if kind not in "biuf" or size > 8:
        return None
    if kind != "f":
        for key in (np.int32, np.int64):  # the smaller one is sorted faster
            if 2 * (int(highest) - int(lowest)) < min(np.iinfo(key).max, LAST_KEY - 1):
                # `keys` reads scores as int64, in which large unsigned ones wrap around.
                wrapped = (int(lowest) + 2**63) % 2**64 - 2**63
                return Packing(np.dtype(key), lowest=wrapped)
        return None
    signed = bool(lowest < 0)
    if lowest > -_UNSCALED_BELOW and highest < _UNSCALED_BELOW:
        return _UNSCALED[size, signed]
    exponent = frexp(max(-float(lowest), float(highest)))[1]
    # Masked candidates often score finfo(float32).min. Products of 8 bytes are exact
    # next to it, too.
    of_type = np.float64 if size == 8 or exponent > 100 else np.float32
    return Packing(
        _DTYPES[np.dtype(of_type).itemsize], signed, scale=of_type(2.0**-exponent)
    )


def order_by_keys(score: AnyArray, packing: Packing) -> IntArray | None:
    """Return the order of a stable sort, by a sort of (score, row) in one integer of 8
    bytes.

    The row takes the lowest bits of a key. Scores that differ in these bits alone may
    end in a wrong order; then return None.
    """
    # The row replaces digits of the score, so one look at the scores in order is needed.
    # Both together take a quarter of the time of a stable argsort of 10,000 floats.
    keys = packing.keys(score)
    n_bits = (score.size - 1).bit_length()
    if keys.itemsize < 8:
        keys = keys.astype(np.int64) << n_bits
    else:
        keys &= -1 << n_bits
    keys |= np.arange(score.size)
    sort_keys(keys, signed=packing.signed)
    keys &= (1 << n_bits) - 1
    in_order = score.take(keys)
    return None if np.count_nonzero(in_order[1:] < in_order[:-1]) else keys


_ROWS_PER_FEW_POSITIVES = 8


class PlainKernel(Kernel):
    """A single ranking, by a sort of the positives, one of the negatives or, if
    positives are rare, of all rows, and a search; equal scores are one step.

    A whole number `k` leaves out steps without one of the first `k` rows.
    """

    def __init__(self, positive: BoolArray, score: AnyArray, k: Depth = None) -> None:
        step = score.compress(positive)
        step.sort()
        # A sort of all rows takes less time than a mask of nearly all, and shows the
        # last of the first `k` rows. `_with_positives` tells the two cases apart by the
        # number of rows searched.
        takes_all = step.size * _ROWS_PER_FEW_POSITIVES <= score.size or (
            isinstance(k, int) and score.size < LONG_ROWS
        )
        self._searched = score.copy() if takes_all else score.compress(~positive)
        self._searched.sort()
        self._n_rows = score.size
        self.found_weight = counts_from_each_on(step.size)[:1]
        if isinstance(k, int) and k < self._searched.size:
            step = step[step.searchsorted(self._searched[-k]) :]
        # Positives at or above each positive, and 0 above the best one.
        tp = counts_from_each_on(step.size)
        is_tied = step[1:] == step[:-1]
        self._is_tied = np.count_nonzero(is_tied) > 0
        if self._is_tied:
            first = starts_of_runs(step)
            step, tp = step.take(first), tp.take(np.append(first, step.size))
        self._steps_at, self._tp = step, tp  # the distinct scores of positives

    @property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # few ask for it
        """Number of rows."""
        return np.array((self._n_rows,), dtype=np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for low in range(0, self._steps_at.size, BLOCK_ROWS):
            score = self._steps_at[low : low + BLOCK_ROWS]
            tp = self._tp[low : low + score.size + 1]
            above = partial(self._rows_from, score, tp[1:], "right")
            retrieved = self._rows_from(score, tp[:-1], "left")
            steps = Steps(tp[:-1], tp[1:], retrieved, above)
            if not self._is_tied:
                steps.gained = _ONES[: score.size]
            yield steps

    def _rows_from(
        self, score: AnyArray, tp: FloatArray, side: Literal["left", "right"]
    ) -> FloatArray:
        """Return how many rows have each score or more, `tp` of them positive; with
        ``"right"``, only more.
        """
        rows = self._searched.size - self._searched.searchsorted(score, side)
        return self._with_positives(rows, tp)

    def _with_positives(self, rows: IntArray, tp: FloatArray) -> FloatArray:
        """Return the numbers of rows, from those of the rows searched."""
        if self._searched.size == self._n_rows:
            return rows.astype(np.float64)
        return tp + rows

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        # Timsort, numpy's stable sort, merges the two sorted runs.
        score = np.append(self._steps_at, self._searched)
        score.sort(kind="stable")
        first = starts_of_runs(score)
        threshold = score[first]
        # A threshold that only negatives have finds the positives of the next step
        # above it.
        step = self._steps_at.searchsorted(threshold)
        tp = self._tp[step]
        # Of the merged scores, the steps themselves are no rows.
        rows = (score.size - first) - (self._steps_at.size - step)
        return OperatingPoints(threshold, tp, self._with_positives(rows, tp))


# From the rows of a block down to 0. The last numbers are the counts of every short
# ranking, so none makes an array of its own.
_COUNTS = np.arange(float(BLOCK_ROWS), -1.0, -1.0)
# What steps without ties gain: a block has at most one more, which is tied with
# negatives beyond its end. Made once, too.
_ONES = np.ones(BLOCK_ROWS + 1)
_COUNTS.flags.writeable = _ONES.flags.writeable = False


def counts_from_each_on(n_rows: int) -> FloatArray:
    """Return the numbers of rows from each row on, and 0."""
    if n_rows < _COUNTS.size:
        return _COUNTS[-1 - n_rows :]
    return np.arange(float(n_rows), -1.0, -1.0)


class PackedKernel(Kernel):
    """Any unweighted rows, as keys that are sorted by ranking and then by score, worst
    first.
    """

    def __init__(
        self,
        rows: Rows,
        found_weight: FloatArray,
        packing: Packing,
        tie_order: TieOrder | None,
    ) -> None:
        self._offsets = rows.offsets
        self._every_row_is_a_step = tie_order is not None
        self._positive_bit = _POSITIVE_BIT[tie_order]
        self._packing, self._dtype = packing, rows.score.dtype
        self.found_weight = found_weight
        self.keys = _labelled_keys(rows, packing, self._positive_bit)
        sort_keys(self.keys, rows.offsets, signed=packing.signed)
        self.is_exact = packing.keeps_apart(
            self.keys, rows.score, in_order=rows.is_single
        )

    @property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # few ask for it
        """Number of rows of each ranking."""
        return (self._offsets[1:] - self._offsets[:-1]).astype(np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Return the steps that have a positive. May be called again."""
        if self._offsets.size == 2 and self.keys.size <= BLOCK_ROWS:
            # The usual case, without a look for other blocks.
            row, is_tied = self._positives_in(self.keys)
            if not row.size:
                return iter(())
            return iter((self._steps_of_part(self.keys, row, is_tied),))
        return self._several_blocks()

    def _several_blocks(self) -> Iterator[Steps]:
        tied_keys = None if self._every_row_is_a_step else self.keys
        n_below = 0  # positives of a long ranking, in its blocks so far
        for rankings, block in blocks_inside(self._offsets, tied_keys, 1):
            keys = self.keys[block]
            row, is_tied = self._positives_in(keys)
            if rankings.stop - rankings.start > 1:
                if row.size:
                    yield self._steps_of_rankings(rankings, block, row, is_tied)
                continue
            n_after = int(self._offsets[rankings.stop]) - block.stop
            if row.size:
                found = self.found_weight[rankings.start]
                yield self._steps_of_part(
                    keys,
                    row,
                    is_tied,
                    n_above=found - n_below - row.size,
                    n_after=n_after,
                    ranking=np.array((rankings.start,)),
                )
            n_below += row.size
            if not n_after:
                n_below = 0

    def _positives_in(self, keys: AnyArray) -> tuple[IntArray, BoolArray | None]:
        """Return the rows of the positives of a block, and whether each but the first
        is tied with the one before; None if no two are.
        """
        # As bytes, since two passes then read an eighth of the memory of the keys.
        labels = keys.astype(np.uint8)
        labels &= _SET
        row = (labels == self._positive_bit).nonzero()[0]
        if self._every_row_is_a_step:
            return row, None
        # Labels do not differ here: positives of one score have the same key.
        key = keys.take(row)
        is_tied = key[1:] == key[:-1]
        return row, is_tied if np.count_nonzero(is_tied) else None

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        first = starts_of_runs(self.keys | 1)
        positives = np.add.reduceat(
            (self.keys & 1) == self._positive_bit, first, dtype=np.int64
        )
        return OperatingPoints(
            threshold=self._packing.scores(self.keys[first], self._dtype),
            tp=np.cumsum(positives[::-1])[::-1].astype(np.float64),
            retrieved=(self.keys.size - first).astype(np.float64),
        )

    def _steps_of_part(
        self,
        keys: AnyArray,
        row: IntArray,
        is_tied: BoolArray | None,
        *,
        n_above: float = 0.0,
        n_after: int = 0,
        ranking: IntArray = SINGLE_RANKING,
    ) -> Steps:
        """Return the tied groups of the positives at these rows of a block, which is a
        ranking or a part of one; later blocks have `n_after` of its rows, and `n_above`
        of its positives.
        """
        tp = counts_from_each_on(row.size)
        if n_above:
            tp = tp + n_above
        if is_tied is not None:
            first = np.append(True, ~is_tied).nonzero()[0]
            tp = tp.take(np.append(first, row.size))
            row = row.take(first)
        retrieved = counts_from_each_on(keys.size).take(row)
        if n_after:
            retrieved += n_after
        stop = keys.size + n_after
        steps = Steps(
            tp[:-1], tp[1:], retrieved, lambda: self._above(keys, row, stop), ranking
        )
        if is_tied is None:
            steps.gained = _ONES[: row.size]
        return steps

    def _steps_of_rankings(
        self, rankings: slice, block: slice, row: IntArray, is_tied: BoolArray | None
    ) -> Steps:
        """Return the tied groups of the positives at these rows of a block, which is
        several whole rankings.
        """
        ends = self._offsets[rankings.start + 1 : rankings.stop + 1] - block.start
        n_positives = self.found_weight[rankings]
        filled = n_positives.nonzero()[0]  # rankings without positives have no steps
        n_up_to = np.cumsum(n_positives)[filled]  # of the block, up to each ranking
        start = (n_up_to - n_positives[filled]).astype(np.int64)
        first = np.arange(row.size)  # place of the first positive of each group
        if is_tied is not None:
            is_first = np.append(True, ~is_tied)
            # The ranking before may end with the same score, but ties do not cross.
            is_first[start] = True
            first = is_first.nonzero()[0]
            row = row.take(first)
            start = first.searchsorted(start)
        length = np.diff(start, append=row.size)
        tp = np.repeat(n_up_to, length) - first
        tp_above = np.append(tp[1:], 0.0)
        tp_above[start[1:] - 1] = 0.0  # the best step of a ranking has no step above
        end = np.repeat(ends[filled], length)
        return Steps(
            tp,
            tp_above,
            np.subtract(end, row, dtype=np.float64),
            partial(self._above, self.keys[block], row, end, ends[:-1]),
            rankings.start + filled,
            start,
        )

    def _above(
        self,
        keys: AnyArray,
        row: IntArray,
        stop: IntArray | int,
        inside: IntArray | None = None,
    ) -> FloatArray:
        """Return how many rows are above the step of each row, within its ranking.

        `stop` is the end of that ranking. `inside` are the ends of all rankings but the
        last: tied groups do not cross them.
        """
        if self._every_row_is_a_step:
            return np.subtract(stop, row + 1, dtype=np.float64)
        group = keys | 1
        is_last = np.append(group[1:] != group[:-1], True)
        if inside is not None:
            is_last[inside - 1] = True
        after = is_last.nonzero()[0] + 1
        of_row = row  # without ties, each row is a group
        if after.size < keys.size:
            of_row = after.searchsorted(row, side="right")
        return np.subtract(stop, after[of_row], dtype=np.float64)


def positives_of(rows: Rows) -> FloatArray:
    """Count the positives of each ranking."""
    positive, n_rankings = rows.positive, rows.offsets.size - 1
    if rows.ranking is not None:
        # `compress` takes a quarter of the time of a mask.
        return np.bincount(
            rows.ranking.compress(positive), minlength=n_rankings
        ).astype(np.float64)
    if n_rankings == 1:
        return np.array((float(np.count_nonzero(positive)),))
    if positive.ndim == 2 and len(positive) == n_rankings:
        return np.asarray(np.count_nonzero(positive, axis=1), dtype=np.float64)
    return np.diff(np.flatnonzero(positive).searchsorted(rows.offsets)).astype(
        np.float64
    )


def _labelled_keys(rows: Rows, packing: Packing, bit: AnyArray) -> AnyArray:
    """Return keys, ranking after ranking, with `bit` as the lowest bit of positives;
    blocks save memory.
    """
    positive, score = rows.positive, rows.score
    if rows.ranking is not None:
        return _keys_by_ranking(rows, rows.ranking, packing, bit)
    if score.size <= BLOCK_ROWS:
        return _labelled(packing, score.reshape(-1), positive.reshape(-1), bit)
    if score.ndim == 2 and not score.flags.c_contiguous:
        # Columns of a matrix are packed as they lie, since a copy takes half as long
        # again.
        keys = np.empty(score.shape, dtype=packing.dtype)
        for part in blocks_of(score.shape[1], max(BLOCK_ROWS // (4 * len(score)), 1)):
            keys[:, part] = _labelled(packing, score.T[part], positive.T[part], bit).T
        return keys.reshape(-1)
    positive = positive.reshape(-1)
    score = score.reshape(-1)
    keys = np.empty(score.size, dtype=packing.dtype)
    for part in blocks_of(score.size, BLOCK_ROWS):
        _labelled(packing, score[part], positive[part], bit, keys[part])
    return keys


def _labelled(
    packing: Packing,
    score: AnyArray,
    positive: BoolArray,
    bit: AnyArray,
    out: AnyArray | None = None,
) -> AnyArray:
    keys = packing.keys(score, out=out)
    keys |= positive if bit else ~positive
    return keys


def _keys_by_ranking(
    rows: Rows, ranking: AnyArray, packing: Packing, bit: AnyArray
) -> AnyArray:
    """Return the keys of rows that stand in any order, ranking after ranking.

    Scipy counts the rows of each ranking and puts them in place, which takes a third of
    a sort by ranking. It needs several arrays at once, so the rows are done in parts. A
    part has at least a quarter as many rows as there are rankings, since each part
    takes a pass over all of these.
    """
    keys = np.empty(rows.score.size, dtype=packing.dtype)
    free = rows.offsets[:-1].copy()  # the next place of each ranking
    for part in blocks_of(keys.size, max(BLOCK_ROWS, keys.size // 32, free.size // 4)):
        labelled = _labelled(packing, rows.score[part], rows.positive[part], bit)
        # One row of a sparse matrix per row here, with its key in the column of its
        # ranking.
        by_row = labelled, ranking[part], np.arange(labelled.size + 1, dtype=np.int32)
        by_ranking = csr_array(by_row, shape=(labelled.size, free.size)).tocsc()
        begin = by_ranking.indptr
        n_rows = begin[1:] - begin[:-1]
        place = np.repeat(free - begin[:-1], n_rows)
        place += np.arange(place.size)
        keys[place] = by_ranking.data
        free += n_rows
    return keys
