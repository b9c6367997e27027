"""Totals of queries and columns, and queries of weight 0, in functions above the core.

The rows of `tests/core/test_reading_rows.py` test the rules themselves.
"""

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap

ROWS = {"query_id": [*"aabbcc"], "sample_weight": [0, 0, 1, 1, 1, 1]}
Y_TRUE, Y_SCORE = [1, 0, 0, 1, 1, 0], [4, 3, 2, 1, 5, 6]


@pytest.mark.filterwarnings("ignore::UserWarning")  # few positives
@pytest.mark.parametrize("totals", [{"c": 4, "b": 2, "a": 3}, [3, 2, 4]])
def test_a_query_without_weight_and_with_a_total_scores_0_in_an_estimate(totals):
    estimate = ap.estimate_score(
        "average_precision", Y_TRUE, Y_SCORE, n_positives=totals, **ROWS
    )
    assert estimate.score == pytest.approx(np.mean([0, 0.5 / 2, 0.5 / 4]))


def test_a_query_without_weight_keeps_its_place():
    assert ap.expected_by_chance(Y_TRUE, **ROWS) == 0.75
    values = ap.compatibility.score_as(
        "average precision", Y_TRUE, Y_SCORE, average=None, **ROWS
    )
    assert values.size == 3


def test_a_display_matches_totals_by_name():
    rows = pd.DataFrame([[1, 0], [0, 1]], columns=[*"ab"])

    def recalls(n_positives):
        display = ap.PrecisionRecallDisplay.from_predictions(
            rows, rows, n_positives=n_positives
        )
        return [line.get_xdata().tolist() for line in display.ax_.lines]

    assert recalls({"b": 8, "a": 5}) == recalls([5, 8]) != recalls([8, 5])
