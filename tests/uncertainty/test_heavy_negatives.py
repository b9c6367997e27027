"""Samples in which rows that decide the score may be missing: heavy negatives and few
units, and the warnings about them.
"""

from functools import partial

import numpy as np
import pytest
from scipy.stats import t

from benchmarks.populations import Models, normal
from oracles.uncertainty import (
    drawn,
    few,
    n_equal,
    row_influences,
    sample_of,
    share_alike,
    shift,
    warns_of,
)
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    interpolated_average_precision_score,
)
from sklearn_ap._uncertainty.endpoints import endpoints_of
from sklearn_ap._uncertainty.paired import obeying_test

AP = average_precision_score


def clusters_of_negatives(n_clusters, spread=1.0):
    """Return 150 rows, a fifth of them positive, and 300 negatives in clusters whose
    scores have a common part.
    """
    rng = np.random.default_rng(0)
    y_true = np.append(np.arange(150) % 5 == 0, np.zeros(300, dtype=bool))
    cluster = np.arange(300) % n_clusters
    y_score = rng.normal(size=450) + 1.5 * y_true
    y_score[150:] += spread * rng.normal(size=n_clusters)[cluster]
    return y_true, y_score, np.append(np.arange(150), 150 + cluster)


def taken_by_one(y_true, y_score, weight, each):
    """Return the loss of the score by one more negative of weight `each` above all rows."""
    lower = AP(
        np.append(y_true, 0),
        np.append(y_score, 99.0),
        sample_weight=np.append(weight, each),
    )
    return AP(y_true, y_score, sample_weight=weight) - lower


ROWS, CLUSTERS = (*drawn(3, 60, 0.4), np.arange(60)), clusters_of_negatives(6)


@few
@pytest.mark.parametrize(
    ("rows", "weight"),
    [*((ROWS, weight) for weight in (0.1, 1.0, 3.0, 20.0, 500.0)), (CLUSTERS, 1.0)],
)
def test_the_loss_is_that_of_one_more_negative_above_all_rows(rows, weight):
    """The lower endpoint is moved down by the loss, except for the share of one positive;
    or by a part of the loss if few rows carry the variance. The effective number of
    units of negatives is that of their influences.
    """
    y_true, y_score, unit = rows
    weights = np.where(y_true, 1.0, weight)
    options = {"sample_weight": weights}
    estimate = estimate_score(AP, y_true, y_score, unit_id=unit, **options)
    influence = weights * row_influences(AP, y_true, y_score, **options)
    of_negatives = np.where(y_true, 0.0, influence)
    n_units = n_equal(of_negatives)
    n_alike = n_units / n_equal(np.bincount(unit, of_negatives))
    n_alike *= share_alike(of_negatives[y_true == 0], unit[y_true == 0])
    # A row that is a unit has no other rows.
    if np.unique(unit).size == unit.size:
        n_alike = 1.0
    n_units /= n_alike
    each = weight * n_alike
    lost = taken_by_one(y_true, y_score, weights, each)
    few_rows = 1 - np.sqrt(estimate.df / (estimate.n_positives - 1))
    share = max(1 - 1 / each, few_rows)
    assert shift(estimate) == pytest.approx(share * lost, rel=1e-9)
    bound = (n_units - 1) / (1 - 1 / each) if each > 1 else np.inf
    sample = sample_of(AP, y_true, y_score, unit, **options)
    assert sample.paired().negatives.df == pytest.approx(bound, rel=1e-9)


def test_a_cluster_of_both_classes_brings_its_negatives_whole():
    """Without this rule, intervals of 23 clusters of random sizes (38 rows on average)
    covered .90.
    """
    y_true, y_score = drawn(3, 120, 0.4)
    for size, is_whole in ((6, True), (1, False)):
        unit = np.arange(120) // size
        loss = sample_of(AP, y_true, y_score, unit).paired().negatives.loss
        estimate = estimate_score(AP, y_true, y_score, unit_id=unit)
        part = 1 - np.sqrt(estimate.df / (estimate.n_positives - 1))
        assert shift(estimate) == pytest.approx(loss * (1.0 if is_whole else part))


@few
@pytest.mark.parametrize("prevalence", [None, 0.01])
@pytest.mark.parametrize("unit", [None, np.arange(300)], ids=["", "units"])
def test_interpolated_precision_has_the_mean_of_step_ap(prevalence, unit):
    """The best precision of a sample is partly due to noise."""
    rows, options = drawn(1, 300, 0.3), {"prevalence": prevalence, "unit_id": unit}
    step, found = (
        estimate_score(score, *rows, **options)
        for score in (AP, interpolated_average_precision_score)
    )
    assert found._known.step_ap == pytest.approx(step.score, rel=1e-12)
    inputs = found._known._replace(step_ap=np.inf)
    for confidence_level in (0.5, 0.95):
        least, high = endpoints_of(inputs, confidence_level)
        lower, same_high = found.confidence_interval(confidence_level)
        assert lower < least
        assert same_high == high


# --- units of negatives ---------------------------------------------------------------


@pytest.mark.parametrize(
    "call", [estimate_score, partial(compare_scores, y_score_b=np.arange(450) % 7)]
)
def test_few_clusters_of_most_negatives_warn(call):
    """If 300 of 420 negatives are in one cluster, whose scores have a common random part,
    intervals cover .76; if they are in three clusters, .89.
    """
    y_true, y_score, unit_id = clusters_of_negatives(1, 0.0)
    with warns_of("missing_negatives", "effective number of units is 2, of 121"):
        call(AP, y_true, y_score, unit_id=unit_id)
    y_true, y_score, unit_id = clusters_of_negatives(4, 0.0)
    call(AP, y_true, y_score, unit_id=unit_id)
    # With few units of equal size, intervals cover as often as they should.
    call(AP, y_true, y_score, unit_id=np.arange(450) // 90)


# --- rows on which intervals cover too little -----------------------------------------


def test_weights_that_go_with_scores_warn():
    """Intervals of such rows cover .88 to .94."""
    rows = y_true, y_score = drawn(3, 1_000, 0.2)
    noise = 0.3 * np.random.default_rng(0).normal(size=1_000)
    weight = np.exp(3 * (y_score - y_score.mean()) / y_score.std() + noise)
    with warns_of("dependent_weights", "^sample_weight depends on y_score"):
        estimate_score(AP, *rows, sample_weight=weight)
    for same in (np.exp(noise), np.where(y_true, 1, 5.0), None):
        estimate_score(AP, *rows, sample_weight=same)


# --- differences that heavy negatives decide ------------------------------------------


def pair(prevalence, *shifts, n=1_000):
    """Return the scores of two models, whose positives are normal with these means."""
    models = Models(tuple(normal(prevalence, shift) for shift in shifts))
    return models.draw(np.random.default_rng(0), n)


def pair_of_columns(seed):
    """Return two columns of labels, and their scores by two models."""
    columns = [pair(0.5, *shifts, n=300) for shifts in ((2.5, 1.5), (0.5, 0.5))]
    return [
        np.stack([column[name] for column in columns], axis=1)[seed:]
        for name in ("y_true", "y_score_a", "y_score_b")
    ]


class DifferenceOfMeans:
    """The difference of two means over columns at a prevalence, and its endpoints by
    definition.
    """

    def __init__(self, seed):
        y_true, *models = pair_of_columns(seed)
        options = {"prevalence": 0.01, "average": "macro"}
        self.found = compare_scores(AP, y_true, *models, **options)
        self.influences = [
            sample_of(AP, y_true, x, **options).influences.of_units for x in models
        ]
        self.estimates = [estimate_score(AP, y_true, x, **options) for x in models]

    def endpoints(self, confidence_level):
        """Return the farther endpoints of two intervals: that of the t test, and that
        which follows from both estimates and their correlation.
        """
        (down, up), (other_down, other_up) = (
            np.subtract(one.confidence_interval(confidence_level), one.score)
            for one in self.estimates
        )
        r = np.corrcoef(self.influences)[0, 1]
        below, above = (
            np.sqrt(a**2 + b**2 + 2 * r * a * b)
            for a, b in ((down, other_up), (up, other_down))
        )
        found = self.found
        reach = t.ppf(0.5 + confidence_level / 2, found.df) * found.standard_error
        distances = np.array((-max(below, reach), max(above, reach)))
        return found.difference + distances


@pytest.mark.filterwarnings("ignore:In some column")
@pytest.mark.parametrize("confidence_level", [0.9, 0.95])
@pytest.mark.parametrize("seed", [0, 40])
def test_the_endpoints_of_a_difference_of_means_are_the_farther_of_two(
    seed, confidence_level
):
    """They are moved only if they contradict the test."""
    of_means = DifferenceOfMeans(seed)
    found, endpoints = of_means.found, of_means.endpoints(confidence_level)
    risk = 1 - confidence_level
    wanted = obeying_test(endpoints, found.difference, found.pvalue, risk)
    interval = found.confidence_interval(confidence_level)
    assert interval == pytest.approx(wanted, rel=1e-6)


@pytest.mark.filterwarnings("ignore:In some column")
@pytest.mark.parametrize("seed", [0, 40])
def test_a_difference_of_means_is_tested_by_the_endpoint_on_the_side_of_0(seed):
    """The standard error of the test is that of a 95 % t interval with this endpoint."""
    of_means = DifferenceOfMeans(seed)
    found = of_means.found
    distances = np.abs(of_means.endpoints(0.95) - found.difference)
    near = distances[int(found.difference < 0)]
    statistic = found.difference / near * t.ppf(0.975, found.df)
    assert found.statistic == pytest.approx(statistic, rel=1e-6)
    assert found.pvalue == pytest.approx(2 * t.sf(abs(statistic), found.df), rel=1e-6)


@pytest.mark.parametrize(
    ("shifts", "prevalence"),
    [((3.0, 2.8), 0.005), ((1.5, 1.2), 0.2), ((1.5, 1.2), 0.02)],
)
def test_heavy_negatives_that_may_be_missing_add_to_the_error(shifts, prevalence):
    """The scores have a t test, whose degrees of freedom are limited by negatives."""
    rows = pair(0.4, *shifts)
    y_true, *models = rows.values()
    found = compare_scores(AP, **rows, prevalence=prevalence)
    heavy = y_true.sum() * (1 / prevalence - 1) / (y_true == 0).sum()
    weight = np.where(y_true, 1, heavy)
    share = max(
        taken_by_one(y_true, model, weight, heavy) / score
        for model, score in zip(models, found.scores, strict=True)
    )
    samples = [sample_of(AP, y_true, model, prevalence=prevalence) for model in models]
    first, second = (sample.influences.of_units for sample in samples)
    error = np.linalg.norm(first - second) * (1 + share**2)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.df <= min(sample.paired().negatives.df for sample in samples) < 300
    by_t = 2 * t.sf(abs(found.difference) / found.standard_error, found.df)
    assert found.pvalue == pytest.approx(by_t, rel=1e-9)
