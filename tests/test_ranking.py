"""The room that sorts: its steps in blocks of any size, and what steps cannot hold."""

import math
from itertools import pairwise

import numpy as np
import pytest

from rankings import ranked
from sklearn_ap._ranking._blocks import running


@pytest.mark.parametrize("accumulate", [np.add, np.maximum])
@pytest.mark.parametrize(
    "lengths", [[9], [1] * 9, [4, 5], [0, 3, 0, 1, 5, 0], [2, 2, 2, 3]]
)
def test_running_starts_anew_at_each_run(accumulate, lengths):
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    bounds = np.cumsum([0, *lengths])
    expected = [accumulate.accumulate(values[a:b]) for a, b in pairwise(bounds)]
    assert (
        running(accumulate, values.copy(), np.array(lengths)).tolist()
        == np.concatenate(expected).tolist()
    )


def test_sums_of_many_short_rankings_keep_their_digits():
    """A flat cumulative sum less an offset would lose 5e-6 on such weights."""
    rng = np.random.default_rng(4)
    n_rankings, n = 2000, 30
    weight = rng.lognormal(0, 8, n_rankings * n)
    positive, score = rng.random(weight.size) < 0.5, rng.random(weight.size)
    rankings = ranked(positive, score, weight, np.arange(n_rankings + 1) * n)
    for name, values in (("total_weight", weight), ("n_positives", weight * positive)):
        exact = [math.fsum(row) for row in values.reshape(n_rankings, n)]
        np.testing.assert_allclose(getattr(rankings, name), exact, rtol=1e-15)
