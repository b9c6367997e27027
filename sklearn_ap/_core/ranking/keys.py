"""Integer keys in the order of the scores, whose lowest bits are free: they contain the
label or the number of the row.

Numpy sorts such keys in a third of the time that it takes to find the order of scores
(`argsort`) and to read the rows in this order.
"""

from math import frexp
from typing import NamedTuple

import numpy as np

from ..typing import AnyArray, BoolArray, Bounds, IntArray, TieOrder
from .rankings import Rows
from .runs import change_runs, pieces

# The bits of a float of a lower magnitude, shifted left by one, are the bits of a finite
# float. So keys can be sorted as floats, too.
_UNSCALED_BELOW = 1.5
_LARGEST_EXACT = 2**53
# It equals 0 in a thread whose processor treats subnormal floats as 0. Floats with the
# bits of small keys would be equal there.
_LEAST_SUBNORMAL = 5e-324
# Up to this number of rows, argsort takes less time than making and sorting keys.
_PLAIN_ROWS = 1500


class RowOrder(NamedTuple):
    """Rows in their order, lowest score first."""

    # The number of each row.
    place: IntArray
    # Whether each row has the score of the next one.
    is_tied: BoolArray


def keys_of(score: AnyArray, bounds: Bounds, *, is_short: bool = True) -> IntArray:
    """Return one integer per score, in the order of the scores, whose lowest bit is
    free: different scores have different keys.

    Scores of 32 bits have keys of 32 bits if `is_short`: their sort takes half the time.
    Floats are scaled below 1.5 by a power of two. If this would round a score, as if a
    type of more than 64 bits became float64, scores are replaced by their ranks.
    """
    lowest, highest = bounds
    kind, n_bytes = score.dtype.kind, score.dtype.itemsize
    largest = max(-float(lowest), float(highest))
    if n_bytes > 8 or (kind in "iu" and largest >= _LARGEST_EXACT):
        return _keys_of_ranks(score)
    n_bytes = 4 if is_short and kind == "f" and n_bytes <= 4 else 8
    # The largest magnitude becomes a number from 0.5 to 1.
    scale = 1.0 if largest < _UNSCALED_BELOW else 2.0 ** -frexp(largest)[1]
    keys = np.empty(score.size, dtype=f"i{n_bytes}")
    for piece in pieces(score.size):
        floats = score[piece].astype(f"f{n_bytes}", copy=False)
        if scale < 1:
            factor = floats.dtype.type(scale)
            # A processor that treats subnormal floats as 0 divides 0 by 0 here. The
            # result, NaN, differs from every score.
            with np.errstate(under="ignore", invalid="ignore"):
                scaled = floats * factor
                if np.count_nonzero(scaled / factor != floats):
                    if n_bytes == 4:
                        return keys_of(score, bounds, is_short=False)
                    return _keys_of_ranks(score)
            floats = scaled
        bits, of_piece = floats.view(keys.dtype), keys[piece]
        # The shift drops the sign and frees the lowest bit.
        np.left_shift(bits, 1, out=of_piece)
        if lowest < 0:
            # `sign` is 0, or -1 for negative scores. In two's complement, -x is ~x + 1.
            # An exclusive or with -1 is ~x, and subtracting -1 adds 1.
            sign = bits >> (8 * n_bytes - 1)
            of_piece ^= sign
            of_piece -= sign
    return keys


def _keys_of_ranks(score: AnyArray) -> IntArray:
    """Return the keys of the ranks of the scores, as fractions."""
    _, ranks = np.unique(score, return_inverse=True)
    return (ranks / (1 + ranks.size)).view(np.int64) << 1


def sort_keys(keys: IntArray, rows: Rows, bounds: Bounds) -> None:
    """Sort the keys of each ranking in place.

    Keys that are not negative are sorted as floats with the same bits, since numpy
    takes 0.6 times as long for floats.
    """
    values: AnyArray = keys
    padding: float = np.iinfo(keys.dtype).max
    if bounds[0] >= 0 and _LEAST_SUBNORMAL > 0:
        values, padding = keys.view(f"f{keys.itemsize}"), np.inf
    change_runs(np.ndarray.sort, values, rows.lengths, padding)


def rows_in_order(rows: Rows, tie_order: TieOrder | None, bounds: Bounds) -> RowOrder:
    """Return the rows of all rankings, one ranking after the other and the lowest score
    first. Among rows with equal scores, the row that ranks first comes last.
    """
    positive, score, _ = rows.flat()
    if tie_order in ("optimistic", "pessimistic"):
        is_better = positive == (tie_order == "optimistic")
        place = np.lexsort((is_better, score, rows.ranking_of_rows()))
    elif tie_order is None and rows.offsets.size == 2 and score.size <= _PLAIN_ROWS:
        place = score.argsort(kind="stable")
    else:
        return _by_key(score, rows, bounds, backwards=tie_order == "stable")
    in_order = score.take(place)
    return RowOrder(place, in_order[1:] == in_order[:-1])


def _by_key(
    score: AnyArray, rows: Rows, bounds: Bounds, *, backwards: bool
) -> RowOrder:
    """Return the rows of each ranking by their scores, and rows with equal scores by
    their numbers, the last one first if `backwards`.
    """
    n_rows = score.size
    mask = (1 << n_rows.bit_length()) - 1
    keys = keys_of(score, bounds, is_short=False)
    n_rounded: int | np.signedinteger = 0
    for piece in pieces(n_rows):
        of_piece, number = keys[piece], np.arange(piece.start, piece.stop)
        n_rounded += np.count_nonzero(of_piece & mask)
        of_piece &= ~mask
        of_piece |= n_rows - 1 - number if backwards else number
    sort_keys(keys, rows, bounds)
    is_close = np.empty(n_rows - 1, dtype=bool)
    for piece in pieces(n_rows - 1):
        these = keys[piece.start : piece.stop + 1]
        # As unsigned integers, a negative key and another one differ by more.
        bits = (these[1:] ^ these[:-1]).view(np.uint64)
        np.less_equal(bits, mask, out=is_close[piece])
    keys &= mask
    if backwards:
        np.subtract(n_rows - 1, keys, out=keys)
    # The last row of a ranking precedes a row of another ranking.
    if rows.offsets.size > 2:
        ends = rows.offsets[(rows.offsets > 0) & (rows.offsets < n_rows)]
        is_close[ends - 1] = False
    if n_rounded and np.count_nonzero(is_close):
        _sort_close(is_close, score, keys)
    return RowOrder(keys, is_close)


def _sort_close(is_close: BoolArray, score: AnyArray, place: IntArray) -> None:
    """Sort, in place, rows whose keys differ from the next one in the number of the row
    only by their scores, which have more bits than the keys of long inputs. Let
    `is_close` tell whether each row has the score of the next one.
    """
    is_near = np.append(is_close, False)
    is_near[1:] |= is_close
    near = is_near.nonzero()[0]
    rows = place.take(near)
    in_order, is_close_to_next = score.take(rows), is_close.take(near[:-1])
    if np.count_nonzero(is_close_to_next & (in_order[1:] < in_order[:-1])):
        # Close rows form a stretch, and each stretch is sorted by itself.
        stretch = np.append(0, np.cumsum(~is_close_to_next))
        better = np.lexsort((in_order, stretch))
        place[near], in_order = rows.take(better), in_order.take(better)
    is_close[near[:-1]] = is_close_to_next & (in_order[1:] == in_order[:-1])


def keeps_row_order(tie_order: TieOrder | None) -> bool:
    """Return whether rows with equal scores rank in the order in which they were
    passed.
    """
    return tie_order == "stable"
