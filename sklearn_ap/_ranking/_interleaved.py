"""Rows of many rankings in any order: one sort of (ranking, score, label) in one integer.

The ranking takes the high bits of a key, and the label the lowest one. If the score does not fit between
them, its low bits are cut off. Where two rows of a ranking then have equal scores, that ranking is sorted
again by whole keys. Bringing the rows of each ranking together first would take three times as long, and four
times the memory.
"""

from dataclasses import dataclass

import numpy as np

from .._typing import AnyArray, BoolArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, sort_runs
from ._keys import Packing
from ._rankings import Rows, together

_OFTEN = 8  # if one row in so many is in a ranking with equal keys, it pays to ask whether those are ties


def interleaved_keys(
    rows: Rows, packing: Packing, positive_bit: AnyArray, block_rows: int = BLOCK_ROWS
) -> AnyArray:
    """Return keys of all rows, sorted by ranking and then by score, whose lowest bit is the label.

    Two keys of one ranking differ in more than the lowest bit exactly if their scores differ. Keys of
    different rankings are not comparable.
    """
    layout = _interleaved_keys(rows, packing)
    keys = np.empty(rows.score.size, dtype=np.int64)
    for block in blocks_of(keys.size, block_rows):
        layout.pack(rows, block, positive_bit, out=keys[block])
    keys.sort()
    if not layout.cut:
        return keys
    alike = _with_equal_keys(keys, rows.offsets, layout, block_rows)
    lengths = rows.offsets[1:] - rows.offsets[:-1]
    n_alike = int(lengths[alike].sum())
    if n_alike * _OFTEN > keys.size and _keeps_scores_apart(rows.score, layout, block_rows):
        return keys  # the equal keys are ties
    if n_alike:
        keys[np.repeat(alike, lengths)] = _whole_keys(_rows_together(rows, alike), packing, positive_bit)
    return keys


@dataclass(frozen=True)
class _InterleavedKeys:
    """How a key holds a ranking, the upper bits of a score, and a label."""

    packing: Packing
    least: int  # the packed lowest score, which becomes 0
    cut: int  # number of low bits of the score that do not fit
    score_bits: int  # number of bits that hold the score and the label

    def pack(self, rows: Rows, block: slice, positive_bit: AnyArray, out: IntArray) -> None:
        """Write the keys of a block of rows."""
        positive, ranking = rows.positive[block], rows.ranking
        np.left_shift(ranking[block], self.score_bits, out=out, dtype=np.int64)  # type: ignore[index]
        out |= self.cut_short(self.packing.keys(rows.score[block]))
        out |= positive if positive_bit else ~positive

    def cut_short(self, keys: AnyArray) -> IntArray:
        """Turn keys, in place if they have 8 bytes, into what stands between ranking and label."""
        # The difference may exceed int64, but not uint64: it wraps around, and the view wraps it back.
        keys = keys.astype(np.int64, copy=False)
        keys -= self.least
        if self.cut:
            keys.view(np.uint64)[:] >>= np.uint64(self.cut + 1)
            keys <<= 1
        return keys


def _interleaved_keys(rows: Rows, packing: Packing) -> _InterleavedKeys:
    bounds = np.array([rows.score.min(), rows.score.max()], dtype=rows.score.dtype)
    least, most = packing.keys(bounds).tolist()
    score_bits = 63 - (rows.offsets.size - 2).bit_length()
    return _InterleavedKeys(packing, least, max((most - least).bit_length() - score_bits, 0), score_bits)


def _with_equal_keys(
    keys: IntArray, offsets: IntArray, layout: _InterleavedKeys, block_rows: int
) -> BoolArray:
    """Return which rankings have two rows whose keys differ in the label at most."""
    alike = np.zeros(offsets.size - 1, dtype=bool)
    for block in blocks_of(keys.size - 1, block_rows):
        lower, upper = keys[block], keys[block.start + 1 : block.stop + 1]
        equal = ((lower ^ upper) <= 1).nonzero()[0]
        alike[lower[equal] >> layout.score_bits] = True
    return alike


def _keeps_scores_apart(score: AnyArray, layout: _InterleavedKeys, block_rows: int) -> bool:
    """Whether scores are few, and all that differ still do so once cut short; few ones are often tied."""
    distinct = np.empty(0, dtype=layout.packing.dtype)
    for block in blocks_of(score.size, block_rows):
        keys = np.concatenate((distinct, layout.packing.keys(score[block])))
        keys.sort()
        distinct = keys[np.append(True, keys[1:] != keys[:-1])]
        if distinct.size > max(block_rows // 4, 2):
            return False
    short = layout.cut_short(distinct)
    return bool((short[1:] != short[:-1]).all())


def _rows_together(rows: Rows, rankings: BoolArray) -> Rows:
    """Return the rows of some rankings, brought together."""
    ranking: IntArray = rows.ranking  # type: ignore[assignment]  # callers have one
    kept = rankings[ranking].nonzero()[0]
    number = np.cumsum(rankings) - 1
    lengths = (rows.offsets[1:] - rows.offsets[:-1])[rankings]
    offsets = np.append(0, np.cumsum(lengths))
    return together(Rows(rows.positive[kept], rows.score[kept], None, offsets, number[ranking[kept]]))


def _whole_keys(rows: Rows, packing: Packing, positive_bit: AnyArray) -> AnyArray:
    """Return the sorted keys of rows that stand together, with nothing cut off."""
    keys = packing.keys(rows.score)
    keys |= rows.positive if positive_bit else ~rows.positive
    sort_runs(keys, rows.offsets)
    return keys
