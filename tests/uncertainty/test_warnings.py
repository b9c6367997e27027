"""Warnings of queries without positives have one text in every function, and each
warning names the line of the user.
"""

import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import (
    average_precision_score,
    compare_scores,
    distributed,
    estimate_score,
    report,
    score_by_query,
)

N = 60
QUERY = np.arange(N) // 10
LABELS = (np.arange(N) % 10 < 3) * (QUERY > 1)
SCORES = np.random.default_rng(0).normal(size=N) + LABELS
FRAME = pd.DataFrame({"y": LABELS, "s": SCORES, "q": QUERY})
TEXT = (
    "y_true contains no positives in 2 of 6 rankings, which score 0.0; pass "
    "zero_division to choose their score, or NaN to leave them out."
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
        lambda: distributed.score(AP, FRAME, y_true="y", y_score="s", query_id="q"),
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


def test_columns_keep_the_text_of_scikit_learn():
    y_true = np.column_stack([LABELS, 0 * LABELS])
    with pytest.warns(UserWarning, match="No positive class found in y_true"):
        average_precision_score(y_true, np.column_stack([SCORES, SCORES]))


def test_warnings_of_a_report_name_the_model_and_the_line():
    rng = np.random.default_rng(0)
    y_true = np.arange(400) < 4
    # The sample of few positives is that of all models; two of them also rank them low.
    first, second, third = (
        rng.normal(size=400) + gain * y_true for gain in (5, -1, -1)
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = report(y_true, first, compare={"b": second, "c": third}, name="a")
    texts = [str(each.message) for each in caught]
    assert made.answer["warnings"] == texts
    assert [text.partition(":")[0] for text in texts] == ["AP of b", "AP of c"]
    assert {each.filename for each in caught} == {__file__}


def test_a_warning_of_all_models_is_given_once():
    y_true = np.arange(40) < 2
    scores = np.random.default_rng(0).normal(size=(2, 40)) + 3 * y_true
    with pytest.warns(UserWarning, match="too few positives") as caught:
        report(y_true, scores[0], compare=scores[1], name="a")
    texts = [
        str(each.message) for each in caught if "too few positives" in str(each.message)
    ]
    [text] = texts
    assert text.startswith("AP of a: The sample has too few positives")
    with pytest.warns(UserWarning, match="^The sample has too few positives"):
        report(y_true, scores[0], name="a")
