"""The first k rows of long rankings: rows left out change no number that a cut can
see.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest

import sklearn_ap
from rankings import steps_of
from sklearn_ap._ranking import _rank
from sklearn_ap._ranking._cut import cut_depth, first_rows
from sklearn_ap._ranking._rank import rank
from sklearn_ap._ranking._rankings import Rows


@pytest.mark.parametrize("layout", [[3000], [1000, 0, 2500, 7, 1200]])
@pytest.mark.parametrize("digits", [1, 3, 15])
@pytest.mark.parametrize("k", [1, 2, 30, 0.01, 5000])
def test_first_rows_hold_all_that_the_cut_can_see(k, digits, layout):
    rng = np.random.default_rng(3)
    size = sum(layout)
    positive, score = rng.random(size) < 0.3, rng.random(size).round(digits)
    weight = rng.integers(1, 9, size).astype(float)
    offsets = np.cumsum([0, *layout])
    for weights in (None, weight):
        rows = Rows(positive, score, weights, offsets)
        whole = rank(rows)
        kept, others = first_rows(rows, k)
        first = rank(kept)
        assert (first.found_weight + others).tolist() == whole.found_weight.tolist()
        depth = cut_depth(whole.n_rows, k)
        best = whole.kernel.weight_of_best(depth).tolist()
        assert first.kernel.weight_of_best(depth).tolist() == pytest.approx(
            best, rel=1e-14, abs=0
        )
        assert visible(first, depth) == visible(whole, depth)


def visible(rankings: Any, depth: np.ndarray) -> list[tuple]:
    """The steps that have a row within the first `depth` of their ranking."""
    steps = steps_of(rankings)
    rows = zip(
        *(
            steps[name]
            for name in ("ranking", "rows_above", "tp", "tp_above", "retrieved")
        ),
        strict=True,
    )
    return [row for row in rows if row[1] < depth[row[0]]]


@pytest.mark.parametrize("order", [-1, 0, 1])
@pytest.mark.parametrize("k", [1, 100])
def test_first_rows_of_a_long_ranking(k, order):
    """Its rows are in sets of 600 neighbours, and most sets have none of the first
    rows.
    """
    rng = np.random.default_rng(0)
    score = rng.permutation(600_007) if order == 0 else np.arange(600_007)[::order]
    positive = rng.random(score.size) < 0.5
    expected = positive[score >= score.size - k].mean()
    assert sklearn_ap.precision_at_k_score(positive, score, k=k) == expected


@pytest.mark.parametrize("best", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("k", [1, 10, 500])
@pytest.mark.parametrize("size", [10_000, 12_345])
def test_rows_tied_with_the_last_one_are_too_many_to_cut(size, k, best):
    rng = np.random.default_rng(0)
    positive, weight = rng.random(size) < 0.3, rng.random(size)
    score = np.where(np.arange(size) == size // 3, best, 0.5)
    two = np.array([0, size // 2, size])
    # The sums of several rankings must not depend on one another.
    for weights in (None, weight):
        rows = Rows(positive, score, weights, two)
        assert first_rows(rows, k, at_most=0.25) is not None
    call = partial(sklearn_ap.recall_at_k_score, positive, score, k=k)
    for options in ({}, {"sample_weight": weight}):
        found = [call(**options, ties=ties) for ties in ("proportional", "stable")]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_rank, "worth_a_cut", lambda *_: False)
            expected = [
                call(**options, ties=ties) for ties in ("proportional", "stable")
            ]
        assert found == pytest.approx(expected, rel=1e-13, abs=0)
