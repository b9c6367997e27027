"""Ids of queries are distinguished by equality. It is an error if one is missing, or if
they have no order.
"""

import datetime

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_score

LABELS, SCORES = [1, 0, 0, 1], [2, 1, 1, 2]


def values_of(ids, **arguments):
    return average_precision_score(
        LABELS, SCORES, query_id=ids, average=None, **arguments
    ).tolist()


COMPOUND = [("b", 1.0), ("a", 2.0)] * 2


@pytest.mark.parametrize(
    "ids",
    [
        np.array(["a", "b", "a", "b"], dtype=object),
        np.array(["a", "b", "a", "b"], dtype=np.dtypes.StringDType()),
        [True, False, True, False],
        [0.5, 1.5, 0.5, 1.5],
        [-5, 2**50, -5, 2**50],  # too far apart to be counted in a table
        np.array(["2020", "2021", "2020", "2021"], dtype="M8[Y]"),
        pd.Series(["a", "b", "a", "b"]).astype("category"),
        pd.Series(["a", "b", "a", "b"], dtype="string"),
        # one id of each tuple
        *(COMPOUND, pd.Series(COMPOUND), pd.MultiIndex.from_tuples(COMPOUND)),
        np.array(COMPOUND, dtype=[("site", "U1"), ("day", float)]),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_query_ids_of_any_kind(ids):
    assert values_of(ids) == [1.0, 1.0]


@pytest.mark.parametrize(
    "ids", [[2**53, 2**53 + 1, 1.5, 2.5], [2**63, 2**63 + 1, -1, -2]]
)
def test_ids_in_a_list_are_not_rounded(ids):
    values = average_precision_score([1] * 4, [4] * 4, query_id=ids, average=None)
    assert values.size == 4


# --- ids without a total order --------------------------------------------------------


def test_ids_are_distinguished_by_equality():
    """A sort by inclusion would separate the two sets {b}, which are one query."""
    sets = [frozenset("b"), frozenset("a"), frozenset("b"), frozenset("a")]
    assert len(values_of(sets)) == 2


# --- names of totals ------------------------------------------------------------------

DAYS = np.array(["2020-01-01", "2020-01-01", "2020-01-02", "2020-01-02"], dtype="M8[s]")


@pytest.mark.parametrize(
    "names",
    [
        ["2020-01-01", "2020-01-02"],
        [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 2)],
        [np.datetime64("2020-01-01", "ns"), np.datetime64("2020-01-02", "D")],
    ],
    ids=["text", "datetime", "numpy"],
)
def test_totals_may_name_dates_by_dates_of_any_kind(names):
    totals = dict(zip(names, [2, 4], strict=True))
    assert values_of(DAYS, n_positives=totals) == [0.5, 0.25]


def test_an_hour_between_two_days_names_a_query_of_its_own():
    days = DAYS.astype("M8[D]")
    totals = {days[0]: 2, days[2]: 4, np.datetime64("2020-01-02T12"): 1}
    assert values_of(days, n_positives=totals) == [0.5, 0.25, 0.0]


# --- many queries ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.int64, np.float64, str, object])
def test_more_queries_than_integers_of_16_bits(kind):
    """In each second query, the positive is above the negative."""
    n_queries = 2**16 + 9
    query = np.random.default_rng(0).permutation(np.arange(2 * n_queries) // 2)
    # The first row of each query is positive.
    first = np.unique(query, return_index=True)[1]
    labels = np.zeros(query.size, dtype=int)
    labels[first] = 1
    scores = np.where(labels, query % 2, 0.5)
    ids = (query + 10**6).astype(kind)
    values = average_precision_score(labels, scores, query_id=ids, average=None)
    np.testing.assert_array_equal(values, np.where(np.arange(n_queries) % 2, 1, 0.5))
