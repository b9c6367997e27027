"""The number of a convention: known ones, odd answers, orders, containers, errors, in
calls of several subpackages; `tests/compatibility/test_score_as.py` has the others.
"""

from functools import partial

import numpy as np
import pytest

from sklearn_ap import score_by_query
from sklearn_ap.compatibility import score_as


def test_the_number_of_each_query():
    """As the package gives for a query alone; a query without rows counts where a total
    names it.
    """
    rng = np.random.default_rng(0)
    n = 60
    query, item = (
        np.repeat(["q3", "q1", "q2"], 20),
        np.array([f"d{one}" for one in rng.permutation(n)]),
    )
    y_true, y_score = rng.integers(0, 2, n), rng.integers(0, 4, n)
    y_true[query == "q2"] = 0
    totals = {"q1": 20, "q0": 3, "q2": 0, "q3": 20}
    options = {"query_id": query, "item_id": item}
    found = score_by_query(
        partial(score_as, "trec_eval map"),
        y_true,
        y_score,
        **options,
        n_positives=totals,
    )
    for one, value in found.items():
        rows = query == one
        alone = (y_true[rows], y_score[rows]) if rows.any() else ([0], [0])
        ids = {"item_id": item[rows]} if rows.any() else {}
        assert value == score_as(
            "trec_eval map", *alone, **ids, n_positives=totals[one] or None
        )
    assert list(found) == ["q0", "q1", "q2", "q3"]
    mean = score_as("trec_eval map", y_true, y_score, **options, n_positives=totals)
    assert mean == pytest.approx(np.mean(list(found.values())), abs=1e-15)
    left_out = score_as(
        "recommenders map_at_k", y_true, y_score, query_id=query, k=5, average=None
    )
    assert np.isnan(left_out).tolist() == [False, True, False]
    rows = {"sample_weight": query != "q2", "query_id": query, "average": None}
    assert score_as("KITTI R11", y_true, y_score, **rows).size == 3
