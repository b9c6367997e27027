"""Standard errors and intervals from influences, compared with their definitions and with
numbers that are computed row by row.
"""

import numpy as np
import pytest

from oracles.uncertainty import (
    clustered,
    drawn,
    drawn_weights,
    each_call,
    n_equal,
    of_influences,
    row_influences,
    sample_of,
    tied,
    weighted,
    with_one_more_positive,
)
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
)
from sklearn_ap._uncertainty.results import with_interval

# --- the definition -------------------------------------------------------------------


@each_call
@tied
@weighted
@clustered
def test_influences_of_units(score, options, digits, weighted, clustered):
    """Tests and intervals of differences are tested in `test_comparisons`."""
    y_true, first = drawn(1, 300, 0.2, digits)
    models = first, (0.6 * first + np.random.default_rng(1).random(300)).round(digits)
    weight = drawn_weights(1, 300) if weighted else np.ones(300)
    unit = np.arange(300) % 50 if clustered else np.arange(300)
    rows = {"sample_weight": weight, **options}
    x, y = (row_influences(score, y_true, model, **rows) for model in models)
    error, df, n_positives = of_influences(x, weight, y_true, unit)
    found = estimate_score(score, y_true, first, unit_id=unit, **rows)
    assert found.score == score(y_true, first, **rows)
    assert found.standard_error == pytest.approx(error, rel=1e-12, abs=0)
    assert found.n_positives == pytest.approx(n_positives, rel=1e-12, abs=0)
    assert found.df == pytest.approx(df, rel=1e-10, abs=0)
    assert found.n_units == unit.max() + 1
    pair = compare_scores(score, y_true, *models, unit_id=unit, **rows)
    error, df, _ = of_influences(x - y, weight, y_true, unit)
    assert pair.difference == found.score - score(y_true, models[1], **rows)
    assert pair.standard_error == pytest.approx(error, rel=1e-11, abs=0)
    # With clusters, heavy units of negatives limit the degrees of freedom, too.
    if not clustered:
        assert pair._df_of_interval == pytest.approx(df, rel=1e-9, abs=0)


@pytest.mark.parametrize("n_users", [20, 10])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"average": "weighted"},
        *({"zero_division": value} for value in (0.0, 1.0, np.nan)),
    ],
    ids=str,
)
def test_mean_over_queries_has_the_error_of_a_mean(options, n_users):
    """The influence of a query on the mean is w (x - mean), where w is its share of all
    weights. All queries of a user are one unit. The variance is the sum of squares over
    units, times n / (n - 1), where n is the effective number of units.
    """
    query, (y_true, y_score) = np.arange(240) % 20, drawn(6, 240, 0.5, 1)
    if "zero_division" in options:
        y_true = y_true * (query > 2)
    rows = {"y_true": y_true, "y_score": y_score, "query_id": query}
    score = average_precision_score
    values = score(**rows | options | {"average": None})
    share = np.where(np.isnan(values), 0.0, 1.0)
    if "average" in options:
        share = np.bincount(query, y_true)
    share = share / share.sum()
    mean = np.nansum(share * values)
    user = np.arange(20) % n_users
    of_users = np.bincount(user, np.nan_to_num(share * (values - mean)))
    weight = np.bincount(user, share)
    n_units = n_equal(weight)
    error = np.linalg.norm(of_users) * np.sqrt(n_units / (n_units - 1))
    found = estimate_score(score, **rows, unit_id=query % n_users, **options)
    assert (found.score, found.standard_error) == pytest.approx((mean, error), 1e-12)
    assert found.df == pytest.approx(n_units - 1)
    assert found.n_units == np.count_nonzero(weight)


@each_call
def test_one_walk_equals_the_way_by_rows(score, options):
    """The rows fill several blocks, and some are tied."""
    rows = drawn(17, 150_000, 0.4, 5)
    at_once, by_rows = (
        estimate_score(score, *rows, unit_id=unit, **options)
        for unit in (None, np.arange(150_000))
    )
    for name in ("standard_error", "df", "bias"):
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
    rows = {"y_true": y_true, "y_score": y_score}

    def score(more):
        inputs = {"sample_weight": (weights + more)[:60]}
        if n_missed:
            total = (weights + more) @ np.append(y_true, np.ones(n_missed))
            inputs["n_positives"] = total
        return average_precision_score(**rows, **inputs)

    h = 1e-3
    seconds = [
        (score(more) - 2 * score(0) + score(-more)) / h**2
        for more in h * np.eye(weights.size)
    ]
    inputs = {"sample_weight": weight}
    if n_missed:
        inputs["n_positives"] = y_true.sum() + n_missed
    found = estimate_score(average_precision_score, **rows, **inputs)
    assert found.bias == pytest.approx((weights**2 * seconds).sum() / 2, 1e-4, abs=0)


@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_influence_of_a_missed_positive_is_a_derivative(prevalence):
    y_true, y_score = drawn(1, 60, 0.3, 1)
    total, h = y_true.sum() + 9.0, 1e-4

    def score(n_positives):
        return average_precision_score(
            y_true, y_score, n_positives=n_positives, prevalence=prevalence
        )

    influences = sample_of(
        average_precision_score,
        y_true,
        y_score,
        n_positives=total,
        prevalence=prevalence,
    ).influences
    expected = (score(total + h) - score(total - h)) / (2 * h)
    assert influences.of_missed == pytest.approx([expected], rel=1e-6)
    # The score does not change if all rows and missed positives are doubled.
    all_influences = influences.of_units.sum() + 9 * influences.of_missed[0]
    assert all_influences == pytest.approx(0, abs=1e-12)


# --- intervals ------------------------------------------------------------------------


@each_call
@weighted
@pytest.mark.parametrize("per_unit", [1, 6])
def test_endpoints_are_those_of_one_more_positive(score, options, weighted, per_unit):
    rows = drawn(9, 240)
    weight = drawn_weights(9, 240) if weighted else None
    options = options | {"sample_weight": weight, "unit_id": np.arange(240) // per_unit}
    found = estimate_score(score, *rows, **options)
    n, chance = found._known.n_independent, np.average(rows[0], weights=weight)
    if per_unit == 1:
        assert n == pytest.approx(found.n_positives, rel=1e-12)
    for confidence_level in (0.5, 0.95, 0.999):
        wanted = with_one_more_positive(found, n, chance, confidence_level)
        low, high = found.confidence_interval(confidence_level)
        assert (low, high) == pytest.approx(wanted, rel=1e-9, abs=0)
        assert 0 < low < found.score < high < 1


def test_an_end_near_0_keeps_a_digit_in_a_line():
    text = with_interval(0.0899, -0.0031, 0.183, pvalue=0.058)
    assert text == "0.09, 95 % interval -0.003 to 0.18, p = 0.058"


@pytest.mark.filterwarnings("ignore:The sample has too few positives")
def test_missed_positives_are_no_units():
    """Five rows are five units, whatever the number of missed positives."""
    rows = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]
    found = estimate_score(average_precision_score, *rows, n_positives=5)
    assert (found.n_units, found.n_positives) == (5, 3)
    assert found.to_dict()["n_units"] == 5
    compared = compare_scores(
        average_precision_score, *rows, [1, 2, 3, 4, 5], n_positives=5
    )
    assert compared.n_units == 5
