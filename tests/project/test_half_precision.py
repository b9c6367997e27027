"""Floats of 16 bits have the results of the same floats in 64 bits, and are not sorted.

`tests/core/test_half_precision.py` tests scores and curves.
"""

import numpy as np
import pytest

import sklearn_ap as ap
from half_precision import half_scores, watched

LABELS, SCORE = half_scores()
HALF = {"s": SCORE, "other": half_scores(seed=1)[1]}
HALF["group"] = -(np.arange(LABELS.size) // 3).astype(np.float16)
NAMES = {**vars(ap.compatibility), "ap": ap, "np": np, "y": LABELS}
NAMES["AP"] = ap.average_precision_score
CALLS = [
    "ap.estimate_score(AP, y, s)",
    "ap.estimate_score(AP, y, s, unit_id=group)",
    "ap.estimate_score(AP, y, s, query_id=group % 7)",
    "ap.estimate_score(ap.average_precision_at_k_score, y, s, k=20)",
    "ap.compare_scores(AP, y, s, other, unit_id=group)",
    "ap.compare_many(AP, y, {'a': s, 'b': other})",
    "ap.expected_by_chance(y, s, query_id=group % 7)",
    "ap.operating_point(y, s, recall=0.5)",
    "ap.operating_point(y, s, k=20)",
    "ap.operating_point(y, s, precision=0.3, sample_weight=1 - group)",
    "ap.budget_totals(y, s, k=5)",
    "ap.budget_totals(y, s, k=5, query_id=group % 7)",
    "ap.PrecisionRecallDisplay.from_predictions(y, s, plot_band=True).band",
    "ap.HitCurveDisplay.from_predictions(y, s).line_.get_xydata()",
    "compare_conventions(y, s)",
    "compare_conventions(y, s, query_id=group % 7)",
    # A comparison leaves these records out.
    "[score_as(name, y, s) for name, one in CONVENTIONS.items() if one.thresholds]",
]


@pytest.mark.filterwarnings("ignore::UserWarning")  # few units
@pytest.mark.parametrize("call", CALLS)
def test_no_floats_of_16_bits_are_sorted(call):
    with watched():
        found = eval(call, NAMES | HALF)
    wide = {name: values.astype(float) for name, values in HALF.items()}
    assert str(found) == str(eval(call, NAMES | wide))
