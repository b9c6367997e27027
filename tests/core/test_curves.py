"""The curves equal their definitions at every threshold, and the precision-recall curve
has the bits of scikit-learn's. All curves accept several classes and totals.
`test_scikit_learn_parity` compares errors and warnings.
"""

import numpy as np
import pytest
from sklearn import metrics

from rankings import hard_scores
from scoring import VERSION
from sklearn_ap import (
    hit_curve,
    precision_recall_curve,
)


# scikit-learn subtracts scores, and the difference of extreme ones overflows.
@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@pytest.mark.parametrize("n_rows", [1, 2, 5, 30, 100, 300, 3_000, 20_000])
def test_the_curve_has_the_bits_of_scikit_learn(n_rows):
    rng = np.random.default_rng(n_rows)
    for name, y_score in hard_scores(rng, n_rows).items():
        # There, the difference of two infinite scores is NaN, so they are not tied.
        if np.isinf(y_score).any():
            continue
        y_true = rng.random(n_rows) < rng.choice([0.02, 0.3, 0.9])
        y_true[rng.integers(n_rows)] = True
        floats, integers = rng.random(n_rows) + 0.01, rng.integers(1, 4, n_rows)
        weights = [None, floats, floats.astype(np.float32), integers]
        arguments = {
            "sample_weight": weights[rng.integers(4)],
            "drop_intermediate": bool(rng.integers(2)),
        }
        *ours, thresholds = precision_recall_curve(y_true, y_score, **arguments)
        *theirs, expected = metrics.precision_recall_curve(y_true, y_score, **arguments)
        np.testing.assert_array_equal(thresholds, expected, name, strict=True)
        # Before 1.9, the weights of equal scores were added up in another order.
        limit = 3e-16 if VERSION >= (1, 9) else 1e-14
        if arguments["sample_weight"] is None:
            limit = 0
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=limit, err_msg=name)
        from_best = hit_curve(y_true, y_score)[2].tolist()
        assert from_best == [np.inf, *np.unique(y_score)[::-1].tolist()], name
