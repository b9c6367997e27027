"""Samples that lack what decides the score: heavy negatives, few units, and the warnings that name them."""

from functools import partial

import numpy as np
import pytest

from benchmarks.populations import normal, shift_for
from sklearn_ap import (
    UncertaintyWarning,
    average_precision_score,
    compare_scores,
    estimate_score,
    influence_values,
    interpolated_average_precision_score,
)
from uncertainty_oracle import drawn

few = pytest.mark.filterwarnings("ignore:The sample has only")
AP = average_precision_score
RARE = 1 / 91
THINNED = {kept: RARE / (RARE + (1 - RARE) * kept) for kept in (0.05, 0.02)}


def asked(y_true, prevalence=None, weight=None):
    """How a sample is asked for its population: at a prevalence, or with heavy negatives."""
    return {"prevalence": prevalence} if weight is None else {"sample_weight": np.where(y_true, 1, weight)}


@few
@pytest.mark.filterwarnings("ignore:.* is all but 0 to 1")
@pytest.mark.parametrize(
    ("n", "share", "at", "shift", "options"),
    [
        (200, 0.5, 0.02, 2.24, {"prevalence": 0.02}),
        (1_000, 0.5, 0.02, 2.24, {"prevalence": 0.02}),
        *((int(60 / share), share, RARE, None, {"weight": 1 / kept}) for kept, share in THINNED.items()),
    ],
    ids=["200 at .02", "1,000 at .02", "1 in 20", "1 in 50"],
)
def test_intervals_cover_the_population(n, share, at, shift, options):
    """Of these, .63, .82, .82 and .61 were covered."""
    shift = shift_for(0.5, RARE) if shift is None else shift
    truth, rng, covered = normal(at, shift).average_precision, np.random.default_rng(0), []
    for _ in range(150):
        y_true = (rng.random(n) < share).astype(int)
        y_score = rng.normal(size=n) + shift * y_true
        low, high = estimate_score(AP, y_true, y_score, **asked(y_true, **options)).confidence_interval()
        covered.append(low <= truth <= high)
    assert np.mean(covered) >= 0.94


@few
def test_a_model_that_no_row_moves_is_compared_at_a_prevalence():
    """Two negatives above the positive do the same to the score: its spread is 0, by which one divided."""
    found = compare_scores(AP, [0, 1, 0], [3, 2, 0], [3, 2, 3], prevalence=0.05)
    assert found.difference > 0
    assert found.standard_error > 0


@few
@pytest.mark.parametrize("weight", [1.0, 3.0, 20.0, 500.0])
def test_half_a_negative_above_all_takes_what_rows_say(weight):
    """The lower end begins lower by that, as far as few rows carry the variance."""
    y_true, y_score = drawn(3, 60, 0.4)
    weights = np.where(y_true, 1.0, weight)
    estimate = estimate_score(AP, y_true, y_score, sample_weight=weights)
    more = np.append(y_true, 0), np.append(y_score, 9.0), np.append(weights, weight / 2)
    lost = estimate.score - AP(*more[:2], sample_weight=more[2])
    x = weights * influence_values(AP, y_true, y_score, sample_weight=weights)
    assert estimate.standard_error == pytest.approx(np.sqrt((x**2).sum()), rel=1e-12)
    share = 1 - np.sqrt(estimate.df / (y_true.sum() - 1))
    assert estimate._inputs.lower_shift == pytest.approx(share * lost, rel=1e-9)
    of_negatives = x[y_true == 0]
    n_effective = of_negatives.sum() ** 2 / (of_negatives**2).sum()
    bound = (n_effective - 1) / (1 - 1 / weight) if weight > 1 else np.inf
    assert estimate._inputs.heavy_negatives == pytest.approx(bound + 1, rel=1e-12)
    assert estimate.df <= bound * (1 + 1e-12)


@pytest.mark.parametrize("weight", [0.1, 1.0])
def test_light_negatives_leave_all_degrees_of_freedom(weight):
    y_true, y_score = drawn(3, 300)
    weights = np.where(y_true, 1.0, weight)
    assert estimate_score(AP, y_true, y_score, sample_weight=weights)._inputs.heavy_negatives == np.inf


def test_rises_of_the_envelope_that_may_be_noise_lower_the_end():
    """Of a rise g above step AP with the variance V, it is g V / (V + g^2)."""
    y_true, y_score = drawn(3, 300)
    estimate = estimate_score(interpolated_average_precision_score, y_true, y_score)
    rise, variance = estimate.score - AP(y_true, y_score), estimate.standard_error**2
    noise = rise * variance / (variance + rise**2)
    assert noise <= estimate._inputs.lower_shift < 1.1 * noise
    rows = estimate_score(interpolated_average_precision_score, y_true, y_score, unit_id=np.arange(300))
    assert rows._inputs.lower_shift == pytest.approx(estimate._inputs.lower_shift, rel=1e-9)


@pytest.mark.parametrize(("method", "at"), [("influence", 0.001), ("percentile", 0.02)])
def test_few_heavy_negatives_warn(method, at):
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], 100)
    rows = y_true, 2.24 * y_true + rng.normal(size=200)
    rows[1][-1] = 9.0  # a negative above all
    with pytest.warns(UncertaintyWarning, match=r"only [1-9]\.\d+ negatives that decide the score") as caught:
        estimate_score(AP, *rows, prevalence=at, method=method, n_resamples=400, random_state=0)
    assert [warning.message.code for warning in caught] == ["missing_negatives"]
    with pytest.warns(UncertaintyWarning, match=r"negatives that decide the score"):
        compare_scores(
            AP, *rows, rows[1] + rng.normal(size=200), prevalence=at, method=method, n_resamples=400
        )
    rows[1][-1] = 0.0
    estimate_score(AP, *rows, prevalence=0.3, method=method, n_resamples=400, random_state=0)


# --- units of negatives -----------------------------------------------------------------------------------


def clusters_of_negatives(n_clusters, spread=1.0):
    """150 rows, a fifth of them positive, and 300 negatives in clusters whose scores have a common part."""
    rng = np.random.default_rng(0)
    y_true = np.append(np.arange(150) % 5 == 0, np.zeros(300, dtype=bool))
    cluster = np.arange(300) % n_clusters
    y_score = rng.normal(size=450) + 1.5 * y_true
    y_score[150:] += spread * rng.normal(size=n_clusters)[cluster]
    return y_true, y_score, np.append(np.arange(150), 150 + cluster)


def test_few_units_of_negatives_warn():
    """Intervals cover .78 where 300 of 420 negatives are of one cluster, whose level is one draw."""
    for n_clusters, is_few in ((1, True), (3, False)):
        y_true, y_score, unit_id = clusters_of_negatives(n_clusters, 0.0)
        for call in (
            partial(estimate_score, AP, y_true, y_score),
            partial(compare_scores, AP, y_true, y_score, y_score**3),
        ):
            if not is_few:
                call(unit_id=unit_id)
                continue
            with pytest.warns(UncertaintyWarning, match="has only 2 units of negatives") as caught:
                call(unit_id=unit_id)
            assert [warning.message.code for warning in caught] == ["missing_negatives"]


def test_units_of_negatives_count_by_what_they_do_to_the_score():
    """Their effective number bounds the degrees of freedom, and what they count for lowers the lower end."""
    y_true, y_score, unit_id = clusters_of_negatives(6)
    estimate = estimate_score(AP, y_true, y_score, unit_id=unit_id)
    influence = influence_values(AP, y_true, y_score)
    of_rows = -np.where(y_true, 0, influence + 0)
    of_negatives = of_rows[~y_true]
    n_rows = of_negatives.sum() ** 2 / (of_negatives**2).sum()
    of_units = np.bincount(unit_id, of_rows)
    n_units = of_units.sum() ** 2 / (of_units**2).sum()
    each = n_rows / n_units
    assert estimate.df == pytest.approx((n_units - 1) / (1 - 1 / each), rel=1e-9)
    more = np.append(y_true, False), np.append(y_score, 99), np.append(np.ones(450), each / 2)
    lost = estimate.score - AP(*more[:2], sample_weight=more[2])
    share = 1 - np.sqrt(estimate.df / (estimate.n_positives - 1))
    assert estimate._inputs.lower_shift == pytest.approx(share * lost, rel=1e-9)


# --- rows on which intervals cover too little --------------------------------------------------------------


def weights_of_scores(power, n=1_000):
    y_true, y_score = drawn(3, n, 0.2)
    noise = np.random.default_rng(0).normal(size=n)
    return y_true, y_score, np.exp(power * (y_score - y_score.mean()) / y_score.std() + 0.3 * noise)


def test_weights_that_go_with_scores_warn():
    """Such intervals cover .85 to .94."""
    y_true, y_score, weight = weights_of_scores(1.5)
    with pytest.warns(UserWarning, match="^sample_weight depends on y_score") as caught:
        estimate_score(AP, y_true, y_score, sample_weight=weight)
    assert len(caught) == 1
    for same in (weights_of_scores(0.0)[2], np.where(y_true, 1, 5.0), None):
        estimate_score(AP, y_true, y_score, sample_weight=same)
    many = [np.tile(one, 40) for one in (y_true, y_score, weight)]
    with pytest.warns(UserWarning, match="^sample_weight depends on y_score"):
        estimate_score(AP, *many[:2], sample_weight=many[2])


@pytest.mark.parametrize("options", [{}, {"unit_id": np.arange(3_000)}], ids=["at once", "by units"])
def test_few_positives_at_the_top_warn(options):
    """20 positives of 20,000 at .05: intervals cover .90 to .93."""
    y_true, y_score = np.arange(3_000) % 150 == 100, -np.arange(3_000.0)
    with pytest.warns(UserWarning, match=r"0.00714 of 20 positives is that of about 0.14 at") as caught:
        estimate_score(AP, y_true, y_score, **options)
    assert len(caught) == 1
    y_score[np.flatnonzero(y_true)[:2]] = 1.0, 2.0  # two at the top
    estimate_score(AP, y_true, y_score, **options)


def test_few_positives_at_the_top_of_the_lower_model_warn_where_pairs_are_drawn():
    y_true, y_score = np.arange(3_000) % 150 == 100, -np.arange(3_000.0)
    y_score[100] = 1.0
    call = partial(compare_scores, AP, y_true, y_score, y_true + y_score / 3_000)
    with pytest.warns(UncertaintyWarning, match="use method='influence'"):
        call(method="percentile", n_resamples=99)
    call(method="influence")
