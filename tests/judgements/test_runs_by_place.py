"""Labels and scores are paired by place, and two runs have different documents in each
place.
"""

import copy
import pickle

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    compare_many,
    compare_scores,
    operating_point,
    read_lists,
    report,
)

AP = "average_precision"
GOLD = {"q": ["a", "b"], "r": ["c"]}
FIRST = read_lists(GOLD, {"q": ["a", "x"], "r": ["y", "c"]})
SECOND = read_lists(GOLD, {"q": ["x", "b"], "r": ["y", "c"]})
OF_QUERIES = {"query_id": FIRST.query_id, "n_positives": FIRST.n_positives}


@pytest.mark.parametrize(
    "function",
    [
        lambda y, s: average_precision_score(y, s, **OF_QUERIES),
        lambda y, s: compare_scores(AP, y, FIRST.y_score, s, **OF_QUERIES),
        lambda y, s: compare_many(AP, y, {"a": FIRST.y_score, "b": s}, **OF_QUERIES),
        lambda y, s: operating_point(y, s, k=2),
        lambda y, s: report(y, s, **OF_QUERIES),
        lambda y, s: report(y, FIRST.y_score, compare=s, **OF_QUERIES),
    ],
)
def test_columns_of_two_runs_raise_an_error(function):
    for second in (SECOND, pickle.loads(pickle.dumps(SECOND))):
        with pytest.raises(ValueError, match="compare_by_query compares two runs"):
            function(FIRST.y_true, second.y_score)


def test_columns_of_one_run_are_lists():
    again = pickle.loads(pickle.dumps(FIRST))
    for run in (FIRST, again, copy.deepcopy(FIRST)):
        score = average_precision_score(FIRST.y_true, run.y_score, **OF_QUERIES)
        assert score == pytest.approx((0.5 + 0.5) / 2)
    assert FIRST.y_true == again.y_true == [False, True, True, False]
    # The names are lost in an array, so that both are paired by place.
    average_precision_score(np.asarray(FIRST.y_true), SECOND.y_score, **OF_QUERIES)
