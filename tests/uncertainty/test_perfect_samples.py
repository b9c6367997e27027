"""The interval of a score of 1: its lower endpoint is the lowest score of a population in
which such samples are not too improbable.
"""

import numpy as np
import pytest
from scipy.stats import t

from oracles.uncertainty import few
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    interpolated_average_precision_score,
    pr_auc_score,
)

AP = average_precision_score
# Number of rows per class of a population.
MANY = 40_000


def perfect(n_positives, n_negatives):
    return np.repeat([1, 0], [n_positives, n_negatives]), np.arange(
        n_positives + n_negatives
    )[::-1] * 1.0


def population_score(above, below, prevalence):
    """Return the score of very many rows: a share `above` of the negatives has the
    highest scores, and a share `below` of the positives has the lowest scores.
    """
    negatives, positives = round(above * MANY), round(below * MANY)
    sizes = [negatives, MANY - positives, MANY - negatives, positives]
    y_true, y_score = np.repeat([0, 1, 0, 1], sizes), np.repeat([4.0, 3, 2, 1], sizes)
    y_score += np.random.default_rng(0).random(y_score.size) * 0.9
    return AP(y_true, y_score, prevalence=prevalence)


@few
@pytest.mark.parametrize(
    ("n_positives", "n_negatives"), [(20, 30), (4, 200), (100, 100)]
)
@pytest.mark.parametrize("confidence_level", [0.8, 0.95])
def test_lower_endpoint_is_the_least_of_populations_with_perfect_samples(
    n_positives, n_negatives, confidence_level
):
    """The risk is divided in many ways between negatives above all positives and positives
    below all negatives.
    """
    found = estimate_score(AP, *perfect(n_positives, n_negatives))
    low, high = found.confidence_interval(confidence_level)
    parts = np.linspace(0, 1, 21)
    above = 1 - (1 - confidence_level) ** (parts / n_negatives)
    below = 1 - (1 - confidence_level) ** ((1 - parts) / n_positives)
    prevalence = n_positives / (n_positives + n_negatives)
    scores = [
        population_score(*shares, prevalence)
        for shares in zip(above, below, strict=True)
    ]
    assert (found.score, high) == (1, 1)
    assert low == pytest.approx(min(scores), abs=2e-3)


@few
@pytest.mark.parametrize(
    "score", [AP, interpolated_average_precision_score, pr_auc_score]
)
def test_all_ways_to_be_perfect(score):
    y_true, y_score = perfect(50, 80)

    def endpoints(**options):
        return estimate_score(score, y_true, y_score, **options).confidence_interval()

    plain = endpoints()
    fewer = y_true * (np.arange(130) < 10)
    alone = estimate_score(score, fewer, y_score).confidence_interval()
    matrix = np.stack([y_true, fewer], axis=1), np.stack([y_score] * 2, axis=1)
    of_matrix = estimate_score(score, *matrix).confidence_interval()
    assert of_matrix == pytest.approx(alone, abs=1e-12)
    assert alone.low < plain.low
    heavy = endpoints(sample_weight=np.where(y_true, 1, 99 * 50 / 80))
    assert heavy == pytest.approx(endpoints(prevalence=0.01), abs=1e-12)
    for wider in (heavy, endpoints(unit_id=np.arange(130) // 10)):
        assert wider.low < plain.low


@pytest.mark.parametrize(
    ("weight", "n_above", "is_heavy"),
    [(1.9, 10, False), (2.1, 10, True), (49, 1, True), (49, 300, True)],
)
@pytest.mark.parametrize("confidence_level", [0.5, 0.95])
def test_heavy_positives_end_no_higher_than_a_perfect_sample(
    weight, n_above, is_heavy, confidence_level
):
    """Positives are heavy if one outweighs more than two negatives. Positives below all
    negatives may be missing from the sample: without this rule, intervals of 15 positives
    among 190 rows, whose weights balance the classes, covered .74.
    """
    y_true, best = perfect(20, 980)
    y_score = best - (n_above + 0.5) * np.isin(np.arange(1000), [17, 18, 19])

    def low_end(scores, **options):
        found = estimate_score(AP, y_true, scores, **options)
        return found.confidence_interval(confidence_level).low

    weights = {"sample_weight": np.where(y_true, weight, 1.0)}
    low = low_end(y_score, **weights)
    assert (low <= low_end(best, **weights)) == is_heavy
    of_share = low_end(y_score, prevalence=weight / (weight + 49))
    assert low == pytest.approx(of_share, rel=0.05)


@pytest.mark.parametrize(
    ("score", "options", "exponent"),
    [
        ("average_precision", {"query_id": np.arange(130) % 50}, 1 / 50),
        ("average_precision@30", {}, 2 / 30),
        ("average_precision@30", {"normalizer": "hits"}, 2 / 30),
    ],
)
def test_means_that_are_1(score, options, exponent):
    """The lower endpoint is the share of queries with a score of 1 for which all 50
    queries score 1 with probability .05. If a share p of the rows are hits at each rank,
    average precision at k is p squared.
    """
    found = estimate_score(score, *perfect(50, 80), **options)
    assert found.confidence_interval() == pytest.approx((0.05**exponent, 1))


@pytest.mark.parametrize("weight", [1.0, 4.0])
@pytest.mark.parametrize(
    ("score", "hits"),
    [
        ("precision_at_recall@0.5", 10),
        ("precision_at_recall@0.1", 2),
        ("precision_at_recall@0.31", 7),
        ("precision@15", 15),
        ("r_precision", 20),
    ],
)
def test_a_precision_of_1_has_the_interval_of_its_hits(score, hits, weight):
    """The lower endpoint is that of Clopper and Pearson: the share for which all rows are
    hits with probability .025. The number of rows is their weight over that of a
    negative, since a row that is not a hit would be a negative.
    """
    y_true, y_score = perfect(20, 80)
    weights = np.where(y_true, 1.0, weight)
    found = estimate_score(score, y_true, y_score, sample_weight=weights)
    least = 0.025 ** (weight / hits)
    assert found.score == 1
    assert found.confidence_interval() == pytest.approx((least, 1), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_are_all_positive_count_by_their_own_weight(seed):
    """Their score of 1 is rounded, and there is no negative whose weight could count."""
    weight = np.random.default_rng(seed).gamma(1, size=40)
    n_equal = weight.sum() ** 2 / (weight**2).sum()
    rows = np.ones(40), -np.arange(40)
    found = estimate_score("r_precision", *rows, sample_weight=weight)
    assert found.confidence_interval() == pytest.approx((0.025 ** (1 / n_equal), 1))


def test_two_perfect_models_may_lose_one_more_positive():
    """With 20 positives among 50 rows, one more would lower the score by .6 / 21."""
    y_true, y_score = perfect(20, 30)
    found = compare_scores(AP, y_true, y_score, 2 * y_score)
    assert str(found) == (
        "1.00 - 1.00 = 0.00, 95 % interval -0.06 to 0.06, p = 1 (two-sided; the two "
        "models agree on every unit)"
    )
    reach = t.ppf(0.975, 19) * 0.6 / 21
    assert found.confidence_interval() == pytest.approx((-reach, reach))


def test_one_pair_in_the_wrong_order_is_more_than_rounding():
    y_true, y_score = np.arange(20_000) < 10_000, -np.arange(20_000.0)
    y_score[9_999:10_001] = y_score[[10_000, 9_999]]
    found = estimate_score(AP, y_true, y_score)
    assert found.standard_error == pytest.approx(2**0.5 * (1 - found.score), rel=1e-3)
