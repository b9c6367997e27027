"""Totals of positives (`n_positives`) of several rankings: by query, column or class.

A mapping contains them by name, in any order, and an array in the order of the
rankings. Each query of `query_id` needs a total, even if all of its rows have weight 0.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap as ap
from brief import examples

LABELS = pd.DataFrame({"a": [1, 0, 1, 0, 1, 0, 1, 0], "b": [0, 0, 1, 1, 0, 0, 0, 1]})
SCORES = pd.DataFrame({"a": [9, 7, 2, 5, 3, 4, 1, 8], "b": [4, 9, 3, 2, 6, 7, 8, 5]})
SCORES_OF_CLASSES = np.array([*SCORES.to_numpy().T, [2, 5, 6, 8, 1, 9, 4, 3]]).T


@examples(20, 60)
@given(
    seed=st.integers(0, 2**32),
    n_queries=st.integers(1, 6),
    ids=st.sampled_from([int, str, "datetime64[D]"]),
)
def test_a_total_belongs_to_a_query(seed, n_queries, ids):
    """Nothing was retrieved for a query that has a total and only rows of weight 0, so
    it scores 0.
    """
    rng, score = np.random.default_rng(seed), ap.average_precision_score
    queries = (np.arange(n_queries) + 4).astype(ids)
    place = np.repeat(np.arange(n_queries), 3)
    if rng.random() < 0.5:
        rng.shuffle(place)
    first_rows = np.unique(place, return_index=True)[1]
    y_true = rng.integers(0, 2, place.size)
    y_true[first_rows] = 1
    y_score = rng.permutation(place.size)
    has_weight = rng.random(n_queries) < 0.7
    has_weight[rng.integers(n_queries)] = True
    totals = rng.integers(4, 8, n_queries)

    expected = np.zeros(n_queries)
    for query in np.flatnonzero(has_weight):
        rows, total = place == query, totals[query].item()
        expected[query] = score(y_true[rows], y_score[rows], n_positives=total)
    options = {
        "query_id": queries[place],
        "sample_weight": has_weight[place].astype(float),
    }
    passed = [dict(zip(queries[::-1], totals[::-1].tolist(), strict=True))]
    if (np.diff(first_rows) > 0).all():
        passed.append(totals)
    else:
        # The ids first appear in another order than the sorted one, so the order of an
        # array is unknown.
        with pytest.raises(ValueError, match=r"^n_positives must be one number"):
            score(y_true, y_score, n_positives=totals, **options)
    for n_positives in passed:
        options["n_positives"] = n_positives
        assert score(y_true, y_score, **options) == pytest.approx(expected.mean())
        by_query = ap.score_by_query(
            score, y_true, y_score, zero_division=0.0, **options
        )
        assert list(by_query) == list(queries)
        assert list(by_query.values()) == pytest.approx(expected)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_a_query_without_weight_keeps_its_place(zero_division):
    values = ap.average_precision_score(
        [1, 0, 0, 1],
        [4, 3, 2, 1],
        average=None,
        zero_division=zero_division,
        query_id=[*"aabb"],
        sample_weight=[0, 0, 1, 1],
    )
    np.testing.assert_array_equal(values, [zero_division, 0.5])


# Each takes rows and the totals of their columns, and returns numbers of each column.
CALLS = {
    "scores": lambda rows, n: ap.r_precision_score(*rows, n_positives=n, average=None),
    "curves": lambda rows, n: ap.precision_recall_curve(*rows, n_positives=n)[1],
    "interpolated curves": lambda rows, n: ap.interpolated_precision_recall_curve(
        *rows, n_positives=n
    )[1],
}
# The names of the columns or classes, the labels and the scores.
ROWS_OF = {
    "frames": ([*"ab"], LABELS, SCORES),
    "named scores": ([*"ab"], LABELS.to_numpy(), SCORES),
    "numbers": ([0, 1], LABELS.to_numpy(), SCORES.to_numpy()),
    "classes": ([*"xyz"], [*"xyzzyxxz"], SCORES_OF_CLASSES),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("rows", ROWS_OF.values(), ids=ROWS_OF)
def test_a_total_belongs_to_a_column_or_class(call, rows):
    names, *rows = rows
    totals = [5, 8, 6][: len(names)]
    by_name = dict(zip(names[::-1], totals[::-1], strict=True))
    expected = repr(call(rows, totals))
    assert repr(call(rows, totals[::-1])) != expected
    # The default index of the last Series is no name, so its values are in order.
    for passed in (by_name, pd.Series(by_name), pd.Series(totals)):
        assert repr(call(rows, passed)) == expected
    other_index = pd.Series(totals, index=range(1, len(names) + 1))
    for passed in ({**by_name, "other": 5}, {names[0]: 5}, other_index):
        with pytest.raises(ValueError, match=r"^n_positives must be one number"):
            call(rows, passed)


def test_totals_of_columns_with_one_name_are_in_the_order_of_the_columns():
    rows = [rows.set_axis([*"aa"], axis=1) for rows in (LABELS, SCORES)]
    totals = pd.Series([5, 8], index=[*"aa"])
    score = ap.average_precision_score
    expected = score(*rows, n_positives=[5, 8], average=None).tolist()
    assert score(*rows, n_positives=totals, average=None).tolist() == expected


def test_totals_with_repeated_names_need_the_order_of_the_columns():
    rows = [pd.concat([rows, rows["a"]], axis=1) for rows in (LABELS, SCORES)]
    totals = pd.Series([5, 6, 8], index=[*"aab"])
    with pytest.raises(ValueError, match=r"^n_positives must be one number"):
        ap.average_precision_score(*rows, n_positives=totals)
