"""The four cells of a threshold, whose shares are its numbers and have intervals."""

from __future__ import annotations

from math import hypot, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .._core.ranking.prevalence import factor_of_negatives
from .._core.ranking.rankings import ratio
from .._core.reading.per_ranking import not_below_found
from .._core.rounding import EQUAL, ROUNDING_PER_ROW
from .._core.typing import BoolArray, FloatArray, IntArray
from .._uncertainty.one_more_event import (
    ends_with_one_more,
    typical_weights,
    weights_of_units,
)

TN, FN, FP, TP = range(4)  # the cells: below the threshold, then at or above it
# The cells of each number of a threshold: its hits, and what they are a share of. The
# share of F1 is F1 / (2 - F1).
SHARES = {
    "precision": ([TP], [FP, TP]),
    "recall": ([TP], [FN, TP]),
    "specificity": ([TN], [TN, FP]),
    "negative_predictive_value": ([TN], [TN, FN]),
    "share_retrieved": ([FP, TP], [TN, FN, FP, TP]),
    "f_score": ([TP], [FN, FP, TP]),
}


class ThresholdCounts(NamedTuple):
    """The rows of a threshold in four cells: negatives and positives below it, then at
    or above it.

    Sums of four numbers of Python take a fifth of the time of numpy's.
    """

    sums: list[float]  # weight of each cell
    # For each two cells, the sum over units of the products of their weights.
    squares: FloatArray
    rows: list[float]  # number of rows of each cell
    events: FloatArray  # weight of one more event of each cell

    def share(self, number: str) -> float:
        """Return a number as its share of cells; NaN if there is nothing to share."""
        hits, whole = SHARES[number]
        total = _sum_of(self.sums, whole)
        n_rows = _sum_of(self.rows, whole)
        if not total:
            return nan
        share = _sum_of(self.sums, hits) / total
        # Where rows have equal weights, it is a quotient of counts but for the
        # rounding. Missed positives may be a fraction of a row, whose count would be
        # rounded.
        counted = _sum_of(self.rows, hits) / n_rows
        is_near = abs(counted - share) <= ROUNDING_PER_ROW * n_rows * share
        if is_near and n_rows == round(n_rows):
            return counted
        return share

    def completed(self, total: FloatArray | None) -> ThresholdCounts:
        """Return the cells with the positives that have no row; where the weights of
        positives differ, theirs are unknown.
        """
        if total is None:
            return self
        weight = self._weight_of_positives()
        if isnan(weight):
            missed = self._missed(total, self.sums, 1.0)
            missed_weight, missed_rows = missed, nan
        else:
            missed = missed_rows = self._missed(total, self.rows, weight)
            missed_weight = missed * weight
        if not missed:
            return self
        sums, squares, rows = [*self.sums], self.squares.copy(), [*self.rows]
        sums[FN] += missed_weight
        squares[FN, FN] += missed_weight * weight
        rows[FN] += missed_rows
        return self._replace(sums=sums, squares=squares, rows=rows)

    def _weight_of_positives(self) -> float:
        """Return the weight of each positive, or of each row without a positive; NaN if
        they differ.
        """
        cells = [FN, TP]
        if not _sum_of(self.rows, cells):
            cells = [TN, FN, FP, TP]
        n_rows = _sum_of(self.rows, cells)
        of_all = _sum_of(self.sums, cells)
        squares = _sum_of(self.squares.diagonal().tolist(), cells)
        if of_all * of_all < n_rows * squares * (1 - EQUAL):
            return nan
        return of_all / n_rows

    def _missed(self, total: FloatArray, counted: list[float], weight: float) -> float:
        """Return how many positives have no row: a total less what is counted of those
        that have one, both in a weight.
        """
        found = np.array([_sum_of(counted, [FN, TP])])
        stated = not_below_found(
            total,
            found,
            n_rows=np.array([sum(self.rows)]),
            count_weight=None if weight == 1 else np.array([weight]),
        )
        return float((stated - found).item())

    def factor(self, prevalence: float) -> float:
        """Return the factor of the weights of negatives that makes positives this
        share.
        """
        positives = np.array([_sum_of(self.sums, [FN, TP])])
        negatives = np.array([_sum_of(self.sums, [TN, FP])])
        return float(factor_of_negatives(positives, negatives, prevalence).item())

    def interval(
        self, number: str, level: float, prevalence: float | None
    ) -> tuple[float, float]:
        """Return the interval of a number at a prevalence."""
        is_mixed = number not in ("recall", "specificity")  # of rows of both classes
        if prevalence is not None and is_mixed and not isnan(self.share(number)):
            low, high = self.ratio_interval(number, level, prevalence)
        else:
            low, high = self.share_interval(number, level)
        if number == "f_score":  # which was a share of cells
            return 2 * low / (1 + low), 2 * high / (1 + high)
        return low, high

    def share_interval(self, number: str, level: float) -> tuple[float, float]:
        """Return the interval of a share: Wilson's of rows of equal weight, otherwise
        that of a sample with one more event.
        """
        hits, whole = SHARES[number]
        share = self.share(number)
        # Other cells may contain missed positives of unknown weights.
        total = _sum_of(self.sums, whole)
        n = _sum_of(self.rows, whole)
        if not (total and n == n):
            return nan, nan
        squares = self.squares[whole][:, whole] / total**2
        n_equal = 1 / float(squares.sum())
        if n_equal <= 1 < n:
            return nan, nan
        events = self.events[whole] / total
        # One more event is one more row, and all rows have this weight.
        if max(1 / n_equal, events.max()) * n <= 1 + EQUAL:
            return _wilson_ends(share, n, level)
        is_hit = np.array([cell in hits for cell in whole])
        moved = is_hit - share
        variance = float(moved @ squares @ moved) / max(1 - 1 / n_equal, EQUAL)
        # Rounding makes it negative where one unit has nearly all of the weight.
        variance = max(variance, 0.0)
        # An event of cells of both classes is the larger one of both.
        larger = np.array((events[~is_hit].max(), events[is_hit].max()))
        return ends_with_one_more(share, variance, larger, level)

    def ratio_interval(
        self, number: str, level: float, prevalence: float
    ) -> tuple[float, float]:
        """Return the interval of a share that mixes the classes, whose ratio of weights
        is known.
        """
        odds = (1 - prevalence) / prevalence
        recall, specificity = (
            np.array([self.share(name), *self.share_interval(name, level)])
            for name in ("recall", "specificity")
        )
        # Units may have rows of both classes, so both rates are correlated.
        r, s = recall[0], specificity[0]
        moved = np.array([[0.0, -r, 0.0, 1 - r], [s - 1, 0.0, s, 0.0]])
        first, both, _, second = (moved @ self.squares @ moved.T).ravel().tolist()
        correlation = both / sqrt(first * second) if first * second > 0 else 0.0
        # The lower end of a rate is the upper end of 1 less the rate.
        fallout = odds * (1 - specificity[[0, 2, 1]])
        if number == "share_retrieved":  # a sum, whose ends are as far as both reach
            value, *ends = prevalence * np.array([recall, fallout]).T
            steps = np.abs(ends - value)
            squares = np.square(steps).sum(axis=1)
            squares += 2 * correlation * steps.prod(axis=1)
            below, above = np.sqrt(squares.clip(0.0)).tolist()
            share = float(value.sum())
            return max(share - below, 0.0), min(share + above, 1.0)
        terms = {
            "precision": (recall, fallout),
            "f_score": (recall, 1 + fallout),
            "negative_predictive_value": (odds * specificity, 1 - recall[[0, 2, 1]]),
        }
        # Donner and Zou (2012): the ends of a ratio of two numbers from their own. The
        # least of the inverse is the inverse of the most.
        middle, low, high = np.array(terms[number]).T
        other = middle[::-1]
        beyond = high[::-1]
        product = middle * other - correlation * (middle - low) * (beyond - other)
        ends = low * (2 * middle - low)
        root = product**2 - ends * beyond * (2 * other - beyond)
        divisor = product + np.sqrt(np.maximum(root, 0.0))
        least, inverse = ratio(ends, divisor).tolist()
        if number == "f_score":
            return least, 1 / max(inverse, 1.0)  # rounded, it may be above 1
        return least / (1 + least), 1 / (1 + inverse)


def counts_at(
    positive: BoolArray,
    retrieved: BoolArray,
    of_row: FloatArray | None = None,
    unit: IntArray | None = None,
) -> ThresholdCounts:
    """Return the cells of rows, each a unit or part of one."""
    tp = np.count_nonzero(positive & retrieved)
    fn, fp = (np.count_nonzero(rows) - tp for rows in (positive, retrieved))
    counts = np.array([positive.size - fn - fp - tp, fn, fp, tp], dtype=float)
    sums, squares, events = counts, np.diag(counts), np.ones(4)
    if unit is not None:
        cell = positive + 2 * retrieved
        weight = np.ones(unit.size) if of_row is None else of_row
        of_units, events = weights_of_units(cell, unit, weight)
        sums, squares = of_units.sum(axis=1), of_units @ of_units.T
    elif of_row is not None:  # a row is in one cell alone
        cell = positive + 2 * retrieved
        sums, of_cells = (
            np.bincount(cell, each, 4).astype(np.float64)
            for each in (of_row, of_row**2)
        )
        squares, events = np.diag(of_cells), np.tile(typical_weights(sums, of_cells), 2)
    return ThresholdCounts(sums.tolist(), squares, counts.tolist(), events)


def _wilson_ends(share: float, n: float, level: float) -> tuple[float, float]:
    """Return Wilson's interval of a share of rows of equal weight."""
    noise = float(ndtri(0.5 + level / 2)) ** 2 / n
    half = hypot(sqrt(noise * share * (1 - share)), noise / 2)
    low, high = ((share + noise / 2 + end) / (1 + noise) for end in (-half, half))
    return low if share else share, high if share != 1 else share


def _sum_of(values: list[float], cells: list[int]) -> float:
    """Return the sum of a number of each cell over some cells."""
    return sum([values[cell] for cell in cells])
