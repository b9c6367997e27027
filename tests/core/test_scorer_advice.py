"""The advice of a scorer's error leads to the right number, if it is followed literally."""

import re

import pandas
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import average_precision_score as reference
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from scoring import IGNORED, LOGISTIC, QUERY, X3, Y3, X, Y
from sklearn_ap import average_precision_score as SCORE
from sklearn_ap import make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)

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


def test_queries_reach_a_scorer_by_the_index_that_its_errors_name():
    """`test_scorer_queries.py` tests the first advice, metadata routing."""
    model = clone(LOGISTIC).fit(X, Y)
    with pytest.raises(ValueError, match="groups") as refused:
        make_scorer(SCORE, query_id="groups")(model, X, Y)
    query_id = re.search(r"make_scorer\(.*?, query_id='(\w+)'\)", str(refused.value))[1]
    scorer = make_scorer(SCORE, query_id=query_id)
    with pytest.raises(ValueError, match="index") as refused:
        scorer(model, X, Y)
    code = re.search(r"Write y = (pandas\.Series\(.*?\)),", str(refused.value))[1]
    y = eval(code, {"pandas": pandas, "labels": Y, "query_ids": QUERY})
    expected = SCORE(Y, model.decision_function(X), query_id=QUERY)
    assert scorer(model, X, y) == expected
