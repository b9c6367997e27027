"""No display sorts floats of 16 bits."""

import pytest

from half_precision import half_scores, watched
from sklearn_ap import HitCurveDisplay, PrecisionRecallDisplay


def test_no_floats_of_16_bits_are_sorted():
    pytest.importorskip("matplotlib").use("agg")
    labels, score = half_scores()
    with watched():
        PrecisionRecallDisplay.from_predictions(labels, score, plot_band=True)
        HitCurveDisplay.from_predictions(labels, score)
