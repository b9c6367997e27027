"""Negatives that stand for several, by weights or at a prevalence: those that the sample lacks count."""

import numpy as np
import pytest

from benchmarks.populations import normal, shift_for
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    influence_values,
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
@pytest.mark.parametrize("weight", [3.0, 20.0, 500.0])
def test_one_more_negative_takes_what_rows_say(weight):
    """Where a negative is best of all, the next one stands above all rows: its effect is a difference."""
    y_true, y_score = drawn(3, 60, 0.4)
    y_score = np.where(np.arange(60) == np.flatnonzero(y_true == 0)[0], 5.0, y_score)
    weights = np.where(y_true, 1.0, weight)
    found = estimate_score(AP, y_true, y_score, sample_weight=weights)
    more = np.append(y_true, 0), np.append(y_score, 9.0), np.append(weights, weight)
    lost = found.score - AP(*more[:2], sample_weight=more[2])
    share = 1 - 2 / weight
    assert found._inputs.lower_shift == pytest.approx(share * lost, rel=1e-12)
    x = weights * influence_values(AP, y_true, y_score, sample_weight=weights)
    assert found.standard_error == pytest.approx(np.sqrt((x**2).sum() + share * lost**2), rel=1e-12)
    of_negatives = x[y_true == 0]
    n_effective = of_negatives.sum() ** 2 / (of_negatives**2).sum()
    assert found._inputs.heavy_negatives == pytest.approx((n_effective - 1) / share + 1, rel=1e-12)
    assert found.df <= found._inputs.heavy_negatives - 1


@pytest.mark.parametrize("method", ["influence", "percentile"])
def test_few_heavy_negatives_warn(method):
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], 100)
    rows = y_true, 2.24 * y_true + rng.normal(size=200)
    with pytest.warns(
        UserWarning, match=r"only 3\.\d+ negatives that decide the score, each heavier than two"
    ):
        estimate_score(AP, *rows, prevalence=0.02, method=method, n_resamples=400, random_state=0)
    with pytest.warns(UserWarning, match=r"negatives that decide the score"):
        compare_scores(AP, *rows, rows[1] + rng.normal(size=200), prevalence=0.02)
    estimate_score(AP, *rows, prevalence=0.3, method=method, n_resamples=400, random_state=0)
