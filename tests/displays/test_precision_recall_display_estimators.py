"""The precision-recall display of estimators, and of the folds of a
cross-validation.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap
from brief import covering, values_of
from drawn import AREAS, area_under, legend_of
from sklearn_ap import (
    HitCurveDisplay,
    PrecisionRecallDisplay,
)

# --- estimators -----------------------------------------------------------------------


@pytest.mark.parametrize("names", [[1, 2, 3], ["1", "b", "c"], [1, 2]])
def test_the_class_that_is_named_is_drawn_against_the_others(data, names):
    """Without `pos_label`, it is the second of two classes, as in scikit-learn."""
    X, y = data[0], np.array(names)[np.arange(len(data[1])) % len(names)]
    model, rows = GaussianNB().fit(X[:100], y[:100]), slice(100, None)
    for label, scores in zip(names, model.predict_proba(X[rows]).T, strict=True):
        named = {} if (names, label) == ([1, 2], 2) else {"pos_label": label}
        for display in (PrecisionRecallDisplay, HitCurveDisplay):
            expected = display.from_predictions(y[rows] == label, scores).line_
            for drawn in (
                display.from_estimator(model, X[rows], y[rows], **named),
                display.from_predictions(y[rows], scores, pos_label=label),
            ):
                line = drawn.line_.get_xydata()
                np.testing.assert_array_equal(line, expected.get_xydata())
                assert drawn.pos_label == label
        plt.close("all")


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize(
    ("display", "options"),
    [
        (PrecisionRecallDisplay, {"plot_band": True}),
        (HitCurveDisplay, {"plot_chance_level": False, "plot_perfect": False}),
    ],
)
def test_an_estimator_is_drawn_as_its_scores_are(data, display, options, method):
    """Rows whose probability is rounded to 1 are tied, and their decisions differ."""
    X, y = data[0] * 40, data[1]
    model = LogisticRegression().fit(data[0], y)
    scores = getattr(model, method)(X)
    if method == "predict_proba":
        scores = scores[:, 1]
    options = options | {"sample_weight": 1 + np.arange(200) % 3}
    of_model = display.from_estimator(model, X, y, response_method=method, **options)
    of_scores = display.from_predictions(y, scores, **options)
    for line, other in zip(of_model.ax_.lines, of_scores.ax_.lines, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), other.get_xydata())


# --- folds ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "text"),
    [([0.1] * 12 + [0.75], "0.15 +/- 0.17"), ([0.012, 0.036], "0.024 +/- 0.012")],
)
def test_curves_without_classes_share_an_entry_and_a_look(values, text):
    """Small means have two digits, as small values have, and so do their deviations."""
    points = [[np.array([1.0, 1.0]), np.array([1.0, 0.0])]] * len(values)
    precisions, recalls = zip(*points, strict=True)
    display = PrecisionRecallDisplay(
        precisions,
        recalls,
        average_precision=values,
        name="NB",
        prevalence_pos_label=values,
    ).plot(plot_chance_level=True)
    assert legend_of(display) == [f"NB (AP = {text})", f"Chance level (AP = {text})"]
    looks = {(line.get_color(), line.get_linestyle()) for line in display.line_}
    assert looks == {("blue", "--")}


def as_list(X, y):
    return X.tolist(), y.tolist()


def as_frame(X, y):
    """Index and positions differ, so a row by its label is another row."""
    return pd.DataFrame(X, index=np.arange(len(X))[::-1]), pd.Series(y)


def as_sparse(X, y):
    return csr_array(X), y


def as_pyarrow(X, y):
    return pa.table(pd.DataFrame(X)), pa.array(y)


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(
    ("container", "cv"),
    [
        (as_list, StratifiedKFold(3)),
        (as_frame, TimeSeriesSplit(3)),
        (as_sparse, ShuffleSplit(1, random_state=0)),
        (as_pyarrow, StratifiedKFold(3)),
    ],
)
def test_each_fold_is_drawn_as_by_its_estimator(data, container, cv):
    """Also folds that do not contain all rows, for which scikit-learn raises an error."""
    X, y = data
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    model = LogisticRegression()
    results = cross_validate(
        model, X, y, cv=cv, return_estimator=True, return_indices=True
    )
    drawn = PrecisionRecallDisplay.from_cv_results(
        results, *container(X, y), sample_weight=weight.tolist()
    )
    for line, value, estimator, fold in zip(
        np.ravel(drawn.line_),
        np.ravel(drawn.average_precision),
        results["estimator"],
        results["indices"]["test"],
        strict=True,
    ):
        alone = PrecisionRecallDisplay.from_estimator(
            estimator, X[fold], y[fold], sample_weight=weight[fold]
        )
        assert alone.average_precision == value
        assert area_under(line) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda r, X, y: ({"indices": r["indices"]}, X, y),
            r"^`cv_results` .* got \['indices'\]",
        ),
        (
            lambda r, X, y: (r["estimator"], X, y),
            r"^`cv_results` .* got \[<class 'list'>\]",
        ),
        (
            lambda r, X, y: (r, X[:-1], y[:-1]),
            "^`X` .* Expected 200, got 199. Pass the X",
        ),
        (lambda r, X, y: (r, [*X, *X], [*y, *y]), "^`X` .* Expected 200, got 400."),
        (lambda r, X, y: (r, X, y[:-1]), "inconsistent numbers of samples"),
        (lambda r, X, y: (r, X, np.arange(len(y)) % 3), "`y` is not binary. Got multi"),
    ],
)
def test_folds_that_do_not_fit_raise_errors(data, change, message):
    X, y = data
    results = cross_validate(
        GaussianNB(), X, y, return_estimator=True, return_indices=True
    )
    with pytest.raises(ValueError, match=message):
        PrecisionRecallDisplay.from_cv_results(*change(results, X, y))


# --- classes and labels ---------------------------------------------------------------


Y, COLUMNS = np.arange(60) % 3, np.eye(3, dtype=int)[np.arange(60) % 3]
ANIMALS = ["ant", "bee", "cat"]


LABELS_OF_CLASSES = {
    "multiclass": (Y, [0, 1, 2]),
    "sparse": (csr_array(COLUMNS), [0, 1, 2]),
    "text": (np.array(ANIMALS)[Y], ANIMALS),
    "frame": (pd.DataFrame(COLUMNS, columns=ANIMALS), ANIMALS),
    "a name twice": (pd.DataFrame(COLUMNS, columns=["ant", "bee", "ant"]), [0, 1, 2]),
}


@pytest.mark.parametrize(
    ("labels", "area"),
    covering([*product(LABELS_OF_CLASSES, AREAS)], values_of, is_brief=True),
)
def test_several_classes_have_a_curve_each(labels, area):
    """Each curve is that of a class against the rest, and the title of the legend is the
    macro average.
    """
    y_true, names = LABELS_OF_CLASSES[labels]
    score = np.random.default_rng(0).random((60, 3)).round(1)
    options = {"area": area, "sample_weight": 1 + np.arange(60) % 4}
    draw = PrecisionRecallDisplay.from_predictions
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
    display = PrecisionRecallDisplay.from_estimator(model, X, y, plot_chance_level=True)
    assert display.classes == [0, 2]
    macro = sklearn_ap.get_scorer("average_precision")(model, X, y)
    assert np.mean(display.average_precision) == pytest.approx(macro)
    assert len(display.chance_level_) == 2


def test_one_column_of_labels_is_not_enough_for_an_estimator_of_two(data):
    """Its two lists of classes are not two classes."""
    X, y = data
    model = DecisionTreeClassifier().fit(X, np.c_[y, np.arange(len(y)) % 3])
    with pytest.raises(ValueError, match=r"^y must have 2 columns"):
        PrecisionRecallDisplay.from_estimator(model, X, y)


def test_classes_may_be_an_array_as_estimators_have_it():
    points = [np.array([0.5, 1.0, 1.0]), np.array([1.0, 0.5, 0.0])]
    display = PrecisionRecallDisplay(
        *([one] * 2 for one in points), classes=np.array(["a", "b"])
    ).plot()
    assert legend_of(display) == ["a", "b"]
