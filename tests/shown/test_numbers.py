"""The digits of numbers: as many as their intervals, their tests or their rows need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._shown.numbers import (
    format_pvalue,
    short_share,
    short_threshold,
)


@given(st.floats(0, 1))
def test_a_pvalue_shows_its_side_of_the_significance_level(pvalue):
    sign, shown = format_pvalue(pvalue).split()
    if sign == "<":
        assert pvalue < float(shown) <= 0.05
    else:
        assert np.sign(float(shown) - 0.05) == np.sign(pvalue - 0.05)
        assert float(shown) == pytest.approx(pvalue, rel=0.05)


@given(
    st.floats(-1e3, 1e3),
    st.floats(1e-9, 10.0),
    st.sampled_from([np.float32, np.float64]),
)
def test_a_threshold_retrieves_the_same_rows(score, gap, dtype):
    threshold, below = dtype(score), dtype(score - gap)
    if not below < threshold:
        return
    text = short_threshold(float(threshold), below)
    assert below < dtype(float(text)) <= threshold


@given(st.floats(-12, 0).map(lambda power: 10.0**power))
def test_a_small_share_is_not_shown_as_0(share):
    assert float(short_share(share)) == pytest.approx(share, rel=0.5)
