"""Two models on the folds of one cross-validation: the corrected resampled t-test."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from .._reading._options import check_option
from .._typing import Alternative, AnyArray, FloatArray
from ._results import ScoreComparison
from ._spread import ALTERNATIVES, rounding_of, t_test

Folds = dict[str, list[AnyArray]]  # the rows of each fold, "train" and "test"


def compare_cv_results(
    cv_results_a: Mapping[str, Any],
    cv_results_b: Mapping[str, Any],
    *,
    key: str = "test_score",
    alternative: Alternative = "two-sided",
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

    alternative : {'two-sided', 'less', 'greater'}, default='two-sided'
        ``'greater'`` tests whether the first model scores higher, and ``'less'`` whether it scores lower.

    Returns
    -------
    comparison : ScoreComparison
        First model minus second model, with the means over folds as `scores`. The number of folds is
        `n_units`, and the `method` is ``'nadeau-bengio'``.

    Warns
    -----
    UserWarning
        If the difference is the same in all folds, and not 0: then the statistic is infinite, and the p-value
        NaN. (If it is 0 in all folds, the p-value is 1.)

    Raises
    ------
    ValueError
        If the results are not those of `cross_validate`, lack the indices or the scores, have other folds, or
        fewer than two folds, or a fold without rows; if a score is NaN or infinite; if `alternative` is
        another word.

    See Also
    --------
    sklearn.model_selection.cross_validate : Returns the results.
    compare_scores : Compares two models on the same rows, such as pooled predictions of all folds.
    estimate_score : How sure the score of one model is.

    Notes
    -----
    If folds differ in size, the ratio is the mean over folds of test rows to training rows. Repeated
    cross-validation counts each split as a fold, as `Statistical comparison of models using grid search
    <https://scikit-learn.org/stable/auto_examples/model_selection/plot_grid_search_stats.html>`_ does, whose
    numbers are the same. No variance of a cross-validation is without bias [2]_; this one is mostly too
    large.

    Each fold's average precision is too high by its small number of positives. A difference of two models
    loses most of that, one model does not: for one model, score the pooled scores of all
    folds, ``cross_val_predict(..., method="predict_proba")[:, 1]``, instead of a mean over folds.

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
    check_option("alternative", alternative, ALTERNATIVES)
    folds_a, folds_b = _folds_of("cv_results_a", cv_results_a), _folds_of("cv_results_b", cv_results_b)
    first = _fold_scores("cv_results_a", cv_results_a, key, len(folds_a["test"]))
    second = _fold_scores("cv_results_b", cv_results_b, key, len(folds_b["test"]))
    ratio = _test_to_train(folds_a, folds_b)
    n_folds, n_rows = first.size, max(fold.size for fold in folds_a["test"])
    rounding = rounding_of(n_rows, np.abs(first).max(), np.abs(second).max())
    difference, deviation = _mean_and_deviation(first, second, rounding)
    error = deviation * sqrt(1 / n_folds + ratio)
    statistic, pvalue = t_test(difference, error, n_folds - 1, alternative)
    return ScoreComparison(
        difference,
        (float(first.mean()), float(second.mean())),
        error,
        statistic,
        float(n_folds - 1),
        pvalue,
        "nadeau-bengio",
        alternative,
        n_folds,
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
