"""The first k rows of long rankings: rows left out change no number that a cut can
see.
"""

from typing import Any

import numpy as np
import pytest

from rankings import steps_of
from sklearn_ap._core.ranking.cut import cut_depth, first_rows, places_within, rows_at
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rows


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
        depth = cut_depth(whole.n_rows, k)
        kept, others = rows_at(rows, places_within(rows, depth))
        first = rank(kept)
        assert (first.found_weight + others).tolist() == whole.found_weight.tolist()
        best = whole.kernel.weight_of_best(depth).tolist()
        assert first.kernel.weight_of_best(depth).tolist() == pytest.approx(
            best, rel=1e-14, abs=0
        )
        assert visible(first, depth) == visible(whole, depth)


def visible(rankings: Any, depth: np.ndarray) -> list[tuple]:
    """The steps that have a row within the first `depth` of their ranking."""
    steps = steps_of(rankings)
    names = ("ranking", "rows_above", "tp", "tp_above", "retrieved")
    rows = zip(*(steps[name] for name in names), strict=True)
    return [row for row in rows if row[1] < depth[row[0]]]


@pytest.mark.parametrize("k", [1, 10, 500, 2000])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_tied_with_the_last_one_are_too_many_to_cut(weighted, k):
    """The sums of two rankings do not depend on one another."""
    rng, size = np.random.default_rng(0), 12_345
    weight = rng.random(size) if weighted else None
    rows = Rows(
        *(rng.random(size) < 0.3, np.full(size, 0.5)),
        *(weight, np.array([0, size // 2, size])),
    )
    assert (first_rows(rows, k)[1] is None) == (4 * 2 * k > size)
