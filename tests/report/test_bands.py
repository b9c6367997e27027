"""Bands of curves are near the percentiles of curves of rows that are drawn again, in
calls of several subpackages; `tests/displays/test_bands.py` has the others.
"""

import matplotlib as mpl
import numpy as np
import pytest

from sklearn_ap import report
from tests.displays.test_bands import Y_SCORE, Y_TRUE

mpl.use("Agg")


@pytest.mark.filterwarnings("error")
def test_a_band_at_a_tiny_prevalence_does_not_overflow():
    """The weights of negatives have squares beyond the range of a float."""
    page = report(Y_TRUE, Y_SCORE, query_id=np.arange(300) % 30, prevalence=1e-300)
    assert "NaN" not in page.html.partition('class="band"')[2].partition(">")[0]
