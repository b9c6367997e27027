"""No threshold and no budget sorts floats of 16 bits."""

import numpy as np

from half_precision import half_scores, watched
from sklearn_ap import budget_totals, operating_point


def test_no_floats_of_16_bits_are_sorted():
    labels, score = half_scores()
    query, weight = np.arange(labels.size) % 7, np.arange(labels.size) % 3 + 1.0
    with watched():
        point = operating_point(labels, score, recall=0.5)
        operating_point(labels, score, k=20)
        operating_point(labels, score, precision=0.3, sample_weight=weight)
        budget_totals(labels, score, k=5)
        budget_totals(labels, score, k=5, query_id=query)
    expected = operating_point(labels, score.astype(np.float64), recall=0.5)
    assert point.threshold == expected.threshold
