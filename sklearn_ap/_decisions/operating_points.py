"""Operating points: the numbers of one threshold of a ranking, which one condition
chooses, or which was fixed beforehand.

`conditions` chooses the threshold, and `confusion_matrix` computes its numbers. The
numbers have intervals if the threshold was fixed beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isinf, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.advice import advised
from .._core.ranking.cut import cut_depth, first_places
from .._core.reading.options import (
    check_option,
    read_beta,
    read_prevalence,
)
from .._core.reading.per_ranking import total_of
from .._core.reading.read import CheckedRows, read
from .._core.typing import (
    ArrayLikeOrMapping,
    Label,
    PassedRows,
)
from .._core.user_messages import warn_user
from .._shown.numbers import (
    WithInterval,
    cells_of,
    count_text,
    short_share,
    short_threshold,
)
from .._shown.tables import aligned, json_value
from .._uncertainty import (
    ConfidenceInterval,
    Result,
    read_confidence_level,
    units_of_ranking,
)
from .conditions import CONDITIONS, CandidatePoints, Condition, read_condition
from .confusion_matrix import (
    FN,
    FP,
    OF_ONE_CLASS,
    SHARES,
    TP,
    ConfusionMatrix,
    counts_at,
)
from .wording import CONDITIONS_CALLED_HERE, PLAIN, Basis

if TYPE_CHECKING:
    from pandas import DataFrame


class ConditionNumber(NamedTuple):
    """The number that a condition bounds or optimizes, at the chosen threshold."""

    # As shown in texts, such as "recall", "F2" or "miss_cost".
    name: str
    value: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoint(Result):
    """One threshold of a ranking.

    :func:`operating_point` returns it. The threshold retrieves all rows with ``y_score
    >= threshold``. Rows of weight 0 are not counted. The numbers have intervals if the
    threshold was fixed beforehand. If the threshold was chosen on these rows, its
    numbers are too good: those of other rows would mostly be lower.

    Parameters
    ----------
    threshold : float or int
        The lowest score that is retrieved: one of the scores, unless the threshold was
        fixed beforehand.

    precision : float
        Share of positives among the rows retrieved, in weight; NaN if no row is
        retrieved.

    recall : float
        Share of all positives, found or missed, that is retrieved, in weight; also
        called sensitivity.

    specificity : float
        Share of all negatives that is not retrieved, in weight; NaN without negatives.

    negative_predictive_value : float
        Share of negatives among all that is not retrieved, which includes the missed
        positives, in weight; NaN if everything is retrieved.

    n_retrieved : int
        Number of rows retrieved.

    false_alarms : int
        Number of negative rows retrieved. Weights are ignored.

    share_retrieved : float
        Share of all rows that is retrieved; at a `prevalence`, share of the population.

    weight_found : float
        Weight of the positives retrieved; without weights, their number.

    weight_retrieved : float, default=nan
        Weight of the rows retrieved; without weights, their number.

    share_of_weight_retrieved : float, default=nan
        Weight of the rows retrieved, divided by the weight of all rows.

    Notes
    -----
    The intervals are Wilson's [1]_, whose mean coverage is close to the confidence
    level [2]_. If units have several rows, or rows have different weights, it is the
    interval of Clopper and Pearson with the effective sample size of Korn and Graubard
    [3]_ (:func:`estimate_score`). At a `prevalence`, only recall and specificity have
    intervals.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", JASA 22, 1927. :doi:`10.1080/01621459.1927.10502953`
    .. [2] L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial
       proportion", Statistical Science 16, 2001. :doi:`10.1214/ss/1009213286`
    .. [3] E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data", Survey
       Methodology 24, 1998, pp. 193-201.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> point = operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], recall=0.5)
    >>> point.threshold, point.precision, point.recall
    (0.6, 0.75, 1.0)
    >>> round(point.f_score(), 3), round(point.f_score(beta=0.5), 3)
    (0.857, 0.789)

    A threshold that was fixed beforehand:

    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> point = operating_point(y_true, y_score, threshold=0.7)
    >>> low, high = point.confidence_interval(number="recall")
    >>> print(f"{point.recall:.2f}, {low:.2f} to {high:.2f}")
    0.67, 0.21 to 0.94
    """

    threshold: float
    precision: float
    recall: float
    specificity: float
    negative_predictive_value: float
    n_retrieved: int
    false_alarms: int
    share_retrieved: float
    weight_found: float
    weight_retrieved: float = nan
    share_of_weight_retrieved: float = nan
    # The threshold as text, with as few digits as retrieve the same rows; empty if it
    # is infinite, or was fixed beforehand.
    _short_text: str = ""
    _basis: Basis = PLAIN
    # The confusion matrix of each number that has an interval; None if the threshold
    # was chosen.
    _matrices: dict[str, ConfusionMatrix] | None = None
    # None if the condition is `k`, since the sentence shows the number of rows anyway,
    # or if the threshold was fixed beforehand.
    _condition_number: ConditionNumber | None = None

    def __str__(self) -> str:
        """Return a sentence about the rows that the threshold retrieves; for a fixed
        threshold, a table of its six numbers.
        """
        return "\n".join([self._sentence(), *aligned(self._cells())])

    def _cells(self) -> list[list[str]]:
        """Return a header, and each number of a threshold that was fixed beforehand:
        its name, its value and its 95 % interval, as texts. A chosen one has no table.
        """
        if self._matrices is None:
            return []
        words = {name: name.replace("_", " ") for name in SHARES}
        words["f_score"] = "F1"
        # Without a prevalence, the share retrieved is a share of the number of rows.
        # All other numbers are shares of weights.
        if self._basis.prevalence is None:
            words["share_retrieved"] = "share of these rows retrieved"
            if self._basis.has_weights:
                words["share_retrieved"] += ", without weights"
        shares = self._shares()
        numbers = cells_of([WithInterval(**share) for share in shares.values()])
        rows = [
            [words[name], *texts] for name, texts in zip(shares, numbers, strict=True)
        ]
        return [["at this threshold", "value", "95 % interval"], *rows]

    def _json_values(self) -> dict[str, Any]:
        """Return the fields, and the shares with their intervals."""
        return super()._json_values() | {"shares": json_value(self._shares())}

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row.

        Returns
        -------
        frame : pandas.DataFrame
            The fields. For a threshold that was fixed beforehand, also `f_score`, and
            the endpoints of the 95 % interval of each share, such as `recall_low`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = super().to_frame()
        if self._matrices is not None:
            for name, share in self._shares().items():
                frame[name] = share["value"]
                frame[f"{name}_low"] = share["low"]
                frame[f"{name}_high"] = share["high"]
        return frame

    def f_score(self, beta: float = 1.0) -> float:
        r"""F-beta: the weighted harmonic mean of precision and recall.

        .. math::
            F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

        Without missed positives it equals :func:`sklearn.metrics.fbeta_score` of
        ``y_score >= threshold``.

        Parameters
        ----------
        beta : float, default=1.0
            Recall counts `beta` times as much as precision. F-beta is the precision for
            0, and the recall for infinity.

        Returns
        -------
        f_beta : float
            In [0, 1]; 0.0 if precision and recall are 0.
        """
        beta = read_beta(beta)
        square = beta * beta
        # If `square` overflows, it is infinite, and F-beta is then the recall.
        if isinf(square) or not self.recall > 0:
            # Without positives, the recall is NaN.
            return 0.0 if isnan(self.recall) else self.recall
        return (
            (1 + square)
            * self.precision
            * (self.recall / (square * self.precision + self.recall))
        )

    def confidence_interval(
        self, confidence_level: float = 0.95, *, number: str
    ) -> ConfidenceInterval[float]:
        """Confidence interval of a number, if the threshold was fixed beforehand.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Above 0 and below 1.

        number : str
            ``'precision'``, ``'recall'``, ``'specificity'``,
            ``'negative_predictive_value'``, ``'share_retrieved'`` or ``'f_score'``
            (F1).

        Returns
        -------
        interval : ConfidenceInterval
            With the fields `low` and `high`. Both are NaN if the number is NaN, if it
            is the recall of rows without positives, if a single unit has all of the
            weight of several rows, or if missed positives have unknown weights.

        Raises
        ------
        ValueError
            If the threshold was chosen on these rows, if a prevalence was passed and
            the number depends on it, if the number is not one of these names, or if the
            confidence level is not between 0 and 1.
        """
        confidence_level = read_confidence_level(confidence_level)
        check_option("number", number, SHARES)
        if self._matrices is None:
            raise ValueError(
                f"{number} has no interval, because the threshold was chosen on these "
                f"rows: pass threshold={self.threshold!r} with other rows. For these "
                "rows, estimate_score returns the interval of scores such as "
                "precision_at_recall_score."
            )
        if number not in self._matrices:
            raise ValueError(
                "number must be 'recall' or 'specificity' if a prevalence was passed, "
                f"because other numbers have no interval then; got {number!r}."
            )
        return ConfidenceInterval(
            *self._matrices[number].interval(number, confidence_level)
        )

    def _shares(self) -> dict[str, dict[str, Any]]:
        """Return the "value" of each share, such as the recall, with the endpoints of
        its 95 % interval, "low" and "high"; NaN if it has none. The share that the
        condition bounds is first.
        """
        names = [*SHARES]
        first = self._condition_number
        if first is not None and first.name in SHARES:
            # The second time that this name occurs, its place in the dictionary stays.
            names.insert(0, first.name)
        matrices = self._matrices or {}
        shares = {}
        for name in names:
            value = self.f_score() if name == "f_score" else getattr(self, name)
            low = high = nan
            if name in matrices:
                low, high = matrices[name].interval(name, 0.95)
            shares[name] = {"value": value, "low": low, "high": high}
        return shares

    def _threshold_text(self) -> str:
        """Return the threshold as text, with as few digits as retrieve the same rows;
        with all digits if it was fixed beforehand.
        """
        return self._short_text or str(self.threshold).removesuffix(".0")

    def _chosen_numbers(self) -> Iterable[str]:
        """Return the numbers of a chosen threshold, as texts: the number that the
        condition bounds or optimizes, and then precision and recall.
        """
        texts = {
            name: f"{name} {_share_text(getattr(self, name))}"
            for name in ("precision", "recall")
        }
        if self._condition_number is not None:
            name, value = self._condition_number
            text = f"{name} {_share_text(value)}"
            # The unit of costs is a false alarm. A sum of costs may be infinite.
            if name in ("false_alarms", "miss_cost"):
                noun = "false alarm" if value == 1 else "false alarms"
                text = f"{count_text(value)} {noun}"
            if name == "miss_cost":
                text = f"a cost of {text}"
            texts = {name: text} | texts
        return texts.values()

    def _sentence(self) -> str:
        """Return the sentence about the rows that the threshold retrieves; for one that
        was fixed beforehand, the line above the table of its numbers.
        """
        scores = f"{self._threshold_text()} or more"
        weight = ""
        if self._basis.has_weights:
            weight = (
                f" (sample_weight {count_text(self.weight_retrieved)}, "
                f"{100 * self.share_of_weight_retrieved:.3g} % of all)"
            )
        rows = f"{self.n_retrieved:,} rows{weight} with scores of {scores} have"
        if self.n_retrieved == 1:
            rows = f"1 row{weight} with a score of {scores} has"
        if isinf(self.threshold) and self._matrices is None:
            rows = (
                "no row is retrieved, since a threshold must be above all scores: it "
                "has"
            )
        if self._matrices is not None:
            return f"{rows} these numbers{self._basis.clause}:"
        *first, last = self._chosen_numbers()
        return f"{rows} {', '.join(first)} and {last}{self._basis.clause}."

    def _number_of(
        self, condition: Condition, matrix: ConfusionMatrix
    ) -> ConditionNumber | None:
        """Return the number that a condition bounds or optimizes, at this threshold.

        Return None for `k` (`_condition_number`).
        """
        name, level = condition
        if name == "k":
            return None
        if name == "miss_cost":
            sums = matrix.at_prevalence(self._basis.prevalence).sums
            return ConditionNumber(name, level * sums[FN] + sums[FP])
        if name == "beta":
            if 0 < level < inf:
                return ConditionNumber(f"F{level:g}", self.f_score(level))
            # F-beta is the precision for a beta of 0, and the recall for infinity.
            name = "recall" if level else "precision"
        return ConditionNumber(name, getattr(self, name))


def _share_text(value: float) -> str:
    """Return the text of a share."""
    return "undefined" if isnan(value) else short_share(value)


@partial(advised, called_here=CONDITIONS_CALLED_HERE)
def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float | None = None,
    precision: float | None = None,
    specificity: float | None = None,
    k: int | float | None = None,
    false_alarms: float | None = None,
    beta: float | None = None,
    miss_cost: float | None = None,
    threshold: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    unit_id: ArrayLike | None = None,
) -> OperatingPoint:
    """Best threshold for a recall, a precision, a budget, F-beta or costs.

    Pass exactly one of `recall`, `precision`, `specificity`, `k`, `false_alarms`,
    `beta`, `miss_cost` and `threshold`. Unless `threshold` is passed, the threshold of
    the result is one of the scores, with all digits: ``y_score >= threshold`` retrieves
    exactly the rows that are counted. If only a threshold above all scores meets a
    specificity, a budget or a number of false alarms, or if it costs least, it is
    infinite: no row is retrieved, the recall is 0 and the precision is NaN.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels. Labels may be of any kind if `pos_label` is passed.

    y_score : array-like of shape (n_samples,)
        Scores. The row with the highest score ranks first.

    recall : float, default=None
        Maximize precision at this recall or more.

    precision : float, default=None
        Maximize recall at this precision or more.

    specificity : float, default=None
        Maximize recall at this specificity or more. A false positive rate of .01 is a
        specificity of .99.

    k : int or float, default=None
        Maximize recall with at most this number of all rows, not per day: an int, or a
        share of the rows, above 0 and below 1 (rounded, at least one row). Rows of
        equal score are retrieved together, so there may be fewer.

    false_alarms : float, default=None
        Maximize recall with at most this number of negative rows, 0 or at least 1;
        weights are ignored. For two false alarms per scan [4]_, pass ``2 * n_scans``.

    beta : float, default=None
        Maximize F-beta [1]_, defined as by :func:`sklearn.metrics.fbeta_score`. Pass 0
        to maximize precision, infinity to maximize recall.

    miss_cost : float, default=None
        Minimize the cost, if a false negative costs as much as `miss_cost` false alarms
        [3]_: the threshold maximizes ``miss_cost * TP - FP``, in weight.

    threshold : float, default=None
        A threshold that was fixed beforehand, whose numbers have intervals.

    pos_label : int, float, bool or str, default=None
        Label of the positive class. By default, it is 1, if the labels are in {0, 1} or
        {-1, 1}.

    sample_weight : array-like of shape (n_samples,), default=None
        As for :func:`average_precision_score`; `k` is a number of rows, whatever their
        weights.

    n_positives : float or mapping, default=None
        Total number of positives, found or missed. With `unit_id`, the total of each
        unit by its id, also of units without rows: a mapping, or a Series such as
        ``lesions.groupby("scan").size()``.

    prevalence : float, default=None
        Share of positives in the population where the threshold will be used, as for
        :func:`average_precision_score`. Then only recall and specificity have
        intervals.

    unit_id : array-like of shape (n_samples,), default=None
        Sampled unit of each row, such as its customer; by default, each row is a unit.
        Only with `threshold`.

    Returns
    -------
    point : OperatingPoint
        If several thresholds are equally good, the point is the one with the highest
        recall and, among those, with the fewest rows; with `k`, the one with the most
        rows. Without positives, a warning is raised; recall is NaN, and precision 0.0
        if rows are retrieved.

    Raises
    ------
    ValueError
        If no threshold meets a recall or a precision. The message names the nearest
        level that a threshold meets.

    See Also
    --------
    budget_totals : Positives and amounts among the first rows of each query.
    precision_at_recall_score : Best precision where the recall reaches a level.
    recall_at_precision_score : Best recall where the precision reaches a level.
    sklearn.model_selection.FixedThresholdClassifier :
        Classifier with a given threshold.
    sklearn.model_selection.TunedThresholdClassifierCV :
        Classifier whose threshold is found by cross-validation.

    Notes
    -----
    Levels are compared exactly or, if sums of weights are rounded, up to this rounding:
    a recall of 4/5 reaches 0.8. The end point (recall 0, precision 1) of
    :func:`sklearn.metrics.precision_recall_curve` is not a threshold [2]_. Precision
    and recall are too good on the rows on which the threshold was chosen, so report
    them on other rows.

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

    A false negative costs as much as two false alarms:

    >>> operating_point(y_true, y_score, miss_cost=2).threshold
    0.6
    """
    condition = read_condition(
        unit_id,
        recall=recall,
        precision=precision,
        specificity=specificity,
        k=k,
        false_alarms=false_alarms,
        beta=beta,
        miss_cost=miss_cost,
        threshold=threshold,
    )
    basis = Basis(sample_weight is not None, read_prevalence(prevalence))
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, None, n_positives, unit_id
    )
    checked = read(inputs, caller="operating_point", one_column=True)
    if condition.name == "threshold":
        return _fixed_point(condition.level, checked, basis)
    chosen, short_text = _best_threshold(condition, checked, basis.prevalence)
    matrix_of_rows = counts_at(checked, checked.score >= chosen)
    matrix = matrix_of_rows.with_missed_positives(total_of(checked.totals))
    point = _point_at(chosen, matrix_of_rows, matrix, basis)
    number = point._number_of(condition, matrix)
    return replace(point, _short_text=short_text, _condition_number=number)


def _fixed_point(
    threshold: Any,
    checked: CheckedRows,
    basis: Basis,
) -> OperatingPoint:
    """Return a threshold that was fixed beforehand, whose numbers have intervals."""
    retrieved = checked.score >= threshold
    units = units_of_ranking(checked)
    unit = units.unit_of_row
    matrix_of_rows = counts_at(checked, retrieved, unit, has_intervals=True)
    if units.totals is None:
        # Missed positives, if there is a total, are units of their own.
        matrix = matrix_of_rows.with_missed_positives(total_of(checked.totals))
    else:
        missed = units.missed_by_unit(checked.positive)
        matrix = counts_at(checked, retrieved, unit, missed, has_intervals=True)
    point = _point_at(threshold, matrix_of_rows, matrix, basis)
    if basis.prevalence is not None:
        # Numbers of both classes have no intervals at a prevalence.
        return replace(point, _matrices=dict.fromkeys(OF_ONE_CLASS, matrix))
    # The share retrieved is a share of the number of rows, without their weights and
    # without missed positives.
    unweighted_matrix = matrix_of_rows
    if checked.weight is not None:
        unweighted = checked._replace(weight=None)
        unweighted_matrix = counts_at(unweighted, retrieved, unit, has_intervals=True)
    matrices = dict.fromkeys(SHARES, matrix) | {"share_retrieved": unweighted_matrix}
    return replace(point, _matrices=matrices)


def _best_threshold(
    condition: Condition,
    checked: CheckedRows,
    prevalence: float | None,
) -> tuple[Any, str]:
    """Return the best threshold that a condition allows, in the type of the scores, and
    its text with as few digits as retrieve the same rows.
    """
    rule, level = CONDITIONS[condition.name], condition.level
    rows = checked
    if rule.ignores_prevalence_and_total:
        prevalence = None
        rows = rows._replace(totals=None)
    if rule.ignores_weights:
        rows = rows._replace(weight=None)
    if condition.name == "k":
        # `k` may be a share of the rows. `Rule.allowed` takes their number.
        k = int(cut_depth(np.array([rows.score.size]), level)[0])
        level = k
        # The first k rows and the next lower score determine the threshold, so the
        # other rows need no sort.
        rows = rows.take(first_places(rows.score, k + 1))
    points = CandidatePoints(rows, prevalence)
    allowed = rule.allowed(points, level)
    if not allowed.any():
        _check_can_be_infinite(condition, points)
        # A threshold above all scores retrieves no row, which meets the condition, or
        # costs least.
        return inf, ""
    best = points.best(rule.maximized(points, level), allowed)
    threshold = points.threshold[best]
    # The points have the lowest threshold first.
    next_lower = points.threshold[best - 1] if best else -inf
    return threshold, short_threshold(threshold.item(), next_lower)


def _check_can_be_infinite(condition: Condition, points: CandidatePoints) -> None:
    """Raise ValueError unless a threshold above all scores exists and meets the
    condition, which no point meets.
    """
    name, level = condition
    if not CONDITIONS[name].may_retrieve_nothing:
        nearest = float(getattr(points, name).max())
        raise ValueError(
            f"{name} must be at most {nearest}, or no threshold meets it; got "
            f"{level!r}."
        )
    if points.threshold[-1] == inf:
        raise ValueError(
            f"y_score must be finite, because {name}={level!r} requires a threshold "
            "above all scores here; got inf."
        )


def _point_at(
    threshold: Any,
    matrix_of_rows: ConfusionMatrix,
    matrix: ConfusionMatrix,
    basis: Basis,
) -> OperatingPoint:
    """Return the operating point of a threshold. `matrix` includes the missed
    positives, and `matrix_of_rows` does not.
    """
    n_retrieved = int(matrix.rows[FP] + matrix.rows[TP])
    # Recall and specificity do not depend on the prevalence.
    reweighted = matrix.at_prevalence(basis.prevalence)
    share_retrieved = n_retrieved / sum(matrix_of_rows.rows)
    if basis.prevalence is not None:
        share_retrieved = reweighted.share("share_retrieved")
    recall = matrix.share("recall")
    if isnan(recall):
        warn_user("y_true contains no positives, so recall is NaN at every threshold.")
    number = np.asarray(threshold).tolist()
    if isinstance(number, float):
        # Adding 0.0 turns -0.0 into 0.0.
        number += 0.0
    return OperatingPoint(
        threshold=number,
        precision=reweighted.share("precision"),
        recall=recall,
        specificity=matrix.share("specificity"),
        negative_predictive_value=reweighted.share("negative_predictive_value"),
        n_retrieved=n_retrieved,
        false_alarms=int(matrix.rows[FP]),
        share_retrieved=share_retrieved,
        weight_found=matrix.sums[TP],
        weight_retrieved=matrix.sums[FP] + matrix.sums[TP],
        share_of_weight_retrieved=matrix_of_rows.share("share_retrieved"),
        _basis=basis,
    )
