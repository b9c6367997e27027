"""Integer keys in the order of the scores.

The lowest bits of a key are free: they can contain the label or the number of its row.
Numpy sorts such keys in less time than it finds the order of the scores (`argsort`).
"""

from math import frexp
from typing import NamedTuple, assert_never

import numpy as np

from ..typing import AnyArray, BoolArray, Bound, Bounds, IntArray, TieOrder
from .rankings import Rows
from .runs import LONG_ROWS, PIECE_ROWS, sort_runs

# A key is the bits of a score, shifted left by one. If the magnitude of the score is
# below 1.5, the shifted bits represent a finite float, so that `Keys.sort_within` can
# sort keys as floats. The shifted bits of 1.5 represent infinity, and the shifted bits
# of larger scores represent NaN. So larger scores are scaled first.
_UNSCALED_BELOW = 1.5
# The smallest positive float64. It equals 0 in a thread whose processor treats
# subnormal floats as 0.
_LEAST_SUBNORMAL = 5e-324
# Bits of a finite float64 without its sign. The bits of larger integers may be those of
# infinity or NaN.
_KEY_BITS = 62
# Up to this number of rows, argsort takes less time than making and sorting keys.
_PLAIN_ROWS = 300
# The number of rows on either side of two neighbours in the wrong order that are sorted
# again. While some rows are still in the wrong order, this number is multiplied by 8.
_REACH = 8

# With at least this number of rows per pair of close keys, only the scores of these
# pairs are compared.
_ROWS_PER_CLOSE_KEY = 16


class RowOrder(NamedTuple):
    """Rows in their order, lowest score first."""

    # The number of each row.
    place: IntArray
    # Whether each row has the score of the next one.
    is_tied: BoolArray
    # The scores in this order; None if they were not asked for.
    score: AnyArray | None = None


class Keys(NamedTuple):
    """One integer per score; a higher score never has a lower key."""

    values: IntArray
    # Whether some keys may be negative.
    signed: bool

    def sort_within(self, offsets: IntArray) -> None:
        """Sort the keys of each ranking in place.

        If no key is negative, the keys are sorted as floats with the same bits, which
        have the same order. Numpy takes 0.8 times as long for floats as for integers,
        and 0.6 times on processors without AVX-512.
        """
        values: AnyArray = self.values
        # Some libraries make the processor treat subnormal floats as 0 in a thread. In
        # such a thread, small keys would compare as equal floats, so keys are sorted as
        # integers.
        lengths = offsets[1:] - offsets[:-1]
        if not self.signed and _LEAST_SUBNORMAL > 0:
            sort_runs(values.view(f"f{values.itemsize}"), lengths, np.inf)
        else:
            sort_runs(values, lengths, np.iinfo(values.dtype).max)


def keys_of(
    score: AnyArray, lowest: Bound, highest: Bound, free_bits: int = 1
) -> Keys | None:
    """Return one integer per score, in the order of the scores and with `free_bits`
    lowest bits of 0; None if the scores do not fit.

    All scores must lie in [lowest, highest]. With one free bit, different scores have
    different keys, and floats of 32 bits or less have keys of 32 bits, whose sort takes
    half the time. With more free bits, scores that differ only in their last digits may
    share a key.

    Scores fit if they are booleans, integers whose differences have at most 61 bits, or
    floats of at most 64 bits that can be scaled to magnitudes below 1.5 without
    rounding.
    """
    kind, score_bytes = score.dtype.kind, score.dtype.itemsize
    if kind in "biu":
        return _keys_of_integers(score, int(lowest), int(highest), free_bits)
    if kind != "f" or score_bytes > 8:
        return None
    signed = bool(lowest < 0)
    largest, scale = max(-lowest, highest), 1.0
    if largest >= _UNSCALED_BELOW:
        # Divided by this power of two, the largest magnitude is from 0.5 to 1.
        _, exponent = frexp(largest)
        scale = 2.0**-exponent
    n_bytes = 4 if free_bits == 1 and score_bytes <= 4 else 8
    keys = np.empty(score.size, dtype=f"i{n_bytes}")
    # Each piece is small, since allocating long arrays takes more time than filling
    # them.
    for low in range(0, score.size, PIECE_ROWS):
        piece = slice(low, low + PIECE_ROWS)
        floats = score[piece].astype(f"f{n_bytes}", copy=False)
        if _write_keys(keys[piece], floats, scale, signed=signed):
            continue
        if n_bytes == 8:
            return None
        # The scaled score was rounded in 32 bits. In 64 bits, the same product is
        # exact.
        return keys_of(score.astype(np.float64), lowest, highest)
    # One bit of each key is free by now. Further bits are freed by setting them to 0.
    if free_bits > 1:
        keys &= -1 << free_bits
    return Keys(keys, signed)


def _keys_of_integers(
    score: AnyArray, lowest: int, highest: int, free_bits: int
) -> Keys | None:
    """Return the differences from the lowest score as keys; None if one of them leaves
    no bit free.
    """
    n_bits = (highest - lowest).bit_length()
    if n_bits >= _KEY_BITS:
        return None
    # The operations are in place, since allocating long arrays takes more time than
    # filling them.
    keys: IntArray = score.astype(np.int64)
    # An unsigned integer may be too large for int64 and wrap around. `lowest` wraps
    # around in the same way, so the difference is correct.
    keys -= np.array(lowest).astype(np.int64)
    # If the free bits do not fit next to the difference, drop its lowest bits. Rows
    # whose keys are then equal are sorted again by their scores.
    keys >>= max(n_bits + free_bits - _KEY_BITS, 0)
    keys <<= free_bits
    return Keys(keys, signed=False)


def _write_keys(keys: IntArray, score: AnyArray, scale: float, *, signed: bool) -> bool:
    """Write the key of each score times `scale`, and return True; return False if a
    product is rounded.

    Keys and scores have the same number of bytes. The bits of a float without its sign,
    read as an integer, grow with the magnitude of the float. With the signs of the
    floats, these integers are in the order of the floats.
    """
    if scale < 1:
        # The product with a power of two is exact unless it is subnormal. Two scores
        # could then be rounded to one, so that no key distinguishes them.
        factor = score.dtype.type(scale)
        # The factor itself may be subnormal in 32 bits. If the processor treats it as
        # 0, the quotient below is 0 / 0. 0 / 0 is NaN, which differs from every score.
        with np.errstate(under="ignore", invalid="ignore"):
            scaled = score * factor
            if np.count_nonzero(scaled / factor != score):
                return False
        score = scaled
    bits = score.view(keys.dtype)
    # The highest bit of a float is its sign. The shift drops it and frees the lowest
    # bit.
    np.left_shift(bits, 1, out=keys)
    if signed:
        # `sign` is 0, or -1 for negative scores. In two's complement, -x is ~x + 1. An
        # exclusive or with -1 is ~x, and subtracting -1 adds 1.
        sign = bits >> (8 * keys.itemsize - 1)
        keys ^= sign
        keys -= sign
    return True


def rows_in_order(
    rows: Rows, tie_order: TieOrder | None, bounds: Bounds, *, with_score: bool
) -> RowOrder:
    """Return the rows of all rankings, one ranking after the other and the lowest score
    first.

    Among rows with equal scores, the row that ranks first comes last.
    """
    score, offsets = rows.score.reshape(-1), rows.offsets
    if tie_order is None and rows.is_single and score.size <= _PLAIN_ROWS:
        place = score.argsort(kind="stable")
        in_order = score.take(place)
        return RowOrder(place, in_order[1:] == in_order[:-1], in_order)
    n_bits = score.size.bit_length()
    keys = keys_of(score, *bounds, free_bits=n_bits)
    by_label = tie_order is not None and not keeps_row_order(tie_order)
    # If the scores have no keys, or if rows with equal scores are sorted by their
    # labels, lexsort sorts by ranking, then by score, then by `last`.
    if keys is None or by_label:
        last = _last_among_equals(rows, tie_order)
        ranking = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        place = np.lexsort((last, score, ranking))
        in_order = score.take(place)
        return RowOrder(place, in_order[1:] == in_order[:-1], in_order)
    # The free bits of each key take the number of its row. One sort of integers then
    # orders the scores, and the rows with equal scores.
    place = keys.values
    place |= _last_among_equals(rows, tie_order)
    keys.sort_within(offsets)
    is_close = None
    if rows.is_single and not with_score and score.size >= LONG_ROWS:
        is_close = _are_close(place, 1 << n_bits)
    place &= (1 << n_bits) - 1
    # With ties='stable', the number in the free bits is counted from the last row.
    if keeps_row_order(tie_order):
        np.subtract(score.size - 1, place, out=place)
    if is_close is not None:
        n_close = np.count_nonzero(is_close)
        if n_close * _ROWS_PER_CLOSE_KEY <= score.size:
            if n_close:
                _sort_close(is_close, score, place)
            return RowOrder(place, is_close)
        is_tied, n_falls = _ties_and_falls(score, place)
        if not n_falls:
            return RowOrder(place, is_tied)
    in_order = score.take(place)
    _repair(place, in_order, offsets)
    return RowOrder(place, in_order[1:] == in_order[:-1], in_order)


def _are_close(keys: IntArray, free: int) -> BoolArray:
    """Return whether each key differs from the next one only in bits below `free`."""
    is_close = np.empty(keys.size - 1, dtype=bool)
    # A difference of all keys would not fit into the caches of a processor.
    for low in range(0, is_close.size, PIECE_ROWS):
        piece = keys[low : low + PIECE_ROWS + 1]
        np.less(piece[1:] ^ piece[:-1], free, out=is_close[low : low + PIECE_ROWS])
    return is_close


def _sort_close(is_close: BoolArray, score: AnyArray, place: IntArray) -> None:
    """Sort, in place, rows whose keys are close by their scores, and let `is_close` tell
    whether each row has the score of the next one.

    Few scores have close keys, and only these are read.
    """
    close = is_close.nonzero()[0]
    this, following = score.take(place.take(close)), score.take(place.take(close + 1))
    if np.count_nonzero(this > following):
        near = np.union1d(close, close + 1)
        # Places next to each other form a stretch, and each stretch is sorted by
        # itself.
        stretch = near - np.arange(near.size)
        better = np.lexsort((score.take(place.take(near)), stretch))
        place[near] = place.take(near.take(better))
        this = score.take(place.take(close))
        following = score.take(place.take(close + 1))
    is_close[close] = this == following


def _ties_and_falls(score: AnyArray, place: IntArray) -> tuple[BoolArray, int]:
    """Return whether each row of a single ranking, in this order, has the score of the
    next one, and how many rows have a higher score than the next one.
    """
    is_tied, n_falls = np.empty(place.size - 1, dtype=bool), 0
    # A copy of all scores would not fit into the caches of a processor.
    for low in range(0, is_tied.size, PIECE_ROWS):
        in_order = score.take(place[low : low + PIECE_ROWS + 1])
        np.equal(in_order[1:], in_order[:-1], out=is_tied[low : low + PIECE_ROWS])
        n_falls += int(np.count_nonzero(in_order[1:] < in_order[:-1]))
    return is_tied, n_falls


def keeps_row_order(tie_order: TieOrder | None) -> bool:
    """Return whether rows with equal scores rank in the order in which they were
    passed.
    """
    match tie_order:
        case "stable":
            return True
        case None | "optimistic" | "pessimistic":
            return False
        case _:
            assert_never(tie_order)


def _repair(order: IntArray, score: AnyArray, offsets: IntArray) -> None:
    """Sort, in place, rows that are in the wrong order because their scores differ only
    in bits that their keys do not have.

    Such rows are few, and they are neighbours. So only the rows next to each fall of
    the score are sorted again.
    """
    n_rows, reach = score.size, _REACH
    while (falls := _falls(score, offsets)).size:
        # If many rows are near a place where the score falls, sort all rows.
        if falls.size * reach >= n_rows:
            near = np.arange(n_rows)
        else:
            around = falls[:, np.newaxis] + np.arange(-reach, reach + 2)
            near = np.unique(around.clip(0, n_rows - 1))
        ranking = offsets.searchsorted(near, side="right")
        # `near - np.arange` is constant along consecutive places, which form a stretch.
        # Each stretch is sorted by itself. So no row moves past the rows between two
        # stretches, and rows with equal scores keep their order.
        stretch = near - np.arange(near.size)
        better = near.take(np.lexsort((score.take(near), stretch, ranking)))
        order[near] = order.take(better)
        score[near] = score.take(better)
        reach *= 8


def _falls(score: AnyArray, offsets: IntArray) -> IntArray:
    """Return the places after which the next score of the same ranking is lower."""
    is_fall = score[1:] < score[:-1]
    # The last row of a ranking precedes a row of another ranking. The offsets 0 and
    # `score.size` are not between two rows.
    is_fall[offsets[(offsets > 0) & (offsets < score.size)] - 1] = False
    return is_fall.nonzero()[0]


def _last_among_equals(rows: Rows, tie_order: TieOrder | None) -> AnyArray:
    """Return a sort key for rows with equal scores: the row that ranks first has the
    largest key.
    """
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
