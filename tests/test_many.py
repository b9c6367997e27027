"""Many comparisons at once: p-values and intervals by definition, and the tables of Tukey and Dunnett."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm, studentized_range

from sklearn_ap._uncertainty._adjustment import adjusted, drawn_sums, holm, risk_of_each

ALTERNATIVES = ["two-sided", "less", "greater"]
each_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)
EXTREME = {"two-sided": abs, "less": lambda z: -z, "greater": lambda z: z}


def family(seed, n_comparisons=5, n_units=60):
    """p-values and joint influences of comparisons that share units, of unequal size."""
    rng = np.random.default_rng(seed)
    influences = rng.normal(size=(n_units, n_comparisons)) + rng.normal(size=(n_units, 1))
    influences *= rng.lognormal(size=n_comparisons)
    return rng.random(n_comparisons) ** 3, influences - influences.mean(axis=0)


def stepped_down(pvalues, drawn, alternative):
    """Westfall and Young (1993), comparison by comparison, and never above Holm."""
    left, found, least = set(range(len(pvalues))), {}, Fraction(0)
    scale = np.sqrt((drawn**2).mean(axis=0))
    bounds = {}
    bound = Fraction(0)
    for rank, one in enumerate(sorted(left, key=lambda i: pvalues[i])):
        bound = max(bound, min(Fraction(float(pvalues[one])) * (len(pvalues) - rank), Fraction(1)))
        bounds[one] = bound
    while left:
        one = min(left, key=lambda i: pvalues[i])
        limit = norm.isf(pvalues[one] / (2 if alternative == "two-sided" else 1))
        far = sum(max(EXTREME[alternative](draw[i] / scale[i]) for i in left) >= limit for draw in drawn)
        least = max(least, Fraction(int(far) + 1, len(drawn) + 1))
        found[one] = min(least, bounds[one])
        left.remove(one)
    return [float(found[i]) for i in range(len(pvalues))], [float(bounds[i]) for i in range(len(pvalues))]


@each_alternative
def test_adjusted_by_definition(alternative):
    for seed in range(5):
        pvalue, influences = family(seed)
        drawn = drawn_sums(influences, 99, np.random.default_rng(seed))
        by_draws, by_holm = stepped_down(pvalue, drawn, alternative)
        assert adjusted(pvalue, np.ones(5), drawn, alternative).pvalue.tolist() == pytest.approx(
            by_draws, rel=1e-15
        )
        assert holm(pvalue).tolist() == pytest.approx(by_holm, rel=1e-15)


def test_sums_have_the_covariance_of_the_influences():
    _, influences = family(7, 4)
    influences = 1e-100 * np.column_stack([influences, influences[:, 0] - influences[:, 1], np.zeros(60)])
    drawn = drawn_sums(influences, 40_000, np.random.default_rng(0))
    known = np.corrcoef(influences[:, :4].T)
    np.testing.assert_allclose(np.corrcoef(drawn[:, :4].T), known, atol=4 / np.sqrt(40_000))
    np.testing.assert_allclose(drawn.std(axis=0), np.sqrt((influences**2).sum(axis=0)), rtol=0.02)
    np.testing.assert_allclose(drawn[:, 4], drawn[:, 0] - drawn[:, 1], atol=1e-6 * drawn[:, 4].std())
    assert not drawn[:, 5].any()


@pytest.mark.parametrize("n_models", [3, 10])
def test_critical_values_of_tukey(n_models):
    """Pairs of independent means share the range of as many normal numbers."""
    influences = np.eye(n_models)
    sums = drawn_sums(influences, 40_000, np.random.default_rng(0))
    first, second = np.transpose(list(combinations(range(n_models), 2)))
    found = adjusted(
        np.full(first.size, 0.01), np.ones(first.size), sums[:, first] - sums[:, second], "two-sided"
    )
    for level in (0.9, 0.95):
        risk = risk_of_each(1 - level, found.largest, first.size, "two-sided")
        known = studentized_range.ppf(level, n_models, np.inf) / np.sqrt(2)
        assert norm.isf(risk / 2) == pytest.approx(known, abs=0.025)


# Dunnett, "New tables for multiple comparisons with a control", Biometrics 20, 1964: 5 %, infinite df.
@pytest.mark.parametrize(
    ("alternative", "n_others", "known"),
    [("two-sided", 3, 2.35), ("two-sided", 9, 2.69), ("greater", 3, 2.06), ("less", 9, 2.42)],
)
def test_critical_values_of_dunnett(alternative, n_others, known):
    influences = np.eye(n_others + 1)[:, 1:] - np.eye(n_others + 1)[:, :1]
    drawn = drawn_sums(influences, 40_000, np.random.default_rng(0))
    largest = adjusted(np.ones(n_others), np.ones(n_others), drawn, alternative).largest
    risk = risk_of_each(0.05, largest, n_others, alternative)
    assert norm.isf(risk / (2 if alternative == "two-sided" else 1)) == pytest.approx(known, abs=0.025)


@each_alternative
def test_what_is_not_tested_does_not_count(alternative):
    pvalue, influences = family(1, 6)
    influences[:, 2] = 0  # two models that are alike
    pvalue[[2, 4]] = 1.0, np.nan
    error = np.sqrt((influences**2).sum(axis=0))
    drawn = drawn_sums(influences, 999, np.random.default_rng(0))
    found = adjusted(pvalue, error, drawn, alternative)
    kept = [0, 1, 3, 5]
    alone = adjusted(pvalue[kept], error[kept], drawn[:, kept], alternative)
    np.testing.assert_array_equal(found.pvalue[kept], alone.pvalue)
    np.testing.assert_array_equal(found.pvalue[[2, 4]], [1, np.nan])
    np.testing.assert_array_equal(found.largest, alone.largest)
    nothing = adjusted(pvalue[[2, 4]], np.array([0, 1.0]), drawn[:, [2, 4]], alternative)
    np.testing.assert_array_equal(nothing.pvalue, [1, np.nan])


@each_alternative
def test_intervals_exclude_0_where_one_step_rejects(alternative):
    """Nothing is left for a second step if the first p-value is the larger of two."""
    rng = np.random.default_rng(0)
    drawn, error = rng.normal(size=(999, 1)) + 0.5 * rng.normal(size=(999, 2)), np.ones(2)
    for risk in (0.05, 0.1, 0.5):
        largest = adjusted(np.ones(2), error, drawn, alternative).largest
        each = risk_of_each(risk, largest, 2, alternative)
        assert each > risk / 2
        for factor in (1 - 1e-9, 1 + 1e-9):
            found = adjusted(np.full(2, each * factor), error, drawn, alternative).pvalue
            assert (found <= risk).all() == (factor < 1)


def test_few_draws_are_refused():
    with pytest.raises(ValueError, match=r"^n_resamples must be at least 400 .*; got 399"):
        risk_of_each(0.05, np.zeros(399), 3, "two-sided")
