"""The room that sorts: its steps in blocks of any size, and what steps cannot hold."""

import math
from itertools import pairwise

import numpy as np
import pytest

from problems import block_rows
from rankings import ranked, steps_of
from sklearn_ap._ranking._blocks import running
from sklearn_ap._ranking._steps import Reduction

# Two rankings, the second without rows, and the tied group 2, 2 in the third.
POSITIVE = np.array([1, 0, 1, 0, 1, 1, 0], dtype=bool)
SCORE = np.array([3, 1, 2, 5, 2, 2, 1])
OFFSETS = np.array([0, 3, 3, 7])
WEIGHT = np.array([1.0, 2, 3, 4, 5, 6, 7])

BLOCKS = [1, 2, 3, 4, 5, 6, 7, 32_768]


def rises_of(rankings):
    reduction = Reduction(lambda _, best, below: np.array([best - below]), "each", enveloped=True)
    return rankings.kernel.reduced(reduction)[0].tolist()


@pytest.mark.parametrize("rows", BLOCKS)
def test_steps_by_hand(rows):
    with block_rows(rows):
        assert steps_of(ranked(POSITIVE, SCORE, None, OFFSETS)) == {
            "tp": [2, 1, 2],
            "tp_above": [1, 0, 0],
            "retrieved": [2, 1, 3],
            "above": [1, 0, 1],
            "rows_retrieved": [2, 1, 3],
            "rows_above": [1, 0, 1],
            "ranking": [0, 0, 2],
        }


@pytest.mark.parametrize("rows", BLOCKS)
def test_weighted_steps_by_hand(rows):
    with block_rows(rows):
        rankings = ranked(POSITIVE, SCORE, WEIGHT, OFFSETS)
        assert steps_of(rankings) == {
            "tp": [4, 1, 11],
            "tp_above": [1, 0, 0],
            "retrieved": [4, 1, 15],
            "above": [1, 0, 4],
            "rows_retrieved": [2, 1, 3],
            "rows_above": [1, 0, 1],
            "ranking": [0, 0, 2],
        }
    assert rankings.n_positives.tolist() == [4, 0, 11]
    assert rankings.total_weight.tolist() == [6, 0, 22]
    assert rankings.n_rows.tolist() == [3, 0, 4]


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


@pytest.mark.parametrize("rows", BLOCKS)
def test_weight_of_the_best_rows(rows):
    with block_rows(rows):
        rankings = ranked(POSITIVE, SCORE, WEIGHT, OFFSETS)
        best = rankings.weight_of_best(np.array([2.0, 5.0, 2.0]))
    assert best.tolist() == [4, 0, 4 + 11 / 2]


def test_weight_of_the_heaviest_positives():
    rankings = ranked(POSITIVE, SCORE, WEIGHT, OFFSETS)
    assert rankings.heaviest_positives(np.array([1.0, 1.0, 1.0])).tolist() == [3, 0, 6]
    assert rankings.heaviest_positives(np.array([9.0, 9.0, 9.0])).tolist() == [4, 0, 11]


@pytest.mark.parametrize("accumulate", [np.add, np.maximum])
@pytest.mark.parametrize("lengths", [[9], [1] * 9, [4, 5], [0, 3, 0, 1, 5, 0], [2, 2, 2, 3]])
def test_running_starts_anew_at_each_run(accumulate, lengths):
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    bounds = np.cumsum([0, *lengths])
    expected = [accumulate.accumulate(values[a:b]) for a, b in pairwise(bounds)]
    assert running(accumulate, values, np.array(lengths)).tolist() == np.concatenate(expected).tolist()


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


@pytest.mark.parametrize("rows", BLOCKS)
def test_orders_make_every_row_a_step(rows):
    with block_rows(rows):
        first, last = (
            ranked(POSITIVE, SCORE, None, OFFSETS, tie_order=t) for t in ("optimistic", "pessimistic")
        )
        assert steps_of(first)["retrieved"] == [2, 1, 3, 2]
        assert steps_of(last)["retrieved"] == [2, 1, 3, 2]
        stable = ranked(
            np.array([0, 1, 0, 1], dtype=bool), np.zeros(4), None, np.array([0, 4]), tie_order="stable"
        )
        assert steps_of(stable)["retrieved"] == [4, 2]
