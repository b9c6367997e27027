"""The memory that a sort takes."""

import tracemalloc

import numpy as np

from sklearn_ap import average_precision_score


def test_memory_for_rows_of_queries_in_any_order():
    rng = np.random.default_rng(7)
    query = rng.integers(1, 4000, 200_000)
    positive, score = rng.random(query.size) < 0.2, rng.random(query.size)
    tracemalloc.start()
    average_precision_score(positive, score, query_id=query, zero_division=0.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * query.size
