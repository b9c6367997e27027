"""Influence of each row on a score, compared with exact differences."""

import numpy as np
import pytest

from brief import each_pair
from oracles import scores as oracle
from oracles.uncertainty import (
    AREAS,
    drawn,
    drawn_weights,
    influences,
    row_influences,
)


def close(found, wanted):
    # The slope at a kink is None, which becomes NaN.
    wanted = np.array(wanted, dtype=float)
    kept = ~np.isnan(wanted)
    assert kept.mean() > 0.5
    np.testing.assert_allclose(found[kept], wanted[kept], rtol=0, atol=1e-8)


def check(name, y_true, y_score, prevalence=None, **given):
    """Assert that influences are equal to exact differences."""
    area = AREAS[name]
    weight, total = (given.get(key) for key in ("sample_weight", "n_positives"))
    exact = influences(
        lambda one: area.definition(
            oracle.at_prevalence(one, prevalence) if prevalence else one
        ),
        oracle.ranking(y_true, y_score.tolist(), weight, total),
    )
    options = area.options | given
    if prevalence:
        options["prevalence"] = prevalence
    close(row_influences(area.score, y_true, y_score, **options), list(exact))


@each_pair(
    name=[*AREAS],
    weighted=[False, True],
    digits=[17, 1],
    n=[2, 5, 11],
    prevalence=[None, 0.05, 0.9],
)
def test_single_ranking_equals_exact_differences(name, weighted, n, digits, prevalence):
    weight = drawn_weights(0, n) if weighted else None
    check(name, *drawn(0, n, 0.4, digits), prevalence, sample_weight=weight)


@pytest.mark.parametrize(
    "name", [name for name, area in AREAS.items() if area.takes_totals]
)
@pytest.mark.parametrize("prevalence", [None, 0.2])
@pytest.mark.parametrize("unit", [1.0, 2.0, 3.0])
def test_missed_positives_equal_exact_differences(name, prevalence, unit):
    rows = drawn(7, 14, 0.4)
    total = unit * (rows[0].sum() + 3)
    weight = np.full(14, unit)
    check(name, *rows, prevalence, sample_weight=weight, n_positives=total)
