"""Intervals of precision and recall at a cut: a bootstrap draws no other rows than the
few of the sample.
"""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import binomtest, norm

from oracles.uncertainty import warns_of
from sklearn_ap import (
    UncertaintyWarning,
    average_precision_at_k_score,
    eleven_point_average_precision_score,
    estimate_score,
    precision_at_k_score,
    precision_at_recall_score,
    r_precision_score,
    recall_at_k_score,
    recall_at_precision_score,
    reciprocal_rank_score,
)
from sklearn_ap._uncertainty.calls import read_call
from sklearn_ap._uncertainty.standard_errors import _warn_of_first_level

FIRST = np.repeat([1, 0], [12, 48])  # all positives stand first
MIXED = np.tile([1, 1, 0, 0, 0], 12)
OPTIONS = {"n_resamples": 400, "random_state": 0}


def percentiles_of(found):
    return np.quantile(found.bootstrap_distribution, [0.025, 0.975])


def exact(hits, n):
    """The numbers of hits at the ends of Clopper and Pearson, by scipy."""
    ends = binomtest(hits, n).proportion_ci(0.95, method="exact")
    return n * ends.low, n * ends.high


@pytest.mark.parametrize(
    ("score", "y_true", "options", "hits", "divisor", "other"),
    [
        (precision_at_k_score, FIRST, {"k": 3}, 3, 3, 12),
        (precision_at_k_score, MIXED, {"k": 2}, 2, 2, 24),
        (precision_at_k_score, MIXED, {"k": 0.05}, 2, 3, 24),  # a share of the rows
        (recall_at_k_score, FIRST, {"k": 40}, 12, 12, 40),
        (recall_at_k_score, FIRST, {"k": 4}, 4, 12, 4),
        # three have no row
        (
            recall_at_k_score,
            FIRST,
            {"k": 40, "n_positives": 15},
            12,
            15,
            40,
        ),
        (recall_at_k_score, MIXED, {"k": 59}, 24, 24, 59),
        (r_precision_score, FIRST, {}, 12, 12, 12),  # it had no interval
        (r_precision_score, FIRST[::-1], {}, 0, 12, 12),
    ],
)
def test_intervals_hold_those_of_clopper_and_pearson(
    score, y_true, options, hits, divisor, other
):
    found = estimate_score(score, y_true, -np.arange(60), **OPTIONS, **options)
    assert found.score == hits / divisor
    ends = [exact(hits, n) for n in (divisor, other)]
    least, most = (
        max(low for low, _ in ends) / divisor,
        min(high for _, high in ends) / divisor,
    )
    percentiles = percentiles_of(found)
    low, high = found.confidence_interval()
    assert low < high
    assert low == pytest.approx(min(percentiles[0], least))
    assert high == pytest.approx(max(percentiles[1], most))


def test_ap_of_few_rows_is_at_least_as_long_as_a_share():
    rows = FIRST, -np.arange(60)
    low, high = estimate_score(
        average_precision_at_k_score, *rows, k=10, **OPTIONS
    ).confidence_interval()
    least = 10 * binomtest(10, 10).proportion_ci(0.95, method="exact").low
    assert (low, high) == (pytest.approx(least / 10), 1)


def test_a_width_of_0_is_no_interval():
    """The ends of a share replace those of samples that nearly all score 0; others have
    no interval.
    """
    y_true = np.zeros(2_000, dtype=int)
    y_true[[8, *range(900, 920)]] = 1
    rows = y_true, -np.arange(2_000)
    assert estimate_score(
        average_precision_at_k_score, *rows, k=3, **OPTIONS
    ).confidence_interval() == pytest.approx(
        (0, binomtest(0, 3).proportion_ci(0.95, method="exact").high)
    )
    unsure = estimate_score(reciprocal_rank_score, *rows, k=3, **OPTIONS)
    nearly = np.append(np.full(1_990, 0.5), np.zeros(10))
    nearly = replace(
        unsure, score=0.5, standard_error=0.1, bootstrap_distribution=nearly
    )
    for estimate in (unsure, nearly):
        with pytest.warns(UserWarning, match="NaN, .* nearly all score the same"):
            assert np.isnan(estimate.confidence_interval()).all()


def test_other_scores_keep_their_percentiles():
    enough = precision_at_k_score, {"k": 20}  # eight hits, and twelve misses
    for score, options in (
        (average_precision_at_k_score, {"k": 3}),
        (r_precision_score, {}),
        enough,
    ):
        found = estimate_score(score, MIXED, -np.arange(60), **OPTIONS, **options)
        expected = percentiles_of(found)
        assert tuple(found.confidence_interval()) == pytest.approx(tuple(expected))


# --- precision at a recall, and recall at a precision ---------------------------------


def levels(seed, n=800, n_positives=40, shift=1.5):
    y_true = np.arange(n) < n_positives
    return y_true, np.random.default_rng(seed).normal(size=n) + shift * y_true


@pytest.mark.parametrize(
    ("score", "options", "times"),
    [
        ("precision_at_recall@0.9", {}, 1),
        ("precision_at_recall@0.9", {"prevalence": 0.02}, 1),
        ("precision_at_recall@0.9", {"sample_weight": np.tile([1.0, 3.0], 400)}, 1),
        ("average_precision@20", {}, 2),
        ("average_precision@20", {"n_positives": 70}, 2),
    ],
)
def test_precision_at_a_recall_and_ap_at_k_begin_lower_by_their_bias(
    score, options, times
):
    """Half of what a negative above all rows takes would be more than that."""
    found = estimate_score(score, *levels(0, shift=2), **options, **OPTIONS)
    least, most = percentiles_of(found)
    low, high = found.confidence_interval()
    assert low == pytest.approx(least - times * max(found.bias, 0))
    assert high == pytest.approx(most)
    assert 0 < low < found.score < high < 1


@pytest.mark.filterwarnings("ignore:No threshold")
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 4.0), "drawn"], ids=str)
@pytest.mark.parametrize("level", [0.3, 0.6])
def test_recall_at_a_precision_is_reached_where_the_precision_is_surely_above(
    level, weights
):
    """By definition: the log odds of each step, with half a row more of each class;
    from 20 hits on, or more where negatives are heavy, it needs fewer standard errors.
    """
    y_true, y_score = levels(1, shift=2)
    weight = (
        np.random.default_rng(0).lognormal(0, 0.7, 800)
        if weights == "drawn"
        else np.where(y_true, *weights)
    )
    options = {"sample_weight": weight, "precision": level, **OPTIONS}
    found = estimate_score(recall_at_precision_score, y_true, y_score, **options)
    above = y_score >= np.sort(y_score[y_true])[:, np.newaxis]
    of_classes = [weight * (y_true == label) for label in (1, 0)]
    # the weight that counts as a row of each class
    each, heavy = (np.square(of).sum() / of.sum() for of in of_classes)
    hits = above @ of_classes[0] / each + 0.5
    misses = above @ of_classes[1] / heavy + 0.5
    log_odds = np.log(hits * each / (misses * heavy))
    needed = np.maximum(20 / hits, 0.5) * max(heavy / each, 1)
    deviates = (log_odds - logit(level)) / np.sqrt(1 / hits + 1 / misses)
    is_sure = deviates >= np.minimum(needed, 1) * norm.ppf(0.975)
    recalls = above @ of_classes[0] / of_classes[0].sum()
    least = np.quantile(found.bootstrap_distribution, 0.025) - max(found.bias, 0)
    reached = recalls[is_sure].max(initial=0.0)
    assert found.confidence_interval().low == pytest.approx(
        max(min(least, reached), 0), rel=1e-9
    )


@pytest.mark.parametrize(
    ("counts", "precision", "score", "ends", "warns"),
    [
        ((59, 60), 1.0, 1, (0, 1), True),  # may be reached by nobody
        ((12, 400), 0.9, 1, (0, 1), True),
        ((60, 400), 0.5, 1, (0.05 ** (1 / 60), 1), False),
        ((0, 26, 15, 300, 5), 0.5, 0, (0, 0.75), True),
        ((0, 40, 15, 300, 5), 0.5, 0, (0, 1 - 0.05 ** (1 / 20)), True),
    ],
)
def test_recall_at_a_precision_has_an_interval_where_all_samples_score_the_same(
    counts, precision, score, ends, warns
):
    """Rows are positive and negative by turns, so many of each: all positives stand
    first, or below so many negatives that no threshold has the precision.
    """
    y_true = np.repeat(np.arange(len(counts)) % 2 == 0, counts)
    expected = f"^No threshold of this sample surely has the precision {precision:g}"
    with warns_of("few_positives", expected) if warns else nullcontext():
        found = estimate_score(
            recall_at_precision_score,
            y_true,
            -np.arange(y_true.size),
            precision=precision,
            **OPTIONS,
        )
    found = replace(found, bootstrap_distribution=np.full(400, float(score)))
    assert found.confidence_interval() == pytest.approx(ends)
    assert found.score == score


def test_levels_that_score_1_are_as_unsure_as_every_recall():
    y_true = np.repeat([1, 0, 1, 0], [12, 1, 12, 12])
    rows = y_true, -np.arange(37)
    found = estimate_score(
        "interpolated_average_precision", *rows, recall_levels=[0.1, 0.4], **OPTIONS
    )
    at_all = estimate_score("interpolated_average_precision", *rows)
    assert found.score == 1
    assert found.confidence_interval().low == at_all.confidence_interval().low


# --- the first of eleven levels -------------------------------------------------------


@pytest.mark.parametrize(
    ("first_hit", "warns"), [(0, True), (40, True), (None, False)], ids=str
)
def test_eleven_points_warn_where_level_0_decides(first_hit, warns):
    """The best precision of a flat curve is 1 by one lucky row, or near 0."""
    rng = np.random.default_rng(0)
    y_true = rng.random(2_000) < 0.03
    y_score = rng.normal(size=2_000)
    if first_hit is None:
        y_score += 4 * y_true
    else:
        y_true[np.argsort(-y_score)[:40]] = False
        y_true[np.argsort(-y_score)[first_hit]] = True
    warned = warns_of("few_positives", "^Recall level 0 decides")
    with warned if warns else nullcontext():
        estimate_score("eleven_point_average_precision", y_true, y_score, **OPTIONS)
    estimate_score("interpolated_average_precision", y_true, y_score)


def test_level_0_decides_by_what_it_has_or_lacks_in_standard_errors():
    y_true, y_score = levels(3, shift=1.0)
    first, second = (
        precision_at_recall_score(y_true, y_score, recall=level) for level in (0, 0.1)
    )
    share = max(first - second, (1 - first) / 2) / 11
    call = read_call(eleven_point_average_precision_score, y_true, y_score, {})
    with pytest.warns(
        UncertaintyWarning, match=f"precision of all is {first:.2g} here"
    ):
        _warn_of_first_level(call, share * 0.999)
    _warn_of_first_level(call, share * 1.001)


@pytest.mark.filterwarnings("ignore:No threshold of this sample surely")
@pytest.mark.filterwarnings("ignore:The sample has only")
def test_recall_at_a_precision_is_at_most_the_share_that_has_rows():
    """Six of 1,000 positives have rows."""
    y_true = [0, *[1] * 6, *[0] * 60]
    estimate = estimate_score(
        recall_at_precision_score,
        y_true,
        -np.arange(67.0),
        precision=0.95,
        n_positives=1000,
        **OPTIONS,
    )
    assert estimate.confidence_interval().high <= 0.02
