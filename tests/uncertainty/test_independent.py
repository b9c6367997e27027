"""Two independent samples: interval and p-value of the difference follow from both
intervals.
"""

import warnings
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
    """A sample with this number of positives, whose rows may be repeated."""
    y_true = np.repeat((np.arange(n) < n_found).astype(int), repeats)
    noise = np.random.default_rng(seed).normal(size=y_true.size)
    return estimate_score(AP, y_true, shift * y_true + noise, **options)


def month(seed, shift=2.0, n=400, **options):
    return sample(n // 10, n, seed, shift, **options)


def test_ends_are_those_of_both_intervals():
    new, old = month(0, 1.5), month(1, n=900)
    down, up = np.subtract(new.confidence_interval(0.9), new.score)
    other_down, other_up = np.subtract(old.confidence_interval(0.9), old.score)
    found = compare_estimates(new, old)
    below, above = np.subtract(found.confidence_interval(0.9), found.difference)
    assert -below == pytest.approx(np.hypot(down, other_up))
    assert above == pytest.approx(np.hypot(up, other_down))
    back = compare_estimates(old, new)
    ends = np.subtract(back.confidence_interval(0.9), back.difference)
    assert (*ends, back.pvalue) == pytest.approx((-above, -below, found.pvalue))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("seed", range(3))
def test_an_interval_reaches_0_at_its_p_value(alternative, seed):
    both = month(seed), month(seed + 10, 1.6)
    if alternative == "less":
        both = both[::-1]
    found = compare_estimates(*both, alternative=alternative)
    assert found.pvalue < 0.5
    ends = found.confidence_interval(1 - found.pvalue)
    assert min(map(abs, ends)) < 1e-6


@pytest.mark.parametrize("shift", [2.0, 9.0])
def test_bounds_of_low_levels_are_beyond_the_difference(shift):
    """Their lower end is the upper end of the rest; it was below the difference."""
    bound, rest = (
        compare_estimates(month(0, shift), month(1), alternative=alternative)
        for alternative in ("greater", "less")
    )
    low = bound.confidence_interval(0.25).low
    assert low == rest.confidence_interval(0.75).high >= bound.difference
    assert bound.confidence_interval(0.5).low <= bound.difference


def test_equal_estimates_do_not_differ():
    found = compare_estimates(month(0), month(0))
    assert (found.difference, found.pvalue) == (0, 1)


def test_the_least_p_value_is_not_0():
    assert compare_estimates(month(0, 9.0, 4000), month(1, 0.1, 4000)).pvalue == 2e-12


def test_without_an_interval_there_is_no_p_value():
    found = compare_estimates(month(0), replace(month(1), standard_error=np.nan))
    assert np.isnan(found.pvalue)
    with pytest.warns(UserWarning, match="^The confidence interval is NaN"):
        assert np.isnan(found.confidence_interval()).all()


def test_refusals():
    with pytest.raises(
        ValueError, match=r"^estimate_b must be a ScoreEstimate, .*; got float"
    ):
        compare_estimates(month(0), 0.5)


@pytest.mark.parametrize(
    ("score", "options", "other"),
    [
        ("average_precision", {}, {"prevalence": 0.1}),
        ("average_precision", {"prevalence": 0.1}, {"prevalence": 0.2}),
        ("average_precision@20", {}, {"ties": "expected"}),
        ("average_precision@20", {}, {"normalizer": "k"}),
        ("interpolated_average_precision", {}, {"recall_levels": np.array([0.1, 0.5])}),
        ("average_precision", {}, "precision@20"),
        ("precision@10", {}, "precision@20"),
    ],
)
def test_two_scores_or_options_that_define_them_are_refused(score, options, other):
    rows = np.arange(200) < 40, np.random.default_rng(0).normal(size=200)
    first = estimate_score(score, *rows, **options)
    if isinstance(other, str):
        second = estimate_score(other, *rows)
    else:
        second = estimate_score(score, *rows, **other)
    with pytest.raises(ValueError, match=r"^estimate_a and estimate_b must be of the"):
        compare_estimates(first, second)
    # totals, and the name of a label, are of the rows
    again = estimate_score(score, *rows, n_positives=42, pos_label=1, **options)
    compare_estimates(first, again)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (sample(40, n_positives=80), sample(40)),
        (
            sample(500, query_id=np.arange(1000) % 50),
            sample(800, query_id=[*range(50)] * 20),
        ),
        (sample(40, sample_weight=np.where(np.arange(1000) < 40, 2, 1.0)), sample(40)),
    ],
)
def test_shares_of_positives_that_differ_by_more_than_chance(first, second):
    with warns_of("shares_of_positives", "shares of positives"):
        compare_estimates(second, first)


UNITS = {"repeats": 25, "unit_id": np.repeat(np.arange(1000), 25)}  # of equal rows


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (sample(40, prevalence=0.1), sample(80, prevalence=0.1)),
        (sample(40, **UNITS), sample(50, **UNITS)),
        (sample(1000), sample(40)),  # without negatives, every ranking is perfect
    ],
)
def test_shares_of_positives_that_may_be_equal(first, second):
    """Scores at one prevalence, and shares whose difference may be chance."""
    compare_estimates(first, second)


def test_a_share_is_the_binomial_one_of_rows():
    """The warning begins where a test of two shares rejects at .05, by their log
    odds.
    """
    n, first = 1000, 40
    for second in range(41, 90):
        odds = [np.log(p / (n - p)) for p in (first, second)]
        error = np.sqrt(sum(1 / p + 1 / (n - p) for p in (first, second)))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compare_estimates(sample(first), sample(second))
        assert bool(caught) == (odds[1] - odds[0] > 1.96 * error)
