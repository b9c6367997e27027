"""The threshold of a ranking that one condition chooses, or that was fixed beforehand.

`conditions` has the conditions, `confusion_matrix` computes the numbers of the
threshold, and `point` shows them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.advice import advised
from .._core.ranking.cut import cut_depth, first_places
from .._core.reading.options import read_prevalence
from .._core.reading.read import CheckedRows, read
from .._core.typing import (
    ArrayLikeOrMapping,
    Label,
    PassedRows,
)
from .._core.user_messages import warn_user
from .._shown.numbers import short_threshold
from .._uncertainty import units_of_ranking
from .conditions import CONDITIONS, CandidatePoints, Condition, read_condition
from .confusion_matrix import FP, TP, ConfusionMatrix, counts_at
from .point import OperatingPoint
from .wording import CONDITIONS_CALLED_HERE, Basis


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
    matrix = matrix_of_rows.with_missed_positives(checked.totals)
    point = _point_at(chosen, matrix_of_rows, matrix, basis)
    number = point._number_of(condition, matrix)
    return replace(point, _short_text=short_text, _condition_number=number)


def _fixed_point(
    threshold: Any,
    checked: CheckedRows,
    basis: Basis,
) -> OperatingPoint:
    """Return a threshold that was fixed beforehand, whose numbers have intervals."""
    # A number is compared in the type of the scores, which may not represent it.
    with np.errstate(over="ignore"):
        retrieved = checked.passed_score >= threshold
    units = units_of_ranking(checked)
    unit = units.unit_of_row
    unweighted = checked._replace(weight=None)
    matrix_of_rows = counts_at(checked, retrieved, unit, has_intervals=True)
    if units.totals is None:
        # Missed positives, if there is a total, are units of their own.
        matrix = matrix_of_rows.with_missed_positives(checked.totals)
    else:
        # All weights are equal, so they have no effect on shares.
        missed = units.missed_by_unit(checked.positive)
        matrix = counts_at(unweighted, retrieved, unit, missed, has_intervals=True)
    point = _point_at(threshold, matrix_of_rows, matrix, basis)
    # At a prevalence, the share retrieved has no interval.
    if checked.weight is not None and basis.prevalence is None:
        matrix_of_rows = counts_at(unweighted, retrieved, unit, has_intervals=True)
    return replace(point, _matrix=matrix, _matrix_of_rows=matrix_of_rows)


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
        weight_found=matrix_of_rows.sums[TP],
        weight_retrieved=matrix_of_rows.sums[FP] + matrix_of_rows.sums[TP],
        share_of_weight_retrieved=matrix_of_rows.share("share_retrieved"),
        _basis=basis,
    )
