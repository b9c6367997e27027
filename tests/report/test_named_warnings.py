"""Warnings of a report name their model and the line of the user."""

import warnings

import numpy as np
import pytest

from sklearn_ap import report


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
