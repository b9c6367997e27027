"""One contract wherever a score is asked for: the score, its name, or a callable."""

import numpy as np
import pandas as pd
import pytest

from scoring import LOGISTIC, X, Y
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compare_many,
    compare_scores,
    distributed,
    estimate_score,
    get_scorer,
    make_scorer,
    score_by_query,
)
from sklearn_ap._core.registry import SCORER_NAMES, SCORES

AT_K = average_precision_at_k_score
MODEL = LOGISTIC.fit(X, Y)
A, B = MODEL.decision_function(X), X[:, 0]
QUERY = np.arange(Y.size) // 30
STATE = distributed.RankingState().update(Y, A)


def calling(function, *rows, **options):
    """Return what calls a function with a score, its parameters, and these rows, and
    returns its number or its numbers.
    """

    def call(score, **params):
        found = function(score, *rows, **options, **params)
        return found.to_dict() if hasattr(found, "to_dict") else found

    return call


CALLS = {
    "estimate_score": calling(estimate_score, Y, A),
    "compare_scores": calling(compare_scores, Y, A, B),
    "compare_many": calling(compare_many, Y, {"a": A, "b": B}),
    "score_by_query": calling(score_by_query, Y, A, query_id=QUERY),
    "make_scorer": lambda score, **k: make_scorer(score, **k)(MODEL, X, Y),
    "distributed.score": calling(
        distributed.score, pd.DataFrame({"label": Y, "score": A})
    ),
    "state": calling(STATE.score),
    "a list": lambda score, **k: STATE.score([score], **k).popitem()[1],
}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def test_every_score_has_a_name():
    assert {score for score, _ in SCORER_NAMES.values()} == set(SCORES)


@each_call
def test_a_name_is_the_score_with_its_cut(call):
    assert call("average_precision") == call(average_precision_score)
    by_name = call("average_precision@0.25", ties="expected")
    assert by_name == call(AT_K, k=0.25, ties="expected")


@pytest.mark.parametrize(
    "call", [*CALLS.values(), get_scorer], ids=[*CALLS, "get_scorer"]
)
def test_what_a_name_states_is_not_taken_twice(call):
    with pytest.raises(
        TypeError, match=r"^k is already .* 'recall@50'; got k=5 too. Remove k.$"
    ):
        call("recall@50", k=5)


@each_call
def test_what_is_no_score(call):
    with pytest.raises(
        ValueError,
        match=r"^score_func must be one of \[.*; got 'AP'; did you mean 'average_precision'\?$",
    ):
        call("AP")
    with pytest.raises(
        (TypeError, ValueError), match=r"^score_func must be a .*; got 3[.:]"
    ):
        call(3)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("map", "average_precision"),
        ("MRR@10", "reciprocal_rank@10"),
        ("eleven_point", "eleven_point_average_precision"),
        ("recal@0.05", "recall@0.05"),
        ("precision@10.0", "precision@10"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_one(name, near):
    with pytest.raises(ValueError, match=rf"; did you mean '{near}'"):
        get_scorer(name)


def test_a_confidence_level_belongs_to_the_result():
    message = r"^confidence_level is .*: write \.confidence_interval\(0\.9\)\.$"
    with pytest.raises(TypeError, match=message):
        estimate_score("average_precision", [1, 0], [2, 1], confidence_level=0.9)
