"""What a row does to a number: its influence, the derivative of the number with respect to its weight.

The squared influences of the rows, weighted, add up to the squared standard error of the number. Steps are
enough for that (`moments_of`): rows between two steps have the same influence, and running sums from the
worst step on count them. Where each row is asked for (`influence_of_rows`), rows go through their cells.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .._areas._area import Area, CurvatureOf, Slopes
from .._definition import Definition
from .._ranking._blocks import LONE_ROWS
from .._ranking._cells import Cells, rows_of_steps, steps_of_cells, vertices_of
from .._ranking._rankings import Rankings
from .._ranking._steps import Steps, add_up, added
from .._typing import AnyArray, BoolArray, FloatArray, IntArray

_LIGHT = 2.0  # a negative that outweighs no more positives needs no care
_ROOT = 2 / 3  # of the power of a tail
_TINY = 5e-324
_HEAVIEST = 1e90  # positives that a negative may outweigh; its cube must be a number
_LEAST_DF = 0.5  # below, a t distribution has no end worth the name
_AT = (np.arange(64) + 0.5) / 64  # the effect of an unseen negative is averaged over these shares


class Unseen(NamedTuple):
    """What negatives that the sample lacks would take from the score, where each counts for several.

    Of a mean over columns, the `mean` also has the bias that they share.
    """

    mean: float = 0.0
    square: float = 0.0  # mean of squares
    df: float = np.inf  # degrees of freedom that the negatives seen leave


class Influences(NamedTuple):
    """What each unit does to a score: the influences of its rows, times their weights."""

    of_units: FloatArray
    of_missed: float = 0.0  # of each positive without a row
    n_missed: float = 0.0
    of_mean: bool = False  # whether the score is a mean over the units
    bias: float = np.nan  # how much higher the score is on average than in the population, if that is known
    unseen: Unseen = Unseen()

    def less(self, other: "Influences") -> "Influences":
        """Return what each unit does to the difference of two scores.

        What unseen negatives take from both is as alike as what the units do.
        """
        of_units, of_missed = self.of_units - other.of_units, self.of_missed - other.of_missed
        squares, unseen = self.unseen.square * other.unseen.square, Unseen()
        spreads = self.power(2) * other.power(2) if squares else 0.0
        if spreads > 0:  # not so of perfect samples
            both = float((self.of_units * other.of_units).sum()) / np.sqrt(spreads)
            square = self.unseen.square + other.unseen.square - 2 * both * np.sqrt(squares)
            unseen = Unseen(square=max(float(square), 0.0))
        return self._replace(of_units=of_units, of_missed=of_missed, unseen=unseen)

    @property
    def n_units(self) -> float:
        """Number of units, missed positives among them."""
        return self.of_units.size + self.n_missed

    def power(self, exponent: int) -> float:
        """Return the sum of a power over all units."""
        of_units = float((self.of_units**exponent).sum())
        return of_units + self.n_missed * self.of_missed**exponent if self.n_missed else of_units


class _HeavyNegatives(NamedTuple):
    """Negatives of a lone ranking that may each outweigh a positive, and what one more would do."""

    number: float
    weight: float  # of one
    outweighs: float  # its weight divided by that of a positive
    n_effective: float  # how many equal negatives would do as much to the score
    lost: float  # what one more above all takes from the steps below the best negative
    clear: float  # weight of the positives above all negatives

    def unseen(self, score: float, n_positives: float) -> Unseen:
        r"""Return what negatives above the best one of the sample would take from the score.

        The next of N negatives stands above all others with the probability 1 / (N + 1) (Good 1953), so a
        sample lacks about one of them, and no influence of its rows knows. Where a negative counts for c > 2
        positives, as thinned negatives do, a share 1 - 2/c of this one matters: up to c = 2, intervals from
        influences alone cover what they promise.

        Its place follows from tails :math:`S_+ = S_-^\gamma` (Lehmann 1953), the shares of both classes above
        a score. The best negative has :math:`S_- = 1 / N`, and the next one a uniform share u of that, so
        :math:`A u^\gamma` of the A clear positives stand above it. One gap says little about a tail, so the
        power is nearer to 1, where all places are alike: :math:`\gamma^{2/3}` covered best in simulations.
        The negative takes `lost` from the positives below the best one, and :math:`c / (i + c)` from the i-th
        positive if that is clear and below it.
        """
        if self.outweighs <= _LIGHT:
            return Unseen()
        power = 1.0
        if self.clear and self.number > 1:
            gamma = np.log(n_positives / self.clear) / np.log(self.number)
            power = min(max(gamma, 0.0), 1.0) ** _ROOT  # below 0 by the rounding of weights
        above, weight = self.clear * _AT**power, self.weight
        effect = self.lost + weight * np.log((self.clear + weight) / (above + weight))
        effect = np.minimum(effect / n_positives, score)
        share = 1 - _LIGHT / self.outweighs
        df = max(self.n_effective - 1, _LEAST_DF) / share
        return Unseen(float(share * effect.mean()), float(share * (effect**2).mean()), df)


class Moments(NamedTuple):
    """Sums over the influences of all rows of a lone ranking."""

    score: float
    second: float  # sum of squares: the squared standard error
    fourth: float  # sum of fourth powers
    bias: float  # NaN if the area has no curvature
    n_effective: float  # how many equal weights would hold the positives
    unseen: Unseen


class Lone(NamedTuple):
    """The rows of a lone ranking."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None  # None if all weigh the same
    n_missed: float = 0.0  # positives without a row


def has_slopes(definition: Definition) -> bool:
    """Whether the number adds up whole rankings by the formula of an area that has slopes.

    Where equal scores have an order, rows that change places make the number jump.
    """
    if definition.tie_order is not None:
        return False
    return definition.is_whole and definition.grid is None and definition.area.slopes is not None


def moments_of(definition: Definition, ranking: Rankings, n_found: float) -> Moments:
    """Walk over the steps of a lone ranking once.

    The ranking is at the prevalence of the definition already, and `n_found` of its rows are positives. All
    rows of a class weigh the same, unless the kernel holds their weights. Then the definition must have no
    prevalence, and its area a curvature and no `tied` slopes.
    """
    signed = ranking.kernel.signed
    area, n_positives, found = definition.area, ranking.n_positives.item(), ranking.n_found.item()
    n_negatives, score = ranking.offsets.item(-1) - n_found, None
    of_positive = of_negative = found / n_found
    if n_negatives:
        of_negative = (ranking.kernel.n_samples.item() - found) / n_negatives
    blocks: Iterable[Steps] = ranking.blocks()
    if area.vertices is not None:
        score = definition.of(ranking).item()  # before the vertices, so that one walk finds both
        blocks = (area.vertices(ranking),)
    elif signed is not None:
        assert area.gain is not None, area  # of areas with a curvature
        blocks = list(blocks)  # to find them again would take as long as to add up their influences
        gained = np.zeros(1)
        for one in blocks:
            add_up(gained, one, area.gain(one))
        score = min(gained.item() / n_positives, 1.0)
    totals = _Totals(n_positives, found, of_positive, of_negative, definition.prevalence is not None, score)
    sums = _Sums(totals) if signed is None else _SumsInOrder(totals, signed)
    for block in _influences(area, map(sums.exact, blocks)):
        sums.add(area, block)
    score = min(sums.total / n_positives, 1.0) if score is None else score
    missed, center, unseen = n_positives - found, score, Unseen()
    sums.end()
    if totals.is_heavy:
        outweighs, n_equal = of_negative / of_positive, sums.n_equal_negatives()
        heavy = _HeavyNegatives(n_negatives, of_negative, outweighs, n_equal, sums.lost, sums.clear)
        unseen = heavy.unseen(score, n_positives)
    if totals.moves and n_negatives:
        # Each row also moves the factor of all negatives, as in `_move_negatives`.
        center -= sums.of_negatives / n_positives
        sums.move_negatives(n_negatives)
    of_positives, second, fourth = sums.around(center)
    bias = np.nan
    if area.curvature is not None and not totals.moves:
        bias = (sums.curved - (of_positives - missed * score) / n_positives) / n_positives
    return Moments(
        score,
        (second + missed * center**2) / n_positives**2,
        (fourth + missed * center**4) / n_positives**4,
        bias,
        n_found if signed is None else sums.n_effective,
        unseen,
    )


class _Totals(NamedTuple):
    """What is known of a lone ranking before the walk."""

    n_positives: float
    found: float
    of_positive: float  # weight of one
    of_negative: float
    moves: bool  # whether each row moves the weight of all negatives
    score: float | None

    @property
    def is_heavy(self) -> bool:
        """Whether a negative may do more than its own influence says."""
        return self.of_negative > _LIGHT * self.of_positive


class _Block(NamedTuple):
    """What steps do to the rows of a block, times all positives."""

    steps: Steps
    slopes: Slopes
    positive: FloatArray  # to the positives of each step, but for the score itself
    negative: FloatArray  # to the negatives above each step
    tied: FloatArray | None  # to those of each step, if that is not the same
    to_positives: float  # to positives above all steps so far


def _influences(area: Area, blocks: Iterable[Steps]) -> Iterator[_Block]:
    """Yield what steps do to the rows of each block: what all worse steps do is a running sum."""
    assert area.slopes is not None, area  # `has_slopes` was asked
    to_positives = to_negatives = 0.0
    for steps in blocks:
        slopes, tied = area.slopes(steps), None
        worse = np.add.accumulate(slopes.positive_above)
        positive = _with_worse(slopes.positive, worse, to_positives)
        to_positives += worse.item(-1)
        negative = np.add.accumulate(slopes.negative_above)
        if slopes.tied is not None:
            tied = _with_worse(slopes.tied.copy(), negative, to_negatives)
        if to_negatives:
            negative += to_negatives
        yield _Block(steps, slopes, positive, negative, tied, to_positives)
        to_negatives = negative.item(-1)


def _with_worse(values: FloatArray, worse: FloatArray, before: float) -> FloatArray:
    """Add to each value, in place, the running sum up to the step below it."""
    values[1:] += worse[:-1]
    if before:
        values += before
    return values


class _Sums:
    """Sums over the rows of a lone ranking, block after block, not yet divided by the positives.

    Rows of a class weigh the same. Half a million steps take most of the time in running sums, so the rest
    works in place.
    """

    n_effective = np.nan  # positives that all weigh the same are counted

    def __init__(self, totals: _Totals) -> None:
        self._totals, self._is_heavy = totals, totals.is_heavy
        self.total, self.curved, self.lost, self.clear = 0.0, 0.0, 0.0, 0.0
        self.of_negatives, self._second, self._third, self._fourth = 0.0, 0.0, 0.0, 0.0
        self._squares_of_negatives = 0.0
        self._positives: list[_Central] = []

    def exact(self, steps: Steps) -> Steps:
        """Return the steps as they are: counts are exact."""
        return steps

    def add(self, area: Area, block: _Block) -> None:
        """Add a block, whose arrays may be overwritten."""
        steps, totals = block.steps, self._totals
        self.total += added(block.slopes.gain, steps.start).item()
        if totals.is_heavy:
            lost, clear = _lost_to_one(steps, totals.of_negative)
            self.lost, self.clear = self.lost + lost, max(self.clear, clear)
        center, is_whole = totals.score, steps.tp.item(0) == totals.found and not steps.tp_above.item(-1)
        if center is None and is_whole:  # a lone block tells the score, others only the last one
            center = min(self.total / totals.n_positives, 1.0)
        self._add_rows(block, None if totals.moves else area.curvature, center)

    def _add_rows(self, block: _Block, curvature: CurvatureOf | None, center: float | None) -> None:
        steps, slopes, totals = block.steps, block.slopes, self._totals
        counts = totals.of_positive == 1
        if curvature is not None and counts and totals.of_negative == 1:
            self.curved = block.to_positives  # all the rest cancels
        elif curvature is not None:
            of = curvature(steps, slopes)
            self.curved += totals.of_positive * (_dot(of.gained, steps.gained) + _dot(of.positive, steps.tp))
            self.curved += totals.of_negative * _dot(of.negative, steps.retrieved - steps.tp)
        is_single = counts and steps.tp.item(0) - steps.tp_above.item(-1) == steps.tp.size
        self._positives.append(_central_of(block.positive, None if is_single else steps.gained, center))
        # A negative takes part in all steps below it. So each step adds what it changes in the powers of all
        # negatives above it, and nobody needs to know how many stand between two steps.
        if slopes.tied is None or block.tied is None:
            self._add_change(steps.retrieved - steps.tp, slopes.negative_above, block.negative)
        else:
            self._add_change(steps.above - steps.tp_above, slopes.negative_above, block.negative)
            self._add_change(steps.group_weight - steps.gained, slopes.tied, block.tied)

    def _add_change(self, count: FloatArray, change: FloatArray, after: FloatArray) -> None:
        """Add the powers after a change, less those before it; `count` is overwritten."""
        count *= change
        if self._totals.is_heavy or self._totals.moves:
            before = after - change
            self.of_negatives += np.add.reduce(count).item()
            self._third += _dot(count, after * after + before * (after + before))
        both = after + after
        both -= change  # before and after
        self._second += _dot(count, both)
        count *= both  # square after, less square before
        both *= both
        both += change * change  # twice the sum of both squares
        self._fourth += _dot(count, both) / 2

    def end(self) -> None:
        """Count each negative by its weight once more per power."""
        weight = self._totals.of_negative
        if weight > _HEAVIEST:
            raise ValueError(
                f"prevalence must not make a negative weigh {weight:.3g} positives: nothing would say how "
                "sure the score is."
            )
        self._second *= weight
        self._third *= weight**2
        self._fourth *= weight**3
        self._squares_of_negatives = self._second

    def n_equal_negatives(self) -> float:
        """Return how many equal negatives would do as much as all do."""
        return self.of_negatives**2 / self._squares_of_negatives if self._squares_of_negatives else 0.0

    def move_negatives(self, n_negatives: float) -> None:
        """Count negatives by the distance from their mean, all times their weight."""
        total = self.of_negatives
        mean = total / n_negatives
        self._fourth += mean * (6 * mean * self._second - 4 * self._third)
        self._fourth = max(self._fourth - 3 * n_negatives * mean**4, 0.0)
        self._second = max(self._second - mean * total, 0.0)

    def around(self, score: float) -> tuple[float, float, float]:
        """Return the sum over the positives, and those of the squares and fourth powers of all rows.

        Positives count by their distance from the score, and each power has that of the weight of a row.
        """
        first = second = fourth = 0.0
        for count, center, one, square, cube, of_fourth in self._positives:
            away = center - score
            first += one + count * away
            second += square + away * (2 * one + count * away)
            fourth += of_fourth + away * (4 * cube + away * (6 * square + away * (4 * one + count * away)))
        weight = self._totals.of_positive
        return weight * first, self._second + weight * second, self._fourth + weight**3 * fourth


class _SumsInOrder(_Sums):
    """The same sums where weights differ, from the rows in order, worst first.

    `signed` are their weights, negated for negatives. The score is known before the walk.
    """

    def __init__(self, totals: _Totals, signed: FloatArray) -> None:
        super().__init__(totals)
        self._signed, self._done = signed, 0  # rows before this one were added
        self._below, self._curved_below = np.zeros(1), np.zeros(1)  # what steps do to the next negatives
        self._curved_above, self._squares = 0.0, 0.0

    def exact(self, steps: Steps) -> Steps:
        """Return steps that gain what their own rows weigh, and keep these rows in mind."""
        self._rows = rows_of_steps(steps, self._signed, self._done)
        self._done += self._rows.signed.size
        return self._rows.steps

    def _add_rows(self, block: _Block, curvature: CurvatureOf | None, center: float | None) -> None:
        assert curvature is not None, "an area with a curvature"
        assert center is not None, "a known score"
        of = curvature(block.steps, block.slopes)
        rows, of_rows = self._rows, np.concatenate((self._below, block.negative))
        curved = np.concatenate((self._curved_below, of.negative))
        np.add.accumulate(curved, out=curved)
        self._below, self._curved_below = of_rows[-1:], curved[-1:]
        of_rows, curved = of_rows.repeat(rows.length), curved.repeat(rows.length)
        worse = np.add.accumulate(of.positive)
        of_positives, of_gained = block.positive - center, of.gained + worse
        of_gained += self._curved_above
        self._curved_above += worse.item(-1)
        of_gained -= of_positives / self._totals.n_positives
        if rows.step is not None:
            of_positives, of_gained = of_positives.take(rows.step), of_gained.take(rows.step)
        if self._totals.is_heavy:
            of_rows[rows.positive] = 0.0
            self._add_negatives(of_rows * rows.signed)
        of_rows[rows.positive], curved[rows.positive] = of_positives, of_gained
        self._squares += _dot(rows.weight, rows.weight)
        self._add_squares(rows.signed, of_rows, curved)

    def _add_negatives(self, influence: FloatArray) -> None:
        self.of_negatives -= np.add.reduce(influence).item()
        self._squares_of_negatives += _dot(influence, influence)

    def _add_squares(self, signed: FloatArray, of_rows: FloatArray, curved: FloatArray) -> None:
        of_rows *= signed
        of_rows *= of_rows
        self._second += np.add.reduce(of_rows).item()
        self._fourth += _dot(of_rows, of_rows)
        self.curved += _dot(curved, signed * signed)

    def end(self) -> None:
        """Add the negatives above all positives."""
        signed = self._signed[self._done :]
        if signed.size:
            self._add_negatives(self._below * signed)
            self._add_squares(signed, self._below.repeat(signed.size), self._curved_below.repeat(signed.size))
        self.n_effective = self._totals.found**2 / self._squares

    def around(self, score: float) -> tuple[float, float, float]:  # noqa: ARG002  # it was known before
        """Return the sums, where what positives take from the bias is counted already."""
        return 0.0, self._second, self._fourth


class _Central(NamedTuple):
    """Sums of powers of the distances from a center: the score may be known only after the last block."""

    n_values: float
    center: float
    first: float
    second: float
    third: float
    fourth: float


def _central_of(values: FloatArray, count: FloatArray | None, center: float | None) -> _Central:
    """Sum up the powers of `values`, each counted as often as `count` says; `values` are overwritten."""
    n_values = values.size if count is None else np.add.reduce(count).item()
    if center is None:
        center = (np.add.reduce(values).item() if count is None else _dot(values, count)) / n_values
    values -= center
    counted = values if count is None else values * count
    first, second, square = np.add.reduce(counted).item(), _dot(counted, values), values * values
    counted = counted * values
    return _Central(n_values, center, first, second, _dot(counted, values), _dot(counted, square))


def _dot(values: FloatArray, others: FloatArray) -> float:
    """Add up products: in a short call by a function that starts threads where there are many values."""
    return float(values.dot(others)) if values.size < LONE_ROWS else np.add.reduce(values * others).item()


def influence_of_rows(definition: Definition, lone: Lone, cells: Cells) -> tuple[float, Influences]:
    r"""Return the number of a lone ranking, and what each row does to it, per weight.

    All sums are those of the rows' own weights: what a step gains would vanish in a difference of running
    sums if weights are further apart than the digits of a float.

    At a prevalence, negatives weigh :math:`c = P (1 - \pi) / (\pi N)` times as much, so each row also moves
    the factor `c`, and with it all negatives.
    """
    area, weight = definition.area, cells.sums(lone.weight)
    negative = np.arange(weight.size) % 3 != 2
    n_positives, negatives = float(weight[~negative].sum()) + lone.n_missed, float(weight[negative].sum())
    factor = 1.0
    if definition.prevalence is not None and negatives:
        factor = n_positives * (1 - definition.prevalence) / definition.prevalence / negatives
    steps, step = _steps_of(area, np.where(negative, factor * weight, weight))
    (block,) = _influences(area, (steps,))
    score = min(float(added(block.slopes.gain, steps.start).item()) / n_positives, 1.0)
    of_cells = _influence_of_cells(block, step, score) / n_positives
    of_missed, bias, unseen = -score / n_positives, np.nan, Unseen()
    squares = weight if lone.weight is None else cells.sums(lone.weight**2)
    if negatives and (factor > 1 or lone.weight is not None):
        counts = weight if lone.weight is None else cells.sums()
        # Only ratios matter here, and squares of large influences would overflow.
        of_rows, n_negatives = of_cells[negative], float(counts[negative].sum())
        of_rows = of_rows / max(-of_rows.min(), _TINY)
        second, each = float((of_rows**2 * squares[negative]).sum()), factor * negatives / n_negatives
        heavy = _HeavyNegatives(
            n_negatives,
            each,
            each * float(counts[~negative].sum()) / float(weight[~negative].sum()),
            float((of_rows * weight[negative]).sum()) ** 2 / second if second else 0.0,
            *_lost_to_one(steps, each),
        )
        unseen = heavy.unseen(score, n_positives)
    if definition.prevalence is not None:
        of_missed += _move_negatives(of_cells, weight, negative, factor, n_positives)
    elif area.curvature is not None:
        of_positives = float((of_cells * squares)[2::3].sum()) + lone.n_missed * of_missed
        of, squared = area.curvature(steps, block.slopes), steps_of_cells(squares)
        curved = of.gained * squared.gained + of.positive * squared.tp
        curved += of.negative * (squared.retrieved - squared.tp)
        bias = (float(curved.sum()) - of_positives) / n_positives
    return score, Influences(of_cells[cells.cell], of_missed, lone.n_missed, bias=bias, unseen=unseen)


def _lost_to_one(steps: Steps, weight: float) -> tuple[float, float]:
    """Return what steps would lose to one more negative, and what weighs above the best negative.

    The loss is that of step average precision, from which the other areas differ little. It leaves out the
    positives above all negatives.
    """
    clear = steps.retrieved == steps.tp
    lost = steps.gained * (steps.tp / steps.retrieved) * (weight / (steps.retrieved + weight))
    return float(np.add.reduce(lost[~clear])), float(steps.tp[clear].max(initial=0.0))


def _move_negatives(
    of_cells: FloatArray, weight: FloatArray, negative: BoolArray, factor: float, n_positives: float
) -> float:
    """Add what each row does to the factor of all negatives; return what a positive does."""
    negatives = float(weight[negative].sum())
    if not negatives:
        return 0.0
    moved = float(factor * (of_cells * weight)[negative].sum())
    of_positive = moved / n_positives
    of_cells[~negative] += of_positive
    of_cells[negative] = factor * of_cells[negative] - moved / negatives
    return of_positive


def _steps_of(area: Area, weight: FloatArray) -> tuple[Steps, IntArray]:
    """Return the steps that the area adds up, and for each step of the cells its place among them."""
    fine = steps_of_cells(weight)
    if area.vertices is None:
        return fine, np.arange(fine.tp.size)
    return vertices_of(fine)


def _influence_of_cells(block: _Block, step: IntArray, score: float) -> FloatArray:
    """Return the influence of the rows of each cell, times all positives."""
    of_tied = block.negative if block.tied is None else block.tied
    of_cells = np.zeros(3 * step.size + 1)  # the negatives below all steps do nothing
    of_cells[1::3], of_cells[2::3], of_cells[3::3] = of_tied[step], block.positive[step], block.negative[step]
    of_cells[2::3] -= score
    return of_cells
