"""Reciprocal rank: how far down the first positive stands."""

from __future__ import annotations

from typing import Unpack, overload

from numpy.typing import ArrayLike

from .._api import score
from .._areas._reciprocal_rank import RECIPROCAL_RANK
from .._definition import Definition, define
from .._reading._options import RANKED_TIES, check_option, read_k
from .._reading._read import Input
from .._typing import (
    Average,
    AveragedBy,
    By,
    FloatArray,
    Label,
    QueryWeight,
    RankedTies,
    ScoreOptions,
    Totals,
    ZeroDivision,
)


def reciprocal_rank(k: int | float | None, ties: RankedTies) -> Definition:
    """Return the definition of `reciprocal_rank_score` with these options."""
    k = read_k(k)
    check_option("ties", ties, RANKED_TIES)
    return define(RECIPROCAL_RANK, cut=k, ties=ties)


class ReciprocalRank(ScoreOptions[By], total=False):
    k: int | float | None
    ties: RankedTies


@overload
def reciprocal_rank_score(
    y_true: ArrayLike, y_score: ArrayLike, **options: Unpack[ReciprocalRank[AveragedBy]]
) -> float: ...
@overload
def reciprocal_rank_score(
    y_true: ArrayLike, y_score: ArrayLike, **options: Unpack[ReciprocalRank[Average]]
) -> float | FloatArray: ...
def reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = None,
    ties: RankedTies = "expected",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    query_weight: QueryWeight | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | FloatArray:
    r"""One over the rank of the first positive; over queries, the mean reciprocal rank (MRR).

    .. math::
        RR = \frac{1}{\min \{i : rel(i) = 1\}}

    where :math:`rel(i)` is 1 if row i is positive [1]_. With `query_id`, the mean over queries is MRR. All
    positives after the first one count for nothing. With `k`, a first positive below row `k` scores 0.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

    k : int, float or None, default=None
        Where each ranking is cut; by default nowhere, since MRR usually has no cut. An int counts rows, a
        float in (0, 1] is a share of the ranking's rows (rounded, at least one row). 1 means one row, 1.0
        means all rows.

    ties : {'expected', 'stable', 'optimistic', 'pessimistic'}, default='expected'
        How equal scores are ranked; not ``'proportional'``, since a shared threshold gives no rank.

        - ``'expected'``: the mean over all orders of equal scores.
        - ``'stable'``: the order of the rows as given.
        - ``'optimistic'``, ``'pessimistic'``: positives first, or last, among equal scores.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How several rankings become one score, as for :func:`average_precision_score`; None gives one each.

    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`; must be 1 for other labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, as for :func:`average_precision_score`; rows of weight 0 are dropped.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample of binary `y_true`, in any row order. Each query is a ranking of its own.

    query_weight : array-like or mapping, default=None
        Weight of each query in the mean over queries, as for :func:`average_precision_score`.

    n_positives : float, array-like or mapping, default=None
        Positives of each ranking, found or missed, as for :func:`average_precision_score`.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives, as for :func:`average_precision_score`.

    Returns
    -------
    reciprocal_rank : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Warns
    -----
    UserWarning
        If a ranking has no positive and ``zero_division='warn'``; once per call.

    Raises
    ------
    ValueError
        For what :func:`average_precision_score` refuses; for `k` or `ties` outside their values; for weights
        that differ inside a ranking.

    See Also
    --------
    precision_at_k_score : With ``k=1``, whether the first row is positive.
    average_precision_score : Counts all positives, not only the first.

    Notes
    -----
    *Ties*: with ``'expected'``, the score is the sum of 1 / (N + i) times the probability that the first
    positive stands in place i of its tied group, below `N` rows, after [2]_. Orders in which it falls below
    `k` count 0.

    *Weights*: a rank counts rows, so weights that differ inside a ranking are refused. ``average='samples'``
    accepts them, since there they are weights of rankings.

    *Missed positives*: a query that has positives scores 0 if all of them were missed. `n_positives` says
    that it has some: without a stated total, such a query is a ranking without positives.

    *How other libraries call this number*: with `query_id` and without equal scores, ``recip_rank`` of
    trec_eval, ``mrr`` of ranx, ``RR`` of ir_measures; if all scores are above 0, also ``RetrievalMRR`` of
    torchmetrics. ``mrr@10`` and ``RetrievalMRR(top_k=10)`` are ``k=10``.
    :func:`sklearn_ap.compatibility.score_as` gives their numbers with equal scores, too.

    References
    ----------
    .. [1] E. M. Voorhees, D. M. Tice, "Building a Question Answering Test Collection", SIGIR 2000.
       :doi:`10.1145/345508.345577`
    .. [2] F. McSherry, M. Najork, "Computing Information Retrieval Performance Measures Efficiently in the
       Presence of Tied Scores", ECIR 2008. :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from sklearn_ap import reciprocal_rank_score
    >>> reciprocal_rank_score([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    0.5
    >>> reciprocal_rank_score([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], k=1)
    0.0

    The first positive is in row 1 or 2, each in half of all orders of the equal scores:

    >>> reciprocal_rank_score([0, 1, 0], [0.9, 0.9, 0.1])
    0.75
    >>> reciprocal_rank_score([0, 1, 0], [0.9, 0.9, 0.1], ties="pessimistic")
    0.5
    >>> reciprocal_rank_score([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], query_id=["a", "a", "b", "b"])  # MRR
    0.75
    """
    inputs = Input(
        y_true, y_score, average, pos_label, sample_weight, query_id, query_weight, n_positives, zero_division
    )
    return score("reciprocal_rank_score", reciprocal_rank(k, ties), inputs)
