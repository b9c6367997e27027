"""Two independent samples: interval and p-value of the difference follow from both
intervals.
"""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_estimates, estimate_score

AP = average_precision_score


def month(seed, shift=2.0, n=400, **options):
    rng = np.random.default_rng(seed)
    y_true = (np.arange(n) < n // 10).astype(int)
    return estimate_score(AP, y_true, shift * y_true + rng.normal(size=n), **options)


PERCENTILES = {"method": "percentile", "n_resamples": 999, "random_state": 0}


@pytest.mark.parametrize("options", [{}, PERCENTILES], ids=["influence", "percentile"])
def test_ends_are_those_of_both_intervals(options):
    new, old = month(0, 1.5, **options), month(1, n=900, **options)
    (low, high), (other_low, other_high) = (
        new.confidence_interval(0.9),
        old.confidence_interval(0.9),
    )
    found = compare_estimates(new, old)
    below, above = found.confidence_interval(0.9)
    assert found.difference - below == pytest.approx(
        np.hypot(new.score - low, other_high - old.score)
    )
    assert above - found.difference == pytest.approx(
        np.hypot(high - new.score, old.score - other_low)
    )
    swapped = compare_estimates(old, new)
    assert swapped.confidence_interval(0.9) == pytest.approx((-above, -below))
    assert swapped.pvalue == pytest.approx(found.pvalue)


@pytest.mark.parametrize(
    ("alternative", "margin"),
    [("two-sided", 0), ("less", 0.3), ("greater", 0.1), ("greater", 0)],
)
@pytest.mark.parametrize("seed", range(3))
def test_an_interval_reaches_the_hypothesis_at_its_p_value(alternative, margin, seed):
    found = compare_estimates(
        month(seed), month(seed + 10, 1.6), alternative=alternative, margin=margin
    )
    if found.pvalue < 0.5:
        ends = found.confidence_interval(1 - found.pvalue)
        bound = {"less": margin, "greater": -margin}.get(alternative, 0)
        assert min(abs(end - bound) for end in ends) < 1e-6


def test_equal_estimates_do_not_differ():
    found = compare_estimates(month(0), month(0))
    assert (found.difference, found.pvalue) == (0, 1)


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
    with pytest.raises(ValueError, match=r"^margin needs alternative='greater'"):
        compare_estimates(month(0), month(1), margin=0.1)
