"""Integers that float64 rounds, in functions above the core: arrays of them are exact.

`tests/core/test_reading.py` tests the scores themselves.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import average_precision_score as AP

# float64 rounds some of the integers next to these.
NEIGHBOURS = st.builds(
    lambda large, step: large + step,
    st.sampled_from([2**53, 2**62, -(2**53), 0]),
    st.integers(-3, 3),
)
# Rows of a label and a score.
INTEGERS = st.lists(st.tuples(st.booleans(), NEIGHBOURS), min_size=2, max_size=8)


@pytest.mark.filterwarnings("ignore:No positive class found")
@given(INTEGERS)
def test_integers_that_float64_rounds_are_exact(rows):
    labels, scores = map(np.array, zip(*rows, strict=True))
    expected = AP(labels, np.unique(scores, return_inverse=True)[1])
    state = sklearn_ap.distributed.RankingState().update(labels, scores)
    assert state.score("average_precision") == pytest.approx(expected)
    by_record = sklearn_ap.compatibility.score_as("scikit-learn", labels, scores)
    assert by_record == pytest.approx(expected)


@given(
    INTEGERS,
    st.sampled_from(
        [{"recall": 0.5}, {"beta": 1}, {"k": 8}, {"miss_cost": 9}, {"specificity": 0}]
    ),
)
def test_scores_that_float64_rounds_reach_their_threshold(rows, condition):
    labels, scores = map(np.array, zip(*rows, strict=True))
    labels[0] = True
    point = sklearn_ap.operating_point(labels, scores, **condition)
    retrieved = scores >= point.threshold
    assert retrieved.sum() == point.n_retrieved
    assert sum(labels & retrieved) == point.weight_found
    share, _, thresholds = sklearn_ap.hit_curve(labels, scores)
    n_retrieved = [sum(scores >= threshold) for threshold in thresholds]
    assert n_retrieved == pytest.approx(share * len(scores))
