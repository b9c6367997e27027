"""What each row does to a score, against exact differences and against differences of
our own scores.
"""

import numpy as np
import pytest

from oracles import scores as oracle
from oracles.uncertainty import (
    AREAS,
    differences,
    drawn,
    drawn_matrix,
    drawn_weights,
    each_area,
    each_call,
    frozen,
    influences,
    row_influences,
    tied,
    weighted,
)
from sklearn_ap import estimate_score

QUERY = frozen(np.repeat(np.arange(4), 8))


def close(found, wanted):
    wanted = np.array(wanted, dtype=float)  # None, which is NaN here, at kinks
    kept = ~np.isnan(wanted)
    assert kept.mean() > 0.5
    np.testing.assert_allclose(found[kept], wanted[kept], rtol=0, atol=1e-8)


# --- one ranking ----------------------------------------------------------------------


SMALL = [
    ([1, 0], [1, 0]),
    ([0, 1], [1, 0]),
    ([1, 0, 1], [1, 1, 1]),
    ([0, 0, 1, 0, 0], [3, 2, 2, 2, 1]),
    ([1, 1, 0, 0], [4, 3, 2, 1]),
]


def check(name, y_true, y_score, prevalence=None, **given):
    """Compare influences with exact differences."""
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


@each_area
@weighted
@pytest.mark.parametrize("rows", [drawn(0, 14, 0.4), drawn(0, 14, 0.4, 1), *SMALL])
def test_single_ranking_equals_exact_differences(name, weighted, rows):
    y_true, y_score = map(np.array, rows)
    weight = drawn_weights(0, y_true.size) if weighted else None
    check(name, y_true, y_score, sample_weight=weight)


@each_area
@tied
@weighted
@pytest.mark.parametrize("prevalence", [0.05, 0.9])
def test_another_prevalence_equals_exact_differences(
    name, digits, weighted, prevalence
):
    weight = drawn_weights(5, 9) if weighted else None
    check(name, *drawn(5, 9, 0.4, digits), prevalence, sample_weight=weight)


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


# --- several rankings -----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@each_call
@tied
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("zero_division", [None, 0.0, 1.0, np.nan], ids=str)
def test_matrix_equals_differences(score, options, digits, average, zero_division):
    """With a zero_division, one column and one row have no positive."""
    y_true, y_score = drawn_matrix(1, 15, digits)
    if zero_division is not None:
        y_true = y_true.copy()
        y_true[:, 1] = y_true[3] = 0
        options = options | {"zero_division": zero_division}
    weight = drawn_weights(2, 15)
    options = options | {"average": average}
    found = row_influences(score, y_true, y_score, sample_weight=weight, **options)
    wanted = differences(
        lambda w: score(y_true, y_score, sample_weight=w, **options), weight
    )
    close(found, wanted)
    assert (weight * found).sum() == pytest.approx(0, abs=1e-13)
    for unit in (np.arange(15), np.arange(15) // 2):
        estimate = estimate_score(
            score, y_true, y_score, sample_weight=weight, unit_id=unit, **options
        )
        error = np.linalg.norm(np.bincount(unit, weight * found))
        assert estimate.standard_error == pytest.approx(error, rel=1e-12)
        assert estimate.n_units == unit.max() + 1
