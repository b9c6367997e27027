"""`score_by_query` returns the values of `average=None` under the ids of the queries."""

import datetime

import numpy as np
import pytest

from sklearn_ap import average_precision_score, score_by_query

Y_TRUE, Y_SCORE = [1, 0, 0, 1, 0, 1], [6, 5, 4, 3, 2, 1]
QUERY = ["b", "b", "a", "a", "c", "c"]


def by_query(y_score=Y_SCORE, y_true=Y_TRUE, query_id=QUERY, **params):
    return score_by_query(
        average_precision_score, y_true, y_score, query_id=query_id, **params
    )


# --- the values, and whose they are ---------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("x", 1), ("x", 2)),
        (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
        (np.datetime64("2020", "ns"), np.datetime64("2021", "ns")),
        (b"a", b"b"),
    ],
)
def test_ids_of_any_kind(a, b):
    assert by_query([4, 3, 2, 1], [1, 0, 0, 1], [b, b, a, a]) == {a: 0.5, b: 1.0}


# --- queries that come and go ---------------------------------------------------------


def test_a_query_without_rows_may_have_a_total():
    totals = {"z": 3, "b": 2, "a": 1, "c": 1, "B": 0}
    with pytest.warns(UserWarning, match="no positives in 1 of 5 rankings"):
        values = by_query(n_positives=totals)
    assert values == {"B": 0.0, "a": 0.5, "b": 0.5, "c": 0.5, "z": 0.0}
    assert list(values) == ["B", "a", "b", "c", "z"]


@pytest.mark.parametrize("totals", [None, {"a": 1, "b": 2, "c": 1, "bb": 1}])
def test_a_query_whose_rows_all_have_weight_0_keeps_its_place(totals):
    """Such queries may be sorted before and between the queries that have weight."""
    scores = by_query(
        [*Y_SCORE, 9, 8],
        [*Y_TRUE, 1, 0],
        [*QUERY, "B", "bz"],
        sample_weight=[1] * 6 + [0] * 2,
        n_positives=totals,
        zero_division=0.0,
    )
    expected = {"B": 0.0, "a": 0.5, "b": 1.0, "bz": 0.0, "c": 0.5}
    if totals is not None:
        expected |= {"b": 0.5, "bb": 0.0}
    assert scores == expected
    assert list(scores) == sorted(expected)


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"average": "macro"}, ".* got multiple values for keyword argument 'average'"),
        ({"query_id": None}, "query_id must contain the query of each sample"),
        ({"k": 3}, "average_precision_score takes no argument 'k'"),
    ],
)
def test_errors(changed, message):
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        by_query(**changed)


def test_a_function_that_returns_one_value_for_all_queries_raises():
    def mean(y_true, y_score, *, query_id, average):  # noqa: ARG001  # the fault that is tested
        return average_precision_score(y_true, y_score, query_id=query_id)

    with pytest.raises(
        ValueError, match=r"^score_func must return one value .*; got 0\.6"
    ):
        score_by_query(mean, Y_TRUE, Y_SCORE, query_id=QUERY)
