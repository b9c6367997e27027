"""One more event: its size, how it changes a score, and the endpoints of a sample with
it.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from oracles import uncertainty as oracle
from sklearn_ap._uncertainty import Changes, endpoints_of, event_of

# The value, the weight and the unit of each row.
ROWS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, 0.25]),
        st.sampled_from([1.0, 0.1, 0.3, 40.0]),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=14,
)


def event(values, weight, unit):
    return event_of(np.array(values), np.array(weight), np.array(unit)).weight


@given(ROWS, st.sampled_from([1e-70, 1.0, 1e70]))
def test_an_event_has_the_weight_of_its_definition(rows, scale):
    values, weight, unit = map(np.array, zip(*rows, strict=True))
    expected = float(oracle.one_more_event(values, weight, unit))
    found = event(values, scale * weight, unit)
    assert found == pytest.approx(scale * expected, rel=1e-9)


# --- endpoints ------------------------------------------------------------------------


# A heavy negative moves this score by more than the distance to 1.
@example(0.9, 0.01, 20.0, 50.0, (0.0, 0.3), 0.95)
@given(
    st.floats(0.001, 0.999),
    st.floats(1e-3, 0.5),
    st.floats(1, 100),
    st.floats(2, 1000),
    st.tuples(*[st.floats(0, 0.3)] * 2),
    st.sampled_from([0.5, 0.8, 0.95, 0.99]),
)
def test_endpoints_are_those_of_the_definition(
    score, error, df, n_events, moved, confidence_level
):
    bias, alarm = moved
    changes = Changes(bias=bias, alarm=alarm, n_events=n_events)
    found = endpoints_of(score, error, df, changes, confidence_level)
    expected = oracle.endpoints(
        score, error, df, n_events, confidence_level, bias=bias, alarm=alarm
    )
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert 0 <= found[0] <= score <= found[1] <= 1


@pytest.mark.parametrize("n", [1, 2, 10, 1000])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_a_share_of_rows_has_the_interval_of_clopper_and_pearson(n, share):
    """As `binomtest` of scipy has it, if the number of hits is a whole one."""
    hits = round(share * n)
    share = hits / n
    error = (share * (1 - share) / n) ** 0.5
    found = endpoints_of(share, error, n - 1 or 1, Changes(n_events=n), 0.95)
    expected = binomtest(hits, n).proportion_ci()
    assert found == pytest.approx((expected.low, expected.high), rel=1e-7, abs=1e-12)


def test_a_score_next_to_1_has_nearly_the_interval_of_1():
    for alarm in (0.0, 0.2):
        changes = Changes(alarm=alarm, n_events=10)
        at_1 = endpoints_of(1.0, 0.0, 9, changes, 0.95)
        next_to_1 = endpoints_of(1 - 1e-9, 1e-10, 9, changes, 0.95)
        assert next_to_1 == pytest.approx(at_1, abs=1e-6)
