"""The level of chance: all orders in exact fractions, p-values, and every refusal."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from orders import DRAWN, labels_of, patterns, scores_of, values_of
from sklearn_ap import average_precision_score, chance_level, estimate_score
from sklearn_ap._uncertainty._random_rankings import moments_of_random


def moments(values):
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / len(values)


# --- mean, standard deviation and minimum ------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 8))
def test_mean_and_deviation_are_those_of_all_orders(n):
    for sizes, n_positives in itertools.product(patterns(n), range(1, n + 1)):
        mean, variance = moments(values_of(sizes, n_positives))
        chance = chance_level(labels_of(n_positives, n), scores_of(sizes))
        assert chance.mean == pytest.approx(float(mean), rel=1e-14, abs=0)
        assert chance.standard_deviation == pytest.approx(math.sqrt(variance), rel=1e-13, abs=0), sizes
        if len(sizes) == n:
            without_scores = chance_level(labels_of(n_positives, n))
            assert dataclasses.astuple(without_scores) == dataclasses.astuple(chance)


def second_moment(n_positives, n):
    """E[AP^2] without ties, as a sum over pairs of ranks, and the harmonic number; both in fractions."""
    p1, p2, p3, p4 = itertools.accumulate(
        (Fraction(n_positives - i, n - i) for i in range(4)), lambda a, b: a * b
    )
    total, below = Fraction(0), Fraction(0)  # below: the sum of 1/j over lower ranks j > i
    for i in range(n, 0, -1):
        u = i - 1
        c0, c1 = 2 * p2 + 4 * u * p3 + u * (u - 1) * p4, p3 + u * p4
        total += (p1 + 3 * u * p2 + u * (u - 1) * p3) / i**2
        total += 2 * ((c0 - (i + 1) * c1) * below + c1 * (n - i)) / i
        below += Fraction(1, i)
    return total / n_positives**2, below


@pytest.mark.parametrize(
    ("n_positives", "n"), [(1, 9), (3, 40), (20, 60), (55, 60), (5, 300), (150, 300), (2, 500)]
)
def test_longer_rankings_against_another_formula(n_positives, n):
    square, harmonic = second_moment(n_positives, n)
    mean = (harmonic + Fraction(n_positives - 1, n - 1) * (n - harmonic)) / n
    chance = chance_level(labels_of(n_positives, n))
    assert chance.mean == pytest.approx(float(mean), rel=1e-14, abs=0)
    assert chance.standard_deviation == pytest.approx(math.sqrt(square - mean**2), rel=1e-12, abs=0)


def test_ten_million_rows_in_closed_form():
    n = 10_000_000
    reciprocal = 1 / np.arange(1.0, n + 1)
    mean = math.fsum(reciprocal) / n  # of one positive, whose average precision is one over its rank
    variance = math.fsum(reciprocal**2) / n - mean**2
    assert moments_of_random(1, n, None) == pytest.approx((mean, math.sqrt(variance)), rel=1e-13, abs=0)


@pytest.mark.parametrize("n", range(1, 9))
def test_minimum_is_the_least_of_all_orders(n):
    for n_positives in range(1, n + 1):
        minimum = chance_level(labels_of(n_positives, n)).minimum
        assert minimum == pytest.approx(float(min(values_of([1] * n, n_positives))), rel=1e-15, abs=0)
        least = min(min(values_of(sizes, n_positives)) for sizes in itertools.islice(patterns(n), 16))
        assert least >= Fraction(minimum) - Fraction(1, 10**15), (
            "ties scored less than any order without ties"
        )


# --- the p-value -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sizes", "n_positives"), DRAWN, ids=str)
def test_pvalue_is_the_share_of_orders_that_score_as_high(sizes, n_positives):
    """Also of a score that many orders have: no rounding may hide them."""
    values, y_score = values_of(sizes, n_positives), scores_of(sizes)
    chance = chance_level(labels_of(n_positives, sum(sizes)), y_score)
    for positives in list(itertools.combinations(range(sum(sizes)), n_positives))[::5]:
        score = average_precision_score([row in positives for row in range(sum(sizes))], y_score)
        exact = np.mean([float(value) >= score - 1e-12 for value in values])
        error = math.sqrt(exact * (1 - exact) / 9999)
        assert chance.pvalue(score, random_state=2) == pytest.approx(exact, abs=4 * error + 2e-4)


def test_pvalue_is_b_plus_1_over_n_plus_1():
    chance = chance_level(labels_of(10, 1000))
    assert chance.pvalue(1.0, n_resamples=99, random_state=0) == 1 / 100
    assert chance.pvalue(0.0, n_resamples=99, random_state=0) == 1.0
    above = 100 * chance.pvalue(chance.mean, n_resamples=99, random_state=0)
    assert above == pytest.approx(round(above), abs=1e-12)
    assert 20 < above < 60


# --- the normalized score ----------------------------------------------------------------------------------


def test_normalized_score_is_0_for_the_worst_order_and_1_for_the_best():
    y_true = np.array([0, 1, 0, 1, 1, 0, 0])
    chance = chance_level(y_true)
    worst = average_precision_score(y_true, np.where(y_true, 0, 10) - np.arange(7) / 10)
    assert chance.normalize(worst) == pytest.approx(0, abs=1e-15)
    assert chance.normalize(1) == 1.0
    assert chance.normalize(chance.mean) == pytest.approx((chance.mean - worst) / (1 - worst))


def test_an_estimate_stands_for_its_score():
    y_true, y_score = [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]
    estimate, chance = estimate_score("average_precision", y_true, y_score), chance_level(y_true)
    assert chance.pvalue(estimate) == chance.pvalue(estimate.score)
    assert chance.normalize(estimate) == chance.normalize(estimate.score)


def test_nothing_to_normalize_among_positives_alone():
    chance = chance_level([1, 1])
    with pytest.warns(UserWarning, match=r"^y_true contains positives only.* is NaN\.$"):
        assert math.isnan(chance.normalize(1.0))
    with pytest.warns(UserWarning, match="positives only"):
        assert np.isnan(chance.normalize([1.0, 1.0])).tolist() == [True, True]


# --- what is read ------------------------------------------------------------------------------------------

PLAIN = chance_level([1, 0, 1, 0, 0])


# --- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0, 0],), r"^y_true must contain a positive, the label 1, in each ranking; got 1 of 1 "),
        (
            ([0, 1], [1, 2], [1, 0]),
            r"^y_true must contain a positive, the label 1, in each ranking; got 1 of 1 ",
        ),
        (([0, 1, 2],), r"^y_true must be binary, .*; got multiclass labels\. Pass one column"),
        (([[0, 1], [1, 0]],), r"^y_true must be binary, .*; got multilabel-indicator labels\."),
        (([0.5, 1.5],), r"^y_true must be binary, .*; got continuous labels\."),
        (([1, np.nan],), "y_true contains NaN"),
        (([],), "^y_true is empty"),
        ((["a", "b"],), r"^pos_label=1 is not a valid label"),
        (([1, 0], [1, np.inf]), "infinity"),
        (
            ([1, 0, 0], None, [1, 2, 2]),
            r"^sample_weight must be equal .*; got weights from 1.0 to 2.0\. Score shuffled",
        ),
        (([1, 0], None, [1, -1]), r"^sample_weight must not be negative"),
    ],
)
def test_refused_rows(arguments, said):
    y_true, y_score, sample_weight = (*arguments, None, None)[:3]
    with pytest.raises(ValueError, match=said):
        chance_level(y_true, y_score, sample_weight=sample_weight)


@pytest.mark.parametrize(
    "score", [-0.1, 1.1, math.nan, "high", None, [0.5, 2.0], [[0.1], [0.2, 0.3]]], ids=str
)
@pytest.mark.parametrize("ask", [PLAIN.normalize, PLAIN.pvalue], ids=["normalize", "pvalue"])
def test_refused_scores(ask, score):
    with pytest.raises(ValueError, match=r"^score must be a step average precision, in \[0, 1\]; got "):
        ask(score)
