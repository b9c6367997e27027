"""Scores as integers in the same order, with the lowest bit left free.

A label in the lowest bit moves with its score. One sort in place, of 8 or 4 bytes per row, is then all the
work. Nothing is rounded: equal scores, including 0.0 and -0.0, have keys that differ in the lowest bit at
most. `sort_keys` reads keys of 8 bytes as floats, so they stay below `LAST_KEY`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import frexp

import numpy as np

from .._typing import AnyArray, Bound
from ._blocks import LAST_KEY, blocks_of, starts_of_runs
from ._rankings import OperatingPoints

# Arrays, since numpy would convert a Python int at each call, which counts for short rankings.
LOWEST_BIT: dict[int, AnyArray] = {4: np.array(1, dtype=np.int32), 8: np.array(1, dtype=np.int64)}

# Keys from the first to below the second may be of products that were rounded: of 0, and of numbers up to the
# smallest normal one.
_MAYBE_ROUNDED: dict[int, AnyArray] = {
    dtype.itemsize: np.array([2 - key, key], dtype=f"i{dtype.itemsize}")
    for dtype in (np.dtype(np.float32), np.dtype(np.float64))
    for key in [2 * (2 ** int(np.finfo(dtype).nmant) + 1)]
}

_MASKED = -(
    2.0**900
)  # if a single score value is below, such as finfo(float64).min, it marks masked candidates


@dataclass(frozen=True)
class Packing:
    """How the scores of a call become keys.

    The bits of a float without its sign, read as an integer, grow with its magnitude. The same integer with
    the float's sign is therefore in the order of the floats. Below 1.5, the highest bit of the exponent is 0,
    so a magnitude leaves a bit for a sign and one for a label.
    """

    dtype: np.dtype[np.signedinteger]  # of keys: int32 or int64
    lowest: int = 0  # the integer score that becomes key 0
    signed: bool = False  # whether there are negative floats
    scale: np.floating | None = None  # a power of two that brings all floats into (-1, 1), or None
    masked: tuple[np.floating, np.floating] | None = None  # the lowest score, and what stands for it

    def keys(self, score: AnyArray, out: AnyArray | None = None) -> AnyArray:
        """Return keys, whose lowest bit is clear, as a new array or in `out`."""
        if score.dtype.kind != "f":
            # Subtracting may wrap around in int64. The difference fits into the key, so it wraps back.
            whole = score.view(np.int64) if score.dtype == np.uint64 else score.astype(np.int64)
            whole = (whole - np.int64(_wrapped(self.lowest))).astype(self.dtype)
            return np.asarray(np.left_shift(whole, 1, out=out))
        if score.dtype.itemsize != self.dtype.itemsize:
            score = score.astype(f"f{self.dtype.itemsize}")
        if self.masked is not None:
            score = np.maximum(score, self.masked[1])
        if self.scale is not None:
            with np.errstate(under="ignore"):  # even if the caller made it an error: `keeps_apart` sees it
                score = score * self.scale
        bits = score.view(self.dtype)
        # This drops the sign, which is the highest bit.
        keys: AnyArray = np.left_shift(bits, LOWEST_BIT[bits.itemsize], out=out)
        if self.signed:
            sign = bits >> (8 * bits.itemsize - 1)  # 0 or -1
            # In two's complement, -x is ~x + 1: no branch and no mask of the negative ones.
            keys ^= sign
            keys -= sign
        return keys

    def keeps_apart(self, keys: AnyArray, *scores: AnyArray, in_order: bool = True) -> bool:
        """Whether these keys, with or without labels, keep these scores apart.

        A product with a power of two is exact above the smallest normal number, to which others may have been
        rounded up. If no product is below, or only zeros are, nothing was rounded. So two searches in keys in
        order replace a look at every score.
        """
        if self.scale is None:
            return True
        first, stop = _MAYBE_ROUNDED[keys.itemsize]
        if in_order:
            n_small = int(keys.searchsorted(stop)) - int(keys.searchsorted(first))
        else:
            parts = (keys[block] for block in blocks_of(keys.size))
            n_small = sum(int(np.count_nonzero((part >= first) & (part < stop))) for part in parts)
        return not n_small or n_small == sum(score.size - np.count_nonzero(score) for score in scores)

    def scores(self, keys: AnyArray, of_type: np.dtype[np.generic]) -> AnyArray:
        """Return the scores with these keys: the inverse of `keys`, for thresholds."""
        whole = keys >> 1
        if of_type.kind != "f":
            whole = whole.astype(np.int64) + np.int64(_wrapped(self.lowest))
            return whole.view(np.uint64).astype(of_type) if of_type == np.uint64 else whole.astype(of_type)
        scores = np.copysign(np.abs(whole).view(f"f{self.dtype.itemsize}"), whole)
        if self.scale is not None:
            scores = scores / self.scale
        if self.masked is not None:
            scores[scores <= self.masked[1]] = self.masked[0]
        return np.asarray(scores, dtype=of_type)


def packing_of(score: AnyArray, lowest: Bound, highest: Bound, *more: AnyArray) -> Packing | None:
    """Return a packing for scores in [lowest, highest], or None if there is none; `more` are other scores.

    `keeps_apart` has to confirm a packing that multiplies. It fails only for scores next to magnitudes that
    are 2**1021 times as large, or 2**125 times with float32 up to 2**100.
    """
    kind, size = score.dtype.kind, score.dtype.itemsize
    if kind not in "biuf" or size > 8:
        return None
    if kind != "f":
        return _integer_packing(int(lowest), int(highest))
    masked = None
    if size == 8 and lowest < _MASKED:
        # The next float below all other scores stands for the lowest one. Products keep both apart.
        others = highest
        for scores in (score, *more):
            others = np.minimum.reduce(scores, axis=None, where=scores > lowest, initial=others)
        if others > _MASKED:
            # Even if the caller made underflow an error: the next float below 0 is subnormal.
            with np.errstate(under="ignore"):
                masked = lowest, np.nextafter(others, -np.inf)
            lowest = masked[1]
    if lowest > -_UNSCALED_BELOW and highest < _UNSCALED_BELOW:
        packing = _UNSCALED[size, bool(lowest < 0)]
    else:
        exponent = frexp(max(-float(lowest), float(highest)))[1]
        # Masked candidates often score finfo(float32).min. Products of 8 bytes are exact next to it, too.
        size = 8 if size == 8 or exponent > 100 else 4
        packing = _scaled_by(exponent, np.dtype(f"f{size}"), signed=bool(lowest < 0))
    return packing if masked is None else replace(packing, masked=masked)


_UNSCALED_BELOW = 1.5  # from here on, the key of a float of 8 bytes would be infinite as a float
# Made once, since most scores are probabilities, and short calls come with the same few exponents.
_UNSCALED = {
    (size, signed): Packing(np.dtype(f"i{max(size, 4)}"), signed=signed)
    for size in (2, 4, 8)
    for signed in (False, True)
}


@lru_cache
def _scaled_by(exponent: int, dtype: np.dtype[np.floating], *, signed: bool) -> Packing:
    """Return the packing that makes numbers below 2**exponent numbers below 1."""
    return Packing(np.dtype(f"i{dtype.itemsize}"), signed=signed, scale=dtype.type(2.0**-exponent))


def _integer_packing(lowest: int, highest: int) -> Packing | None:
    """Return a packing for integers in [lowest, highest] that leaves the sign and one bit free, or None."""
    for key in (np.int32, np.int64):  # the smaller one is sorted faster
        if 2 * (highest - lowest) < min(np.iinfo(key).max, LAST_KEY - 1):
            return Packing(np.dtype(key), lowest)
    return None


def _wrapped(value: int) -> int:
    """Return the int64 that a value becomes when it wraps around."""
    return (value + 2**63) % 2**64 - 2**63


def operating_points_of(
    keys: AnyArray, packing: Packing, dtype: np.dtype[np.generic], positive_bit: AnyArray
) -> OperatingPoints:
    """Return the operating points of the sorted keys of a single ranking; `dtype` is that of its scores."""
    first = starts_of_runs(keys | 1)
    positives = np.add.reduceat((keys & 1) == positive_bit, first, dtype=np.int64)
    return OperatingPoints(
        threshold=packing.scores(keys[first], dtype),
        tp=np.cumsum(positives[::-1])[::-1].astype(np.float64),
        retrieved=(keys.size - first).astype(np.float64),
    )
