"""The old name of an argument has its value in each function that takes a score."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.dummy import DummyClassifier

from sklearn_ap import (
    average_precision_at_k_score,
    compare_many,
    compare_scores,
    distributed,
    estimate_score,
    get_scorer,
    make_scorer,
    score_by_query,
)
from sklearn_ap._core.public import RENAMED, renamed
from sklearn_ap.distributed import RankingState

RNG = np.random.default_rng(0)
N = 200
LABELS = (RNG.random(N) < 0.4).astype(int)
SCORES, OTHERS = RNG.normal(size=(2, N)) + LABELS
QUERIES = np.repeat(np.arange(10), N // 10)
AT_K = average_precision_at_k_score


@pytest.fixture(autouse=True)
def old_names(monkeypatch):
    monkeypatch.setitem(RENAMED, "depth", ("k", "1.2"))
    monkeypatch.setitem(RENAMED, "totals", ("n_positives", "1.2"))


class Ranked(DummyClassifier):
    """Ranks rows by their first feature."""

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


MODEL = Ranked().fit(SCORES[:, np.newaxis], LABELS)


def of_scorer(scorer):
    return scorer(MODEL, SCORES[:, np.newaxis], LABELS)


def of_rows(path, limit, **params):
    frame = pd.DataFrame({"label": LABELS, "score": SCORES})
    frame.to_parquet(path)
    return distributed.score(AT_K, path, memory_limit=limit, **params)


def of_state(**params):
    state = RankingState()
    state.update(LABELS, SCORES)
    return state.score(AT_K, **params)


DOORS = {
    "estimate_score": partial(estimate_score, AT_K, LABELS, SCORES),
    "a partial": lambda **params: estimate_score(
        partial(AT_K, **params), LABELS, SCORES
    ),
    "compare_scores": partial(compare_scores, AT_K, LABELS, SCORES, OTHERS),
    "compare_many": partial(
        compare_many,
        AT_K,
        LABELS,
        {"a": SCORES, "b": OTHERS},
    ),
    "make_scorer": lambda **params: of_scorer(make_scorer(AT_K, **params)),
    "score_by_query": partial(score_by_query, AT_K, LABELS, SCORES, query_id=QUERIES),
    "RankingState": of_state,
}


@pytest.mark.parametrize("name", DOORS)
def test_the_old_name_has_the_value_of_the_new_one(name):
    door = DOORS[name]
    expected = repr(door(k=7))
    assert expected != repr(door(k=2))
    said = r"^depth is deprecated since 1\.2 and goes in 1\.4: write k=7\.$"
    with pytest.warns(FutureWarning, match=said) as caught:
        assert repr(door(depth=7)) == expected
    assert caught[0].filename == __file__
    with pytest.raises(TypeError, match=r"^depth is the old name of k; got both: rem"):
        door(depth=7, k=7)


@pytest.mark.parametrize("limit", [1, 2**30])
def test_files_in_memory_and_beyond_read_old_names(limit, tmp_path):
    door = partial(of_rows, tmp_path / "rows.parquet", limit)
    with pytest.warns(FutureWarning, match="write k=7"):
        found = door(depth=7)
    assert found == door(k=7) != door(k=2)


def test_totals_of_queries_are_read_by_their_old_name():
    totals = dict.fromkeys(range(12), 20)  # two of them without rows
    door = partial(score_by_query, AT_K, LABELS, SCORES, query_id=QUERIES)
    with pytest.warns(FutureWarning, match=r"^totals is deprecated since 1\.2"):
        found = door(totals=totals)
    assert found == door(n_positives=totals)
    assert list(found) == list(range(12))


def test_a_name_with_a_cut_refuses_another_one():
    with pytest.raises(TypeError, match=r"^depth is the old name of k; got both"):
        get_scorer("average_precision@10", depth=5)


def test_routed_arguments_are_read_by_their_old_name():
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer(AT_K)
        with pytest.warns(FutureWarning, match="write k=7"):
            found = scorer(MODEL, SCORES[:, np.newaxis], LABELS, depth=7)
        assert found == AT_K(LABELS, SCORES, k=7)


def test_a_parameter_that_is_renamed_has_the_value_that_was_passed():
    assert renamed("depth", "deprecated", 3) == 3


def test_functions_of_a_user_keep_their_names():
    def metric(y_true, y_score, *, depth):
        return float(depth * len(y_true) / len(y_score))

    assert of_scorer(make_scorer(metric, depth=3)) == 3.0
