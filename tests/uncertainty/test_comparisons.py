"""Tests of comparisons of two models on the same rows: warnings, errors and cases without
a p-value.
"""

from itertools import permutations

import numpy as np
import pytest

from oracles.uncertainty import few
from sklearn_ap import (
    average_precision_score,
    compare_scores,
)

AP = average_precision_score


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
