"""Levels are compared to the last bit, and areas keep their digits where plain formulas
would lose them. `test_reading_rows` contains levels that weights meet or miss by a
rounding.
"""

import numpy as np
import pytest

from oracles import scores as oracle
from sklearn_ap import (
    interpolated_average_precision_score,
    pr_auc_score,
)


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
