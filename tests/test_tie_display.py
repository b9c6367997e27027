"""The tie display draws average precision at every k, and hides nothing of it."""

import inspect

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from drawn import legend
from problems import labels_with_a_positive, scores
from sklearn_ap import average_precision_at_k_score, average_precision_score
from sklearn_ap._displays import _ties
from sklearn_ap._displays._ties import TieDisplay

mpl.use("Agg")
POLICIES = ["pessimistic", "optimistic", "expected", "proportional"]
TWO_THEN_FOUR = ([0, 0, 1, 1, 1, 1], [3, 2, 1, 1, 1, 1])
MIXED = ([1, 0, 1, 0, 1, 0], [3, 3, 2, 2, 1, 1])


def band_limits(band, k):
    """The lowest and highest value of the drawn polygon at each k."""
    vertices = band.get_paths()[0].vertices
    at = [vertices[vertices[:, 0] == one, 1] for one in k]
    return [one.min() for one in at], [one.max() for one in at]


# --- what is drawn ---------------------------------------------------------------------------------------


def test_the_picture():
    display = TieDisplay.from_predictions(*MIXED)
    ax, k = display.ax_, [1, 2, 3, 4, 5, 6]
    assert display.figure_ is ax.figure
    assert ax.get_lines() == [display.expected_line_, display.proportional_line_]
    assert list(ax.collections) == [display.band_]
    assert display.k.tolist() == k
    for line, values in (
        (display.expected_line_, display.expected),
        (display.proportional_line_, display.proportional),
    ):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack((k, values)))
    low, high = band_limits(display.band_, k)
    np.testing.assert_allclose(low, display.pessimistic)
    np.testing.assert_allclose(high, display.optimistic)
    assert ax.get_xlabel() == "Number of rows, k"
    assert ax.get_ylabel() == "Average precision at k (Positive label: 1)"
    assert ax.get_title() == ""
    assert ax.get_xlim() == pytest.approx((0.9, 6.1))
    assert ax.get_ylim() == pytest.approx((-0.05, 1.05))
    assert legend(ax) == [
        "Pessimistic to optimistic order",
        "Expected (mean over orders)",
        "Proportional (one threshold)",
    ]


def test_the_lines_differ_in_print_and_lie_above_the_band():
    display = TieDisplay.from_predictions(*MIXED)
    lines = [display.expected_line_, display.proportional_line_]
    assert [line.get_linestyle() for line in lines] == ["-", "--"]
    assert [line.get_marker() for line in lines] == ["o", "s"]
    assert all(line.get_zorder() > display.band_.get_zorder() for line in lines)


def test_the_vertical_axis_shows_the_values():
    """A band from 0.70 to 0.72 would be a line on an axis from 0 to 1."""
    display = TieDisplay([1, 2], **{ties: [0.7, 0.8] for ties in POLICIES}).plot()
    assert display.ax_.get_ylim() == pytest.approx((0.69, 0.81))
    other = {**{ties: [0.5, 0.5] for ties in POLICIES}, "optimistic": [0.5, 0.9]}
    ax = TieDisplay([1, 2], **other).plot(display.ax_).ax_
    assert ax.get_ylim() == pytest.approx((0.48, 0.92))  # of all displays on the axes
    assert TieDisplay([1], **{ties: [1.0] for ties in POLICIES}).plot().ax_.get_ylim() == (0.99, 1.01)


def test_despine():
    display = TieDisplay.from_predictions(*MIXED, despine=True)
    spines = display.ax_.spines
    assert [spines[side].get_visible() for side in ("top", "right", "bottom", "left")] == [0, 0, 1, 1]
    assert spines["bottom"].get_bounds() == (1, 6)
    assert spines["left"].get_bounds() == (0, 1)
    assert TieDisplay.from_predictions(*MIXED).ax_.spines["top"].get_visible()


def test_many_cuts_have_no_markers_and_whole_ticks():
    display = TieDisplay.from_predictions([0, 1] * 40, [1.0] * 80)
    assert {line.get_marker() for line in display.ax_.get_lines()} == {""}
    ticks = display.ax_.get_xticks()
    np.testing.assert_array_equal(ticks, np.round(ticks))


def test_a_single_cut():
    display = TieDisplay.from_predictions([1, 0], [1, 1], max_k=1)
    assert display.expected.tolist() == [0.5]
    display.figure_.canvas.draw()
    assert display.ax_.get_xlim() == (0.9, 1.1)


def test_styles_can_be_changed():
    display = TieDisplay.from_predictions(
        *MIXED,
        band_kwargs={"facecolor": "yellow", "label": "Band"},
        expected_kwargs={"c": "red", "lw": 3},
        proportional_kwargs={"ls": ":", "label": "Mine"},
    )
    np.testing.assert_array_equal(display.band_.get_facecolor(), [[1, 1, 0, 1]])
    assert (display.expected_line_.get_color(), display.expected_line_.get_linewidth()) == ("red", 3)
    assert display.proportional_line_.get_linestyle() == ":"
    assert legend(display.ax_) == ["Band", "Expected (mean over orders)", "Mine"]


def test_band_style_by_any_alias():
    band = TieDisplay.from_predictions(*MIXED, band_kwargs={"fc": "yellow", "ec": "red", "lw": 3}).band_
    np.testing.assert_array_equal(band.get_facecolor(), [[1, 1, 0, 1]])
    np.testing.assert_array_equal(band.get_edgecolor(), [[1, 0, 0, 1]])
    assert band.get_linewidth() == [3]
    band = TieDisplay.from_predictions(*MIXED, band_kwargs={"color": "yellow"}).band_
    np.testing.assert_array_equal(band.get_facecolor(), [[1, 1, 0, 1]])


def test_draws_on_given_axes_and_never_shows(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *_, **__: pytest.fail("shown"))
    _, (left, right) = plt.subplots(1, 2)
    display = TieDisplay.from_predictions(*MIXED, ax=right)
    assert display.ax_ is right
    assert not left.has_data()
    assert len(plt.get_fignums()) == 1
    assert display.plot() is display
    assert display.ax_ is not right


def test_nothing_is_cut_off_where_several_are_drawn():
    first = TieDisplay.from_predictions([0, 1] * 10, [1] * 20)
    second = TieDisplay.from_predictions(*MIXED, ax=first.ax_)
    assert second.ax_.get_xlim() == pytest.approx((1 - 0.38, 20 + 0.38))


def test_constructor_takes_lists():
    values = {ties: [0.5, 0.25] for ties in POLICIES}
    display = TieDisplay([1, 2], **values).plot()
    assert display.expected_line_.get_ydata().tolist() == [0.5, 0.25]
    assert display.ax_.get_ylabel() == "Average precision at k"


@pytest.mark.parametrize("normalizer", ["n_positives", "k", "hits"])
def test_the_axis_names_another_normalizer(normalizer):
    display = TieDisplay.from_predictions(*MIXED, normalizer=normalizer)
    assert display.ax_.get_ylabel() == f"AP at k, normalizer {normalizer!r} (Positive label: 1)"


# --- the numbers are the library's -----------------------------------------------------------------------


def test_the_axis_never_names_one_normalizer_of_several():
    labels, scores = [0, 1, 1, 0], [1, 1, 1, 1]
    ax = TieDisplay.from_predictions(labels, scores, normalizer="min").ax_
    TieDisplay.from_predictions(labels, scores, normalizer="min", ax=ax)
    assert ax.get_ylabel() == "Average precision at k (Positive label: 1)"
    for normalizer in ("k", "k", "min", "hits"):
        TieDisplay.from_predictions(labels, scores, normalizer=normalizer, ax=ax)
        assert ax.get_ylabel() == "AP at k, several normalizers (Positive label: 1)"


@settings(max_examples=25)
@given(st.data())
def test_values_are_those_of_the_library(data):
    size = data.draw(st.integers(1, 12))
    y_true = data.draw(labels_with_a_positive(size))
    y_score = data.draw(scores(size))
    max_k = data.draw(st.integers(1, 15))
    normalizer = data.draw(st.sampled_from(["min", "n_positives", "k", "hits"]))
    display = TieDisplay.from_predictions(y_true, y_score, max_k=max_k, normalizer=normalizer, pos_label=True)
    assert display.k.tolist() == list(range(1, max_k + 1))
    for ties in POLICIES:
        expected = [
            average_precision_at_k_score(y_true, y_score, k=k, ties=ties, normalizer=normalizer)
            for k in range(1, max_k + 1)
        ]
        np.testing.assert_allclose(getattr(display, ties), expected, rtol=0, atol=1e-12)
    plt.close(display.figure_)


def test_the_proportional_line_may_leave_the_band():
    display = TieDisplay.from_predictions(*TWO_THEN_FOUR)
    assert display.proportional[-1] == pytest.approx(2 / 3)
    assert display.proportional[-1] == pytest.approx(average_precision_score(*TWO_THEN_FOUR))
    for ties in ("pessimistic", "expected", "optimistic"):
        assert getattr(display, ties)[-1] == pytest.approx(21 / 40)
    assert display.proportional_line_.get_ydata()[-1] > band_limits(display.band_, [6])[1][0]
    assert legend(display.ax_)[0] == "Pessimistic and optimistic order agree"  # no height, no band to see


def test_without_ties_all_are_one():
    display = TieDisplay.from_predictions([1, 0, 1, 1], [4, 3, 2, 1])
    for ties in POLICIES:
        np.testing.assert_allclose(getattr(display, ties), display.expected)
    assert legend(display.ax_)[0] == "Pessimistic and optimistic order agree"


@pytest.mark.parametrize(("size", "cuts"), [(10, 10), (50, 50), (51, 50)])
def test_default_of_max_k(size, cuts):
    display = TieDisplay.from_predictions([1] * size, np.arange(size))
    assert display.k.tolist() == list(range(1, cuts + 1))


@pytest.mark.parametrize(
    ("share", "cuts"), [(0.05, 4), (0.15, 10), (0.001, 1), (1.0, 70), (np.float64(0.5), 35)]
)
def test_a_share_of_the_rows_for_max_k(share, cuts):
    """Rounded as `k` of the scores is: 3.5 rows to 4, 10.5 rows to 10, and at least one row."""
    y_score = np.arange(70) // 3
    display = TieDisplay.from_predictions(y_score % 2, y_score, max_k=share)
    expected = TieDisplay.from_predictions(y_score % 2, y_score, max_k=cuts)
    assert display.k.tolist() == list(range(1, cuts + 1))
    for ties in POLICIES:
        np.testing.assert_array_equal(getattr(display, ties), getattr(expected, ties))
    last = average_precision_at_k_score(y_score % 2, y_score, k=share)
    assert display.proportional_line_.get_ydata()[-1] == pytest.approx(last, abs=1e-12)


def test_only_rows_within_reach_are_ranked_for_each_k(monkeypatch):
    """A long ranking costs little more than one sort."""
    sizes = []

    def counted(y_true, y_score, **arguments):
        sizes.append(len(y_score))
        return average_precision_at_k_score(y_true, y_score, **arguments)

    monkeypatch.setattr(_ties, "average_precision_at_k_score", counted)
    y_score = np.random.default_rng(0).permutation(10_000) // 4
    TieDisplay.from_predictions(y_score % 3 == 0, y_score, max_k=10)
    assert sizes == [12] * 40  # three groups of four


def test_string_labels_and_several_classes_with_pos_label():
    names = np.array(["no", "yes", "perhaps"])[[1, 0, 1, 2, 1, 0]]
    display = TieDisplay.from_predictions(names, MIXED[1], pos_label="yes")
    np.testing.assert_array_equal(display.expected, TieDisplay.from_predictions(*MIXED).expected)
    assert display.ax_.get_ylabel().endswith("(Positive label: yes)")


def test_input_is_not_changed():
    y_true, y_score = np.array(MIXED[0]), np.array(MIXED[1], dtype=float)
    y_true.flags.writeable = y_score.flags.writeable = False
    TieDisplay.from_predictions(y_true, y_score)


# --- estimators ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pos_label", [None, 0, 1])
def test_from_estimator_draws_its_scores(data, pos_label):
    X, y = data
    model = KNeighborsClassifier(5).fit(X, y)
    display = TieDisplay.from_estimator(model, X, y, pos_label=pos_label, max_k=0.5, normalizer="k")
    positive = 1 if pos_label is None else pos_label
    scores = model.predict_proba(X)[:, positive]
    expected = TieDisplay.from_predictions(y == positive, scores, max_k=100, normalizer="k")
    assert display.k.tolist() == list(range(1, 101))
    for ties in POLICIES:
        np.testing.assert_array_equal(getattr(display, ties), getattr(expected, ties))
    assert (display.pessimistic < display.optimistic).any()  # there are ties to show
    assert display.ax_.get_ylabel() == f"AP at k, normalizer 'k' (Positive label: {positive})"


def test_from_estimator_checks_its_options_before_it_predicts(data):
    for wrong in ({"max_k": 0}, {"normalizer": "max"}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be "):
            TieDisplay.from_estimator(None, *data, **wrong)


# --- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_k", [0, -1, 0.0, 5.0, np.nan, True, "5"])
def test_wrong_max_k(max_k):
    with pytest.raises(ValueError, match=r"^max_k must be None, an integer >= 1 \(rows, .* got "):
        TieDisplay.from_predictions(*MIXED, max_k=max_k)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("k", "changed", "message"),
    [
        ([1, 2], {"expected": [0.5]}, "expected must be a 1-D array"),
        ([1, 2], {"pessimistic": None}, "pessimistic must be a 1-D array"),
        ([], {ties: [] for ties in POLICIES}, "k must be a 1-D array, not empty"),
        (2, {}, "k must be a 1-D array"),
    ],
)
def test_arrays_of_other_sizes_leave_no_figure(k, changed, message):
    with pytest.raises(ValueError, match=message):
        TieDisplay(k, **{**{ties: [0.5, 0.25] for ties in POLICIES}, **changed}).plot()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("argument", ["band_kwargs", "expected_kwargs", "proportional_kwargs"])
def test_a_wrong_style_leaves_no_figure(argument):
    style = {"lw": 1, "linewidth": 2}
    with pytest.raises(TypeError, match="aliases"):
        TieDisplay.from_predictions(*MIXED, **{argument: style})
    assert plt.get_fignums() == []


def test_wrong_input_is_told_as_by_the_curves():
    with pytest.raises(ValueError, match=r"^normalizer must be one of 'min', .*; got 'max'"):
        TieDisplay.from_predictions(*MIXED, normalizer="max")
    for y_true, y_score, text in [
        (["a", "b"], [1, 2], r"y_true takes value in \{'a', 'b'\} and pos_label is not specified"),
        ([0, 1, 2], [1, 2, 3], "multiclass format is not supported"),
        ([[0, 1], [1, 0]], [[1, 2], [3, 4]], "multilabel-indicator format is not supported"),
        ([0, 1], [1], "inconsistent numbers of samples"),
        ([], [], "y_true is empty"),
    ]:
        with pytest.raises(ValueError, match=text):
            TieDisplay.from_predictions(y_true, y_score)


def test_without_positives_it_warns_once_and_draws_zeros():
    with pytest.warns(UserWarning, match="No positive class found in y_true") as caught:
        display = TieDisplay.from_predictions([0, 0, 0], [1, 1, 2])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    for ties in POLICIES:
        assert getattr(display, ties).tolist() == [0, 0, 0]


def test_weights_are_no_argument():
    assert "sample_weight" not in inspect.signature(TieDisplay.from_predictions).parameters


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_error_says_how_to_install_it():
    display = TieDisplay([1], **{ties: [1.0] for ties in POLICIES})
    estimator = KNeighborsClassifier(2).fit([[0], [1]], [0, 1])
    for call in (
        display.plot,
        lambda: TieDisplay.from_predictions(*MIXED),
        lambda: TieDisplay.from_estimator(estimator, [[0], [1]], [0, 1]),
    ):
        with pytest.raises(ImportError, match=r"need matplotlib: pip install matplotlib"):
            call()
