"""Axes of displays: colours that the user chose, and logarithmic axes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from drawn import legend_of
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay
from sklearn_ap._displays.figure import COLOURS

RNG = np.random.default_rng(0)
Y = RNG.random(300) < 0.1
SCORE = RNG.normal(size=300) + Y
DISPLAYS = AveragePrecisionDisplay, HitCurveDisplay


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_cycle_of_the_user_is_kept(display):
    own = ["#111111", "#222222"]
    with plt.rc_context({"axes.prop_cycle": plt.cycler(color=own)}):
        drawn = display.from_predictions(Y, SCORE)
        assert drawn.line_.get_color() == own[0]
    plt.close("all")
    assert display.from_predictions(Y, SCORE).line_.get_color() == COLOURS[0]


@pytest.mark.parametrize(("n_classes", "n_columns"), [(20, 1), (21, 2)])
def test_a_long_legend_has_several_columns(n_classes, n_columns):
    """A column of more than 20 entries would be higher than the axes."""
    y_true = np.eye(n_classes, dtype=int)
    drawn = AveragePrecisionDisplay.from_predictions(y_true, y_true + 1.0)
    assert drawn.ax_.get_legend()._ncols == n_columns


def test_more_classes_than_there_are_looks_share_an_entry():
    y_true = np.eye(43, dtype=int)
    drawn = AveragePrecisionDisplay.from_predictions(y_true, y_true + 1.0, name="A")
    assert legend_of(drawn) == ["A, 43 curves"]


@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_curve_is_shown_on_an_axis_that_is_made_logarithmic(axis):
    """The limits contain all points of the curve that are above 0."""
    drawn = HitCurveDisplay.from_predictions(Y, SCORE)
    getattr(drawn.ax_, f"set_{axis}scale")("log")
    drawn.figure_.canvas.draw()
    low, high = getattr(drawn.ax_, f"get_{axis}lim")()
    values = getattr(drawn.line_, f"get_{axis}data")()
    least = min(value for value in values if value > 0)
    assert 0 < least / 3 < low <= least
    assert high >= 1


NAME = "predicted_probability_of_fraud_by_gradient_boosting_v3_calibrated"


@pytest.mark.parametrize(
    ("size", "layout"),
    [((3, 2.4), None), ((3, 2.4), "constrained"), ((10.4, 2.72), None)],
)
def test_legends_stay_in_the_figure_and_out_of_other_axes(size, layout):
    """Long names wrap, and many entries have small letters."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(300) < 0.1).astype(int)
    y_score = rng.normal(size=300) + y_true
    classes = rng.integers(0, 12, 300)
    scores = rng.random((300, 12)) + np.eye(12)[classes]
    draw = AveragePrecisionDisplay.from_predictions
    calls = [
        lambda ax: draw(y_true, y_score, name=NAME, ax=ax),
        lambda ax: HitCurveDisplay.from_predictions(y_true, y_score, ax=ax),
        lambda ax: draw(classes, scores, name=NAME, ax=ax),
    ]
    n_axes = 1 if size[0] < 5 else 3
    for first in range(0, 3, n_axes):
        figure, axes = plt.subplots(
            1, n_axes, figsize=size, layout=layout, squeeze=False
        )
        for ax, call in zip(axes[0], calls[first:], strict=False):
            call(ax)
        figure.canvas.draw()
        for ax in axes[0]:
            box = ax.get_legend().get_window_extent()
            assert box.x0 >= -1
            assert box.y0 >= -1
            assert box.x1 <= figure.bbox.x1 + 1
            assert box.y1 <= figure.bbox.y1 + 1
            assert not any(
                box.overlaps(other.bbox) for other in axes[0] if other is not ax
            )
        plt.close(figure)
