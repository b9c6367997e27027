"""Integers in the order of scores, which numpy sorts faster than rows by their scores."""

from math import frexp
from typing import NamedTuple, assert_never

import numpy as np

from ..typing import AnyArray, Bound, Bounds, IntArray, TieOrder
from .rankings import Rows
from .runs import PIECE_ROWS, change_runs

# A key is the bits of a score, shifted left by one. From 1.5 on, these are the bits of an
# infinity or a NaN, which a sort of floats does not order, so such scores are scaled.
_UNSCALED_BELOW = 1.5
_LEAST_SUBNORMAL = 5e-324
_PLAIN_ROWS = 300  # up to here, numpy's sort takes less time than keys
_REACH = 8  # rows next to a pair in a wrong order that may belong to it


class Keys(NamedTuple):
    """An integer per score, in the order of the scores."""

    values: IntArray
    signed: bool  # whether some may be negative

    def sort_within(self, offsets: IntArray) -> None:
        """Sort the values of each ranking in place.

        Numpy sorts floats in four fifths of the time of integers, and in three fifths
        without AVX-512. Values that are not negative are in the order of the floats
        with the same bits.
        """
        values: AnyArray = self.values
        padding: float = np.iinfo(values.dtype).max
        # Some libraries make a thread treat subnormal floats as 0: small values would
        # be equal.
        if not self.signed and _LEAST_SUBNORMAL > 0:
            values, padding = values.view(f"f{values.itemsize}"), np.inf
        change_runs(np.ndarray.sort, values, offsets[1:] - offsets[:-1], padding)


def keys_of(
    score: AnyArray, lowest: Bound, highest: Bound, free_bits: int = 1
) -> Keys | None:
    """Return an integer per score in [lowest, highest], whose lowest bits are 0; None
    if such integers do not exist.

    They are in the order of the scores, and with one free bit none are equal for
    different scores. Floats of 32 bits or less then have keys of 32 bits, whose sort
    takes half the time.
    """
    kind, n_bytes, signed = score.dtype.kind, score.dtype.itemsize, bool(lowest < 0)
    if kind in "biu":
        return _keys_of_integers(score, int(lowest), int(highest), free_bits)
    if kind != "f" or n_bytes > 8:
        return None
    largest, scale = max(-lowest, highest), 1.0
    if largest >= _UNSCALED_BELOW:
        scale = 2.0 ** -frexp(largest)[1]
    n_bytes = 4 if free_bits == 1 and n_bytes <= 4 else 8
    keys = np.empty(score.size, dtype=f"i{n_bytes}")
    # In pieces, since memory for long arrays takes longer to get than to fill.
    for low in range(0, score.size, PIECE_ROWS):
        piece = slice(low, low + PIECE_ROWS)
        floats = score[piece].astype(f"f{n_bytes}", copy=False)
        if _write_keys(keys[piece], floats, scale, signed=signed):
            continue
        if n_bytes == 8:
            return None
        # Small numbers that a scale rounds in 32 bits are exact in 64.
        return keys_of(score.astype(np.float64), lowest, highest)
    if free_bits > 1:
        keys &= -1 << free_bits
    return Keys(keys, signed)


def _keys_of_integers(
    score: AnyArray, lowest: int, highest: int, free_bits: int
) -> Keys | None:
    """Return the distances from the lowest score; None if one takes over 61 bits."""
    n_bits = (highest - lowest).bit_length()
    if n_bits > 61:
        return None
    # The steps are in place, since memory for long arrays takes longer to get than to
    # fill.
    keys: IntArray = score.astype(np.int64)
    # Large unsigned integers wrap around, and the difference wraps back.
    keys -= np.array(lowest).astype(np.int64)
    keys >>= max(n_bits + free_bits - 62, 0)
    keys <<= free_bits
    return Keys(keys, signed=False)


def _write_keys(keys: IntArray, score: AnyArray, scale: float, *, signed: bool) -> bool:
    """Write a key for each float, of as many bytes, times `scale`; return False if this
    product is rounded.

    The bits of a float without its sign, read as an integer, grow with its magnitude.
    The same integer with the float's sign is therefore in the order of the floats.
    """
    if scale < 1:
        # A product with a power of two is exact, but for the smallest numbers.
        factor = score.dtype.type(scale)
        # Where a library makes a thread treat subnormal floats as 0, a factor of 32
        # bits may be one, and 0 / 0 is NaN, which no score is equal to.
        with np.errstate(under="ignore", invalid="ignore"):
            scaled = score * factor
            if np.count_nonzero(scaled / factor != score):
                return False
        score = scaled
    bits = score.view(keys.dtype)
    # The shift drops the sign, which is the highest bit.
    np.left_shift(bits, 1, out=keys)
    if signed:
        sign = bits >> (8 * keys.itemsize - 1)
        # It is 0 or -1; in two's complement, -x is ~x + 1.
        keys ^= sign
        keys -= sign
    return True


def order_of(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds
) -> tuple[IntArray, AnyArray]:
    """Return the rows in order, ranking after ranking and in each the worst first, and
    their scores.

    What is retrieved first among equal scores stands last.
    """
    score, offsets = rows.score.reshape(-1), rows.offsets
    if tie_order is None and rows.is_single and score.size <= _PLAIN_ROWS:
        order = score.argsort(kind="stable")
        return order, score.take(order)
    n_bits = score.size.bit_length()
    keys = keys_of(score, *bounds, free_bits=n_bits)
    by_label = tie_order is not None and not keeps_row_order(tie_order)
    if keys is None or by_label:
        last = _last_among_equals(rows, tie_order)
        ranking = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        order = np.lexsort((last, score, ranking))
        return order, score.take(order)
    # The number of a row takes the lowest bits of its key.
    order = keys.values
    order |= _last_among_equals(rows, tie_order)
    keys.sort_within(offsets)
    del keys  # so that no array is held twice below
    order &= (1 << n_bits) - 1
    if keeps_row_order(tie_order):
        np.subtract(score.size - 1, order, out=order)
    in_order = score.take(order)
    _repair(order, in_order, offsets)
    return order, in_order


def keeps_row_order(tie_order: TieOrder | None) -> bool:
    """Whether equal scores are ranked as their rows stand."""
    match tie_order:
        case "stable":
            return True
        case None | "optimistic" | "pessimistic":
            return False
        case _:
            assert_never(tie_order)


def _repair(order: IntArray, score: AnyArray, offsets: IntArray) -> None:
    """Sort rows in place whose scores differ in the dropped bits alone: few, which are
    neighbours.
    """
    n_rows, reach = score.size, _REACH
    while (falls := _falls(score, offsets)).size:
        if falls.size * reach >= n_rows:
            near = np.arange(n_rows)
        else:
            around = falls[:, np.newaxis] + np.arange(-reach, reach + 2)
            near = np.unique(around.clip(0, n_rows - 1))
        ranking = offsets.searchsorted(near, side="right")
        # Each stretch is sorted by itself, so equal scores stay in their order.
        stretch = near - np.arange(near.size)
        better = near.take(np.lexsort((score.take(near), stretch, ranking)))
        order[near] = order.take(better)
        score[near] = score.take(better)
        reach *= 8


def _falls(score: AnyArray, offsets: IntArray) -> IntArray:
    """Return the rows above which a lower score of the same ranking stands."""
    is_fall = score[1:] < score[:-1]
    is_fall[offsets[(offsets > 0) & (offsets < score.size)] - 1] = False
    return is_fall.nonzero()[0]


def _last_among_equals(rows: Rows, tie_order: TieOrder | None) -> AnyArray:
    """Return what rises towards the best of equal scores."""
    positive = rows.positive.reshape(-1)
    match tie_order:
        case None:
            return np.arange(positive.size)
        case "stable":
            return np.arange(positive.size - 1, -1, -1)
        case "optimistic":
            return positive
        case "pessimistic":
            return ~positive
        case _:
            assert_never(tie_order)
