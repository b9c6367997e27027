"""Several hit curves in one display: the folds of a cross-validation, and lists made by hand."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from drawn import legend_of
from sklearn_ap import HitCurveDisplay, recall_at_k_score

mpl.use("Agg")
UNITS = [("share", "hits"), ("rows", "weight"), ("share", "recall"), ("rows", "lift")]
CURVES = {
    "detected": [[0, 0.5, 1], [0, 0.25, 0.5, 1]],
    "hits": [[0, 0.5, 0.5], [0, 0.25, 0.25, 0.5]],
    "prevalence": [0.5, 0.5],
    "n_rows": [2, 4],
}


@pytest.mark.parametrize(("x_axis", "y_axis"), UNITS)
def test_folds_are_drawn_as_their_predictions_are(data, cv_results, x_axis, y_axis):
    X, y = data
    weight = np.linspace(0.5, 2, y.size)
    units = {"x_axis": x_axis, "y_axis": y_axis, "max_k": 0.5, "k": 10}
    display = HitCurveDisplay.from_cv_results(cv_results, X, y, sample_weight=weight, name="NB", **units)
    folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
    ratios = []
    for place, (model, rows) in enumerate(folds):
        scores = model.predict_proba(X[rows])[:, 1]
        alone = HitCurveDisplay.from_predictions(y[rows], scores, sample_weight=weight[rows], **units)
        for name in ("line_", "perfect_line_", "random_line_", "budget_"):
            np.testing.assert_allclose(
                getattr(display, name)[place].get_xydata(), getattr(alone, name).get_xydata(), rtol=1e-12
            )
        recall = recall_at_k_score(y[rows], scores, sample_weight=weight[rows], k=10)
        ratios.append(recall / (10 / rows.size) if y_axis == "lift" else recall)
    what = "lift" if y_axis == "lift" else "recall"
    assert legend_of(display)[0] == f"NB (k = 10: {what} {np.mean(ratios):.2f} +/- {np.std(ratios):.2f})"
    assert len(legend_of(display)) == 3
    assert {line.get_alpha() for line in display.line_} == {0.5}
    assert display.ax_.get_ylabel().endswith("(Positive label: 1)")


def test_folds_each_with_a_legend_entry(data, cv_results):
    styles = [{"color": colour} for colour in "rgb"]
    display = HitCurveDisplay.from_cv_results(
        cv_results,
        *data,
        curve_kwargs=styles,
        name=["1", "2", "3"],
        k=0.5,
        plot_perfect=False,
        plot_random=False,
    )
    assert [line.get_color() for line in display.line_] == ["r", "g", "b"]
    assert [line.get_color() for line in display.budget_] == ["r", "g", "b"]
    assert (display.perfect_line_, display.random_line_) == (None, None)
    X, y = data
    for text, name, model, rows in zip(
        legend_of(display), "123", cv_results["estimator"], cv_results["indices"]["test"], strict=True
    ):
        scores = model.predict_proba(X[rows])[:, 1]
        n_rows = round(rows.size * 0.5)
        recall = recall_at_k_score(y[rows], scores, k=0.5)
        assert text.startswith(f"{name} (k = 0.5, {n_rows} rows: ")
        assert text.endswith(f"recall {recall:.2f})")


def test_folds_of_equal_references_share_them():
    """Two folds of the same prevalence have one perfect and one random line, and one entry."""
    display = HitCurveDisplay(**CURVES).plot()
    first, second = display.perfect_line_
    assert first is second
    assert len({id(line) for line in display.random_line_}) == 1
    assert legend_of(display) == [
        "Hit curve",
        "Perfect ranking",
        "Random ranking (prevalence = 0.50 +/- 0.00)",
    ]
    rows = HitCurveDisplay(**CURVES, x_axis="rows").plot()
    assert rows.perfect_line_[0] is not rows.perfect_line_[1]  # 2 rows and 4 rows
    assert len(legend_of(rows)) == 3


def test_totals_of_folds(data, cv_results):
    X, y = data
    totals = [40, 50, 60]
    display = HitCurveDisplay.from_cv_results(cv_results, X, y, n_positives=totals, y_axis="recall")
    for line, rows, total in zip(display.line_, cv_results["indices"]["test"], totals, strict=True):
        assert line.get_ydata()[-1] == pytest.approx(y[rows].sum() / total)
    with pytest.raises(ValueError, match=r"^n_positives needs equal weights here"):
        HitCurveDisplay.from_cv_results(
            cv_results, X, y, n_positives=totals, sample_weight=np.linspace(0.5, 2, y.size)
        )
    with pytest.raises(ValueError, match=r"^n_positives must hold a number for each of 3 curves"):
        HitCurveDisplay.from_cv_results(cv_results, X, y, n_positives=[1, 2])


def test_folds_take_the_positive_class_of_the_scorers(data, cv_results):
    display = HitCurveDisplay.from_cv_results(cv_results, *data, pos_label=0)
    assert display.pos_label == 0
    assert np.mean(display.prevalence) == pytest.approx(1 - np.mean(data[1]), abs=0.01)
    with pytest.raises(ValueError, match=r"cv_results must hold 'indices'"):
        HitCurveDisplay.from_cv_results({"estimator": []}, *data)


def test_lists_by_hand_are_the_curves_one_by_one():
    rng = np.random.default_rng(0)
    weights = [None, rng.integers(1, 9, 30).astype(float)]
    labels, scores = rng.random((2, 30)) < 0.4, rng.integers(0, 9, (2, 30))
    alone = [
        HitCurveDisplay.from_predictions(y, s, sample_weight=w, y_axis="weight", k=5)
        for y, s, w in zip(labels, scores, weights, strict=True)
    ]
    names = ("detected", "hits", "prevalence", "n_rows", "perfect", "total_weight")
    arrays = {name: [getattr(one, name) for one in alone] for name in names}
    display = HitCurveDisplay(**arrays, y_axis="weight").plot(k=5, curve_kwargs=[{}, {}], name=["a", "b"])
    for name in ("line_", "perfect_line_", "random_line_", "budget_"):
        for line, expected in zip(getattr(display, name), alone, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), getattr(expected, name).get_xydata())
    texts = [one.line_.get_label().replace("Hit curve", name) for one, name in zip(alone, "ab", strict=True)]
    assert legend_of(display)[:2] == texts


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hits": [[0, 0.5, 0.5]]}, "hits must hold one entry for each of 2 curves; got "),
        ({"hits": None}, "hits must hold one entry for each of 2 curves; got None"),
        ({"prevalence": 0.5}, "prevalence must hold one entry for each of 2 curves; got 0.5"),
        ({"n_rows": 4}, "n_rows must hold one entry for each of 2 curves; got 4"),
        ({"perfect": [None]}, "perfect must hold one entry for each of 2 curves"),
        ({"total_weight": 7.0}, "total_weight must hold one entry for each of 2 curves; got 7.0"),
        ({"n_rows": [2, 3]}, "n_rows must be the number of rows; got 3"),
        ({"name": ["a", "b"]}, "name must be a str or a list beside a list of curve_kwargs"),
    ],
)
def test_lists_of_other_lengths(changed, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        HitCurveDisplay(**{**CURVES, **changed}).plot()
    assert plt.get_fignums() == []


def test_styles_of_another_number_of_curves():
    with pytest.raises(ValueError, match=r"^curve_kwargs must be .* for each of 2 curves"):
        HitCurveDisplay(**CURVES).plot(curve_kwargs=[{}])
