"""Tests of `chance_level` against all orders of rows in exact fractions, and with
queries.
"""

from itertools import combinations, product

import numpy as np
import pytest

from oracles import scores as oracle
from sklearn_ap import chance_level


def mean_of(y_score, n_positives):
    """Return the mean average precision over all orders, in fractions."""
    n = len(y_score)
    values = [
        oracle.step(oracle.ranking([row in rows for row in range(n)], y_score))
        for rows in combinations(range(n), n_positives)
    ]
    return sum(values) / len(values)


@pytest.mark.parametrize("n", range(1, 7))
def test_level_is_the_mean_of_all_orders(n):
    """All ways to tie rows with the row above are tested."""
    for is_next, n_positives in product(product((0, 1), repeat=n - 1), range(1, n + 1)):
        y_score = (-np.cumsum([0, *is_next])).tolist()
        labels = np.arange(n) < n_positives
        mean = float(mean_of(y_score, n_positives))
        chance = chance_level(labels, y_score)
        assert chance == pytest.approx(mean, rel=1e-14, abs=0)
        if all(is_next):
            assert chance_level(labels) == chance


@pytest.mark.parametrize("y_score", [None, np.arange(24) * 5 % 7 // 2])
def test_each_query_has_the_chance_level_of_a_single_ranking(y_score):
    query = np.random.default_rng(0).permutation(np.repeat([*"abcde"], [5, 3, 6, 2, 8]))
    y_true = np.arange(24) % 3 > 0
    y_true[np.unique(query, return_index=True)[1]] = True
    singles = [
        chance_level(y_true[rows], y_score if y_score is None else y_score[rows])
        for rows in (query == name for name in "abcde")
    ]
    levels = chance_level(y_true, y_score, query_id=query)
    assert levels == dict(zip("abcde", singles, strict=True))


def test_the_chance_level_of_one_ranking_without_positives():
    assert chance_level([0, 0], zero_division=1.0) == 1.0
    with pytest.raises(ValueError, match="zero_division must be None, "):
        chance_level([0, 0, 1], zero_division="warn")
