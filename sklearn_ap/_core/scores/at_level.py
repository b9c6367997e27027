"""Scores at one threshold: the best precision at a recall, the best recall at a
precision, and R-precision, where precision equals recall.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..advice import advised
from ..areas.hits import HITS, RECALL_AT_PRECISION
from ..areas.interpolated import INTERPOLATED
from ..definition import Definition, at_level, define
from ..evaluate import score_rows
from ..reading.options import TIES, check_option, read_level, read_prevalence
from ..typing import (
    ArrayLikeOrMapping,
    AveragedBy,
    FloatArray,
    Label,
    PassedRows,
    Share,
    TiePolicy,
    ZeroDivision,
)


def precision_at_recall(recall: float, prevalence: Share) -> Definition:
    """Return the definition of `precision_at_recall_score` with these options."""
    return at_level(
        INTERPOLATED, read_level("recall", recall), read_prevalence(prevalence)
    )


@advised
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Best precision of the thresholds whose recall is at least `recall`.

    .. math::
        p_{interp}(r) = \max_{R_n \ge r} P_n

    where :math:`P_n` and :math:`R_n` are precision and recall at the n-th distinct
    score from the top. This is the interpolated precision [1]_ at one recall.

    For example, a detector that must find 80 % of the positives is judged by its
    precision at a recall of 0.8. :func:`operating_point` returns the threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    recall : float
        The recall that a threshold must reach, in [0, 1]. There is no default, since it
        depends on the use of the model.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        As for :func:`average_precision_score`; None returns one score per ranking.

    pos_label : int, float, bool or str, default=1
        Label of the positive class. If `y_score` has one column, any class can be
        positive, against all others. If it has one column per class or label,
        `pos_label` must be 1.

    sample_weight : array-like of shape (n_samples,), default=None
        As for :func:`average_precision_score`.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, for binary `y_true`. Each query is a ranking of its own.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, including missed positives, as for
        :func:`average_precision_score`.

    prevalence : float, default=None
        Share of positives at which each ranking is scored, as for
        :func:`average_precision_score`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives, as for :func:`average_precision_score`.

    Returns
    -------
    precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; 0.0 if no threshold reaches the recall, because too many positives
        were missed; an array if ``average=None``.

    See Also
    --------
    operating_point : Threshold that reaches a recall, a precision or a budget.
    recall_at_precision_score : Best recall where the precision reaches a level.
    interpolated_average_precision_score :
        Mean of the best precision at each recall or beyond.

    Notes
    -----
    This score is ``interpolated_average_precision_score(..., recall_levels=[recall])``.
    A recall of 4/5 reaches 0.8, as in ``precision_recall_curve(...)[1] >= recall``;
    sums of weights are compared up to rounding.

    *How other libraries call this number*:
    ``binary_precision_at_fixed_recall(min_recall=...)`` of torchmetrics, for scores in
    [0, 1]. ``PrecisionAtRecall`` of Keras reads the curve at 200 thresholds only.

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import precision_at_recall_score
    >>> precision_at_recall_score([1, 0, 1, 1, 0], [9, 8, 7, 6, 5], recall=0.5)
    0.75

    Two of five objects were detected, so no threshold finds three:

    >>> precision_at_recall_score([1, 1, 0], [0.9, 0.8, 0.7], recall=0.6, n_positives=5)
    0.0
    """
    return score_rows(
        "precision_at_recall_score",
        precision_at_recall(recall, prevalence),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def recall_at_precision(precision: float, prevalence: Share) -> Definition:
    """Return the definition of `recall_at_precision_score` with these options."""
    return at_level(
        RECALL_AT_PRECISION,
        read_level("precision", precision),
        read_prevalence(prevalence),
    )


@advised
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Best recall of the thresholds whose precision is at least `precision`.

    .. math::
        \max_{P_n \ge p} R_n

    where :math:`P_n` and :math:`R_n` are precision and recall at the n-th distinct
    score from the top.

    For example, if nine of ten alerts must be right, a detector is judged by its recall
    [1]_ at a precision of 0.9. :func:`operating_point` returns the threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    precision : float
        The precision that a threshold must reach, in [0, 1]. There is no default, since
        it depends on the use of the model.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        As for :func:`average_precision_score`; None returns one score per ranking.

    pos_label : int, float, bool or str, default=1
        Label of the positive class. If `y_score` has one column, any class can be
        positive, against all others. If it has one column per class or label,
        `pos_label` must be 1.

    sample_weight : array-like of shape (n_samples,), default=None
        As for :func:`average_precision_score`.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, for binary `y_true`. Each query is a ranking of its own.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, including missed positives, as for
        :func:`average_precision_score`.

    prevalence : float, default=None
        Share of positives at which each ranking is scored, as for
        :func:`average_precision_score`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives, as for :func:`average_precision_score`.

    Returns
    -------
    recall : float or ndarray of shape (n_rankings,)
        In [0, 1]; 0.0 if no threshold reaches the precision; an array if
        ``average=None``.

    See Also
    --------
    operating_point : Threshold that reaches a recall, a precision or a budget.
    precision_at_recall_score : Best precision where the recall reaches a level.
    recall_at_k_score : Share of the positives that are among the first k rows.

    Notes
    -----
    A precision of 4/5 reaches 0.8, as in ``precision_recall_curve(...)[0] >=
    precision``; sums of weights are compared up to rounding.

    *How other libraries call this number*:
    ``binary_recall_at_fixed_precision(min_precision=...)`` of torchmetrics, for scores
    in [0, 1]; it rounds precisions to float32, so that 7/10 does not reach the level
    0.7. ``RecallAtPrecision`` of Keras reads the curve at 200 thresholds only.

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> recall_at_precision_score(y_true, y_score, precision=0.75)
    1.0
    >>> recall_at_precision_score(y_true, y_score, precision=0.8)
    0.3333333333333333
    """
    return score_rows(
        "recall_at_precision_score",
        recall_at_precision(precision, prevalence),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def r_precision(ties: TiePolicy) -> Definition:
    """Return the definition of `r_precision_score` with this option."""
    check_option("ties", ties, TIES)
    return define(HITS, cut="n_positives", ties=ties)


@advised
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    ties: TiePolicy = "proportional",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Precision among the first R rows, where R is the number of positives.

    Among these rows, precision equals recall.

    .. math::
        \text{R-precision} = \frac{1}{R} \sum_{i=1}^{R} rel(i)

    R-precision is the break-even point of precision and recall [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    ties : str, default='proportional'
        How equal scores at the cut are counted, by a rule of
        :func:`average_precision_at_k_score`: 'proportional', 'expected', 'stable',
        'optimistic' or 'pessimistic'.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        As for :func:`average_precision_score`; None returns one score per ranking.

    pos_label : int, float, bool or str, default=1
        Label of the positive class. If `y_score` has one column, any class can be
        positive, against all others. If it has one column per class or label,
        `pos_label` must be 1.

    sample_weight : array-like of shape (n_samples,), default=None
        As for :func:`average_precision_score`.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, for binary `y_true`. Each query is a ranking of its own.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, including missed positives, as for
        :func:`average_precision_score`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives, as for :func:`average_precision_score`.

    Returns
    -------
    r_precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    precision_at_k_score : Share of positives among the first k rows.

    Notes
    -----
    Without weights, ``ties='expected'`` gives the same score as ``'proportional'``.

    With weights, R is the weight of the positives. The cut is where the weights of the
    rows add up to R, so precision still equals recall. If the cut divides a row or a
    tied group, only the part above the cut counts. If `n_positives` exceeds the number
    of rows, the sum is still divided by `n_positives`.

    *How other libraries call this number*: with `query_id` and without equal scores,
    ``Rprec`` of trec_eval and ``r-precision`` of ranx.

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import r_precision_score
    >>> r_precision_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5])
    0.6666666666666666
    """
    return score_rows(
        "r_precision_score",
        r_precision(ties),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )
