"""The slopes of an area are the derivatives of the gain of a step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._core.areas.joined import LINEAR
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.ranking.rankings import Steps

# What each slope adds to tp, tp_above, retrieved and above, and its parts of
# `Curvature`.
CHANGES = {
    "positive": ((1, 0, 1, 0), ("gained", "positive")),
    "tied": ((0, 0, 1, 0), ("negative",)),
    "positive_above": ((1, 1, 1, 1), ("positive",)),
    "negative_above": ((0, 0, 1, 1), ("negative",)),
}


def slopes_of(area, sums):
    return area.slopes(step_of(sums))


def step_of(sums):
    tp, tp_above, retrieved, above = np.array(sums, float)[:, np.newaxis]
    return Steps(tp, tp_above, retrieved, lambda: above)


weights = st.floats(0.1, 9)


@pytest.mark.parametrize("area", [STEP, LINEAR], ids=lambda a: a.name)
@given(
    gained=weights,
    tied=weights | st.just(0.0),
    above=st.none() | st.tuples(weights, weights),
)
def test_slopes_are_derivatives_of_the_gain(area, gained, tied, above):
    tp_above, negatives_above = above or (0.0, 0.0)
    retrieved_above = tp_above + negatives_above
    sums = np.array(
        [
            tp_above + gained,
            tp_above,
            retrieved_above + gained + tied,
            retrieved_above,
        ]
    )
    found, size = slopes_of(area, sums), 1e-4
    assert found.gain == pytest.approx(area.gain(step_of(sums)))
    for name, (change, curved) in CHANGES.items():
        if above is None and change[3]:
            continue  # the first step has no rows above it
        if tied == 0 and name == "tied":
            continue  # a derivative from one side
        more, less = (
            slopes_of(area, sums + sign * size * np.array(change)).gain
            for sign in (1, -1)
        )
        slope = getattr(found, name)
        if slope is None:
            slope = found.negative_above
        assert slope == pytest.approx((more - less) / (2 * size), rel=1e-4, abs=1e-6), (
            name
        )
        if area.curvature is not None:  # half the second derivative
            parts = area.curvature(step_of(sums), found)
            half = (more + less - 2 * found.gain) / (2 * size**2)
            summed = sum(getattr(parts, part) for part in curved)
            assert summed == pytest.approx(half, rel=1e-3, abs=1e-4), name
