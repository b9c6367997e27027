"""Scores that float64 rounds, in functions above the core: the number is exact, or an
error says what to write.

`tests/core/test_reading.py` tests the scores themselves.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap
from doors import DOORS
from sklearn_ap import average_precision_score as AP
from tests.core.test_reading import IN_PYTHON, INTEGERS, NEIGHBOURS, number_or_none


@pytest.mark.filterwarnings("ignore:No positive class found")
@given(INTEGERS, st.sampled_from(list(IN_PYTHON)))
def test_integers_that_float64_rounds_are_exact_or_raise(rows, container):
    labels, exact = zip(*rows, strict=True)
    ranks = np.unique(np.array(exact, dtype=object), return_inverse=True)[1]
    scores = IN_PYTHON[container](exact)
    expected = AP(labels, ranks)
    for call in (
        lambda: sklearn_ap.compatibility.score_as("scikit-learn", labels, scores),
        lambda: (
            sklearn_ap.distributed.RankingState()
            .update(labels, scores)
            .score("average_precision")
        ),
    ):
        assert number_or_none(call) in (None, pytest.approx(expected))


DECIMALS = st.decimals(-2, 2, places=2) | st.decimals(
    0, 1, places=18, allow_infinity=False
)

FRACTIONS = st.fractions(-2, 2, max_denominator=50)

OBJECTS = DECIMALS | FRACTIONS | NEIGHBOURS


@given(
    st.lists(st.tuples(st.booleans(), OBJECTS), min_size=2, max_size=8),
    st.sampled_from(
        [{"recall": 0.5}, {"beta": 1}, {"k": 8}, {"miss_cost": 9}, {"specificity": 0}]
    ),
)
def test_a_threshold_of_objects_retrieves_exactly_its_rows(rows, condition):
    labels, scores = zip(*rows, strict=True)
    labels = [1, *map(int, labels[1:])]
    curve = number_or_none(lambda: sklearn_ap.hit_curve(labels, scores))
    if curve is None:
        return
    point = sklearn_ap.operating_point(labels, scores, **condition)
    retrieved = [score >= point.threshold for score in scores]
    assert sum(retrieved) == point.n_retrieved
    assert np.dot(labels, retrieved) == point.weight_found
    share, _, thresholds = curve
    n_retrieved = [sum(s >= t for s in scores) for t in thresholds.tolist()]
    assert n_retrieved == pytest.approx(share * len(scores))


DIGITS = [Decimal(f"0.1234567890123456{digits}") for digits in (7893, 7892, 7891, 789)]

BEYOND_FLOAT64 = {
    "integers": [2**64 + row for row in (3, 2, 1, 0)],
    "decimals": DIGITS,
    "fractions": list(map(Fraction, DIGITS)),
}


@pytest.mark.parametrize("scores", BEYOND_FLOAT64.values(), ids=BEYOND_FLOAT64)
@pytest.mark.parametrize("door", DOORS)
def test_different_objects_that_are_equal_as_float64_raise(door, scores):
    with pytest.raises(
        ValueError,
        match=r"y_score must contain real numbers; different scores among \[.*\] are "
        r"equal as float64: to accept this, pass np\.asarray\(y_score, dtype=np\.float64\)",
    ):
        DOORS[door]([1, 0, 1, 0], scores)


@pytest.mark.parametrize(
    "scores",
    [[Decimal("0.5"), 0.5, 2**70, 0.1], [Decimal("0.3"), Decimal("0.2")] * 2],
)
def test_objects_that_are_equal_or_differ_as_float64_have_a_threshold(scores):
    threshold = sklearn_ap.operating_point([1, 0, 1, 0], scores, k=4).threshold
    assert np.nextafter(float(min(scores)), -np.inf) <= threshold <= min(scores)
