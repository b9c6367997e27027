"""Scorers of queries, whose ids come by metadata routing or from the index of y."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_validate

from scoring import IGNORED, LOGISTIC, QUERY, X, Y
from sklearn_ap import average_precision_score, make_scorer, r_precision_score

pytestmark = pytest.mark.filterwarnings(*IGNORED)


def by_hand(score=average_precision_score, weight=None):
    """Return the mean over the queries of each fold of GroupKFold."""
    values = []
    for train, test in GroupKFold(3).split(X, Y, QUERY):
        scores = clone(LOGISTIC).fit(X[train], Y[train]).decision_function(X[test])
        arguments = {} if weight is None else {"sample_weight": weight[test]}
        values.append(score(Y[test], scores, query_id=QUERY[test], **arguments))
    return values


def routed(scoring, model=LOGISTIC, **params):
    """Return the result of `cross_validate`, which passes the queries as groups."""
    return cross_validate(
        model,
        X,
        Y,
        cv=GroupKFold(3),
        scoring=scoring,
        params={"groups": QUERY, **params},
        error_score="raise",
    )


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


NO_POSITIVE = pytest.mark.filterwarnings(
    "ignore:(No positive class found|y_true contains no positive):UserWarning"
)


@NO_POSITIVE
@pytest.mark.usefixtures("routing")
def test_routed_queries_and_weights_feed_the_splitter_and_the_scorers():
    weight = np.random.default_rng(0).integers(1, 4, 150).astype(float)
    mean = make_scorer(average_precision_score, query_id="groups")
    r_precision = make_scorer(r_precision_score, query_id="groups")
    scorers = {
        "map": mean.set_score_request(sample_weight=True),
        "r": r_precision.set_score_request(sample_weight=False),
    }
    model = clone(LOGISTIC).set_fit_request(sample_weight=False)
    found = routed(scorers, model, sample_weight=weight)
    assert found["test_map"].tolist() == by_hand(weight=weight)
    assert found["test_r"].tolist() == by_hand(r_precision_score)


@pytest.mark.usefixtures("routing")
def test_ids_that_were_not_requested_are_an_error():
    scorer = make_scorer(average_precision_score, query_id="groups")
    with pytest.raises(ValueError, match="no query ids reached the scorer"):
        routed(scorer.set_score_request(query_id=False))
