"""Influence of a row on a number: the derivative of the number with respect to the
weight of the row.

The squared influences of the rows, weighted, add up to the squared standard error of
the number. All rows of a cell (`_ranking._cells`) have the same influence, so
`influence_of_rows` asks for sums over cells alone. A `Ranking` has rows in cells, or
the steps of rows that are gone, which say how many rows each cell has. `spread_of`
makes a standard error of either.
"""

from dataclasses import replace
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from .._areas._area import Curvature, Slopes
from .._areas._step import STEP, step_slopes
from .._definition import Definition
from .._ranking._cells import (
    Cells,
    cells_of,
    order_of_weights,
    steps_of_cells,
    vertices_of,
    weights_of_cells,
)
from .._ranking._rankings import Rankings, Rows, Steps, added
from .._rounding import EQUAL, rounding_of_sums
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._ends import Classes, Facts, df_of, df_of_negatives

_LEAST_FLOAT = 5e-324  # the least float, so that nothing is divided by 0
# positives that negatives may outweigh on average; fourth powers must be numbers
_HEAVIEST = 2.0**230
# of the weight of a negative with the next score, below which positives were drawn
# apart
_SAME_DRAW = 0.5


class Influences(NamedTuple):
    """Influence of each unit on a score: the sum over its rows of influence times
    weight.
    """

    of_units: FloatArray
    # of each positive without a row, in each ranking that lacks some
    of_missed: float | FloatArray = 0.0
    n_missed: float | FloatArray = 0.0
    facts: Facts = Facts()  # of the score, without those that `moments` adds
    copies: float | FloatArray = 1.0  # units of each value

    def less(self, other: "Influences") -> "Influences":
        """Return what each unit does to the difference of two scores."""
        of_units = self.of_units - other.of_units
        of_missed = self.of_missed - other.of_missed
        least = min(self.facts.df_of_negatives, other.facts.df_of_negatives)
        facts = Facts(
            df_of_negatives=least,
            of_mean=self.facts.of_mean,
            max_recall=self.facts.max_recall,
        )
        return self._replace(of_units=of_units, of_missed=of_missed, facts=facts)

    def moments(self) -> Facts:
        """Add up the squares and fourth powers and return all facts."""

        def added(of_units: FloatArray, of_missed: FloatArray) -> float:
            if isinstance(self.copies, np.ndarray):
                of_units = self.copies * of_units
            return float(of_units.sum() + np.inner(self.n_missed, of_missed))

        squares = np.square(self.of_units), np.square(self.of_missed)
        return self.facts._replace(
            second=added(*squares),
            fourth=added(*map(np.square, squares)),
            n_units=added(*map(np.ones_like, squares)),
        )


class Spread(NamedTuple):
    """The standard error of a number, and its degrees of freedom."""

    standard_error: float
    df: float


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone makes between two equal scores
    of `n_rows` rows.

    Each running sum of n weights is off by at most n eps of itself, and a score is made
    of a few of them. What is below this says nothing: neither a difference, nor a
    standard error, nor a distance from 1.
    """
    return 2 * float(rounding_of_sums(n_rows)) * max(map(abs, scores))


def without_rounding(value: float, rounding: float) -> float:
    """Return the value, or 0 if it is at most a rounding error."""
    return 0.0 if abs(value) <= rounding else value


def spread_of_draws(
    drawn: FloatArray, center: float, rounding: float
) -> dict[str, Any]:
    """Return the fields of a result that bootstrap samples make, which differ from the
    center by more than rounding; the deviation of fewer than two is NaN.
    """
    defined = drawn[~np.isnan(drawn)]
    defined = np.where(np.abs(defined - center) <= rounding, center, defined)
    error = float(defined.std(ddof=1)) if defined.size > 1 else nan
    return {
        "standard_error": without_rounding(error, rounding),
        "n_dropped": drawn.size - defined.size,
        "bootstrap_distribution": defined,
    }


def spread_of(facts: Facts, n_effective: float, rounding: float) -> Spread:
    """Return the standard error of a number; `n_effective` equal units would contain
    its positives.

    As for any mean, the values of a mean spread around their own mean.
    """
    facts = facts._replace(n_positives=n_effective)
    if facts.second <= rounding**2:
        facts = facts._replace(second=0.0, fourth=0.0)
    df = df_of(facts)
    of_mean = sqrt(n_effective / df) if facts.of_mean else 1.0
    return Spread(sqrt(facts.second) * of_mean, df)


def floor_of(definition: Definition, facts: Facts) -> Definition | None:
    """Return the definition of another number whose lower end is a bound, if any: step
    AP where heavy negatives decide, and of levels the same at every recall.
    """
    if has_slopes(definition):
        is_bounded = definition.area.has_vertices and facts.outweighed > 1
        return replace(definition, area=STEP) if is_bounded else None
    at_all = replace(definition, grid=None)
    is_one = definition.grid is None or definition.level is not None
    return None if is_one or not has_slopes(at_all) else at_all


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


class Ranking(NamedTuple):
    """A ranking of a sample: its rows in cells, and what it is in a mean."""

    rows: Rows
    cells: Cells
    unit: IntArray | None = None  # of each row; None if rows are the units
    n_missed: float = 0.0  # positives without a row
    weight: float = 1.0  # in the mean, or of each positive there
    copies: float | FloatArray = 1.0  # how many rows each of them stands for

    @classmethod
    def of_columns(
        cls,
        positive: BoolArray,
        score: AnyArray,
        weight: FloatArray | None,
        *others: Any,
    ) -> "Ranking":
        """Return the ranking of these rows."""
        rows = Rows(positive, score, weight, np.array((0, score.size)))
        return cls(rows, cells_of(positive, score), *others)

    @classmethod
    def of_steps(cls, ranking: Rankings) -> "Ranking":
        """Return a ranking of counts, whose rows may be gone: steps say how many of
        them each cell has.
        """
        count = weights_of_cells(ranking)
        cell = np.arange(count.size)
        return cls(
            Rows(cell % 3 == 2, cell, None, np.array((0, cell.size))),
            Cells(cell, cell.size // 3, cell),
            n_missed=ranking.n_positives.item() - ranking.found_weight.item(),
            copies=count,
        )

    @property
    def weights_of_positives(self) -> FloatArray:
        """Weight of each positive, and 0 for negatives."""
        weight = self.copies if self.rows.weight is None else self.rows.weight
        return np.multiply(self.rows.positive, weight, dtype=np.float64)

    @property
    def n_positives(self) -> float:
        """Weight of all positives, found or missed."""
        return float(self.weights_of_positives.sum()) + self.n_missed

    def classes(self, prevalence: float | None, n_units: int) -> Classes:
        """Return the weight of the positives, how many equal units would contain it,
        and both again.
        """
        rows = self.rows
        reverse = self._replace(rows=rows._replace(positive=~rows.positive))
        (positives, n_positives), (negatives, n_negatives) = (
            (float(each.weights_of_positives.sum()), n_effective_of([each], n_units))
            for each in (self, reverse)
        )
        if prevalence is not None and negatives:
            negatives = positives * (1 / prevalence - 1)
        return positives, n_positives, negatives, n_negatives


def n_effective_of(rankings: list[Ranking], n_units: int) -> float:
    """Return how many equal units would contain the positives; those that contain more
    count for more.
    """
    first = rankings[0]
    if first.unit is None and first.rows.weight is None:
        is_positive = np.logical_or.reduce([each.rows.positive for each in rankings])
        return float((first.copies * is_positive).sum())
    of_rankings = (
        sums_of_units(each.weights_of_positives, each.unit, n_units)
        for each in rankings
    )
    weight: FloatArray = np.asarray(sum(of_rankings))
    # squares of light weights would underflow
    weight = np.ldexp(weight, -np.frexp(weight.max())[1])
    return n_equal(weight)


def influence_of_rows(definition: Definition, ranking: Ranking) -> Influences:
    r"""Return what each row of a single ranking does to its number, per weight.

    Rows of a cell have the same influence. All sums are those of the rows' own weights:
    what a step gains would vanish in a difference of running sums if weights are
    further apart than the digits of a float.

    At a prevalence, negatives weigh :math:`c = P (1 - \pi) / (\pi N)` times as much, so
    each row also moves the factor `c`, and with it all negatives. The bias is that for
    this factor, as if it was known.

    Up to a recall r, the area ends at a number of positives, r P. So a positive above
    this end adds its own precision, but pushes as much of the precision at the end out
    of the sum, and each positive, wherever it is, moves the end by r.
    """
    rows, cells, missed = ranking.rows, ranking.cells, ranking.n_missed
    if not cells.n_steps:
        # no weight moves a score of 0, or that of a ranking without positives
        facts = Facts(score=0.0, bias=0.0, df_of_negatives=0.0)
        return Influences(np.zeros(rows.score.size), 0.0, missed, facts)
    area, prevalence = definition.area, definition.prevalence
    # of steps, each entry is a cell, and a slice copies none
    is_counted = bool(np.ndim(ranking.copies))
    cell: IntArray | slice = slice(None) if is_counted else cells.cell
    weight = np.asarray(ranking.copies) if is_counted else cells.sums(rows.weight)
    negative = np.arange(weight.size) % 3 != 2
    found = float(weight[2::3].sum())
    negatives = float(weight[negative].sum())
    n_positives, factor = found + missed, 1.0
    if prevalence is not None and negatives:
        factor = n_positives * (1 - prevalence) / prevalence / negatives
    fine = steps_of_cells(np.where(negative, factor * weight, weight))
    # The steps that the area adds up, and for each step of the cells its place among
    # them.
    steps, step = vertices_of(fine) if area.has_vertices else (fine, slice(None))
    assert area.slopes is not None, area  # `has_slopes` was asked
    max_recall = definition.max_recall or 1.0
    end = n_positives * max_recall
    up_to, at_end = None, 0.0
    if definition.max_recall:
        up_to = _up_to(steps, n_positives, max_recall)
        steps, at_end = up_to.steps, up_to.at_end
    slopes = area.slopes(steps)
    score = min(float(added(slopes.gain, steps.start).item()) / end, 1.0)
    of_cells = _of_cells(slopes, step, weight.size)
    of_cells[2::3] += max_recall * (at_end - score)
    if up_to is not None:
        of_cells[2::3] -= up_to.pushed_out[step]
    of_cells /= end
    of_missed = (at_end - score) / n_positives
    known: dict[str, Any] = {"score": score, "max_recall": max_recall}
    if negatives:
        each, outweighed, df = _heavy_negatives(
            ranking, of_cells[cell], factor, negatives, found
        )
        rise = score - _sum_of_precisions(fine, n_positives, up_to) / end
        # half a negative above all others would take it
        gain_lost = slopes.gain * (each / (2 * steps.retrieved + each))
        known |= {
            "rise": rise if area.has_vertices else 0.0,
            "loss": float(gain_lost.sum()) / end,
            "outweighed": outweighed,
            "df_of_negatives": df,
        }
    if area.curvature is not None:
        squared = fine
        if rows.weight is not None or factor != 1:
            squared = _squared(ranking, weight, factor)
        halves = _half_curvature(area.curvature(steps, slopes), squared, up_to)
        halves -= float((of_cells[2::3] * squared.gained).sum()) + missed * of_missed
        known["bias"] = halves / n_positives
    if prevalence is not None and negatives:
        # each row moves the factor of all negatives
        moved = float(factor * (of_cells * weight)[negative].sum())
        of_cells[negative] = factor * of_cells[negative] - moved / negatives
        of_cells[~negative] += moved / n_positives
        of_missed = of_missed + moved / n_positives
    return Influences(of_cells[cell], of_missed, missed, Facts(**known), ranking.copies)


class _UpTo(NamedTuple):
    """Steps that gain up to a recall only."""

    steps: Steps
    recall: float
    pushed_out: FloatArray  # precision that a positive of each step pushes out
    n_reaching: int  # steps that have this recall; the last is at the end

    @property
    def at_end(self) -> float:
        """Precision at the end; 0 if fewer positives were found."""
        if not self.n_reaching:
            return 0.0
        return float(self.pushed_out[self.n_reaching - 1])


def _up_to(steps: Steps, n_positives: float, recall: float) -> _UpTo:
    """Let steps gain up to a recall only.

    A positive above the end pushes out what is there. A step below the end gains
    nothing, so its positives push out their own precision again.
    """
    end = n_positives * recall
    counted = Steps(*steps)
    counted.gained = np.minimum(steps.tp, end) - np.minimum(steps.tp_above, end)
    # rounding may part the end from a step that reaches it
    n_reaching = int(np.count_nonzero(steps.tp >= end * (1 - EQUAL)))
    up_to = _UpTo(counted, recall, steps.tp / steps.retrieved, n_reaching)
    up_to.pushed_out[n_reaching:] = up_to.at_end
    return up_to


def _sum_of_precisions(fine: Steps, n_positives: float, up_to: _UpTo | None) -> float:
    """Return step AP, up to a recall if there is one, times the positives up to it."""
    if up_to is not None:
        fine = _up_to(fine, n_positives, up_to.recall).steps
    return float(added(step_slopes(fine).gain, fine.start).item())


def _squared(ranking: Ranking, weight: FloatArray, factor: float) -> Steps:
    """Return steps of squared weights; negatives weigh `factor` times as much."""
    squares = weight
    if ranking.rows.weight is not None:
        squares = ranking.cells.sums(ranking.rows.weight**2)
    negative = np.arange(weight.size) % 3 != 2
    return steps_of_cells(np.where(negative, factor**2 * squares, squares))


def _half_curvature(curved: Curvature, squared: Steps, up_to: _UpTo | None) -> float:
    """Return half the second derivatives of all rows, times the positives."""
    gained = curved.gained * squared.gained
    share = 1.0
    if up_to is not None:
        share = up_to.recall
        last = up_to.n_reaching - 1
        if last >= 0:
            # positives at or above the end push out what is there
            gained[:last] = 0.0
            gained[last] -= (1 - share) * curved.gained[last] * squared.tp[last]
    halves = gained + curved.positive * squared.tp
    halves += curved.negative * (squared.retrieved - squared.tp)
    return float(halves.sum()) / share


def _heavy_negatives(
    ranking: Ranking,
    of_rows: FloatArray,
    factor: float,
    negatives: float,
    positives: float,
) -> tuple[float, float, float]:
    """Return the weight of a unit of negatives, how many positives it outweighs, and
    the degrees of freedom that such units leave.

    As many units are counted as have the same total influence, if each has as much.
    """
    rows = ranking.rows
    of_negatives = np.where(rows.positive, 0.0, of_rows)
    if rows.weight is not None:
        of_negatives *= rows.weight
    # only ratios matter, and squares could overflow
    of_negatives /= max(-of_negatives.min(), _LEAST_FLOAT)
    n_rows = n_units = n_equal(of_negatives, ranking.copies)
    if ranking.unit is not None:
        n_units = min(n_equal(sums_of_units(of_negatives, ranking.unit)), n_rows)
    each = outweighed = factor * n_rows / n_units
    if rows.weight is not None:
        n_positives = np.count_nonzero(rows.positive)
        each *= negatives / (rows.positive.size - n_positives)
        outweighed = each * n_positives / positives
    if outweighed > _HEAVIEST:
        raise ValueError(
            f"prevalence must not make a negative weigh {outweighed:.3g} positives: "
            "the standard error would be undefined."
        )
    return each, outweighed, df_of_negatives(n_units, outweighed)


def _of_cells(slopes: Slopes, step: IntArray | slice, n_cells: int) -> FloatArray:
    """Return what the rows of each cell do to the sum of all gains; `step` is the place
    of each step among the slopes.

    All worse steps do something to a row, too: running sums, worst score first. The
    negatives below all steps do nothing.
    """
    to_positives = np.append(0.0, np.add.accumulate(slopes.positive_above))
    to_negatives = np.append(0.0, np.add.accumulate(slopes.negative_above))
    of_tied = to_negatives[1:]
    if slopes.tied is not None:
        of_tied = slopes.tied + to_negatives[:-1]
    of_cells = np.zeros(n_cells)
    of_cells[1::3] = of_tied[step]
    of_cells[2::3] = (slopes.positive + to_positives[:-1])[step]
    of_cells[3::3] = to_negatives[1:][step]
    return of_cells


def n_equal(values: FloatArray, copies: float | FloatArray = 1.0) -> float:
    """Return how many equal values would have this sum and this sum of squares; at
    least 1.
    """
    counted = copies * values if isinstance(copies, np.ndarray) else values
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


def missed_weight(ranking: Ranking) -> float:
    """Return half the weight of a heavy positive that may be missed, per weight of the
    positives.

    Few of many rows were labelled, such as all first rows and a random part of the
    others, and each weighs one over the probability of that. Where negatives weigh more
    than positives, so do positives that such a sample lacks; unless positives weigh
    less than negatives of the same scores, which is thinning by class, or each class
    has one weight.
    """
    rows = ranking.rows
    if rows.weight is None:
        return 0.0
    of_positives = rows.weight[rows.positive]
    of_negatives = rows.weight[~rows.positive]
    if not (of_positives.size and of_negatives.size) or not any(
        map(np.ptp, (of_positives, of_negatives))
    ):
        return 0.0
    total = of_positives.sum()
    heavier = (
        np.square(of_negatives).sum() / of_negatives.sum()
        - np.square(of_positives).sum() / total
    )
    # to bring many weights in order takes longer than all of the above
    if not heavier > 0:
        return 0.0
    order = order_of_weights(rows, rows.weight, ranking.cells)
    is_positive = rows.positive.take(order)
    weight = rows.weight.take(order)
    positive = is_positive.nonzero()[0]
    negative = (~is_positive).nonzero()[0]
    # positives that have a negative above them
    below = positive[positive < negative[-1]]
    n_below = np.add.accumulate(~is_positive, dtype=np.int64).take(below)
    ratio = weight.take(below) / weight.take(negative.take(n_below))
    is_thinned = ratio.size and np.median(ratio) < _SAME_DRAW
    return 0.0 if is_thinned else float(heavier / 2 / total)
