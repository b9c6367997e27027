"""The four cells of a threshold, whose shares are its numbers and have intervals."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from .._ranking._prevalence import factor_of_negatives
from .._reading._queries import not_below_found, read_totals, totals_of_rankings
from .._rounding import EQUAL, rounding_of_sums
from .._typing import ArrayLikeOrMapping, BoolArray, FloatArray, IntArray

TN, FN, FP, TP = np.eye(4)  # the cells: below the threshold, then at or above it
# Each number of a threshold as a share of cells; that of F1 is F1 / (2 - F1).
SHARES = {
    "precision": (TP, FP + TP),
    "recall": (TP, FN + TP),
    "specificity": (TN, TN + FP),
    "negative_predictive_value": (TN, TN + FN),
    "share_retrieved": (FP + TP, np.ones(4)),
    "f_score": (TP, FN + FP + TP),
}


class ThresholdCounts(NamedTuple):
    """The rows of a threshold in four cells: negatives and positives below it, then at
    or above it.
    """

    sums: FloatArray  # weight of each cell
    # of each two cells: the sum over units of the products of their weights
    squares: FloatArray
    rows: FloatArray  # number of rows of each cell
    squares_of_rows: FloatArray  # as `squares`, of numbers of rows

    def plus(self, other: ThresholdCounts) -> ThresholdCounts:
        """Return the cells of these rows and of others."""
        return ThresholdCounts(
            *(mine + theirs for mine, theirs in zip(self, other, strict=True))
        )

    def share(self, number: str) -> float:
        """Return a number as its share of cells; NaN if there is nothing to share."""
        hits, whole = SHARES[number]
        total = float(whole @ self.sums)
        n_rows = float(whole @ self.rows)
        if not total:
            return nan
        share = float(hits @ self.sums) / total
        # Where rows have equal weights, it is a quotient of counts but for the rounding.
        counted = float(hits @ self.rows) / n_rows
        is_counted = abs(counted - share) <= rounding_of_sums(n_rows) * share
        return counted if is_counted else share

    def completed(
        self, n_positives: ArrayLikeOrMapping | None, prevalence: float | None
    ) -> ThresholdCounts:
        """Return the cells with the positives that have no row, at a prevalence."""
        cells, passed = self, read_totals(n_positives, None)
        if passed is not None:
            found = np.array([(FN + TP) @ self.sums])
            n_rows = self.rows.sum(keepdims=True)
            total = totals_of_rankings(passed, 1, 1)
            total = not_below_found(total, found, n_rows=n_rows)
            cells = self.with_missed(float(total[0] - found[0]))
        return cells if prevalence is None else cells.at_prevalence(prevalence)

    def with_missed(self, weight: float) -> ThresholdCounts:
        """Return the cells with missed positives; where the weights of positives
        differ, theirs are unknown.
        """
        positives = FN + TP
        if not positives @ self.rows:  # then theirs may be that of all rows
            positives = np.ones(4)
        n_rows = positives @ self.rows
        of_all = positives @ self.sums
        squares_of_each = positives @ np.diag(self.squares)
        has_equal = of_all**2 >= n_rows * squares_of_each * (1 - EQUAL)
        each = of_all / n_rows if has_equal or not weight else nan
        squares = np.diag([0.0, weight * each, 0.0, 0.0])
        n_missed = weight / each
        if abs(n_missed - np.rint(n_missed)) <= EQUAL * n_missed:
            n_missed = np.rint(n_missed)
        rows = np.array([0.0, n_missed, 0.0, 0.0])
        return self.plus(ThresholdCounts(weight * FN, squares, rows, np.zeros((4, 4))))

    def at_prevalence(self, prevalence: float) -> ThresholdCounts:
        """Return the cells with negatives of such weights that positives are this
        share.
        """
        positives, negatives = np.array([[FN + TP], [TN + FP]]) @ self.sums
        [factor] = factor_of_negatives(positives, negatives, prevalence)
        scale = np.where(TN + FP, factor, 1.0)
        return self._replace(
            sums=self.sums * scale, squares=self.squares * np.outer(scale, scale)
        )

    def interval(self, number: str, level: float) -> tuple[float, float]:
        """Return Wilson's interval of a share: of rows, or of as many as would spread
        like these units.
        """
        hits, whole = SHARES[number]
        cells = whole > 0  # alone, since missed positives may have unknown weights
        share = self.share(number)
        total = float(self.sums[cells].sum())
        n = float(self.rows[cells].sum())
        if not (total and n == n):
            return nan, nan
        squares = self.squares[np.ix_(cells, cells)]
        n_equal = total**2 / float(squares.sum())
        reach = float(ndtri(0.5 + level / 2))
        if n_equal <= 1 < n:
            return nan, nan
        if n_equal < n * (1 - EQUAL):  # rows of different weights, or several of a unit
            moved = hits[cells] - share
            variance = (
                float(moved @ squares @ moved) / total**2 * n_equal / (n_equal - 1)
            )
            n = (
                min(share * (1 - share) / variance, n)
                if 0 < share < 1 and variance
                else n_equal
            )
            reach = float(stdtrit(n_equal - 1, 0.5 + level / 2))
        middle = share + reach**2 / (2 * n)
        half = reach * sqrt(share * (1 - share) / n + (reach / (2 * n)) ** 2)
        low, high = ((middle + end) / (1 + reach**2 / n) for end in (-half, half))
        return low if share else share, high if share != 1 else share

    def interval_at_prevalence(self, number: str, level: float) -> tuple[float, float]:
        """Return the interval of a share that mixes the classes, whose ratio of weights
        is known.
        """
        odds = float((TN + FP) @ self.sums) / float((FN + TP) @ self.sums)
        tp = np.array([self.share("recall"), *self.interval("recall", level)])
        tn = (
            np.array([self.share("specificity"), *self.interval("specificity", level)])
            * odds
        )
        fp = odds - tn[[0, 2, 1]]
        fn = 1 - tp[[0, 2, 1]]
        terms = {"precision": (tp, fp), "f_score": (tp, 1 + fp)}.get(number, (tn, fn))
        low, high = _interval_of_ratio(terms, self._correlation())
        if number == "f_score":
            return low, high
        return low / (1 + low), 1 - 1 / (1 + high)

    def _correlation(self) -> float:
        """Return how the rates of both classes vary together: units may have rows of
        both.
        """
        (of_tp, positives), (of_tn, negatives) = (
            SHARES["recall"],
            SHARES["specificity"],
        )
        moved = (
            of_tp - self.share("recall") * positives,
            self.share("specificity") * negatives - of_tn,
        )
        (first, both), (_, second) = np.array(moved) @ self.squares @ np.array(moved).T
        return float(both / np.sqrt(first * second)) if first * second > 0 else 0.0


def _interval_of_ratio(
    terms: tuple[FloatArray, FloatArray], correlation: float
) -> tuple[float, float]:
    """Return the interval of a ratio of two numbers from their own (Donner and Zou
    2012).

    Each term is a number with its lower and its upper end. An end of the ratio may be
    infinite.
    """
    (a, a_low, a_high), (b, b_low, b_high) = (term.tolist() for term in terms)

    def least(a: float, a_low: float, b: float, b_high: float) -> float:
        middle = a * b - correlation * (a - a_low) * (b_high - b)
        product = a_low * (2 * a - a_low)
        divisor = middle + sqrt(
            max(middle**2 - product * b_high * (2 * b - b_high), 0.0)
        )
        return product / divisor if divisor else 0.0

    inverse = least(b, b_low, a, a_high)
    return least(a, a_low, b, b_high), 1 / inverse if inverse else inf


def counts_at(
    positive: BoolArray,
    retrieved: BoolArray,
    weight: FloatArray | None = None,
    unit: IntArray | None = None,
) -> ThresholdCounts:
    """Return the cells of rows, each a unit or part of one."""
    cell = positive + 2 * retrieved
    rows = _sums_and_squares(cell, None, unit)
    weights = rows if weight is None else _sums_and_squares(cell, weight, unit)
    return ThresholdCounts(*weights, *rows)


def _sums_and_squares(
    cell: IntArray, of_row: FloatArray | None, unit: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the sum of each cell, and of each two the sum over units of products."""
    if unit is None:  # a row is in one cell alone
        sums = squares = np.bincount(cell, of_row, 4).astype(np.float64)
        if of_row is not None:
            squares = np.bincount(cell, of_row**2, 4)
        return sums, np.diag(squares)
    size = 4 * int(unit.max(initial=-1)) + 4
    of_units = np.bincount(4 * unit + cell, of_row, size).reshape(-1, 4)
    of_units = of_units.astype(np.float64)
    return of_units.sum(axis=0), of_units.T @ of_units
