"""Refusals that no table of another file contains: each begins with its argument."""

from fractions import Fraction
from inspect import signature
from itertools import product

import numpy as np
import pytest
from pandas import DataFrame
from sklearn.base import clone

import sklearn_ap as ap
from doors import DOORS, text_of
from metrics import CALLED
from scoring import LOGISTIC, X, Y
from sklearn_ap.compatibility import score_as

S, AP = X[:, 0], ap.average_precision_score
SCORER = ap.get_scorer("average_precision")
REFUSED = {
    "threshold must be a number": lambda: ap.operating_point(
        Y, S, threshold=-(10**400)
    ),
    "average must be 'macro' without query_id": lambda: score_as(
        "scikit-learn", Y, S, average=None
    ),
    "y contains the class 7, ": lambda: SCORER(
        clone(LOGISTIC).fit(X, Y), X, np.where(S > 0, Y, 7)
    ),
    "pos_label=7 is not": lambda: ap.get_scorer("average_precision", pos_label=7)(
        clone(LOGISTIC).fit(X, Y), X, Y
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


# --- values outside those of an argument ----------------------------------------------

AT_K = [ap.average_precision_at_k_score, ap.precision_at_k_score, ap.recall_at_k_score]
NO_LEVELS = [-0.1, 1.1, np.nan, "0.5", None, True, [0.5]]
NO_SHARES = [0, 1.0, -0.1, 30, np.nan, np.inf, True, "0.1", [0.1], Fraction(1, 10**400)]
NO_CUTS = [0, -1, 1.5, 0.0, 2.0, True, "10", np.nan, [[3]], np.inf, 2**53]
NO_LISTS_OF_LEVELS = [
    *(True, 1, 2**53, 1.5, [], [[0.5]], [0.5, 1.1], [-0.1], [np.nan], "all", [None]),
    *({"a": 1}, [b"0.5"], np.array([0.5 + 1j]), np.array([0], dtype="M8[s]")),
]
OUTSIDE = [
    (
        [ap.interpolated_average_precision_score],
        "recall_levels must be None, an integer from 2 ",
        NO_LISTS_OF_LEVELS,
    ),
    (
        [AP],
        r"zero_division must be 'warn', 0\.0, 1\.0 or nan",
        ["raise", 0.5, 2, None, [0], "nan", 1 + 0j],
    ),
    (AT_K, "k must be None, an integer >= 1", NO_CUTS),
    (
        [ap.precision_at_recall_score],
        r"recall must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [ap.recall_at_precision_score],
        r"precision must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [score for score in CALLED if "prevalence" in signature(score).parameters],
        "prevalence must be None or a share ",
        NO_SHARES,
    ),
]


@pytest.mark.parametrize(("scores", "text", "values"), OUTSIDE)
def test_values_outside_an_argument(scores, text, values):
    for score, value in product(scores, values):
        with pytest.raises(ValueError, match=f"^{text}.*; got "):
            score([1, 0], [2, 1], **{text.split()[0]: value})


@pytest.mark.parametrize(
    ("params", "end"),
    [
        ({"ties": "stabel"}, "got 'stabel'; did you mean 'stable'?"),
        ({"k": np.float32(3)}, "; pass 3: a float is a share."),
        ({"k": 1.5}, "got 1.5."),
    ],
)
def test_a_refusal_says_what_was_meant(params, end):
    with pytest.raises(ValueError, match="must be") as caught:
        AT_K[0]([1, 0], [2, 1], **params)
    assert str(caught.value).endswith(end)


# --- scores that scikit-learn refuses -------------------------------------------------


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize(
    ("kind", "column"),
    [(np.asarray, "y_score[:, 1]"), (DataFrame, "y_score.iloc[:, 1]")],
)
def test_scores_of_both_classes_name_the_column(name, kind, column):
    text = "y should be a 1d array, got an array of shape"
    with pytest.raises(ValueError, match=text) as caught:
        DOORS[name](Y, kind(np.column_stack([-S, S])))
    assert f"pass {column}, the scores of class 1" in text_of(caught.value)


@pytest.mark.parametrize("name", DOORS)
def test_an_error_of_nan_names_the_argument_and_the_row(name):
    scores = S.copy()
    scores[[3, 7]] = np.nan
    with pytest.raises(ValueError, match=r"Input contains NaN\.") as caught:
        DOORS[name](Y, scores)
    assert "y_score is not finite in row 3 and 1 other." in text_of(caught.value)


def test_nan_in_a_matrix_and_infinity_are_located_too():
    scores = np.array([[0.5, 0.5], [0.5, np.inf]])
    with pytest.raises(ValueError, match=r"^Input contains infinity") as caught:
        AP(np.eye(2, dtype=int), scores)
    assert caught.value.__notes__ == ["y_score is not finite in row 1."]


def test_models_in_place_of_one_name_the_call_for_many():
    with pytest.raises(ValueError, match=r"is a mapping of .*compare_many"):
        ap.compare_scores(AP, Y, {"a": S, "b": S}, S)


@pytest.mark.parametrize(
    "call",
    [
        lambda run: ap.compare_scores(AP, Y, S, run),
        lambda run: ap.report(Y, S, compare=run),
        lambda run: ap.report(Y, S, compare={"b": run}),
    ],
)
def test_runs_of_different_rows_name_the_call_by_query(call):
    with pytest.raises(ValueError, match="inconsistent") as caught:
        call(S[:-1])
    assert "compare_by_query" in caught.value.__notes__[-1]
