"""Rows of displays, one call per line, with what is drawn or kept."""

import numpy as np
import pandas as pd
import pytest

import sklearn_ap

NAMES = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {"np": np, "pd": pd, "PR": sklearn_ap.PrecisionRecallDisplay}
VALUES = [
    # From 0.0995 on, two decimals are two significant digits.
    ("PR([0.1, 1], [1, 0], average_precision=0.0997).plot().line_.get_label()", "AP = 0.10"),
    # A missing name is no name of a class.
    ("PR.from_predictions(pd.DataFrame(np.eye(2, dtype=int), columns=['a', np.nan]), np.eye(2)).classes", [0, 1]),
    # The best precision at recall 0 is that of the first step.
    ("PR.from_predictions([0, 1], [2, 1], area='interpolated').line_.get_ydata().tolist()", [0.5] * 3),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), VALUES)
def test_a_call_returns_its_value(call, expected):
    assert eval(call, NAMES) == expected
