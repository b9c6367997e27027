"""Operating points: one threshold of a ranking, chosen by one condition or fixed
beforehand.

`CandidatePoints` are all thresholds; a `Condition` says which of them are allowed, and
which is the best. A threshold that was fixed beforehand has intervals, by
`ThresholdCounts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf, isinf, isnan, nan
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._api import curve_in
from .._public import json_value, result_html, warn_user
from .._ranking._cut import cut_depth
from .._ranking._levels import (
    levels_reached,
    rounding_of_precision,
    rounding_of_recall,
)
from .._ranking._rankings import OperatingPoints, Rankings, ratio, rows_reaching
from .._reading._options import (
    check_option,
    is_finite,
    is_real,
    read_alarms,
    read_beta,
    read_k,
    read_level,
    read_miss_cost,
    read_prevalence,
    short_repr,
)
from .._reading._read import Checked
from .._rounding import EQUAL, short_threshold
from .._typing import BoolArray, FloatArray, Input, Label, Totals
from .._uncertainty._results import (
    ConfidenceInterval,
    Result,
    interval_cells,
    read_confidence_level,
    with_interval,
)
from ._budgets import (
    Basis,
    RowsOfUnits,
    basis_of,
    limits_of_budgets,
    read_rows,
    refuse_units_of_missed,
)
from ._cells_of_threshold import (
    FN,
    FP,
    SHARES,
    TN,
    TP,
    ThresholdCounts,
    counts_at,
)


class FixedCells(NamedTuple):
    """Counts for the intervals of a threshold that was fixed beforehand."""

    cells: ThresholdCounts
    of_rows: ThresholdCounts  # of the numbers of rows
    amounts: ThresholdCounts | None
    prevalence: float | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoint(Result):
    """One threshold of a ranking: it retrieves all rows with ``y_score >= threshold``.

    :func:`operating_point` returns it. Rows of weight 0 are not counted. Its numbers
    have intervals if the threshold was fixed beforehand. A threshold that was chosen on
    these rows makes them look too good.

    .. versionadded:: 0.1

    Parameters
    ----------
    threshold : float or int
        A score that occurs; a number of Python, or of `y_score` if Python has no such
        number.

    precision : float
        Share of positives among the rows retrieved, in weight; NaN without rows.

    recall : float
        Share of all positives, found or missed, that was retrieved, in weight: the
        sensitivity.

    specificity : float
        Share of all negatives that was not retrieved, in weight; NaN without negatives.

    negative_predictive_value : float
        Share of negatives among the rows that were not retrieved and the missed
        positives, in weight; NaN if all were retrieved.

    n_retrieved : int
        Number of rows retrieved.

    share_retrieved : float
        The same as a share of all rows, whatever their weights.

    weight_found : float
        Weight of the positives retrieved; without weights, their number.

    amount_found : float, default=None
        Amount of the positives retrieved, times their weights if there are weights;
        None without `amount`.

    amount_of_positives : float, default=None
        Amount of all positives that have a row: that of missed ones is unknown.

    share_of_amount : float, default=None
        `amount_found` divided by `amount_of_positives`, of these rows at any
        `prevalence`; 0 if there is nothing to find.

    Notes
    -----
    Intervals are Wilson's [1]_: of the usual ones they cover nearest to their level on
    average, from few rows on and where all or none are hits [2]_; those of Clopper and
    Pearson are wider. Rows of different weights, or units, count as the rows that would
    have the standard error of the ratio of sums over units, with the t distribution of
    as many equal units as would have its divisor. At a `prevalence`, precision,
    negative predictive value and F1 are made of recall and specificity, whose intervals
    make theirs [3]_.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", JASA 22, 1927. :doi:`10.1080/01621459.1927.10502953`
    .. [2] L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial
       proportion", Statistical Science 16, 2001. :doi:`10.1214/ss/1009213286`
    .. [3] A. Donner, G. Y. Zou, "Closed-form confidence intervals for functions of the
       normal mean and standard deviation", Statistical Methods in Medical Research 21,
       2012. :doi:`10.1177/0962280210383082`

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> point = operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], recall=0.5)
    >>> point.threshold, point.precision, point.recall
    (0.6, 0.75, 1.0)
    >>> round(point.f_score(), 3), round(point.f_score(beta=0.5), 3)
    (0.857, 0.789)

    A threshold that was fixed beforehand:

    >>> point = operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], threshold=0.7)
    >>> low, high = point.confidence_interval("recall")
    >>> print(f"{point.recall:.2f}, {low:.2f} to {high:.2f}")
    0.67, 0.21 to 0.94
    """

    threshold: float
    precision: float
    recall: float
    specificity: float
    negative_predictive_value: float
    n_retrieved: int
    share_retrieved: float
    weight_found: float
    amount_found: float | None = None
    amount_of_positives: float | None = None
    share_of_amount: float | None = None
    # the threshold in the digits that it needs
    _short: str = field(default="", repr=False, compare=False)
    _basis: Basis = field(default=Basis(), repr=False, compare=False)
    _fixed: FixedCells | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """Return in a sentence what the threshold retrieves."""
        if self._fixed is None:
            return self._sentence()
        words = {
            "f_score": "F1",
            "share_retrieved": "share of these rows retrieved",
        }
        numbers = (
            f"{words.get(name, name.replace('_', ' '))} "
            f"{'undefined' if isnan(row[0]) else with_interval(*row)}"
            for name, row in self.table().items()
        )
        return self._sentence("; ".join(numbers))

    def _sentence(self, numbers: str = "") -> str:
        """Return what the threshold retrieves, with these numbers."""
        retrieved = f"{threshold_text(self)} {self._basis.or_more}"
        rows = f"{self.n_retrieved:,} rows with scores of {retrieved} have"
        if self.n_retrieved == 1:
            rows = f"1 row with a score of {retrieved} has"
        numbers = numbers or (
            f"precision {self.precision:.4g} and recall {self.recall:.4g}"
        )
        found = self.amount_found, self.amount_of_positives
        amount = self._basis.amount_clause(*found)
        return f"{rows}{self._basis.clause} {numbers}{amount}."

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the sentence, and a table of all numbers."""
        numbers = self._shown() | {"threshold": threshold_text(self)}
        if self._fixed is not None:
            numbers |= {
                name: interval_cells(*row) for name, row in self.table().items()
            }
        return result_html(self._sentence(), numbers, [])

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as `json.dumps` takes them.

        Returns
        -------
        numbers : dict
            The fields, and a ``"table"`` of the `value` of each number with the ends
            `low` and `high` of its 95 % interval. None stands for what is NaN.
        """
        table = {
            name: dict(zip(("value", "low", "high"), row, strict=True))
            for name, row in self.table().items()
        }
        return super().to_dict() | {"table": json_value(table)}

    def f_score(self, beta: float = 1.0) -> float:
        r"""F-beta: the weighted harmonic mean of precision and recall.

        .. math::
            F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

        Without missed positives it is :func:`sklearn.metrics.fbeta_score` of ``y_score
        >= threshold``.

        Parameters
        ----------
        beta : float, default=1.0
            Recall counts `beta` times as much as precision; 0 is the precision,
            infinity is the recall.

        Returns
        -------
        f_beta : float
            In [0, 1]; 0.0 if precision and recall are 0.
        """
        square = read_beta(beta)
        square *= square  # infinity if it overflows
        if isinf(square) or not self.recall:
            return self.recall
        return (
            (1 + square)
            * self.precision
            * (self.recall / (square * self.precision + self.recall))
        )

    def confidence_interval(
        self, number: str, confidence_level: float = 0.95
    ) -> ConfidenceInterval[float]:
        """Return the interval of a number of a threshold that was fixed beforehand.

        Parameters
        ----------
        number : str
            ``'precision'``, ``'recall'``, ``'specificity'``,
            ``'negative_predictive_value'``, ``'share_retrieved'`` or ``'f_score'``
            (F1); with `amount`, also ``'share_of_amount'``.

        confidence_level : float, default=0.95
            Above 0 and below 1.

        Returns
        -------
        interval : ConfidenceInterval
            With the fields `low` and `high`. NaN if the number is NaN, if one unit has
            all of its rows, or if missed positives have weights that nobody knows.

        Raises
        ------
        ValueError
            If the threshold was chosen on these rows; for another name, or a level that
            is not a share.
        """
        check_option("number", number, self._numbers())
        level = read_confidence_level(confidence_level)
        if self._fixed is None:
            raise ValueError(
                f"{number} has no interval, because these rows chose the threshold: pass "
                f"threshold={self.threshold!r} with other rows. On these, estimate_score has the interval of "
                "scores such as precision_at_recall_score."
            )
        cells, of_rows, amounts, prevalence = self._fixed
        if number == "share_of_amount" and amounts is not None:
            return ConfidenceInterval(*amounts.interval("recall", level))
        if number == "share_retrieved":
            cells = of_rows
        is_mixed = number in ("precision", "negative_predictive_value", "f_score")
        is_defined = (FN + TP) @ cells.sums and not isnan(cells.share(number))
        if prevalence is not None and is_mixed and is_defined:
            low, high = cells.interval_at_prevalence(number, level)
        else:
            low, high = cells.interval(number, level)
        if number == "f_score":
            low = 2 * low / (1 + low)
            high = 2 * high / (1 + high)
        return ConfidenceInterval(low, high)

    def table(
        self, confidence_level: float = 0.95
    ) -> dict[str, tuple[float, float, float]]:
        """Return all numbers of the threshold with their intervals.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Above 0 and below 1.

        Returns
        -------
        table : dict of str to tuple of three floats
            The value of each number of :meth:`confidence_interval`, its lower and its
            upper end; both are NaN if these rows chose the threshold.
        """
        values = {name: getattr(self, name) for name in self._numbers()} | {
            "f_score": self.f_score()
        }
        level = read_confidence_level(confidence_level)
        table = {}
        for name, value in values.items():
            low, high = (
                (nan, nan)
                if self._fixed is None
                else self.confidence_interval(name, level)
            )
            table[name] = value, low, high
        return table

    def _numbers(self) -> list[str]:
        """Return the names of the numbers that may have intervals."""
        return [*SHARES, *["share_of_amount"] * (self.amount_found is not None)]


def threshold_text(point: OperatingPoint) -> str:
    """Return the threshold of a point in the digits that it needs; a fixed one keeps
    its digits.
    """
    return point._short or str(point.threshold)


def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float | None = None,
    precision: float | None = None,
    specificity: float | None = None,
    k: int | float | None = None,
    alarms: int | None = None,
    beta: float | None = None,
    miss_cost: float | None = None,
    threshold: float | None = None,
    pos_label: Label | None = None,
    amount: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
    prevalence: float | None = None,
    unit_id: ArrayLike | None = None,
) -> OperatingPoint:
    """Best threshold at a recall, a precision, a budget, by F-beta or by costs.

    Exactly one of `recall`, `precision`, `specificity`, `k`, `alarms`, `beta`,
    `miss_cost` and `threshold` is given. The threshold that the others choose is a
    score that occurs. ``y_score >= threshold`` and
    :class:`sklearn.model_selection.FixedThresholdClassifier` retrieve exactly the rows
    that were counted here.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels; any labels if `pos_label` is given.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first. Probabilities, decision values or any
        other numbers.

    recall : float, default=None
        The best precision at this recall or more, in [0, 1].

    precision : float, default=None
        The best recall at this precision or more, in [0, 1].

    specificity : float, default=None
        The best recall at this specificity or more, in [0, 1]: sensitivity at
        specificity. A false positive rate of .01 is a specificity of .99. A prevalence
        does not change the threshold.

    k : int or float, default=None
        The most rows that fit into a budget: an int counts rows, a float in (0, 1] is a
        share of the rows (rounded, at least one row). Rows of equal score are retrieved
        together, so there may be fewer.

    alarms : int, default=None
        The best recall where at most so many negative rows are retrieved, whatever
        their weights: false alarms. Two per scan [5]_ are ``2 * n_scans``, where scans
        without a row count, too.

    beta : float, default=None
        The best F-beta [1]_, as :func:`sklearn.metrics.fbeta_score` computes it: recall
        counts `beta` times as much as precision. 0 is the best precision, infinity is
        the best recall.

    miss_cost : float, default=None
        The least cost, where a missed positive costs as much as `miss_cost` false
        alarms [3]_ [4]_: the threshold maximises ``miss_cost * TP - FP``, in weight.
        With `amount`, a missed positive costs `miss_cost` times its amount, and a false
        alarm 1: if a review costs 5 euros, ``miss_cost=1/5``.

    threshold : float, default=None
        A threshold that was fixed beforehand, not on these rows. Its numbers have
        intervals.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1,
        1}.

    amount : array-like of shape (n_samples,), default=None
        What each row is worth, such as its euros: finite, not negative. It changes no
        rank and no count, and no threshold but that of `miss_cost`; the point also has
        the share of the amount that is found.

    sample_weight : array-like of shape (n_samples,), default=None
        How many rows of the population each row stands for, not negative. Rows of
        weight 0 are dropped before anything is ranked or counted. `k` still counts
        rows. With `amount`, a row counts its weight times its amount.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, such as its day; only with `k`, which is then the budget
        of each query: this one threshold exceeds it nowhere. It retrieves fewer rows
        than the first `k` of each query, which :func:`budget_totals` adds up.

    n_positives : float or mapping, default=None
        Total number of positives, found or missed (with weights, their total weight);
        with `query_id`, a mapping {query: total}. By default, the positives in
        `y_true`. The amount of missed ones is unknown, so `share_of_amount` is that of
        the rows.

    prevalence : float, default=None
        Share of positives where the threshold will be used, as for
        :func:`average_precision_score`: precision and F-beta are those of rows whose
        negatives have the weight that this share requires. Amounts are of these rows.

    unit_id : array-like of shape (n_samples,), default=None
        With `threshold`: what was drawn together, such as the customer of each sample.
        Intervals take these as independent units; by default the rows.

    Returns
    -------
    point : OperatingPoint
        Among equally good thresholds the one with more recall (of costs in amounts:
        with more of the amount), then the one with fewer rows.

    Warns
    -----
    UserWarning
        If there is no positive; then precision and recall are 0.0 at all thresholds.

    Raises
    ------
    ValueError
        If no threshold meets the condition: the text names the best that one does, or
        the query whose budget each exceeds. If not exactly one condition is given, or a
        condition is outside its values. For what
        :func:`sklearn.metrics.precision_recall_curve` refuses; for empty input, masked
        values, negative or extreme weights, negative amounts, and `n_positives` below
        the positives in `y_true`.

    See Also
    --------
    budget_totals : What the first `k` rows of each query find, which no single
        threshold retrieves.
    precision_at_recall_score : The precision alone, as a score for queries, columns and
        scorers.
    recall_at_precision_score : The recall alone.
    sklearn.model_selection.FixedThresholdClassifier : A classifier that uses the
        threshold.
    sklearn.model_selection.TunedThresholdClassifierCV : Chooses a threshold by
        cross-validation.

    Notes
    -----
    A level that is met is met: where all positives have the same weight, recall is a
    quotient of counts, so ``point.recall >= recall`` is true of the point, and a recall
    of 4/5 reaches 0.8. Precision is such a quotient without weights; with one weight per
    class, or at a prevalence, it is compared up to 8 units of the last digit. Sums of
    unequal weights are compared up to rounding, unless all weights are whole. The end
    point (recall 0, precision 1) of :func:`sklearn.metrics.precision_recall_curve` is
    not a threshold and takes no part [2]_.

    A threshold that is chosen on some rows is too good for these rows: report precision
    and recall on others.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, chapter 7,
       Butterworths, 1979.
    .. [2] `scikit-learn issue 20266
       <https://github.com/scikit-learn/scikit-learn/issues/20266>`_
    .. [3] C. Elkan, "The foundations of cost-sensitive learning", IJCAI 2001.
       https://cseweb.ucsd.edu/~elkan/rescale.pdf. pROC weighs the same two costs by
       ``best.weights``: :doi:`10.1186/1471-2105-12-77`
    .. [4] Asked in scikit-learn issues 8614, 16525 and 17976, and in precrec issue 24.
    .. [5] D. P. Chakraborty, "Maximum likelihood analysis of free-response receiver
       operating characteristic (FROC) data", Medical Physics 16, 1989.
       :doi:`10.1118/1.596358`

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> operating_point(y_true, y_score, recall=0.5).threshold
    0.6
    >>> operating_point(y_true, y_score, precision=0.9).recall
    0.3333333333333333
    >>> operating_point(y_true, y_score, alarms=1).recall
    1.0

    A budget of three rows, where three rows share the second score:

    >>> operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.5], k=3).n_retrieved
    1
    >>> round(operating_point(y_true, y_score, beta=1).f_score(), 3)
    0.857

    A missed positive costs as much as a fifth of a false alarm, or as two:

    >>> operating_point(y_true, y_score, miss_cost=0.2).threshold
    0.9
    >>> operating_point(y_true, y_score, miss_cost=2).threshold
    0.6

    One threshold that retrieves at most one row of each day, and what these rows are
    worth:

    >>> day, amount = ["Mon", "Tue", "Mon", "Tue", "Tue"], [100, 20, 50, 30, 10]
    >>> print(operating_point(y_true, y_score, k=1, query_id=day, amount=amount))
    2 rows with scores of 0.8 or more have precision 0.5 and recall 0.3333, and of the amount 100 of 180.
    """
    levels = {
        "recall": recall,
        "precision": precision,
        "specificity": specificity,
        "k": k,
        "alarms": alarms,
        "beta": beta,
        "miss_cost": miss_cost,
    }
    levels["threshold"] = threshold
    condition = read_condition(query_id, unit_id, **levels)
    prevalence = read_prevalence(prevalence)
    refuse_units_of_missed(unit_id, n_positives)
    inputs = Input(y_true, y_score, "macro", pos_label, sample_weight, query_id)
    rows = read_rows(inputs, caller="operating_point", unit_id=unit_id, amount=amount)
    checked, basis = rows.checked, basis_of(sample_weight, n_positives, prevalence)
    if condition.name == "threshold":
        retrieved = checked.score >= condition.level
        cells = counts_at(checked.positive, retrieved, checked.weight, rows.unit)
        point = point_at(condition.level, cells, n_positives, prevalence)
        return with_amounts(point, _amounts_at(condition.level, rows), basis)
    limits = None
    if checked.query is not None:
        limits = limits_of_budgets(checked, condition.level, n_positives)
        checked, n_positives = checked._replace(query=None), limits.n_positives
    points = points_of(checked, prevalence, n_positives)
    warn_without_positives(points.n_positives)
    judged = points
    if condition.name == "miss_cost" and rows.amount is not None:
        judged = _cost_points(checked, rows.amount, prevalence, n_positives)
    elif condition.is_of_negatives:
        # Neither a prevalence nor missed positives change these numbers.
        judged = points_of(condition.of_rows(checked), None, None)
    if limits is None:
        allowed = condition.allowed(judged)
    else:
        # A threshold keeps to the budgets if it exceeds the best score that one of them
        # leaves out.
        allowed = np.all(points.threshold[:, np.newaxis] > limits.beyond, axis=1)
    if not allowed.any():
        raise condition.refusal(judged) if limits is None else limits.refusal()
    best = judged.threshold[judged.best(condition.value(judged), allowed)]
    point = points.at(int(np.flatnonzero(points.threshold == best)[0]))
    return with_amounts(point, _amounts_at(best, rows), basis)


def _amounts_at(threshold: Any, rows: RowsOfUnits) -> ThresholdCounts | None:
    """Return the cells of a threshold in amounts, if rows have some."""
    if rows.amount is None:
        return None
    checked = rows.checked
    retrieved = checked.score >= threshold
    return counts_at(checked.positive, retrieved, rows.amount, rows.unit)


def with_amounts(
    point: OperatingPoint, amounts: ThresholdCounts | None, basis: Basis
) -> OperatingPoint:
    """Return a point that says what its numbers are of, with its amounts if rows have
    some.
    """
    if amounts is None:
        return replace(point, _basis=basis)
    _, missed, _, found = amounts.sums.tolist()
    in_all = missed + found
    return replace(
        point,
        amount_found=found,
        amount_of_positives=in_all,
        share_of_amount=found / in_all if in_all else 0.0,
        _basis=basis,
        _fixed=None if point._fixed is None else point._fixed._replace(amounts=amounts),
    )


def point_at(
    threshold: float,
    cells: ThresholdCounts,
    n_positives: Totals | None,
    prevalence: float | None,
    *,
    is_fixed: bool = True,
) -> OperatingPoint:
    """Return the point of a threshold from its cells, with intervals if it was fixed
    beforehand.
    """
    of_rows = cells._replace(sums=cells.rows, squares=cells.squares_of_rows)
    n_rows, cells = cells.rows, cells.completed(n_positives, prevalence)
    _, fn, _, tp = cells.sums
    warn_without_positives(fn + tp)
    n_retrieved = int(n_rows[2:].sum())
    return OperatingPoint(
        threshold=np.array([threshold]).tolist()[0],
        precision=cells.share("precision"),
        recall=cells.share("recall") if fn + tp else 0.0,
        specificity=cells.share("specificity"),
        negative_predictive_value=cells.share("negative_predictive_value"),
        n_retrieved=n_retrieved,
        share_retrieved=n_retrieved / int(n_rows.sum()),
        weight_found=float(tp),
        _fixed=FixedCells(cells, of_rows, None, prevalence) if is_fixed else None,
    )


def factor_of_cells(
    cells: ThresholdCounts, n_positives: Totals | None, prevalence: float | None
) -> float:
    """Return what negatives are multiplied by for a prevalence."""
    of_negatives = TN + FP
    negatives = float(of_negatives @ cells.sums)
    completed = cells.completed(n_positives, prevalence)
    return float(of_negatives @ completed.sums) / negatives if negatives else 1.0


def points_of(
    checked: Checked, prevalence: float | None, n_positives: Totals | None
) -> CandidatePoints:
    """Return all operating points of rows, at a prevalence if one is given."""
    return CandidatePoints(*curve_in(checked, n_positives, prevalence), checked)


def _cost_points(
    checked: Checked,
    amount: FloatArray,
    prevalence: float | None,
    n_positives: Totals | None,
) -> CandidatePoints:
    """Return the points of rows that weigh what they cost: a missed positive its
    amount, a false alarm its weight.
    """
    weight = checked.weight
    if weight is None:
        weight = np.ones(checked.positive.size)
    all_rows = checked.positive, np.ones_like(checked.positive)
    refuse_no_amount(counts_at(*all_rows, amount))
    factor = factor_of_cells(counts_at(*all_rows, weight), n_positives, prevalence)
    cost = np.where(checked.positive, amount, factor * weight)
    costly = np.flatnonzero(cost)
    return points_of(checked._replace(weight=cost).take(costly), None, None)


def refuse_no_amount(amounts: ThresholdCounts | None) -> None:
    """Refuse costs of missed positives that are worth nothing."""
    if amounts is not None and not (FN + TP) @ amounts.sums:
        raise ValueError(
            "amount must be above 0 for a positive where miss_cost is given, or to retrieve nothing costs "
            "nothing; got 0 for all."
        )


def warn_without_positives(n_positives: float) -> None:
    """Warn if there are no positives to find."""
    if not n_positives:
        warn_user(
            "y_true contains no positives, so precision and recall are 0.0 at every threshold."
        )


class CandidatePoints:
    """Operating points of a single ranking, lowest threshold first; each array has one
    element per point, in the unit of the ranking.
    """

    def __init__(
        self,
        ranking: Rankings,
        points: OperatingPoints,
        checked: Checked | None = None,
        *,
        # at or above each threshold, where rows are gone
        rows: FloatArray | None = None,
        unit: float = 1.0,  # the weight of a positive that counts 1, where rows are gone
    ) -> None:
        self.threshold, self.tp, self.retrieved = points
        self.ranking = ranking
        self.checked = checked
        self._rows = rows
        self._unit = unit
        self.n_positives = ranking.n_positives.item()
        self.n_negatives = ranking.kernel.negative_weight.item()
        self.n_samples = ranking.offsets.item(-1)

    @cached_property
    def precision(self) -> FloatArray:
        """Precision of each point."""
        return ratio(self.tp, self.retrieved, nan)

    @cached_property
    def recall(self) -> FloatArray:
        """Recall of each point; 0 without positives."""
        return self.tp / (self.n_positives or 1.0)

    @cached_property
    def rows(self) -> FloatArray:
        """Number of rows at or above each threshold; with weights they are counted by
        another sort.
        """
        if self._rows is not None:
            return self._rows
        if self.checked is None or not self.ranking.weighted:
            return self.retrieved
        return rows_reaching(self.threshold, self.checked.score)

    def reach(self, name: str, level: float) -> BoolArray:
        """Return whether the recall or the precision of each point reaches a level."""
        whole: FloatArray | float = self.retrieved
        rounding = rounding_of_precision(self.ranking)
        if name == "recall":
            whole = self.n_positives or 1.0
            rounding = rounding_of_recall(self.ranking)
        return levels_reached(partial(np.less_equal, level), self.tp, whole, rounding)

    def f_score(self, beta: float) -> FloatArray:
        """Return F-beta, divided by 1 + beta^2: quotients of whole counts, so equal
        ones compare equal.
        """
        square = beta * beta
        return (
            self.recall
            if isinf(square)
            else self.tp / (square * self.n_positives + self.retrieved)
        )

    def best(self, value: FloatArray, allowed: BoolArray) -> int:
        """Return the allowed point of the greatest value; of equal ones, more recall,
        then fewer rows.
        """
        places = np.flatnonzero(allowed)  # lowest threshold first
        # At a prevalence and with weights, equal values may differ by their rounding.
        places = places[
            value[places] >= value[places].max() - EQUAL * abs(value[places].max())
        ]
        places = places[self.tp[places] == self.tp[places].max()]
        return int(places[-1])  # the highest threshold, so the fewest rows

    def at(self, place: int) -> OperatingPoint:
        """Return one of the points; with weights, its rows are counted and added up
        anew.
        """
        [threshold] = self.threshold[place : place + 1].tolist()
        tp, n_negatives = self.tp[place].item(), self.n_negatives
        fn = self.n_positives - tp
        tn = n_negatives - (self.retrieved[place].item() - tp)
        fn *= fn > EQUAL * self.n_positives  # or rounding
        tn *= tn > EQUAL * n_negatives
        specificity = min(tn / n_negatives, 1.0) if n_negatives > 0 else nan
        weight_found = tp * self._unit
        if self.checked is None:
            n_retrieved = int(self.rows[place])
        else:  # a comparison, where `rows` may take a sort
            is_retrieved = self.checked.score >= self.threshold[place]
            n_retrieved = int(np.count_nonzero(is_retrieved))
        # With weights, the sums of the curve do not contain the number of rows, and
        # lose light negatives. What the rows say is a count, a sum of their own weights
        # or a share of these: no number mixes them with the unit of the curve.
        if self.checked is not None and self.checked.weight is not None:
            cells = counts_at(self.checked.positive, is_retrieved, self.checked.weight)
            weight_found = float(TP @ cells.sums)
            if n_negatives > 0:
                specificity = cells.share("specificity")
                tn = specificity * n_negatives
        lower = self.threshold[place - 1].item() if place else -np.inf
        return OperatingPoint(
            threshold=threshold + 0.0
            if isinstance(threshold, float)
            else threshold,  # -0.0 is 0.0
            precision=tp / self.retrieved.item(place) if tp else 0.0,
            recall=tp / (self.n_positives or 1.0),
            specificity=specificity,
            negative_predictive_value=tn / (tn + fn) if tn + fn > 0 else nan,
            n_retrieved=n_retrieved,
            share_retrieved=n_retrieved / self.n_samples,
            weight_found=weight_found,
            # Beyond memory, the next lower score is unknown.
            _short=""
            if self.checked is None
            else short_threshold(threshold, lower, self.threshold.dtype),
        )


class Condition(NamedTuple):
    """A condition on a point: its name, and the level that the point must reach."""

    name: str
    level: float

    @property
    def is_of_negatives(self) -> bool:
        """Whether the condition is about negatives that are retrieved."""
        return self.name in ("specificity", "alarms")

    def of_rows(self, rows: Any) -> Any:
        """Return rows as the condition counts them: false alarms have no weight."""
        return rows._replace(weight=None) if self.name == "alarms" else rows

    def value(self, points: CandidatePoints) -> FloatArray:
        """Return how good each point is."""
        if self.name == "k":
            return points.rows
        if self.name == "beta":
            return points.f_score(self.level)
        # the cost, which never loses digits as a difference of gains would
        if self.name == "miss_cost":
            return -(
                self.level * (points.n_positives - points.tp)
                + (points.retrieved - points.tp)
            )
        return points.precision if self.name == "recall" else points.recall

    def nearness(self, points: CandidatePoints) -> FloatArray:
        """Return how near each point comes to the condition, unless it is F-beta."""
        if self.name == "k":
            return -points.rows
        if self.is_of_negatives:
            return -(points.retrieved - points.tp)
        return points.recall if self.name == "recall" else points.precision

    def allowed(self, points: CandidatePoints) -> BoolArray:
        """Return which points meet the condition."""
        if self.name == "beta":
            return np.ones(points.tp.size, dtype=bool)
        if self.name == "k":
            return np.asarray(points.rows <= self._budget(points))
        if self.name == "miss_cost":
            # Below this precision, to retrieve nothing costs less; it is rounded.
            least = (1 - EQUAL) / (1 + self.level)
            return points.reach("precision", least)
        if self.is_of_negatives:
            n_alarms = points.retrieved - points.tp
            if self.name == "alarms":
                return np.asarray(n_alarms <= self.level)
            # A quotient of counts is compared as it is, one of weights up to rounding.
            least = self.level * (1 - EQUAL * points.ranking.weighted)
            n_negatives = np.full(n_alarms.size, points.n_negatives)
            below = (n_negatives - n_alarms).clip(0.0)  # sums of weights are rounded
            return ratio(below, n_negatives, 1.0) >= least
        return points.reach(self.name, self.level)

    def refusal(self, points: CandidatePoints) -> ValueError:
        """Return the error where no point meets the condition, with what comes nearest
        to it.
        """
        if self.is_of_negatives:
            fewest = -float(self.nearness(points).max())
            if self.name == "alarms":
                limit = f"at least {fewest:.0f}, the negatives"
            else:
                limit = f"at most {1 - fewest / points.n_negatives!r}, that"
            return ValueError(
                f"{self.name} must be {limit} of the highest threshold; got {self.level!r}."
            )
        if self.name != "k":
            # repr() of it can be passed as the level
            nearest = float(self.nearness(points).max())
            if self.name == "miss_cost":
                least = 1 / nearest - 1 if nearest else inf
                return ValueError(
                    f"miss_cost must be at least {least!r}, or to retrieve nothing costs less; got "
                    f"{self.level!r}."
                )
            of_all = (
                "recall of all rows"
                if self.name == "recall"
                else "best precision of all thresholds"
            )
            return ValueError(
                f"{self.name} must be at most {nearest!r}, the {of_all}; got {self.level!r}."
            )
        budget = f", which is {self._budget(points):.0f} of {points.n_samples} rows"
        return ValueError(
            f"k must be at least {points.rows[-1]:.0f} rows, which share the highest score and are retrieved "
            f"together; got {self.level!r}{'' if isinstance(self.level, int) else budget}."
        )

    def _budget(self, points: CandidatePoints) -> float:
        return float(
            cut_depth(np.array([points.n_samples], dtype=np.float64), self.level)[0]
        )


def _read_threshold(threshold: object) -> Any:
    """Check a threshold that was fixed beforehand: a real number, which stays an
    integer if it is one.
    """
    if is_finite(threshold) or (is_real(threshold) and threshold in (-inf, inf)):
        if isinstance(threshold, Integral):
            return int(threshold)
        # A number of numpy keeps its type: numpy compares it in this type, and a number
        # of Python in that of the scores.
        number: Any = (
            threshold if isinstance(threshold, np.generic) else float(threshold)
        )
        return number + 0.0
    raise ValueError(f"threshold must be a number; got {short_repr(threshold)}.")


def read_condition(
    query_id: object = None, unit_id: object = None, **levels: float | None
) -> Condition:
    """Read the single condition of a threshold; with queries, it must be a budget
    `k`.
    """
    *names, last = levels
    levels = {name: level for name, level in levels.items() if level is not None}
    if len(levels) != 1:
        conditions = (
            ", ".join(f"{name}={level!r}" for name, level in levels.items()) or "none"
        )
        raise ValueError(
            f"exactly one of {', '.join(names)} and {last} must be given; got {conditions}."
        )
    [(name, level)] = levels.items()
    readers: dict[str, Callable[[object], Any]] = {
        "k": read_k,
        "alarms": read_alarms,
        "beta": read_beta,
        "miss_cost": read_miss_cost,
        "threshold": _read_threshold,
    }
    condition = Condition(name, readers.get(name, partial(read_level, name))(level))
    if query_id is not None and name != "k":
        raise ValueError(
            "query_id is only valid with k, the budget of each query; got "
            f"{name}={condition.level!r}, which takes all rows as one ranking: leave query_id out."
        )
    if unit_id is not None and name != "threshold":
        raise ValueError(
            f"unit_id requires threshold, whose numbers have intervals; got {name}={condition.level!r}. "
            "budget_totals(..., k=, query_id=, unit_id=) has intervals of what the first rows find."
        )
    return condition
