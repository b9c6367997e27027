"""Scripts for scikit-learn give the same numbers after the line of the first page: only
the import changes.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.metrics
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, cross_val_score

import sklearn_ap
from scoring import IGNORED, X, Y

pytestmark = pytest.mark.filterwarnings(*IGNORED)
# The names that the line on the first page imports.
MOVED = (
    "PrecisionRecallDisplay",
    "average_precision_score",
    "get_scorer",
    "make_scorer",
    "precision_recall_curve",
)


def scorer_of_responses(metrics):
    scores = metrics.average_precision_score, metrics.roc_auc_score
    methods = "predict_proba", ("decision_function", "predict_proba")
    scorers = [
        metrics.make_scorer(score, response_method=method)
        for score in scores
        for method in methods
    ]
    return [cross_val_score(LogisticRegression(), X, Y, scoring=s) for s in scorers]


def search_with_five_scorers(metrics):
    scoring = {
        "ap": metrics.get_scorer("average_precision"),
        "accuracy": metrics.make_scorer(metrics.accuracy_score),
        "precision": metrics.make_scorer(metrics.precision_score, zero_division=0.0),
        "recall": metrics.make_scorer(metrics.recall_score),
        "f1": metrics.make_scorer(metrics.f1_score),
    }
    search = GridSearchCV(
        LogisticRegression(), {"C": [1e-3, 10]}, scoring=scoring, refit="f1", cv=3
    ).fit(X, Y)
    return [search.cv_results_[f"mean_test_{name}"] for name in scoring]


def model_that_searches(metrics):
    scoring = metrics.get_scorer("average_precision")
    return LogisticRegressionCV(Cs=3, cv=3, scoring=scoring).fit(X, Y).C_


def picture_of_a_curve(metrics):
    scores = LogisticRegression().fit(X, Y).decision_function(X)
    precision, recall, _ = metrics.precision_recall_curve(Y, scores)
    score = metrics.average_precision_score(Y, scores)
    drawn = metrics.PrecisionRecallDisplay(precision, recall, average_precision=score)
    return drawn.plot().line_.get_xydata()


@pytest.mark.parametrize(
    "script",
    [
        scorer_of_responses,
        search_with_five_scorers,
        model_that_searches,
        picture_of_a_curve,
    ],
)
def test_a_script_gives_the_same_numbers(script):
    ours = {name: getattr(sklearn_ap, name) for name in MOVED}
    after = SimpleNamespace(**vars(sklearn.metrics) | ours)
    found, expected = script(after), script(sklearn.metrics)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
