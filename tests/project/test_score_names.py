"""Each function that takes a score accepts the score, its name, or a callable."""

from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import sklearn_ap as ap
from scoring import LOGISTIC, X, Y
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    make_scorer,
)

AT_K = average_precision_at_k_score
MODEL = clone(LOGISTIC).fit(X, Y)
A, B = MODEL.decision_function(X), X[:, 0]
QUERY = np.arange(Y.size) // 30


def calling(name, *rows, **options):
    """Return a function that passes a score, its parameters and these rows to the function
    of this name, and returns the number or the numbers.
    """

    def call(score, **params):
        result = attrgetter(name)(ap)(score, *rows, **options, **params)
        return result.to_dict() if hasattr(result, "to_dict") else result

    return call


def state():
    return ap.distributed.RankingState().update(Y, A)


CALLS = {
    "estimate_score": calling("estimate_score", Y, A),
    "compare_scores": calling("compare_scores", Y, A, B),
    "compare_many": calling("compare_many", Y, {"a": A, "b": B}),
    "score_by_query": calling("score_by_query", Y, A, query_id=QUERY),
    "make_scorer": lambda score, **k: make_scorer(score, **k)(MODEL, X, Y),
    "distributed.score": calling(
        "distributed.score", pd.DataFrame({"label": Y, "score": A})
    ),
    "state": lambda score, **k: state().score(score, **k),
    "a list": lambda score, **k: state().score([score], **k).popitem()[1],
}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@each_call
def test_a_name_contains_the_cut_of_the_score(call):
    assert call("average_precision") == call(average_precision_score)
    by_name = call("average_precision@0.25", ties="expected")
    assert by_name == call(AT_K, k=0.25, ties="expected")


@pytest.mark.parametrize(
    "call", [*CALLS.values(), get_scorer], ids=[*CALLS, "get_scorer"]
)
def test_the_cut_of_a_name_cannot_be_passed_again(call):
    with pytest.raises(
        TypeError, match=r"^k is already .* 'recall@50'; got k=5 too. Remove k.$"
    ):
        call("recall@50", k=5)


@each_call
def test_errors_of_other_names_and_objects(call):
    with pytest.raises(
        ValueError,
        match=r"^score_func must be one of \[.*; got 'averge_precision'; did you mean 'average_precision'\?$",
    ):
        call("averge_precision")
    with pytest.raises(
        (TypeError, ValueError), match=r"^score_func must be a .*; got 3[.:]"
    ):
        call(3)
