"""Precision at a recall and recall at a precision: levels, and a record."""

import pytest

from sklearn_ap import precision_at_recall_score
from sklearn_ap.compatibility import score_as

# --- records --------------------------------------------------------------------------


def test_keras_never_retrieves_a_score_of_0():
    """Its lowest threshold is 0, and a score must exceed it."""
    y_true, y_score = [1, 1, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.0]
    assert score_as("Keras PrecisionAtRecall(0.8)", y_true, y_score) == 1.0
    assert score_as("Keras PrecisionAtRecall(0.8)", y_true[1:], y_score[1:]) == 0.0
    assert precision_at_recall_score(
        y_true[1:], y_score[1:], recall=0.8
    ) == pytest.approx(4 / 5)
