"""Curves over all thresholds: precision against recall, as measured or interpolated,
and hits against samples retrieved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from .advice import advised
from .evaluate import points_in
from .ranking.rankings import OperatingPoints
from .ranking.runs import starts_of_runs
from .reading.options import read_flag, short_repr
from .reading.per_ranking import read_totals, totals_of_columns
from .reading.read import CheckedRows, read
from .reading.values import (
    reference_of,
    shape_of,
    to_namespace_of,
)
from .rounding import LARGEST_EXACT
from .typing import (
    AnyArray,
    ArrayLikeOrMapping,
    FloatArray,
    IntArray,
    Label,
    PassedRows,
)
from .user_messages import NO_POSITIVES, warn_user

# The three arrays of one curve. Public functions return three lists of arrays for
# several classes, but a union of both would require each caller to check which it has,
# so callers see the type of one curve.
CurveArrays = tuple[FloatArray, FloatArray, AnyArray]


@advised
def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    drop_intermediate: bool = False,
    interpolated: bool = False,
) -> CurveArrays:
    r"""Precision and recall at each threshold.

    .. math::
        P_n = \frac{TP_n}{TP_n + FP_n}, \quad R_n = \frac{TP_n}{\text{positives}}

    :math:`TP_n` and :math:`FP_n` are the positives and the negatives whose score is at
    least threshold `n`. The arrays are those of
    :func:`sklearn.metrics.precision_recall_curve`, bit by bit, and take less time. With
    `sample_weight`, the last digit may differ.

    For several classes or labels, three lists are returned, with one array per class;
    classes are sorted.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators or multiclass labels. Labels may be of any
        kind if `pos_label` is passed.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    pos_label : int, float, bool or str, default=None
        Label of the positive class. By default, it is 1, if the labels are in {0, 1} or
        {-1, 1}.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, each 0 or from 2**-500 to 2**500. Rows of weight 0 are dropped.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, including missed positives, which have no row: a
        number, one per class, or a mapping by class or column.

    drop_intermediate : bool, default=False
        Whether to drop each threshold that lies between two others of the same recall,
        as scikit-learn does.

    interpolated : bool, default=False
        Whether to return the best precision at each recall or beyond, :math:`\max_{R_m
        \ge R_n} P_m` [2]_, in place of the precision: the curve without its saw teeth,
        with the same recall and thresholds.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        Precision of the rows whose score is at least ``thresholds[i]``. The last
        element is 1 by convention, and belongs to no threshold.

    recall : ndarray of shape (n_thresholds + 1,)
        Recall of the same rows, never increasing. The last element is 0. If
        `n_positives` includes missed positives, recall stays below 1.

    thresholds : ndarray of shape (n_thresholds,)
        Distinct scores, increasing. A score of -0.0 is returned as 0.0.

    Warns
    -----
    UserWarning
        If there is no positive. Recall is then 1 at all thresholds.

    See Also
    --------
    average_precision_score : Step average precision of whole rankings.
    interpolated_average_precision_score :
        Mean of the best precision at each recall or beyond.
    operating_point : Threshold that reaches a recall, a precision or a budget.

    Notes
    -----
    :func:`average_precision_score` is the area below the steps of this curve.
    ``auc(recall, precision)`` joins its points by lines, which is another number [1]_:
    :func:`pr_auc_score`.

    References
    ----------
    .. [1] Davis, Goadrich, "The relationship between Precision-Recall and ROC curves",
       ICML 2006. :doi:`10.1145/1143844.1143874`
    .. [2] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import precision_recall_curve
    >>> y_true, y_score = [0, 1, 0, 1], [4, 3, 2, 1]
    >>> precision, recall, thresholds = precision_recall_curve(y_true, y_score)
    >>> precision
    array([0.5       , 0.33333333, 0.5       , 0.        , 1.        ])
    >>> recall
    array([1. , 0.5, 0.5, 0. , 0. ])
    >>> thresholds
    array([1, 2, 3, 4])
    >>> best, _, _ = precision_recall_curve(y_true, y_score, interpolated=True)
    >>> best
    array([0.5, 0.5, 0.5, 0.5, 1. ])
    """
    drop_intermediate = read_flag("drop_intermediate", drop_intermediate)
    interpolated = read_flag("interpolated", interpolated)

    def curve(checked: CheckedRows) -> CurveArrays:
        # scikit-learn adds up the weights of equal scores in the order of the rows
        # passed. The sums of this package add them up in the opposite order. So the
        # rows are reversed here, and the sums have the same bits.
        if checked.weight is not None:
            checked = checked.take(slice(None, None, -1))
        ranking, points = points_in(checked)
        precision, recall, kept = curve_through(
            points, ranking.n_positives, drop_intermediate, interpolated
        )
        return precision, recall, points.threshold[kept]

    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, n_positives=n_positives
    )
    return _of_each_column("precision_recall_curve", curve, inputs)


def curve_through(
    points: OperatingPoints,
    n_positives: FloatArray,
    drop_intermediate: bool,
    interpolated: bool = False,
) -> tuple[FloatArray, FloatArray, IntArray | slice]:
    """Return precision and recall at the points and at the closing point, and the
    places of these points: all or, if intermediate ones are dropped, those with the
    lowest and the highest threshold of each recall. Points begin at the lowest
    threshold. Warn if there are no positives.
    """
    tp = points.tp
    precision, recall = tp / points.retrieved, np.ones(tp.size)
    kept: IntArray | slice = slice(None)
    if interpolated:
        # The points of each recall are a run. All of them have the best precision of
        # their own run and the runs before it, whose recall is higher.
        starts = starts_of_runs(tp)
        best = np.maximum.accumulate(np.maximum.reduceat(precision, starts))
        precision = best.repeat(np.diff(starts, append=tp.size))
    if drop_intermediate:
        new_recall = np.append(True, np.diff(tp) != 0)
        kept = np.flatnonzero(new_recall | np.append(new_recall[1:], True))
    # As in scikit-learn, recall is 1 without positives, found or missed.
    if n_positives.any():
        recall = tp / n_positives
    else:
        warn_user(NO_POSITIVES)
    return np.append(precision[kept], 1.0), np.append(recall[kept], 0.0), kept


def read_columns(inputs: PassedRows, caller: str) -> list[CheckedRows]:
    """Return the checked rows of each curve, with the total of its positives if totals
    were passed. There is one curve, or a curve per class or label.
    """
    # After the number of rows, the shape of a vector is (), and of one column (1,).
    if shape_of(inputs.y_score)[1:] in ((), (1,)):
        return [read(inputs, caller=caller, one_column=True)]
    # The labels of several columns are read as in a score, where the default of
    # `pos_label` is 1.
    if inputs.pos_label is None:
        inputs = inputs._replace(pos_label=1)
    checked = read(inputs, caller=caller)
    columns = [
        checked._replace(positive=positive, score=score)
        for positive, score in zip(checked.positive.T, checked.score.T, strict=True)
    ]
    if checked.totals is None:
        return columns
    names = checked.columns or range(len(columns))
    return [
        column._replace(totals=read_totals(total))
        for column, total in zip(
            columns, totals_of_columns(checked.totals, names), strict=True
        )
    ]


def _of_each_column(
    caller: str,
    curve: Callable[[CheckedRows], CurveArrays],
    inputs: PassedRows,
) -> CurveArrays:
    """Return the three arrays of a curve, or three lists if there is a curve per class
    or label. The arrays are in the namespace of the scores.
    """
    curves = [
        _like_scores(inputs.y_score, *curve(column))
        for column in read_columns(inputs, caller)
    ]
    if len(curves) == 1:
        return curves[0]
    return cast(CurveArrays, tuple(map(list, zip(*curves, strict=True))))


def _like_scores(
    y_score: ArrayLike, x: FloatArray, y: FloatArray, threshold: AnyArray
) -> CurveArrays:
    """Return the arrays of a curve in the namespace and on the device of the scores."""
    reference = reference_of(y_score)
    # Adding 0 changes -0.0 to 0.0.
    threshold = threshold + threshold.dtype.type(0)
    x = to_namespace_of(x, reference)
    y = to_namespace_of(y, reference)
    return x, y, to_namespace_of(threshold, reference, keep_dtype=True)


@advised
def hit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
) -> CurveArrays:
    r"""Hit curve: hits per sample, against the share of samples retrieved.

    The fraction `t` of all samples that ranks highest has :math:`h(t)` positives, as a
    share of all samples. With :math:`\pi` the share of positives, recall is
    :math:`r(t) = h(t) / \pi` and precision is
    :math:`p(t) = h(t) / t` [1]_.

    For several classes or labels, three lists are returned, with one array per class;
    classes are sorted.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators or multiclass labels. Labels may be of any
        kind if `pos_label` is passed.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    pos_label : int, float, bool or str, default=None
        Label of the positive class. By default, it is 1, if the labels are in {0, 1} or
        {-1, 1}.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, each 0 or from 2**-500 to 2**500. Rows of weight 0 are dropped.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, including missed positives, which have no row: a
        number, one per class, or a mapping by class or column.

    Returns
    -------
    share_retrieved : ndarray of shape (n_thresholds + 1,)
        Share of all rows at or above ``thresholds[i]``, increasing from 0 to 1. If
        `n_positives` includes missed positives, they are samples that no threshold
        retrieves, and the share ends below 1.

    hit_fraction : ndarray of shape (n_thresholds + 1,)
        Positives at or above ``thresholds[i]`` as a share of all samples, from 0 to the
        share of positives found. The share of all positives is :math:`\pi` =
        ``hit_fraction[-1] + 1 - share_retrieved[-1]``.

    thresholds : ndarray of shape (n_thresholds + 1,)
        Infinity, followed by all distinct scores, decreasing. Integers that float64
        would round remain integers, in an array of objects.

    See Also
    --------
    HitCurveDisplay : Plot of hits against rows.
    recall_at_k_score : Share of the positives that are among the first k rows.
    sklearn.metrics.roc_curve : Hits against false positives, in place of rows.

    Notes
    -----
    *Weights*: `t` is a share of the number of rows, not of their weight. Hits are
    shares of the total weight. `n_positives` raises an error if weights differ, since
    the number of missed rows is then unknown.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09,
       University of Waterloo, 2004.

    Examples
    --------
    >>> from sklearn_ap import hit_curve
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.7]
    >>> share_retrieved, hits, thresholds = hit_curve(y_true, y_score)
    >>> share_retrieved
    array([0.  , 0.25, 0.5 , 1.  ])
    >>> hits
    array([0.  , 0.25, 0.25, 0.5 ])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.7])
    """
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, n_positives=n_positives
    )
    return _of_each_column("hit_curve", hits_of_rows, inputs)


def hits_of_rows(checked: CheckedRows) -> CurveArrays:
    """Return the hit curve of checked rows. Missed positives are samples that no
    threshold retrieves.
    """
    ranking, points = points_in(checked)
    # From here on, arrays begin at the highest threshold.
    threshold, tp, fp = map(np.flip, points)
    # The weight of all samples, with missed positives. The difference is their weight,
    # since tp[-1] is the weight of all positives that have a row.
    total_weight = ranking.total_weight + (ranking.n_positives - tp[-1])
    share_retrieved = (tp + fp) / total_weight
    if threshold.dtype.kind in "iu" and not (
        -LARGEST_EXACT <= threshold[-1] <= threshold[0] <= LARGEST_EXACT
    ):
        # Infinity is added below. Only an array of objects can contain both infinity
        # and integers that float64 would round.
        threshold = threshold.astype(object)
    # The axis is a share of rows, but `points` contains weights.
    if ranking.weighted:
        if checked.totals is not None:
            raise ValueError(
                "n_positives needs equal weights here: the axis counts rows, and with "
                "unequal weights the number of rows that were missed is unknown; got "
                f"{short_repr(checked.totals.passed)}."
            )
        share_retrieved = np.flip(ranking.kernel.rows_of_points()) / checked.score.size
    return (
        np.append(0.0, share_retrieved),
        np.append(0.0, tp / total_weight),
        np.append(np.inf, threshold),
    )
