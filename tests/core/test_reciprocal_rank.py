"""Reciprocal ranks of large tied groups."""

import numpy as np
import pytest

from sklearn_ap import reciprocal_rank_score


@pytest.mark.parametrize("size", [5000, 66_000])
def test_no_probability_underflows(size):
    """Numpy may raise errors if a number underflows or overflows, since the caller can
    ask it to.
    """
    with np.errstate(all="raise"):
        for r in (1, 100, size // 3, size - 40):
            assert 0 < reciprocal_rank_score(np.arange(size) < r, np.zeros(size)) <= 1
