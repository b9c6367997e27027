"""Ids of queries: which rows they rank together, and the values that `score_by_query`
returns under them.
"""

import datetime
import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_score, precision_at_k_score, score_by_query

by_query = partial(score_by_query, average_precision_score)

# --- kinds of ids ---------------------------------------------------------------------

PAIRS = ("a", 2.0), ("b", 1.0)
KINDS = [
    ("a", "b", partial(np.array, dtype=object)),
    ("a", "b", partial(np.array, dtype=np.dtypes.StringDType())),
    ("a", "b", pd.Categorical),
    ("a", "b", partial(pd.Series, dtype="string")),
    (b"a", b"b", list),
    (False, True, list),
    (0.5, 1.5, list),
    (2**63, 2**63 + 1, partial(np.array, dtype=np.uint64)),
    (-5, 2**50, list),  # too far apart to be counted in a table
    (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1), list),
    (np.datetime64("2020", "ns"), np.datetime64("2021", "ns"), np.array),
    # one id of each tuple
    *((*PAIRS, kind) for kind in (list, pd.Series, pd.MultiIndex.from_tuples)),
    (*PAIRS, partial(np.array, dtype=[("site", "U1"), ("day", float)])),
]


@pytest.mark.parametrize(("low", "high", "container"), KINDS)
def test_ids_of_any_kind_are_the_keys_in_their_order(low, high, container):
    ids = container([high, low, high, low])
    values = by_query([1, 0, 0, 1], [4, 3, 2, 1], query_id=ids)
    assert [*values.items()] == [(low, 0.5), (high, 1.0)]


@pytest.mark.parametrize(
    "ids",
    [
        [2**53, 2**53 + 1, 1.5, 2.5],
        [2**63, 2**63 + 1, -1, -2],
        [-(2**63) - 1, 1, 2, 3],
    ],
)
def test_ids_in_a_list_are_not_rounded(ids):
    assert len(by_query([1] * 4, [4] * 4, query_id=ids)) == 4


# --- many queries ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.int64, np.float64, str, object])
def test_more_queries_than_integers_of_16_bits(kind):
    """In each second query, the positive is above the negative."""
    place = np.arange(2**16 + 9)
    labels, queries = np.repeat([1, 0], place.size), np.tile(place, 2)
    scores, ids = np.where(labels, queries % 2, 0.5), (queries + 10**6).astype(kind)
    values = average_precision_score(labels, scores, query_id=ids, average=None)
    np.testing.assert_array_equal(values, np.where(place % 2, 1, 0.5))


def test_memory_for_rows_of_queries_in_any_order():
    rng = np.random.default_rng(7)
    query = rng.integers(1, 4000, 200_000)
    positive, score = rng.random(query.size) < 0.2, rng.random(query.size)
    tracemalloc.start()
    average_precision_score(positive, score, query_id=query, zero_division=0.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * query.size


# --- the values of queries ------------------------------------------------------------

ROWS = {
    "y_true": [1, 0, 0, 1, 0, 1, 1, 0],
    "y_score": [6, 5, 4, 3, 2, 1, 9, 8],
    "query_id": [*"bbaacc", "B", "bz"],
}


def test_weights_are_cut_although_the_last_query_has_no_row():
    rows = {"query_id": [1, 1, 1], "sample_weight": [1, 2, 3], "k": 1}
    assert precision_at_k_score([1, 0, 1], [2, 1, 0], **rows, n_positives={1: 4, 2: 1})


@pytest.mark.parametrize("totals", [None, {"a": 1, "b": 2, "c": 1, "bb": 1}])
def test_queries_without_weight_or_without_rows_have_a_value(totals):
    """The rows of B and bz have weight 0. bb has a total and no rows."""
    expected = {"B": 0.0, "a": 0.5, "b": 1.0, "bz": 0.0, "c": 0.5}
    if totals is not None:
        expected |= {"b": 0.5, "bb": 0.0}
    text = f"no positives in 2 of {len(expected)} rankings"
    with pytest.warns(UserWarning, match=text):
        values = by_query(**ROWS, sample_weight=[1] * 6 + [0] * 2, n_positives=totals)
    assert [*values.items()] == sorted(expected.items())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"average": "macro"}, ".* got multiple values for keyword argument 'average'"),
        ({"query_id": None}, "query_id must contain the query of each sample"),
        ({"k": 3}, r".* got an unexpected keyword argument 'k'"),
    ],
)
def test_errors(changed, message):
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        by_query(**ROWS | changed)


def test_a_function_that_returns_one_value_for_all_queries_raises():
    def mean(y_true, y_score, *, query_id, average):  # noqa: ARG001  # the fault that is tested
        return 0.6

    with pytest.raises(ValueError, match=r"^score_func must return one value .*; got "):
        score_by_query(mean, **ROWS)
