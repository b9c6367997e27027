"""One contract wherever a score is asked for: the score, its name, or a callable."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

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
from sklearn_ap._core.definition import define
from sklearn_ap._core.reading.options import NORMALIZERS
from sklearn_ap._core.registry import SCORES
from sklearn_ap._core.scorer_names import _SPOKEN_NAMES, SCORER_NAMES
from sklearn_ap.compatibility import score_as

AT_K = average_precision_at_k_score
MODEL = clone(LOGISTIC).fit(X, Y)
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


def hints(call, said):
    """What an error names in place of what people say."""
    try:
        call(said)
    except ValueError as error:
        problem, _, meant = str(error).partition("did you mean ")
    else:
        pytest.fail(
            f"{said!r} is the name of a record or of a scorer, so no error suggests a "
            "score: remove it from _SPOKEN_NAMES"
        )
    assert re.search(r"must be .*; got ", problem)
    return re.split(" or (?=')", meant[:-1])


def as_arguments(call, hint):
    return eval(f"call({hint})", {"call": call})


# All but a name of ours, "eleven-point".
SAID = sorted({*"|".join(_SPOKEN_NAMES.values()).split("|")} - {"", "eleven point"})


@pytest.mark.parametrize("said", SAID)
def test_what_people_say_leads_to_calls_that_work(said):
    """And to the records of the same numbers; each spelling of a cut is the same."""
    define.cache_clear()  # what was asked before changes no hint
    say_as = [said]
    if "@" in said:
        say_as = [said.replace("@", cut) for cut in ("@7", "_7", " at 7")]
    record_of = partial(score_as, y_true=Y, y_score=A)
    numbers = [as_arguments(record_of, hint) for hint in hints(record_of, say_as[0])]
    for words in say_as:
        for hint in hints(get_scorer, words.upper()):
            assert ("7" in hint) == ("@" in said)
            assert as_arguments(get_scorer, hint)(MODEL, X, Y) in numbers


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("map_cut_10", ["'average_precision@10', normalizer='n_positives'"]),
        ("mAP@5", [f"'average_precision@5', normalizer={n!r}" for n in NORMALIZERS]),
        ("precision_at_k_score", ["'precision@10'"]),
        ("recal@0.05", ["'recall@0.05'", "'recall@0.05', normalizer='min'"]),
        # a share of all rows, and not one row
        ("recal@1.0", ["'recall@1.0'", "'recall@1.0', normalizer='min'"]),
        ("R_cap@10", ["'recall@10', normalizer='min'"]),
        ("recall@5%", [""]),
        ("precision@1.5", [""]),
        ("precision@10.0", ["'precision@10'"]),
        ("recall_at_precision_0.9", ["'recall_at_precision@0.9'"]),
        ("roc_auc_curve", [""]),
    ],
)
def test_a_hint_writes_every_option(said, meant):
    assert sorted(hints(get_scorer, said)) == sorted(meant)


def test_a_confidence_level_belongs_to_the_result():
    message = r"takes no .* 'confidence_level': .* write \.confidence_interval\("
    with pytest.raises(TypeError, match=message):
        estimate_score("average_precision", [1, 0], [2, 1], confidence_level=0.9)
