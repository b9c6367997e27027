"""The area under a precision-recall curve: step, interpolated, eleven-point, linear, Davis-Goadrich."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ._averaging import rankings_of
from ._inputs import check_option, read_recall_levels
from ._ranking import Rankings, Steps, envelope, ratio, total
from ._typing import Average, FloatArray, Interpolation, Label, Totals, ZeroDivision


def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Average precision: the mean of the precision over the positives, equal scores being one threshold.

    .. math::
        \text{AP} = \sum_n (R_n - R_{n-1}) P_n

    where :math:`P_n` and :math:`R_n` are precision and recall at the n-th distinct score from the top [1]_.
    It is the number of :func:`sklearn.metrics.average_precision_score`, and with `query_id` the mean
    average precision (MAP) of information retrieval [2]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores, highest for what is retrieved first: probabilities, decision values or any other numbers.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How the scores of several rankings become one. Multilabel and multiclass labels are one ranking a
        column, `query_id` makes it one a query. Ignored for binary labels without `query_id`.

        - ``'macro'``: unweighted mean.
        - ``'weighted'``: mean weighted by the positives of each ranking.
        - ``'micro'``: a single ranking of all entries of all columns or queries.
        - ``'samples'``: mean over samples, each being a ranking of its labels. Not with `query_id`.
        - ``None``: one value a ranking; columns in their order, classes and queries sorted.

    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`; must be 1 for other labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample of binary `y_true`, in any row order. Each query is a ranking of its own, so
        ``average='macro'`` is the mean over queries.

    n_positives : float, array-like or mapping, default=None
        Total number of positives (with weights, their total weight), found or not: objects that were never
        detected and documents that were never retrieved count. A number is the total of each ranking, an
        array holds one a column, and with `query_id` a mapping gives one a query; a query without rows then
        counts and scores 0. By default, the positives in `y_true`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives. ``'warn'`` is 0.0 and a warning; NaN leaves the ranking out of
        the mean.

    Returns
    -------
    average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; the higher, the better. An array where ``average=None`` and there are several rankings.

    Warns
    -----
    UserWarning
        If a ranking has no positive and ``zero_division='warn'``; once a call.

    Raises
    ------
    ValueError
        As scikit-learn's function, and for empty input, masked values, negative or overflowing weights, and
        `n_positives` below the positives in `y_true`.

    See Also
    --------
    interpolated_average_precision_score : The same area under the best precision at each recall or beyond.
    average_precision_at_k_score : Average precision of the first `k` rows.
    sklearn.metrics.average_precision_score : The same number, more slowly.

    Notes
    -----
    *Mapping from scikit-learn*: the first five arguments are those of
    :func:`sklearn.metrics.average_precision_score` and the value is the same to 1e-12; `query_id`,
    `n_positives` and `zero_division` change nothing at their defaults. Only with ``average='weighted'``
    scikit-learn adds float32 weights in float32, and takes positives of a total weight below 1e-8 for none.
    scikit-learn before 0.19 took the trapezoids instead: that is :func:`pr_auc_score`.

    With random scores the value is about the share of positives.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09, Department of
       Statistics and Actuarial Science, University of Waterloo, 2004.
    .. [2] C. D. Manning, P. Raghavan, H. Schuetze, "Introduction to Information Retrieval", section 8.4,
       Cambridge University Press, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    >>> average_precision_score([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], query_id=["a", "a", "b", "b"])
    0.75

    Two of five objects were detected, both above the only false alarm:

    >>> average_precision_score([1, 1, 0], [0.9, 0.8, 0.7], n_positives=5)
    0.4
    """
    rankings, averaging = rankings_of(
        y_true,
        y_score,
        caller="average_precision_score",
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
        n_positives=n_positives,
        zero_division=zero_division,
    )
    return averaging.of(step(rankings))


def step(rankings: Rankings) -> FloatArray:
    """Sum of the precision at each step, times the recall gained there."""
    precision = ((s, s.gained * (s.tp / s.retrieved)) for s in rankings.blocks())
    return ratio(total(rankings, precision), rankings.n_positives)


def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = None,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Mean, over recall levels, of the best precision at that recall or beyond.

    .. math::
        \text{AP}_{interp} = \int_0^1 p_{interp}(r)\, dr
        \quad\text{or}\quad \frac{1}{N} \sum_{j=0}^{N-1} p_{interp}\!\left(\frac{j}{N-1}\right),
        \qquad p_{interp}(r) = \max_{R_n \ge r} P_n

    All recalls are taken by default, as in Pascal VOC 2010 and later [1]_; ``recall_levels=11`` is
    :func:`eleven_point_average_precision_score`, and 101 levels are COCO's choice [2]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores, highest for what is retrieved first: probabilities, decision values or any other numbers.

    recall_levels : int, array-like of shape (n_levels,) or None, default=None
        Where the interpolated precision is read off. None takes every recall, an integer N >= 2 the levels
        j / (N - 1), compared without rounding. An array gives the levels, in [0, 1]; the recall in float64
        is compared with them as they stand, so a published rounded grid gives its published number.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How the scores of several rankings become one. Multilabel and multiclass labels are one ranking a
        column, `query_id` makes it one a query. Ignored for binary labels without `query_id`.

        - ``'macro'``: unweighted mean.
        - ``'weighted'``: mean weighted by the positives of each ranking.
        - ``'micro'``: a single ranking of all entries of all columns or queries.
        - ``'samples'``: mean over samples, each being a ranking of its labels. Not with `query_id`.
        - ``None``: one value a ranking; columns in their order, classes and queries sorted.

    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`; must be 1 for other labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample of binary `y_true`, in any row order. Each query is a ranking of its own, so
        ``average='macro'`` is the mean over queries.

    n_positives : float, array-like or mapping, default=None
        Total number of positives (with weights, their total weight), found or not: objects that were never
        detected and documents that were never retrieved count. A number is the total of each ranking, an
        array holds one a column, and with `query_id` a mapping gives one a query; a query without rows then
        counts and scores 0. By default, the positives in `y_true`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives. ``'warn'`` is 0.0 and a warning; NaN leaves the ranking out of
        the mean.

    Returns
    -------
    interpolated_average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; the higher, the better. An array where ``average=None`` and there are several rankings.

    Warns
    -----
    UserWarning
        If a ranking has no positive and ``zero_division='warn'``; once a call.

    Raises
    ------
    ValueError
        As :func:`average_precision_score`, and for `recall_levels` that are no integer >= 2 and no levels
        in [0, 1].

    See Also
    --------
    average_precision_score : Without interpolation; never above this score with all recalls.
    interpolated_precision_recall_curve : The curve under which this area lies.

    Notes
    -----
    A level that is never reached counts 0, and the end point (recall 0, precision 1) that
    :func:`sklearn.metrics.precision_recall_curve` appends takes no part in the maximum.

    *How other libraries call this number*: all recalls are ``voc_ap`` of the VOC 2010 devkit and its Python
    copies, and 101 levels are ``AP`` of pycocotools, which compares with a rounded grid:
    ``recall_levels=numpy.linspace(0, 1, 101)``. A recall of exactly 6/10 misses such a grid's level.

    With weights that are not integers, a level counts as reached within 4 n machine epsilons, since sums of
    decimal weights are rounded.

    Rounding the scores never raises this number; step and linear areas have no such law.

    References
    ----------
    .. [1] M. Everingham, L. Van Gool, C. K. I. Williams, J. Winn, A. Zisserman, "The Pascal Visual Object
       Classes (VOC) Challenge", International Journal of Computer Vision 88, 2010.
       :doi:`10.1007/s11263-009-0275-4`
    .. [2] T.-Y. Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.
       :doi:`10.1007/978-3-319-10602-1_48`
    .. [3] C. D. Manning, P. Raghavan, H. Schuetze, "Introduction to Information Retrieval", section 8.4,
       Cambridge University Press, 2008. :doi:`10.1017/CBO9780511809071`
    .. [4] `scikit-learn issue 4577 <https://github.com/scikit-learn/scikit-learn/issues/4577>`_

    Examples
    --------
    >>> from sklearn_ap import interpolated_average_precision_score
    >>> y_true, y_score = [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> interpolated_average_precision_score(y_true, y_score)
    0.6
    >>> interpolated_average_precision_score([1, 0, 0, 1], [4, 3, 2, 1], recall_levels=[0.0, 0.5, 1.0])
    0.8333333333333334
    """
    levels = read_recall_levels(recall_levels)
    rankings, averaging = rankings_of(
        y_true,
        y_score,
        caller="interpolated_average_precision_score",
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
        n_positives=n_positives,
        zero_division=zero_division,
    )
    return averaging.of(
        interpolated(rankings) if levels is None else interpolated_at_levels(rankings, levels)
    )


def interpolated(rankings: Rankings) -> FloatArray:
    """Sum of the rise of the envelope at each step, times the recall there."""
    area = ((s, (best - below) * s.tp) for s, best, below in envelope(rankings))
    return ratio(total(rankings, area), rankings.n_positives)


def interpolated_at_levels(rankings: Rankings, levels: int | FloatArray) -> FloatArray:
    """Sum of the rise of the envelope at each step, times the share of the (sorted) levels reached there."""
    n_levels = levels if isinstance(levels, int) else levels.size
    heights = (
        (s, (best - below) * _levels_reached(rankings, s, levels)) for s, best, below in envelope(rankings)
    )
    return total(rankings, heights) / n_levels


def _levels_reached(rankings: Rankings, steps: Steps, levels: int | FloatArray) -> FloatArray:
    """Return how many levels the recall of each step reaches.

    Whole counts or weights reach a level j / (N - 1) by products of integers, exactly. Other weights were
    rounded before they were added, and a level within that rounding counts as reached.
    """
    n_positives = steps.each(rankings.n_positives)
    if not isinstance(levels, int):
        return np.asarray(np.searchsorted(levels, steps.tp / n_positives, side="right"), dtype=np.float64)
    last, rounding = levels - 1, 4 * steps.each(rankings.n_rows) * np.finfo(np.float64).eps
    reached: FloatArray = np.floor(steps.tp / (n_positives * (1 - rounding)) * last)
    whole = (steps.tp % 1 == 0) & (n_positives % 1 == 0) & (n_positives <= 2**53)
    product = np.int64 if last < 2**10 else object  # up to 2**63, or of any size
    found, of = (counts[whole].astype(np.int64).astype(product) for counts in (steps.tp, n_positives))
    reached[whole] = found * last // of
    return np.minimum(reached + 1, levels)


def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Mean of the interpolated precision at the recall levels 0, 0.1, ..., 1.

    .. math::
        \text{AP}_{11} = \frac{1}{11} \sum_{j=0}^{10} \max_{R_n \ge j / 10} P_n

    The average precision of Pascal VOC until 2009 [1]_ and of early TREC evaluations [2]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores, highest for what is retrieved first: probabilities, decision values or any other numbers.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How the scores of several rankings become one. Multilabel and multiclass labels are one ranking a
        column, `query_id` makes it one a query. Ignored for binary labels without `query_id`.

        - ``'macro'``: unweighted mean.
        - ``'weighted'``: mean weighted by the positives of each ranking.
        - ``'micro'``: a single ranking of all entries of all columns or queries.
        - ``'samples'``: mean over samples, each being a ranking of its labels. Not with `query_id`.
        - ``None``: one value a ranking; columns in their order, classes and queries sorted.

    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`; must be 1 for other labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample of binary `y_true`, in any row order. Each query is a ranking of its own, so
        ``average='macro'`` is the mean over queries.

    n_positives : float, array-like or mapping, default=None
        Total number of positives (with weights, their total weight), found or not: objects that were never
        detected and documents that were never retrieved count. A number is the total of each ranking, an
        array holds one a column, and with `query_id` a mapping gives one a query; a query without rows then
        counts and scores 0. By default, the positives in `y_true`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives. ``'warn'`` is 0.0 and a warning; NaN leaves the ranking out of
        the mean.

    Returns
    -------
    eleven_point_average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; the higher, the better. An array where ``average=None`` and there are several rankings.

    Warns
    -----
    UserWarning
        If a ranking has no positive and ``zero_division='warn'``; once a call.

    Raises
    ------
    ValueError
        As :func:`average_precision_score`.

    See Also
    --------
    interpolated_average_precision_score : The same with all recalls, or any levels.

    Notes
    -----
    Levels are compared without rounding. The VOC 2007 devkit and its Python copies go through
    ``numpy.arange(0, 1.1, 0.1)``, whose levels 0.3, 0.6 and 0.7 are one bit too high, and miss a recall of
    exactly 6/10: their number is ``interpolated_average_precision_score(...,
    recall_levels=numpy.arange(0, 1.1, 0.1))``. trec_eval reaches levels by numbers of documents instead,
    which is another definition.

    References
    ----------
    .. [1] M. Everingham, L. Van Gool, C. K. I. Williams, J. Winn, A. Zisserman, "The Pascal Visual Object
       Classes (VOC) Challenge", International Journal of Computer Vision 88, 2010.
       :doi:`10.1007/s11263-009-0275-4`
    .. [2] C. D. Manning, P. Raghavan, H. Schuetze, "Introduction to Information Retrieval", section 8.4,
       Cambridge University Press, 2008. :doi:`10.1017/CBO9780511809071`
    .. [3] `scikit-learn issue 4577 <https://github.com/scikit-learn/scikit-learn/issues/4577>`_

    Examples
    --------
    >>> from sklearn_ap import eleven_point_average_precision_score
    >>> y_true = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    >>> y_score = [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    >>> round(eleven_point_average_precision_score(y_true, y_score), 4)
    0.803
    """
    rankings, averaging = rankings_of(
        y_true,
        y_score,
        caller="eleven_point_average_precision_score",
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
        n_positives=n_positives,
        zero_division=zero_division,
    )
    return averaging.of(interpolated_at_levels(rankings, 11))


def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: Interpolation = "linear",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Area under the precision-recall curve, with its operating points joined.

    ``'linear'`` joins them by straight lines, the trapezoidal rule

    .. math::
        \sum_n (R_n - R_{n-1}) \frac{P_n + P_{n-1}}{2}

    which is too optimistic. ``'davis-goadrich'`` lets true and false positives grow in proportion between two
    points [1]_, which bends the line: with :math:`k = \Delta N / \Delta TP`, :math:`N = TP + FP` and
    :math:`c = N_{n-1} - k\, TP_{n-1}`, the area of a segment is

    .. math::
        \frac{1}{n_{positives}} \left(\frac{\Delta TP}{k} - \frac{c}{k^2} \ln \frac{N_n}{N_{n-1}}\right).

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores, highest for what is retrieved first: probabilities, decision values or any other numbers.

    interpolation : {'linear', 'davis-goadrich'}, default='linear'
        What joins two neighbouring operating points.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How the scores of several rankings become one. Multilabel and multiclass labels are one ranking a
        column, `query_id` makes it one a query. Ignored for binary labels without `query_id`.

        - ``'macro'``: unweighted mean.
        - ``'weighted'``: mean weighted by the positives of each ranking.
        - ``'micro'``: a single ranking of all entries of all columns or queries.
        - ``'samples'``: mean over samples, each being a ranking of its labels. Not with `query_id`.
        - ``None``: one value a ranking; columns in their order, classes and queries sorted.

    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`; must be 1 for other labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample of binary `y_true`, in any row order. Each query is a ranking of its own, so
        ``average='macro'`` is the mean over queries.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives. ``'warn'`` is 0.0 and a warning; NaN leaves the ranking out of
        the mean.

    Returns
    -------
    pr_auc : float or ndarray of shape (n_rankings,)
        In [0, 1]; the higher, the better. An array where ``average=None`` and there are several rankings.

    Warns
    -----
    UserWarning
        If a ranking has no positive and ``zero_division='warn'``; once a call.

    Raises
    ------
    ValueError
        As :func:`average_precision_score`, and for an unknown `interpolation`.

    See Also
    --------
    average_precision_score : The area of steps; joins nothing.

    Notes
    -----
    *How other libraries call this number*: ``'linear'`` is ``auc(recall, precision)`` of
    :func:`sklearn.metrics.precision_recall_curve` (whose first point is recall 0, precision 1),
    ``average_precision_score`` of scikit-learn before 0.19 and ``PRAUC`` of CatBoost. ``'davis-goadrich'`` is
    ``aucpr`` of XGBoost and ``auc.integral`` of the R package PRROC [2]_.

    Constant scores with a tenth of positives have a linear area of 0.55, where the precision is 0.1 at
    every threshold.

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
    check_option("interpolation", interpolation, _AREAS)
    rankings, averaging = rankings_of(
        y_true,
        y_score,
        caller="pr_auc_score",
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
        zero_division=zero_division,
    )
    return averaging.of(_AREAS[interpolation](rankings))


def linear(rankings: Rankings) -> FloatArray:
    """Sum of the mean of two neighbouring precisions, times the recall gained between them."""
    area = ((s, s.gained * (s.tp / s.retrieved + _precision_above(s)) / 2) for s in rankings.blocks())
    return ratio(total(rankings, area), rankings.n_positives)


def _precision_above(steps: Steps) -> FloatArray:
    """Return the precision of what stands above each step; by convention 1 where nothing does."""
    return np.divide(steps.tp_above, steps.above, out=np.ones_like(steps.above), where=steps.rows_above > 0)


def davis_goadrich(rankings: Rankings) -> FloatArray:
    """Sum of the areas of segments along which true positives are a fixed share of what is added."""
    area = ((s, _davis_goadrich_segment(s)) for s in rankings.blocks())
    return ratio(total(rankings, area), rankings.n_positives)


def _davis_goadrich_segment(steps: Steps) -> FloatArray:
    gained, added = steps.gained, steps.group_weight
    share = gained / added  # 1 / k
    offset = steps.above - steps.tp_above / share  # c
    # log1p, since the quotient of two neighbouring counts near 1e9 leaves too few digits to its logarithm
    growth = np.log1p(np.divide(added, steps.above, out=np.zeros_like(added), where=steps.rows_above > 0))
    return share * (gained - offset * share * growth)


_AREAS: dict[str, Callable[[Rankings], FloatArray]] = {"linear": linear, "davis-goadrich": davis_goadrich}
