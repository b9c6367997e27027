"""A cut of its own for each ranking: precision at L/5 of each protein, recall at the
slots of each desk; `tests/core/test_small_rankings.py` has the numbers.
"""

import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import sklearn_ap as ap
from sklearn_ap import distributed

Y_TRUE, SCORES = [1, 0, 1, 1, 0, 1, 0], [7, 6, 5, 4, 3, 2, 1]
DAY = ["b", "b", "b", "a", "a", "a", "a"]
PRECISION = ap.precision_at_k_score


def test_a_fifth_of_five_is_one_row():
    """L / 5 is a float, which as a single k would be a share: all rows."""
    k = {"a": 5 / 5, "b": 10 / 5}
    found = ap.score_by_query(PRECISION, Y_TRUE, SCORES, query_id=DAY, k=k)
    assert found == {"a": 1.0, "b": 0.5}


def test_queries_without_rows_or_weight_keep_their_k():
    # they stand before and between the others
    values = ap.score_by_query(
        ap.recall_at_k_score,
        [*Y_TRUE, 1],
        [*SCORES, 9],
        query_id=[*DAY, "0"],
        sample_weight=[1] * 7 + [0],
        n_positives={"a": 2, "b": 2, "aa": 1},
        k={"a": 3, "b": 1, "0": 7, "aa": 8},
        zero_division=0.0,
    )
    assert values == {"0": 0.0, "a": 1.0, "aa": 0.0, "b": 0.5}


def test_a_fold_takes_the_k_of_its_queries():
    scorer = ap.make_scorer(
        PRECISION, k={"a": 1, "b": 2}, query_id="index", response_method="predict"
    )
    same = LinearRegression().fit([[0], [1]], [0, 1])
    assert scorer(same, [[3], [2], [1]], pd.Series([0, 1, 1], index=["b"] * 3)) == 0.5
    assert "precision_at_k" in scorer.__name__


K = {"a": 1, "b": 2}
REFUSED = [
    ({"k": {**K, "c": 3}}, "must name .*'c'"),
    ({"k": {"a": 1}}, "contains no number of rows for query 'b'"),
    ({"k": K, "average": "micro"}, "must be one number .*'a': 1"),
    ({"k": [2], "query_id": None}, "must be one number .* got .2"),
    ({"k": [1, 2, 3]}, "must be .* one per ranking in .* got .1, 2, 3"),
    *(
        ({"k": {"a": wrong, "b": 2}}, f"must contain whole numbers .*'a': {wrong}")
        for wrong in (1.4, 0, True)
    ),
]


@pytest.mark.parametrize(("changed", "text"), REFUSED)
def test_refused(changed, text):
    with pytest.raises(ValueError, match=f"^k {text}"):
        PRECISION(Y_TRUE, SCORES, **{"query_id": DAY, **changed})


FRAME = pd.DataFrame({"label": Y_TRUE, "score": SCORES, "day": DAY})
UNITS = {"query_id": DAY, "unit_id": [1, 2, 3, 1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: ap.estimate_score(PRECISION, Y_TRUE, SCORES, k=K, **UNITS),
            "k must be one number where rows of a query are",
        ),
        (
            lambda: ap.make_scorer(PRECISION, k=K),
            "k of a scorer requires query_id where the scorer is made, .* a mapping",
        ),
        (
            lambda: distributed.score(PRECISION, FRAME, query_id="day", k=K),
            "k must be one number here, .* got .'a': 1",
        ),
    ],
)
def test_calls_that_take_one_k(call, text):
    with pytest.raises(ValueError, match=f"^{text}"):
        call()
