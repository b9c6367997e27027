"""Precision at a recall and recall at a precision: levels, and a record."""

import math

import pytest

from sklearn_ap import precision_at_recall_score, recall_at_precision_score
from sklearn_ap.compatibility import score_as

Y_TRUE, Y_SCORE = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    "level", [-0.1, 1.1, math.nan, math.inf, "0.5", None, True, [0.5]]
)
def test_levels_are_numbers_from_0_to_1(level):
    with pytest.raises(ValueError, match=r"^recall must be a number in \[0, 1\]; got "):
        precision_at_recall_score(Y_TRUE, Y_SCORE, recall=level)
    with pytest.raises(
        ValueError, match=r"^precision must be a number in \[0, 1\]; got "
    ):
        recall_at_precision_score(Y_TRUE, Y_SCORE, precision=level)


# --- records --------------------------------------------------------------------------


def test_keras_never_retrieves_a_score_of_0():
    """Its lowest threshold is 0, and a score must exceed it."""
    y_true, y_score = [1, 1, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.0]
    assert score_as("Keras PrecisionAtRecall(0.8)", y_true, y_score) == 1.0
    assert score_as("Keras PrecisionAtRecall(0.8)", y_true[1:], y_score[1:]) == 0.0
    assert precision_at_recall_score(
        y_true[1:], y_score[1:], recall=0.8
    ) == pytest.approx(4 / 5)
