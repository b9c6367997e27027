"""Comparisons of two independent samples, whose interval and p-value follow from the
intervals of both scores.
"""

import warnings
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from oracles.uncertainty import warns_of
from sklearn_ap import (
    average_precision_score,
    compare_estimates,
    estimate_score,
)

AP = average_precision_score


def sample(n_found, n=1000, seed=0, shift=2.0, repeats=1, **options):
    """Return the estimate of a sample with this number of positives. Rows may be
    repeated.
    """
    y_true = np.repeat((np.arange(n) < n_found).astype(int), repeats)
    noise = np.random.default_rng(seed).normal(size=y_true.size)
    return estimate_score(AP, y_true, shift * y_true + noise, **options)


def month(seed, shift=2.0, n=400, **options):
    return sample(n // 10, n, seed, shift, **options)


def test_endpoints_are_those_of_both_intervals():
    new, old = month(0, 1.5), month(1, n=900)
    (down, up), (other_down, other_up) = (
        np.subtract(one.confidence_interval(0.9), one.score) for one in (new, old)
    )
    found, back = compare_estimates(new, old), compare_estimates(old, new)
    reach = -np.hypot(down, other_up), np.hypot(up, other_down)
    endpoints = np.add(reach, found.difference)
    assert found.confidence_interval(0.9) == pytest.approx(endpoints)
    assert back.confidence_interval(0.9) == pytest.approx(-endpoints[::-1])
    assert back.pvalue == pytest.approx(found.pvalue)


def test_p_values_lie_between_that_of_equal_estimates_and_more_than_0():
    assert compare_estimates(month(0), month(0)).pvalue == 1
    assert compare_estimates(month(0, 9.0, 4000), month(1, 0.1, 4000)).pvalue == 2e-12


def test_without_an_interval_there_is_no_p_value():
    found = compare_estimates(month(0), replace(month(1), standard_error=np.nan))
    assert np.isnan(found.pvalue)
    with pytest.warns(UserWarning, match="^The confidence interval is NaN"):
        assert np.isnan(found.confidence_interval()).all()


@pytest.mark.parametrize(
    ("options", "other"),
    [
        ({}, {"prevalence": 0.1}),
        ({"score_func": "average_precision@20"}, {"ties": "expected"}),
        (
            {"score_func": "interpolated_average_precision"},
            {"recall_levels": np.array([0.1, 0.5])},
        ),
        ({}, {"score_func": "precision@20"}),
        ({"score_func": "precision@10"}, {"score_func": "precision@20"}),
    ],
)
def test_estimates_of_two_scores_or_definitions_are_an_error(options, other):
    rows = {"y_true": np.arange(200) < 40, "y_score": np.arange(200) * 7 % 200}
    # Totals and the positive label describe the rows, and may differ.
    first, again, second = (
        estimate_score(**{"score_func": "average_precision"} | rows | options | more)
        for more in ({}, {"n_positives": 42, "pos_label": 1}, other)
    )
    compare_estimates(first, again)
    with pytest.raises(ValueError, match=r"^estimate_a and estimate_b must be of the"):
        compare_estimates(first, second)


# Each unit has 25 equal rows.
UNITS = {"repeats": 25, "unit_id": np.repeat(np.arange(1000), 25)}


@pytest.mark.parametrize(
    ("first", "second", "is_far"),
    [
        (sample(40, n_positives=80), sample(40), True),
        (
            sample(500, query_id=np.arange(1000) % 50),
            sample(800, query_id=[*range(50)] * 20),
            True,
        ),
        (sample(40, sample_weight=1.0 + (np.arange(1000) < 40)), sample(40), True),
        # There is no warning at a common prevalence, or if the difference may be chance.
        (sample(40, prevalence=0.1), sample(80, prevalence=0.1), False),
        (sample(40, **UNITS), sample(50, **UNITS), False),
        # Without negatives, each sample scores 1, and its share of positives is None.
        (sample(1000), sample(40), False),
    ],
)
def test_shares_of_positives_that_differ_by_more_than_chance(first, second, is_far):
    warning = warns_of("shares_of_positives", "shares of positives")
    with warning if is_far else nullcontext():
        compare_estimates(second, first)


def test_a_share_is_the_binomial_one_of_rows():
    """There is a warning if a test of the log odds of both shares rejects at .05."""
    n, first = 1000, 40
    of_first = sample(first)
    for second in range(41, 90, 3):
        odds = [np.log(p / (n - p)) for p in (first, second)]
        error = np.sqrt(sum(1 / p + 1 / (n - p) for p in (first, second)))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compare_estimates(of_first, sample(second))
        assert bool(caught) == (odds[1] - odds[0] > 1.96 * error)
