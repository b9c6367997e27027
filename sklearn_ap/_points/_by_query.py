"""One value per query, together with the id of the query."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .._reading._options import short_repr
from .._reading._queries import distinct_queries, named_queries, read_totals
from .._reading._read import read
from .._reading._values import on_host
from .._registry import score_of
from .._typing import Input, QueryId, ScoreByQuery, ScoreFunction


@overload
def score_by_query(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike],
    *,
    query_id: ArrayLike,
    **score_func_params: object,
) -> dict[str, ScoreByQuery]: ...
@overload
def score_by_query(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    query_id: ArrayLike,
    **score_func_params: object,
) -> ScoreByQuery: ...
def score_by_query(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    *,
    query_id: ArrayLike,
    **score_func_params: object,
) -> ScoreByQuery | dict[str, ScoreByQuery]:
    """Return the score of each query, under the id of the query; of one model or of several.

    The values are those of ``score_func(..., average=None)``, which come without their queries. A query that
    is easy for one model is mostly easy for another one too [1]_, so two models are compared query by query
    [2]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A score of this package by its name, as in :func:`get_scorer`, such as ``'average_precision@100'``;
        the score itself, such as :func:`average_precision_score`; or a function with the same arguments.

    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,) or mapping
        Scores; the highest is retrieved first. A mapping contains the scores of one model per name.

    query_id : array-like of shape (n_samples,)
        Query of each sample, in any row order.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as ``k=10``, `sample_weight`, `n_positives` or `zero_division`.

    Returns
    -------
    score_by_query : dict
        ``{query: score}``, with the queries sorted; their mean is what `score_func` returns by default. If
        `y_score` is a mapping, ``{name: {query: score}}``.

    Warns
    -----
    UserWarning
        If a query has no positive and ``zero_division='warn'``; once per call.

    Raises
    ------
    TypeError
        If `score_func` does not take `query_id` and `average`.
    ValueError
        For what `score_func` refuses; if `query_id` is None, `average` is given, or `y_score` is an empty
        mapping.

    See Also
    --------
    compare_by_query : Tests the difference of two models.
    QueryDisplay : Draws the values.
    average_precision_score : The mean over queries, if `query_id` is given.

    Notes
    -----
    The keys are Python objects: a query of an integer array is an int. A query whose rows all weigh 0 is one
    without positives, which the mean leaves out; a query without rows, but with a stated total, scores 0.
    ``zero_division=np.nan`` keeps queries without positives, with the value NaN.
    ``pandas.Series(score_by_query(...))`` is a series indexed by query.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schuetze, "Introduction to Information Retrieval", section 8.4,
       Cambridge University Press, 2008. :doi:`10.1017/CBO9780511809071`
    .. [2] M. D. Smucker, J. Allan, B. Carterette, "A comparison of statistical significance tests for
       information retrieval evaluation", CIKM 2007. :doi:`10.1145/1321440.1321528`

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, score_by_query
    >>> y_true, query_id = [1, 0, 0, 1], ["cats", "cats", "dogs", "dogs"]
    >>> score_by_query(average_precision_score, y_true, [0.9, 0.8, 0.7, 0.6], query_id=query_id)
    {'cats': 1.0, 'dogs': 0.5}

    Two models, whose difference can be tested query by query:

    >>> y_score = {"old": [0.9, 0.8, 0.7, 0.6], "new": [0.3, 0.2, 0.1, 0.4]}
    >>> score_by_query(average_precision_score, y_true, y_score, query_id=query_id)
    {'old': {'cats': 1.0, 'dogs': 0.5}, 'new': {'cats': 1.0, 'dogs': 1.0}}
    """
    score_func = score_of(score_func, score_func_params)
    params = _with_defaults(score_func, score_func_params)
    models: dict[str, Any] = dict(y_score) if isinstance(y_score, Mapping) else {"": y_score}
    if not models:
        raise ValueError(f"y_score must map the names of models to their scores; got {y_score!r}.")
    names: list[QueryId] = []
    by_model: dict[str, ScoreByQuery] = {}
    for model, model_scores in models.items():
        scores = on_host(
            "y_score", model_scores
        )  # else the values would go to its device, and may be rounded there
        # The score reads the input first, so that errors are its own.
        values = score_func(y_true, scores, **{**params, "query_id": query_id})
        names = names or _names(y_true, scores, query_id, params)
        by_model[model] = _with_names(values, names)
        # Every model has the same labels, so one warning about queries without positives is enough.
        if isinstance(params.get("zero_division"), str):
            params["zero_division"] = 0.0
    return by_model if isinstance(y_score, Mapping) else by_model[""]


def _with_defaults(score_func: ScoreFunction, params: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments of the function, its defaults and those that a partial binds among them."""
    accepted = dict(list(signature(score_func).parameters.items())[2:])  # after the labels and the scores
    takes_any = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in accepted.values())
    for name in () if takes_any else ("query_id", "average", *params):
        if name not in accepted:
            raise TypeError(
                f"score_func must take {name!r} here; got {score_func!r}, which takes {', '.join(accepted)}."
            )
    if "average" in params:
        raise ValueError(
            "average must be left out: every query has a value of its own, as with average=None; got "
            f"{params['average']!r}."
        )
    if params.get("query_weight") is not None:
        raise ValueError(
            "query_weight must be left out: it weighs queries in a mean, and here every query has a value of "
            "its own. Call the score itself, or numpy.average(list(by_query.values()), weights=...); got "
            f"{short_repr(params['query_weight'])}."
        )
    defaults = {name: parameter.default for name, parameter in accepted.items()}
    defaults = {name: value for name, value in defaults.items() if value is not Parameter.empty}
    return {**defaults, **params, "average": None}


def _names(
    y_true: ArrayLike, y_score: ArrayLike, query_id: ArrayLike, params: Mapping[str, Any]
) -> list[QueryId]:
    """Return the queries in the order of the values: those that have rows, or a stated total."""
    pos_label, weight = params.get("pos_label", 1), params.get("sample_weight")
    inputs = Input(y_true, y_score, None, pos_label, weight, query_id)
    checked = read(inputs, caller="score_by_query")
    if checked.query is None:
        raise ValueError("query_id must contain the query of each sample; got None.")
    names, _ = distinct_queries(checked.query)
    return named_queries(names, read_totals(params.get("n_positives"), checked.query), checked.weightless)


def _with_names(values: Any, names: list[QueryId]) -> ScoreByQuery:
    if np.shape(values) != (len(names),):
        raise ValueError(
            f"score_func must return one value for each of {len(names)} queries with average=None; got "
            f"{values!r}."
        )
    return dict(zip(names, np.asarray(values).tolist(), strict=True))
