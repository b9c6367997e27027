"""Rankings whose rows stand in any order: their keys are put in place, ranking after
ranking.
"""

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from test_kernels import LAYOUTS, WITHOUT_PACKING

from rankings import HARD_SCORES, exact_steps, steps_of
from sklearn_ap import average_precision_score
from sklearn_ap._ranking._rank import rank
from sklearn_ap._ranking._rankings import Rankings, Rows

SEVERAL = {name: lengths for name, lengths in LAYOUTS.items() if name != "single"}
ORDERS = (None, "optimistic", "pessimistic")


def interleaved(
    score: np.ndarray, lengths: list[int], seed: int = 0
) -> tuple[Rows, Rows]:
    """Rows ranking after ranking, and the same rows in any order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(score.size)
    positive, offsets = rng.random(score.size) < 0.4, np.cumsum([0, *lengths])
    ranking = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return (
        Rows(positive, score, None, offsets),
        Rows(positive[order], score[order], None, offsets, ranking[order]),
    )


def packed(rows: Rows, ties: str | None = None, **options: Any) -> Rankings:
    return rank(rows, tie_order=ties, kernel="packed", **options)


@pytest.mark.parametrize(
    "name", [name for name in HARD_SCORES if name not in WITHOUT_PACKING]
)
def test_steps_are_those_of_the_definition(name):
    for layout, ties in product(SEVERAL, ORDERS):
        lengths = SEVERAL[layout]
        score = HARD_SCORES[name](np.random.default_rng(1), sum(lengths))
        rows, mixed = interleaved(score, lengths)
        expected = exact_steps(rows.positive, rows.score, None, rows.offsets, ties)
        for block in (1, 7, 32_768):
            assert steps_of(packed(mixed, ties, block_rows=block)) == expected, layout


def test_memory_beside_the_input():
    rng = np.random.default_rng(7)
    query = rng.integers(1, 4000, 200_000)
    positive, score = rng.random(query.size) < 0.2, rng.random(query.size)
    tracemalloc.start()
    average_precision_score(positive, score, query_id=query, zero_division=0.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 14 * query.size + 2**22


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("shape", [(30, 7), (3, 200), (20, 150), (1, 5)])
def test_columns_of_a_matrix_in_tiles(shape, layout):
    rng = np.random.default_rng(10)
    score = np.array(rng.normal(size=shape).round(1) * 3, order=layout)
    positive = np.array(rng.random(shape) < 0.4, order=layout)
    offsets = np.arange(shape[1] + 1) * shape[0]
    expected = exact_steps(positive.T.ravel(), score.T.ravel(), None, offsets, None)
    for matrix in (positive, np.repeat(positive, 2, axis=0)[::2]):
        rows = Rows(matrix.T, score.T, None, offsets)
        for block in (1, 7, 64, 1000):
            assert steps_of(packed(rows, block_rows=block)) == expected
