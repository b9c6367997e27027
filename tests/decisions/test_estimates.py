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
    ("score", "options"),
    [
        (average_precision_score, {}),
        (precision_at_k_score, {"k": 3}),
        (r_precision_score, {"ties": "expected"}),
    ],
)
def test_mean_over_queries_has_the_error_of_a_mean(score, options):
    y_true, y_score = drawn(6, 240, 0.5, 1)
    query = np.arange(240) % 20
    found = estimate_score(score, y_true, y_score, query_id=query, **options)
    values = np.array(
        list(score_by_query(score, y_true, y_score, query_id=query, **options).values())
    )
    assert found.score == pytest.approx(values.mean(), rel=1e-14, abs=0)
    assert found.standard_error == pytest.approx(
        values.std(ddof=1) / np.sqrt(20), rel=1e-12, abs=0
    )
    assert (found.df, found.n_units) == (19, 20)


def test_queries_of_a_user_are_one_unit():
    y_true, y_score = drawn(6, 240, 0.5)
    query = np.arange(240) % 24
    user = query % 12
    found = estimate_score(
        average_precision_score, y_true, y_score, query_id=query, unit_id=user
    )
    values = np.array(
        list(
            score_by_query(
                average_precision_score, y_true, y_score, query_id=query
            ).values()
        )
    )
    of_users = values.reshape(2, 12).mean(axis=0)
    assert found.standard_error == pytest.approx(
        of_users.std(ddof=1) / np.sqrt(12), rel=1e-12, abs=0
    )
    assert (found.df, found.n_units) == (11, 12)
