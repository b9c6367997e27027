"""Bands are percentiles of curves that are drawn again, from rows that are drawn
again.
"""

from itertools import pairwise
from types import SimpleNamespace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import beta

from drawn import legend_of
from sklearn_ap import AveragePrecisionDisplay
from sklearn_ap._displays._rows import Resampling, precision_at
from sklearn_ap._ranking._cells import cells_of
from sklearn_ap._reading._read import read
from sklearn_ap._typing import Input

mpl.use("Agg")
RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(300) < 0.2
Y_SCORE = (RNG.normal(size=300) + 1.5 * Y_TRUE).round(1)  # with ties
WEIGHT = RNG.lognormal(size=300)
from_predictions = AveragePrecisionDisplay.from_predictions
LEVELS = np.linspace(0, 1, 101)
# the fewest samples that 95 % takes
BAND = {
    "plot_band": True,
    "n_resamples": 400,
    "random_state": 0,
}


def band_of(display):
    return SimpleNamespace(
        **dict(zip(["x", "low", "high", "label"], display.band, strict=True))
    )


# --- the curve of one bootstrap sample is the curve of its rows -----------------------


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_precision_of_a_resample_is_that_of_the_drawn_curve(weight):
    counts = np.random.default_rng(1).multinomial(300, np.full(300, 1 / 300))
    # Levels that no threshold has: there the curve is vertical.
    recall = np.linspace(0.0137, 0.9871, 60)
    cells = cells_of(Y_TRUE, Y_SCORE).sums(counts * (1.0 if weight is None else weight))
    rows = np.repeat(np.arange(300), counts)  # each row as often as it was drawn
    drawn = {"sample_weight": None if weight is None else weight[rows]}
    line = from_predictions(Y_TRUE[rows], Y_SCORE[rows], **drawn).line_.get_xydata()[
        ::-1
    ]
    expected = [line[np.flatnonzero(line[:, 0] >= level)[0], 1] for level in recall]
    np.testing.assert_allclose(precision_at(recall, cells), expected, atol=1e-12)


# --- the band -------------------------------------------------------------------------


def naive_band(curve_at, places, n_resamples):
    rng = np.random.default_rng(7)
    curves = []
    for _ in range(n_resamples):
        rows = rng.integers(300, size=300)
        curves.append([curve_at(rows, place) for place in places])
    return np.quantile(curves, [0.025, 0.975], axis=0)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_band_of_precision_is_that_of_a_naive_bootstrap(weight):
    display = from_predictions(
        Y_TRUE,
        Y_SCORE,
        sample_weight=weight,
        plot_band=True,
        n_resamples=1999,
        random_state=0,
    )
    recall, low, high, _ = display.band
    np.testing.assert_allclose(recall, LEVELS)
    places = [20, 50, 80]
    expected = naive_band(
        lambda rows, place: step_precision(rows, recall[place], weight),
        places,
        n_resamples=1000,
    )
    at_all = [step_precision(np.arange(300), recall[place], weight) for place in places]
    ends = [
        clopper_pearson(*one, weight)
        for one in zip(recall[places], at_all, strict=True)
    ]
    np.testing.assert_allclose(
        low[places], np.minimum(expected[0], np.array(ends)[:, 0]), atol=0.03
    )
    np.testing.assert_allclose(
        high[places], np.maximum(expected[1], np.array(ends)[:, 1]), atol=0.03
    )


def clopper_pearson(recall, precision, weight):
    """Ends of a share of rows, which count by the mean weight of their class."""
    weight = np.ones(300) if weight is None else weight
    of_positives, tail = weight[Y_TRUE], 0.025
    tp = recall * of_positives.sum() ** 2 / (of_positives**2).sum()
    odds = weight[~Y_TRUE].mean() / of_positives.mean()
    fp = tp * (1 / precision - 1) / odds
    share = np.array(
        [beta(tp, fp + 1).ppf(tail), beta(tp + 1, fp).ppf(1 - tail) if fp else 1]
    )
    return share / (share + odds * (1 - share))


def step_precision(rows, recall, weight=None):
    """Precision at the first threshold of this recall, by sorting."""
    order = rows[np.argsort(-Y_SCORE[rows], kind="stable")]
    of = np.ones(order.size) if weight is None else weight[order]
    tp, retrieved = np.cumsum(of * Y_TRUE[order]), np.cumsum(of)
    last = np.append(Y_SCORE[order][1:] != Y_SCORE[order][:-1], True)
    tp, retrieved = tp[last], retrieved[last]
    first = np.flatnonzero(tp >= recall * tp[-1] * (1 - 1e-12))[0]
    return tp[first] / retrieved[first]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_units_are_drawn_whole(weight):
    """Rows that stand there twice are as sure as once, if both are a unit."""
    twice = [np.tile(one, 2) for one in (Y_TRUE, Y_SCORE)]
    options = {"plot_band": True, "n_resamples": 600, "random_state": 0}
    alone = band_of(from_predictions(Y_TRUE, Y_SCORE, sample_weight=weight, **options))
    options["sample_weight"] = None if weight is None else np.tile(weight, 2)
    pairs = band_of(from_predictions(*twice, unit_id=[*range(300)] * 2, **options))
    rows = band_of(from_predictions(*twice, **options))
    for place in (0.3, 0.5, 0.8):
        found = [
            np.interp(place, one.x, ends)
            for one in (alone, pairs)
            for ends in (one.low, one.high)
        ]
        assert found[2:] == pytest.approx(
            found[:2], rel=0.09 if weight is None else 0.002
        )
    width, wider = ((one.high - one.low)[20:80].mean() for one in (rows, pairs))
    assert 1.2 < wider / width < 1.6


def test_a_simultaneous_band_leaves_out_few_whole_curves():
    """As a pointwise one leaves out few values; it contains 95 % of the curves that
    were drawn.
    """
    rows = read(Input(Y_TRUE, Y_SCORE), caller="test", as_curve=True)
    bands = {
        simultaneous: Resampling(plot_band, 0.95, 999, 0).precision_band(rows)
        for simultaneous, plot_band in ((False, True), (True, "simultaneous"))
    }
    assert (bands[True][1] <= bands[False][1]).all()
    assert (bands[True][2] >= bands[False][2]).all()
    recall, rng, n_inside = (
        bands[True][0],
        np.random.default_rng(1),
        dict.fromkeys(bands, 0),
    )
    for _ in range(200):
        drawn = rng.integers(Y_TRUE.size, size=Y_TRUE.size)
        cells = cells_of(np.equal(Y_TRUE[drawn], 1), Y_SCORE[drawn])
        curve = precision_at(recall, cells.sums())
        for simultaneous, (_, low, high, _) in bands.items():
            n_inside[simultaneous] += bool(((low <= curve) & (curve <= high)).all())
    assert n_inside[False] < 180 < n_inside[True]
    with pytest.raises(
        ValueError, match=r"^plot_band must be True, False or 'simultaneous'; got 'all'"
    ):
        from_predictions(Y_TRUE, Y_SCORE, plot_band="all")


# --- what is drawn --------------------------------------------------------------------


def ends_at(band, places):
    """The lowest and highest drawn value between two of the levels."""
    vertices = band.get_paths()[0].vertices
    for place in places:
        crossed = [
            one[1] + (place - one[0]) / (other[0] - one[0]) * (other[1] - one[1])
            for one, other in pairwise(vertices)
            if min(one[0], other[0]) < place < max(one[0], other[0])
        ]
        yield min(crossed), max(crossed)


def test_band_is_drawn_as_its_curve():
    """In steps: a level stands for the recalls below it, as each point of the curve
    does.
    """
    one = from_predictions(Y_TRUE, Y_SCORE, name="Model", **BAND)
    band, places = band_of(one), (LEVELS[1:] + LEVELS[:-1]) / 2
    drawn = np.array(list(ends_at(one.band_, places))).T
    for ends, shown in zip((band.low, band.high), drawn, strict=True):
        np.testing.assert_allclose(shown, ends[1:])


@pytest.mark.parametrize(
    ("kind", "name"), [(True, "pointwise"), ("simultaneous", "simultaneous")]
)
def test_legend_names_the_kind_of_a_band(kind, name):
    display = from_predictions(Y_TRUE, Y_SCORE, **{**BAND, "plot_band": kind})
    assert legend_of(display)[1] == f"95 % {name} band"
    assert legend_of(display.plot(plot_band=True))[1] == f"95 % {name} band"


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"confidence_level": 95},
            r"^confidence_level must be above 0 and below 1, such as 0.95; got 95",
        ),
        ({"n_resamples": 100}, r"^n_resamples must be at least 400 .*; got 100"),
        ({"n_resamples": 1.5}, r"^n_resamples must be an integer >= 1; got 1.5"),
        ({"random_state": "seed"}, r"^random_state must be .*; got 'seed'"),
        (
            {"n_positives": 90},
            r"^plot_band=True requires area='step' and all .* and n_positives=90",
        ),
        (
            {"area": "linear"},
            r"^plot_band=True requires area='step' .*; got area='linear'",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        from_predictions(Y_TRUE, Y_SCORE, plot_band=True, **options)
    assert plt.get_fignums() == []


def test_positives_alone():
    band = band_of(from_predictions([1] * 20, range(20), pos_label=1, **BAND))
    assert (band.high == 1).all()
    # others may have negatives
    np.testing.assert_allclose(band.low[50], 0.025 ** (1 / 10))


@pytest.mark.filterwarnings("ignore:The sample has only 2 positives")
def test_two_positives_have_a_band():
    band = band_of(from_predictions([1, 0, 1] + [0] * 9, -np.arange(12), **BAND))
    assert ((band.low >= 0) & (band.low <= band.high) & (band.high <= 1)).all()
    assert band.low.min() < band.high.min()


def test_few_positives_say_little():
    with pytest.warns(UserWarning, match="only 3 positives") as caught:
        from_predictions([1, 1, 1] + [0] * 9, range(12), **BAND)
    assert [one.filename for one in caught] == [__file__]


def test_both_ends_of_a_band_hold_what_no_bootstrap_draws():
    """Where all 12 positives may be above a recall, or none of them, rows of others
    decide.
    """
    y_true, y_score = np.zeros(100, dtype=int), -np.arange(100.0)
    y_true[5:65:5] = 1  # 5 negatives above the best positive
    one = from_predictions(y_true, y_score, **BAND)
    band = band_of(one)
    last, first = band.x**12 >= 0.025, (1 - band.x) ** 12 >= 0.025
    of_all = beta(12, 89).ppf(0.025)
    assert band.low[last] == pytest.approx(np.full(last.sum(), of_all))
    # the first recall that not all of them may be above is .74
    assert band.low[70] > of_all
    assert (band.high[first] == 1).all()
    assert (band.high[~first] < 1).all()
