"""Operating points: one threshold of a ranking, chosen by one condition or fixed
beforehand.

`conditions` chooses the threshold. Its numbers are those of four cells of rows
(`cells_of_threshold`), and have intervals if it was fixed beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import inf, isinf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.evaluate import points_in
from .._core.ranking.cut import cut_depth, first_places
from .._core.reading.names import warn_of_other_order
from .._core.reading.options import (
    check_option,
    read_beta,
    read_prevalence,
    short_repr,
)
from .._core.reading.per_ranking import read_total
from .._core.reading.read import CheckedRows, read
from .._core.typing import FloatArray, Label, PassedRows
from .._core.user_messages import warn_user
from .._core.words import with_hints
from .._shown.numbers import part_of, short_threshold
from .._shown.tables import json_value
from .._uncertainty.ends import ConfidenceInterval
from .._uncertainty.results import Result, read_confidence_level, with_interval
from .._uncertainty.sample import unit_numbers
from .budgets import PLAIN, Wording
from .cells_of_threshold import FN, FP, SHARES, TP, ThresholdCounts, counts_at
from .conditions import CandidatePoints, Condition, read_condition

_FIRST_NUMBERS = "precision", "recall"  # of a sentence


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
        A score that occurs.

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

    alarms : int
        Number of negative rows retrieved, whatever their weights: false alarms.

    share_retrieved : float
        The same as a share of all rows; at a `prevalence`, of the population.

    weight_found : float
        Weight of the positives retrieved; without weights, their number.

    Notes
    -----
    Intervals of rows are Wilson's [1]_, which cover nearest to their level on average
    [2]_. With units of several rows, or rows of different weights, the interval is that
    of a sample with one more event, such as one more unit with false alarms [4]_. At a
    `prevalence`, the others follow from the intervals of recall and specificity [3]_.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", JASA 22, 1927. :doi:`10.1080/01621459.1927.10502953`
    .. [2] L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial
       proportion", Statistical Science 16, 2001. :doi:`10.1214/ss/1009213286`
    .. [3] A. Donner, G. Y. Zou, "Closed-form confidence intervals for functions of the
       normal mean and standard deviation", Statistical Methods in Medical Research 21,
       2012. :doi:`10.1177/0962280210383082`
    .. [4] M. P. Fay, E. J. Feuer, "Confidence intervals for directly standardized
       rates: a method based on the gamma distribution", Statistics in Medicine 16, 1997.
       :doi:`10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#`

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
    alarms: int
    share_retrieved: float
    weight_found: float
    # The threshold, in the digits that it needs.
    _short: str = ""
    _basis: Wording = PLAIN
    # The cells of each number, if the threshold was fixed beforehand.
    _cells: dict[str, ThresholdCounts] | None = None
    # What was asked for, unless it is a number of rows, and what the point reaches.
    _asked: tuple[str, float] | None = None

    def __str__(self) -> str:
        """Return in a sentence what the threshold retrieves; the six numbers of a fixed
        one are a table.
        """
        table = self.table()
        texts = {}
        if self._asked is not None:
            name, value = self._asked
            texts[name] = "undefined" if isnan(value) else part_of(value)
            if name in ("alarms", "miss_cost"):
                texts[name] += " false alarm" + "s" * (value != 1)
        texts |= {
            name: "undefined" if isnan(table[name][0]) else with_interval(*table[name])
            for name in (table if self._cells else _FIRST_NUMBERS)
        }
        words = {"f_score": "F1", "miss_cost": "a cost of", "alarms": ""}
        if self._basis.prevalence is None:  # It counts rows, as no other number does.
            without = ", without weights" * (self._basis.weight_name is not None)
            words["share_retrieved"] = f"share of these rows retrieved{without}"
        texts = {
            words.get(name, name.replace("_", " ")): text
            for name, text in texts.items()
        }
        retrieved = f"{threshold_text(self)} {self._basis.or_more}"
        rows = f"{self.n_retrieved:,} rows with scores of {retrieved} have"
        if self.n_retrieved == 1:
            rows = f"1 row with a score of {retrieved} has"
        if self._cells:
            width = max(map(len, texts))
            lines = [f"  {name:{width}}  {text}" for name, text in texts.items()]
            return "\n".join([f"{rows}{self._basis.clause}:", *lines])
        *first, last = (f"{name} {text}".lstrip() for name, text in texts.items())
        return f"{rows} {', '.join(first)} and {last}{self._basis.clause}."

    def _numbers(self) -> dict[str, Any]:
        """Return the fields, and the table."""
        table = {
            name: dict(zip(("value", "low", "high"), row, strict=True))
            for name, row in self.table().items()
        }
        return super()._numbers() | {"table": json_value(table)}

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
            (F1).

        confidence_level : float, default=0.95
            Above 0 and below 1.

        Returns
        -------
        interval : ConfidenceInterval
            With the fields `low` and `high`. NaN if the number is NaN, if one unit has
            all of its rows, if the weights of missed positives are unknown, or if rows
            without positives have a prevalence.

        Raises
        ------
        ValueError
            If the threshold was chosen on these rows; for another name, or a level that
            is not a share.
        """
        level = read_confidence_level(confidence_level)
        check_option("number", number, self._values())
        if self._cells is None:
            raise ValueError(
                f"{number} has no interval, because these rows chose the threshold: "
                f"pass threshold={self.threshold!r} with other rows. On these, "
                "estimate_score has the interval of scores such as "
                "precision_at_recall_score."
            )
        return ConfidenceInterval(*self._ends(number, level))

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
        level = read_confidence_level(confidence_level)
        return {
            name: (value, *self._ends(name, level))
            for name, value in self._values().items()
        }

    def _values(self) -> dict[str, float]:
        """Return the numbers, what was asked for first."""
        values = {name: getattr(self, name) for name in SHARES}
        values["f_score"] = self.f_score()
        if self._asked is not None and self._asked[0] in values:
            asked, value = self._asked
            values = {asked: value} | values
        return values

    def _ends(self, number: str, level: float) -> tuple[float, float]:
        """Return the interval of a number; NaN if these rows chose the threshold."""
        if self._cells is None:
            return nan, nan
        return self._cells[number].interval(number, level, self._basis.prevalence)


def threshold_text(point: OperatingPoint) -> str:
    """Return the threshold of a point in the digits that it needs; a fixed one keeps
    its digits.
    """
    return point._short or str(point.threshold)


@with_hints
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
    sample_weight: ArrayLike | None = None,
    n_positives: float | None = None,
    prevalence: float | None = None,
    unit_id: ArrayLike | None = None,
) -> OperatingPoint:
    """Best threshold at a recall, a precision, a budget, by F-beta or by costs.

    Exactly one of `recall`, `precision`, `specificity`, `k`, `alarms`, `beta`,
    `miss_cost` and `threshold` is given. The threshold is a score that occurs:
    ``y_score >= threshold`` retrieves exactly the rows that were counted here.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels; any labels if `pos_label` is given.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first.

    recall : float, default=None
        The best precision at this recall or more.

    precision : float, default=None
        The best recall at this precision or more.

    specificity : float, default=None
        The best recall at this specificity or more. A false positive rate of .01 is a
        specificity of .99.

    k : int or float, default=None
        The most rows of a budget: an int, or a share in (0, 1]. Rows of equal score are
        retrieved together, so there may be fewer.

    alarms : int, default=None
        The best recall with at most so many negative rows, whatever their weights: two
        per scan [4]_ are ``2 * n_scans``.

    beta : float, default=None
        The best F-beta [1]_, as :func:`sklearn.metrics.fbeta_score` has it: 0 is the
        best precision, infinity the best recall.

    miss_cost : float, default=None
        The least cost, where a missed positive costs as much as `miss_cost` false
        alarms [3]_: the threshold maximises ``miss_cost * TP - FP``, in weight.

    threshold : float, default=None
        A threshold that was fixed beforehand; its numbers have intervals.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1,
        1}.

    sample_weight : array-like of shape (n_samples,), default=None
        As for :func:`average_precision_score`; `k` still counts rows.

    n_positives : float, default=None
        Total number of positives, found or missed.

    prevalence : float, default=None
        Share of positives where the threshold will be used, as for
        :func:`average_precision_score`.

    unit_id : array-like of shape (n_samples,), default=None
        With `threshold`: what was drawn together, such as customers; by default rows.

    Returns
    -------
    point : OperatingPoint
        Of equally good thresholds the one with more recall, then with fewer rows. Without
        positives, precision and recall are 0.0, with a warning.

    Raises
    ------
    ValueError
        If no threshold meets the condition: the text names the best that one does.

    See Also
    --------
    budget_totals, precision_at_recall_score, recall_at_precision_score,
    sklearn.model_selection.FixedThresholdClassifier,
    sklearn.model_selection.TunedThresholdClassifierCV

    Notes
    -----
    A level that is met is met: a recall of 4/5 reaches 0.8. The end point (recall 0,
    precision 1) of :func:`sklearn.metrics.precision_recall_curve` is not a threshold
    [2]_. A threshold that is chosen on some rows is too good for these rows: report
    precision and recall on others.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, chapter 7,
       Butterworths, 1979.
    .. [2] `scikit-learn issue 20266
       <https://github.com/scikit-learn/scikit-learn/issues/20266>`_
    .. [3] C. Elkan, "The foundations of cost-sensitive learning", IJCAI 2001.
       https://cseweb.ucsd.edu/~elkan/rescale.pdf
    .. [4] D. P. Chakraborty, "Maximum likelihood analysis of free-response receiver
       operating characteristic (FROC) data", Medical Physics 16, 1989.
       :doi:`10.1118/1.596358`

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> operating_point(y_true, y_score, recall=0.5).threshold
    0.6

    A budget of three rows, where three rows share the second score:

    >>> operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.5], k=3).n_retrieved
    1

    A missed positive costs as much as two false alarms:

    >>> operating_point(y_true, y_score, miss_cost=2).threshold
    0.6
    """
    condition = read_condition(
        unit_id,
        recall=recall,
        precision=precision,
        specificity=specificity,
        k=k,
        alarms=alarms,
        beta=beta,
        miss_cost=miss_cost,
        threshold=threshold,
    )
    if n_positives is not None and unit_id is not None:
        raise ValueError(
            "n_positives must be left out where unit_id is given, since missed "
            f"positives have no unit; got {short_repr(n_positives)}."
        )
    name = None if sample_weight is None else "sample_weight"
    basis = Wording(name, read_prevalence(prevalence))
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, n_positives=n_positives
    )
    checked = read(inputs, caller="operating_point", as_curve=True)
    unit = None
    if unit_id is not None:
        warn_of_other_order({"y_true": y_true, "unit_id": unit_id})
        unit = unit_numbers(unit_id, np.shape(y_score)[0], sample_weight)
    total = read_total(n_positives)
    chosen: Any = condition.level
    lower = None
    if threshold is None:
        chosen, lower = _best_threshold(condition, checked, basis.prevalence, total)
    retrieved = checked.score >= chosen
    count = partial(counts_at, checked.positive, retrieved, unit=unit)
    cells = of_rows = count(checked.weight)
    if checked.weight is not None and threshold is not None:
        of_rows = count()
    return _point_at(
        chosen,
        cells,
        total,
        basis,
        of_rows=None if threshold is None else of_rows,
        lower=lower,
        condition=condition,
    )


def _best_threshold(
    condition: Condition,
    checked: CheckedRows,
    prevalence: float | None,
    total: FloatArray | None,
) -> tuple[Any, Any]:
    """Return the best threshold that a condition allows, in the type of the scores, and
    the next lower score.
    """
    bound = condition
    if condition.name == "k":
        # Only scores decide: those of the first rows, and the next lower one.
        depth = int(cut_depth(np.array([checked.score.size]), condition.level)[0])
        bound = condition._replace(level=depth)
        first = first_places(checked.score, depth + 1)
        points = points_of(checked.take(first)._replace(weight=None), None, None)
    elif condition.name == "alarms":  # which have no weight
        points = points_of(checked._replace(weight=None), None, None)
    elif condition.name == "specificity":
        # Neither a prevalence nor missed positives change it.
        points = points_of(checked, None, None)
    else:
        points = points_of(checked, prevalence, total)
    allowed = bound.allowed(points)
    if not allowed.any():
        raise condition.refusal(points)
    best = points.best(condition.value(points), allowed)
    return points.threshold[best], points.threshold[best - 1] if best else -inf


def _point_at(
    threshold: Any,
    cells: ThresholdCounts,
    total: FloatArray | None,
    basis: Wording,
    *,
    of_rows: ThresholdCounts | None,
    lower: Any,
    condition: Condition,
) -> OperatingPoint:
    """Return the point of a condition from the cells of its threshold, with intervals
    if that was fixed beforehand: then the cells `of_rows` are passed, which count rows.

    `total` is the weight of all positives, if it was stated. With the next `lower`
    score, the text of the threshold has the digits that it needs.
    """
    n_rows = int(sum(cells.rows))
    n_alarms = int(cells.rows[FP])
    n_retrieved = n_alarms + int(cells.rows[TP])
    cells = cells.completed(total)
    tn, fn, fp, tp = cells.sums
    weighed = cells
    share_retrieved = n_retrieved / n_rows
    if basis.prevalence is not None:
        factor = cells.factor(basis.prevalence)
        weighed = cells._replace(sums=[factor * tn, fn, factor * fp, tp])
        share_retrieved = weighed.share("share_retrieved")
    if not fn + tp:
        warn_user(
            "y_true contains no positives, so precision and recall are 0.0 at every "
            "threshold."
        )
    fixed = None
    if of_rows is not None:
        fixed = dict.fromkeys(SHARES, cells)
        if basis.prevalence is None:
            fixed["share_retrieved"] = of_rows
    number = np.asarray(threshold).tolist()
    point = OperatingPoint(
        # -0.0 becomes 0.0
        threshold=number + 0.0 if isinstance(number, float) else number,
        precision=weighed.share("precision"),
        recall=cells.share("recall") if fn + tp else 0.0,
        specificity=cells.share("specificity"),
        negative_predictive_value=weighed.share("negative_predictive_value"),
        n_retrieved=n_retrieved,
        alarms=n_alarms,
        share_retrieved=share_retrieved,
        weight_found=tp,
        _short="" if lower is None else short_threshold(number, lower, threshold.dtype),
        _basis=basis,
        _cells=fixed,
    )
    asked = _reached(condition, point, weighed)
    return replace(point, _asked=asked)


def _reached(
    condition: Condition, point: OperatingPoint, cells: ThresholdCounts
) -> tuple[str, float] | None:
    """Return what a condition asks for, and what a point reaches of it; a sentence
    begins with a number of rows, and with a threshold.
    """
    name, level = condition
    if name == "beta":
        if 0 < level < inf:
            return f"F{level:g}", point.f_score(level)
        name = "recall" if level else "precision"
    if name in ("recall", "precision", "specificity", "alarms"):
        return name, getattr(point, name)
    if name == "miss_cost":
        return "miss_cost", level * cells.sums[FN] + cells.sums[FP]
    return None


def points_of(
    checked: CheckedRows, prevalence: float | None, total: FloatArray | None
) -> CandidatePoints:
    """Return all operating points of rows, at a prevalence if one is given."""
    ranking, points = points_in(checked, total, prevalence)
    return CandidatePoints(ranking, points, checked)
