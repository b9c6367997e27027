"""Displays with missed positives: the area that is drawn equals the score, and the chance
level ends at the recall of all rows.
"""

import matplotlib.pyplot as plt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import examples
from drawn import area_under, each_area, value_of
from problems import (
    draw_total,
    infinite_scores,
    labels_with_a_positive,
    scores,
    weights,
)
from sklearn_ap import PrecisionRecallDisplay


@each_area
@examples(5, 10)
@given(st.data())
@infinite_scores
def test_drawn_area_is_the_score(area, data):
    size = data.draw(st.integers(1, 12))
    y_true, y_score = data.draw(labels_with_a_positive(size)), data.draw(scores(size))
    weight = data.draw(weights(size, extreme=False))
    found = sum(w for y, w in zip(y_true, weight or [1] * size, strict=True) if y)
    # Without positives, scikit-learn's curve has recall 1, and no area.
    if not found:
        return
    arguments = {"sample_weight": weight, "pos_label": True}
    if area not in ("linear", "davis-goadrich") and data.draw(st.booleans()):
        arguments["n_positives"] = draw_total(data.draw, found)
    display = PrecisionRecallDisplay.from_predictions(
        y_true, y_score, area=area, **arguments
    )
    score = value_of(area, y_true, y_score, **arguments)
    assert display.average_precision == pytest.approx(score, abs=1e-12)
    # Curves of Davis and Goadrich are drawn by short straight lines.
    tolerance = 2e-4 if area == "davis-goadrich" else 1e-9
    assert area_under(display.line_) == pytest.approx(score, abs=tolerance)
    plt.close(display.figure_)


def test_a_dot_is_at_a_level_that_a_rounded_recall_reaches():
    """The recall of the second positive is 0.8, but for its rounding."""
    rows = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    weight = {"sample_weight": [0.3, 0.5, 0.9, 0.9, 0.3]}
    display = PrecisionRecallDisplay.from_predictions(
        *rows, area="eleven-point", **weight
    )
    score = value_of("eleven-point", *rows, **weight)
    assert area_under(display.line_) == pytest.approx(score)
    assert len(display.line_.get_markevery()) == 11
