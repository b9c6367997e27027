"""The score of each query under its id."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .advice import advised
from .reading.ids import read_ids
from .reading.per_ranking import queries_of, read_totals
from .reading.values import read_on_host
from .registry import defaults_of, function_name_of, parameters_of
from .scorer_names import function_of
from .typing import QueryId, ScoreFunction


@advised
def score_by_query(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    query_id: ArrayLike,
    **score_func_params: Any,
) -> dict[QueryId, float]:
    """Return the score of each query by its id.

    ``score_func(..., average=None)`` returns the same values without the ids of the
    queries. A query that is easy for one model is mostly easy for another model, too
    [1]_, so two models are compared by query, with ``scipy.stats.ttest_rel`` [2]_.

    Parameters
    ----------
    score_func : str or callable
        A score of this package: its name, as in :func:`get_scorer`, such as
        ``'average_precision@100'``; or the function, such as
        :func:`average_precision_score`. Other functions must have the same arguments.

    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first.

    query_id : array-like of shape (n_samples,)
        Query of each sample. The rows may be in any order.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as ``k=10``, `sample_weight`,
        `n_positives` or `zero_division`.

    Returns
    -------
    score_by_query : dict
        ``{query: score}``, sorted by query. By default, `score_func` returns the mean
        over the queries whose weight is not 0.

    Raises
    ------
    TypeError
        If `score_func` does not take `query_id` and `average`, or if `average` is
        passed.
    ValueError
        If `query_id` is None, or if `score_func` raises this error.

    Warns
    -----
    UserWarning
        If a query has no positive and ``zero_division='warn'``.

    See Also
    --------
    compare_scores : Difference of two models, with its interval and test.
    average_precision_score : Step average precision of whole rankings.

    Notes
    -----
    The keys are Python objects: a query of an integer array is an int. The score of a
    query without positives is the value of `zero_division`. A query whose rows all have
    weight 0 has this score, too, although the mean over queries excludes the query. To
    recognise such queries, pass ``zero_division=np.nan``. A query that occurs in
    `n_positives` only, and has no rows, scores 0.
    ``pandas.Series(score_by_query(...))`` is a series indexed by query.

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`
    .. [2] M. D. Smucker, J. Allan, B. Carterette, "A comparison of statistical
       significance tests for information retrieval evaluation", CIKM 2007.
       :doi:`10.1145/1321440.1321528`

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, score_by_query
    >>> y_true, y_score = [1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6]
    >>> query_id = ["cats", "cats", "dogs", "dogs"]
    >>> score_by_query(average_precision_score, y_true, y_score, query_id=query_id)
    {'cats': 1.0, 'dogs': 0.5}
    """
    score_func, score_func_params = function_of(score_func, score_func_params)
    try:
        parameters_of(score_func, ("query_id", "average"))
    except TypeError:
        raise TypeError(
            "score_func must be a score of this package, or take query_id and average "
            f"as these do; got {function_name_of(score_func)}. For another function f, "
            "write {q: f(y_true[query_id == q], y_score[query_id == q]) for q in "
            "np.unique(query_id)}."
        ) from None
    accepted = parameters_of(score_func, score_func_params, "score_by_query")
    if query_id is None:
        raise ValueError("query_id must contain the query of each sample; got None.")
    params: dict[str, Any] = {**defaults_of(accepted), **score_func_params}
    # If the scores are on another device, `score_func` would return its values there,
    # where they may be rounded to float32.
    y_score = read_on_host("y_score", y_score)
    # Call the score before the ids are read, so that it raises the errors of the input.
    values: Any = score_func(
        y_true, y_score, average=None, query_id=query_id, **score_func_params
    )
    n_samples, *_ = np.shape(y_score)
    ids = read_ids(query_id, n_samples)
    # The values include queries whose rows all have weight 0, and queries that occur in
    # `n_positives` only.
    totals = read_totals(params.get("n_positives"), ids)
    queries = queries_of(ids, passed_query=None, totals=totals).names
    if np.shape(values) != (len(queries),):
        raise ValueError(
            f"score_func must return one value for each of {len(queries)} queries with "
            f"average=None; got {values!r}."
        )
    return dict(zip(queries, np.asarray(values).tolist(), strict=True))
