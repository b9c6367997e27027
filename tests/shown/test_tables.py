"""Values of JSON, and data frames."""

import json

import numpy as np
import pytest

from sklearn_ap._shown.tables import ShownAsText, data_frame, json_value


def test_json_has_no_infinity_and_no_numpy():
    values = {
        "a": [np.float64(0.5), np.nan, -np.inf, np.int64(3), np.True_, True],
        "b": (np.array([1.5, 2.0]), None, "text"),
    }
    expected = {
        "a": [0.5, None, None, 3, True, True],
        "b": [[1.5, 2.0], None, "text"],
    }
    assert json_value(values) == expected
    assert json.loads(json.dumps(json_value(values), allow_nan=False)) == expected
    assert json_value(np.float32(np.inf)) is None
    assert [type(value) for value in json_value(values)["a"][3:]] == [int, bool, bool]


def test_frames_have_these_columns():
    assert data_frame([[1, 2]], ["a", "b"]).to_dict("list") == {"a": [1], "b": [2]}


@pytest.mark.parametrize(("text", "end"), [("a  b\n1  -", "\n>"), ("0.5", ">")])
def test_results_show_their_class_and_their_text(text, end):
    """A difference of "-", followed by ">", would look like an arrow."""

    class Table(ShownAsText):
        def __str__(self):
            return text

    assert repr(Table()) == f"<Table: {text}{end}"
