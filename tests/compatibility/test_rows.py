"""Rows of conventions, one call per line, with its number by hand."""

import numpy as np
import pytest

from sklearn_ap import compatibility

NAMES = {name: getattr(compatibility, name) for name in compatibility.__all__}
NAMES |= {"np": np}
NUMBERS = [
    # A query that the convention leaves out has no number.
    ("score_as('podm 11-point', [1, 0, 0, 0], [2, 1, 2, 1], query_id=[0, 0, 1, 1], average=None)", [1, np.nan]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected):
    assert eval(call, NAMES) == pytest.approx(expected, nan_ok=True)
