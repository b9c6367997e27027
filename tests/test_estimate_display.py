"""The forest picture draws the numbers of estimates and comparisons, and keeps its
texts apart.
"""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

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
MODELS = {
    name: RNG.normal(size=300) + shift * Y_TRUE
    for name, shift in [("A", 1.0), ("B", 2.0), ("C", 1.5)]
}
WEIGHT = RNG.lognormal(size=300)


def point_of(line):
    (x,), (y,) = line.get_data()
    return float(x), y


# --- the numbers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [{}, {"sample_weight": WEIGHT}, {"pos_label": 0}],
    ids=["", "weighted", "0"],
)
def test_points_and_intervals_are_those_of_the_estimates(params):
    display = ScoreEstimateDisplay.from_predictions(
        Y_TRUE.astype(int), MODELS, **params
    )
    assert list(display.rows_) == ["A", "B", "C"]
    for place, (name, score) in enumerate(MODELS.items()):
        estimate = estimate_score(
            average_precision_score, Y_TRUE.astype(int), score, **params
        )
        low, high = estimate.confidence_interval()
        point, interval, text = display.rows_[name]
        assert point_of(point) == (estimate.score, place)
        np.testing.assert_array_equal(
            interval.get_data(), [[low, high], [place, place]]
        )
        assert text.get_text() == f"{estimate.score:.3f}  ({low:.3f} to {high:.3f})"
    assert display.ax_.get_ylim() == pytest.approx(
        (2.6, -0.6)
    )  # as given, the first one at the top
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        "A",
        "B",
        "C",
    ]
    positive = (
        " (Positive label: 0)" if "pos_label" in params else ""
    )  # 1 is what everyone expects
    assert (
        display.ax_.get_xlabel() == f"Average precision{positive}\nwith 95 % intervals"
    )
    assert display.difference_ax_ is display.difference_rows_ is None
    assert display.figure_ is display.ax_.figure


def test_a_difference_is_that_of_the_comparison():
    models = {name: MODELS[name] for name in "AB"}
    display = ScoreEstimateDisplay.from_predictions(Y_TRUE, models, reference="B")
    compared = compare_scores(average_precision_score, Y_TRUE, MODELS["A"], MODELS["B"])
    ((name, (point, interval, text)),) = display.difference_rows_.items()
    assert (name, point_of(point)) == ("A", (pytest.approx(compared.difference), 0))
    assert tuple(interval.get_xdata()) == pytest.approx(
        tuple(compared.confidence_interval())
    )
    shown = f"p = {compared.pvalue:.3f}" if compared.pvalue >= 0.001 else "p < 0.001"
    assert text.get_text() == f"{compared.difference:+.3f}  ({shown})"
    assert (
        display.difference_ax_.get_xlabel() == "Difference in average precision\nto B"
    )


@pytest.mark.parametrize("reference", ["B", None])
def test_differences_hold_together(reference):
    compared = compare_many(
        average_precision_score, Y_TRUE, MODELS, reference=reference, random_state=0
    )
    estimates = {
        name: estimate_score(average_precision_score, Y_TRUE, MODELS[name])
        for name in "ABC"
    }
    display = ScoreEstimateDisplay(estimates, differences=compared).plot()
    low, high = compared.confidence_interval()
    rows = display.difference_rows_
    assert list(rows) == (["A", "C"] if reference else ["A - B", "A - C", "B - C"])
    for place, (point, interval, text) in enumerate(rows.values()):
        assert point_of(point) == (compared.difference[place], place)
        assert tuple(interval.get_xdata()) == (low[place], high[place])
        assert text.get_text().startswith(f"{compared.difference[place]:+.3f}  (p ")
    assert display.difference_ax_.get_xlabel().endswith(
        "to B, adjusted" if reference else "pair, adjusted"
    )
    (zero,) = (
        line
        for line in display.difference_ax_.get_lines()
        if list(line.get_xdata()) == [0, 0]
    )
    assert zero.get_zorder() < point.get_zorder()


def test_other_levels_methods_and_units():
    clusters = np.arange(300) // 3
    options = {
        "method": "percentile",
        "unit_id": clusters,
        "n_resamples": 400,
        "random_state": 3,
    }
    display = ScoreEstimateDisplay.from_predictions(
        Y_TRUE, MODELS, reference="A", confidence_level=0.9, **options
    )
    estimate = estimate_score(average_precision_score, Y_TRUE, MODELS["B"], **options)
    assert tuple(display.rows_["B"].interval.get_xdata()) == tuple(
        estimate.confidence_interval(0.9)
    )
    found = compare_many(
        average_precision_score, Y_TRUE, MODELS, reference="A", **options
    )
    ends = np.array(found.confidence_interval(0.9))[:, 0]
    assert tuple(display.difference_rows_["B"].interval.get_xdata()) == tuple(ends)
    assert display.ax_.get_xlabel().endswith("with 90 % intervals")


def test_other_scores():
    display = ScoreEstimateDisplay.from_predictions(
        Y_TRUE, MODELS, score_func=recall_at_k_score, k=30, random_state=0
    )
    assert display.ax_.get_xlabel().startswith("Recall@30\n")
    assert point_of(display.rows_["A"].point)[0] == recall_at_k_score(
        Y_TRUE, MODELS["A"], k=30
    )
    query = np.arange(300) // 30
    display = ScoreEstimateDisplay.from_predictions(Y_TRUE, MODELS, query_id=query)
    expected = estimate_score(
        average_precision_score, Y_TRUE, MODELS["A"], query_id=query
    )
    assert tuple(display.rows_["A"].interval.get_xdata()) == tuple(
        expected.confidence_interval()
    )
    assert display.chance_line_ is None


def test_chance_is_a_line_that_is_visible():
    expected = chance_level(Y_TRUE).mean / 9
    display = ScoreEstimateDisplay.from_predictions(Y_TRUE, MODELS, chance=expected)
    assert list(display.chance_line_.get_xdata()) == [expected, expected]
    (text,) = (
        text for text in display.ax_.texts if text.get_text().startswith("chance")
    )
    assert text.get_text() == f"chance {expected:.3g}"
    assert display.ax_.get_xlim()[0] < expected


# --- no interval ----------------------------------------------------------------------


def test_without_an_interval_the_point_stands_alone_and_the_text_says_so():
    labels = [1] * 12 + [0] * 12
    with pytest.warns(
        UserWarning,
        match="The confidence interval is NaN, because the score is exactly 1",
    ):
        display = ScoreEstimateDisplay.from_predictions(
            labels,
            {"perfect": range(24, 0, -1), "other": [5, 1, 2] * 8},
            method="percentile",
        )
    point, interval, text = display.rows_["perfect"]
    assert interval is None is not display.rows_["other"].interval
    assert point_of(point) == (1.0, 0)
    assert text.get_text() == "1.000  (no interval)"


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"reference": "D"},
            r"^reference must be None or one of \['A', 'B', 'C'\]; got 'D'",
        ),
        (
            {"chance": True},
            r"^chance must be None or a number, as in chance=0.2; got True",
        ),
        (
            {"confidence_level": 95},
            r"^confidence_level must be above 0 and below 1, such as 0.95; got 95",
        ),
        ({"method": "jackknife"}, r"^method must be one of .*; got 'jackknife'"),
        (
            {"method": "percentile", "n_resamples": 100},
            r"^n_resamples must be at least 400",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ScoreEstimateDisplay.from_predictions(Y_TRUE, MODELS, **options)
    assert plt.get_fignums() == []
