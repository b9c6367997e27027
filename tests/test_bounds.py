"""Scores are shares: rounded sums of weights never lift one above 1."""

import numpy as np
import pytest

from metrics import calls

NAMED = calls(5) | {f"{name}, share": one for name, one in calls(0.5).items() if one != calls(5)[name]}
UNWEIGHTED = ("expected", "optimistic", "pessimistic")  # orders that count rows, as a rank does
TAKE_WEIGHTS = [
    name
    for name, (_, options) in NAMED.items()
    if "reciprocal" not in name and options.get("ties") not in UNWEIGHTED
]
TENTHS = np.array([0.1, 0.2, 0.3, 0.7])  # their sums depend on the order


@pytest.mark.parametrize("name", TAKE_WEIGHTS)
def test_weights_lift_no_score_above_1(name):
    score, options = NAMED[name]
    rng = np.random.default_rng(0)
    for n in (4, 12, 25, 39) * 12:
        y_true = np.arange(n) < n * 2 // 3
        y_score = 100 * y_true + np.arange(n) // rng.integers(1, 3)  # perfect, perhaps with equal scores
        order, weight = rng.permutation(n), rng.choice(TENTHS, n)
        for layout in ({}, {"query_id": order % 2}):
            value = score(y_true[order], y_score[order], sample_weight=weight, **options, **layout)
            assert 0 <= value <= 1
