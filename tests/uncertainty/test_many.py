"""Comparisons of many models: each pair is compared like two models, and p-values are
adjusted by Bonferroni.
"""

from itertools import combinations

import numpy as np
import pytest

from oracles.uncertainty import drawn as rows_drawn
from sklearn_ap import (
    average_precision_score,
    compare_many,
    compare_scores,
)

AP = average_precision_score
FIELDS = [
    "difference",
    "standard_error",
    "statistic",
    "df",
    "n_units",
    "n_fixed_queries",
]
OPTIONS = {
    "rows": {},
    "clusters": {"unit_id": np.arange(240) // 3},
    "queries": {"query_id": np.arange(240) % 12},
    "fixed queries": {"query_id": np.arange(240) % 4, "unit_id": np.arange(240) // 12},
}


def many(n_models=4, n=240, seed=0):
    """Return labels, and the scores of models that differ a little in both directions."""
    y_true, first = rows_drawn(seed, n)
    rng = np.random.default_rng(seed)
    return y_true, {
        f"m{i}": first + (0, 0.08, -0.04, 0.02)[i] * y_true + 0.3 * rng.random(n)
        for i in range(n_models)
    }


@pytest.mark.parametrize("reference", [None, "m3"])
@pytest.mark.parametrize("kind", OPTIONS)
def test_each_pair_is_compared_as_two_models(reference, kind):
    y_true, models = many()
    options = OPTIONS[kind]
    found = compare_many(AP, y_true, models, reference=reference, **options)
    assert found.pairs == tuple(
        pair for pair in combinations(models, 2) if reference is None or "m3" in pair
    )
    singles = [
        compare_scores(AP, y_true, models[first], models[second], **options)
        for first, second in found.pairs
    ]
    for name in FIELDS:
        wanted = [getattr(one, name) for one in singles]
        np.testing.assert_array_equal(getattr(found, name), wanted)
    np.testing.assert_array_equal(found.scores, [one.scores for one in singles])
    # The risk of each pair by Bonferroni.
    risk = 0.05 / len(singles)
    wanted = [one.confidence_interval(1 - risk) for one in singles]
    np.testing.assert_allclose(np.transpose(found.confidence_interval()), wanted)
