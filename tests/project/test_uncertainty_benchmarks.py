"""The benchmarks of intervals and tests: populations are what they say, and tiny runs
of each table.
"""

import numpy as np
import pytest
from scipy.stats import expon

import sklearn_ap
from benchmarks import (
    beside,
    comparisons,
    coverage,
    cross_validation,
    every_day,
    sample_sizes,
)
from benchmarks.drawn_settings import drawn_settings
from benchmarks.populations import Population, normal

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # few positives
POPULATIONS = (
    normal(0.1, 1.5, 0.6),
    Population(0.2, expon(0, 4), expon()),
    Population(0.2, normal(0.2, 1).positives, edges=(-0.5, 0.5, 1.5)),
)


@pytest.mark.parametrize("population", POPULATIONS, ids=["normal", "expon", "ties"])
def test_scores_are_those_of_very_many_rows(population):
    drawn = population.draw(np.random.default_rng(0), 1_000_000)
    found = {
        "average_precision": population.average_precision,
        "interpolated_average_precision": population.envelope.mean(),
    }
    if population is POPULATIONS[0]:
        found["average_precision@k"] = population.average_precision_at(0.03)
        found["eleven_point_average_precision"] = population.eleven_points()
    for name, value in found.items():
        options = {"k": 30_000} if name.endswith("@k") else {}
        score = getattr(sklearn_ap, f"{name.replace('@', '_at_')}_score")
        assert score(**drawn, **options) == pytest.approx(value, abs=4e-3)


def tiny_rows():
    """Yield a row of each table, and the headers above it."""
    chosen = {name: settings() for name, settings in coverage.CHOSEN.items()}
    for settings in (chosen | drawn_settings(53)).values():
        counts = coverage.tally(settings[0], 3)
        yield coverage.row_of(settings[0], counts), coverage.HEADERS
    yield next(coverage.rows_of_rules(2)), coverage.RULE_HEADERS
    model = sample_sizes.of_two_models()[1]
    for setting in (sample_sizes.without_pilot()[4], model):
        yield sample_sizes.row_of(setting, 2), sample_sizes.HEADERS
    yield sample_sizes.of_small_pilots(model, 2), sample_sizes.POWER_HEADERS
    yield sample_sizes.of_pilots((20, 0.5, 0.05), 2), sample_sizes.PILOT_HEADERS
    for settings, tests in comparisons.groups(53).values():
        for name, test in tests.items():
            row = comparisons.row_of(settings[0], name, test, 2)
            yield row, comparisons.HEADERS
    high = beside.high_scores()[0]
    yield beside.row_of_high(high, 3), beside.HIGH_HEADERS
    for row in beside.rows_of([beside.tally(high, 3)]):
        yield row, beside.HEADERS
    for row in cross_validation.rows_of(cross_validation.SETTINGS[0], 2):
        yield row, cross_validation.HEADERS
    setting = every_day.Setting(12, 0.3, 0.6)
    yield every_day.row_of(setting, 1), every_day.HEADERS


def test_each_table_has_rows():
    for row, headers in tiny_rows():
        assert len(row) == len(headers), row
