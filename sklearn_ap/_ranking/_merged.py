"""Rows with few distinct scores as one row per score and label, by a hash: a sort takes three times as long.

The scores of a sample come first. A score that the sample lacks is found where its hash leads to another one.
"""

from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, starts_of_runs

# Of distinct scores; with more, the sums leave the first-level cache, and a sort is nearly as fast.
_MAX_DISTINCT = 512
_SAMPLE_ROWS = 4096  # whose scores are looked at first
# Odd multipliers, and powers of one look like random ones. At least one in three has no collision below.
_FACTORS = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(1, 41)]


class MergedRows(NamedTuple):
    """One row per score and label: `weight` is the sum of the weights of `n_rows` rows."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray
    n_rows: FloatArray


def merged_rows(positive: BoolArray, score: AnyArray, weight: FloatArray) -> MergedRows | None:
    """Merge the rows of a single ranking; None if it has many distinct scores.

    Each distinct score has a number that never changes, so sums of earlier blocks stay right when a
    block has new scores.
    """
    if score.dtype.kind not in "biuf" or score.dtype.itemsize > 8:
        return None
    distinct = _distinct(_bits_of(score[:: max(score.size // _SAMPLE_ROWS, 1)]))
    hash_of = _Hash.without_collisions(distinct)
    blocks = blocks_of(score.size, BLOCK_ROWS)
    # A number of a distinct score, with the label in its lowest bit, is a column of the sums.
    sums, n_rows = np.zeros((2 * _MAX_DISTINCT, len(blocks))), np.zeros(2 * _MAX_DISTINCT)
    for i, block in enumerate(blocks):
        bits = _bits_of(score[block])
        while hash_of is not None:
            column = hash_of.numbers(bits)
            new = bits[distinct.take(column) != bits]  # a new score gets the number of another one
            if not new.size:
                break
            distinct = np.append(distinct, _distinct(new))  # behind the others, whose numbers stay
            hash_of = _Hash.without_collisions(distinct)
        else:
            return None
        column = 2 * column + positive[block]
        sums[:, i] = np.bincount(column, weight[block], 2 * _MAX_DISTINCT)
        n_rows += np.bincount(column, minlength=2 * _MAX_DISTINCT)
    used = n_rows.nonzero()[0]
    merged = distinct[used // 2]
    scores = merged.view(np.float64) if score.dtype.kind == "f" else merged
    # Along a row numpy adds pairwise, which keeps two digits more than one after the other.
    return MergedRows(used % 2 == 1, scores.astype(score.dtype), sums[used].sum(axis=1), n_rows[used])


class _Hash(NamedTuple):
    """The number of each distinct score, by a hash that no two of them share."""

    factor: np.uint64
    shift: np.uint64
    number: IntArray  # of the score with this hash; 0 if there is none

    @classmethod
    def without_collisions(cls, distinct: IntArray) -> "_Hash | None":
        """Return a hash of these scores, or None if they are too many."""
        if distinct.size > _MAX_DISTINCT:
            return None
        n_bits = max(2 * int(distinct.size).bit_length() - 1, 12)  # more slots than half the pairs of scores
        shift = np.uint64(64 - n_bits)
        for factor in _FACTORS:
            code = (distinct.view(np.uint64) * factor >> shift).astype(np.int64)
            if _distinct(code).size == distinct.size:
                number = np.zeros(1 << n_bits, dtype=np.int64)
                number[code] = np.arange(distinct.size)
                return cls(factor, shift, number)
        return None

    def numbers(self, bits: IntArray) -> IntArray:
        """Return the number of each score; a score that is not among the distinct ones gets any number."""
        code = bits.view(np.uint64) * self.factor
        code >>= self.shift
        return np.asarray(self.number.take(code.view(np.int64)))


def _bits_of(score: AnyArray) -> IntArray:
    """Return an integer per score; equal scores have equal ones, also 0.0 and -0.0."""
    if score.dtype.kind == "f":
        score = (score.astype(np.float64, copy=False) + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    return score.astype(np.int64, copy=False)


def _distinct(values: IntArray) -> IntArray:
    """Return the distinct values in order: np.unique takes 15 times as long in numpy 2.4, which hashes."""
    in_order = np.sort(values)
    return np.asarray(in_order[starts_of_runs(in_order)])
