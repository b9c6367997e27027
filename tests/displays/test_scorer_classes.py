"""What a scorer makes of classes: the positive one, absent ones, and estimators with
odd columns, in calls of several subpackages; `tests/core/test_scorer_classes.py` has
the others.
"""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import IsolationForest
from sklearn.model_selection import cross_validate

from scoring import IGNORED, X, Y
from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_score,
    estimate_cv_results,
    get_scorer,
    make_scorer,
)

mpl.use("agg")

pytestmark = pytest.mark.filterwarnings(*IGNORED)


@pytest.mark.parametrize("pos_label", [None, 1, -1])
def test_outlier_detectors_score_inliers_high(pos_label):
    detector = IsolationForest(random_state=0).fit(X)
    labels = np.where(Y == 1, -1, 1)
    options = {} if pos_label is None else {"pos_label": pos_label}
    value = make_scorer(average_precision_score, **options)(detector, X, labels)
    scores = detector.decision_function(X) * (-1 if pos_label == -1 else 1)
    assert value == average_precision_score(labels, scores, **options)
    display = AveragePrecisionDisplay.from_estimator(
        detector, X, labels, pos_label=pos_label
    )
    assert value == display.average_precision
    plt.close("all")
    with pytest.raises(
        ValueError, match=f"pos_label={pos_label or 1} is not a valid label"
    ):
        make_scorer(average_precision_score, **options)(
            detector, X, np.where(Y == 1, "out", "in")
        )


class _Shifted(ClassifierMixin, BaseEstimator):
    """A classifier of three classes whose decision values are log probabilities plus
    any constant.
    """

    def fit(self, X, y):  # noqa: ARG002  # the rows are the shares of classes
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]

    def predict_proba(self, X):
        return X / X.sum(axis=1, keepdims=True)

    def decision_function(self, X):
        return np.log(self.predict_proba(X)) + np.arange(len(X))[:, np.newaxis]


def test_three_classes_are_ranked_by_probabilities():
    """A constant per row changes no probability; the method that is named is the method
    that is asked.
    """
    rng = np.random.default_rng(0)
    shares, y = rng.dirichlet([1, 1, 1], 60), rng.integers(0, 3, 60)
    model = _Shifted().fit(shares, y)
    expected = average_precision_score(y, model.predict_proba(shares))
    by_values = average_precision_score(y, model.decision_function(shares))
    assert get_scorer("average_precision")(model, shares, y) == pytest.approx(
        expected, abs=1e-15
    )
    named = make_scorer("average_precision", response_method="decision_function")
    assert named(model, shares, y) == pytest.approx(by_values, abs=1e-15) != expected
    results = cross_validate(
        model,
        shares,
        y,
        cv=3,
        scoring=named,
        return_estimator=True,
        return_indices=True,
    )
    estimate = estimate_cv_results("average_precision", results, shares, y)
    assert estimate.score == pytest.approx(expected, abs=1e-12)
