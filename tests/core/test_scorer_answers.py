"""Several scorers in one call of scikit-learn call an estimator once per method and
data, and no response outlives the call.
"""

import re
import weakref
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import metrics
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.model_selection import cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

from scoring import IGNORED, X, Y
from sklearn_ap import average_precision_score, get_scorer, make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)

ASKED = []  # the method of each call, of all clones and threads


class Column(ClassifierMixin, BaseEstimator):
    """An estimator that returns one column of X, and records its calls."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.n_features_in_, self.classes_ = X.shape[1], np.unique(y)
        return self

    def decision_function(self, X):
        ASKED.append("decision_function")
        return X[:, self.column]

    def predict_proba(self, X):
        ASKED.append("predict_proba")
        positive = 1 / (1 + np.exp(-X[:, self.column]))
        return np.stack([1 - positive, positive], axis=1)

    def predict(self, X):
        return self.classes_[(X[:, self.column] > 0).astype(int)]


FIVE = {
    "ap": get_scorer("average_precision"),
    "first class": make_scorer(average_precision_score, pos_label=0),
    "pr auc": get_scorer("pr_auc_linear"),
    "precision": get_scorer("precision@10"),
    "recall": get_scorer("recall@0.05"),
}

THEIRS = {
    "roc": metrics.get_scorer("roc_auc"),
    "their ap": metrics.make_scorer(
        metrics.average_precision_score,
        response_method=("decision_function", "predict_proba"),
    ),
    "labels": make_scorer(average_precision_score, response_method="predict"),
}


@pytest.fixture(autouse=True)
def asked():
    ASKED.clear()
    return ASKED


@pytest.mark.parametrize("estimator", [Column(), GaussianNB()], ids=["values", "bayes"])
@pytest.mark.parametrize("scoring", [{**THEIRS, **FIVE}, {**FIVE, **THEIRS}])
def test_scorers_of_scikit_learn_keep_their_own_response(scoring, estimator):
    """They keep the column of the positive class of the first scorer. It would be wrong
    for our scorers, and ours would be wrong for theirs.
    """
    together = cross_validate(estimator, X, Y, cv=3, scoring=scoring)
    for name, scorer in scoring.items():
        alone = cross_val_score(estimator, X, Y, cv=3, scoring=scorer)
        assert together[f"test_{name}"].tolist() == alone.tolist(), name


# --- no stale answer ------------------------------------------------------------------


def asks_anew(estimator, method, X, **_):
    return getattr(estimator, method)(X)


@pytest.mark.parametrize(("call", "times"), [(partial(asks_anew), 4), (asks_anew, 8)])
def test_each_estimator_is_called_for_each_data(asked, call, times):
    half = X[::2].copy()
    for estimator in (Column(0).fit(X, Y), Column(1).fit(X, Y)):
        for x, y in ((X, Y), (half, Y[::2]), (X, Y), (half, 1 - Y[::2])):
            expected = average_precision_score(y, x[:, estimator.column])
            assert FIVE["ap"]._score(call, estimator, x, y) == expected
    assert len(asked) == times


def test_an_estimator_with_the_id_of_a_deleted_one_is_called():
    """A new object often has the id of a deleted one."""
    scorer, call, fitted = FIVE["ap"], partial(asks_anew), Column().fit(X, Y)
    for column in [*range(5)] * 20:
        expected = average_precision_score(Y, X[:, column])
        assert scorer._score(call, Column(column).fit(X, Y), X, Y) == expected
        assert scorer._score(call, fitted, X[:, column:], Y) == expected


def test_threads(asked):
    sequential = cross_validate(Column(), X, Y, cv=8, scoring=FIVE)
    asked.clear()
    with parallel_config("threading", n_jobs=4):
        parallel = cross_validate(Column(), X, Y, cv=8, scoring=FIVE)
    assert asked == ["decision_function"] * 8
    for name in FIVE:
        np.testing.assert_array_equal(
            parallel[f"test_{name}"], sequential[f"test_{name}"]
        )


@pytest.mark.parametrize(
    "scorer", [FIVE["ap"], metrics.check_scoring(Column(), scoring=FIVE)]
)
def test_no_estimator_or_data_outlives_the_call(scorer):
    estimator, x = Column().fit(X, Y), X.copy()
    alive = weakref.ref(estimator), weakref.ref(x)
    scorer(estimator, x, Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        scorer(estimator, x, Y[1:])
    del estimator, x
    assert [reference() for reference in alive] == [None, None]


THIRDS = np.arange(Y.size) % 3


@pytest.mark.parametrize(
    ("labels", "pos_label", "shown"),
    [
        *((Y, None, "."), (Y, 0, ".")),
        *((np.array([*"abc"])[THIRDS], "b", "0 1 2"), (1 + THIRDS, 2, "0 1 2")),
    ],
)
def test_numbers_in_place_of_classes_raise_an_error_with_advice(
    labels, pos_label, shown
):
    """The number of a class may be equal to the caller's pos_label. With a single
    number, each model would have a score of 1.
    """
    scorer = get_scorer("average_precision", pos_label=pos_label)
    with pytest.raises(ValueError, match=rf"\[{shown}\] in their place") as refused:
        RidgeClassifierCV(scoring=scorer).fit(X, labels)
    (folds,) = re.findall(r"pass cv=(\d+)", str(refused.value))
    fitted = RidgeClassifierCV(scoring=scorer, cv=int(folds)).fit(X, labels)
    assert 0 < fitted.best_score_ < 1


def test_a_model_with_numbers_in_place_of_classes_raises():
    """LogisticRegressionCV passes such models before scikit-learn 1.8. Its newer models
    know their classes, and were not fitted either.
    """
    scorer = get_scorer("average_precision", pos_label=2)
    model = LogisticRegression().fit(X, THIRDS)
    fitted = scorer(model, X, THIRDS)
    del model.n_features_in_
    assert hasattr(model, "multi_class") or scorer(model, X, THIRDS) == fitted
    model.multi_class = "auto"
    with pytest.raises(ValueError, match=r"\[0 1 2\] in their place.*GridSearchCV"):
        scorer(model, X, THIRDS)


def test_a_fold_of_the_only_class_in_training_is_scored_as_by_scikit_learn():
    class Scores(Column):
        """An estimator that returns its data as scores."""

        def decision_function(self, X):
            return X

    labels = np.ones_like(Y)
    for kind, features in ((Column, X), (Scores, X[:, :1])):
        estimator = kind().fit(features, labels)
        theirs = metrics.get_scorer("average_precision")(estimator, features, labels)
        assert get_scorer("average_precision")(estimator, features, labels) == theirs
