"""Standard errors and intervals of influences, against their definitions and against
the walk by rows, in calls of several subpackages; `tests/uncertainty/test_estimates.py`
has the others.
"""

import numpy as np
import pytest

from oracles.uncertainty import drawn
from sklearn_ap import (
    average_precision_score,
    estimate_score,
    precision_at_k_score,
    r_precision_score,
    score_by_query,
)


@pytest.mark.parametrize(
    ("score", "options", "n_users"),
    [
        (average_precision_score, {}, None),
        (precision_at_k_score, {"k": 3}, None),
        (r_precision_score, {"ties": "expected"}, None),
        (average_precision_score, {}, 10),
    ],
)
def test_mean_over_queries_has_the_error_of_a_mean(score, options, n_users):
    """Queries of a user are one unit."""
    query = np.arange(240) % 20
    rows = drawn(6, 240, 0.5, 1)
    found = estimate_score(
        score,
        *rows,
        query_id=query,
        unit_id=None if n_users is None else query % n_users,
        **options,
    )
    of_queries = score_by_query(score, *rows, query_id=query, **options)
    values = np.array([*of_queries.values()])
    assert found.score == pytest.approx(values.mean(), rel=1e-14, abs=0)
    n = n_users or 20
    error = values.reshape(-1, n).mean(axis=0).std(ddof=1) / np.sqrt(n)
    assert found.standard_error == pytest.approx(error, rel=1e-12, abs=0)
    assert (found.df, found.n_units) == (n - 1, n)
