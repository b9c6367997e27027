"""Tests of the endpoints of an interval from the numbers that describe a sample."""

from dataclasses import replace

import numpy as np
import pytest

from oracles.uncertainty import few
from sklearn_ap import average_precision_score, estimate_score
from sklearn_ap._uncertainty.calls import read_call
from sklearn_ap._uncertainty.endpoints import (
    FixedRankings,
    IntervalInputs,
    Negatives,
    endpoints_of,
    shift_of,
)
from sklearn_ap._uncertainty.influence import Influences
from sklearn_ap._uncertainty.sample import ranked_sample

U = np.arange(10) % 5
HIGH = IntervalInputs(
    score=0.8,
    standard_error=0.1,
    df=5.0,
    n_positives=50.0,
    negatives=Negatives(loss=0.2),
)


def test_the_lower_endpoint_allows_for_missing_negatives_and_for_a_known_bias():
    """If few rows carry the variance, up to a whole negative is missing. If negatives are
    heavy, a whole one is missing, except for the share of one positive. A perfect sample
    may lack a whole one.
    """
    assert shift_of(HIGH) == pytest.approx(0.2 * (1 - np.sqrt(5 / 49)))
    assert shift_of(HIGH._replace(standard_error=0.0)) == pytest.approx(0.2)
    assert shift_of(HIGH._replace(negatives=Negatives())) == 0
    heavy = HIGH._replace(df=49.0, negatives=Negatives(loss=0.2, outweighed=10.0))
    assert shift_of(heavy) == pytest.approx(0.18)
    for bias, shift in ((0.02, 2 * 0.02), (0.7, 0.8 / 2)):
        of_mean = heavy._replace(rankings=FixedRankings(bias))
        assert shift_of(of_mean) == pytest.approx(shift)


def test_a_mean_has_as_many_degrees_of_freedom_as_units():
    """Also if few of the units carry most of the variance."""
    of_mean = Influences(
        np.append(np.ones(99), 9.0), inputs=IntervalInputs(is_mean=True)
    )
    assert of_mean.spread(20.0, 0.0).df == 19


def test_the_upper_endpoint_allows_for_a_positive_at_the_top_near_chance():
    """`test_estimates.py` tests by how much."""
    inputs = IntervalInputs(
        0.06, 0.01, df=59.0, n_positives=60.0, n_independent=60.0, n_units=1_500
    )
    near_chance = endpoints_of(inputs._replace(chance=0.04), 0.95)
    assert near_chance[1] > endpoints_of(inputs, 0.95)[1]


@few
@pytest.mark.parametrize(
    ("name", "options", "chance"),
    [
        ("average_precision", {}, 0.4),
        ("average_precision", {"prevalence": 0.3}, 0.3),
        ("average_precision@4", {}, 0.0),
        ("average_precision", {"query_id": np.arange(10) // 5}, 0.0),
        ("average_precision", {"query_id": np.arange(10) // 5, "unit_id": U}, 0.0),
    ],
    ids=["area", "prevalence", "cut", "mean over units", "mean over fixed queries"],
)
def test_only_the_area_of_a_single_ranking_has_a_chance_level(name, options, chance):
    """The prevalence that the caller asks for replaces the share of positives."""
    y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0, 1, 0], np.arange(10) % 7
    found = estimate_score(name, y_true, y_score, **options)
    assert found._known.chance == pytest.approx(chance)


@few
@pytest.mark.parametrize(("prevalence", "chance"), [(0.3, 0.3), (None, 0.0)])
def test_a_mean_by_positives_has_the_chance_level_of_a_prevalence(prevalence, chance):
    """Without a prevalence, its columns have different shares of positives."""
    y_true, y_score = [[1, 0], [1, 1], [0, 1], [1, 0], [0, 0]], [[1, 2]] * 5
    options = {"average": "weighted", "prevalence": prevalence}
    found = estimate_score("average_precision", y_true, y_score, **options)
    assert found._known.chance == chance


def test_an_area_without_slopes_has_no_interval():
    """Such an area was treated as step AP at a cut."""
    call = read_call(average_precision_score, [1, 0, 1], [3, 2, 1], {})
    area = replace(call.definition.area, slopes=None)
    other = replace(call, definition=replace(call.definition, area=area))
    with pytest.raises(ValueError, match="how much a row changes it is not defined"):
        ranked_sample(other, None, 0)
