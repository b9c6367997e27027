"""Rows of states, one call per line, with its number by hand."""

import numpy as np
import pytest

from sklearn_ap.distributed import RankingState

NAMES = {"np": np, "State": RankingState}
NUMBERS = [
    # float64 represents 2**53, and all integers below.
    ("State().update([1, 0], [2**53, 1]).update([0, 1], [0.5, 0.25]).score()", (1 + 2 / 4) / 2),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected):
    assert eval(call, NAMES) == pytest.approx(expected)
