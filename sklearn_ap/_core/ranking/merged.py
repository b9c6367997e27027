"""Rows with weights and few distinct scores are merged into one row per score and
label, which a hash finds without a sort.
"""

import numpy as np

from ..typing import AnyArray, IntArray
from .rankings import Rows
from .runs import PIECE_ROWS

# With fewer rows, a sort takes no more time than merging.
_LEAST_MERGED_ROWS = 32_768
# With more distinct scores, the sums by score and label do not fit into the first-level
# cache.
_MAX_DISTINCT = 512
# Distinct scores are collected from about this number of rows.
_SAMPLED_ROWS = 4096
# Odd multipliers, whose products with scores look random in their highest bits.
_FACTORS = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(1, 41)]
_CODE_BITS = 17
_N_CODES = 1 << _CODE_BITS


def merged_rows(rows: Rows) -> Rows:
    """Return the rows of a single ranking with weights, merged into one row per score
    and label.

    The rows are returned unchanged if they are few, if they have many distinct scores,
    or if a score does not occur in the sample from which the distinct scores are
    collected.
    """
    positive, score, weight = rows.flat()
    is_long = rows.is_single and score.size > _LEAST_MERGED_ROWS
    if not is_long or score.dtype.kind not in "biuf" or score.dtype.itemsize > 8:
        return rows
    distinct = np.unique(score[:: max(score.size // _SAMPLED_ROWS, 1)])
    if distinct.size > _MAX_DISTINCT:
        return rows
    factor = _separating_factor(distinct)
    if factor is None:
        return rows
    # For each code, the place in `distinct` of the score with this code.
    number = np.zeros(_N_CODES, dtype=np.int64)
    number[_code(distinct, factor)] = np.arange(distinct.size)
    # Negatives with the distinct score i become merged row 2 i, and positives row
    # 2 i + 1.
    merged = np.empty(score.size, dtype=np.int64)
    # Each piece is small, since allocating long arrays takes more time than filling
    # them.
    for low in range(0, score.size, PIECE_ROWS):
        piece = slice(low, low + PIECE_ROWS)
        place = number.take(_code(score[piece], factor))
        # For a score that is not in the sample, `number` gives the place of another
        # score, so that the comparison below finds it.
        if np.count_nonzero(distinct.take(place) != score[piece]):
            return rows
        # The result is 2 * place, plus 1 for positives, without a new array.
        place += place
        place += positive[piece]
        merged[piece] = place
    n_rows = np.bincount(merged)
    used = n_rows.nonzero()[0]
    return Rows(
        used % 2 == 1,
        distinct.take(used // 2),
        np.bincount(merged, weight)[used].astype(np.float64),
        np.array((0, used.size)),
        copies=n_rows[used].astype(np.float64),
    )


def _separating_factor(distinct: AnyArray) -> np.uint64 | None:
    """Return a factor that gives each distinct score a code of its own; None if no
    factor does.
    """
    for factor in _FACTORS:
        if np.unique(_code(distinct, factor)).size == distinct.size:
            return factor
    return None


def _code(score: AnyArray, factor: np.uint64) -> IntArray:
    """Return the hash of each score. 0.0 and -0.0 have the same hash."""
    bits = score.astype(np.int64, copy=False)
    if score.dtype.kind == "f":
        bits = (score.astype(np.float64, copy=False) + 0.0).view(np.int64)
    # The product wraps around. Its highest bits depend on all bits of the score.
    code = bits.view(np.uint64) * factor
    code >>= np.uint64(64 - _CODE_BITS)
    return code.view(np.int64)
