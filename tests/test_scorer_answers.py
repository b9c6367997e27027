"""Several scorers in one call ask an estimator once per method and data, and no answer outlives the call."""

import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

from scoring import FOREST, IGNORED, LOGISTIC, X3, XL, Y3, YL, X, Y
from sklearn_ap import average_precision_score, get_scorer, make_scorer, pr_auc_score

pytestmark = pytest.mark.filterwarnings(*IGNORED)

ASKED = []  # the method of each call, across clones and threads


class Column(ClassifierMixin, BaseEstimator):
    """Scores by one column of X, and notes who asks."""

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


class Forest(RandomForestClassifier):
    def predict_proba(self, X):
        ASKED.append("predict_proba")
        return super().predict_proba(X)


FIVE = {
    "ap": get_scorer("average_precision"),
    "first class": make_scorer(average_precision_score, pos_label=0),
    "pr auc": get_scorer("pr_auc"),
    "precision": get_scorer("precision@10"),
    "recall": get_scorer("recall@0.05"),
}


@pytest.fixture(autouse=True)
def asked():
    ASKED.clear()
    return ASKED


def assert_equal_to_each_alone(together, estimator, x, y, scoring):
    for name, scorer in scoring.items():
        alone = cross_val_score(estimator, x, y, cv=3, scoring=scorer)
        assert together[f"test_{name}"].tolist() == alone.tolist(), name


def test_once_per_fold_and_method(asked):
    together = cross_validate(Column(), X, Y, cv=3, scoring=FIVE, return_train_score=True)
    assert asked == ["decision_function"] * 6
    assert_equal_to_each_alone(together, Column(), X, Y, FIVE)


def test_each_method_once(asked):
    scoring = {**FIVE, "by probability": make_scorer(pr_auc_score, response_method="predict_proba")}
    scoring["and again"] = make_scorer(average_precision_score, response_method=["predict_proba"])
    together = cross_validate(Column(), X, Y, cv=3, scoring=scoring)
    assert asked == ["decision_function", "predict_proba"] * 3
    assert_equal_to_each_alone(together, Column(), X, Y, scoring)


def test_once_per_candidate_of_a_search(asked):
    search = GridSearchCV(
        Column(), {"column": [0, 1]}, cv=3, scoring=FIVE, refit="ap", return_train_score=True
    ).fit(X, Y)
    assert asked == ["decision_function"] * 12
    for name, scorer in FIVE.items():
        alone = GridSearchCV(Column(), {"column": [0, 1]}, cv=3, scoring=scorer).fit(X, Y)
        expected = alone.cv_results_["mean_test_score"].tolist()
        assert search.cv_results_[f"mean_test_{name}"].tolist() == expected


@pytest.mark.parametrize(("x", "y"), [(X3, Y3), (XL, YL)], ids=["multiclass", "multilabel"])
def test_once_with_many_columns(asked, x, y):
    scoring = {name: FIVE[name] for name in ("ap", "pr auc", "precision", "recall")}
    together = cross_validate(Forest(5, random_state=0), x, y, cv=3, scoring=scoring)
    assert asked == ["predict_proba"] * 3
    assert_equal_to_each_alone(together, Forest(5, random_state=0), x, y, scoring)


def test_scikit_learn_s_scorers_keep_their_own_answer(asked):
    """They keep the column of the first one's class, which would be wrong for ours, as ours for theirs."""
    theirs = {
        "roc": metrics.get_scorer("roc_auc"),
        "their ap": metrics.make_scorer(
            metrics.average_precision_score, response_method=("decision_function", "predict_proba")
        ),
    }
    for scoring in ({**theirs, **FIVE}, {**FIVE, **theirs}):
        asked.clear()
        together = cross_validate(Column(), X, Y, cv=3, scoring=scoring)
        assert asked == ["decision_function"] * 6
        assert_equal_to_each_alone(together, Column(), X, Y, scoring)
        forest = cross_validate(FOREST, X, Y, cv=3, scoring=scoring)
        assert_equal_to_each_alone(forest, FOREST, X, Y, scoring)


# --- no stale answer --------------------------------------------------------------------------------------


def asks_anew(estimator, method, X, **_):
    return getattr(estimator, method)(X)


def asks_classifiers_alone(estimator, method, X, **_):
    return estimator.classes_, getattr(estimator, method)(X)


def gives_arrays(estimator, method, X, **_):
    return np.asarray(getattr(estimator, method)(X))


@pytest.mark.parametrize("keeps", [True, False])
def test_another_estimator_or_other_data_are_asked(asked, keeps):
    scorer, call = FIVE["ap"], partial(asks_anew) if keeps else asks_anew
    half = X[::2].copy()
    for estimator in (Column(0).fit(X, Y), Column(1).fit(X, Y)):
        for x, y in ((X, Y), (half, Y[::2]), (X, Y), (half, 1 - Y[::2])):
            expected = average_precision_score(y, x[:, estimator.column])
            assert scorer._score(call, estimator, x, y) == expected
    assert len(asked) == (4 if keeps else 8)


def test_objects_that_take_the_place_of_deleted_ones_are_asked():
    """A new object often gets the id of one that was deleted."""
    scorer, call = FIVE["ap"], partial(asks_anew)
    expected = [average_precision_score(Y, X[:, column]) for column in range(5)]
    for column in [*range(5)] * 20:
        assert scorer._score(call, Column(column).fit(X, Y), X, Y) == expected[column]
    estimator = Column().fit(X, Y)
    for column in [*range(5)] * 20:
        assert scorer._score(call, estimator, X[:, column:], Y) == expected[column]


@pytest.mark.parametrize("call", [asks_anew, asks_classifiers_alone, gives_arrays])
def test_a_caller_that_lives_on_keeps_nothing(call):
    scorer, x, estimator = FIVE["ap"], X.copy(), Column().fit(X, Y)
    assert scorer._score(call, estimator, x, Y) == average_precision_score(Y, X[:, 0])
    x[:, 0] = X[:, 1]
    assert scorer._score(call, estimator, x, Y) == average_precision_score(Y, X[:, 1])
    estimator.column = 2
    assert scorer._score(call, estimator, x, Y) == average_precision_score(Y, X[:, 2])


def test_data_and_estimators_that_change_between_calls():
    x, estimator = X.copy(), Column().fit(X, Y)
    several = metrics.check_scoring(estimator, scoring=FIVE)
    for column in (0, 1, 2):
        x[:, 0] = X[:, column]
        found = several(estimator, x, Y)
        assert found == {name: scorer(estimator, x.copy(), Y) for name, scorer in FIVE.items()}
        assert found["ap"] == average_precision_score(Y, X[:, column])
    estimator.column = 3
    assert several(estimator, x, Y)["ap"] == average_precision_score(Y, X[:, 3])


def test_permutations_in_place():
    """`permutation_importance` shuffles one array in place between its calls."""
    fitted = clone(LOGISTIC).fit(X, Y)
    options = {"n_repeats": 3, "random_state": 0}
    together = permutation_importance(fitted, X, Y, scoring=FIVE, **options)
    for name, scorer in FIVE.items():
        alone = permutation_importance(fitted, X, Y, scoring=scorer, **options)
        assert together[name].importances.tolist() == alone.importances.tolist()


def test_score_function_that_overwrites_its_scores():
    def sorted_in_place(_, y_score):
        y_score.sort()
        return float(y_score[0])

    scoring = {"first": make_scorer(sorted_in_place), **FIVE}
    for estimator in (LOGISTIC, FOREST):
        together = cross_validate(estimator, X, Y, cv=3, scoring=scoring)
        assert_equal_to_each_alone(together, estimator, X, Y, scoring)


def test_estimator_that_fails_once(asked):
    class FailsOnce(Column):
        def decision_function(self, X):
            if not asked:
                asked.append("failed")
                raise ValueError("not now")
            return super().decision_function(X)

    with pytest.warns(UserWarning, match="Scoring failed"):
        found = cross_validate(FailsOnce(), X, Y, cv=3, scoring=FIVE)
    assert asked == ["failed"] + ["decision_function"] * 3
    assert np.isnan(found["test_ap"]).tolist() == [True, False, False]
    expected = cross_validate(Column(), X, Y, cv=3, scoring=FIVE)
    for name in FIVE:
        assert found[f"test_{name}"][1:].tolist() == expected[f"test_{name}"][1:].tolist()
    assert found["test_recall"].tolist() == expected["test_recall"].tolist()


def test_threads(asked):
    sequential = cross_validate(Column(), X, Y, cv=8, scoring=FIVE)
    asked.clear()
    with parallel_config("threading", n_jobs=4):
        parallel = cross_validate(Column(), X, Y, cv=8, scoring=FIVE)
    assert asked == ["decision_function"] * 8
    for name in FIVE:
        assert parallel[f"test_{name}"].tolist() == sequential[f"test_{name}"].tolist()


def test_threads_that_share_the_scorers():
    estimators = [Column(column).fit(X, Y) for column in range(5)]
    several = metrics.check_scoring(estimators[0], scoring=FIVE)
    expected = [several(estimator, X, Y) for estimator in estimators]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda estimator: several(estimator, X, Y), estimators * 20))
    assert found == expected * 20


def test_search_inside_cross_validation(asked):
    search = GridSearchCV(Column(), {"column": [0, 1]}, cv=3, scoring=FIVE, refit="ap")
    together = cross_validate(search, X, Y, cv=3, scoring=FIVE)
    assert asked == ["decision_function"] * 3 * (2 * 3 + 1)
    assert_equal_to_each_alone(together, search, X, Y, FIVE)


def test_nothing_is_kept_alive(asked):
    several = metrics.check_scoring(Column(), scoring=FIVE)
    estimator, x = Column().fit(X, Y), X.copy()
    alive = weakref.ref(estimator), weakref.ref(x)
    several(estimator, x, Y)
    FIVE["ap"](estimator, x, Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        several(estimator, x, Y[1:])
    assert len(asked) == 3
    del estimator, x
    assert [reference() for reference in alive] == [None, None]


def test_scikit_learn_calls_several_scorers_by_one_caller():
    """A part of its private contract: answers then live as long as one call of several scorers."""
    callers = []

    class Spy(type(metrics.get_scorer("accuracy"))):
        def _score(self, method_caller, *args, **kwargs):
            callers.append(method_caller)
            return super()._score(method_caller, *args, **kwargs)

    estimator = Column().fit(X, Y)
    several = metrics.check_scoring(
        estimator, scoring={name: Spy(metrics.accuracy_score, 1, {}) for name in "ab"}
    )
    assert several(estimator, X, Y) == several(estimator, X, Y)
    one, same, other, same_other = callers
    assert one is same
    assert type(one) is partial
    assert other is same_other
    assert one is not other
