"""The hit curve display draws the numbers of the library, and says what a review budget catches."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from drawn import legend
from problems import labels_with_a_positive, scores, weights
from sklearn_ap import HitCurveDisplay, hit_curve, recall_at_k_score

mpl.use("Agg")
X, Y = make_classification(300, weights=[0.8], flip_y=0.1, random_state=0)
Y_TRUE, Y_SCORE = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2]


def read_only(*arrays):
    for array in arrays:
        array.flags.writeable = False
    return arrays


# --- what is drawn ---------------------------------------------------------------------------------------


def test_the_picture():
    display = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, k=2, name="Model")
    ax = display.ax_
    assert display.figure_ is ax.figure
    np.testing.assert_allclose(display.line_.get_xdata(), [0, 0.2, 0.4, 0.6, 0.8, 1])
    np.testing.assert_allclose(display.line_.get_ydata(), [0, 0.2, 0.2, 0.4, 0.4, 0.4])
    np.testing.assert_allclose(display.perfect_line_.get_xydata(), [[0, 0], [0.4, 0.4], [1, 0.4]])
    np.testing.assert_allclose(display.random_line_.get_xydata(), [[0, 0], [1, 0.4]])
    np.testing.assert_allclose(display.budget_.get_xydata(), [[0.4, 0], [0.4, 0.2]])
    assert ax.get_lines() == [display.line_, display.budget_, display.perfect_line_, display.random_line_]
    assert ax.get_xlabel() == "Fraction of samples retrieved, t"
    assert ax.get_ylabel() == "Hits per sample, h(t) (Positive label: 1)"
    assert ax.get_title() == ""
    assert ax.get_xlim() == (-0.01, 1.01)
    assert ax.get_ylim() == pytest.approx((-0.004, 0.42))
    assert legend(ax) == [
        "Model (k = 2: 1 hit, recall 0.50)",
        "Perfect ranking",
        "Random ranking (prevalence = 0.4)",
    ]


def test_several_classes_have_a_curve_each():
    y_true, y_score = np.arange(30) % 3, np.random.default_rng(0).random((30, 3))
    display = HitCurveDisplay.from_predictions(y_true, y_score, y_axis="recall", k=5)
    recalls = [recall_at_k_score(y_true == label, y_score[:, label], k=5) for label in range(3)]
    for label, (line, budget) in enumerate(zip(display.line_, display.budget_, strict=True)):
        single = HitCurveDisplay.from_predictions(y_true == label, y_score[:, label], y_axis="recall", k=5)
        np.testing.assert_array_equal(line.get_xydata(), single.line_.get_xydata())
        np.testing.assert_array_equal(budget.get_xydata(), single.budget_.get_xydata())
    assert len({line.get_color() for line in display.line_}) == 3
    assert legend(display.ax_) == [
        f"Hit curve (k = 5: macro recall {np.mean(recalls):.2f})",
        *(f"{n} (k = 5: {10 * r:.0f} hit{'s' * (r > 0.1)}, recall {r:.2f})" for n, r in enumerate(recalls)),
        "Perfect ranking",
        "Random ranking",
    ]
    assert display.ax_.get_ylabel() == "Recall"
    assert legend(HitCurveDisplay.from_predictions(y_true, y_score, name="A").ax_)[:2] == ["A", "0"]


# --- the numbers are the library's -----------------------------------------------------------------------


def drawn_recall(display):
    (t, bottom), (marked_t, h) = display.budget_.get_xydata()
    assert (t, bottom) == (marked_t, 0)
    return h / display.prevalence


@settings(max_examples=25)
@given(st.data())
def test_curve_and_budget_are_those_of_the_library(data):
    size = data.draw(st.integers(1, 12))
    y_true = data.draw(labels_with_a_positive(size))
    y_score, weight = data.draw(scores(size)), data.draw(weights(size, extreme=False))
    k = data.draw(st.integers(1, 15) | st.floats(0.01, 1.0))
    share_retrieved, hits, _ = hit_curve(y_true, y_score, pos_label=True, sample_weight=weight)
    display = HitCurveDisplay.from_predictions(y_true, y_score, pos_label=True, sample_weight=weight, k=k)
    np.testing.assert_allclose(display.line_.get_xdata(), share_retrieved, rtol=1e-15)
    np.testing.assert_array_equal(display.line_.get_ydata(), hits)
    perfect = np.interp(share_retrieved, *display.perfect_line_.get_data())
    assert (hits <= perfect + 1e-12).all()
    best = display.perfect_line_.get_xydata()
    best = best[np.append(True, np.diff(best[:, 0]) > 0)]
    assert (np.diff(np.diff(best[:, 1]) / np.diff(best[:, 0])) < 1e-9).all()  # concave
    if hits[-1]:
        recall = recall_at_k_score(y_true, y_score, k=k, sample_weight=weight)
        assert drawn_recall(display) == pytest.approx(recall, abs=1e-12)
        shown = float(display.line_.get_label().partition("recall ")[2].rstrip(")"))
        assert shown == pytest.approx(recall, abs=0.0051 if recall > 0.099 else 0.00051)
    plt.close(display.figure_)


def test_with_weights_the_axis_counts_rows():
    (weight,) = read_only(np.array([80.0, 5, 10, 5, 0]))
    display = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, sample_weight=weight, k=0.5)
    np.testing.assert_allclose(
        display.line_.get_xydata(), [[0, 0], [0.25, 0.8], [0.5, 0.8], [0.75, 0.9], [1, 0.9]]
    )
    np.testing.assert_allclose(display.budget_.get_xydata(), [[0.5, 0], [0.5, 0.8]])
    assert legend(display.ax_)[0] == "Hit curve (k = 0.5, 2 rows: h = 0.8, recall 0.89)"
    np.testing.assert_allclose(
        display.perfect_line_.get_xydata(), [[0, 0], [0.25, 0.8], [0.5, 0.9], [1, 0.9]]
    )
    assert display.ax_.get_xlabel() == "Fraction of rows retrieved, t"
    assert display.ax_.get_ylabel() == "Share of weight hit, h(t) (Positive label: 1)"


def test_weights_of_equal_scores_are_no_counts():
    """One threshold detects all rows and all weight: shares alone do not show that rows have weights."""
    display = HitCurveDisplay.from_predictions([1, 0, 0, 1], [1, 1, 1, 1], sample_weight=[5, 1, 1, 1], k=2)
    assert legend(display.ax_)[0] == "Hit curve (k = 2: h = 0.375, recall 0.50)"
    assert display.ax_.get_ylabel().startswith("Share of weight hit")
    np.testing.assert_allclose(
        display.perfect_line_.get_xydata(), [[0, 0], [0.25, 5 / 8], [0.5, 0.75], [1, 0.75]]
    )


def test_without_positives_the_curve_is_flat():
    display = HitCurveDisplay.from_predictions([0, 0, 0], [3, 2, 1], k=2)
    assert display.line_.get_ydata().tolist() == [0, 0, 0, 0]
    assert legend(display.ax_)[0] == "Hit curve (k = 2: 0 hits, recall 0.00)"
    assert display.ax_.get_ylim()[1] == 1.05


# --- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "10", np.nan])
def test_a_wrong_budget_is_refused_before_anything_is_drawn(k):
    with pytest.raises(ValueError, match=r"^k must be None, an integer >= 1 .*; got "):
        HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, k=k)
    assert plt.get_fignums() == []
