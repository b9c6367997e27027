"""No estimate, test or band sorts floats of 16 bits."""

import numpy as np
import pytest

from half_precision import half_scores, watched
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compare_many,
    compare_scores,
    estimate_score,
    expected_by_chance,
)

LABELS, SCORE = half_scores()
OTHER = half_scores(seed=1)[1]
GROUPS = -(np.arange(LABELS.size) // 3).astype(np.float16)
AP = average_precision_score
CALLS = {
    "rows": lambda: estimate_score(AP, LABELS, SCORE),
    "units": lambda: estimate_score(AP, LABELS, SCORE, unit_id=GROUPS),
    "queries": lambda: estimate_score(AP, LABELS, SCORE, query_id=GROUPS % 7),
    "cut": lambda: estimate_score(average_precision_at_k_score, LABELS, SCORE, k=20),
    "pair": lambda: compare_scores(AP, LABELS, SCORE, OTHER, unit_id=GROUPS),
    "several": lambda: compare_many(AP, LABELS, {"a": SCORE, "b": OTHER}),
    "chance": lambda: expected_by_chance(LABELS, SCORE, query_id=GROUPS % 7),
}


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("call", CALLS)
def test_no_floats_of_16_bits_are_sorted(call):
    with watched():
        CALLS[call]()
