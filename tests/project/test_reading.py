"""What may be passed: every container and dtype gives the same number, and nothing
passed is modified, in calls of several subpackages; `tests/core/test_reading.py` has
the others.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import average_precision_score

LARGE = st.sampled_from([2**53, 2**63, 2**64, -(2**53), -(2**63)])

NEIGHBOURS = st.builds(lambda large, step: large + step, LARGE, st.integers(-3, 3))

IN_PYTHON = {
    "list": list,
    "tuple": tuple,
    "objects": lambda scores: np.array(scores, dtype=object),
    "Series": lambda scores: pd.Series(scores, dtype=object),
    "numpy's integers": lambda scores: [
        np.int64(score) if abs(score) < 2**63 else score for score in scores
    ],
}


@pytest.mark.filterwarnings("ignore:No positive class found")
@given(
    st.lists(
        st.tuples(st.booleans(), NEIGHBOURS | st.sampled_from([0, 1, 0.5, 2.0**53])),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(list(IN_PYTHON)),
)
def test_integers_that_float64_rounds_are_exact_or_refused(rows, container):
    labels, exact = zip(*rows, strict=True)
    ranks = np.unique(np.array(exact, dtype=object), return_inverse=True)[1]
    scores = IN_PYTHON[container](exact)
    labels = list(map(int, labels))
    expected = average_precision_score(labels, ranks)
    assert average_precision_score(labels, scores) == expected
    state = sklearn_ap.distributed.RankingState()
    score_as = sklearn_ap.compatibility.score_as
    for call in (
        lambda: score_as("scikit-learn", labels, scores),
        lambda: state.update(labels, scores).score("average_precision"),
    ):
        assert unless_refused(call) in (None, pytest.approx(expected))


def unless_refused(call, refusal="equal: pass np.asarray(y_score"):
    """The answer of a call, or None if it refuses scores that float64 makes equal."""
    try:
        return call()
    except ValueError as error:
        if refusal not in str(error):
            raise
        return None


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
    curve = unless_refused(lambda: sklearn_ap.hit_curve(labels, scores))
    if curve is None:
        return
    point = sklearn_ap.operating_point(labels, scores, **condition)
    retrieved = [score >= point.threshold for score in scores]
    assert sum(retrieved) == point.n_retrieved
    found = sum(label for label, is_in in zip(labels, retrieved, strict=True) if is_in)
    assert found == point.weight_found
    share, _, thresholds = curve
    for rows_above, threshold in zip(share, thresholds.tolist(), strict=True):
        n_retrieved = sum(score >= threshold for score in scores)
        assert n_retrieved == pytest.approx(rows_above * len(scores))


DIGITS = [Decimal(f"0.1234567890123456{digits}") for digits in (7893, 7892, 7891, 789)]

BEYOND_FLOAT64 = {
    "integers": [2**64 + row for row in (3, 2, 1, 0)],
    "decimals": DIGITS,
    "fractions": list(map(Fraction, DIGITS)),
}


@pytest.mark.filterwarnings("ignore:The sample has only 2 positives")
@pytest.mark.parametrize("kind", BEYOND_FLOAT64)
@pytest.mark.parametrize("container", [list, pd.Series])
def test_objects_beyond_float64_are_ranked_exactly(kind, container):
    scores = container(BEYOND_FLOAT64[kind])
    columns = np.array([BEYOND_FLOAT64[kind]] * 2, dtype=object).T
    labels = np.array([[1, 0, 1, 0], [0, 1, 0, 1]]).T
    np.testing.assert_allclose(
        average_precision_score(labels, columns, average=None), [5 / 6, 0.5]
    )
    queries = {"query_id": [1, 1, 2, 2]}
    assert sklearn_ap.score_by_query(
        average_precision_score, [1, 0, 0, 1], scores, **queries
    ) == {1: 1.0, 2: 0.5}
    estimate = sklearn_ap.estimate_score(average_precision_score, [1, 0, 1, 0], scores)
    assert estimate.score == pytest.approx(5 / 6)
    chance = sklearn_ap.chance_level([1, 0, 1, 0], scores)
    same = sklearn_ap.chance_level([1, 0, 1, 0], [4, 3, 2, 1])
    assert chance == same


@pytest.mark.parametrize("kind", BEYOND_FLOAT64)
def test_objects_beyond_float64_are_refused_where_scores_are_returned(kind):
    y_true, y_score = [1, 0, 1, 0], BEYOND_FLOAT64[kind]
    state = sklearn_ap.distributed.RankingState()
    for call in (
        lambda: sklearn_ap.operating_point(y_true, y_score, k=2),
        lambda: sklearn_ap.hit_curve(y_true, y_score),
        lambda: sklearn_ap.interpolated_precision_recall_curve(y_true, y_score),
        lambda: sklearn_ap.compatibility.score_as("scikit-learn", y_true, y_score),
        lambda: state.update(y_true, y_score),
    ):
        with pytest.raises(
            ValueError,
            match=r"^y_score must contain real numbers; float64 makes some of \[.*\] equal: "
            r"pass np\.asarray\(y_score, dtype=np\.float64\)",
        ):
            call()
    # Objects that are equal, or that float64 tells apart, are no reason to refuse them.
    for plain in ([Decimal("0.5"), 0.5, 2**70, 0.1], ["0.3", "0.2"] * 2):
        scores = list(map(Decimal, plain)) if isinstance(plain[0], str) else plain
        point = sklearn_ap.operating_point(y_true, scores, k=4)
        low = np.nextafter(float(min(scores)), -np.inf)
        assert low <= point.threshold <= min(scores)
