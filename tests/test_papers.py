"""The numbers that the source documents print, and the theorems they prove.

McCann: S. McCann, "It's a bird... it's a plane... it... depends on your classifier's threshold", 2011.
Zhu: M. Zhu, "Recall, precision and average precision", Working Paper 2004-09, University of Waterloo, 2004.
Dingwall: N. Dingwall, C. Potts, "Are you sure about that?! Average precision", Roam Analytics, 2016.

Zhu's h_A and h_B of Table 2 and all of Table 3 rest on data that were never published: not reproducible.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    interpolated_precision_recall_curve,
    pr_auc_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)


def ranked(hits: str) -> tuple[list[int], list[int]]:
    """Labels from best to worst, as the papers print them."""
    return [int(hit) for hit in hits], list(range(len(hits), 0, -1))


def exactly(numerator: int, denominator: int = 1):
    return pytest.approx(numerator / denominator, abs=1e-15)


# --- McCann ---------------------------------------------------------------------------------------------

MCCANN = ranked("1101010001")


def test_mccann_average_precision_is_47_60():
    """He prints 0.782, having rounded one precision to 0.66."""
    assert average_precision_score(*MCCANN) == exactly(47, 60)


def test_mccann_eleven_point_is_53_66():
    assert eleven_point_average_precision_score(*MCCANN) == exactly(53, 66)


@pytest.mark.parametrize(
    ("k", "precision", "recall"),
    [
        (1, 1, 1 / 5),
        (2, 1, 2 / 5),
        (3, 2 / 3, 2 / 5),
        (4, 3 / 4, 3 / 5),
        (5, 3 / 5, 3 / 5),
        (6, 4 / 6, 4 / 5),
        (7, 4 / 7, 4 / 5),
        (8, 4 / 8, 4 / 5),
        (9, 4 / 9, 4 / 5),
        (10, 5 / 10, 1),
    ],
)
def test_mccann_cutoff_table(k, precision, recall):
    assert precision_at_k_score(*MCCANN, k=k) == exactly(precision)
    assert recall_at_k_score(*MCCANN, k=k) == exactly(recall)


def test_mccann_interpolated_precision():
    precision, recall, _ = interpolated_precision_recall_curve(*MCCANN)
    at_recall = {round(5 * r): p for p, r in zip(precision[:-1], recall[:-1], strict=True)}
    assert at_recall == {1: 1, 2: 1, 3: 3 / 4, 4: 4 / 6, 5: 5 / 10}


# --- Zhu ------------------------------------------------------------------------------------------------


def test_zhu_table_1():
    """Algorithm A has hits at ranks 1, 2, 4 and algorithm B at 1, 4, 8 of 10."""
    assert average_precision_score(*ranked("1101000000")) == exactly(11, 12)
    assert average_precision_score(*ranked("1001000100")) == exactly(5, 8)


rankings = st.lists(st.booleans(), min_size=2, max_size=60).filter(any)


@given(rankings)
def test_zhu_lemma_1_precision_is_pi_r_over_t(labels):
    """And recall never rises faster than 1 / pi."""
    t, h, _ = hit_curve(labels, range(len(labels)))
    pi = np.mean(labels)
    r, p = h[1:] / pi, h[1:] / t[1:]
    np.testing.assert_allclose(p, pi * r / t[1:], atol=1e-12)
    assert (np.diff(h / pi) <= np.diff(t) / pi + 1e-12).all()


@given(rankings)
def test_zhu_lemma_2_recall_starts_at_0_ends_at_1_and_never_decreases(labels):
    _, h, _ = hit_curve(labels, range(len(labels)))
    r = h / np.mean(labels)
    assert r[0] == 0
    assert r[-1] == pytest.approx(1, abs=1e-15)
    assert (np.diff(r) >= 0).all()


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=6))
def test_zhu_lemma_3_concave_hit_curve_has_falling_precision(groups):
    """Groups of equal scores, the purest first, make the hit curve concave."""
    groups = sorted(groups, key=lambda group: Fraction(group[0], sum(group)), reverse=True)
    labels, scores = [], []
    for place, (positives, negatives) in enumerate(groups):
        labels += [1] * positives + [0] * negatives
        scores += [-place] * (positives + negatives)
    t, h, _ = hit_curve(labels, scores, pos_label=1)
    slopes = np.diff(h) / np.diff(t)
    assert (np.diff(slopes) <= 1e-12).all()
    assert (np.diff(h[1:] / t[1:]) <= 1e-12).all()


@given(rankings)
def test_zhu_lemma_4_the_integral_of_p_dr_is_the_sum(labels):
    scores = np.arange(len(labels))
    t, h, _ = hit_curve(labels, scores)
    precision, recall = h[1:] / t[1:], h / np.mean(labels)
    assert average_precision_score(labels, scores) == pytest.approx(precision @ np.diff(recall), abs=1e-12)


def test_zhu_lemma_5_and_table_2_perfect_and_random():
    """h_P(t) = min(t, pi) has AP 1.00 and h_R(t) = pi t has AP pi = .05, as Table 2 prints."""
    labels = np.repeat([1, 0], [50, 950])
    perfect, at_random = np.arange(1000)[::-1], np.zeros(1000)
    t, h, _ = hit_curve(labels, perfect)
    np.testing.assert_allclose(h, np.minimum(t, 0.05), atol=1e-15)
    assert average_precision_score(labels, perfect) == exactly(1)
    t, h, _ = hit_curve(labels, at_random)
    np.testing.assert_allclose(h, 0.05 * t, atol=1e-15)
    assert average_precision_score(labels, at_random) == exactly(0.05)


def test_zhu_random_ranking_has_average_precision_near_pi():
    rng = np.random.default_rng(0)
    labels = np.repeat([1, 0], [5_000, 95_000])
    assert average_precision_score(labels, rng.random(100_000)) == pytest.approx(0.05, abs=0.005)


def test_zhu_area_under_the_hit_curve_can_order_models_against_average_precision():
    first, second = ranked("1000000011"), ranked("0001110000")
    areas = [np.trapezoid(h, t) for t, h, _ in (hit_curve(*first), hit_curve(*second))]
    assert areas[0] < areas[1]
    assert average_precision_score(*first) > average_precision_score(*second)


# --- Dingwall -------------------------------------------------------------------------------------------

DINGWALL = ranked("1101011000")


def test_dingwall_ranking_is_347_420():
    assert average_precision_score(*DINGWALL) == exactly(347, 420)


def test_dingwall_mean_of_his_eleven_precisions_is_not_average_precision():
    precisions = [1.0] + [precision_at_k_score(*DINGWALL, k=k) for k in range(1, 11)]
    as_printed = np.round(precisions, 2).mean()
    assert as_printed == pytest.approx(0.7345, abs=5e-5)
    assert average_precision_score(*DINGWALL) - as_printed > 0.09


def test_dingwall_models_of_equal_mean_precision_differ_in_average_precision():
    """Both have thresholds of precision 1 and 2/3; one finds both positives at the first, one only one."""
    labels, first, second = [1, 1, 0], [2, 2, 1], [2, 1, 1]
    for scores in (first, second):
        precision, _, _ = precision_recall_curve(labels, scores)
        assert precision[:-1].mean() == exactly(5, 6)
    assert average_precision_score(labels, first) == exactly(1)
    assert average_precision_score(labels, second) == exactly(5, 6)


def test_dingwall_constant_scores():
    """n = 100 with 10 positives: a linear area of 0.55 where precision is 0.1 throughout."""
    labels, scores = np.repeat([1, 0], [10, 90]), np.zeros(100)
    assert pr_auc_score(labels, scores) == exactly(55, 100)
    assert average_precision_score(labels, scores) == exactly(10, 100)
    assert pr_auc_score(labels, scores, interpolation="davis-goadrich") == exactly(10, 100)


def test_dingwall_improved_model_loses_linear_area():
    """One positive and one negative move to the top: better, and the linear area falls."""
    labels, scores = np.repeat([1, 0], [10, 90]), np.zeros(100)
    scores[[0, -1]] = 1
    assert pr_auc_score(labels, scores) == exactly(345, 1000)
    assert average_precision_score(labels, scores) == exactly(14, 100)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 40)), min_size=1, max_size=25).filter(
        lambda rows: any(label for label, _ in rows)
    ),
    st.integers(2, 15),
    st.integers(2, 12),
)
def test_coarsening_never_raises_interpolated_average_precision(rows, step, levels):
    """The operating points of rounded scores are some of those there were."""
    labels, scores = zip(*rows, strict=True)
    coarse = [score // step for score in scores]
    for options in ({}, {"recall_levels": levels}):
        fine = interpolated_average_precision_score(labels, scores, **options)
        assert interpolated_average_precision_score(labels, coarse, **options) <= fine + 1e-12


def test_coarsening_can_raise_step_average_precision():
    labels, scores = [0, 1, 1], [0.56, 0.54, 0.53]
    assert average_precision_score(labels, scores) == exactly(7, 12)
    assert average_precision_score(labels, np.round(scores, 1)) == exactly(2, 3)


# --- notes on AP at k -----------------------------------------------------------------------------------


def test_equal_predictions_at_one_half_differ_in_average_precision():
    """Two of four positives are above 0.5 in both models of eight items."""
    scores = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
    assert average_precision_score(ranked("11001100")[0], scores) == exactly(49, 60)
    assert average_precision_score(ranked("00110011")[0], scores) == exactly(37, 84)


def test_average_precision_at_3_of_four_positives_is_2_3():
    assert average_precision_at_k_score(*ranked("11000011"), k=3) == exactly(2, 3)


@pytest.mark.parametrize(("normalizer", "value"), [("min", 5 / 9), ("n_positives", 5 / 12), ("hits", 5 / 6)])
def test_normalizers_of_10111_at_3(normalizer, value):
    assert average_precision_at_k_score(*ranked("10111"), k=3, normalizer=normalizer) == exactly(value)


def test_average_precision_at_k_is_not_the_mean_of_precisions_at_k():
    labels, scores = ranked("0101")
    precisions = [precision_at_k_score(labels, scores, k=k) for k in (1, 2, 3, 4)]
    assert precisions == [0, exactly(1, 2), exactly(1, 3), exactly(1, 2)]
    assert np.mean(precisions) == exactly(1, 3)
    assert average_precision_at_k_score(labels, scores, k=4) == exactly(1, 2)


# --- interpolation and ties -----------------------------------------------------------------------------


def test_end_point_takes_no_part_in_the_maximum():
    """With the point (recall 0, precision 1) it would be 0.545."""
    assert eleven_point_average_precision_score(*ranked("0101")) == exactly(1, 2)


def test_the_family_on_1011001001():
    family = ranked("1011001001")
    values = [
        average_precision_score(*family),
        interpolated_average_precision_score(*family),
        eleven_point_average_precision_score(*family),
        pr_auc_score(*family),
        pr_auc_score(*family, interpolation="davis-goadrich"),
    ]
    assert [round(value, 3) for value in values] == [0.698, 0.714, 0.740, 0.660, 0.664]


def test_three_perfect_detections_of_ten():
    assert average_precision_score(*ranked("111"), n_positives=10) == exactly(3, 10)
    assert eleven_point_average_precision_score(*ranked("111"), n_positives=10) == exactly(4, 11)


def test_proportional_value_can_exceed_the_optimistic_order():
    labels, scores = [0, 0, 1, 1, 1, 1], [3, 2, 1, 1, 1, 1]
    assert average_precision_at_k_score(labels, scores, k=6) == exactly(2, 3)
    assert average_precision_at_k_score(labels, scores, k=6, ties="optimistic") == exactly(21, 40)
    assert average_precision_at_k_score(labels, scores, k=6, ties="pessimistic") == exactly(21, 40)


def test_step_with_ties_can_exceed_every_order():
    labels, scores = [0] * 10 + [1, 1], [*range(12, 2, -1), 1, 1]
    assert average_precision_score(labels, scores) == exactly(1, 6)
    assert average_precision_at_k_score(labels, scores, k=12, ties="optimistic") == pytest.approx(
        (1 / 11 + 2 / 12) / 2, abs=1e-15
    )


def test_r_precision_is_where_precision_equals_recall():
    labels, scores = ranked("1101010001")
    assert r_precision_score(labels, scores) == precision_at_k_score(labels, scores, k=5)
    assert r_precision_score(labels, scores) == recall_at_k_score(labels, scores, k=5)


def test_davis_goadrich_of_one_segment_is_its_integral():
    """tp from 1 to 3 while retrieved grows from 2 to 12: k = 5, c = -3."""
    labels, scores = [1, 0] + [1] * 2 + [0] * 8, [2, 2] + [1] * 10
    segment = 2 / 5 + 3 / 25 * math.log(12 / 2)
    assert pr_auc_score(labels, scores, interpolation="davis-goadrich") == exactly((0.5 + segment) / 3)
