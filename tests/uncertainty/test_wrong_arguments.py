"""Errors about wrong arguments, which name the argument."""

from dataclasses import replace

import numpy as np
import pytest

from oracles.uncertainty import drawn
from sklearn_ap import (
    compare_scores,
    estimate_score,
)
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import define
from sklearn_ap._core.registry import SCORES as SCORE_DEFINITIONS

THIRD = np.arange(60) // 20
LABELS, SCORES = drawn(1, 60, 0.5)


@pytest.mark.parametrize(
    ("limits", "words"),
    [({"highest": np.inf}, "0 to inf"), ({"lowest": -1.0}, "-1 to 1")],
)
@pytest.mark.parametrize("query", [{}, {"query_id": THIRD}])
def test_a_score_whose_endpoints_are_unknown_has_no_interval(
    limits, words, query, monkeypatch
):
    """A mean over queries needs no influence of rows, but its interval would end at 1."""

    def lift_score(y_true, y_score, *, query_id=None, zero_division="warn"):
        raise NotImplementedError

    area = replace(STEP, **limits)
    monkeypatch.setitem(SCORE_DEFINITIONS, lift_score, lambda: define(area))
    text = f"^lift_score has no interval here: .* has values from {words}"
    with pytest.raises(ValueError, match=text):
        estimate_score(lift_score, LABELS, SCORES, **query)
    with pytest.raises(ValueError, match=text):
        compare_scores(lift_score, LABELS, SCORES, -SCORES, **query)
