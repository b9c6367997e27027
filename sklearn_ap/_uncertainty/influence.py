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
from .._core.ranking.rankings import Rankings, added
from .._core.rounding import ROUNDING_PER_ROW
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .cells import (
    Cells,
    cells_of,
    of_steps,
    steps_of_cells,
    vertices_of,
    weights_of_cells,
)
from .ends import ClassWeights, Cut, Facts, Negatives

_LEAST_DF = 0.5  # below, a t distribution has no end worth the name
# positives that negatives may outweigh on average; fourth powers must be numbers
_HEAVIEST = 2.0**230


class Spread(NamedTuple):
    """The standard error of a number, and its degrees of freedom."""

    standard_error: float
    df: float


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
    copies: FloatArray | float = 1.0  # units of each value

    def less(
        self, other: "Influences", slope: float = 1.0, other_slope: float = 1.0
    ) -> "Influences":
        """Return what each unit does to the difference of two scores, or of functions
        of them that have these slopes.
        """
        of_units = slope * self.of_units - other_slope * other.of_units
        of_missed = slope * self.of_missed - other_slope * other.of_missed
        cut, other_cut = self.facts.cut, other.facts.cut
        if cut and other_cut:
            # the fewer of both, so that either model may come first
            cut = Cut(*map(min, cut, other_cut))
        facts = Facts(is_mean=self.facts.is_mean, cut=cut)
        return self._replace(of_units=of_units, of_missed=of_missed, facts=facts)

    @property
    def variance(self) -> float:
        """The squared standard error, but for a factor of means over units."""
        return self._sum_of_squares(1)

    def _sum_of_squares(self, power: int) -> float:
        """Add up powers of the squares of what units do."""
        of_units = self.copies * np.square(self.of_units) ** power
        of_missed = np.square(self.of_missed) ** power
        return float(of_units.sum() + np.inner(self.n_missed, of_missed))

    def spread(self, n_positives: float, rounding: float) -> Spread:
        """Return the standard error of the score; so many equal units would contain its
        positives.
        """
        variance, fourth_powers = self.variance, self._sum_of_squares(2)
        if variance <= rounding**2:
            variance = fourth_powers = 0.0
        # A score is not more precise than a mean of as many values.
        counts = [n_positives - 1]
        if self.facts.cut is not None:
            n_hits = min(self.facts.cut.divisor, self.facts.cut.at_step)
            counts.append(max(n_hits - 1, 1))
        # Few rows, such as heavy negatives, say little about the variance that they carry
        # (Satterthwaite).
        beyond_equal = fourth_powers - variance**2 / self._sum_of_squares(0)
        if beyond_equal > 0 and not self.facts.is_mean:
            counts.append(2 * variance**2 / beyond_equal)
        df = float(min(counts)) if n_positives > 1 else nan
        # A mean costs one degree of freedom.
        factor = sqrt(n_positives / df) if self.facts.is_mean else 1.0
        return Spread(sqrt(variance) * factor, df)


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone makes between two equal scores
    of `n_rows` rows.

    Each running sum of n weights is off by at most n eps of itself, and a score is made
    of a few of them. What is below this says nothing: neither a difference, nor a
    standard error, nor a distance from 1.
    """
    return 2 * ROUNDING_PER_ROW * n_rows * max(map(abs, scores))


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

    positive: BoolArray  # of each row, or of each cell if rows are gone
    score: AnyArray
    weight: FloatArray | float = 1.0
    unit: IntArray | None = None  # of each row; None if rows are the units
    n_missed: float = 0.0  # positives without a row
    # how many rows each of them stands for, if rows are gone
    copies: FloatArray | float = 1.0

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
        n_missed = max(n_positives - np.count_nonzero(positive), 0.0)
        return cls(positive, score, 1.0 if weight is None else weight, unit, n_missed)

    @classmethod
    def of_steps(cls, ranking: Rankings) -> "RankedCells":
        """Return a ranking of counts, whose rows may be gone: steps say how many of
        them each cell has.
        """
        count = weights_of_cells(ranking)
        n_missed = ranking.n_positives.item() - ranking.found_weight.item()
        cell = np.arange(count.size)  # the second one of each step has its positives
        return cls(cell % 3 == 2, cell, n_missed=n_missed, copies=count)

    @cached_property
    def cells(self) -> Cells:
        """The rows in cells, which numbers at a cut do without."""
        if np.ndim(self.copies):
            return Cells(self.score, self.score.size // 3)
        return cells_of(self.positive, self.score)

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of all rows that each one stands for."""
        return np.full(self.score.size, self.weight * self.copies)

    @cached_property
    def weight_of_positives(self) -> FloatArray:
        """Weight of each row that is positive, and 0 for negatives."""
        return np.where(self.positive, self.weight, 0.0)

    @cached_property
    def negatives(self) -> float:
        """Weight of all negatives."""
        return float(self.weights[~self.positive].sum())

    @cached_property
    def n_positives(self) -> float:
        """Weight of all positives, found or missed."""
        return float((self.weight_of_positives * self.copies).sum()) + self.n_missed

    @property
    def share(self) -> float | None:
        """Share of positives, found or missed; None without negatives."""
        if not self.negatives:
            return None
        return self.n_positives / (self.n_positives + self.negatives)

    def at_prevalence(self, prevalence: float | None) -> "RankedCells":
        """Return the ranking whose negatives weigh what makes this share of positives."""
        negatives = self.negatives
        if prevalence is None or not min(negatives, self.n_positives):
            return self
        factor = self.n_positives * (1 - prevalence) / prevalence / negatives
        weight = self.weight * np.where(self.positive, 1.0, factor)
        return replace(self, weight=weight)

    @property
    def classes(self) -> ClassWeights:
        """The weight of the positives, how many equal units would contain it, and both
        of the negatives.
        """
        reverse = replace(self, positive=~self.positive)
        return ClassWeights(
            self.n_positives - self.n_missed,
            n_effective_of([self]),
            self.negatives,
            n_effective_of([reverse]),
        )


def n_effective_of(rankings: list[RankedCells], n_units: int = 0) -> float:
    """Return how many equal units would contain the positives; those that contain more
    count for more.
    """
    of_rankings = [
        sums_of_units(each.weight_of_positives, each.unit, n_units) for each in rankings
    ]
    return n_equal(np.sum(of_rankings, axis=0), rankings[0].copies)


def influence_of_rows(definition: Definition, ranking: RankedCells) -> Influences:
    """Return what each row of a single ranking does to its number, per weight.

    Rows of a cell have the same influence. All sums are those of the rows' own weights:
    what a step gains would vanish in a difference of running sums if weights are
    further apart than the digits of a float.
    """
    area, cells, n_positives = definition.area, ranking.cells, ranking.n_positives
    if not cells.n_steps:
        return no_influence(ranking)
    steps = steps_of_cells(cells.sums(ranking.weights))
    place: IntArray | slice = slice(None)
    if area.has_vertices:
        steps, place = vertices_of(steps)
    assert area.slopes is not None, area  # `has_slopes` was asked
    slopes = area.slopes(steps)
    score = min(added(slopes.gain, steps.start).item() / n_positives, 1.0)
    of_cells = of_slopes(slopes, place, cells.n_steps)
    of_steps(of_cells).positive[:] -= score
    of_cells /= n_positives
    of_missed = -score / n_positives
    of_rows = of_cells[cells.cell]
    negatives = _negatives_of(ranking, of_rows, slopes.gain, steps.retrieved)
    bias = nan
    if area.curvature is not None:
        squared = steps_of_cells(cells.sums(ranking.weights * ranking.weight))
        curved = area.curvature(steps, slopes)
        halves = curved.gained * squared.gained + curved.positive * squared.tp
        halves += curved.negative * (squared.retrieved - squared.tp)
        of_positives = of_steps(of_cells).positive
        divisor = (of_positives * squared.gained).sum() + ranking.n_missed * of_missed
        bias = float(halves.sum() - divisor) / n_positives
    facts = Facts(score, negatives=negatives)
    return Influences(of_rows, of_missed, ranking.n_missed, facts, bias, ranking.copies)


def no_influence(ranking: RankedCells) -> Influences:
    """Return what rows do to a score of 0, or to that of a ranking without positives:
    no weight moves it.
    """
    facts = Facts(0.0, negatives=Negatives(df=0.0))
    of_rows = np.zeros(ranking.score.size)
    return Influences(of_rows, 0.0, ranking.n_missed, facts, bias=0.0)


def with_share_kept(part: Influences, ranking: RankedCells) -> Influences:
    r"""Return what each row does to a number at a prevalence, from what it does if the
    factor of the negatives is known.

    At a prevalence, negatives weigh :math:`c = P (1 - \pi) / (\pi N)` times as much, so
    each row also moves the factor `c`, and with it all negatives. The bias is that for
    this factor, as if it was known.
    """
    positive = ranking.positive
    moved = float((part.of_units * ranking.weights)[~positive].sum())
    if not moved:
        return part
    of_negatives = part.of_units - moved / ranking.negatives
    of_positive = moved / ranking.n_positives
    return part._replace(
        of_units=np.where(positive, part.of_units + of_positive, of_negatives),
        of_missed=part.of_missed + of_positive,
    )


def _negatives_of(
    ranking: RankedCells, of_rows: FloatArray, gain: FloatArray, retrieved: FloatArray
) -> Negatives:
    """Return what a negative above all others would take, and how heavy they are.

    Their effective number is the squared sum of their influences, over the sum of
    squares.
    """
    unit, positive = ranking.unit, ranking.positive
    n_negatives = float((~positive * ranking.copies).sum())
    if not n_negatives:
        return Negatives()
    of_negatives = np.where(positive, 0.0, of_rows * ranking.weight)
    if not of_negatives.any():  # all count alike
        of_negatives = np.where(positive, 0.0, 1.0)
    n_rows = n_units = n_equal(of_negatives, ranking.copies)
    alone = 1.0  # share of them in units without a positive
    if unit is not None:
        of_units = sums_of_units(of_negatives, unit)
        n_units = min(n_equal(of_units), n_rows)
        has_both = sums_of_units(ranking.weight_of_positives, unit) > 0
        alone = float(of_units[~has_both].sum() / of_units.sum())
    each = ranking.negatives / n_negatives * n_rows / n_units
    outweighed = each * n_effective_of([ranking])
    outweighed /= ranking.n_positives - ranking.n_missed
    if outweighed > _HEAVIEST:
        raise ValueError(
            f"prevalence must not make a negative weigh {outweighed:.3g} positives: "
            "the standard error would be undefined."
        )
    # A cluster of both classes brings its negatives whole, however many positives.
    outweighed = max(outweighed, 1 / max(alone, 1 / _HEAVIEST))
    # Those that stand for many others count like positives, which are as many as they
    # seem. Light ones add nothing to what the variance says.
    df = inf
    if outweighed > 1:
        df = max(n_units - 1, _LEAST_DF) / (1 - 1 / outweighed)
    # a negative above all others would take it
    loss = float((gain * (each / (retrieved + each))).sum()) / ranking.n_positives
    return Negatives(loss, outweighed, df)


def of_slopes(slopes: Slopes, place: IntArray | slice, n_steps: int) -> FloatArray:
    """Return what the rows of each cell do to the sum of the gains; `place` is that of
    each step among those that the area adds up.

    A row also changes every step below it, so slopes are summed from the worst step up.
    Negatives below all steps change nothing.
    """
    to_positives = np.append(0.0, np.add.accumulate(slopes.positive_above))
    to_negatives = np.append(0.0, np.add.accumulate(slopes.negative_above))
    of_tied = to_negatives[1:]
    if slopes.tied is not None:
        of_tied = slopes.tied + to_negatives[:-1]
    of_positives = slopes.positive + to_positives[:-1]
    of_cells = np.zeros(1 + 3 * n_steps)
    of_step = of_steps(of_cells)
    of_step.tied[:] = of_tied[place]
    of_step.positive[:] = of_positives[place]
    of_step.above[:] = to_negatives[1:][place]
    return of_cells


def n_equal(values: FloatArray, copies: FloatArray | float = 1.0) -> float:
    """Return how many equal values would have this sum and this sum of squares; at
    least 1.
    """
    # only ratios matter, and squares of light or heavy weights would be rounded
    values = np.ldexp(values, -np.frexp(np.abs(values).max(initial=0.0))[1])
    squares = float((copies * values**2).sum())
    return max(float((copies * values).sum()) ** 2 / squares, 1.0) if squares else 1.0


def sums_of_units(
    values: FloatArray, unit: IntArray | None, n_units: int = 0
) -> FloatArray:
    """Add up the values of each unit; the last of `n_units` may have none."""
    if unit is None:
        return values
    return np.bincount(unit, values, n_units).astype(np.float64, copy=False)
