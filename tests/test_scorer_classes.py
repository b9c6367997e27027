"""What a scorer makes of classes: the positive one, absent ones, and estimators with odd columns."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from scoring import FOREST, IGNORED, LOGISTIC, X3, XL, Y3, YL, X, Y
from sklearn_ap import average_precision_at_k_score, average_precision_score, get_scorer, make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)

# --- the positive class ---------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [LOGISTIC, FOREST, LinearSVC()], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("pos_label", ["no", "yes", None])
def test_positive_class(estimator, pos_label):
    labels = np.array(["no", "yes"])[Y]
    fitted = clone(estimator).fit(X, labels)
    options = {} if pos_label is None else {"pos_label": pos_label}
    scores = (
        fitted.decision_function(X) if hasattr(fitted, "decision_function") else fitted.predict_proba(X)[:, 1]
    )
    expected = average_precision_score(
        labels, -scores if pos_label == "no" else scores, pos_label=pos_label or "yes"
    )
    assert make_scorer(average_precision_score, **options)(fitted, X, labels) == pytest.approx(expected)


def test_class_1_is_positive_wherever_it_stands():
    fitted = LOGISTIC.fit(X, 2 - Y)  # classes 1 and 2
    assert get_scorer("average_precision")(fitted, X, 2 - Y) == pytest.approx(
        average_precision_score(Y, -fitted.decision_function(X))
    )


def test_fold_without_positives_is_no_other_problem():
    """The class is the estimator's, not the fold's: labels of "no" alone have no positive."""
    labels = np.array(["no", "yes"])[Y]
    fitted = LOGISTIC.fit(X, labels)
    negatives = labels == "no"
    with pytest.warns(UserWarning, match="No positive class found"):
        assert get_scorer("average_precision")(fitted, X[negatives], labels[negatives]) == 0.0
    left_out = make_scorer(average_precision_score, zero_division=np.nan)
    assert np.isnan(left_out(fitted, X[negatives], labels[negatives]))


def test_unknown_positive_class():
    with pytest.raises(ValueError, match="pos_label='maybe' is not a valid label"):
        make_scorer(average_precision_score, pos_label="maybe")(LOGISTIC.fit(X, Y), X, Y)


@pytest.mark.parametrize("known", ["no", 0, 2])
def test_estimator_of_one_class_has_no_positive_one(known):
    labels = np.full(150, known)
    fitted = DummyClassifier().fit(X, labels)
    with pytest.raises(
        ValueError, match=r"the estimator knows one class, .*: name the positive one by pos_label"
    ):
        get_scorer("average_precision")(fitted, X, labels)
    assert get_scorer("average_precision")(DummyClassifier().fit(X, np.ones(150)), X, np.ones(150)) == 1.0


def test_multi_output_of_one_column():
    column = Y[:, np.newaxis]
    expected = average_precision_score(Y, clone(LOGISTIC).fit(X, Y).predict_proba(X)[:, 1])
    for model in (MultiOutputClassifier(LOGISTIC), make_pipeline(MultiOutputClassifier(LOGISTIC))):
        assert get_scorer("average_precision")(model.fit(X, column), X, column) == pytest.approx(expected)


def test_scorer_of_a_partial():
    scorer = make_scorer(partial(average_precision_at_k_score, k=3))
    assert "average_precision_at_k_score" in repr(scorer)
    assert "k=3" in repr(scorer)
    with pytest.raises(TypeError, match="average_precision_at_k_score takes no argument 'bogus'"):
        make_scorer(partial(average_precision_at_k_score, k=3), bogus=1)


def test_outlier_detectors_and_regressors_rank_too():
    detector = IsolationForest(random_state=0).fit(X)
    labels = np.where(Y == 1, -1, 1)
    value = get_scorer("average_precision")(detector, X, labels)
    assert value == average_precision_score(labels, detector.decision_function(X))
    regressor = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
        get_scorer("average_precision")(detector, X, np.where(Y == 1, "out", "in"))
    outliers = make_scorer(average_precision_score, pos_label=-1)(detector, X, labels)
    assert outliers == average_precision_score(labels, detector.decision_function(X), pos_label=-1)
    ranker = make_scorer(average_precision_score, response_method="predict")
    assert ranker(regressor, X, Y) == average_precision_score(Y, regressor.predict(X))
    with pytest.raises(AttributeError, match="LinearRegression has none of the following attributes"):
        get_scorer("average_precision")(regressor, X, Y)


# --- absent and constant classes ------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [[0, 2], [1]])
def test_class_absent_from_the_fold_is_left_out(kept):
    fitted = LOGISTIC.fit(X3, Y3)
    rows = np.isin(Y3, kept)
    scores = fitted.decision_function(X3[rows])
    each = [average_precision_score(Y3[rows] == c, scores[:, c]) for c in kept]
    assert get_scorer("average_precision")(fitted, X3[rows], Y3[rows]) == pytest.approx(np.mean(each))


def test_rare_class_in_few_folds():
    labels = np.where(np.isin(np.arange(150), [0, 1, 35, 36]), "rare", np.array(["a", "b"])[Y3 % 2])
    values = cross_val_score(FOREST, X3, labels, cv=KFold(5), scoring=get_scorer("pr_auc"))
    assert np.isfinite(values).all()


def test_class_unseen_in_training():
    fitted = LOGISTIC.fit(X3[Y3 < 2], Y3[Y3 < 2])
    with pytest.raises(ValueError, match=r"y holds the class .*2.*, which the estimator was not trained on"):
        get_scorer("average_precision")(fitted, X3, Y3)


@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.parametrize("estimator", [FOREST, KNeighborsClassifier()], ids=lambda e: type(e).__name__)
def test_label_constant_in_training_scores_0_or_1(estimator, constant):
    """Its probabilities are a single column, at which scikit-learn's scorer breaks."""
    training = YL.copy()
    training[:, 1] = constant
    fitted = clone(estimator).fit(XL, training)
    value = make_scorer(average_precision_score)(fitted, XL, YL)
    columns = [p[:, -1] for p in fitted.predict_proba(XL)]
    columns[1] = np.full(150, float(constant))
    assert value == average_precision_score(YL, np.stack(columns, axis=1))
    pooled = make_scorer(average_precision_score, average="micro")(fitted, XL, YL)
    assert pooled == average_precision_score(YL, np.stack(columns, axis=1), average="micro")


def test_scores_of_pairs_of_classes_are_refused():
    """Of three classes there are three pairs: the shape alone would not tell."""
    pairwise = SVC(decision_function_shape="ovo")
    for model in (pairwise, make_pipeline(StandardScaler(), pairwise)):
        with pytest.raises(ValueError, match="decision_function_shape='ovo' gives scores of pairs"):
            get_scorer("average_precision")(clone(model).fit(X3, Y3), X3, Y3)
    binary = get_scorer("average_precision")(clone(pairwise).fit(X, Y), X, Y)
    assert binary == get_scorer("average_precision")(SVC().fit(X, Y), X, Y)


def test_each_class_needs_a_column():
    labels_only = make_scorer(average_precision_score, response_method="predict")
    with pytest.raises(
        ValueError, match=r"scores of shape \(150,\), but each of its 3 classes needs a column"
    ):
        labels_only(LOGISTIC.fit(X3, Y3), X3, Y3)
