"""Scores of the first k rows of a ranking: precision, recall, average precision,
success, and the reciprocal rank of the first positive.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..advice import advised
from ..areas.hits import HITS, RECIPROCAL_RANK, SUCCESS
from ..areas.step import STEP
from ..definition import Definition, at_cut
from ..evaluate import score_rows
from ..reading.options import NORMALIZERS, RECALL_NORMALIZERS, check_option
from ..typing import (
    ArrayLikeOrMapping,
    AveragedBy,
    FloatArray,
    Label,
    Normalizer,
    PassedRows,
    RankedTiePolicy,
    RecallNormalizer,
    TiePolicy,
    ZeroDivision,
)


def precision_at_k(k: int | float | None, ties: TiePolicy) -> Definition:
    """Return the definition of `precision_at_k_score` with these options."""
    return at_cut(HITS, k, ties=ties, normalizer="k")


@advised
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = 0.0,
) -> float | FloatArray:
    r"""Share of positives among the first `k` rows.

    .. math::
        P@k = \frac{1}{k} \sum_{i=1}^{k} rel(i)

    If a ranking has fewer than `k` rows, the count is still divided by `k` [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    k : int, float or None
        Number of first rows of each ranking that are scored, or their share, above 0
        and below 1, which is rounded to at least one row. None means all rows.

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

    zero_division : {'warn', 0.0, 1.0, np.nan}, default=0.0
        Score of a ranking without positives, as for :func:`average_precision_score`. By
        default, it is 0.0 without a warning, because none of the first rows is
        positive.

    Returns
    -------
    precision : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    recall_at_k_score : Share of the positives that are among the first k rows.
    average_precision_at_k_score : Average precision of the first k rows.
    sklearn.metrics.top_k_accuracy_score :
        Share of rows whose label is among the k best classes.

    Notes
    -----
    Without weights, ``ties='expected'`` gives the same score as ``'proportional'``.

    *How other libraries call this number*: with `query_id` and without equal scores,
    ``k=10`` is ``P_10`` of trec_eval and ``precision@10`` of ranx.

    With weights, `k` is still a number of rows. The precision is then the weight of the
    positives among the first `k` rows, divided by the weight of these rows, times
    ``min(k, n_samples) / k``.

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import precision_at_k_score
    >>> precision_at_k_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], k=4)
    0.75

    One of two equal scores falls below the cut:

    >>> precision_at_k_score([1, 0, 1], [0.9, 0.5, 0.5], k=2)
    0.75
    """
    return score_rows(
        "precision_at_k_score",
        precision_at_k(k, ties),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def recall_at_k(
    k: int | float | None, ties: TiePolicy, normalizer: RecallNormalizer
) -> Definition:
    """Return the definition of `recall_at_k_score` with these options."""
    check_option("normalizer", normalizer, RECALL_NORMALIZERS)
    return at_cut(HITS, k, ties=ties, normalizer=normalizer)


@advised
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    normalizer: RecallNormalizer = "n_positives",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Share of all positives that are among the first `k` rows.

    .. math::
        R@k = \frac{1}{n_{positives}} \sum_{i=1}^{k} rel(i)

    If `k` is below the number of positives, recall stays below 1 even if all `k` rows
    are positive [1]_. With ``normalizer='min'`` it can reach 1: the positives found are
    then divided by min(k, R), the most positives that `k` rows can contain, where R is
    the number of positives. With `query_id`, the score is the mean over queries. To add
    up the positives, or their amounts, in the first rows of all queries, call
    :func:`budget_totals`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    k : int, float or None
        Number of first rows of each ranking that are scored, or their share, above 0
        and below 1, which is rounded to at least one row. None means all rows.

    ties : str, default='proportional'
        How equal scores at the cut are counted, by a rule of
        :func:`average_precision_at_k_score`: 'proportional', 'expected', 'stable',
        'optimistic' or 'pessimistic'.

    normalizer : {'n_positives', 'min'}, default='n_positives'
        Divisor of the positives found: all positives R, or min(k, R), so that the best
        ranking scores 1 (capped recall). ``k=None`` divides by R.

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
    recall : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    precision_at_k_score : Share of positives among the first k rows.
    hit_curve : Hits against rows, at each cut.
    budget_totals : Positives and amounts among the first rows of each query.

    Notes
    -----
    Without weights, ``ties='expected'`` gives the same score as ``'proportional'``.
    With weights, `k` is still a number of rows.

    *How other libraries call this number*: with `query_id` and without equal scores,
    ``k=10`` is ``recall_10`` of trec_eval and ``recall@10`` of ranx, and with
    ``normalizer='min'`` ``R_cap@10`` of BEIR.

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> from sklearn_ap import recall_at_k_score
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> recall_at_k_score(y_true, y_score, k=1)
    0.3333333333333333
    >>> recall_at_k_score(y_true, y_score, k=1, normalizer="min")
    1.0
    >>> recall_at_k_score(y_true, y_score, k=1, sample_weight=[80, 5, 10, 10, 5])
    0.8
    """
    return score_rows(
        "recall_at_k_score",
        recall_at_k(k, ties, normalizer),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def average_precision_at_k(
    k: int | float | None, ties: TiePolicy, normalizer: Normalizer
) -> Definition:
    """Return the definition of `average_precision_at_k_score` with these options."""
    check_option("normalizer", normalizer, NORMALIZERS)
    return at_cut(STEP, k, ties=ties, normalizer=normalizer)


@advised
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    normalizer: Normalizer = "min",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""Average precision of the first `k` rows.

    By default, the sum of the precisions at the positives among these rows is divided
    by min(k, R), which is the largest possible sum.

    .. math::
        AP@k = \frac{1}{\min(k, R)} \sum_{i=1}^{k} P@i \; rel(i)

    where R is the number of positives [1]_. With `query_id`, the mean over queries is
    MAP@k. AP@k is not the average of :func:`precision_at_k_score` over `k`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    k : int, float or None
        Number of first rows of each ranking that are scored, or their share, above 0
        and below 1, which is rounded to at least one row. None means all rows.

    ties : str, default='proportional'
        Rule for equal scores at the cut.

        - ``'proportional'``: a cut that divides equal scores takes the same share of
          their positives as of their rows.
        - ``'expected'``: the mean over all orders of equal scores.
        - ``'stable'``: the order of the rows as given.
        - ``'optimistic'``, ``'pessimistic'``: positives first, or last, among equal
          scores.

    normalizer : {'min', 'n_positives', 'k', 'hits'}, default='min'
        Divisor of the sum.

        - ``'min'``: min(k, R), the most positives that `k` rows can contain, so the
          best ranking scores 1. ``k=None`` divides by R.
        - ``'n_positives'``: all positives R.
        - ``'k'``: the number of rows `k`.
        - ``'hits'``: the positives found in the first `k` rows. This divisor rewards a
          ranking for finding fewer positives.

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
    average_precision_at_k : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    average_precision_score : Step average precision of whole rankings.
    precision_at_k_score : Share of positives among the first k rows.

    Notes
    -----
    *Ties*: with ``'proportional'`` and `k` >= n_samples, this score equals
    :func:`average_precision_score`. It can exceed the score with ``'optimistic'``: two
    negatives above four equal positives score 2/3 at ``k=6``, but 21/40 in every order.
    ``'expected'`` is the closed form of [2]_.

    *Weights*: `k` is still a number of rows. With ``'min'``, the divisor is the weight
    of the `k` heaviest positives; with ``'k'``, the weight of the first `k` rows, or of
    all n rows times k / n if `k` exceeds n; and with ``'hits'``, the weight of the
    positives among these rows. Weights that differ within a ranking require ties
    ``'proportional'`` or ``'stable'``, and ``'min'`` is then not valid with
    `n_positives`.

    *How other libraries call this number*: ``'min'`` is ``apk`` of ml_metrics and
    ``map_at_k`` of recommenders, ``'n_positives'`` is ``map_cut`` of trec_eval and
    ``map@k`` of ranx, ``'hits'`` is ``RetrievalMAP(top_k=k)`` of torchmetrics.

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`
    .. [2] F. McSherry, M. Najork, "Computing Information Retrieval Performance Measures
       Efficiently in the Presence of Tied Scores", ECIR 2008.
       :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from sklearn_ap import average_precision_at_k_score
    >>> y_true, y_score = [1, 0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> average_precision_at_k_score(y_true, y_score, k=3)
    0.5555555555555555
    >>> average_precision_at_k_score(y_true, y_score, k=3, normalizer="hits")
    0.8333333333333333
    """
    return score_rows(
        "average_precision_at_k_score",
        average_precision_at_k(k, ties, normalizer),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def reciprocal_rank(k: int | float | None, ties: RankedTiePolicy) -> Definition:
    """Return the definition of `reciprocal_rank_score` with these options."""
    return at_cut(RECIPROCAL_RANK, k, ties=ties)


@advised
def reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = None,
    ties: RankedTiePolicy = "expected",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""One over the rank of the first positive; with queries, their mean (MRR).

    .. math::
        RR = \frac{1}{\min \{i : rel(i) = 1\}}

    where :math:`rel(i)` is 1 if row i is positive [1]_. Positives after the first one
    have no effect. With `k`, the score is 0 if the first positive is below row `k`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    k : int, float or None, default=None
        As for :func:`precision_at_k_score`; by default no cut.

    ties : {'expected', 'stable', 'optimistic', 'pessimistic'}, default='expected'
        As for :func:`average_precision_at_k_score`. ``'proportional'`` is not valid,
        since rows with equal scores have no rank without an order. ``'expected'`` is
        the mean over all orders of equal scores.

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
    reciprocal_rank : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    precision_at_k_score : Share of positives among the first k rows.
    average_precision_score : Step average precision of whole rankings.

    Notes
    -----
    *Ties*: with ``'expected'``, the score is the sum of 1 / (N + i) times the
    probability that the first positive has place i in its tied group, with `N` rows
    above this group [2]_.

    *Weights* that differ within a ranking raise an error, since a rank is a number of
    rows.

    *Missed positives*: a query scores 0 if all its positives were missed, that is, if
    its `n_positives` is above 0 and none of its rows is positive.

    *How other libraries call this number*: with `query_id` and without equal scores,
    ``recip_rank`` of trec_eval, ``mrr`` of ranx, ``RR`` of ir_measures; if all scores
    are above 0, also ``RetrievalMRR`` of torchmetrics. ``mrr@10`` is ``k=10``.

    References
    ----------
    .. [1] E. M. Voorhees, D. M. Tice, "Building a Question Answering Test Collection",
       SIGIR 2000. :doi:`10.1145/345508.345577`
    .. [2] F. McSherry, M. Najork, "Computing Information Retrieval Performance Measures
       Efficiently in the Presence of Tied Scores", ECIR 2008.
       :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from sklearn_ap import reciprocal_rank_score
    >>> reciprocal_rank_score([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    0.5
    >>> query_id = ["a", "a", "b", "b"]
    >>> reciprocal_rank_score([1, 0, 0, 1], [9, 8, 7, 6], query_id=query_id)  # MRR
    0.75

    The first positive is in row 1 or 2, each in half of all orders of the equal scores:

    >>> reciprocal_rank_score([0, 1, 0], [0.9, 0.9, 0.1])
    0.75
    >>> reciprocal_rank_score([0, 1, 0], [0.9, 0.9, 0.1], ties="pessimistic")
    0.5
    """
    return score_rows(
        "reciprocal_rank_score",
        reciprocal_rank(k, ties),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )


def success_at_k(k: int | float | None, ties: RankedTiePolicy) -> Definition:
    """Return the definition of `success_at_k_score` with these options."""
    return at_cut(SUCCESS, k, ties=ties)


@advised
def success_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: RankedTiePolicy = "expected",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""1 if a positive is among the first `k` rows, else 0; with queries, the hit rate.

    .. math::
        S@k = \max_{i \le k} rel(i)

    where :math:`rel(i)` is 1 if row i is positive [1]_. With `query_id`, the mean over
    queries is the share of queries with a positive in their first `k` rows [2]_. More
    than one positive has no further effect.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    k : int, float or None
        Number of first rows of each ranking that are scored, or their share, above 0
        and below 1, which is rounded to at least one row. None means all rows.

    ties : {'expected', 'stable', 'optimistic', 'pessimistic'}, default='expected'
        As for :func:`average_precision_at_k_score`. ``'proportional'`` is not valid,
        since rows with equal scores have no rank without an order. ``'expected'`` is
        the mean over all orders of equal scores.

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
    success : float or ndarray of shape (n_rankings,)
        In [0, 1]; an array if ``average=None``.

    See Also
    --------
    reciprocal_rank_score : One over the rank of the first positive.
    recall_at_k_score : Share of the positives that are among the first k rows.

    Notes
    -----
    *Ties*: with ``'expected'``, the score is the probability that a positive of the
    tied group at the cut is above the cut. The score is 1 if a positive is above this
    group.

    *Weights* and *missed positives*: as for :func:`reciprocal_rank_score`.

    *How other libraries call this number*: with `query_id` and without equal scores,
    ``success_10`` of trec_eval, ``hit_rate@10`` of ranx, ``Success@10`` of ir_measures
    and ``RetrievalHitRate(top_k=10)`` of torchmetrics. The score is not ``hits@10`` of
    ranx, which is the number of positives in the first 10 rows.

    References
    ----------
    .. [1] N. Craswell, D. Hawking, "Overview of the TREC-2004 Web Track", TREC 2004.
       `trec.nist.gov <https://trec.nist.gov/pubs/trec13/papers/WEB.OVERVIEW.pdf>`_
    .. [2] M. Deshpande, G. Karypis, "Item-based top-N recommendation algorithms", ACM
       Transactions on Information Systems 22, 2004. :doi:`10.1145/963770.963776`

    Examples
    --------
    Two of three queries have a positive in their first two rows:

    >>> from sklearn_ap import success_at_k_score
    >>> y_true, query = [0, 1, 0, 0, 0, 1, 1, 1, 0], [1, 1, 1, 2, 2, 2, 3, 3, 3]
    >>> success_at_k_score(y_true, [3, 2, 1] * 3, k=2, query_id=query)
    0.6666666666666666
    """
    return score_rows(
        "success_at_k_score",
        success_at_k(k, ties),
        PassedRows(
            y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
        ),
        zero_division,
    )
