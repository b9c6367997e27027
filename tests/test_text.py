"""Ids that are text, in arrays of numpy."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score


@pytest.mark.parametrize("dtype", ["U", "S", ">U12", "<U12"])
@pytest.mark.parametrize("long", [False, True])
def test_queries_named_by_text(dtype, long):
    rng = np.random.default_rng(1)
    query = np.array([f"{one}-{'abcdefghijklmnop' * long}" for one in rng.integers(0, 40, 300)]).astype(dtype)
    if long and dtype.endswith("12"):
        query = query.astype(dtype[0] + "U40")
    positive, score = rng.random(300) < 0.5, rng.random(300).round(1)
    names = np.unique(query)
    expected = [
        average_precision_score(positive[query == one], score[query == one], zero_division=0.0)
        for one in names
    ]
    for rows in (slice(None), np.argsort(query, kind="stable"), slice(None, None, -1)):
        arguments = {"query_id": query[rows], "average": None, "zero_division": 0.0}
        values = average_precision_score(positive[rows], score[rows], **arguments)
        assert values.tolist() == expected
        totals = dict.fromkeys(names.tolist(), 300)
        assert average_precision_score(
            positive[rows], score[rows], n_positives=totals, **arguments
        ).size == len(names)
