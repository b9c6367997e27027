"""Scores per query of two models: they are paired by id, and tested as scipy tests
their differences.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from sklearn_ap import (
    compare_by_query,
)


def of_queries(n=30):
    """Two mappings with the same ids, in different orders."""
    rng, ids = np.random.default_rng(0), [f"q{i}" for i in range(n)]
    return [
        dict(zip(rng.permutation(ids).tolist(), rng.random(n).tolist(), strict=True))
        for _ in range(2)
    ]


def test_series_have_queries_in_their_index():
    first, second = of_queries()
    expected = compare_by_query(first, second)
    found = compare_by_query(pd.Series(first), second)
    assert found.to_dict() == expected.to_dict()
    # bounds of scores overflowed there
    singles = {query: np.float32(score) for query, score in first.items()}
    assert compare_by_query(singles, second).pvalue == pytest.approx(expected.pvalue)


def test_queries_that_one_model_lacks():
    first, second = of_queries(12)
    del first["q3"], second["q5"]
    filled = compare_by_query(first, second, missing=0.0)
    same = compare_by_query(first | {"q3": 0.0}, second | {"q5": 0.0})
    assert filled.to_dict() == same.to_dict()
    assert filled.n_units == 12
    undefined = {"q99": float("nan")}  # for both models
    left_out = compare_by_query(first | undefined, second | undefined, missing=0.0)
    assert left_out.to_dict() == same.to_dict()


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("shift", [-0.1, 0.0, 0.1])
def test_pairs_are_tested_as_scipy_tests_their_differences(alternative, shift):
    rng = np.random.default_rng(0)
    first, second = rng.random(40), rng.random(40) + shift
    both = dict(enumerate(first)), dict(reversed([*enumerate(second)]))
    found = compare_by_query(*both, alternative=alternative)
    assert (found.df, found.n_units) == (39, 40)
    wanted = ttest_1samp(first - second, 0, alternative=alternative)
    assert found.scores == pytest.approx((first.mean(), second.mean()))
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-10, abs=0)
    assert found.pvalue == pytest.approx(wanted.pvalue, rel=1e-8, abs=0)
    for level in (0.9, 0.95):
        theirs = wanted.confidence_interval(level)
        np.testing.assert_allclose(
            found.confidence_interval(level), [theirs.low, theirs.high], rtol=1e-9
        )
