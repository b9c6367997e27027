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
from drawn import AREAS, area_under, legend_of, picture_of
from sklearn_ap import (
    HitCurveDisplay,
    PrecisionRecallDisplay,
)

# --- estimators -----------------------------------------------------------------------


# The classes, the one that is positive, and whether it is the default.
NAMED = [([1, 2, 3], 2, False), (["1", "b", "c"], "1", False)]
NAMED += [([1, 2], 1, False), ([1, 2], 2, True)]


@pytest.mark.parametrize("display", [PrecisionRecallDisplay, HitCurveDisplay])
@pytest.mark.parametrize(("names", "label", "is_default"), NAMED)
def test_the_class_that_is_named_is_drawn_against_the_others(
    data, names, label, is_default, display
):
    """Without `pos_label`, it is the second of two classes, as in scikit-learn."""
    X, y = data[0], np.array(names)[np.arange(len(data[1])) % len(names)]
    model, rows = GaussianNB().fit(X[:100], y[:100]), slice(100, None)
    scores = model.predict_proba(X[rows])[:, names.index(label)]
    named = {} if is_default else {"pos_label": label}
    drawn = display.from_estimator(model, X[rows], y[rows], **named)
    ax = drawn.ax_
    others = (
        display.from_predictions(y[rows] == label, scores, ax=ax),
        display.from_predictions(y[rows], scores, pos_label=label, ax=ax),
    )
    for other in others:
        np.testing.assert_array_equal(
            drawn.line_.get_xydata(), other.line_.get_xydata()
        )
    assert drawn.pos_label == others[1].pos_label == label


EACH = {
    "sample_weight": 1 + np.arange(60) % 3,
    "name": "own",
    "curve_kwargs": {"lw": 3},
}
EACH |= {"plot_chance_level": True, "chance_level_kw": {"color": "red"}}
BAND = {"plot_band": True, "confidence_level": 0.9, "unit_id": np.arange(60) // 2}
DROPPED = {"drop_intermediate": True, "despine": True, "area": "linear"}
OPTIONS = [
    (PrecisionRecallDisplay, EACH | BAND, "predict_proba"),
    (PrecisionRecallDisplay, EACH | DROPPED, "decision_function"),
    (PrecisionRecallDisplay, {"n_positives": 90, "name": "own"}, "auto"),
    (HitCurveDisplay, EACH | {"plot_perfect": False}, "decision_function"),
    (HitCurveDisplay, {"n_positives": 90, "name": "own"}, "predict_proba"),
]


@pytest.mark.parametrize(("display", "options", "method"), OPTIONS)
def test_an_estimator_is_drawn_as_its_scores_are(data, display, options, method):
    """Rows whose probability is rounded to 1 are tied, and their decisions differ."""
    X, y = data[0][:60] * 40, data[1][:60]
    model = LogisticRegression().fit(*data)
    scores = model.decision_function(X)
    if method != "decision_function":
        scores = model.predict_proba(X)[:, 1]
    axes = [plt.subplots()[1] for _ in range(2)]
    display.from_estimator(model, X, y, response_method=method, ax=axes[0], **options)
    display.from_predictions(y, scores, ax=axes[1], **options)
    (ours, points), (expected, others) = map(picture_of, axes)
    assert ours == expected
    for line, other in zip(points, others, strict=True):
        np.testing.assert_array_equal(line, other)
    bands = [[band.get_paths()[0].vertices for band in ax.collections] for ax in axes]
    np.testing.assert_array_equal(*bands)
    for line, other in zip(axes[0].lines, axes[1].lines, strict=True):
        assert line.get_color() == other.get_color()
        assert line.get_linewidth() == other.get_linewidth()


# --- folds ----------------------------------------------------------------------------


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
    _, ax = plt.subplots()
    drawn = PrecisionRecallDisplay.from_cv_results(
        results,
        *container(X, y),
        sample_weight=weight.tolist(),
        area="interpolated",
        ax=ax,
    )
    assert drawn.ax_ is ax
    for line, value, estimator, fold in zip(
        np.ravel(drawn.line_),
        np.ravel(drawn.average_precision),
        results["estimator"],
        results["indices"]["test"],
        strict=True,
    ):
        alone = PrecisionRecallDisplay.from_estimator(
            estimator,
            X[fold],
            y[fold],
            sample_weight=weight[fold],
            area="interpolated",
            ax=ax,
        )
        assert alone.average_precision == value
        assert area_under(line) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("passed", "message"),
    [
        ("{'indices': r['indices']}, X, y", r"^`cv_results` .* got \['indices'\]"),
        (
            "{'estimator': r['estimator']}, X, y",
            r"^`cv_results` .* got \['estimator'\]",
        ),
        ("r['estimator'], X, y", r"^`cv_results` .* got \[<class 'list'>\]"),
        ("r, X[:-1], y[:-1]", "^`X` .* Expected 200, got 199. Pass the X"),
        ("r, [*X, *X], [*y, *y]", "^`X` .* Expected 200, got 400."),
        ("r, X, y[:-1]", "inconsistent numbers of samples"),
        ("r, X, [*range(200)]", "`y` is not binary. Got multi"),
    ],
)
def test_folds_that_do_not_fit_raise_errors(data, passed, message):
    X, y = data
    results = cross_validate(
        GaussianNB(), X, y, return_estimator=True, return_indices=True
    )
    with pytest.raises(ValueError, match=message):
        PrecisionRecallDisplay.from_cv_results(
            *eval(passed, {"r": results, "X": X, "y": y})
        )


# --- classes and labels ---------------------------------------------------------------


Y, COLUMNS = np.arange(60) % 3, np.eye(3, dtype=int)[np.arange(60) % 3]
ANIMALS = ["ant", "bee", "cat"]


LABELS_OF_CLASSES = {
    "multiclass": (Y, [0, 1, 2]),
    "sparse": (csr_array(COLUMNS), [0, 1, 2]),
    "text": (np.array(ANIMALS)[Y], ANIMALS),
    "frame": (pd.DataFrame(COLUMNS, columns=ANIMALS), ANIMALS),
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
