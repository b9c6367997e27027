"""The number of a convention for each query, of calls of several subpackages;
`tests/compatibility/test_score_as.py` has the others.
"""

from functools import partial

import pytest

from sklearn_ap import score_by_query
from sklearn_ap.compatibility import score_as


def test_the_number_of_each_query():
    """A query without rows counts where a total names it."""
    labels, scores, query = [1, 0, 0, 1, 0, 0], [2, 2, 1, 3, 1, 1], [*"bbbaac"]
    rows = {"query_id": query, "n_positives": {"a": 4, "b": 2, "c": 0, "0": 3}}
    rows["item_id"] = [*"xyzxyz"]  # of equal scores, y stands before x
    score = partial(score_as, "trec_eval map")
    found = score_by_query(score, labels, scores, **rows)
    assert found == {"0": 0.0, "a": 1 / 4, "b": 1 / 2 / 2, "c": 0.0}
    assert list(found) == ["0", "a", "b", "c"]
    mean = score(labels, scores, **rows)
    assert mean == pytest.approx((1 / 4 + 1 / 4) / 4, abs=1e-15)
