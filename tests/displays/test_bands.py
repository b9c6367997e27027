"""Bands are drawn as their curves, named in legends, and warn of few positives."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from drawn import legend_of
from sklearn_ap import PrecisionRecallDisplay

RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(300) < 0.2
# Some scores are equal.
Y_SCORE = (RNG.normal(size=300) + 1.5 * Y_TRUE).round(1)
from_predictions = PrecisionRecallDisplay.from_predictions
BAND = {"plot_band": True}


def test_band_is_drawn_as_its_curve():
    """The band is drawn in steps: its value at a level holds for the recalls below it, as
    that of each point of the curve.
    """
    display = from_predictions(Y_TRUE, Y_SCORE, name="Model", **BAND)
    recall, low, high = np.flip(display.band[:3], axis=1)
    expected = plt.subplots()[1].fill_between(recall, low, high, step="post")
    drawn, steps = (each.get_paths()[0].vertices for each in (display.band_, expected))
    np.testing.assert_array_equal(drawn, steps)
    # Another band or the grid is visible through the band.
    assert 0 < display.band_.get_alpha() < 0.5


def test_the_legend_names_a_band():
    display = from_predictions(Y_TRUE, Y_SCORE, plot_band=True, confidence_level=0.9)
    from_predictions(Y_TRUE, -Y_SCORE, ax=display.ax_, **BAND)
    again = display.plot(ax=display.ax_, plot_band=True)
    names = [f"{level} % band, pointwise" for level in (90, 95)]
    assert legend_of(again)[1::2] == names


def test_the_band_of_few_positives_is_wide_and_warns():
    with pytest.warns(UserWarning, match=r"few positives \(2\) to") as caught:
        display = from_predictions([1, 0, 1] + [0] * 9, -np.arange(12), **BAND)
    assert [one.filename for one in caught] == [__file__]
    _, low, high, _ = display.band
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    assert low.min() < high.min()
