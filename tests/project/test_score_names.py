"""Each function that takes a score accepts the score, its name, or a callable."""

from operator import attrgetter

import numpy as np
import pytest
from sklearn.base import clone

import sklearn_ap as ap
from scoring import LOGISTIC, X, Y
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
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
    "state": lambda score, **k: state().score(score, **k),
    "a list": lambda score, **k: state().score([score], **k).popitem()[1],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_score_is_a_function_or_a_name_with_its_cut(call):
    assert call("average_precision") == call(average_precision_score)
    by_name = call("average_precision@0.25", ties="expected")
    assert by_name == call(AT_K, k=0.25, ties="expected")
    with pytest.raises(TypeError, match=r"^k is .* 'recall@50'; got k=5 too"):
        call("recall@50", k=5)
    with pytest.raises(ValueError, match=r"^score_func .* got 'averge_precision'"):
        call("averge_precision")
    assert call("Average Precision score") == call("average_precision")
    with pytest.raises(ValueError, match="'PR AUC' is used for two: pass 'average_pre"):
        call("PR AUC")
    with pytest.raises((TypeError, ValueError), match=r"^score_func .* got 3"):
        call(3)
