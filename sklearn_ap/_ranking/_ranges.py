"""A lone ranking that comes in ranges of scores, the worst range first: only one of them is held at a time.

Equal scores lie in one range, so its steps are those of the whole ranking, but for the rows above the range,
which are added to every count. A long range is ranked piece by piece, so that its keys take little memory.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from math import frexp
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray, FloatArray, IntArray, TieOrder
from ._blocks import blocks_of
from ._by_class import ByClass
from ._rank import rank
from ._rankings import Kernel, Rows, side_by_side
from ._steps import Envelope, Steps, Walk
from ._table import StepTable, TableKernel, Totals

_PIECE_ROWS = 2**20
_MOST_EXPONENT = 1000  # of a power of two above all values that does not overflow


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

    def blocks(self, tie_order: TieOrder | None, _: float = 1.0) -> Iterator[Steps]:
        """Yield the steps of the range, which count all rows of the ranking."""
        for piece in self.pieces():
            # Ties never cross a piece, so its own order of equal scores is that of the whole ranking.
            kernel = (
                piece.rows.whole(piece.left_out_above)
                if tie_order is None
                else rank(piece.rows.rows(), tie_order=tie_order).kernel
            )
            # A piece knows only its own rows; those above it are added to each count.
            yield from map(partial(_counted_below, piece), kernel.blocks())

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


class StepRange(NamedTuple):
    """The steps of a range whose rows have weights that differ."""

    steps: StepTable

    def blocks(self, _: TieOrder | None, factor: float) -> Iterator[Steps]:
        """Yield the steps, with the weights of negatives multiplied."""
        for block in blocks_of(self.steps.tp.size):
            yield self.steps.part(block).multiplied(factor).steps()


AnyRange = Range | StepRange
Ranges = Callable[[], Iterator[AnyRange]]  # the worst one first


class Asked(NamedTuple):
    """A walk that a number waits for, over steps in an order of equal scores, or of reweighted negatives."""

    walk: Walk
    tie_order: TieOrder | None
    factor: float


class AskingKernel(TableKernel):
    """A lone ranking in ranges. What is asked of its steps is noted, until one walk answers all who ask.

    Ranges leave out no rows if there is a `tie_order`.
    """

    def __init__(self, ranges: Ranges, totals: Totals, tie_order: TieOrder | None = None) -> None:
        super().__init__(tuple, totals)
        self._ranges, self._tie_order, self._asked = ranges, tie_order, _Answers()

    def walked(self, walk: Walk) -> FloatArray:
        """Return the answer, or zeros until it is known."""
        return self._asked.answer(Asked(walk, self._tie_order, self._factor))

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps, range after range, by a walk of its own. May be called again."""
        if self._asked.wanted:
            raise _UnansweredError
        return (steps for one in self._ranges() for steps in one.blocks(self._tie_order, self._factor))

    def asked_by(self, value: Callable[[], FloatArray]) -> tuple[FloatArray, list[Asked]]:
        """Return a number of this ranking, and what it waits for: the number is wrong until nothing is."""
        self._asked.start_again()
        try:
            return value(), self._asked.wanted
        except _UnansweredError:
            return np.zeros(1), self._asked.wanted

    def told(self, answers: Iterator[FloatArray]) -> None:
        """Take the next answers for all that is waited for."""
        self._asked.known += islice(answers, len(self._asked.wanted))


class _UnansweredError(Exception):
    """A walk of all steps is asked for by a number that waits for others."""


class _Answers:
    """Answers in the order of the questions: a number asks the same ones each time it is computed."""

    def __init__(self) -> None:
        self.known: list[FloatArray] = []
        self.start_again()

    def start_again(self) -> None:
        """Expect the first question."""
        self._n_asked, self.wanted = 0, list[Asked]()

    def answer(self, asked: Asked) -> FloatArray:
        """Return the answer, or note the question."""
        self._n_asked += 1
        if self._n_asked <= len(self.known):
            return self.known[self._n_asked - 1]
        self.wanted.append(asked)
        if asked.walk.combine == "each":  # its size is part of the answer
            raise _UnansweredError
        return np.zeros(1)


def in_common_walks(
    numbers: Sequence[tuple[AskingKernel, Callable[[], FloatArray]]],
    walk: Callable[[list[Asked]], Sequence[FloatArray]],
) -> list[FloatArray]:
    """Return the number of each ranking; `walk` answers what all of them ask, mostly once."""
    values = [np.zeros(1) for _ in numbers]
    waiting = list(range(len(numbers)))
    while waiting:
        wanted = {}
        for place in waiting:
            kernel, value = numbers[place]
            values[place], wanted[place] = kernel.asked_by(value)
        waiting = [place for place in waiting if wanted[place]]
        answers = iter(walk([one for place in waiting for one in wanted[place]]) if waiting else ())
        for place in waiting:
            numbers[place][0].told(answers)
    return values


class Bounds(NamedTuple):
    """What the best precision of all worse ranges is not below, and not above; both are 0 if it is known."""

    low: float = 0.0
    high: float = 0.0


class Taken(NamedTuple):
    """What a walk has taken of some ranges. It can be sent."""

    sum: tuple[float, float]  # and what it was rounded by
    greatest: FloatArray
    each: list[FloatArray]
    # Steps whose values depend on the best precision of worse ranges, as columns; they come first.
    open_steps: list[FloatArray]
    best: float  # precision


class _Tally:
    """What a walk takes, range after range, the worst one first; on a worker, of a single range."""

    def __init__(self, walk: Walk, bounds: Bounds = Bounds()) -> None:  # noqa: B008  # a tuple
        self._walk, self._envelope, self._high = walk, Envelope(bounds.low), bounds.high
        self._sum, self._greatest = ExactSum(), np.zeros(1)
        self._each, self._open = list[FloatArray](), list[FloatArray]()

    def add(self, steps: Steps) -> None:
        """Take the values of the next block."""
        self._add_seen(self._walk.seen(steps))

    def _add_seen(self, steps: Steps) -> None:
        arguments = self._walk.arguments(steps, self._envelope)
        if self._walk.enveloped and self._high:
            _, best, below = arguments
            # The least rise above worse ranges is not known yet. Few steps lie between the bounds.
            is_open = (best > below) & (below < self._high)
            if is_open.any():
                columns = _as_columns(steps)
                self._open.append(columns[:, is_open])
                arguments = _from_columns(columns[:, ~is_open]), best[~is_open], below[~is_open]
        if arguments[0].tp.size:
            values = self._walk.value(*arguments)
            if self._walk.combine == "each":
                self._each.append(values)
            elif self._walk.combine == "greatest":
                self._greatest = np.maximum(self._greatest, values.max())
            else:
                self._sum.add(values)

    def taken(self) -> Taken:
        """Return what was taken of one range."""
        of_sum = self._sum.high, self._sum.low
        return Taken(of_sum, self._greatest, self._each, self._open, self._envelope.best)

    def join(self, taken: Taken) -> None:
        """Take what was taken of the next range elsewhere."""
        for columns in taken.open_steps:
            self._add_seen(_from_columns(columns))
        self._each += taken.each
        self._envelope.best = max(self._envelope.best, taken.best)
        self._greatest = np.maximum(self._greatest, taken.greatest)
        self._sum.add_parts(*taken.sum)

    def answer(self) -> FloatArray:
        """Return the sum, rounded once, so that it is the same for any ranges; or what else was taken."""
        if self._walk.combine == "each":
            return side_by_side(self._each)
        return self._greatest if self._walk.combine == "greatest" else np.array([self._sum.rounded])


class ExactSum:
    """A sum that is rounded once, so that it is the same for any ranges and workers.

    The values of a block are divided at one power of two, so high above them that their upper parts add up
    without rounding (Rump's extraction). Lower parts are too small for their rounding to show. In memory this
    would take 2 to 3 % of the time, and short rankings would need it too: no sum may depend on others.
    """

    def __init__(self) -> None:
        self.high = self.low = 0.0

    def add(self, values: FloatArray) -> None:
        """Add the values of a block, which are 0 or more."""
        exponent = frexp(np.maximum.reduce(values))[1] + values.size.bit_length() + 1
        if exponent > _MOST_EXPONENT:
            self.add_parts(float(np.add.reduce(values)), 0.0)
            return
        scale = 2.0**exponent
        upper = values + scale
        upper -= scale
        high = float(np.add.reduce(upper))
        self.add_parts(high, float(np.add.reduce(np.subtract(values, upper, out=upper))))

    def add_parts(self, high: float, low: float) -> None:
        """Add a sum, and what it was rounded by."""
        total = self.high + high
        of_other = total - self.high
        self.low += low + ((self.high - (total - of_other)) + (high - of_other))
        self.high = total

    @property
    def rounded(self) -> float:
        """The sum."""
        return self.high + self.low


def _as_columns(steps: Steps) -> FloatArray:
    above = steps.above, steps.rows_retrieved, steps.rows_above
    return np.array((steps.tp, steps.tp_above, steps.retrieved, *above))


def _from_columns(columns: FloatArray) -> Steps:
    tp, tp_above, retrieved, above, rows_retrieved, rows_above = columns
    return Steps(tp, tp_above, retrieved, lambda: above, rows=(lambda: rows_retrieved, lambda: rows_above))


def walked(ranges: Ranges, asked: list[Asked]) -> list[FloatArray]:
    """Answer all that is asked by one walk over the ranges; only one range is held at a time."""
    common = CommonWalk(asked)
    for rows in ranges():
        common.add(rows)
        del rows  # before the next ones are gathered
    return common.answers()


class CommonWalk:
    """A walk over ranges, the worst one first, that takes all that is asked.

    `bounds` are those of each walk if worse ranges are ranked elsewhere.
    """

    def __init__(self, asked: Sequence[Asked], bounds: Sequence[Bounds] | None = None) -> None:
        self._tallies = [
            _Tally(one.walk, bound)
            for one, bound in zip(asked, bounds or [Bounds()] * len(asked), strict=True)
        ]
        self._of_steps: dict[tuple[TieOrder | None, float], list[_Tally]] = {}
        for one, tally in zip(asked, self._tallies, strict=True):
            self._of_steps.setdefault((one.tie_order, one.factor), []).append(tally)

    def add(self, rows: AnyRange) -> None:
        """Take the next range; rows are ranked once for all that look at the same steps."""
        for of_steps, tallies in self._of_steps.items():
            for steps in rows.blocks(*of_steps):
                for tally in tallies:
                    tally.add(steps)

    def taken(self) -> list[Taken]:
        """Return what each walk has taken of one range."""
        return [one.taken() for one in self._tallies]

    def join(self, taken: Sequence[Taken]) -> None:
        """Take what the walks have taken of the next range elsewhere."""
        for tally, one in zip(self._tallies, taken, strict=True):
            tally.join(one)

    def answers(self) -> list[FloatArray]:
        """Return what is asked."""
        return [one.answer() for one in self._tallies]


def _counted_below(piece: Range, steps: Steps) -> Steps:
    """Return steps of a piece, counting the rows above the piece."""
    return Steps(
        steps.tp + piece.positives_above,
        steps.tp_above + piece.positives_above,
        steps.retrieved + piece.rows_above,
        lambda: steps.above + piece.rows_above,
    )
