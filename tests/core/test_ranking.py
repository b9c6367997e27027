"""The subpackage that sorts: its memory, and when a cut pays."""

import tracemalloc

import numpy as np
import pytest

from sizes import sizes
from sklearn_ap import average_precision_score, r_precision_score
from sklearn_ap._core.ranking.cut import first_rows
from sklearn_ap._core.ranking.rankings import Rows


def test_memory_beside_rows_of_queries_in_any_order():
    rng = np.random.default_rng(7)
    query = rng.integers(1, 4000, 200_000)
    positive, score = rng.random(query.size) < 0.2, rng.random(query.size)
    tracemalloc.start()
    average_precision_score(positive, score, query_id=query, zero_division=0.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * query.size


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


@pytest.mark.parametrize("share", [0.02, 0.4])
@pytest.mark.parametrize("digits", [2, 9])
def test_as_many_rows_as_positives_have_the_number_of_all_rows(digits, share):
    rng = np.random.default_rng(1)
    rows = rng.random(9_000) < share, rng.random(9_000).round(digits)
    with sizes({("sklearn_ap._core.ranking.cut", "_ROWS_PER_REQUESTED"): 1e9}):
        expected = r_precision_score(*rows)
    assert r_precision_score(*rows) == pytest.approx(expected, rel=1e-15, abs=0)
