"""Warnings of a report name their model and the line of the user."""

import warnings

import numpy as np
import pytest

from sklearn_ap import report


def test_warnings_of_a_report_name_the_model_and_the_line():
    row = np.arange(400)
    y_true, is_heavy = row < 60, row % 20 == 7
    weight = np.where(is_heavy & ~y_true, 30.0, 1.0)
    first = np.random.default_rng(0).normal(size=400) + 1.5 * y_true
    # The other models give heavy negatives high scores.
    others = {"b": first + 2.5 * is_heavy, "c": first + 3 * is_heavy}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = report(y_true, first, compare=others, name="a", sample_weight=weight)
    texts = [str(each.message) for each in caught]
    assert made.answer["warnings"] == texts
    of_weights = [text for text in texts if "sample_weight depends on y_score" in text]
    assert [text.partition(":")[0] for text in of_weights] == ["AP of b", "AP of c"]
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
