"""Sums of the weights of positives and of negatives, from each tied group to the best
row of its ranking.

The two classes are summed separately. If positives are heavy and negatives light, the
difference between a sum of all rows and the sum of the positives would lose the
negatives. All ways to sum add the same weights in the same order, so their sums agree
in every bit.
"""

from typing import NamedTuple

import numpy as np

from ..typing import AnyArray, BoolArray, Bounds, FloatArray, IntArray
from .rankings import Rows
from .runs import PIECE_ROWS, running

# With at least this number of rows, a look at some of the scores takes little time.
_LEAST_ROWS_OF_FEW_SCORES = 16_384
# The number of scores to look at, and the number of distinct scores that are few.
_SAMPLE = 512
_FEW_SCORES = 32
# Scores are mapped to the integers up to this one. With the label, they fit in a byte,
# and numpy sorts bytes by counting.
_HIGHEST_CODE = 127


class Sums(NamedTuple):
    """The sums of weights of tied groups, lowest score first. 0 stands after the last
    sum of each class, since no row is above the best one.
    """

    # The tied groups that have positives; None if there are sums of all groups. The sum
    # of the positives from each of these groups on.
    group: IntArray | None
    of_positives: FloatArray
    # The sum of the negatives from each tied group on.
    of_negatives: FloatArray
    # The first row of each tied group; None if each row is a group of its own.
    first_row: IntArray | None = None


def sums_in_order(
    rows: Rows, place: IntArray, is_tied: BoolArray | None, *, only_steps: bool
) -> Sums:
    """Return the sums of rows in this order. `is_tied` tells whether each row has the
    score of the next one; it is None if no rows are tied. With `only_steps`, the rows
    are a single ranking, and sums of the groups that have positives are sufficient.
    """
    if is_tied is not None and not np.count_nonzero(is_tied):
        is_tied = None
    if only_steps and is_tied is None:
        return _sums_at_positives(rows, place)
    sums = _sums_of_all(rows, place)
    if is_tied is None:
        return sums
    # Whether a group begins at each row. The end of the last group is added.
    is_first = np.ones(place.size + 1, dtype=bool)
    np.logical_not(is_tied, out=is_first[1:-1])
    # Equal scores in two rankings are not tied.
    if not rows.is_single:
        is_first[rows.offsets] = True
    start = is_first.nonzero()[0]
    of_positives = sums.of_positives.take(start)
    return Sums(None, of_positives, sums.of_negatives.take(start), start[:-1])


def _sums_of_all(rows: Rows, place: IntArray) -> Sums:
    """Return the sums from each row on."""
    positive, _, weight = rows.flat()
    of_positives, of_negatives = np.empty(place.size + 1), np.empty(place.size + 1)
    of_rows = of_negatives[:-1]
    if weight is None:
        of_rows.fill(1.0)
    else:
        # With this mode, numpy needs no buffer.
        weight.take(place, out=of_rows, mode="clip")
    np.multiply(of_rows, positive.take(place), out=of_positives[:-1])
    # The weights of positives become 0 here.
    of_rows -= of_positives[:-1]
    of_positives[-1] = of_negatives[-1] = 0.0
    # Each sum begins at the best row of its ranking, which comes last.
    from_best = (rows.offsets[1:] - rows.offsets[:-1])[::-1]
    for sums in of_positives, of_negatives:
        running(np.add, sums[-2::-1], from_best)
    return Sums(None, of_positives, of_negatives)


def _sums_at_positives(rows: Rows, place: IntArray) -> Sums:
    """Return the sums of a single ranking: of positives from each positive on, and of
    negatives from each row on.

    The rows are summed in pieces, since long arrays do not fit into the caches of a
    processor.
    """
    positive, _, weight = rows.flat()
    assert weight is not None, "weights"
    n_positives = np.count_nonzero(positive)
    row = np.empty(n_positives, dtype=np.int64)
    of_positives, of_negatives = np.empty(n_positives + 1), np.empty(place.size + 1)
    of_positives[-1] = of_negatives[-1] = 0.0
    # Each sum begins at the best row, which comes last.
    for end in range(place.size, 0, -PIECE_ROWS):
        first = max(end - PIECE_ROWS, 0)
        in_order, of_rows = place[first:end], of_negatives[first:end]
        weight.take(in_order, out=of_rows, mode="clip")
        of_piece = positive.take(in_order).nonzero()[0]
        first_positive = n_positives - of_piece.size
        row[first_positive:n_positives] = of_piece + first
        of_positives[first_positive:n_positives] = of_rows.take(of_piece)
        of_rows[of_piece] = 0.0
        # The sums of the rows above the piece stand behind it.
        _add_from_end(of_positives[first_positive : n_positives + 1])
        _add_from_end(of_negatives[first : end + 1])
        n_positives = first_positive
    return Sums(row, of_positives, of_negatives)


def _add_from_end(values: FloatArray) -> None:
    """Add to each value, in place, all values after it."""
    from_end = values[::-1]
    np.add.accumulate(from_end, out=from_end)


def sums_of_few_scores(rows: Rows, bounds: Bounds) -> Sums | None:
    """Return the sums of a single ranking with few distinct scores; None for other
    rankings.

    Numpy sorts the codes of the scores by counting them, and one call adds up the
    weights of each class of a tied group.
    """
    positive, score, weight = rows.flat()
    if weight is None or score.size < _LEAST_ROWS_OF_FEW_SCORES:
        return None
    distinct = np.unique(score[:: 1 + score.size // _SAMPLE])
    if not 1 < distinct.size <= _FEW_SCORES:
        return None
    code = _codes_of(score, distinct, bounds)
    if code is None:
        return None
    # The lowest bit is 0 for negatives, and 1 for positives.
    code <<= 1
    code |= positive
    place = code.argsort(kind="stable")
    codes = np.arange(2 * distinct.size, dtype=code.dtype)
    start = code.take(place).searchsorted(codes)
    sums = np.zeros(codes.size + 2)
    end = score.size
    for number in range(codes.size - 1, -1, -1):
        members = weight.take(place[start[number] : end])
        sums[number] = _sum_from_end(members, sums[number + 2])
        end = start[number]
    return Sums(None, sums[1::2], sums[::2], start[::2])


def _codes_of(score: AnyArray, distinct: AnyArray, bounds: Bounds) -> AnyArray | None:
    """Return the place of each score among the distinct scores, in one byte each; None
    if a score is not among them, or if two of them are too close for a byte.
    """
    lowest, width = float(bounds[0]), float(bounds[1]) - float(bounds[0])
    scale = _HIGHEST_CODE / width
    if score.dtype.itemsize > 8 or not 0 < scale < np.inf:
        return None

    def in_bytes(values: AnyArray) -> AnyArray:
        scaled = values.astype(np.float64)
        scaled -= lowest
        scaled *= scale
        return scaled.astype(np.uint8)

    code_of_byte = np.zeros(_HIGHEST_CODE + 1, dtype=np.uint8)
    code_of_byte[in_bytes(distinct)] = np.arange(distinct.size)
    codes = np.empty(score.size, dtype=np.uint8)
    for low in range(0, score.size, PIECE_ROWS):
        piece = score[low : low + PIECE_ROWS]
        of_piece = code_of_byte.take(in_bytes(piece))
        if np.count_nonzero(distinct.take(of_piece) != piece):
            return None
        codes[low : low + PIECE_ROWS] = of_piece
    return codes


def _sum_from_end(values: FloatArray, above: float) -> float:
    """Return the sum of `above` and of the values, the last one first."""
    if not values.size:
        return above
    values[-1] += above
    return float(np.add.accumulate(values[::-1])[-1])
