"""The area under a precision-recall curve whose points are joined: linearly, or after Davis and Goadrich."""

from __future__ import annotations

from typing import Unpack, overload

from numpy.typing import ArrayLike

from .._areas._davis_goadrich import DAVIS_GOADRICH
from .._areas._linear import LINEAR
from .._definition import Definition, define
from .._entrance import Input, score
from .._public import publish
from .._reading._options import INTERPOLATIONS, check_option, read_prevalence
from .._typing import (
    Average,
    AveragedBy,
    By,
    FloatArray,
    Interpolation,
    Label,
    PerRow,
    RankingOptions,
    ZeroDivision,
)

JOINED = {area.name: area for area in (LINEAR, DAVIS_GOADRICH)}


def pr_auc(interpolation: Interpolation, prevalence: float | None) -> Definition:
    """Return the definition of `pr_auc_score` with these options."""
    check_option("interpolation", interpolation, INTERPOLATIONS)
    return define(JOINED[interpolation], read_prevalence(prevalence))


class PRAUC(RankingOptions[PerRow, By], total=False):
    interpolation: Interpolation
    prevalence: float | None
    zero_division: ZeroDivision


@overload
def pr_auc_score(
    y_true: ArrayLike, y_score: ArrayLike, **options: Unpack[PRAUC[ArrayLike, AveragedBy]]
) -> float: ...


@overload
def pr_auc_score(
    y_true: ArrayLike, y_score: ArrayLike, **options: Unpack[PRAUC[ArrayLike, Average]]
) -> float | FloatArray: ...


def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: Interpolation = "linear",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Area under the precision-recall curve, with its operating points joined.

    ``'linear'`` joins the points by straight lines. This is the trapezoidal rule

    .. math::
        \sum_n (R_n - R_{n-1}) \frac{P_n + P_{n-1}}{2}

    It can be far too optimistic if scores are tied. ``'davis-goadrich'`` lets true and false positives grow
    in proportion between two points [1]_, which bends the line. With :math:`k = \Delta N / \Delta TP`,
    :math:`N = TP + FP` and :math:`c = N_{n-1} - k\, TP_{n-1}`, the area of a segment is

    .. math::
        \frac{1}{n_{positives}} \left(\frac{\Delta TP}{k} - \frac{c}{k^2} \ln \frac{N_n}{N_{n-1}}\right)

    In the first segment c = 0, and its area is the first term alone.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

    interpolation : {'linear', 'davis-goadrich'}, default='linear'
        What joins two neighbouring operating points.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How several rankings become one score, as for :func:`average_precision_score`; None gives one each.

    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`; must be 1 for other labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative; rows of weight 0 are dropped. See :func:`average_precision_score`.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample of binary `y_true`, in any row order. Each query is a ranking of its own.

    prevalence : float, default=None
        Each ranking is scored at this share of positives, as for :func:`average_precision_score`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives, as for :func:`average_precision_score`.

    Returns
    -------
    pr_auc : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Warns
    -----
    UserWarning
        If a ranking has no positive and ``zero_division='warn'``; once per call.

    Raises
    ------
    ValueError
        For what :func:`average_precision_score` refuses; for an unknown `interpolation`.

    See Also
    --------
    average_precision_score : The area under steps, which join no points.

    Notes
    -----
    *How other libraries call this number*: ``'linear'`` is ``auc(recall, precision)`` of
    :func:`sklearn.metrics.precision_recall_curve` (whose first point is recall 0, precision 1),
    ``average_precision_score`` of scikit-learn before 0.19 and ``PRAUC`` of CatBoost. ``'davis-goadrich'`` is
    ``aucpr`` of XGBoost and ``auc.integral`` of the R package PRROC [2]_.

    *Ties*: constant scores with a tenth of positives have a linear area of 0.55.

    *Prevalence*: ``'davis-goadrich'`` joins points by straight lines in ROC space, which are the same at
    every prevalence. ``'linear'`` joins the reweighted points by new lines.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, "The relationship between Precision-Recall and ROC curves", ICML 2006.
       :doi:`10.1145/1143844.1143874`
    .. [2] J. Keilwagen, I. Grosse, J. Grau, "Area under Precision-Recall Curves for Weighted and Unweighted
       Data", PLoS ONE 9(3), 2014. :doi:`10.1371/journal.pone.0092209`

    Examples
    --------
    >>> from sklearn_ap import pr_auc_score
    >>> pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.7916666666666666
    >>> pr_auc_score([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5])
    0.625
    >>> pr_auc_score([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], interpolation="davis-goadrich")
    0.25
    """
    given = Input(y_true, y_score, average, pos_label, sample_weight, query_id, zero_division=zero_division)
    return score("pr_auc_score", pr_auc(interpolation, prevalence), given)


publish(pr_auc_score)
