"""The level of chance: all orders in exact fractions, p-values, and every refusal, in
calls of several subpackages; `tests/uncertainty/test_chance.py` has the others.
"""

import numpy as np
import pytest

from sklearn_ap import chance_level, score_by_query
from tests.uncertainty.test_chance import QUERY_ID, of_queries


@pytest.mark.parametrize("name", ["average_precision", "precision@2"])
def test_scores_by_query_are_read_by_their_queries(name):
    rows = {"y_true": of_queries(0), "query_id": QUERY_ID}
    short, _, k = name.partition("@")
    chance = chance_level(**rows, score_func=short, k=int(k) if k else None)
    scores = score_by_query(name, y_score=of_queries(1), **rows)
    expected = [
        (score - mean) / (1 - mean)
        for score, mean in zip(scores.values(), chance.mean, strict=True)
        if mean < 1
    ]
    with pytest.warns(UserWarning, match="all rows are positive"):
        adjusted = chance.adjust(dict(reversed(scores.items())))
    assert adjusted[~np.isnan(adjusted)] == pytest.approx(expected, rel=1e-15)
    del scores["c"]
    with pytest.raises(
        ValueError,
        match=r"^score must have the queries of this level; only one of the two has 'c'",
    ):
        chance.adjust(scores)
