"""Intervals of precision and recall at a cut: a bootstrap draws no other rows than the few of the sample."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from sklearn_ap import (
    average_precision_at_k_score,
    estimate_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:The score is .* of ", "ignore:Only 3 rows above the cut", "ignore:.* is all but 0 to 1"
)
FIRST = np.repeat([1, 0], [12, 48])  # all positives stand first
MIXED = np.tile([1, 1, 0, 0, 0], 12)
OPTIONS = {"n_resamples": 400, "random_state": 0}


def exact(hits, n):
    """The numbers of hits at the ends of Clopper and Pearson, by scipy."""
    ends = binomtest(hits, n).proportion_ci(0.95, method="exact")
    return n * ends.low, n * ends.high


@pytest.mark.parametrize(
    ("score", "y_true", "options", "hits", "divisor", "other"),
    [
        (precision_at_k_score, FIRST, {"k": 3}, 3, 3, 12),
        (precision_at_k_score, MIXED, {"k": 2}, 2, 2, 24),
        (precision_at_k_score, MIXED, {"k": 0.05}, 2, 3, 24),  # a share of the rows
        (recall_at_k_score, FIRST, {"k": 40}, 12, 12, 40),
        (recall_at_k_score, FIRST, {"k": 4}, 4, 12, 4),
        (recall_at_k_score, FIRST, {"k": 40, "n_positives": 15}, 12, 15, 40),  # three have no row
        (recall_at_k_score, MIXED, {"k": 59}, 24, 24, 59),
        (r_precision_score, FIRST, {}, 12, 12, 12),  # it had no interval
        (r_precision_score, FIRST[::-1], {}, 0, 12, 12),
    ],
)
def test_intervals_hold_those_of_clopper_and_pearson(score, y_true, options, hits, divisor, other):
    found = estimate_score(score, y_true, -np.arange(60), **OPTIONS, **options)
    assert found.score == hits / divisor
    ends = [exact(hits, n) for n in (divisor, other)]
    least, most = max(low for low, _ in ends) / divisor, min(high for _, high in ends) / divisor
    percentiles = np.quantile(found.bootstrap_distribution, [0.025, 0.975])
    low, high = found.confidence_interval()
    assert low < high
    assert low == pytest.approx(min(percentiles[0], least))
    assert high == pytest.approx(max(percentiles[1], most))
    assert high - low > np.diff(percentiles)[0] or y_true is MIXED


@pytest.mark.filterwarnings("default")
def test_few_hits_and_short_cuts_warn_once():
    """Such percentiles cover too little, and the ends of Clopper and Pearson more than they promise."""
    for score, options, text in (
        (precision_at_k_score, {"k": 8}, "^The score is 4 of 8. Below 5 hits or misses"),
        (recall_at_k_score, {"k": 59}, "^The score is 24 of 24. Below 5 hits or misses"),
        (r_precision_score, {}, "^The score is 24 of 24. Below 5"),
        (average_precision_at_k_score, {"k": 19}, "^Only 19 rows above the cut, or positives, .* 87 to 95 %"),
    ):
        y_true = np.sort(MIXED)[::-1] if score is r_precision_score else MIXED
        with pytest.warns(UserWarning, match=text) as told:
            estimate_score(score, y_true, -np.arange(60), **OPTIONS, **options)
        assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for score, k in ((precision_at_k_score, 25), (average_precision_at_k_score, 20)):
            estimate_score(score, MIXED, -np.arange(60), k=k, **OPTIONS)


def test_a_width_of_0_is_no_interval():
    """A score that a few bootstrap samples change had the interval 0 to 0, without a word."""
    y_true = np.zeros(2_000, dtype=int)
    y_true[[8, *range(900, 920)]] = 1
    found = estimate_score(average_precision_at_k_score, y_true, -np.arange(2_000), k=3, **OPTIONS)
    assert found.score == 0 == np.quantile(found.bootstrap_distribution, 0.975)
    assert found.standard_error > 0
    with pytest.warns(UserWarning, match="NaN, because the score is exactly 0"):
        assert np.isnan(found.confidence_interval()).all()
    distribution = np.append(np.full(1_990, 0.5), np.zeros(10))
    found = replace(found, score=0.5, bootstrap_distribution=distribution)
    with pytest.warns(UserWarning, match="NaN, because nearly all bootstrap samples score the same"):
        assert np.isnan(found.confidence_interval()).all()
