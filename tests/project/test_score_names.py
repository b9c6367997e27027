"""Each function that takes a score accepts the score, its name, or a callable."""

from functools import partial
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
from sklearn_ap._core.definition import define
from sklearn_ap._core.scorer_names import _SPOKEN_NAMES
from tests.core.test_scorer_names import suggestions

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
        match=r"^score_func must be one of \[.*; got 'AP'; did you mean 'average_precision'\?$",
    ):
        call("AP")
    with pytest.raises(
        (TypeError, ValueError), match=r"^score_func must be a .*; got 3[.:]"
    ):
        call(3)


def with_arguments(call, suggestion):
    return eval(f"call({suggestion})", {"call": call})


# "eleven-point" is a name of this package, so no error suggests it.
SAID = sorted({*"|".join(_SPOKEN_NAMES.values()).split("|")} - {"", "eleven point"})


@pytest.mark.parametrize("said", SAID)
def test_suggestions_for_names_of_people_are_calls_that_work(said):
    """Records and scorers suggest the same numbers, for each spelling of a cut."""
    # Definitions in the cache must not change a suggestion.
    define.cache_clear()
    say_as = [said]
    if "@" in said:
        say_as = [said.replace("@", cut) for cut in ("@7", "_7", " at 7")]
    record_of = partial(ap.compatibility.score_as, y_true=Y, y_score=A)
    numbers = [
        with_arguments(record_of, suggestion)
        for suggestion in suggestions(record_of, say_as[0])
    ]
    for words in say_as:
        for suggestion in suggestions(get_scorer, words.upper()):
            assert ("7" in suggestion) == ("@" in said)
            assert with_arguments(get_scorer, suggestion)(MODEL, X, Y) in numbers


def test_a_confidence_level_belongs_to_the_result():
    message = r"takes no .* 'confidence_level': .* write \.confidence_interval\("
    with pytest.raises(TypeError, match=message):
        ap.estimate_score("average_precision", [1, 0], [2, 1], confidence_level=0.9)
