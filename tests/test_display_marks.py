"""Operating points on the displays, and lines of equal F-beta: where they stand is what they are."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score

from drawn import legend_of
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay, OperatingPoint

mpl.use("Agg")
Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
Y_SCORE = np.array([9, 8, 8, 7, 6, 5, 4, 4, 2, 1])
AMOUNT = np.array([500.0, 20, 40, 90, 10, 60, 70, 30, 80, 100])


def point_at(threshold, y_true=Y_TRUE, y_score=Y_SCORE, weight=None):
    """The operating point of a threshold, from its definition."""
    weight = np.ones(len(y_true)) if weight is None else weight
    retrieved = y_score >= threshold
    found = np.sum(weight * y_true * retrieved)
    return OperatingPoint(
        threshold=threshold,
        precision=found / np.sum(weight * retrieved),
        recall=found / np.sum(weight * y_true),
        n_retrieved=int(retrieved.sum()),
        share_retrieved=retrieved.mean(),
        weight_found=found,
    )


def places(display):
    return [tuple(mark.get_xydata()[0]) for mark in display.marks_]


# --- on precision and recall ------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, AMOUNT])
def test_marks_stand_on_the_curve(weight):
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, sample_weight=weight)
    for threshold in np.unique(Y_SCORE):
        point = point_at(threshold, weight=weight)
        assert display.mark(point) is display
        assert places(display)[-1] == (point.recall, point.precision)
        on_curve = np.abs(display.line_.get_xydata() - [point.recall, point.precision]).max(axis=1)
        assert on_curve.min() < 1e-12
    assert len(display.marks_) == 8


def test_marks_are_told_in_the_legend():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name="kNN")
    display.mark(point_at(7), name="Queue").mark(point_at(4))
    assert legend_of(display) == [
        f"kNN (step AP = {display.average_precision:.2f})",
        "Queue (precision 0.75, recall 0.60)",
        "Threshold 4 (precision 0.50, recall 0.80)",
    ]


def test_marks_of_one_display_differ_in_form_and_of_several_in_colour():
    first = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name="A")
    first.mark(point_at(7)).mark(point_at(4))
    second = AveragePrecisionDisplay.from_predictions(Y_TRUE, -Y_SCORE, name="B", ax=first.ax_)
    second.mark(point_at(-5, y_score=-Y_SCORE))
    one, two = first.marks_
    assert one.get_marker() != two.get_marker()
    assert one.get_color() == two.get_color() == first.line_.get_color()
    assert second.marks_[0].get_color() == second.line_.get_color() != first.line_.get_color()
    assert second.line_.get_color() == "#D55E00"  # a mark takes no colour of the cycle
    assert all(mark.get_linestyle() == "None" for mark in (one, two))


def test_style_and_label_of_a_mark_by_any_alias():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)
    display.mark(point_at(7), name="Queue", ms=4, mfc="w", marker="X", label="Mine")
    (mark,) = display.marks_
    assert (mark.get_markersize(), mark.get_markerfacecolor(), mark.get_marker()) == (4, "w", "X")
    assert legend_of(display)[1] == "Mine"


def test_marks_on_folds_and_when_plotted_again(data, cv_results):
    display = AveragePrecisionDisplay.from_cv_results(cv_results, *data)
    display.mark(point_at(7)).plot_iso_f()
    assert display.marks_[0].get_color() == display.line_[0].get_color()
    display.plot()
    assert (display.marks_, display.iso_f_lines_) == ([], [])


# --- on hit curves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x_axis", "y_axis", "weight"),
    [
        ("share", "hits", None),
        ("rows", "recall", AMOUNT),
        ("share", "weight", AMOUNT),
        ("rows", "weight", None),
        ("rows", "lift", AMOUNT),
    ],
)
def test_marks_stand_where_a_budget_of_their_rows_stands(x_axis, y_axis, weight):
    display = HitCurveDisplay.from_predictions(
        Y_TRUE, Y_SCORE, sample_weight=weight, x_axis=x_axis, y_axis=y_axis
    )
    for threshold in np.unique(Y_SCORE):
        point = point_at(threshold, weight=weight)
        display.mark(point, name="Queue")
        budget = HitCurveDisplay.from_predictions(
            Y_TRUE, Y_SCORE, sample_weight=weight, x_axis=x_axis, y_axis=y_axis, k=point.n_retrieved
        ).budget_
        assert places(display)[-1] == pytest.approx(tuple(budget.get_xydata()[1]))
        x, y = places(display)[-1]
        assert x == (point.n_retrieved if x_axis == "rows" else point.share_retrieved)
        if y_axis in ("recall", "weight"):
            assert y == pytest.approx(point.recall if y_axis == "recall" else point.weight_found)
    plt.close("all")


def test_marks_of_hit_curves_are_told_before_the_references():
    display = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, name="kNN")
    assert display.mark(point_at(9), name="One").mark(point_at(7)) is display
    assert legend_of(display) == [
        "kNN",
        "One (1 row, recall 0.20)",
        "Threshold 7 (4 rows, recall 0.60)",
        "Perfect ranking",
        "Random ranking (prevalence = 0.5)",
    ]
    assert display.plot().marks_ == []


def test_missed_positives_move_the_share_of_rows():
    display = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, n_positives=10, y_axis="recall")
    point = OperatingPoint(
        threshold=7, precision=0.75, recall=0.3, n_retrieved=4, share_retrieved=0.4, weight_found=3
    )
    assert places(display.mark(point))[0] == pytest.approx((4 / 15, 0.3))


def test_a_mark_on_folds_stands_on_its_fold(data, cv_results):
    X, y = data
    display = HitCurveDisplay.from_cv_results(
        cv_results, X, y, x_axis="rows", curve_kwargs=[{"color": one} for one in "rgb"]
    )
    rows = cv_results["indices"]["test"][1]
    scores = cv_results["estimator"][1].predict_proba(X[rows])[:, 1]
    point = point_at(np.sort(scores)[40], y[rows], scores)
    display.mark(point)
    assert places(display)[0] == pytest.approx((point.n_retrieved, point.recall * y[rows].mean()))
    assert display.marks_[0].get_color() == "g"


# --- lines of equal F-beta ---------------------------------------------------------------------------------


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=12),
    st.sampled_from([0.5, 1.0, 2.0, 3]),
)
def test_a_line_of_equal_f_holds_every_threshold_of_this_f(rows, beta):
    y_true, y_score = np.array(rows).T
    if not y_true.any():
        return
    display = AveragePrecisionDisplay.from_predictions(y_true, y_score)
    for threshold in np.unique(y_score):
        point = point_at(threshold, y_true, y_score)
        level = fbeta_score(y_true, y_score >= threshold, beta=beta)
        if not 0 < level < 1:
            continue
        recall, precision = display.plot_iso_f([level], beta=beta).iso_f_lines_[-1].get_data()
        assert recall[0] - 1e-12 <= point.recall <= recall[-1] + 1e-12
        ratio = np.log(precision / recall)[::-1]  # the line is dense in this ratio
        at = np.interp(np.log(point.precision / point.recall), ratio, recall[::-1])
        assert at == pytest.approx(point.recall, rel=1e-3, abs=0)
    plt.close(display.figure_)


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_every_point_of_a_line_has_its_f(beta):
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)
    assert display.plot_iso_f(beta=beta) is display
    assert len(display.iso_f_lines_) == 4
    for line, level in zip(display.iso_f_lines_, (0.2, 0.4, 0.6, 0.8), strict=True):
        r, p = line.get_data()
        np.testing.assert_allclose((1 + beta**2) * p * r / (beta**2 * p + r), level, rtol=1e-12)
        assert (p[0], r[-1]) == pytest.approx((1, 1))
        assert np.abs(np.diff(line.get_xydata(), axis=0)).max() < 0.03  # smooth
        assert (np.diff(r) > 0).all()
        assert (np.diff(p) < 0).all()


def test_lines_of_equal_f_are_named_beside_the_axes_and_not_in_the_legend():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)
    before = legend_of(display), display.ax_.get_xlim(), display.ax_.get_ylim()
    display.plot_iso_f([0.25, 0.5]).plot_iso_f([0.5], beta=2)
    assert [text.get_text() for text in display.ax_.texts] == ["F1 = 0.25", "F1 = 0.50", "F2 = 0.50"]
    for text, line in zip(display.ax_.texts, display.iso_f_lines_, strict=True):
        assert text.xy == (1.01, line.get_ydata()[-1])
    assert (legend_of(display), display.ax_.get_xlim(), display.ax_.get_ylim()) == before
    second = AveragePrecisionDisplay.from_predictions(Y_TRUE, -Y_SCORE, ax=display.ax_)
    assert second.line_.get_color() == "#D55E00"  # nor do lines take a colour of the cycle


# --- errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay])
@pytest.mark.parametrize("point", [None, (0.5, 0.5), 7, {"recall": 0.5}])
def test_what_is_no_operating_point(display, point):
    drawn = display.from_predictions(Y_TRUE, Y_SCORE)
    with pytest.raises(ValueError, match=r"^point must be an OperatingPoint, as .*; got "):
        drawn.mark(point)
    assert drawn.marks_ == []


@pytest.mark.parametrize(
    "point",
    [
        point_at(7, weight=AMOUNT),  # of other weights
        point_at(7, 1 - Y_TRUE),  # of the other class
        OperatingPoint(
            threshold=7, precision=0.75, recall=0.6, n_retrieved=40, share_retrieved=0.4, weight_found=3
        ),  # of more rows
        OperatingPoint(
            threshold=7, precision=0.75, recall=0.0, n_retrieved=0, share_retrieved=0.4, weight_found=3
        ),  # of none
    ],
)
def test_a_point_of_other_rows_is_not_drawn_on_a_hit_curve(point):
    display = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE)
    with pytest.raises(ValueError, match=r"^point must lie on a curve of this display, .*; got "):
        display.mark(point)
    assert display.marks_ == []


def test_a_point_beyond_the_picture():
    display = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, max_k=3)
    display.mark(point_at(8))
    with pytest.raises(ValueError, match=r"^point must be within max_k=3, 3 rows; got Operating"):
        display.mark(point_at(7))


@pytest.mark.parametrize("levels", [0.5, [0], [1.0], [0.5, np.nan], [], "0.5", [True], None])
def test_wrong_levels(levels):
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)
    n_lines = len(display.ax_.get_lines())
    with pytest.raises(ValueError, match=r"^levels must be numbers between 0 and 1; got "):
        display.plot_iso_f(levels)
    assert len(display.ax_.get_lines()) == n_lines


@pytest.mark.parametrize("beta", [0, -1, np.inf, np.nan, "1", None])
def test_wrong_beta(beta):
    with pytest.raises(ValueError, match=r"^beta must be a number above 0; got "):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE).plot_iso_f(beta=beta)


def test_a_display_that_is_not_drawn_has_nothing_to_mark():
    curve = AveragePrecisionDisplay([0.5, 1], [1, 0])
    hits = HitCurveDisplay([0, 1], [0, 0.5], prevalence=0.5, n_rows=2)
    for call in (curve.plot_iso_f, lambda: curve.mark(point_at(7)), lambda: hits.mark(point_at(7))):
        with pytest.raises(ValueError, match=r"^(mark|plot_iso_f) needs a display that is drawn"):
            call()
