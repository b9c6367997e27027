"""Scorers work wherever scikit-learn takes ``scoring=``. Its own scorer of average
precision is the control.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from metrics import CALLED
from scoring import FOREST, IGNORED, LOGISTIC, X3, XL, Y3, YL, X, Y
from sklearn_ap import average_precision_score, get_scorer, make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)

# Labels of each kind, and an estimator that accepts them.
BINARY = {
    "0 and 1": (LOGISTIC, X, Y),
    "bools": (LOGISTIC, X, Y == 1),
    "-1 and 1": (LOGISTIC, X, 2 * Y - 1),
    "strings": (LOGISTIC, X, np.array(["no", "yes"])[Y]),
    "pandas strings": (LOGISTIC, X, pd.Series(np.array(["no", "yes"])[Y])),
    "0 and 2": (LOGISTIC, X, 2 * Y),
    "no decision function": (FOREST, X, Y),
    "no probabilities": (LinearSVC(), X, Y),
}
OTHERS = {
    "multiclass": (LOGISTIC, X3, Y3),
    "multiclass strings": (FOREST, X3, np.array(["a", "b", "c"])[Y3]),
    "multiclass one-vs-rest": (SVC(), X3, Y3),
    "multilabel one-vs-rest": (OneVsRestClassifier(LOGISTIC), XL, YL),
    "multilabel of two": (OneVsRestClassifier(LOGISTIC), XL, YL[:, :2]),
    "multilabel forest": (FOREST, XL, YL),
    "multilabel tree": (DecisionTreeClassifier(random_state=0), XL, YL),
    "multilabel network": (MLPClassifier((5,), max_iter=20, random_state=0), XL, YL),
    "multilabel chain": (ClassifierChain(LOGISTIC, random_state=0), XL, YL),
    "multilabel multi-output": (MultiOutputClassifier(LOGISTIC), XL, YL),
}
KINDS = BINARY | OTHERS


# Other searches and curves call scorers in the same way as these.
CALL = "metrics.check_scoring(e, s)(clone(e).fit(x, y), x, y)"
CONSUMERS = [
    "GridSearchCV(e, {}, cv=3, scoring=s).fit(x, y).cv_results_['mean_test_score']",
    "cross_validate(e, x, y, cv=3, scoring=s, return_train_score=True)['train_score']",
    "cross_validate(e, x, y, cv=3, scoring={'one': s, 'two': s})['test_two']",
]
NAMES = {"metrics": metrics, "clone": clone, "GridSearchCV": GridSearchCV}
NAMES["cross_validate"] = cross_validate


def positive_in(kind):
    """Return the arguments that name the positive class, if it is not 1."""
    labels = np.unique(KINDS[kind][2])
    return {"pos_label": labels[1]} if kind in BINARY and 1 not in labels else {}


RESPONSES = ("decision_function", "predict_proba")
# The scorer itself is called with every kind of labels, and other consumers with one
# kind of each shape.
OF_EACH_SHAPE = "strings", "multiclass", "multilabel tree"
ASKED = [*product([CALL], KINDS), *product(CONSUMERS, OF_EACH_SHAPE)]


def scorer_of_scikit_learn(function, **options):
    return metrics.make_scorer(function, response_method=RESPONSES, **options)


@pytest.mark.parametrize(("consumer", "kind"), ASKED)
def test_consumers_compute_the_same_with_our_scorer(consumer, kind):
    """If scoring fails, a consumer warns, and warnings are errors in tests."""
    names, named = dict(zip("exy", KINDS[kind], strict=True)), positive_in(kind)
    ours = get_scorer("average_precision", **named)
    theirs = scorer_of_scikit_learn(metrics.average_precision_score, **named)
    # Older versions of scikit-learn raise an error for several classes of text.
    places = np.unique(names["y"], return_inverse=True)[1]
    other = {"y": places} if kind == "multiclass strings" else {}
    found = eval(consumer, NAMES | names | {"s": ours})
    control = eval(consumer, NAMES | names | {"s": theirs} | other)
    np.testing.assert_allclose(found, control, rtol=0, atol=1e-12, equal_nan=False)


@pytest.mark.parametrize(
    "kind", ["0 and 1", "no decision function", "multiclass", "multilabel network"]
)
def test_plain_scikit_learn_scorers_work_with_every_score(kind):
    estimator, x, y = KINDS[kind]
    fitted = clone(estimator).fit(x, y)
    for function in CALLED:
        found = scorer_of_scikit_learn(function)(fitted, x, y)
        assert found == pytest.approx(
            make_scorer(function)(fitted, x, y), rel=0, abs=1e-12
        ), function


def test_votes_of_pairs_are_one_per_class():
    pairs = SVC(kernel="linear", decision_function_shape="ovo")
    votes = AdaBoostClassifier(pairs, n_estimators=2)
    if getattr(votes, "algorithm", "") == "SAMME.R":
        # Before 1.6, the default algorithm used probabilities.
        votes.set_params(algorithm="SAMME")
    expected = average_precision_score(Y3, votes.fit(X3, Y3).decision_function(X3))
    assert get_scorer("average_precision")(votes, X3, Y3) == expected
