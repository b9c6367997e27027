"""Axes of displays: colours that the user chose, and logarithmic axes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.metrics import PrecisionRecallDisplay as SklearnDisplay

from sklearn_ap import HitCurveDisplay, PrecisionRecallDisplay
from sklearn_ap._displays.styles import COLOURS

RNG = np.random.default_rng(0)
Y = RNG.random(300) < 0.1
SCORE = RNG.normal(size=300) + Y
DISPLAYS = PrecisionRecallDisplay, HitCurveDisplay


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_cycle_of_the_user_is_kept(display):
    own = ["#111111", "#222222"]
    with plt.rc_context({"axes.prop_cycle": plt.cycler(color=own)}):
        drawn = display.from_predictions(Y, SCORE)
        for _ in range(2):
            third = display.from_predictions(Y, SCORE, ax=drawn.ax_)
    lines = drawn.line_, third.line_
    assert [line.get_color() for line in lines] == [own[0]] * 2
    assert [line.get_linestyle() for line in lines] == ["-", "--"]
    lines_of_user = plt.cycler(color=own, linestyle=[":", "-."])
    with plt.rc_context({"axes.prop_cycle": lines_of_user}):
        assert display.from_predictions(Y, SCORE).line_.get_linestyle() == ":"
    plt.close("all")
    assert display.from_predictions(Y, SCORE).line_.get_color() == COLOURS[0]


@pytest.mark.parametrize(
    ("pos_label", "label"), [(True, "Recall (Positive label: True)"), (False, "Recall")]
)
def test_an_axis_names_the_class_of_all_its_displays(pos_label, label):
    ax = PrecisionRecallDisplay.from_predictions(Y, SCORE, pos_label=True).ax_
    PrecisionRecallDisplay.from_predictions(Y, -SCORE, pos_label=pos_label, ax=ax)
    assert ax.get_xlabel() == label


@pytest.mark.parametrize(("n_classes", "n_columns"), [(20, 1), (21, 2)])
def test_a_long_legend_has_several_columns(n_classes, n_columns):
    """A column of more than 20 entries would be higher than the axes."""
    y_true = np.eye(n_classes, dtype=int)
    drawn = PrecisionRecallDisplay.from_predictions(y_true, y_true + 1.0)
    assert drawn.ax_.get_legend()._ncols == n_columns


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize(
    ("style", "colour"), [("default", "k"), ("dark_background", "white")]
)
def test_the_chance_level_is_seen_on_dark_axes(display, style, colour):
    with plt.style.context(style):
        drawn = display.from_predictions(Y, SCORE, plot_chance_level=True)
    assert drawn.chance_level_.get_color() == colour
    red = {"color": "red"}
    with plt.style.context(style):
        drawn.plot(plot_chance_level=True, chance_level_kw=red)
    assert drawn.chance_level_.get_color() == "red"


def edges_of(drawn):
    """Return the box around the axes and their labels, as shares of the figure."""
    drawn.figure_.canvas.draw()
    box = drawn.ax_.get_tightbbox()
    return box.transformed(drawn.figure_.transFigure.inverted()).extents


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("size", [(4, 3), (3, 2.5), (6.4, 4.8)])
def test_labels_are_not_cut_in_a_small_figure(display, size):
    words = np.where(Y, "positive", "none")
    with plt.rc_context({"figure.figsize": size}):
        drawn = display.from_predictions(words, SCORE, pos_label="positive")
    edges = edges_of(drawn)
    assert 0 <= min(edges) < max(edges) <= 1


def test_the_layout_of_the_user_stays():
    """Only the letters of a label that is longer than the figure are smaller."""
    figure, ax = plt.subplots(figsize=(4, 3))
    drawn = HitCurveDisplay.from_predictions(Y, SCORE, ax=ax)
    label = drawn.ax_.yaxis.label
    assert figure.get_layout_engine() is None
    assert 4 < label.get_fontsize() < 10
    assert label.get_window_extent().height <= figure.bbox.height


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


@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_logarithmic_axis_has_no_limit_below_0(axis):
    _, ax = plt.subplots()
    getattr(ax, f"set_{axis}scale")("log")
    PrecisionRecallDisplay.from_predictions(Y, SCORE, ax=ax)
    limits = {"x": ax.get_xlim(), "y": ax.get_ylim()}
    assert limits.pop(axis)[0] > 0
    assert [*limits.values()] == [(-0.01, 1.01)]


LAYOUTS = {
    "none": lambda: None,
    "tight": plt.tight_layout,
    "adjusted": lambda: plt.subplots_adjust(left=0.3, right=0.7),
}


@pytest.mark.parametrize(
    ("display", "layout"),
    [*((PrecisionRecallDisplay, each) for each in LAYOUTS), (HitCurveDisplay, "tight")],
)
def test_a_new_figure_takes_the_layout_of_the_user(display, layout):
    """Warnings are errors here. scikit-learn's display opens the same figure."""
    places = []
    for each in (display, SklearnDisplay):
        drawn = each.from_predictions(Y, SCORE)
        LAYOUTS[layout]()
        drawn.figure_.canvas.draw()
        [ax] = drawn.figure_.axes
        places.append(ax.get_position(original=True).bounds)
    if display is PrecisionRecallDisplay:
        assert places[0] == places[1]
    if layout == "adjusted":
        assert places[0][0] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("n_curves", "is_own", "is_next"),
    [(9, False, True), (8, False, False), (9, True, False)],
)
def test_a_long_legend_is_next_to_the_axes_of_a_figure_of_displays(
    n_curves, is_own, is_next
):
    """For a figure of the user, no layout was chosen."""
    ax = plt.subplots()[1] if is_own else None
    ax = PrecisionRecallDisplay([0.5, 1], [1, 0], name="a").plot(ax).ax_
    for i in range(n_curves - 2):
        ax.plot([0, 1], [0.5, 0.5], label=i)
    drawn = PrecisionRecallDisplay([0.5, 1], [1, 0], name="b").plot(ax)
    drawn.figure_.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert (box.x0 >= ax.bbox.x1) == is_next
    assert box.x1 <= drawn.figure_.bbox.x1 + 1


NAME = "predicted_probability_of_fraud_by_gradient_boosting_v3_calibrated"


CLASSES = np.arange(60) % 12
WIDE = {"y_true": Y[:60], "y_score": SCORE[:60], "name": NAME}
MANY = {"y_true": CLASSES, "y_score": np.eye(12)[CLASSES], "name": NAME}
DRAWINGS = [
    ((0.8, 3), None, [(PrecisionRecallDisplay, WIDE | {"name": "own"})]),
    ((3, 2.4), None, [(PrecisionRecallDisplay, WIDE)]),
    ((3, 2.4), None, [(PrecisionRecallDisplay, MANY)]),
    ((3, 2.4), "constrained", [(PrecisionRecallDisplay, MANY)]),
    (
        (10.4, 2.72),
        None,
        [
            (PrecisionRecallDisplay, WIDE),
            (HitCurveDisplay, WIDE | {"name": None}),
            (PrecisionRecallDisplay, MANY),
        ],
    ),
]


@pytest.mark.parametrize(("size", "layout", "drawings"), DRAWINGS)
def test_legends_stay_in_the_figure_and_out_of_other_axes(size, layout, drawings):
    """Long names wrap, and many entries have small letters."""
    figure, axes = plt.subplots(
        1, len(drawings), figsize=size, layout=layout, squeeze=False
    )
    for ax, (display, options) in zip(axes[0], drawings, strict=True):
        display.from_predictions(**options, ax=ax)
    figure.canvas.draw()
    for ax in axes[0]:
        box = ax.get_legend().get_window_extent()
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert box.y1 <= figure.bbox.y1 + 1
        assert not any(box.overlaps(other.bbox) for other in axes[0] if other is not ax)


def test_names_are_text_and_no_formulas():
    """The name of a model, a class, the title of a legend, and a positive label."""
    name = "cost_$5_$6"
    rows = np.array(["a", name, "a", name]), [1, 2, 3, 4]
    options = {"pos_label": name, "name": name}
    displays = [
        draw(*rows, **options)
        for draw in (
            PrecisionRecallDisplay.from_predictions,
            HitCurveDisplay.from_predictions,
        )
    ]
    of_classes = PrecisionRecallDisplay.from_predictions(
        [*rows[0], "b"], np.eye(3)[[0, 1, 0, 1, 2]], name=name
    )
    for display in (*displays, of_classes):
        legend = display.ax_.get_legend()
        texts = [legend.get_title(), *legend.get_texts()]
        shown = [text for text in texts if name in text.get_text()]
        assert shown
        assert not any(text.get_parse_math() for text in shown)
    for display in displays:
        labels = display.ax_.xaxis.label, display.ax_.yaxis.label
        assert name in labels[1].get_text()
        assert not any(label.get_parse_math() for label in labels)
    title = of_classes.ax_.get_legend().get_title().get_text()
    assert title.startswith(f"{name} (macro AP")


def test_lines_that_are_no_curves_may_have_formulas():
    _, ax = plt.subplots()
    ax.plot([0, 1], [1, 0], label="$F_1 = 0.5$")
    PrecisionRecallDisplay.from_predictions([0, 1], [1, 2], name="$5", ax=ax)
    parse_math = [text.get_parse_math() for text in ax.get_legend().get_texts()]
    assert parse_math == [True, False]
