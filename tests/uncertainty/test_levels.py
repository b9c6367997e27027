"""Scores at several recall levels: the test of two models, and where there is no interval."""

import numpy as np
from scipy.stats import laplace

from brief import not_in_brief
from sklearn_ap import (
    compare_scores,
)

ELEVEN = "eleven_point_average_precision"


@not_in_brief
def test_equal_models_are_seldom_different():
    """Tests that used the influences of the score at every recall rejected .16."""
    rejected = 0
    for seed in range(100):
        rng = np.random.default_rng([5, seed])
        y_true = rng.random(1000) < 0.1
        pair = (laplace.rvs(size=1000, random_state=rng) + 1.2 * y_true for _ in "ab")
        rejected += compare_scores(ELEVEN, y_true, *pair).pvalue <= 0.05
    assert rejected <= 8
