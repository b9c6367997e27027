"""Levels to the last bit, for scores and lists of levels, and areas where floating point
would give way.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from oracles import scores as oracle
from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
    precision_at_recall_score,
    recall_at_precision_score,
)


def best_first(labels):
    return labels, list(range(len(labels), 0, -1))


@pytest.mark.parametrize("levels", [11, 41, 101, 6, 3, 1000])
@pytest.mark.parametrize("n_positives", [5, 10, 20, 40, 100, 7])
def test_a_recall_that_equals_a_level_reaches_it(n_positives, levels):
    """The i-th positive stands at rank i (i + 1) / 2, so each step has a precision of
    its own.
    """
    labels, scores = best_first(
        [label for i in range(n_positives) for label in [0] * i + [1]]
    )
    value = interpolated_average_precision_score(labels, scores, recall_levels=levels)
    reaching = [
        max(math.ceil(Fraction(j * n_positives, levels - 1)), 1) for j in range(levels)
    ]
    expected = math.fsum(2 / (i + 1) for i in reaching) / levels
    assert value == pytest.approx(expected, abs=1e-14)


def test_decimal_weights_reach_their_level_in_spite_of_rounding():
    """0.1 + 0.2 of 1.0 is 3/10, though neither sum is exact."""
    labels, scores = best_first([1, 1, 0, 1, 0])
    weights = [0.1, 0.2, 0.4, 0.7, 5.0]
    value = eleven_point_average_precision_score(labels, scores, sample_weight=weights)
    assert value == pytest.approx((4 * 1 + 7 * 1.0 / 1.4) / 11, abs=1e-15)


def test_whole_weights_are_compared_exactly():
    labels, scores = best_first([1, 0, 1])
    for first, rest, reached in ((3, 7, 4), (3 * 10**14 - 1, 7 * 10**14 + 1, 3)):
        value = eleven_point_average_precision_score(
            labels, scores, sample_weight=[first, 1e15, rest]
        )
        low = (first + rest) / (first + rest + 1e15)
        assert value == pytest.approx((reached + (11 - reached) * low) / 11, abs=1e-14)


@pytest.mark.parametrize(("epsilons", "is_reached"), [(3.5, True), (4.5, False)])
def test_a_level_is_reached_within_4_epsilons_per_row(epsilons, is_reached):
    labels, scores = best_first([1, 0, 1])
    first = 0.5 * (1 - epsilons * 3 * np.finfo(np.float64).eps)
    weights = [first, 0.3, 1 - first]
    value = interpolated_average_precision_score(
        labels, scores, recall_levels=3, sample_weight=weights
    )
    low = 1 / 1.3
    assert value == pytest.approx((1 + (1 if is_reached else low) + low) / 3, abs=1e-14)


@pytest.mark.slow
def test_levels_beyond_ten_million_samples_stay_exact():
    """A tolerance of 4 n eps on counts would accept a recall one positive short of 1/2
    here.
    """
    # Best first: half of the positives, two negatives, the other half. The levels are
    # 0, 1/2 and 1.
    half = 5_999_999
    labels = np.concatenate([np.ones(half), np.zeros(2), np.ones(half)]).astype(np.int8)
    scores = np.arange(labels.size, 0, -1, dtype=np.int32)
    at_the_end = 2 * half / labels.size  # the precision of all rows
    value = interpolated_average_precision_score(labels, scores, recall_levels=3)
    # 1/2 is met before the negatives
    assert value == pytest.approx((1 + 1 + at_the_end) / 3, abs=1e-15)
    # With a positive that was missed, the first half falls short of 1/2, and nothing
    # reaches recall 1.
    value = interpolated_average_precision_score(
        labels, scores, recall_levels=3, n_positives=2 * half + 1
    )
    assert value == pytest.approx((1 + at_the_end + 0) / 3, abs=1e-15)


def test_weights_near_the_largest_exact_ones_reach_the_same_of_many_levels():
    """Products of levels and whole weights are exact, also beyond 2**63."""
    rng = np.random.default_rng(0)
    labels, scores, weights = (rng.integers(0, most, 200) for most in (2, 150, 2**33))
    light, heavy = (
        interpolated_average_precision_score(
            labels, scores, sample_weight=one, recall_levels=50_001
        )
        for one in (weights.astype(float), weights * 2.0**11)
    )
    assert light == heavy


@pytest.mark.parametrize(("tp", "fp"), [(10**5, 10**9), (3, 10**15), (10**7, 1)])
def test_davis_goadrich_of_neighbouring_counts(tp, fp):
    """Weights stand for counts: the plain quotient of the logarithm lost 7e-4 here."""
    rows = [1, 0, 1, 1, 1], [5, 4, 3, 2, 1]
    weights = [tp, fp, 1, 1, 1]
    value = pr_auc_score(*rows, sample_weight=weights, interpolation="davis-goadrich")
    expected = oracle.davis_goadrich(oracle.ranking(*rows, weights))
    assert value == pytest.approx(float(expected), abs=1e-12)


def test_weighted_sums_are_accurate_at_a_million_rows():
    rng = np.random.default_rng(9)
    n = 1_000_000
    labels, scores = rng.random(n) < 0.3, rng.random(n)
    weights = rng.lognormal(0, 4, n)
    best, rest = np.split(np.argsort(-scores), [2000])
    weights[rest] *= 1e-30  # which weighs nothing here
    head = oracle.ranking(labels[best], scores[best], weights[best])
    assert average_precision_score(
        labels, scores, sample_weight=weights
    ) == pytest.approx(float(oracle.step(head)), abs=1e-12)


# --- levels of precision and recall that are met ------------------------------------

BALANCED = np.array([0.6, 0.6, 0.6, 0.6, 0.6, 3.0])  # of five positives and a negative


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
