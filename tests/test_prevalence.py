"""Scores at another prevalence: what is refused, and extremes."""

from fractions import Fraction

import numpy as np
import pytest

import oracle
from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
)

SCORES = {
    "step": (average_precision_score, {}),
    "interpolated": (interpolated_average_precision_score, {}),
    "41 levels": (interpolated_average_precision_score, {"recall_levels": 41}),
    "given levels": (
        interpolated_average_precision_score,
        {"recall_levels": [0.0, 0.3, 0.7]},
    ),
    "eleven-point": (eleven_point_average_precision_score, {}),
    "linear": (pr_auc_score, {}),
    "davis-goadrich": (pr_auc_score, {"interpolation": "davis-goadrich"}),
}
each_score = pytest.mark.parametrize("name", SCORES)


def score(name, *given, **options):
    function, own = SCORES[name]
    return function(*given, **own, **options)


# --- what is refused, and extremes ----------------------------------------------------


NO_SHARES = [
    0,
    1,
    0.0,
    1.0,
    -0.1,
    1.5,
    30,
    np.nan,
    np.inf,
    True,
    "0.1",
    [0.1],
    np.array(0.1),
    Fraction(1, 10**400),
]


@each_score
def test_what_is_no_share_is_refused(name):
    for prevalence in NO_SHARES:
        with pytest.raises(
            ValueError, match=r"^prevalence must be None or a share .*; got "
        ):
            score(name, [0, 1], [1, 2], prevalence=prevalence)


@each_score
@pytest.mark.parametrize("prevalence", [5e-324, 1e-300, 1e-16, 1 - 2**-53])
def test_shares_near_0_and_1(name, prevalence):
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
        value = score(name, labels, scores, sample_weight=given, prevalence=prevalence)
        if name == "step":
            assert value == pytest.approx(first, abs=1e-15)
        assert 0.25 < value <= 1.0


def test_weights_too_far_apart_for_a_prevalence_are_refused():
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    with pytest.raises(ValueError, match="prevalence=1e-20 would multiply"):
        average_precision_score(
            *rows, sample_weight=[1e150, 1e-150, 1e149, 1e-150], prevalence=1e-20
        )
