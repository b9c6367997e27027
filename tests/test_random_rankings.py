"""Draws of random rankings: every order is equally likely, and few orders are counted."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from orders import DRAWN, drawn_scores, patterns, values_of
from sklearn_ap._uncertainty._random_rankings import _in_order, _multisets, _RandomRanking, moments_of_random


@pytest.mark.parametrize(("n_drawn", "n"), [(1, 5), (2, 6), (3, 6), (5, 6), (3, 9)])
def test_every_set_of_rows_is_equally_likely(n_drawn, n):
    n_draws = 20_000
    above = _in_order(_multisets(n_drawn, n, n_draws, np.random.default_rng(0)))
    assert above.shape == (n_drawn, n_draws)
    rows = above.T + np.arange(n_drawn)
    sets, counts = np.unique(rows, axis=0, return_counts=True)
    assert sets.tolist() == [list(one) for one in itertools.combinations(range(n), n_drawn)]
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("n_drawn", range(1, 25))
def test_few_numbers_are_sorted_by_comparing_pairs(n_drawn):
    """A network that sorts zeros and ones sorts all numbers (Knuth); of many, some thousand are tried."""
    columns = (
        np.arange(2**n_drawn) if n_drawn <= 10 else np.random.default_rng(0).integers(2**n_drawn, size=4000)
    )
    number = (columns >> np.arange(n_drawn)[:, np.newaxis] & 1).astype(np.uint16)
    assert np.array_equal(_in_order(number.copy()), np.sort(number, axis=0))


# In 16 bits by a network and by radix, in 32 bits, and in 64.
@pytest.mark.parametrize(("n_drawn", "n"), [(20, 50), (300, 65_535), (30, 50), (300, 65_536), (30, 2**32)])
def test_numbers_are_in_order_and_reach_both_ends(n_drawn, n):
    above = _in_order(_multisets(n_drawn, n, 500, np.random.default_rng(0))).astype(np.int64)
    assert (np.diff(above, axis=0) >= 0).all()
    last = n - n_drawn
    assert above.min() >= 0
    assert above.max() <= last
    # The mean number above positive i is i (last + 1) / (n_drawn + 1) - i / (n_drawn + 1).
    mean = np.arange(1, n_drawn + 1) * last / (n_drawn + 1)
    assert np.abs(above.mean(axis=1) - mean).max() < 5 * above.std(axis=1).max() / math.sqrt(500)


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
        found = _RandomRanking(n_positives, n, ends).all_scores(math.comb(n, n_positives))
        assert sorted(found) == pytest.approx(sorted(map(float, values_of(sizes, n_positives))), rel=1e-14), (
            sizes
        )


def test_orders_are_counted_only_if_they_are_few():
    assert _RandomRanking(3, 10, None).all_scores(119) is None
    assert _RandomRanking(10**6 // 2, 10**6, None).all_scores(10**9) is None
    assert (
        _RandomRanking(2999, 3000, np.array([1, 3000])).all_scores(10**9) is None
    )  # 3000 orders of 2999 ranks
    assert _RandomRanking(2999, 3000, None).all_scores(3000).size == 3000  # of one negative


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
    for n_positives in (140_000, 700_000):  # by positives, and by negatives
        mean, deviation = moments_of_random(n_positives, 1_200_000, None)
        drawn = drawn_scores(n_positives, 1_200_000, None, 3, 0)
        assert drawn == pytest.approx(mean, abs=5 * deviation)
        assert np.unique(drawn).size == 3
