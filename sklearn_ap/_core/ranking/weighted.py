"""The kernels of rows in order whose weights are added up: weighted rows, and rows in a
stable order.

A sum runs from the best row of a ranking down, while rows stand worst first. All
weights must be above 0.

`PlainWeightedKernel` sorts a single ranking by numpy, in one block. Before that,
`merged_rows` makes one row per score and label of many rows with few distinct scores,
and `rows_near_positives` one row of the negatives between rare positives.
`SummedKernel` adds up any rows in order, block by block: in the order of
`sorted_by_packed_rows` or, for every dtype and layout, of `sorted_by_lexsort`.
"""

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from typing import assert_never

import numpy as np

from ..typing import AnyArray, BoolArray, Bounds, FloatArray, IntArray, TieOrder
from .blocks import (
    BLOCK_ROWS,
    blocks_inside,
    blocks_of,
    bounds_within,
    running,
    sort_keys,
    starts_of_runs,
)
from .rankings import SINGLE_RANKING, Kernel, OperatingPoints, Rows, Steps, add_up
from .unweighted import Packing, counts_from_each_on


class WeightedKernel(Kernel):
    """Rows in order, worst first, and their sums of weights."""

    # Weight of the negatives at or above each row. Precision is that of both sums: the
    # light negatives of heavy positives would vanish in a difference.
    _negatives: FloatArray
    _score: AnyArray  # of the rows, for thresholds
    _offsets: IntArray  # where each of several rankings begins
    # Weight of the negatives of each ranking. The default only overrides the property of
    # `Kernel`, so that kernels can set it.
    negative_weight: FloatArray = np.zeros(0)

    @property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # few ask for it
        """Weight of all samples of each ranking."""
        return self.found_weight + self.negative_weight

    def _groups(self, *, with_positives: bool) -> Iterator[Steps]:
        """Yield the tied groups as steps, all or only those with a positive."""
        raise NotImplementedError

    def with_factor(self, factor: FloatArray) -> "WeightedKernel":
        """Return the same rankings with the negatives of each multiplied."""
        kernel = copy(self)
        kernel.factor = factor
        kernel.negative_weight = factor * self.negative_weight
        if factor.size > 1:  # of the sorted rows: a cut leaves some rows out
            factor = np.repeat(factor, np.diff(self._offsets))
        kernel._negatives = factor * self._negatives
        return kernel

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return self._groups(with_positives=True)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows of each ranking; a tied group
        gives its share.
        """
        weight = np.zeros(self.found_weight.size)
        for steps in self._groups(with_positives=False):
            add_up(weight, steps, steps.share_within(depth) * steps.group_weight)
            del steps  # before the next block is made, to save its memory
        return weight

    def points(self) -> OperatingPoints:
        """Return the operating points of a single ranking, including scores that only
        negatives have.
        """
        groups = list(self._groups(with_positives=False))
        return OperatingPoints(
            threshold=np.unique(self._score),
            tp=np.concatenate([steps.tp for steps in groups]),
            retrieved=np.concatenate([steps.retrieved for steps in groups]),
        )


class PlainWeightedKernel(WeightedKernel):
    """A single ranking in one block; a row may stand for `n_rows` of one score and
    label.
    """

    def __init__(
        self,
        positive: BoolArray,
        score: AnyArray,
        weight: FloatArray,
        n_rows: FloatArray | None = None,
        order: IntArray | None = None,
    ) -> None:
        if order is None:
            order = score.argsort(kind="stable")
        score = score.take(order)
        is_tied = score[1:] == score[:-1]
        has_ties = np.count_nonzero(is_tied)
        positive = positive.take(order)
        weight = weight.take(order)
        if n_rows is None:
            rows = counts_from_each_on(order.size)
        else:
            rows = _sums_from_each_on(n_rows.take(order))
        of_positives = weight * positive
        weight -= of_positives  # of negatives, in the copy that `take` made
        sums = [_sums_from_each_on(of_positives), _sums_from_each_on(weight), rows]
        if has_ties:
            first = starts_of_runs(score)
            groups = np.append(first, score.size)  # and the end, where the sums are 0
            score = score.take(first)
            sums = [values.take(groups) for values in sums]
        self._score = score
        self._tp, self._negatives, self._rows = sums
        self.found_weight = self._tp[:1]
        self.negative_weight = self._negatives[:1]

    def _groups(self, *, with_positives: bool) -> Iterator[Steps]:
        tp, rows = self._tp, self._rows
        retrieved = tp + self._negatives
        at: AnyArray | slice = slice(None)
        if with_positives:
            # A positive may be too light to change the sum; it is then not a step.
            at = (tp[:-1] > tp[1:]).nonzero()[0]
        steps = Steps(
            tp[:-1][at],
            tp[1:][at],
            retrieved[:-1][at],
            lambda: retrieved[1:][at],
            rows=(lambda: rows[:-1][at], lambda: rows[1:][at]),
        )
        return iter((steps,) if steps.tp.size else ())


def _sums_from_each_on(values: FloatArray) -> FloatArray:
    """Return the sum of the values from each one to the last, the best; after that one,
    0.
    """
    sums = np.empty(values.size + 1)
    sums[-1] = 0.0
    np.add.accumulate(values[::-1], out=sums[-2::-1])
    return sums


# Rows are merged up to this many distinct scores. With more, the sums leave the
# first-level cache, and a sort is nearly as fast.
_MAX_DISTINCT = 512
# The distinct scores of about this many rows are found first.
_SAMPLE_ROWS = 4096
# Odd multipliers, and powers of one look like random ones. At least one in three has no
# collision below.
_FACTORS = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(1, 41)]


def merged_rows(
    positive: BoolArray, score: AnyArray, weight: FloatArray
) -> tuple[BoolArray, AnyArray, FloatArray, FloatArray] | None:
    """Merge the rows of a single ranking by a hash of their scores; None if it has many
    distinct scores.

    Return one row per label and score: its label, its score, the sum of weights and the
    number of rows.

    The scores of a sample come first. A score that the sample lacks is found where its
    hash leads to another one. Each distinct score has a number that never changes, so
    sums of earlier blocks stay right when a block has new scores.
    """
    if score.dtype.kind not in "biuf" or score.dtype.itemsize > 8:
        return None
    distinct = _distinct(_bits_of(score[:: max(score.size // _SAMPLE_ROWS, 1)]))
    hash_of = _hash_of(distinct)
    blocks = blocks_of(score.size, BLOCK_ROWS)
    # A number of a distinct score, with the label in its lowest bit, is a column of the
    # sums.
    sums = np.zeros((2 * _MAX_DISTINCT, len(blocks)))
    n_rows = np.zeros(2 * _MAX_DISTINCT)
    for i, block in enumerate(blocks):
        bits = _bits_of(score[block])
        while hash_of is not None:
            column = hash_of(bits)
            # A hash gives a new score the number of another one.
            new = bits[distinct.take(column) != bits]
            if not new.size:
                break
            # behind the others, whose numbers stay
            distinct = np.append(distinct, _distinct(new))
            hash_of = _hash_of(distinct)
        else:
            return None
        column = 2 * column + positive[block]
        sums[:, i] = np.bincount(column, weight[block], 2 * _MAX_DISTINCT)
        n_rows += np.bincount(column, minlength=2 * _MAX_DISTINCT)
    used = n_rows.nonzero()[0]
    merged = distinct[used // 2]
    scores = merged.view(np.float64) if score.dtype.kind == "f" else merged
    # Along a row numpy adds pairwise, which keeps two digits more than one after the
    # other.
    return (
        used % 2 == 1,
        scores.astype(score.dtype),
        sums[used].sum(axis=1),
        n_rows[used],
    )


def _hash_of(distinct: IntArray) -> Callable[[IntArray], IntArray] | None:
    """Return a function that gives each of these scores its number, and any to others;
    None for too many.
    """
    if distinct.size > _MAX_DISTINCT:
        return None
    # More slots than half the pairs of scores: a random hash is then free of collisions
    # at least once in three.
    n_bits = max(2 * int(distinct.size).bit_length() - 1, 12)
    shift = np.uint64(64 - n_bits)
    number = np.zeros(1 << n_bits, dtype=np.int64)

    def code_of(factor: np.uint64, bits: IntArray) -> IntArray:
        code = bits.view(np.uint64) * factor
        code >>= shift
        return code.view(np.int64)

    for factor in _FACTORS:
        code = code_of(factor, distinct)
        if _distinct(code).size == distinct.size:
            number[code] = np.arange(distinct.size)
            return lambda bits: number.take(code_of(factor, bits))
    return None


def _bits_of(score: AnyArray) -> IntArray:
    """Return an integer per score; equal scores have equal ones, also 0.0 and -0.0."""
    if score.dtype.kind == "f":
        # -0.0 + 0.0 is 0.0
        score = (score.astype(np.float64, copy=False) + 0.0).view(np.int64)
    return score.astype(np.int64, copy=False)


def _distinct(values: IntArray) -> IntArray:
    """Return the distinct values in order: np.unique takes 15 times as long in numpy
    2.4, which hashes.
    """
    in_order = np.sort(values)
    return np.asarray(in_order[starts_of_runs(in_order)])


# With so many bins per positive, few rows are in a bin that holds one.
_BINS_PER_POSITIVE = 32


def rows_near_positives(
    positive: BoolArray, score: AnyArray, weight: FloatArray, *, at_most: float
) -> tuple[BoolArray, AnyArray, FloatArray, FloatArray] | None:
    """Merge the negatives of a single ranking between bins that hold a positive; None
    if more than a share of the rows is in such bins.

    Return labels, scores, weights and numbers of rows, as `merged_rows`. Steps with a
    positive, and what is above them, are those of all rows; other thresholds are gone.
    """
    if score.dtype.kind not in "biuf" or score.dtype.itemsize > 8:
        return None
    # A positive is in a bin that holds one.
    if not 0 < np.count_nonzero(positive) <= at_most * score.size:
        return None
    of_positives = score.compress(positive)
    # Tables of as many bins as rows would take the time of a sort.
    n_bins = min(_BINS_PER_POSITIVE * of_positives.size, score.size // 4)
    n_bits = n_bins.bit_length()
    ends = float(of_positives.min()), float(of_positives.max())
    bins_of = _bins_between(*ends, n_bits)
    holds = np.zeros((1 << n_bits) + 1, dtype=bool)
    holds[bins_of(of_positives)] = True
    sample = score[:: max(score.size // _SAMPLE_ROWS, 1)]
    if holds.take(bins_of(sample)).sum() > at_most * sample.size:
        return None
    sums = np.zeros(holds.size)
    counts = np.zeros(holds.size)
    row_of = np.zeros(holds.size, dtype=np.int64)  # one row of each bin
    near = []
    for part in blocks_of(score.size, 8 * BLOCK_ROWS):
        bins = bins_of(score[part])
        sums += np.bincount(bins, weight[part], holds.size)
        counts += np.bincount(bins, minlength=holds.size)
        row_of[bins] = np.arange(part.start, part.stop)
        near.append(part.start + holds.take(bins).nonzero()[0])
    kept = np.concatenate(near)
    # Bins between the same two that hold a positive become one row.
    between = ((counts > 0) & ~holds).nonzero()[0]
    first = starts_of_runs(np.cumsum(holds).take(between))
    merged = row_of.take(between.take(first))
    if merged.size:
        sums, counts = (
            np.add.reduceat(values.take(between), first) for values in (sums, counts)
        )
    rows = np.append(kept, merged)
    return (
        positive.take(rows),
        score.take(rows),
        np.append(weight.take(kept), sums[: merged.size]),
        np.append(np.ones(kept.size), counts[: merged.size]),
    )


def _bins_between(
    lowest: float, highest: float, n_bits: int
) -> Callable[[AnyArray], IntArray]:
    """Return a function that gives each score a bin of n bits, higher ones none below.

    The bits of a float above 0 rise with it, and are finer towards 0, as many scores
    are. If the scores of positives begin at or below 0, they are moved above it.
    """
    moved = 0.0
    if lowest <= 0:
        moved = (highest - lowest) / 8 - lowest
    # Ends a bit beyond, so that rows outside are not in the bins of positives.
    ends = np.array((0.9 * (lowest + moved), 1.1 * (highest + moved)))
    first, last = ends.view(np.int64).tolist()
    shift = max((last - first).bit_length() - n_bits, 0)

    def bins_of(score: AnyArray) -> IntArray:
        with np.errstate(over="ignore"):  # infinity is clipped, too
            inside = (score.astype(np.float64) + moved).clip(*ends)
        bins: IntArray = inside.view(np.int64)
        bins -= first
        bins >>= shift
        return bins

    return bins_of


class SummedKernel(WeightedKernel):
    """Rows sorted by ranking and then by score, worst first.

    `signed` are the weights in this order, negated for negatives, and are overwritten.
    `starts_group` marks where tied groups start, and the end. The unsorted scores of
    `rows` are kept for thresholds.
    """

    def __init__(self, signed: FloatArray, starts_group: BoolArray, rows: Rows) -> None:
        self._offsets, self._score = rows.offsets, rows.score
        self._starts_group = starts_group
        self._blocks = list(blocks_inside(rows.offsets))
        # The weight at or above each row: of positives, with a 0 behind the last row,
        # and of negatives.
        self._tp, self._negatives = np.zeros(signed.size + 1), signed
        for rankings, block in reversed(self._blocks):
            self._add_up(rankings, block)
        first = rows.offsets[:-1]
        is_filled = rows.offsets[1:] > first
        negatives = self._negatives.take(first, mode="clip")  # the last may be empty
        self.found_weight = np.where(is_filled, self._tp[first], 0.0)
        self.negative_weight = np.where(is_filled, negatives, 0.0)

    def _add_up(self, rankings: slice, block: slice) -> None:
        """Turn the weights of a block into sums; those of the block after it are
        known.
        """
        bounds = bounds_within(self._offsets, rankings, block)
        high = block.stop
        # A complex number contains both sums, of negatives and of positives. Numpy adds
        # its two parts alone, so the sums are those of two passes, and a million rows
        # with weights take a tenth less time. A product would mix the parts.
        signed = self._negatives[block]
        weights = np.empty(signed.size, dtype=complex)
        weights.imag = np.maximum(signed, 0.0)
        weights.real = weights.imag - signed
        sums = running(np.add, weights[::-1], np.diff(bounds)[::-1])[::-1]
        # the last ranking goes on after the block
        if self._offsets[rankings.stop] > high:
            sums[bounds[-2] :] += complex(self._negatives[high], self._tp[high])
        self._negatives[block], self._tp[block] = sums.real, sums.imag

    def _groups(self, *, with_positives: bool) -> Iterator[Steps]:
        """Yield the tied groups that start in a block as steps.

        Sums run from the best row of a ranking down, so those at the start of the next
        group are the sums above this group. The best group of a ranking has no group
        above it: its sums above are 0.
        """
        is_single = self._offsets.size == 2
        for rankings, block in self._blocks:
            low, high = block.start, block.stop
            first = low + self._starts_group[block].nonzero()[0]
            # maybe blocks after this one
            next_start = high + int(self._starts_group[high:].argmax())
            after = np.append(first[1:], next_start)[: first.size]
            tp = self._tp.take(first)
            tp_above = self._tp.take(after)
            end = self._offsets[1:]  # of the ranking of each group
            if not is_single:
                bounds = bounds_within(self._offsets, rankings, block)
                ends = self._offsets[rankings.start + 1 : rankings.stop + 1]
                end = np.repeat(ends, np.diff(first.searchsorted(bounds + low)))
                tp_above = np.where(after < end, tp_above, 0.0)
            if with_positives:  # a positive too light for the sums gains nothing
                gains = (tp > tp_above).nonzero()[0]
                first = first.take(gains)
                after = after.take(gains)
                tp = tp.take(gains)
                tp_above = tp_above.take(gains)
                end = end if is_single else end.take(gains)
            ranking = start = SINGLE_RANKING
            if not is_single:
                start = first.searchsorted(bounds + low)
                filled = (start[1:] > start[:-1]).nonzero()[0]
                ranking = rankings.start + filled
                start = start[filled]
            if first.size:
                above = partial(self._weight_above, after, end, tp_above)
                rows_from = partial(np.subtract, end, dtype=np.float64)
                rows = partial(rows_from, first), partial(rows_from, after)
                yield Steps(
                    tp,
                    tp_above,
                    tp + self._negatives.take(first),
                    above,
                    ranking,
                    start,
                    rows,
                )

    def _weight_above(
        self, after: IntArray, end: IntArray, tp_above: FloatArray
    ) -> FloatArray:
        negatives = self._negatives.take(after, mode="clip")
        return tp_above + np.where(after < end, negatives, 0.0)


def sorted_by_lexsort(
    rows: Rows, tie_order: TieOrder | None
) -> tuple[FloatArray, BoolArray]:
    """Return the weights in order, negated for negatives, and where tied groups start.

    This accepts every dtype that numpy can order, any weights and any layout. Tests
    compare the faster kernels with it.
    """
    positive = rows.positive.ravel()
    score = rows.score.ravel()
    offsets = rows.offsets
    lengths = np.diff(offsets)
    keys = [score, np.repeat(np.arange(lengths.size), lengths)]
    # Rows are sorted worst first, so the largest key among equal scores is retrieved
    # first.
    match tie_order:
        case None:
            pass
        case "stable":
            keys.insert(0, -np.arange(score.size))
        case "optimistic":
            keys.insert(0, positive)
        case "pessimistic":
            keys.insert(0, ~positive)
        case _:
            assert_never(tie_order)
    order = np.lexsort(keys)
    starts_group = np.ones(order.size + 1, dtype=bool)
    if tie_order is None:  # otherwise each row is a group of its own
        starts_group[1:-1] = score[order[1:]] != score[order[:-1]]
        starts_group[offsets] = True
    signed = np.where(positive, 1.0, -1.0)
    if rows.weight is not None:
        signed *= rows.weight.ravel()
    return signed[order], starts_group


def sorted_by_packed_rows(
    rows: Rows, packing: Packing, bounds: Bounds, *, stable: bool
) -> tuple[FloatArray, BoolArray] | None:
    """Return the weights in order, negated for negatives, and where tied groups start.

    One sort of (score, row, label) in one integer: the label takes the lowest bit of a
    key, the row number the bits above it, and the score the rest of 62 bits. All scores
    must lie within `bounds`. If the packing does not keep scores apart, return None.

    In a stable order, row numbers count down: the first of equal scores then has the
    highest number, is sorted last, and is retrieved first.
    """
    positive, score, weight = rows.flat()
    n_bits = (score.size - 1).bit_length()
    lowest, highest = (packing.keys(np.array(bounds, dtype=score.dtype)) >> 1).tolist()
    # so keys are below `LAST_KEY`
    dropped_bits = max((highest - lowest).bit_length() + n_bits + 1 - 62, 0)
    mask = (1 << n_bits) - 1
    keys = np.empty(score.size, dtype=np.int64)
    for part in blocks_of(score.size, BLOCK_ROWS):
        key = packing.keys(score[part])
        if not packing.keeps_apart(key, score[part], in_order=False):
            return None
        key = key.astype(np.int64, copy=False)
        key >>= 1
        key -= lowest
        key >>= dropped_bits
        key <<= n_bits
        number = np.arange(part.start, part.stop)
        key |= number ^ mask if stable else number
        key <<= 1
        # as in the other kernels: clear if positive
        np.bitwise_or(key, ~positive[part], out=keys[part])
    sort_keys(keys, rows.offsets)

    def row_of(keys: IntArray) -> IntArray:
        row = keys >> 1
        row &= mask
        return row ^ mask if stable else row

    starts_group = np.zeros(keys.size + 1, dtype=bool)
    starts_group[rows.offsets] = True
    for _, block in blocks_inside(rows.offsets, keys, n_bits + 1):
        score_bits = keys[block] >> (n_bits + 1)
        starts = starts_group[block]
        starts[1:] |= score_bits[1:] != score_bits[:-1]
        starts[0] = True
        del score_bits  # a block of one score may be nearly all rows
        if dropped_bits and not starts.all():
            _sort_alike(keys[block], starts, score, row_of)
    if stable:
        starts_group[:] = True
    # The weights of a block overwrite its keys, once read, and the label moves to their
    # sign. New memory and a product with signs would take a tenth of the time of a
    # million rows. Keys of this block must not be read again.
    signed = keys.view(np.float64)
    for part in blocks_of(keys.size, BLOCK_ROWS):
        sign = keys[part] << 63  # of negatives
        if weight is None:
            signed[part] = 1.0
        else:
            # All rows exist. With mode="clip" numpy writes into `out`, and not into a
            # copy of it first.
            weight.take(row_of(keys[part]), out=signed[part], mode="clip")
        keys[part] |= sign
    return signed, starts_group


def _sort_alike(
    keys: IntArray,
    starts_group: BoolArray,
    score: AnyArray,
    row_of: Callable[[IntArray], IntArray],
) -> None:
    """Sort rows of equal score bits by their true scores, and mark where these differ.

    Sorted keys order rows by the score bits that fit, and then by number. So a row can
    be in a wrong place only among rows that share these bits, and then some row there
    scores lower than the row before it.
    """
    is_alike = ~starts_group
    is_alike[:-1] |= is_alike[1:]
    alike: IntArray | slice = slice(None)
    # a slice is faster than most of the rows
    if 2 * np.count_nonzero(is_alike) < keys.size:
        alike = is_alike.nonzero()[0]
    key = keys[alike]
    starts = starts_group[alike]
    true_score = np.empty(key.size, dtype=score.dtype)
    for part in blocks_of(key.size, BLOCK_ROWS):
        score.take(row_of(key[part]), out=true_score[part], mode="clip")
    if (~starts[1:] & (true_score[1:] < true_score[:-1])).any():
        # fast if nearly sorted
        order = np.lexsort((true_score, np.cumsum(starts, dtype=np.int32)))
        keys[alike], true_score = key.take(order), true_score.take(order)
    starts[1:] |= true_score[1:] != true_score[:-1]
    starts_group[alike] = starts
