"""Levels are compared to the last bit, and areas keep their digits where plain formulas
would lose them.
"""

from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from brief import every_third
from oracles import scores as oracle
from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
    precision_at_recall_score,
    recall_at_precision_score,
)


def best_first(labels):
    return labels, list(range(len(labels), 0, -1))


# --- levels that weights meet or miss by a rounding -----------------------------------


def eleven_points(first: float, rest: float, reached: int) -> Any:
    """Return a case with a negative of weight 1e15 between two positives, of which the
    first one reaches levels.
    """
    low = (first + rest) / (first + rest + 1e15)
    value = (reached + (11 - reached) * low) / 11
    weight = [first, 1e15, rest]
    return eleven_point_average_precision_score, "101", weight, {}, value


def three_levels(epsilons: float, value: float) -> Any:
    """Return a case in which the first positive is below a recall of 1/2 by this number
    of epsilons per row.
    """
    first = 0.5 * (1 - epsilons * 3 * np.finfo(np.float64).eps)
    weight, levels = [first, 0.3, 1 - first], {"recall_levels": 3}
    return interpolated_average_precision_score, "101", weight, levels, value


PRECISION, RECALL = precision_at_recall_score, recall_at_precision_score
# The score, labels from best to worst, weights, options, and the value.
MET = {
    # (0.1 + 0.2) / 1.0 is 3/10, although both sums are rounded.
    "decimal weights": (
        *(eleven_point_average_precision_score, "11010", [0.1, 0.2, 0.4, 0.7, 5.0]),
        *({}, (4 * 1 + 7 * 1.0 / 1.4) / 11),
    ),
    "whole weights": eleven_points(3, 7, reached=4),
    "whole weights, missed": eleven_points(24e14 - 1, 56e14 + 1, reached=3),
    "sums beyond 2**53": eleven_points(24e15 - 4, 56e15 + 4, reached=4),
    "3.5 epsilons per row": three_levels(3.5, (1 + 1 + 1 / 1.3) / 3),
    "4.5 epsilons per row": three_levels(4.5, (1 + 1 / 1.3 + 1 / 1.3) / 3),
    # Weights that are added up in another order may differ by one bit.
    "a total above by a bit": (
        *(interpolated_average_precision_score, "111", [0.1, 0.8, 1.0]),
        *({"recall_levels": [0, 0.5, 1], "n_positives": 1.9000000000000004}, 1),
    ),
    # 255 / 1001 * 1001 is below 255 in float64.
    "many levels": (
        *(interpolated_average_precision_score, "101", [255, 1, 746]),
        *({"recall_levels": 1002}, (256 + 746 * 1001 / 1002) / 1002),
    ),
    "equal weights": (
        PRECISION,
        "110111",
        [0.6] * 2 + [3] + [0.6] * 3,
        {"recall": 0.4},
        1,
    ),
    "a prevalence": (RECALL, "11001", None, {"precision": 0.7, "prevalence": 0.7}, 1),
    "weights at a prevalence": (
        *(RECALL, "11001", [9, 1, 1, 1, 2]),
        *({"precision": 0.7, "prevalence": 0.7}, 1),
    ),
    # A light row is not a rounding error.
    "a light positive": (
        PRECISION,
        "1101",
        [1e12, 1e-3, 1e12, 1e-3],
        {"recall": 1},
        0.5,
    ),
    "precision": (RECALL, "011", [2, 1, 2], {"precision": 0.6}, 1),
    "beyond 2**53": (RECALL, "011", [4e16, 2e16, 4e16 - 64], {"precision": 0.6}, 1),
    "an ulp above": (RECALL, "011", [2, 1, 2], {"precision": np.nextafter(0.6, 1)}, 0),
    # Negatives with decimal weights round no recall.
    "whole positives": (
        *(PRECISION, "10101", [1, 0.3, 1, 0.7, 1]),
        *({"recall": np.nextafter(1 / 3, 1)}, 2 / 2.3),
    ),
    "rounded recall": (
        *(PRECISION, "1101", [0.1, 0.2, 0.3, 0.6]),
        *({"recall": np.nextafter(0.3 / 0.9, 1) + 2e-16}, 1),
    ),
    "a group lighter than the rounding of the rows above": (
        *(pr_auc_score, "0101", [1, 1e-20, 2, 2e-20]),
        *({"interpolation": "davis-goadrich"}, 0),
    ),
    "rounded precision": (
        *(RECALL, "1101", [0.1, 0.2, 0.3, 0.6]),
        *({"precision": np.nextafter(0.9 / 1.2, 1) + 2e-16}, 1),
    ),
}


@pytest.mark.parametrize(
    ("score", "labels", "weight", "options", "value"), MET.values(), ids=MET
)
def test_a_level_is_reached_up_to_rounding_only(score, labels, weight, options, value):
    rows = best_first([int(label) for label in labels])
    found = score(*rows, sample_weight=weight, **options)
    assert found == pytest.approx(value, abs=1e-14)


# --- precision of sums ----------------------------------------------------------------


@pytest.mark.parametrize(
    "weights",
    [
        [10**5, 10**9, 1, 1, 1],
        [3, 10**15, 1, 1, 1],
        [0, 10**9, 1, 1, 1],
        [0, 10**5, 50, 70, 200],
    ],
)
def test_davis_goadrich_of_neighbouring_counts(weights):
    """Weights stand for counts. The logarithm of the plain quotient would lose 7e-4
    here.
    """
    rows = [1, 0, 1, 1, 1], [5, 4, 3, 2, 1]
    value = pr_auc_score(*rows, sample_weight=weights, interpolation="davis-goadrich")
    expected = float(oracle.davis_goadrich(oracle.ranking(*rows, weights)))
    assert value == pytest.approx(expected, rel=1e-14, abs=0)


def test_weights_near_the_largest_exact_ones_reach_the_same_of_many_levels():
    """Products of levels and whole weights are exact, also beyond 2**63."""
    rng = np.random.default_rng(0)
    labels, scores, weights = (rng.integers(0, most, 200) for most in (2, 150, 2**33))
    light, heavy = (
        interpolated_average_precision_score(
            labels, scores, sample_weight=one, recall_levels=50_001
        )
        for one in (weights.astype(float), weights * 2.0**11)
    )
    assert light == heavy


@pytest.mark.parametrize("unit", [3, 7, 9])
@pytest.mark.parametrize("n_found", range(1, 9))
def test_a_total_that_is_not_a_whole_count_reaches_its_levels(n_found, unit):
    found = unit * n_found
    rows = [1] * n_found, range(n_found)
    for total in every_third(range(found, 100)):
        score = eleven_point_average_precision_score(
            *rows, sample_weight=[unit] * n_found, n_positives=total
        )
        assert score == (10 * found // total + 1) / 11


def test_rounding_lifts_no_score_above_1():
    weights = {"sample_weight": [0.4, 3.7, 5.0, 5.3, 1.0]}
    assert average_precision_score([1, 1, 1, 1, 0], [4, 3, 2, 2, 0], **weights) == 1


# --- scores that are equal as float64 -------------------------------------------------

# Different numbers, of which float64 rounds some to the same value.
CLOSE = {
    "int64": 2**53 + np.arange(2),
    "large int64": 2**63 - 1 - np.arange(3),
    "lowest int64": -(2**63) + np.arange(3),
    "uint64": np.uint64(2**64 - 1) - np.arange(3, dtype=np.uint64),
    "longdouble": 1 + np.arange(3) * np.finfo(np.longdouble).eps,
}


@pytest.mark.parametrize("kind", CLOSE)
@pytest.mark.parametrize("n_rows", [30, 16_384])
def test_numbers_that_float64_rounds_are_different_scores(n_rows, kind):
    row = np.arange(n_rows)
    score, labels, weight = np.resize(CLOSE[kind], n_rows), row % 3 == 0, 1.0 + row % 5
    _, rank = np.unique(score, return_inverse=True)
    for weights in (None, weight):
        found = average_precision_score(labels, score, sample_weight=weights)
        expected = metrics.average_precision_score(labels, rank, sample_weight=weights)
        assert found == pytest.approx(expected, abs=1e-14)
    if kind == "int64" and n_rows == 16_384:
        assert found == pytest.approx(0.33339098, abs=1e-8)
