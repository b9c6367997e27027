"""Scorers wherever scikit-learn takes ``scoring=``, beside its own average precision scorer as control."""

import pickle
import warnings
from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  # makes HalvingGridSearchCV importable
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    LearningCurveDisplay,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    ValidationCurveDisplay,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from metrics import ALL_SCORES
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    precision_at_k_score,
    r_precision_score,
)

mpl.use("agg")
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))

X, Y = make_classification(150, 5, weights=[0.7], random_state=0)
X3, Y3 = make_classification(150, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=1)
XL, YL = make_multilabel_classification(150, 5, n_classes=3, random_state=2)
LOGISTIC, FOREST = LogisticRegression(), RandomForestClassifier(5, random_state=0)

# Labels of each kind, with an estimator that takes them.
BINARY = {
    "0 and 1": (LOGISTIC, X, Y),
    "bools": (LOGISTIC, X, Y == 1),
    "-1 and 1": (LOGISTIC, X, 2 * Y - 1),
    "strings": (LOGISTIC, X, np.array(["no", "yes"])[Y]),
    "string objects": (LOGISTIC, X, np.array(["no", "yes"], dtype=object)[Y]),
    "pandas strings": (LOGISTIC, X, pd.Series(np.array(["no", "yes"])[Y])),
    "0 and 2": (LOGISTIC, X, 2 * Y),
    "1 and 2": (LOGISTIC, X, 1 + Y),
    "no decision function": (FOREST, X, Y),
    "no probabilities": (LinearSVC(), X, Y),
    "pipeline": (make_pipeline(StandardScaler(), LOGISTIC), X, Y),
}
OTHERS = {
    "multiclass": (LOGISTIC, X3, Y3),
    "multiclass strings": (FOREST, X3, np.array(["a", "b", "c"])[Y3]),
    "multiclass one-vs-rest": (SVC(), X3, Y3),
    "multilabel one-vs-rest": (OneVsRestClassifier(LOGISTIC), XL, YL),
    "multilabel of two": (OneVsRestClassifier(LOGISTIC), XL, YL[:, :2]),
    "multilabel forest": (FOREST, XL, YL),
    "multilabel tree": (DecisionTreeClassifier(random_state=0), XL, YL),
    "multilabel neighbours": (KNeighborsClassifier(), XL, YL),
    "multilabel network": (MLPClassifier((5,), max_iter=20, random_state=0), XL, YL),
    "multilabel multi-output": (MultiOutputClassifier(LOGISTIC), XL, YL),
    "multilabel chain": (ClassifierChain(LOGISTIC, random_state=0), XL, YL),
}
KINDS = BINARY | OTHERS


def parameter_of(estimator):
    """Some parameter to search over, whatever the estimator."""
    names = estimator.get_params()
    for suffix, values in {
        "n_neighbors": [3, 5],
        "max_depth": [2, 3],
        "alpha": [0.1, 1],
        "C": [0.1, 1],
    }.items():
        for name in sorted(names):
            if name == suffix or name.endswith(f"__{suffix}"):
                return name, values
    raise AssertionError(estimator)


def search(kind, **options):
    def run(estimator, x, y, scoring):
        name, values = parameter_of(estimator)
        return (
            kind(estimator, {name: values}, cv=3, scoring=scoring, **options)
            .fit(x, y)
            .cv_results_["mean_test_score"]
        )

    return run


def importance(estimator, x, y, scoring):
    fitted = clone(estimator).fit(x, y)
    return permutation_importance(fitted, x, y, scoring=scoring, n_repeats=2, random_state=0).importances


def validation(estimator, x, y, scoring):
    name, values = parameter_of(estimator)
    scores = validation_curve(estimator, x, y, param_name=name, param_range=values, cv=3, scoring=scoring)
    return np.concatenate(scores)


CONSUMERS = {
    "call": lambda e, x, y, s: metrics.check_scoring(e, s)(clone(e).fit(x, y), x, y),
    "GridSearchCV": search(GridSearchCV),
    "RandomizedSearchCV": search(RandomizedSearchCV, n_iter=2, random_state=0),
    "HalvingGridSearchCV": search(HalvingGridSearchCV, min_resources=100, random_state=0),
    "cross_val_score": lambda e, x, y, s: cross_val_score(e, x, y, cv=3, scoring=s),
    "cross_validate": lambda e, x, y, s: cross_validate(e, x, y, cv=3, scoring=s, return_train_score=True)[
        "train_score"
    ],
    "multimetric": lambda e, x, y, s: cross_validate(e, x, y, cv=3, scoring={"one": s, "two": s})["test_two"],
    "learning_curve": lambda e, x, y, s: learning_curve(e, x, y, cv=3, train_sizes=[0.6, 1.0], scoring=s)[2],
    "validation_curve": validation,
    "permutation_importance": importance,
}


def attempt(run, *args):
    """Return the values, or None where any is missing or the call fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = np.asarray(run(*args), dtype=float)
        except Exception:
            return None
    return values if np.isfinite(values).all() else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("consumer", CONSUMERS)
def test_ours_works_and_equals_scikit_learn_where_both_do(consumer, kind):
    estimator, x, y = KINDS[kind]
    run = CONSUMERS[consumer]
    ours = attempt(run, estimator, x, y, get_scorer("average_precision"))
    control = attempt(run, estimator, x, y, metrics.get_scorer("average_precision"))
    assert ours is not None
    if control is not None:
        np.testing.assert_allclose(ours, control, rtol=0, atol=1e-12)


@pytest.mark.parametrize("consumer", ["call", "GridSearchCV", "RandomizedSearchCV"])
def test_sparse_indicators_where_scikit_learn_takes_them(consumer):
    """Other consumers refuse a sparse y whatever the scorer."""
    estimator, run = OneVsRestClassifier(LOGISTIC), CONSUMERS[consumer]
    dense, sparse = (attempt(run, estimator, XL, y, get_scorer("pr_auc")) for y in (YL, csr_array(YL)))
    assert dense is not None
    np.testing.assert_array_equal(sparse, dense)


@pytest.mark.parametrize("kind", ["strings", "string objects", "0 and 2"])
def test_rows_on_which_scikit_learn_fails(kind):
    """The repairs are needed: a row that scikit-learn comes to pass belongs into the table above alone."""
    estimator, x, y = KINDS[kind]
    run = CONSUMERS["cross_val_score"]
    assert attempt(run, estimator, x, y, metrics.get_scorer("average_precision")) is None


@pytest.mark.parametrize("name", get_scorer_names())
@pytest.mark.parametrize("kind", ["strings", "multiclass", "multilabel forest"])
def test_every_named_scorer_searches(kind, name):
    assert attempt(CONSUMERS["GridSearchCV"], *KINDS[kind], get_scorer(name)) is not None


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


# --- estimators that score while they fit ---------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [Y, np.array(["no", "yes"])[Y], 2 * Y], ids=["0 and 1", "strings", "0 and 2"]
)
def test_hist_gradient_boosting_stops_early(labels):
    model = HistGradientBoostingClassifier(
        max_iter=5, early_stopping=True, scoring=get_scorer("average_precision"), random_state=0
    )
    assert 0 < model.fit(X, labels).validation_score_[-1] <= 1


@pytest.mark.parametrize("labels", [Y, np.array(["no", "yes"])[Y]], ids=["0 and 1", "strings"])
def test_logistic_regression_cv(labels):
    model = LogisticRegressionCV(Cs=[0.1, 1], cv=3, scoring=get_scorer("average_precision@10")).fit(X, labels)
    (scores,) = model.scores_.values()
    folds = cross_val_score(
        LogisticRegression(C=1.0), X, labels, cv=3, scoring=get_scorer("average_precision@10")
    )
    np.testing.assert_allclose(np.asarray(scores)[..., 1].ravel(), folds, atol=0.1)


@pytest.mark.parametrize("name", ["average_precision", "precision@10"])
def test_feature_selection(name):
    labels = np.array(["no", "yes"])[Y]
    assert RFECV(LOGISTIC, cv=3, scoring=get_scorer(name)).fit(X, labels).n_features_ >= 1
    chosen = SequentialFeatureSelector(LOGISTIC, n_features_to_select=2, cv=3, scoring=get_scorer(name))
    assert chosen.fit(X, labels).get_support().sum() == 2


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_parallel(backend):
    from joblib import parallel_config  # noqa: PLC0415  # scikit-learn brings it along

    scorer = make_scorer(average_precision_at_k_score, k=5)
    with parallel_config(backend, n_jobs=2):
        parallel = cross_val_score(LOGISTIC, X, Y, cv=3, scoring=scorer)
    assert parallel.tolist() == cross_val_score(LOGISTIC, X, Y, cv=3, scoring=scorer).tolist()


def test_displays_take_the_name():
    scorer = get_scorer("precision@10")
    learning = LearningCurveDisplay.from_estimator(LOGISTIC, X, Y, cv=3, scoring=scorer)
    validation = ValidationCurveDisplay.from_estimator(
        LOGISTIC, X, Y, param_name="C", param_range=[0.1, 1], cv=3, scoring=scorer
    )
    assert "recision@10" in learning.score_name
    assert "recision@10" in validation.score_name


def test_multimetric_with_other_positive_classes_and_scikit_learn_s_scorers():
    """scikit-learn's cache of responses holds the column of whichever scorer came first."""
    scoring = {
        "theirs": metrics.get_scorer("roc_auc"),
        "no": make_scorer(average_precision_score, pos_label=0),
        "yes": make_scorer(average_precision_score, pos_label=1),
    }
    together = cross_validate(FOREST, X, Y, cv=3, scoring=scoring)
    for name, scorer in scoring.items():
        alone = cross_val_score(FOREST, X, Y, cv=3, scoring=scorer)
        assert together[f"test_{name}"].tolist() == alone.tolist()


# --- the object -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", get_scorer_names())
def test_pickled_cloned_fresh(name):
    scorer = get_scorer(name)
    fitted = LOGISTIC.fit(X, Y)
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert copy(fitted, X, Y) == scorer(fitted, X, Y)
        assert repr(copy) == repr(scorer)
        assert copy.__name__ == name
    assert get_scorer(name) is not scorer


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("average_precision", "make_scorer(average_precision_score)"),
        ("precision@100", "make_scorer(precision_at_k_score, k=100)"),
        ("recall@0.05", "make_scorer(recall_at_k_score, k=0.05)"),
    ],
)
def test_repr_says_what_it_computes(name, text):
    assert repr(get_scorer(name)) == text


def test_repr_of_all_options():
    scorer = make_scorer(
        average_precision_at_k_score, k=3, ties="expected", response_method="predict_proba", query_id="index"
    )
    assert repr(scorer) == (
        "make_scorer(average_precision_at_k_score, k=3, ties='expected', response_method='predict_proba', "
        "query_id='index')"
    )


@pytest.mark.parametrize(
    "name", ["voc_ap", "average_precision@", "precision", "precision@0", "precision@1.5", 3, ""]
)
def test_unknown_names(name):
    with pytest.raises(ValueError, match=r"^name must be one of \['average_precision', .*; got "):
        get_scorer(name)


def test_wrong_arguments_are_refused_when_the_scorer_is_made():
    with pytest.raises(
        TypeError, match="precision_at_k_score takes no argument 'normalizer'; it takes k, ties"
    ):
        make_scorer(precision_at_k_score, normalizer="k")
    with pytest.raises(TypeError, match="accuracy_score takes no argument 'query_id'"):
        make_scorer(metrics.accuracy_score, query_id="groups")
    with pytest.raises(ValueError, match="average=None gives several values"):
        make_scorer(average_precision_score, average=None)
    with pytest.raises(ValueError, match="'response_method' parameter of make_scorer"):
        make_scorer(average_precision_score, response_method="guess")
    for query_id in (7, ["a"], "", "two words"):
        with pytest.raises(ValueError, match=r"^query_id must be 'index' or the name of the metadata"):
            make_scorer(average_precision_score, query_id=query_id)
    for options in ({"n_positives": 5, "query_id": "groups"}, {"n_positives": {1: 5}}):
        with pytest.raises(ValueError, match=r"^n_positives of a scorer must be a mapping"):
            make_scorer(average_precision_score, **options)


@pytest.mark.parametrize("function", ALL_SCORES, ids=lambda function: function.__name__)
@pytest.mark.parametrize("kind", ["0 and 1", "no decision function", "multiclass", "multilabel network"])
def test_plain_scikit_learn_scorers_work_with_every_score(kind, function):
    plain = metrics.make_scorer(function, response_method=("decision_function", "predict_proba"))
    run = CONSUMERS["GridSearchCV"]
    ours = attempt(run, *KINDS[kind], make_scorer(function))
    assert ours is not None
    np.testing.assert_allclose(attempt(run, *KINDS[kind], plain), ours, rtol=0, atol=1e-12)


def test_plain_scikit_learn_scorers_take_options():
    scorer = metrics.make_scorer(
        average_precision_at_k_score, k=10, response_method=("decision_function", "predict_proba")
    )
    ours = make_scorer(average_precision_at_k_score, k=10)
    for estimator in (LOGISTIC, FOREST):
        plain = cross_val_score(estimator, X, Y, scoring=scorer)
        assert plain.tolist() == cross_val_score(estimator, X, Y, scoring=ours).tolist()


# --- queries --------------------------------------------------------------------------------------------

QUERY = np.repeat(np.arange(15), 10)


def by_hand(score=average_precision_score, **options):
    """The mean over queries in each fold of GroupKFold."""
    values = []
    for train, test in GroupKFold(3).split(X, Y, QUERY):
        scores = clone(LOGISTIC).fit(X[train], Y[train]).decision_function(X[test])
        values.append(score(Y[test], scores, query_id=QUERY[test], **options))
    return values


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


NO_POSITIVE = pytest.mark.filterwarnings("ignore:No positive class found:UserWarning")


@NO_POSITIVE
@pytest.mark.usefixtures("routing")
def test_routed_queries_feed_the_splitter_and_the_scorer():
    scorer = make_scorer(average_precision_score, query_id="groups")
    found = cross_validate(LOGISTIC, X, Y, cv=GroupKFold(3), scoring=scorer, params={"groups": QUERY})
    assert found["test_score"].tolist() == by_hand()
    both = cross_validate(
        LOGISTIC,
        X,
        Y,
        cv=GroupKFold(3),
        scoring={"map": scorer, "r": make_scorer(r_precision_score, query_id="groups"), "auc": "roc_auc"},
        params={"groups": QUERY},
    )
    assert both["test_map"].tolist() == by_hand()
    assert both["test_r"].tolist() == by_hand(r_precision_score)


@NO_POSITIVE
@pytest.mark.usefixtures("routing")
def test_routed_grid_search_fits_and_scores():
    scorer = make_scorer(average_precision_score, query_id="groups")
    grid = GridSearchCV(LOGISTIC, {"C": [1.0]}, cv=GroupKFold(3), scoring=scorer).fit(X, Y, groups=QUERY)
    assert grid.best_score_ == pytest.approx(np.mean(by_hand()))
    expected = average_precision_score(Y, grid.decision_function(X), query_id=QUERY)
    assert grid.score(X, Y, groups=QUERY) == expected


@NO_POSITIVE
@pytest.mark.usefixtures("routing")
def test_routed_nested_cross_validation():
    scorer = make_scorer(average_precision_score, query_id="groups")
    grid = GridSearchCV(LOGISTIC, {"C": [1.0]}, cv=GroupKFold(2), scoring=scorer)
    found = cross_validate(grid, X, Y, cv=GroupKFold(3), scoring=scorer, params={"groups": QUERY})
    assert found["test_score"].tolist() == by_hand()


@NO_POSITIVE
@pytest.mark.usefixtures("routing")
@pytest.mark.skipif(VERSION < (1, 6), reason="RFECV and learning_curve route no metadata before 1.6")
def test_routed_elsewhere():
    scorer = make_scorer(average_precision_score, query_id="groups")
    selection = RFECV(LOGISTIC, cv=GroupKFold(3), scoring=scorer).fit(X, Y, groups=QUERY)
    assert selection.cv_results_["mean_test_score"][-1] == pytest.approx(np.mean(by_hand()), abs=1e-12)
    _, _, scores = learning_curve(
        LOGISTIC, X, Y, cv=GroupKFold(3), train_sizes=[1.0], scoring=scorer, params={"groups": QUERY}
    )
    assert scores.ravel().tolist() == by_hand()


@NO_POSITIVE
@pytest.mark.usefixtures("routing")
def test_routed_logistic_regression_cv():
    scorer = make_scorer(average_precision_score, query_id="groups")
    model = LogisticRegressionCV(Cs=[1.0], cv=GroupKFold(3), scoring=scorer).fit(X, Y, groups=QUERY)
    (scores,) = model.scores_.values()
    np.testing.assert_allclose(np.ravel(scores), by_hand(), atol=1e-3)


@NO_POSITIVE
@pytest.mark.usefixtures("routing")
def test_requests_keep_the_query():
    weight = np.random.default_rng(0).integers(1, 4, 150).astype(float)
    scorer = make_scorer(average_precision_score, query_id="groups").set_score_request(sample_weight=True)
    model = clone(LOGISTIC).set_fit_request(sample_weight=False)
    found = cross_validate(
        model, X, Y, cv=GroupKFold(3), scoring=scorer, params={"groups": QUERY, "sample_weight": weight}
    )
    expected = []
    for train, test in GroupKFold(3).split(X, Y, QUERY):
        scores = clone(LOGISTIC).fit(X[train], Y[train]).decision_function(X[test])
        expected.append(
            average_precision_score(Y[test], scores, query_id=QUERY[test], sample_weight=weight[test])
        )
    assert found["test_score"].tolist() == expected


@NO_POSITIVE
def test_scorer_made_before_routing_is_switched_on():
    scorer = pickle.loads(pickle.dumps(make_scorer(average_precision_score, query_id="groups")))
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            LOGISTIC, X, Y, cv=GroupKFold(3), scoring=clone(scorer, safe=False), params={"groups": QUERY}
        )
    assert found["test_score"].tolist() == by_hand()


@NO_POSITIVE
def test_queries_from_the_index():
    labels = pd.Series(Y, index=QUERY)
    scorer = make_scorer(average_precision_score, query_id="index")
    found = cross_validate(LOGISTIC, X, labels, cv=GroupKFold(3), scoring=scorer, groups=QUERY)
    assert found["test_score"].tolist() == by_hand()
    folds = list(GroupKFold(3).split(X, Y, QUERY))
    grid = GridSearchCV(LOGISTIC, {"C": [1.0]}, cv=folds, scoring=scorer).fit(X, labels)
    assert grid.best_score_ == pytest.approx(np.mean(by_hand()))
    _, _, scores = learning_curve(LOGISTIC, X, labels, cv=folds, train_sizes=[1.0], scoring=scorer)
    assert scores.ravel().tolist() == by_hand()
    fitted = LOGISTIC.fit(X, Y)
    assert permutation_importance(fitted, X, labels, scoring=scorer, n_repeats=1).importances.shape == (5, 1)
    expected = average_precision_score(Y, fitted.decision_function(X), query_id=QUERY)
    assert scorer(fitted, X, labels) == expected


@NO_POSITIVE
def test_stated_totals_of_the_fold_s_queries():
    totals = dict.fromkeys(range(15), 12) | {99: 3}
    scorer = make_scorer(average_precision_score, query_id="index", n_positives=totals)
    folds = list(GroupKFold(3).split(X, Y, QUERY))
    found = cross_val_score(LOGISTIC, X, pd.Series(Y, index=QUERY), cv=folds, scoring=scorer)
    assert found.tolist() == by_hand(n_positives=12)


@pytest.mark.parametrize("query_id", ["index", "groups"])
def test_consumers_that_take_a_scorer_apart_do_not_pool(query_id):
    scorer = make_scorer(average_precision_score, query_id=query_id)
    folds = list(GroupKFold(3).split(X, Y, QUERY))
    model = TunedThresholdClassifierCV(LOGISTIC, scoring=scorer, cv=folds)
    with pytest.raises(ValueError, match="no query ids reached the scorer"):
        model.fit(X, pd.Series(Y, index=QUERY))


@pytest.mark.skipif(VERSION < (1, 6), reason="before 1.6 scikit-learn's own scorers take weights unasked")
def test_weights_that_were_not_asked_for_are_an_error_as_usual():
    weight = np.ones(150)
    scorer = make_scorer(average_precision_score, query_id="groups")
    model = clone(LOGISTIC)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sample_weight=False)
        with pytest.raises(ValueError, match="sample_weight"):
            cross_validate(
                model,
                X,
                Y,
                cv=GroupKFold(3),
                scoring=scorer,
                params={"groups": QUERY, "sample_weight": weight},
            )


def test_request_of_what_the_score_does_not_take():
    scorer = make_scorer(average_precision_score, query_id="groups")
    with pytest.raises(TypeError, match="average_precision_score takes no argument 'groups'"):
        scorer.set_score_request(groups=True)


def test_index_of_a_slice():
    """Older pandas keeps for a slice what it knew of the whole index."""
    labels = pd.Series(Y, index=QUERY)
    assert not labels.index.is_unique
    with pytest.raises(ValueError, match="found another id in the index of y for every row"):
        make_scorer(average_precision_score, query_id="index")(LOGISTIC.fit(X, Y), X[::10], labels[::10])


def test_no_ids_is_an_error_never_a_pool():
    fitted = LOGISTIC.fit(X, Y)
    scorer = make_scorer(average_precision_score, query_id="groups")
    with pytest.raises(ValueError, match=r"no query ids reached the scorer: call sklearn.set_config\("):
        scorer(fitted, X, Y)
    with pytest.raises(ValueError, match=r"no query ids reached the scorer"):
        cross_val_score(LOGISTIC, X, Y, cv=GroupKFold(3), groups=QUERY, scoring=scorer, error_score="raise")
    with sklearn.config_context(enable_metadata_routing=True):
        lost = make_scorer(average_precision_score, query_id="groups").set_score_request(query_id=False)
        with pytest.raises(ValueError, match=r"no query ids reached the scorer"):
            cross_validate(
                LOGISTIC,
                X,
                Y,
                cv=GroupKFold(3),
                scoring=lost,
                params={"groups": QUERY},
                error_score="raise",
            )


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (Y, "needs y as a pandas Series whose index holds the query ids, but the scorer got a ndarray"),
        (Y.tolist(), "but the scorer got a list"),
        (pd.Series(Y), "found another id in the index of y for every row, as a default index has"),
    ],
)
def test_index_that_holds_no_queries(labels, text):
    scorer = make_scorer(average_precision_score, query_id="index")
    with pytest.raises(ValueError, match=text):
        scorer(LOGISTIC.fit(X, Y), X, labels)
