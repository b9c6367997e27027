"""The kernel of more than a block of weighted rows with few distinct scores: sums of weights, score by score.

No row is sorted. A hash of the score says which of the known scores a row has; no two known scores share a
hash. Each row is then compared with the score that was found for it, so a new score never passes unnoticed.
"""

from typing import Any, NamedTuple

import numpy as np

from .._typing import AnyArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, starts_of_runs
from ._rankings import Rows
from ._summed import GroupKernel, added_from_each_on

_MOST = 512  # distinct scores; beyond, tables leave the first-level cache, and a sort is nearly as fast
_SAMPLE = 4096  # rows that are looked at first
# Odd multipliers, and powers of one look like random ones. At least one in three has no collision below.
_FACTORS = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(1, 41)]


def few_distinct(rows: Rows, block_rows: int = BLOCK_ROWS) -> GroupKernel | None:
    """Return a lone ranking with weights as sums by score; None if it has many distinct scores."""
    positive, score = rows.positive.reshape(-1), rows.score.reshape(-1)
    if rows.weight is None or score.dtype.kind not in "biuf" or score.dtype.itemsize > 8:
        return None
    weight = rows.weight.reshape(-1)
    known = _distinct(_bits_of_scores(score[:: max(score.size // _SAMPLE, 1)]))
    hashed = _hash_of(known)
    if hashed is None:
        return None
    blocks = blocks_of(score.size, block_rows)
    # Scores have numbers in the order in which they are found, so a new one moves no sum. A number with the
    # label in its lowest bit is a column.
    sums = np.zeros((len(blocks), 2 * _MOST))
    n_rows = np.zeros(2 * _MOST)
    for i, block in enumerate(blocks):
        bits = _bits_of_scores(score[block])
        column = hashed.numbers(bits)
        while (unknown := bits[known.take(column) != bits]).size:
            known = np.append(known, _distinct(unknown))
            hashed = _hash_of(known)
            if hashed is None:
                return None
            column = hashed.numbers(bits)
        column <<= 1
        column += positive[block]
        sums[i] = np.bincount(column, weights=weight[block], minlength=2 * _MOST)
        n_rows += np.bincount(column, minlength=2 * _MOST)
    # Contiguous numbers are added pairwise, which keeps two digits more than one after the other.
    by_column = np.add.reduce(np.ascontiguousarray(sums.T), axis=1).reshape(-1, 2)
    distinct = _scores_of_bits(known, score.dtype)
    order = distinct.argsort()
    by_score = by_column[order]
    totals = by_score[:, 1], by_score.sum(axis=1), n_rows.reshape(-1, 2).sum(axis=1)[order]
    return GroupKernel(distinct[order], np.arange(order.size), *map(added_from_each_on, totals))


class _Hash(NamedTuple):
    """The numbers of known scores, by a hash that no two of them share."""

    factor: np.uint64
    shift: np.uint64
    number: IntArray  # of the known score with this hash; 0 if there is none

    def numbers(self, bits: IntArray) -> IntArray:
        """Return the number of each score; an unknown score gets the number of another one."""
        code = bits.view(np.uint64) * self.factor
        code >>= self.shift
        number: IntArray = self.number.take(code.view(np.int64))
        return number


def _hash_of(known: IntArray) -> _Hash | None:
    """Return a hash without a collision, or None if there are too many scores for one."""
    if known.size > _MOST:
        return None
    n_bits = max(2 * int(known.size).bit_length() - 1, 12)  # more slots than half the pairs of scores
    shift = np.uint64(64 - n_bits)
    for factor in _FACTORS:
        code = (known.view(np.uint64) * factor >> shift).astype(np.int64)
        if _distinct(code).size == known.size:
            number = np.zeros(1 << n_bits, dtype=np.int64)
            number[code] = np.arange(known.size)
            return _Hash(factor, shift, number)
    return None


def _bits_of_scores(score: AnyArray) -> IntArray:
    """Return an integer per score; equal scores have equal ones, also 0.0 and -0.0."""
    if score.dtype.kind == "f":
        score = (score.astype(np.float64, copy=False) + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    return score.astype(np.int64, copy=False)


def _scores_of_bits(bits: IntArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return the scores with these integers: the inverse of `_bits_of_scores`."""
    return bits.view(np.float64).astype(dtype) if dtype.kind == "f" else bits.astype(dtype)


def _distinct(values: IntArray) -> IntArray:
    """Return the distinct values in order: np.unique takes 15 times as long in numpy 2.4, which hashes."""
    in_order = np.sort(values)
    distinct: IntArray = in_order[starts_of_runs(in_order)]
    return distinct
