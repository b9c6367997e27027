"""Tests of `expected_by_chance` against all orders of rows in exact
fractions, and with several rankings.
"""

from itertools import combinations, product

import array_api_strict
import numpy as np
import pytest
import sklearn

from oracles import scores as oracle
from sklearn_ap import expected_by_chance, score_by_query
from tests.core.test_array_api import pytestmark as takes_devices


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
        chance = expected_by_chance(labels, y_score)
        assert chance == pytest.approx(mean, rel=1e-14, abs=0)
        if all(is_next):
            assert expected_by_chance(labels) == chance


@pytest.mark.parametrize("y_score", [None, np.arange(24) * 5 % 7 // 2])
def test_the_chance_of_queries_is_the_mean_of_single_rankings(y_score):
    query = np.random.default_rng(0).permutation(np.repeat([*"abcde"], [5, 3, 6, 2, 8]))
    y_true = np.arange(24) % 3 > 0
    y_true[np.unique(query, return_index=True)[1]] = True
    singles = [
        expected_by_chance(y_true[rows], y_score if y_score is None else y_score[rows])
        for rows in (query == name for name in "abcde")
    ]
    rows = {"y_true": y_true, "y_score": y_score, "query_id": query}
    np.testing.assert_allclose(
        expected_by_chance(**rows, average=None), singles, rtol=1e-15
    )
    assert expected_by_chance(**rows) == pytest.approx(np.mean(singles), rel=1e-15)
    if y_score is not None:
        values = score_by_query(expected_by_chance, **rows)
        assert [*values] == [*"abcde"]


@pytest.mark.parametrize(("n_positives", "n"), [(1, 4), (3, 3), (16, 23), (14, 24)])
def test_the_chance_of_tied_rows_is_their_share(n_positives, n):
    found = expected_by_chance(np.arange(n) < n_positives, np.ones(n))
    assert found == n_positives / n


@takes_devices
def test_chances_are_on_the_device_of_the_scores(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # which scikit-learn asks for
    device = array_api_strict.Device("device1")
    labels, scores = [0, 1, 2], np.eye(3)
    with sklearn.config_context(array_api_dispatch=True):
        on_device = array_api_strict.asarray(scores, device=device)
        chances = expected_by_chance(labels, on_device, average=None)
        assert chances.device == device
        for of_host in (scores, None):
            chances = expected_by_chance(labels, of_host, average=None)
            assert type(chances) is np.ndarray
