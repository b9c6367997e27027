"""Displays made of arrays by hand draw what the displays of scores draw."""

import matplotlib as mpl
import numpy as np
import pytest

from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay, hit_curve

mpl.use("Agg")
Y_TRUE, Y_SCORE = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2]
WEIGHT = [5, 1, 1, 1, 1]


def assert_same_picture(made, drawn):
    ours, theirs = made.ax_.get_lines(), drawn.ax_.get_lines()
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.get_xydata(), other.get_xydata(), atol=1e-14)
        assert one.get_label() == other.get_label()
    assert made.ax_.get_xlabel() == drawn.ax_.get_xlabel()


@pytest.mark.parametrize("n_positives", [None, 7])
@pytest.mark.parametrize("n_rows", [5, np.int64(5), 5.0])
def test_hit_curve_of_counts(n_rows, n_positives):
    share_retrieved, hits, _ = hit_curve(Y_TRUE, Y_SCORE, n_positives=n_positives)
    prevalence = hits[-1] + 1 - share_retrieved[-1]
    made = HitCurveDisplay(share_retrieved, hits, prevalence=prevalence, n_rows=n_rows, pos_label=1).plot(k=2)
    assert_same_picture(made, HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, n_positives=n_positives, k=2))


def test_hit_curve_of_equal_scores_and_their_number():
    share_retrieved, hits, _ = hit_curve([1, 0, 0, 1], [2, 2, 2, 1])
    made = HitCurveDisplay(share_retrieved, hits, prevalence=0.5, n_rows=4, pos_label=1).plot(k=3)
    assert_same_picture(made, HitCurveDisplay.from_predictions([1, 0, 0, 1], [2, 2, 2, 1], k=3))


@pytest.mark.parametrize("y_axis", ["hits", "weight"])
def test_hit_curve_of_weights(y_axis):
    share_retrieved, hits, _ = hit_curve(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)
    perfect = [0, 0.2, 0.4, 1], [0, 5 / 9, 6 / 9, 6 / 9]
    arrays = {"prevalence": 6 / 9, "n_rows": 5, "perfect": perfect, "total_weight": 9, "pos_label": 1}
    made = HitCurveDisplay(share_retrieved, hits, **arrays, y_axis=y_axis).plot(k=2)
    drawn = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, sample_weight=WEIGHT, k=2, y_axis=y_axis)
    assert_same_picture(made, drawn)


def test_rows_are_asked_for():
    """Shares alone do not tell how many rows a budget has."""
    with pytest.raises(TypeError, match="n_rows"):
        HitCurveDisplay(*hit_curve(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)[:2], prevalence=6 / 9)


def test_rounding_of_weights_is_no_error():
    one = 1 + 1e-15
    display = AveragePrecisionDisplay([one, one, 1], [one, 0.5, 0]).plot()
    assert display.line_.get_xdata()[0] == one
