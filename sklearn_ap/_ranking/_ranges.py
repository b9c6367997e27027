"""A lone ranking that comes in ranges of scores, the worst range first: only one of them is held at a time.

Equal scores lie in one range, so its steps are those of the whole ranking, but for the rows above the range,
which are added to every count. A long range is ranked piece by piece, so that its keys take little memory.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray, TieOrder
from ._by_class import ByClass
from ._rank import rank
from ._rankings import Kernel, Rankings, Rows
from ._steps import Steps
from ._table import StepTable, TableKernel, Totals

_PIECE_ROWS = 2**20


class Tied(NamedTuple):
    """Rows of one score, as counts."""

    score: AnyArray
    positives: int
    negatives: int

    def rows(self) -> Rows:
        """Return the rows: positives first, then negatives."""
        n_rows = self.positives + self.negatives
        positive = np.arange(n_rows) < self.positives
        return Rows(positive, np.full(n_rows, self.score), None, np.array((0, n_rows)))

    def whole(self, _: object = None) -> Kernel:
        """Return the kernel of all rows, which are one step."""
        none = np.zeros(1)
        steps = StepTable(none + self.positives, none, none + self.negatives, none)
        n_rows = self.positives + self.negatives
        return TableKernel(lambda: (steps,), Totals(self.positives, self.negatives, n_rows))


class Range(NamedTuple):
    """The rows of a range of scores, and how many are above it."""

    rows: ByClass | Tied
    positives_above: int
    rows_above: int
    # For each score, the number of uncollected negatives of this range above it; None if all are here.
    left_out_above: Callable[[AnyArray], IntArray] | None = None

    def pieces(self) -> Iterator["Range"]:
        """Cut the range at some of its scores; pieces without positives are left out."""
        if isinstance(self.rows, Tied):
            # Without a positive, there is no step.
            yield from [self][: self.rows.positives]
            return
        # From here on, the rows at or above the begin of the next piece, which is the worst one left.
        positives, negatives = self.positives_above, self.rows_above - self.positives_above
        positives, negatives = positives + self.rows.positive.size, negatives + self.rows.negative.size
        for rows in self.rows.pieces(_PIECE_ROWS):
            positives, negatives = positives - rows.positive.size, negatives - rows.negative.size
            if rows.positive.size:
                yield Range(rows, positives, positives + negatives, self.left_out_above)


def ranked_by_range(
    ranges: Callable[[], Iterable[Range]], n_positives: int, n_rows: int, tie_order: TieOrder | None = None
) -> Rankings:
    """Rank rows without weights that `ranges` yields, the worst range first, as often as it is called.

    Ranges leave out no rows if `tie_order` is given.
    """
    n_found = np.array([n_positives], dtype=np.float64)
    kernel = _RangedKernel(ranges, n_found, n_rows, tie_order)
    return Rankings(kernel, np.array((0, n_rows)), None, n_found, n_found)


class _RangedKernel(Kernel):
    def __init__(
        self,
        ranges: Callable[[], Iterable[Range]],
        n_found: FloatArray,
        n_rows: int,
        tie_order: TieOrder | None,
    ) -> None:
        self._ranges, self._tie_order = ranges, tie_order
        self.n_found, self.n_samples = n_found, np.array([n_rows], dtype=np.float64)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps, range after range. May be called again."""
        for one in self._ranges():
            for piece in one.pieces():
                # A piece knows only its own rows; those above it are added to each count.
                yield from map(partial(_counted_below, piece), self._kernel_of(piece).blocks())

    def _kernel_of(self, piece: Range) -> Kernel:
        if self._tie_order is not None:
            # Ties never cross a piece, so its own order of equal scores is that of the whole ranking.
            return rank(piece.rows.rows(), tie_order=self._tie_order).kernel
        return piece.rows.whole(piece.left_out_above)


def tabled(ranking: Rankings) -> Rankings:
    """Return the same lone ranking with its steps as counts, 24 bytes each, so that no rows are needed again.

    Equal scores must be one step.
    """
    # Counts stay exact in floats up to 2**53, and each step ends where the next one begins.
    blocks = [np.array([s.tp, s.retrieved - s.tp, s.above - s.tp_above]) for s in ranking.blocks()]
    tp, negatives, negatives_above = np.concatenate([*blocks, np.zeros((3, 1))], axis=1)
    steps = StepTable(tp[:-1], tp[1:], negatives[:-1], negatives_above[:-1])
    n_positives, n_rows = ranking.n_found.item(), int(ranking.n_rows.item())
    return TableKernel(lambda: (steps,), Totals(n_positives, n_rows - n_positives, n_rows)).ranking()


def _counted_below(piece: Range, steps: Steps) -> Steps:
    """Return steps of a piece, counting the rows above the piece."""
    return Steps(
        steps.tp + piece.positives_above,
        steps.tp_above + piece.positives_above,
        steps.retrieved + piece.rows_above,
        lambda: steps.above + piece.rows_above,
    )
