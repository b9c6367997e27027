"""Integer keys in the order of the scores, whose lowest bits are free: they contain the
label or the number of the row.

Numpy sorts such keys in far less time than it takes to find the order of scores
(`argsort`) and to read the rows in this order.

Five rows, with scores of 32 bits and keys in hexadecimal digits::

    score  label  bits of the score  key of the score  key with the label
     0.50      0           3f000000          7e000000            7e000001
     0.75      0           3f400000          7e800000            7e800001
    -0.25      1           be800000          83000000            83000000
     0.50      1           3f000000          7e000000            7e000000
     1.00      1           3f800000          7f000000            7f000000

- The bits of a float that is not negative are an integer that grows with the float. The
  highest bit, the sign, is 0, and below 2, so is the highest bit of the exponent.
- A shift to the left by one drops the sign, moves this 0 into its place, and frees the
  lowest bit. Scores from 2 on are first scaled by a power of two.
- The key of a negative score is minus the key of its magnitude: 83000000 is -7d000000.
- The label is written into the lowest bit: 0 if the row is positive, so that in a tied
  group the positives come first (`KeyKernel`).
- For the order of the rows, the number of the row replaces as many of the lowest bits
  as it needs: here three. With the keys above, the sorted keys would be 83000002,
  7e000000, 7e000003, 7e800001 and 7f000004; `rows_in_order` takes keys of 64 bits.
  Neighbours that differ in these bits only, such as rows 0 and 3, are *close*: their
  scores are equal or, if the bits were not 0, nearly equal. So scores of close rows
  are compared again after the sort.
"""

from math import frexp, inf
from typing import NamedTuple

import numpy as np

from ..reading.options import ORDERS_BY_LABEL
from ..rounding import LARGEST_EXACT
from ..typing import AnyArray, BoolArray, Bounds, IntArray, TieOrder
from .rows import Rows
from .runs import PIECE_ROWS, change_runs

# The highest bit of the exponent of a lower float is 0, so a shift to the left by one
# keeps the sign of an integer.
_UNSCALED_BELOW = 2.0
# Up to this number of rows, a single ranking with weights is sorted by `argsort`. Keys
# would take longer (`python -m benchmarks.paths`).
_PLAIN_ROWS = 1500


class RowOrder(NamedTuple):
    """Rows in their order, one ranking after the other, lowest score first."""

    # The number of each row.
    row: IntArray
    # Whether each row is tied with the next one of its ranking. The last row of all has
    # no entry. If equal scores have an order, no rows are tied.
    is_tied: BoolArray


def keys_of(score: AnyArray, bounds: Bounds, *, is_short: bool = True) -> IntArray:
    """Return one integer per score, in the order of the scores, whose lowest bit is
    free: different scores have different keys.

    Floats are scaled below 2 by a power of two. Scores are replaced by their ranks if
    one is infinite, or would be rounded by this product or, in a wide type, by float64.
    If `is_short`, scores that float32 can contain have keys of 32 bits, which are
    sorted faster. Most models compute float32, and many of them return it as float64.
    """
    lowest, highest = bounds
    kind, n_bytes = score.dtype.kind, score.dtype.itemsize
    largest = max(-float(lowest), float(highest))
    is_wide = n_bytes > 8 or (kind in "iu" and largest >= LARGEST_EXACT)
    # No power of two scales an infinite score below 2.
    if is_wide or largest == inf:
        return _keys_of_ranks(score)
    # The largest magnitude becomes a number from 0.5 to 1.
    scale = 1.0 if largest < _UNSCALED_BELOW else 2.0 ** -frexp(largest)[1]
    sizes = [8]
    # If float32 would round scores, this row nearly always shows it.
    mantissa, _ = frexp(score.item(score.size // 2))
    if is_short and (mantissa * 2**24).is_integer():
        sizes = [4, 8]
    for n_bytes in sizes:
        keys = _keys_of_floats(score, n_bytes, scale, has_signs=lowest < 0)
        if keys is not None:
            return keys
    return _keys_of_ranks(score)


def _keys_of_floats(
    score: AnyArray, n_bytes: int, scale: float, *, has_signs: bool
) -> IntArray | None:
    """Return the keys of the scores as floats of this size, multiplied by `scale`, a
    power of two; None if a float or a product is rounded.
    """
    keys = np.empty(score.size, dtype=f"i{n_bytes}")
    is_exact = scale == 1 and np.can_cast(score.dtype, f"f{n_bytes}")
    for low in range(0, score.size, PIECE_ROWS):
        floats = score[low : low + PIECE_ROWS]
        if not is_exact:
            # A score beyond float32 becomes infinite. A processor that treats subnormal
            # floats as 0 divides 0 by 0. The result, NaN, differs from every score.
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                scaled = floats.astype(f"f{n_bytes}", copy=False) * scale
                is_rounded = scaled / scale != floats
            if np.count_nonzero(is_rounded):
                return None
            floats = scaled
        bits = floats.astype(f"f{n_bytes}", copy=False).view(keys.dtype)
        of_piece = keys[low : low + PIECE_ROWS]
        np.left_shift(bits, 1, out=of_piece)
        if has_signs:
            # A shift to the right by all bits but the sign leaves -1 for negative
            # scores, and 0 for others. A lowest bit of 1 makes them -1 and 1.
            of_piece *= (bits >> (8 * n_bytes - 1)) | 1
    return keys


def _keys_of_ranks(score: AnyArray) -> IntArray:
    """Return the keys of the ranks of the scores, as fractions below 1."""
    _, rank = np.unique(score, return_inverse=True)
    return (rank / rank.size).view(np.int64) << 1


def sort_keys(keys: IntArray, lengths: IntArray) -> None:
    """Sort the keys of each ranking in place. `lengths` are the numbers of rows of the
    rankings.
    """
    change_runs(np.ndarray.sort, keys, lengths, np.iinfo(keys.dtype).max)


def rows_in_order(rows: Rows, tie_order: TieOrder | None, bounds: Bounds) -> RowOrder:
    """Return the rows of all rankings, one ranking after the other and the lowest score
    first. Rows with equal scores are in the order of their numbers if `tie_order` is
    None, and else the row that ranks first comes last.
    """
    score = rows.score
    if tie_order in ORDERS_BY_LABEL:
        is_better = rows.positive == (tie_order == "optimistic")
        row = np.lexsort((is_better, score, rows.ranking_of_rows()))
    elif tie_order == "stable":
        row, _ = _by_key(rows, bounds, backwards=True)
    elif rows.offsets.size > 2 or score.size > _PLAIN_ROWS:
        return _by_key(rows, bounds)
    else:
        row = score.argsort()
        in_order = score.take(row)
        is_tied = in_order[1:] == in_order[:-1]
        # `argsort` leaves tied rows in any order. A stable one takes longer.
        if np.count_nonzero(is_tied):
            row = score.argsort(kind="stable")
        return RowOrder(row, is_tied)
    return RowOrder(row, np.zeros(row.size - 1, dtype=bool))


def _by_key(rows: Rows, bounds: Bounds, *, backwards: bool = False) -> RowOrder:
    """Return the rows of each ranking by their scores, and rows with equal scores by
    their numbers, the last one first if `backwards`.

    The lowest bits of a key are replaced by the number of its row. So two rows whose
    scores differ in these bits only may be in the wrong order, and are sorted again.
    """
    n_rows = rows.score.size
    mask = (1 << n_rows.bit_length()) - 1
    keys = keys_of(rows.score, bounds, is_short=False)
    # Small integers and float32 leave these bits at 0.
    are_rounded = np.bitwise_or.reduce(keys) & mask > 0
    keys &= ~mask
    keys |= np.arange(n_rows)[:: -1 if backwards else 1]
    sort_keys(keys, rows.lengths)
    # As unsigned integers, a negative key and another one differ by more.
    is_close = (keys[1:] ^ keys[:-1]).view(np.uint64) <= mask
    # The last row of a ranking precedes a row of another ranking.
    ends = rows.offsets[1:-1]
    is_close[ends[(ends > 0) & (ends < n_rows)] - 1] = False
    # The lowest bits contain the number of each row or, if `backwards`, its number from
    # the last row on. The numbers overwrite the keys, to save memory.
    keys &= mask
    row = keys
    if backwards:
        np.subtract(n_rows - 1, row, out=row)
    # If no score lost a bit, close rows are tied.
    if not are_rounded:
        return RowOrder(row, is_close)
    return RowOrder(row, _ties_after_sort(rows.score, row, is_close))


def _ties_after_sort(score: AnyArray, row: IntArray, is_close: BoolArray) -> BoolArray:
    """Sort close rows by their scores, in place in `row`, if one of them has a higher
    score than the next row. Then return whether each row has the score of the next one.
    """
    is_tied = is_close.copy()
    for low in range(0, is_tied.size, PIECE_ROWS):
        of_piece = is_tied[low : low + PIECE_ROWS]
        # Most pieces of scores that are not rounded have no close rows.
        if np.count_nonzero(of_piece):
            in_order = score.take(row[low : low + PIECE_ROWS + 1])
            if np.count_nonzero((in_order[1:] < in_order[:-1]) & of_piece):
                _sort_close(score, row, is_close)
                return _ties_after_sort(score, row, is_close)
            of_piece &= in_order[1:] == in_order[:-1]
    return is_tied


def _sort_close(score: AnyArray, row: IntArray, is_close: BoolArray) -> None:
    """Sort each stretch of close rows by their scores, in place in `row`."""
    # Whether each row is in the stretch of the row before it.
    continues = np.append(False, is_close)
    near = (continues | np.append(is_close, False)).nonzero()[0]
    stretch = np.cumsum(~continues.take(near))
    near_rows = row.take(near)
    row[near] = near_rows.take(np.lexsort((score.take(near_rows), stretch)))
