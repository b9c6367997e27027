"""If units have rows in several queries, units are drawn, and the queries are fixed, such
as the classes of a detector.
"""

import tracemalloc

import numpy as np

from sklearn_ap import average_precision_score, estimate_score


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
        return peak_of(
            lambda: estimate_score(average_precision_score, *rows, **options)
        )

    assert peak(2400) < 6 * peak(600)
