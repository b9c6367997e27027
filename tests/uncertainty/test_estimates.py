"""Standard errors, biases and numbers of units, compared with their definitions."""

import numpy as np
import pytest
from scipy.stats import sem

from brief import one_in
from oracles.uncertainty import (
    AREAS,
    bias_of,
    drawn,
    drawn_weights,
)
from sklearn_ap import (
    average_precision_score,
    estimate_score,
)

AP = average_precision_score
QUERY, OF_QUERIES = np.arange(240) % 20, drawn(6, 240, 0.5, 1)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_a_mean_over_queries_has_the_standard_error_of_a_mean(zero_division):
    """Three queries have no positives. If they score NaN, they are not counted."""
    y_true, y_score = OF_QUERIES
    rows = y_true * (QUERY > 2), y_score
    options = {"query_id": QUERY, "zero_division": zero_division}
    scores = AP(*rows, average=None, **options)
    scores = scores[~np.isnan(scores)]
    found = estimate_score(AP, *rows, **options)
    assert found.score == pytest.approx(scores.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(sem(scores), rel=1e-12)
    assert (found.df, found.n_units) == (pytest.approx(scores.size - 1), scores.size)


def test_all_queries_of_a_user_are_one_unit():
    scores = AP(*OF_QUERIES, query_id=QUERY, average=None)
    of_users = scores.reshape(2, 10).mean(axis=0)
    found = estimate_score(AP, *OF_QUERIES, query_id=QUERY, unit_id=QUERY % 10)
    assert found.score == pytest.approx(of_users.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(sem(of_users), rel=1e-12)
    assert (found.df, found.n_units) == (pytest.approx(9), 10)


@pytest.mark.parametrize(
    ("name", "weight", "n_missed"),
    [
        *((name, np.ones(60), 0) for name in AREAS),
        *((name, drawn_weights(1, 60), 0) for name in AREAS),
        ("step", np.ones(60), 9),
    ],
)
def test_bias_is_what_positives_gain_by_counting_themselves(name, weight, n_missed):
    """One row of each positive is taken away where its precision is computed, but for a
    single row that ranks first.
    """
    y_true, y_score = (np.array(values) for values in drawn(1, 60, 0.3, 1))
    # A positive ranks first, alone.
    y_true[0], y_score[0] = 1, 9
    of_positives = weight[y_true > 0]
    own, total = (of_positives**2).sum() / of_positives.sum(), of_positives.sum()
    rows = oracle_steps(y_true, y_score, weight)
    without, above = 0.0, 1.0
    for gained, tp, retrieved in rows:
        others = tp / retrieved
        if retrieved > own + 1e-9:
            others = max(tp - own, 0) / (retrieved - own)
        height = (others + above) / 2 if name == "linear" else others
        without += gained * height / (total + n_missed)
        above = tp / retrieved
    options = AREAS[name].options | {"sample_weight": weight}
    if n_missed:
        options = {"n_positives": total + n_missed}
    rows = AREAS[name].score, y_true, y_score
    biased = estimate_score(*rows, **options).score
    assert bias_of(*rows, **options) == pytest.approx(biased - without, rel=1e-9)


def oracle_steps(y_true, y_score, weight):
    """Yield the positives of each distinct score, best first, and the positives and the
    rows at or above it.
    """
    for score in np.unique(y_score)[::-1]:
        at, above = y_score == score, y_score >= score
        tp, retrieved = (weight * y_true)[above].sum(), weight[above].sum()
        yield (weight * y_true)[at].sum(), tp, retrieved


@pytest.mark.parametrize(
    ("shift", "n_positives", "n"), one_in(2, [(0, 10, 100), (1, 30, 1000)])
)
def test_bias_is_near_that_of_simulated_samples(shift, n_positives, n):
    """It is .040 and .023. Half of the second derivatives would be .35 to .7 of it."""
    rng = np.random.default_rng(0)

    def drawn_of(n_rows):
        y_true = rng.random(n_rows) < n_positives / n
        return y_true, rng.normal(size=n_rows) + shift * y_true

    population = AP(*drawn_of(400_000))
    samples = [drawn_of(n) for _ in range(300)]
    scores, biases = np.transpose([(AP(*rows), bias_of(AP, *rows)) for rows in samples])
    assert biases.mean() == pytest.approx(scores.mean() - population, rel=0.3)
