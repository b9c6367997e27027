"""One contract wherever a score is asked for: the score, its name, or a callable."""

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    distributed,
    estimate_score,
    get_scorer,
    make_scorer,
)
from sklearn_ap._core.registry import SCORER_NAMES, SCORES

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
A, B = Y + RNG.normal(size=(2, 200))
QUERY = np.repeat(np.arange(20), 10)
ROWS = pd.DataFrame({"label": Y, "score": A})
STATE = distributed.RankingState().update(Y, A)
SEEDED = {}


def calling(function, *rows, **options):
    """Return what calls a function with a score, its parameters, and these rows, and
    returns its number or its numbers.
    """

    def call(score, **params):
        found = function(score, *rows, **options, **params)
        return found.to_dict() if hasattr(found, "to_dict") else found

    return call


def parts_of(scorer):
    return scorer.__name__, scorer._score_func.__name__, scorer._kwargs


CALLS = {
    "estimate_score": calling(estimate_score, Y, A, **SEEDED),
    "compare_scores": calling(sklearn_ap.compare_scores, Y, A, B, **SEEDED),
    "compare_many": calling(sklearn_ap.compare_many, Y, {"a": A, "b": B}, **SEEDED),
    "score_by_query": calling(sklearn_ap.score_by_query, Y, A, query_id=QUERY),
    "make_scorer": lambda score, **k: parts_of(make_scorer(score, **k)),
    "distributed.score": calling(distributed.score, ROWS),
    "state": calling(STATE.score),
    "a list": lambda score, **k: STATE.score([score], **k).popitem()[1],
}


def test_every_score_has_a_name():
    assert {score for score, _ in SCORER_NAMES.values()} == set(SCORES)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_name_is_the_score_with_its_cut(call):
    assert call("average_precision") == call(average_precision_score)
    assert call("average_precision@0.25") == call(average_precision_at_k_score, k=0.25)
    assert call("average_precision@0.25", ties="expected") == call(
        average_precision_at_k_score, k=0.25, ties="expected"
    )


@pytest.mark.parametrize(
    "call", [*CALLS.values(), get_scorer], ids=[*CALLS, "get_scorer"]
)
def test_what_a_name_states_is_not_taken_twice(call):
    with pytest.raises(
        TypeError, match=r"^k is already .* 'recall@50'; got k=5 too. Remove k.$"
    ):
        call("recall@50", k=5)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
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
        ("ap@20", "average_precision@20"),
        ("map", "average_precision"),
        ("MRR@10", "reciprocal_rank@10"),
        ("eleven_point", "eleven_point_average_precision"),
        ("recal@0.05", "recall@0.05"),
        ("precision@10.0", "precision@10"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_one(name, near):
    with pytest.raises(ValueError, match=r"; did you mean ") as caught:
        get_scorer(name)
    assert str(caught.value).partition("did you mean ")[2].startswith(repr(near))


def test_a_confidence_level_belongs_to_the_result():
    message = r"^confidence_level is .*: write \.confidence_interval\(0\.9\)\.$"
    with pytest.raises(TypeError, match=message):
        estimate_score("average_precision", [1, 0], [2, 1], confidence_level=0.9)
