"""Integers in the order of scores, which numpy sorts faster than rows by their scores."""

from math import frexp
from typing import NamedTuple, assert_never

import numpy as np

from ..typing import AnyArray, Bound, Bounds, IntArray, TieOrder
from .rankings import Rows
from .runs import change_runs

# Below it the highest bit of a float's exponent is 0, so a magnitude leaves one bit for
# a sign and one for a label.
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
        padding: float = np.iinfo(np.int64).max
        # Some libraries make a thread treat subnormal floats as 0: small values would
        # be equal.
        if not self.signed and _LEAST_SUBNORMAL > 0:
            values, padding = values.view(np.float64), np.inf
        change_runs(np.ndarray.sort, values, offsets[1:] - offsets[:-1], padding)


def keys_of(
    score: AnyArray, lowest: Bound, highest: Bound, free_bits: int = 1
) -> Keys | None:
    """Return an integer per score in [lowest, highest], whose lowest bits are 0; None
    if there are none.

    They are in the order of the scores, and with one free bit none are equal for
    different scores. The bits of a float without its sign, read as an integer, grow
    with its magnitude. The same integer with the float's sign is therefore in the order
    of the floats.
    """
    kind = score.dtype.kind
    if kind in "biu":
        n_bits = (int(highest) - int(lowest)).bit_length()
        if n_bits > 61:
            return None
        # Large unsigned integers wrap around, and the difference wraps back.
        wrapped = np.int64((int(lowest) + 2**63) % 2**64 - 2**63)
        whole = score.astype(np.int64) - wrapped
        shift = max(n_bits + free_bits - 62, 0)
        return Keys(whole >> shift << free_bits, signed=False)
    if kind != "f" or score.dtype.itemsize > 8:
        return None
    score = score.astype(np.float64, copy=False)
    largest = max(-float(lowest), float(highest))
    if largest >= _UNSCALED_BELOW:
        # A product with a power of two is exact, but for the smallest numbers.
        scale = 2.0 ** -frexp(largest)[1]
        with np.errstate(under="ignore"):
            scaled = score * scale
        if np.count_nonzero(scaled / scale != score):
            return None
        score = scaled
    bits = score.view(np.int64)
    keys: IntArray = bits << 1  # without the sign, which is the highest bit
    if lowest < 0:
        sign = bits >> 63  # 0 or -1; in two's complement, -x is ~x + 1
        keys ^= sign
        keys -= sign
    if free_bits > 1:
        keys &= -1 << free_bits
    return Keys(keys, signed=bool(lowest < 0))


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
