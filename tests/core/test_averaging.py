"""Means of several rankings, totals of positives, and rankings without positives."""

import warnings

import numpy as np
import pytest

from metrics import CALLED
from sklearn_ap import (
    average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
)


def test_a_weighted_mean_uses_totals_even_if_weights_are_tiny():
    value = average_precision_score(
        [1, 1, 1],
        [3, 2, 1],
        sample_weight=[1, 1, 1e-150],
        query_id=["found", "found", "missed"],
        n_positives={"found": 2.0, "missed": 3.0},
        average="weighted",
    )
    assert value == pytest.approx(2 / 5, abs=1e-15)


# --- stated totals --------------------------------------------------------------------


@pytest.mark.parametrize(
    "total", [1.0 + 0.1 + 0.8, 0.8 + 0.1 + 1.0, 1.9000000000000004]
)
def test_a_total_that_differs_by_rounding_has_no_effect(total):
    """Weights that are added up in another order may differ by one bit. A total that is
    one bit too high must not lower the recall below the level 1.
    """
    value = interpolated_average_precision_score(
        *([1, 1, 1], [1, 3, 2]),
        recall_levels=[0, 0.5, 1],
        sample_weight=[1.0, 0.1, 0.8],
        n_positives=total,
    )
    assert value == 1.0


def test_a_total_may_be_too_low_by_4_epsilons_per_row():
    """Sums of weights are rounded, both in this package and in the code of the caller."""
    weights, slack = [1.0, 0.7, 0.3, 0.9], 4 * np.finfo(np.float64).eps

    def score(epsilons):
        return average_precision_score(
            *([1, 1, 1, 0], [4, 3, 2, 1]),
            sample_weight=weights,
            n_positives=sum(weights[:3]) * (1 - epsilons * slack),
        )

    assert score(3.9) == 1
    with pytest.raises(ValueError, match="must not be below"):
        score(4.2)


# --- rankings without positives -------------------------------------------------------


@pytest.mark.parametrize("function", CALLED, ids=lambda function: function.__name__)
def test_each_call_warns_once_with_the_line_of_the_caller(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function([0, 0, 0], [3, 2, 1], query_id=[1, 2, 3])
    told = [(warning.category, warning.filename) for warning in caught]
    # The precision at k is 0 without positives, so it needs no warning.
    assert told == [(UserWarning, __file__)] * (function is not precision_at_k_score)


def test_a_total_that_overflows_as_a_count_keeps_scores_finite():
    rows = {"sample_weight": [1e-100] * 3, "n_positives": 1e300}
    assert 0 <= average_precision_score([1, 0, 1], [3, 2, 1], **rows) < 1e-300
