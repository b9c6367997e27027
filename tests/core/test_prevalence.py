"""Scores at a prevalence close to 0 or 1, and with one weight per class."""

import numpy as np

from sklearn_ap import (
    average_precision_score,
    score_by_query,
)
from sklearn_ap._core.ranking.prevalence import factor_of_negatives


def test_without_positives_negatives_keep_their_weight():
    """The precision of a threshold is 0 then, and not NaN."""
    factor = factor_of_negatives(np.zeros(1), np.ones(1), 0.1)
    assert factor.tolist() == [1]


def test_positives_of_one_weight_are_counted_although_negatives_differ():
    """Sums of 0.1 would be rounded. 0.2 / 0.1 and 0.4 / 0.1 are whole numbers, whatever
    weights another query has.
    """
    weight = np.array([1.0, 2, 6, 2, 4, 1, 2, 4, 2, 1, 1, 1])
    y_true, y_score = weight == 1, np.arange(12)
    expected = average_precision_score(y_true, y_score, sample_weight=weight)
    value = average_precision_score(y_true, y_score, sample_weight=weight / 10)
    by_query = score_by_query(
        average_precision_score,
        *np.tile([y_true, y_score], 3),
        sample_weight=np.concatenate([weight / 10, weight, 1 + y_score]),
        query_id=np.repeat([0, 1, 2], 12),
    )
    assert value == by_query[0] == by_query[1] == expected


def test_a_whole_weight_is_a_number_of_equal_rows():
    """Weights are not divided by the 7 of the positives: 5 / 7 would be rounded."""
    rows = np.array([np.arange(30) % 4 == 0, np.arange(30)])
    weight = np.where(rows[0], 7, np.arange(30) % 5 + 1)
    value = average_precision_score(*rows, sample_weight=weight)
    assert value == average_precision_score(*rows.repeat(weight, axis=1))
