"""If units have rows in several queries, units are drawn, and the queries are fixed, such
as the classes of a detector.
"""

import tracemalloc

import numpy as np
import pytest

from oracles.uncertainty import drawn, frozen
from sklearn_ap import (
    average_precision_score,
    estimate_score,
)

AP = average_precision_score
N, N_CLASSES, N_IMAGES = 360, 4, 45
RNG = np.random.default_rng(53)
CLASS, IMAGE = (frozen(RNG.integers(size, size=N)) for size in (N_CLASSES, N_IMAGES))
Y_TRUE, Y_SCORE = drawn(53, N)
ROWS = {"query_id": CLASS, "unit_id": IMAGE}
# All positives of the last class were missed.
TOTALS = {(i, 0): 60 + i for i in range(4)} | {(4, 0): 5}
for of_row in zip(CLASS.tolist(), IMAGE.tolist(), Y_TRUE.tolist(), strict=True):
    TOTALS[of_row[:2]] = TOTALS.get(of_row[:2], 0) + of_row[2]
few = pytest.mark.filterwarnings(
    "ignore:The sample has too few", "ignore:No positive class"
)


@few
@pytest.mark.parametrize(
    "name", ["r_precision", "precision@0.1", "average_precision@0.1"]
)
def test_a_query_without_rows_counts_at_a_cut(name):
    """Its score is 0 in every sample, since all of its positives were missed."""
    found = estimate_score(name, Y_TRUE, Y_SCORE, **ROWS, n_positives=TOTALS)
    low, high = found.confidence_interval()
    assert 0 <= low < found.score < high < 1


def peak_of(call):
    """Return the most memory that a call takes at a time, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_with_rows_if_queries_are_fixed():
    """Each query has values of its own units only."""

    def peak(n):
        rows = np.arange(n) % 2, np.arange(n) % 7
        options = {"query_id": np.arange(n) // 10, "unit_id": np.arange(n)}
        return peak_of(lambda: estimate_score(AP, *rows, **options))

    assert peak(2400) < 6 * peak(600)
