"""The forest picture draws the numbers of estimates and comparisons, and keeps its texts apart."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_ap import (
    ScoreEstimateDisplay,
    average_precision_score,
    chance_level,
    compare_many,
    compare_scores,
    estimate_score,
    recall_at_k_score,
)

mpl.use("Agg")
RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(300) < 0.2
MODELS = {name: RNG.normal(size=300) + shift * Y_TRUE for name, shift in [("A", 1.0), ("B", 2.0), ("C", 1.5)]}
WEIGHT = RNG.lognormal(size=300)


def point_of(line):
    (x,), (y,) = line.get_data()
    return float(x), y


# --- the numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params", [{}, {"sample_weight": WEIGHT}, {"pos_label": 0}], ids=["", "weighted", "0"]
)
def test_points_and_intervals_are_those_of_the_estimates(params):
    display = ScoreEstimateDisplay.from_predictions(Y_TRUE.astype(int), MODELS, **params)
    assert list(display.points_) == list(display.intervals_) == list(display.texts_) == ["A", "B", "C"]
    for place, (name, score) in enumerate(MODELS.items()):
        estimate = estimate_score(average_precision_score, Y_TRUE.astype(int), score, **params)
        low, high = estimate.confidence_interval()
        assert point_of(display.points_[name]) == (estimate.score, place)
        np.testing.assert_array_equal(display.intervals_[name].get_data(), [[low, high], [place, place]])
        assert display.texts_[name].get_text() == f"{estimate.score:.3f}  ({low:.3f} to {high:.3f})"
    assert display.ax_.get_ylim() == pytest.approx((2.6, -0.6))  # as given, the first one at the top
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["A", "B", "C"]
    positive = " (Positive label: 0)" if "pos_label" in params else ""  # 1 is what everyone expects
    assert display.ax_.get_xlabel() == f"Average precision{positive}\nwith 95 % intervals"
    assert display.difference_ax_ is display.difference_points_ is None
    assert display.figure_ is display.ax_.figure


def test_a_difference_is_that_of_the_comparison():
    models = {name: MODELS[name] for name in "AB"}
    display = ScoreEstimateDisplay.from_predictions(Y_TRUE, models, reference="B")
    one = compare_scores(average_precision_score, Y_TRUE, MODELS["A"], MODELS["B"])
    assert point_of(display.difference_points_["A"]) == (one.difference, 0)
    assert tuple(display.difference_intervals_["A"].get_xdata()) == tuple(one.confidence_interval())
    shown = f"p = {one.pvalue:.3f}" if one.pvalue >= 0.001 else "p < 0.001"
    assert display.difference_texts_["A"].get_text() == f"{one.difference:+.3f}  ({shown})"
    assert display.difference_ax_.get_xlabel() == "Difference in average precision\nto B"


def test_differences_hold_together():
    display = ScoreEstimateDisplay.from_predictions(Y_TRUE, MODELS, reference="B", random_state=0)
    assert list(display.difference_points_) == ["A", "C"]
    found = compare_many(
        average_precision_score, Y_TRUE, MODELS, reference="B", n_resamples=1999, random_state=0
    )
    low, high = found.confidence_interval()
    for i, (place, name) in enumerate([(0, "A"), (2, "C")]):
        assert point_of(display.difference_points_[name]) == (found.difference[i], place)
        assert tuple(display.difference_intervals_[name].get_xdata()) == (low[i], high[i])
        shown = display.difference_texts_[name].get_text()
        assert shown.startswith(f"{found.difference[i]:+.3f}  (p ")
        pvalue = found.pvalue[i]
        if pvalue >= 0.001:
            assert shown.endswith(f"(p = {pvalue:.3f})" if pvalue < 0.1 else f"(p = {pvalue:.2f})")
    assert display.difference_texts_["B"].get_text() == "reference"
    hollow = display.points_["B"].get_markerfacecolor()
    assert hollow == display.ax_.get_facecolor() != display.points_["A"].get_markerfacecolor()
    assert display.difference_ax_.get_xlabel() == "Difference in average precision\nto B, adjusted"
    (zero,) = (line for line in display.difference_ax_.get_lines() if list(line.get_xdata()) == [0, 0])
    assert zero.get_zorder() < display.difference_points_["A"].get_zorder()


def test_other_levels_methods_and_units():
    clusters = np.arange(300) // 3
    options = {"method": "percentile", "unit_id": clusters, "n_resamples": 400, "random_state": 3}
    display = ScoreEstimateDisplay.from_predictions(
        Y_TRUE, MODELS, reference="A", confidence_level=0.9, **options
    )
    estimate = estimate_score(average_precision_score, Y_TRUE, MODELS["B"], **options)
    assert tuple(display.intervals_["B"].get_xdata()) == tuple(estimate.confidence_interval(0.9))
    options["method"] = "bootstrap"
    found = compare_many(average_precision_score, Y_TRUE, MODELS, reference="A", **options)
    ends = np.array(found.confidence_interval(0.9))[:, 0]
    assert tuple(display.difference_intervals_["B"].get_xdata()) == tuple(ends)
    assert display.ax_.get_xlabel().endswith("with 90 % intervals")


def test_other_scores():
    display = ScoreEstimateDisplay.from_predictions(
        Y_TRUE, MODELS, score_func=recall_at_k_score, k=30, random_state=0
    )
    assert display.ax_.get_xlabel().startswith("Recall@30\n")
    assert point_of(display.points_["A"])[0] == recall_at_k_score(Y_TRUE, MODELS["A"], k=30)
    assert display.chance_line_ is None
    display = ScoreEstimateDisplay.from_predictions(
        Y_TRUE, MODELS["A"], score_func=roc_auc_score, n_resamples=400, random_state=0
    )
    assert point_of(display.points_["Scores"])[0] == roc_auc_score(Y_TRUE, MODELS["A"])
    query = np.arange(300) // 30
    display = ScoreEstimateDisplay.from_predictions(Y_TRUE, MODELS, query_id=query)
    expected = estimate_score(average_precision_score, Y_TRUE, MODELS["A"], query_id=query)
    assert tuple(display.intervals_["A"].get_xdata()) == tuple(expected.confidence_interval())
    assert display.chance_line_ is None  # of a mean over queries


# --- chance ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params", [{}, {"sample_weight": np.arange(300) % 7 > 0}, {"pos_label": 0}], ids=["", "weighted", "0"]
)
def test_chance_is_the_mean_of_random_rankings(params):
    labels = Y_TRUE.astype(int)
    display = ScoreEstimateDisplay.from_predictions(labels, MODELS, **params)
    expected = chance_level(labels, **params).mean
    assert list(display.chance_line_.get_xdata()) == [expected, expected]
    assert display.chance_line_.get_linestyle() == "--"
    (text,) = (one for one in display.ax_.texts if one.get_text().startswith("chance"))
    assert text.get_text() == f"chance {expected:.3f}"
    assert display.ax_.get_xlim()[0] < expected


# --- no interval -----------------------------------------------------------------------------------------


def test_without_an_interval_the_point_stands_alone_and_the_text_says_so():
    labels = [1] * 12 + [0] * 12
    with pytest.warns(UserWarning, match="The confidence interval is NaN, because the score is exactly 1"):
        display = ScoreEstimateDisplay.from_predictions(
            labels, {"perfect": range(24, 0, -1), "other": [5, 1, 2] * 8}, method="percentile"
        )
    assert display.intervals_["perfect"] is None
    assert display.intervals_["other"] is not None
    assert point_of(display.points_["perfect"]) == (1.0, 0)
    assert display.texts_["perfect"].get_text() == "1.000  (no interval)"


# --- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "D"}, r"^reference must be None or one of \['A', 'B', 'C'\]; got 'D'"),
        ({"confidence_level": 95}, r"^confidence_level must be above 0 and below 1, such as 0.95; got 95"),
        ({"method": "jackknife"}, r"^method must be one of .*; got 'jackknife'"),
        ({"method": "percentile", "n_resamples": 100}, r"^n_resamples must be at least 400"),
        ({"method": "bca", "reference": "A", "n_resamples": 400}, r"^method must be one of .*; got 'bca'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ScoreEstimateDisplay.from_predictions(Y_TRUE, MODELS, **options)
    assert plt.get_fignums() == []
