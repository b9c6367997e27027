"""Scores that are areas of whole rankings: step average precision, interpolated average
precision (at all recalls or at levels), and the area below joined points.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..advice import advised
from ..areas.interpolated import INTERPOLATED
from ..areas.joined import DAVIS_GOADRICH, LINEAR
from ..areas.step import STEP
from ..definition import Definition, define
from ..evaluate import score_rows
from ..reading.options import (
    check_option,
    read_prevalence,
    read_recall_levels,
)
from ..typing import (
    ArrayLikeOrMapping,
    AveragedBy,
    FloatArray,
    Interpolation,
    Label,
    PassedRows,
    Share,
    ZeroDivision,
)

JOINED = {area.name: area for area in (LINEAR, DAVIS_GOADRICH)}


def average_precision(prevalence: Share) -> Definition:
    """Return the definition of `average_precision_score` with this option."""
    return define(STEP, prevalence=read_prevalence(prevalence))


@advised
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Average precision: the mean of the precision over the positives.

    Equal scores are one threshold.

    .. math::
        \text{AP} = \sum_n (R_n - R_{n-1}) P_n

    where :math:`P_n` and :math:`R_n` are precision and recall at the n-th distinct
    score from the top [1]_. With `query_id`, the score is the mean average precision
    (MAP) of information retrieval [2]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How several rankings (columns of labels, classes, or queries) become one score:
        ``'macro'`` is the mean of their scores, ``'weighted'`` the mean weighted by the
        positives of each, and ``'micro'`` the score of all entries in one ranking.
        ``'samples'`` is the mean over samples, each of which is a ranking of its
        labels. ``None`` returns one value per ranking: columns in their order, classes
        and queries sorted.

    pos_label : int, float, bool or str, default=1
        Label of the positive class. If `y_score` has one column, any class can be
        positive, against all others. If it has one column per class or label,
        `pos_label` must be 1.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, 0 or from 2**-500 to 2**500. Rows of weight 0 are dropped before
        anything is ranked or counted. With ``average='samples'``, each row is a
        ranking, and has its weight in the mean.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, for binary `y_true`. Each query is a ranking of its own,
        and its rows may be in any order.

    n_positives : float, array-like or mapping, default=None
        Total number of positives, found or missed, such as all objects or all relevant
        documents; with weights, their total weight. Pass a number for a single ranking,
        an array in the order of ``average=None``, or a mapping or pandas Series by
        query, column or class. A query of the mapping that has no rows scores 0. The
        totals of pairs (query, unit), such as a class and an image, are added up per
        query. By default, it is the number of positives in `y_true`.

    prevalence : float, default=None
        Share of positives, above 0 and below 1, at which each ranking is scored. The
        negatives are reweighted, so that scores of folds, queries or months with
        different shares can be compared. By default, each ranking keeps its own share.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives. ``'warn'`` means 0.0 and a warning. With
        NaN, the mean excludes the ranking.

    Returns
    -------
    average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    interpolated_average_precision_score :
        Mean of the best precision at each recall or beyond.
    average_precision_at_k_score : Average precision of the first k rows.
    sklearn.metrics.average_precision_score :
        The same number, for one ranking of all rows.

    Notes
    -----
    *Mapping from scikit-learn*: with the five arguments of
    :func:`sklearn.metrics.average_precision_score`, the value is the same to 1e-12,
    with the exceptions of :doc:`/deviations`. Before 0.19, scikit-learn used the
    trapezoidal rule, as :func:`pr_auc_score` does.

    *How other libraries call this number*: ``average_precision`` of LightGBM,
    ``binary_average_precision`` of torchmetrics for scores in [0, 1], and
    ``binary_auprc`` of torcheval; with `query_id` and without equal scores, ``map`` of
    trec_eval and ranx. :func:`sklearn_ap.compatibility.compare_conventions` shows why
    other numbers differ.

    *Ties*: the value can exceed the value in every order of equal scores: ten negatives
    above two equal positives score 1/6, but 0.129 in any order.

    *Prevalence*: for a prevalence of :math:`\pi`, the weight of each negative is
    multiplied by :math:`P (1 - \pi) / (\pi N)`, where P and N are the weights of all
    positives and all negatives in the ranking [3]_.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09,
       University of Waterloo, 2004.
    .. [2] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`
    .. [3] W. Siblini et al., "Master Your Metrics with Calibration", IDA 2020.
       :doi:`10.1007/978-3-030-44584-3_36`

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    >>> query_id = ["a", "a", "b", "b"]
    >>> average_precision_score([1, 0, 0, 1], [9, 8, 7, 6], query_id=query_id)
    0.75
    >>> average_precision_score([1, 1, 0], [0.9, 0.8, 0.7], n_positives=5)
    0.4
    """
    return score_rows(
        "average_precision_score",
        average_precision(prevalence),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def interpolated_average_precision(
    recall_levels: int | ArrayLike | None, prevalence: Share
) -> Definition:
    """Return the definition of `interpolated_average_precision_score` with these
    options.
    """
    levels = read_recall_levels(recall_levels)
    share = read_prevalence(prevalence)
    if levels is None or isinstance(levels, int):
        return define(INTERPOLATED, levels=levels, prevalence=share)
    # `define` caches definitions, and its arguments need a hash, which arrays do not
    # have. So call the class.
    return Definition(INTERPOLATED, levels=levels, prevalence=share)


@advised
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = None,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Mean, over recall levels, of the best precision at that recall or beyond.

    .. math::
        \text{AP}_{interp} = \int_0^1 p_{interp}(r)\, dr
        \quad\text{or}\quad
        \frac{1}{N} \sum_{j=0}^{N-1} p_{interp}\!\left(\frac{j}{N-1}\right),
        \qquad p_{interp}(r) = \max_{R_n \ge r} P_n

    By default the mean is over all recalls, as in Pascal VOC 2010 and later [1]_.
    ``recall_levels=11`` is :func:`eleven_point_average_precision_score`, and 101 levels
    are COCO's choice [2]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    recall_levels : int, array-like of shape (n_levels,) or None, default=None
        Recall levels at which the interpolated precision is read. None means every
        recall. An integer N from 2 to 10**7 means the levels j / (N - 1), compared
        without rounding. An array contains levels in [0, 1], which are compared with
        the recall in float64 as they are.

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
    interpolated_average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    average_precision_score : Step average precision of whole rankings.
    precision_recall_curve : Precision and recall at each threshold.

    Notes
    -----
    A level that no recall reaches has the precision 0. The maximum excludes the closing
    point (recall 0, precision 1) of scikit-learn's
    :func:`~sklearn.metrics.precision_recall_curve`. Rounding the scores never raises
    this number.

    *How other libraries call this number*: with all recalls, ``voc_ap`` of the VOC 2010
    devkit and its copies; with ``recall_levels=numpy.linspace(0, 1, 101)``, whose
    levels are rounded, ``AP`` of pycocotools.

    References
    ----------
    .. [1] M. Everingham et al., "The Pascal Visual Object Classes (VOC) Challenge",
       International Journal of Computer Vision 88, 2010.
       :doi:`10.1007/s11263-009-0275-4`
    .. [2] T.-Y. Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.
       :doi:`10.1007/978-3-319-10602-1_48`

    Examples
    --------
    >>> from sklearn_ap import interpolated_average_precision_score
    >>> y_true, y_score = [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> interpolated_average_precision_score(y_true, y_score)
    0.6
    >>> levels = [0.0, 0.5, 1.0]
    >>> interpolated_average_precision_score(y_true, y_score, recall_levels=levels)
    0.6
    """
    return score_rows(
        "interpolated_average_precision_score",
        interpolated_average_precision(recall_levels, prevalence),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def eleven_point_average_precision(prevalence: Share) -> Definition:
    """Return the definition of `eleven_point_average_precision_score`."""
    return define(INTERPOLATED, levels=11, prevalence=read_prevalence(prevalence))


@advised
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Mean of the interpolated precision at the recall levels 0, 0.1, ..., 1.

    This is the definition of textbooks, with exact levels. The code of Pascal VOC 2007
    rounds its levels, so that some are not reached: call ``score_as("VOC 2007", y_true,
    y_score)`` for its number.

    .. math::
        \text{AP}_{11} = \frac{1}{11} \sum_{j=0}^{10} \max_{R_n \ge j / 10} P_n

    This score is described for Pascal VOC from 2007 to 2009 [1]_ and for early
    evaluations of TREC [2]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

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
    eleven_point_average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    interpolated_average_precision_score :
        Mean of the best precision at each recall or beyond.
    sklearn_ap.compatibility.score_as : The number of another package.

    Notes
    -----
    Levels are compared without rounding.

    *How other libraries call this number*: ``voc_ap(use_07_metric=True)`` of copies of
    the VOC devkit, except for the levels 0.3, 0.6 and 0.7, which are one bit too high
    there. ``11pt_avg`` of trec_eval reaches levels by numbers of documents.

    References
    ----------
    .. [1] M. Everingham et al., "The Pascal Visual Object Classes (VOC) Challenge",
       International Journal of Computer Vision 88, 2010.
       :doi:`10.1007/s11263-009-0275-4`
    .. [2] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import eleven_point_average_precision_score
    >>> from sklearn_ap.compatibility import score_as
    >>> y_true = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    >>> y_score = [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    >>> round(eleven_point_average_precision_score(y_true, y_score), 4)
    0.803
    >>> round(score_as("VOC 2007", y_true, y_score), 4)
    0.7955
    """
    return score_rows(
        "eleven_point_average_precision_score",
        eleven_point_average_precision(prevalence),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def pr_auc(interpolation: Interpolation, prevalence: Share) -> Definition:
    """Return the definition of `pr_auc_score` with these options."""
    check_option("interpolation", interpolation, JOINED)
    return define(JOINED[interpolation], prevalence=read_prevalence(prevalence))


@advised
def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: Interpolation,
    average: AveragedBy = "macro",
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

    This area can be far too optimistic if scores are tied. ``'davis-goadrich'`` lets
    true and false positives grow in proportion between two points [1]_, which bends the
    line. With :math:`k = \Delta N / \Delta TP`, :math:`N = TP + FP` and :math:`c =
    N_{n-1} - k\, TP_{n-1}`, the area of a segment is

    .. math::
        \frac{1}{n_{positives}}
        \left(\frac{\Delta TP}{k} - \frac{c}{k^2} \ln \frac{N_n}{N_{n-1}}\right)

    In the first segment c = 0, and its area is the first term only.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    interpolation : {'linear', 'davis-goadrich'}
        The line that joins two neighbouring operating points. It has no default,
        because most scripts that call a number PR AUC compute
        :func:`average_precision_score`.

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

    prevalence : float, default=None
        Share of positives at which each ranking is scored, as for
        :func:`average_precision_score`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives, as for :func:`average_precision_score`.

    Returns
    -------
    pr_auc : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    average_precision_score : Step average precision of whole rankings.

    Notes
    -----
    *How other libraries call this number*: ``'linear'`` is ``auc(recall, precision)``
    of :func:`sklearn.metrics.precision_recall_curve`, ``average_precision_score`` of
    scikit-learn before 0.19 and ``PRAUC`` of CatBoost. ``'davis-goadrich'`` is
    ``aucpr`` of XGBoost and ``auc.integral`` of the R package PRROC [2]_.

    *Ties*: constant scores with a tenth of positives have a linear area of 0.55.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, "The relationship between Precision-Recall and ROC
       curves", ICML 2006. :doi:`10.1145/1143844.1143874`
    .. [2] J. Keilwagen, I. Grosse, J. Grau, "Area under Precision-Recall Curves for
       Weighted and Unweighted Data", PLoS ONE 9(3), 2014.
       :doi:`10.1371/journal.pone.0092209`

    Examples
    --------
    >>> from sklearn_ap import pr_auc_score
    >>> pr_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], interpolation="linear")
    0.7916666666666666
    >>> pr_auc_score([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], interpolation="linear")
    0.625
    >>> pr_auc_score([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], interpolation="davis-goadrich")
    0.25
    """
    return score_rows(
        "pr_auc_score",
        pr_auc(interpolation, prevalence),
        PassedRows(y_true, y_score, average, pos_label, sample_weight, query_id),
        zero_division,
    )
