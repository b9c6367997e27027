"""The confusion matrix of a threshold, and the intervals of its rates.

Missed positives are false negatives without a row. What the caller passed decides where
they are added::

    total of positives    each missed positive is    added by
    of all rows           a unit of its own          `with_missed_positives`
    of each unit          part of its unit           `counts_at`

A unit may have weight in several cells, and products of these weights are added up. So
its missed positives must be counted before. A unit of its own is in one cell, so its
weight is added to the sums.

An interval is that of an effective sample size, which is at most the number of events.
An event is one row or, with units, the rows of a unit that are alike (`event_of`).
"""

from __future__ import annotations

from math import hypot, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .._core.ranking.prevalence import factor_of_negatives
from .._core.reading.per_ranking import PassedTotals, total_of, totals_as_counts
from .._core.reading.read import CheckedRows
from .._core.rounding import EQUAL, ROUNDING_PER_ROW
from .._core.typing import BoolArray, FloatArray, IntArray
from .._uncertainty import Changes, Event, endpoints_of, event_of, sums_of, typical_of

# The cells of the confusion matrix: below the threshold, then at or above it.
TN, FN, FP, TP = range(4)
_ALL = [TN, FN, FP, TP]
_NEGATIVES = [TN, FP]
_POSITIVES = [FN, TP]
_RETRIEVED = [FP, TP]


class _Share(NamedTuple):
    """The cells of a share: those of its numerator, and those of its denominator."""

    hits: list[int]
    whole: list[int]


# The numbers of a threshold that have intervals. Each of them is a share but F1, which
# is 2 J / (1 + J) for the Jaccard index J = TP / (FN + FP + TP). Its share is J.
SHARES = {
    "precision": _Share([TP], _RETRIEVED),
    "recall": _Share([TP], _POSITIVES),
    "specificity": _Share([TN], _NEGATIVES),
    "negative_predictive_value": _Share([TN], [TN, FN]),
    "share_retrieved": _Share(_RETRIEVED, _ALL),
    "f_score": _Share([TP], [FN, FP, TP]),
}
# The shares of a single class, which do not depend on the prevalence.
OF_ONE_CLASS = "recall", "specificity"

# A chosen constant, as those of `_uncertainty.rules`. Weights grow down the ranking if
# the lower half of the negatives, by score, has more than this number of times the mean
# weight of the other half. If rows below a score are rarely labelled, intervals of the
# recall covered it in all of 300 samples with 2, in .88 of them with 4, or with the
# lowest quarter in place of the half, and in .53 without the rule
# (`test_missed_positives`). With 1, intervals of other weights are up to 5 % wider.
_TIMES_IF_GROWING = 2.0


class ConfusionMatrix(NamedTuple):
    """The confusion matrix of a threshold: negatives and positives below it, then at or
    above it.

    `sums` and `rows` are lists, because Python adds up four numbers faster than numpy.
    """

    # The weight of each cell.
    sums: list[float]
    # The number of rows and missed positives of each cell.
    rows: list[float]
    # The number of units that have some of them.
    units: list[float]
    # For each pair of cells, the sum over units of the product of the unit's weights in
    # both cells. A unit with the weight 2 in one cell and 3 in another adds 4 and 9 to
    # the diagonal, and 6 to the pair.
    products: FloatArray
    # For each number of `SHARES`, the weight of an event in each cell.
    # Only intervals need it. Empty if none was asked for, unless each row is a unit of
    # weight 1, so that events take no time.
    event_weights: dict[str, FloatArray]

    def share(self, number: str) -> float:
        """Return the share of a number of `SHARES`; NaN if its denominator is empty."""
        hits, whole = SHARES[number]
        weight = _sum_of(self.sums, whole)
        n_rows = _sum_of(self.rows, whole)
        if not weight:
            return nan
        share = _sum_of(self.sums, hits) / weight
        # If rows have equal weights, the share is a quotient of numbers of rows, which
        # is rounded only once. But a fractional number of missed positives is itself
        # rounded, so the quotient of weights is kept then.
        share_of_rows = _sum_of(self.rows, hits) / n_rows
        is_near = abs(share_of_rows - share) <= ROUNDING_PER_ROW * n_rows * share
        if is_near and n_rows == round(n_rows):
            return share_of_rows
        return share

    def with_missed_positives(self, totals: PassedTotals | None) -> ConfusionMatrix:
        """Return the matrix with the missed positives among the false negatives. Each
        missed positive is a unit of its own.

        `totals` have the weight of all positives, if it was passed. If positives have
        different weights, the number of missed positives is unknown, so the number of
        false negatives in `rows` is NaN.
        """
        if totals is None:
            return self
        total = total_of(totals)
        weight = self._weight_of_missed_positive()
        if isnan(weight):
            missed_weight, missed_rows = self._missed(total, self.sums), nan
        else:
            missed_rows = self._missed(total, self.rows, weight)
            missed_weight = missed_rows * weight
        if not missed_weight:
            return self
        sums, rows, units = [*self.sums], [*self.rows], [*self.units]
        products = self.products.copy()
        sums[FN] += missed_weight
        rows[FN] += missed_rows
        units[FN] += missed_rows
        products[FN, FN] += missed_weight * weight
        return ConfusionMatrix(sums, rows, units, products, self.event_weights)

    def _weight_of_missed_positive(self) -> float:
        """Return the weight of each missed positive: that of each positive or, without
        positives, that of each row; NaN if these rows have different weights.
        """
        cells = _POSITIVES if _sum_of(self.rows, _POSITIVES) else _ALL
        n_rows = _sum_of(self.rows, cells)
        weight = _sum_of(self.sums, cells)
        squares = _sum_of(self.products.diagonal().tolist(), cells)
        # The square of a sum of n weights is n times the sum of their squares if they
        # are equal, and less if they differ.
        if weight * weight < n_rows * squares * (1 - EQUAL):
            return nan
        return weight / n_rows

    def _missed(
        self, total: FloatArray, of_cells: list[float], weight: float = 1.0
    ) -> float:
        """Return what the total has beyond the positives found, which `of_cells`
        counts: their weight or, if each positive has this weight, their number.
        """
        found = np.array([_sum_of(of_cells, _POSITIVES)])
        positives = totals_as_counts(
            total,
            found,
            n_summands=np.array([sum(self.rows)]),
            count_weight=None if weight == 1 else np.array([weight]),
        )
        return float((positives - found).item())

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

    def interval(self, number: str, confidence_level: float) -> tuple[float, float]:
        """Return the interval of a number of `SHARES`, whose value is that of these
        rows, without a prevalence.
        """
        low, high = self._share_interval(number, confidence_level)
        # These are endpoints of the Jaccard index (`SHARES`).
        if number == "f_score":
            return 2 * low / (1 + low), 2 * high / (1 + high)
        return low, high

    def _share_interval(
        self, number: str, confidence_level: float
    ) -> tuple[float, float]:
        """Return the interval of the share of a number of `SHARES`.

        It is Wilson's interval if each unit is in one cell and all of them have equal
        weights. Otherwise it is that of an effective sample size (`endpoints_of`).
        """
        hits, whole = SHARES[number]
        share = self.share(number)
        weight = _sum_of(self.sums, whole)
        # A unit in two cells counts twice. This number is NaN if these cells contain
        # missed positives of unknown weight.
        n_unit_cells = _sum_of(self.units, whole)
        if not weight or isnan(n_unit_cells):
            return nan, nan
        # From here on, weights are divided by that of all these cells. The sum of all
        # products is the sum of the squares of the weights of units.
        products = self.products[whole][:, whole] / weight**2
        events = self.event_weights[number][whole] / weight
        n_effective = 1 / float(products.sum())
        # If a single unit has all of the weight in several cells, the variation between
        # units is unknown.
        if n_effective <= 1 + EQUAL and n_unit_cells > 1:
            return nan, nan
        # Wilson's interval is for units of equal weight, each of which is in one cell,
        # if an event weighs as much. Both terms are then at most
        # 1 / n_unit_cells.
        if max(1 / n_effective, events.max()) * n_unit_cells <= 1 + EQUAL:
            return _wilson_endpoints(share, n_unit_cells, confidence_level)
        # The derivative of the share by the weight in each cell.
        is_hit = np.array([cell in hits for cell in whole])
        slope = is_hit - share
        # The variance is the sum over units of the square of their weights times these
        # slopes. Rounding can make it negative if one unit has nearly all of the
        # weight.
        error = sqrt(max(float(slope @ products @ slope), 0.0))
        # The cells of the numerator, and the other cells, may have both classes. The
        # larger of their events is used. Shares of events of these weights would have
        # the variance share * (1 - share) * of_both.
        failure, success = events[~is_hit].max(), events[is_hit].max()
        of_both = share * failure + (1 - share) * success
        changes = Changes(n_events=1 / float(of_both))
        df = max(n_effective - 1, EQUAL)
        return endpoints_of(share, error, df, changes, confidence_level)


def counts_at(
    checked: CheckedRows,
    retrieved: BoolArray,
    unit: IntArray | None = None,
    missed_by_unit: FloatArray | None = None,
    *,
    has_intervals: bool = False,
) -> ConfusionMatrix:
    """Return the confusion matrix of rows. Without weights, each row has weight 1.

    `unit` is the number of the unit of each row; without it, each row is a unit. If
    units have totals, `missed_by_unit` is the number of missed positives of each unit,
    which are added. Rows then have no weights.

    With `has_intervals`, the matrix has the events that intervals need.
    """
    if checked.weight is None and unit is None:
        # Masks are counted faster than by `bincount`. The cells are in their order: TN,
        # FN, FP, TP.
        numbers = [
            float(np.count_nonzero(side & of_class))
            for side in (~retrieved, retrieved)
            for of_class in (~checked.positive, checked.positive)
        ]
        # One more event is one row.
        event_weights = dict.fromkeys(SHARES, np.ones(4))
        products = np.diag(numbers)
        return ConfusionMatrix(numbers, numbers, numbers, products, event_weights)
    # Each row is an element of these arrays, and so are all missed positives of a unit.
    # `cell` is TN, FN, FP or TP. `copies` is the number of rows or missed positives.
    cell = checked.positive + 2 * retrieved
    copies = np.ones(cell.size)
    if unit is not None and missed_by_unit is not None:
        [has_missed] = missed_by_unit.nonzero()
        # No threshold retrieves missed positives.
        cell = np.append(cell, np.full(has_missed.size, FN))
        unit = np.append(unit, has_missed)
        copies = np.append(copies, missed_by_unit[has_missed])
    rows = sums_of(copies, cell, 4)
    weight = copies if checked.weight is None else checked.weight
    if unit is None:
        # A unit that is a single row is in one cell only.
        units, sums = rows, sums_of(weight, cell, 4)
        products = np.diag(sums_of(weight**2, cell, 4))
    else:
        n_units = int(unit.max()) + 1
        # The weight of each unit in each cell: a row per cell, and a column per unit.
        by_unit = sums_of(weight, cell * n_units + unit, 4 * n_units).reshape(4, -1)
        units, sums = np.count_nonzero(by_unit, axis=1), by_unit.sum(axis=1)
        products = by_unit @ by_unit.T
    event_weights = {}
    if has_intervals:
        event_weights = _event_weights_of_numbers(checked, cell, weight, unit, copies)
    return ConfusionMatrix(
        sums.tolist(), rows.tolist(), units.tolist(), products, event_weights
    )


def _event_weights_of_numbers(
    checked: CheckedRows,
    cell: IntArray,
    weight: FloatArray,
    unit: IntArray | None,
    copies: FloatArray,
) -> dict[str, FloatArray]:
    """Return, for each number, the weight of an event in each cell.

    Six rows of weight 1 are in the units u and v. An event of a class has this number
    of rows (`event_of`). Precision is a share of the rows FP and TP, whose events have
    1.5 rows, so an event of precision has at least as many::

        cell             TN     FN     FP     TP
        rows of u         0      0      1      2
        rows of v         1      2      0      0
        of its class      1      2      1      2
        of precision     1.5     2     1.5     2
    """

    def one_more(hits: list[int], whole: list[int]) -> Event:
        """Return one more event of the rows in the cells `whole`. Rows are alike if
        all or none of them are in the cells `hits`.
        """
        rows = np.isin(cell, whole)
        is_hit = np.isin(cell[rows], hits).astype(np.float64)
        own_unit = None if unit is None else unit[rows]
        return event_of(is_hit, weight[rows], own_unit, copies=copies[rows])

    event_weights, event_rows = np.empty(4), np.empty(4)
    for of_class in (_NEGATIVES, _POSITIVES):
        event_weights[of_class], event_rows[of_class] = one_more(_RETRIEVED, of_class)
    # A class without rows has the event of the other class.
    is_empty = event_weights == 0
    event_weights[is_empty] = event_weights.max()
    event_rows[is_empty] = event_rows[~is_empty].max()
    if checked.weight is not None:
        of_missed = _weight_of_one_more_missed(cell, weight, checked.score)
        event_weights[FN] = max(event_weights[FN], event_rows[FN] * of_missed)
    of_numbers = dict.fromkeys(SHARES, event_weights)
    # The positives of a sample may lack all large units and all heavy rows, which
    # negatives show. So for a number of both classes, an event has at least as many
    # rows as an event of all rows of its cells, and its rows have at least the weight
    # of a typical row.
    for number in SHARES.keys() - OF_ONE_CLASS:
        hits, whole = SHARES[number]
        in_share = np.isin(cell, whole)
        n_rows = np.maximum(event_rows, one_more(hits, whole).rows)
        typical = _typical_weights(cell[in_share], weight[in_share], copies[in_share])
        of_numbers[number] = n_rows * np.maximum(event_weights / event_rows, typical)
    return of_numbers


def _typical_weights(
    cell: IntArray, weight: FloatArray, copies: FloatArray
) -> FloatArray:
    """Return the weight of a typical row in each cell.

    Each weight is divided by the mean of its class. The typical one of these quotients
    is multiplied by the mean of the class of the cell.
    """
    positive = np.isin(cell, _POSITIVES)
    n_rows = np.bincount(positive, copies, 2)
    means = np.bincount(positive, weight, 2) / np.maximum(n_rows, 1)
    of_negatives, of_positives = means
    quotients = weight / np.where(positive, of_positives, of_negatives)
    of_cells: FloatArray = np.where(
        np.isin(_ALL, _POSITIVES), of_positives, of_negatives
    )
    of_cells *= typical_of(quotients, copies)
    return of_cells


def _weight_of_one_more_missed(
    cell: IntArray, weight: FloatArray, score: FloatArray
) -> float:
    """Return the weight of one more missed positive: that of a typical negative below
    the threshold, times the mean weight of positives over that of negatives.

    The positives of a sample may lack all of the heavy ones. If weights grow down the
    ranking, such as those of rows that were labelled less often, positives above the
    threshold are compared with negatives there.
    """

    def mean_weight(rows: BoolArray) -> float:
        return float(weight[rows].mean()) if rows.any() else 0.0

    positive, retrieved = np.isin(cell, _POSITIVES), cell >= FP
    negative = ~positive
    below = weight[cell == TN]
    if not below.size:
        return 0.0
    # Halves of scores, since the sum of two scores may overflow.
    is_high = score / 2 > np.median(score[negative] / 2)
    of_high, of_low = mean_weight(negative & is_high), mean_weight(negative & ~is_high)
    # The rows in which the classes are compared.
    compared = np.ones_like(retrieved)
    if of_low > _TIMES_IF_GROWING * of_high > 0:
        compared = retrieved
    of_positives = mean_weight(positive & compared)
    of_negatives = mean_weight(negative & compared)
    times = of_positives / (of_negatives or of_positives or 1.0)
    return typical_of(below) * times


def _wilson_endpoints(
    share: float, n: float, confidence_level: float
) -> tuple[float, float]:
    """Return Wilson's interval of a share of `n` rows of equal weight."""
    noise = float(ndtri(0.5 + confidence_level / 2)) ** 2 / n
    half = hypot(sqrt(noise * share * (1 - share)), noise / 2)
    low, high = ((share + noise / 2 + reach) / (1 + noise) for reach in (-half, half))
    # Rounding may move an endpoint beyond a share of 0 or 1.
    return low if share else share, high if share != 1 else share


def _sum_of(values: list[float], cells: list[int]) -> float:
    """Return the sum of the values of some cells."""
    return sum([values[cell] for cell in cells])
