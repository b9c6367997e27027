"""Errors of functions above the core: each begins with the argument that is wrong."""

import numpy as np
import pytest
from pandas import DataFrame

import sklearn_ap as ap
from doors import DOORS, text_of
from scoring import X, Y

S, AP = X[:, 0], ap.average_precision_score
REFUSED = {
    "threshold must be a number": lambda: ap.operating_point(
        Y, S, threshold=-(10**400)
    ),
    "average must be 'macro' without query_id": lambda: ap.compatibility.score_as(
        "scikit-learn", Y, S, average=None
    ),
    "prevalence must not make a negative weigh": lambda: ap.estimate_score(
        AP, Y, S, prevalence=1e-300
    ),
    "plot_band=True requires at least two pos": lambda: (
        ap.AveragePrecisionDisplay.from_predictions(
            np.arange(9) == 5, np.arange(9), plot_band=True
        )
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusal(text):
    with pytest.raises((ValueError, TypeError), match=f"^{text}"):
        REFUSED[text]()


# --- scores that scikit-learn refuses -------------------------------------------------


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize(
    ("kind", "column"),
    [(np.asarray, "y_score[:, 1]"), (DataFrame, "y_score.iloc[:, 1]")],
)
def test_scores_of_both_classes_name_the_column(name, kind, column):
    text = "y should be a 1d array, got an array of shape"
    with pytest.raises(ValueError, match=text) as caught:
        DOORS[name](Y, kind(np.column_stack([1 - S, S])))
    assert f"pass {column}, the scores of class 1" in text_of(caught.value)


@pytest.mark.parametrize("name", DOORS)
def test_an_error_of_nan_names_the_argument_and_the_row(name):
    scores = S.copy()
    scores[[3, 7]] = np.nan
    with pytest.raises(ValueError, match=r"Input contains NaN\.") as caught:
        DOORS[name](Y, scores)
    assert "y_score is not finite in row 3 and 1 other." in text_of(caught.value)


def test_models_in_place_of_one_name_the_call_for_many():
    with pytest.raises(ValueError, match=r"is a mapping of .*compare_many"):
        ap.compare_scores(AP, Y, {"a": S, "b": S}, S)


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
