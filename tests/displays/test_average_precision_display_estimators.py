"""The precision-recall display of estimators, and of the folds of a
cross-validation.
"""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import IsolationForest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import sklearn_ap
from drawn import each_area, legend_of
from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    average_precision_score,
)

# --- estimators -----------------------------------------------------------------------


@pytest.mark.parametrize("names", [[0, 1, 2], [1, 2, 3], ["1", "b", "c"], [1, 2]])
def test_the_class_that_is_named_is_drawn_against_the_others(data, names):
    """The positive class is that of the scorers: without `pos_label`, it is class 1."""
    X, y = data[0], np.array(names)[np.arange(len(data[1])) % len(names)]
    model, rows = GaussianNB().fit(X[:100], y[:100]), slice(100, None)
    for label, scores in zip(names, model.predict_proba(X[rows]).T, strict=True):
        named = {} if (names, label) == ([1, 2], 1) else {"pos_label": label}
        for display in (AveragePrecisionDisplay, HitCurveDisplay):
            expected = display.from_predictions(y[rows] == label, scores).line_
            for drawn in (
                display.from_estimator(model, X[rows], y[rows], **named),
                display.from_predictions(y[rows], scores, pos_label=label),
            ):
                line = drawn.line_.get_xydata()
                np.testing.assert_array_equal(line, expected.get_xydata())
                assert drawn.pos_label == label
        plt.close("all")


@pytest.mark.parametrize(
    ("display", "options"),
    [
        (
            AveragePrecisionDisplay,
            {"plot_band": True, "sample_weight": 1 + np.arange(200) % 3},
        ),
        (HitCurveDisplay, {"plot_random": False, "plot_perfect": False}),
    ],
)
def test_an_estimator_is_drawn_as_its_scores_are(data, display, options):
    X, y = data
    model = LinearSVC().fit(X, y)
    lines = [
        [line.get_xydata().tolist() for line in drawn.ax_.lines]
        for drawn in (
            display.from_estimator(model, X, y, **options),
            display.from_predictions(y, model.decision_function(X), **options),
        )
    ]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay])
def test_every_display_names_the_positive_class_and_does_not_guess_it(data, display):
    """The label of the axis shows it, as in scikit-learn's displays."""
    X, y = data[0], np.where(data[1], "fraud", "ok")
    draw = partial(display.from_estimator, GaussianNB().fit(X, y), X, y)
    with pytest.raises(
        ValueError,
        match=r"^pos_label must name .* pos_label='fraud' or pos_label='ok' when you make",
    ):
        draw()
    axes = draw(pos_label="fraud").ax_
    assert "(Positive label: fraud)" in axes.get_xlabel() + axes.get_ylabel()


def test_outlier_detectors_score_inliers_high(data):
    X, labels = data[0], np.where(data[1], -1, 1)
    detector = IsolationForest(random_state=0).fit(X)
    display = AveragePrecisionDisplay.from_estimator(detector, X, labels, pos_label=-1)
    wanted = average_precision_score(labels == -1, -detector.decision_function(X))
    assert display.average_precision == wanted


# --- folds ----------------------------------------------------------------------------


def test_more_than_twelve_folds_share_an_entry_and_a_colour():
    points = [[np.array([1.0, 1.0]), np.array([1.0, 0.0])]] * 13
    precisions, recalls = zip(*points, strict=True)
    display = AveragePrecisionDisplay(
        precisions, recalls, average_precision=[0.1] * 12 + [0.75], name="NB"
    ).plot()
    assert legend_of(display) == ["NB, 13 curves"]
    title = display.ax_.get_legend().get_title().get_text()
    assert title == "NB (mean AP = 0.15)"
    assert len({line.get_color() for line in display.line_}) == 1


# --- classes and labels ---------------------------------------------------------------


Y, COLUMNS = np.arange(60) % 3, np.eye(3, dtype=int)[np.arange(60) % 3]
ANIMALS = ["ant", "bee", "cat"]


@pytest.mark.parametrize(
    ("y_true", "names"),
    [
        (Y, [0, 1, 2]),
        (csr_array(COLUMNS), [0, 1, 2]),
        (np.array(ANIMALS)[Y], ANIMALS),
        (pd.DataFrame(COLUMNS, columns=ANIMALS), ANIMALS),
        (pd.DataFrame(COLUMNS, columns=["ant", "bee", "ant"]), [0, 1, 2]),
    ],
    ids=["multiclass", "sparse", "text", "frame", "a name twice"],
)
@each_area
def test_several_classes_have_a_curve_each(y_true, names, area):
    """Each curve is that of a class against the rest, and the title of the legend is the
    macro average.
    """
    score = np.random.default_rng(0).random((60, 3)).round(1)
    options = {"area": area, "sample_weight": 1 + np.arange(60) % 4}
    draw = AveragePrecisionDisplay.from_predictions
    display = draw(y_true, score, **options, name="kNN")
    singles = [draw(*pair, **options) for pair in zip(COLUMNS.T, score.T, strict=True)]
    values = [one.average_precision for one in singles]
    assert display.average_precision == values
    for line, one in zip(display.line_, singles, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), one.line_.get_xydata())
    pairs = zip(names, values, strict=True)
    assert legend_of(display) == [f"{name} ({value:.2f})" for name, value in pairs]
    title = display.ax_.get_legend().get_title().get_text()
    assert "kNN (macro" in title
    assert f"= {np.mean(values):.2f})" in title


class _Listed(ClassifierMixin, BaseEstimator):
    """A classifier whose classes are a list, as some packages have them."""

    def __init__(self):
        self.classes_ = [0, 1, 2]

    def predict_proba(self, X):
        return X


def test_an_estimator_of_several_classes():
    """A class that does not occur in the rows has no curve. The macro average is that of
    the scorer.
    """
    rng = np.random.default_rng(0)
    y = rng.choice([0, 2], 120)
    model, X = _Listed(), rng.dirichlet([1] * 3, 120)
    display = AveragePrecisionDisplay.from_estimator(
        model, X, y, plot_chance_level=True
    )
    assert display.classes == [0, 2]
    macro = sklearn_ap.get_scorer("average_precision")(model, X, y)
    assert np.mean(display.average_precision) == pytest.approx(macro)
    assert len(display.chance_level_) == 2


def test_classes_may_be_an_array_as_estimators_have_it():
    points = [np.array([0.5, 1.0, 1.0]), np.array([1.0, 0.5, 0.0])]
    display = AveragePrecisionDisplay(
        *([one] * 2 for one in points), classes=np.array(["a", "b"])
    ).plot()
    assert legend_of(display) == ["a", "b"]
