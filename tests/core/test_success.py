"""Success at k: equal scores at the cut, counted by hand."""

from math import comb

import numpy as np
import pytest

from sklearn_ap import success_at_k_score


@pytest.mark.parametrize(
    ("size", "r", "k"), [(5, 2, 2), (60, 1, 10), (1000, 3, 400), (100_000, 20, 5000)]
)
def test_the_chance_that_a_cut_keeps_a_positive_of_equal_ones(size, r, k):
    labels = np.arange(size) < r
    none = comb(size - r, k) / comb(size, k)
    assert success_at_k_score(labels, np.zeros(size), k=k) == pytest.approx(
        1 - none, rel=1e-13
    )
    assert success_at_k_score(labels, np.zeros(size), k=None) == pytest.approx(
        1, abs=1e-15
    )
