"""The benchmarks of intervals and tests: populations are what they say, and tiny runs
of each table.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import expon, norm

import sklearn_ap
from benchmarks import (
    beside,
    comparisons,
    coverage,
    every_day,
    many,
    rules,
    sample_sizes,
)
from benchmarks.populations import Population, normal

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # few positives
MANY = 1_000_000
POPULATIONS = {
    "normal": normal(0.1, 1.5),
    "mixed": Population(0.1, ((0.7, norm(2, 1)), (0.3, norm(0, 0.5)))),
    "exponential": Population(0.2, ((1.0, expon(0, 4)),), ((1.0, expon()),)),
    "ties": normal(0.2, 1, edges=(-0.5, 0.5, 1.5)),
    "not all retrieved": normal(0.1, 1.5, retrieved_share=0.6),
}


@pytest.mark.parametrize("population", POPULATIONS.values(), ids=POPULATIONS)
def test_average_precision_is_that_of_very_many_rows(population):
    drawn = population.draw(np.random.default_rng(0), MANY)
    assert sklearn_ap.average_precision_score(**drawn) == pytest.approx(
        population.average_precision, abs=3e-3
    )


def test_cuts_and_levels_are_those_of_very_many_rows():
    population = normal(0.1, 1.5, 0.6)
    drawn = population.draw(np.random.default_rng(0), MANY)
    for k in (0.03, 0.2):
        expected = sklearn_ap.average_precision_at_k_score(**drawn, k=k)
        assert population.average_precision_at(k) == pytest.approx(expected, abs=3e-3)
    assert population.eleven_points() == pytest.approx(
        sklearn_ap.eleven_point_average_precision_score(**drawn), abs=5e-3
    )
    assert population.envelope.mean() == pytest.approx(
        sklearn_ap.interpolated_average_precision_score(**drawn), abs=3e-3
    )


def tiny_rows():
    """Yield a row of each table, and the headers above it."""
    for group in ("Where intervals failed", "Fixed classes", "Families of shapes"):
        yield coverage.row_of(coverage.SETTINGS[group][0], 3), coverage.HEADERS
    yield next(coverage.rows_of_rules(2)), coverage.RULE_HEADERS
    for groups in sample_sizes.GROUPS.values():
        setting = replace(groups()[4], n_pilot=3_000)
        yield sample_sizes.row_of(setting, 3), sample_sizes.HEADERS
    for setting, tests in (
        (comparisons.months()[0], comparisons.MONTH_TESTS),
        (comparisons.few_decide()[0], comparisons.DRAWN_TESTS),
        (comparisons.margins()[0], comparisons.PAIRED_TESTS),
        (comparisons.budgets()[0], comparisons.BUDGET_TESTS),
    ):
        yield comparisons.row_of(setting, tests, 2), ["", *tests]
    row = many.row_of(many.SETTINGS[0], 3, 2)
    assert row[:3] == [many.SETTINGS[0].name, "3", "3"]
    high = beside.high_scores()[0]
    yield beside.row_of_high(high, 3), beside.HIGH_HEADERS
    for row in beside.rows_of([beside.tally(high, 3)]):
        yield row, beside.HEADERS
    setting = every_day.Setting(12, 0.3, 0.6)
    yield every_day.row_of(setting, 1), every_day.HEADERS


def test_each_table_has_rows():
    for row, headers in tiny_rows():
        assert len(row) == len(headers), row
    setting = coverage.SETTINGS["Fixed classes"][0]
    # samples depend on the name alone
    assert coverage.row_of(setting, 3) == coverage.row_of(setting, 3)


def test_rules_are_turned_off_and_on_again():
    """Every rule that can be turned off has a setting, and begins lower there."""
    assert rules.OFF.keys() <= rules.NEEDS.keys()
    y_true = np.arange(300) % 3 == 0
    y_score = np.random.default_rng(0).normal(size=300) + y_true
    found = sklearn_ap.estimate_score("interpolated_average_precision", y_true, y_score)
    low, high = found.confidence_interval()
    with rules.without("noise of the envelope"):
        changed = found.confidence_interval()
    assert (changed.low > low, changed.high) == (True, high)
    assert found.confidence_interval() == (low, high)


def test_tally_counts_where_intervals_lie():
    ends = np.array(
        [[[0.1, 0.2]], [[0.3, 0.6]], [[0.7, 0.8]], [[np.nan, np.nan]]]
    ).repeat(2, axis=1)
    tally = coverage.Tally(ends, np.ones(4), np.array([True, False, False, False]))
    assert tally.shares(0.5) == pytest.approx(
        (1 / 3, 1 / 2, 1 / 3, 1 / 3, 1 / 3, 0.5 / 3)
    )
    assert tally.shares(0.15) == pytest.approx((1 / 3, 0, 1 / 3, 2 / 3, 0, 0.5 / 3))
    assert tally.shares(0.9) == pytest.approx((0, 0, 0, 0, 1, 0.5 / 3))
    assert tally.has_interval.mean() == 0.75
