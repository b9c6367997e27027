"""How the values of several rankings become one; stated totals; rankings without
positives.
"""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from metrics import CALLED
from sizes import sizes
from sklearn_ap import (
    average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
)

QUERY = ["b", "a", "b", "a", "c"]
# a: 0 1 -> 1/2; b: 1 0 -> 1; c: 1 -> 1
LABELS, SCORES = (
    [1, 0, 0, 1, 1],
    [4, 3, 2, 1, 0],
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


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 0.1]])
def test_a_long_column_has_the_score_that_it_has_alone(weights):
    labels = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]])
    scores = np.array([[4, 1, 4], [3, 2, 1], [2, 3, 2], [2, 4, 3]])
    options = {"sample_weight": weights, "zero_division": math.nan}
    alone = [
        average_precision_score(*column, **options)
        for column in zip(labels.T, scores.T, strict=True)
    ]
    with sizes({("sklearn_ap._core.ranking.runs", "LONG_ROWS"): 4}):
        each = average_precision_score(labels, scores, average=None, **options)
        mean = average_precision_score(labels, scores, **options)
    np.testing.assert_array_equal(each, alone)
    assert mean == pytest.approx((alone[0] + alone[2]) / 2, abs=1e-15)


# --- stated totals --------------------------------------------------------------------


@pytest.mark.parametrize("weights", [[1.0, 0.1, 0.8], [0.1, 0.1, 0.1]])
def test_total_found_up_to_rounding_changes_nothing(weights):
    """Added up in another order, a total may be one bit above what was found, and lose
    the level 1.
    """
    arguments = {"recall_levels": [0, 0.5, 1], "sample_weight": weights}
    for total in (sum(weights), sum(weights[::-1]), np.nextafter(sum(weights), 9)):
        value = interpolated_average_precision_score(
            [1, 1, 1], [1, 3, 2], n_positives=total, **arguments
        )
        assert value == 1.0


@pytest.mark.parametrize(("epsilons", "is_accepted"), [(3.9, True), (4.2, False)])
def test_a_total_may_fall_short_by_4_epsilons_per_row(epsilons, is_accepted):
    """Weights are rounded when they are added, here and by whoever states their
    total.
    """
    weights = [1.0, 0.7, 0.3, 0.9]
    total = sum(weights[:3]) * (1 - epsilons * 4 * np.finfo(np.float64).eps)
    arguments = {"sample_weight": weights, "n_positives": total}
    if is_accepted:
        assert average_precision_score([1, 1, 1, 0], [4, 3, 2, 1], **arguments) == 1
    else:
        with pytest.raises(ValueError, match="must not be below"):
            average_precision_score([1, 1, 1, 0], [4, 3, 2, 1], **arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"n_positives": 2},
            "^n_positives must not be below the positives in y_true; got 2, where 3 were",
        ),
        (
            {"n_positives": -1},
            "^n_positives must contain numbers >= 0 with a finite sum; got -1",
        ),
        (
            {"n_positives": np.nan},
            "^n_positives must contain numbers >= 0 with a finite sum; got nan",
        ),
        (
            {"n_positives": True},
            "^n_positives must contain numbers >= 0 with a finite sum; got True",
        ),
        (
            {"n_positives": "3"},
            "^n_positives must contain numbers >= 0 with a finite sum; got '3'",
        ),
        (
            {"n_positives": {"a": 3}},
            "^n_positives must be one number .* query_id a mapping .*; got .*3",
        ),
        (
            {"n_positives": [3, 3]},
            "^n_positives must be one number .* one per ranking .* .1 here",
        ),
        (
            {"n_positives": [[3]]},
            "^n_positives must be one number where .* got ..3..",
        ),
        (
            {"n_positives": [3], "query_id": QUERY},
            "^n_positives must be .* .3 here., or with query_id a mapping {query: total}",
        ),
        (
            {"n_positives": {"a": 3, "b": 1}, "query_id": QUERY},
            "^n_positives contains no total for query 'c'",
        ),
        (
            {"n_positives": {"a": 1, "b": 0.5, "c": 1}, "query_id": QUERY},
            "^n_positives must not be below the positives in y_true; got 0.5 for 'b', where 1 were found",
        ),
        (
            {
                "n_positives": {"a": 1, "b": 0.5, "c": 1},
                "query_id": QUERY,
                "average": "micro",
            },
            "got 2.5, where 3 were found",
        ),
        (
            {"n_positives": {"a": 1e308, "b": 1e308, "c": 1}, "query_id": QUERY},
            "^n_positives must contain numbers >= 0 with a finite sum",
        ),
        (
            {
                "n_positives": pd.Series([1, 1, 1, 9], index=["a", "b", "c", "c"]),
                "query_id": QUERY,
            },
            "^n_positives must name each query once",
        ),
        (
            {"n_positives": np.ma.array([3.0], mask=[True])},
            "^n_positives is a masked array",
        ),
        (
            {"n_positives": {"a": 1, "b": 1, "c": 1, 7: 1}, "query_id": QUERY},
            "^query_id with the names of n_positives and k must contain ids of one kind",
        ),
        (
            {"n_positives": {"a": 1, "b": 1, "c": 1, np.nan: 1}, "query_id": QUERY},
            "^n_positives must name queries; got .* with a missing name",
        ),
    ],
)
def test_refused_totals(arguments, text):
    with pytest.raises(ValueError, match=text):
        average_precision_score(LABELS, SCORES, **arguments)


# --- rankings without positives -------------------------------------------------------


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_a_number_is_not_the_total_of_each_ranking(average):
    for y_true, y_score, more in (
        (LABELS, SCORES, {"query_id": QUERY}),
        (np.eye(2, dtype=int), np.eye(2), {}),
        ([0, 1, 2], np.eye(3), {}),
    ):
        with pytest.raises(ValueError, match=r"^n_positives must be .*; got 137\."):
            average_precision_score(
                y_true, y_score, n_positives=137, average=average, **more
            )
    pooled = average_precision_score(
        LABELS, SCORES, query_id=QUERY, n_positives=137, average="micro"
    )
    assert pooled == average_precision_score(LABELS, SCORES, n_positives=137)


@pytest.mark.parametrize("function", CALLED, ids=lambda function: function.__name__)
def test_one_warning_a_call_and_it_points_to_the_caller(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function([0, 0, 0], [3, 2, 1], query_id=[1, 2, 3])
    if function is precision_at_k_score:  # a true 0
        assert not caught
        return
    (warning,) = caught
    assert warning.category is UserWarning
    assert warning.filename == __file__
    drop_in = function is average_precision_score
    text = (
        "No positive class found"
        if drop_in
        else "y_true contains no positives in 3 of 3 rankings, which score 0.0"
    )
    assert str(warning.message).startswith(text)


def test_a_total_beyond_float64_in_units_of_the_weights_is_the_largest_number():
    rows = {"sample_weight": [1e-100] * 3, "n_positives": 1e300}
    assert 0 <= average_precision_score([1, 0, 1], [3, 2, 1], **rows) < 1e-300
