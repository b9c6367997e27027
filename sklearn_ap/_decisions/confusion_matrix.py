"""The confusion matrix of a threshold, and the intervals of its rates."""

from __future__ import annotations

from math import hypot, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .._core.ranking.prevalence import factor_of_negatives
from .._core.ranking.rankings import ratio
from .._core.reading.per_ranking import totals_as_counts
from .._core.rounding import EQUAL, ROUNDING_PER_ROW
from .._core.typing import BoolArray, FloatArray, IntArray
from .._uncertainty.one_more_event import (
    endpoints_with_one_more,
    typical_weights,
    weights_of_units,
)

# The cells of the confusion matrix: below the threshold, then at or above it.
TN, FN, FP, TP = range(4)
# Each number of a threshold is a share: the cells of its numerator, and those of its
# denominator. F1 is not a share of cells, but F1 / (2 - F1) is: TP / (FN + FP + TP).
SHARES = {
    "precision": ([TP], [FP, TP]),
    "recall": ([TP], [FN, TP]),
    "specificity": ([TN], [TN, FP]),
    "negative_predictive_value": ([TN], [TN, FN]),
    "share_retrieved": ([FP, TP], [TN, FN, FP, TP]),
    "f_score": ([TP], [FN, FP, TP]),
}


class ConfusionMatrix(NamedTuple):
    """The confusion matrix of a threshold: negatives and positives below it, then at or
    above it.

    `sums` and `rows` are lists, because adding up four Python numbers takes a fifth of
    the time of a sum of numpy.
    """

    # The weight of each cell.
    sums: list[float]
    # For each pair of cells, the sum over units of the product of the unit's weights in
    # both cells.
    squares: FloatArray
    # The number of rows of each cell.
    rows: list[float]
    # The weight that one more event would add to each cell.
    events: FloatArray

    def share(self, number: str) -> float:
        """Return a number of `SHARES`; NaN if the cells of its denominator are empty."""
        hits, whole = SHARES[number]
        total = _sum_of(self.sums, whole)
        n_rows = _sum_of(self.rows, whole)
        if not total:
            return nan
        share = _sum_of(self.sums, hits) / total
        # If rows have equal weights, the share is a quotient of counts, which is
        # rounded only once. If the number of missed positives is a fraction, it is
        # rounded, too, so the quotient of weights is kept.
        counted = _sum_of(self.rows, hits) / n_rows
        is_near = abs(counted - share) <= ROUNDING_PER_ROW * n_rows * share
        if is_near and n_rows == round(n_rows):
            return counted
        return share

    def completed(self, total: FloatArray | None) -> ConfusionMatrix:
        """Return the matrix with the missed positives among the false negatives.

        `total` is the weight of all positives, if it was passed. If positives have
        different weights, the number of missed positives is unknown, so the number of
        false negatives in `rows` is NaN.
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
        """Return the weight that all positives have; NaN if their weights differ.

        Without positives, it is the weight that all rows have.
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
        """Return the total minus the positives that were found; both count in units of
        `weight`.
        """
        found = np.array([_sum_of(counted, [FN, TP])])
        n_positives = totals_as_counts(
            total,
            found,
            n_rows=np.array([sum(self.rows)]),
            count_weight=None if weight == 1 else np.array([weight]),
        )
        return float((n_positives - found).item())

    def at_prevalence(self, prevalence: float | None) -> ConfusionMatrix:
        """Return the matrix with negatives reweighted, so that the positives have this
        prevalence. Only its `sums` change.
        """
        if prevalence is None:
            return self
        tn, fn, fp, tp = self.sums
        factor = factor_of_negatives(
            np.array([fn + tp]), np.array([tn + fp]), prevalence
        ).item()
        return self._replace(sums=[factor * tn, fn, factor * fp, tp])

    def interval(
        self, number: str, confidence_level: float, prevalence: float | None
    ) -> tuple[float, float]:
        """Return the interval of a number, at a prevalence if one is passed."""
        # Recall and specificity have rows of one class only, so they do not depend on
        # the prevalence.
        is_mixed = number not in ("recall", "specificity")
        if prevalence is not None and is_mixed and not isnan(self.share(number)):
            low, high = self.ratio_interval(number, confidence_level, prevalence)
        else:
            low, high = self.share_interval(number, confidence_level)
        # For F1, they are the endpoints of the share F1 / (2 - F1).
        if number == "f_score":
            return 2 * low / (1 + low), 2 * high / (1 + high)
        return low, high

    def share_interval(
        self, number: str, confidence_level: float
    ) -> tuple[float, float]:
        """Return the interval of a share of cells.

        It is Wilson's interval if each unit is a row and all weights are equal.
        Otherwise it is the interval of a sample with one more event.
        """
        hits, whole = SHARES[number]
        share = self.share(number)
        # The number of rows is NaN if these cells contain missed positives of unknown
        # weight.
        total = _sum_of(self.sums, whole)
        n = _sum_of(self.rows, whole)
        if not (total and n == n):
            return nan, nan
        squares = self.squares[whole][:, whole] / total**2
        n_equal = 1 / float(squares.sum())
        if n_equal <= 1 < n:
            return nan, nan
        events = self.events[whole] / total
        # True if all rows have the same weight, each unit is a row, and one more event
        # is one more such row.
        if max(1 / n_equal, events.max()) * n <= 1 + EQUAL:
            return _wilson_endpoints(share, n, confidence_level)
        is_hit = np.array([cell in hits for cell in whole])
        moved = is_hit - share
        variance = float(moved @ squares @ moved) / max(1 - 1 / n_equal, EQUAL)
        # Rounding can make it negative if one unit has nearly all of the weight.
        variance = max(variance, 0.0)
        # A denominator may have cells of both classes. The larger event of both counts.
        larger = np.array((events[~is_hit].max(), events[is_hit].max()))
        return endpoints_with_one_more(share, variance, larger, confidence_level)

    def ratio_interval(
        self, number: str, confidence_level: float, prevalence: float
    ) -> tuple[float, float]:
        """Return the interval of a share of cells of both classes at a prevalence.

        It follows from the intervals of recall and specificity.
        """
        odds = (1 - prevalence) / prevalence
        recall, specificity = (
            np.array([self.share(name), *self.share_interval(name, confidence_level)])
            for name in ("recall", "specificity")
        )
        # Units may have rows of both classes, so recall and specificity may be
        # correlated.
        r, s = recall[0], specificity[0]
        moved = np.array([[0.0, -r, 0.0, 1 - r], [s - 1, 0.0, s, 0.0]])
        first, both, _, second = (moved @ self.squares @ moved.T).ravel().tolist()
        correlation = both / sqrt(first * second) if first * second > 0 else 0.0
        # The lower endpoint of 1 - specificity follows from the upper endpoint of
        # specificity.
        fallout = odds * (1 - specificity[[0, 2, 1]])
        # The share retrieved is a sum of two terms. Its squared distances to its
        # endpoints are those of both terms added up, with their correlation.
        if number == "share_retrieved":
            value, *endpoints = prevalence * np.array([recall, fallout]).T
            distances = np.abs(endpoints - value)
            squares = np.square(distances).sum(axis=1)
            squares += 2 * correlation * distances.prod(axis=1)
            below, above = np.sqrt(squares.clip(0.0)).tolist()
            share = float(value.sum())
            return max(share - below, 0.0), min(share + above, 1.0)
        terms = {
            "precision": (recall, fallout),
            "f_score": (recall, 1 + fallout),
            "negative_predictive_value": (odds * specificity, 1 - recall[[0, 2, 1]]),
        }
        # Donner and Zou (2012) compute the lower endpoint of a ratio from the intervals
        # of its numerator and denominator. The upper endpoint is the inverse of the
        # lower endpoint of the inverse ratio. So the first elements of the arrays below
        # are those of the ratio, and the second ones are those of its inverse.
        middle, low, high = np.array(terms[number]).T
        other = middle[::-1]
        beyond = high[::-1]
        product = middle * other - correlation * (middle - low) * (beyond - other)
        numerators = low * (2 * middle - low)
        root = product**2 - numerators * beyond * (2 * other - beyond)
        divisor = product + np.sqrt(np.maximum(root, 0.0))
        least, inverse = ratio(numerators, divisor).tolist()
        if number == "f_score":
            # Rounding may bring the inverse below 1, and so F1 above 1.
            return least, 1 / max(inverse, 1.0)
        return least / (1 + least), 1 / (1 + inverse)


def counts_at(
    positive: BoolArray,
    retrieved: BoolArray,
    of_row: FloatArray | None = None,
    unit: IntArray | None = None,
) -> ConfusionMatrix:
    """Return the confusion matrix of rows. Without `unit`, each row is a unit."""
    tp = np.count_nonzero(positive & retrieved)
    fn, fp = (np.count_nonzero(rows) - tp for rows in (positive, retrieved))
    counts = np.array([positive.size - fn - fp - tp, fn, fp, tp], dtype=float)
    sums, squares, events = counts, np.diag(counts), np.ones(4)
    if unit is not None:
        cell = positive + 2 * retrieved
        weight = np.ones(unit.size) if of_row is None else of_row
        of_units, events = weights_of_units(cell, unit, weight)
        sums, squares = of_units.sum(axis=1), of_units @ of_units.T
    # A unit that is a single row is in one cell only, so `squares` is diagonal.
    elif of_row is not None:
        cell = positive + 2 * retrieved
        sums, of_cells = (
            np.bincount(cell, values, 4).astype(np.float64)
            for values in (of_row, of_row**2)
        )
        squares, events = np.diag(of_cells), np.tile(typical_weights(sums, of_cells), 2)
    return ConfusionMatrix(sums.tolist(), squares, counts.tolist(), events)


def _wilson_endpoints(
    share: float, n: float, confidence_level: float
) -> tuple[float, float]:
    """Return Wilson's interval of a share of `n` rows of equal weight."""
    noise = float(ndtri(0.5 + confidence_level / 2)) ** 2 / n
    half = hypot(sqrt(noise * share * (1 - share)), noise / 2)
    low, high = ((share + noise / 2 + reach) / (1 + noise) for reach in (-half, half))
    return low if share else share, high if share != 1 else share


def _sum_of(values: list[float], cells: list[int]) -> float:
    """Return the sum of the values of some cells."""
    return sum([values[cell] for cell in cells])
