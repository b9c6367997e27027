"""Success at k: equal scores at the cut, counted by hand, and means over queries."""

from math import comb

import numpy as np
import pytest

from sklearn_ap import recall_at_k_score, reciprocal_rank_score, success_at_k_score


@pytest.mark.parametrize(("size", "r", "k"), [(5, 2, 2), (60, 1, 10), (1000, 3, 400), (100_000, 20, 5000)])
def test_the_chance_that_a_cut_keeps_a_positive_of_equal_ones(size, r, k):
    labels = np.arange(size) < r
    none = comb(size - r, k) / comb(size, k)
    assert success_at_k_score(labels, np.zeros(size), k=k) == pytest.approx(1 - none, rel=1e-13)
    assert success_at_k_score(labels, np.zeros(size), k=None) == pytest.approx(1, abs=1e-15)


def test_it_is_where_the_reciprocal_rank_is_not_0():
    rng = np.random.default_rng(0)
    labels, scores, query = rng.random(900) < 0.1, rng.integers(0, 50, 900), np.repeat(np.arange(90), 10)
    options = {"k": 3, "query_id": query, "average": None, "zero_division": 0.0, "ties": "stable"}
    success = success_at_k_score(labels, scores, **options)
    assert success.tolist() == (reciprocal_rank_score(labels, scores, **options) > 0).tolist()
    assert 0.1 < success.mean() < 0.9


def test_it_is_recall_where_each_query_has_one_positive():
    labels, scores, query = [0, 1, 0, 1, 0, 0, 1, 0, 0], [3, 2, 1] * 3, ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    for k in (1, 2):
        options = {"k": k, "query_id": query}
        assert success_at_k_score(labels, scores, **options) == recall_at_k_score(labels, scores, **options)


@pytest.mark.parametrize("ties", ["proportional", None])
def test_equal_scores_need_a_rank(ties):
    with pytest.raises(ValueError, match=r"^ties must be one of 'expected', 'stable'"):
        success_at_k_score([1, 0], [2, 1], ties=ties)
