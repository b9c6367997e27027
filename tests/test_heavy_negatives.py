"""Negatives that stand for several, by weights or at a prevalence: those that the sample lacks count."""

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
