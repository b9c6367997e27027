"""Curves over all thresholds: interpolated precision against recall, and hits against
samples retrieved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from .evaluate import points_in
from .ranking.rankings import rows_reaching
from .reading.names import column_names
from .reading.notes import shape_of
from .reading.options import LARGEST, read_flag
from .reading.per_ranking import per_ranking, read_totals
from .reading.read import CheckedRows, read
from .reading.values import is_multilabel, on_host, reference_of, to_namespace_of
from .typing import (
    AnyArray,
    ArrayLikeOrMapping,
    FloatArray,
    IntArray,
    Label,
    PassedRows,
    PerRanking,
)
from .user_messages import NO_POSITIVES, warn_user
from .words import with_hints

# Also the type of lists for several classes. With a union, a caller with two classes
# would have to test it.
CurveArrays = tuple[FloatArray, FloatArray, AnyArray]


@with_hints
def interpolated_precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    drop_intermediate: bool = False,
) -> CurveArrays:
    r"""Precision-recall curve of the best precision at each recall or beyond.

    .. math::
        p_{interp}(r) = \max_{R_n \ge r} P_n

    It is the curve of :func:`sklearn.metrics.precision_recall_curve` without its saw
    teeth [1]_, in the same order and with the same thresholds. Thresholds with equal
    recall get equal precision.

    Several classes or labels give three lists, with one array per class; classes are
    sorted.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, any labels if `pos_label` is given, multilabel indicators or
        multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores; the highest is retrieved first.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1,
        1}.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, 0 or from 2**-500 to 2**500; rows of weight 0 are dropped.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, found or missed, one per class, or a mapping by class
        or column.

    drop_intermediate : bool, default=False
        Whether to drop each threshold that lies between two others of the same recall,
        as scikit-learn does.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        Best precision at ``recall[i]`` or beyond, never decreasing. The last element is
        1 by convention: it belongs to no threshold, and the maximum leaves it out.

    recall : ndarray of shape (n_thresholds + 1,)
        Recall of the scores at or above ``thresholds[i]``, never increasing. The last
        element is 0. If `n_positives` counts missed positives, recall stays below 1.

    thresholds : ndarray of shape (n_thresholds,)
        Distinct scores, increasing.

    Warns
    -----
    UserWarning
        If there is no positive; then recall is 1 at all thresholds, as in scikit-learn.

    See Also
    --------
    interpolated_average_precision_score, sklearn.metrics.precision_recall_curve

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import interpolated_precision_recall_curve
    >>> precision, recall, thresholds = interpolated_precision_recall_curve([0, 1, 0, 1], [4, 3, 2, 1])
    >>> precision
    array([0.5, 0.5, 0.5, 0.5, 1. ])
    >>> recall
    array([1. , 0.5, 0.5, 0. , 0. ])
    >>> thresholds
    array([1, 2, 3, 4])
    """
    drop_intermediate = read_flag("drop_intermediate", drop_intermediate)
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, n_positives=n_positives
    )
    curve = partial(_interpolated, drop_intermediate=drop_intermediate)
    return _of_each_column("interpolated_precision_recall_curve", curve, inputs)


def _interpolated(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    *,
    drop_intermediate: bool,
) -> CurveArrays:
    """Return the interpolated curve of one ranking."""
    ranking, points = points_in(checked, n_positives)
    threshold, tp, _ = points
    precision = _best_precisions(tp, tp / points.retrieved)
    if ranking.n_positives[0] == 0:
        warn_user(NO_POSITIVES)
        recall = np.ones(tp.size)
    else:
        recall = tp / ranking.n_positives
    if drop_intermediate:
        ends = ends_of_recalls(tp)
        precision = precision[ends]
        recall = recall[ends]
        threshold = threshold[ends]
    return np.append(precision, 1.0), np.append(recall, 0.0), threshold


def read_columns(
    inputs: PassedRows, caller: str
) -> list[tuple[CheckedRows, PerRanking]]:
    """Check the rows of the only ranking, or of each class or label, with its stated
    total of positives.
    """
    if shape_of(inputs.y_score)[1:] <= (1,):
        return [(read(inputs, caller=caller, as_curve=True), inputs.n_positives)]
    checked = read(
        inputs._replace(pos_label=1) if inputs.pos_label is None else inputs,
        caller=caller,
    )
    n_columns = checked.positive.shape[1]
    passed = read_totals(inputs.n_positives)
    totals = [None] * n_columns
    if passed is not None:
        totals = per_ranking(passed, checked.columns or range(n_columns)).tolist()
    columns = [
        checked._replace(
            positive=np.ascontiguousarray(positive), score=np.ascontiguousarray(score)
        )
        for positive, score in zip(checked.positive.T, checked.score.T, strict=True)
    ]
    return list(zip(columns, totals, strict=True))


class CurveRows(NamedTuple):
    """The rows of each curve, with its total of positives if that was stated."""

    curves: list[tuple[CheckedRows, PerRanking]]
    # Positive class in the labels of axes; None if each curve has a class of its own.
    pos_label: Label | None
    classes: list[Label] | None  # classes of the curves, or the labels of a matrix

    @classmethod
    def read(
        cls,
        inputs: PassedRows,
        caller: str = "from_predictions",
        *,
        positive: Label | None = None,
        classes: list[Label] | None = None,
    ) -> Self:
        """Read the rows of one ranking, or of each class against the rest.

        An estimator has a `positive` class, or the `classes` of columns; its labels may
        be booleans.
        """
        pos_label, y_true = inputs.pos_label, inputs.y_true
        if pos_label is not None and is_multilabel(inputs.y_score):
            raise ValueError(
                "pos_label must be left out for several columns of y_score; got "
                f"{pos_label!r}."
            )
        curves = read_columns(inputs, caller)
        if len(curves) > 1 and classes is None:
            classes = column_names(y_true) or []
            # Without names, with one twice, or with a missing one.
            if None in classes or len({*map(str, classes)}) < len(curves):
                classes = list(range(len(curves)))
            if not is_multilabel(y_true):
                classes = np.unique(on_host("y_true", y_true)).tolist()
        if classes is None and positive is None:
            positive = 1 if pos_label is None else pos_label
        return cls(curves, positive, classes)


def _of_each_column(
    caller: str,
    curve: Callable[[CheckedRows, PerRanking], CurveArrays],
    inputs: PassedRows,
) -> CurveArrays:
    """Return the arrays of a curve, or a list of each for a curve per class or label,
    like the scores.
    """
    curves = [
        _like_scores(inputs.y_score, *curve(*column))
        for column in read_columns(inputs, caller)
    ]
    if len(curves) == 1:
        return curves[0]
    return cast(CurveArrays, tuple(map(list, zip(*curves, strict=True))))


def _like_scores(
    y_score: ArrayLike, x: FloatArray, y: FloatArray, threshold: AnyArray
) -> CurveArrays:
    """Return a curve in the namespace and on the device of the scores."""
    reference = reference_of(y_score)
    if threshold.dtype.kind == "f":
        threshold = threshold + threshold.dtype.type(0)  # -0.0 is 0.0
    x = to_namespace_of(x, reference)
    y = to_namespace_of(y, reference)
    return x, y, to_namespace_of(threshold, reference, keep_dtype=True)


def ends_of_recalls(tp: FloatArray) -> IntArray:
    """Return the points with the lowest and the highest threshold of each recall."""
    new_recall = np.append(True, np.diff(tp) != 0)
    return np.flatnonzero(new_recall | np.append(new_recall[1:], True))


def _best_precisions(tp: FloatArray, precision: FloatArray) -> FloatArray:
    """Return the best precision at each point's recall or beyond, for all points,
    lowest threshold first.
    """
    # Among thresholds with the same recall, the highest has the fewest false positives:
    # the best precision. So the running maximum is read there, and every threshold gets
    # the value of its recall.
    new_recall = np.append(True, np.diff(tp) != 0)
    last_of_recall = np.append(np.flatnonzero(new_recall[1:]), tp.size - 1)
    best: FloatArray = np.maximum.accumulate(precision)[last_of_recall][
        np.cumsum(new_recall) - 1
    ]
    return best


@with_hints
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

    Several classes or labels give three lists, with one array per class; classes are
    sorted.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, any labels if `pos_label` is given, multilabel indicators or
        multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores; the highest is retrieved first.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1,
        1}.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, 0 or from 2**-500 to 2**500; rows of weight 0 are dropped.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, found or missed, one per class, or a mapping by class
        or column.

    Returns
    -------
    share_retrieved : ndarray of shape (n_thresholds + 1,)
        Share of all rows at or above ``thresholds[i]``, increasing from 0 to 1. If
        `n_positives` counts missed positives, they are samples that no threshold
        detects, and the share ends below 1.

    hit_fraction : ndarray of shape (n_thresholds + 1,)
        Positives among these samples as a share of all samples, from 0 to the share of
        positives found. The share of all positives is :math:`\pi` = ``hit_fraction[-1]
        + 1 - share_retrieved[-1]``.

    thresholds : ndarray of shape (n_thresholds + 1,)
        Infinity, then all distinct scores, decreasing. Integers that float64 would
        round stay integers, in an array of objects.

    See Also
    --------
    HitCurveDisplay, recall_at_k_score, sklearn.metrics.roc_curve

    Notes
    -----
    *Weights*: `t` counts rows, as `k` does in scores at a cut, and hits are shares of
    the total weight. `n_positives` is refused with weights that differ, since the
    number of missed rows is unknown.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09,
       University of Waterloo, 2004.

    Examples
    --------
    >>> from sklearn_ap import hit_curve
    >>> share_retrieved, hits, thresholds = hit_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.7])
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


def hits_of_rows(
    checked: CheckedRows, n_positives: ArrayLikeOrMapping | None
) -> CurveArrays:
    """Return the hit curve of rows; missed positives are samples that no threshold
    detects.
    """
    ranking, points = points_in(checked, n_positives)
    threshold, tp, fp = map(np.flip, points)  # highest threshold first
    # tp[-1] counts all positives that were found, so the difference is the number that
    # was missed.
    n_samples = ranking.total_weight + (ranking.n_positives - tp[-1])
    share_retrieved = (tp + fp) / n_samples
    if threshold.dtype.kind in "iu" and not (
        -LARGEST <= threshold[-1] <= threshold[0] <= LARGEST
    ):
        threshold = threshold.astype(object)  # next to infinity, and not rounded
    if ranking.weighted:  # the axis counts rows, which takes another sort
        if n_positives is not None:
            raise ValueError(
                "n_positives needs equal weights here: the axis counts rows, and with "
                "unequal weights the number of rows that were missed is unknown; got "
                f"{n_positives!r}."
            )
        share_retrieved = rows_reaching(threshold, checked.score) / checked.score.size
    return (
        np.append(0.0, share_retrieved),
        np.append(0.0, tp / n_samples),
        np.append(np.inf, threshold),
    )
