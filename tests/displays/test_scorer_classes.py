"""Outlier detectors, which have no classes, and three classes by a method that is named;
`tests/core/test_scorer_classes.py` has what scorers make of other classes.
"""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import IsolationForest

from scoring import IGNORED, LOGISTIC, X3, Y3, X, Y
from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_score,
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
    with pytest.raises(
        ValueError, match=f"pos_label={pos_label or 1} is not a valid label"
    ):
        make_scorer(average_precision_score, **options)(
            detector, X, np.where(Y == 1, "out", "in")
        )


def test_the_method_that_is_named_is_asked_of_three_classes():
    model = clone(LOGISTIC).fit(X3, Y3)
    named = make_scorer("average_precision", response_method="decision_function")
    expected = average_precision_score(Y3, model.decision_function(X3))
    assert named(model, X3, Y3) == expected
