"""What our display draws is what scikit-learn's display draws: lines, labels, limits and
legends.
"""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay
from sklearn.model_selection import cross_validate

from brief import examples
from scikit_learn_suite import NEWEST
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay

DISPLAYS = PrecisionRecallDisplay, AveragePrecisionDisplay
CLASSES = [[0, 1], [-1, 1], [False, True], [1, 2], [0.0, 1.0], ["no", "yes"]]


def picture_of(axes):
    """Return what can be read on the axes, and the points of the lines."""
    legend = axes.get_legend()
    return {
        "labels": (axes.get_xlabel(), axes.get_ylabel()),
        "limits": (axes.get_xlim(), axes.get_ylim()),
        "aspect": axes.get_aspect(),
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
        "styles": [(line.get_drawstyle(), line.get_alpha()) for line in axes.lines],
        "spines": [spine.get_visible() for spine in axes.spines.values()],
    }, [line.get_xydata() for line in axes.lines]


def assert_same_pictures(draw):
    """Both displays draw the same. Frequent classes have the same digits in both."""
    (theirs, their_points), (ours, our_points) = (
        picture_of(draw(display).ax_) for display in DISPLAYS
    )
    plt.close("all")
    assert ours == theirs
    for line, their_line in zip(our_points, their_points, strict=True):
        np.testing.assert_allclose(line, their_line, rtol=0, atol=2e-12)


class Ranker(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are the only column of the data."""

    def fit(self, X, y):
        self.n_features_in_ = len(X[0])
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.ravel(X)


@st.composite
def rows(draw):
    """Draw the labels of both classes, each in a quarter of the rows, and the scores."""
    size = 4 * draw(st.integers(2, 6))
    quarter = size // 4
    middle = draw(st.lists(st.booleans(), min_size=2 * quarter, max_size=2 * quarter))
    positive = [True] * quarter + middle + [False] * quarter
    score = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    return np.array(positive).astype(int), np.array(score) / 10


@examples(10, 30)
@given(
    rows=rows(),
    classes=st.sampled_from(CLASSES),
    positive=st.sampled_from([None, 0, 1]),
    chance=st.booleans(),
    drop=st.booleans(),
    name=st.sampled_from([None, "model"]),
)
def test_the_curve_of_an_estimator_is_scikit_learns(
    rows, classes, positive, chance, drop, name
):
    """The positive class is the second one, or that of `pos_label`."""
    places, score = rows
    y = np.array(classes)[places]
    pos_label = None if positive is None else classes[positive]
    options = {"plot_chance_level": chance, "drop_intermediate": drop, "name": name}
    X = score[:, np.newaxis]
    model = Ranker().fit(X, y)
    assert_same_pictures(
        lambda display: display.from_estimator(
            model, X, y, pos_label=pos_label, **options
        )
    )
    # Without classes, only 1 and True are positive by default.
    if pos_label is None and classes[1] != 1:
        pos_label = classes[1]
    assert_same_pictures(
        lambda display: display.from_predictions(
            y, score, pos_label=pos_label, **options
        )
    )
    hits = HitCurveDisplay.from_estimator(model, X, y).ax_.get_ylabel()
    assert hits.endswith(f"(Positive label: {classes[1]})")
    plt.close("all")


FOLDS = [
    {},
    {"plot_chance_level": True, "despine": True},
    {"name": "model", "plot_chance_level": True, "chance_level_kwargs": {"lw": 3}},
    {"name": "model", "curve_kwargs": {"color": "red"}, "drop_intermediate": False},
    {"name": ["a", "b", "c"], "curve_kwargs": [{"c": each} for each in "rgb"]},
    {"curve_kwargs": [{"c": each} for each in "rgb"], "pos_label": "no"},
    {"response_method": "decision_function", "sample_weight": np.arange(200) % 3},
]


@pytest.mark.skipif(not NEWEST, reason="scikit-learn has no from_cv_results before 1.9")
@pytest.mark.parametrize("options", FOLDS)
def test_the_folds_are_scikit_learns(data, options):
    X, y = data[0], np.where(data[1], "yes", "no")
    results = cross_validate(
        LogisticRegression(), X, y, cv=3, return_estimator=True, return_indices=True
    )
    assert_same_pictures(
        lambda display: display.from_cv_results(results, X, y, **options)
    )
