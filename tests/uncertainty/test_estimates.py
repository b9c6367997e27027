"""Standard errors, biases and numbers of units, compared with their definitions."""

import numpy as np
import pytest

from oracles.scores import ranking
from oracles.uncertainty import (
    bias_of,
    drawn,
    drawn_weights,
)
from sklearn_ap import estimate_score

NAMES = "average_precision", "interpolated_average_precision", "pr_auc_linear"


@pytest.mark.parametrize(
    ("name", "weight", "n_missed"),
    [
        *((name, np.ones(60), 0) for name in NAMES),
        *((name, drawn_weights(1, 60), 0) for name in NAMES),
        ("average_precision", np.ones(60), 9),
    ],
)
def test_bias_is_what_positives_gain_by_counting_themselves(name, weight, n_missed):
    """One row of each positive is taken away where its precision is computed, but for a
    single row that ranks first.
    """
    y_true, y_score = (np.array(values) for values in drawn(1, 60, 0.3, 1))
    # A positive ranks first, alone.
    y_true[0], y_score[0] = 1, 9
    of_positives = weight[y_true > 0]
    own, total = (of_positives**2).sum() / of_positives.sum(), of_positives.sum()
    without, above, tp_above = 0.0, 1.0, 0.0
    for point in ranking(y_true, y_score, weight).points:
        tp, retrieved = map(float, point)
        gained, tp_above = tp - tp_above, tp
        others = tp / retrieved
        if retrieved > own + 1e-9:
            others = max(tp - own, 0) / (retrieved - own)
        height = (others + above) / 2 if name == "pr_auc_linear" else others
        without += gained * height / (total + n_missed)
        above = tp / retrieved
    options = {"sample_weight": weight}
    if n_missed:
        options = {"n_positives": total + n_missed}
    rows = name, y_true, y_score
    biased = estimate_score(*rows, **options).score
    assert bias_of(*rows, **options) == pytest.approx(biased - without, rel=1e-9)
