"""One more event: its size, how it changes a score, and the endpoints of a sample with
it.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(
    st.floats(0.001, 0.999),
    st.floats(1e-3, 0.5),
    st.floats(1, 100),
    st.tuples(*[st.floats(0, 0.3)] * 4),
    st.sampled_from([0.5, 0.8, 0.95, 0.99]),
)
def test_endpoints_are_those_of_the_definition(
    score, error, df, changes, confidence_level
):
    found = endpoints_of(score, error, df, Changes(*changes), confidence_level)
    expected = oracle.endpoints(score, error, df, changes, confidence_level)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert 0 <= found[0] <= score <= found[1] <= 1
