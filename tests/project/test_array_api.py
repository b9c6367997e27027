"""Scorers, displays and conventions accept arrays of other namespaces and devices.
`tests/core/test_array_api.py` tests scores and curves.
"""

import numpy as np
import pytest
import sklearn
from sklearn.naive_bayes import GaussianNB

import sklearn_ap as ap
from sklearn_ap import average_precision_score, make_scorer
from tests.core.test_array_api import (
    DEVICES,
    LABELS,
    RNG,
    SCORES,
    WEIGHTS,
    dispatch,  # noqa: F401  # of all tests
    strict,
)

pytestmark = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="scikit-learn's own average_precision_score takes such arrays from 1.9 on",
)


@pytest.mark.parametrize("device", DEVICES)
def test_scorers_and_displays_of_estimators_on_any_device(device):
    X = RNG.normal(size=(40, 2)).astype(np.float32) + LABELS[:, np.newaxis]
    scorer = make_scorer(average_precision_score)
    expected = scorer(GaussianNB().fit(X, LABELS), X, LABELS)
    rows = strict(X, device), strict(LABELS, device)
    model = GaussianNB().fit(*rows)
    assert scorer(model, *rows) == pytest.approx(expected, abs=1e-3)
    display = ap.PrecisionRecallDisplay.from_estimator(model, *rows)
    assert display.average_precision == scorer(model, *rows)


def test_conventions_take_weights_of_a_device():
    arguments = strict(LABELS), strict(SCORES)
    found = ap.compatibility.score_as(
        "scikit-learn", *arguments, sample_weight=strict(WEIGHTS)
    )
    assert found == average_precision_score(LABELS, SCORES, sample_weight=WEIGHTS)
