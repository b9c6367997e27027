"""The score of a cross-validation with its interval, from the pooled scores of all
folds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.estimators import rows_of, tested_folds
from .._core.reading.values import on_host
from .._core.scorers import RankingScorer, scorer_of
from .._core.typing import AnyArray, EstimateMethod, Estimator, Features, ScoreFunction
from .results import ScoreEstimate
from .sample import SeedOrGenerator
from .standard_errors import estimate_score

_BY_ROW = ("sample_weight", "query_id", "unit_id")


def estimate_cv_results(
    score_func: str | ScoreFunction,
    cv_results: Mapping[str, Any],
    X: Features,
    y: ArrayLike,
    *,
    method: EstimateMethod = "auto",
    unit_id: ArrayLike | None = None,
    n_resamples: int = 1999,
    random_state: SeedOrGenerator = None,
    **score_func_params: Any,
) -> ScoreEstimate:
    """Score of a cross-validated model with its interval, pooled over the folds.

    The estimator of each fold scores the rows that it did not see. Pooled, these scores
    are those of one sample, for :func:`estimate_score`. The target is the mean score of
    the estimators of these folds on rows of the population, not the score of an
    estimator of all rows, nor that of the procedure on other samples.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str, callable or scorer
        A score or its name, as for :func:`estimate_score`, or a scorer of
        :func:`make_scorer` or :func:`get_scorer`, such as the one that `cross_validate`
        got.

    cv_results : dict
        What :func:`sklearn.model_selection.cross_validate` returns with
        ``return_estimator=True`` and ``return_indices=True``.

    X, y : array-like of shape (n_samples, n_features) and (n_samples,) or (n_samples, n_labels)
        The data that `cross_validate` got.

    method : optional
        As for :func:`estimate_score`.

    unit_id : array-like of shape (n_samples,), default=None
        Unit of each row of `y`, such as the groups of the splitter. By default, rows
        are the units or, with `query_id`, the queries.

    n_resamples, random_state : optional
        As for :func:`estimate_score`.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as `pos_label`; `sample_weight` and
        `query_id` have a value per row of `y`.

    Returns
    -------
    estimate : ScoreEstimate
        As :func:`estimate_score` returns it.

    Warns
    -----
    UserWarning
        As for :func:`estimate_score`.

    Raises
    ------
    TypeError
        If `score_func` is neither a name, nor a function, nor a scorer of this package.
    ValueError
        For what :func:`estimate_score` and scorers refuse; if `cv_results` lacks the
        estimators or the indices, or `X`, `y` or another array does not fit them; if
        the estimators know different classes; if several folds test a row, and
        `query_id` or `n_positives` is given.
    AttributeError
        If the estimators give no scores, but labels alone.

    See Also
    --------
    estimate_score : The same of scores.

    Notes
    -----
    The score is mostly lower than the mean over folds, which is too high where folds
    have few positives. A classifier gives scores by `decision_function` or
    `predict_proba`, and never by `predict`. Rows that no fold tests are left out. A row
    that several folds test is one unit. The interval does not allow for the training
    rows that folds share: of 95 %, it covered .91 to .95 in simulations of 6 or 9
    positives per fold. Boyd and others [1]_ compare it with intervals around a mean
    over folds.

    References
    ----------
    .. [1] K. Boyd, K. H. Eng, C. D. Page, "Area under the Precision-Recall Curve: Point
       Estimates and Confidence Intervals", ECML PKDD 2013.
       :doi:`10.1007/978-3-642-40994-3_29`

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn_ap import estimate_cv_results, get_scorer
    >>> X, y = make_classification(500, weights=[0.8], flip_y=0.2, random_state=0)
    >>> scorer = get_scorer("average_precision")
    >>> results = cross_validate(
    ...     LogisticRegression(), X, y, scoring=scorer, return_estimator=True, return_indices=True
    ... )
    >>> print(estimate_cv_results(scorer, results, X, y))
    0.63, 95 % interval 0.53 to 0.72 (influence)
    """
    scorer = scorer_of(score_func, score_func_params)
    params = score_func_params | {"unit_id": unit_id}
    by_row = {name: params[name] for name in _BY_ROW if params.get(name) is not None}
    folds = tested_folds(cv_results, X, y, **by_row)
    rows = np.concatenate([test for _, test in folds])
    params |= {name: rows_of(values, rows) for name, values in by_row.items()}
    unit_id = params.pop("unit_id")
    response = _pooled_response(scorer, folds, X, y)
    labels, scores, params = scorer._score_input(
        folds[0][0], response, rows_of(y, rows), params
    )
    if np.unique(rows).size < rows.size:
        for name in ("query_id", "n_positives"):
            if params.get(name) is not None:
                raise ValueError(
                    f"{name} needs folds that test each row once; got cv_results that test some rows again."
                )
        unit_id = rows if unit_id is None else unit_id
    return estimate_score(
        scorer._score_func,
        labels,
        scores,
        method=method,
        unit_id=unit_id,
        n_resamples=n_resamples,
        random_state=random_state,
        **params,
    )


def _pooled_response(
    scorer: RankingScorer,
    folds: list[tuple[Estimator, AnyArray]],
    features: Features,
    y: ArrayLike,
) -> ArrayLike:
    """Return what the estimators of all folds answer, one fold after the other."""
    classes = [
        [np.asarray(c).tolist() for c in getattr(model, "classes_", ())]
        for model, _ in folds
    ]
    # One estimator says what the columns of all folds mean, so all must know the same
    # classes.
    for fold, of_fold in enumerate(classes):
        if of_fold != classes[0]:
            raise ValueError(
                f"cv_results must contain estimators with the same classes; got {classes[0]} in fold 0 and "
                f"{of_fold} in fold {fold}. Use StratifiedKFold."
            )
    answers: list[Any] = [
        on_host("response", scorer._response(model, rows_of(features, rows), y))
        for model, rows in folds
    ]
    if isinstance(answers[0], list):  # of forests: a matrix per output
        return [np.concatenate(outputs) for outputs in zip(*answers, strict=True)]
    return np.concatenate(answers)
