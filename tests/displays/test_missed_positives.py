"""Displays with missed positives: the area that is drawn equals the score, and the chance
level ends at the recall of all rows.
"""

import matplotlib.pyplot as plt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import area_under, each_area, legend_of, value_of
from problems import (
    draw_total,
    infinite_scores,
    labels_with_a_positive,
    scores,
    weights,
)
from sklearn_ap import PrecisionRecallDisplay


@each_area
@settings(max_examples=10)
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


def test_the_chance_level_ends_at_the_recall_of_all_rows():
    """Half of the rows are positive, and half of the positives have a row: so random
    scores have precision .5 up to recall .5.
    """
    display = PrecisionRecallDisplay.from_predictions(
        [1, 0, 1, 0], [4, 3, 2, 1], n_positives=4, plot_chance_level=True
    )
    assert display.chance_level_.get_xydata().tolist() == [[0.0, 0.5], [0.5, 0.5]]
    assert display.chance_level_.get_label() == "Chance level (AP = 0.25)"


@pytest.mark.parametrize(
    ("totals", "entry"),
    [([4, 4], "Chance level (AP = 0.25)"), ([2, 4], "Chance level")],
)
def test_the_legend_has_the_chance_level_that_all_curves_share(totals, entry):
    """Both labels have the share .5 of positives. The AP of random scores is this share
    times the recall of all rows, which is 1 if no positive was missed.
    """
    y_true, y_score = [[1, 0], [0, 1], [1, 0], [0, 1]], [[4, 1], [3, 2], [2, 3], [1, 4]]
    display = PrecisionRecallDisplay.from_predictions(
        y_true, y_score, n_positives=totals, plot_chance_level=True
    )
    assert legend_of(display)[-1] == entry
    ends = [line.get_xdata()[-1] for line in display.chance_level_]
    assert ends == [2 / total for total in totals]
