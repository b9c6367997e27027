"""Two models on the same folds: scikit-learn's own formula, a simulation of folds, and
every refusal.
"""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import compare_cv_results


@pytest.fixture(scope="module")
def rows():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :4], 1 - y


def validated(model, rows, cv=5, **options):
    options = {"scoring": "average_precision", "return_indices": True, **options}
    return cross_validate(model, *rows, cv=cv, **options)


@pytest.fixture(scope="module")
def bayes(rows):
    return validated(GaussianNB(), rows)


def made(scores, *, n_test=2, n_train=8, **others):
    """What cross_validate would return, with folds of these sizes."""
    sizes_test, sizes_train = (
        np.broadcast_to(size, len(scores)) for size in (n_test, n_train)
    )
    indices = {
        "test": [np.arange(size) for size in sizes_test],
        "train": [np.arange(100, 100 + size) for size in sizes_train],
    }
    return {"test_score": np.array(scores), "indices": indices, **others}


# --- the numbers ----------------------------------------------------------------------


def corrected_t_of_scikit_learn(differences, n_train, n_test):
    """As in scikit-learn's example "Statistical comparison of models using grid
    search".
    """
    kr = len(differences)
    corrected_var = np.var(differences, ddof=1) * (1 / kr + n_test / n_train)
    return np.mean(differences) / np.sqrt(corrected_var)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(5),
        StratifiedKFold(10),
        RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0),
    ],
    ids=["5 folds", "10 folds", "repeated"],
)
def test_scikit_learn_s_example(rows, cv):
    a, b = (
        validated(model, rows, cv)
        for model in (GaussianNB(), DecisionTreeClassifier(random_state=0))
    )
    differences = a["test_score"] - b["test_score"]
    shares = [len(test) / len(train) for train, test in cv.split(*rows)]
    t = corrected_t_of_scikit_learn(differences, 1.0, np.mean(shares))
    compared = compare_cv_results(a, b)
    assert compared.statistic == pytest.approx(t, rel=1e-12, abs=0)
    assert compared.pvalue == pytest.approx(
        2 * stats.t.sf(abs(t), len(differences) - 1), rel=1e-10, abs=0
    )
    assert compared.difference == pytest.approx(differences.mean(), rel=1e-12, abs=0)
    assert compared.scores == (a["test_score"].mean(), b["test_score"].mean())
    assert compared.standard_error == pytest.approx(
        compared.difference / t, rel=1e-12, abs=0
    )
    assert (compared.df, compared.n_units) == (len(differences) - 1, len(differences))
    assert (compared.method, compared.alternative) == ("nadeau-bengio", "two-sided")


# --- refusals -------------------------------------------------------------------------


def test_results_without_indices_are_told_how_to_get_them(rows, bayes):
    bare = validated(GaussianNB(), rows, return_indices=False)
    with pytest.raises(
        ValueError, match=r"^cv_results_b must .*return_indices=True\).*'test_score'"
    ):
        compare_cv_results(bayes, bare)
    with pytest.raises(ValueError, match=r"^cv_results_a must .*return_indices=True"):
        compare_cv_results(bare, bayes)


def test_other_folds_are_named(rows, bayes):
    shuffled = validated(
        GaussianNB(), rows, StratifiedKFold(5, shuffle=True, random_state=0)
    )
    with pytest.raises(
        ValueError,
        match=r"^cv_results_b .* other test rows in fold 0\. Pass the same cv",
    ):
        compare_cv_results(bayes, shuffled)


def test_one_fold_cannot_vary():
    with pytest.raises(
        ValueError, match=r"^cv_results_a must have at least 2 folds, .*; got 1\.$"
    ):
        compare_cv_results(made([0.5]), made([0.6]))


# --- the result -----------------------------------------------------------------------


ALTERNATIVES = ["two-sided", "less", "greater"]


@pytest.fixture(scope="module")
def tree(rows):
    return validated(DecisionTreeClassifier(random_state=0), rows)


def test_equal_folds_do_not_differ():
    found = compare_cv_results(made([0.5, 0.7, 0.6]), made([0.5, 0.7, 0.6 + 1e-16]))
    assert (found.difference, found.standard_error, found.pvalue) == (0, 0, 1)


def test_uneven_folds_have_their_mean_ratio():
    a, b = (
        made(scores, n_test=[1, 3, 2], n_train=[9, 6, 8])
        for scores in ([0.6, 0.8, 0.9], [0.5, 0.6, 0.6])
    )
    ratio = (1 / 9 + 3 / 6 + 2 / 8) / 3
    assert compare_cv_results(a, b).standard_error == pytest.approx(
        0.1 * math.sqrt(1 / 3 + ratio)
    )


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_alternatives_are_scipy_s(bayes, tree, alternative):
    compared = compare_cv_results(bayes, tree, alternative=alternative)
    df, t = compared.df, compared.statistic
    expected = {
        "two-sided": 2 * stats.t.sf(abs(t), df),
        "less": stats.t.cdf(t, df),
        "greater": stats.t.sf(t, df),
    }
    assert compared.pvalue == pytest.approx(expected[alternative], rel=1e-10, abs=0)
    swapped = compare_cv_results(tree, bayes, alternative=alternative)
    mirrored = {
        "two-sided": compared.pvalue,
        "less": 1 - compared.pvalue,
        "greater": 1 - compared.pvalue,
    }
    assert swapped.pvalue == pytest.approx(mirrored[alternative], rel=1e-10, abs=0)
    assert swapped.difference == pytest.approx(-compared.difference)
