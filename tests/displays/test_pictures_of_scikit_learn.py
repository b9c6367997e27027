"""What our display draws is what scikit-learn's display draws: lines, labels, limits and
legends.
"""

from contextlib import nullcontext

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import label_binarize
from sklearn.svm import LinearSVC

from drawn import picture_of
from scikit_learn_suite import NEWEST
from scoring import VERSION
from sklearn_ap import (
    PrecisionRecallDisplay,
    average_precision_score,
    precision_recall_curve,
)

DISPLAYS = metrics.PrecisionRecallDisplay, PrecisionRecallDisplay


def assert_same_pictures(draw):
    """Both displays draw the same. Frequent classes have the same digits in both."""
    (theirs, their_points), (ours, our_points) = (
        picture_of(draw(display).ax_) for display in DISPLAYS
    )
    plt.close("all")
    assert ours == theirs
    for line, their_line in zip(our_points, their_points, strict=True):
        np.testing.assert_allclose(line, their_line, rtol=0, atol=2e-12)


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


# --- the two examples of scikit-learn's gallery ---------------------------------------

DESPINED = {"despine": True} if VERSION >= (1, 6) else {}
# A model of two of three flowers, and one of all three, by two noisy columns.
FLOWERS, FLOWER = load_iris(return_X_y=True)
NOISY = FLOWERS[:, :2] + np.random.default_rng(0).normal(size=(150, 2))
IS_FLOWER = label_binarize(FLOWER, classes=[0, 1, 2])
OF_EACH_FLOWER = (
    OneVsRestClassifier(LinearSVC(random_state=0))
    .fit(NOISY[::2], IS_FLOWER[::2])
    .decision_function(NOISY[1::2])
)


def of_two_flowers(display):
    X, y = NOISY[FLOWER < 2], FLOWER[FLOWER < 2]
    model = LinearSVC(random_state=0).fit(X[::2], y[::2])
    options = {"name": "LinearSVC", "plot_chance_level": True, **DESPINED}
    return display.from_estimator(model, X[1::2], y[1::2], **options)


def of_all_entries(display):
    labels = IS_FLOWER[1::2].ravel()
    precision, recall, _ = precision_recall_curve(labels, OF_EACH_FLOWER.ravel())
    return display(
        recall=recall,
        precision=precision,
        average_precision=average_precision_score(labels, OF_EACH_FLOWER.ravel()),
        prevalence_pos_label=labels.mean(),
    ).plot(plot_chance_level=True, **DESPINED)


def next_to_another_picture(display):
    _, (_, ax) = plt.subplots(1, 2, figsize=(12, 8))
    y, score = FLOWER[1::2] > 0, -OF_EACH_FLOWER[:, 0]
    precision, recall, _ = precision_recall_curve(y, score)
    return display(precision=precision, recall=recall).plot().plot(ax=ax)


@pytest.mark.parametrize(
    "draw",
    [of_two_flowers, of_all_entries, next_to_another_picture],
)
def test_examples_of_the_gallery(draw):
    assert_same_pictures(draw)


# What else people draw on the same axes, before the curve or after it.
OTHERS = {
    "a line above 1": lambda ax: ax.plot([0, 1], [0, 2]),
    "a point above 1": lambda ax: ax.scatter([0.5], [1.2]),
    "limits": lambda ax: ax.set(xlim=(0, 2), ylim=(0, 1.05)),
    "a level": lambda ax: ax.axhline(0.1),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("is_first", [True, False])
def test_limits_do_not_depend_on_what_else_is_drawn(other, is_first):
    def draw(display):
        _, ax = plt.subplots()
        if is_first:
            other(ax)
        drawn = display.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], ax=ax)
        if not is_first:
            other(ax)
        return drawn

    assert_same_pictures(draw)


ARRAYS = {"precision": np.array([0.5, 1.0]), "recall": np.array([1.0, 0.0])}


def _warned(text):
    """Since 1.8, scikit-learn warns of older names."""
    return (
        pytest.warns(FutureWarning, match=text) if VERSION >= (1, 8) else nullcontext()
    )


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_older_name_of_scores(display):
    rows = {"y_true": [0, 1, 0, 1], "y_pred": [1, 2, 3, 4]}
    with _warned("^y_pred was deprecated in 1.8 and will be removed in 1.10"):
        drawn = display.from_predictions(**rows)
    expected = display.from_predictions(*rows.values())
    assert drawn.line_.get_label() == expected.line_.get_label()
    assert drawn.line_.get_xydata().tolist() == expected.line_.get_xydata().tolist()
    with pytest.raises((ValueError, TypeError), match="y_pred"):
        display.from_predictions([0, 1], [1, 2], y_pred=[1, 2])


def test_scores_are_required():
    with pytest.raises(TypeError, match="y_score; got None"):
        PrecisionRecallDisplay.from_predictions([0, 1])


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_older_name_of_the_constructor(display):
    with _warned("^`estimator_name` is deprecated in"):
        drawn = display(**ARRAYS, average_precision=0.5, estimator_name="old").plot()
    assert drawn.line_.get_label() == "old (AP = 0.50)"
