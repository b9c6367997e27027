"""Levels are compared to the last bit, and areas keep their digits where plain formulas
would lose them. `test_reading_rows` contains levels that weights meet or miss by a
rounding.
"""

import numpy as np
import pytest
from sklearn import metrics

from brief import every_third
from oracles import scores as oracle
from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
)

# --- precision of sums ----------------------------------------------------------------


@pytest.mark.parametrize(
    "weights",
    [
        [10**5, 10**9, 1, 1, 1],
        [3, 10**15, 1, 1, 1],
        [0, 10**9, 1, 1, 1],
        [0, 10**5, 50, 70, 200],
    ],
)
def test_davis_goadrich_of_neighbouring_counts(weights):
    """Weights stand for counts. The logarithm of the plain quotient would lose 7e-4
    here.
    """
    rows = [1, 0, 1, 1, 1], [5, 4, 3, 2, 1]
    value = pr_auc_score(*rows, sample_weight=weights, interpolation="davis-goadrich")
    expected = float(oracle.davis_goadrich(oracle.ranking(*rows, weights)))
    assert value == pytest.approx(expected, rel=1e-14, abs=0)


def test_weights_near_the_largest_exact_ones_reach_the_same_of_many_levels():
    """Products of levels and whole weights are exact, also beyond 2**63."""
    rng = np.random.default_rng(0)
    labels, scores, weights = (rng.integers(0, most, 200) for most in (2, 150, 2**33))
    light, heavy = (
        interpolated_average_precision_score(
            labels, scores, sample_weight=one, recall_levels=50_001
        )
        for one in (weights.astype(float), weights * 2.0**11)
    )
    assert light == heavy


@pytest.mark.parametrize("unit", [3, 7, 9])
@pytest.mark.parametrize("n_found", range(1, 9))
def test_a_total_that_is_not_a_whole_count_reaches_its_levels(n_found, unit):
    found = unit * n_found
    rows = [1] * n_found, range(n_found)
    for total in every_third(range(found, 100)):
        score = eleven_point_average_precision_score(
            *rows, sample_weight=[unit] * n_found, n_positives=total
        )
        assert score == (10 * found // total + 1) / 11


# --- scores that are equal as float64 -------------------------------------------------

# Different numbers, of which float64 rounds some to the same value.
CLOSE = {
    "int64": 2**53 + np.arange(2),
    "large int64": 2**63 - 1 - np.arange(3),
    "lowest int64": -(2**63) + np.arange(3),
    "uint64": np.uint64(2**64 - 1) - np.arange(3, dtype=np.uint64),
    "longdouble": 1 + np.arange(3) * np.finfo(np.longdouble).eps,
}


@pytest.mark.parametrize("kind", CLOSE)
@pytest.mark.parametrize("n_rows", [30, 16_384])
def test_numbers_that_float64_rounds_are_different_scores(n_rows, kind):
    row = np.arange(n_rows)
    score, labels, weight = np.resize(CLOSE[kind], n_rows), row % 3 == 0, 1.0 + row % 5
    _, rank = np.unique(score, return_inverse=True)
    for weights in (None, weight):
        found = average_precision_score(labels, score, sample_weight=weights)
        expected = metrics.average_precision_score(labels, rank, sample_weight=weights)
        assert found == pytest.approx(expected, abs=1e-14)
    if kind == "int64" and n_rows == 16_384:
        assert found == pytest.approx(0.33339098, abs=1e-8)
