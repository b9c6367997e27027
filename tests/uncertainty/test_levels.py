"""Scores at several recall levels: the test of two models, and where there is no interval."""

import numpy as np
import pytest
from scipy.stats import laplace

from brief import not_in_brief
from sklearn_ap import (
    compare_scores,
    estimate_score,
    interpolated_average_precision_score,
)

ELEVEN = "eleven_point_average_precision"
AT_LEVELS = interpolated_average_precision_score


def rows_of(seed, n=600, n_positives=60, shift=1.5):
    y_true = np.arange(n) < n_positives
    return y_true, np.random.default_rng(seed).normal(size=n) + shift * y_true


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


@pytest.mark.parametrize(
    ("grid", "n_positives", "share"),
    [
        (2, 200, "50.0%"),
        (8, 200, "12.5%"),
        (np.array([0, 0.5]), 200, "50.0%"),
        # The first of ten positives reaches the levels 0 and .1.
        (11, 10, "18.2%"),
        (np.array([0.1, 0.5]), 10, "50.0%"),
    ],
    ids=str,
)
def test_few_levels_or_positives_have_no_interval_and_no_test(grid, n_positives, share):
    y_true, y_score = rows_of(0, n_positives=n_positives)
    match = f"no interval here: the first positive reaches {share} of the recall levels"
    with pytest.raises(ValueError, match=match):
        estimate_score(AT_LEVELS, y_true, y_score, recall_levels=grid)
    with pytest.raises(ValueError, match=match):
        compare_scores(AT_LEVELS, y_true, y_score, y_score, recall_levels=grid)
    # One more level, or one more positive, and there is one.
    more = {2: 9, 8: 9}.get(grid, grid) if isinstance(grid, int) else grid + 0.3
    y_true, y_score = rows_of(0, n_positives=n_positives + 1)
    assert estimate_score(AT_LEVELS, y_true, y_score, recall_levels=more).df > 1
