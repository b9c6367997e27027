"""What was drawn: the units of a sample, and how a score depends on each of them.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. A sample knows what each unit does to
the score (`influences`), and the score of any bootstrap sample (`scores_of_counts`), in one of three ways:
`RankedSample` for rankings whose rows are the units, `MeanSample` for means over rankings that are units, and
in `_any_score` for any callable.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from .._definition import Definition
from .._ranking._cells import Cells, Places, cells_of
from .._typing import AnyArray, FloatArray, IntArray
from ._draws import counts_of_cells
from ._influence import Lone, RowInfluences, has_slopes, influence_of_rows, reweighted

_FULL = 3  # below so many rows per cell, drawing rows takes less time than drawing cells


class Influences(NamedTuple):
    """What each unit does to a score: the influences of its rows, times their weights."""

    of_units: FloatArray
    of_missed: float = 0.0  # of each positive without a row
    n_missed: float = 0.0
    of_mean: bool = False  # whether the score is a mean over the units

    def less(self, other: "Influences") -> "Influences":
        """Return what each unit does to the difference of two scores."""
        of_missed = self.of_missed - other.of_missed
        return self._replace(of_units=self.of_units - other.of_units, of_missed=of_missed)

    @property
    def n_units(self) -> float:
        """Number of units, missed positives among them."""
        return self.of_units.size + self.n_missed

    def power(self, exponent: int) -> float:
        """Return the sum of a power over all units."""
        of_units = float((self.of_units**exponent).sum())
        return of_units + self.n_missed * self.of_missed**exponent if self.n_missed else of_units


class Drawing(NamedTuple):
    """What a bootstrap draws: how many units of each cell, and the scores that such counts have."""

    size: IntArray  # how many units each cell has
    cell: IntArray | None  # the cell of each unit; None if each cell is one
    scores_of_counts: Callable[[IntArray], FloatArray]

    def counts(self, n_resamples: int, rng: Generator) -> Iterator[IntArray]:
        """Yield, for a few bootstrap samples at a time, how many units they draw from each cell."""
        yield from counts_of_cells(self.size, self.cell, n_resamples, rng)


class Sample(ABC):
    """Units that were drawn, and a score of them."""

    n_rows: int  # all that a score adds up, and rounds
    n_units: int
    n_missed: int = 0  # positives without a row, each a unit of its own
    n_positives: float = np.nan  # how many units of equal weight the positives count for
    fewest: float = np.nan  # the same of the column that has the fewest
    has_influences: bool = False
    may_move: bool = False  # in a bootstrap, although no unit alone moves the score
    noun: str = "units that hold a positive"

    def influences(self) -> Influences:
        """Return what each unit does to the score."""
        raise NotImplementedError  # of samples that have none

    def bias(self) -> float:
        """Return how much higher the score is on average than in the population, or NaN if nobody knows."""
        return np.nan

    @abstractmethod
    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples; each row of `counts` counts the units of a sample.

        A sample without positives has the score NaN. Missed positives are counted behind the units.
        """

    @property
    def drawing_units(self) -> Drawing:
        """What is drawn if each unit is counted, so that two models can be scored on the same samples."""
        return Drawing(np.ones(self.n_units + self.n_missed, dtype=int), None, self.scores_of_counts)

    @property
    def drawing(self) -> Drawing:
        """What is drawn if only the scores are wanted: the fastest way to draw the same samples."""
        return self.drawing_units

    def resampled(self, n_resamples: int, rng: Generator) -> Iterator[FloatArray]:
        """Yield the scores of bootstrap samples, a few samples at a time."""
        drawing = self.drawing
        for counts in drawing.counts(n_resamples, rng):
            yield drawing.scores_of_counts(counts)


class RankedSample(Sample):
    """Rankings of the same rows: a single one, or the columns of a matrix, whose numbers are averaged.

    Columns without positives have the number `undefined`; NaN leaves them out. A mean of columns by their
    positives leaves them out too.
    """

    def __init__(
        self,
        definition: Definition,
        rankings: list[Lone],
        unit: IntArray | None = None,
        *,
        by_positives: bool = False,
        undefined: float = np.nan,
    ) -> None:
        self._definition, self._unit, self._by_positives = definition, unit, by_positives
        self._rankings = [lone for lone in rankings if lone.positive.any()]
        self._undefined = np.nan if by_positives else undefined
        self._n_undefined = 0 if np.isnan(self._undefined) else len(rankings) - len(self._rankings)
        first = self._rankings[0]
        self.n_rows = first.score.size
        self.n_units = first.score.size if unit is None else int(unit.max()) + 1
        self.n_positives = _n_effective(self._rankings, unit)
        self.fewest = min(_n_effective([lone], unit) for lone in self._rankings)
        self._missed = 0.0
        if first.n_positives is not None:
            self._missed = first.n_positives - np.count_nonzero(first.positive)
        self.n_missed = round(self._missed)
        self.has_influences = has_slopes(definition)
        # A bootstrap may lose a column, or all rows beside which others are too light to count.
        self.may_move = self._n_averaged > 1 or first.weight is not None
        if unit is None:
            self.noun = "positives"

    @cached_property
    def _cells(self) -> list[Cells]:
        return [cells_of(lone.positive, lone.score) for lone in self._rankings]

    @cached_property
    def _of_each(self) -> list[RowInfluences]:
        pairs = zip(self._rankings, self._cells, strict=True)
        return [influence_of_rows(self._definition, *pair) for pair in pairs]

    def bias(self) -> float:
        """Return how much higher the score is on average; known if each row is drawn by itself."""
        alone = self._unit is None and self._n_averaged == 1
        return self._of_each[0].bias if alone else np.nan

    def influence_of_rows(self) -> tuple[FloatArray, float]:
        """Return the influence of each row, and of each missed positive."""
        of_each = self._of_each
        found = np.array([_weight_of_positives(lone) for lone in self._rankings])
        shares = found / found.sum() if self._by_positives else np.full(found.size, 1 / self._n_averaged)
        of_rows = sum(share * one.of_rows for share, one in zip(shares, of_each, strict=True))
        if self._by_positives:
            score = sum(share * one.score for share, one in zip(shares, of_each, strict=True))
            for one, lone in zip(of_each, self._rankings, strict=True):
                of_rows += lone.positive * ((one.score - score) / found.sum())
        return np.asarray(of_rows), of_each[0].of_missed

    @property
    def _n_averaged(self) -> int:
        return len(self._rankings) + self._n_undefined

    def influences(self) -> Influences:
        """Return what each unit does to the score."""
        of_rows, of_missed = self.influence_of_rows()
        weight = self._rankings[0].weight
        if weight is not None:
            of_rows = of_rows * weight
        return Influences(_by_unit(of_rows, self._unit), of_missed, self._missed)

    @cached_property
    def _in_order(self) -> list[tuple[IntArray, Places]]:
        """The rows of each ranking in order, worst first, and where its steps stand."""
        return [cells.in_order() for cells in self._cells]

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples.

        A sample may lose all positives of a column, which then counts as the score counts such columns.
        """
        missed = counts[:, self.n_units :].sum(axis=1)
        scores, shares, held = np.zeros(len(counts)), np.zeros(len(counts)), np.zeros(len(counts))
        for lone, (order, places) in zip(self._rankings, self._in_order, strict=True):
            weight: AnyArray = counts.take(order if self._unit is None else self._unit.take(order), axis=1)
            if lone.weight is not None:
                weight = weight * lone.weight.take(order)
            of_one, n_positives = self._scores_of_ranking(lone, weight, places, missed)
            of_one = np.where(np.isnan(of_one), self._undefined, of_one)
            share = n_positives if self._by_positives else 1.0 - np.isnan(of_one)
            scores += np.multiply(share, of_one, out=np.zeros(len(counts)), where=share > 0)
            shares += share
            held += n_positives
        if self._n_undefined:
            scores, shares = scores + self._n_undefined * self._undefined, shares + self._n_undefined
        return np.asarray(np.divide(scores, shares, out=np.full(len(counts), np.nan), where=held > 0))

    def _scores_of_ranking(
        self, lone: Lone, weight: AnyArray, places: Places, missed: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores of one ranking with these weights, and what its positives weigh."""
        ranking = reweighted(self._definition, lone, weight, places, missed)
        n_positives = ranking.n_positives
        return np.where(n_positives > 0, self._definition.of(ranking), np.nan), n_positives

    @property
    def drawing_units(self) -> Drawing:
        """What is drawn if each unit is counted."""
        self._check_missed()
        return super().drawing_units

    def _check_missed(self) -> None:
        if self._missed != self.n_missed:
            raise ValueError(
                "n_positives must be a whole number of positives for a bootstrap, which draws those that "
                f"were missed; got {self._missed} more than were found."
            )

    @property
    def drawing(self) -> Drawing:
        """What is drawn if only the scores are wanted.

        If each row is a unit, and all weigh the same, it is enough to draw how many rows each cell gets.
        """
        lone, cells = self._rankings[0], self._cells[0]
        if self._unit is not None or lone.weight is not None or self._n_averaged > 1:
            return self.drawing_units
        if cells.n_cells * _FULL > cells.cell.size:  # rows in order, since all rows are drawn alike
            return self.drawing_units._replace(scores_of_counts=self._scores_of_rows_in_order)
        self._check_missed()
        size = np.append(np.bincount(cells.cell, minlength=cells.n_cells), self.n_missed)
        cell = np.append(cells.cell, np.full(self.n_missed, cells.n_cells))
        return Drawing(size, cell, self._scores_of_cells)

    def _scores_of_rows_in_order(self, counts: IntArray) -> FloatArray:
        """Return the scores of samples, given the counts of each row in order and of each missed positive."""
        missed = counts[:, self.n_units :].sum(axis=1)
        places = self._in_order[0][1]
        return self._scores_of_ranking(self._rankings[0], counts[:, : self.n_units], places, missed)[0]

    def _scores_of_cells(self, counts: IntArray) -> FloatArray:
        """Return the scores of samples, given the counts of the rows of each cell and of missed positives."""
        places = self._cells[0].places
        return self._scores_of_ranking(self._rankings[0], counts[:, :-1], places, counts[:, -1])[0]


class MeanSample(Sample):
    """The mean over rankings; a ranking is a unit or part of one, as a query belongs to a user."""

    has_influences = True
    noun = "rankings to average"

    def __init__(
        self, values: FloatArray, weight: FloatArray | None, unit: IntArray | None, n_rows: int
    ) -> None:
        self._values, self._unit, self.n_rows = values, unit, n_rows
        self._weight = np.ones(values.size) if weight is None else weight / weight.max()
        self.n_units = values.size if unit is None else int(unit.max()) + 1
        self.may_move = bool(self._weight.min() < 1)
        of_units = self._weight if unit is None else np.bincount(unit, self._weight)
        self.n_positives = self.fewest = float(of_units.sum() ** 2 / (of_units**2).sum())

    def influences(self) -> Influences:
        """Return what each unit does to the mean."""
        of_values = self._values - np.average(self._values, weights=self._weight)
        of_values *= self._weight / self._weight.sum()
        return Influences(_by_unit(of_values, self._unit), of_mean=True)

    def parts(self) -> FloatArray:
        """Return what each unit adds to the mean; their sum is the mean."""
        return _by_unit(self._values * (self._weight / self._weight.sum()), self._unit)

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the means of bootstrap samples."""
        weight = (counts if self._unit is None else counts[:, self._unit]) * self._weight
        return np.asarray((weight * self._values).sum(axis=1) / weight.sum(axis=1))


def _by_unit(values: FloatArray, unit: IntArray | None) -> FloatArray:
    """Add up the values of each unit."""
    return values if unit is None else np.bincount(unit, values).astype(np.float64, copy=False)


def _n_effective(rankings: list[Lone], unit: IntArray | None) -> float:
    """Return how many equal units would hold the positives; units that hold more of them count for more."""
    if unit is None and rankings[0].weight is None:
        return float(np.count_nonzero(np.logical_or.reduce([lone.positive for lone in rankings])))
    held = np.asarray(sum(_by_unit(_weights_of_positives(lone), unit) for lone in rankings))
    held = np.ldexp(held, -np.frexp(held.max())[1])  # squares of light weights would underflow
    return float(held.sum() ** 2 / np.square(held).sum())


def _weights_of_positives(lone: Lone) -> FloatArray:
    return lone.positive * (np.ones(lone.positive.size) if lone.weight is None else lone.weight)


def _weight_of_positives(lone: Lone) -> float:
    counted = lone.positive if lone.weight is None else lone.weight[lone.positive]
    return float(counted.sum())
