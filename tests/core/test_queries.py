"""The ids of queries: told apart by equality, refused where one is missing or they have
no order.
"""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from sklearn_ap import average_precision_score

LABELS, SCORES = [1, 0, 0, 1], [2, 1, 1, 2]
STRUCTURE = [("site", "U1"), ("day", float)]


def values_of(ids, **arguments):
    return average_precision_score(
        LABELS, SCORES, query_id=ids, average=None, **arguments
    ).tolist()


@pytest.mark.parametrize(
    "ids",
    [
        np.array(["a", "b", "a", "b"], dtype=object),
        [True, False, True, False],
        [0.5, 1.5, 0.5, 1.5],
        np.array(["2020", "2021", "2020", "2021"], dtype="M8[Y]"),
        pd.Series(["a", "b", "a", "b"]).astype("category"),
        pd.Series(["a", "b", "a", "b"], dtype="string"),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_query_ids_of_any_kind(ids):
    assert values_of(ids) == [1.0, 1.0]


@pytest.mark.parametrize(
    "ids",
    [
        [1.0, np.nan, 1.0, 2.0],
        ["a", np.nan, "a", "b"],
        np.array(["2020", "NaT", "2020", "2021"], dtype="M8[Y]"),
        pd.Series(["a", pd.NA, "a", "b"], dtype="string"),
        pd.Series(["a", None, "a", "b"]).astype("category"),
        pl.Series(["a", None, "a", "b"]),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_missing_query_id(ids):
    with pytest.raises(ValueError, match=r"^query_id is missing in row 1"):
        average_precision_score(LABELS, SCORES, query_id=ids)


@pytest.mark.parametrize(
    "ids",
    [
        *([1, 2], np.ones((4, 2)), 3, "abcd"),
        pl.LazyFrame({"query": [1] * 4}),
        scipy.sparse.csr_array([[1]] * 4),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_query_ids_of_wrong_shape(ids):
    with pytest.raises(
        ValueError,
        match=r"^query_id must be one id for each of 4 samples; got (shape|type)",
    ):
        average_precision_score(LABELS, SCORES, query_id=ids)


@pytest.mark.parametrize("ids", [[["a"], ["a"], ["b"], ["b"]], (1, [2], 3, 4)])
def test_query_ids_without_a_hash(ids):
    with pytest.raises(ValueError, match=r"^query_id must contain numbers, text.*list"):
        average_precision_score(LABELS, SCORES, query_id=ids)


@pytest.mark.parametrize(
    "ids", [np.array([1, "a"], dtype=object), [1, "1"], [b"a", "a"], ["a", (1, 2)]]
)
def test_query_ids_that_cannot_be_sorted(ids):
    with pytest.raises(ValueError, match=r"^query_id must contain ids of one kind"):
        average_precision_score([1, 0], [2, 1], query_id=ids)


@pytest.mark.parametrize(
    "ids", [[2**53, 2**53 + 1, 1.5, 2.5], [2**63, 2**63 + 1, -1, -2]]
)
def test_ids_in_a_list_are_not_rounded(ids):
    values = average_precision_score([1] * 4, [4] * 4, query_id=ids, average=None)
    assert values.size == 4


def test_query_ids_go_with_binary_labels():
    for labels in (np.eye(3, dtype=int), [0, 1, 2]):
        with pytest.raises(ValueError, match=r"^query_id requires binary y_true"):
            average_precision_score(labels, np.eye(3), query_id=[1, 1, 2])


def test_samples_are_no_queries():
    with pytest.raises(ValueError, match=r"^average='samples' .* query_id"):
        average_precision_score([1, 0], [1, 2], query_id=[1, 1], average="samples")


# --- compound ids ---------------------------------------------------------------------

COMPOUND = {
    "MultiIndex": pd.MultiIndex.from_tuples,
    "list of tuples": list,
    "structured array": lambda ids: np.array(ids, dtype=STRUCTURE),
    "Series of tuples": pd.Series,
}


@pytest.mark.parametrize("container", COMPOUND)
def test_compound_ids_are_one_id_each(container):
    ids = COMPOUND[container]([("b", 1.0), ("b", 1.0), ("a", 2.0), ("a", 2.0)])
    assert values_of(ids) == [1.0, 1.0]


@pytest.mark.parametrize("container", COMPOUND)
def test_missing_component(container):
    """NaN is not equal to itself, so each such row would be a query of its own."""
    ids = COMPOUND[container]([("a", 1.0), ("a", np.nan), ("a", np.nan), ("b", 2.0)])
    with pytest.raises(
        ValueError, match=r"^query_id is missing in row 1 and 1 other; every sample"
    ):
        average_precision_score(LABELS, SCORES, query_id=ids)


# --- ids without a total order --------------------------------------------------------


def test_ids_are_told_apart_by_equality():
    """Sorted by inclusion, the two sets {b} stood apart, and were two queries."""
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
def test_dates_are_found_by_dates_of_any_kind(names):
    totals = dict(zip(names, [2, 4], strict=True))
    assert values_of(DAYS, n_positives=totals) == [0.5, 0.25]
