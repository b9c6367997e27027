"""Queries whose rows all weigh 0: scores keep their place, and means leave them out."""

import numpy as np
import pandas as pd
import pytest

from scoring import IGNORED
from shell import json_of, said
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    chance_level,
    report,
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


def test_the_command_leaves_a_query_without_weight_out_of_means_and_words(saved):
    arrays = {
        "y_true": [1, 0, 1, 0, 0, 1, 0, 0],
        "y_score": [3, 2, 3, 2, 4, 3, 5, 1],
        "query_id": list("aabbccdd"),
        "sample_weight": [0, 0, 1, 1, 1, 2, 1, 1],
    }
    names = dict(zip(arrays, ("label", "score", "q", "w"), strict=True))
    line = [saved(pd.DataFrame(arrays).rename(columns=names)), "--sample-weight", "w"]
    line += ["--query-id", "q"]
    words = said(*line)
    assert "not counting 2 rows whose w is 0, all rows of 1 query." in words
    assert "counted as 0: 1 of 3 queries, d. Left out, MAP over the 2 other" in words
    counts = report(**arrays).answer["counts"]
    assert counts == json_of(*line)["counts"] | {"weight_name": "weight"}
    totals = saved("q,n\na,1\nb,1\nc,2\nd,0\n", "totals.csv")
    counts = json_of(*line, "--n-positives", totals)["counts"]
    assert (counts["queries"], counts["queries_without_rows"]) == (4, 1)
    # With a total, it counts, as a query without rows does.
    assert counts["queries_without_weight"] == 0
