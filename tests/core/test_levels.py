"""A level that is met is met: one rule for scores, lists of levels and thresholds."""

import numpy as np
import pytest

from sklearn_ap import (
    interpolated_average_precision_score,
    precision_at_recall_score,
    recall_at_precision_score,
)

BALANCED = np.array([0.6, 0.6, 0.6, 0.6, 0.6, 3.0])  # of five positives and a negative


# --- levels that are met exactly ------------------------------------------------------


def test_levels_that_are_met_exactly():
    y_true, y_score = [1, 1, 1, 1, 1, 0], [1, 4, 0, 2, 5, 3]
    options = {"sample_weight": BALANCED}
    assert precision_at_recall_score(y_true, y_score, recall=0.4, **options) == 1.0
    y_true, y_score = [1, 1, 0, 1, 0], [-1, 14, 6, 7, 7]
    options = {"precision": 0.7, "prevalence": 0.7}
    assert recall_at_precision_score(y_true, y_score, **options) == 1.0


def test_a_light_positive_that_is_missed_is_no_rounding():
    weight = [1e12, 1e-3, 1e12, 1e-3]
    score = precision_at_recall_score(
        [1, 1, 0, 1], [4, 3, 2, 1], sample_weight=weight, recall=1
    )
    assert score == pytest.approx(0.5)


def test_a_precision_of_whole_weights_misses_a_level_one_ulp_above():
    rows, weight = ([0, 1, 1], [3, 2, 1]), [2, 1, 2]
    for level, recall in ((0.6, 1.0), (np.nextafter(0.6, 1), 0.0)):
        score = recall_at_precision_score(*rows, sample_weight=weight, precision=level)
        assert score == recall


def test_whole_weights_reach_a_level_of_many_exactly():
    # 255 / 1001 * 1001 is below 255 in float64.
    weight = [255, 1, 746]
    score = interpolated_average_precision_score(
        [1, 0, 1], [3, 2, 1], sample_weight=weight, recall_levels=1002
    )
    assert score == pytest.approx((256 + 746 * 1001 / 1002) / 1002, abs=1e-12)


@pytest.mark.parametrize("unit", [3, 7, 9])
def test_a_total_that_is_not_whole_in_units_meets_its_levels(unit):
    for n_found, total in np.ndindex(9, 100):
        found = unit * n_found
        if not 0 < found <= total:
            continue
        score = interpolated_average_precision_score(
            [1] * n_found,
            range(n_found),
            sample_weight=[unit] * n_found,
            n_positives=total,
            recall_levels=11,
        )
        assert score == (10 * found // total + 1) / 11


# --- sums of weights are rounded ------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "level"),
    [(precision_at_recall_score, "recall"), (recall_at_precision_score, "precision")],
)
def test_a_level_within_the_rounding_of_its_sums_is_met(score, level):
    sums = {"recall": 0.3 / 0.9, "precision": 0.9 / 1.2}[level]
    near = {level: np.nextafter(sums, 1) + 2e-16}
    found = score(
        [1, 1, 1, 0], [4, 3, 1, 2], sample_weight=[0.1, 0.2, 0.6, 0.3], **near
    )
    assert found == pytest.approx(1.0)
