"""Draws of random rankings: every order is equally likely, and few orders are counted."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from orders import DRAWN, drawn_scores, patterns, values_of
from sklearn_ap._uncertainty._random_rankings import Orders, moments_of_random


@pytest.mark.parametrize(("n_positives", "n"), [(1, 5), (2, 6), (3, 6), (5, 6), (3, 9)])
def test_every_set_of_rows_is_equally_likely(n_positives, n):
    rank = Orders(n_positives, n, None)._ranks(20_000, np.random.default_rng(0))
    assert rank.shape == (20_000, n_positives)
    sets, counts = np.unique(rank, axis=0, return_counts=True)
    assert sets.tolist() == [list(one) for one in itertools.combinations(range(1, n + 1), n_positives)]
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(("n_positives", "n"), [(20, 50), (300, 65_535), (40, 50), (30, 2**32)])
def test_ranks_are_in_order_and_reach_both_ends(n_positives, n):
    rank = Orders(n_positives, n, None)._ranks(500, np.random.default_rng(0))
    assert (np.diff(rank, axis=1) > 0).all()
    assert rank.min() >= 1
    assert rank.max() <= n
    mean = np.arange(1, n_positives + 1) * (n + 1) / (n_positives + 1)
    assert np.abs(rank.mean(axis=0) - mean).max() < 5 * rank.std(axis=0).max() / math.sqrt(500)


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


def test_orders_are_counted_only_if_they_are_few():
    assert Orders(3, 10, None).all_scores(119) is None
    assert Orders(10**6 // 2, 10**6, None).all_scores(10**9) is None
    assert Orders(2999, 3000, np.array([1, 3000])).all_scores(10**9) is None  # 3000 orders of 2999 ranks


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


def test_one_ranking_may_be_longer_than_a_block():
    for n_positives in (140_000, 700_000):
        mean, deviation = moments_of_random(n_positives, 1_200_000, None)
        drawn = drawn_scores(n_positives, 1_200_000, None, 3, 0)
        assert drawn == pytest.approx(mean, abs=5 * deviation)
        assert np.unique(drawn).size == 3
