"""Standard errors, biases and numbers of units, compared with their definitions."""

import numpy as np
import pytest
from scipy.stats import sem

from oracles.uncertainty import (
    drawn,
    drawn_weights,
    each_call,
    few,
)
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
)
from sklearn_ap._uncertainty.results import with_interval

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


@each_call
def test_one_walk_equals_the_way_by_rows(score, options):
    """The rows fill several blocks, and some are tied."""
    rows = drawn(17, 150_000, 0.4, 5)
    at_once, by_rows = (
        estimate_score(score, *rows, unit_id=unit, **options)
        for unit in (None, np.arange(150_000))
    )
    for name in ("standard_error", "df", "_bias"):
        wanted = pytest.approx(getattr(by_rows, name), rel=1e-8, nan_ok=True)
        assert getattr(at_once, name) == wanted


@pytest.mark.parametrize(
    ("weight", "n_missed"),
    [(np.ones(60), 0), (drawn_weights(1, 60), 0), (np.ones(60), 9)],
)
def test_bias_is_half_the_second_derivatives(weight, n_missed):
    """The derivatives are by the weights of the rows and of the missed positives."""
    y_true, y_score = drawn(1, 60, 0.3, 1)
    # Three negatives have the highest scores.
    y_true = y_true * (np.arange(60) > 2)
    y_score = np.append([9.0] * 3, y_score[3:])
    weights = np.append(weight, np.ones(n_missed))
    is_positive = np.append(y_true, np.ones(n_missed))

    def score(weights):
        options = {"sample_weight": weights[:60], "n_positives": weights @ is_positive}
        return AP(y_true, y_score, **options)

    h = 1e-3
    seconds = [
        (score(weights + step) - 2 * score(weights) + score(weights - step)) / h**2
        for step in h * np.eye(weights.size)
    ]
    options = {"sample_weight": weight}
    if n_missed:
        options = {"n_positives": is_positive.sum()}
    found = estimate_score(AP, y_true, y_score, **options)
    assert found._bias == pytest.approx((weights**2 * seconds).sum() / 2, 1e-4, abs=0)


def test_an_end_near_0_keeps_a_digit_in_a_line():
    text = with_interval(0.0899, -0.0031, 0.183, pvalue=0.058)
    assert text == "0.09, 95 % interval -0.003 to 0.18, p = 0.058"


@few
def test_missed_positives_are_no_units():
    """Five rows are five units, whatever the number of missed positives."""
    rows = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]
    found = estimate_score(AP, *rows, n_positives=5)
    assert (found.n_units, found.n_effective) == (5, 3)
    assert found.to_dict()["n_units"] == 5
    assert compare_scores(AP, *rows, [1, 2, 3, 4, 5], n_positives=5).n_units == 5


@pytest.mark.filterwarnings("ignore:The sample has too few:UserWarning")
def test_a_cut_without_hits_has_an_estimate_of_0():
    rows = np.arange(20) > 9, -np.arange(20)
    assert estimate_score("average_precision@5", *rows, normalizer="hits").score == 0
