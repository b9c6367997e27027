"""Warnings about queries without positives, units, weights and labels."""

import warnings

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    score_by_query,
)

N = 60
QUERY = np.arange(N) // 10
LABELS = (np.arange(N) % 10 < 3) * (QUERY > 1)
SCORES = np.random.default_rng(0).normal(size=N) + LABELS
TEXT = (
    "y_true contains no positives in 2 of 6 rankings, which score 0.0; pass "
    "zero_division to choose their score, or NaN to exclude them from the mean."
)
AP = "average_precision"


@pytest.mark.parametrize(
    "call",
    [
        lambda: average_precision_score(LABELS, SCORES, query_id=QUERY),
        lambda: score_by_query(AP, LABELS, SCORES, query_id=QUERY),
        lambda: estimate_score(AP, LABELS, SCORES, query_id=QUERY),
        lambda: estimate_score(
            AP, LABELS, SCORES, query_id=QUERY, unit_id=np.arange(N)
        ),
        lambda: compare_scores(AP, LABELS, SCORES, SCORES[::-1], query_id=QUERY),
        lambda: estimate_score("recall@2", LABELS, SCORES, query_id=QUERY),
    ],
)
def test_queries_without_positives(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    texts = {
        str(each.message) for each in caught if "positives in" in str(each.message)
    }
    assert texts == {TEXT}
    assert {each.filename for each in caught} == {__file__}


def test_two_parts_that_are_all_there_are():
    """Two sexes are not drawn, so the advice names the other reading, too."""
    rng = np.random.default_rng(0)
    label, sex = np.arange(200) % 3 == 0, np.arange(200) % 2
    score = rng.normal(size=200) + label
    with pytest.warns(UserWarning, match="all there are, .* fixed .* pass unit_id"):
        estimate_score("average_precision", label, score, query_id=sex)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = np.arange(200)
        estimate_score("average_precision", label, score, query_id=sex, unit_id=rows)
