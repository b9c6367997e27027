"""Advice of errors is followed as it is written, and leads to the right number."""

import re
import warnings
from functools import partial
from inspect import Parameter, signature
from itertools import product

import numpy as np
import pytest
from pandas import DataFrame
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score as reference
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import all_estimators

from scoring import IGNORED, LOGISTIC, X3, XL, Y3, YL, X, Y
from sklearn_ap import average_precision_score, make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)
SCORE = average_precision_score


def text_of(error):
    return " ".join([str(error), *getattr(error, "__notes__", ())])


def followed(y_true, y_score, estimator, pos_label=1, n_left=4):
    """The score, once all advice is followed."""
    try:
        return SCORE(y_true, y_score, pos_label=pos_label)
    except ValueError as error:
        text = text_of(error)
    assert n_left, text
    names = {"np": np, "y_true": y_true, "y_score": y_score, "estimator": estimator}
    kept = re.search(r"leave out the rows .*, where (.+) is False", text)
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


# --- every classifier of scikit-learn -------------------------------------------------

ONE = LogisticRegression()
REQUIRED = {"estimator": ONE, "estimators": [("one", ONE)], "param_grid": {}}
REQUIRED |= {"base_estimator": ONE, "param_distributions": {"C": [1.0]}}
CASES = {
    "binary": (X, Y),
    "column": (X, Y[:, np.newaxis]),
    "text": (X, np.array(["no", "yes"])[Y]),
    "three": (X3, Y3),
    "three texts": (X3, np.array(["ant", "cat", "dog"])[Y3]),
    "labels": (XL, YL),
}


def responses_of_each_shape(features, labels):
    """What classifiers give, once per type and shape."""
    shapes = set()
    for _, kind in all_estimators("classifier"):
        params = signature(kind).parameters
        needed = {
            name: value
            for name, value in REQUIRED.items()
            if name in params and params[name].default is Parameter.empty
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                estimator = kind(**needed).fit(features, labels)
            except Exception:  # of other labels, or more than these arguments
                continue
        for method in ("predict_proba", "decision_function"):
            if hasattr(estimator, method):
                response = getattr(estimator, method)(features)
                shape = type(response), np.shape(response)
                if shape not in shapes:
                    shapes.add(shape)
                    yield estimator, response


def right_number(estimator, response, labels, pos_label):
    """That of scikit-learn, given the columns of `classes_`."""
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
    """As an array, as lists, as a frame and turned; each class is positive in turn."""
    features, labels = (part[:60] for part in CASES[case])
    features = np.abs(features)
    n_followed = 0
    for estimator, response in responses_of_each_shape(features, labels):
        forms = [response]
        if isinstance(response, np.ndarray) and response.ndim == 2:
            forms += [response.tolist(), DataFrame(response), response.T]
        positives = np.unique(labels).tolist()
        if labels.shape[1:] > (1,):  # as in scikit-learn, others are refused
            positives = [1]
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


@pytest.mark.parametrize("form", [np.asarray, DataFrame, np.ndarray.tolist, "by name"])
@pytest.mark.parametrize("names", [[0, 1, 2, 3], [1, 2, 3, 4], ["a", "b", "c", "d"]])
def test_a_fold_that_lacks_classes_leads_to_the_columns_of_the_others(form, names):
    """Four classes have six pairs, as many as classes of another estimator have."""
    labels = np.array(names)[np.arange(Y3.size) % 4]
    estimator = LOGISTIC.fit(X3, labels)
    response = estimator.predict_proba(X3)
    if form == "by name":
        form = partial(DataFrame, columns=estimator.classes_)
    for present in ([0, 1], [1, 3], [0, 2, 3]):
        rows = np.isin(labels, np.array(names)[present])
        y_true, y_score = labels[rows], response[rows]
        for place in present:
            pos_label = names[place]
            number = followed(y_true, form(y_score), estimator, pos_label)
            expected = reference(y_true == pos_label, y_score[:, place])
            if len(present) > 2 and pos_label == 1:
                indicators = y_true[:, np.newaxis] == np.array(names)[present]
                expected = reference(indicators, y_score[:, present])
            assert number == pytest.approx(expected, abs=1e-12)


def test_rows_of_a_class_that_training_lacked_are_left_out():
    known = Y3 < 2
    estimator = LOGISTIC.fit(X3[known], Y3[known])
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


def test_pairs_of_classes_are_refused_in_whatever_hands_them_on():
    """Three classes have three pairs, so no shape shows them."""
    scorer = make_scorer(SCORE, response_method="decision_function")
    pairs = SVC(decision_function_shape="ovo")
    for wrap in (
        lambda svc: svc,
        lambda svc: make_pipeline(StandardScaler(), svc),
        lambda svc: GridSearchCV(make_pipeline(StandardScaler(), svc), {}),
        lambda svc: make_pipeline(StandardScaler(), GridSearchCV(svc, {"C": [1]})),
    ):
        with pytest.raises(ValueError, match="returns pairwise scores") as refused:
            scorer(wrap(pairs).fit(X3, Y3), X3, Y3)
        (shape,) = re.findall(
            r"use decision_function_shape='(\w+)'", str(refused.value)
        )
        estimator = wrap(SVC(decision_function_shape=shape)).fit(X3, Y3)
        expected = reference(Y3, estimator.decision_function(X3))
        assert scorer(estimator, X3, Y3) == pytest.approx(expected, abs=1e-12)
