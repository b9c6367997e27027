"""Tests of comparisons of two models on the same rows: warnings, errors and cases without
a p-value.
"""

from itertools import permutations

import numpy as np
import pytest

from brief import one_in
from oracles.uncertainty import few
from sklearn_ap import (
    average_precision_score,
    compare_scores,
)

AP = average_precision_score


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_rows", one_in(3, range(4, 12)))
@pytest.mark.parametrize(
    ("score", "options"),
    [
        ("average_precision", {}),
        ("average_precision", {"prevalence": 0.01}),
        ("interpolated_average_precision", {"n_positives": 12}),
        ("precision@3", {}),
        ("average_precision", {"unit_id": True}),
        ("average_precision", {"query_id": True}),
    ],
)
def test_a_model_equals_itself(score, options, n_rows):
    """In small samples, its score is often that of few units, or of a perfect model."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y_true = rng.random(n_rows) < 0.4
        y_true[seed % n_rows] = True
        y_score, group = rng.integers(0, 6, n_rows), rng.integers(0, 3, n_rows)
        ids = {name: group for name, value in options.items() if value is True}
        rows = y_true, y_score, y_score.astype(np.float32)
        found = compare_scores(score, *rows, **options | ids)
        assert (found.difference, found.pvalue) == (0, 1)
        for confidence_level in (0.5, 0.95):
            assert found.confidence_interval(confidence_level) == (0, 0)


# With the scores of two models, and weights.
SINGLE = [
    ([1, 0, 0], [0.9, 0.1, 0.2], [0.8, 0.2, 0.1], None),
    # By the order of the rows, rounding makes the standard error 5e-16 or 0.
    ([1, 0, 0, 0], [0, 1, 1, 1], [0, 2, 3, 1], [0.03, 0.1, 0.1, 26.1]),
]


@few
@pytest.mark.filterwarnings("ignore:Scores are nothing but")
@pytest.mark.parametrize("rows", SINGLE)
def test_a_single_positive_shows_no_variation_in_any_order_of_the_rows(rows):
    y_true, first, _, weight = rows
    reason = "NaN.*: there is a single unit or positive"
    for order in map(list, permutations(range(len(y_true)))):
        y, a, b, w = (x and [x[row] for row in order] for x in rows)
        with pytest.warns(match=reason):
            found = compare_scores("average_precision@4", y, a, b, sample_weight=w)
        assert np.isnan(found.pvalue)
        with pytest.warns(match=reason):
            assert np.isnan(found.confidence_interval()).all()
    same = compare_scores(AP, y_true, first, first, sample_weight=weight)
    assert same.pvalue == 1
