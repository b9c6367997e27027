"""Differences that do not matter: one-sided tests, against scipy's tests of d -
margin.
"""

from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from oracles.uncertainty import drawn, few, frozen
from sklearn_ap import average_precision_score, compare_by_query, compare_scores

AP = average_precision_score


def models(seed, n=150):
    """Labels, and the scores of two models that are about equally good."""
    y_true, first = drawn(seed, n, 0.3)
    return (
        y_true,
        first,
        frozen(first + 0.1 * np.random.default_rng(seed).normal(size=n)),
    )


@few
@pytest.mark.parametrize(
    ("alternative", "margin"),
    [("two-sided", 0), *product(["less", "greater"], [0, 0.01, 0.05, 0.3])],
)
@pytest.mark.parametrize("shift", [-0.1, 0.0, 0.1])
def test_pairs_are_tested_as_scipy_tests_their_differences(alternative, margin, shift):
    rng = np.random.default_rng(0)
    first, second = rng.random(40), rng.random(40) + shift
    found = compare_by_query(
        dict(enumerate(first)),
        dict(enumerate(second)),
        alternative=alternative,
        margin=margin,
    )
    end = margin if alternative == "less" else -margin
    wanted = ttest_1samp(first - second, end, alternative=alternative)
    assert found.scores == pytest.approx((first.mean(), second.mean()))
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-10, abs=0)
    assert found.pvalue == pytest.approx(wanted.pvalue, rel=1e-8, abs=0)
    plain = ttest_1samp(first - second, 0, alternative=alternative)
    for level in (0.9, 0.95):
        theirs = plain.confidence_interval(level)
        np.testing.assert_allclose(
            found.confidence_interval(level), [theirs.low, theirs.high], rtol=1e-9
        )


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (
            {"margin": 0.1},
            r"^margin needs alternative='greater' .* for equivalence; got margin=0.1",
        ),
        (
            {"margin": -0.1, "alternative": "less"},
            r"^margin must be a finite number >= 0, .*; got -0.1",
        ),
        (
            {"margin": np.inf, "alternative": "less"},
            r"^margin must be a finite number >= 0, .*; got inf",
        ),
        (
            {"margin": "0.1", "alternative": "less"},
            r"^margin must be a finite number >= 0, .*; got '0.1'",
        ),
        (
            {"margin": 10**400, "alternative": "less"},
            r"^margin must be .*; got 10{17}\.\.\.0{19}\.$",
        ),
        (
            {"alternative": "equivalence", "margin": 0.1},
            r"^alternative must be one of .*; got 'equivalence'",
        ),
    ],
)
def test_wrong_margins_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        compare_scores(AP, *models(0), **options)
