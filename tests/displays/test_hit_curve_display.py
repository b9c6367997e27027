"""Hit curves: the points that are drawn are the numbers of the public functions."""

import matplotlib.pyplot as plt
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from brief import examples
from oracles import scores as oracle
from problems import infinite_scores, labels_with_a_positive, scores
from sklearn_ap import HitCurveDisplay

from_predictions = HitCurveDisplay.from_predictions


# --- the numbers are the library's ----------------------------------------------------


@examples(15, 25)
@given(st.data())
@infinite_scores
def test_lines_are_the_numbers_at_every_row(data):
    """The perfect line ranks all positives first. The random line finds the same share
    of the positives as of the rows.
    """
    size = data.draw(st.integers(1, 12))
    y_true, y_score = data.draw(labels_with_a_positive(size)), data.draw(scores(size))
    ranking = oracle.ranking(y_true, y_score)
    display = from_predictions(y_true, y_score, pos_label=True, plot_chance_level=True)
    plt.close(display.figure_)
    k = np.arange(1, size + 1)
    x = k / size
    best = oracle.ranking(y_true, y_true)
    for line, ranked in ((display.line_, ranking), (display.perfect_line_, best)):
        expected = [
            float(oracle.recall_at_k(ranked, int(each), "proportional")) for each in k
        ]
        drawn = np.interp(x, *line.get_data())
        np.testing.assert_allclose(drawn, expected, rtol=1e-9, atol=1e-12)
    drawn = np.interp(x, *display.chance_level_.get_data())
    np.testing.assert_allclose(drawn, x, rtol=1e-9, atol=1e-12)
    assert display.ax_.get_xlim()[1] == 1.01
