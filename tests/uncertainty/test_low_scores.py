"""Pairs of low scores, whose errors are symmetric on the scale of cube roots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from oracles.uncertainty import of_influences, row_influences
from sklearn_ap import (
    average_precision_score,
    compare_estimates,
    compare_many,
    compare_scores,
    estimate_score,
)
from sklearn_ap._uncertainty.results import CubeRoots

AP = average_precision_score


def drawn(seed, n=2000, share=0.02, shift=1.2):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < share).astype(int)
    shared = rng.normal(size=n)
    shifts = shift, shift * rng.uniform(0.2, 1.3)
    return y_true, *(
        s * y_true + 0.8 * shared + 0.6 * rng.normal(size=n) for s in shifts
    )


def test_the_statistic_and_the_p_value_are_those_of_cube_roots():
    y_true, *models = drawn(2, n=300, share=0.05)
    scores = np.array([AP(y_true, model) for model in models])
    assert scores.mean() < 0.3
    moved = np.subtract(
        *(
            row_influences(AP, y_true, model) / (3 * score ** (2 / 3))
            for model, score in zip(models, scores, strict=True)
        )
    )
    error, df, _ = of_influences(moved, np.ones(300), y_true, np.arange(300))
    statistic = np.subtract(*np.cbrt(scores)) / error
    found = compare_scores(AP, y_true, *models)
    assert (found.statistic, found.df) == pytest.approx((statistic, df), 1e-9)
    assert found.pvalue == pytest.approx(2 * t.sf(abs(statistic), df), 1e-9)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_scores_of_0_are_compared_without_cube_roots():
    """Of levels that no model reaches: the slope of a cube root would be infinite."""
    y_true, first, second = [1, 0, 1, 0] * 5, [4, 3, 2, 1] * 5, [*range(20)]
    options = {"recall_levels": [0.5, 0.9], "n_positives": 30.0}
    name = "interpolated_average_precision"
    found = compare_scores(name, y_true, first, second, **options)
    assert (found.scores, found.difference, found.pvalue) == ((0.0, 0.0), 0.0, 1.0)
    models = {"first": first, "second": second}
    assert compare_many(name, y_true, models, **options).pvalue.tolist() == [1.0]


@pytest.mark.parametrize("is_paired", [True, False])
@given(st.integers(0, 200), st.floats(0.02, 0.98))
def test_an_interval_says_what_the_test_says(is_paired, seed, level):
    """At any level, and just above and below that of the p-value; intervals of higher
    levels are not shorter, and contain the difference.
    """
    y_true, *models = drawn(seed)
    if is_paired:
        found = compare_scores(AP, y_true, *models)
    else:
        estimates = [estimate_score(AP, y_true, model) for model in models]
        found = compare_estimates(*estimates)
    ends = []
    turn = 1 - found.pvalue
    levels = [level, turn - 1e-6, turn + 1e-6, 0.8, 0.95]
    for one in sorted(x for x in levels if 0 < x < 1):
        low, high = found.confidence_interval(one)
        assert (low > 0 or high < 0) == (found.pvalue < 1 - one)
        ends.append((low, high))
    low, high = np.transpose(ends).clip(-1, 1)
    assert (np.diff(low) <= 1e-12).all()
    assert (np.diff(high) >= -1e-12).all()
    assert (low <= found.difference + 1e-12).all()
    assert (high >= found.difference - 1e-12).all()


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_one_positive_that_outweighs_all_others_leaves_the_difference_open():
    """Cubes of the ends of roots would overflow."""
    y_true = np.arange(20_000) < 6
    first, second = np.random.default_rng(3).normal(size=(2, 20_000)) + 0.3 * y_true
    first[0], second[0] = -0.5, -0.6
    weight = np.where(np.arange(20_000), 1, 1000)
    found = compare_scores(AP, y_true, first, second, sample_weight=weight)
    assert found._roots is not None
    assert found.confidence_interval() == (-1, 1)


@pytest.mark.parametrize(("shift", "is_low"), [(1.55, True), (1.9, False)])
def test_low_scores_are_below_point_three_on_average(shift, is_low):
    """Others have the t test of their difference."""
    y_true, _, noise = drawn(2, shift=0.0)
    other = np.random.default_rng(3).normal(size=y_true.size)
    found = compare_scores(AP, y_true, other + shift * y_true, noise + 1.5 * y_true)
    assert min(found.scores) < 0.3 < max(found.scores)
    assert (np.mean(found.scores) < 0.3) == is_low
    of_scores = pytest.approx(found.difference / found.standard_error, rel=1e-12)
    assert (found.statistic != of_scores) == is_low


def test_a_level_near_0_has_an_interval():
    """Of 6 degrees of freedom, scipy has the same quantile there as in the middle."""
    roots = CubeRoots((0.05, 0.18), (0.005, 0.028, 0.029))
    difference = 0.05 - 0.18
    assert roots.ends((difference, difference), 0.0) == pytest.approx([difference] * 2)
