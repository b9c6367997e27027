"""Errors of each function that reads rows. `tests/core/test_errors.py` has the others."""

import numpy as np
import pytest

import sklearn_ap as ap
from doors import DOORS, text_of
from scoring import X, Y

S, AP = X[:, 0], ap.average_precision_score


@pytest.mark.parametrize("name", DOORS)
def test_scores_of_both_classes_name_the_column(name):
    text = "y should be a 1d array, got an array of shape"
    with pytest.raises(ValueError, match=text) as caught:
        DOORS[name](Y, np.column_stack([1 - S, S]))
    assert "pass y_score[:, 1], the scores of class 1" in text_of(caught.value)


@pytest.mark.parametrize("name", DOORS)
def test_an_error_of_nan_names_the_argument_and_the_row(name):
    scores = S.copy()
    scores[[3, 7]] = np.nan
    with pytest.raises(ValueError, match=r"Input contains NaN\.") as caught:
        DOORS[name](Y, scores)
    assert "y_score is not finite in row 3 and 1 other." in text_of(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda run: ap.compare_scores(AP, Y, S, run),
        lambda run: ap.report(Y, S, compare={"b": run}),
    ],
)
def test_models_of_different_rows_are_an_error(call):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        call(S[:-1])
