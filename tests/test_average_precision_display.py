"""The precision-recall display: artists, data, labels and errors; and the area drawn is the value shown."""

import inspect

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import PrecisionRecallDisplay, precision_recall_curve

import sklearn_ap
from drawn import NAMES, area_under, dots_of, legend_of, value_of
from sklearn_ap import average_precision_score
from sklearn_ap._displays._average_precision import AveragePrecisionDisplay

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.colors import same_color

Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
Y_SCORE = np.arange(10, 0, -1)
from_predictions = AveragePrecisionDisplay.from_predictions


# --- what is drawn ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("area", NAMES)
def test_structure(area):
    display = from_predictions(Y_TRUE, Y_SCORE, area=area, name="kNN")
    assert display.ax_.get_lines() == [display.line_]
    assert display.figure_ is display.ax_.figure
    assert display.chance_level_ is None
    assert display.ax_.get_xlabel() == "Recall (Positive label: 1)"
    assert display.ax_.get_ylabel() == "Precision (Positive label: 1)"
    margin = 0.02 if area == "eleven-point" else 0.01
    assert display.ax_.get_xlim() == display.ax_.get_ylim() == (-margin, 1 + margin)
    assert display.average_precision == value_of(area, Y_TRUE, Y_SCORE)
    assert legend_of(display) == [f"kNN ({NAMES[area]} = {display.average_precision:.2f})"]
    assert display.line_.get_drawstyle() == ("default" if "PR AUC" in NAMES[area] else "steps-post")
    assert not display.ax_.get_title()


def test_steps_are_scikit_learns():
    weight = np.arange(1, 11)
    ours = from_predictions(Y_TRUE, Y_SCORE, sample_weight=weight).line_
    theirs = PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE, sample_weight=weight).line_
    np.testing.assert_allclose(ours.get_xydata(), theirs.get_xydata(), rtol=1e-14)
    assert ours.get_drawstyle() == theirs.get_drawstyle()


def test_envelope_never_rises_and_lacks_the_closing_point():
    display = from_predictions([0, 1, 0, 1], [4, 3, 2, 1], area="interpolated")
    assert np.unique(display.line_.get_ydata()).tolist() == [0.5]
    assert display.line_.get_xdata()[-1] == 0


def test_eleven_dots_stand_where_the_envelope_is_read_off():
    display = from_predictions(Y_TRUE, Y_SCORE, area="eleven-point")
    level, height = dots_of(display.line_)
    assert level.tolist() == [j / 10 for j in range(10, -1, -1)]
    np.testing.assert_allclose(height[::-1], [1] * 3 + [0.75] * 4 + [4 / 7] * 2 + [0.5] * 2)
    assert area_under(display.line_) == pytest.approx(5 / 7)  # the line is the envelope
    assert display.line_.get_marker() == "o"
    assert display.line_.get_markerfacecolor() == "#0072B2" != display.line_.get_color()


def test_eleven_dots_where_recall_ends_early():
    display = AveragePrecisionDisplay([1.0, 1.0], [0.55, 0.0], area="eleven-point").plot()
    assert dots_of(display.line_)[1].tolist() == [0] * 5 + [1] * 6
    assert area_under(display.line_) == pytest.approx(0.55)


def test_straight_lines_start_at_precision_1():
    display = from_predictions([0, 1, 1], [3, 2, 1], area="linear")
    assert display.line_.get_xydata().tolist()[::-1] == [[0, 1], [0, 0], [0.5, 0.5], [1, 2 / 3]]


def test_curves_let_false_positives_grow_in_proportion():
    """From (tp, fp) = (1, 0) to (3, 4)."""
    display = from_predictions([1, 1, 1, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1], area="davis-goadrich")
    recall, precision = display.line_.get_xdata(), display.line_.get_ydata()
    tp = recall * 3
    fp = np.where(tp > 1, (tp - 1) * 2, 0)
    np.testing.assert_allclose(precision[:-1], tp[:-1] / (tp + fp)[:-1], atol=1e-12)
    assert (recall[-1], precision[-1]) == (0, 1)
    assert np.abs(np.diff(precision)).max() < 0.02  # smooth


def test_curves_after_negatives_alone():
    """From (tp, fp) = (0, 1) to (2, 1), and from (2, 2) to (3, 2)."""
    display = from_predictions([0, 1, 1, 0, 1], [5, 4, 4, 3, 2], area="davis-goadrich")
    recall, precision = display.line_.get_xdata(), display.line_.get_ydata()
    for tp, p in zip(recall * 3, precision, strict=True):
        options = [tp / (tp + fp) for fp in (1, 2) if tp + fp]
        assert np.abs(np.array(options) - p).min() < 1e-12
    assert (recall[-1], precision[-1]) == (0, 0)


def test_curves_need_few_points():
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.1
    display = from_predictions(y, rng.normal(size=y.size).round(3), area="davis-goadrich")
    n_points = display.line_.get_xdata().size
    assert n_points < display.precision.size + 51 * np.log(y.size)


rows = st.lists(st.tuples(st.booleans(), st.integers(0, 12), st.integers(0, 5)), min_size=1, max_size=30)


@pytest.mark.parametrize("area", ["step", "interpolated", "linear", "davis-goadrich"])
@settings(max_examples=25)
@given(rows=rows, scale=st.sampled_from([1, 0.1, 1e-3]))
def test_area_under_the_curve_is_the_value_shown(area, rows, scale):
    y_true, y_score, weight = np.array(rows).T
    if not (y_true * weight).any():
        return
    display = from_predictions(y_true, y_score, area=area, sample_weight=weight * scale)
    plt.close(display.figure_)
    expected = value_of(area, y_true, y_score, sample_weight=weight * scale)
    tolerance = 2e-4 if area == "davis-goadrich" else 1e-12  # a curve by many short lines
    assert display.average_precision == pytest.approx(expected, abs=1e-12)
    assert area_under(display.line_) == pytest.approx(expected, abs=tolerance)


@given(rows=rows, scale=st.sampled_from([1, 0.1, 1e-3]))
def test_mean_of_the_dots_is_the_value_shown(rows, scale):
    y_true, y_score, weight = np.array(rows).T
    if not (y_true * weight).any():
        return
    display = from_predictions(y_true, y_score, area="eleven-point", sample_weight=weight * scale)
    plt.close(display.figure_)
    assert dots_of(display.line_)[1].mean() == pytest.approx(display.average_precision, abs=1e-12)


# --- the protocol -----------------------------------------------------------------------------------------


def test_given_axes_are_used_and_nothing_else_is_made():
    _, ax = plt.subplots()
    ax.set_title("kept")
    display = from_predictions(Y_TRUE, Y_SCORE, ax=ax)
    assert display.ax_ is ax
    assert ax.get_title() == "kept"
    assert len(plt.get_fignums()) == 1


def test_several_models_on_the_same_axes_differ_in_print_too():
    display = from_predictions(Y_TRUE, Y_SCORE, name="A", plot_chance_level=True)
    for name in "BC":
        display = from_predictions(Y_TRUE, Y_SCORE, name=name, ax=display.ax_)
    lines = [line for line in display.ax_.get_lines() if not line.get_label().startswith("Chance")]
    assert len(lines) == 3
    assert [line.get_color() for line in lines] == ["#0072B2", "#D55E00", "#009E73"]
    assert len({line.get_linestyle() for line in lines}) == 3
    assert len(legend_of(display)) == 4


def test_no_two_of_many_curves_look_alike():
    display = AveragePrecisionDisplay([CURVE[0]] * 36, [CURVE[1]] * 36).plot(curve_kwargs=[{}] * 36)
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in display.line_}
    assert len(looks) == 36


def test_axes_with_something_on_them_keep_their_cycle():
    _, ax = plt.subplots()
    ax.plot([0, 1], [0, 1])
    assert same_color(from_predictions(Y_TRUE, Y_SCORE, ax=ax).line_.get_color(), "C1")


@pytest.mark.parametrize("style", [{"c": "red", "ls": ":"}, {"color": "red", "linestyle": ":"}])
def test_curve_kwargs_by_any_alias(style):
    line = from_predictions(Y_TRUE, Y_SCORE, curve_kwargs=style).line_
    assert (line.get_color(), line.get_linestyle()) == ("red", ":")


def test_curve_kwargs_of_eleven_points():
    style = {"color": "#000000", "markerfacecolor": "white", "label": "mine"}
    display = from_predictions(Y_TRUE, Y_SCORE, area="eleven-point", curve_kwargs=style)
    assert display.line_.get_markerfacecolor() == "white"
    assert legend_of(display) == ["mine"]


def test_axes_name_the_positive_class_where_all_agree():
    ax = from_predictions(Y_TRUE, Y_SCORE).ax_
    assert from_predictions(Y_TRUE, -Y_SCORE, ax=ax).ax_.get_xlabel() == "Recall (Positive label: 1)"
    assert from_predictions(Y_TRUE, -Y_SCORE, pos_label=0, ax=ax).ax_.get_xlabel() == "Recall"
    assert from_predictions(Y_TRUE, -Y_SCORE, pos_label=0, ax=ax).ax_.get_ylabel() == "Precision"


def test_weights_far_apart():
    display = from_predictions(
        [0, 1, 1, 0], [4, 3, 2, 1], sample_weight=[1e-150, 2e-150, 3, 1], area="davis-goadrich"
    )
    assert np.isfinite(display.line_.get_xydata()).all()


def test_despine():
    spines = from_predictions(Y_TRUE, Y_SCORE, despine=True).ax_.spines
    assert not spines["top"].get_visible()
    assert not spines["right"].get_visible()
    assert spines["left"].get_bounds() == spines["bottom"].get_bounds() == (0, 1)


def test_chance_level_counts_in_weight():
    weight = np.where(Y_TRUE == 1, 3.0, 1.0)
    display = from_predictions(Y_TRUE, Y_SCORE, sample_weight=weight, plot_chance_level=True)
    assert display.prevalence_pos_label == 0.75
    assert display.chance_level_.get_xydata().tolist() == [[0, 0.75], [1, 0.75]]
    assert legend_of(display)[1] == "Chance level (AP = 0.75)"


def test_chance_level_style():
    display = from_predictions(
        Y_TRUE, Y_SCORE, plot_chance_level=True, chance_level_kw={"c": "grey", "label": "guess"}
    )
    assert display.chance_level_.get_color() == "grey"
    assert display.chance_level_.get_label() == "guess"


def test_equal_chance_levels_have_one_legend_entry():
    first = from_predictions(Y_TRUE, Y_SCORE, name="A", plot_chance_level=True)
    from_predictions(Y_TRUE, -Y_SCORE, name="B", plot_chance_level=True, ax=first.ax_)
    assert sum(label.startswith("Chance") for label in legend_of(first)) == 1
    from_predictions([1, 0, 0, 0], [4, 3, 2, 1], name="C", plot_chance_level=True, ax=first.ax_)
    assert sum(label.startswith("Chance") for label in legend_of(first)) == 2


def test_values_of_a_rare_class_have_two_significant_digits():
    y = np.zeros(500)
    y[249] = 1
    display = from_predictions(y, np.arange(500, 0, -1), plot_chance_level=True)
    assert legend_of(display) == ["Classifier (step AP = 0.004)", "Chance level (AP = 0.002)"]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.0012, 0.0034], "0.0023 +/- 0.0011"),
        ([0.055, 0.055 * (1 + 1e-15)], "0.055"),
        ([0.5, 0.504], "0.50 +/- 0.00"),
    ],
)
def test_values_of_folds(values, shown):
    display = AveragePrecisionDisplay(*TWO, average_precision=values).plot()
    assert legend_of(display) == [f"step AP = {shown}"]


@pytest.mark.parametrize(("value", "shown"), [(0, "0.00"), (0.0996, "0.10"), (0.0994, "0.099")])
def test_values_near_the_change_of_digits(value, shown):
    assert legend_of(AveragePrecisionDisplay(*CURVE, average_precision=value).plot()) == [
        f"step AP = {shown}"
    ]


def test_legend_of_a_rare_class_stands_above_its_curve():
    low = from_predictions([0, 0, 0, 0, 1], [5, 4, 3, 2, 1])
    high = from_predictions([1, 0, 0, 0, 0], [5, 4, 3, 2, 1])
    locations = [display.ax_.get_legend()._loc for display in (low, high)]
    assert locations == [1, 3]  # upper right, lower left


def test_replotting_with_another_name():
    display = from_predictions(Y_TRUE, Y_SCORE)
    assert legend_of(display) == ["Classifier (step AP = 0.70)"]
    assert display.plot(name="again") is display
    assert legend_of(display) == ["again (step AP = 0.70)"]


def test_constructor_takes_scikit_learns_curve():
    precision, recall, _ = precision_recall_curve(Y_TRUE, Y_SCORE)
    display = AveragePrecisionDisplay(precision, recall, area="davis-goadrich").plot()
    assert area_under(display.line_) == pytest.approx(0.66352, abs=1e-4)
    assert display.ax_.get_legend() is None
    assert display.ax_.get_xlabel() == "Recall"
    unnamed = AveragePrecisionDisplay(precision, recall, average_precision=0.5).plot()
    assert legend_of(unnamed) == ["step AP = 0.50"]


@pytest.mark.parametrize("labels", [["no", "yes"], ["yes", "no"], [2, 1], [False, True]])
def test_any_labels(labels):
    y = np.array(labels)[Y_TRUE]
    display = from_predictions(y, Y_SCORE, pos_label=labels[1])
    assert display.average_precision == average_precision_score(Y_TRUE, Y_SCORE)
    assert display.ax_.get_xlabel() == f"Recall (Positive label: {labels[1]})"


@pytest.mark.parametrize("area", NAMES)
def test_no_positive_warns_at_the_call(area):
    with pytest.warns(UserWarning, match="No positive class found in y_true") as caught:
        display = from_predictions([0, 0], [1, 2], area=area, plot_chance_level=True)
    assert [warning.filename for warning in caught] == [__file__]
    assert display.average_precision == 0
    assert area_under(display.line_) == 0


# --- errors -----------------------------------------------------------------------------------------------

CURVE = (np.array([0.5, 1.0, 1.0]), np.array([1.0, 0.5, 0.0]))
TWO = [[one, one] for one in CURVE]


@pytest.mark.parametrize(
    ("made", "plotted", "message"),
    [
        ((CURVE, {"area": "stairs"}), {}, "area must be one of 'step', .* got 'stairs'"),
        ((CURVE, {}), {"plot_chance_level": True}, "prevalence_pos_label"),
        ((CURVE, {}), {"curve_kwargs": [{}, {}]}, "curve_kwargs must be .* 1 "),
        ((CURVE, {}), {"name": ["a", "b"]}, r"name must be a str or a list of 1; got \['a', 'b'\]"),
        (
            (CURVE, {"average_precision": [0.5, 0.5]}),
            {},
            "average_precision must .* a number for each of 1",
        ),
        ((TWO, {}), {"name": ["a", "b"]}, "name must be a str or a list .* curve_kwargs"),
        ((TWO, {}), {"name": ["a"] * 3, "curve_kwargs": [{}, {}]}, "name must be a str or a list of 2"),
        ((TWO, {"prevalence_pos_label": 0.5}), {}, "prevalence_pos_label must .* a number for each of 2"),
        ((([0.5, 0, 1], [1, 0, 0]), {"area": "davis-goadrich"}), {}, "detected is required"),
    ],
)
def test_errors_name_the_argument(made, plotted, message):
    with pytest.raises(ValueError, match=message):
        AveragePrecisionDisplay(*made[0], **made[1]).plot(**plotted)
    assert not plt.get_fignums()


def test_detected_completes_scikit_learns_curve():
    y_true, y_score = [0, 1, 1, 0, 1], [5, 4, 4, 3, 2]
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    detected = sklearn_ap.hit_curve(y_true, y_score)[0][::-1]
    display = AveragePrecisionDisplay(precision, recall, area="davis-goadrich", detected=detected).plot()
    expected = from_predictions(y_true, y_score, area="davis-goadrich").line_
    np.testing.assert_allclose(display.line_.get_xydata(), expected.get_xydata(), atol=1e-14)


@pytest.mark.parametrize("call", ["from_predictions", "from_estimator", "from_cv_results"])
def test_unknown_area_is_an_error_at_once(call):
    arguments = [None] * (2 if call == "from_predictions" else 3)
    with pytest.raises(ValueError, match="area must be one of"):
        getattr(AveragePrecisionDisplay, call)(*arguments, area="stairs")


def test_input_errors_are_the_curves():
    with pytest.raises(ValueError, match="pos_label is not specified"):
        from_predictions(["a", "b"], [1, 2])
    with pytest.raises(ValueError, match="multiclass format is not supported"):
        from_predictions([0, 1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        from_predictions([0, 1], [1, 2], sample_weight=[1, -1])


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib(data, cv_results):
    for call in (
        lambda: from_predictions(Y_TRUE, Y_SCORE),
        lambda: AveragePrecisionDisplay.from_estimator(None, *data),
        lambda: AveragePrecisionDisplay.from_cv_results(cv_results, *data),
        AveragePrecisionDisplay(*CURVE).plot,
    ):
        with pytest.raises(ImportError, match=r"matplotlib: pip install matplotlib"):
            call()


# --- beside scikit-learn's --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["__init__", "plot", "from_predictions", "from_estimator", "from_cv_results"]
)
def test_arguments_are_scikit_learns(method):
    if not hasattr(PrecisionRecallDisplay, method):
        pytest.skip("this scikit-learn has no such method")
    ours = inspect.signature(getattr(AveragePrecisionDisplay, method)).parameters
    theirs = inspect.signature(getattr(PrecisionRecallDisplay, method)).parameters
    assert set(theirs) - set(ours) <= {"kwargs", "y_pred", "estimator_name"}  # deprecated
    if hasattr(PrecisionRecallDisplay, "from_cv_results"):  # before 1.9, they had another order
        assert [name for name in theirs if name in ours] == [name for name in ours if name in theirs]
    for name in set(theirs) & set(ours) - {"self", "y_score"}:
        assert (ours[name].default, ours[name].kind) == (theirs[name].default, theirs[name].kind), name


@pytest.mark.parametrize("area", NAMES)
@pytest.mark.parametrize(
    "y_true", [[0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0]], ids=["", "none"]
)
@pytest.mark.filterwarnings("ignore:No positive class found")
def test_dropped_points_are_scikit_learns_and_lie_on_the_line(area, y_true):
    rows = {"y_true": y_true, "y_score": -np.arange(len(y_true)), "sample_weight": np.arange(len(y_true)) + 1}
    full, short = (from_predictions(**rows, area=area, drop_intermediate=drop) for drop in (False, True))
    theirs = precision_recall_curve(**rows, drop_intermediate=True)
    np.testing.assert_allclose((short.precision, short.recall), theirs[:2], rtol=1e-14)
    assert len(short.line_.get_xdata()) < len(full.line_.get_xdata())
    assert short.line_.get_label() == full.line_.get_label()
    assert upright(full.line_) == upright(short.line_)


def upright(line):
    """The ends of the line at each recall, from the last to 0; what is between them is upright."""
    recall, precision = line.get_data()
    return {x: (precision[recall == x].min(), precision[recall == x].max()) for x in recall}


def test_dropping_is_true_or_false():
    with pytest.raises(ValueError, match=r"^drop_intermediate must be True or False; got 'no'"):
        from_predictions(Y_TRUE, Y_SCORE, drop_intermediate="no")


@pytest.mark.skipif(not hasattr(PrecisionRecallDisplay, "from_cv_results"), reason="from scikit-learn 1.9 on")
def test_folds_are_scikit_learns(data, cv_results):
    ours = AveragePrecisionDisplay.from_cv_results(cv_results, *data, name="NB", plot_chance_level=True)
    theirs = PrecisionRecallDisplay.from_cv_results(cv_results, *data, name="NB", plot_chance_level=True)
    for one, other in zip(ours.line_, theirs.line_, strict=True):
        np.testing.assert_allclose(one.get_xydata(), other.get_xydata(), rtol=1e-14)
    assert legend_of(ours) == [
        text.replace("(AP", "(step AP", k == 0) for k, text in enumerate(legend_of(theirs))
    ]
