"""How scorers treat classes: the positive class, classes without rows, and estimators
with unusual columns. The errors are those of the use of a scorer.
"""

import re
from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import AdaBoostClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from scoring import FOREST, IGNORED, LOGISTIC, X3, XL, Y3, YL, X, Y
from sklearn_ap import average_precision_score, get_scorer, make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)
WORDS = np.array(["no", "yes"])[Y]


# --- the positive class ---------------------------------------------------------------


@pytest.mark.parametrize("classes", [["fraud", "ok"], [0, 2], [-1.0, 3.0]])
@pytest.mark.parametrize(
    "scorer_with",
    [
        partial(get_scorer, "recall@0.1"),
        partial(make_scorer, average_precision_score, prevalence=0.1),
    ],
    ids=["cut", "prevalence"],
)
def test_the_positive_class_must_be_named_if_it_is_not_1(classes, scorer_with):
    """AP depends on which class is positive, so a scorer does not choose one of two
    words. The arguments that the error advises work.
    """
    labels = np.array(classes)[Y]
    fitted = clone(LOGISTIC).fit(X, labels)
    with pytest.raises(ValueError, match=r"^pos_label must name the pos") as refused:
        scorer_with()(fitted, X, labels)
    advised = re.findall(r"pos_label=(\S+)", str(refused.value))
    assert [eval(label) for label in advised] == classes
    for place, label in enumerate(classes):
        of_label = scorer_with(pos_label=label)(fitted, X, labels)
        plain = clone(LOGISTIC).fit(X, place == Y)
        assert of_label == scorer_with()(plain, X, place == Y)


@pytest.mark.parametrize("zero_division", [0.0, np.nan])
def test_a_fold_without_positives_keeps_the_class_of_the_estimator(zero_division):
    """The positive class is that of the estimator. A fold with the label "no" only has
    no positive.
    """
    scorer = get_scorer(
        "average_precision", zero_division=zero_division, pos_label="yes"
    )
    value = scorer(clone(LOGISTIC).fit(X, WORDS), X[Y == 0], WORDS[Y == 0])
    np.testing.assert_equal(value, zero_division)


# --- estimators with other methods ----------------------------------------------------


@pytest.mark.parametrize(
    ("target", "labels", "pos_label", "positive"),
    [
        (Y[:, np.newaxis], Y, None, Y),
        (-Y, Y, 0, 1 - Y),
        (-Y, WORDS, "no", 1 - Y),
    ],
    ids=["a column", "0", "a word"],
)
def test_regressors_rank_rows_by_their_predictions(target, labels, pos_label, positive):
    regressor = LinearRegression().fit(X, target)
    scorer = make_scorer(
        average_precision_score, pos_label=pos_label, response_method="predict"
    )
    expected = average_precision_score(positive, regressor.predict(X))
    assert scorer(regressor, X, labels) == expected


# --- odd columns ----------------------------------------------------------------------


class Told(ClassifierMixin, BaseEstimator):
    """A classifier that returns the decision values that it was made with."""

    def __init__(self, scores):
        self.scores = scores

    def fit(self, X, y):
        self.n_features_in_, self.classes_ = X.shape[1], np.unique(y)
        return self

    def decision_function(self, _):
        return self.scores


@pytest.mark.parametrize(
    "scores",
    [
        np.array([2**53, 2**53 + 1, 2**53 + 2]),  # the first two are equal as floats
        np.array([0, 1, 2**64 - 1], dtype=np.uint64),
        np.array([-(2**63), -(2**63) + 1, 0]),
        np.array([False, True, True]),
    ],
    ids=lambda scores: scores.dtype.name,
)
@pytest.mark.parametrize("pos_label", [0, 1])
def test_scores_of_the_first_class_are_reversed_exactly(pos_label, scores):
    scorer = make_scorer(average_precision_score, pos_label=pos_label)
    assert scorer(Told(scores).fit(X, Y), X[:3], [0, 1, 1]) == 1.0


# --- absent and constant classes ------------------------------------------------------


class TwoColumns(KNeighborsClassifier):
    """As those of XGBoost, the columns of a single class are its scores and a spare."""

    def predict_proba(self, X):
        columns = super().predict_proba(X)
        return [np.pad(each, ((0, 0), (0, 2 - each.shape[1]))) for each in columns]


@pytest.mark.parametrize("kind", [KNeighborsClassifier, TwoColumns])
@pytest.mark.parametrize("constant", [0, 1])
def test_label_constant_in_training_scores_0_or_1(constant, kind):
    """Such a label has a single column of probabilities, for which scikit-learn's
    scorer raises an error.
    """
    training = YL.copy()
    training[:, 1] = constant
    fitted = kind().fit(XL, training)
    columns = np.stack([p[:, -1] for p in fitted.predict_proba(XL)], axis=1)
    columns[:, 1] = constant
    scorer = make_scorer(average_precision_score, average="micro")
    expected = average_precision_score(YL, columns, average="micro")
    assert scorer(fitted, XL, YL) == expected


def test_a_column_of_labels_is_the_labels():
    """`MultiOutputClassifier` then has a list of one array of classes, and returns a
    list of one array of probabilities.
    """
    fitted = MultiOutputClassifier(LOGISTIC).fit(X, Y[:, np.newaxis])
    expected = average_precision_score(Y, fitted.predict_proba(X)[0][:, 1])
    assert get_scorer("average_precision")(fitted, X, Y[:, np.newaxis]) == expected


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_a_column_of_words_has_the_classes_of_the_estimator(pos_label):
    fitted = clone(LOGISTIC).fit(X, WORDS)
    scorer = get_scorer("average_precision", pos_label=pos_label)
    assert scorer(fitted, X, WORDS[:, np.newaxis]) == scorer(fitted, X, WORDS)


def test_one_column_of_labels_for_an_estimator_of_several_raises():
    with pytest.raises(
        ValueError,
        match=r"^y must have 3 columns, one per label of the estimator; got one",
    ):
        get_scorer("average_precision")(clone(FOREST).fit(XL, YL), XL, YL[:, 0])


def test_the_named_method_is_called_for_three_classes():
    model = clone(LOGISTIC).fit(X3, Y3)
    named = get_scorer("average_precision", response_method="predict_proba")
    expected = average_precision_score(Y3, model.predict_proba(X3))
    assert named(model, X3, Y3) == expected


def test_a_class_without_rows_in_training_raises():
    fitted, labels = clone(LOGISTIC).fit(X, Y), np.where(X[:, 0] > 0, Y, 7)
    with pytest.raises(
        ValueError, match=r"^y contains the class 7, which the estimator"
    ):
        get_scorer("average_precision")(fitted, X, labels)


# --- errors ---------------------------------------------------------------------------


PAIRS = SVC(kernel="linear", decision_function_shape="ovo")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda svc: svc,
        RFE,
        lambda svc: GridSearchCV(make_pipeline(StandardScaler(), svc), {}),
        lambda svc: make_pipeline(StandardScaler(), GridSearchCV(svc, {"C": [1]})),
    ],
)
def test_pairs_of_classes_are_refused_in_whatever_hands_them_on(wrap):
    """Three classes have three pairs, so the shape does not reveal pairs. The error
    names the option with one column per class.
    """
    scorer = make_scorer(average_precision_score, response_method="decision_function")
    with pytest.raises(ValueError, match="returns pairwise scores") as refused:
        scorer(wrap(clone(PAIRS)).fit(X3, Y3), X3, Y3)
    shape = re.search(r"use decision_function_shape='(\w+)'", str(refused.value))[1]
    svc = clone(PAIRS).set_params(decision_function_shape=shape)
    estimator = wrap(svc).fit(X3, Y3)
    expected = average_precision_score(Y3, estimator.decision_function(X3))
    assert scorer(estimator, X3, Y3) == expected


def test_votes_of_pairs_are_one_per_class():
    votes = AdaBoostClassifier(PAIRS, n_estimators=2)
    if getattr(votes, "algorithm", "") == "SAMME.R":
        # Before 1.6, the default algorithm used probabilities.
        votes.set_params(algorithm="SAMME")
    expected = average_precision_score(Y3, votes.fit(X3, Y3).decision_function(X3))
    assert get_scorer("average_precision")(votes, X3, Y3) == expected


PROBA, INDEX = {"response_method": "predict_proba"}, {"query_id": "index"}
PREDICT = {"response_method": "predict"}
ONE_COLUMN_PER_CLASS = TransformedTargetRegressor(
    func=lambda labels: (labels == [0, 1, 2]) * 1.0,
    inverse_func=np.asarray,
    check_inverse=False,
)
TEXT = r"must return scores; got labels such as '"
REFUSED = [
    *(
        (AttributeError, estimator, Y, {}, "has none of the following attributes: ")
        for estimator in (LinearRegression(), KMeans(2), LocalOutlierFactor())
    ),
    (AttributeError, LinearSVC(), Y, PROBA, r"LinearSVC has none .*predict_proba\.$"),
    *(
        (ValueError, LOGISTIC, labels, PREDICT | named, TEXT)
        for labels in (WORDS, WORDS.astype(object))
        for named in ({}, {"pos_label": "no"})
    ),
    (
        *(ValueError, Told(np.arange(9.0).reshape(3, 3)), Y, {}),
        r"one column of scores for each of its 2 classes; got scores of shape \(3, 3\)",
    ),
    (
        *(ValueError, ONE_COLUMN_PER_CLASS, np.arange(Y.size) % 3, PREDICT),
        r"must have classes_, .* got scores of shape \(\d+, 3\) without classes_",
    ),
    (
        *(ValueError, KNeighborsClassifier(), np.full(Y.size, 5), {}),
        "The estimator knows a single class, so there is nothing to rank",
    ),
    (
        *(ValueError, LOGISTIC, Y, {"pos_label": 7}),
        r"^pos_label=7 is not a valid label: it should be one of \[0 1\]",
    ),
]


@pytest.mark.parametrize(("error", "estimator", "labels", "options", "text"), REFUSED)
def test_errors_of_scorers(error, estimator, labels, options, text):
    fitted = clone(estimator).fit(X, labels)
    with pytest.raises(error, match=text):
        make_scorer(average_precision_score, **options)(fitted, X, labels)
