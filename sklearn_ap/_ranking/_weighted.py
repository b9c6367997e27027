"""The order of weighted rows, or of rows in a stable order: one sort of (score, row, label) in one integer.

The label takes the lowest bit of a key, the row number the bits above it, and the score the rest of 62 bits.
If score bits have to be cut off, rows with equal keys are sorted again by their true scores.
"""

from dataclasses import dataclass

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._blocks import BLOCK_ROWS, blocks_of, rankings_between, sort_keys
from ._keys import Packing
from ._rankings import Rows

_ROWS_PER_MISPLACED = (
    1000  # if more than one row in so many is misplaced, a plain sort is faster than mending
)


def sorted_by_packed_rows(
    rows: Rows,
    packing: Packing,
    bounds: AnyArray,
    *,
    stable: bool,
    block_rows: int = BLOCK_ROWS,
) -> tuple[FloatArray, BoolArray] | None:
    """Return the weights in order, negated for negatives, and where tied groups start.

    All scores must lie within `bounds`. If too many rows have equal keys, or the packing does not keep scores
    apart, return None.

    Sorted keys order rows by the bits of their score that fit, and then by number. So a row can be in a wrong
    place only among rows that share these bits, and then some row there scores lower than the row before it.
    """
    score = rows.score.ravel()
    layout = _layout_of_keys(rows.offsets, packing, bounds, stable=stable)
    if packing.scale is not None and not all(
        packing.keeps_apart(packing.keys(score[block]), score[block], in_order=False)
        for block in blocks_of(score.size, block_rows)
    ):
        return None
    positive = rows.positive.ravel()
    keys = np.empty(score.size, dtype=np.int64)
    for block in blocks_of(score.size, block_rows):
        layout.keys(packing, score, positive, block, keys[block])
    sort_keys(keys, layout.offsets)
    starts_group, misplaced = _groups_and_misplaced(layout, keys, score, block_rows)
    if misplaced.size * _ROWS_PER_MISPLACED > score.size + _ROWS_PER_MISPLACED**2:
        return None
    mended = 0  # all rows before this one are in order; a repair may move several misplaced rows
    for row in misplaced.tolist():
        if row >= mended:
            mended = _mend(layout, keys, score, starts_group, row)
    if stable:
        starts_group[:] = True
    return _weights_in_place_of(keys, layout, rows, block_rows), starts_group


@dataclass(frozen=True)
class _KeyLayout:
    """How a key packs a score, and the number of its row within the ranking.

    Row numbers count up from the first row. In a stable order they count down from the last row: the first of
    equal scores then has the highest number, is sorted last, and is retrieved first.
    """

    offsets: IntArray
    direction: int  # 1, or -1 in a stable order
    low_bits: int  # of the row number and the label
    dropped_bits: int  # number of low bits of the score that do not fit
    lowest: int  # the packed lowest score, which becomes 0

    @property
    def low_mask(self) -> int:
        """The bits of the row number and the label."""
        return (1 << self.low_bits) - 1

    @property
    def counts_up_from_0(self) -> bool:
        """Whether numbers are rows already; this saves two passes over each block."""
        return self.direction > 0 and self.offsets.size == 2

    def first_row(self, block: slice) -> IntArray | int:
        """Return, for each row of a block, the row of its ranking that has number 0."""
        rankings, bounds = rankings_between(self.offsets, block.start, block.stop)
        edges = self.offsets[rankings.start : rankings.stop + 1]
        rows = edges[:-1] if self.direction > 0 else edges[1:] - 1
        return int(rows[0]) if rows.size == 1 else np.repeat(rows, bounds[1:] - bounds[:-1])

    def rows(self, keys: IntArray, block: slice) -> IntArray:
        """Return which rows the keys of a block point to."""
        number: IntArray = keys[block] & self.low_mask
        number >>= 1
        if self.counts_up_from_0:
            return number
        return self.first_row(block) + number * self.direction

    def keys(
        self, packing: Packing, score: AnyArray, positive: BoolArray, block: slice, out: IntArray
    ) -> None:
        """Write the keys of a block of rows."""
        keys = packing.keys(score[block]).astype(np.int64, copy=False)
        keys >>= 1
        keys -= self.lowest
        keys >>= self.dropped_bits
        keys <<= self.low_bits - 1
        number = np.arange(block.start, block.stop)
        if not self.counts_up_from_0:
            number -= self.first_row(block)
            number *= self.direction
        keys |= number
        keys <<= 1
        # The label, as in the other kernels: clear if positive.
        np.bitwise_or(keys, ~positive[block], out=out)


def _layout_of_keys(offsets: IntArray, packing: Packing, bounds: AnyArray, *, stable: bool) -> _KeyLayout:
    longest = int((offsets[1:] - offsets[:-1]).max())
    low_bits = max(longest - 1, 1).bit_length() + 1
    lowest, highest = (packing.keys(bounds) >> 1).tolist()
    dropped_bits = max((highest - lowest).bit_length() + low_bits - 62, 0)  # so keys are below `LAST_KEY`
    return _KeyLayout(offsets, -1 if stable else 1, low_bits, dropped_bits, lowest)


def _groups_and_misplaced(
    layout: _KeyLayout, keys: IntArray, score: AnyArray, block_rows: int
) -> tuple[BoolArray, IntArray]:
    """Return where tied groups start, and which rows score lower than the row before them."""
    offsets = layout.offsets
    starts_group = np.zeros(keys.size, dtype=bool)
    starts_group[offsets[:-1][offsets[1:] > offsets[:-1]]] = True
    misplaced = [np.zeros(0, dtype=np.int64)]
    for block in blocks_of(keys.size, block_rows):
        low = max(block.start, 1)  # row 0 has no row before it
        pairs = slice(low - 1, block.stop)
        high_part = keys[pairs] >> layout.low_bits
        starts = starts_group[low : block.stop]
        starts |= high_part[1:] != high_part[:-1]
        if layout.dropped_bits and not starts.all():
            true_scores = score[layout.rows(keys, pairs)]
            cut_off = ~starts & (true_scores[1:] != true_scores[:-1])  # equal keys, but different scores
            if cut_off.any():
                misplaced.append(low + np.flatnonzero(cut_off & (true_scores[1:] < true_scores[:-1])))
                starts |= cut_off
    return starts_group, np.concatenate(misplaced)


def _mend(layout: _KeyLayout, keys: IntArray, score: AnyArray, starts_group: BoolArray, row: int) -> int:
    """Sort all rows with the score bits of this row's key by their true scores; return where they end."""
    ranking = int(np.searchsorted(layout.offsets, row, side="right")) - 1
    begin, stop = layout.offsets[ranking : ranking + 2].tolist()
    high_part = keys[row] & ~layout.low_mask
    low = begin + int(keys[begin:stop].searchsorted(high_part))
    high: int = begin + keys[begin:stop].searchsorted(high_part | layout.low_mask, side="right").item()
    low_part = np.sort(keys[low:high] & layout.low_mask)  # by row number
    true_scores = score[(begin if layout.direction > 0 else stop - 1) + (low_part >> 1) * layout.direction]
    order = np.argsort(true_scores, kind="stable")  # equal scores stay sorted by row number
    keys[low:high] = high_part | low_part[order]
    starts_group[low + 1 : high] = true_scores[order[1:]] != true_scores[order[:-1]]
    return high


def _weights_in_place_of(keys: IntArray, layout: _KeyLayout, rows: Rows, block_rows: int) -> FloatArray:
    """Overwrite each block of keys, once read, with the weights of its rows: saves 8 bytes per row."""
    in_order = keys.view(np.float64)
    weight = None if rows.weight is None else rows.weight.ravel()
    for block in blocks_of(in_order.size, block_rows):
        sign = keys[block] << 63  # of negatives
        if weight is None:
            in_order[block] = 1.0
        else:
            # All rows exist. With mode="clip" numpy writes into `out`, and not into a copy of it first.
            weight.take(layout.rows(keys, block), out=in_order[block], mode="clip")
        keys[block] |= sign
    return in_order
