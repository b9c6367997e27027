"""One contract wherever a score is asked for: the score, its name, or a callable; and
the old name of an argument has its value.
"""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn

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
from sklearn_ap._core.public import RENAMED, renamed
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


# --- old names of arguments -----------------------------------------------------------


@pytest.fixture
def _old_names(monkeypatch):
    monkeypatch.setitem(RENAMED, "depth", ("k", "1.2"))


@each_call
@pytest.mark.usefixtures("_old_names")
def test_the_old_name_has_the_value_of_the_new_one(call):
    said = r"^depth is deprecated since 1\.2 and goes in 1\.4: write k=70\.$"
    with pytest.warns(FutureWarning, match=said) as caught:
        assert call(AT_K, depth=70) == call(AT_K, k=70) != call(AT_K, k=2)
    assert caught[0].filename == __file__
    with pytest.raises(TypeError, match=r"^depth is the old name of k; got both: rem"):
        call(AT_K, depth=70, k=70)


@pytest.mark.usefixtures("_old_names")
def test_partials_files_and_names_with_a_cut_read_old_names(tmp_path):
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"label": Y, "score": A}).to_parquet(path)
    with pytest.warns(FutureWarning, match="write k=70"):
        found = CALLS["estimate_score"](partial(AT_K, depth=70))
    assert found == CALLS["estimate_score"](AT_K, k=70)
    with pytest.warns(FutureWarning, match="write k=70"):
        found = distributed.score(AT_K, path, memory_limit=1, depth=70)
    assert found == pytest.approx(AT_K(Y, A, k=70))
    with pytest.raises(TypeError, match=r"^depth is the old name of k; got both"):
        get_scorer("average_precision@10", depth=5)


@pytest.mark.usefixtures("_old_names")
def test_routed_arguments_are_read_by_their_old_name():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(FutureWarning, match="write k=70"),
    ):
        assert make_scorer(AT_K)(MODEL, X, Y, depth=70) == AT_K(Y, A, k=70)


def test_a_parameter_that_is_renamed_has_the_value_that_was_passed():
    assert renamed("depth", "deprecated", 3) == 3


@pytest.mark.usefixtures("_old_names")
def test_functions_of_a_user_keep_their_names():
    def metric(y_true, y_score, *, depth):
        return float(depth * len(y_true) / len(y_score))

    assert CALLS["make_scorer"](metric, depth=3) == 3.0
