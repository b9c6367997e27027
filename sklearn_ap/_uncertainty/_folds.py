"""The folds of a cross-validation: pooled scores of one model, and the corrected t-test
of two models.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from .._estimators import rows_of, tested_folds
from .._reading._options import check_option
from .._reading._values import on_host
from .._scorers import RankingScorer, scorer_of
from .._typing import (
    AnyArray,
    EstimateMethod,
    Estimator,
    Features,
    ScoreFunction,
    TestedAlternative,
)
from ._comparisons import read_margin, t_test
from ._estimates import estimate_score
from ._influence import rounding_of
from ._results import ScoreComparison, ScoreEstimate
from ._sample import Source

Folds = dict[str, list[AnyArray]]  # the rows of each fold, "train" and "test"
_BY_ROW = ("sample_weight", "query_id", "unit_id")


def estimate_cv_results(
    score_func: str | ScoreFunction,
    cv_results: Mapping[str, Any],
    X: Features,
    y: ArrayLike,
    *,
    pool: Literal["scores", "ranks"] = "scores",
    method: EstimateMethod = "auto",
    unit_id: ArrayLike | None = None,
    n_resamples: int = 1999,
    random_state: Source = None,
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

    pool : {'scores', 'ranks'}, default='scores'
        ``'ranks'`` ranks the rows of each fold, as shares of its rows, before folds are
        pooled: for estimators whose scores have another scale in each fold.

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
    compare_cv_results : Two models on the same folds.

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
    check_option("pool", pool, ("scores", "ranks"))
    scorer = scorer_of(score_func, score_func_params)
    params = score_func_params | {"unit_id": unit_id}
    by_row = {name: params[name] for name in _BY_ROW if params.get(name) is not None}
    of_queries: Any = params.get("query_weight")
    if np.shape(of_queries) == np.shape(y)[:1]:  # one per row; a mapping has no shape
        by_row["query_weight"] = of_queries
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
    if pool == "ranks":
        parts = np.split(scores, np.cumsum([test.size for _, test in folds])[:-1])
        scores = np.concatenate([rankdata(part, axis=0) / len(part) for part in parts])
    params |= {
        "method": method,
        "unit_id": unit_id,
        "n_resamples": n_resamples,
        "random_state": random_state,
    }
    return estimate_score(scorer._score_func, labels, scores, **params)


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


def compare_cv_results(
    cv_results_a: Mapping[str, Any],
    cv_results_b: Mapping[str, Any],
    *,
    key: str = "test_score",
    alternative: TestedAlternative = "two-sided",
    margin: float = 0.0,
) -> ScoreComparison:
    r"""Compare two models by their scores in the same folds of a cross-validation.

    This is the corrected resampled t-test [1]_. With the differences :math:`d_1, \dots,
    d_K` in K folds, their mean :math:`\bar d` and their variance :math:`s^2`,

    .. math::
        t = \bar d \Big/ \sqrt{\left( \frac{1}{K} + \frac{n_{test}}{n_{train}} \right) s^2}

    has a t distribution with K - 1 degrees of freedom if both models score the same on
    average. The plain t-test lacks the second ratio. It takes folds for independent,
    although they share most of their training rows, and finds differences where there
    are none.

    .. versionadded:: 0.1

    Parameters
    ----------
    cv_results_a, cv_results_b : dict
        What :func:`sklearn.model_selection.cross_validate` returns with
        ``return_indices=True``; both with the same folds in the same order. Pass it the
        same `cv`: an integer, a splitter with an integer `random_state`, or a list of
        splits.

    key : str, default='test_score'
        Name of the scores in both results, such as ``'test_ap'`` for one of several
        scorers.

    alternative : {'two-sided', 'less', 'greater', 'equivalence'}, default='two-sided'
        ``'greater'`` tests whether the first model scores higher, and ``'less'``
        whether it scores lower.

    margin : float, default=0.0
        Largest difference that does not matter, for tests of non-inferiority and
        equivalence, as in :func:`compare_scores`.

    Returns
    -------
    comparison : ScoreComparison
        First model minus second model, with the means over folds as `scores`. The
        number of folds is `n_units`, and the `method` is ``'nadeau-bengio'``.

    Warns
    -----
    UserWarning
        If the difference is the same in all folds, and it or `margin` is not 0: then
        the statistic is infinite, and the p-value NaN. (If both are 0, the p-value is
        1.)

    Raises
    ------
    ValueError
        If the results are not those of `cross_validate`, lack the indices or the
        scores, have other folds, or fewer than two folds, or a fold without rows; if a
        score is NaN or infinite; if `alternative` is another word, or does not take
        `margin`.

    See Also
    --------
    sklearn.model_selection.cross_validate : Returns the results. compare_scores :
    Compares two models on the same rows, such as pooled predictions of all folds.
    estimate_cv_results : How sure the score of one model is.

    Notes
    -----
    If folds differ in size, the ratio is the mean over folds of test rows to training
    rows. Repeated cross-validation counts each split as a fold, as `Statistical
    comparison of models using grid search
    <https://scikit-learn.org/stable/auto_examples/model_selection/plot_grid_search_stats.html>`_
    does, whose numbers are the same. No variance of a cross-validation is without bias
    [2]_; this one is mostly too large.

    *Repeat the folds*, as :class:`~sklearn.model_selection.RepeatedStratifiedKFold`
    does: with 500 rows, 75 of them positive, the test found a better model in .32 of
    samples by ten times ten folds, and in .14 by ten folds; it rejected equal models in
    .045 and .03.

    A search has no indices in `cv_results_`. Call `cross_validate` with each of the two
    candidates.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 2003. :doi:`10.1023/A:1024068626366`
    .. [2] Y. Bengio, Y. Grandvalet, "No unbiased estimator of the variance of K-fold
       cross-validation", Journal of Machine Learning Research 5, 2004. `jmlr.org
       <https://www.jmlr.org/papers/v5/grandvalet04a.html>`_

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_ap import compare_cv_results
    >>> X, y = make_classification(500, weights=[0.8], flip_y=0.2, random_state=0)
    >>> a, b = (
    ...     cross_validate(model, X, y, cv=10, scoring="average_precision", return_indices=True)
    ...     for model in (LogisticRegression(), GaussianNB())
    ... )
    >>> comparison = compare_cv_results(a, b)
    >>> print(comparison)
    0.66 - 0.71 = -0.05, 95 % interval -0.09 to -0.01, p = 0.017 (two-sided, nadeau-bengio)
    """
    margin = read_margin(margin, alternative)
    folds = [
        _read_folds("cv_results_a", cv_results_a),
        _read_folds("cv_results_b", cv_results_b),
    ]
    for part in ("test", "train"):
        for fold, pair in enumerate(zip_longest(folds[0][part], folds[1][part])):
            if not np.array_equal(*pair):
                raise ValueError(
                    f"cv_results_b must have the folds of cv_results_a; got other {part} rows in fold "
                    f"{fold}. Pass the same cv to both calls, such as cv=list(splitter.split(X, y))."
                )
    train, test = folds[0]["train"], folds[0]["test"]
    first = _fold_scores("cv_results_a", cv_results_a, key, len(test))
    second = _fold_scores("cv_results_b", cv_results_b, key, len(test))
    rounding = rounding_of(
        max(map(len, test)), np.abs(first).max(), np.abs(second).max()
    )
    differences = first - second
    difference = (
        float(differences.mean()) if np.abs(differences).max() > rounding else 0.0
    )
    deviation = 0.0  # without what rounding adds
    if np.abs(differences - difference).max() > rounding:
        deviation = float(differences.std(ddof=1))
    ratio = float(
        np.mean(
            [
                len(tested) / len(trained)
                for tested, trained in zip(test, train, strict=True)
            ]
        )
    )
    n_folds, error = len(test), deviation * sqrt(1 / len(test) + ratio)
    statistic, pvalue = t_test(
        difference, error, n_folds - 1, alternative, margin=margin
    )
    return ScoreComparison(
        difference=difference,
        scores=(float(first.mean()), float(second.mean())),
        standard_error=error,
        statistic=statistic,
        df=float(n_folds - 1),
        pvalue=pvalue,
        method="nadeau-bengio",
        alternative=alternative,
        n_units=n_folds,
        margin=margin,
    )


def _fold_scores(
    name: str, results: Mapping[str, Any], key: str, n_folds: int
) -> AnyArray:
    """Return the score of each fold, all finite."""
    if key not in results:
        names = ", ".join(
            repr(field)
            for field in results
            if str(field).startswith(("test_", "train_"))
        )
        raise ValueError(
            f"key must be a name of scores in {name}, which has {names}; got {key!r}."
        )
    try:
        scores = np.asarray(results[key], dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.empty(0)
    if scores.shape != (n_folds,) or not np.isfinite(scores).all():
        raise ValueError(
            f"{name}[{key!r}] must contain a finite score per fold, {n_folds} in all; got {results[key]!r}. "
            "cross_validate(..., error_score='raise') shows why a score is NaN."
        )
    if n_folds < 2:
        raise ValueError(
            f"{name} must have at least 2 folds, whose differences can vary; got {n_folds}."
        )
    return scores


def _read_folds(name: str, results: object) -> Folds:
    """Return the training rows and the test rows of each fold. Neither may be empty."""
    expected = f"{name} must be what cross_validate(..., return_indices=True) returns"
    keys = list(results) if isinstance(results, Mapping) else type(results).__name__
    indices = results.get("indices") if isinstance(results, Mapping) else None
    if not isinstance(indices, Mapping) or not {"train", "test"} <= set(indices):
        raise ValueError(
            f"{expected}; got {keys}. The cv_results_ of a search lack the rows of its folds: call "
            "cross_validate with each of the two candidates and the same cv."
        )
    folds = {
        part: [np.asarray(rows) for rows in indices[part]] for part in ("train", "test")
    }
    sizes = [[fold.size for fold in folds[part]] for part in folds]
    if len(sizes[0]) != len(sizes[1]) or not all(map(all, sizes)):
        raise ValueError(
            f"{name}['indices'] must contain the rows of each fold, to train and to test; got {indices!r}."
        )
    return {
        part: [
            np.flatnonzero(fold) if fold.dtype == bool else fold for fold in folds[part]
        ]
        for part in folds
    }
