"""The precision-recall display: its artists, data, labels and errors, and the equality of
the area that is drawn and the value in the legend.
"""

import inspect
from functools import partial

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import precision_recall_curve

import sklearn_ap
from drawn import area_under, each_area, legend_of
from scoring import VERSION
from sklearn_ap import HitCurveDisplay, PrecisionRecallDisplay

Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
Y_SCORE = np.arange(10, 0, -1)
from_predictions = PrecisionRecallDisplay.from_predictions


# --- the protocol ---------------------------------------------------------------------


@pytest.mark.parametrize("display", [PrecisionRecallDisplay, HitCurveDisplay])
def test_a_second_display_goes_on_with_colours_and_the_legend(display):
    draw = partial(display.from_predictions, Y_TRUE, Y_SCORE, plot_chance_level=True)
    first = draw(name="a")
    second = draw(name="b", ax=first.ax_)
    assert first.line_.get_color() != second.line_.get_color()
    entries = legend_of(second)
    assert len({*entries}) == len(entries) > 2


@each_area
def test_no_positive_warns_at_the_call(area):
    with pytest.warns(UserWarning, match="No positive class found in y_true") as caught:
        display = from_predictions([0, 0], [1, 2], area=area, plot_chance_level=True)
    assert [warning.filename for warning in caught] == [__file__]
    assert display.average_precision == 0
    assert area_under(display.line_) == 0


# --- errors ---------------------------------------------------------------------------

CURVE = (np.array([0.5, 1.0, 1.0]), np.array([1.0, 0.5, 0.0]))


def test_share_retrieved_completes_scikit_learns_curve():
    y_true, y_score = [0, 1, 1, 0, 1], [5, 4, 4, 3, 2]
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    share_retrieved = sklearn_ap.hit_curve(y_true, y_score)[0][::-1]
    display = PrecisionRecallDisplay(
        precision, recall, area="davis-goadrich", share_retrieved=share_retrieved
    ).plot()
    drawn = from_predictions(y_true, y_score, area="davis-goadrich")
    np.testing.assert_allclose(
        display.line_.get_xydata(), drawn.line_.get_xydata(), atol=1e-14
    )
    np.testing.assert_array_equal(drawn.share_retrieved, share_retrieved)


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib(data):
    for call in (
        lambda: from_predictions(Y_TRUE, Y_SCORE),
        lambda: PrecisionRecallDisplay.from_estimator(None, *data),
        lambda: HitCurveDisplay.from_estimator(None, *data),
        PrecisionRecallDisplay(*CURVE).plot,
    ):
        with pytest.raises(ImportError, match=r"matplotlib: pip install matplotlib"):
            call()


# --- next to scikit-learn's -----------------------------------------------------------


OF_DISPLAYS = (
    "__init__",
    "plot",
    "from_predictions",
    "from_estimator",
    "from_cv_results",
)


@pytest.mark.parametrize(
    # Before scikit-learn 1.9, its display has no `from_cv_results`.
    "method",
    [name for name in OF_DISPLAYS if hasattr(metrics.PrecisionRecallDisplay, name)],
)
def test_arguments_are_scikit_learns(method):
    ours = inspect.signature(getattr(PrecisionRecallDisplay, method)).parameters
    theirs = getattr(metrics.PrecisionRecallDisplay, method)
    theirs = inspect.signature(theirs).parameters
    # Ours takes them, too, but by a decorator.
    assert set(theirs) - set(ours) <= {"kwargs"}
    # Before scikit-learn 1.9, the arguments had another order.
    if hasattr(metrics.PrecisionRecallDisplay, "from_cv_results"):
        assert [name for name in theirs if name in ours] == [
            name for name in ours if name in theirs
        ]
    differing = {"self", "y_score"}
    if VERSION < (1, 8):
        differing |= {"estimator_name", "y_pred"}
    for name in set(theirs) & set(ours) - differing:
        assert (ours[name].default, ours[name].kind) == (
            theirs[name].default,
            theirs[name].kind,
        ), name


@each_area
@pytest.mark.parametrize(
    "y_true",
    [[0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0]],
    ids=["", "none"],
)
@pytest.mark.filterwarnings("ignore:No positive class found")
def test_dropped_points_are_scikit_learns_and_lie_on_the_line(area, y_true):
    rows = {
        "y_true": y_true,
        "y_score": -np.arange(len(y_true)),
        "sample_weight": np.arange(len(y_true)) + 1,
    }
    full, short = (
        from_predictions(**rows, area=area, drop_intermediate=drop)
        for drop in (False, True)
    )
    theirs = precision_recall_curve(**rows, drop_intermediate=True)
    np.testing.assert_allclose((short.precision, short.recall), theirs[:2], rtol=1e-14)
    assert len(short.line_.get_xdata()) < len(full.line_.get_xdata())
    assert short.line_.get_label() == full.line_.get_label()
    assert area_under(short.line_) == pytest.approx(area_under(full.line_), rel=1e-12)
