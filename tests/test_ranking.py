"""The room that sorts: its steps in blocks of any size, and what steps cannot hold."""

import math
from itertools import pairwise

import numpy as np
import pytest

from problems import block_rows
from rankings import ranked, steps_of
from sklearn_ap._ranking._blocks import running
from sklearn_ap._ranking._rankings import Reduction


def rises_of(rankings):
    reduction = Reduction(
        lambda _, best, below: np.array([best - below]), "each", enveloped=True
    )
    return rankings.kernel.reduce(reduction)[0].tolist()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 7, 64, 1000])
def test_block_size_changes_nothing(rows, weighted):
    rng = np.random.default_rng(2)
    positive, score = rng.random(500) < 0.4, rng.integers(0, 60, 500)
    weight = rng.integers(1, 9, 500).astype(float) if weighted else None
    offsets = np.array([0, 0, 1, 140, 141, 400, 400, 500, 500])
    whole = ranked(positive, score, weight, offsets)
    expected = steps_of(whole), rises_of(whole)
    with block_rows(rows):
        cut = ranked(positive, score, weight, offsets)
        assert steps_of(cut) == expected[0]
        assert rises_of(cut) == expected[1]
    assert cut.n_positives.tolist() == whole.n_positives.tolist()


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
