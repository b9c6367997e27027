"""Draws of random rankings: every order is equally likely, and few orders are counted."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from orders import DRAWN, drawn_scores, patterns, values_of
from sklearn_ap._uncertainty._random_rankings import Orders, moments_of_random


@pytest.mark.parametrize(("sizes", "n_positives"), DRAWN, ids=str)
def test_draws_have_the_distribution_of_all_orders(sizes, n_positives):
    values, counts = np.unique(
        np.round([float(value) for value in values_of(sizes, n_positives)], 12), return_counts=True
    )
    ends = None if max(sizes) == 1 else np.cumsum(sizes)
    drawn = drawn_scores(n_positives, sum(sizes), ends, 20_000, 1)
    found, times = np.unique(np.round(drawn, 12), return_counts=True)
    assert found.tolist() == values.tolist()
    if values.size > 1:
        assert stats.chisquare(times, counts / counts.sum() * drawn.size).pvalue > 0.001


@pytest.mark.parametrize("n", range(1, 7))
def test_scores_of_all_orders(n):
    for sizes, n_positives in itertools.product(patterns(n), range(1, n + 1)):
        ends = None if max(sizes) == 1 else np.cumsum(sizes)
        found = Orders(n_positives, n, ends).all_scores(math.comb(n, n_positives))
        assert sorted(found) == pytest.approx(sorted(map(float, values_of(sizes, n_positives))), rel=1e-14), (
            sizes
        )


@pytest.mark.parametrize(
    ("n_positives", "n", "group"),
    [(50, 20_000, 1), (50, 20_000, 7), (9_000, 20_000, 1), (15_000, 20_000, 3), (9_000, 20_000, 400)],
)
def test_draws_of_long_rankings_have_the_exact_moments(n_positives, n, group):
    ends = None if group == 1 else np.append(np.arange(group, n, group), n)
    mean, deviation = moments_of_random(n_positives, n, ends)
    drawn = drawn_scores(n_positives, n, ends, 400, 3)
    assert abs(drawn.mean() - mean) < 4 * deviation / math.sqrt(drawn.size)
    assert drawn.std() == pytest.approx(deviation, rel=0.15)
