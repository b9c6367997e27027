"""Displays made of arrays by hand are right, or say which array cannot be drawn."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    hit_curve,
)

mpl.use("Agg")
Y_TRUE, Y_SCORE = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2]
WEIGHT = [5, 1, 1, 1, 1]


def assert_same_picture(made, drawn):
    ours, theirs = made.ax_.get_lines(), drawn.ax_.get_lines()
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.get_xydata(), other.get_xydata(), atol=1e-14)
        assert one.get_label() == other.get_label()
    assert made.ax_.get_xlabel() == drawn.ax_.get_xlabel()


# --- hit curves -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_positives", [None, 7])
@pytest.mark.parametrize("n_rows", [5, np.int64(5), 5.0])
def test_hit_curve_of_counts(n_rows, n_positives):
    detected, hits, _ = hit_curve(Y_TRUE, Y_SCORE, n_positives=n_positives)
    prevalence = hits[-1] + 1 - detected[-1]
    made = HitCurveDisplay(detected, hits, prevalence=prevalence, n_rows=n_rows, pos_label=1).plot(k=2)
    assert_same_picture(made, HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, n_positives=n_positives, k=2))


def test_hit_curve_of_equal_scores_and_their_number():
    detected, hits, _ = hit_curve([1, 0, 0, 1], [2, 2, 2, 1])
    made = HitCurveDisplay(detected, hits, prevalence=0.5, n_rows=4, pos_label=1).plot(k=3)
    assert_same_picture(made, HitCurveDisplay.from_predictions([1, 0, 0, 1], [2, 2, 2, 1], k=3))


def test_hit_curve_of_weights():
    detected, hits, _ = hit_curve(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)
    perfect = [0, 0.2, 0.4, 1], [0, 5 / 9, 6 / 9, 6 / 9]
    made = HitCurveDisplay(detected, hits, prevalence=6 / 9, n_rows=5, perfect=perfect, pos_label=1).plot(k=2)
    assert_same_picture(made, HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, sample_weight=WEIGHT, k=2))


def test_weights_are_found_by_their_shares():
    """Heavy hits are not counts."""
    equal_scores = {"detected": [0, 1], "hits": [0, 5 / 9], "prevalence": 5 / 9, "n_rows": 5}
    detected, hits, _ = hit_curve(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)
    several = {"detected": detected, "hits": hits, "prevalence": 6 / 9, "n_rows": 5}
    for arrays in (equal_scores, several):
        with pytest.raises(ValueError, match=r"^perfect must be given where rows have weights"):
            HitCurveDisplay(**arrays).plot()
        assert plt.get_fignums() == []
        display = HitCurveDisplay(**arrays).plot(plot_perfect=False, k=1)
        assert display.perfect_line_ is None
        assert display.ax_.get_ylabel().startswith("Share of weight hit")
        assert display.line_.get_xdata()[-2:].tolist() == pytest.approx([1 - 1 / len(hits[1:]), 1]) or (
            display.line_.get_xdata().tolist() == [0, 1]
        )
        plt.close(display.figure_)


@pytest.mark.parametrize("n_rows", [4, 5.5, 0, np.nan, np.inf, True, "5", None, [0, 1, 2, 3, 4, 5]])
def test_a_number_of_rows_that_the_shares_do_not_have(n_rows):
    detected, hits, _ = hit_curve(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match=r"^n_rows must be the number of rows; got .*, which does not"):
        HitCurveDisplay(detected, hits, prevalence=6 / 9, n_rows=n_rows).plot()
    assert plt.get_fignums() == []


HITS = {"detected": [0, 0.5, 1], "hits": [0, 0.5, 0.5], "prevalence": 0.5, "n_rows": 2}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hits": [0, 0.5]}, "hits must be a 1-D array of the size of detected, 3; got one of shape"),
        ({"hits": None}, "hits must be a 1-D array of the size of detected, 3"),
        ({"detected": [1, 0.5, 0]}, r"detected must rise from 0, as hit_curve returns it; got \[1\. "),
        ({"hits": [0, 0.5, 0.25]}, r"hits must rise from 0, as hit_curve returns it; got"),
        ({"detected": [0.25, 0.5, 1]}, "detected must rise from 0"),
        ({"detected": [0, np.nan, 1]}, r"detected must hold shares, from 0 to 1; got \[ 0\. nan  1\.\]"),
        ({"detected": [0, 50, 100]}, "detected must hold shares, from 0 to 1"),
        ({"detected": 0.5, "hits": 0.5}, "detected must be a 1-D array"),
        (
            {"prevalence": 0.6},
            "prevalence must be the share of positives among all samples, 0.5 by .* got 0.6",
        ),
        ({"prevalence": np.nan}, "prevalence must be the share of positives"),
        ({"perfect": ([0, 1], [0, 0.5])}, "perfect must lie on or above the hit curve and end at the preval"),
        ({"perfect": ([0, 0.5, 1], [0, 0.6, 0.6])}, "perfect must lie on or above the hit curve and end at"),
        ({"perfect": ([0, 0.5, 1], [0, 0.5])}, "perfect must be two arrays of one size"),
        ({"perfect": ([0, 1, 0.5], [0, 0.5, 0.5])}, "perfect must rise from 0"),
    ],
)
def test_arrays_that_are_no_hit_curve(changed, message):
    assert HitCurveDisplay(**HITS).plot(k=1).line_ is not None
    plt.close("all")
    with pytest.raises(ValueError, match=f"^{message}"):
        HitCurveDisplay(**{**HITS, **changed}).plot(k=1)
    assert plt.get_fignums() == []


def test_rows_are_asked_for():
    """Shares alone do not tell how many rows a budget has."""
    with pytest.raises(TypeError, match="n_rows"):
        HitCurveDisplay(*hit_curve(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)[:2], prevalence=6 / 9)


# --- precision and recall ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("precision", "recall", "message"),
    [
        ([0.5, np.nan, 1], [1, 0.5, 0], r"precision must hold shares, from 0 to 1; got \[0\.5 nan 1\. \]"),
        ([50, 70, 100], [1, 0.5, 0], "precision must hold shares, from 0 to 1"),
        ([0.5, 0.7, 1], [100, 50, 0], "recall must hold shares, from 0 to 1"),
        ([0.5, 0.7, 1], [1, np.nan, 0], "recall must hold shares, from 0 to 1"),
        ([0.5, 0.7], [1, 0.5], "recall must fall to 0, at the closing point"),
        ([0.5, 0.7, 1], [0, 0.5, 1], "recall must fall to 0, at the closing point"),
    ],
)
def test_arrays_that_are_no_curve(precision, recall, message):
    for display in (
        AveragePrecisionDisplay(precision, recall),
        AveragePrecisionDisplay([[1, 1], precision], [[1, 0], recall]),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            display.plot()
        assert plt.get_fignums() == []


def test_shares_detected_fall_too():
    precision, recall, _ = precision_recall_curve([0, 1, 1, 0, 1], [5, 4, 4, 3, 2])
    detected = hit_curve([0, 1, 1, 0, 1], [5, 4, 4, 3, 2])[0]
    with pytest.raises(ValueError, match=r"^detected must fall to 0, at the closing point"):
        AveragePrecisionDisplay(precision, recall, area="davis-goadrich", detected=detected).plot()


@pytest.mark.parametrize("share", [np.nan, 50, -0.1])
def test_chance_levels_are_shares(share):
    display = AveragePrecisionDisplay([0.5, 1], [1, 0], prevalence_pos_label=share)
    with pytest.raises(ValueError, match=r"^prevalence_pos_label must hold shares, from 0 to 1"):
        display.plot(plot_chance_level=True)


def test_rounding_of_weights_is_no_error():
    one = 1 + 1e-15
    display = AveragePrecisionDisplay([one, one, 1], [one, 0.5, 0]).plot()
    assert display.line_.get_xdata()[0] == one
