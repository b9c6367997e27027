"""The picture of the family: its artists, their data, the values in its legend, and the areas drawn."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve
from sklearn.naive_bayes import GaussianNB

from drawn import NAMES, legend_of, value_of
from sklearn_ap._displays._average_precision import AveragePrecisionDisplay
from sklearn_ap._displays._comparison import AveragePrecisionComparisonDisplay

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
Y_SCORE = np.arange(10, 0, -1)
AREAS = list(NAMES)
from_predictions = AveragePrecisionComparisonDisplay.from_predictions


def values_of(*args, **kwargs):
    return {area: value_of(area, *args, **kwargs) for area in NAMES}


def test_the_ranking_that_shows_all_differences():
    display = from_predictions(Y_TRUE, Y_SCORE)
    assert legend_of(display) == [
        "step AP = 0.698",
        "interpolated AP = 0.714",
        "eleven-point AP = 0.740",
        "linear PR AUC = 0.660",
        "Davis-Goadrich PR AUC = 0.664",
    ]
    assert display.average_precision == values_of(Y_TRUE, Y_SCORE)


def test_structure():
    display = from_predictions(Y_TRUE, Y_SCORE)
    assert list(display.artists_) == AREAS
    assert isinstance(display.artists_["step"], StepPatch)
    lines = [display.artists_[area] for area in AREAS[1:]]
    assert all(isinstance(line, Line2D) for line in lines)
    assert display.ax_.get_lines() == lines
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_xlabel() == "Recall (Positive label: 1)"
    assert display.ax_.get_ylabel() == "Precision (Positive label: 1)"
    assert display.ax_.get_xlim() == (-0.02, 1.02)
    assert display.ax_.get_ylim() == (0, 1.04)
    assert not display.ax_.get_title()


def test_every_artist_can_be_told_by_its_form():
    artists = from_predictions(Y_TRUE, Y_SCORE).artists_
    assert artists["step"].get_fill()
    drawn = [artists[area]._unscaled_dash_pattern[1] for area in ("interpolated", "linear", "davis-goadrich")]
    assert drawn == [None, (5, 2), (1, 1)]
    assert artists["eleven-point"].get_marker() == "o"
    assert artists["eleven-point"].get_linestyle() == "None"
    assert len({artists[area].get_color() for area in AREAS[1:]}) == 4


def test_bars_are_precision_times_recall_gained():
    heights, edges, baseline = from_predictions(Y_TRUE, Y_SCORE).artists_["step"].get_data()
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 0.8, 1])
    np.testing.assert_allclose(heights, [1, 2 / 3, 3 / 4, 4 / 7, 1 / 2])
    assert baseline == 0


def test_bars_are_told_apart_where_they_are_few():
    assert len(from_predictions(Y_TRUE, Y_SCORE).ax_.collections) == 1
    assert len(from_predictions(np.tile(Y_TRUE, 10), np.arange(100)).ax_.collections) == 0


def test_eleven_dots():
    dots = from_predictions(Y_TRUE, Y_SCORE).artists_["eleven-point"]
    assert dots.get_xdata().tolist() == [j / 10 for j in range(10, -1, -1)]
    np.testing.assert_allclose(dots.get_ydata()[::-1], [1] * 3 + [0.75] * 4 + [4 / 7] * 2 + [0.5] * 2)


@pytest.mark.parametrize("area", ["interpolated", "linear", "davis-goadrich"])
def test_lines_are_those_of_the_display_of_one_area(area):
    line = from_predictions(Y_TRUE, Y_SCORE).artists_[area]
    alone = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, area=area).line_
    np.testing.assert_array_equal(line.get_xydata(), alone.get_xydata())
    assert line.get_drawstyle() == alone.get_drawstyle()


rows = st.lists(st.tuples(st.booleans(), st.integers(0, 12), st.integers(0, 5)), min_size=1, max_size=30)


@given(rows=rows)
def test_areas_drawn_are_the_values_shown(rows):
    y_true, y_score, weight = np.array(rows).T
    if not (y_true * weight).any():
        return
    display = from_predictions(y_true, y_score, sample_weight=weight)
    plt.close(display.figure_)
    values = display.average_precision
    assert values == pytest.approx(values_of(y_true, y_score, sample_weight=weight), abs=1e-12)
    heights, edges, _ = display.artists_["step"].get_data()
    assert np.sum(heights * np.diff(edges)) == pytest.approx(values["step"], abs=1e-12)
    assert display.artists_["eleven-point"].get_ydata().mean() == pytest.approx(values["eleven-point"])
    recall, precision = display.artists_["interpolated"].get_data()
    assert -np.sum(np.diff(recall) * precision[:-1]) == pytest.approx(values["interpolated"], abs=1e-12)
    for area, tolerance in (("linear", 1e-12), ("davis-goadrich", 2e-4)):
        recall, precision = display.artists_[area].get_data()
        drawn = -np.sum(np.diff(recall) * (precision[:-1] + precision[1:]) / 2)
        assert drawn == pytest.approx(values[area], abs=tolerance)


@pytest.mark.parametrize("labels", [["no", "yes"], [2, 1], [False, True]])
def test_any_labels_and_weights(labels):
    weight = np.arange(1, 11)
    y_true = np.array(labels)[Y_TRUE]
    display = from_predictions(y_true, Y_SCORE, pos_label=labels[1], sample_weight=weight)
    assert display.average_precision == values_of(Y_TRUE, Y_SCORE, sample_weight=weight)
    assert display.ax_.get_ylabel() == f"Precision (Positive label: {labels[1]})"


@pytest.mark.parametrize("pos_label", [None, 0])
def test_from_estimator_draws_its_scores(data, pos_label):
    X, y = data
    weight = np.linspace(0.5, 2, y.size)
    model = GaussianNB().fit(X, y)
    display = AveragePrecisionComparisonDisplay.from_estimator(
        model, X, y, pos_label=pos_label, sample_weight=weight
    )
    positive = 1 if pos_label is None else pos_label
    scores = model.predict_proba(X)[:, positive]
    assert display.average_precision == values_of(y == positive, scores, sample_weight=weight)
    expected = from_predictions(y == positive, scores, sample_weight=weight)
    for area in AREAS[1:]:
        np.testing.assert_array_equal(
            display.artists_[area].get_xydata(), expected.artists_[area].get_xydata()
        )
    assert display.ax_.get_ylabel() == f"Precision (Positive label: {positive})"


def test_from_estimator_leaves_out_what_missed_positives_have_not(data):
    model = GaussianNB().fit(*data)
    display = AveragePrecisionComparisonDisplay.from_estimator(model, *data, n_positives=500)
    assert list(display.artists_) == ["step", "interpolated", "eleven-point"]


def test_from_estimator_refuses_several_classes(data):
    three = np.arange(200) % 3
    model = GaussianNB().fit(data[0], three)
    with pytest.raises(ValueError, match=r"^estimator must be a binary classifier"):
        AveragePrecisionComparisonDisplay.from_estimator(model, data[0], three)


def test_despine(data):
    model = GaussianNB().fit(*data)
    for display in (
        from_predictions(Y_TRUE, Y_SCORE, despine=True),
        AveragePrecisionComparisonDisplay.from_estimator(model, *data, despine=True),
    ):
        spines = display.ax_.spines
        assert [spines[side].get_visible() for side in ("top", "right", "bottom", "left")] == [0, 0, 1, 1]
        assert spines["left"].get_bounds() == spines["bottom"].get_bounds() == (0, 1)
    assert from_predictions(Y_TRUE, Y_SCORE).ax_.spines["top"].get_visible()


def test_given_axes_are_used_and_nothing_else_is_made():
    _, (left, right) = plt.subplots(1, 2)
    assert from_predictions(Y_TRUE, Y_SCORE, ax=right).ax_ is right
    assert not left.has_data()
    assert len(plt.get_fignums()) == 1


def test_constructor_draws_the_areas_that_have_a_value():
    precision, recall, _ = precision_recall_curve(Y_TRUE, Y_SCORE)
    values = {"linear": 0.66, "step": 0.698}
    display = AveragePrecisionComparisonDisplay(precision, recall, average_precision=values)
    assert display.plot() is display
    assert legend_of(display) == ["step AP = 0.698", "linear PR AUC = 0.660"]
    assert display.ax_.get_xlabel() == "Recall"


@pytest.mark.parametrize("values", [{}, {"stairs": 0.5}, 0.5, None, ["step"]])
def test_unknown_areas_are_errors(values):
    display = AveragePrecisionComparisonDisplay([1.0, 1.0], [1.0, 0.0], average_precision=values)
    with pytest.raises(ValueError, match=r"average_precision must map some of 'step', .* got "):
        display.plot()


def test_values_of_a_rare_class_have_three_significant_digits():
    values = {"step": 0.0012345, "linear": 0.06984}
    display = AveragePrecisionComparisonDisplay([1.0, 1.0], [1.0, 0.0], average_precision=values).plot()
    assert legend_of(display) == ["step AP = 0.00123", "linear PR AUC = 0.0698"]


def test_arrays_of_other_sizes_are_errors():
    display = AveragePrecisionComparisonDisplay([1.0, 1.0], [1.0], average_precision={"step": 1.0})
    with pytest.raises(ValueError, match="recall must be a 1-D array"):
        display.plot()
    assert not plt.get_fignums()


def test_no_positive_warns_at_the_call():
    with pytest.warns(UserWarning, match="No positive class found in y_true") as caught:
        display = from_predictions([0, 0], [1, 2])
    assert [warning.filename for warning in caught] == [__file__]
    assert set(display.average_precision.values()) == {0.0}
    for area in ("linear", "davis-goadrich"):
        assert not display.artists_[area].get_ydata().any()
