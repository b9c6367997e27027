"""Refusals that no table of another file contains: each begins with its argument."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.model_selection import cross_validate

import sklearn_ap as ap
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
