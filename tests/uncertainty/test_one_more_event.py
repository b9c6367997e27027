"""One more event: its weight, and the interval of a share of rows that are drawn in
units.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from oracles import uncertainty as oracle
from sklearn_ap import estimate_score
from sklearn_ap._uncertainty.one_more_event import (
    beta_quantile,
    endpoints_with_one_more,
    weights_of_units,
)

ROWS = st.lists(
    st.tuples(
        # The cell and the unit of each row.
        st.integers(0, 3),
        st.integers(0, 4),
        st.sampled_from([1.0, 0.1, 0.3, 40.0]),
    ),
    min_size=1,
    max_size=14,
)


def events_of(cell, unit, weight=None):
    cell, unit = np.asarray(cell), np.asarray(unit)
    weight = np.ones(cell.size) if weight is None else np.asarray(weight)
    return weights_of_units(cell, unit, weight)[1]


@given(ROWS)
def test_an_event_has_the_weight_of_its_definition(rows):
    cell, unit, weight = map(np.array, zip(*rows, strict=True))
    unit = np.unique(unit, return_inverse=True)[1]
    of_units, events = weights_of_units(cell, unit, weight)
    for place, value in enumerate(of_units.T):
        in_unit = unit == place
        expected = np.bincount(cell[in_unit], weight[in_unit], 4)
        assert value == pytest.approx(expected)
    expected = [float(x) for x in oracle.one_more_event(cell, unit, weight)]
    assert events == pytest.approx(expected, rel=1e-9)


@given(ROWS, st.sampled_from([1e-70, 1e70]), st.sampled_from([1e-70, 1.0, 1e70]))
def test_an_event_has_the_scale_of_the_weights_of_its_class(rows, of_all, of_positives):
    cell, unit, weight = map(np.array, zip(*rows, strict=True))
    unit = np.unique(unit, return_inverse=True)[1]
    if not len({0, 2} & {*cell}) or not len({1, 3} & {*cell}):
        # A class without rows has the weights of the other class.
        of_positives = 1.0
    factor = np.where(cell % 2, of_positives, 1.0) * of_all
    factors = np.array([1.0, of_positives] * 2) * of_all
    moved = events_of(cell, unit, weight * factor)
    assert moved == pytest.approx(events_of(cell, unit, weight) * factors, rel=1e-9)


def test_a_unit_of_one_row_brings_that_row():
    assert events_of([0, 1, 2, 3], range(4)) == pytest.approx(1.0)
    # With weights, the typical weight is the mean weight of rows that are drawn in
    # proportion to their weights.
    events = events_of([0, 0, 1, 3], range(4), [1, 3, 2, 2])
    assert events == pytest.approx([10 / 4, 2, 10 / 4, 2])


def test_units_of_alike_rows_bring_all_their_rows():
    """Each of 20 units has five negatives, which are all in the same cell."""
    unit = np.repeat(np.arange(20), 5)
    assert events_of(2 * (unit < 7), unit)[[0, 2]] == pytest.approx(5)


def test_no_unit_of_several_rows_shows_that_alarms_are_independent():
    """Both false positives are single rows. Their event is the mean size of the unit of a
    negative, since most units have five rows.
    """
    unit = np.r_[np.repeat(np.arange(20), 5), 20, 21]
    cell = np.where(unit < 20, 0, 2)
    assert events_of(cell, unit)[2] == pytest.approx((20 * 25 + 2) / 102)


def test_many_units_show_that_alarms_are_independent():
    """One of the five rows of each unit is a false positive. Then an event is one row,
    plus a part of a unit that decreases with the number of units.
    """
    for n in (4, 40, 400):
        unit = np.repeat(np.arange(n), 5)
        event = events_of(np.tile([2, 0, 0, 0, 0], n), unit)[2]
        assert event == pytest.approx(1 + 4 / (n + 1))


def test_a_rare_class_has_the_size_of_all_units():
    """Positives are single rows here, but a unit of ten positives may be missing."""
    unit = np.r_[np.repeat(np.arange(30), 10), 30, 31]
    cell = np.where(unit < 30, 0, 3)
    events = events_of(cell, unit)
    assert events[1] == pytest.approx((30 * 100 + 2) / 302)
    # If each unit has one positive, so does one more unit.
    unit, cell = np.repeat(np.arange(30), 10), np.tile([1] + [0] * 9, 30)
    assert events_of(cell, unit)[3] == pytest.approx(1)


# --- endpoints ------------------------------------------------------------------------


# With smaller events, quantiles of the oracle do not converge in scipy 1.13.
@given(
    st.floats(0, 1),
    st.floats(0, 0.3),
    st.tuples(st.floats(1e-3, 3), st.floats(1e-3, 3)),
    st.sampled_from([0.5, 0.8, 0.95, 0.99]),
)
def test_endpoints_are_those_of_the_definition(
    share, variance, events, confidence_level
):
    low, high = endpoints_with_one_more(
        share, variance, np.array(events), confidence_level
    )
    expected = oracle.endpoints_with_one_more(share, variance, events, confidence_level)
    assert (low, high) == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize("confidence_level", [0.8, 0.95])
@pytest.mark.parametrize("n", [12, 60, 1000])
def test_single_rows_have_nearly_the_interval_of_clopper_and_pearson(
    n, confidence_level
):
    """The interval contains that of n rows, and is contained in that of n - 5 rows with
    the same share.
    """
    for hits in {0, 1, n // 10, n // 2, n - 1, n}:
        share = hits / n
        variance = share * (1 - share) / (n - 1)
        low, high = endpoints_with_one_more(
            share, variance, np.full(2, 1 / n), confidence_level
        )
        exact = binomtest(hits, n).proportion_ci(confidence_level, method="exact")
        assert low <= exact.low + 1e-12
        assert high >= exact.high - 1e-12
        fewer, tail = n - 5, 0.5 - confidence_level / 2
        if hits:
            assert low >= beta.ppf(tail, share * fewer, (1 - share) * fewer + 1)
        if hits < n:
            assert high <= beta.isf(tail, share * fewer + 1, (1 - share) * fewer)


def test_quantiles_of_a_beta_distribution():
    """A quantile follows from the mean and the variance. If the variance is too large, it
    is 0 or 1.
    """
    shape = beta(3, 8)
    for probability in (0.025, 0.5, 0.9):
        quantile = beta_quantile(shape.mean(), shape.var(), probability)
        assert quantile == pytest.approx(shape.ppf(probability))
    assert beta_quantile(0.2, 0.16, 0.975) == 1
    assert beta_quantile(0.2, 0.5, 0.025) == 0
    assert beta_quantile(0.2, 0.0, 0.975) == 0.2


# --- recall at a cut ------------------------------------------------------------------


# The samples have few positives. In each of them, another one of both losses is larger.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", [2, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_shares_at_a_cut_have_the_endpoints_of_one_more_event(weighted, seed):
    """The lower endpoint allows for one more event of positives below the cut, or for one
    more event of negatives above it, which moves positives near the cut below it.
    """
    y_true, y_score, unit, weight = oracle.drawn_units(seed)
    # Ranks have no ties.
    y_score = y_score.argsort().argsort()
    if not weighted:
        weight = np.ones(unit.size)
    rows = y_true, y_score
    options = {"sample_weight": weight, "unit_id": unit}
    inside = y_score >= y_score.size - 20
    cell = y_true + 2 * inside
    _, below, alarms, hits = map(float, oracle.one_more_event(cell, unit, weight))
    near = np.abs(y_score - (y_score.size - 20.5)) < 9
    at_cut = weight[near & y_true].sum() / weight[near].sum()
    for name, lost, divisor in (
        ("precision@20", alarms, weight[inside].sum()),
        ("recall@20", max(below, alarms * at_cut), weight[y_true].sum()),
    ):
        estimate = estimate_score(name, *rows, **options)
        events = lost / divisor, hits / divisor
        expected = oracle.endpoints_with_one_more(
            estimate.score, estimate.standard_error**2, events, 0.95
        )
        found = estimate.confidence_interval()
        assert found == pytest.approx(expected, rel=1e-9), name
