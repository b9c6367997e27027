r"""Influence of each row on a score: the derivative of the score with respect to the
weight of the row.

With the weight :math:`w_i` and the influence :math:`D_i` of row i, the squared standard
error of the score is :math:`\sum_u (\sum_{i \in u} w_i D_i)^2` over the units u.

1. `RankedCells` has the rows of a ranking; or, if only its steps are known, the number
   of rows in each cell (see the module `cells`).
2. `influence_of_rows` returns the influence of each row. All rows of a cell have the
   same influence, so the function needs only the sums of weights over cells.
3. `sample` adds up the influences of each unit, and `Influences.spread` returns the
   standard error.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan, sqrt
from typing import NamedTuple, Self

import numpy as np

from .._core.areas.area import Slopes
from .._core.definition import Definition
from .._core.ranking.rankings import Rankings, added
from .._core.reading.read import CheckedRows
from .._core.rounding import ROUNDING_PER_ROW
from .._core.typing import BoolArray, FloatArray, IntArray
from .cells import (
    Cells,
    cells_of,
    of_steps,
    steps_of_cells,
    sums_of_units,
    vertices_of,
    weights_of_cells,
)
from .endpoints import BinomialProportion, IntervalInputs, Negatives, ScoreAtCut
from .ranked_rows import RankedRows

# The fields of a `Definition` that influences account for.
_KNOWN_FIELDS = {"area", "grid", "cut", "ties", "normalizer", "prevalence"}
# Lower limit of the degrees of freedom that are computed if single negatives outweigh
# positives. Below it, the quantiles of a t distribution are too large for an interval
# to contain any information.
_LEAST_DF = 0.5
# The greatest number of positives that a negative may outweigh. If it outweighed more,
# fourth powers of influences would overflow.
_MOST_OUTWEIGHED = 2.0**230


class Spread(NamedTuple):
    """The standard error of a score, and its degrees of freedom."""

    standard_error: float
    df: float


class Influences(NamedTuple):
    """Influence of each unit on a score: the sum of weight times influence over the
    rows of the unit.

    Functions of a single ranking return the influence of each row, per weight of the
    row, in place of the influence of each unit.
    """

    of_units: FloatArray
    # Influence of each missed positive; an array with a value per ranking for a mean
    # over rankings.
    of_missed: float | FloatArray = 0.0
    # Number of missed positives; an array for a mean over rankings, too.
    n_missed: float | FloatArray = 0.0
    # Inputs of the interval that follow from the influences.
    inputs: IntervalInputs = IntervalInputs()
    # Expected score of a sample minus the score of the population; NaN if unknown.
    bias: float = nan
    # Number of units that each value of `of_units` applies to.
    copies: FloatArray | float = 1.0

    def less(
        self, other: "Influences", slope: float = 1.0, other_slope: float = 1.0
    ) -> "Influences":
        """Return the influence of each unit on the difference of two scores.

        If the difference is between functions of the scores, such as their cube roots,
        the slopes are the derivatives of the functions.
        """
        of_units = slope * self.of_units - other_slope * other.of_units
        of_missed = slope * self.of_missed - other_slope * other.of_missed
        at_cut, other_at_cut = self.inputs.at_cut, other.inputs.at_cut
        if at_cut and other_at_cut:
            # Each number is the smaller one of both scores, so that the order of the
            # models has no effect.
            fewer = map(min, at_cut.proportion, other_at_cut.proportion)
            at_cut = ScoreAtCut(BinomialProportion(*fewer))
        inputs = IntervalInputs(is_mean=self.inputs.is_mean, at_cut=at_cut)
        return self._replace(of_units=of_units, of_missed=of_missed, inputs=inputs)

    @property
    def variance(self) -> float:
        """Squared standard error, before the factor n/(n - 1) of a mean over n units."""
        return self._sum_of_squares(1)

    def _sum_of_squares(self, power: int) -> float:
        """Return the sum of `abs(influence) ** (2 * power)` over units and missed
        positives. If `power` is 0, this is the number of units and missed positives.
        """
        of_units = self.copies * np.square(self.of_units) ** power
        of_missed = np.square(self.of_missed) ** power
        return float(of_units.sum() + np.inner(self.n_missed, of_missed))

    def spread(self, n_positives: float, rounding: float) -> Spread:
        """Return the standard error of the score, with its degrees of freedom.

        `n_positives` is the effective number of positives, or of units if the score is
        a mean over units. A standard error of at most `rounding` is set to 0.
        """
        variance, fourth_powers = self.variance, self._sum_of_squares(2)
        if variance <= rounding**2:
            variance = fourth_powers = 0.0
        # The variance of a mean of P values has P - 1 degrees of freedom. The variance
        # of a score with P positives has at most P - 1 degrees of freedom.
        counts = [n_positives - 1]
        # At a cut, the divisor of the hits limits the degrees of freedom in the same
        # way as P does. At a recall, so does the number of positives near this recall.
        if self.inputs.at_cut is not None:
            proportion = self.inputs.at_cut.proportion
            # With one degree of freedom, the interval is still finite.
            counts.append(max(min(proportion.divisor, proportion.at_step) - 1, 1))
        # If most of the variance is due to few units, such as heavy negatives, the
        # variance is imprecise. Satterthwaite's degrees of freedom account for this.
        # They are infinite if all influences are equal in size.
        n_all = self._sum_of_squares(0)
        beyond_equal = fourth_powers - variance**2 / n_all
        if beyond_equal > 0 and not self.inputs.is_mean:
            counts.append(2 * variance**2 / beyond_equal)
        df = float(min(counts)) if n_positives > 1 else nan
        # The variance of a mean over n units is divided by n - 1 in place of n.
        factor = sqrt(n_positives / df) if self.inputs.is_mean else 1.0
        return Spread(sqrt(variance) * factor, df)


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone can make between two equal
    scores of `n_rows` rows.

    Each running sum of n weights has a relative error of at most n eps, and a score
    consists of a few such sums. So a difference between scores, a standard error or a
    distance from 1 below this bound has no meaning.
    """
    return 2 * ROUNDING_PER_ROW * n_rows * max(map(abs, scores))


def check_influence(definition: Definition) -> None:
    """Raise ValueError if the influences of rows on a score are unknown, because its
    definition has a field that the formulas do not use.
    """
    definition.check_fields(_KNOWN_FIELDS, "the influence of a row")


def has_slopes(definition: Definition) -> bool:
    """Return whether the score has a derivative with respect to the weight of each row.

    It has such a derivative if it is the area of a whole ranking and the formula of the
    area has slopes. Scores at a cut, at levels, or with an order of equal scores jump
    as weights change; the module `at_cut` computes their influences.
    """
    return (
        definition.tie_order is None
        and definition.is_whole
        and definition.grid is None
        and definition.area.slopes is not None
    )


@dataclass(frozen=True, eq=False)
class RankedCells:
    """The rows of a single ranking; or its cells, if the rows are no longer known.

    Each array has one value per row. If `copies` is an array, each array has one value
    per cell, and `copies` contains the number of rows in each cell.
    """

    positive: BoolArray
    # Weight of each row. For a cell, the weight of one of its rows.
    weight: FloatArray | float = 1.0
    # Number of the unit of each row; None if each row is a unit.
    unit: IntArray | None = None
    # Number of positives without a row.
    n_missed: float = 0.0
    # Number of rows in each cell; 1 if each value of the arrays is that of a row.
    copies: FloatArray | float = 1.0
    # The rows; None if each array has one value per cell.
    rows: RankedRows | None = None

    @classmethod
    def of_rows(
        cls, rows: CheckedRows, unit: IntArray | None, n_positives: float
    ) -> Self:
        """Return the ranking of these rows. `n_positives` is the number of positives,
        found or missed. It is ignored if more positives were found.
        """
        n_missed = max(n_positives - np.count_nonzero(rows.positive), 0.0)
        weight = 1.0 if rows.weight is None else rows.weight
        rows = RankedRows.of(rows)
        return cls(rows.positive, weight, unit, n_missed, rows=rows)

    @classmethod
    def of_ranking(cls, ranking: Rankings) -> Self:
        """Return the cells of a single ranking without weights, from its steps."""
        count = weights_of_cells(ranking)
        n_missed = ranking.n_positives.item() - ranking.found_weight.item()
        is_positive = np.zeros(count.size, dtype=bool)
        of_steps(is_positive).positive[:] = True
        return cls(is_positive, n_missed=n_missed, copies=count)

    @cached_property
    def cells(self) -> Cells:
        """The cell of each row, which is computed when a score first needs it. Scores
        at a cut do not.
        """
        if self.rows is None:
            n_cells = self.positive.size
            return Cells(np.arange(n_cells), n_cells // 3)
        return cells_of(self.rows)

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each row; for a cell, the weight of all rows of the cell."""
        return np.full(self.positive.size, self.weight * self.copies)

    @cached_property
    def weight_of_positives(self) -> FloatArray:
        """Weight of each row if it is positive, 0 if it is negative. For a cell, this
        is the weight of one of its rows.
        """
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
        """Weight of the positives, found or missed, divided by the weight of all
        positives and negatives; None if the ranking has no negatives.
        """
        if not self.negatives:
            return None
        return self.n_positives / (self.n_positives + self.negatives)

    def at_prevalence(self, prevalence: float | None) -> Self:
        """Return the ranking with this share of positives. To reach this share, the
        weights of all negatives are multiplied by one factor.

        If `prevalence` is None or a class has no rows, the ranking is returned
        unchanged.
        """
        negatives = self.negatives
        if prevalence is None or not min(negatives, self.n_positives):
            return self
        factor = self.n_positives * (1 - prevalence) / prevalence / negatives
        weight = self.weight * np.where(self.positive, 1.0, factor)
        return replace(self, weight=weight)

    @cached_property
    def n_effective(self) -> float:
        """Effective number of units that contain a positive."""
        return n_effective_of([self])

    @property
    def reversed(self) -> Self:
        """The same rows with the negatives as positives."""
        return replace(self, positive=~self.positive)


def n_effective_of(rankings: list[RankedCells], n_units: int = 0) -> float:
    r"""Return the effective number of units that contain a positive.

    It is :math:`(\sum_u p_u)^2 / \sum_u p_u^2`, where :math:`p_u` is the weight of the
    positives of unit u in all rankings.
    """
    of_rankings = [
        sums_of_units(each.weight_of_positives, each.unit, n_units) for each in rankings
    ]
    return n_equal(np.sum(of_rankings, axis=0), rankings[0].copies)


def influence_of_rows(definition: Definition, ranking: RankedCells) -> Influences:
    """Return the influence of each row of a single ranking on its score, per weight.

    All rows of a cell have the same influence. The weight of each cell is added up over
    its rows. A difference of running sums would lose rows that are lighter than others
    by more than the 16 digits of a float.
    """
    check_influence(definition)
    area, cells, n_positives = definition.area, ranking.cells, ranking.n_positives
    if not cells.n_steps:
        return no_influence(ranking)
    steps = steps_of_cells(cells.sums(ranking.weights))
    # If the area interpolates precision, it only adds up the steps where the best
    # precision rises (`vertices_of`), and `place` has the place of the vertex of each
    # step. Other areas add up all steps.
    place: IntArray | slice = slice(None)
    # The gain of step AP, and the weight retrieved, at each step.
    of_step_ap = steps.gained * (steps.tp / steps.retrieved), steps.retrieved
    if area.has_vertices:
        steps, place = vertices_of(steps)
    # For type checkers: callers have checked `has_slopes`, so the area has slopes.
    assert area.slopes is not None, area
    slopes = area.slopes(steps)
    # The score is S / P: the sum of the gains over the weight of the positives. Its
    # derivative is (S' - score * P') / P, where P' is 1 for a positive, found or
    # missed.
    # Rounding may lift a score above 1.
    score = min(added(slopes.gain, steps.start).item() / n_positives, 1.0)
    of_cells = of_slopes(slopes, place, cells.n_steps)
    of_steps(of_cells).positive[:] -= score
    of_cells /= n_positives
    of_missed = -score / n_positives
    of_rows = of_cells[cells.cell]
    rounding = rounding_of(of_rows.size, score)
    n_independent = _n_independent(ranking, of_rows, rounding)
    negatives = _negatives_of(ranking, of_rows, n_independent, of_step_ap, rounding)
    # The bias is the sum of `weight ** 2 * T'' / 2` over rows, where T = S / P is the
    # score and `T'' / 2` is (S'' / 2 - P' T') / P.
    bias = nan
    if area.curvature is not None:
        squared = steps_of_cells(cells.sums(ranking.weights * ranking.weight))
        curved = area.curvature(steps, slopes)
        halves = curved.gained * squared.gained + curved.positive * squared.tp
        halves += curved.negative * (squared.retrieved - squared.tp)
        of_positives = of_steps(of_cells).positive
        by_divisor = (of_positives * squared.gained).sum()
        # The squared weight of each missed positive is 1.
        by_divisor += ranking.n_missed * of_missed
        bias = float(halves.sum() - by_divisor) / n_positives
    gain, _ = of_step_ap
    inputs = IntervalInputs(
        score,
        negatives=negatives,
        n_independent=n_independent,
        step_ap=float(gain.sum()) / n_positives,
    )
    return Influences(
        of_rows, of_missed, ranking.n_missed, inputs, bias, ranking.copies
    )


def no_influence(ranking: RankedCells) -> Influences:
    """Return influences of 0, for a ranking whose score does not depend on the weights,
    because no row is positive or the ranking has no rows.
    """
    inputs = IntervalInputs(0.0, negatives=Negatives(df=0.0))
    of_rows = np.zeros(ranking.positive.size)
    return Influences(of_rows, 0.0, ranking.n_missed, inputs, bias=0.0)


def bias_over_units(part: Influences, ranking: RankedCells) -> float:
    """Return the bias of the score of a single ranking whose rows are drawn in units.

    It is the bias for independent rows, multiplied by the variance over units and
    divided by the variance over rows.
    """
    of_rows = part.of_units * ranking.weight
    over_rows = np.square(of_rows).sum()
    # If the influences are 0 except for rounding, the score has no bias.
    if not over_rows > rounding_of(of_rows.size, part.inputs.score) ** 2:
        return 0.0
    over_units = np.square(sums_of_units(of_rows, ranking.unit)).sum()
    return float(part.bias * over_units / over_rows)


def with_share_kept(part: Influences, ranking: RankedCells) -> Influences:
    r"""Return the influence of each row on a score at a prevalence. `part` has the
    influences that are computed as if the factor of the negatives were fixed.

    At the prevalence :math:`\pi`, the weight of each negative is multiplied by
    :math:`c = P (1 - \pi) / (\pi N)`, where P and N are the weights of all positives
    and of all negatives. So each row also changes c, and thereby the weights of all
    negatives. `bias` is not changed, although it was computed for a fixed c.
    """
    positive = ranking.positive
    # `moved` is the derivative of the score with respect to log c. The derivative of
    # log c with respect to a weight is 1 / P for a positive and -1 / N for a negative.
    moved = float((part.of_units * ranking.weights)[~positive].sum())
    if not moved:
        return part
    of_negatives = part.of_units - moved / ranking.negatives
    of_positive = moved / ranking.n_positives
    return part._replace(
        of_units=np.where(positive, part.of_units + of_positive, of_negatives),
        of_missed=part.of_missed + of_positive,
    )


def _share_alike(
    values: FloatArray, unit: IntArray, is_counted: BoolArray, rounding: float
) -> float:
    r"""Return the share u of the counted rows of a unit that are alike, after one more
    unit is added whose rows are all alike.

    It is (K a + 1) / (K + 1), where a is :math:`\sum_u (\sum x)^2 / \sum_u (n_u \sum
    x^2)` over units of n rows, and x is the distance of a value from the mean. So a is
    1 if all rows of a unit have the same value, and 1 / n if the values are
    independent. If each row is copied within its unit, a does not change. K is the
    effective number of the units that show it.
    """
    counted, unit = np.compress(is_counted, values), np.compress(is_counted, unit)
    apart = counted - counted.mean()
    squares = sums_of_units(apart**2, unit)
    # If all values differ only by rounding, they do not show how alike rows are.
    if squares.sum() <= rounding**2:
        return 1.0
    if_alike = squares * np.bincount(unit)
    alike = float(np.square(sums_of_units(apart, unit)).sum() / if_alike.sum())
    n_units = n_equal(if_alike)
    return (n_units * alike + 1) / (n_units + 1)


def _n_independent(ranking: RankedCells, of_rows: FloatArray, rounding: float) -> float:
    """Return the effective number of positives that are ranked independently: that of
    the units that contain a positive, divided by the share of their rows that are
    alike.
    """
    if ranking.unit is None:
        return ranking.n_effective
    of_positives = of_rows * ranking.weight
    return ranking.n_effective / _share_alike(
        of_positives, ranking.unit, ranking.positive, rounding
    )


def _negatives_of(
    ranking: RankedCells,
    of_rows: FloatArray,
    n_independent: float,
    of_step_ap: tuple[FloatArray, FloatArray],
    rounding: float,
) -> Negatives:
    """Return the effect that missing or heavy negatives may have on the interval.

    The effective number of negatives is computed from their influences (`n_equal`).
    `n_independent` is that of the positives. `of_step_ap` has the gain of step AP at
    each step, and the weight of the rows at or above the step. Other areas use it, too:
    a best precision over many thresholds hardly falls by one more negative in a sample,
    but falls in the population.
    """
    unit, positive = ranking.unit, ranking.positive
    n_negatives = float((~positive * ranking.copies).sum())
    if not n_negatives:
        return Negatives()
    of_negatives = np.where(positive, 0.0, of_rows * ranking.weight)
    # If no negative has an influence, treat all negatives as equal.
    if not of_negatives.any():
        of_negatives = np.where(positive, 0.0, 1.0)
    n_rows = n_equal(of_negatives, ranking.copies)
    # Effective number of the negatives of a unit that are ranked alike.
    n_alike = 1.0
    # Share of the influence of the negatives that is in units without a positive. If
    # each row is a unit, no negative shares a unit with a positive.
    share_apart = 1.0
    if unit is not None:
        of_units = sums_of_units(of_negatives, unit)
        n_alike = n_rows / min(n_equal(of_units), n_rows)
        n_alike *= _share_alike(of_negatives, unit, ~positive, rounding)
        has_both = sums_of_units(ranking.weight_of_positives, unit) > 0
        share_apart = float(of_units[~has_both].sum() / of_units.sum())
    # Weight of the negatives of a typical unit that are ranked alike.
    weight_of_unit = ranking.negatives / n_negatives * n_alike
    outweighed = weight_of_unit * n_independent
    outweighed /= ranking.n_positives - ranking.n_missed
    if outweighed > _MOST_OUTWEIGHED:
        raise ValueError(
            f"prevalence must not make a negative weigh {outweighed:.3g} positives, "
            "because the standard error would overflow: pass a higher prevalence."
        )
    # Negatives that share a unit with a positive are drawn together with it. So they
    # are treated as heavy even if their own weights are small: if only a share s of the
    # negatives is in units without a positive, a negative outweighs at least 1 / s
    # positives. If s is 0, this is `_MOST_OUTWEIGHED`.
    outweighed = max(outweighed, 1 / max(share_apart, 1 / _MOST_OUTWEIGHED))
    # In a difference of scores, heavy negatives limit the degrees of freedom as
    # positives do. If each of m negatives outweighs very many positives, the limit is
    # m - 1. If each outweighs few positives, the limit is higher.
    df = inf
    if outweighed > 1:
        df = max(n_rows / n_alike - 1, _LEAST_DF) / (1 - 1 / outweighed)
    # One more negative of weight h above all rows would add h to the weight retrieved
    # at each step, and so lower the gain of the step by the share h / (retrieved + h).
    gain, retrieved = of_step_ap
    lost = gain * (weight_of_unit / (retrieved + weight_of_unit))
    loss = float(lost.sum()) / ranking.n_positives
    return Negatives(loss, outweighed, df)


def of_slopes(slopes: Slopes, place: IntArray | slice, n_steps: int) -> FloatArray:
    """Return the influence of the rows of each cell on the sum of the gains.

    `slopes` has values for each step of the area, which may be only the vertices.
    `place` is the place of each of the `n_steps` steps among these, or `slice(None)` if
    `slopes` has values for all steps.

    A row changes the gain of its own step and of all worse steps. So its influence
    contains the sum of the slopes of all worse steps, which is a running sum from the
    worst step up. Negatives below all steps have no influence.
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
    r"""Return the effective number of values, at least 1: :math:`(\sum x)^2 / \sum
    x^2`.

    This number of equal values would have the same sum and the same sum of squares.
    `copies` is the number of times that each value occurs.
    """
    # The scale of the values has no effect on the result. If the greatest value is
    # close to 1, its square neither overflows nor becomes 0. Dividing by a power of 2
    # is exact.
    _, exponent = np.frexp(np.abs(values).max(initial=0.0))
    scaled = np.ldexp(values, -exponent)
    squares = float((copies * scaled**2).sum())
    # All values are 0, or there are none.
    if not squares:
        return 1.0
    return max(float((copies * scaled).sum()) ** 2 / squares, 1.0)
