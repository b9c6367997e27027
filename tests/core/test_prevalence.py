"""Scores at another prevalence: what is refused, and extremes."""

from inspect import signature

import numpy as np
import pytest

from metrics import CALLED, LEVELS
from oracles import scores as oracle
from sklearn_ap import average_precision_score

AT_A_SHARE = [score for score in CALLED if "prevalence" in signature(score).parameters]


@pytest.mark.parametrize(
    "score", [score for score in AT_A_SHARE if score.__name__ not in LEVELS]
)
@pytest.mark.parametrize("prevalence", [5e-324, 1e-300, 1e-16, 1 - 2**-53])
def test_shares_near_0_and_1(score, prevalence):
    """Only positives above every negative count at first, and nothing but positives at
    last.
    """
    labels, scores = [1, 0, 1, 0], [4, 3, 2, 1]
    high = prevalence > 0.5
    for given in (
        None,
        *(np.array([1.0, 2.0, 1.0, 1.0]) * size for size in (1.0, 1e-150, 1e150)),
    ):
        one = oracle.ranking(labels, scores, given)
        first = (
            1.0 if high else float(oracle.step(oracle.at_prevalence(one, prevalence)))
        )
        value = score(labels, scores, sample_weight=given, prevalence=prevalence)
        if score is average_precision_score:
            assert value == pytest.approx(first, abs=1e-15)
        assert 0.25 < value <= 1.0


def test_weights_too_far_apart_for_a_prevalence_are_refused():
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    with pytest.raises(ValueError, match="prevalence=1e-20 would multiply"):
        average_precision_score(
            *rows, sample_weight=[1e150, 1e-150, 1e149, 1e-150], prevalence=1e-20
        )
