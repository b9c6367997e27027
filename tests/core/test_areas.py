"""What an area has besides its score: slopes are derivatives of the gain of a step, and
the area under the path of a plot is the score.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from drawn import area_under
from sklearn_ap._core.areas.area import DrawnPath
from sklearn_ap._core.areas.joined import DAVIS_GOADRICH, LINEAR
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.ranking.rankings import Steps
from sklearn_ap._core.registry import NUMBERS

# What each slope adds to tp, tp_above, retrieved and above, and its parts of `Curvature`.
CHANGES = {
    "positive": ((1, 0, 1, 0), ("gained", "positive")),
    "tied": ((0, 0, 1, 0), ("negative",)),
    "positive_above": ((1, 1, 1, 1), ("positive",)),
    "negative_above": ((0, 0, 1, 1), ("negative",)),
}
DRAWN = {
    number.name: number
    for number in NUMBERS
    if number.definition.area.path and number.definition.cut is None
    if number.definition.level is None
}


def slopes_of(area, sums):
    return area.slopes(step_of(sums))


def step_of(sums):
    tp, tp_above, retrieved, above = np.array(sums, float)[:, np.newaxis]
    return Steps(tp, tp_above, retrieved, lambda: above)


weights = st.floats(0.1, 9)


@pytest.mark.parametrize("area", [STEP, LINEAR, DAVIS_GOADRICH], ids=lambda a: a.name)
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


@pytest.mark.parametrize("number", DRAWN.values(), ids=DRAWN)
@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=30
    ).filter(lambda rows: any(label for label, _ in rows))
)
def test_the_area_under_a_path_is_the_score(number, rows):
    y_true, y_score = map(np.array, zip(*rows, strict=True))
    precision, recall, thresholds = precision_recall_curve(y_true, y_score)
    shares = [*((y_score >= one).mean() for one in thresholds), 0.0]
    area, points = number.definition.area, (precision, recall, np.array(shares))
    path = area.path(DrawnPath(*points), number.definition.grid)
    line = SimpleNamespace(
        get_data=lambda: (path.recall, path.precision),
        get_markevery=lambda: [*path.dots] or None,
        get_drawstyle=lambda: path.drawstyle,
    )
    tolerance = 2e-4 if area is DAVIS_GOADRICH else 1e-9
    score = number.score(y_true, y_score, **number.options)
    assert area_under(line) == pytest.approx(score, abs=tolerance)
