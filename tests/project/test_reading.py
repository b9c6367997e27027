"""Scores that float64 rounds, in functions above the core: the number is exact, or an
error says what to write.

`tests/core/test_reading.py` tests the scores themselves.
"""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import average_precision_score as AP
from tests.core.test_reading import IN_PYTHON, INTEGERS, NEIGHBOURS, number_or_none


@pytest.mark.filterwarnings("ignore:No positive class found")
@given(INTEGERS, st.sampled_from(list(IN_PYTHON)))
def test_integers_that_float64_rounds_are_exact_or_raise(rows, container):
    labels, exact = zip(*rows, strict=True)
    ranks = np.unique(np.array(exact, dtype=object), return_inverse=True)[1]
    scores = IN_PYTHON[container](exact)
    expected = AP(labels, ranks)

    def by_state():
        state = sklearn_ap.distributed.RankingState().update(labels, scores)
        return state.score("average_precision")

    def by_record():
        return sklearn_ap.compatibility.score_as("scikit-learn", labels, scores)

    for call in (by_state, by_record):
        assert number_or_none(call) in (None, pytest.approx(expected))


OBJECTS = (
    st.decimals(-2, 2, places=2)
    | st.decimals(0, 1, places=18)
    | st.fractions(-2, 2, max_denominator=50)
    | NEIGHBOURS
)


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


@pytest.mark.parametrize(
    "scores",
    [[Decimal("0.5"), 0.5, 2**70, 0.1], [Decimal("0.3"), Decimal("0.2")] * 2],
)
def test_objects_that_are_equal_or_differ_as_float64_have_a_threshold(scores):
    threshold = sklearn_ap.operating_point([1, 0, 1, 0], scores, k=4).threshold
    assert np.nextafter(float(min(scores)), -np.inf) <= threshold <= min(scores)
