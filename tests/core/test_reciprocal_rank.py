"""Reciprocal ranks of large tied groups."""

import math

import numpy as np
import pytest

from sklearn_ap import reciprocal_rank_score


def harmonic(first: int, last: int) -> float:
    """Return 1 / first + ... + 1 / last."""
    return math.fsum((1 / np.arange(first, last + 1)).tolist())


def one_group(size: int, r: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with equal scores, of which `r` are positive."""
    return np.arange(size) < r, np.zeros(size)


@pytest.mark.parametrize("r", [1, 3, 1_000_000])
def test_a_million_equal_scores(r):
    """The sum is known for a tied group at the top: r / (s - r + 1) times the sum of 1
    / i for i from r to s.
    """
    size = 1_000_000
    value = reciprocal_rank_score(*one_group(size, r))
    assert value == pytest.approx(
        r / (size - r + 1) * harmonic(r, size), rel=1e-12, abs=0
    )


def test_no_probability_underflows():
    """Numpy may raise errors if a number underflows or overflows, since the caller can
    ask it to.
    """
    with np.errstate(all="raise"):
        for size in (60, 900, 33_000, 66_000, 200_000):
            for r in (1, 2, 20, 45, 60, 61, 100, size // 100 + 1, size // 3, size - 40):
                assert 0 < reciprocal_rank_score(*one_group(size, r)) <= 1
