"""Queries whose rows all weigh 0: scores keep their place, and means leave them out."""

import numpy as np
import pandas as pd
import pytest

from scoring import IGNORED
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    chance_level,
    score_by_query,
)
from sklearn_ap.compatibility import score_as

AP = "average_precision"
pytestmark = pytest.mark.filterwarnings(*IGNORED)
Y_TRUE, Y_SCORE, QUERIES = (
    [1, 0, 1, 0, 0, 1],
    [3, 2, 1, 3, 2, 1],
    ["a", "a", "a", "b", "b", "b"],
)
VALUES = {"a": 5 / 6, "b": 1 / 3}
ROWS = {"y_true": Y_TRUE, "y_score": Y_SCORE, "query_id": QUERIES}


def test_a_query_without_weight_keeps_its_place_outside_means():
    rows = {**ROWS, "sample_weight": [0, 0, 0, 1, 1, 1]}
    for zero_division in (0.0, 1.0, np.nan):
        given = {**rows, "zero_division": zero_division}
        values = average_precision_score(**given, average=None)
        np.testing.assert_array_equal(values, [zero_division, VALUES["b"]])
        by_query = score_by_query(AP, **given)
        assert list(by_query) == ["a", "b"]
        np.testing.assert_array_equal([*by_query.values()], values)
    chance = chance_level(Y_TRUE, query_id=QUERIES, sample_weight=rows["sample_weight"])
    assert np.isnan(chance).tolist() == [True, False]
    assert average_precision_score(**rows) == VALUES["b"]
    for name in ("average precision", "trec_eval map"):  # with weights, and without
        assert len(score_as(name, **rows, average=None)) == 2


def test_the_budget_of_a_query_without_weight_is_zero_and_no_unit():
    rows = pd.DataFrame({"y_true": [1, 1, 0] * 2, "y_score": range(6)})
    rows = rows.assign(query_id=list("aabbcc"), sample_weight=[0, 0, 1, 1, 1, 1])
    totals, expected = (
        budget_totals(**frame, k=1) for frame in (rows, rows[rows["sample_weight"] > 0])
    )
    assert totals.by_query["query"].tolist() == ["a", "b", "c"]
    for name, column in expected.by_query.items():
        first, *others = totals.by_query[name].tolist()
        assert others == column.tolist()
        assert name == "query" or first == 0
    assert totals.share_of_weight.n_units == 2
    assert str(totals.share_of_weight) == str(expected.share_of_weight)
