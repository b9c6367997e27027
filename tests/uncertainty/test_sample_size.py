"""How many positives: a sample's own interval gives its own size back, formulas by
hand, and a simulation.
"""

import numpy as np
import pytest
from scipy import stats

from benchmarks.populations import normal, shift_for
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    interpolated_average_precision_score,
    pr_auc_score,
    precision_at_k_score,
    sample_size,
)

AP = average_precision_score
ROWS = 300


def drawn(seed=0, n=ROWS, prevalence=0.2, shift=1.5):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < prevalence).astype(int)
    return y_true, rng.normal(size=n) + shift * y_true


Y_TRUE, Y_SCORE = drawn()
OTHER = Y_SCORE + np.random.default_rng(1).normal(size=ROWS)
WEIGHT = np.random.default_rng(2).uniform(0.5, 1.5, ROWS)
MATRIX = np.random.default_rng(3).integers(2, size=(ROWS, 3))
PILOTS = {
    "rows": (AP, Y_TRUE, Y_SCORE, {}),
    "linear": (pr_auc_score, Y_TRUE, Y_SCORE, {}),
    "interpolated": (interpolated_average_precision_score, Y_TRUE, Y_SCORE, {}),
    "weights": (AP, Y_TRUE, Y_SCORE, {"sample_weight": WEIGHT}),
    "clusters": (AP, Y_TRUE, Y_SCORE, {"unit_id": np.arange(ROWS) // 3}),
    "queries": (
        AP,
        Y_TRUE,
        Y_SCORE,
        {"query_id": np.arange(ROWS) // 10, "zero_division": 0.0},
    ),
    "macro": (
        AP,
        MATRIX,
        MATRIX + np.random.default_rng(4).normal(size=MATRIX.shape),
        {},
    ),
    "missed": (AP, Y_TRUE, Y_SCORE, {"n_positives": 80}),
}


@pytest.mark.parametrize(
    ("score", "y_true", "y_score", "options"), PILOTS.values(), ids=PILOTS
)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_half_width_of_a_sample_asks_for_its_own_size(
    score, y_true, y_score, options, level
):
    estimate = estimate_score(score, y_true, y_score, **options)
    low, high = estimate.confidence_interval(level)
    size = sample_size(
        score,
        y_true,
        y_score,
        half_width=(high - low) / 2,
        confidence_level=level,
        **options,
    )
    found = options.get("n_positives", np.count_nonzero(y_true))
    assert (size.n_samples, size.n_units, size.n_positives) == (
        ROWS,
        estimate.n_units,
        found,
    )
    assert (size.half_width, size.confidence_level) == ((high - low) / 2, level)


def test_a_design_grows_with_its_rows():
    """It may lack heavy positives, which matters less the more rows it has."""
    y_true, y_score = drawn(1, 20_000, 0.02, 2.0)
    is_first = y_score > np.sort(y_score)[-300]
    rows = np.flatnonzero(is_first | (np.random.default_rng(2).random(20_000) < 0.03))
    weight = np.where(is_first[rows], 1, 1 / 0.03)
    pilot = y_true[rows], y_score[rows]
    # nine neighbours in the place of each row
    grown = [np.repeat(column, 9) for column in (*pilot, weight)]
    grown[1] += np.tile(np.arange(9), rows.size) * 1e-9
    estimate = estimate_score(AP, *grown[:2], sample_weight=grown[2])
    low, high = estimate.confidence_interval()
    size = sample_size(AP, *pilot, sample_weight=weight, half_width=(high - low) / 2)
    assert size.n_samples == pytest.approx(9 * rows.size, rel=0.02)


@pytest.mark.parametrize(
    "options", [{}, PILOTS["queries"][-1]], ids=["rows", "queries"]
)
@pytest.mark.parametrize("center", [0.5, 2.5, 5.5])
def test_the_power_of_a_sample_asks_for_its_own_size(options, center):
    """The power of a paired t test, by the noncentral t distribution of scipy."""
    found = compare_scores(AP, Y_TRUE, Y_SCORE, OTHER, method="influence", **options)
    reach, difference = stats.t.isf(0.025, found.df), center * found.standard_error
    power = stats.nct.sf(reach, found.df, center) + stats.nct.cdf(
        -reach, found.df, center
    )
    power *= 1 - 1e-6  # scipy 1.10 is off by 1e-8
    size = sample_size(
        AP, Y_TRUE, Y_SCORE, OTHER, difference=difference, power=power, **options
    )
    assert (size.n_samples, size.difference, size.power) == (ROWS, difference, power)
    low, high = found.confidence_interval()
    size = sample_size(
        AP, Y_TRUE, Y_SCORE, OTHER, half_width=(high - low) / 2, **options
    )
    assert size.n_samples == ROWS


def test_a_small_pilot_says_how_little_it_knows():
    size = sample_size(AP, *drawn(5, 40), half_width=0.1)
    assert size.n_positives_high > 5 * size.n_positives_low
    y_true = np.arange(400) < 10  # nine degrees of freedom, and no warning
    y_score = np.arange(400) * 37 % 101 + 60 * y_true
    assert estimate_score(AP, y_true, y_score).df == 9
    assert (
        type(sample_size(AP, y_true, y_score, half_width=0.1).n_positives_low) is float
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {},
            "half_width or difference must be given, not both; got half_width=None and difference=None",
        ),
        (
            {"half_width": 0.1, "difference": 0.1},
            "not both; got half_width=0.1 and difference=0.1",
        ),
        (
            {"half_width": 0.5},
            "half_width must be at least 1e-06 and below 0.5; got 0.5",
        ),
        ({"half_width": "small"}, "half_width must be at least 1e-06 .* got 'small'"),
        ({"difference": 0.1}, "difference needs y_score and y_score_b of a pilot"),
        (
            {"difference": 1.0, "y_score_b": OTHER},
            "difference must be at least 1e-06 and below 1; got 1.0",
        ),
        (
            {"difference": 0.1, "y_score_b": OTHER, "power": 0.05},
            "power must be above .* 0.05, .* got 0.05",
        ),
        (
            {"half_width": 0.1, "prevalence": 1},
            "prevalence must be .* above 0 and below 1, .*; got 1",
        ),
        (
            {"half_width": 0.1, "score": 0.5},
            "y_true and y_score of a pilot must be given, or `score` and",
        ),
        (
            {"half_width": 0.1, "confidence_level": 95},
            "confidence_level must be above 0",
        ),
        (
            {"half_width": 0.1, "prevalence": 0.1},
            "y_true and y_score of a pilot must be given, .* prevalence=0.1",
        ),
        (
            {"half_width": 0.1, "y_score": None},
            "y_true and y_score of a pilot must be given",
        ),
        (
            {"half_width": 0.1, "y_score": Y_TRUE + 0.5},
            "must say how much units differ; got 300 units",
        ),
        (
            {"half_width": 0.1, "score_func": precision_at_k_score, "k": 10},
            "score_func must be the area",
        ),
    ],
)
def test_refusals(options, words):
    pilot = {"score_func": AP, "y_true": Y_TRUE, "y_score": Y_SCORE}
    with pytest.raises(ValueError, match=words):
        sample_size(**pilot | options)


@pytest.mark.parametrize(
    ("score", "prevalence", "goal"),
    [(0.5, 0.1, 0.05), (0.8, 0.05, 0.1), (0.95, 0.05, 0.05)],
)
def test_without_a_pilot_a_sample_of_the_size_has_the_half_width(
    score, prevalence, goal
):
    size = sample_size(AP, score=score, prevalence=prevalence, half_width=goal)
    assert size.n_positives == pytest.approx(prevalence * size.n_samples, abs=1)
    population, rng = (
        normal(prevalence, shift_for(score, prevalence)),
        np.random.default_rng(0),
    )
    estimates = [
        estimate_score(AP, **population.draw(rng, size.n_samples)) for _ in range(40)
    ]
    ends = np.array([one.confidence_interval() for one in estimates])
    assert np.diff(ends).mean() / 2 == pytest.approx(goal, rel=0.1)


@pytest.mark.parametrize(
    ("score", "options", "words"),
    [
        (
            AP,
            {"sample_weight": [1, 2, 3]},
            r"y_true and y_score of a pilot must be given, .*; got \['sample_weight'\]",
        ),
        (
            AP,
            {"n_positives": 5},
            r"of a pilot must be given, .*; got \['n_positives'\]",
        ),
        ("recall@5", {}, "score_func must be the area of a ranking"),
    ],
)
def test_what_requires_a_pilot_is_refused_without_one(score, options, words):
    with pytest.raises(ValueError, match=words):
        sample_size(score, score=0.5, prevalence=0.1, half_width=0.05, **options)
