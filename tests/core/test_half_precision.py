"""Floats of 16 bits have the numbers of the same floats in 64 bits, and are not sorted."""

from typing import get_args

import numpy as np
import pytest

from half_precision import half_scores, watched
from metrics import CALLED, CURVES, WEIGHED
from sklearn_ap import average_precision_at_k_score
from sklearn_ap._core.typing import TiePolicy


def layouts():
    """Return labels, scores and other arguments of each layout, by name."""
    labels, score = half_scores()
    several, columns = half_scores(columns=(3,))
    weight, query = np.arange(labels.size) % 5 + 0.5, np.arange(labels.size) % 7
    return {
        "one ranking": (labels, score, {}),
        "a short ranking": (labels[:50], score[:50], {}),
        "labels": (labels.astype(np.float16), score, {}),
        "labels of -1 and 1": (2 * labels.astype(np.float16) - 1, score, {}),
        "weights": (labels, score, {"sample_weight": weight.astype(np.float16)}),
        "queries": (labels, score, {"query_id": -query.astype(np.float16)}),
        "columns": (several, columns, {}),
        "samples": (several, columns, {"average": "samples"}),
        "classes": (-(labels + query % 2).astype(np.float16), columns, {}),
    }


def in_64_bits(values):
    is_half = isinstance(values, np.ndarray) and values.dtype == np.float16
    return values.astype(np.float64) if is_half else values


def check(score, labels, half, **arguments):
    """Compare a number of floats of 16 bits with that of the same floats of 64 bits."""
    with watched():
        found = score(labels, half, **arguments)
    arguments = {name: in_64_bits(value) for name, value in arguments.items()}
    expected = score(in_64_bits(labels), in_64_bits(half), **arguments)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("layout", layouts())
@pytest.mark.filterwarnings("ignore:(y_true contains no|No) positive:UserWarning")
def test_scores_sort_no_floats_of_16_bits(layout):
    labels, half, arguments = layouts()[layout]
    for score in WEIGHED if layout == "weights" else CALLED:
        check(score, labels, half, **arguments)


@pytest.mark.parametrize("n_rows", [50, 3_000, 100_000])
def test_each_order_and_each_cut_sorts_no_floats_of_16_bits(n_rows):
    labels, half = half_scores(n=n_rows)
    for ties in get_args(TiePolicy):
        for k in (3, 0.2, None):
            check(average_precision_at_k_score, labels, half, k=k, ties=ties)


@pytest.mark.parametrize("curve", CURVES)
def test_thresholds_have_16_bits_as_scores_have(curve):
    labels, half = half_scores()
    for arguments in ({}, {"sample_weight": np.arange(labels.size) % 3 + 1.0}):
        check(lambda *rows, **kw: curve(*rows, **kw)[1], labels, half, **arguments)
        with watched():
            *_, threshold = curve(labels, half, **arguments)
        finite = threshold[np.isfinite(threshold)]
        np.testing.assert_array_equal(
            np.sort(finite.astype(float)), np.unique(half.astype(float))
        )
        assert curve.__name__ == "hit_curve" or threshold.dtype == np.float16
