"""The interval of a cross-validated model is that of its pooled scores, by the rules of
the scorers.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_ap import (
    average_precision_score,
    estimate_cv_results,
    estimate_score,
    get_scorer,
    make_scorer,
    precision_at_k_score,
)

X, Y = make_classification(300, weights=[0.7], flip_y=0.2, random_state=0)
GROUPS = np.random.default_rng(0).permutation(np.arange(300) // 6)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
AP = average_precision_score


def validated(model, features=X, y=Y, cv=FOLDS, **options):
    options = {
        "return_estimator": True,
        "return_indices": True,
        "scoring": lambda *_: 0.0,
        **options,
    }
    return cross_validate(model, features, y, cv=cv, **options)


RESULTS = validated(LogisticRegression())
POOLED = cross_val_predict(
    LogisticRegression(), X, Y, cv=FOLDS, method="decision_function"
)


def assert_close(one, other):
    """Two estimates are the same; rows in another order may differ in the last
    digits.
    """
    for name in ("score", "standard_error", "df", "n_positives", "n_units"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9)
    assert one.method == other.method


# --- scores of rows that the estimators did not see -----------------------------------


@pytest.mark.parametrize(
    "model", [GaussianNB(), LinearSVC(), RandomForestClassifier(5, random_state=0)]
)
def test_scorer_and_function_are_the_same(model):
    results = validated(model)
    first = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    scores = cross_val_predict(model, X, Y, cv=FOLDS, method=first)
    expected = precision_at_k_score(
        Y, scores.T[-1] if scores.ndim > 1 else scores, k=30
    )
    found, same = (
        estimate_cv_results(score, results, X, Y, random_state=0, **params)
        for score, params in (
            (get_scorer("precision@30"), {}),
            (precision_at_k_score, {"k": 30}),
        )
    )
    assert found.to_dict() == same.to_dict()  # also in what was drawn
    assert found.score == pytest.approx(expected)
    assert found.method == "percentile"


def test_the_positive_class_is_that_of_scorers():
    words = np.array(["ok", "fraud"])[Y]
    results = validated(LogisticRegression(), y=words)
    expected = estimate_score(AP, words == "fraud", POOLED)
    assert_close(
        estimate_cv_results(AP, results, X, words, pos_label="fraud"), expected
    )
    assert_close(
        estimate_cv_results(
            get_scorer("average_precision", pos_label="fraud"), results, X, words
        ),
        expected,
    )
    with pytest.raises(
        ValueError, match=r"get_scorer\('average_precision', pos_label='fraud'\)"
    ):
        estimate_cv_results(AP, results, X, words)


# --- which rows, and on which scale ---------------------------------------------------


def test_queries():
    folds = list(GroupKFold(4).split(X, Y, GROUPS))
    results = validated(LogisticRegression(), cv=folds)
    scores = cross_val_predict(
        LogisticRegression(), X, Y, cv=folds, method="decision_function"
    )
    expected = estimate_score(AP, Y, scores, query_id=GROUPS, zero_division=0.0)
    for score in (AP, make_scorer(AP, query_id="groups")):
        found = estimate_cv_results(
            score, results, X, Y, query_id=GROUPS, zero_division=0.0
        )
        assert_close(found, expected)
    by_index = make_scorer(AP, query_id="index", zero_division=0.0)
    found = estimate_cv_results(by_index, results, X, pd.Series(Y, GROUPS))
    assert_close(found, expected)


def test_rows_that_are_tested_several_times_or_never():
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    results = validated(LogisticRegression(), cv=repeated)
    estimate = estimate_cv_results(AP, results, X, Y)
    once = estimate_cv_results(AP, validated(LogisticRegression(), cv=3), X, Y)
    assert (estimate.n_units, estimate.n_positives) == (300, np.count_nonzero(Y))
    assert estimate.standard_error == pytest.approx(once.standard_error, rel=0.1)
    assert estimate_cv_results(AP, results, X, Y, unit_id=GROUPS).n_units == 50
    later = estimate_cv_results(
        AP, validated(LogisticRegression(), cv=TimeSeriesSplit(3)), X, Y
    )
    assert later.n_units == 225  # the first quarter only trains
    for params in ({"query_id": GROUPS}, {"n_positives": 200}):
        with pytest.raises(
            ValueError,
            match=rf"^{next(iter(params))} needs folds that test each row once",
        ):
            estimate_cv_results(AP, results, X, Y, **params)


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"cv_results": {"test_score": [1.0]}},
            r"^cv_results must contain 'estimator', .*return_indices=True",
        ),
        (
            {"X": X[:250]},
            r"^X must contain the rows .*, at least 300 and as many as y; got 250",
        ),
        ({"unit_id": GROUPS[:299]}, r"^unit_id must contain the rows .*; got 299"),
        ({"sample_weight": 2.0}, r"^sample_weight must contain the rows .*; got 0"),
        ({"method": "jackknife"}, r"^method must be one of "),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
def test_wrong_arguments(changed, said):
    with pytest.raises(ValueError, match=said):
        estimate_cv_results(
            **{"score_func": AP, "cv_results": RESULTS, "X": X, "y": Y, **changed}
        )


def test_forests_of_several_labels_and_folds_of_other_classes():
    labels = np.stack((Y, X[:, 0] > 0), axis=1).astype(int)
    forest = RandomForestClassifier(5, random_state=0)
    shares = cross_val_predict(forest, X, labels, cv=3, method="predict_proba")
    results = validated(forest, X, labels, cv=3)
    estimate = estimate_cv_results("average_precision", results, X, labels)
    scores = np.stack([share[:, 1] for share in shares], axis=1)
    assert estimate.score == pytest.approx(AP(labels, scores), rel=1e-12)
    y = np.where(np.arange(300) < 100, Y, Y + 1)
    results = validated(GaussianNB(), X, y, cv=TimeSeriesSplit(2))
    with pytest.raises(
        ValueError,
        match=r"^cv_results must .* same classes; got .* fold 0 and .* fold 1",
    ):
        estimate_cv_results("average_precision", results, X, y)
