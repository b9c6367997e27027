"""The folds of a cross-validation: pooled scores of one model, and the corrected t-test of two models."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from .._estimators import response_of, rows_of, tested_folds
from .._public import publish
from .._reading._options import check_option
from .._reading._values import gathered, on_host
from .._scorers import RankingScorer, scorer_of
from .._typing import (
    AnyArray,
    EstimateMethod,
    Estimator,
    Features,
    FloatArray,
    ScoreFunction,
    TestedAlternative,
)
from ._draws import Progress, Source
from ._estimates import estimate_score
from ._results import ScoreComparison, ScoreEstimate
from ._spread import read_margin, rounding_of, t_test

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
    progress: Progress = False,
    **score_func_params: Any,
) -> ScoreEstimate:
    """Score of a cross-validated model, and how sure it is: that of the pooled scores of all folds.

    The estimator of each fold scores the rows that it did not see. Pooled, these scores are those of one
    sample, for :func:`estimate_score`.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str, callable or scorer
        A score or its name, as for :func:`estimate_score`, or a scorer of :func:`make_scorer` or
        :func:`get_scorer`, such as the one that `cross_validate` got.

    cv_results : dict
        What :func:`sklearn.model_selection.cross_validate` returns with ``return_estimator=True`` and
        ``return_indices=True``.

    X, y : array-like of shape (n_samples, n_features) and (n_samples,) or (n_samples, n_labels)
        The data that `cross_validate` got.

    pool : {'scores', 'ranks'}, default='scores'
        ``'ranks'`` ranks the rows of each fold, as shares of its rows, before folds are pooled: for
        estimators whose scores have another scale in each fold.

    method : optional
        As for :func:`estimate_score`.

    unit_id : array-like of shape (n_samples,), default=None
        Unit of each row of `y`, such as the groups of the splitter. By default, rows are the units or, with
        `query_id`, the queries.

    n_resamples, random_state, progress : optional
        As for :func:`estimate_score`.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as `pos_label`; `sample_weight` and `query_id` hold a value per
        row of `y`.

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
        For what :func:`estimate_score` and scorers refuse; if `cv_results` lacks the estimators or the
        indices, or `X`, `y` or another array does not fit them; if the estimators know different classes; if
        several folds test a row, and `query_id` or `n_positives` is given.
    AttributeError
        If the estimators give no scores, but labels alone.

    See Also
    --------
    estimate_score : The same of scores.
    compare_cv_results : Two models on the same folds.

    Notes
    -----
    The score is mostly lower than the mean over folds, which is too high: few positives score too high on
    average, each fold has few, and a mean keeps that. A classifier gives scores by `decision_function` or
    `predict_proba`, and never by `predict`. Rows that no fold tests are left out. A row that several folds
    test, as in a repeated cross-validation, is one unit. The interval does not allow for the training rows
    that folds share, and covers 90 to 95 % where 95 % are asked for. Boyd and others [1]_ compare it with
    intervals around a mean over folds.

    References
    ----------
    .. [1] K. Boyd, K. H. Eng, C. D. Page, "Area under the Precision-Recall Curve: Point Estimates and
       Confidence Intervals", ECML PKDD 2013. :doi:`10.1007/978-3-642-40994-3_29`

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
    0.6339, 95 % interval 0.5354 to 0.7224 (influence)
    >>> print(f"{results['test_score'].mean():.4f}")
    0.6486
    """
    check_option("pool", pool, ("scores", "ranks"))
    scorer = scorer_of(score_func, score_func_params)
    held = gathered(X=X, y=y, unit_id=unit_id, **score_func_params)
    features, y = held.pop("X"), held.pop("y")
    by_row = {name: held[name] for name in _BY_ROW if held.get(name) is not None}
    folds = tested_folds(cv_results, features, y, **by_row)
    rows = np.concatenate([test for _, test in folds])
    held |= {name: rows_of(values, rows) for name, values in by_row.items()}
    unit_id = held.pop("unit_id")
    estimator, response = folds[0][0], _pooled_response(scorer, folds, features)
    labels, scores, params = scorer._question(estimator, response, rows_of(y, rows), held)
    if np.unique(rows).size < rows.size:
        for name in ("query_id", "n_positives"):
            if params.get(name) is not None:
                raise ValueError(
                    f"{name} needs folds that test each row once; got cv_results that test some rows again."
                )
        unit_id = rows if unit_id is None else unit_id
    if pool == "ranks":
        ends = np.cumsum([test.size for _, test in folds])
        scores = np.concatenate([rankdata(one, axis=0) / len(one) for one in np.split(scores, ends[:-1])])
    return estimate_score(
        scorer._score_func,
        labels,
        scores,
        method=method,
        unit_id=unit_id,
        n_resamples=n_resamples,
        random_state=random_state,
        progress=progress,
        **params,
    )


def _pooled_response(
    scorer: RankingScorer, folds: list[tuple[Estimator, AnyArray]], features: Features
) -> ArrayLike:
    """Return what the estimators of all folds answer, one fold after the other.

    A single estimator can then say what the columns mean, since all of them know the same classes.
    """
    known = [[np.asarray(c).tolist() for c in getattr(one, "classes_", ())] for one, _ in folds]
    for fold, classes in enumerate(known):
        if classes != known[0]:
            raise ValueError(
                f"cv_results must hold estimators that know the same classes; got {known[0]} in fold 0 and "
                f"{classes} in fold {fold}. Use StratifiedKFold."
            )
    answers: list[Any] = []
    for estimator, rows in folds:
        answer = response_of(estimator, rows_of(features, rows), scorer._response_method)
        answers.append(on_host("response", answer))
    if isinstance(answers[0], list):  # of forests: a matrix per output
        return [np.concatenate(each) for each in zip(*answers, strict=True)]
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

    This is the corrected resampled t-test [1]_. With the differences :math:`d_1, \dots, d_K` in K folds,
    their mean :math:`\bar d` and their variance :math:`s^2`,

    .. math::
        t = \bar d \Big/ \sqrt{\left( \frac{1}{K} + \frac{n_{test}}{n_{train}} \right) s^2}

    has a t distribution with K - 1 degrees of freedom if both models score the same on average. The plain
    t-test lacks the second ratio. It takes folds for independent, although they share most of their training
    rows, and finds differences where there are none.

    .. versionadded:: 0.1

    Parameters
    ----------
    cv_results_a, cv_results_b : dict
        What :func:`sklearn.model_selection.cross_validate` returns with ``return_indices=True``; both with
        the same folds in the same order. Pass it the same `cv`: an integer, a splitter with an integer
        `random_state`, or a list of splits.

    key : str, default='test_score'
        Name of the scores in both results, such as ``'test_ap'`` for one of several scorers.

    alternative : {'two-sided', 'less', 'greater', 'equivalence'}, default='two-sided'
        ``'greater'`` tests whether the first model scores higher, and ``'less'`` whether it scores lower.

    margin : float, default=0.0
        Largest difference that does not matter, for tests of non-inferiority and equivalence, as in
        :func:`compare_scores`.

    Returns
    -------
    comparison : ScoreComparison
        First model minus second model, with the means over folds as `scores`. The number of folds is
        `n_units`, and the `method` is ``'nadeau-bengio'``.

    Warns
    -----
    UserWarning
        If the difference is the same in all folds, and it or `margin` is not 0: then the statistic is
        infinite, and the p-value NaN. (If both are 0, the p-value is 1.)

    Raises
    ------
    ValueError
        If the results are not those of `cross_validate`, lack the indices or the scores, have other folds, or
        fewer than two folds, or a fold without rows; if a score is NaN or infinite; if `alternative` is
        another word, or does not take `margin`.

    See Also
    --------
    sklearn.model_selection.cross_validate : Returns the results.
    compare_scores : Compares two models on the same rows, such as pooled predictions of all folds.
    estimate_cv_results : How sure the score of one model is.

    Notes
    -----
    If folds differ in size, the ratio is the mean over folds of test rows to training rows. Repeated
    cross-validation counts each split as a fold, as `Statistical comparison of models using grid search
    <https://scikit-learn.org/stable/auto_examples/model_selection/plot_grid_search_stats.html>`_ does, whose
    numbers are the same. No variance of a cross-validation is without bias [2]_; this one is mostly too
    large.

    *Repeat the folds*, as :class:`~sklearn.model_selection.RepeatedStratifiedKFold` does: the test then finds
    more differences, and still rejects equal models seldom. With 500 rows, 75 of them positive, it found a
    better model in .32 of samples by ten times ten folds, and in .14 by ten folds; it rejected equal models
    in .045 and .03.

    Each fold's average precision is too high by its small number of positives. A difference of two models
    loses most of that, one model does not: for one model, :func:`estimate_cv_results` scores the pooled
    scores of all folds instead.

    A search has no indices in `cv_results_`. Call `cross_validate` with each of the two candidates.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
       :doi:`10.1023/A:1024068626366`
    .. [2] Y. Bengio, Y. Grandvalet, "No unbiased estimator of the variance of K-fold cross-validation",
       Journal of Machine Learning Research 5, 2004.
       `jmlr.org <https://www.jmlr.org/papers/v5/grandvalet04a.html>`_

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
    0.6626 - 0.7133 = -0.05071, 95 % interval -0.09021 to -0.01121, p = 0.0175 (two-sided, nadeau-bengio)
    >>> low, high = comparison.confidence_interval()
    >>> round(low, 2), round(high, 2)
    (-0.09, -0.01)
    """
    margin = read_margin(margin, alternative)
    folds_a, folds_b = _folds_of("cv_results_a", cv_results_a), _folds_of("cv_results_b", cv_results_b)
    first = _fold_scores("cv_results_a", cv_results_a, key, len(folds_a["test"]))
    second = _fold_scores("cv_results_b", cv_results_b, key, len(folds_b["test"]))
    ratio = _test_to_train(folds_a, folds_b)
    n_folds, n_rows = first.size, max(fold.size for fold in folds_a["test"])
    rounding = rounding_of(n_rows, np.abs(first).max(), np.abs(second).max())
    difference, deviation = _mean_and_deviation(first, second, rounding)
    error = deviation * sqrt(1 / n_folds + ratio)
    statistic, pvalue = t_test(difference, error, n_folds - 1, alternative, margin)
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


def _fold_scores(name: str, results: Mapping[str, Any], key: str, n_folds: int) -> FloatArray:
    """Return the score of each fold, all finite."""
    if key not in results:
        known = ", ".join(repr(one) for one in results if str(one).startswith(("test_", "train_")))
        raise ValueError(f"key must be a name of scores in {name}, which has {known}; got {key!r}.")
    try:
        scores = np.asarray(results[key], dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.empty(0)
    if scores.shape != (n_folds,):
        raise ValueError(f"{name}[{key!r}] must hold one score per fold, {n_folds}; got {results[key]!r}.")
    wrong = np.flatnonzero(~np.isfinite(scores))
    if wrong.size:
        raise ValueError(
            f"{name}[{key!r}] must be finite in all folds; got {scores[wrong[0]]} in fold {wrong[0]}. "
            "cross_validate(..., error_score='raise') shows why."
        )
    if n_folds < 2:
        raise ValueError(f"{name} must have at least 2 folds, whose differences can vary; got {n_folds}.")
    return scores


def _folds_of(name: str, results: object) -> Folds:
    """Return the training and test rows of each fold, both of which hold some."""
    wanted = f"{name} must be what cross_validate(..., return_indices=True) returns"
    if not isinstance(results, Mapping):
        raise ValueError(f"{wanted}; got {type(results).__name__}.")
    indices = results.get("indices")
    if not isinstance(indices, Mapping) or not {"train", "test"} <= set(indices):
        got = f"no indices, but the keys {list(results)}."
        if "params" in results:
            got = (
                "the cv_results_ of a search, which do not hold the rows of its folds. Call cross_validate "
                "with each of the two candidates and the same cv."
            )
        raise ValueError(f"{wanted}; got {got}")
    folds = {
        part: _rows_of_folds(f"{name}['indices'][{part!r}]", indices[part]) for part in ("train", "test")
    }
    n_train, n_test = len(folds["train"]), len(folds["test"])
    if n_train != n_test:
        raise ValueError(
            f"{name}['indices'] must have as many folds to train as to test; got {n_train} and {n_test}."
        )
    return folds


def _rows_of_folds(name: str, folds: Any) -> list[AnyArray]:
    try:
        rows = [_row_numbers(fold) for fold in folds]
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold the numbers of rows of each fold; got {folds!r}.") from None
    for fold, numbers in enumerate(rows):
        if not numbers.size:
            raise ValueError(f"{name} must hold a row in each fold; got none in fold {fold}.")
    return rows


def _row_numbers(rows: object) -> AnyArray:
    """Return the rows of a fold, which a splitter may give as a mask."""
    numbers = np.asarray(rows)
    if numbers.dtype == bool:
        numbers = np.flatnonzero(numbers)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise TypeError("rows are numbers in one dimension")
    return numbers


def _test_to_train(a: Folds, b: Folds) -> float:
    """Check that the folds are the same, and return the mean ratio of their test and training rows."""
    if len(a["test"]) != len(b["test"]):
        raise ValueError(
            "cv_results_b must have the folds of cv_results_a; got "
            f"{len(b['test'])} and {len(a['test'])} folds."
        )
    for part in ("test", "train"):
        for fold, (one, other) in enumerate(zip(a[part], b[part], strict=True)):
            if not np.array_equal(one, other):
                raise ValueError(
                    f"cv_results_b must have the folds of cv_results_a; got other {part} rows in fold "
                    f"{fold}. Pass the same cv to both calls, such as cv=list(splitter.split(X, y))."
                )
    ratios = [test.size / train.size for test, train in zip(a["test"], a["train"], strict=True)]
    return float(np.mean(ratios))


def _mean_and_deviation(a: FloatArray, b: FloatArray, rounding: float) -> tuple[float, float]:
    """Return the mean of the differences and their standard deviation, without what rounding adds to 0."""
    differences = a - b
    mean = float(differences.mean()) if np.abs(differences).max() > rounding else 0.0
    if np.abs(differences - mean).max() <= rounding:
        return mean, 0.0
    return mean, float(differences.std(ddof=1))


publish(compare_cv_results, estimate_cv_results)
