"""Columns of a run know their documents: labels and scores are paired by place, and two
runs have different documents in each place.
"""

import copy
import pickle

import numpy as np
import pytest

from sklearn_ap import average_precision_score, read_lists, read_trec, score_by_query

GOLD = {"q": ["a", "b"], "r": ["c"]}
FIRST = read_lists(GOLD, {"q": ["a", "x"], "r": ["y", "c"]})
SECOND = read_lists(GOLD, {"q": ["x", "b"], "r": ["y", "c"]})
OF_QUERIES = {"query_id": FIRST.query_id, "n_positives": FIRST.n_positives}


def test_columns_of_two_runs_raise_an_error():
    for second in (SECOND, pickle.loads(pickle.dumps(SECOND)), copy.deepcopy(SECOND)):
        with pytest.raises(ValueError, match="Pass each run to score_by_query"):
            average_precision_score(FIRST.y_true, second.y_score, **OF_QUERIES)
    judged = [("q", "a", 1), ("q", "b", 0)]
    runs = [[("q", "a", 2.0), ("q", "b", 1.0)], [("q", "b", 2.0), ("q", "a", 1.0)]]
    first, second = read_trec(judged, *runs).values()
    with pytest.raises(ValueError, match=r"^y_score must have the documents of y_true"):
        score_by_query(
            "precision@1", first.y_true, second.y_score, query_id=first.query_id
        )


def test_columns_of_one_run_are_lists():
    again = pickle.loads(pickle.dumps(FIRST))
    for run in (FIRST, again, copy.deepcopy(FIRST)):
        score = average_precision_score(FIRST.y_true, run.y_score, **OF_QUERIES)
        assert score == pytest.approx((0.5 + 0.5) / 2)
    assert FIRST.y_true == again.y_true == [False, True, True, False]
    # An array does not know its documents, so that both are paired by place.
    average_precision_score(np.asarray(FIRST.y_true), SECOND.y_score, **OF_QUERIES)
