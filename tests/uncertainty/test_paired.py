"""The rules of a difference between two scores of the same units, compared with their
definitions; and the agreement of the test and the interval.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import examples
from oracles.uncertainty import (
    CONFIDENCE_LEVELS,
    assert_test_and_interval_agree,
    drawn_weights,
)
from sklearn_ap import (
    average_precision_score,
    compare_scores,
)

AP = average_precision_score


N = 240
# The first unit has 17 rows, and the last units have one row.
UNIT = np.arange(N) ** 2 // N


def models(seed, better=0.2, level=1.0):
    """Return labels and the scores of two models. Those of a unit are similar."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(N) < 0.2)[UNIT].astype(int)
    y_true[:6] = 1, 0, 1, 0, 1, 0
    similar = rng.normal(size=N)[UNIT]
    first, second = rng.normal(size=(2, N)) + similar + level * y_true
    return y_true, first + better * y_true, second


# --- the interval of confidence level 1 - a excludes 0 if and only if p <= a -----------


# A score, its options, and how much higher the scores of positives are.
KINDS = {
    "rows": (AP, {}, 1.5),
    "low": (AP, {}, 0.0),
    "high": (AP, {}, 4.5),
    "units": (AP, {"unit_id": UNIT}, 1.5),
    "low units": (AP, {"unit_id": UNIT}, 0.0),
    "weights": (AP, {"sample_weight": drawn_weights(1, N)}, 1.5),
    "far below": (AP, {"prevalence": 0.01}, 1.5),
    "far above": (AP, {"prevalence": 0.7}, 1.5),
    "queries": (AP, {"query_id": UNIT % 20}, 1.5),
    "fixed queries": (AP, {"query_id": np.arange(N) % 3, "unit_id": UNIT}, 1.5),
    "columns": (AP, {"average": "macro", "prevalence": 0.02}, 1.5),
    "cut": ("precision@20", {}, 1.5),
    "weights at a cut": ("recall@20", {"sample_weight": drawn_weights(1, N)}, 1.5),
    "recall": ("precision_at_recall@0.5", {}, 1.5),
}


def compared(kind, y_true, first, second):
    score, options, _ = KINDS[kind]
    rows = y_true, first, second
    if kind == "columns":
        rows = (each.reshape(-1, 3) for each in rows)
    return compare_scores(score, *rows, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@examples(8, 12)
@given(seed=st.integers(0, 10_000), better=st.floats(0, 1.2))
def test_zero_lies_outside_an_interval_if_and_only_if_the_test_rejects(
    kind, seed, better
):
    rows = models(seed, better, KINDS[kind][-1])
    assert_test_and_interval_agree(compared(kind, *rows))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@examples(5, 8)
@given(seed=st.integers(0, 10_000))
def test_either_model_may_come_first(kind, seed):
    y_true, first, second = models(seed, level=KINDS[kind][-1])
    found = compared(kind, y_true, first, second)
    back = compared(kind, y_true, second, first)
    assert back.pvalue == pytest.approx(found.pvalue, rel=1e-9, nan_ok=True)
    for confidence_level in CONFIDENCE_LEVELS:
        low, high = back.confidence_interval(confidence_level)
        endpoints = pytest.approx((-high, -low), rel=1e-6, abs=1e-12, nan_ok=True)
        assert found.confidence_interval(confidence_level) == endpoints
