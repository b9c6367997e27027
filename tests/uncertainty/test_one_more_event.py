"""One more event: its weight, and the interval of a share of rows that are drawn in
units.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from oracles import uncertainty as oracle
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


def test_units_of_alike_rows_bring_all_their_rows():
    """Each of 20 units has five negatives, which are all in the same cell."""
    unit = np.repeat(np.arange(20), 5)
    assert events_of(2 * (unit < 7), unit)[[0, 2]] == pytest.approx(5)


def test_many_units_show_that_alarms_are_independent():
    """One of the five rows of each unit is a false positive. Then an event is one row,
    plus a part of a unit that decreases with the number of units.
    """
    for n in (4, 40, 400):
        unit = np.repeat(np.arange(n), 5)
        event = events_of(np.tile([2, 0, 0, 0, 0], n), unit)[2]
        assert event == pytest.approx(1 + 4 / (n + 1))


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
