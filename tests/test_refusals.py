"""Refusals that no table of another file contains: each begins with its argument."""

from fractions import Fraction
from inspect import signature
from itertools import product

import numpy as np
import pytest
from sklearn import metrics
from sklearn.model_selection import cross_validate

import sklearn_ap as ap
from metrics import CALLED
from scoring import LOGISTIC, X, Y
from sklearn_ap.compatibility import score_as

S, QUERY, AP = X[:, 0], np.arange(Y.size) // 10, ap.average_precision_score
FOLDS = cross_validate(LOGISTIC, X, Y, cv=3, return_estimator=True, return_indices=True)
SCORER = ap.get_scorer("average_precision")
REFUSED = {
    "max_recall must be None or a number": lambda: AP(Y, S, max_recall=2),
    "max_recall must be None or a number in": lambda: AP(Y, S, max_recall=10**400),
    "threshold must be a number": lambda: ap.operating_point(
        Y, S, threshold=-(10**400)
    ),
    "score must be above that of random": lambda: ap.sample_size(
        AP, half_width=0.05, score=10**400, prevalence=0.1
    ),
    "max_recall requires recall_levels=None": lambda: (
        ap.interpolated_average_precision_score(Y, S, max_recall=0.5, recall_levels=11)
    ),
    "average must be 'macro' without query_id": lambda: score_as(
        "scikit-learn", Y, S, average=None
    ),
    "y contains the class 7, ": lambda: SCORER(
        LOGISTIC.fit(X, Y), X, np.where(S > 0, Y, 7)
    ),
    "pos_label=7 is not": lambda: ap.get_scorer("average_precision", pos_label=7)(
        LOGISTIC.fit(X, Y), X, Y
    ),
    "score_func must be a function, or a scorer": lambda: ap.estimate_cv_results(
        metrics.get_scorer("average_precision"), FOLDS, X, Y
    ),
    "score_func must be the area of a whole ranking": lambda: ap.influence_values(
        "precision@3", Y, S
    ),
    "score must be a value of average_precision, in": lambda: ap.chance_level(
        Y, S
    ).normalize(2),
    "score must be a value of precision@1, in": lambda: ap.chance_level(
        Y, S, score_func="precision", k=1
    ).adjust(10**400),
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
NO_LEVELS = [-0.1, 1.1, np.nan, np.inf, "0.5", None, True, [0.5]]
NO_SHARES = [
    *(0, 1, 0.0, 1.0, -0.1, 1.5, 30, np.nan, np.inf),
    *(True, "0.1", [0.1], np.array(0.1), Fraction(1, 10**400)),
]
OUTSIDE = [
    (
        [ap.interpolated_average_precision_score],
        "recall_levels must be None, an integer >= 2 ",
        [
            *(True, 1, -3, 2**53, 1.5, [], [[0.5]], [0.5, 1.1], [-0.1], [np.nan]),
            *("all", [None], {"a": 1}, [b"0.5"]),
            np.array([0.5 + 1j]),
            np.array([0], dtype="M8[s]"),
        ],
    ),
    (
        [AP],
        r"zero_division must be 'warn', 0\.0, 1\.0 or nan",
        ["raise", 0.5, 2, None, [0], np.zeros(2), "nan", 1 + 0j],
    ),
    (
        [ap.pr_auc_score],
        "interpolation must be one of 'linear', 'davis-goadrich'",
        ["step", "Linear", None],
    ),
    (
        AT_K,
        "k must be None, an integer >= 1",
        [0, -1, 1.5, 0.0, -0.5, 2.0, True, False, "10", np.nan, [3], np.inf, 2**53],
    ),
    (
        [*AT_K, ap.r_precision_score],
        "ties must be one of 'proportional', ",
        ["Expected", "", None, 1, ["stable"]],
    ),
    (AT_K[:1], "normalizer must be one of 'min', ", ["max", None, 10]),
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
