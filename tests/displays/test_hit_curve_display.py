"""Hit curves: what is drawn in every unit is the number of the public functions, up to
a largest k.
"""

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import scores as oracle
from problems import labels_with_a_positive, scores
from sklearn_ap import HitCurveDisplay, hit_curve

Y_TRUE, Y_SCORE = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2]
UNITS = ["recall", "hits", "positives", "lift"]
from_predictions = HitCurveDisplay.from_predictions


def expected_height(y_axis, ranking, k):
    """The value at k rows, by the definitions in fractions."""
    recall = oracle.recall_at_k(ranking, k, "proportional")
    n_rows = len(ranking.rows)
    found = recall * ranking.positives
    return {
        "hits": found / n_rows,
        "recall": recall,
        "positives": found,
        "lift": recall / Fraction(min(k, n_rows), n_rows),
    }[y_axis]


# --- the numbers are the library's ----------------------------------------------------


def test_the_picture():
    display = from_predictions(Y_TRUE, Y_SCORE, name="Model")
    assert display.ax_.get_ylabel() == "Share of positives found"
    assert display.ax_.get_lines() == [
        display.line_,
        display.perfect_line_,
        display.random_line_,
    ]
    assert display.line_.get_label() == "Model"
    assert "= 0.4)" in display.random_line_.get_label()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("own", [{"xscale": "log"}, {"xticks": [2, 3]}])
@pytest.mark.parametrize("x_axis", ["share", "rows"])
def test_a_scale_and_ticks_of_ones_own_stay(own, x_axis):
    ax = plt.subplots()[1]
    ax.set(yscale="log", **own)
    locator = ax.xaxis.get_major_locator()
    from_predictions(Y_TRUE, Y_SCORE, x_axis=x_axis, ax=ax)
    ax.figure.canvas.draw()
    assert ax.xaxis.get_major_locator() is locator


@settings(max_examples=40)
@given(st.data())
def test_lines_are_the_numbers_at_every_row(data):
    """The perfect line has the positives first, and the random line is the share of the
    rows.
    """
    x_axis = data.draw(st.sampled_from(["share", "rows"]))
    y_axis = data.draw(st.sampled_from(UNITS))
    size = data.draw(st.integers(1, 12))
    y_true, y_score = data.draw(labels_with_a_positive(size)), data.draw(scores(size))
    ranking = oracle.ranking(y_true, y_score)
    max_k = data.draw(st.none() | st.integers(1, 15) | st.floats(0.01, 1.0))
    display = from_predictions(
        y_true, y_score, x_axis=x_axis, y_axis=y_axis, max_k=max_k, pos_label=True
    )
    plt.close(display.figure_)
    last = min(size, oracle.depth(ranking, size if max_k is None else max_k))
    k = np.arange(1, last + 1)
    x = k if x_axis == "rows" else k / size
    best = oracle.ranking(y_true, y_true)
    for line, ranked in ((display.line_, ranking), (display.perfect_line_, best)):
        expected = [float(expected_height(y_axis, ranked, int(each))) for each in k]
        drawn = np.interp(x, *line.get_data())
        np.testing.assert_allclose(drawn, expected, rtol=1e-9, atol=1e-12)
    expected = float(expected_height(y_axis, ranking, size))
    expected *= np.ones(last) if y_axis == "lift" else k / size
    drawn = np.interp(x, *display.random_line_.get_data())
    np.testing.assert_allclose(drawn, expected, rtol=1e-9, atol=1e-12)
    right = display.line_.get_xdata()[-1]
    assert right == pytest.approx(x[-1], rel=2e-9, abs=0)
    assert display.ax_.get_xlim()[1] == pytest.approx(1.01 * x[-1])


def test_without_positives_every_unit_is_flat():
    for y_axis in UNITS:
        display = from_predictions([0, 0, 0], [3, 2, 1], y_axis=y_axis)
        for line in (display.line_, display.perfect_line_, display.random_line_):
            assert not line.get_ydata().any()
        assert display.ax_.get_ylim()[1] == 1.05


# --- made by hand ---------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [5, np.int64(5), 5.0])
def test_a_display_of_arrays(n_rows):
    share_retrieved, hits, _ = hit_curve(Y_TRUE, Y_SCORE)
    made = HitCurveDisplay(share_retrieved, hits, n_rows=n_rows, pos_label=1).plot()
    drawn = from_predictions(Y_TRUE, Y_SCORE)
    for one, other in zip(made.ax_.lines, drawn.ax_.lines, strict=True):
        np.testing.assert_allclose(one.get_xydata(), other.get_xydata(), atol=1e-14)
        assert one.get_label() == other.get_label()
