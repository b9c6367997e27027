"""How the values of several rankings become one; stated totals; rankings without
positives.
"""

import warnings

import numpy as np
import pytest

from metrics import CALLED
from sklearn_ap import (
    average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
)


def test_stated_totals_weigh_the_mean_beside_tiny_weights():
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
def test_total_found_up_to_rounding_changes_nothing(total):
    """Added up in another order, a total may be one bit above what was found, and lose
    the level 1.
    """
    value = interpolated_average_precision_score(
        *([1, 1, 1], [1, 3, 2]),
        recall_levels=[0, 0.5, 1],
        sample_weight=[1.0, 0.1, 0.8],
        n_positives=total,
    )
    assert value == 1.0


def test_a_total_may_fall_short_by_4_epsilons_per_row():
    """Weights are rounded when they are added, here and by whoever states their
    total.
    """
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
def test_one_warning_a_call_and_it_points_to_the_caller(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function([0, 0, 0], [3, 2, 1], query_id=[1, 2, 3])
    told = [(warning.category, warning.filename) for warning in caught]
    # a precision of 0 is true
    assert told == [(UserWarning, __file__)] * (function is not precision_at_k_score)


def test_a_total_beyond_float64_in_units_of_the_weights_is_the_largest_number():
    rows = {"sample_weight": [1e-100] * 3, "n_positives": 1e300}
    assert 0 <= average_precision_score([1, 0, 1], [3, 2, 1], **rows) < 1e-300
