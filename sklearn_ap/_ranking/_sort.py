"""Sort keys in the fastest way that this machine has; the result is the same integers either way.

The AVX-512 sort of numpy takes five times as long on AMD Zen 4 as a sort by AVX2. A stable argsort of 16-bit
integers is a radix sort in numpy, on every machine. One or two of them bring the keys of a block into order
but for neighbours, which a stable sort mends. A block must stay in the second-level cache: more keys are
divided into buckets first.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from time import perf_counter
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, tables_of

MakeKeys = Callable[..., AnyArray]  # the keys of a slice of rows, in a new array or in the second argument

_SHORT = 4096  # keys; the fixed costs of several calls are more than fewer keys save
_LONG = 2 * BLOCK_ROWS  # keys; more are divided into buckets of about a block
_BIN_BITS = 16  # of a key, from its highest bit that differs: whole bins become buckets
_BUCKET = BLOCK_ROWS // 2  # keys of a bucket, if buckets are not too many
_BUCKETS = 512  # at most, since each block is copied bucket by bucket
_SAMPLE = 256  # keys that tell whether many share their highest bits
_SPARE = 8  # a run may be copied if there are so many times as many keys in all
_MARGIN = 0.8  # the radix sort is used where it takes this part of the time of numpy's sort


def sort_keys(keys: AnyArray, *, radix: bool | None = None) -> None:
    """Sort keys in place; `radix` forces the way, for tests."""
    if keys.size < _SHORT or not (radix_is_faster() if radix is None else radix):
        keys.sort()
        return
    sample = np.sort(keys[:: keys.size // _SAMPLE])
    if _is_tied(sample):
        keys.sort()
    elif keys.size <= _LONG:
        _sort_block(keys, sample)
    elif bins := _bins_of(sample, keys.size, keys.min(), keys.max()):
        _sort_by_bins(bins, keys.copy().__getitem__, keys)
    else:
        keys.sort()


def sort_scores(score: AnyArray, *, radix: bool | None = None) -> None:
    """Sort scores in place, floats as integers in the same order where that is faster."""
    kind, size = score.dtype.kind, score.itemsize
    if (
        kind not in "if"
        or size not in (4, 8)
        or score.size < _SHORT
        or radix is False
        or not (radix or radix_is_faster())
    ):
        score.sort()
        return
    keys = score.view(f"i{size}")
    blocks = blocks_of(score.size) if kind == "f" and score.min() < 0 else []
    for block in blocks:
        keys[block] ^= _below_sign(keys[block])
    sort_keys(keys, radix=True)
    for block in blocks:
        keys[block] ^= _below_sign(keys[block])


def order_by_radix(score: AnyArray, *, radix: bool | None = None) -> IntArray | None:
    """Return the rows, the lowest score first and equal scores by row; None if argsort is to be used."""
    wide = score.dtype.itemsize > 8 or score.dtype.hasobject
    if score.size < _SHORT or wide or not (radix_is_faster() if radix is None else radix):
        return None
    # The row takes the place of the lowest bits of the score, which rarely decide. There is one zero: 0.0.
    keys, row_bits = np.add(score, 0, dtype=np.float64).view(np.int64), (1 << score.size.bit_length()) - 1
    keys ^= _below_sign(keys)
    keys &= ~row_bits
    keys |= np.arange(score.size)
    sort_keys(keys, radix=True)
    keys &= row_bits
    in_order = score.take(keys)
    return keys if (in_order[1:] >= in_order[:-1]).all() else None


def _below_sign(keys: AnyArray) -> AnyArray:
    """Return the bits that make negative floats integers in the same order, and these floats again."""
    bits = keys >> (8 * keys.itemsize - 1)  # 0 or -1
    bits &= np.iinfo(keys.dtype).max
    return bits


def sorted_keys(
    make: MakeKeys, like: AnyArray, size: int, *, block_rows: int = BLOCK_ROWS, radix: bool | None = None
) -> AnyArray:
    """Return `size` keys in order, from the least to the greatest of `like`; they are made block by block.

    Keys that are divided into buckets are made twice, and are never held twice.
    """
    keys = np.empty(size, dtype=like.dtype)
    if size > _LONG and (radix_is_faster() if radix is None else radix):
        sample = np.sort(make(slice(0, size, size // _SAMPLE)))
        bins = None if _is_tied(sample) else _bins_of(sample, size, like.min(), like.max())
        if bins is not None:
            _sort_by_bins(bins, make, keys)
            return keys
        radix = False
    for block in blocks_of(size, block_rows):
        make(block, keys[block])
    sort_keys(keys, radix=radix)
    return keys


def sort_runs(
    keys: AnyArray, offsets: IntArray, block_rows: int = BLOCK_ROWS, *, radix: bool | None = None
) -> None:
    """Sort ``keys[offsets[i]:offsets[i + 1]]`` for each i."""
    if offsets.size == 2 and keys.size <= _LONG:  # without a look at lengths, which counts in a small call
        sort_keys(keys, radix=radix)
        return
    lengths = offsets[1:] - offsets[:-1]
    if lengths[0] < _SHORT and (lengths == lengths[0]).all():  # already a matrix, without padding
        keys.reshape(lengths.size, -1).sort(axis=1)
        return
    padding: int = np.iinfo(keys.dtype).max  # sorted behind the keys of its run, wherever these end
    for place, inside in tables_of(offsets, block_rows):
        if inside is None:
            run = keys[place]
            few = run.size <= max(_LONG, keys.size // _SPARE)  # else a copy would take too much memory
            sort_keys(run, radix=radix if few else False)
        else:
            table = np.full(inside.shape, padding, dtype=keys.dtype)
            table[inside] = keys[place]
            table.sort(axis=1)
            keys[place] = table[inside]


@lru_cache
def radix_is_faster() -> bool:
    """Whether this machine sorts a few thousand random keys faster by radix; measured once per process."""
    random = np.arange(2 * _SHORT, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(3):  # in turns, and the least time counts: a busy machine must not decide
        for radix, of_way in seconds.items():
            keys = random.view(np.int64) >> 1
            begin = perf_counter()
            sort_keys(keys, radix=radix)
            of_way.append(perf_counter() - begin)
    return min(seconds[True]) < _MARGIN * min(seconds[False])


def _is_tied(sample: AnyArray) -> bool:
    """Whether a quarter of the keys are equal but for labels: numpy's sort has few of the others to sort."""
    apart = sample.size // 4
    return bool(np.count_nonzero(sample[apart:] | 1 == sample[:-apart] | 1))


def _sort_block(keys: AnyArray, sample: AnyArray) -> None:
    """Sort keys in place, by their 16 or 32 highest bits that differ, and then all."""
    least = keys.min()
    width = (int(keys.max()) - int(least)).bit_length()
    gaps = sample[1:] - sample[:-1]
    gaps = gaps[gaps > 1]  # without those that wrapped around, which are wide
    for passes in (1, 2):
        shift = max(width - 16 * passes, 0)
        # Between neighbours in the sample whose highest bits agree, there are many keys to be sorted again.
        if np.count_nonzero(gaps < 1 << shift) * 8 <= sample.size:
            break
    else:
        keys.sort()
        return
    digits = _above(keys, least, shift)
    order = digits.astype(np.uint16).argsort(kind="stable")
    if passes > 1:
        digits >>= 16
        order = order.take(digits.astype(np.uint16).take(order).argsort(kind="stable"))
    keys[:] = keys.take(order)
    if shift:
        keys.sort(kind="stable")


def _above(keys: AnyArray, least: AnyArray, shift: int) -> AnyArray:
    """Return how far keys are above the least one, without the lowest bits."""
    # A difference may wrap around, and is right without a sign.
    distance = np.subtract(keys, least).view(f"u{keys.itemsize}")
    distance >>= distance.dtype.type(shift)
    return distance


class _Bins(NamedTuple):
    """Keys that agree in their highest bits; `of` a key from `least` to the greatest one is its distance."""

    least: AnyArray
    shift: int
    n_bins: int

    def of(self, keys: AnyArray) -> IntArray:
        """Return the bin of each key."""
        bins: IntArray = _above(keys, self.least, self.shift).view(keys.dtype)
        return bins.astype(np.int64, copy=False)


def _bins_of(sample: AnyArray, size: int, least: AnyArray, most: AnyArray) -> _Bins | None:
    """Return bins for keys within these bounds, or None if one bin would hold many of the sample."""
    span = int(most) - int(least)
    shift = max(span.bit_length() - min(size.bit_length() - 3, _BIN_BITS), 0)
    bins = _Bins(least, shift, (span >> shift) + 1)
    return None if np.bincount(bins.of(sample)).max() * 16 > sample.size else bins


def _sort_by_bins(bins: _Bins, make: MakeKeys, keys: AnyArray) -> None:
    """Write keys into buckets, which are whole bins of about a block of keys, and sort each bucket."""
    counts = np.zeros(bins.n_bins, dtype=np.int64)
    for block in blocks_of(keys.size, max(BLOCK_ROWS, counts.size)):  # each call makes all counts
        counts += np.bincount(bins.of(make(block)), minlength=counts.size)
    stop = counts.cumsum()  # of each bin
    rows = max(_BUCKET, keys.size // _BUCKETS + 1)
    bucket = np.maximum(stop - 1, 0) // rows  # of each bin, by its last row
    n_buckets = int(bucket[-1]) + 1
    bounds = np.append(0, stop)[bucket.searchsorted(np.arange(n_buckets + 1))].tolist()
    bucket = bucket.astype(np.uint8 if n_buckets <= 256 else np.uint16)
    numbers = np.arange(n_buckets, dtype=bucket.dtype)
    free = bounds[:-1]  # the next place of each bucket
    for block in blocks_of(keys.size):
        made = make(block)
        of_key = bucket.take(bins.of(made))
        order = of_key.argsort(kind="stable")
        made, of_key, done = made.take(order), of_key.take(order), 0
        for i, end in enumerate(of_key.searchsorted(numbers, side="right").tolist()):
            place = free[i]
            free[i] = place + end - done
            keys[place : free[i]] = made[done:end]
            done = end
    for begin, end in pairwise(bounds):
        if end - begin < 2 * _LONG:
            sort_keys(keys[begin:end], radix=True)
        else:
            keys[begin:end].sort()
