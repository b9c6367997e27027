"""Influence of a row on a number: the derivative of the number with respect to the
weight of the row.

The squared influences of the rows, weighted, add up to the squared standard error of
the number. All rows of a cell (`cells`) have the same influence, so
`influence_of_rows` asks for sums over cells alone. `RankedCells` has rows in cells, or
the steps of rows that are gone, which say how many rows each cell has. `Influences.spread`
makes a standard error of either.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np

from .._core.areas.area import Slopes
from .._core.definition import Definition
from .._core.ranking.rankings import Rankings, Rows, Steps, added
from .._core.rounding import ROUNDING_PER_ROW
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .cells import (
    Cells,
    are_positive,
    cells_of,
    of_steps,
    steps_of_cells,
    vertices_of,
    weights_of_cells,
)
from .ends import Classes, Facts, Negatives

_LEAST_DF = 0.5  # below, a t distribution has no end worth the name
# no t distribution has 0 degrees of freedom
_LEAST_T_DF = float(np.finfo(np.float64).tiny)
LEAST_FLOAT = 5e-324  # the least float, so that nothing is divided by 0
# positives that negatives may outweigh on average; fourth powers must be numbers
_HEAVIEST = 2.0**230


class Spread(NamedTuple):
    """The standard error of a number, and its degrees of freedom."""

    standard_error: float
    df: float


class Moments(NamedTuple):
    """Sums over units of powers of what they do."""

    squares: float  # the squared standard error
    fourth_powers: float
    n_units: float


class Influences(NamedTuple):
    """Influence of each unit on a score: the sum over its rows of influence times
    weight.
    """

    of_units: FloatArray
    # of each positive without a row, in each ranking that lacks some
    of_missed: float | FloatArray = 0.0
    n_missed: float | FloatArray = 0.0
    facts: Facts = Facts()  # of the score, as far as influences know them
    bias: float = nan  # how much higher the score is on average than in the population
    copies: FloatArray | None = None  # units of each value, if there are several

    def less(self, other: "Influences") -> "Influences":
        """Return what each unit does to the difference of two scores."""
        of_units = self.of_units - other.of_units
        of_missed = self.of_missed - other.of_missed
        facts = Facts(is_mean=self.facts.is_mean, cut=self.facts.cut)
        return self._replace(of_units=of_units, of_missed=of_missed, facts=facts)

    def times(self, factor: float) -> "Influences":
        """Return what each unit does to a multiple of the score."""
        return self._replace(
            of_units=factor * self.of_units, of_missed=factor * self.of_missed
        )

    def moments(self) -> Moments:
        """Add up powers of what units do."""

        def added(of_units: FloatArray, of_missed: FloatArray) -> float:
            if self.copies is not None:
                of_units = self.copies * of_units
            return float(of_units.sum() + np.inner(self.n_missed, of_missed))

        squares = np.square(self.of_units), np.square(self.of_missed)
        fourth_powers, ones = map(np.square, squares), map(np.ones_like, squares)
        return Moments(added(*squares), added(*fourth_powers), added(*ones))

    def spread(self, n_positives: float, rounding: float) -> Spread:
        """Return the standard error of the score; so many equal units would contain its
        positives.
        """
        squares, fourth_powers, n_units = self.moments()
        if squares <= rounding**2:
            squares = fourth_powers = 0.0
        # A score is not more precise than a mean of as many values.
        counts = [n_positives - 1]
        if self.facts.cut is not None:
            n_hits = min(self.facts.cut.divisor, self.facts.cut.at_step)
            counts.append(max(n_hits - 1, 1))
        # Few rows, such as heavy negatives, say little about the variance that they carry
        # (Satterthwaite).
        beyond_equal = fourth_powers - squares**2 / n_units
        if beyond_equal > 0 and not self.facts.is_mean:
            counts.append(2 * squares**2 / beyond_equal)
        df = max(float(min(counts)), _LEAST_T_DF) if n_positives > 1 else nan
        # A mean costs one degree of freedom.
        factor = sqrt(n_positives / df) if self.facts.is_mean else 1.0
        return Spread(sqrt(squares) * factor, df)


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone makes between two equal scores
    of `n_rows` rows.

    Each running sum of n weights is off by at most n eps of itself, and a score is made
    of a few of them. What is below this says nothing: neither a difference, nor a
    standard error, nor a distance from 1.
    """
    return 2 * ROUNDING_PER_ROW * n_rows * max(map(abs, scores))


def without_rounding(value: float, rounding: float) -> float:
    """Return the value, or 0 if it is at most a rounding error."""
    return 0.0 if abs(value) <= rounding else value


def has_slopes(definition: Definition) -> bool:
    """Whether an area with slopes makes the number; an order of equal scores makes it
    jump.
    """
    return (
        definition.tie_order is None
        and definition.is_whole
        and definition.grid is None
        and definition.area.slopes is not None
    )


@dataclass(frozen=True, eq=False)
class RankedCells:
    """A ranking of a sample, whose rows lie in cells."""

    rows: Rows
    unit: IntArray | None = None  # of each row; None if rows are the units
    n_missed: float = 0.0  # positives without a row
    # how many rows each of them stands for, if rows are gone
    rows_per_cell: FloatArray | None = None

    @classmethod
    def of_columns(
        cls,
        positive: BoolArray,
        score: AnyArray,
        weight: FloatArray | None,
        unit: IntArray | None,
        n_positives: float,
    ) -> "RankedCells":
        """Return the ranking of these rows, with positives that may lack some."""
        rows = Rows(positive, score, weight, np.array((0, score.size)))
        n_missed = max(n_positives - np.count_nonzero(positive), 0.0)
        return cls(rows, unit, n_missed)

    @classmethod
    def of_steps(cls, ranking: Rankings) -> "RankedCells":
        """Return a ranking of counts, whose rows may be gone: steps say how many of
        them each cell has.
        """
        count = weights_of_cells(ranking)
        cell = np.arange(count.size)
        positive = are_positive(count.size // 3)
        return cls(
            Rows(positive, cell, None, np.array((0, cell.size))),
            n_missed=ranking.n_positives.item() - ranking.found_weight.item(),
            rows_per_cell=count,
        )

    @cached_property
    def cells(self) -> Cells:
        """The rows in cells, which numbers at a cut do without."""
        if self.rows_per_cell is not None:
            return Cells(self.rows.score, self.rows_per_cell.size // 3)
        return cells_of(self.rows.positive, self.rows.score)

    @property
    def weights_of_positives(self) -> FloatArray:
        """Weight of each positive, and 0 for negatives."""
        weight = self.rows.weight if self.rows_per_cell is None else self.rows_per_cell
        if weight is None:
            return self.rows.positive.astype(np.float64)
        return np.where(self.rows.positive, weight, 0.0)

    @property
    def n_positives(self) -> float:
        """Weight of all positives, found or missed."""
        return float(self.weights_of_positives.sum()) + self.n_missed

    def classes(self, prevalence: float | None, n_units: int) -> Classes:
        """Return the weight of the positives, how many equal units would contain it,
        and both again.
        """
        rows = self.rows
        reverse = replace(self, rows=rows._replace(positive=~rows.positive))
        (positives, n_positives), (negatives, n_negatives) = (
            (float(each.weights_of_positives.sum()), n_effective_of([each], n_units))
            for each in (self, reverse)
        )
        if prevalence is not None and negatives:
            negatives = positives * (1 / prevalence - 1)
        return Classes(positives, n_positives, negatives, n_negatives)


def n_effective_of(rankings: list[RankedCells], n_units: int) -> float:
    """Return how many equal units would contain the positives; those that contain more
    count for more.
    """
    first = rankings[0]
    if len(rankings) == 1 and first.unit is None and first.rows.weight is None:
        is_positive: AnyArray = first.rows.positive
        if first.rows_per_cell is not None:
            is_positive = first.rows_per_cell * is_positive
        return float(is_positive.sum())
    of_rankings = (
        sums_of_units(each.weights_of_positives, each.unit, n_units)
        for each in rankings
    )
    weight: FloatArray = np.asarray(sum(of_rankings))
    # squares of light weights would underflow
    weight = np.ldexp(weight, -np.frexp(weight.max())[1])
    return n_equal(weight)


class _CellWeights(NamedTuple):
    """Weights of the cells of a ranking."""

    of_cells: FloatArray
    negative: BoolArray  # whether the rows of each cell are negatives
    found: float  # weight of the positives that have rows
    negatives: float
    n_positives: float  # found or missed
    factor: float  # of negatives, which makes the prevalence

    def steps(self, of_cells: FloatArray, factor: float) -> Steps:
        """Return the steps of cells whose negatives weigh `factor` times as much."""
        return steps_of_cells(np.where(self.negative, factor * of_cells, of_cells))


def _weights_of(ranking: RankedCells, prevalence: float | None) -> _CellWeights:
    """Return the weights of cells, and what negatives weigh at a prevalence."""
    of_cells = ranking.rows_per_cell
    if of_cells is None:
        of_cells = ranking.cells.sums(ranking.rows.weight)
    negative = ~are_positive(ranking.cells.n_steps)
    found = float(of_steps(of_cells).positive.sum())
    negatives = float(of_cells[negative].sum())
    n_positives, factor = found + ranking.n_missed, 1.0
    if prevalence is not None and negatives:
        factor = n_positives * (1 - prevalence) / prevalence / negatives
    return _CellWeights(of_cells, negative, found, negatives, n_positives, factor)


def influence_of_rows(definition: Definition, ranking: RankedCells) -> Influences:
    """Return what each row of a single ranking does to its number, per weight.

    Rows of a cell have the same influence. All sums are those of the rows' own weights:
    what a step gains would vanish in a difference of running sums if weights are
    further apart than the digits of a float.
    """
    cells, missed = ranking.cells, ranking.n_missed
    if not cells.n_steps:
        return no_influence(ranking)
    weights = _weights_of(ranking, definition.prevalence)
    gains = _gains_of(definition, weights)
    of_cells = _of_cells(gains, weights)
    of_missed = -gains.score / weights.n_positives
    negatives, bias = None, nan
    if weights.negatives:
        negatives = _negatives_of(ranking, of_cells, weights, gains)
    if definition.area.curvature is not None:
        squared = _squared(ranking, weights)
        curved = definition.area.curvature(gains.steps, gains.slopes)
        halves = curved.gained * squared.gained + curved.positive * squared.tp
        halves += curved.negative * (squared.retrieved - squared.tp)
        of_positives = of_steps(of_cells).positive
        divisor = float((of_positives * squared.gained).sum()) + missed * of_missed
        bias = (float(halves.sum()) - divisor) / weights.n_positives
    if definition.prevalence is not None and weights.negatives:
        of_missed += _move_factor(of_cells, weights)
    copies = ranking.rows_per_cell
    of_rows = of_cells[cells.cell] if copies is None else of_cells
    facts = Facts(gains.score, negatives=negatives)
    return Influences(of_rows, of_missed, missed, facts, bias, copies)


def no_influence(ranking: RankedCells) -> Influences:
    """Return what rows do to a score of 0, or to that of a ranking without positives:
    no weight moves it.
    """
    facts = Facts(0.0, negatives=Negatives(df=0.0))
    of_rows = np.zeros(ranking.rows.score.size)
    return Influences(of_rows, 0.0, ranking.n_missed, facts, bias=0.0)


def _move_factor(of_cells: FloatArray, weights: _CellWeights) -> float:
    r"""Add what each row does to the factor of all negatives; return what a positive
    does.

    At a prevalence, negatives weigh :math:`c = P (1 - \pi) / (\pi N)` times as much, so
    each row also moves the factor `c`, and with it all negatives. The bias is that for
    this factor, as if it was known.
    """
    negative, factor = weights.negative, weights.factor
    moved = float(factor * (of_cells * weights.of_cells)[negative].sum())
    of_cells[negative] = factor * of_cells[negative] - moved / weights.negatives
    of_cells[~negative] += moved / weights.n_positives
    return moved / weights.n_positives


class _Gains(NamedTuple):
    """What the steps of an area gain."""

    steps: Steps  # those of the cells that the area adds up
    step: IntArray | slice  # place of each step of the cells among these
    slopes: Slopes
    score: float


def _gains_of(definition: Definition, weights: _CellWeights) -> _Gains:
    """Return what the steps of an area gain."""
    area = definition.area
    fine = weights.steps(weights.of_cells, weights.factor)
    steps, step = vertices_of(fine) if area.has_vertices else (fine, slice(None))
    assert area.slopes is not None, area  # `has_slopes` was asked
    slopes = area.slopes(steps)
    total = added(slopes.gain, steps.start).item()
    return _Gains(steps, step, slopes, min(total / weights.n_positives, 1.0))


def _squared(ranking: RankedCells, weights: _CellWeights) -> Steps:
    """Return the steps of squared weights."""
    if ranking.rows.weight is not None:
        squares = ranking.cells.sums(ranking.rows.weight**2)
        return weights.steps(squares, weights.factor**2)
    return weights.steps(weights.of_cells, weights.factor**2)


def _negatives_of(
    ranking: RankedCells, of_cells: FloatArray, weights: _CellWeights, gains: _Gains
) -> Negatives:
    """Return what half a negative would take, and how heavy negatives are.

    Their effective number is the squared sum of their influences, over the sum of
    squares.
    """
    rows, copies = ranking.rows, ranking.rows_per_cell
    of_rows = of_cells if copies is not None else of_cells[ranking.cells.cell]
    of_negatives = np.where(rows.positive, 0.0, of_rows)
    if rows.weight is not None:
        of_negatives *= rows.weight
    if not of_negatives.any():  # all count alike
        of_negatives = rows.positive - 1.0
    # only ratios matter, and squares could overflow
    of_negatives /= max(-of_negatives.min(), LEAST_FLOAT)
    n_rows = n_units = n_equal(of_negatives, copies)
    if ranking.unit is not None:
        n_units = min(n_equal(sums_of_units(of_negatives, ranking.unit)), n_rows)
    each = weights.factor * n_rows / n_units
    if rows.weight is not None:
        each *= weights.negatives / np.count_nonzero(~rows.positive)
    outweighed = each * n_effective_of([ranking], 0) / weights.found
    if outweighed > _HEAVIEST:
        raise ValueError(
            f"prevalence must not make a negative weigh {outweighed:.3g} positives: "
            "the standard error would be undefined."
        )
    if ranking.unit is not None:
        # A cluster of both classes brings its negatives whole, however many positives.
        of_units = sums_of_units(of_negatives, ranking.unit)
        has_both = sums_of_units(ranking.weights_of_positives, ranking.unit) > 0
        alone = float(of_units[~has_both].sum() / of_units.sum())
        outweighed = max(outweighed, 1 / max(alone, 1 / _HEAVIEST))
    # Those that stand for many others count like positives, which are as many as they
    # seem. Light ones add nothing to what the variance says.
    df = inf
    if outweighed > 1:
        df = max(n_units - 1, _LEAST_DF) / (1 - 1 / outweighed)
    # half a negative above all others would take it
    gain_lost = gains.slopes.gain * (each / (2 * gains.steps.retrieved + each))
    loss = float(gain_lost.sum()) / weights.n_positives
    return Negatives(loss, outweighed, df)


def _of_cells(gains: _Gains, weights: _CellWeights) -> FloatArray:
    """Return what the rows of each cell do to the score.

    A row also changes every step below it, so slopes are summed from the worst step up.
    Negatives below all steps change nothing.
    """
    slopes, step = gains.slopes, gains.step
    to_positives = np.append(0.0, np.add.accumulate(slopes.positive_above))
    to_negatives = np.append(0.0, np.add.accumulate(slopes.negative_above))
    of_tied = to_negatives[1:]
    if slopes.tied is not None:
        of_tied = slopes.tied + to_negatives[:-1]
    of_positives = slopes.positive + to_positives[:-1]
    of_cells = np.zeros(weights.of_cells.size)
    of_step = of_steps(of_cells)
    of_step.tied[:] = of_tied[step]
    of_step.positive[:] = of_positives[step] - gains.score
    of_step.above[:] = to_negatives[1:][step]
    return of_cells / weights.n_positives


def n_equal(values: FloatArray, copies: FloatArray | None = None) -> float:
    """Return how many equal values would have this sum and this sum of squares; at
    least 1.
    """
    counted = values if copies is None else copies * values
    squares = float((counted * values).sum())
    return max(float(counted.sum()) ** 2 / squares, 1.0) if squares else 1.0


def sums_of_units(
    values: FloatArray, unit: IntArray | None, n_units: int = 0
) -> FloatArray:
    """Add up the values of each unit; the last of `n_units` may have none."""
    return (
        values
        if unit is None
        else np.bincount(unit, values, n_units).astype(np.float64, copy=False)
    )
