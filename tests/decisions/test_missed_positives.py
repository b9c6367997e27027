"""The weight of a missed positive: without its rule, there are settings in which 95 %
intervals of a threshold cover less than .90.
"""

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_ap import operating_point
from sklearn_ap._decisions import confusion_matrix

pytestmark = pytest.mark.slow
N_SAMPLES = 300


def rows_of_few_labels(rng):
    """Rows below a score are labelled with probability 1/50."""
    y_true = rng.random(3000) < 0.02
    y_score = rng.normal(size=3000) + 2 * y_true
    weight = np.where(y_score > 2.2, 1, 50)
    kept = rng.random(3000) < 1 / weight
    return y_true[kept], y_score[kept], weight[kept]


def rows_of_few_heavy_ones(rng):
    """One row of a hundred has the weight of 50 others."""
    y_true = rng.random(1000) < 0.1
    y_score = rng.normal(size=1000) + 2 * y_true
    return y_true, y_score, np.where(rng.random(1000) < 0.01, 50, 1)


@pytest.mark.parametrize(
    ("draw", "number", "threshold", "value"),
    [
        (rows_of_few_labels, "recall", 2.6, norm.sf(0.6)),
        (
            rows_of_few_heavy_ones,
            "negative_predictive_value",
            2,
            0.9 * norm.cdf(2) / (0.9 * norm.cdf(2) + 0.1 * norm.cdf(0)),
        ),
    ],
)
def test_a_missed_positive_weighs_as_negatives_below(
    monkeypatch, draw, number, threshold, value
):
    def share_that_covers():
        rng, covers = np.random.default_rng(0), []
        for _ in range(N_SAMPLES):
            y_true, y_score, weight = draw(rng)
            point = operating_point(
                y_true, y_score, threshold=threshold, sample_weight=weight
            )
            low, high = point.confidence_interval(number=number)
            covers.append(low <= value <= high)
        return np.mean(covers)

    assert share_that_covers() >= 0.91
    if draw is rows_of_few_labels:
        with monkeypatch.context() as changed:
            changed.setattr(confusion_matrix, "_TIMES_IF_GROWING", 4.0)
            assert share_that_covers() < 0.9
    if draw is rows_of_few_heavy_ones:
        # There, the weight of a typical row of both classes is sufficient, too.
        none = np.zeros(4)
        monkeypatch.setattr(confusion_matrix, "_typical_weights", lambda *_: none)
    monkeypatch.setattr(confusion_matrix, "_weight_of_one_more_missed", lambda *_: 0.0)
    assert share_that_covers() < 0.9
