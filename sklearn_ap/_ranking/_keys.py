"""Scores as integers in the same order, with the lowest bit left free.

Numpy sorts integers fastest, and a label in the lowest bit moves with its score. One sort in place, of 8 or 4
bytes per row, is then all the work. Nothing is rounded: equal scores, including 0.0 and -0.0, have keys that
differ in the lowest bit at most. Scores whose range takes more than 63 bits have no packing.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import frexp

import numpy as np

from .._typing import AnyArray, Bound
from ._blocks import blocks_of

# Arrays, since numpy would convert a Python int at each call, which counts for short rankings.
LOWEST_BIT: dict[int, AnyArray] = {4: np.array(1, dtype=np.int32), 8: np.array(1, dtype=np.int64)}

# Keys from the first to below the second may be of products that were rounded: of 0, and of numbers up to the
# smallest normal one.
_EXACT: dict[int, AnyArray] = {
    of.itemsize: np.array([2 - key, key], dtype=f"i{of.itemsize}")
    for of in (np.dtype(np.float32), np.dtype(np.float64))
    for key in [2 * (2 ** int(np.finfo(of).nmant) + 1)]
}


@dataclass(frozen=True)
class Packing:
    """How the scores of a call become keys.

    The bits of a float without its sign, read as an integer, grow with its magnitude. The same integer with
    the float's sign is therefore in the order of the floats. `gap` closes the unused range between 0 and the
    smallest other magnitude. `center` is the integer that becomes key 0.
    """

    dtype: np.dtype[np.signedinteger]  # of keys: int32 or int64
    center: int = 0
    gap: int = 0
    signed: bool = False  # whether there are negative floats
    scale: np.floating | None = None  # a power of two that brings all floats into (-2, 2), or None

    def keys(self, score: AnyArray, out: AnyArray | None = None) -> AnyArray:
        """Return keys, whose lowest bit is clear, as a new array or in `out`."""
        if score.dtype.kind != "f":
            # Subtracting may wrap around in int64. The difference fits into the key, so it wraps back.
            whole = score.view(np.int64) if score.dtype == np.uint64 else score.astype(np.int64)
            whole = (whole - np.int64(_wrapped(self.center))).astype(self.dtype)
            return np.asarray(np.left_shift(whole, 1, out=out))
        if score.dtype.itemsize != self.dtype.itemsize:
            score = score.astype(f"f{self.dtype.itemsize}")
        if self.scale is not None:
            with np.errstate(under="ignore"):  # even if the caller made it an error: `keeps_apart` sees it
                score = score * self.scale
        bits = score.view(self.dtype)
        keys: AnyArray
        if self.gap:
            keys = _ordered_bits(bits, self.gap)
            keys -= self.dtype.type(self.center)
            return np.asarray(np.left_shift(keys, 1, out=keys if out is None else out))
        # This drops the sign, which is the highest bit.
        keys = np.left_shift(bits, LOWEST_BIT[bits.itemsize], out=out)
        if self.signed:
            _give_sign(keys, bits)
        if self.center:
            keys -= self.dtype.type(_wrapped(2 * self.center, self.dtype.itemsize))
        return keys

    def keeps_apart(self, keys: AnyArray, score: AnyArray) -> bool:
        """Whether these sorted keys, with or without labels, keep these scores apart.

        A product with a power of two is exact above the smallest normal number, to which others may have been
        rounded up. If no product is below, or only zeros are, nothing was rounded. So two searches in the
        keys replace a look at every score.
        """
        if self.scale is None:
            return True
        first, stop = keys.searchsorted(_EXACT[keys.itemsize])
        return bool(first == stop or stop - first == score.size - np.count_nonzero(score))

    def scores(self, keys: AnyArray, of_type: np.dtype[np.generic]) -> AnyArray:
        """Return the scores with these keys: the inverse of `keys`, for thresholds."""
        whole = (keys >> 1).astype(np.int64) + np.int64(_wrapped(self.center))
        if of_type.kind != "f":
            return whole.view(np.uint64).astype(of_type) if of_type == np.uint64 else whole.astype(of_type)
        bits = np.where(whole == 0, 0, np.abs(whole) + self.gap).astype(self.dtype)
        scores = np.copysign(bits.view(f"f{self.dtype.itemsize}"), whole)
        return np.asarray(scores if self.scale is None else scores / self.scale, dtype=of_type)


_PLAIN = {  # made once, since most scores are floats in (-2, 2), which need neither center nor gap
    (np.dtype(key).itemsize, signed): Packing(np.dtype(key), signed=signed)
    for key in (np.int32, np.int64)
    for signed in (False, True)
}


def packing_of(score: AnyArray, least: Bound, most: Bound, *, guess: bool = False) -> Packing | None:
    """Return a packing for scores in [least, most], or None if no packing can keep them apart.

    With `guess`, `keeps_apart` has to confirm it after the sort. This saves a tenth of the time, if floats of
    both signs reach beyond (-2, 2): they are scaled, instead of scanned for the gap around 0.
    """
    kind, size = score.dtype.kind, score.dtype.itemsize
    if kind not in "biuf" or size > 8:
        return None
    if kind == "f" and size >= 4:
        # Below 2, the highest bit of the exponent is 0, so a magnitude leaves a bit for a sign and one for a
        # label.
        if least > -2 and most < 2:
            return _PLAIN[size, bool(least < 0)]
        if guess and least < 0:
            return _scaled_by(frexp(max(-float(least), float(most)))[1] - 1, score.dtype)
    for key in (np.int32, np.int64):  # the smaller one is sorted faster
        if kind != "f":
            packing = _fitting(key, int(least), int(most))
        else:
            packing = _of_floats(key, score, least, most) if size <= np.dtype(key).itemsize else None
        if packing is not None:
            return packing
    return None


@lru_cache  # for short calls with the same few exponents
def _scaled_by(exponent: int, dtype: np.dtype[np.floating]) -> Packing:
    """Return the packing that makes numbers from 2**exponent on numbers from 1 on."""
    return Packing(np.dtype(f"i{dtype.itemsize}"), signed=True, scale=dtype.type(2.0**-exponent))


def _of_floats(key: type[np.signedinteger], score: AnyArray, least: Bound, most: Bound) -> Packing | None:
    extremes = np.array([least, most], dtype=f"f{np.dtype(key).itemsize}").view(key)
    signed = bool(least < 0)
    packing = _fitting(key, *_ordered_bits(extremes, 0).tolist(), signed=signed)
    if packing is None:  # both signs, and magnitudes of 2 or more: close the gap around 0, which costs a scan
        gap = _smallest_magnitude(score, key) - 1
        packing = _fitting(key, *_ordered_bits(extremes, gap).tolist(), signed=signed, gap=gap)
    return packing


def _fitting(
    key: type[np.signedinteger], least: int, most: int, *, signed: bool = False, gap: int = 0
) -> Packing | None:
    """Return a packing for integers in [least, most] that leaves one bit free, or None."""
    quarter = 2 ** (np.dtype(key).itemsize * 8 - 2)
    if most - least >= 2 * quarter:
        return None
    center = 0 if -quarter <= least and most < quarter else least + quarter
    return Packing(np.dtype(key), center, gap, signed)


def _ordered_bits(bits: AnyArray, gap: int) -> AnyArray:
    """Return integers in the order of the floats that have these bits."""
    magnitude: AnyArray = bits & np.iinfo(bits.dtype).max
    if gap:
        np.maximum(magnitude, gap, out=magnitude)
        magnitude -= gap
    _give_sign(magnitude, bits)
    return magnitude


def _give_sign(magnitude: AnyArray, bits: AnyArray) -> None:
    """Negate the magnitudes of negative floats, in place."""
    sign = bits >> (8 * bits.itemsize - 1)  # 0 or -1
    # In two's complement, -x is ~x + 1: no branch and no mask of the negative ones.
    magnitude ^= sign
    magnitude -= sign


def _smallest_magnitude(score: AnyArray, key: type[np.signedinteger]) -> int:
    """Return the bits of the smallest magnitude above 0."""
    smallest: int = np.iinfo(key).max - 1
    flat = score.ravel(order="K")
    for block in blocks_of(flat.size):
        bits = flat[block].astype(f"f{np.dtype(key).itemsize}").view(key)
        bits &= np.iinfo(key).max
        # Minus 1, the magnitude 0 becomes the largest unsigned number, so that min() passes over it.
        bits -= 1
        smallest = min(smallest, int(bits.view(f"u{bits.itemsize}").min()))
    return smallest + 1


def _wrapped(value: int, itemsize: int = 8) -> int:
    """Return the signed integer of this size that a value becomes when it wraps around."""
    half: int = 2 ** (8 * itemsize - 1)
    return (value + half) % (2 * half) - half
