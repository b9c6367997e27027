"""Tables of text, the order of names, and values of JSON."""

import itertools
import json

import numpy as np
import pytest

from sklearn_ap._shown.orders import order_of
from sklearn_ap._shown.tables import data_frame, json_value
from sklearn_ap._shown.text_tables import count_cell, number_cell, text_table


def test_numbers_of_a_column_have_equal_decimals():
    rows = [
        {"": "a", "AP": number_cell([0.5], ["0.50"]), "p": "-"},
        {
            "": "b",
            "AP": number_cell([0.25], ["0.250"]),
            "interval": number_cell([-0.0001, 0.25], ["-0.0", "0.25"]),
            "rows": count_cell(1234.0, 5000.0),
            "sign": number_cell([1e-9], ["< 0.1"]),
        },
    ]
    assert text_table("model", rows) == [
        ["model", "AP", "interval", "rows", "sign"],
        ["a", "0.500", "-", "-", "-"],
        ["b", "0.250", "0.00 to 0.25", "1,234 of 5,000", "< 0.1"],
    ]


def test_columns_keep_their_order_if_rows_lack_some():
    full = ["", "rows", "AP", "interval", "old: AP", "p"]
    lacking = [["rows"], ["interval", "p"], ["interval"], ["p"], []]
    for left_out in itertools.permutations(lacking, 3):
        rows = [{title: "1" for title in full if title not in out} for out in left_out]
        [titles, *_] = text_table("", rows)
        assert titles == [title for title in full if any(title in row for row in rows)]


@pytest.mark.parametrize(
    "names",
    [
        ["-2", "-1.5", "0", "3", "10"],
        ["q2", "q10", "r1"],
        ["31.01.2026", "01.02.2026"],
        ["12/31/2025", "01/01/2026"],
        ["31/12/2025", "01/01/2026"],
        ["Dec 2025", "Jan 2026"],
        ["2025-12-31", "2026-01-01"],
        ["-2 days", "-1 days", "1 day"],
        # NaN has no place among numbers.
        ["1", "2", "10", "nan"],
    ],
)
def test_names_are_in_the_order_of_numbers_dates_or_words(names):
    backwards = names[::-1]
    assert sorted(backwards, key=order_of(backwards)) == names


def test_json_has_no_infinity_and_no_numpy():
    values = {
        "a": [np.float64(0.5), np.nan, np.inf, np.int64(3), np.True_, True],
        "b": (np.array([1.5, 2.0]), None, "text"),
    }
    expected = {"a": [0.5, None, None, 3, True, True], "b": [[1.5, 2.0], None, "text"]}
    assert json_value(values) == expected
    assert json.loads(json.dumps(json_value(values), allow_nan=False)) == expected
    assert [type(value) for value in json_value(values)["a"][3:]] == [int, bool, bool]


def test_frames_have_these_columns():
    assert data_frame([[1, 2]], ["a", "b"]).to_dict("list") == {"a": [1], "b": [2]}
