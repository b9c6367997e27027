"""Levels are compared exactly, by the same rule for scores, lists of levels and
thresholds. `tests/core/test_reading_rows.py` tests the other cases.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import scores as oracle
from problems import labels_with_a_positive
from sklearn_ap import (
    operating_point,
    precision_at_recall_score,
)


@st.composite
def rankings(draw):
    size = draw(st.integers(2, 12))
    y_true = draw(labels_with_a_positive(size))
    scores = st.lists(st.integers(0, 6), min_size=size, max_size=size)
    return list(map(int, y_true)), draw(scores)


CLASS_WEIGHTS = (0.7, 0.3), (3.0, 0.1), (0.01, 7.77), (1 / 3, 1)


@given(rankings(), st.sampled_from(CLASS_WEIGHTS), st.integers(0, 7))
def test_class_weights_meet_the_recalls_of_counts(ranking, weights, n_missed):
    """Missed positives are counted in the weight of a positive."""
    y_true, y_score = ranking
    options = {"sample_weight": np.where(y_true, *weights)}
    n_positives = sum(y_true) + n_missed
    if n_missed:
        options["n_positives"] = float(Fraction(str(weights[0])) * n_positives)
    points = oracle.operating_points(oracle.ranking(*ranking, options["sample_weight"]))
    hits = {
        point.threshold: sum(
            np.compress(np.greater_equal(y_score, point.threshold), y_true)
        )
        for point in points
    }
    for threshold, n_found in hits.items():
        recall = int(n_found) / n_positives
        fixed = operating_point(y_true, y_score, threshold=threshold, **options)
        assert fixed.recall == recall
        if n_found:
            point = operating_point(y_true, y_score, recall=recall, **options)
            assert point.recall >= recall
            # The same rows are retrieved, whatever the weights of the classes are.
            best = max(
                one.precision for one in points if hits[one.threshold] >= n_found
            )
            score = precision_at_recall_score(y_true, y_score, recall=recall, **options)
            assert score == pytest.approx(float(best), rel=1e-13)
