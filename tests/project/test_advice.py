"""The advice of an error leads to the right number, if it is followed literally."""

import re
from functools import partial
from itertools import product

import numpy as np
import pandas
import pytest
from pandas import DataFrame
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import average_precision_score as reference
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import sklearn_ap as ap
from doors import text_of
from scoring import IGNORED, LOGISTIC, QUERY, X3, XL, Y3, YL, X, Y
from sklearn_ap import average_precision_score, make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)
SCORE = average_precision_score


def followed(y_true, y_score, estimator, pos_label=1, n_left=4):
    """Follow the advice of each error until there is a score, and return the score."""
    try:
        return SCORE(y_true, y_score, pos_label=pos_label)
    except ValueError as error:
        text = text_of(error)
    assert n_left, text
    names = {"np": np, "y_true": y_true, "y_score": y_score, "estimator": estimator}
    kept = re.search(r"drop the rows .*, where (.+) is False", text)
    if kept:
        rows = eval(kept[1], names)
        return followed(y_true[rows], y_score[rows], estimator, pos_label, n_left - 1)
    if "without pos_label" in text:
        pos_label = 1
    advice = re.split(r", the scores|, without|\.(?: |$)", text.partition("pass ")[2])
    for code in advice[0].split(" and "):
        argument = "y_true" if "np.asarray(y_true) ==" in code else "y_score"
        names[argument] = eval(code, names)
    y_true, y_score = names["y_true"], names["y_score"]
    return followed(y_true, y_score, estimator, pos_label, n_left - 1)


# --- every shape that classifiers of scikit-learn give --------------------------------

CHAIN, OUTPUTS = ClassifierChain(LOGISTIC), MultiOutputClassifier(LOGISTIC)
CASES = {
    "binary": (X, Y, [LOGISTIC]),
    "column": (X, Y[:, np.newaxis], [CHAIN, OUTPUTS]),
    "text": (X, np.array(["no", "yes"])[Y], [LOGISTIC]),
    "three": (X3, Y3, [LOGISTIC]),
    "three texts": (X3, np.array(["ant", "cat", "dog"])[Y3], [LOGISTIC]),
    "labels": (XL, YL, [CHAIN, OUTPUTS]),
}


def responses_of(estimator, features):
    for method in ("predict_proba", "decision_function"):
        if hasattr(estimator, method):
            yield getattr(estimator, method)(features)


def right_number(estimator, response, labels, pos_label):
    """Return the score of scikit-learn for the columns that `classes_` names."""
    classes = estimator.classes_
    if labels.shape[1:] > (1,):
        if isinstance(response, list):
            outputs = zip(response, classes, strict=True)
            response = [matrix[:, list(own).index(1)] for matrix, own in outputs]
            response = np.transpose(response)
        return reference(labels, response)
    if labels.dtype.kind == "i" and pos_label == 1 and len(classes) > 2:
        return reference(labels, response)  # the mean over classes
    if isinstance(response, list):
        (response,) = response
    if response.shape[1] == 1:
        return reference(labels, response, pos_label=pos_label)
    of_class = response[:, np.ravel(classes).tolist().index(pos_label)]
    return reference(np.ravel(labels) == pos_label, of_class)


@pytest.mark.parametrize("case", CASES)
def test_whatever_a_classifier_gives_leads_to_the_number_of_its_class(case):
    """The scores are an array, lists, a frame or transposed, and each class is positive
    once.
    """
    features, labels, estimators = CASES[case]
    n_followed = 0
    positives = np.unique(labels).tolist()
    if labels.shape[1:] > (1,):
        # As in scikit-learn, columns of labels have no other positive label.
        positives = [1]
    responses = [
        (estimator, response)
        for estimator in [clone(one).fit(features, labels) for one in estimators]
        for response in responses_of(estimator, features)
    ]
    for estimator, response in responses:
        forms = [response]
        if isinstance(response, np.ndarray) and response.ndim == 2:
            forms += [response.tolist(), DataFrame(response), response.T]
        for form, pos_label in product(forms, positives):
            try:
                SCORE(labels, form, pos_label=pos_label)
            except ValueError:
                number = followed(labels, form, estimator, pos_label)
                expected = right_number(estimator, response, labels, pos_label)
                assert number == pytest.approx(expected, abs=1e-12), type(estimator)
                n_followed += 1
    assert n_followed


# --- folds that lack a class, and labels that are constant in training ----------------


@pytest.mark.parametrize("form", [np.asarray, "by name"])
@pytest.mark.parametrize("names", [[1, 2, 3, 4], ["a", "b", "c", "d"]])
def test_a_fold_that_lacks_classes_leads_to_the_columns_of_the_others(form, names):
    """There are four classes, whose six pairs cannot be mistaken for classes."""
    labels = np.resize(names, Y3.size)
    model = clone(LOGISTIC).fit(X3, labels)
    response = model.predict_proba(X3)
    if form == "by name":
        form = partial(DataFrame, columns=names)
    for present in ([0, 1], [1, 3], [0, 2, 3]):
        rows = np.isin(labels, np.array(names)[present])
        y_true, y_score = labels[rows], response[rows]
        for place in present:
            number = followed(y_true, form(y_score), model, names[place])
            expected = reference(y_true == names[place], y_score[:, place])
            if len(present) > 2 and names[place] == 1:
                indicators = y_true[:, np.newaxis] == np.array(names)[present]
                expected = reference(indicators, y_score[:, present])
            assert number == pytest.approx(expected, abs=1e-12)


def test_rows_of_a_class_that_training_lacked_are_left_out():
    known = Y3 < 2
    estimator = clone(LOGISTIC).fit(X3[known], Y3[known])
    response = estimator.predict_proba(X3)
    expected = reference(Y3[known], response[known, 1])
    assert followed(Y3, response, estimator) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("constant", [0, 1])
def test_a_label_that_was_constant_in_training_has_scores_of_0_or_1(constant):
    training = YL.copy()
    training[:, 1] = constant
    estimator = KNeighborsClassifier().fit(XL, training)
    response = estimator.predict_proba(XL)
    expected = np.column_stack([matrix[:, -1] for matrix in response])
    expected[:, 1] = constant
    number = followed(YL, response, estimator)
    assert number == pytest.approx(reference(YL, expected), abs=1e-12)


# --- scorers --------------------------------------------------------------------------

PAIRS = SVC(decision_function_shape="ovo")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda svc: svc,
        lambda svc: GridSearchCV(make_pipeline(StandardScaler(), svc), {}),
        lambda svc: make_pipeline(StandardScaler(), GridSearchCV(svc, {"C": [1]})),
    ],
)
def test_pairs_of_classes_are_refused_in_whatever_hands_them_on(wrap):
    """Three classes have three pairs, so the shape does not reveal pairs."""
    scorer = make_scorer(SCORE, response_method="decision_function")
    with pytest.raises(ValueError, match="returns pairwise scores") as refused:
        scorer(wrap(clone(PAIRS)).fit(X3, Y3), X3, Y3)
    shape = re.search(r"use decision_function_shape='(\w+)'", str(refused.value))[1]
    estimator = wrap(SVC(decision_function_shape=shape)).fit(X3, Y3)
    expected = reference(Y3, estimator.decision_function(X3))
    assert scorer(estimator, X3, Y3) == pytest.approx(expected, abs=1e-12)


def test_votes_of_pairs_are_one_per_class():
    votes = AdaBoostClassifier(PAIRS, n_estimators=2)
    if getattr(votes, "algorithm", "") == "SAMME.R":
        # Before 1.6, the default algorithm used probabilities.
        votes.set_params(algorithm="SAMME")
    expected = reference(Y3, votes.fit(X3, Y3).decision_function(X3))
    scorer = make_scorer(SCORE, response_method="decision_function")
    assert scorer(votes, X3, Y3) == pytest.approx(expected, abs=1e-12)


# --- other calls ----------------------------------------------------------------------


def refused_text(call, *arguments, **options):
    with pytest.raises((TypeError, ValueError)) as refused:
        call(*arguments, **options)
    return text_of(refused.value)


def test_labels_of_a_classifier_are_replaced_by_the_scores_of_the_positive_class():
    model = clone(LOGISTIC).fit(X, Y)
    with pytest.warns(UserWarning, match="nothing but the labels") as caught:
        ap.estimate_score(SCORE, Y, model.predict(X), pos_label=0)
    (text,) = [str(warning.message) for warning in caught if "labels" in str(warning)]
    code = re.search(r"cross_val_predict\(.*\]", text)[0]
    names = {"cross_val_predict": lambda _, method: getattr(model, method)(X)}
    expected = reference(Y == 0, model.predict_proba(X)[:, 0])
    number = SCORE(Y, eval(code, names), pos_label=0)
    assert number == pytest.approx(expected, abs=1e-12)


def test_queries_reach_a_scorer_by_the_index_that_its_errors_name():
    """`tests/core/test_scorer_queries.py` tests the first advice, metadata routing."""
    model = clone(LOGISTIC).fit(X, Y)
    text = refused_text(make_scorer(SCORE, query_id="groups"), model, X, Y)
    query_id = re.search(r"make_scorer\(\.\.\., query_id='(\w+)'\)", text)[1]
    scorer = make_scorer(SCORE, query_id=query_id)
    text = refused_text(scorer, model, X, Y)
    code = re.search(r"Write y = (pandas\.Series\(.*?\)),", text)[1]
    y = eval(code, {"pandas": pandas, "labels": Y, "query_ids": QUERY})
    expected = SCORE(Y, model.decision_function(X), query_id=QUERY)
    assert scorer(model, X, y) == expected
