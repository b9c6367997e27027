"""What a row does to a number: its influence, the derivative of the number with respect to its weight.

The squared influences of the rows, weighted, add up to the squared standard error of the number. Steps are
enough for that (`moments_of`): rows between two steps have the same influence, and running sums from the
worst step on count them. Where each row is asked for (`influence_of_rows`), rows go through their cells.
"""

from collections.abc import Sequence
from math import sqrt
from operator import add
from typing import NamedTuple

import numpy as np

from .._areas._area import Area, Curvature, Slopes
from .._areas._step import STEP, step_slopes
from .._definition import Definition
from .._ranking._blocks import LONG_ROWS
from .._ranking._cells import Cells, RowsOfSteps, rows_of_steps, steps_of_cells, vertices_of
from .._ranking._rankings import Rankings
from .._ranking._steps import Steps, added
from .._rounding import EQUAL
from .._typing import AnyArray, BoolArray, FloatArray, IntArray

_LEAST_FLOAT = 5e-324  # the least float, so that nothing is divided by 0
_HEAVIEST = 2.0**230  # positives that negatives may outweigh on average; fourth powers must be numbers
_LEAST_DF = 0.5  # below, a t distribution has no end worth the name


class Unseen(NamedTuple):
    """How much less the score may be in the population than influences say."""

    excess: float = 0.0  # how much too high the score may be: by noise of its envelope, or bias of columns
    loss: float = 0.0  # what half a negative above all others would take from the score
    df: float = np.inf  # degrees of freedom that negatives leave, where each stands for several positives

    def lower_shift(self, score: float, df: float, n_effective: float) -> float:
        """Return how far below the score the lower end of its interval begins.

        Where few rows carry the variance, so that it has fewer degrees of freedom than the positives leave,
        the sample may lack half a negative above all others: half a row is what Jeffreys adds to a count.
        """
        if not score:
            return 0.0
        return self.excess + self.loss_of_few(df, n_effective) * (1 - self.excess / score)

    def loss_of_few(self, df: float, n_effective: float) -> float:
        """Return what the negatives may take from the score that the sample lacks."""
        return self.loss * (1 - sqrt(min(df / (n_effective - 1), 1.0))) if n_effective > 1 else 0.0


ALL_SEEN = Unseen()


class Influences(NamedTuple):
    """What each unit does to a score: the influences of its rows, times their weights."""

    of_units: FloatArray
    of_missed: float = 0.0  # of each positive without a row
    n_missed: float = 0.0
    of_mean: bool = False  # whether the score is a mean over the units
    bias: float = np.nan  # how much higher the score is on average than in the population, if that is known
    unseen: Unseen = ALL_SEEN

    def less(self, other: "Influences") -> "Influences":
        """Return what each unit does to the difference of two scores."""
        of_units, of_missed = self.of_units - other.of_units, self.of_missed - other.of_missed
        unseen = Unseen(df=min(self.unseen.df, other.unseen.df))
        return self._replace(of_units=of_units, of_missed=of_missed, unseen=unseen)

    @property
    def n_units(self) -> float:
        """Number of units, missed positives among them."""
        return self.of_units.size + self.n_missed

    def power(self, exponent: int) -> float:
        """Return the sum of a power over all units."""
        of_units = float((self.of_units**exponent).sum())
        return of_units + self.n_missed * self.of_missed**exponent if self.n_missed else of_units


def df_of_negatives(n_effective: float, weight_ratio: float) -> float:
    """Return the degrees of freedom that negatives leave, if each outweighs so many positives.

    Those that stand for many others count like positives, which are as many as they seem. Light ones add
    nothing to what the variance says.
    """
    return max(n_effective - 1, _LEAST_DF) / (1 - 1 / weight_ratio) if weight_ratio > 1 else np.inf


def noise_of(rise: float, variance: float) -> float:
    """Return how much of a rise of the envelope above step AP may be noise, which has this variance."""
    return rise * variance / (variance + rise**2) if rise > 0 else 0.0


class Moments(NamedTuple):
    """Sums over the influences of all rows of a single ranking."""

    score: float
    second: float  # sum of squares: the squared standard error
    fourth: float  # sum of fourth powers
    bias: float  # NaN if the area has no curvature
    n_effective: float  # how many equal weights would contain the positives
    unseen: Unseen


class SingleRanking(NamedTuple):
    """The rows of a single ranking."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None  # None if all weigh the same
    n_missed: float = 0.0  # positives without a row


def has_slopes(definition: Definition) -> bool:
    """Whether an area with slopes makes the number; an order of equal scores makes it jump."""
    if definition.tie_order is not None:
        return False
    return definition.is_whole and definition.reads_all_recalls and definition.area.slopes is not None


def moments_of(definition: Definition, ranking: Rankings, n_found: float) -> Moments:
    """Walk over the steps of a single ranking once.

    The ranking is at the prevalence of the definition already, and `n_found` of its rows are positives. All
    rows of a class weigh the same, unless the kernel contains their weights. Then the definition must have no
    prevalence, and its area a curvature and no `tied` slopes.
    """
    sums, worse, blocks = _Sums(definition, ranking, n_found), _WorseSteps(definition.area), ranking.blocks()
    if definition.area.vertices is not None:
        sums.score = definition.compute(ranking).item()  # before the vertices, so that one walk finds both
        sums.rise = sums.score - STEP.score_full(ranking).item()
        blocks = iter((definition.area.vertices(ranking),))
    for steps in blocks:
        sums.add(worse, steps)
    return sums.moments()


class _Block(NamedTuple):
    """What steps do to the rows of a block, times all positives."""

    steps: Steps
    slopes: Slopes
    positive: FloatArray  # to the positives of each step, but for the score itself
    negative: FloatArray  # to the negatives above each step
    tied: FloatArray | None  # to those of each step, if that is not the same


class _WorseSteps:
    """What all steps so far do to the rows above them: running sums over blocks, worst score first."""

    def __init__(self, area: Area) -> None:
        assert area.slopes is not None, area  # `has_slopes` was asked
        self._slopes, self.to_positives, self._to_negatives = area.slopes, 0.0, 0.0

    def block(self, steps: Steps) -> _Block:
        """Return what the next steps, and all worse ones, do to their rows."""
        slopes, tied = self._slopes(steps), None
        worse = np.add.accumulate(slopes.positive_above)
        positive = _with_worse(slopes.positive, worse, self.to_positives)
        self.to_positives += worse.item(-1)
        negative = np.add.accumulate(slopes.negative_above)
        if slopes.tied is not None:
            tied = _with_worse(slopes.tied.copy(), negative, self._to_negatives)
        if self._to_negatives:
            negative += self._to_negatives
        self._to_negatives = negative.item(-1)
        return _Block(steps, slopes, positive, negative, tied)


def _with_worse(values: FloatArray, worse: FloatArray, before: float) -> FloatArray:
    """Add to each value, in place, the running sum up to the step below it."""
    values[1:] += worse[:-1]
    if before:
        values += before
    return values


class _RowWeights(NamedTuple):
    """Sums of weights, squares and fourth powers of rows that have the same influence."""

    positives: tuple[FloatArray, FloatArray]  # squares and fourth powers of each step, to a common factor
    # Of the negatives below the first step, and of those from each step to the next one or, of the last step,
    # to the end. The next block takes those above its first step away from the negatives below it.
    negatives: Sequence[FloatArray]


class _Sums:
    """Sums over the rows of a single ranking, block after block, not yet divided by the positives.

    All rows of a class weigh the same, unless the kernel has their weights in order, worst first, negated for
    negatives (`signed`). Half a million steps take most of the time in running sums.
    """

    def __init__(self, definition: Definition, ranking: Rankings, n_found: float) -> None:
        self._area, self._signed, self._done = definition.area, ranking.kernel.signed, 0
        self._moves = definition.prevalence is not None  # whether each row moves the weight of all negatives
        self._n_positives, self._found = ranking.n_positives.item(), ranking.found_weight.item()
        self._n_found, self._n_negatives = n_found, ranking.offsets.item(-1) - n_found
        self._of_positive = self._of_negative = self._found / n_found  # weight of each
        if self._n_negatives:
            self._of_negative = (ranking.kernel.total_weight.item() - self._found) / self._n_negatives
        ratio = self._of_negative / self._of_positive
        if ratio > _HEAVIEST:
            raise ValueError(
                f"sample_weight and prevalence must not make a negative weigh {ratio:.3g} positives: nothing "
                "would say how sure the score is."
            )
        self._is_heavy = self._of_negative > self._of_positive
        self.score: float | None = None
        self.rise = 0.0  # above step AP
        self._center: float | None = None  # that sums of positives are around: the score, if it is known
        self._total, self._curved, self._loss = 0.0, 0.0, 0.0
        # Sums over the negatives of their influences times weights, and of powers of these products.
        self._first, self._second, self._third, self._fourth = 0.0, 0.0, 0.0, 0.0
        # Squares and fourth powers of weights, times powers of the distance of a positive from the center.
        self._squares: tuple[float, ...] = (0.0,) * 3
        self._fourths: tuple[float, ...] = (0.0,) * 5
        self._below, self._curved_below = np.zeros(1), np.zeros(1)  # what steps do to the next negatives
        self._curved_above = 0.0

    def add(self, worse: _WorseSteps, steps: Steps) -> None:
        """Add the next steps."""
        area, signed = self._area, self._signed
        if signed is None:
            block = worse.block(steps)
            gain, weights = block.slopes.gain, _weights_by_class(block)
        else:
            assert area.step_gain is not None, area  # of areas with a curvature
            gain = area.step_gain(steps)  # of the same sums as the score itself
            rows = rows_of_steps(steps, signed, self._done)
            self._done += rows.signed.size
            block, weights = worse.block(rows.steps), _weights_of_rows(rows)
        self._total += added(gain, steps.start).item()
        self._loss += _loss_to_half(self._of_negative, block)
        if area.curvature is not None and not self._moves:
            if signed is None and self._of_positive == self._of_negative == 1:
                self._curved = worse.to_positives  # all the rest cancels
            else:
                self._add_curvature(area.curvature(block.steps, block.slopes), weights)
        self._add_positives(block, weights)
        influence = np.concatenate((self._below, block.negative))
        self._add_negatives(influence, *weights.negatives)
        self._below = influence[-1:]
        if block.tied is not None:
            weight = block.steps.group_weight - block.steps.gained
            self._add_negatives(block.tied, weight, weight, weight)

    def _add_curvature(self, of: Curvature, weights: _RowWeights) -> None:
        worse = np.add.accumulate(of.positive)
        of_positives = of.gained + worse + self._curved_above
        of_negatives = np.add.accumulate(np.concatenate((self._curved_below, of.negative)))
        self._curved_above += worse.item(-1)
        self._curved_below = of_negatives[-1:]
        self._curved += self._scale(self._of_positive) * _dot(of_positives, weights.positives[0])
        self._curved += self._scale(self._of_negative) * _dot(of_negatives, weights.negatives[1])

    def _add_positives(self, block: _Block, weights: _RowWeights) -> None:
        values, (squares, fourths) = block.positive, weights.positives
        if self._center is None and self.score is not None:
            self._center = self.score
        elif self._center is None:
            # The score, if this block is the only one. Else sums move from here to the score at the end.
            self._center = min(self._total / self._n_positives, 1.0)
            if block.steps.tp.item(0) < self._found or block.steps.tp_above.item(-1):
                self._center = _dot(values, squares) / np.add.reduce(squares).item()
        values -= self._center
        first, total = squares * values, np.add.reduce(squares).item()
        sums: tuple[float, ...] = total, np.add.reduce(first).item(), _dot(first, values)
        self._squares = tuple(map(add, self._squares, sums))
        if fourths is not squares:
            first, total = fourths * values, np.add.reduce(fourths).item()
            sums = total, np.add.reduce(first).item(), _dot(first, values)
        second = first * values
        sums += _dot(second, values), _dot(second, values * values)
        self._fourths = tuple(map(add, self._fourths, sums))

    def _add_negatives(
        self, influence: FloatArray, weight: FloatArray, squares: FloatArray, fourths: FloatArray
    ) -> None:
        square = influence * influence
        self._second += _dot(squares, square)
        self._fourth += _dot(fourths, square * square)
        if self._is_heavy or self._moves:
            self._first += _dot(weight, influence)
            self._third += _dot(weight, influence * square)

    def moments(self) -> Moments:
        """Return the moments, once all steps were added."""
        self._end()
        score = min(self._total / self._n_positives, 1.0) if self.score is None else self.score
        missed, center, df = self._n_positives - self._found, score, np.inf
        if self._is_heavy:
            n_negatives = self._first**2 / self._second if self._second else 0.0
            df = df_of_negatives(n_negatives, self._of_negative / self._of_positive)
        if self._moves and self._n_negatives:
            # Each row also moves the factor of all negatives, as in `_move_negatives`.
            center -= self._first / self._n_positives
            self._move_negatives()
        of_positives, second, fourth = self._around(center)
        bias = np.nan
        if self._area.curvature is not None and not self._moves:
            bias = (self._curved - (of_positives - missed * score) / self._n_positives) / self._n_positives
        second = (second + missed * center**2) / self._n_positives**2
        fourth = (fourth + missed * center**4) / self._n_positives**4
        n_effective = self._n_found if self._signed is None else self._found**2 / self._squares[0]
        unseen = Unseen(noise_of(self.rise, second), self._loss / self._n_positives, df)
        return Moments(score, second, fourth, bias, n_effective, unseen)

    def _end(self) -> None:
        """Add the negatives above all positives, or weigh all negatives if they weigh the same."""
        if self._signed is None:
            weight = self._of_negative
            self._second, self._third = self._second * weight, self._third * weight**2
            self._fourth *= weight**3
        elif (above := self._signed[self._done :]).size:
            weights = [np.add.reduce((-above) ** power, keepdims=True) for power in (1, 2, 4)]
            self._add_negatives(self._below, *weights)
            self._curved += _dot(self._curved_below, weights[1])

    def _scale(self, weight: float) -> float:
        """Return what makes sums of weights squares: the weight of a class whose rows weigh the same."""
        return weight if self._signed is None else 1.0

    def _move_negatives(self) -> None:
        """Count negatives by the distance from their mean, all times their weight."""
        mean = self._first / self._n_negatives
        self._fourth += mean * (6 * mean * self._second - 4 * self._third)
        self._fourth = max(self._fourth - 3 * self._n_negatives * mean**4, 0.0)
        second = self._second - mean * self._first
        self._second = second if second > EQUAL * self._second else 0.0  # of equal scores, rounding alone

    def _around(self, score: float) -> tuple[float, float, float]:
        """Return the sum over the positives, and those of the squares and fourth powers of all rows.

        Positives count by their distance from the score, and each row by its weight, squared in the first.
        """
        assert self._center is not None, "positives"
        away, weight = self._center - score, self._scale(self._of_positive)
        (squares, s1, s2), (fourths, f1, f2, f3, f4) = self._squares, self._fourths
        first = s1 + squares * away
        second = s2 + away * (2 * s1 + squares * away)
        fourth = f4 + away * (4 * f3 + away * (6 * f2 + away * (4 * f1 + fourths * away)))
        if second <= EQUAL * s2:  # of equal influences, rounding alone
            second = fourth = 0.0
        return weight * first, self._second + weight * second, self._fourth + weight**3 * fourth


def _weights_by_class(block: _Block) -> _RowWeights:
    """Return the weights of rows that weigh the same in each class."""
    steps = block.steps
    above = np.zeros(steps.tp.size + 2)  # negatives at or above each step
    np.subtract(steps.retrieved, steps.tp, out=above[1:-1])
    weight, gained = above[:-1] - above[1:], steps.gained
    if block.tied is not None:
        weight[1:] -= steps.group_weight - gained
    return _RowWeights((gained, gained), (weight, weight, weight))


def _weights_of_rows(rows: RowsOfSteps) -> _RowWeights:
    """Return the weights of rows whose weights differ."""
    squares = rows.weight * rows.weight
    fourths = squares * squares
    if rows.step is not None:
        n_steps = rows.length.size - 1
        squares, fourths = (
            np.bincount(rows.step, powers, n_steps).astype(np.float64, copy=False)
            for powers in (squares, fourths)
        )
    weight = -rows.signed
    weight[rows.positive] = 0.0
    square = weight * weight
    begin = np.add.accumulate(rows.length) - rows.length
    negatives = [np.add.reduceat(powers, begin) for powers in (weight, square, square * square)]
    if not rows.length[0]:  # the only sum that may have no rows, and gets the first one of the next sum
        for sums in negatives:
            sums[0] = 0.0
    return _RowWeights((squares, fourths), negatives)


def _dot(values: FloatArray, others: FloatArray) -> float:
    """Add up products: in a short call by a function that starts threads where there are many values."""
    return float(values.dot(others)) if values.size < LONG_ROWS else np.add.reduce(values * others).item()


def influence_of_rows(
    definition: Definition, ranking: SingleRanking, cells: Cells, unit: IntArray | None = None
) -> tuple[float, Influences]:
    r"""Return the number of a single ranking, and what each row does to it, per weight.

    All sums are those of the rows' own weights: what a step gains would vanish in a difference of running
    sums if weights are further apart than the digits of a float.

    At a prevalence, negatives weigh :math:`c = P (1 - \pi) / (\pi N)` times as much, so each row also moves
    the factor `c`, and with it all negatives.
    """
    area, weight = definition.area, cells.sums(ranking.weight)
    negative = np.arange(weight.size) % 3 != 2
    n_positives, negatives = float(weight[~negative].sum()) + ranking.n_missed, float(weight[negative].sum())
    factor = 1.0
    if definition.prevalence is not None and negatives:
        factor = n_positives * (1 - definition.prevalence) / definition.prevalence / negatives
    fine = steps_of_cells(np.where(negative, factor * weight, weight))
    # The steps that the area adds up, and for each step of the cells its place among them.
    steps, step = (fine, np.arange(fine.tp.size)) if area.vertices is None else vertices_of(fine)
    block = _WorseSteps(area).block(steps)
    score = min(float(added(block.slopes.gain, steps.start).item()) / n_positives, 1.0)
    of_cells = _influence_of_cells(block, step, score) / n_positives
    of_missed, bias = -score / n_positives, np.nan
    unseen = ALL_SEEN
    if negatives:
        n_found = float(np.count_nonzero(ranking.positive))
        each = factor * negatives / (ranking.score.size - n_found)
        n_units, n_rows = _negatives_that_count(of_cells[cells.cell], ranking, unit)
        each *= n_rows / n_units
        df = df_of_negatives(n_units, each * n_found / (n_positives - ranking.n_missed))
        rise = 0.0
        if area.vertices is not None:
            rise = score - float(added(step_slopes(fine).gain, fine.start).item()) / n_positives
        unseen = Unseen(rise, _loss_to_half(each, block) / n_positives, df)
    if definition.prevalence is not None:
        of_missed += _move_negatives(of_cells, weight, negative, factor, n_positives)
    elif area.curvature is not None:
        squares = weight if ranking.weight is None else cells.sums(ranking.weight**2)
        of_positives = float((of_cells * squares)[2::3].sum()) + ranking.n_missed * of_missed
        of, squared = area.curvature(steps, block.slopes), steps_of_cells(squares)
        curved = of.gained * squared.gained + of.positive * squared.tp
        curved += of.negative * (squared.retrieved - squared.tp)
        bias = (float(curved.sum()) - of_positives) / n_positives
    return score, Influences(of_cells[cells.cell], of_missed, ranking.n_missed, bias=bias, unseen=unseen)


def _negatives_that_count(
    of_rows: FloatArray, ranking: SingleRanking, unit: IntArray | None
) -> tuple[float, float]:
    """Return how many equal units of negatives, and how many equal negatives, would do as much."""
    of_negatives = np.where(
        ranking.positive, 0.0, of_rows if ranking.weight is None else of_rows * ranking.weight
    )
    of_negatives /= max(-of_negatives.min(), _LEAST_FLOAT)  # only ratios matter, and squares could overflow
    n_rows = n_equal(of_negatives)
    return (
        n_rows
        if unit is None
        else min(n_equal(np.bincount(unit, of_negatives).astype(np.float64, copy=False)), n_rows)
    ), n_rows


def n_equal(values: FloatArray) -> float:
    """Return how many equal values would have this sum and this sum of squares; at least 1."""
    squares = float(np.square(values).sum())
    return max(float(values.sum()) ** 2 / squares, 1.0) if squares else 1.0


def _loss_to_half(weight: float, block: _Block) -> float:
    """Return what the steps would lose to half a negative of this weight above all of them."""
    half = weight / 2
    return _dot(block.slopes.gain, half / (block.steps.retrieved + half))


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


def _influence_of_cells(block: _Block, step: IntArray, score: float) -> FloatArray:
    """Return the influence of the rows of each cell, times all positives."""
    of_tied = block.negative if block.tied is None else block.tied
    of_cells = np.zeros(3 * step.size + 1)  # the negatives below all steps do nothing
    of_cells[1::3], of_cells[2::3], of_cells[3::3] = of_tied[step], block.positive[step], block.negative[step]
    of_cells[2::3] -= score
    return of_cells
