"""Weights of queries: means by them, what is refused, and one total for several
rankings.
"""

import numpy as np
import pandas as pd
import pytest

from scoring import IGNORED
from sklearn_ap import average_precision_score, make_scorer

pytestmark = pytest.mark.filterwarnings(*IGNORED)
Y_TRUE, Y_SCORE, QUERIES = (
    [1, 0, 1, 0, 0, 1],
    [3, 2, 1, 3, 2, 1],
    ["a", "a", "a", "b", "b", "b"],
)
VALUES = {"a": 5 / 6, "b": 1 / 3}
WEIGHTS = {"a": 3, "b": 1}
ROWS = {"y_true": Y_TRUE, "y_score": Y_SCORE, "query_id": QUERIES}


def close(value):
    return pytest.approx(value, abs=1e-15, rel=0)


def test_a_series_of_as_many_queries_as_rows_is_read_by_its_index():
    """Its order is not that of the rows; a query of totals alone is named, too."""
    rows = {
        "y_true": [1, 0, 1],
        "y_score": [3, 2, 1],
        "query_id": ["b", "a", "c"],
        "zero_division": 0.0,
    }
    weights = pd.Series({"a": 1.0, "b": 2.0, "c": 5.0})
    assert average_precision_score(**rows, query_weight=weights) == close(7 / 8)
    more = {
        "query_weight": pd.concat([weights, pd.Series({"z": 8.0})]),
        "n_positives": dict.fromkeys("abcz", 1),
    }
    assert average_precision_score(**rows, **more) == close(7 / 16)


def test_a_series_of_rows_has_their_index():
    frame = pd.DataFrame(
        {"y": Y_TRUE, "s": Y_SCORE, "q": QUERIES, "w": [3, 3, 3, 1, 1, 1]},
        index=range(9, 3, -1),
    )
    value = average_precision_score(
        frame.y, frame.s, query_id=frame.q, query_weight=frame.w
    )
    assert value == close((3 * VALUES["a"] + VALUES["b"]) / 4)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"query_id": None}, "requires query_id.*None"),
        ({"average": None}, "requires a mean over queries.*None"),
        ({"average": "micro"}, "requires a mean over queries.*'micro'"),
        ({"query_weight": {"a": 1}}, "contains no weight for query 'b'"),
        ({"query_weight": {**WEIGHTS, "a": -1}}, "must contain numbers >= 0.*-1"),
        ({"query_weight": {**WEIGHTS, "a": np.nan}}, "must contain numbers >= 0.*nan"),
        (
            {"query_weight": {**WEIGHTS, "a": 1e-160}},
            r"must be 0 or from 2\*\*-500.*got 1e-160",
        ),
        ({"query_weight": {**WEIGHTS, None: 1}}, "must name queries"),
        ({"query_weight": {"a": 0, "b": 0}}, "must be above 0"),
        (
            {"query_weight": [1, 2, 3]},
            "must be a mapping.*one weight for each of 6.*1, 2, 3",
        ),
        ({"query_weight": 2}, "must be a mapping"),
        (
            {"query_weight": [3, 3, 3, 1, 2, 1]},
            "must be equal in all rows.*got 2 and 1 for query 'b'",
        ),
        (
            {"query_weight": pd.Series(1.0, index=list("abcdef"))},
            "must name queries of query_id; got 'c'",
        ),
        ({"query_weight": ["3"] * 6}, "must contain numbers >= 0"),
        ({"query_weight": [True] * 6}, "must contain numbers >= 0"),
        (
            {"query_weight": np.ma.array([3.0] * 6, mask=[True] * 6)},
            "is a masked array",
        ),
        ({"n_positives": {"a": 2, "b": 1, "z": 2}}, "contains no weight for query 'z'"),
        (
            {"query_weight": {**WEIGHTS, "c": 1}},
            r"must name queries of query_id; got 'c' \(1 not in query_id\)",
        ),
    ],
)
def test_refused_weights_of_queries(arguments, text):
    with pytest.raises(ValueError, match=f"^query_weight {text}"):
        average_precision_score(**{**ROWS, "query_weight": WEIGHTS, **arguments})


# --- scorers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query_id", "weights"), [("groups", [1.0, 2.0]), ("groups", 3.0), (None, {1: 2.0})]
)
def test_a_scorer_takes_weights_by_query_alone(query_id, weights):
    with pytest.raises(
        ValueError, match=r"^query_weight of a scorer requires query_id"
    ):
        make_scorer(average_precision_score, query_id=query_id, query_weight=weights)


# --- one total for several rankings ---------------------------------------------------


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_a_number_is_not_the_total_of_each_ranking(average):
    for y_true, y_score, more in (
        (Y_TRUE, Y_SCORE, {"query_id": QUERIES}),
        (np.eye(2, dtype=int), np.eye(2), {}),
        ([0, 1, 2], np.eye(3), {}),
    ):
        with pytest.raises(ValueError, match=r"^n_positives must be .*; got 137\."):
            average_precision_score(
                y_true, y_score, n_positives=137, average=average, **more
            )
    pooled = average_precision_score(**ROWS, n_positives=137, average="micro")
    assert pooled == average_precision_score(Y_TRUE, Y_SCORE, n_positives=137)
